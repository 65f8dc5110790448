//! A segment of a ring: consecutive places, through which batches of messages are taken.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem;
use core::ops::Range;

use ringleader_model::{
    Effects, Event, Id, Inspect, Message, Monitor, Network, Place, Port, Processor, Protocol, Report, Scenario, Seat,
    Ticks, Time, TraceHash, Wakes, run_digest_of,
};
use serde::{Deserialize, Serialize};

use super::account::SegmentSums;
use super::links::{LinkDelays, SegmentLinks};
use super::own_events::OwnEvents;
use crate::engine_state::{History, MessageOf, MonitorOf, TimerOf};
use crate::instrumentation::{CausalDepth, Instrumentation};
use crate::random_stream::{RandomStream, below, draw, key, key_of_places};
use crate::simulation::END_OF_TIME;

/// The places of a block: their states stay in the first-level cache while messages are followed through it.
pub(super) const BLOCK: usize = 512;
/// A message takes less than this through a block if delays are shorter than a part of it.
const MOST_OF_A_BLOCK: Time = 1 << 42;
/// Protocols with more kinds of messages are not executed in causal order.
pub(super) const KINDS: usize = 16;

/// A message on a link.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Transit<M, T> {
    /// When it arrives.
    pub(super) at: Time,
    pub(super) depth: T,
    pub(super) message: M,
}

pub(super) type TransitOf<P, D> = Transit<MessageOf<P>, <D as Instrumentation>::Depth>;

/// Messages that travel from one segment to the next, in the order of their link. Where messages can be read back, batches travel
/// to other processes.
#[derive(Serialize, Deserialize)]
#[serde(bound(serialize = "", deserialize = "MessageOf<P>: Deserialize<'de>"))]
pub struct Batch<P: Protocol, D: Instrumentation>(pub(super) Vec<TransitOf<P, D>>);

impl<P: Protocol, D: Instrumentation> Batch<P, D> {
    /// When the first of them arrives: the others are not earlier.
    pub(super) fn first_arrival(&self) -> Option<Time> {
        self.0.first().map(|transit| transit.at)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<TransitOf<P, D>>()
    }
}

impl<P: Protocol, D: Instrumentation> Default for Batch<P, D> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Consecutive places of a ring, with all that their steps read and write: segments share nothing, so that each may be
/// advanced by a thread of its own.
pub struct Segment<P: Protocol, D: Instrumentation> {
    pub(super) protocol: P,
    pub(super) states: Vec<P::Processor>,
    pub(super) links: SegmentLinks,
    /// Who wakes at 0; `None` if all do.
    wakes: Option<Vec<bool>>,
    /// The events of its places that no message brings, if there are others than waking at 0.
    pub(super) own: Option<Box<OwnEvents<P, D>>>,
    pub(super) account: SegmentAccount<P, D>,
    /// The block through which the batch is taken.
    pub(super) block: usize,
    /// The number of blocks that have woken.
    pub(super) awake: usize,
    /// The batch that enters the block, and the number of its messages that were taken through it.
    pub(super) entering: Batch<P, D>,
    pub(super) taken: usize,
    /// Those that have left the block.
    pub(super) leaving: Batch<P, D>,
    /// Messages that were sent behind others by one step, the next one last.
    behind: Vec<(usize, TransitOf<P, D>)>,
}

/// The initial states of processors. Behind 2^32 places all roles are alike.
fn states<P: Protocol>(
    protocol: &P,
    scenario: &Scenario,
    network: &P::Network,
    places: &Range<u64>,
) -> Vec<P::Processor> {
    if let (Ok(first), Ok(end)) = (Place::try_from(places.start), Place::try_from(places.end)) {
        return protocol.seats(scenario, network, first..end).map(|seat| protocol.processor(seat)).collect();
    }
    let mut ids = scenario.identities().iter_from(places.start);
    let (role, ports) = (protocol.role(Place::MAX), network.ports(Place::MAX));
    let mut seat = |_| Seat { id: ids.next().map(Id::new), role, ports };
    places.clone().map(|place| protocol.processor(seat(place))).collect()
}

/// What the steps of a segment add up to.
pub(super) struct SegmentAccount<P: Protocol, D: Instrumentation> {
    /// The first place.
    pub(super) first: u64,
    pub(super) passes: [u64; KINDS],
    pub(super) deliveries: u64,
    pub(super) steps: u64,
    pub(super) bits: u64,
    /// The time of the last step.
    pub(super) time: Time,
    pub(super) depth: u64,
    pub(super) phases: Option<u32>,
    pub(super) phased: bool,
    /// The number of effects.
    pub(super) acts: u64,
    rules: usize,
    pub(super) histories: Vec<History>,
    coin_key: u64,
    /// By place, the number of coins tossed; allocated when first needed.
    coins: Vec<u32>,
    pub(super) monitor: MonitorOf<P>,
    /// The first election.
    pub(super) elected: Option<FirstElection>,
    /// Messages that arrive later are not delivered.
    pub(super) limit: Time,
    /// The first arrival beyond the limit.
    pub(super) beyond: Option<Time>,
    instrumentation: PhantomData<fn() -> D>,
}

/// The bookkeeping before a step that may turn out to be void.
pub(super) struct BeforeWake {
    acts: u64,
    steps: u64,
    chain: Option<TraceHash>,
}

/// The first report by which a leader is elected.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct FirstElection {
    pub(super) time: Time,
    place: u64,
    pub(super) depth: Option<u64>,
    /// Another place has reported at the same time: which one is first depends on the order inside the instant.
    pub(super) tied: bool,
}

impl FirstElection {
    /// The earlier one of two.
    pub(super) fn first(self, other: Self) -> Self {
        match self.time.cmp(&other.time) {
            core::cmp::Ordering::Less => self,
            core::cmp::Ordering::Greater => other,
            core::cmp::Ordering::Equal => Self { tied: self.tied || other.tied || self.place != other.place, ..self },
        }
    }
}

impl<P: Protocol, D: Instrumentation> Segment<P, D> {
    /// These places, before their first step: all before or all behind any multiple of 2^32.
    pub(super) fn new(protocol: &P, scenario: &Scenario, network: &P::Network, places: Range<u64>) -> Self {
        let profile = protocol.profile();
        let length = (places.end - places.start) as usize;
        let mut monitor = MonitorOf::<P>::of_segment(scenario, length);
        monitor.promise(protocol.promises(scenario), scenario);
        let wakes = match &scenario.wakes {
            Wakes::All => None,
            Wakes::At(at) => Some(at[places.start as usize..places.end as usize].iter().map(Option::is_some).collect()),
        };
        let links = SegmentLinks::new(scenario, &places);
        Self {
            states: states(protocol, scenario, network, &places),
            protocol: protocol.clone(),
            own: OwnEvents::new(&profile, scenario, &places, links.shortest()).map(Box::new),
            links,
            wakes,
            account: SegmentAccount {
                first: places.start,
                passes: [0; KINDS],
                deliveries: 0,
                steps: 0,
                bits: 0,
                time: 0,
                depth: 0,
                phases: None,
                phased: profile.phased,
                acts: 0,
                rules: profile.rules,
                histories: vec![History { depth: 0, chain: TraceHash::new() }; if D::FULL { length } else { 0 }],
                coin_key: key_of_places(key(scenario.seed, RandomStream::Coin), (places.start >> 32) as u32),
                coins: Vec::new(),
                monitor,
                elected: None,
                limit: END_OF_TIME,
                beyond: None,
                instrumentation: PhantomData,
            },
            block: 0,
            awake: 0,
            entering: Batch::default(),
            taken: 0,
            leaving: Batch::default(),
            behind: Vec::new(),
        }
    }

    /// The memory that a place takes, in bytes.
    pub(super) fn bytes_per_processor(scenario: &Scenario) -> usize {
        let history = if D::FULL { size_of::<History>() } else { 0 };
        let woken = usize::from(scenario.wakes != Wakes::All);
        size_of::<P::Processor>() + history + woken + SegmentLinks::bytes_per_link(scenario)
    }

    /// A batch enters at its first place. The one before it must have [left](Self::leave).
    pub(super) fn enter(&mut self, batch: Batch<P, D>) {
        debug_assert!(self.entering.is_empty() && self.leaving.is_empty(), "one batch at a time");
        (self.block, self.taken, self.entering) = (0, 0, batch);
    }

    /// The batch has come through: what leaves behind its last place.
    pub(super) fn leave(&mut self) -> Batch<P, D> {
        mem::take(&mut self.entering)
    }

    /// Takes its batch on for about `budget` deliveries; true when it has come through. The first time, its processors wake.
    pub fn advance(&mut self, budget: u64) -> bool {
        if let Some(mut own) = self.own.take() {
            let through = self.advance_with_own(&mut own, self.account.deliveries.saturating_add(budget));
            self.own = Some(own);
            return through;
        }
        let mut links = mem::replace(&mut self.links, SegmentLinks::Constant(0));
        let enough = self.account.deliveries.saturating_add(budget);
        let through = match &mut links {
            SegmentLinks::Constant(delay) => self.advance_over(delay, enough),
            SegmentLinks::Listed(delays) => self.advance_over(delays, enough),
            SegmentLinks::Drawn(drawn) => self.advance_over(drawn, enough),
        };
        self.links = links;
        through
    }

    fn advance_over(&mut self, links: &mut impl LinkDelays, enough: u64) -> bool {
        let blocks = self.states.len().div_ceil(BLOCK);
        while self.block < blocks {
            let start = self.block * BLOCK;
            let end = (start + BLOCK).min(self.states.len());
            if self.awake == self.block {
                self.wake(links, start, end);
                self.awake += 1;
            } else if self.entering.is_empty() && self.awake == blocks {
                self.block = blocks;
                break;
            }
            self.take_through(links, end, enough);
            if self.taken < self.entering.0.len() {
                return false;
            }
            self.entering.0.clear();
            self.taken = 0;
            mem::swap(&mut self.entering, &mut self.leaving);
            self.block += 1;
        }
        true
    }

    /// Wakes the processors of a block, the last one first: what it sends is ahead of all that comes from behind it.
    fn wake(&mut self, links: &mut impl LinkDelays, start: usize, end: usize) {
        for place in (start..end).rev() {
            let before = match &self.wakes {
                None => None,
                Some(wakes) if wakes[place] => Some((self.states[place].clone(), self.account.checkpoint(place))),
                Some(_) => continue,
            };
            let Self { protocol, states, account, behind, .. } = self;
            let mut fx = SegmentEffects { account, links, behind, sent: None, place, now: 0, depth: 0 };
            fx.begin(&Event::Wake, 0);
            states[place].step(protocol, Event::Wake, &mut fx);
            let sent = fx.end(&states[place]);
            // Where only some wake, a wake without any effect is void: it is no step.
            if let Some((state, checkpoint)) = before
                && state == states[place]
            {
                _ = account.undo_if_void(place, &checkpoint);
            }
            if let Some(transit) = sent {
                self.follow_unless_late(links, end, place + 1, transit);
            }
        }
    }

    /// Takes the batch through the block that ends before `end`.
    fn take_through(&mut self, links: &mut impl LinkDelays, end: usize, enough: u64) {
        let start = self.block * BLOCK;
        while let Some(transit) = self.entering.0.get(self.taken)
            && self.account.deliveries < enough
        {
            let transit = transit.clone();
            self.taken += 1;
            self.follow_unless_late(links, end, start, transit);
        }
    }

    /// Follows a message through the rest of a block; with a look at the limit of time at every place only where it is near.
    #[inline(always)]
    fn follow_unless_late(&mut self, links: &mut impl LinkDelays, end: usize, place: usize, transit: TransitOf<P, D>) {
        if transit.at < self.account.limit.saturating_sub(MOST_OF_A_BLOCK)
            && links.longest() < MOST_OF_A_BLOCK / BLOCK as u64
        {
            self.follow::<false>(links, end, place, transit);
        } else {
            self.follow_to_limit(links, end, place, transit);
        }
    }

    #[cold]
    #[inline(never)]
    fn follow_to_limit(&mut self, links: &mut impl LinkDelays, end: usize, place: usize, transit: TransitOf<P, D>) {
        self.follow::<true>(links, end, place, transit);
    }

    /// Follows a message, and all that is sent because of it, until it is discarded or reaches `end`. `LIMITED`: it may be too
    /// late to arrive.
    #[inline(always)]
    fn follow<const LIMITED: bool>(
        &mut self,
        links: &mut impl LinkDelays,
        end: usize,
        mut place: usize,
        mut transit: TransitOf<P, D>,
    ) {
        let Self { protocol, states, account, leaving, behind, .. } = self;
        let states = &mut states[..end];
        loop {
            // One message, or what is sent instead of it, goes from place to place.
            let (from, mut now) = (place, 0);
            loop {
                let Some(state) = states.get_mut(place) else {
                    leaving.0.push(transit);
                    break;
                };
                if LIMITED && transit.at > account.limit {
                    account.leave_out(transit.at);
                    break;
                }
                now = transit.at;
                let event = Event::Receive(Port(0), transit.message);
                let mut fx = SegmentEffects { account, links, behind, sent: None, place, now, depth: 0 };
                fx.begin(&event, transit.depth.get());
                state.step(protocol, event, &mut fx);
                let sent = fx.end(state);
                place += 1;
                match sent {
                    Some(next) => transit = next,
                    None => break,
                }
            }
            account.deliveries += (place - from) as u64;
            account.time = account.time.max(now);
            match behind.pop() {
                Some(next) => (place, transit) = next,
                None => break,
            }
        }
    }

    /// The part of the run's digest that its places make up.
    pub(super) fn digest(&self) -> u64 {
        run_digest_of(
            (self.account.first..).zip(&self.account.histories).map(|(place, history)| (place, history.chain)),
        )
    }

    /// The first place at which nothing more will happen by itself, and why.
    pub(super) fn stuck(&self) -> Option<(u64, &str)> {
        (self.account.first..).zip(&self.states).find_map(|(place, state)| Some((place, state.stuck(&self.protocol)?)))
    }

    /// What its steps add up to.
    pub(super) fn sums(&self) -> SegmentSums {
        let SegmentAccount { passes, deliveries, steps, bits, time, depth, phases, elected, beyond, .. } = self.account;
        let own = self.own.as_ref().map(|own| own.sums()).unwrap_or_default();
        let digest = self.digest();
        SegmentSums { passes, deliveries, steps, bits, time, depth, phases, elected, beyond, own, digest }
    }

    /// Whether no message is left to be taken through it.
    pub(super) fn is_empty(&self) -> bool {
        self.entering.is_empty()
    }

    /// The memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<P::Processor>()
            + self.links.bytes()
            + self.wakes.as_ref().map_or(0, Vec::capacity)
            + self.own.as_ref().map_or(0, |own| own.bytes())
            + self.account.histories.capacity() * size_of::<History>()
            + self.account.coins.capacity() * 4
            + self.entering.bytes()
            + self.leaving.bytes()
    }
}

/// The effects of a step in a segment.
struct SegmentEffects<'a, P: Protocol, D: Instrumentation, L> {
    account: &'a mut SegmentAccount<P, D>,
    links: &'a mut L,
    behind: &'a mut Vec<(usize, TransitOf<P, D>)>,
    /// The first message that it sends.
    sent: Option<TransitOf<P, D>>,
    /// From the first place of the segment.
    place: usize,
    now: Time,
    /// The length of the longest causal chain that leads to it.
    depth: u64,
}

impl<P: Protocol, D: Instrumentation, L> SegmentEffects<'_, P, D, L> {
    /// The bookkeeping before a step. `depth`: of the message that it receives.
    #[inline(always)]
    fn begin(&mut self, event: &Event<P::Processor>, depth: u64) {
        if D::FULL {
            self.depth = self.account.begin_step(self.place, self.now, event, depth);
        }
    }

    /// The bookkeeping after it; the first message that it has sent.
    #[inline(always)]
    fn end(mut self, state: &P::Processor) -> Option<TransitOf<P, D>> {
        self.account.end_step(state);
        self.sent.take()
    }
}

/// Keeps a further message for a place until all that comes of those before it has happened. Those of the same step are the
/// last ones, and the first of them comes next.
#[inline(never)]
fn keep_behind<T>(behind: &mut Vec<(usize, T)>, place: usize, message: T) {
    let own = behind.iter().rev().take_while(|(other, _)| *other == place).count();
    behind.insert(behind.len() - own, (place, message));
}

impl<P: Protocol, D: Instrumentation, L: LinkDelays> Effects<P::Processor> for SegmentEffects<'_, P, D, L> {
    #[inline(always)]
    fn send(&mut self, port: Port, message: MessageOf<P>) {
        let depth = self.account.count_send(port, &message, self.depth + 1);
        let transit = Transit { at: self.links.arrival(self.now, self.place), depth, message };
        if self.sent.is_none() {
            self.sent = Some(transit);
        } else {
            keep_behind(self.behind, self.place + 1, transit);
        }
    }

    fn set_timer(&mut self, _: TimerOf<P>, _: Ticks) {
        unreachable!("protocols with timers are executed in time order")
    }

    fn cancel_timer(&mut self, _: TimerOf<P>) {
        unreachable!("protocols with timers are executed in time order")
    }

    #[inline(always)]
    fn choose(&mut self, bound: u32) -> u32 {
        self.account.acts += 1;
        self.account.toss(self.place, bound)
    }

    #[inline(always)]
    fn report(&mut self, report: Report<P::Processor>) {
        self.account.report(self.place, self.now, report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }

    #[inline(always)]
    fn rule(&mut self, number: u8) {
        self.account.check_rule(number);
    }
}

impl<P: Protocol, D: Instrumentation> SegmentAccount<P, D> {
    /// Takes the beginning of a step of a full run in. `depth`: of the message that it receives; the result is that of the place.
    #[inline(always)]
    pub(super) fn begin_step(&mut self, place: usize, now: Time, event: &Event<P::Processor>, depth: u64) -> u64 {
        self.steps += 1;
        self.histories[place].begin_step(now, event, depth)
    }

    #[inline(always)]
    pub(super) fn end_step(&mut self, state: &P::Processor) {
        if P::Processor::PHASED && self.phased {
            self.phases = self.phases.max(Some(state.phase()));
        }
    }

    /// Counts a message that is sent. `depth`: of its causal chain.
    #[inline(always)]
    pub(super) fn count_send(&mut self, port: Port, message: &MessageOf<P>, depth: u64) -> D::Depth {
        self.passes[message.kind()] += 1;
        if !D::FULL {
            return D::Depth::default();
        }
        port.assert_below(1);
        self.acts += 1;
        self.depth = self.depth.max(depth);
        self.bits += message.bits();
        D::Depth::new(depth)
    }

    #[inline(always)]
    pub(super) fn check_rule(&self, number: u8) {
        if D::FULL {
            ringleader_model::assert_rule(number, self.rules);
        }
    }

    /// The state before a step that may turn out to be void.
    pub(super) fn checkpoint(&self, place: usize) -> BeforeWake {
        let chain = self.histories.get(place).map(|history| history.chain);
        BeforeWake { acts: self.acts, steps: self.steps, chain }
    }

    /// Undoes the bookkeeping of a step that had no effects; false if it had some.
    pub(super) fn undo_if_void(&mut self, place: usize, before: &BeforeWake) -> bool {
        let void = self.acts == before.acts;
        if void {
            self.steps = before.steps;
            if let Some(chain) = before.chain {
                self.histories[place].chain = chain;
            }
        }
        void
    }

    /// A message arrives, or a tick comes, which may be beyond the limit.
    #[inline]
    pub(super) fn leave_out_if_late(&mut self, at: Time) {
        if at > self.limit {
            self.leave_out(at);
        }
    }

    /// A message arrives beyond the limit, or a tick comes there.
    #[cold]
    pub(super) fn leave_out(&mut self, at: Time) {
        self.beyond = Some(self.beyond.map_or(at, |first| first.min(at)));
    }

    pub(super) fn toss(&mut self, place: usize, bound: u32) -> u32 {
        if bound <= 1 {
            return 0;
        }
        if self.coins.len() <= place {
            self.coins.resize(place + 1, 0);
        }
        let count = &mut self.coins[place];
        let drawn = below(draw(self.coin_key, (self.first as Place) + place as Place, *count), u64::from(bound));
        *count = count.wrapping_add(1);
        drawn as u32
    }

    #[inline(always)]
    pub(super) fn report(&mut self, place: usize, time: Time, report: Report<P::Processor>) {
        self.acts += 1;
        if self.monitor.observe(place as Place, report) {
            self.elect(place, time);
        }
    }

    #[cold]
    #[inline(never)]
    fn elect(&mut self, place: usize, time: Time) {
        let depth = self.histories.get(place).map(|history| history.depth);
        let place = self.first + place as u64;
        let election = FirstElection { time, place, depth, tied: false };
        self.elected = Some(self.elected.map_or(election, |first| first.first(election)));
    }
}
