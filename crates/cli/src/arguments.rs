//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};
use ringleader::Options;
use ringleader::check::CheckOptions;
use ringleader::claim::Claim;
use ringleader::picture::Theme;

use crate::bench::Benchmark;
use crate::error::Error;
use crate::options::{CheckedOptions, RunOptions, number};

#[derive(Parser)]
#[command(
    name = "ringleader",
    version,
    about = "Leader election, mutual exclusion and readers-writers protocols: simulated, and measured against what is proved",
    long_about = "Leader election, mutual exclusion and readers-writers protocols, written once: simulated at up to a hundred \
                  million processors, and measured against what is proved about them.\n\nWithout a command: the league table, every election on a thousand processors.",
    after_help = "Exit codes: 0 all held; 1 a property was violated or a bound exceeded; 2 usage; 3 inconclusive; \
                  4 environment; 130 Ctrl-C.",
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) league: LeagueArguments,
}

/// A problem that has a league table.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Competition {
    /// Leader election
    Election,
    /// Locks: over contention and γ
    MutualExclusion,
    /// Readers and writers, with a lock or without: over their number and γ
    ReadersWriters,
}

/// A command whose JSON has a schema.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Described {
    /// One run
    Run,
    /// Every schedule
    Check,
    /// `check --probability`
    Probability,
}

#[derive(Args)]
pub(crate) struct LeagueArguments {
    /// The seed of the ring
    #[arg(long, default_value_t = 1, value_name = "S", value_parser = number, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The league table of a problem: every protocol for it, measured against proved
    League {
        /// Which problem
        #[arg(value_enum)]
        problem: Competition,
        #[command(flatten)]
        league: LeagueArguments,
    },
    /// The protocols there are
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// A protocol's idea, rules, assumptions, parameters, bounds and errata
    Info {
        /// Its name; see `ringleader list`
        protocol: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// A claim about means put to the test: many runs, each mean with its interval beside the formula
    Table(Box<TableArguments>),
    /// One run, measured against what is proved
    Run(Box<RunArguments>),
    /// Every schedule of small instances: what holds in all of them
    Check(Box<CheckArguments>),
    /// A recorded run, step by step
    Replay {
        /// A file written by `run --trace` or `check`
        file: PathBuf,
        /// Shorten a failing run and write it beside the file, or to --output
        #[arg(long)]
        shrink: bool,
        /// Where the shortened run goes
        #[arg(long, value_name = "FILE", requires = "shrink")]
        output: Option<PathBuf>,
        /// Draw the run as a space-time diagram: an SVG file
        #[arg(long, value_name = "FILE", conflicts_with = "shrink")]
        picture: Option<PathBuf>,
        /// The colours of the picture; auto: as the viewer prefers
        #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture")]
        theme: Theme,
        /// Show every step, however many there are
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// How fast the simulator is on this machine
    Bench {
        /// One workload only
        #[arg(long, value_enum)]
        workload: Option<Benchmark>,
        /// How many processors
        #[arg(short, default_value_t = 1_000_000, value_name = "N", value_parser = number, allow_negative_numbers = true)]
        n: u64,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The JSON Schema of what `run --json` or `check --json` prints
    Schema {
        /// Of which command
        #[arg(value_enum, default_value_t = Described::Run)]
        command: Described,
    },
    /// A completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// The manual page, in roff
    Man,
    /// Whether this machine can do the work
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct TableArguments {
    /// Which claim
    #[arg(value_parser = claims())]
    pub(crate) claim: Claim,
    /// How many runs make a mean, with seeds from --seed on [default: as many as the claim needs]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(crate) runs: Option<u64>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

#[derive(Args)]
pub(crate) struct RunArguments {
    /// The protocol; see `ringleader list`
    pub(crate) protocol: String,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    /// Write the run to a file that `replay` reads
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
    /// Draw the run as a space-time diagram: an SVG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) picture: Option<PathBuf>,
    /// The colours of the picture; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture", help_heading = "Output")]
    pub(crate) theme: Theme,
    /// Show every step
    #[arg(long, help_heading = "Output")]
    pub(crate) steps: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output", conflicts_with = "steps")]
    pub(crate) json: bool,
}

/// The claims there are, each with what it says.
fn claims() -> impl TypedValueParser<Value = Claim> {
    let value = |claim: Claim| PossibleValue::new(claim.name()).help(claim.statement());
    let find = |name: String| Claim::ALL.into_iter().find(|claim| claim.name() == name);
    PossibleValuesParser::new(Claim::ALL.map(value)).map(move |name| find(name).expect("clap allows no other"))
}

#[derive(Args)]
pub(crate) struct CheckArguments {
    /// The protocol; see `ringleader list`
    pub(crate) protocol: String,
    #[command(flatten)]
    pub(crate) options: CheckedOptions,
    /// Instead: how likely each ending is and what a run costs in the mean, exactly, the least and the greatest over all
    /// schedules; with a number, of runs followed for so many phases only
    #[arg(long, value_name = "PHASES", num_args = 0..=1, require_equals = true, help_heading = "Output",
          conflicts_with_all = ["all", "save", "picture"])]
    pub(crate) probability: Option<Option<u32>>,
    #[command(flatten)]
    pub(crate) output: CheckOutput,
}

/// What is shown of a check, and where.
#[derive(Args)]
pub(crate) struct CheckOutput {
    /// Show every step of a counterexample
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,
    /// Where a counterexample goes, for `replay` [default: PROTOCOL.counterexample.json]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) save: Option<PathBuf>,
    /// Draw a counterexample as a space-time diagram: an SVG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) picture: Option<PathBuf>,
    /// The colours of the picture; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture", help_heading = "Output")]
    pub(crate) theme: Theme,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// The themes of pictures.
fn theme() -> impl TypedValueParser<Value = Theme> {
    let find = |name: String| Theme::ALL.into_iter().find(|theme| theme.name() == name);
    PossibleValuesParser::new(Theme::ALL.map(Theme::name)).map(move |name| find(name).expect("clap allows no other"))
}

/// The command line as data: for completions, the manual and tests.
pub fn command_line() -> clap::Command {
    Arguments::command()
}

/// The protocol and the options that are written after `ringleader run`, read as the program reads them.
pub fn run_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<(String, Options), Error> {
    match Arguments::try_parse_from(["ringleader", "run"].into_iter().chain(words))?.command {
        Some(Command::Run(run)) => Ok(Options::from(run.options).with_election(&run.protocol)),
        _ => Err(Error::Usage("this is no run\nallowed: ringleader run …".to_string())),
    }
}

/// The protocol and the options that are written after `ringleader check`, read as the program reads them.
pub fn check_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<(String, CheckOptions), Error> {
    match Arguments::try_parse_from(["ringleader", "check"].into_iter().chain(words))?.command {
        Some(Command::Check(check)) => Ok((check.protocol, check.options.check_options()?)),
        _ => Err(Error::Usage("this is no check\nallowed: ringleader check …".to_string())),
    }
}
