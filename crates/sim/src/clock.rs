//! Tick lengths and clock offsets, and the times of a processor's ticks.

use alloc::vec;
use alloc::vec::Vec;
use core::ops;

use ringleader_model::{
    Assumed, Clocks, Delays, Instance, Offsets, Place, Range, Scenario, Spread, Ticks, Time, Wakes,
};

use crate::changing_clock::ChangingLengths;
use crate::random_stream::{RandomStream, below, draw, key};

/// The part of a scenario that its seed determines before a run begins: tick lengths and clock offsets.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub(crate) lengths: TickLengths,
    pub(crate) offsets: Vec<u64>,
    ticks: Spread,
    delays: Spread,
    together: bool,
    first_wake: Time,
}

#[derive(Clone, Hash, Debug)]
pub(crate) enum TickLengths {
    Same(u64),
    Each(Vec<u64>),
    /// Drawn anew for every step: the minimum, and the number of values.
    Varying(u64, u64),
    /// Others from some times on.
    Changing(ChangingLengths),
}

impl TickLengths {
    /// Those that clocks draw from a range.
    fn within(r: Range, scenario: &Scenario) -> Self {
        let span = r.max - r.min + 1;
        match &scenario.timing.clocks {
            _ if span == 1 => Self::Same(r.min),
            Clocks::Slowest => Self::Same(r.max),
            Clocks::Fastest => Self::Same(r.min),
            Clocks::Fixed => {
                let drawn = |place| drawn_once(scenario, RandomStream::Clock, place, span);
                Self::Each((0..scenario.n).map(|place| r.min + drawn(place)).collect())
            }
            Clocks::List(list) => Self::Each(list.clone()),
            Clocks::Varying => Self::Varying(r.min, span),
        }
    }

    /// The longest of a place.
    pub(crate) fn longest(&self, place: usize) -> u64 {
        match self {
            Self::Same(length) => *length,
            Self::Each(each) => each[place],
            Self::Varying(least, span) => least + span - 1,
            Self::Changing(lengths) => lengths.periods().map(|lengths| lengths.longest(place)).max().unwrap_or(0),
        }
    }

    /// Those of all places.
    fn spread(&self, n: usize) -> Spread {
        match self {
            Self::Same(length) => Spread::same(*length, n),
            Self::Each(each) => Spread::of(each.iter().copied()),
            Self::Varying(least, span) => Spread::between(*least, least + span - 1, n),
            Self::Changing(lengths) => {
                let longest = Spread::of((0..n).map(|place| self.longest(place)));
                let min = lengths.periods().map(|lengths| lengths.spread(n).min).min().unwrap_or(longest.min);
                Spread { min, ..longest }
            }
        }
    }
}

/// A number below a bound that the seed fixes for a place.
fn drawn_once(scenario: &Scenario, stream: RandomStream, place: usize, bound: u64) -> u64 {
    below(draw(key(scenario.seed, stream), place as Place, 0), bound)
}

/// The delays of all links within a range.
fn delays_within(d: Range, delays: &Delays, n: usize) -> Spread {
    match delays {
        Delays::Min => Spread::same(d.min, n),
        Delays::Max => Spread::same(d.max, n),
        Delays::List(list) => Spread::of(list.iter().copied()),
        _ => Spread::between(d.min, d.max, n),
    }
}

impl Resolved {
    /// Draws everything that the scenario leaves to its seed.
    pub fn new(scenario: &Scenario) -> Self {
        let n = scenario.n;
        let timing = &scenario.timing;
        let (r, first) = (timing.tick_ranges(), TickLengths::within(timing.tick_ranges().first(), scenario));
        let drawn = |place| drawn_once(scenario, RandomStream::Offset, place, first.longest(place));
        let offsets = match &timing.offsets {
            Offsets::Zero => Vec::new(),
            Offsets::Random => (0..n).map(drawn).collect(),
            Offsets::List(list) => list.clone(),
        };
        let later = r.periods()[1..].iter().map(|(from, r)| (*from, TickLengths::within(*r, scenario)));
        let at_first = first.spread(n);
        let lengths = ChangingLengths::following(first, later);
        let ticks = if timing.assumed() == Assumed::First { at_first } else { lengths.spread(n) };
        let d = timing.delay_ranges();
        let assumed = if timing.assumed() == Assumed::First { &d.periods()[..1] } else { d.periods() };
        let each = assumed.iter().map(|(_, d)| delays_within(*d, &timing.delays, n));
        let around = |all: Spread, one: Spread| Spread {
            min: all.min.min(one.min),
            max: all.max.max(one.max),
            sum: all.sum.max(one.sum),
        };
        let delays = each.reduce(around).expect("there is a first range");
        let first_wake = match &scenario.wakes {
            Wakes::All => 0,
            Wakes::At(at) => at.iter().flatten().copied().min().unwrap_or(0),
        };
        Self { lengths, offsets, ticks, delays, together: scenario.wakes.are_together(), first_wake }
    }

    /// The parameters of the scenario that bounds depend on.
    pub fn instance<'a>(&self, scenario: &'a Scenario) -> Instance<'a> {
        Instance {
            n: scenario.n as u64,
            ids: scenario.identities(),
            together: self.together && !scenario.untimed,
            untimed: scenario.untimed,
            first_wake: if scenario.untimed { 0 } else { self.first_wake },
            settled: if scenario.untimed { 0 } else { scenario.settled() },
            undisturbed: scenario.again.is_empty() && scenario.faults.is_empty(),
            ticks: self.ticks,
            delays: self.delays,
            timing: &scenario.timing,
            workload: scenario.workload.as_ref(),
            links: scenario.links,
            ports: &scenario.ports,
        }
    }

    /// The offset of each place's first tick; empty if all are 0.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Whether each place has ticks of one length.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.lengths, TickLengths::Same(_) | TickLengths::Each(_))
    }

    /// The tick length of all places, if it is fixed and the same.
    pub const fn common_tick_length(&self) -> Option<u64> {
        match self.lengths {
            TickLengths::Same(length) => Some(length),
            _ => None,
        }
    }

    /// The tick length of each place, if it is fixed.
    pub fn tick_lengths(&self, n: usize) -> Option<Vec<u64>> {
        match &self.lengths {
            TickLengths::Same(length) => Some(vec![*length; n]),
            TickLengths::Each(each) => Some(each.clone()),
            TickLengths::Varying(..) | TickLengths::Changing(_) => None,
        }
    }
}

/// The time of an event that has not happened, or is not scheduled.
pub(crate) const ASLEEP: Time = Time::MAX;

/// The times of each place's ticks.
#[derive(Clone, Hash)]
pub(crate) struct TickGrid {
    lengths: TickLengths,
    offsets: Vec<u64>,
    /// The first tick of each place, [`ASLEEP`] before its first event.
    first: Vec<Time>,
    /// What the first ticks were that a pause or a restart has moved.
    moved: Vec<(Place, Time)>,
}

impl TickGrid {
    pub(crate) fn new(resolved: Resolved, n: usize) -> Self {
        Self { lengths: resolved.lengths, offsets: resolved.offsets, first: vec![ASLEEP; n], moved: Vec::new() }
    }

    /// Of consecutive places, which are numbered from 0; `None` where lengths vary or change.
    pub(crate) fn of_places(resolved: Resolved, places: ops::Range<usize>) -> Option<Self> {
        let lengths = match resolved.lengths {
            TickLengths::Same(length) => TickLengths::Same(length),
            TickLengths::Each(each) => TickLengths::Each(each[places.clone()].to_vec()),
            TickLengths::Varying(..) | TickLengths::Changing(_) => return None,
        };
        let offsets = resolved.offsets.get(places.clone()).map_or_else(Vec::new, <[u64]>::to_vec);
        Some(Self { lengths, offsets, first: vec![ASLEEP; places.len()], moved: Vec::new() })
    }

    /// Starts a place's clock; false if it runs already.
    #[inline]
    pub(crate) fn start(&mut self, place: Place, now: Time) -> bool {
        let first = &mut self.first[place as usize];
        let asleep = *first == ASLEEP;
        if asleep {
            *first = now.saturating_add(self.offsets.get(place as usize).copied().unwrap_or(0));
        }
        asleep
    }

    /// Starts a place's clock anew, with this offset or its own.
    pub(crate) fn restart(&mut self, place: Place, now: Time, offset: Option<u64>) {
        self.remember(place);
        if let TickLengths::Changing(lengths) = &mut self.lengths {
            lengths.forget(place);
        }
        self.first[place as usize] = ASLEEP;
        match offset {
            Some(offset) => self.first[place as usize] = now.saturating_add(offset),
            None => _ = self.start(place, now),
        }
    }

    /// Makes all ticks of a place from now on come later, if its clock runs. Earlier ones are not asked for any more.
    pub(crate) fn postpone(&mut self, place: Place, now: Time, by: u64) {
        self.remember(place);
        let first = &mut self.first[place as usize];
        if let TickLengths::Changing(lengths) = &mut self.lengths
            && lengths.varying().is_none()
            && *first != ASLEEP
        {
            // The grid begins anew with the next tick: what comes after it depends on when it comes.
            *first = lengths.skip_to(place, *first, now);
        }
        *first = if *first == ASLEEP { ASLEEP } else { first.saturating_add(by) };
    }

    /// When a tick of a place comes, if all from `now` on come later.
    pub(crate) fn postponed(&self, place: Place, now: Time, by: u64, tick: Time) -> Option<Time> {
        match self.changing().filter(|lengths| lengths.varying().is_none()) {
            Some(lengths) => lengths.postponed(place, self.first[place as usize], now, by, tick),
            None => tick.checked_add(by),
        }
    }

    /// The minimum and the number of values, if the length of every step is drawn when it is needed; over the whole run, where
    /// they [change](Self::changing).
    pub(crate) fn varying(&self) -> Option<(u64, u64)> {
        match &self.lengths {
            TickLengths::Varying(least, span) => Some((*least, *span)),
            TickLengths::Changing(lengths) => lengths.varying(),
            TickLengths::Same(_) | TickLengths::Each(_) => None,
        }
    }

    /// The tick lengths, if they change with time.
    pub(crate) fn changing(&self) -> Option<&ChangingLengths> {
        match &self.lengths {
            TickLengths::Changing(lengths) => Some(lengths),
            _ => None,
        }
    }

    /// Keeps the first tick of a place, which is moved now.
    fn remember(&mut self, place: Place) {
        let first = self.first[place as usize];
        if first != ASLEEP && self.moved.iter().all(|(moved, _)| *moved != place) {
            self.moved.push((place, first));
        }
    }

    /// The time at which the last clock started for the first time; `None` if one has not.
    pub(crate) fn all_started(&self) -> Option<Time> {
        let offset = |place: usize| self.offsets.get(place).copied().unwrap_or(0);
        let unmoved =
            |place: usize| self.moved.iter().find(|(moved, _)| *moved as usize == place).map(|(_, first)| *first);
        let started = |(place, &first): (usize, &Time)| {
            let first = unmoved(place).unwrap_or(first);
            (first != ASLEEP).then(|| first - offset(place))
        };
        self.first.iter().enumerate().map(started).try_fold(0, |latest, start| Some(start?.max(latest)))
    }

    pub(crate) fn first(&self, place: Place) -> Time {
        self.first[place as usize]
    }

    /// The length of the ticks of a place, where it is one and the same.
    pub(crate) fn fixed_length(&self, place: Place) -> Option<u64> {
        match &self.lengths {
            TickLengths::Same(length) => Some(*length),
            TickLengths::Each(each) => Some(each[place as usize]),
            TickLengths::Varying(..) | TickLengths::Changing(_) => None,
        }
    }

    fn length(&self, place: Place) -> u64 {
        match &self.lengths {
            TickLengths::Same(length) => *length,
            TickLengths::Each(each) => each[place as usize],
            TickLengths::Varying(..) => unreachable!("variable steps have no grid"),
            TickLengths::Changing(_) => unreachable!("there is not one length"),
        }
    }

    /// The k-th own tick after `now`, not counting a tick at `now`; `None` if that is never.
    pub(crate) fn after(&self, place: Place, now: Time, ticks: Ticks) -> Option<Time> {
        if let TickLengths::Changing(lengths) = &self.lengths {
            return lengths.after(place, self.first[place as usize], now, ticks);
        }
        let (first, length) = (self.first[place as usize], self.length(place));
        if now < first {
            // The first tick is the first one after `now`.
            return ticks.get()?.checked_sub(1)?.checked_mul(length)?.checked_add(first);
        }
        let last = now - (now - first) % length;
        last.checked_add(ticks.times(length)?)
    }

    /// The k-th own tick from `now` on, counting a tick at `now`; `None` if that is never.
    pub(crate) fn from(&self, place: Place, now: Time, ticks: Ticks) -> Option<Time> {
        if let TickLengths::Changing(lengths) = &self.lengths {
            return lengths.from(place, self.first[place as usize], now, ticks);
        }
        let later = ticks.get()?.checked_sub(1)?.checked_mul(self.length(place))?;
        self.at_or_after(place, now)?.checked_add(later)
    }

    /// The first own tick at or after `now`.
    pub(crate) fn at_or_after(&self, place: Place, now: Time) -> Option<Time> {
        if let TickLengths::Changing(lengths) = &self.lengths {
            return lengths.at_or_after(place, self.first[place as usize], now);
        }
        let (first, length) = (self.first[place as usize], self.length(place));
        if now <= first {
            return Some(first);
        }
        (now - first).div_ceil(length).checked_mul(length)?.checked_add(first)
    }

    /// The number of own ticks since the first one; `None` where lengths vary.
    pub(crate) fn elapsed(&self, place: Place, now: Time) -> Option<Ticks> {
        if self.varying().is_some() {
            return None;
        }
        if let TickLengths::Changing(lengths) = &self.lengths {
            return Some(Ticks::new(lengths.elapsed(place, self.first[place as usize], now)));
        }
        Some(Ticks::new(now.saturating_sub(self.first[place as usize]) / self.length(place)))
    }

    pub(crate) fn bytes(&self) -> usize {
        let lengths = if let TickLengths::Each(each) = &self.lengths { each.capacity() * 8 } else { 0 };
        lengths + (self.offsets.capacity() + self.first.capacity()) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(length: u64, offset: u64, woken: Time) -> TickGrid {
        let mut grid = TickGrid {
            lengths: TickLengths::Same(length),
            offsets: vec![offset],
            first: vec![ASLEEP],
            moved: Vec::new(),
        };
        grid.start(0, woken);
        grid
    }

    #[test]
    fn ticks_are_at_the_wake_time_plus_multiples_of_the_length() {
        // Woken at 7, ticks of 5: 7, 12, 17, …
        let grid = grid(5, 0, 7);
        assert_eq!(grid.after(0, 7, Ticks::new(1)), Some(12), "set at a tick: k ticks later");
        assert_eq!(grid.after(0, 9, Ticks::new(1)), Some(12), "set between ticks: the k-th tick after");
        assert_eq!(grid.after(0, 12, Ticks::new(3)), Some(27));
        assert_eq!([7, 9, 12].map(|now| grid.from(0, now, Ticks::new(2))), [Some(12), Some(17), Some(17)]);
        assert_eq!(grid.at_or_after(0, 12), Some(12));
        assert_eq!(grid.at_or_after(0, 13), Some(17));
        assert_eq!(grid.elapsed(0, 21), Some(Ticks::new(2)));
    }

    #[test]
    fn an_offset_moves_the_first_tick() {
        // Woken at 7, first tick 3 later: 10, 15, 20, …
        let grid = grid(5, 3, 7);
        assert_eq!(grid.after(0, 7, Ticks::new(1)), Some(10));
        assert_eq!(grid.after(0, 7, Ticks::new(2)), Some(15));
        assert_eq!(grid.at_or_after(0, 8), Some(10));
    }

    #[test]
    fn the_last_clock_to_start_is_known_once_all_have() {
        let mut grid =
            TickGrid { lengths: TickLengths::Same(5), offsets: vec![3, 0], first: vec![ASLEEP; 2], moved: Vec::new() };
        assert!(grid.start(0, 7) && grid.all_started().is_none());
        assert!(grid.start(1, 4) && !grid.start(1, 9));
        assert_eq!(grid.all_started(), Some(7), "an offset is not part of it");
    }

    #[test]
    fn an_overflow_is_never() {
        let grid = grid(5, 0, 7);
        assert_eq!(grid.after(0, 7, Ticks::NEVER), None);
        assert_eq!(grid.after(0, 7, Ticks::new(u64::MAX / 4)), None);
    }
}
