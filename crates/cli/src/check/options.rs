//! What the command line says about a check, as it was said.

use std::path::PathBuf;

use ringleader_model::{AtMost, BadSetting};

use crate::options::{Options, number, plain_number, quoted};

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CheckArguments {
    /// The protocol; see `ringleader list`
    pub(crate) protocol: String,
    #[command(flatten)]
    pub(crate) options: CheckOptions,
    /// Instead: how likely each ending is and what a run costs in the mean, exactly, the least and the greatest over all
    /// schedules; with a number, of runs followed for so many phases only
    #[arg(long, value_name = "PHASES", num_args = 0..=1, require_equals = true, help_heading = "Output",
          conflicts_with_all = ["all", "save", "picture"])]
    pub(crate) probability: Option<Option<u32>>,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl CheckArguments {
    /// The line that asks the same again.
    pub(crate) fn rerun(&self, protocol: &str, size: usize) -> String {
        let mut line = self.options.rerun(protocol, size);
        match self.probability {
            Some(Some(phases)) => line.push_str(&format!(" --probability={phases}")),
            Some(None) => line.push_str(" --probability"),
            None => {}
        }
        line
    }
}

/// What is checked, and with how much effort.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CheckOptions {
    /// How many processors: all orders of their identities that no symmetry makes the same [default: 4]
    #[arg(short, long, value_name = "N", value_parser = plain_number, allow_negative_numbers = true, help_heading = "Who is there")]
    pub(crate) n: Option<u64>,
    /// One order of identities, clockwise: 3,1,4,2
    #[arg(long, value_name = "LIST", allow_negative_numbers = true, help_heading = "Who is there")]
    pub(crate) ids: Option<String>,
    /// On a bidirectional ring, whose left and right are exchanged: all, same or 0110 [default: all up to 4 processors, and
    /// beyond where the protocol does not treat its ports alike]
    #[arg(long, value_name = "WAYS", help_heading = "Who is there")]
    pub(crate) orientation: Option<String>,
    /// Who wakes by itself, each at some moment, and nobody else: all, one (place 0), 0,3,5, or together (all at the first
    /// instant) [default: anybody or nobody, at any moment]
    #[arg(long, value_name = "SET", allow_negative_numbers = true, help_heading = "Who is there")]
    pub(crate) wake: Option<String>,
    /// Ask a processor for a further election, at any moment: PLACE@TIME as in `run`, though TIME says nothing here; may be
    /// repeated
    #[arg(long, value_name = "PLACE@TIME", help_heading = "Who is there")]
    pub(crate) again: Vec<String>,
    /// With clocks [default: where the protocol needs them]
    #[arg(long, conflicts_with = "untimed", help_heading = "Time")]
    pub(crate) timed: bool,
    /// Without clocks: whatever can happen may happen next [default: where the protocol needs no clocks]
    #[arg(long, help_heading = "Time")]
    pub(crate) untimed: bool,
    /// The length of a tick: A or A..B [default: 1..2 where the protocol is Archimedean, else as in `run`]
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, help_heading = "Time")]
    pub(crate) r: Option<String>,
    /// The delay of a message: A or A..B [default: 1..2 where the protocol is Archimedean, else as in `run`]
    #[arg(long, value_name = "RANGE", allow_negative_numbers = true, help_heading = "Time")]
    pub(crate) d: Option<String>,
    /// Tick lengths within r: fixed (one for each processor) or varying (another for every step) [default: varying where
    /// reading is per-step]
    #[arg(long, value_name = "POLICY", help_heading = "Time")]
    pub(crate) clocks: Option<String>,
    /// When an arrived message is handled: immediate, per-tick or per-step [default: the protocol's]
    #[arg(long, value_name = "READING", help_heading = "Time")]
    pub(crate) reading: Option<String>,
    /// What comes first of a message and a step of its receiver at one instant: both, or as in the simulator: sim [default:
    /// both; sim where messages may take no time]
    #[arg(long, value_name = "TIES", help_heading = "Time")]
    pub(crate) ties: Option<String>,
    /// The order that links keep: fifo, any or half (one message at a time) [default: the protocol's]
    #[arg(long, value_name = "ORDER", help_heading = "Links and faults")]
    pub(crate) links: Option<String>,
    /// What may fail, at any moment: crash:K, and without clocks loss:K, duplicate:K (at most K of each), separated by
    /// commas
    #[arg(long, value_name = "FAULTS", help_heading = "Links and faults")]
    pub(crate) faults: Option<String>,
    /// How often each site that competes may enter, read or write [default: 1]
    #[arg(long, value_name = "E", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    pub(crate) entries: Option<u64>,
    /// How many sites compete: places 0 to S-1 [default: all]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    pub(crate) compete: Option<u64>,
    /// How many read: places 0 to R-1 [default: all but the writers]
    #[arg(long, value_name = "R", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    pub(crate) readers: Option<u64>,
    /// How many write: the places after the readers [default: 1]
    #[arg(long, value_name = "W", allow_negative_numbers = true, help_heading = "The workload", value_parser = plain_number)]
    pub(crate) writers: Option<u64>,
    /// A parameter of the protocol: KEY=VALUE; may be repeated
    #[arg(long, value_name = "KEY=VALUE", help_heading = "The protocol")]
    pub(crate) set: Vec<String>,
    /// Go every way, even where it is proved that some may be left out
    #[arg(long, help_heading = "Effort")]
    pub(crate) no_reduce: bool,
    /// How many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = plain_number, allow_negative_numbers = true, help_heading = "Effort")]
    pub(crate) threads: Option<u64>,
    /// The most configurations of one instance
    #[arg(long, value_name = "N", value_parser = plain_number, allow_negative_numbers = true, help_heading = "Effort")]
    pub(crate) max_states: Option<u64>,
    /// The most memory: 800M, 8G [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = "Effort")]
    pub(crate) max_memory: Option<String>,
}

/// What is shown, and where.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Output {
    /// Show every step of a counterexample
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,
    /// Where a counterexample goes, for `replay` [default: PROTOCOL.counterexample.json]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Draw a counterexample as a space-time diagram: an SVG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) picture: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl CheckOptions {
    /// The line that asks the same again, its size written out. Threads and memory are the machine's, not the question's.
    fn rerun(&self, protocol: &str, size: usize) -> String {
        let mut line = format!("ringleader check {protocol}");
        let mut add = |flag: &str, value: &str| {
            line.push(' ');
            line.push_str(flag);
            if !value.is_empty() {
                // A value that starts with a dash would be taken for an option.
                line.push_str(if value.starts_with('-') { "=" } else { " " });
                line.push_str(&quoted(value));
            }
        };
        let text = |number: &Option<u64>| number.map(|number| number.to_string());
        let values = [
            ("-n", Some(size.to_string()).filter(|_| self.ids.is_none())),
            ("--ids", self.ids.clone()),
            ("--orientation", self.orientation.clone()),
            ("--wake", self.wake.clone()),
            ("--r", self.r.clone()),
            ("--d", self.d.clone()),
            ("--clocks", self.clocks.clone()),
            ("--reading", self.reading.clone()),
            ("--ties", self.ties.clone()),
            ("--links", self.links.clone()),
            ("--faults", self.faults.clone()),
            ("--entries", text(&self.entries)),
            ("--compete", text(&self.compete)),
            ("--readers", text(&self.readers)),
            ("--writers", text(&self.writers)),
            ("--max-states", text(&self.max_states)),
        ];
        for (flag, given) in [("--timed", self.timed), ("--untimed", self.untimed)] {
            if given {
                add(flag, "");
            }
        }
        for (flag, value) in values {
            if let Some(value) = value {
                add(flag, &value);
            }
        }
        for again in &self.again {
            add("--again", again);
        }
        for set in &self.set {
            add("--set", set);
        }
        if self.no_reduce {
            add("--no-reduce", "");
        }
        line
    }

    /// What of it a run has, too.
    pub(crate) fn of_a_run(&self) -> Options {
        Options {
            n: self.n,
            ids: self.ids.clone(),
            wake: self.wake.clone(),
            again: self.again.clone(),
            r: self.r.clone(),
            d: self.d.clone(),
            clocks: self.clocks.clone(),
            reading: self.reading.clone(),
            links: self.links.clone(),
            entries: self.entries,
            compete: self.compete,
            readers: self.readers,
            writers: self.writers,
            set: self.set.clone(),
            ..Options::default()
        }
    }

    /// What may fail.
    pub(crate) fn at_most(&self) -> Result<AtMost, BadSetting> {
        let mut at_most = AtMost::default();
        for part in self.faults.iter().flat_map(|text| text.split(',')) {
            let allowed = "crash:K, loss:K, duplicate:K, each at most once";
            let bad = || BadSetting::new("faults", format!("has '{part}'"), allowed);
            let (kind, count) = part.split_once(':').ok_or_else(bad)?;
            let field = match kind {
                "crash" => &mut at_most.crashes,
                "loss" => &mut at_most.losses,
                "duplicate" => &mut at_most.duplicates,
                _ => return Err(bad()),
            };
            if *field > 0 {
                return Err(bad());
            }
            *field = number("faults", count).ok().filter(|&count| count > 0).ok_or_else(bad)?;
        }
        Ok(at_most)
    }
}

/// A number of bytes: 8G, 800M, 64K or digits alone.
pub(crate) fn bytes(text: &str) -> Result<u64, BadSetting> {
    let bad =
        || BadSetting::new("max-memory", format!("is '{text}'"), "a number of bytes from 1M on, such as 800M or 8G");
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G', 'T']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None => (text, ""),
    };
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => 0,
    };
    let count: u64 = number("max-memory", digits).map_err(|_| bad())?;
    count.checked_mul(1 << shift).filter(|&bytes| bytes >= 1 << 20).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_memory_are_read() {
        assert_eq!(
            ["8G", "800M", "2048K", "1048576"].map(bytes),
            [Ok(8 << 30), Ok(800 << 20), Ok(2 << 20), Ok(1 << 20)]
        );
        for wrong in ["", "G", "8g", "-1G", "1.5G", "1023K", "99999999T"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
