//! The checkpoints of a check: a directory of files.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ringleader::check::{ANSWERS, CheckOptions, CheckSetup, CheckpointStore, Checkpoints, INSTANCE};
use ringleader::{Catalogue, Effort, program, quoted};

use crate::arguments::{CheckpointArguments, check_of};
use crate::error::Error;
use crate::options::CheckedOptions;
use crate::watch::{CheckpointTrouble, Terminal};

/// A check as it was asked for, on the command line or by the one that it resumes.
pub(super) struct Asked {
    pub(super) protocol: String,
    pub(super) options: CheckOptions,
    /// The directory of its checkpoints.
    pub(super) directory: Option<PathBuf>,
}

/// Seconds between two checkpoints.
const INTERVAL: u64 = 10;
/// Writing a checkpoint takes at most this fraction of the time.
const SHARE: u32 = 20;

impl Asked {
    /// From the arguments, or from the directory that they resume; `watch` keeps the checkpoints.
    pub(super) fn new(
        (protocol, options, depth): (Option<String>, CheckedOptions, bool),
        arguments: &CheckpointArguments,
        (catalogue, force): (&Catalogue, bool),
        watch: &Terminal,
    ) -> Result<Self, Error> {
        let effort = options.effort()?;
        let mut options = options.check_options()?;
        options.extremes.depth = depth;
        let every = Duration::from_secs(arguments.checkpoint_every.unwrap_or(INTERVAL));
        let trouble = CheckpointTrouble::default();
        let store = |path: &Path, lock: Option<File>| {
            let (path, written) = (path.to_path_buf(), Mutex::default());
            Box::new(DirectoryStore { path, every, written, trouble: CheckpointTrouble::clone(&trouble), _lock: lock })
        };
        let mut asked = Self { protocol: protocol.unwrap_or_default(), options, directory: None };
        if let Some(directory) = &arguments.resume {
            if !directory.is_dir() {
                let allowed = "a directory that --checkpoint has written";
                return Err(Error::Usage(format!(
                    "--resume is {}, which is none\nallowed: {allowed}",
                    directory.display()
                )));
            }
            // Nothing is written to a directory without checkpoints.
            let lock = directory.join(ANSWERS).exists().then(|| lock(directory)).transpose()?;
            let checkpoints = Checkpoints::open(store(directory, lock))?;
            asked = asked.resuming(checkpoints.command(), effort)?;
            asked.directory = Some(directory.clone());
            watch.keep_checkpoints(checkpoints, trouble);
        } else if let Some(directory) = &arguments.checkpoint {
            // Nothing is written for a check that is refused.
            let entry = catalogue.find(&asked.protocol)?;
            if asked.options.has_size() {
                CheckSetup::new(entry, &asked.options)?;
            }
            let lock = prepare(directory, force)?;
            let command = asked.options.unlimited_command_line(&asked.protocol);
            let checkpoints = Checkpoints::new(store(directory, Some(lock)), command);
            asked.directory = Some(directory.clone());
            watch.keep_checkpoints(checkpoints, trouble);
            // A directory that cannot be written to is found out early.
            watch.checkpoint_trouble().map_or(Ok(()), Err)?;
        }
        Ok(asked)
    }

    /// The check that was asked for by a command line before, with the limits of this one.
    fn resuming(self, command: &str, effort: Effort) -> Result<Self, Error> {
        let given = self.options.unlimited_command_line(&self.protocol);
        if given == command {
            return Ok(self);
        }
        let nothing = CheckOptions::default().unlimited_command_line("");
        if !self.protocol.is_empty() || self.options.unlimited_command_line("") != nothing {
            let wrong = format!("--resume is for another check: {command}");
            return Err(Error::Usage(format!("{wrong}\nallowed: this command, or none but --resume DIR")));
        }
        let words = words(command);
        let (protocol, mut options) = check_of(words.iter().skip(2).map(String::as_str))?;
        let bytes = if options.has_size() { effort.bytes } else { self.options.effort.bytes };
        options.effort = Effort { bytes, reductions: options.effort.reductions, ..effort };
        Ok(Self { protocol, options, directory: None })
    }
}

/// The line that goes on from the checkpoints in a directory.
pub(super) fn resume_line(directory: &Path) -> String {
    format!("{} check --resume {}", program(), quoted(&directory.display().to_string()))
}

/// The words of a command line, as a POSIX shell reads them where it has single quotes and backslashes only.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for c in line.chars() {
        let word = words.last_mut().expect("there is a word");
        match c {
            _ if escaped => (escaped, _) = (false, word.push(c)),
            '\'' => quoted = !quoted,
            '\\' if !quoted => escaped = true,
            ' ' if !quoted => words.push(String::new()),
            _ => word.push(c),
        }
    }
    words
}

/// The file by which a process has a directory of checkpoints to itself. The lock ends with the process.
const LOCK: &str = "lock";

/// Locks a directory of checkpoints; refused if another process has it.
fn lock(directory: &Path) -> Result<File, Error> {
    let path = directory.join(LOCK);
    let unwritable = |source: io::Error| Error::Output { path: path.clone(), source };
    let file = File::create(&path).map_err(unwritable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        // Some file systems know no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(unwritable(error)),
        Err(TryLockError::WouldBlock) => {
            let wrong = format!("{} is in use by a check that is running", directory.display());
            Err(Error::Usage(format!("{wrong}\nallowed: another directory, or this one when that check has ended")))
        }
    }
}

/// Makes a directory for the checkpoints of a new check, and locks it. Files that are there are refused, unless `force` is
/// given.
fn prepare(directory: &Path, force: bool) -> Result<File, Error> {
    let unwritable = |source: io::Error| Error::Output { path: directory.to_path_buf(), source };
    fs::create_dir_all(directory).map_err(unwritable)?;
    vacant(directory, force)?;
    let lock = lock(directory)?;
    // Another check may have used it meanwhile.
    for name in vacant(directory, force)? {
        fs::remove_file(directory.join(name)).map_err(unwritable)?;
    }
    Ok(lock)
}

/// The checkpoints in a directory, which are overwritten if `force` is given; refused otherwise, as are other files.
fn vacant(directory: &Path, force: bool) -> Result<Vec<String>, Error> {
    let unwritable = |source: io::Error| Error::Output { path: directory.to_path_buf(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(unwritable)? {
        names.push(entry.map_err(unwritable)?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != LOCK);
    if !force && !names.is_empty() {
        let (what, allowed) = if names.iter().any(|name| name == ANSWERS) {
            ("the checkpoints of a check", "--resume to go on with it, ")
        } else {
            ("other files", "")
        };
        let wrong = format!("--checkpoint is {}, which holds {what}", directory.display());
        let other = "a directory that is empty or not there, or --force to overwrite checkpoints in it";
        return Err(Error::Usage(format!("{wrong}\nallowed: {allowed}{other}")));
    }
    names.retain(|name| name == ANSWERS || name.contains(INSTANCE) || name.ends_with(TEMPORARY));
    Ok(names)
}

/// Files in a directory. One is replaced by another under a temporary name, which is then renamed.
struct DirectoryStore {
    path: PathBuf,
    /// The least time between two writes of a file.
    every: Duration,
    /// By file: when it was last written, or first asked for, and how long that took.
    written: Mutex<BTreeMap<String, (Instant, Duration)>>,
    trouble: CheckpointTrouble,
    _lock: Option<File>,
}

/// The end of a temporary name.
const TEMPORARY: &str = ".tmp";

impl DirectoryStore {
    fn write(&self, name: &str, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let temporary = self.path.join(format!("{name}{TEMPORARY}"));
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&temporary)?);
        let written = content(&mut file).and_then(|()| file.flush()).and_then(|()| file.get_ref().sync_data());
        drop(file);
        match written {
            Ok(()) => fs::rename(&temporary, self.path.join(name)),
            Err(error) => {
                // It takes up space that may be what is missing.
                let _ = fs::remove_file(&temporary);
                Err(error)
            }
        }
    }

    fn set_trouble(&self, trouble: Option<Error>) {
        *self.trouble.lock().expect("nothing panics while it is locked") = trouble;
    }
}

impl CheckpointStore for DirectoryStore {
    fn is_due(&self, name: &str) -> bool {
        let mut written = self.written.lock().expect("nothing panics while it is locked");
        match written.get(name) {
            Some((last, took)) => last.elapsed() >= self.every.max(*took * SHARE),
            None => {
                written.insert(name.to_string(), (Instant::now(), Duration::ZERO));
                false
            }
        }
    }

    fn replace(&self, name: &str, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool {
        let begun = Instant::now();
        let result = self.write(name, content);
        let times = (Instant::now(), begun.elapsed());
        self.written.lock().expect("nothing panics while it is locked").insert(name.to_string(), times);
        let path = self.path.join(name);
        let trouble = result.err().map(|source| Error::Output { path, source });
        let is_written = trouble.is_none();
        self.set_trouble(trouble);
        is_written
    }

    fn open(&self, name: &str) -> io::Result<Option<Box<dyn Read>>> {
        match File::open(self.path.join(name)) {
            Ok(file) => Ok(Some(Box::new(BufReader::with_capacity(1 << 20, file)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn remove(&self, name: &str) {
        // A file whose answer is known is not read again.
        let _ = fs::remove_file(self.path.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_read_as_it_was_written() {
        let values = ["plain", "G(a -> F b)", "it's", "", "a\\b"];
        let line: Vec<_> = values.iter().map(|value| quoted(value)).collect();
        assert_eq!(words(&line.join(" ")), values);
    }

    #[test]
    fn a_check_is_read_from_its_command_line() {
        for line in [
            "ringleader check peterson",
            "ringleader check peterson --ids 1,3,2 --extremes depth",
            "ringleader check chang-roberts -n 3 --then ring-sort --no-reduce",
            "ringleader check ricart-agrawala -n 2 --entries forever",
            "ringleader check ricart-agrawala -n 2 --ltl 'G (trying(1) -> F critical(1))' --fairness strong",
            "ringleader check spirakis-tampakas-mutex -n 3 --r 1 --d 1..2 --set c1=1",
        ] {
            let words = words(line);
            let (protocol, options) = check_of(words.iter().skip(2).map(String::as_str)).expect("it is a check");
            assert_eq!(options.unlimited_command_line(&protocol), line);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_stays_as_it_was() {
        let place = tempfile::tempdir().expect("a directory");
        let trouble = CheckpointTrouble::default();
        let store = DirectoryStore {
            path: place.path().to_path_buf(),
            every: Duration::ZERO,
            written: Mutex::default(),
            trouble: CheckpointTrouble::clone(&trouble),
            _lock: None,
        };
        assert!(store.replace("answers", &mut |out| out.write_all(b"first")));
        assert!(!store.replace("answers", &mut |_| Err(io::ErrorKind::StorageFull.into())));
        let said = trouble.lock().expect("it is free").as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(said.starts_with("cannot write") && said.contains("answers"), "{said}");
        let mut text = String::new();
        let mut file = store.open("answers").expect("it can be read").expect("it is there");
        file.read_to_string(&mut text).expect("it can be read");
        assert_eq!(text, "first");
        assert!(fs::read_dir(place.path()).expect("it is there").count() == 1);
        let refused = prepare(place.path(), false).expect_err("it holds checkpoints").to_string();
        assert!(refused.contains("--resume") && refused.contains("--force"), "{refused}");
        let lock = prepare(place.path(), true).expect("it is asked for");
        let refused = prepare(place.path(), true).expect_err("it is locked").to_string();
        assert!(refused.contains("in use") && refused.contains("\nallowed: "), "{refused}");
        drop(lock);
        prepare(place.path(), true).expect("it is free again");
        assert!(store.open("answers").expect("it can be read").is_none());
    }
}
