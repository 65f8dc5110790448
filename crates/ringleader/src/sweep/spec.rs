//! What a sweep measures, as text.

use std::str::FromStr;

use ringleader_model::BadText;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::MOST_CELLS;
use super::sizes::{concise, sizes};
use crate::error::{Error, flag};
use crate::options::{CommandLine, Options, quoted};
use crate::statistics::USUAL_LEVEL;

/// What a sweep measures: all that is needed to repeat it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepSpec {
    /// The protocols: names, with parameters where they have some: `NAME:KEY=VALUE,KEY=VALUE`.
    pub protocols: Vec<String>,
    /// Options that all runs have, by name.
    pub options: Vec<(String, String)>,
    /// What varies.
    pub vary: Vec<SweepAxis>,
    /// The number of runs of each cell.
    pub runs: u64,
    /// The seed from which those of all runs are derived.
    pub seed: u64,
    /// The level of confidence intervals.
    pub level: f64,
    /// The quantities asked for, each with all below it; all if there are none.
    pub quantities: Vec<String>,
}

/// An option that varies.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepAxis {
    /// Its name: as on the command line, `set.NAME` for a parameter of the protocol.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

impl FromStr for SweepAxis {
    type Err = BadText;

    /// `OPTION=VALUES`, the values separated by spaces.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = || BadText::new(format!("is '{text}'"), "OPTION=VALUES, values separated by spaces: r='1..1 1..4'");
        let (name, values) = text.split_once('=').ok_or_else(bad)?;
        if name == "n" {
            let values = sizes(values, MOST_CELLS)?.iter().map(u64::to_string).collect();
            return Ok(Self { name: name.to_string(), values });
        }
        let values: Vec<String> = values.split_whitespace().map(str::to_string).collect();
        if values.is_empty() { Err(bad()) } else { Ok(Self { name: name.to_string(), values }) }
    }
}

impl Default for SweepSpec {
    fn default() -> Self {
        Self {
            protocols: Vec::new(),
            options: Vec::new(),
            vary: Vec::new(),
            runs: Self::RUNS,
            seed: 1,
            level: USUAL_LEVEL,
            quantities: Vec::new(),
        }
    }
}

impl SweepSpec {
    /// The default number of runs of each cell.
    pub const RUNS: u64 = 100;

    /// The greatest number of processors that a run of it has, as far as that is told.
    pub fn largest(&self) -> u64 {
        let varying = self.vary.iter().flat_map(|axis| axis.values.iter().map(|value| (axis.name.as_str(), value)));
        let given = self.options.iter().map(|(name, value)| (name.as_str(), value));
        let size = |(name, value): (&str, &String)| {
            let mut options = Options::default();
            // A value that is none is told with all else that is wrong.
            let counts = ["n", "ids", "readers", "writers"].contains(&name) && options.assign(name, value).is_ok();
            if counts { options.size().max(options.writers.unwrap_or(0)) } else { 0 }
        };
        given.chain(varying).map(size).max().unwrap_or(0)
    }

    /// The command line that repeats it.
    pub fn command_line(&self) -> String {
        let protocols: Vec<_> = self.protocols.iter().map(|protocol| quoted(protocol)).collect();
        let mut line = CommandLine::new(&format!("sweep {}", protocols.join(" ")));
        for SweepAxis { name, values } in &self.vary {
            match name.as_str() {
                "n" => line.value("-n", Some(concise(values))),
                _ => line.value("--vary", Some(format!("{name}={}", values.join(" ")))),
            }
        }
        for (name, value) in &self.options {
            match name.strip_prefix("set.") {
                Some(key) => line.value("--set", Some(format!("{key}={value}"))),
                None => line.value(&flag(name), Some(value)),
            }
        }
        line.value("--runs", Some(self.runs));
        line.value("--level", Some(self.level).filter(|&level| level != USUAL_LEVEL));
        for quantity in &self.quantities {
            line.value("--quantity", Some(quantity));
        }
        line.value("--seed", Some(self.seed));
        line.into_text()
    }
}

/// A part of a [`SweepSpec`] that is to blame for an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SpecPlace {
    /// All of it.
    Whole,
    /// A protocol.
    Protocol(usize),
    /// An option that all runs have.
    Option(usize),
    /// An option that varies: its name.
    Axis(usize),
    /// A value of an option that varies.
    AxisValue(usize, usize),
    /// The number of runs.
    Runs,
    /// The level of intervals.
    Level,
    /// A quantity.
    Quantity(usize),
}

/// What is wrong with a part of a [`SweepSpec`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepError {
    /// Which part.
    pub place: SpecPlace,
    /// What is wrong with it.
    pub error: Error,
}

impl std::fmt::Display for SweepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for SweepError {}
