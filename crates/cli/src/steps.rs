//! The steps of a run, taken while it advances: written as text, kept for JSON, drawn.

use std::io::{self, Write};

use ringleader::picture::Recording;
use ringleader::sweep::MessageBreakdown;
use ringleader::{Setup, StepReport};
use ringleader_sim::Step;
use serde::{Serialize, Serializer};

use crate::files::is_pipe_closed;
use crate::text::StepWriter;

/// Takes the steps of a run, and keeps no more of them than it shows.
pub(crate) struct StepSink {
    writer: Option<StepWriter>,
    /// All steps, for JSON.
    kept: Option<Vec<Step>>,
    pub(crate) recording: Option<Recording>,
    /// Counts by phase and identity, where they are asked for.
    pub(crate) breakdown: Option<MessageBreakdown>,
    error: Option<io::Error>,
}

impl StepSink {
    /// Where steps are shown at all (`shown`), they are written, or kept for JSON.
    pub(crate) fn new(writer: StepWriter, shown: bool, json: bool, recording: Option<Recording>) -> Self {
        Self {
            writer: Some(writer).filter(|_| shown && !json),
            kept: (shown && json).then(Vec::new),
            recording,
            breakdown: None,
            error: None,
        }
    }

    /// Whether any step is needed.
    pub(crate) const fn needs_steps(&self) -> bool {
        self.writer.is_some() || self.kept.is_some() || self.recording.is_some() || self.breakdown.is_some()
    }

    pub(crate) fn take(&mut self, step: Step, setup: &Setup, out: &mut impl Write) {
        if let Some(breakdown) = &mut self.breakdown {
            breakdown.take(&step);
        }
        if let Some(recording) = &mut self.recording {
            if self.writer.is_none() && self.kept.is_none() {
                return recording.extend([step]);
            }
            recording.extend([step.clone()]);
        }
        // Steps are kept or written, never both.
        if let Some(kept) = &mut self.kept {
            kept.push(step);
        } else if let Some(writer) = &mut self.writer
            && !is_pipe_closed()
            && let Err(error) = writer.write(step, setup, out)
        {
            self.error.get_or_insert(error);
        }
    }

    /// Writes the text that was held back.
    pub(crate) fn finish_text(&mut self, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.writer.take().map_or(Ok(()), |writer| writer.finish(setup, out)),
        }
    }

    /// The steps that were kept, as JSON.
    pub(crate) fn reports<'a>(&'a self, setup: &'a Setup) -> Option<StepReports<'a>> {
        self.kept.as_deref().map(|steps| StepReports { steps, ids: &setup.scenario.ids })
    }
}

/// Steps as JSON, rendered one after the other.
#[derive(Default)]
pub(crate) struct StepReports<'a> {
    steps: &'a [Step],
    ids: &'a [u64],
}

impl Serialize for StepReports<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rendered = self.steps.iter().flat_map(|step| StepReport::all(std::slice::from_ref(step), self.ids));
        serializer.collect_seq(rendered)
    }
}
