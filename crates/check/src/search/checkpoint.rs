//! A breadth-first search as bytes.
//!
//! A checkpoint is taken between two blocks of a level, when no worker is at work: it holds the visited set, the tree of
//! first predecessors, the blocks that are left and those of the next level, and all tallies.
//!
//! State vectors hold numbers of interned values, which cannot be written down, since nothing is known of their types but
//! that they can be compared and hashed. Only their keys are kept, and with them the numbering. The values themselves are
//! computed again: a *creative* state is one whose expansion came upon a new value (or upon a rule or a phase for the first
//! time), and all creative states are expanded again, level by level. Every entry of a state of level k is interned when
//! some state of a level below k is expanded, so that the values of a creative state are there before its turn comes; and
//! every value was new in the expansion of some state, or when the system was set up, or in an earlier search, which are
//! repeated. With each creative state goes a digest of its transitions: if the protocol was changed since, they differ.

use std::ops::Range;

use ringleader_model::{BadSetting, Promised, Promises, mix};

use super::bfs::StatePosition;
use super::bfs_state::{BfsState, LevelTally};
use super::extremes::{CompleteRuns, EndTally};
use super::frontier::{BfsTree, FrontierBlock, PackedStates, ParentLog};
use super::memory_budget::MemoryBudget;
use super::visited_set::{SavedShard, VisitedSet};
use crate::answer::Property;
use crate::checkpoint::{changed, too_little_memory};
use crate::choices::ChoiceProbability;
use crate::framing::{FrameError, FrameReader, FrameWriter};
use crate::interner::Interned;
use crate::panics::catch_panic;
use crate::passes::Passes;
use crate::transition_system::{Successors, TransitionSystem, fingerprint};

/// The states of a search whose expansion came upon something new, in the order of levels.
#[derive(Default)]
pub(super) struct CreativeStates {
    /// One after the other.
    states: Vec<Interned>,
    /// By state: a digest of its transitions.
    digests: Vec<u64>,
}

impl CreativeStates {
    pub(super) fn push(&mut self, state: &[Interned], successors: &Successors) {
        self.states.extend_from_slice(state);
        self.digests.push(digest(successors));
    }

    pub(super) fn append(&mut self, mut others: Self) {
        self.states.append(&mut others.states);
        self.digests.append(&mut others.digests);
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<Interned>() + self.digests.capacity() * size_of::<u64>()
    }

    /// Expands all of them again; false if their transitions are not what they were.
    fn repeat(&self, width: usize, system: &mut dyn TransitionSystem) -> bool {
        let mut successors = Successors::default();
        let mut same = |(state, &before): (&[Interned], &u64)| {
            // A number that has no value is no reason to panic, but to refuse the file.
            let expanded = catch_panic(|| system.successors(state, fingerprint(state), &mut successors));
            expanded.is_ok() && digest(&successors) == before
        };
        self.states.chunks(width.max(1)).zip(&self.digests).all(&mut same)
    }
}

/// A digest of the transitions of a state.
fn digest(successors: &Successors) -> u64 {
    let mut digest = successors.transitions.len() as u64;
    for (index, transition) in successors.transitions.iter().enumerate() {
        let passes = transition.passes.0;
        let label = u64::from(transition.action) << 1 | u64::from(transition.optional);
        let ChoiceProbability { numerator, denominator } = successors.probability(index);
        let probability = u64::from(numerator) << 32 | u64::from(denominator);
        for word in [transition.fingerprint, label, probability, passes as u64, (passes >> 64) as u64] {
            digest = mix(digest ^ word);
        }
    }
    digest
}

/// A digest of a search by its goal and the transitions of its first states: one check may be several searches, of the same
/// system with other reductions, or of its product with an automaton.
pub(super) fn search_digest(system: &mut dyn TransitionSystem, (reduce, first_violation): (bool, bool)) -> u64 {
    const FIRST: usize = 16;
    let mut digested = mix(u64::from(reduce) << 1 | u64::from(first_violation));
    let mut successors = Successors::default();
    for state in system.initial_states().iter().take(FIRST) {
        system.successors(state, fingerprint(state), &mut successors);
        digested = mix(digested ^ fingerprint(state)) ^ digest(&successors);
    }
    digested
}

/// The counters of a search.
#[derive(Clone, Copy)]
pub(super) struct SavedCounts {
    pub(super) states: u64,
    pub(super) transitions: u64,
    /// The most memory that was held.
    pub(super) peak: u64,
}

/// Writes a search.
pub(super) fn save(
    out: &mut FrameWriter<'_>,
    system: &dyn TransitionSystem,
    (state, counts): (&BfsState, SavedCounts),
    visited: &VisitedSet,
) {
    out.number(state.digest);
    for number in [state.width as u64, counts.states, counts.transitions, counts.peak, state.levels, state.count] {
        out.number(number);
    }
    out.number(state.before);
    save_all(out, &state.creative.digests, |out, digest| out.number(*digest));
    save_all(out, &state.creative.states, |out, entry| out.raw(&entry.to_le_bytes()));
    let properties = Properties(system.properties());
    save_tally(out, &state.level, &properties);
    save_tally(out, &state.all, &properties);
    save_all(out, &state.violated, |out, (property, position)| {
        properties.save(out, *property);
        save_position(out, Some(*position));
    });
    save_position(out, state.deadlock);
    save_position(out, state.target);
    save_all(out, &state.tree.levels, |out, level| {
        save_all(out, level, |out, (first, parents)| {
            out.number(*first);
            out.bytes(parents);
        });
    });
    save_all(out, &state.remaining, save_block);
    save_all(out, &state.next, save_block);
    for shard in visited.saved() {
        out.number(shard.lines as u64);
        out.number(shard.taken as u64);
        for (fingerprint, mark) in shard.entries {
            out.number(fingerprint);
            out.raw(&mark.to_le_bytes());
        }
    }
}

/// Reads a search, and computes the values of its states again. `None` if one of them is missing, since workers may intern
/// other values in another order: then the search begins anew.
pub(super) fn load(
    input: &mut FrameReader<'_>,
    system: &mut dyn TransitionSystem,
    digest: u64,
    memory: &MemoryBudget,
) -> Result<Option<(BfsState, SavedCounts, VisitedSet)>, BadSetting> {
    if input.number()? != digest {
        return Err(changed());
    }
    let width = input.count()?;
    let [states, transitions, peak, levels, count, before] =
        [(); 6].map(|()| input.number()).into_iter().collect::<Result<Vec<_>, _>>()?[..]
    else {
        unreachable!("there are six")
    };
    let digests = load_all(input, FrameReader::number)?;
    let entries = load_all(input, |input| input.raw().map(Interned::from_le_bytes))?;
    let creative = CreativeStates { states: entries, digests };
    let fits = creative.states.len() == creative.digests.len() * width;
    if width != system.initial_states().first().map_or(0, Vec::len) || !fits || !creative.repeat(width, system) {
        return Err(changed());
    }
    if !system.value_tables().iter().all(|table| table.is_complete()) {
        return Ok(None);
    }
    let properties = Properties(system.properties());
    let mut state = BfsState {
        width,
        digest,
        levels,
        count,
        before,
        creative,
        level: load_tally(input, &properties)?,
        all: load_tally(input, &properties)?,
        violated: load_all(input, |input| {
            Ok((properties.load(input)?, load_position(input)?.ok_or(FrameError::Damaged)?))
        })?,
        deadlock: load_position(input)?,
        target: load_position(input)?,
        tree: BfsTree {
            levels: load_all(input, |input| load_all(input, |input| Ok((input.number()?, input.bytes()?))))?,
        },
        remaining: load_all(input, |input| load_block(input, width))?,
        next: load_all(input, |input| load_block(input, width))?,
    };
    let blocks = state.remaining.iter_mut().chain(&mut state.next);
    let bytes = blocks.map(|block| block.measure()).sum::<usize>() + state.tree.bytes() + state.creative.bytes();
    if !memory.take(bytes) {
        return Err(too_little_memory(peak));
    }
    let mut shards = Vec::new();
    for _ in 0..VisitedSet::SHARDS {
        let (lines, taken) = (input.count()?, input.count()?);
        let entries = (0..taken).map(|_| Ok((input.number()?, u32::from_le_bytes(input.raw()?))));
        let shard = SavedShard { lines, taken, entries };
        shards.push(VisitedSet::restored_shard(shard, memory)?.ok_or_else(|| too_little_memory(peak))?);
    }
    memory.raise_peak(peak);
    Ok(Some((state, SavedCounts { states, transitions, peak }, VisitedSet::restored(shards))))
}

/// The properties of a system, which are saved as their numbers.
struct Properties(Vec<Property>);

impl Properties {
    fn save(&self, out: &mut FrameWriter<'_>, property: Property) {
        let number = self.0.iter().position(|&other| other == property).expect("it is one of the system's");
        out.number(number as u64);
    }

    fn load(&self, input: &mut FrameReader<'_>) -> Result<Property, FrameError> {
        self.0.get(input.count()?).copied().ok_or(FrameError::Damaged)
    }
}

fn save_all<T>(out: &mut FrameWriter<'_>, items: &[T], save: impl Fn(&mut FrameWriter<'_>, &T)) {
    out.number(items.len() as u64);
    items.iter().for_each(|item| save(out, item));
}

fn load_all<'a, T>(
    input: &mut FrameReader<'a>,
    load: impl Fn(&mut FrameReader<'a>) -> Result<T, FrameError>,
) -> Result<Vec<T>, FrameError> {
    (0..input.count()?).map(|_| load(input)).collect()
}

fn save_number(out: &mut FrameWriter<'_>, number: Option<u64>) {
    out.number(u64::from(number.is_some()));
    out.number(number.unwrap_or_default());
}

fn load_number(input: &mut FrameReader<'_>) -> Result<Option<u64>, FrameError> {
    let (is_some, number) = (input.number()?, input.number()?);
    Ok((is_some == 1).then_some(number))
}

fn save_position(out: &mut FrameWriter<'_>, position: Option<StatePosition>) {
    save_number(out, position.map(|(level, _)| level));
    save_number(out, position.map(|(_, number)| number));
}

fn load_position(input: &mut FrameReader<'_>) -> Result<Option<StatePosition>, FrameError> {
    Ok(load_number(input)?.zip(load_number(input)?))
}

fn save_tally(out: &mut FrameWriter<'_>, tally: &LevelTally, properties: &Properties) {
    let LevelTally { quiescent, ends, unleveled, ungraded, reduced, violated, deadlock, target, fulfilled } = tally;
    out.number(*quiescent);
    for flag in [unleveled, ungraded, reduced] {
        out.number(u64::from(*flag));
    }
    save_all(out, violated, |out, (property, number)| {
        properties.save(out, *property);
        out.number(*number);
    });
    save_number(out, *deadlock);
    save_number(out, *target);
    let fulfilled = Promised::ALL.map(|promised| fulfilled.contains(promised));
    save_all(out, &fulfilled, |out, is_fulfilled| out.number(u64::from(*is_fulfilled)));
    let EndTally { ranges, complete: CompleteRuns { phase, depth, monitors } } = ends;
    save_all(out, ranges, |out, range| range.iter().for_each(|end| save_number(out, end.map(i64::cast_unsigned))));
    save_number(out, phase.map(u64::from));
    save_number(out, depth.map(u64::from));
    save_all(out, monitors, |out, monitor| out.raw(&monitor.to_le_bytes()));
}

fn load_tally(input: &mut FrameReader<'_>, properties: &Properties) -> Result<LevelTally, FrameError> {
    let quiescent = input.number()?;
    let (unleveled, ungraded, reduced) = (input.number()? == 1, input.number()? == 1, input.number()? == 1);
    let violated = load_all(input, |input| Ok((properties.load(input)?, input.number()?)))?;
    let (deadlock, target) = (load_number(input)?, load_number(input)?);
    let mut fulfilled = Promises::default();
    for (number, is_fulfilled) in load_all(input, FrameReader::number)?.into_iter().enumerate() {
        if is_fulfilled == 1 {
            fulfilled = fulfilled.with(*Promised::ALL.get(number).ok_or(FrameError::Damaged)?);
        }
    }
    let end = |input: &mut FrameReader<'_>| load_number(input).map(|end| end.map(u64::cast_signed));
    let ranges = load_all(input, |input| Ok([end(input)?, end(input)?]))?;
    let short = |number: Option<u64>| number.map(u32::try_from).transpose().map_err(|_| FrameError::Damaged);
    let (phase, depth) = (short(load_number(input)?)?, short(load_number(input)?)?);
    let monitors = load_all(input, |input| input.raw().map(Interned::from_le_bytes))?;
    let ends = EndTally { ranges, complete: CompleteRuns { phase, depth, monitors } };
    Ok(LevelTally { quiescent, ends, unleveled, ungraded, reduced, violated, deadlock, target, fulfilled })
}

/// The states of a block that were not expanded.
fn save_block(out: &mut FrameWriter<'_>, block: &FrontierBlock) {
    let rest: Range<usize> = block.expanded..block.len();
    out.number(block.first + block.expanded as u64);
    let entries = rest.start * block.width..rest.end * block.width;
    match &block.states {
        PackedStates::Narrow(states) => {
            out.number(0);
            save_all(out, &states[entries], |out, entry| out.raw(&entry.to_le_bytes()));
        }
        PackedStates::Wide(states) => {
            out.number(1);
            save_all(out, &states[entries], |out, entry| out.raw(&entry.to_le_bytes()));
        }
    }
    save_all(out, &block.fingerprints[rest.clone()], |out, fingerprint| out.number(*fingerprint));
    save_all(out, &block.sent[rest], |out, sent| out.raw(&sent.to_le_bytes()));
    save_all(out, &block.distinct, |out, passes| out.raw(&passes.0.to_le_bytes()));
    // The log of a block that is being expanded is in the tree.
    out.bytes(&block.parents.bytes);
    out.number(block.parents.last);
}

fn load_block(input: &mut FrameReader<'_>, width: usize) -> Result<FrontierBlock, FrameError> {
    let first = input.number()?;
    let states = match input.number()? {
        0 => PackedStates::Narrow(load_all(input, |input| input.raw().map(u16::from_le_bytes))?),
        _ => PackedStates::Wide(load_all(input, |input| input.raw().map(Interned::from_le_bytes))?),
    };
    let fingerprints = load_all(input, FrameReader::number)?;
    let sent = load_all(input, |input| input.raw().map(u16::from_le_bytes))?;
    let distinct = load_all(input, |input| input.raw().map(|bytes| Passes(u128::from_le_bytes(bytes))))?;
    let parents = ParentLog { bytes: input.bytes()?, last: input.number()? };
    let entries = match &states {
        PackedStates::Narrow(states) => states.len(),
        PackedStates::Wide(states) => states.len(),
    };
    let fits = entries == fingerprints.len() * width && sent.len() == fingerprints.len();
    if !fits || sent.iter().any(|&index| usize::from(index) >= distinct.len()) {
        return Err(FrameError::Damaged);
    }
    Ok(FrontierBlock { first, width, states, fingerprints, sent, distinct, parents, bytes: 0, expanded: 0 })
}
