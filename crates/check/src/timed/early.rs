//! Early reading, a reduction for per-step reading: a message that only changes the state of its receiver is read when
//! it is sent, if nothing can tell the difference.
//!
//! # Theorem
//! Let arrivals be [deferred](super::deferred), let links not keep the order of messages, and let there be no faults.
//! Let a message m be sent at an instant t, and let its receiver be in state p at the end of the instant. Let m be
//! [silent](super::deferred) in p, and let the receiver run timers, all with at least h ticks left, where h = 2 +
//! ⌊(d_max - 1)/r_min⌋. Then m is read at the end of the instant t, after which the receiver is in state p·m, instead
//! of being put in flight. The runs with early reading have the same observable parts as all runs, but for the steps
//! that read such messages, which have no effects.
//!
//! *Condition.* (p, m) is a *pair* of the state p·m: who has read m early stands for who has not read it yet. If an
//! event e that is no timeout is handled in a state q, then for every pair (p, m) of q, and every outcome of random
//! choices, e has the same effects in p as in q, none of which sets or cancels a timer; m is silent in p·e, and p·e·m =
//! q·e. Then (p·e, m) is a pair of q·e, and e counts as handled in p.
//!
//! *Proof.* The first tick after t comes at t + 1 or later, and ticks are at least r_min apart: by t + d_max, when m
//! has arrived, there are at most h - 1. So the receiver reads m at its h-th tick after t at the latest. A tick reads
//! messages before timers fire, so that no timer that runs at t fires before m is read; and by the condition none is
//! set before. Take a run in which m is read after the events e1, …, ek of its receiver since t. They are handled
//! after m, too, since the same messages are in flight and clock, timers and user are the same. By the condition, applied
//! k times, they have the same effects after m, and p·e1·…·ek·m = p·m·e1·…·ek. So m can as well be read at t:
//! clock, timers and user of the receiver, and what it sends and reports, stay the same. Going through a run by
//! instants, each message is read early in turn. Conversely take a run with early reading. Let m arrive at t + d_max,
//! after the tick of that instant if there is one and ties are open, and be read at the next tick. It is unread during
//! the events e1, …, ek, which by the condition have the same effects then. No other message is affected, since links
//! do not keep the order. ∎
//!
//! The condition is examined while the search goes on, for all pairs of states and all events that have been reached.
//! If it does not hold, the search is repeated without this reduction. Whatever is new is a discovery, which a search that
//! is [resumed](crate::checkpoint) makes again.
//!
//! *Consequences.* As for [deferred arrivals](super::deferred). Some timer runs as long as m is unread, so that a run
//! is not complete before it was. A lasso ends when the whole state recurs, so that a livelock is searched for again
//! without this reduction. Eager ticks are those of processors without timers, which read no message early. Where
//! messages are read early, no silent message is read late.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ringleader_model::Place;

use super::in_flight::EMPTY;
use super::product::OptionProduct;
use super::{InstantActions, TimedSystem};
use crate::interner::{Interned, Map, note_discovery};
use crate::program::{Program, ProgramEffect, Trigger};
use crate::reductions::Reduction;
use crate::step_memo::{outcomes, silent_step};
use crate::transition_system::entry_hash;

/// Bytes that an entry of a map takes, about.
const ENTRY: usize = 48;

/// Early reading, for one worker.
pub(super) struct EarlyReading {
    /// Takes the steps that are only examined.
    examiner: Box<dyn Program>,
    shared: Arc<SharedPairs>,
    /// By local state, port and batch: the local state afterwards, and the messages that are left.
    known: Map<(Interned, u32, Interned), (Interned, Interned)>,
    /// The events that this worker has examined, with the states in which they were handled.
    examined: Map<(Interned, Trigger), ()>,
}

/// What all workers know.
#[derive(Default)]
struct SharedPairs {
    pairs: Mutex<UnreadPairs>,
    /// The condition does not hold.
    exceeded: AtomicBool,
}

/// The states of processors with their pairs, and the events that are handled in them.
#[derive(Default)]
struct UnreadPairs {
    pairs: Map<Interned, Vec<UnreadPair>>,
    events: Map<Interned, Vec<Trigger>>,
}

/// A state, and the message that is unread in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct UnreadPair {
    before: Interned,
    message: Trigger,
}

/// A pair of a state, or an event that is handled in it.
enum StateFact {
    Pair(Interned, UnreadPair),
    Event(Interned, Trigger),
}

impl EarlyReading {
    pub(super) fn new(program: &dyn Program) -> Self {
        Self { examiner: program.unrecorded(), shared: Arc::default(), known: Map::default(), examined: Map::default() }
    }

    /// For another worker.
    pub(super) fn fork(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), ..Self::new(&*self.examiner) }
    }

    /// True if the search is to be repeated without this reduction.
    pub(super) fn is_exceeded(&self) -> bool {
        self.shared.exceeded.load(Ordering::Relaxed)
    }

    /// True if some message was read early.
    #[cfg(test)]
    pub(super) fn has_pairs(&self) -> bool {
        !self.shared.pairs.lock().unwrap_or_else(PoisonError::into_inner).pairs.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        (self.known.len() + self.examined.len()) * ENTRY + self.examiner.bytes()
    }

    /// Examines events and the states in which they are handled.
    pub(super) fn examine(&mut self, events: impl Iterator<Item = (Interned, Trigger)>) {
        for (processor, event) in events {
            if self.examined.insert((processor, event), ()).is_none() {
                self.add(vec![StateFact::Event(processor, event)]);
            }
        }
    }

    /// The state after a message is read early; `None` if it is not silent.
    fn read(&mut self, before: Interned, message: Trigger) -> Option<Interned> {
        let after = silent_step(&mut *self.examiner, before, message)?;
        self.add(vec![StateFact::Event(before, message), StateFact::Pair(after, UnreadPair { before, message })]);
        Some(after)
    }

    fn add(&mut self, facts: Vec<StateFact>) {
        let mut pairs = self.shared.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        if pairs.add(facts, &mut *self.examiner).is_none() {
            self.shared.exceeded.store(true, Ordering::Relaxed);
        }
    }
}

impl UnreadPairs {
    /// Adds facts, and all that follow from them; `None` if the condition does not hold.
    fn add(&mut self, mut facts: Vec<StateFact>, program: &mut dyn Program) -> Option<()> {
        while let Some(fact) = facts.pop() {
            match fact {
                StateFact::Pair(after, pair) => {
                    let pairs = self.pairs.entry(after).or_default();
                    if pairs.contains(&pair) {
                        continue;
                    }
                    pairs.push(pair);
                    note_discovery();
                    if is_urgent(pair.before, pair.message, program) {
                        return None;
                    }
                    for &event in self.events.get(&after).into_iter().flatten() {
                        commute(after, pair, event, program, &mut facts)?;
                    }
                }
                StateFact::Event(after, event) => {
                    let events = self.events.entry(after).or_default();
                    if events.contains(&event) {
                        continue;
                    }
                    events.push(event);
                    note_discovery();
                    for &pair in self.pairs.get(&after).into_iter().flatten() {
                        commute(after, pair, event, program, &mut facts)?;
                    }
                }
            }
        }
        Some(())
    }
}

/// Examines the condition for a state, a pair of it and an event that is handled in it, and adds what follows; `None`
/// if it does not hold.
fn commute(
    after: Interned,
    pair: UnreadPair,
    event: Trigger,
    program: &mut dyn Program,
    facts: &mut Vec<StateFact>,
) -> Option<()> {
    let (unread, read) = (outcomes(program, pair.before, event), outcomes(program, after, event));
    if unread.len() != read.len() || is_urgent(pair.before, event, program) {
        return None;
    }
    let is_timer =
        |effect: &ProgramEffect| matches!(effect, ProgramEffect::SetTimer(..) | ProgramEffect::CancelTimer(_));
    for (unread, read) in unread.iter().zip(&*read) {
        let (before, after) = (unread.result.processor, read.result.processor);
        let same = unread.differs_in_state_only(read) && !read.effects.iter().any(is_timer);
        if !same || silent_step(program, before, pair.message) != Some(after) {
            return None;
        }
        facts.push(StateFact::Pair(after, UnreadPair { before, ..pair }));
    }
    facts.push(StateFact::Event(pair.before, event));
    Some(())
}

fn is_urgent(processor: Interned, event: Trigger, program: &mut dyn Program) -> bool {
    matches!(event, Trigger::Receive { message, .. } if program.is_urgent(processor, message))
}

impl TimedSystem {
    /// Whether messages can be read early.
    pub(super) fn may_read_early(&self) -> bool {
        let timing = &self.timing;
        let exact = !self.program.judges_invariants() && !self.program.is_phased() && self.program.depths().is_none();
        let enabled = self.reductions.contains(Reduction::EarlyReading) && self.deferred.is_some();
        enabled && !timing.in_order && self.fault_budget.is_none() && exact
    }

    /// Reads early what has been sent in a transition: sets the local states afterwards and the batches that are left.
    /// Returns the fingerprint with these local states; `None` if nothing is read early.
    pub(super) fn read_early(&mut self, product: &mut OptionProduct, mut fingerprint: u64) -> Option<u64> {
        if self.early.is_none() || product.batch.iter().all(|&batch| batch == EMPTY) {
            return None;
        }
        product.after.clone_from(&product.local);
        product.left.clone_from(&product.batch);
        for place in 0..self.n {
            for number in self.links.in_ports(place as Place) {
                let end = self.links.in_port(number);
                let link = end.at as usize - self.n;
                if product.left[link] != EMPTY {
                    let before = product.after[place];
                    (product.after[place], product.left[link]) = self.after_batch(before, end.port, product.left[link]);
                }
            }
            let (before, after) = (product.local[place], product.after[place]);
            if before != after {
                let index = place as u32;
                fingerprint =
                    fingerprint.wrapping_sub(entry_hash(index, before)).wrapping_add(entry_hash(index, after));
            }
        }
        Some(fingerprint)
    }

    /// The local state after some messages of a batch are read early, and the batch of the others; computed when it is
    /// first needed.
    fn after_batch(&mut self, local: Interned, port: u32, batch: Interned) -> (Interned, Interned) {
        if let Some(&known) = self.early.as_ref().and_then(|early| early.known.get(&(local, port, batch))) {
            return known;
        }
        let (after, read) = self.read_batch(local, port, batch);
        let messages = self.in_flight.messages(batch).to_vec();
        let left = messages.iter().zip(read).filter(|(_, read)| !read).map(|(&message, _)| message).collect();
        let found = (after, self.in_flight.batch(left));
        if let Some(early) = &mut self.early {
            early.known.insert((local, port, batch), found);
        }
        found
    }

    /// Reads the messages of a batch early that can be. Returns the local state afterwards and, by message, whether it
    /// was read.
    fn read_batch(&mut self, local: Interned, port: u32, batch: Interned) -> (Interned, Vec<bool>) {
        let mut state = self.locals.get(local).clone();
        let ticks = 2 + (self.delay.1 - 1) / state.tick_length.0;
        let in_time = !state.timers.is_empty() && state.timers.iter().all(|&(_, left)| left >= ticks);
        let mut read = Vec::new();
        for &message in self.in_flight.messages(batch) {
            let trigger = Trigger::Receive { port, message };
            let early = self.early.as_mut().filter(|_| in_time);
            let after = early.and_then(|early| early.read(state.processor, trigger));
            if let Some(after) = after {
                // The step is taken, and recorded.
                outcomes(&mut *self.program, state.processor, trigger);
                state.processor = after;
            }
            read.push(after.is_some());
        }
        (self.locals.intern(state), read)
    }

    /// Notes which of the messages that were sent in an instant are read early. `outcomes`: by place.
    pub(super) fn note_early(&mut self, outcomes: &[u32], actions: &mut InstantActions) {
        if self.early.is_none() {
            return;
        }
        let mut batches = vec![EMPTY; self.links.count];
        for &outcome in outcomes {
            let (from, to) = self.outcomes[outcome as usize].sends;
            for &(at, batch) in &self.sends[from as usize..to as usize] {
                batches[at as usize - self.n] = batch;
            }
        }
        for (place, &outcome) in outcomes.iter().enumerate() {
            let mut local = self.outcomes[outcome as usize].local;
            for number in self.links.in_ports(place as Place) {
                let end = self.links.in_port(number);
                let link = end.at as usize - self.n;
                if batches[link] == EMPTY {
                    continue;
                }
                let read;
                (local, read) = self.read_batch(local, end.port, batches[link]);
                let sent = actions.sent.iter().enumerate().filter(|(_, sent)| sent.0 == link);
                actions.early.extend(sent.zip(read).filter(|(_, read)| *read).map(|((index, _), _)| index));
            }
        }
    }
}
