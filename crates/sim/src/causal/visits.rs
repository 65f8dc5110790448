//! Segments whose places have [events of their own](super::own_events): one place after the other is visited with the messages
//! that arrive there, and with a promise about those that follow.

use alloc::vec::Vec;
use core::mem;

use ringleader_model::{Effects, Event, Inspect, Place, Port, Processor, Protocol, Report, Ticks, Time};

use super::links::{LinkDelays, SegmentLinks};
use super::own_events::{OwnEvent, OwnEvents, QuietBlock};
use super::segment::{BLOCK, Segment, SegmentAccount, Transit, TransitOf};
use crate::clock::ASLEEP;
use crate::engine_state::{MessageOf, TimerOf};
use crate::instrumentation::{CausalDepth, Instrumentation, MessageTag};

/// The messages that are taken through a block at a time: they stay in the cache.
const CHUNK: usize = 256;
/// No promise is later.
const LATEST_PROMISE: Time = ASLEEP - 1;

impl<P: Protocol, D: Instrumentation> Segment<P, D> {
    /// Nothing that follows the batch which has come through arrives earlier.
    pub(super) fn promise(&self) -> Time {
        self.own.as_ref().map_or(0, |own| own.promise)
    }

    /// The time before which nothing happens in it, by itself or since its batch brings it; [`ASLEEP`] if nothing ever does.
    pub(super) fn next_event(&self) -> Time {
        let own = self.own.as_ref().map_or(ASLEEP, |own| own.next);
        self.entering.first_arrival().unwrap_or(ASLEEP).min(own)
    }

    /// Whether something has happened that only time order gets right.
    pub(super) fn is_disputed(&self) -> bool {
        self.own.as_ref().is_some_and(|own| own.disputed)
    }

    /// Nothing that follows the batch which has entered arrives earlier.
    pub(super) fn trust(&mut self, promise: Time) {
        if let Some(own) = &mut self.own {
            (own.promise, own.next) = (promise.min(LATEST_PROMISE), ASLEEP);
        }
    }

    /// [Advances](Self::advance), where places have events of their own. Apart from the other code, which is faster alone.
    #[inline(never)]
    pub(super) fn advance_with_own(&mut self, own: &mut OwnEvents<P, D>, enough: u64) -> bool {
        let blocks = self.states.len().div_ceil(BLOCK);
        if self.awake == 0 {
            (self.awake, own.next) = (blocks, ASLEEP);
            own.begin(self.account.limit);
        }
        while self.block < blocks {
            if self.entering.is_empty()
                && let Some(promise) = own.passes(self.block, self.links.shortest())
            {
                own.promise = promise;
                self.block += 1;
                continue;
            }
            if !self.take_through_visits(own, enough) {
                return false;
            }
            self.entering.0.clear();
            self.taken = 0;
            mem::swap(&mut self.entering, &mut self.leaving);
            self.block += 1;
            if self.account.deliveries >= enough && self.block < blocks {
                return false;
            }
        }
        true
    }

    /// Takes the batch through a block, a chunk after the other.
    fn take_through_visits(&mut self, own: &mut OwnEvents<P, D>, enough: u64) -> bool {
        let start = self.block * BLOCK;
        let end = (start + BLOCK).min(self.states.len());
        loop {
            let left = &self.entering.0[self.taken..];
            let (chunk, later) = left.split_at(left.len().min(CHUNK));
            own.flow[0].extend_from_slice(chunk);
            self.taken += chunk.len();
            let following = later.first().map(|transit| transit.at);
            let promise = self.visit_block(own, (start, end), following.unwrap_or(own.promise));
            self.leaving.0.append(&mut own.flow[0]);
            if following.is_none() {
                own.promise = promise;
                own.next = own.next.min(own.quiet[self.block].own);
                own.quiet[self.block].passage =
                    (end - start) as u64 * (own.least_reaction(start..end) + self.links.shortest());
                return true;
            }
            if self.account.deliveries >= enough {
                return false;
            }
        }
    }

    /// Takes a chunk of messages through a block: place by place, with all that happens before `promise`. The result is the
    /// promise about what follows it behind the block.
    fn visit_block(&mut self, own: &mut OwnEvents<P, D>, (start, end): (usize, usize), mut promise: Time) -> Time {
        let mut flow = mem::take(&mut own.flow);
        let mut quiet = QuietBlock { due: ASLEEP, own: ASLEEP, passage: 0 };
        for place in start..end {
            let [arriving, sent] = &mut flow;
            if !arriving.is_empty() || own.due[place] <= promise {
                let mut visit = Visit { segment: self, own, sent, place, now: 0, on_arrival: false };
                visit.all(arriving, promise);
                arriving.clear();
                flow.swap(0, 1);
            }
            let (next, sends) = own.silent_until(place, promise);
            promise = self.links.earliest(sends, place).min(LATEST_PROMISE);
            (quiet.due, quiet.own) = (quiet.due.min(own.due[place]), quiet.own.min(next));
        }
        own.visits += (end - start) as u64;
        (own.flow, own.quiet[self.block]) = (flow, quiet);
        promise
    }
}

impl<P: Protocol, D: Instrumentation> OwnEvents<P, D> {
    /// Skips a block which no message enters: the promise behind it, if the one in front of it lets nothing happen there.
    fn passes(&mut self, block: usize, shortest: u64) -> Option<Time> {
        let quiet = self.quiet[block];
        let promise = self.promise.saturating_add(quiet.passage);
        // The most that it can grow is not known exactly, where lengths and delays differ: better look.
        if quiet.due <= promise.saturating_add(quiet.passage) {
            return None;
        }
        self.visits += 1;
        self.next = self.next.min(quiet.own);
        Some(promise.min(quiet.own.saturating_add(shortest)).min(LATEST_PROMISE))
    }
}

/// A visit of a place, which collects what it sends.
struct Visit<'a, P: Protocol, D: Instrumentation> {
    segment: &'a mut Segment<P, D>,
    own: &'a mut OwnEvents<P, D>,
    sent: &'a mut Vec<TransitOf<P, D>>,
    place: usize,
    now: Time,
    /// Whether a processor that was awake receives a message on arrival.
    on_arrival: bool,
}

impl<P: Protocol, D: Instrumentation> Visit<'_, P, D> {
    /// Executes all that happens before what arrives from `promise` on.
    fn all(&mut self, arriving: &[TransitOf<P, D>], promise: Time) {
        let limit = self.segment.account.limit;
        for transit in arriving {
            if transit.at > limit {
                // All that is behind it is later still.
                self.segment.account.leave_out(transit.at);
                break;
            }
            self.own_events(transit.at);
            self.arrival(transit.clone());
        }
        self.own_events(promise);
    }

    fn own_events(&mut self, before: Time) {
        while self.own.due[self.place] <= before {
            let limit = self.segment.account.limit;
            let (now, event) = self.own.take(self.place, limit);
            self.now = now;
            match event {
                OwnEvent::Wake => self.wake(),
                OwnEvent::Read => self.read(),
                OwnEvent::Timeout(timer) => self.step(Event::Timeout(timer), 0),
            }
            self.own.settle(self.place, limit);
        }
    }

    fn wake(&mut self) {
        self.own.start_clock(self.place, self.now);
        if !self.own.voids {
            return self.step(Event::Wake, 0);
        }
        let (place, account) = (self.place, &self.segment.account);
        let (state, checkpoint, time) = (self.segment.states[place].clone(), account.checkpoint(place), account.time);
        self.step(Event::Wake, 0);
        if state == self.segment.states[place] && self.segment.account.undo_if_void(place, &checkpoint) {
            self.segment.account.time = time;
        }
    }

    fn read(&mut self) {
        for _ in 0..self.own.to_read(self.place) {
            let queued = self.own.read_next(self.place);
            self.step(Event::Receive(queued.port, queued.message), queued.tag.depth());
        }
        let account = &mut self.segment.account;
        self.own.read_on(self.place, self.now, |at| account.leave_out_if_late(at));
    }

    fn arrival(&mut self, transit: TransitOf<P, D>) {
        let place = self.place;
        let Segment { protocol, states, account, .. } = &mut *self.segment;
        account.deliveries += 1;
        let urgent = |message: &MessageOf<P>| states[place].urgent(protocol, message);
        self.now = transit.at;
        if let Some(transit) = self.own.enqueue(place, transit, urgent, |at| account.leave_out_if_late(at)) {
            self.on_arrival = self.own.start_clock(place, transit.at);
            self.step(Event::Receive(Port(0), transit.message), transit.depth.get());
            self.on_arrival = false;
        }
        self.own.settle(place, self.segment.account.limit);
    }

    /// Takes a step. `depth`: of the message that it receives.
    #[inline(never)]
    fn step(&mut self, event: Event<P::Processor>, depth: u64) {
        let Self { segment, own, sent, place, now, on_arrival } = self;
        let Segment { protocol, states, account, links, .. } = &mut **segment;
        let depth = if D::FULL { account.begin_step(*place, *now, &event, depth) } else { 0 };
        account.time = account.time.max(*now);
        let mut fx =
            VisitEffects { account, links, own, sent, place: *place, now: *now, depth, on_arrival: *on_arrival };
        states[*place].step(protocol, event, &mut fx);
        account.end_step(&states[*place]);
        if P::Processor::TIMES_PHASES && own.phase_begins.are_asked_for() {
            own.phase_begins.note_in_any_order(*place as Place, &states[*place], *now);
        }
    }
}

/// The effects of a step during a visit.
struct VisitEffects<'a, P: Protocol, D: Instrumentation> {
    account: &'a mut SegmentAccount<P, D>,
    links: &'a mut SegmentLinks,
    own: &'a mut OwnEvents<P, D>,
    sent: &'a mut Vec<TransitOf<P, D>>,
    place: usize,
    now: Time,
    depth: u64,
    on_arrival: bool,
}

impl<P: Protocol, D: Instrumentation> Effects<P::Processor> for VisitEffects<'_, P, D> {
    #[inline]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        if self.on_arrival {
            self.own.sends_on_arrival();
        }
        let depth = self.account.count_send(port, &message, self.depth + 1);
        self.sent.push(Transit { at: self.links.arrival(self.now, self.place), depth, message });
    }

    fn set_timer(&mut self, timer: TimerOf<P>, after: Ticks) {
        self.account.acts += 1;
        if let Some(at) = self.own.set_timer(self.place, self.now, timer, after) {
            self.account.leave_out_if_late(at);
        }
    }

    fn cancel_timer(&mut self, timer: TimerOf<P>) {
        self.account.acts += 1;
        self.own.cancel_timer(self.place, &timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.account.acts += 1;
        self.account.toss(self.place, bound)
    }

    fn report(&mut self, report: Report<P::Processor>) {
        self.account.report(self.place, self.now, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        self.own.elapsed(self.place, self.now)
    }

    #[inline]
    fn rule(&mut self, number: u8) {
        self.account.check_rule(number);
    }
}
