//! Message delays, and the FIFO order of links.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Delays, Network, Place, Port, Processor, Range, Scenario, Time};

use crate::choice_source::{ChoiceSource, DrawCount};
use crate::links_in_flight::LinksInFlight;
use crate::place_states::{CountedState, StateCell};
use crate::random_stream::{RandomStream, below, draw, key, key_of_places};

/// The delays of all links, with the state that FIFO order needs.
#[derive(Clone, Hash)]
pub(crate) enum DelayModel {
    /// The delay of every message: FIFO by itself.
    Constant(u64),
    /// A constant delay per link: FIFO by itself.
    PerLink(Vec<u64>),
    /// Chosen for every message: the minimum, and the number of values.
    Drawn {
        least: u64,
        span: u64,
        fifo: bool,
        seed: u64,
        memory: LinkMemory,
        refreshed: Time,
        adversary: Option<DelayAdversary>,
    },
    /// Chosen for every message, from a range that changes with time.
    Changing(Box<ChangingDelays>),
}

/// Delays whose range changes.
#[derive(Clone, Hash)]
pub(crate) struct ChangingDelays {
    /// Drawn from the range in force.
    model: DelayModel,
    /// The ranges to come, the next one last.
    later: Vec<(Time, Range)>,
    shortest: u64,
    longest: u64,
}

/// A rule that chooses delays instead of a random stream.
#[derive(Clone, Hash)]
pub(crate) enum DelayAdversary {
    NewestFirst,
    /// By sender: the number of faster identities.
    Slowest(Vec<u32>),
    OneWay,
    /// The minimum, or the maximum, where ranges change: otherwise delays are [constant](DelayModel::Constant).
    Least,
    Greatest,
}

impl DelayAdversary {
    fn new(scenario: &Scenario) -> Option<Self> {
        let by_rank = |high: bool| {
            let (ids, mut places) = (scenario.identities().list(), Vec::from_iter(0..scenario.n as Place));
            places.sort_by_key(|&place| ids[place as usize]);
            if !high {
                places.reverse();
            }
            let mut ranks = vec![0; scenario.n];
            for (rank, place) in places.into_iter().enumerate() {
                ranks[place as usize] = rank as u32;
            }
            Self::Slowest(ranks)
        };
        match scenario.timing.delays {
            Delays::NewestFirst => Some(Self::NewestFirst),
            Delays::SlowestHigh => Some(by_rank(true)),
            Delays::SlowestLow => Some(by_rank(false)),
            Delays::OneWay => Some(Self::OneWay),
            Delays::Min => Some(Self::Least),
            Delays::Max => Some(Self::Greatest),
            Delays::Uniform | Delays::List(_) => None,
        }
    }

    /// The delay of a message beyond the minimum; less than `span`.
    fn choice(&self, now: Time, span: u64, network: &impl Network, (from, port): (Place, Port)) -> u64 {
        match self {
            // Messages sent in one half of the span arrive in the next half, in reverse order.
            Self::NewestFirst => span - 1 - 2 * (now % span.div_ceil(2)),
            Self::Slowest(ranks) => {
                let most = (ranks.len() as u64 - 1).max(1);
                (u128::from(span - 1) * u128::from(ranks[from as usize]) / u128::from(most)) as u64
            }
            Self::OneWay if network.is_clockwise(from, port) => 0,
            Self::Least => 0,
            Self::OneWay | Self::Greatest => span - 1,
        }
    }
}

/// The state of links whose delays are drawn.
#[derive(Clone, Hash)]
pub(crate) enum LinkMemory {
    /// One record per link direction.
    Dense(Vec<LinkRecord>),
    /// Only the draws that [`ChoiceSource`] counts per sender: for complete networks, which have too many links, if
    /// order does not matter.
    None,
    /// The messages in flight per sender: for complete networks, if order matters.
    Sparse(LinksInFlight),
}

/// A link direction. Arrival times are kept modulo 2^32 and refreshed long before they become ambiguous.
#[derive(Clone, Copy, Hash)]
pub(crate) struct LinkRecord {
    last_arrival: u32,
    sent: u32,
}

impl LinkRecord {
    /// The arrival of a message that would arrive at `at`, delayed until its predecessor has arrived.
    #[inline(always)]
    fn keep_order(&mut self, at: Time) -> Time {
        // All recorded times lie within half the range of 32 bits.
        let behind = self.last_arrival.wrapping_sub(at as u32) as i32;
        let at = at + u64::from(behind.max(0) as u32);
        self.last_arrival = at as u32;
        at
    }
}

/// The time between refreshes of the recorded arrivals.
const REFRESH_INTERVAL: Time = 1 << 30;

impl DelayModel {
    /// `alike`: messages are indistinguishable, so that any order is FIFO.
    pub(crate) fn new(scenario: &Scenario, network: &impl Network, alike: bool) -> Self {
        let ranges = scenario.timing.delay_ranges();
        if let [(_, d), later @ ..] = ranges.periods()
            && !later.is_empty()
        {
            let longest = ranges.hull().max;
            return Self::Changing(Box::new(ChangingDelays {
                model: Self::drawn(*d, longest, scenario, network, alike),
                later: later.iter().rev().copied().collect(),
                shortest: ranges.hull().min,
                longest,
            }));
        }
        let d = ranges.first();
        match &scenario.timing.delays {
            Delays::List(list) => Self::PerLink(list.clone()),
            Delays::Max => Self::Constant(d.max),
            Delays::Min => Self::Constant(d.min),
            _ if d.min == d.max => Self::Constant(d.min),
            _ => Self::drawn(d, d.max, scenario, network, alike),
        }
    }

    /// Delays that are drawn from a range. `longest`: no delay is longer, whatever the range becomes.
    fn drawn(d: Range, longest: u64, scenario: &Scenario, network: &impl Network, alike: bool) -> Self {
        let last = network.arc(scenario.n as Place - 1, Port(network.ports(scenario.n as Place - 1).max(1) - 1));
        let last = last.filter(|_| longest < REFRESH_INTERVAL);
        let fifo = scenario.links.is_fifo() && !alike;
        let memory = match last {
            Some(last) => LinkMemory::Dense(vec![LinkRecord { last_arrival: 0, sent: 0 }; last + 1]),
            None if fifo => LinkMemory::Sparse(LinksInFlight::new(scenario.n)),
            None => LinkMemory::None,
        };
        let adversary = DelayAdversary::new(scenario);
        Self::Drawn {
            least: d.min,
            span: d.max - d.min + 1,
            fifo,
            seed: scenario.seed,
            memory,
            refreshed: 0,
            adversary,
        }
    }

    pub(crate) fn shortest(&self) -> u64 {
        match self {
            Self::Constant(least) | Self::Drawn { least, .. } => *least,
            Self::PerLink(list) => list.iter().copied().min().unwrap_or(0),
            Self::Changing(delays) => delays.shortest,
        }
    }

    pub(crate) fn longest(&self) -> u64 {
        match self {
            Self::Constant(delay) => *delay,
            Self::Drawn { least, span, .. } => least + span,
            Self::PerLink(list) => list.iter().copied().max().unwrap_or(0),
            Self::Changing(delays) => delays.longest + 1,
        }
    }

    /// The arrival of a message sent now. `PRESCRIBED`: choices may be prescribed or recorded.
    #[inline]
    pub(crate) fn arrival<const PRESCRIBED: bool>(
        &mut self,
        now: Time,
        network: &impl Network,
        link: (Place, Port),
        choices: &mut ChoiceSource,
    ) -> Time {
        match self {
            Self::Constant(delay) => now + *delay,
            Self::Changing(delays) => delays.at(now).varying_arrival::<PRESCRIBED>(now, network, link, choices),
            _ => self.varying_arrival::<PRESCRIBED>(now, network, link, choices),
        }
    }

    fn varying_arrival<const PRESCRIBED: bool>(
        &mut self,
        now: Time,
        network: &impl Network,
        (from, port): (Place, Port),
        choices: &mut ChoiceSource,
    ) -> Time {
        match self {
            Self::Constant(delay) => now + *delay,
            Self::PerLink(list) => now + list[network.link(from, port) as usize],
            Self::Changing(_) => unreachable!("it holds delays that are drawn"),
            Self::Drawn { least, span, fifo, seed, memory, refreshed, adversary } => {
                let drawn = DelayRange::new(*least, *span, *seed);
                let decide = |chosen, choices: &mut ChoiceSource| {
                    let adversary = adversary.as_ref();
                    let chosen = adversary.map_or(chosen, |a| a.choice(now, drawn.span, network, (from, port)));
                    if PRESCRIBED { choices.decide((RandomStream::Delay, from), chosen, drawn.span) } else { chosen }
                };
                match memory {
                    LinkMemory::Dense(links) => {
                        let ports = network.ports(from) as usize;
                        let mut delays = PerLinkDelays { drawn, fifo: *fifo, ports, links, refreshed };
                        delays.begin(now);
                        delays.arrival(now, (from, port), choices, &mut (), decide)
                    }
                    LinkMemory::None => UnorderedDelays { drawn }.arrival(now, (from, port), choices, &mut (), decide),
                    LinkMemory::Sparse(links) => {
                        PerSenderDelays { drawn, links }.arrival(now, (from, port), choices, &mut (), decide)
                    }
                }
            }
        }
    }

    /// The last message sent over a link arrives sooner than it would have: those behind it wait for that only.
    #[cold]
    pub(crate) fn hurry(&mut self, network: &impl Network, (from, port): (Place, Port), at: Time) {
        match self {
            Self::Changing(delays) => delays.model.hurry(network, (from, port), at),
            Self::Drawn { memory: LinkMemory::Dense(links), .. } => {
                links[from as usize * network.ports(from) as usize + port.0 as usize].last_arrival = at as u32;
            }
            Self::Drawn { memory: LinkMemory::Sparse(links), .. } => links.hurry((from, port), at),
            Self::Constant(_) | Self::PerLink(_) | Self::Drawn { memory: LinkMemory::None, .. } => {}
        }
    }

    /// Calls a visitor with the delays of drawn links, their kind being known to the compiler.
    pub(crate) fn visit(&mut self, network: &impl Network, visitor: impl DelayVisitor) {
        let Self::Drawn { least, span, fifo, seed, memory, refreshed, adversary: None } = self else { return };
        let drawn = DelayRange::new(*least, *span, *seed);
        match memory {
            LinkMemory::Dense(links) => {
                let ports = network.ports(0) as usize;
                visitor.visit(&mut PerLinkDelays { drawn, fifo: *fifo, ports, links, refreshed });
            }
            LinkMemory::None => visitor.visit(&mut UnorderedDelays { drawn }),
            LinkMemory::Sparse(links) => visitor.visit(&mut PerSenderDelays { drawn, links }),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Constant(_) => 0,
            Self::PerLink(list) => list.capacity() * 8,
            Self::Changing(delays) => delays.model.bytes() + delays.later.capacity() * size_of::<(Time, Range)>(),
            Self::Drawn { memory: LinkMemory::Dense(links), .. } => links.capacity() * size_of::<LinkRecord>(),
            Self::Drawn { memory: LinkMemory::None, .. } => 0,
            Self::Drawn { memory: LinkMemory::Sparse(links), .. } => links.bytes(),
        }
    }
}

impl ChangingDelays {
    /// The delays of messages sent now; called with times that do not decrease.
    #[cold]
    fn at(&mut self, now: Time) -> &mut DelayModel {
        while let Some((_, d)) = self.later.pop_if(|(from, _)| *from <= now) {
            if let DelayModel::Drawn { least, span, .. } = &mut self.model {
                (*least, *span) = (d.min, d.max - d.min + 1);
            }
        }
        &mut self.model
    }
}

/// Drawn delays with a known kind of [memory](LinkMemory).
pub(crate) trait DrawnDelays {
    /// What the fast path keeps of a place in one cell.
    type Cell<S: Processor>: StateCell<S>;

    /// Called once per instant.
    fn begin(&mut self, now: Time);
    /// The arrival of a message sent now. `draws`: where the draws of the sender are counted. `decide` may replace the drawn
    /// choice.
    fn arrival(
        &mut self,
        now: Time,
        link: (Place, Port),
        choices: &mut ChoiceSource,
        draws: &mut impl DrawCount,
        decide: impl FnOnce(u64, &mut ChoiceSource) -> u64,
    ) -> Time;
    /// Prefetches the state needed for a message sent from a place.
    fn prefetch(&self, from: Place);
}

/// The range of drawn delays.
#[derive(Clone, Copy)]
pub(crate) struct DelayRange {
    least: u64,
    span: u64,
    key: u64,
}

impl DelayRange {
    pub(crate) fn new(least: u64, span: u64, seed: u64) -> Self {
        Self { least, span, key: key(seed, RandomStream::Delay) }
    }

    /// The same for the links behind the places from `high` · 2^32 on, which are numbered from 0.
    pub(crate) const fn of_places(self, high: u32) -> Self {
        Self { key: key_of_places(self.key, high), ..self }
    }

    /// The next delay of a link.
    #[inline(always)]
    pub(crate) fn delay(self, link: u32, sent: &mut u32) -> u64 {
        self.least + self.next(link, sent)
    }

    /// The next draw of a stream.
    #[inline(always)]
    fn next(self, stream: u32, sent: &mut u32) -> u64 {
        let drawn = below(draw(self.key, stream, *sent), self.span);
        *sent = sent.wrapping_add(1);
        drawn
    }
}

pub(crate) struct PerLinkDelays<'a> {
    drawn: DelayRange,
    fifo: bool,
    ports: usize,
    links: &'a mut [LinkRecord],
    refreshed: &'a mut Time,
}

impl DrawnDelays for PerLinkDelays<'_> {
    type Cell<S: Processor> = S;

    #[inline]
    fn begin(&mut self, now: Time) {
        if now - *self.refreshed >= REFRESH_INTERVAL {
            refresh(self.links, now, *self.refreshed);
            *self.refreshed = now;
        }
    }

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        (from, port): (Place, Port),
        choices: &mut ChoiceSource,
        _: &mut impl DrawCount,
        decide: impl FnOnce(u64, &mut ChoiceSource) -> u64,
    ) -> Time {
        let arc = from as usize * self.ports + port.0 as usize;
        let link = &mut self.links[arc];
        let drawn = self.drawn.next(arc as u32, &mut link.sent);
        let at = now + self.drawn.least + decide(drawn, choices);
        if self.fifo { link.keep_order(at) } else { at }
    }

    #[inline(always)]
    fn prefetch(&self, from: Place) {
        crate::fast_path::prefetch(self.links.as_ptr().wrapping_add(from as usize * self.ports));
    }
}

pub(crate) struct UnorderedDelays {
    drawn: DelayRange,
}

impl DrawnDelays for UnorderedDelays {
    type Cell<S: Processor> = CountedState<S>;

    fn begin(&mut self, _: Time) {}

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        (from, _): (Place, Port),
        choices: &mut ChoiceSource,
        draws: &mut impl DrawCount,
        decide: impl FnOnce(u64, &mut ChoiceSource) -> u64,
    ) -> Time {
        let drawn = draws.draw(choices, self.drawn.key, from, self.drawn.span);
        now + self.drawn.least + decide(drawn, choices)
    }

    fn prefetch(&self, _: Place) {}
}

pub(crate) struct PerSenderDelays<'a> {
    drawn: DelayRange,
    links: &'a mut LinksInFlight,
}

impl DrawnDelays for PerSenderDelays<'_> {
    type Cell<S: Processor> = S;

    fn begin(&mut self, _: Time) {}

    #[inline(always)]
    fn arrival(
        &mut self,
        now: Time,
        (from, port): (Place, Port),
        choices: &mut ChoiceSource,
        _: &mut impl DrawCount,
        decide: impl FnOnce(u64, &mut ChoiceSource) -> u64,
    ) -> Time {
        let drawn = self.drawn.next(from, self.links.sent(from));
        let at = now + self.drawn.least + decide(drawn, choices);
        self.links.keep_order(now, at, (from, port))
    }

    #[inline(always)]
    fn prefetch(&self, from: Place) {
        self.links.prefetch(from);
    }
}

/// A computation that is generic over [`DrawnDelays`].
pub(crate) trait DelayVisitor {
    fn visit<W: DrawnDelays>(self, delays: &mut W);
}

/// Replaces past arrivals by the present. Every recorded message was sent less than [`REFRESH_INTERVAL`] after
/// `before`, the last refresh, with a shorter delay than that. So after twice that interval all arrivals are past, and
/// before, 32 bits tell the past from the future.
#[cold]
fn refresh(links: &mut [LinkRecord], now: Time, before: Time) {
    let all_past = now - before >= 2 * REFRESH_INTERVAL;
    for link in links {
        let ahead = link.last_arrival.wrapping_sub(now as u32);
        if all_past || u64::from(ahead) >= REFRESH_INTERVAL {
            link.last_arrival = now as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Whatever the pauses between messages, 32 bits of an arrival are as good as 64.
    #[test]
    fn truncated_arrivals_agree_with_full_ones() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut links = [LinkRecord { last_arrival: 0, sent: 0 }; 3];
            let mut full = [0; 3];
            let (mut now, mut refreshed) = (0, 0);
            for _ in 0..1000 {
                let leap = [4, 1 << 28, 1 << 30, 1 << 32, 1 << 34][random.below(5) as usize];
                now += random.below(leap);
                if now - refreshed >= REFRESH_INTERVAL {
                    refresh(&mut links, now, refreshed);
                    refreshed = now;
                }
                let arc = random.below(3) as usize;
                let spread = [10, REFRESH_INTERVAL][random.below(2) as usize];
                let at = now + random.below(spread);
                full[arc] = at.max(full[arc]);
                assert_eq!(links[arc].keep_order(at), full[arc]);
            }
        }
    }
}
