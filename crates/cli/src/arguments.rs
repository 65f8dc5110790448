//! The command line.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};
use ringleader::check::CheckOptions;
use ringleader::picture::Theme;
use ringleader::values::{number, size};
use ringleader::{Catalogue, Options};
use ringleader_model::BadSetting;

use crate::bench::Benchmark;
use crate::error::Error;
use crate::exact::ExactArguments;
use crate::lab::{ExportArguments, LabArguments};
use crate::options::{CheckedOptions, RunOptions, RunThreads, schedules};
use crate::presentation::PresentationArguments;
use crate::report::ReportArguments;
use crate::reproduce::ReproduceArguments;
use crate::schema::JsonShape;
use crate::sweep::{CompareArguments, SweepArguments, TestArguments};
use crate::worst::WorstArguments;

#[derive(Parser)]
#[command(
    name = "ringleader",
    version,
    about = "Simulate and model-check leader election, mutual exclusion and readers-writers protocols",
    long_about = "Leader election, mutual exclusion and readers-writers protocols, written once: simulated (discrete-event \
                  simulation of up to a hundred million processors), model-checked (exhaustive exploration of the state space of \
                  small instances: safety, liveness, worst case, exact probabilities), and measured against the bounds that are \
                  proved.\n\nWithout a command: the league table, every election protocol among a thousand processors.",
    after_help = "Exit codes: 0 all held; 1 a property was violated or a bound exceeded; 2 usage; 3 inconclusive; \
                  4 environment; 130 Ctrl-C; 143 SIGTERM.",
    after_long_help = "Examples:\n  \
                  ringleader run chang-roberts --ids 3,1,4,2 --steps   one run, step by step\n  \
                  ringleader check peterson -n 4                       all schedules of all orders of 4 identities\n  \
                  ringleader info vitanyi                              idea, rules, assumptions, bounds, errata\n  \
                  ringleader lab run vitanyi -n 8                      watch it in the browser, step back, change it\n\n\
                  Exit codes: 0 all held; 1 a property was violated or a bound exceeded; 2 usage; 3 inconclusive; \
                  4 environment; 130 Ctrl-C; 143 SIGTERM."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) league: LeagueArguments,
    #[command(flatten)]
    pub(crate) presentation: PresentationArguments,
}

/// The options that `check --anonymous` has a use for, and those of every command.
const LOCK_STEP: [&str; 8] = ["n", "ids", "links", "set", "timeout", "all", "json", "anonymous"];

impl Arguments {
    /// Reads the command line.
    pub(crate) fn read() -> Result<Self, Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        let arguments = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        if let (Some(Command::Check(check)), Some(given)) = (&arguments.command, matches.subcommand_matches("check"))
            && check.anonymous
        {
            refuse_beside_anonymous(&command, given)?;
        }
        Ok(arguments)
    }

    /// Whether the result is printed as JSON.
    pub(crate) fn prints_json(&self) -> bool {
        match &self.command {
            None => self.league.json,
            Some(Command::League { league, .. }) => league.json,
            Some(Command::Reproduce(reproduce)) => reproduce.json,
            Some(Command::Sweep(sweep)) => sweep.json,
            Some(Command::Compare(compare)) => compare.json,
            Some(Command::Test(test)) => test.json,
            Some(Command::Run(run)) => run.json,
            Some(Command::Check(check)) => check.output.json,
            Some(Command::Exact(exact)) => exact.json,
            Some(Command::Worst(worst)) => worst.json,
            Some(
                Command::List { json, .. }
                | Command::Info { json, .. }
                | Command::Replay { json, .. }
                | Command::Bench { json, .. }
                | Command::Doctor { json },
            ) => *json,
            Some(
                Command::Table { .. }
                | Command::Report(_)
                | Command::Lab(_)
                | Command::Export(_)
                | Command::Cite { .. }
                | Command::Schema { .. }
                | Command::Completions { .. }
                | Command::Man { .. },
            ) => false,
        }
    }

    /// Whether the options make sense together; unique prefixes of protocols' names are completed.
    pub(crate) fn complete(&mut self, catalogue: &Catalogue) -> Result<(), Error> {
        let misplaced = |option: &str| {
            Error::Usage(format!(
                "{option} stands before the command\nallowed: options of a command come after its name"
            ))
        };
        match &mut self.command {
            None => return Ok(()),
            Some(_) if self.league.n.is_some() => return Err(misplaced("-n")),
            Some(_) if self.league.seed.is_some() => return Err(misplaced("--seed")),
            Some(_) if self.league.json => return Err(misplaced("--json")),
            Some(Command::Run(run)) => run.protocol = catalogue.complete(&run.protocol)?,
            Some(Command::Check(check)) => {
                check.protocol = check.protocol.take().map(|protocol| catalogue.complete(&protocol)).transpose()?;
            }
            Some(Command::Exact(exact)) => exact.protocol = catalogue.complete(&exact.protocol)?,
            Some(Command::Worst(worst)) => worst.protocol = catalogue.complete(&worst.protocol)?,
            Some(Command::Info { protocol, .. } | Command::Cite { protocol: Some(protocol), .. }) => {
                *protocol = catalogue.complete(protocol)?;
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// What `check --anonymous` does not look at is refused.
fn refuse_beside_anonymous(command: &clap::Command, given: &ArgMatches) -> Result<(), Error> {
    let check = command.find_subcommand("check").expect("it is a command");
    let useless = check.get_arguments().filter(|argument| !argument.is_positional()).find(|option| {
        let said = given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        said && !option.is_global_set() && !LOCK_STEP.contains(&option.get_id().as_str())
    });
    let Some(useless) = useless.and_then(|option| option.get_long()) else { return Ok(()) };
    let wrong = format!("is given with --{useless}, which one run in lock step has no use for");
    let allowed = "-n, --ids, --links, --set, --timeout, --all and --json";
    Err(BadSetting::new("anonymous", wrong, allowed).into())
}

/// A problem that has a league table.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Competition {
    /// Leader election
    Election,
    /// Locks: over contention and γ = r_min/r_max
    MutualExclusion,
    /// Readers and writers, with a lock or without: over their number and γ
    ReadersWriters,
}

#[derive(Args)]
pub(crate) struct LeagueArguments {
    /// Number of processors [default: 1000; sites of a lock: 16]
    #[arg(short, long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    pub(crate) n: Option<u64>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "S", value_parser = number, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const LAB_EXAMPLES: &str = "Examples:\n  \
    ringleader lab                                      choose a run in the page\n  \
    ringleader lab run vitanyi -n 8 --r 2..5            this run\n  \
    ringleader lab 'run vitanyi -n 8 --r 2..5'          the same\n  \
    ringleader lab counterexample.json                  a recorded run; a violation is shown at once\n  \
    ringleader check peterson -n 3 --links any --open   a counterexample, as soon as it is found";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compare the protocols of a problem: messages, bits and time, measured against the proved bounds
    League {
        /// Problem
        #[arg(value_enum, default_value = "election")]
        problem: Competition,
        #[command(flatten)]
        league: LeagueArguments,
    },
    /// List the protocols
    List {
        /// Only those of this problem: election, mutual-exclusion, readers-writers, token-ring
        problem: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Describe a protocol: idea, rules, assumptions, parameters, bounds, errata, what was model-checked
    Info {
        /// Protocol, or a unique prefix of its name; see `ringleader list`
        protocol: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Simulate one run, measured against the proved bounds
    ///
    /// Discrete-event simulation of one run. It prints the outcome, the cost in messages, bits and time beside the proved bounds,
    /// and the command that repeats it.
    Run(Box<RunArguments>),
    /// Simulate many runs over protocols and whatever varies: means with intervals beside the bounds, and data files
    ///
    /// Protocols × values of what varies make cells; every run of a cell has a seed of its own, derived from --seed. All cores
    /// work on them; results depend neither on their number nor on interruptions. An argument that ends in .toml is a scenario
    /// file, which says the same with the names of the options (`ringleader schema scenario`).
    Sweep(Box<SweepArguments>),
    /// Compare protocols, settings or recorded runs side by side: means with intervals, relative to the first
    Compare(Box<CompareArguments>),
    /// Write a report of a sweep: figures, tables, growth and citations
    Report(ReportArguments),
    /// Run scenario files with expectations; exit code 1 if one fails
    ///
    /// A scenario file is a sweep in TOML (`ringleader schema scenario`) with a table [expect]: messages.mean = "<= 100", verdict
    /// = "held", leader = 4. A quantity without a statistic is expected in every run. Unless a verdict is expected, it is held.
    Test(TestArguments),
    /// Model-check a protocol: all schedules of small instances
    ///
    /// Exhaustive model checking: the whole state space of every instance is explored. Safety (an invariant that must hold in
    /// every reachable state) and liveness (no deadlock, no livelock under weak fairness) are decided, the worst case in messages
    /// is exact, and a violation comes with a shortest counterexample. Partial-order and symmetry reduction keep the state space
    /// small. With clocks, time is discrete: digital clocks, which decide timed automata with closed constraints.
    /// With --probability the state space is solved as a Markov decision process.
    Check(Box<CheckArguments>),
    /// Compute the exact distribution of an election's cost over all orders of its identities
    ///
    /// Every order is run once, with unit delays (or the protocol's own timing) and all processors awake. Mean and variance are
    /// fractions, beside the proved mean and worst case; the extreme orders are shown as runs.
    Exact(Box<ExactArguments>),
    /// Search for the worst case of an election: orders, wake sets, orientations, ports, clocks, delays or schedules
    ///
    /// Everything is evaluated where there is little of it; elsewhere local search with restarts climbs from random orders. The
    /// result is the same for any number of threads. Options of a run that are not searched mean what they mean in `run`.
    Worst(Box<WorstArguments>),
    /// Repeat the claims of the papers: each with a verdict, what was measured, and the command that repeats it
    ///
    /// The ledger of all claims of the sources. A claim is tested by all schedules, all orders, all random choices or many runs;
    /// it holds (exhaustively), held (in all runs made) or is refuted, with the smallest counterexample and the statement that
    /// does hold. Exit code 1 if a claim is refuted. Everything takes some minutes on two cores, --quick half a minute.
    Reproduce(Box<ReproduceArguments>),
    /// The former name of reproduce --table
    #[command(hide = true)]
    Table {
        /// Whatever was given
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Replay a recorded run or counterexample, step by step
    Replay {
        /// Trace file, written by `run --trace` or `check --save`; - is standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Shorten a failing run and write it beside the file, or to --output
        #[arg(long)]
        shrink: bool,
        /// File for the shortened run
        #[arg(long, value_name = "FILE", requires = "shrink", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
        /// Draw the run as a space-time diagram (SVG)
        #[arg(long, value_name = "FILE", conflicts_with = "shrink", value_hint = ValueHint::FilePath)]
        picture: Option<PathBuf>,
        /// Make the picture a moving one: the network, its messages on their way, its clocks
        #[arg(long, requires = "picture")]
        animate: bool,
        /// The colours of the picture; auto: as the viewer prefers
        #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture")]
        theme: Theme,
        /// Overwrite files that ringleader did not write
        #[arg(long)]
        force: bool,
        /// Open the run in the lab: a page on this machine that plays it, until Ctrl-C
        #[arg(long)]
        open: bool,
        /// Show every step, however many there are
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Open the lab: watch runs in the browser, step back and forth, change them and share them
    ///
    /// A page with the same protocols and simulator, compiled to WebAssembly, served on this machine only (127.0.0.1) until
    /// Ctrl-C, which is its regular end: exit code 0. The browser is opened: that of BROWSER, where this environment variable is
    /// set, else the system's.
    #[command(after_long_help = LAB_EXAMPLES)]
    Lab(LabArguments),
    /// Export a run as one HTML file, in which the lab plays it offline
    Export(ExportArguments),
    /// Print the BibTeX of a protocol's papers and of this program
    Cite {
        /// Protocol, or a unique prefix of its name [default: this program only]
        protocol: Option<String>,
        /// All sources of the bibliography
        #[arg(long, conflicts_with = "protocol")]
        all: bool,
    },
    /// Benchmark the simulator on this machine
    Bench {
        /// Only this workload
        #[arg(long, value_enum)]
        workload: Option<Benchmark>,
        /// Number of processors
        #[arg(short, long, default_value_t = 1_000_000, value_name = "N", value_parser = size, allow_negative_numbers = true)]
        n: u64,
        /// Threads for the rings: a number, or auto, all cores from 4 million processors on and else one [default: 1]
        #[arg(long, value_name = "K", allow_negative_numbers = true)]
        threads: Option<RunThreads>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of a command's JSON output or of trace files
    Schema {
        /// Output described
        #[arg(value_enum, default_value_t = JsonShape::Run)]
        shape: JsonShape,
    },
    /// Print a completion script for a shell
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page (roff), or write all of them to a directory
    Man {
        /// Command [default: ringleader itself]
        command: Option<String>,
        /// Write the manual pages of all commands to this directory
        #[arg(long, value_name = "DIRECTORY", conflicts_with = "command", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
    /// Check this machine: memory, terminal, files, and three runs with known results
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct RunArguments {
    /// Protocol, or a unique prefix of its name; see `ringleader list`
    pub(crate) protocol: String,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    /// Record the run in a trace file, for `replay`; - is standard output, and the report goes to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// Draw the run as a space-time diagram (SVG)
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub(crate) picture: Option<PathBuf>,
    /// Make the picture a moving one: the network, its messages on their way, its clocks
    #[arg(long, requires = "picture", help_heading = "Output")]
    pub(crate) animate: bool,
    /// The colours of the picture; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture", help_heading = "Output")]
    pub(crate) theme: Theme,
    /// Overwrite files that ringleader did not write
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Show every step: cause, effects, changes of the state and the rules applied; with --json, as data
    #[arg(long, help_heading = "Output")]
    pub(crate) steps: bool,
    /// Open the run in the lab: a page on this machine that plays it, until Ctrl-C
    #[arg(long, help_heading = "Output")]
    pub(crate) open: bool,
    /// Show distributions: messages by phase and by identity, candidates left in each phase, waiting times
    #[arg(long, help_heading = "Output")]
    pub(crate) distribution: bool,
    /// Threads for a run in causal order: a number, or auto, all cores from 4 million processors on and else one; the result is
    /// the same [default: auto]
    #[arg(long, value_name = "K", allow_negative_numbers = true, help_heading = "Output")]
    pub(crate) threads: Option<RunThreads>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct CheckArguments {
    /// Protocol, or a unique prefix of its name; see `ringleader list`
    #[arg(required_unless_present = "resume")]
    pub(crate) protocol: Option<String>,
    #[command(flatten)]
    pub(crate) options: CheckedOptions,
    /// Compute exact probabilities of all outcomes and expected costs instead (Markov decision process); with a number, of
    /// that many phases only
    ///
    /// Minimum and maximum over all fair schedulers, as exact fractions, beside what is proved; exit code 1 if a maximum exceeds
    /// it. The state space of one instance is solved as a Markov decision process by policy iteration.
    #[arg(long, value_name = "PHASES", num_args = 0..=1, require_equals = true, help_heading = "Output",
          conflicts_with_all = ["all", "save", "save_extreme", "picture", "always", "eventually", "ltl"])]
    pub(crate) probability: Option<Option<u32>>,
    /// With --probability: write the Markov decision process to a directory, in Storm's explicit format
    ///
    /// model.tra holds the transitions, model.lab the labels, and a file such as messages.rew the transition rewards of each
    /// cost; figures.json is the report. End components without cost are merged, since no fair scheduler stays in them.
    #[arg(long, value_name = "DIR", requires = "probability", conflicts_with = "simulate", help_heading = "Output",
          value_hint = ValueHint::DirPath)]
    pub(crate) export: Option<PathBuf>,
    /// Show why equal identities elect nobody: follow the lock-step run of a network that rotation maps to itself
    ///
    /// Identities are all 1, or those of --ids, which must repeat (1,2,1,2). All processors wake together, and all messages take
    /// the same time. Every step is compared with those of the places that rotation maps to it: its event, its effects and what it
    /// changes. A deterministic protocol stays symmetric, so that as many leaders are elected as there are periods, or none. Exit
    /// code 1 if the symmetry is broken, by random choices or by the links. Where processors do not know their number, the run is
    /// compared with that of the ring of one period, too: nobody can tell the two apart.
    #[arg(long, help_heading = "Output")]
    pub(crate) anonymous: bool,
    /// Compute the extremes of a further quantity: depth, the longest causal chain of messages
    ///
    /// The length of chains becomes part of states, of which there are more; a protocol that sends messages forever has then
    /// infinitely many.
    #[arg(long, value_name = "QUANTITY", value_parser = ["depth"], help_heading = "Output",
          conflicts_with_all = ["probability", "simulate"])]
    pub(crate) extremes: Option<String>,
    /// Make K random schedules instead of exploring all (statistical model checking), each of a random instance
    ///
    /// In each state all enabled actions are equally likely. A violation found is a counterexample; otherwise the verdict is
    /// unknown, with an upper bound of 95 % confidence on the probability that a random schedule violates a property. Works for
    /// numbers of processors whose state space cannot be explored. Livelocks are not found.
    #[arg(long, value_name = "K", value_parser = schedules, allow_negative_numbers = true, help_heading = "Effort",
          conflicts_with = "probability")]
    pub(crate) simulate: Option<u64>,
    /// With --simulate: random seed [default: 1]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true, help_heading = "Effort",
          requires = "simulate", conflicts_with_all = ["probability", "dot"])]
    pub(crate) seed: Option<u64>,
    /// Stop after this many seconds, with partial results
    #[arg(long, value_name = "SECONDS", value_parser = number, allow_negative_numbers = true, help_heading = "Effort")]
    pub(crate) timeout: Option<u64>,
    #[command(flatten)]
    pub(crate) checkpoints: CheckpointArguments,
    #[command(flatten)]
    pub(crate) output: CheckOutput,
}

/// The checkpoints of a check.
#[derive(Args)]
pub(crate) struct CheckpointArguments {
    /// Write checkpoints to a directory, from which --resume goes on after an interruption, a limit or a crash
    #[arg(long, value_name = "DIR", conflicts_with_all = ["probability", "simulate", "dot"], group = "checkpoints",
          help_heading = "Effort", value_hint = ValueHint::DirPath)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoints in a directory, and write further ones there
    ///
    /// The directory holds the command line: no other option is needed. Limits, threads and output are not part of it.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["probability", "simulate", "dot"], group = "checkpoints",
          help_heading = "Effort", value_hint = ValueHint::DirPath)]
    pub(crate) resume: Option<PathBuf>,
    /// Seconds between two checkpoints, at least; writing them takes at most a twentieth of the time [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "checkpoints", value_parser = number, allow_negative_numbers = true,
          help_heading = "Effort")]
    pub(crate) checkpoint_every: Option<u64>,
}

/// The output of a check.
#[derive(Args)]
pub(crate) struct CheckOutput {
    /// Show every step of a counterexample
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,
    /// File for a counterexample, for `replay`; - is standard output, and the report goes to standard error
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub(crate) save: Option<PathBuf>,
    /// Write the schedule that reaches an extremum to a file, for `replay`: messages, bits, a kind of message …
    ///
    /// QUANTITY is the name of a row of the table of extremes: its greatest value is meant, and its least after least- as in
    /// least-messages. --picture draws this schedule. The instance that has it is explored once more.
    #[arg(long, value_names = ["QUANTITY", "FILE"], num_args = 2, help_heading = "Output", conflicts_with = "simulate")]
    pub(crate) save_extreme: Option<Vec<String>>,
    /// Draw a counterexample as a space-time diagram (SVG)
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub(crate) picture: Option<PathBuf>,
    /// The colours of the picture; auto: as the viewer prefers
    #[arg(long, value_parser = theme(), default_value = Theme::Light.name(), requires = "picture",
          conflicts_with = "probability", help_heading = "Output")]
    pub(crate) theme: Theme,
    /// Write the graph of all reachable states of one small instance for Graphviz; - is standard output
    ///
    /// Without clocks and without reductions, of up to 2,000 states. Quiescent states have a double border; those that violate
    /// a property, and deadlocks, are red.
    #[arg(long, value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["probability", "simulate"])]
    pub(crate) dot: Option<PathBuf>,
    /// Open a counterexample in the lab, paused at the violation: a page on this machine that plays it, until Ctrl-C
    #[arg(long, help_heading = "Output", conflicts_with = "probability")]
    pub(crate) open: bool,
    /// Overwrite files that ringleader did not write
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// The themes of pictures.
pub(crate) fn theme() -> impl TypedValueParser<Value = Theme> {
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
        Some(Command::Check(check)) if check.protocol.is_some() => {
            let mut options = check.options.check_options()?;
            options.extremes.depth = check.extremes.is_some();
            Ok((check.protocol.unwrap_or_default(), options))
        }
        _ => Err(Error::Usage("this is no check\nallowed: ringleader check …".to_string())),
    }
}
