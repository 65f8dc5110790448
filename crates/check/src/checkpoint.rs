//! Checkpoints: a check that was interrupted, or killed, goes on from the last one.
//!
//! The long part of a check is the breadth-first search, which is [saved](crate::search) now and then. What follows it (the
//! depth-first search, the search for a shortest counterexample) is repeated after a resumption; so are the searches before
//! it, if the check had to search again without a reduction. A complete check without a violation leaves its answer in
//! place of the checkpoint.

use std::io::{self, Read, Write};

use ringleader_model::{BadSetting, Scenario};

use crate::answer::{Effort, Progress, Wakers};
use crate::coverage::RuleSet;
use crate::framing::{FrameError, FrameReader, FrameWriter};
use crate::links::InvalidPort;
use crate::program::Program;
use crate::saved_answer::SavedAnswer;
use crate::transition_system::TransitionSystem;
use crate::{CheckQuery, CheckVerdict, UntypedAnswer};

/// The place where the checkpoints of a check are kept, one at a time. The library opens no files.
pub trait CheckpointFile {
    /// True if it is time for the next one. Asked often.
    fn is_due(&mut self) -> bool;

    /// Replaces the checkpoint by what `content` writes. If that fails the old one must stay; the check goes on.
    fn replace(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);

    /// Opens the last checkpoint, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&mut self) -> io::Result<Option<Box<dyn Read + '_>>>;

    /// Told that the search begins anew, although there is a checkpoint of it: some value of it was not found again.
    fn begins_anew(&mut self) {}

    /// Replaces the checkpoint by the answer of a complete check, which is short.
    fn complete(&mut self, answer: &[u8]) {
        self.replace(&mut |out| out.write_all(answer));
    }
}

/// Watches a search: is told how far it is, and keeps its checkpoints.
pub(crate) trait SearchWatch {
    /// False: interrupt the search.
    fn goes_on(&mut self, progress: &Progress) -> bool;

    /// What is known of checkpoints, and where they are kept; `None` if they are not.
    fn checkpoints(&mut self) -> Option<(&mut CheckpointRecord, &mut dyn CheckpointFile)>;

    /// A limit has stopped the present search: other limits may lead to other searches, so that none of those that follow
    /// takes the place of its checkpoint.
    fn stop_checkpoints(&mut self) {
        if let Some((record, _)) = self.checkpoints() {
            record.stopped = true;
        }
    }

    /// True if it is time for a checkpoint.
    fn is_checkpoint_due(&mut self) -> bool {
        self.checkpoints().is_some_and(|(_, file)| file.is_due())
    }
}

/// A search that is watched by a function, with checkpoints or without.
pub(crate) struct WatchedSearch<'a> {
    watch: &'a mut dyn FnMut(&Progress) -> bool,
    invalid_port: Option<InvalidPort>,
    interrupted: bool,
    checkpoints: Option<(CheckpointRecord, &'a mut dyn CheckpointFile)>,
}

/// All that two checks must have in common, so that one can go on where the other stopped: names and values.
pub(crate) type CheckIdentity = Vec<(&'static str, String)>;

/// The identity of a check. The parameters of its protocol are not in it, since they have no type in common: they must be the
/// same. Others are recognised where they change the transitions of a [creative](crate::search) state.
pub(crate) fn check_identity(
    protocol: &str,
    scenario: &Scenario,
    wakers: &Wakers,
    (effort, query): (&Effort, CheckQuery<'_>),
) -> CheckIdentity {
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("protocol", protocol.to_string()),
        ("scenario", format!("{scenario:?}")),
        ("initiators", format!("{wakers:?}")),
        ("set of reductions", effort.reductions.to_string()),
        ("query for extremes", format!("{:?}", query.extremes)),
        ("formula", query.specification.formulas.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
        ("fairness", query.specification.fairness.to_string()),
    ]
}

impl<'a> WatchedSearch<'a> {
    /// Without checkpoints.
    pub(crate) fn new(watch: &'a mut dyn FnMut(&Progress) -> bool) -> Self {
        Self { watch, invalid_port: None, interrupted: false, checkpoints: None }
    }

    /// With the checkpoints of a check.
    pub(crate) fn saved(self, identity: CheckIdentity, file: &'a mut dyn CheckpointFile) -> Self {
        let record = CheckpointRecord { identity, begun: 0, saved: None, refused: None, stopped: false };
        Self { checkpoints: Some((record, file)), ..self }
    }

    /// Interrupts the search when a message is sent on a port that does not exist.
    pub(crate) fn stop_at(&mut self, invalid_port: &InvalidPort) {
        self.invalid_port = Some(invalid_port.clone());
    }

    /// Opens the last checkpoint. If the check was complete, returns its answer.
    pub(crate) fn open(&mut self, program: &dyn Program) -> Result<Option<SavedAnswer>, BadSetting> {
        let Some((record, file)) = &mut self.checkpoints else { return Ok(None) };
        let Some(mut bytes) = file.open().map_err(FrameError::Unreadable)? else { return Ok(None) };
        let mut input = FrameReader::new(&mut *bytes)?;
        record.saved = record.load_header(&mut input)?;
        if record.saved.is_some() {
            return Ok(None);
        }
        let answer = SavedAnswer::load(&mut input, program)?;
        input.end()?;
        Ok(Some(answer))
    }

    /// Opens the last checkpoint of a system without a program.
    #[cfg(test)]
    pub(crate) fn open_search(&mut self) -> Result<(), BadSetting> {
        let Some((record, file)) = &mut self.checkpoints else { return Ok(()) };
        let Some(mut bytes) = file.open().map_err(FrameError::Unreadable)? else { return Ok(()) };
        record.saved = record.load_header(&mut FrameReader::new(&mut *bytes)?)?;
        Ok(())
    }

    /// If there is a search to resume, the values of this system get the numbers that they had.
    pub(crate) fn expect(&mut self, system: &mut dyn TransitionSystem) -> Result<(), BadSetting> {
        let Some((CheckpointRecord { saved: Some(saved), .. }, _)) = &mut self.checkpoints else { return Ok(()) };
        system.reexamine(true);
        saved.expect(system)
    }

    /// An error if the checkpoint could not be used.
    pub(crate) fn refused(&mut self) -> Result<(), BadSetting> {
        match self.checkpoints.as_mut().and_then(|(record, _)| record.refused.take()) {
            Some(refused) => Err(refused),
            None => Ok(()),
        }
    }

    /// Saves the answer of a check that was complete and found no violation; others are found again. An interruption may
    /// leave extremes unknown.
    pub(crate) fn finish(&mut self, found: &UntypedAnswer, program: &dyn Program, fired: RuleSet) {
        let Some((record, file)) = &mut self.checkpoints else { return };
        let holds = found.judgements.iter().all(|judgement| judgement.verdict == CheckVerdict::Holds);
        if !holds || self.interrupted || found.result.ran_out.is_some() || found.extreme.is_some() {
            return;
        }
        let mut bytes = Vec::new();
        let mut out = FrameWriter::new(&mut bytes);
        record.save_identity(&mut out);
        out.number(COMPLETE);
        let saved = SavedAnswer::new(found, fired).save(&mut out, program);
        if saved && out.end().is_ok() {
            file.complete(&bytes);
        }
    }
}

impl SearchWatch for WatchedSearch<'_> {
    fn goes_on(&mut self, progress: &Progress) -> bool {
        let refused = self.checkpoints.as_ref().is_some_and(|(record, _)| record.refused.is_some());
        let valid = self.invalid_port.as_ref().is_none_or(|port| port.check().is_ok());
        self.interrupted |= !((self.watch)(progress) && valid && !refused);
        !self.interrupted
    }

    fn checkpoints(&mut self) -> Option<(&mut CheckpointRecord, &mut dyn CheckpointFile)> {
        let (record, file) = self.checkpoints.as_mut()?;
        let file: &mut dyn CheckpointFile = &mut **file;
        Some((record, file))
    }
}

/// In place of the number of a search, which counts from 1: the check is complete.
const COMPLETE: u64 = 0;

/// What is known of the checkpoints of a check.
pub(crate) struct CheckpointRecord {
    identity: CheckIdentity,
    /// The number of exhaustive breadth-first searches that were begun.
    begun: u64,
    /// The last checkpoint, until its search is resumed.
    saved: Option<SavedSearch>,
    /// Why it could not be used.
    refused: Option<BadSetting>,
    /// A limit has stopped a search: its checkpoint is kept, whatever is searched afterwards.
    stopped: bool,
}

/// The head of the checkpoint of a search.
struct SavedSearch {
    /// The number of the search, from 1 on.
    search: u64,
    /// By table and number: the keys of interned values.
    keys: Vec<Vec<u64>>,
    /// The number of tables that expect their keys.
    expected: usize,
}

impl SavedSearch {
    /// The tables of this system that do not yet do so expect their keys. A product of the system with something else has
    /// further ones after its own.
    fn expect(&mut self, system: &dyn TransitionSystem) -> Result<(), BadSetting> {
        let tables = system.value_tables();
        let mut rest = tables.iter().zip(&self.keys).skip(self.expected);
        if tables.len() > self.keys.len() || !rest.all(|(table, keys)| table.expect(keys)) {
            return Err(changed());
        }
        self.expected = tables.len();
        Ok(())
    }

    fn is_expected(&self) -> bool {
        self.expected == self.keys.len()
    }
}

impl CheckpointRecord {
    /// True if the checkpoint is not to be replaced: the search that was saved is still to come, since earlier ones are
    /// repeated, or a limit has stopped it.
    pub(crate) fn is_kept(&self) -> bool {
        self.saved.is_some() || self.stopped
    }

    /// A search begins. If it is the one that was saved, returns what `load` makes of it; `None` if it begins anew.
    pub(crate) fn resume<T>(
        &mut self,
        file: &mut dyn CheckpointFile,
        system: &mut dyn TransitionSystem,
        load: impl FnOnce(&mut FrameReader<'_>, &mut dyn TransitionSystem) -> Result<Option<T>, BadSetting>,
    ) -> Option<T> {
        self.begun += 1;
        let mut saved = self.saved.take_if(|saved| saved.search == self.begun)?;
        match self.loaded(&mut saved, file, system, load) {
            Ok(Some(loaded)) => return Some(loaded),
            Ok(None) => file.begins_anew(),
            Err(refused) => self.refused = Some(refused),
        }
        None
    }

    /// True if the checkpoint cannot be used.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    fn loaded<T>(
        &self,
        saved: &mut SavedSearch,
        file: &mut dyn CheckpointFile,
        system: &mut dyn TransitionSystem,
        load: impl FnOnce(&mut FrameReader<'_>, &mut dyn TransitionSystem) -> Result<Option<T>, BadSetting>,
    ) -> Result<Option<T>, BadSetting> {
        saved.expect(system)?;
        if !saved.is_expected() {
            return Err(changed());
        }
        let mut bytes = file.open().map_err(FrameError::Unreadable)?.ok_or(FrameError::Foreign)?;
        let mut input = FrameReader::new(&mut *bytes)?;
        self.load_header(&mut input)?;
        let loaded = load(&mut input, system)?;
        if loaded.is_some() {
            input.end()?;
        }
        system.reexamine(false);
        Ok(loaded)
    }

    /// Saves the present search, which `content` writes.
    pub(crate) fn save(
        &self,
        file: &mut dyn CheckpointFile,
        system: &dyn TransitionSystem,
        content: &dyn Fn(&mut FrameWriter<'_>),
    ) {
        let tables = system.value_tables();
        file.replace(&mut |out| {
            let mut out = FrameWriter::new(out);
            self.save_identity(&mut out);
            out.number(self.begun);
            out.number(tables.len() as u64);
            for table in &tables {
                let keys = table.keys();
                out.number(keys.len() as u64);
                keys.iter().for_each(|&key| out.number(key));
            }
            content(&mut out);
            out.end()
        });
    }

    fn save_identity(&self, out: &mut FrameWriter<'_>) {
        for (_, value) in &self.identity {
            out.text(value);
        }
    }

    /// Reads the head of a checkpoint; `None` if it is the answer of a complete check.
    fn load_header(&self, input: &mut FrameReader<'_>) -> Result<Option<SavedSearch>, BadSetting> {
        for (name, value) in &self.identity {
            let saved = input.text()?;
            if saved != *value {
                return Err(other_check(name, &saved, value));
            }
        }
        let search = input.number()?;
        if search == COMPLETE {
            return Ok(None);
        }
        let mut keys = Vec::new();
        for _ in 0..input.count()? {
            keys.push((0..input.count()?).map(|_| input.number()).collect::<Result<Vec<_>, _>>()?);
        }
        Ok(Some(SavedSearch { search, keys, expected: 0 }))
    }
}

const FIELD: &str = "resume";
const ALLOWED: &str = "the checkpoint of the same check, by the same version of the program";

impl From<FrameError> for BadSetting {
    fn from(error: FrameError) -> Self {
        let wrong = match error {
            FrameError::Foreign => "is no checkpoint of this format".to_string(),
            FrameError::Damaged => "is damaged: its content is not what was written".to_string(),
            FrameError::Unreadable(error) => format!("cannot be read: {error}"),
        };
        Self::new(FIELD, wrong, "a checkpoint as it was written")
    }
}

/// The checkpoint is of another check.
fn other_check(name: &str, saved: &str, value: &str) -> BadSetting {
    const SHORT: usize = 40;
    let values = if saved.len().max(value.len()) <= SHORT { format!(": {saved}, not {value}") } else { String::new() };
    BadSetting::new(FIELD, format!("is the checkpoint of a check with another {name}{values}"), ALLOWED)
}

/// The checkpoint is of a protocol with other steps.
pub(crate) fn changed() -> BadSetting {
    BadSetting::new(
        FIELD,
        "is the checkpoint of other steps: of other parameters or rules, or of a search under other limits",
        ALLOWED,
    )
}

/// The checkpoint is too large.
pub(crate) fn too_little_memory(peak: u64) -> BadSetting {
    let wrong = "is too small for the states that were visited before the check was resumed";
    BadSetting::new("max-memory", wrong, format!("more than the {} MB that were held", peak >> 20))
}
