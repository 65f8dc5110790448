//! Findings that are kept while a ledger is in the making: a line for the head, then a line for each item.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ringleader_ledger::{LedgerEffort, LedgerEntry};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The first line: what all findings were made with.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerHead {
    /// The version of the format.
    ringleader_ledger: u32,
    version: String,
    quick: bool,
    seed: u64,
}

const FORMAT: u32 = 1;

/// A file that findings are added to.
pub(super) struct LedgerFile {
    path: PathBuf,
    file: File,
    entries: Vec<LedgerEntry>,
}

impl LedgerFile {
    /// Reads the findings so far; makes the file if there is none.
    pub(super) fn open(path: &Path, effort: LedgerEffort) -> Result<Self, Error> {
        let failed = |source| Error::Output { path: path.to_path_buf(), source };
        let head = LedgerHead {
            ringleader_ledger: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            quick: effort.quick,
            seed: effort.seed,
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(foreign(path, "is no text")),
            Err(error) => return Err(failed(error)),
        };
        // A line that was cut off by a crash is written again.
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..complete].lines();
        let mut entries = Vec::new();
        match lines.next() {
            None if text.is_empty() => {}
            None => return Err(foreign(path, "has no complete line")),
            Some(first) => {
                let known: LedgerHead =
                    serde_json::from_str(first).map_err(|_| foreign(path, "does not begin as one"))?;
                if known != head {
                    let made = format!("version {}, seed {}", known.version, known.seed);
                    let quick = if known.quick { ", --quick" } else { "" };
                    return Err(foreign(path, &format!("was made with other settings ({made}{quick})")));
                }
            }
        }
        for line in lines {
            let entry = serde_json::from_str(line)
                .map_err(|error| foreign(path, &format!("has a line that is none: {error}")))?;
            entries.push(entry);
        }
        let mut file = File::options().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(complete as u64).map_err(failed)?;
        if complete == 0 {
            write_line(&mut file, &head).map_err(failed)?;
        }
        Ok(Self { path: path.to_path_buf(), file, entries })
    }

    /// What was found about an item before.
    pub(super) fn known(&self, number: &str) -> Option<LedgerEntry> {
        self.entries.iter().find(|entry| entry.item == number).cloned()
    }

    /// Adds a finding.
    pub(super) fn add(&mut self, entry: &LedgerEntry) -> Result<(), Error> {
        write_line(&mut self.file, entry).map_err(|source| Error::Output { path: self.path.clone(), source })
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_string(value).map_err(io::Error::from)?;
    line.push('\n');
    file.write_all(line.as_bytes())
}

fn foreign(path: &Path, why: &str) -> Error {
    let allowed = "a file that --resume has made with the same version, seed and --quick, or a name that is free";
    Error::Usage(format!("--resume is {}, which {why}\nallowed: {allowed}", path.display()))
}
