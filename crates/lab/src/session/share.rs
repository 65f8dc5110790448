//! A run on its way out: as a link, a command line, a report, a trace file, a test in Rust, a picture.

use ringleader::picture::{self, Recording, Theme};
use ringleader::{Error, Execution, RunReport, TraceFile};
use ringleader_sim::{Run, Summary};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Session;
use super::limit::Patience;
use crate::link;

/// A link holds a recorded run of at most this many choices; a longer one is shared as a file.
const MOST_CHOICES: usize = 20_000;

/// Moves drawn at a time.
const SLICE: u64 = 4096;

/// What a link holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SharedRun {
    /// The format of the link.
    v: u32,
    /// The version of the program.
    pub(super) version: String,
    /// The command line of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<String>,
    /// Its trace file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<String>,
    /// The cursor.
    #[serde(rename = "move", default)]
    pub(super) moves: u64,
    /// The selection, as the page wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) selection: Option<Value>,
}

impl SharedRun {
    /// Reads the fragment of an address.
    pub(super) fn read(fragment: &str) -> Result<Self, Error> {
        let allowed = Some("a link that was copied whole from this page");
        let text = link::decode(fragment).map_err(|wrong| Error::Refused { wrong, allowed })?;
        serde_json::from_str(&text).map_err(|error| {
            let wrong = format!("the link cannot be read: {error}");
            Error::Refused { wrong, allowed }
        })
    }
}

impl Session {
    /// The command line that repeats the run.
    pub fn command_line(&self) -> String {
        self.setup.command_line()
    }

    /// The fragment of an address that opens the run where the cursor stands.
    pub(crate) fn link(&self, selection: Option<Value>) -> Result<String, Error> {
        let choices = self.setup.given.choices.as_ref().map_or(0, Vec::len);
        if choices > MOST_CHOICES {
            let wrong = format!("the run has {choices} recorded choices, too many for a link");
            return Err(Error::Refused { wrong, allowed: Some("a trace file, which holds any run") });
        }
        let shared = SharedRun {
            v: link::FORMAT,
            version: crate::VERSION.to_string(),
            line: Some(self.command_line()),
            trace: None,
            moves: self.timeline.position().moves,
            selection,
        };
        Ok(link::encode(&serde_json::to_string(&shared).expect("a link is JSON")))
    }

    /// The whole run once more, as `run` executes it, prepared by `prepare`.
    fn executed(&self, prepare: impl FnOnce(&mut dyn Run)) -> Result<(Execution, Summary), Error> {
        let mut execution = Execution::new(&self.setup, self.choices.clone())?;
        prepare(execution.run.as_mut());
        let patience = Patience::default();
        execution.finish(&patience);
        patience.check()?;
        let summary = execution.run.summary();
        Ok((execution, summary))
    }

    /// The report of the run, as `run --json` prints it.
    pub(crate) fn report(&self) -> Result<RunReport, Error> {
        let (_, summary) = self.executed(|_| ())?;
        Ok(RunReport::new(&self.setup, &summary))
    }

    /// The trace file of the run.
    pub(crate) fn trace(&self) -> Result<String, Error> {
        let (execution, summary) = self.executed(|run| run.record())?;
        TraceFile::new(&self.setup, execution.run.as_ref(), &summary).to_text()
    }

    /// A test in Rust that makes the run and expects its result.
    pub(crate) fn rust_test(&self) -> Result<String, Error> {
        let (_, summary) = self.executed(|_| ())?;
        let line = self.command_line();
        let name = self.setup.entry.name().replace('-', "_");
        let violated: Vec<_> = summary.violations.iter().map(|violation| violation.property).collect();
        let hashes = "#".repeat(usize::from(line.contains('"')));
        Ok(format!(
            "/// {line}\n\
             #[test]\n\
             fn {name}_as_in_the_lab() -> Result<(), Box<dyn std::error::Error>> {{\n    \
             use ringleader::{{Catalogue, Setup, find, run_line}};\n\n    \
             let (protocol, options) = run_line(r{hashes}\"{line}\"{hashes}, &Catalogue::default())?;\n    \
             let run = Setup::new(find(&protocol)?, options)?.run()?;\n    \
             assert_eq!(run.verdict.name(), {verdict:?});\n    \
             let violated: Vec<_> = run.violations.iter().map(|violation| violation.property).collect();\n    \
             assert_eq!(violated, {violated:?} as [&str; {count}]);\n    \
             assert_eq!((run.cost.messages(), run.cost.time), ({messages}, {time}));\n    \
             assert_eq!(format!(\"{{:016x}}\", run.trace), \"{trace:016x}\");\n    \
             Ok(())\n\
             }}\n",
            verdict = summary.verdict.name(),
            count = violated.len(),
            messages = summary.cost.messages(),
            time = summary.cost.time,
            trace = summary.trace,
        ))
    }

    /// The space-time diagram of the run up to the cursor, as SVG.
    pub(crate) fn svg(&self, theme: Theme) -> String {
        let moves = self.timeline.position().moves;
        let mut recording = Recording::new(&self.setup.scenario);
        let mut from = 0;
        while from < moves {
            let to = moves.min(from + SLICE);
            recording.extend(self.timeline.logged(from, to).into_iter().flat_map(|one| one.steps));
            from = to;
        }
        let summary = self.summary();
        recording.draw(&picture::run_info(&self.setup, &summary, &self.command_line()), theme)
    }

    /// The stage at the cursor, as SVG.
    pub(crate) fn moment(&self, theme: Theme) -> Result<String, Error> {
        let cursor = self.timeline.cursor();
        let summary = self.summary();
        let info = picture::run_info(&self.setup, &summary, &self.command_line());
        picture::moment(&info, cursor, theme).ok_or_else(|| Error::Named {
            name: "n".to_string(),
            wrong: format!("is {}, too many for a picture of a moment", self.setup.scenario.n),
            allowed: format!("at most {}", picture::MOST_IN_A_MOMENT),
        })
    }
}
