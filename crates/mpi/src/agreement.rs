//! Whether all ranks execute the same run.

use std::hash::Hasher;

use ringleader::TRACE_FORMAT;
use ringleader_cli::{DividedRun, Error, Exit, complain_of};
use ringleader_model::{TRACE_VERSION, TraceHash};
use ringleader_sim::STREAMS_VERSION;

use crate::ranks::{Ranks, say};

/// What comes of reading the command line on all ranks.
pub(crate) enum Agreed {
    /// They execute the same run.
    Value(DividedRun),
    /// They do not, or it cannot be executed; that has been said.
    Exit(Exit),
}

/// Whether all ranks have read the same, by a version and a line. Where they have read the same error, rank 0 shows it; where they
/// disagree, each says what it has.
pub(crate) fn agree(ranks: &Ranks, read: Result<DividedRun, Error>) -> Agreed {
    let said = match &read {
        Ok(run) => run.line(),
        Err(error) => format!("an error: {error}"),
    };
    let said = format!("version {}, {said}", version());
    let hash = hash_of(&said);
    // The least is what is left of all bits below the greatest of the complements.
    let (greatest, least) = (ranks.greatest(hash), !ranks.greatest(!hash));
    if greatest == least {
        return match read {
            Ok(run) => Agreed::Value(run),
            Err(error) => Agreed::Exit(if ranks.is_first() { complain_of(&error) } else { silent_exit(&error) }),
        };
    }
    let first = ranks.text_of(0, &said);
    let here = if ranks.is_first() || first == said {
        format!("others do not have its run: {}", shortened(&said))
    } else {
        format!("it has {}, and rank 0 has {}", shortened(&said), shortened(&first))
    };
    let allowed = "the same program with the same arguments on every rank";
    say(&format!("error: {}: ranks disagree: {here}\nallowed: {allowed}", ranks.name()));
    Agreed::Exit(Exit::Usage)
}

/// All that the results of a run depend on beside its line.
fn version() -> String {
    let program = env!("CARGO_PKG_VERSION");
    format!("{program} (streams {STREAMS_VERSION}, digest {TRACE_VERSION}, traces {TRACE_FORMAT})")
}

fn hash_of(text: &str) -> u64 {
    let mut hash = TraceHash::new();
    hash.write(text.as_bytes());
    hash.get()
}

fn silent_exit(error: &Error) -> Exit {
    match error {
        Error::Arguments(help) if !help.use_stderr() => Exit::Held,
        error => error.exit(),
    }
}

/// The beginning of a text that may contain a list of identities.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 300;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_and_lines_are_told_apart() {
        let one = hash_of(&format!("version {}, run lelann -n 3", version()));
        assert_ne!(one, hash_of(&format!("version {}, run lelann -n 4", version())));
        assert_ne!(one, hash_of("version 0.0.9 (streams 1, digest 1, traces 1), run lelann -n 3"));
    }

    #[test]
    fn a_long_line_is_shortened() {
        assert_eq!(shortened("run"), "run");
        assert_eq!(shortened(&"é".repeat(400)).chars().count(), 301);
    }
}
