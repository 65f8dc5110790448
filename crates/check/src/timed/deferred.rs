//! Deferred arrivals, a reduction for per-step reading: the scheduler decides at a tick which messages have arrived
//! since the last one, and in which order, instead of deciding at every instant which messages arrive.
//!
//! # Theorem
//! Let all processors wake up at the first instant, let messages take at least one unit, let no processor restart or
//! pause and no link be cut, and let no message that arrives be urgent. Consider the *observable* part of a run: by
//! instant and place, the steps of the processor in order, and the state of its clock, timers and user. The runs with
//! deferred arrivals have the same observable parts as all runs, and so the same reports, sends, discharged obligations
//! and states of the monitor, instant by instant.
//!
//! *Proof.* A message that arrives is appended to the unread ones; no processor acts on it, and its clock runs already.
//! So its arrival is not observable. A tick at T, after one at T', reads the messages that have arrived since then: at T'
//! after the tick if ties are open, at the instants between, and at T before the tick. It reads them by instant, then by
//! port, then in the order of sending. Its *arrival slots* are these instants. A message of age a at T has age a - (T -
//! t) in the slot t, which must lie in d_min..d_max. It may be left to later ticks if it can arrive at T after the tick (a
//! ≤ d_max, if ties are open), or afterwards (a < d_max). If links keep the order, slots do not decrease along a link,
//! and a message is left if the one before it is. These are all constraints, each on one period between two ticks of
//! the receiver, since a message that is left at T is constrained no more than by its age: every choice of slots at a
//! tick is that of some run, and every run chooses slots. ∎
//!
//! *Consequences.* Safety, invariants, the length of shortest counterexamples, and the most message passes are
//! functions of observable parts. So is termination if there are no random choices: a weakly fair run without progress
//! is one by its observable part. With random choices, a scheduler that defers knows the outcomes of choices between an
//! arrival and the tick. Termination under all such schedulers implies termination; a livelock may be spurious, and is
//! searched for again without this reduction ([`disable_unfair`](crate::transition_system::TransitionSystem)). The same
//! is done if a message that may arrive is urgent, which is found when it is in flight.
//!
//! # Eager ticks
//! A processor whose ticks may take one unit and that has no timer ticks whenever it can, also if one message is in
//! flight to it, provided that ties are open and the age of the message is at most d_max. Take a run in which it does not
//! tick at such an instant t, and add a tick that reads nothing. The message then arrives at t, after the tick, if it
//! had arrived by t, and otherwise when it did. It is read at the same tick as before, and in the same order: of the
//! messages read there, all others were sent at t or later and arrive after t. The rest is the
//! [proof for no message](super::local::SchedulerDecision::new).
//!
//! # Silent messages
//! A message is *silent* in a state of its receiver if handling it has no effect but on the processor's state: it sends,
//! reports, sets and draws nothing. Let a tick at T end with a silent message m: no timer fires after it, and the user
//! makes no request. Let ties be open, let the age of m be at most d_max, and let every message b that the tick leaves
//! in flight come after m in the order of ports and of sending, or be younger than d_min. Then the tick need not be
//! explored: the one that leaves m in flight, and is the same otherwise, is enough.
//!
//! *Proof.* Let m arrive at T after the tick, and be read first at the next tick. All b that arrive at T come after it,
//! since they are old enough and so come after m in the order; messages sent at T or later arrive later. The slots of all
//! other messages stay. Between the two ticks the processor does not act. So it is in the same state after m, and the
//! observable part of the run is the same, but for the state of the processor between the ticks, which nobody
//! observes. At the next tick the same may hold of m, but not beyond the age of d_max. Going through a run by instants,
//! each tick is replaced in turn. More messages are in flight than before, so that fewer ticks are eager. ∎
//!
//! A crash would lose m, which was read before, so that this is not done where faults are possible. A lasso may get
//! longer: it ends when the whole state recurs, with the state of the processor between the ticks. So a livelock is searched for
//! again without this reduction.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use ringleader_model::{Place, Port};

use super::in_flight::AgedMessage;
use super::local::{ClockState, LocalInstant, SchedulerDecision};
use super::{InstantActions, LocalCase, TimedSystem};
use crate::choices::{ChoiceLeaf, ChoicePath, paths_until};
use crate::interner::{Interned, Map, note_discovery};
use crate::reductions::Reduction;

/// What all workers have found that the reduction does not cover.
#[derive(Default)]
pub(super) struct DeferredLimits {
    /// A message is urgent.
    urgent: AtomicBool,
    /// There is a random choice between several values.
    random: AtomicBool,
}

impl DeferredLimits {
    pub(super) fn note_random(&self) {
        note(&self.random);
    }

    /// True if a result needs a search without this reduction. `livelock`: it contains a livelock.
    pub(super) fn are_exceeded(&self, livelock: bool) -> bool {
        self.urgent.load(Ordering::Relaxed) || livelock && self.random.load(Ordering::Relaxed)
    }
}

/// Sets a flag; a discovery if it was not set.
fn note(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) && !flag.swap(true, Ordering::Relaxed) {
        note_discovery();
    }
}

/// The arrival of a message that is read at a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DeferredArrival {
    /// The link, and the index among the messages in flight there.
    link: usize,
    index: usize,
    /// Units before the tick that reads it.
    before: u64,
    /// It comes after the tick of its instant.
    late: bool,
}

/// A message in flight to a place, one unit older than before the instant.
struct InFlightMessage {
    link: usize,
    index: usize,
    /// The number of the in-port at its place.
    in_port: usize,
    port: Port,
    age: u64,
    message: Interned,
}

impl TimedSystem {
    /// The cases of a place in an instant: no tick, or a tick that reads some of the messages in flight.
    pub(super) fn deferred_cases(&mut self, state: &[Interned], place: usize) -> Vec<LocalCase> {
        let messages = self.in_flight_to(state, place);
        let late = self.timing.has_open_ties();
        let longest = self.delay.1;
        let eager = self.timing.eager;
        let local = self.locals.get(state[place]);
        let (may, must) = local.tick_bounds(local.asleep);
        let elapsed = match local.clock {
            ClockState::First(units) | ClockState::Since(units) => units + 1,
            ClockState::Stopped
            | ClockState::Late
            | ClockState::Crashed
            | ClockState::Down
            | ClockState::Restarting
            | ClockState::Open(_) => 0,
        };
        let nothing_to_do = local.tick_length.0 == 1 && local.timers.is_empty() && !local.asleep;
        let at_leisure = messages.is_empty() || late && messages.len() == 1 && messages[0].age <= longest;
        let mut cases = Vec::new();
        if !(must || may && eager && nothing_to_do && at_leisure) {
            let slots = vec![None; messages.len()];
            cases.push(self.case(place, &messages, &slots, elapsed, false));
        }
        if may {
            let mut seen = Map::default();
            for slots in self.arrival_slots(&messages, elapsed) {
                let case = self.case(place, &messages, &slots, elapsed, true);
                if seen.insert((case.rest.clone(), case.messages.clone()), ()).is_none() {
                    cases.push(case);
                }
            }
        }
        cases
    }

    fn in_flight_to(&mut self, state: &[Interned], place: usize) -> Vec<InFlightMessage> {
        let mut messages = Vec::new();
        for (in_port, number) in self.links.in_ports(place as Place).enumerate() {
            let end = self.links.in_port(number);
            let (link, port) = (end.at as usize - self.n, Port(end.port));
            let contents = self.in_flight.contents(state[end.at as usize]).iter().enumerate();
            messages.extend(contents.map(|(index, &(age, message))| InFlightMessage {
                link,
                index,
                in_port,
                port,
                age: age + 1,
                message,
            }));
        }
        messages
    }

    /// All choices of arrival slots at a tick, by message; `None`: it is left to later ticks. A slot is the number of
    /// units since the last tick.
    fn arrival_slots(&self, messages: &[InFlightMessage], elapsed: u64) -> Vec<Vec<Option<u64>>> {
        let (shortest, longest) = self.delay;
        let late = self.timing.has_open_ties();
        let mut choices: Vec<Vec<Option<u64>>> = vec![Vec::new()];
        for (number, message) in messages.iter().enumerate() {
            let follows = self.timing.in_order && number > 0 && messages[number - 1].link == message.link;
            let may_stay = message.age < longest || late && message.age == longest;
            let may_arrive = |slot: u64| {
                let age = (message.age + slot).checked_sub(elapsed);
                (slot > 0 || late) && age.is_some_and(|age| (shortest..=longest).contains(&age))
            };
            let mut longer = Vec::new();
            for choice in choices {
                let previous = if follows { choice.last().copied().flatten() } else { Some(0) };
                let mut extend = |slot| longer.push([&choice[..], &[slot]].concat());
                if may_stay {
                    extend(None);
                }
                let Some(first) = previous else { continue };
                (first..=elapsed).filter(|&slot| may_arrive(slot)).for_each(|slot| extend(Some(slot)));
            }
            choices = longer;
        }
        choices
    }

    /// The case of a choice of slots.
    fn case(
        &mut self,
        place: usize,
        messages: &[InFlightMessage],
        slots: &[Option<u64>],
        elapsed: u64,
        ticks: bool,
    ) -> LocalCase {
        let mut contents: Vec<Vec<AgedMessage>> = vec![Vec::new(); self.links.in_ports(place as Place).len()];
        let mut read = Vec::new();
        for (message, slot) in messages.iter().zip(slots) {
            match slot {
                Some(slot) => read.push((*slot, message)),
                None => contents[message.in_port].push((message.age, message.message)),
            }
        }
        // The messages are in the order of ports and of sending, and the sort is stable.
        read.sort_by_key(|&(slot, _)| slot);
        let left = || messages.iter().zip(slots).filter(|(_, slot)| slot.is_none()).map(|(message, _)| message);
        let alike = |one: &(u64, &InFlightMessage), other: &(u64, &InFlightMessage)| {
            (one.0, one.1.link) == (other.0, other.1.link)
        };
        let mut together: Vec<Range<usize>> = Vec::new();
        for chunk in read.chunk_by(alike) {
            let from = together.last().map_or(0, |range| range.end);
            together.push(from..from + chunk.len());
        }
        together.retain(|range| range.len() > 1);
        let postponable = ticks && self.may_postpone(read.last().map(|&(_, message)| message), left());
        LocalCase {
            rest: contents.into_iter().map(|contents| self.in_flight.intern(contents)).collect(),
            messages: read.iter().map(|(_, message)| (message.port, message.message)).collect(),
            lost: 0,
            lossy: Vec::new(),
            arrived: Vec::new(),
            deferred: read
                .iter()
                .map(|&(slot, message)| DeferredArrival {
                    link: message.link,
                    index: message.index,
                    before: elapsed - slot,
                    late: slot == 0,
                })
                .collect(),
            ticks: Some(ticks),
            together,
            postponable,
        }
    }

    /// Whether silent messages can be read as late as possible.
    pub(super) fn postpones_silent(&self) -> bool {
        let all_read = self.early.is_none() && self.fault_budget.is_none();
        let enabled = self.reductions.contains(Reduction::SilentMessages);
        enabled && self.deferred.is_some() && self.timing.has_open_ties() && all_read
    }

    /// True if the message that is read last may instead arrive after this tick, before all that are left.
    fn may_postpone<'a>(
        &self,
        last: Option<&InFlightMessage>,
        mut left: impl Iterator<Item = &'a InFlightMessage>,
    ) -> bool {
        let (shortest, longest) = self.delay;
        let order = |message: &InFlightMessage| (message.in_port, message.index);
        last.is_some_and(|last| {
            let stays = self.postpones && last.age <= longest;
            stays && left.all(|other| order(other) > order(last) || other.age < shortest)
        })
    }

    /// All runs of one instant at a place that does or does not tick, and reads these messages.
    pub(super) fn deferred_runs(
        &mut self,
        state: &[Interned],
        place: usize,
        case: &LocalCase,
        ticks: bool,
    ) -> Vec<ChoiceLeaf<(SchedulerDecision, LocalInstant)>> {
        let in_flight: Vec<Interned> =
            self.in_flight_to(state, place).into_iter().map(|message| message.message).collect();
        let local = self.locals.get(state[place]);
        let run = |choices: &mut ChoicePath| {
            let mut decision = SchedulerDecision::wake_ups(local, self.timing, choices);
            decision.ticks = ticks;
            decision.choose_requests(local, self.timing, choices);
            let mut instant = LocalInstant::new(local.clone());
            instant.state.unread.clone_from(&case.messages);
            instant.in_flight.clone_from(&in_flight);
            instant.handled = self.early.is_some().then(Vec::new);
            instant.run(&mut *self.program, self.timing, &decision, &[], choices);
            (decision, instant)
        };
        let leaves = paths_until(run, |(_, instant)| !instant.is_done());
        if let Some(limits) = &self.deferred
            && leaves.iter().any(|leaf| leaf.result.1.urgent)
        {
            note(&limits.urgent);
        }
        if let Some(early) = &mut self.early {
            early.examine(leaves.iter().flat_map(|leaf| leaf.result.1.handled.iter().flatten().copied()));
        }
        leaves
    }

    /// Replaces deferred arrivals by arrivals at their instants. A message that is never read arrives as late as it can.
    pub(super) fn settle_arrivals(&self, instants: &mut [InstantActions]) {
        let sent = self.settled_messages(instants);
        let mut in_flight: Vec<Vec<usize>> = vec![Vec::new(); self.links.count];
        let mut next = 0;
        for (time, instant) in instants.iter_mut().enumerate() {
            let arrives = |number: &usize| sent[*number].arrival.is_some_and(|(arrival, _)| arrival == time);
            let mut late: Vec<Vec<bool>> = Vec::new();
            for (link, messages) in in_flight.iter_mut().enumerate() {
                let indices = (0..messages.len()).filter(|&index| arrives(&messages[index])).collect();
                let arriving = messages.iter().filter(|number| arrives(number));
                late.push(arriving.map(|&number| sent[number].arrival.is_some_and(|(_, late)| late)).collect());
                messages.retain(|number| !arrives(number));
                instant.arrived[link] = indices;
            }
            for (place, actions) in instant.places.iter_mut().enumerate() {
                if actions.ticks && self.timing.has_open_ties() {
                    let ends = self.links.in_ports(place as Place).map(|number| self.links.in_port(number));
                    actions.ties = ends.flat_map(|end| late[end.at as usize - self.n].iter().copied()).collect();
                }
            }
            for &(link, _) in &instant.sent {
                in_flight[link].push(next);
                next += 1;
            }
        }
    }

    /// The messages of a run, in the order of sending.
    fn settled_messages(&self, instants: &[InstantActions]) -> Vec<SettledMessage> {
        let mut sent: Vec<SettledMessage> = Vec::new();
        let mut in_flight: Vec<Vec<usize>> = vec![Vec::new(); self.links.count];
        let mut read_early = in_flight.clone();
        for (time, instant) in instants.iter().enumerate() {
            let mut deferred = instant.deferred.clone();
            deferred.sort_by_key(|arrival| core::cmp::Reverse(arrival.index));
            for DeferredArrival { link, index, before, late } in deferred {
                let number = in_flight[link].remove(index);
                sent[number].arrival = Some((time - before as usize, late));
            }
            for (index, &(link, _)) in instant.sent.iter().enumerate() {
                // Who reads a message early stands for who reads it when it arrives.
                let list = if instant.early.contains(&index) { &mut read_early } else { &mut in_flight };
                list[link].push(sent.len());
                sent.push(SettledMessage { time, arrival: None });
            }
        }
        for (link, messages) in in_flight.into_iter().chain(read_early).enumerate() {
            let receiver = self.links.receiver((self.n + link % self.links.count) as u32, 0) as usize;
            for number in messages {
                let last = sent[number].time + self.delay.1 as usize;
                let ticks = instants.get(last).map(|instant| instant.places[receiver].ticks);
                sent[number].arrival = ticks.map(|ticks| (last, ticks));
            }
        }
        sent
    }
}

/// A message of a run with deferred arrivals.
struct SettledMessage {
    /// When it was sent.
    time: usize,
    /// When it arrives, and that it does so after the tick of its receiver; `None`: after the end.
    arrival: Option<(usize, bool)>,
}
