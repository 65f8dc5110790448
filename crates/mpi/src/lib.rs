//! Elections on rings that are divided among the processes (ranks) of an MPI job.
//!
//! Each rank owns consecutive places of the ring, in one segment or, on several threads, in some. A round takes the batch of
//! messages that enters a part through it, in [causal order](ringleader_sim::CausalSimulation); then each batch moves on by one
//! rank, and that is all that crosses. The run is over when all batches are empty. What comes of it is merged on rank 0, which
//! prints what `ringleader run` would.
//!
//! Ranks decide together whatever could end one of them alone: nobody waits for a rank that has left. A rank that panics ends all.

mod agreement;
mod divided;
mod memory;
mod protocols;
mod ranks;

use std::process::ExitCode;

use ringleader_cli::{DividedRun, Error, Exit, Terminal, complain_of};
use ringleader_model::BadSetting;

use crate::agreement::{Agreed, agree};
use crate::protocols::find;
pub use crate::ranks::{Ranks, start};

/// The command: reads the arguments, runs, and prints on rank 0. The exit code is that of all ranks.
pub fn run(ranks: &Ranks) -> Exit {
    let read = DividedRun::read(&ringleader::Catalogue::default());
    let run = match agree(ranks, read) {
        Agreed::Value(run) => run,
        Agreed::Exit(exit) => return exit,
    };
    if let Some(exit) = memory::refuse_lists(ranks, &run) {
        return exit;
    }
    let setup = match together(ranks, run.set_up()) {
        Ok(setup) => setup,
        Err(exit) => return exit,
    };
    let Some(execute) = find(setup.entry.name()) else {
        let why = "it is not message passing alone on a unidirectional ring, or its messages cannot be sent to other processes";
        return refuse(ranks, &Error::from(ringleader_cli::not_causal(why)));
    };
    let watch = Terminal::default();
    let result = match execute(ranks, &setup, &watch) {
        Ok(result) => result,
        Err(exit) => return exit,
    };
    let shown = result.map(|result| run.show(&setup, &result.summary, &watch, result.notes));
    let exit = shown.map_or(Exit::Held, |shown| shown.unwrap_or_else(|error| complain_of(&error)));
    exit_named(ranks.broadcast(exit as u8))
}

/// A value that all ranks have; where they fail, all for the same reason, rank 0 says why.
fn together<T>(ranks: &Ranks, result: Result<T, BadSetting>) -> Result<T, Exit> {
    let failed = ranks.any(result.is_err());
    match result {
        Ok(value) if !failed => Ok(value),
        Ok(_) => Err(Exit::Usage),
        Err(bad) => Err(refuse(ranks, &bad.into())),
    }
}

/// Rank 0 says why none of them goes on.
fn refuse(ranks: &Ranks, error: &Error) -> Exit {
    if ranks.is_first() { complain_of(error) } else { error.exit() }
}

fn exit_named(code: u8) -> Exit {
    use Exit::{Environment, Held, Inconclusive, Interrupted, Terminated, Usage, Violated};
    let all = [Held, Violated, Usage, Inconclusive, Environment, Interrupted, Terminated];
    all.into_iter().find(|exit| *exit as u8 == code).expect("it is an exit code of rank 0")
}

/// Ends the program with the exit code that all ranks agree on.
fn code(exit: Exit) -> ExitCode {
    ExitCode::from(exit as u8)
}
