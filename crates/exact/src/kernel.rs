//! One run after another on a small ring with unit delays: a FIFO queue.
//!
//! The messages of one link arrive in the order in which they are sent, and one unit of time later. So they are kept in one
//! ring buffer by port, and all messages for port 0 of an instant are delivered before those for port 1. To each processor
//! that is the order of the simulator (by port, then by order on the link); steps of different processors at one instant are
//! independent. Timers of 0 ticks fire at the end of the instant, by place, as in the simulator.

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
/// The messages that can be in flight towards ports of one number.
const ROOM: usize = 64;
/// A run with more deliveries than this is taken for one that does not end.
const MOST_DELIVERIES: u32 = 1 << 20;

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

/// Runs elections of one protocol on rings of one size.
pub struct Kernel<P: Protocol> {
    protocol: P,
    n: usize,
    /// By place and port, where messages go.
    routes: [[Route; PORTS]; MOST],
    states: [P::Processor; MOST],
    engine: Engine<P>,
}

/// Where a port leads: a place, and the port by which messages come in there.
#[derive(Clone, Copy, Default)]
struct Route {
    to: u8,
    entry: u8,
}

type KernelMessage<P> = <<P as Protocol>::Processor as Processor>::Message;
type KernelTimer<P> = <<P as Protocol>::Processor as Processor>::Timer;

/// Everything that a step changes beside the state of its processor.
struct Engine<P: Protocol> {
    /// The messages in flight, by the port that they come in by.
    flight: [RingBuffer<KernelMessage<P>>; PORTS],
    /// By place, its timer of 0 ticks.
    timers: [Option<KernelTimer<P>>; MOST],
    /// The places whose timers are pending, a bit each.
    pending: u32,
    now: u64,
    counts: RunCounts,
    /// The places that have decided, a bit each.
    decided: u32,
    /// Whether two decisions differ.
    disagree: bool,
    elected: Option<Option<Id>>,
    unsuited: Option<Unsuited>,
}

/// Messages with their receivers, first in, first out.
struct RingBuffer<M> {
    items: [Option<(u8, M)>; ROOM],
    /// Messages taken out so far.
    taken: u32,
    /// Messages put in so far.
    put: u32,
}

impl<M: Clone> RingBuffer<M> {
    const fn new() -> Self {
        Self { items: [const { None }; ROOM], taken: 0, put: 0 }
    }

    /// Puts a message in; false if there is no room.
    #[inline(always)]
    fn push(&mut self, to: u8, message: M) -> bool {
        self.items[self.put as usize % ROOM] = Some((to, message));
        self.put = self.put.wrapping_add(1);
        self.put.wrapping_sub(self.taken) <= ROOM as u32
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(u8, M)> {
        let item = self.items[self.taken as usize % ROOM].clone();
        self.taken = self.taken.wrapping_add(1);
        item
    }
}

impl<P: Protocol> Kernel<P> {
    /// For `n` processors of a protocol, all with the same orientation.
    ///
    /// # Errors
    /// If the protocol is not for small rings.
    pub fn new(protocol: P, n: usize) -> Result<Self, Unsuited> {
        let kinds = KernelMessage::<P>::KINDS.len();
        if P::Network::TOPOLOGY == Topology::Complete || n == 0 || n > MOST || kinds > KINDS {
            return Err(Unsuited::Network);
        }
        let seat = Self::seat(1);
        let mut kernel = Self {
            n,
            routes: [[Route::default(); PORTS]; MOST],
            states: core::array::from_fn(|_| protocol.processor(seat)),
            protocol,
            engine: Engine {
                flight: [RingBuffer::new(), RingBuffer::new()],
                timers: [const { None }; MOST],
                pending: 0,
                now: 0,
                counts: RunCounts::default(),
                decided: 0,
                disagree: false,
                elected: None,
                unsuited: None,
            },
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

    fn begin(&mut self, ids: &[u8]) {
        for (state, &id) in self.states.iter_mut().zip(ids) {
            *state = self.protocol.processor(Self::seat(id));
        }
        let engine = &mut self.engine;
        for buffer in &mut engine.flight {
            buffer.taken = buffer.put;
        }
        for place in Self::places(mem::take(&mut engine.pending)) {
            engine.timers[place] = None;
        }
        (engine.now, engine.counts, engine.decided) = (0, RunCounts::default(), 0);
        (engine.disagree, engine.elected, engine.unsuited) = (false, None, None);
    }

    // Not inlined: steps are long, and there are three kinds of events.
    #[inline(never)]
    fn step(&mut self, place: usize, event: Event<P::Processor>) {
        let state = &mut self.states[place];
        let mut fx = KernelEffects { engine: &mut self.engine, routes: &self.routes[place], place };
        state.step(&self.protocol, event, &mut fx);
        if P::Processor::PHASED {
            let phases = &mut self.engine.counts.phases;
            *phases = (*phases).max(Some(state.phase()));
        }
    }

    /// Fires the timers of this instant, until none is set.
    #[inline]
    fn fire_timers(&mut self) {
        let mut passes = 0;
        while self.engine.pending != 0 && self.engine.unsuited.is_none() {
            for place in Self::places(mem::take(&mut self.engine.pending)) {
                if let Some(timer) = self.engine.timers[place].take() {
                    self.step(place, Event::Timeout(timer));
                }
            }
            passes += 1;
            if passes > MOST_DELIVERIES {
                self.engine.unsuited = Some(Unsuited::Endless);
            }
        }
    }

    /// Delivers the messages of one instant after another.
    fn deliver_all(&mut self) -> Result<(), Unsuited> {
        let mut deliveries = 0;
        loop {
            self.fire_timers();
            let ends = [self.engine.flight[0].put, self.engine.flight[1].put];
            let arriving = |port: usize| ends[port].wrapping_sub(self.engine.flight[port].taken);
            let all = arriving(0) + arriving(1);
            if all == 0 || self.engine.unsuited.is_some() {
                break;
            }
            self.engine.now += 1;
            deliveries += all;
            if deliveries > MOST_DELIVERIES {
                return Err(Unsuited::Endless);
            }
            for (port, &end) in ends.iter().enumerate().take(Self::ports() as usize) {
                while self.engine.flight[port].taken != end {
                    let Some((to, message)) = self.engine.flight[port].pop() else { break };
                    self.step(to.into(), Event::Receive(Port(port as u32), message));
                }
            }
        }
        self.engine.unsuited.map_or(Ok(()), Err)
    }
}

impl<P: Protocol> KernelRun for Kernel<P> {
    fn orient(&mut self, exchanged: u32) {
        let n = self.n;
        // Where nobody's are exchanged nothing is allocated, not even here.
        let orientation = if P::Network::TOPOLOGY == Topology::BidirectionalRing && exchanged != 0 {
            (0..n).map(|place| exchanged >> place & 1 == 1).collect()
        } else {
            alloc::vec::Vec::new()
        };
        let network = P::Network::new(&Scenario { n, orientation, ..Scenario::default() });
        for place in 0..n {
            for port in 0..Self::ports() {
                let (to, entry) = network.route(place as Place, Port(port));
                let entry = P::Network::port(entry).0 as u8;
                self.routes[place][port as usize] = Route { to: to as u8, entry };
            }
        }
    }

    fn run(&mut self, ids: &[u8], wakes: u32) -> Result<RunCounts, Unsuited> {
        assert_eq!(ids.len(), self.n, "there is one identity for each processor");
        self.begin(ids);
        let all = (1u32 << self.n) - 1;
        for place in Self::places(wakes & all) {
            self.step(place, Event::Wake);
        }
        self.deliver_all()?;
        let engine = &self.engine;
        let agreed = !engine.disagree && engine.decided == all;
        Ok(RunCounts { time: engine.now, agreed, ..engine.counts })
    }
}

/// The effects of a step.
struct KernelEffects<'a, P: Protocol> {
    engine: &'a mut Engine<P>,
    routes: &'a [Route; PORTS],
    place: usize,
}

impl<P: Protocol> Effects<P::Processor> for KernelEffects<'_, P> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: KernelMessage<P>) {
        port.assert_below(Kernel::<P>::ports());
        let engine = &mut *self.engine;
        engine.counts.by_kind[message.kind() % KINDS] += 1;
        engine.counts.bits += message.bits();
        let Route { to, entry } = self.routes[port.0 as usize % PORTS];
        if !engine.flight[entry as usize % PORTS].push(to, message) {
            engine.unsuited = Some(Unsuited::Crowded);
        }
    }

    fn set_timer(&mut self, timer: KernelTimer<P>, after: Ticks) {
        let engine = &mut *self.engine;
        let own = &mut engine.timers[self.place];
        if after != Ticks::ZERO || own.as_ref().is_some_and(|other| *other != timer) {
            engine.unsuited = Some(Unsuited::Timer);
            return;
        }
        *own = Some(timer);
        engine.pending |= 1 << self.place;
    }

    fn cancel_timer(&mut self, timer: KernelTimer<P>) {
        // A bit without a timer means nothing.
        self.engine.timers[self.place].take_if(|own| *own == timer);
    }

    fn choose(&mut self, _: u32) -> u32 {
        self.engine.unsuited = Some(Unsuited::Random);
        0
    }

    fn report(&mut self, report: Report<P::Processor>) {
        let engine = &mut *self.engine;
        let leader = match <P::Processor as Processor>::Problem::milestone(&report) {
            Some(Milestone::Elected { id }) => {
                engine.counts.leader.get_or_insert((self.place as Place, id));
                engine.counts.time_elected.get_or_insert(engine.now);
                id
            }
            Some(Milestone::Inaugurates) => {
                engine.counts.time_elected.get_or_insert(engine.now);
                return;
            }
            Some(Milestone::Follows { id }) => id,
            _ => return,
        };
        engine.disagree |= *engine.elected.get_or_insert(leader) != leader;
        engine.decided |= 1 << self.place;
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
