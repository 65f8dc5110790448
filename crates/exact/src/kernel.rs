//! One run after another on a small ring with unit delays: a FIFO queue.
//!
//! The messages of one link arrive in the order in which they are sent, and one unit of time later. So they are kept in one
//! ring buffer by port, and all messages for port 0 of an instant are delivered before those for port 1. To each processor
//! that is the order of the simulator (by port, then by order on the link); steps of different processors at one instant are
//! independent. Timers of 0 ticks fire at the end of the instant, by place, as in the simulator.
//!
//! The same source is compiled for a GPU. There registers are fast and memory is not, so that everything in a run which is no
//! array is apart from the arrays ([`RunProgress`]), nothing is cleared between runs, and one loop delivers one message after
//! another, whatever their instants and ports, so that neighbouring threads stay together.

use core::mem;

use ringleader_model::{
    Effects, Event, Id, Inspect, Message, Milestone, Network, Part, Place, Port, Problem, Processor, Protocol, Report,
    Scenario, Seat, Ticks, Topology,
};

use crate::MOST;

/// The most kinds of messages of a protocol.
pub const KINDS: usize = 8;

/// The ports of a processor on a ring.
const PORTS: usize = 2;
/// A run with more deliveries than this is taken for one that does not end. With all messages in flight besides, a count of
/// messages has at most 16 bits.
const MOST_DELIVERIES: u32 = 60_000;

/// Why this kernel cannot run a protocol on some order: the simulator can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsuited {
    /// It is not on a ring of at most [`MOST`], or has more than [`KINDS`] kinds of messages.
    Network,
    /// It sets a timer that is not of 0 ticks, or several at once.
    Timer,
    /// It makes random choices.
    Random,
    /// There are too many messages in flight.
    Crowded,
    /// The run does not seem to end.
    Endless,
}

/// The cost of a run, and whether it elected one leader on whom all agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunCounts {
    /// Message passes by kind, in the order of [`Message::KINDS`].
    pub by_kind: [u32; KINDS],
    /// Bits passed.
    pub bits: u64,
    /// The time of the last step.
    pub time: u64,
    /// The time of the first election.
    pub time_elected: Option<u64>,
    /// The highest phase; `None` where there are none.
    pub phases: Option<u32>,
    /// The processor that was elected first, and its identity.
    pub leader: Option<(Place, Option<Id>)>,
    /// Whether all processors decided for the same leader.
    pub agreed: bool,
}

/// A kernel, its type erased: one call is one run.
pub trait KernelRun {
    /// Exchanges left and right at these places of a bidirectional ring, a bit each, from now on.
    fn orient(&mut self, exchanged: u32);
    /// Runs the election of these identities, clockwise, from the wake-up of these places, a bit each.
    ///
    /// # Errors
    /// If only the simulator can do it.
    fn run(&mut self, ids: &[u8], wakes: u32) -> Result<RunCounts, Unsuited>;
}

/// A kernel with room for 64 messages in flight towards ports of one number.
pub type Kernel<P> = RingKernel<P, 64>;

/// Runs elections of one protocol on rings of one size. `ROOM`, a power of two up to 1024, is the number of messages that can
/// be in flight towards ports of one number.
pub struct RingKernel<P: Protocol, const ROOM: usize> {
    protocol: P,
    n: usize,
    /// By place and port, where messages go.
    routes: [[Route; PORTS]; MOST],
    arrays: Arrays<P, ROOM>,
}

/// Where a port leads: a place, and the port by which messages come in there.
#[derive(Clone, Copy, Default)]
struct Route {
    to: u8,
    entry: u8,
}

type KernelMessage<P> = <<P as Protocol>::Processor as Processor>::Message;
type KernelTimer<P> = <<P as Protocol>::Processor as Processor>::Timer;
/// Messages with their receivers, by port and position.
type FlightBuffers<P, const ROOM: usize> = [[Option<(u8, KernelMessage<P>)>; ROOM]; PORTS];

/// What is found by its place, or by its position in a buffer.
struct Arrays<P: Protocol, const ROOM: usize> {
    states: [P::Processor; MOST],
    /// By the port that they come in by: the messages in flight with their receivers, first in, first out.
    flight: FlightBuffers<P, ROOM>,
    /// By place, its timer of 0 ticks.
    timers: [Option<KernelTimer<P>>; MOST],
}

/// Everything else that a run changes.
struct RunProgress {
    /// By port, messages taken out of its buffer so far, and put into it. Only [`pick`] reads them and [`add_one`] writes them:
    /// an index that is not constant would keep all of this out of registers.
    taken: [u32; PORTS],
    put: [u32; PORTS],
    /// The places whose timers are pending, a bit each.
    pending: u32,
    now: u32,
    /// Message passes by kind, 16 bits each.
    by_kind: [u64; 2],
    bits: u64,
    time_elected: Option<u32>,
    phases: Option<u32>,
    leader: Option<(Place, Option<Id>)>,
    /// The places that have decided, a bit each.
    decided: u32,
    /// Whether two decisions differ.
    disagree: bool,
    elected: Option<Option<Id>>,
    unsuited: Option<Unsuited>,
}

impl RunProgress {
    const NEW: Self = Self {
        taken: [0; PORTS],
        put: [0; PORTS],
        pending: 0,
        now: 0,
        by_kind: [0; 2],
        bits: 0,
        time_elected: None,
        phases: None,
        leader: None,
        decided: 0,
        disagree: false,
        elected: None,
        unsuited: None,
    };

    fn counts(&self, all: u32) -> RunCounts {
        RunCounts {
            by_kind: core::array::from_fn(|kind| (self.by_kind[kind / 4] >> (kind % 4 * 16)) as u32 & 0xffff),
            bits: self.bits,
            time: self.now.into(),
            time_elected: self.time_elected.map(u64::from),
            phases: self.phases,
            leader: self.leader,
            agreed: !self.disagree && self.decided == all,
        }
    }

    /// The number of messages that wait at a port, of those before `end`.
    #[inline(always)]
    fn arriving(&self, end: [u32; PORTS]) -> u32 {
        end[0].wrapping_sub(self.taken[0]) + end[1].wrapping_sub(self.taken[1])
    }
}

#[inline(always)]
fn pick(of: [u32; PORTS], port: usize) -> u32 {
    if port == 0 { of[0] } else { of[1] }
}

#[inline(always)]
fn add_one(to: &mut [u32; PORTS], port: usize) {
    if port == 0 {
        to[0] = to[0].wrapping_add(1);
    } else {
        to[1] = to[1].wrapping_add(1);
    }
}

impl<P: Protocol, const ROOM: usize> RingKernel<P, ROOM> {
    /// For `n` processors of a protocol, all with the same orientation.
    ///
    /// # Errors
    /// If the protocol is not for small rings.
    pub fn new(protocol: P, n: usize) -> Result<Self, Unsuited> {
        const { assert!(ROOM.is_power_of_two() && ROOM <= 1024, "a position is a number modulo the room") };
        let kinds = KernelMessage::<P>::KINDS.len();
        if P::Network::TOPOLOGY == Topology::Complete || n == 0 || n > MOST || kinds > KINDS {
            return Err(Unsuited::Network);
        }
        let seat = Self::seat(1);
        let mut kernel = Self {
            n,
            routes: [[Route::default(); PORTS]; MOST],
            arrays: Arrays {
                states: core::array::from_fn(|_| protocol.processor(seat)),
                flight: [const { [const { None }; ROOM] }; PORTS],
                timers: [const { None }; MOST],
            },
            protocol,
        };
        kernel.orient(0);
        Ok(kernel)
    }

    const fn ports() -> u32 {
        match P::Network::TOPOLOGY {
            Topology::BidirectionalRing => 2,
            Topology::Ring | Topology::Complete => 1,
        }
    }

    fn seat(id: u8) -> Seat {
        Seat { id: Some(Id::new(id.into())), role: 0, ports: Self::ports() }
    }

    /// The places of a set, in order.
    #[inline(always)]
    fn places(mut set: u32) -> impl Iterator<Item = usize> {
        core::iter::from_fn(move || {
            let place = set.trailing_zeros() as usize;
            set &= set.wrapping_sub(1);
            (place < MOST).then_some(place)
        })
    }

    // Steps are long, and there are three kinds of events. On a GPU a call would put everything into memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[cfg_attr(not(target_arch = "nvptx64"), inline(never))]
    fn step(&mut self, progress: &mut RunProgress, place: usize, event: Event<P::Processor>) {
        let Arrays { states, flight, timers } = &mut self.arrays;
        let state = &mut states[place % MOST];
        let routes = &self.routes[place % MOST];
        let timer = &mut timers[place % MOST];
        let mut fx = KernelEffects::<P, ROOM> { progress, flight, timer, routes, place };
        state.step(&self.protocol, event, &mut fx);
        if P::Processor::PHASED {
            progress.phases = progress.phases.max(Some(state.phase()));
        }
    }

    /// Fires the timers of this instant, until none is set.
    #[inline]
    fn fire_timers(&mut self, progress: &mut RunProgress) {
        let mut passes = 0;
        while progress.pending != 0 && progress.unsuited.is_none() {
            for place in Self::places(mem::take(&mut progress.pending)) {
                if let Some(timer) = self.arrays.timers[place].take() {
                    self.step(progress, place, Event::Timeout(timer));
                }
            }
            passes += 1;
            if passes > MOST_DELIVERIES {
                progress.unsuited = Some(Unsuited::Endless);
            }
        }
    }

    /// Delivers the messages of one instant after another.
    #[inline]
    fn deliver_all(&mut self, progress: &mut RunProgress) -> Result<(), Unsuited> {
        let ports = Self::ports() as usize;
        // The instant of the wake-ups is over: nothing arrives at it.
        let (mut end, mut port, mut deliveries) = (progress.taken, ports - 1, 0);
        loop {
            while pick(progress.taken, port) == pick(end, port) {
                port += 1;
                if port < ports {
                    continue;
                }
                self.fire_timers(progress);
                (end, port) = (progress.put, 0);
                let all = progress.arriving(end);
                if all == 0 || progress.unsuited.is_some() {
                    return progress.unsuited.map_or(Ok(()), Err);
                }
                progress.now += 1;
                deliveries += all;
                if deliveries > MOST_DELIVERIES {
                    return Err(Unsuited::Endless);
                }
            }
            let position = pick(progress.taken, port) as usize % ROOM;
            add_one(&mut progress.taken, port);
            // Field by field: one wide load of what was just stored in parts would wait for the stores.
            if let Some((to, message)) = &self.arrays.flight[port][position] {
                let (to, message) = (*to, message.clone());
                self.step(progress, to.into(), Event::Receive(Port(port as u32), message));
            }
        }
    }
}

impl<P: Protocol, const ROOM: usize> KernelRun for RingKernel<P, ROOM> {
    fn orient(&mut self, exchanged: u32) {
        let network = P::Network::new(&Scenario { n: self.n, ..Scenario::default() });
        let is_exchanged = |place: usize| (exchanged >> place & 1) as u8;
        for place in 0..self.n {
            for port in 0..Self::ports() {
                let (to, entry) = network.route(place as Place, Port(port));
                let entry = P::Network::port(entry).0 as u8;
                // Who exchanges left and right has the other name for both ports, the one in and the one out.
                let (own, entry) = match P::Network::TOPOLOGY {
                    Topology::BidirectionalRing => {
                        (port as u8 ^ is_exchanged(place), entry ^ is_exchanged(to as usize))
                    }
                    Topology::Ring | Topology::Complete => (port as u8, entry),
                };
                self.routes[place][own as usize % PORTS] = Route { to: to as u8, entry };
            }
        }
    }

    #[inline]
    fn run(&mut self, ids: &[u8], wakes: u32) -> Result<RunCounts, Unsuited> {
        assert_eq!(ids.len(), self.n, "there is one identity for each processor");
        for (state, &id) in self.arrays.states.iter_mut().zip(ids) {
            *state = self.protocol.processor(Self::seat(id));
        }
        let mut progress = RunProgress::NEW;
        let all = (1u32 << self.n) - 1;
        for place in Self::places(wakes & all) {
            self.step(&mut progress, place, Event::Wake);
        }
        let ended = self.deliver_all(&mut progress);
        if ended.is_err() {
            // A run that is broken off may leave timers.
            self.arrays.timers = [const { None }; MOST];
        }
        ended.map(|()| progress.counts(all))
    }
}

/// The effects of a step.
struct KernelEffects<'a, P: Protocol, const ROOM: usize> {
    progress: &'a mut RunProgress,
    flight: &'a mut FlightBuffers<P, ROOM>,
    /// Of the place.
    timer: &'a mut Option<KernelTimer<P>>,
    routes: &'a [Route; PORTS],
    place: usize,
}

impl<P: Protocol, const ROOM: usize> Effects<P::Processor> for KernelEffects<'_, P, ROOM> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: KernelMessage<P>) {
        let ports = Kernel::<P>::ports();
        port.assert_below(ports);
        let progress = &mut *self.progress;
        let kind = message.kind() % KINDS;
        let lane = 1 << (kind % 4 * 16);
        if kind < 4 {
            progress.by_kind[0] += lane;
        } else {
            progress.by_kind[1] += lane;
        }
        progress.bits += message.bits();
        let Route { to, entry } = self.routes[port.0 as usize % PORTS];
        let entry = if ports == 1 { 0 } else { entry as usize % PORTS };
        let put = pick(progress.put, entry);
        self.flight[entry][put as usize % ROOM] = Some((to, message));
        if put.wrapping_sub(pick(progress.taken, entry)) >= ROOM as u32 {
            progress.unsuited = Some(Unsuited::Crowded);
        }
        add_one(&mut progress.put, entry);
    }

    fn set_timer(&mut self, timer: KernelTimer<P>, after: Ticks) {
        if after != Ticks::ZERO || self.timer.as_ref().is_some_and(|other| *other != timer) {
            self.progress.unsuited = Some(Unsuited::Timer);
            return;
        }
        *self.timer = Some(timer);
        self.progress.pending |= 1 << self.place;
    }

    fn cancel_timer(&mut self, timer: KernelTimer<P>) {
        // A bit without a timer means nothing.
        self.timer.take_if(|own| *own == timer);
    }

    fn choose(&mut self, _: u32) -> u32 {
        self.progress.unsuited = Some(Unsuited::Random);
        0
    }

    fn report(&mut self, report: Report<P::Processor>) {
        let progress = &mut *self.progress;
        let leader = match <P::Processor as Processor>::Problem::milestone(&report) {
            Some(Milestone::Elected { id }) => {
                progress.leader.get_or_insert((self.place as Place, id));
                progress.time_elected.get_or_insert(progress.now);
                id
            }
            Some(Milestone::Inaugurates) => {
                progress.time_elected.get_or_insert(progress.now);
                return;
            }
            Some(Milestone::Follows { id }) => id,
            _ => return,
        };
        progress.disagree |= *progress.elected.get_or_insert(leader) != leader;
        progress.decided |= 1 << self.place;
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }
}

impl RunCounts {
    /// Message passes of a part of the run, with these kinds of messages.
    pub fn part(&self, kinds: &[ringleader_model::Kind], part: Part) -> u64 {
        let of_part = kinds.iter().zip(self.by_kind).filter(|(kind, _)| kind.part == part);
        of_part.map(|(_, passes)| u64::from(passes)).sum()
    }

    /// All message passes.
    pub fn messages(&self) -> u64 {
        self.by_kind.iter().map(|&passes| u64::from(passes)).sum()
    }
}
