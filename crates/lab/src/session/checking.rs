//! A check of every schedule, made in slices of time, on one thread.
//!
//! A slice that ends before the search does leaves a checkpoint in memory, from which the next slice goes on.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ringleader::check::{CheckOptions, CheckSetup, CheckVerdict, CheckpointStore, Checkpoints, Survey, Total, survey};
use ringleader::{Catalogue, Effort, Error, Watch, words};
use ringleader_check::{Formula, Progress, Specification};
use serde::Serialize;

/// The memory of a search in a page.
const MOST_BYTES: u64 = 700 << 20;
/// A slice takes at least so long, in seconds, and at most.
const SHORTEST: f64 = 0.01;
const LONGEST: f64 = 3600.0;

/// A check that goes on in slices.
pub(crate) struct CheckRun {
    setup: CheckSetup,
    line: String,
    checkpoints: Checkpoints,
    files: Files,
    now: fn() -> f64,
    /// How many times longer than asked for a slice is: parts of a search that leave no checkpoint begin anew.
    stretch: f64,
    /// The states visited by the slice that visited most.
    states: u64,
    spent: f64,
}

/// How far a check is.
#[derive(Debug, Serialize)]
pub(crate) struct CheckStepView {
    done: bool,
    /// The states visited so far.
    states: u64,
    /// The time spent so far.
    seconds: f64,
    /// The command line that repeats it.
    line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// The answer in words, property by property.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The trace file of a shortest counterexample.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<String>,
}

impl CheckStepView {
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }
}

/// Files in memory.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<FileTable>>);

#[derive(Default)]
struct FileTable {
    by_name: BTreeMap<String, Vec<u8>>,
    /// How often one was written.
    written: u64,
}

impl Files {
    fn table(&self) -> MutexGuard<'_, FileTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CheckpointStore for Files {
    /// A search writes a checkpoint when it is stopped; more are not needed.
    fn is_due(&self, _name: &str) -> bool {
        false
    }

    fn replace(&self, name: &str, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool {
        let mut bytes = Vec::new();
        let written = content(&mut bytes).is_ok();
        if written {
            let mut table = self.table();
            // The file of all answers is written at the end of every slice.
            table.written += u64::from(name != ringleader::check::ANSWERS);
            table.by_name.insert(name.to_string(), bytes);
        }
        written
    }

    fn open(&self, name: &str) -> io::Result<Option<Box<dyn Read>>> {
        Ok(self.table().by_name.get(name).map(|bytes| Box::new(Cursor::new(bytes.clone())) as Box<dyn Read>))
    }

    fn remove(&self, name: &str) {
        self.table().by_name.remove(name);
    }
}

/// Watches a slice.
struct SliceWatch<'a> {
    checkpoints: &'a Checkpoints,
    now: fn() -> f64,
    deadline: f64,
    /// The states of the instances that are complete, and of the one that is explored.
    complete: AtomicU64,
    present: AtomicU64,
    stopped: std::sync::atomic::AtomicBool,
}

impl Watch for SliceWatch<'_> {
    fn stopped(&self) -> bool {
        let stopped = (self.now)() >= self.deadline;
        if stopped {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stopped
    }

    fn seconds(&self) -> f64 {
        (self.now)()
    }

    fn searching(&self, _worker: usize, progress: &Progress) {
        self.present.store(progress.states, Ordering::Relaxed);
    }

    fn searched(&self, _worker: usize, progress: &Progress) {
        self.complete.fetch_add(progress.states, Ordering::Relaxed);
        self.present.store(0, Ordering::Relaxed);
    }

    fn checkpoints(&self) -> Option<&Checkpoints> {
        Some(self.checkpoints)
    }
}

impl CheckRun {
    /// The check that a command line asks for.
    pub(crate) fn new(line: &str, catalogue: &Catalogue, now: fn() -> f64) -> Result<Self, Error> {
        let (protocol, options) = check_line(line, catalogue)?;
        let setup = CheckSetup::new(catalogue.find(&protocol)?, &options)?;
        let line = options.command_line(&protocol, setup.family.n).into_text();
        let files = Files::default();
        let checkpoints = Checkpoints::new(Box::new(files.clone()), options.unlimited_command_line(&protocol));
        Ok(Self { setup, line, checkpoints, files, now, stretch: 1.0, states: 0, spent: 0.0 })
    }

    /// Goes on for about so many seconds.
    pub(crate) fn go_on(&mut self, seconds: f64) -> Result<CheckStepView, Error> {
        if !(seconds > 0.0 && seconds <= LONGEST) {
            let wrong = format!("is {seconds}");
            let allowed = format!("more than 0, at most {LONGEST}");
            return Err(Error::Named { name: "seconds".to_string(), wrong, allowed });
        }
        let (begun, written) = ((self.now)(), self.files.table().written);
        let watch = SliceWatch {
            checkpoints: &self.checkpoints,
            now: self.now,
            deadline: begun + seconds.max(SHORTEST) * self.stretch,
            complete: AtomicU64::new(0),
            present: AtomicU64::new(0),
            stopped: false.into(),
        };
        let survey = survey(&self.setup, &watch)?;
        let visited = watch.complete.into_inner() + watch.present.into_inner();
        self.states = self.states.max(visited);
        self.spent += (self.now)() - begun;
        if watch.stopped.into_inner() {
            self.stretch = if self.files.table().written == written { self.stretch * 2.0 } else { 1.0 };
            return Ok(self.step(None));
        }
        Ok(self.step(Some(&survey)))
    }

    fn step(&self, survey: Option<&Survey>) -> CheckStepView {
        let mut view = CheckStepView {
            done: survey.is_some(),
            states: self.states,
            seconds: self.spent,
            line: self.line.clone(),
            verdict: None,
            text: None,
            counterexample: None,
        };
        let Some(survey) = survey else { return view };
        let total = Total::new(&self.setup, survey);
        view.states = survey.found.iter().map(|found| found.progress.states).sum();
        view.verdict = Some(match total.verdict() {
            CheckVerdict::Holds => "holds",
            CheckVerdict::Unknown => "unknown",
            CheckVerdict::Violated => "violated",
        });
        let texts = total.judgements.iter().map(|judgement| {
            let property = self.setup.property_name(judgement.property);
            let detail = if judgement.detail.is_empty() { String::new() } else { format!(": {}", judgement.detail) };
            format!("{property} {}{detail}", verdict_word(judgement.verdict))
        });
        view.text = Some(texts.collect::<Vec<_>>().join("\n"));
        let shortest = total.shortest.and_then(|(_, violated)| violated.run.as_ref().ok());
        view.counterexample = shortest.and_then(|trace| trace.to_text().ok());
        view
    }
}

fn verdict_word(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Holds => "holds",
        CheckVerdict::Unknown => "is not decided",
        CheckVerdict::Violated => "is violated",
    }
}

const LINE: &str = "the line of a check, such as check peterson -n 4";

/// The protocol and the options of a line such as `ringleader check peterson -n 4`.
fn check_line(line: &str, catalogue: &Catalogue) -> Result<(String, CheckOptions), Error> {
    let refused = |wrong: String| Error::Refused { wrong, allowed: Some(LINE) };
    let words = words(line)?;
    let mut words = words.iter().map(String::as_str).skip_while(|&word| word == "ringleader");
    if words.next() != Some("check") {
        return Err(refused("the line is no check".to_string()));
    }
    let effort = Effort { threads: 1, bytes: MOST_BYTES, ..Effort::default() };
    let mut check = CheckOptions { effort, ..CheckOptions::default() };
    let (mut protocol, mut formulas) = (None, Vec::new());
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            if let Some(first) = protocol.replace(word) {
                return Err(refused(format!("the line has two protocols, '{first}' and '{word}'")));
            }
            continue;
        };
        match name {
            "timed" => check.timed = Some(true),
            "untimed" => check.timed = Some(false),
            "no-reduce" => check.effort.reductions = ringleader_check::Reductions::NONE,
            _ => {
                let (name, value) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (name, words.next()),
                };
                let missing = || Error::Named {
                    name: name.to_string(),
                    wrong: "has no value".to_string(),
                    allowed: "a value".to_string(),
                };
                give(&mut check, &mut formulas, name, value.ok_or_else(missing)?)?;
            }
        }
    }
    let protocol = protocol.ok_or_else(|| refused("the line names no protocol".to_string()))?;
    let protocol = catalogue.complete(protocol)?;
    if !check.has_size() {
        let allowed = "a number of processors; in a page no check grows by itself".to_string();
        return Err(Error::Named { name: "n".to_string(), wrong: "is not given".to_string(), allowed });
    }
    check.specification = Specification { formulas, ..check.specification };
    let (protocol, options) = check.options.with_election(&protocol);
    check.options = options;
    Ok((protocol, check))
}

/// Gives an option of a check its value.
fn give(check: &mut CheckOptions, formulas: &mut Vec<Formula>, name: &str, value: &str) -> Result<(), Error> {
    let bad = |bad| Error::option(name, bad);
    match name {
        "wake" => check.wake = Some(value.parse().map_err(bad)?),
        "orientation" => check.orientation = Some(value.parse().map_err(bad)?),
        "max-states" => check.effort.states = ringleader::values::number(value).map_err(bad)?,
        "fairness" => check.specification.fairness = value.parse().map_err(bad)?,
        "always" => formulas.push(value.parse().map(Formula::always).map_err(bad)?),
        "eventually" => formulas.push(value.parse().map(Formula::eventually).map_err(bad)?),
        "ltl" => formulas.push(value.parse().map_err(bad)?),
        _ => check.options.give(name, value)?,
    }
    Ok(())
}
