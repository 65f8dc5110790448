//! Recorded runs as text: the scenario, and every choice that was made.
//!
//! Format 2 holds the scenario itself. A later version may add optional fields under the same number: files without them stay
//! what they are, and a reader that does not know one refuses the file and names the field, unless the field stands under
//! `extensions`, where nothing changes the run. Format 1 held the options of a command line. It is still read: its choices are
//! followed strictly; its digest, made in another way, is not compared.

use std::collections::BTreeMap;

use ringleader_check::{Property, Specification};
use ringleader_model::{Scenario, Task, Violation, word};
use ringleader_sim::{Choices, Run, STREAMS_VERSION, Step, Summary, TERMINATION, Verdict};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::catalogue::Catalogue;
use crate::error::Error;
use crate::execution::{Execution, RunEnd};
use crate::options::{Options, explicit_clocks};
use crate::setup::Setup;
use crate::watch::Watch;

/// The format that is written.
pub const TRACE_FORMAT: u32 = 2;
/// The format that is read, too.
const OLD_FORMAT: u32 = 1;

/// A recorded run. It replays exactly, whatever becomes of the random streams: all that was drawn is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    /// The protocol.
    pub protocol: String,
    /// The scenario, as it is recorded.
    pub recorded: Recorded,
    /// The version of the random streams that were drawn from.
    pub streams: u32,
    /// Every choice, in the order in which the run asked.
    pub choices: Vec<u64>,
    /// The digest of the run: at each place, the events that it handled, each with its time and its message. What a step sends
    /// or changes shows in it only where it leads to a later event.
    pub trace: String,
    /// The result of the run; older files have none.
    pub result: Option<RecordedResult>,
    /// The [position](Run::position) at which it was stopped, where it did not come to its end.
    pub position: Option<u64>,
    /// The step, counted from 1, at which its cycle begins, if it is a lasso.
    pub repeats_from: Option<u64>,
    /// Data that do not affect the run.
    pub extensions: BTreeMap<String, serde_json::Value>,
}

/// The result of a recorded run, which a replay compares: it differs where the protocol was changed since, although the events
/// are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Result")]
pub struct RecordedResult {
    /// Message passes by kind.
    pub messages: BTreeMap<String, u64>,
    /// Bits passed.
    pub bits: u64,
    /// The time of the last step; without clocks, the number of actions.
    pub time: u64,
    /// held, violated or unknown.
    pub verdict: String,
    /// The violated properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violated: Vec<String>,
}

impl RecordedResult {
    fn new(summary: &Summary) -> Self {
        Self {
            messages: summary.cost.kinds.iter().map(|(kind, passes)| (kind.name.to_string(), *passes)).collect(),
            bits: summary.cost.bits,
            time: summary.cost.time,
            verdict: summary.verdict.name().to_string(),
            violated: summary.violations.iter().map(|violation| violation.property.to_string()).collect(),
        }
    }

    /// A recorded violation that a replay does not show.
    fn violation_gone(&self, now: &Self) -> Option<&String> {
        self.violated.iter().find(|property| !now.violated.contains(property))
    }

    /// How this result differs from the one of a replay, in words; `None` if it does not.
    fn difference(&self, now: &Self) -> Option<String> {
        let kinds = self.messages.keys().chain(now.messages.keys().filter(|kind| !self.messages.contains_key(*kind)));
        let passes = |result: &Self, kind: &String| result.messages.get(kind).copied().unwrap_or(0);
        let mut counts: Vec<_> = kinds.map(|kind| (kind.as_str(), passes(self, kind), passes(now, kind))).collect();
        counts.extend([("bits", self.bits, now.bits), ("time", self.time, now.time)]);
        let counts = counts.into_iter().filter(|(_, then, now)| then != now);
        let mut words: Vec<_> = counts.map(|(what, then, now)| format!("{what} was {then} and is {now}")).collect();
        if self.verdict != now.verdict || self.violated != now.violated {
            let verdict = |result: &Self| match result.violated.as_slice() {
                [] => result.verdict.clone(),
                properties => format!("{} ('{}')", result.verdict, properties.join("', '")),
            };
            words.push(format!("the verdict was {} and is {}", verdict(self), verdict(now)));
        }
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// The scenario of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The options of a command line, in format 1.
    Options(Box<Options>),
    /// All of it.
    Scenario(Box<RecordedScenario>),
}

/// All that a run needs but the choices made in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedScenario {
    /// The scenario.
    pub scenario: Scenario,
    /// The protocol's parameters, as set.
    pub settings: Vec<(String, String)>,
    /// The leader's task after the election.
    pub task: Option<Task>,
    /// After how many messages to stop.
    pub max_messages: Option<u64>,
    /// After which time to stop; without clocks, after how many steps.
    pub max_time: Option<u64>,
}

/// The little that all formats have.
#[derive(Deserialize)]
struct Head {
    ringleader_trace: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format1 {
    #[serde(rename = "ringleader_trace")]
    _format: u32,
    streams: u32,
    protocol: String,
    scenario: Options,
    choices: Vec<u64>,
    trace: String,
    repeats_from: Option<u64>,
}

/// A recorded run.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trace")]
struct Format2 {
    /// The format: 2.
    ringleader_trace: u32,
    /// The version of the random streams that were drawn from.
    streams: u32,
    /// The protocol.
    protocol: String,
    /// The protocol's parameters, as set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    settings: Vec<(String, String)>,
    /// The leader's task after the election.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    then: Option<String>,
    /// The scenario; what is left out has its default.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    scenario: Scenario,
    /// After how many messages to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_messages: Option<u64>,
    /// After which time to stop; without clocks, after how many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_time: Option<u64>,
    /// Every choice, in the order in which the run asked.
    choices: Vec<u64>,
    /// The digest of the run: at each place, the events that it handled.
    trace: String,
    /// The result of the run, which a replay compares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<RecordedResult>,
    /// The position at which it was stopped, if it did not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<u64>,
    /// The step, counted from 1, at which its cycle begins, if it is a lasso.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
    /// Data that do not affect the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    extensions: BTreeMap<String, serde_json::Value>,
}

/// The JSON Schema of trace files.
pub fn trace_schema() -> schemars::Schema {
    schemars::schema_for!(Format2)
}

/// The extension of a counterexample to a formula.
const FORMULA: &str = "formula";

const AS_WRITTEN: &str = "a file as it was written, and the protocol as it was then";

impl TraceFile {
    /// The record of a run that is over.
    pub fn new(setup: &Setup, run: &dyn Run, summary: &Summary) -> Self {
        Self {
            protocol: setup.entry.name().to_string(),
            recorded: Recorded::Scenario(Box::new(RecordedScenario {
                scenario: explicit_clocks(&setup.scenario),
                settings: setup.settings.clone(),
                task: setup.task,
                max_messages: setup.max_messages,
                max_time: setup.max_time,
            })),
            streams: STREAMS_VERSION,
            choices: run.choices().expect("the run was recorded").to_vec(),
            trace: format!("{:016x}", summary.trace),
            result: Some(RecordedResult::new(summary)),
            position: None,
            repeats_from: None,
            extensions: BTreeMap::new(),
        }
    }

    /// The text of a trace file. One that was read in format 1 is not written again.
    pub fn to_text(&self) -> Result<String, Error> {
        let Recorded::Scenario(recorded) = &self.recorded else {
            let wrong = format!("format {OLD_FORMAT} of trace files is read, not written");
            return Err(Error::refused(wrong, "a run that was recorded now"));
        };
        let RecordedScenario { scenario, settings, task, max_messages, max_time } = (**recorded).clone();
        let file = Format2 {
            ringleader_trace: TRACE_FORMAT,
            streams: self.streams,
            protocol: self.protocol.clone(),
            settings,
            then: task.map(|task| task.name().to_string()),
            scenario,
            max_messages,
            max_time,
            choices: self.choices.clone(),
            trace: self.trace.clone(),
            result: self.result.clone(),
            position: self.position,
            repeats_from: self.repeats_from,
            extensions: self.extensions.clone(),
        };
        Ok(serde_json::to_string(&file).expect("a trace has nothing that JSON lacks") + "\n")
    }

    /// Reads the text of a trace file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match read::<Head>(text)?.ringleader_trace {
            OLD_FORMAT => read(text).map(Self::from_format_1),
            TRACE_FORMAT => read(text).and_then(Self::from_format_2),
            other => {
                Err(format!("version {other} of the trace format; this program reads {OLD_FORMAT} and {TRACE_FORMAT}"))
            }
        }
    }

    fn from_format_1(file: Format1) -> Self {
        Self {
            protocol: file.protocol,
            recorded: Recorded::Options(Box::new(file.scenario)),
            streams: file.streams,
            choices: file.choices,
            trace: file.trace,
            result: None,
            position: None,
            repeats_from: file.repeats_from,
            extensions: BTreeMap::new(),
        }
    }

    fn from_format_2(file: Format2) -> Result<Self, String> {
        let task = file.then.as_deref().map(|name| word(name, &Task::ALL, Task::name)).transpose();
        let Format2 { scenario, settings, max_messages, max_time, .. } = file;
        let task = task.map_err(|bad| format!("then: {bad}"))?;
        let recorded = RecordedScenario { scenario, settings, task, max_messages, max_time };
        Ok(Self {
            protocol: file.protocol,
            recorded: Recorded::Scenario(Box::new(recorded)),
            streams: file.streams,
            choices: file.choices,
            trace: file.trace,
            result: file.result,
            position: file.position,
            repeats_from: file.repeats_from,
            extensions: file.extensions,
        })
    }

    /// A counterexample to a property, with the text of the property if it is a formula.
    #[must_use]
    pub(crate) fn violating(mut self, property: Property, specification: &Specification) -> Self {
        if let Property::Formula(number) = property
            && let Some(formula) = specification.formulas.get(usize::from(number))
        {
            self.extensions.insert(FORMULA.to_string(), formula.to_string().into());
        }
        self
    }

    /// The formula that it is a counterexample to, if that is a formula.
    pub fn formula(&self) -> Option<&str> {
        self.extensions.get(FORMULA)?.as_str()
    }

    /// The number of processors.
    pub fn size(&self) -> u64 {
        match &self.recorded {
            Recorded::Options(options) => options.size(),
            Recorded::Scenario(recorded) => recorded.scenario.n as u64,
        }
    }

    /// Its protocol and scenario.
    pub fn setup(&self, catalogue: &Catalogue) -> Result<Setup, Error> {
        let entry = catalogue.find(&self.protocol)?;
        let mut setup = match &self.recorded {
            Recorded::Options(options) => Setup::new(entry, (**options).clone())?,
            Recorded::Scenario(recorded) => {
                let RecordedScenario { scenario, settings, task, max_messages, max_time } = (**recorded).clone();
                Setup::of_scenario(entry, scenario, settings, task, [max_messages, max_time])?
            }
        };
        setup.list_identities();
        Ok(setup)
    }

    /// A note on a run that is read from this file.
    pub fn note(&self) -> Option<&'static str> {
        let old = matches!(self.recorded, Recorded::Options(_));
        old.then_some("recorded in trace format 1: its choices are followed, its digest is not compared")
    }

    /// The violation that a replay does not find by itself: of a formula, or of termination by a lasso.
    pub fn recorded_violation(&self, setup: &Setup, summary: &Summary) -> Option<Violation> {
        let from = self.repeats_from.map(|step| match setup.scenario.untimed {
            true => format!("step {step}"),
            false => format!("time {}", step.saturating_sub(1)),
        });
        let again = from.map(|from| format!("from {from} on again and again"));
        if let Some(formula) = self.formula() {
            let again = again.map_or(String::new(), |again| format!("; {again}"));
            return Some(Violation { property: FORMULA, detail: format!("{formula}{again}") });
        }
        let detail = format!("{}: it never ends", again.filter(|_| summary.verdict == Verdict::Unknown)?);
        Some(Violation { property: TERMINATION, detail })
    }

    /// Executes the recorded run again; it must come out the same, step by step. `prepare` may ask for a log.
    pub fn replay(
        &self,
        catalogue: &Catalogue,
        watch: &dyn Watch,
        prepare: impl FnOnce(&mut dyn Run),
    ) -> Result<(Setup, Execution, Summary), Error> {
        let setup = self.setup(catalogue)?;
        let mut execution = self.execution(&setup)?;
        prepare(execution.run.as_mut());
        let (summary, _) = self.follow(&mut execution, watch, None)?;
        Ok((setup, execution, summary))
    }

    /// The same, of the [set-up](Self::setup) of this file, and hands on each step.
    pub fn replay_logged(
        &self,
        setup: &Setup,
        watch: &dyn Watch,
        take: &mut dyn FnMut(Step),
    ) -> Result<(Summary, RunEnd), Error> {
        let mut execution = self.execution(setup)?;
        execution.run.log();
        self.follow(&mut execution, watch, Some(take))
    }

    /// The recorded run before its first step.
    fn execution(&self, setup: &Setup) -> Result<Execution, Error> {
        let within = |from: u64| from > 0 && setup.max_time.is_some_and(|last| from <= last.saturating_add(1));
        if let Some(from) = self.repeats_from.filter(|&from| !within(from)) {
            let wrong = format!("the recorded run repeats itself from step {from} on, which it does not have");
            return Err(Error::refused(wrong, AS_WRITTEN));
        }
        Ok(Execution::new(setup, Choices::Recorded(self.choices.clone()))?)
    }

    fn follow(
        &self,
        execution: &mut Execution,
        watch: &dyn Watch,
        take: Option<&mut dyn FnMut(Step)>,
    ) -> Result<(Summary, RunEnd), Error> {
        let end = execution.finish_at(self.position, watch, take);
        let summary = execution.run.summary();
        if let Some(bad) = execution.run.bad_choice() {
            return Err(Error::refused(format!("the recorded run cannot be followed: {bad}"), AS_WRITTEN));
        }
        if end != RunEnd::Complete {
            return Ok((summary, end));
        }
        let surplus = execution.run.unused_choices();
        if surplus > 0 {
            let wrong = format!("the recorded run has {surplus} choices more than it makes");
            return Err(Error::refused(wrong, AS_WRITTEN));
        }
        match self.difference(&summary) {
            Some(wrong) => Err(Error::refused(wrong, AS_WRITTEN)),
            None => Ok((summary, end)),
        }
    }

    /// How a replay differs from the recorded run, in words; `None` if it does not.
    fn difference(&self, now: &Summary) -> Option<String> {
        let result = RecordedResult::new(now);
        let different = |how: &str| format!("the recorded run came out differently: {how}");
        if let Some(gone) = self.result.as_ref().and_then(|recorded| recorded.violation_gone(&result)) {
            return Some(format!("the recorded violation of '{gone}' does not happen any more"));
        }
        let (then, now) = (&self.trace, format!("{:016x}", now.trace));
        if now != *then && matches!(self.recorded, Recorded::Scenario(_)) {
            return Some(different(&format!("its digest is {then}, now it is {now}")));
        }
        self.result.as_ref().and_then(|recorded| recorded.difference(&result)).map(|how| different(&how))
    }
}

/// Reads JSON; what is wrong names the field.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The names of fields on the way cost a page more to load than they tell: lines and columns do.
    #[cfg(target_family = "wasm")]
    let found = T::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    #[cfg(not(target_family = "wasm"))]
    let found: T = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let (path, error) = (error.path().to_string(), error.inner());
        if path == "." { error.to_string() } else { format!("{path}: {error}") }
    })?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_all_properties() {
        let result = |violated: &[&str]| RecordedResult {
            messages: BTreeMap::from([("token".to_string(), 3)]),
            bits: 0,
            time: 4,
            verdict: "violated".to_string(),
            violated: violated.iter().map(ToString::to_string).collect(),
        };
        let (one, both) = (result(&["safety"]), result(&["safety", "termination"]));
        assert_eq!(one.difference(&one), None);
        let expected = "the verdict was violated ('safety') and is violated ('safety', 'termination')";
        assert_eq!(one.difference(&both).as_deref(), Some(expected));
    }
}
