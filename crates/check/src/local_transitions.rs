//! The transitions of single processors, computed once for a local state and the queue of a link, and then looked up.
//!
//! A local transition holds everything that a transition of the whole system is made of, including by how much it
//! changes the fingerprint, so that computing successors is mostly a matter of table lookups.

use ringleader_model::Place;

use crate::choices::ChoiceProbability;
use crate::interner::Interned;
use crate::links::{InPort, LinkTable};
use crate::memo::Memo;
use crate::passes::Passes;
use crate::port_numbering::PartialNumbering;
use crate::program::{Trigger, UserRequest};
use crate::queues::{ItemNumbering, LinkQueues};
use crate::step_cache::{CachedStep, StepCache};
use crate::transition_system::entry_hash;

/// One outcome of one event at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalTransition {
    /// The change of the fingerprint by the new local state and the received message.
    pub(crate) fingerprint_delta: u64,
    /// The local state afterwards.
    pub(crate) local: Interned,
    /// The queue without the received message; of no meaning if none is received.
    pub(crate) rest: Interned,
    /// The range of its messages in `sends`.
    pub(crate) sends: (u32, u32),
    /// They as message passes.
    pub(crate) passes: Passes,
    /// Its reports; [`NO_REPORTS`](crate::step_cache::NO_REPORTS) if there are none.
    pub(crate) reports: Interned,
    /// Of its random choices.
    pub(crate) probability: ChoiceProbability,
    /// The obligation that it discharges; [`NOTHING`] if the event is optional.
    pub(crate) obligation: u32,
    /// Two of the links that it changes may be the same.
    pub(crate) shares_link: bool,
    /// A timer fires, which a half-duplex link may prevent.
    pub(crate) timeout: bool,
    /// The last outcome of its event.
    pub(crate) ends_action: bool,
    /// The last of a group, which is looked up together.
    pub(crate) ends_group: bool,
}

/// No obligation; no local transition.
pub(crate) const NOTHING: u32 = u32::MAX;

/// All local transitions computed so far.
pub(crate) struct LocalTransitions {
    /// By local state and place: the first transition that receives no message.
    own: Memo,
    /// By local state: the last lookup in `own`, as place and result. A cache of one entry is enough where no two
    /// places have the same local states, as with identities.
    recent: Vec<(Place, u32)>,
    /// By local state and place: the first transition by which it restarts.
    restarts: Memo,
    /// By in-port: by local state and queue, the first transition that receives a message.
    arrivals: Vec<Memo>,
    all: Vec<LocalTransition>,
    /// The index of the link, and the item for its queue.
    sends: Vec<(u32, Interned)>,
    /// By transition.
    causes: Vec<LocalCause>,
}

/// The event and the outcome of a local transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalCause {
    pub(crate) place: Place,
    pub(crate) trigger: Trigger,
    pub(crate) outcome: u32,
    /// The rank of the sender of the received message; [`NOTHING`] if there is none.
    pub(crate) rank: u32,
    /// The local state afterwards, before its ports are renamed.
    pub(crate) learnt: Interned,
}

/// The message that an event receives: the link, its queue, the rest of the queue, and the rank of the sender.
type Consumed = (u32, Interned, Interned, u32);

/// The tables that local transitions are computed from.
pub(crate) struct TransitionSources<'a> {
    pub(crate) steps: &'a mut StepCache,
    pub(crate) queues: &'a mut LinkQueues,
    pub(crate) links: &'a LinkTable,
    pub(crate) fairness: FairnessIds,
}

/// Obligations under weak fairness, by number: a user in the critical region by its place, a link that carries messages
/// by its index in the state vector; from the length of the vector on, wake-ups, then alternately timers and, where
/// links do not keep the order, messages. A timer that is set again while it runs is the same obligation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FairnessIds {
    pub(crate) n: u32,
    pub(crate) links: u32,
    /// The length of a state vector.
    pub(crate) width: u32,
    /// Wake-ups are optional.
    pub(crate) wakes_are_optional: bool,
    pub(crate) half_duplex: bool,
    pub(crate) numbering: ItemNumbering,
    /// Links do not keep the order of messages.
    pub(crate) unordered: bool,
    /// Links carry messages in both directions at a time, in one entry of the state vector.
    pub(crate) both_directions: bool,
    /// States are equivalent up to rotation, and so obligations of all places share their numbers.
    pub(crate) rotation: bool,
}

impl FairnessIds {
    fn wake(self, place: Place) -> u32 {
        if self.wakes_are_optional { NOTHING } else { self.width + self.place(place) }
    }

    fn timer(self, place: Place, timer: Interned) -> u32 {
        self.width + self.n + 2 * (timer * self.n + self.place(place))
    }

    fn call(self, place: Place, request: UserRequest) -> u32 {
        if request == UserRequest::Release { self.place(place) } else { NOTHING }
    }

    /// If links keep the order, the first message of a link must be delivered, or the first of each direction; otherwise each
    /// of its messages.
    pub(crate) fn message(self, at: u32, item: Interned) -> u32 {
        let link = if self.rotation { (at - self.n) % (self.links / self.n) } else { at - self.n };
        let part = match (self.unordered, self.both_directions) {
            (true, _) => item,
            (false, true) => item % 2,
            (false, false) => return self.n + link,
        };
        self.width + self.n + 2 * (part * self.links + link) + 1
    }

    fn place(self, place: Place) -> Place {
        if self.rotation { 0 } else { place }
    }

    /// The message of an item, if it travels in this direction.
    pub(crate) fn message_of(self, item: Interned, direction: u32) -> Option<Interned> {
        self.numbering.message_of(item, direction)
    }
}

impl LocalTransitions {
    /// Without transitions. `in_ports`: the number of in-ports of the network.
    pub(crate) fn new(in_ports: usize) -> Self {
        Self {
            own: Memo::new(),
            restarts: Memo::new(),
            recent: Vec::new(),
            arrivals: (0..in_ports).map(|_| Memo::new()).collect(),
            all: Vec::new(),
            sends: Vec::new(),
            causes: Vec::new(),
        }
    }

    /// The first transition of a place that receives no message, if it was computed.
    #[inline]
    pub(crate) fn own(&mut self, place: Place, local: Interned) -> Option<u32> {
        match self.recent.get(local as usize) {
            Some(&(last, first)) if last == place => Some(first),
            _ => self.own_elsewhere(place, local),
        }
    }

    fn own_elsewhere(&mut self, place: Place, local: Interned) -> Option<u32> {
        let first = self.own.get(local, place)?;
        if self.recent.len() <= local as usize {
            self.recent.resize(local as usize + 1, (NOTHING, NOTHING));
        }
        self.recent[local as usize] = (place, first);
        Some(first)
    }

    /// The first transition that receives a message by an in-port, if it was computed.
    #[inline]
    pub(crate) fn arrival(&self, in_port: usize, local: Interned, queue: Interned) -> Option<u32> {
        self.arrivals[in_port].get(local, queue)
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &LocalTransition {
        &self.all[index as usize]
    }

    /// A message sent: the index of the link, and the item for its queue.
    #[inline]
    pub(crate) fn send(&self, index: u32) -> (u32, Interned) {
        self.sends[index as usize]
    }

    /// The messages that a transition sends.
    #[inline]
    pub(crate) fn sends(&self, transition: &LocalTransition) -> &[(u32, Interned)] {
        &self.sends[transition.sends.0 as usize..transition.sends.1 as usize]
    }

    /// The event and the outcome of a transition.
    pub(crate) fn cause(&self, index: u32) -> LocalCause {
        self.causes[index as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = size_of_val(&*self.recent)
            + size_of_val(&*self.all)
            + size_of_val(&*self.sends)
            + size_of_val(&*self.causes);
        self.own.bytes() + self.restarts.bytes() + self.arrivals.iter().map(Memo::bytes).sum::<usize>() + lists
    }

    /// Computes the transitions of a place that receive no message: timers, wake-up, requests.
    #[cold]
    pub(crate) fn compute_own(&mut self, sources: &mut TransitionSources<'_>, place: Place, local: Interned) -> u32 {
        let first = self.all.len();
        let summary = sources.steps.summary(local);
        for index in 0..summary.timers {
            let timer = sources.steps.timer(summary, index);
            let obligation = sources.fairness.timer(place, timer);
            self.add(sources, (place, local, local), Trigger::Timeout(timer), None, obligation);
        }
        if summary.asleep {
            self.add(sources, (place, local, local), Trigger::Wake, None, sources.fairness.wake(place));
        }
        for request in UserRequest::ALL.into_iter().filter(|&request| summary.may(request)) {
            let obligation = sources.fairness.call(place, request);
            self.add(sources, (place, local, local), Trigger::Call(request), None, obligation);
        }
        let first = self.end(first);
        self.own.insert(local, place, first);
        first
    }

    /// The transitions by which a processor restarts, from this initial state, and wakes up.
    pub(crate) fn restarts(
        &mut self,
        sources: &mut TransitionSources<'_>,
        place: Place,
        local: Interned,
        newborn: Interned,
    ) -> u32 {
        if let Some(first) = self.restarts.get(local, place) {
            return first;
        }
        let first = self.all.len();
        self.add(sources, (place, local, local), Trigger::Restart { newborn }, None, NOTHING);
        let first = self.end(first);
        self.restarts.insert(local, place, first);
        first
    }

    /// Computes the transitions that receive a message by an in-port.
    #[cold]
    pub(crate) fn compute_arrivals(
        &mut self,
        sources: &mut TransitionSources<'_>,
        place: Place,
        in_port: usize,
        (local, queue): (Interned, Interned),
    ) -> u32 {
        let first = self.all.len();
        let InPort { at, direction, port } = sources.links.in_port(in_port);
        for next in sources.queues.heads(queue) {
            let (item, rest) = sources.queues.head(next);
            if let Some(message) = sources.fairness.message_of(item, direction) {
                let obligation = sources.fairness.message(at, item);
                for (chosen, by) in sources.steps.receipts(local, port, message) {
                    let trigger = Trigger::Receive { port: by, message };
                    let consumed = Some((at, queue, rest, port));
                    self.add(sources, (place, local, chosen), trigger, consumed, obligation);
                }
            }
        }
        let first = self.end(first);
        self.arrivals[in_port].insert(local, queue, first);
        first
    }

    /// Completes a group of transitions, which begins at `first`.
    fn end(&mut self, first: usize) -> u32 {
        if first == self.all.len() {
            return NOTHING;
        }
        self.all.last_mut().expect("it is not empty").ends_group = true;
        first as u32
    }

    /// Adds the outcomes of one event at a place, from its local state to one after `chosen`, the local state with the
    /// port of the received message chosen: an action for each way to choose the ports by which messages are sent.
    fn add(
        &mut self,
        sources: &mut TransitionSources<'_>,
        (place, local, chosen): (Place, Interned, Interned),
        trigger: Trigger,
        consumed: Option<Consumed>,
        obligation: u32,
    ) {
        let first = sources.steps.first(chosen, trigger);
        let numbering = sources.steps.numbering(chosen).expect("a crashed processor takes no steps");
        let mut steps: Vec<CachedStep> = Vec::new();
        while steps.last().is_none_or(|step| !step.last) {
            steps.push(sources.steps.get(first + steps.len() as u32));
        }
        let sends: Vec<_> = steps.iter().map(|&step| sources.steps.sends(step)).collect();
        for numbering in numbering.split_by_sends(&sends) {
            for (outcome, &step) in (0..).zip(&steps) {
                let rank = consumed.map_or(NOTHING, |(.., rank)| rank);
                let cause = LocalCause { place, trigger, outcome, rank, learnt: step.local };
                self.add_outcome(sources, (local, step), &numbering, cause, (consumed, obligation));
            }
        }
    }

    /// Adds an outcome of an event, in which ports are numbered like this.
    fn add_outcome(
        &mut self,
        sources: &mut TransitionSources<'_>,
        (local, step): (Interned, CachedStep),
        numbering: &PartialNumbering,
        mut cause: LocalCause,
        (consumed, obligation): (Option<Consumed>, u32),
    ) {
        let (place, from) = (cause.place, self.sends.len());
        let mut passes = Passes::NONE;
        for index in 0..sources.steps.sends(step).len() {
            let (port, message) = sources.steps.sends(step)[index];
            let Some(out) = sources.links.out(place, numbering.neighbour(port)) else { continue };
            passes += sources.steps.program.passes(message);
            let program = &mut sources.steps.program;
            let item = sources.fairness.numbering.item(message, out.direction, || program.message_phase(message));
            self.sends.push((out.at, item));
        }
        let mut links: Vec<u32> = self.sends[from..].iter().map(|&(at, _)| at).collect();
        links.extend(consumed.map(|(at, ..)| at));
        links.sort_unstable();
        let mut after = step.local;
        if !numbering.is_fixed() {
            cause.learnt = sources.steps.with_numbering(step.local, numbering.clone());
            after = sources.steps.renamed(cause.learnt);
        }
        let mut fingerprint_delta = entry_hash(place, after).wrapping_sub(entry_hash(place, local));
        if let Some((at, before, rest, _)) = consumed {
            fingerprint_delta =
                fingerprint_delta.wrapping_add(entry_hash(at, rest)).wrapping_sub(entry_hash(at, before));
        }
        self.all.push(LocalTransition {
            fingerprint_delta,
            local: after,
            rest: consumed.map_or(0, |(_, _, rest, _)| rest),
            sends: (from as u32, self.sends.len() as u32),
            passes,
            reports: step.reports,
            probability: step.probability,
            obligation,
            shares_link: links.windows(2).any(|pair| pair[0] == pair[1]),
            timeout: matches!(cause.trigger, Trigger::Timeout(_)),
            ends_action: step.last,
            ends_group: false,
        });
        self.causes.push(cause);
    }
}
