//! `run` for a program that divides a ring among processes: its arguments, and its report.

use std::io::{self, Write};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ringleader::values::divided_size;
use ringleader::{Catalogue, Engine, Entry, Options, Order, RunReport, Setup, set_program};
use ringleader_model::{BadSetting, Scenario, WakeSet};
use ringleader_sim::Summary;

use crate::arguments::RunArguments;
use crate::commands::{complain, exit_of, show_run};
use crate::error::{Error, Exit};
use crate::files::Printer;
use crate::memory::{self, MemoryLimit};
use crate::presentation::PresentationArguments;
use crate::signals;
use crate::watch::Terminal;

/// A run that several processes shall execute, each a part of its ring.
pub struct DividedRun {
    arguments: RunArguments,
    entry: &'static dyn Entry,
    options: Options,
}

#[derive(Parser)]
#[command(
    name = "ringleader-mpi",
    version,
    about = "Simulate elections on rings that are divided among the processes (ranks) of an MPI job",
    after_help = "Exit codes: 0 all held; 1 a property was violated or a bound exceeded; 2 usage; 3 inconclusive; \
                  4 environment; 130 Ctrl-C; 143 SIGTERM.",
    after_long_help = "Example:\n  \
                  mpirun -n 64 ringleader-mpi run chang-roberts -n 10000000000 --order computed\n\n\
                  Exit codes: 0 all held; 1 a property was violated or a bound exceeded; 2 usage; 3 inconclusive; \
                  4 environment; 130 Ctrl-C; 143 SIGTERM."
)]
struct DividedArguments {
    #[command(subcommand)]
    command: DividedCommand,
    #[command(flatten)]
    presentation: PresentationArguments,
}

#[derive(Subcommand)]
enum DividedCommand {
    /// Simulate one run in causal order, each rank a part of the ring; options and report are those of `ringleader run`
    ///
    /// --threads is the number of threads of each rank [default: 1]. What needs time order (steps, traces, pictures, timers,
    /// faults) is refused.
    Run(Box<RunArguments>),
}

impl DividedRun {
    /// Reads the command line, and catches signals from now on.
    pub fn read(catalogue: &Catalogue) -> Result<Self, Error> {
        let larger = |run: clap::Command| run.mut_arg("n", |n| n.value_parser(divided_size));
        let mut command = DividedArguments::command().mut_subcommand("run", larger);
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        let DividedArguments { command: DividedCommand::Run(arguments), presentation } =
            DividedArguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
        // mpirun gives its ranks terminals that nobody looks at.
        presentation.settle_for_a_pipe();
        signals::catch();
        let protocol = catalogue.complete(&arguments.protocol)?;
        let (protocol, options) = Options::from(arguments.options.clone()).with_election(&protocol);
        let mut read = Self { entry: catalogue.find(&protocol)?, options, arguments: *arguments };
        if read.options.size() > Scenario::MOST as u64 {
            read.be_large();
        }
        read.check()?;
        Ok(read)
    }

    /// The ring is larger than one process can hold: nobody lists its identities, and no other program repeats the run.
    fn be_large(&mut self) {
        if self.entry.description().assumptions.identities && self.options.ids.is_none() {
            self.options.order.get_or_insert(Order::Computed);
        }
        set_program("ringleader-mpi".to_string());
    }

    /// Refuses what only time order can do.
    fn check(&self) -> Result<(), Error> {
        let RunArguments { trace, picture, animate, steps, open, distribution, .. } = &self.arguments;
        let given = [
            ("trace", trace.is_some()),
            ("picture", picture.is_some()),
            ("animate", *animate),
            ("steps", *steps),
            ("open", *open),
            ("distribution", *distribution),
        ];
        let refused = |field, wrong: &str, allowed: &str| Err(BadSetting::new(field, wrong, allowed).into());
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            return refused(option, "is given", "only in `ringleader run`: it shows steps in time order");
        }
        if self.options.engine == Some(Engine::Time) {
            return refused("engine", "is time", "auto or causal: ranks share a run in causal order only");
        }
        if self.options.max_messages.is_some() {
            return refused("max-messages", "is given", "--max-time: messages are counted in time order");
        }
        let large = self.options.size() > Scenario::MOST as u64;
        if let Some(order) = self.options.order.filter(|&order| large && order != Order::Computed) {
            return refused("order", &format!("is {}", order.name()), "computed: no rank can list so many identities");
        }
        let lists = matches!(self.options.wake, None | Some(WakeSet::All)) && self.options.wake_at.is_none();
        if large && !lists {
            return refused("wake", "is given for so many processors", "all: no rank can list so many");
        }
        if self.options.choices.is_some() {
            return refused("choices", "are given", "none: choices are prescribed in time order");
        }
        Ok(())
    }

    /// The line that says all of it, but not how it is shown.
    pub fn line(&self) -> String {
        self.options.command_line(&format!("run {}", self.entry.name()))
    }

    /// The length of the list of identities that its scenario has, 0 if it has none.
    pub fn listed(&self) -> u64 {
        let listed = self.options.order != Some(Order::Computed) && self.entry.description().assumptions.identities;
        if listed { self.options.size() } else { 0 }
    }

    /// Validates the scenario. Lists, of identities for example, take memory here.
    pub fn set_up(&self) -> Result<Setup, BadSetting> {
        let mut setup = Setup::divided(self.entry, self.options.clone())?;
        setup.threads = self.arguments.threads.map_or(1, |threads| threads.of(setup.scenario.n as u64));
        if setup.task.is_some() || setup.scenario.retransmit.is_some() {
            return Err(not_causal("it has a task, or messages are sent again"));
        }
        Ok(setup)
    }

    /// Prints the report of the run, as `ringleader run` does.
    pub fn show(&self, setup: &Setup, summary: &Summary, watch: &Terminal, notes: Vec<String>) -> Result<Exit, Error> {
        let mut out = io::BufWriter::new(Printer(anstream::AutoStream::auto(io::stdout().lock())));
        let mut report = RunReport::new(setup, summary);
        report.notes.extend(notes);
        let exit = exit_of(setup, summary, watch);
        show_run(&report, setup, exit, self.arguments.json, &mut out)?;
        out.flush()?;
        Ok(exit)
    }
}

/// Says why a run cannot be divided.
pub fn not_causal(why: &str) -> BadSetting {
    BadSetting::new("engine", "is causal, since ranks share the run", format!("only in `ringleader run`: {why}"))
}

/// Prints an error, or the help that was asked for, and returns the exit code.
pub fn complain_of(error: &Error) -> Exit {
    match error {
        // Help and version are no errors.
        Error::Arguments(help) if !help.use_stderr() => {
            let _ = help.print();
            Exit::Held
        }
        error => complain(error),
    }
}

/// The limits on the memory of this process that the system tells: their names, the bytes that are left, and whether all processes
/// of the machine share them.
pub fn memory_limits() -> Vec<(&'static str, u64, bool)> {
    let told = |limit: MemoryLimit| (limit.name, limit.bytes, limit.name != memory::ADDRESS_SPACE);
    memory::limits().into_iter().map(told).collect()
}
