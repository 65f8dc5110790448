//! Shell completions, with the names of the catalogue, and manual pages.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use ringleader::worst::{Dimension, SearchMethod};
use ringleader::{Catalogue, Order, listed};
use ringleader_model::{Links, Preset, Reading, Task, Ties, Topology, Values};

use crate::arguments::command_line;
use crate::error::{Error, Exit};

/// Writes a completion script. A script is fixed text, so it has the protocols, parameters and values of this catalogue in it.
pub(crate) fn completions(shell: Shell, catalogue: &Catalogue, out: &mut impl Write) -> io::Result<()> {
    // The generator panics where it cannot write.
    let mut script = Vec::new();
    let mut program = Words::new(catalogue).command_line();
    clap_complete::generate(shell, &mut program, ringleader::program(), &mut script);
    if shell == Shell::Fish {
        fish_arguments(&program, &mut script)?;
    }
    out.write_all(&script)
}

/// The words that an option takes; some take others, too.
fn option_words(option: &str) -> Vec<&'static str> {
    match option {
        "order" => Order::ALL.map(Order::name).to_vec(),
        "topology" => Topology::ALL.map(Topology::name).to_vec(),
        "links" => Links::ALL.map(Links::name).to_vec(),
        "reading" => Reading::ALL.map(Reading::name).to_vec(),
        "ties" => Ties::ALL.map(Ties::name).to_vec(),
        "timing" => Preset::ALL.map(Preset::name).into_iter().chain(["untimed"]).collect(),
        "then" => Task::ALL.map(Task::name).to_vec(),
        "clocks" => vec!["fixed", "varying", "slowest", "fastest", "list:"],
        "delays" => {
            vec!["uniform", "min", "max", "list:", "newest-first", "slowest-high", "slowest-low", "one-way"]
        }
        "offsets" => vec!["zero", "random", "list:"],
        "orientation" => vec!["same", "random", "all"],
        "ports" => vec!["plain", "shuffled", "all"],
        "wake" => vec!["all", "one", "random:", "together"],
        "over" => Dimension::ALL.map(Dimension::name).to_vec(),
        "search" => SearchMethod::ALL.map(SearchMethod::name).to_vec(),
        "quantity" => vec!["messages", "election", "announcement", "bits", "time", "time_elected", "phases"],
        "faults" => vec!["crash:", "restart:", "pause:", "cut:", "loss:", "duplicate:", "until:"],
        _ => Vec::new(),
    }
}

/// The words of a catalogue.
struct Words {
    protocols: Vec<&'static str>,
    problems: BTreeSet<&'static str>,
    settings: BTreeSet<String>,
}

impl Words {
    fn new(catalogue: &Catalogue) -> Self {
        let listed = listed(catalogue, None).unwrap_or_default();
        let mut settings = BTreeSet::new();
        for parameter in catalogue.iter().flat_map(|entry| entry.description().parameters) {
            let words = match parameter.values {
                Values::Choice(words) => words.to_vec(),
                Values::Departures(all) => all.iter().map(|departure| departure.name).collect(),
                Values::Number(..) | Values::Form(_) => Vec::new(),
            };
            settings.extend(words.iter().chain([&parameter.default]).map(|word| format!("{}={word}", parameter.name)));
        }
        Self {
            protocols: listed.iter().map(|one| one.name).collect(),
            problems: listed.iter().map(|one| one.problem).collect(),
            settings,
        }
    }

    /// The words that an argument of a command takes.
    fn of(&self, command: &str, argument: &str) -> Vec<String> {
        let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        match (command, argument) {
            (_, "protocol") => texts(&self.protocols),
            ("list", "problem") => self.problems.iter().map(ToString::to_string).collect(),
            (_, "set") => self.settings.iter().cloned().collect(),
            _ => texts(&option_words(argument)),
        }
    }

    /// The command line with these words: for completions only, since prefixes and numbers are allowed, too.
    fn command_line(&self) -> clap::Command {
        command_line().mut_subcommands(|command| {
            let name = command.get_name().to_string();
            command.mut_args(|argument| match self.of(&name, argument.get_id().as_str()) {
                none if none.is_empty() => argument,
                words => argument.value_parser(PossibleValuesParser::new(words)),
            })
        })
    }
}

/// The generator for fish leaves arguments without a dash out.
fn fish_arguments(program: &clap::Command, out: &mut Vec<u8>) -> io::Result<()> {
    for command in program.get_subcommands() {
        for argument in command.get_positionals() {
            let values = argument.get_possible_values();
            let names: Vec<_> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
            if !names.is_empty() {
                let (name, names) = (command.get_name(), names.join(" "));
                writeln!(
                    out,
                    "complete -c ringleader -n \"__fish_ringleader_using_subcommand {name}\" -f -a \"{names}\""
                )?;
            }
        }
    }
    Ok(())
}

/// Prints a manual page, or writes all of them to a directory.
pub(crate) fn manual(command: Option<&str>, directory: Option<&Path>, out: &mut impl Write) -> Result<Exit, Error> {
    let mut program = command_line().disable_help_subcommand(true);
    program.build();
    if let Some(directory) = directory {
        let unwritable = |source| Error::Output { path: directory.to_path_buf(), source };
        std::fs::create_dir_all(directory).map_err(unwritable)?;
        clap_mangen::generate_to(program, directory).map_err(unwritable)?;
        writeln!(out, "manual pages written to {}", directory.display())?;
        return Ok(Exit::Held);
    }
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
                return Err(Error::Usage(format!("unknown command '{name}'\nallowed: {}", names.join(", "))));
            }
        },
    };
    clap_mangen::Man::new(page).render(out)?;
    Ok(Exit::Held)
}
