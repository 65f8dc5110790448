//! Checkpoints of a check of many instances: the answers of those that are complete, and of every other its own file.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ringleader_check::{CheckpointFile, FrameError, FrameReader, FrameWriter};
use ringleader_model::BadSetting;

use crate::watch::Watch;

/// The files of the checkpoints of a check, by name. The library itself opens none.
pub trait CheckpointStore: Send + Sync {
    /// Whether it is time to write a file. Asked often.
    fn is_due(&self, name: &str) -> bool;

    /// Replaces a file by what `content` writes. Returns false if that fails: then the old file must stay, and the check
    /// goes on.
    fn replace(&self, name: &str, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool;

    /// Opens a file, if it is there.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&self, name: &str) -> io::Result<Option<Box<dyn Read>>>;

    /// Removes a file, if it is there.
    fn remove(&self, name: &str);
}

/// The name of the file with the command and the answers.
pub const ANSWERS: &str = "answers";
/// A part of the names of all other files: each belongs to an instance.
pub const INSTANCE: &str = "-instance-";

/// The checkpoints of a check, which a [`Watch`] hands to it.
pub struct Checkpoints {
    store: Box<dyn CheckpointStore>,
    command: String,
    sizes: Mutex<BTreeMap<usize, SizeAnswers>>,
}

/// The answers of the complete instances of one size, as bytes, and the seconds that were spent on it.
#[derive(Clone, Default)]
struct SizeAnswers {
    seconds: f64,
    by_instance: BTreeMap<usize, Vec<u8>>,
}

impl Checkpoints {
    /// Those of a new check, which this [command line](super::CheckOptions::unlimited_command_line) repeats.
    pub fn new(store: Box<dyn CheckpointStore>, command: String) -> Self {
        let checkpoints = Self { store, command, sizes: Mutex::default() };
        checkpoints.write();
        checkpoints
    }

    /// Those that were written before.
    ///
    /// # Errors
    /// If there are none, or if they are damaged or of another version.
    pub fn open(store: Box<dyn CheckpointStore>) -> Result<Self, BadSetting> {
        let Some(mut bytes) = store.open(ANSWERS).map_err(FrameError::Unreadable)? else {
            return Err(BadSetting::new("resume", "has no checkpoints", "a directory that --checkpoint has written"));
        };
        let mut input = FrameReader::new(&mut *bytes)?;
        let version = input.text()?;
        if version != env!("CARGO_PKG_VERSION") {
            let wrong = format!("was written by version {version}");
            return Err(BadSetting::new("resume", wrong, format!("version {}", env!("CARGO_PKG_VERSION"))));
        }
        let command = input.text()?;
        let mut sizes = BTreeMap::new();
        for _ in 0..input.number()? {
            let n = input.number()? as usize;
            let mut answers = SizeAnswers { seconds: f64::from_bits(input.number()?), ..SizeAnswers::default() };
            for _ in 0..input.number()? {
                answers.by_instance.insert(input.number()? as usize, input.bytes()?);
            }
            sizes.insert(n, answers);
        }
        input.end()?;
        Ok(Self { store, command, sizes: Mutex::new(sizes) })
    }

    /// The command line that repeats the check.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Those of one size. The time is counted from now on.
    pub(super) fn of_size<'a>(&'a self, n: usize, watch: &'a dyn Watch) -> SizeCheckpoints<'a> {
        let before = self.sizes().get(&n).map_or(0.0, |answers| answers.seconds);
        SizeCheckpoints { all: self, n, watch, offset: before - watch.seconds() }
    }

    fn sizes(&self) -> MutexGuard<'_, BTreeMap<usize, SizeAnswers>> {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the answers; false if that fails.
    fn write(&self) -> bool {
        // The lock is held meanwhile, so that no other thread writes an older state afterwards.
        let sizes = self.sizes();
        self.store.replace(ANSWERS, &mut |out| {
            let mut out = FrameWriter::new(out);
            out.text(env!("CARGO_PKG_VERSION"));
            out.text(&self.command);
            out.number(sizes.len() as u64);
            for (&n, answers) in &*sizes {
                out.number(n as u64);
                out.number(answers.seconds.to_bits());
                out.number(answers.by_instance.len() as u64);
                for (&instance, answer) in &answers.by_instance {
                    out.number(instance as u64);
                    out.bytes(answer);
                }
            }
            out.end()
        })
    }
}

/// The checkpoints of one size.
pub(super) struct SizeCheckpoints<'a> {
    all: &'a Checkpoints,
    n: usize,
    watch: &'a dyn Watch,
    /// What makes the seconds of the watch those that were spent on this size.
    offset: f64,
}

impl SizeCheckpoints<'_> {
    /// The file of an instance.
    pub(super) fn instance(&self, index: usize) -> InstanceFile<'_> {
        InstanceFile { size: self, index, name: format!("n{}{INSTANCE}{index}", self.n), kept: false }
    }

    /// Writes the answers; returns the seconds that were spent on this size.
    pub(super) fn end(&self) -> f64 {
        self.note(None);
        self.all.write();
        self.seconds()
    }

    fn seconds(&self) -> f64 {
        self.watch.seconds() + self.offset
    }

    /// Notes the time, and perhaps an answer.
    fn note(&self, answer: Option<(usize, &[u8])>) {
        let mut sizes = self.all.sizes();
        let answers = sizes.entry(self.n).or_default();
        answers.seconds = self.seconds();
        answers.by_instance.extend(answer.map(|(index, answer)| (index, answer.to_vec())));
    }
}

/// The checkpoint of an instance: its answer, or its own file.
pub(super) struct InstanceFile<'a> {
    size: &'a SizeCheckpoints<'a>,
    index: usize,
    name: String,
    /// Whether it has a file.
    kept: bool,
}

impl CheckpointFile for InstanceFile<'_> {
    fn is_due(&mut self) -> bool {
        self.size.all.store.is_due(&self.name)
    }

    fn replace(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.kept |= self.size.all.store.replace(&self.name, content);
        self.size.note(None);
        self.size.all.write();
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn Read + '_>>> {
        let sizes = self.size.all.sizes();
        let answer = sizes.get(&self.size.n).and_then(|answers| answers.by_instance.get(&self.index));
        if let Some(answer) = answer {
            return Ok(Some(Box::new(io::Cursor::new(answer.clone()))));
        }
        let file = self.size.all.store.open(&self.name)?;
        self.kept |= file.is_some();
        Ok(file.map(|file| file as Box<dyn Read>))
    }

    fn complete(&mut self, answer: &[u8]) {
        let checkpoints = self.size.all;
        self.size.note(Some((self.index, answer)));
        let written = (self.kept || checkpoints.store.is_due(ANSWERS)) && checkpoints.write();
        // The file is removed when its answer is safe.
        if self.kept && written {
            checkpoints.store.remove(&self.name);
        }
    }
}
