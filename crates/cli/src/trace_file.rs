//! Recorded runs in files: the options, and every choice that was made.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use ringleader_model::TRACE_VERSION;
use ringleader_sim::{Choices, Run, STREAMS_VERSION, Summary};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::{Error, TRACE};
use crate::execution::Execution;
use crate::options::Options;
use crate::plan::Plan;

/// A recorded run. It replays exactly, whatever becomes of the random streams: all that was drawn is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// The version of this format and of the digest.
    pub ringleader_trace: u32,
    /// The version of the random streams that were drawn from.
    pub streams: u32,
    /// The protocol.
    pub protocol: String,
    /// The world.
    pub scenario: Options,
    /// Every choice, in the order in which the run asked.
    pub choices: Vec<u64>,
    /// The digest of every step.
    pub trace: String,
    /// From which step on, counted from 1, it goes on like this for ever, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<u64>,
}

impl TraceFile {
    /// The record of a run that is over.
    pub fn new(plan: &Plan, execution: &Execution, summary: &Summary) -> Self {
        Self::of(plan, execution.run.as_ref(), summary)
    }

    /// The same, of a run that was not made for this plan but is one of it.
    pub(crate) fn of(plan: &Plan, run: &dyn Run, summary: &Summary) -> Self {
        Self {
            ringleader_trace: TRACE_VERSION,
            streams: STREAMS_VERSION,
            protocol: plan.description.name.to_string(),
            scenario: plan.to_options(),
            choices: run.choices().expect("the run was recorded").to_vec(),
            trace: format!("{:016x}", summary.trace),
            repeats_from: None,
        }
    }

    /// The text of a trace file.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("a trace has nothing that JSON lacks") + "\n"
    }

    /// Reads the text of a trace file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.ringleader_trace != TRACE_VERSION {
            return Err(format!(
                "version {} of the trace format; this program reads {TRACE_VERSION}",
                file.ringleader_trace
            ));
        }
        Ok(file)
    }

    /// Reads a trace file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let wrong = |why| Error::Trace { path: path.to_path_buf(), why, allowed: TRACE.to_string() };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Self::parse(&text).map_err(wrong)
    }

    /// The plan that it holds.
    pub fn plan(&self) -> Result<Plan, Error> {
        Plan::new(&self.protocol, &self.scenario)
    }

    /// What it is recorded to do for ever, in words, where it is.
    pub(crate) fn never_ends(&self, plan: &Plan) -> Option<String> {
        let step = self.repeats_from?;
        let from =
            if plan.scenario.untimed { format!("step {step}") } else { format!("time {}", step.saturating_sub(1)) };
        Some(format!("from {from} on again and again: it never ends"))
    }

    /// Takes the recorded run again; it must come out the same, step by step.
    pub fn replay(&self, prepare: impl FnOnce(&mut Execution)) -> Result<(Plan, Execution, Summary), Error> {
        let plan = self.plan()?;
        let within = |from: u64| from > 0 && plan.max_time.is_some_and(|last| from <= last + 1);
        if let Some(from) = self.repeats_from.filter(|&from| !within(from)) {
            return Err(Error::Usage(format!(
                "the recorded run repeats itself from step {from} on, which it does not have\nallowed: a file as it was \
                 written"
            )));
        }
        let mut execution = Execution::new(&plan, Choices::Recorded(self.choices.clone()))?;
        prepare(&mut execution);
        execution.finish();
        let summary = execution.run.summary();
        if let Some(bad) = execution.run.bad_choice() {
            return Err(Error::Usage(format!(
                "the recorded run cannot be followed: {bad}\nallowed: a file as it was written"
            )));
        }
        let surplus = execution.run.unused_choices();
        if surplus > 0 && !crate::execution::interrupted() {
            return Err(Error::Usage(format!(
                "the recorded run has {surplus} choices more than it makes\nallowed: a file as it was written"
            )));
        }
        let found = format!("{:016x}", summary.trace);
        if found != self.trace && !crate::execution::interrupted() {
            return Err(Error::Usage(format!(
                "the recorded run came out differently: its digest is {}, now it is {found}\nallowed: a file as it was written",
                self.trace
            )));
        }
        Ok((plan, execution, summary))
    }
}

/// A file that will be written when all is known. Making it first finds out early whether it can be, and until it is
/// complete nothing of the old one is lost.
pub(crate) struct Output<'a> {
    path: &'a Path,
    goes: Goes,
}

/// Whether there is a device or a pipe, which is written to and not replaced.
pub(crate) fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Where it goes meanwhile.
enum Goes {
    /// Beside the old one, whose place it takes in the end.
    Beside(NamedTempFile),
    /// To a device or a pipe, whose place nothing may take.
    Straight(File),
}

impl<'a> Output<'a> {
    pub(crate) fn new(path: &'a Path) -> Result<Self, Error> {
        // The kind alone: the full text names a temporary file.
        let unwritable =
            |error: std::io::Error| Error::Output { path: path.to_path_buf(), source: error.kind().into() };
        if path.is_dir() {
            return Err(unwritable(std::io::ErrorKind::IsADirectory.into()));
        }
        if is_device(path) {
            let there = File::options().write(true).open(path).map_err(unwritable)?;
            return Ok(Self { path, goes: Goes::Straight(there) });
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new();
        // Readable like any other file, not by its owner only as temporary ones are.
        #[cfg(unix)]
        file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self { path, goes: Goes::Beside(file.tempfile_in(directory).map_err(unwritable)?) })
    }

    pub(crate) fn write(self, text: &str) -> Result<(), Error> {
        let unwritable = |source| Error::Output { path: self.path.to_path_buf(), source };
        match self.goes {
            Goes::Straight(mut there) => there.write_all(text.as_bytes()).map_err(unwritable),
            Goes::Beside(mut file) => {
                file.write_all(text.as_bytes()).map_err(unwritable)?;
                file.persist(self.path).map_err(|error| unwritable(error.error))?;
                Ok(())
            }
        }
    }
}
