//! A checkpoint file for tests. The module that includes it has [`CheckpointFile`] in scope.

use std::io::{self, Read, Write};

use super::CheckpointFile;

/// A checkpoint in memory.
#[derive(Default)]
pub(super) struct SavedInMemory {
    pub(super) now: Vec<u8>,
    /// A checkpoint is due whenever it was asked for so many times.
    every: usize,
    asked: usize,
    /// All that were written.
    pub(super) all: Vec<Vec<u8>>,
    /// The number of searches that began anew.
    pub(super) anew: usize,
}

impl SavedInMemory {
    pub(super) fn every(every: usize) -> Self {
        Self { every, ..Self::default() }
    }

    pub(super) fn holding(now: &[u8]) -> Self {
        Self { now: now.to_vec(), every: usize::MAX, ..Self::default() }
    }
}

impl CheckpointFile for SavedInMemory {
    fn is_due(&mut self) -> bool {
        self.asked += 1;
        self.asked.is_multiple_of(self.every)
    }

    fn replace(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.now.clear();
        content(&mut self.now).expect("memory takes all");
        self.all.push(self.now.clone());
    }

    fn begins_anew(&mut self) {
        self.anew += 1;
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn Read + '_>>> {
        Ok((!self.now.is_empty()).then(|| Box::new(&self.now[..]) as Box<dyn Read>))
    }
}
