//! Tick lengths and delays in force, and when a processor's ticks fall.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Clocks, Delays, Instance, Offsets, Place, Scenario, Spread, Ticks, Time, Wakes};

use crate::random::{Lane, below, draw, key};

/// What a scenario leaves to its seed before a run begins: tick lengths and the offsets of first ticks.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub(crate) lengths: Lengths,
    pub(crate) phases: Vec<u64>,
    ticks: Spread,
    delays: Spread,
    together: bool,
    first_wake: Time,
}

#[derive(Clone, Debug)]
pub(crate) enum Lengths {
    Same(u64),
    Each(Vec<u64>),
    /// From the least, so many values: drawn again and again.
    Varying(u64, u64),
}

impl Resolved {
    /// Draws what is left to the seed.
    pub fn new(scenario: &Scenario) -> Self {
        let n = scenario.n;
        let timing = &scenario.timing;
        let once = |lane, place: usize, bound| below(draw(key(scenario.seed, lane), place as Place, 0), bound);
        let span = timing.r.max - timing.r.min + 1;
        let lengths = match &timing.clocks {
            _ if span == 1 => Lengths::Same(timing.r.min),
            Clocks::Slowest => Lengths::Same(timing.r.max),
            Clocks::Fastest => Lengths::Same(timing.r.min),
            Clocks::Fixed => Lengths::Each((0..n).map(|place| timing.r.min + once(Lane::Clock, place, span)).collect()),
            Clocks::List(list) => Lengths::Each(list.clone()),
            Clocks::Varying => Lengths::Varying(timing.r.min, span),
        };
        let longest = |place: usize| match &lengths {
            Lengths::Same(length) => *length,
            Lengths::Each(each) => each[place],
            Lengths::Varying(..) => timing.r.max,
        };
        let phases = match &timing.offsets {
            Offsets::Zero => Vec::new(),
            Offsets::Random => (0..n).map(|place| once(Lane::Phase, place, longest(place))).collect(),
            Offsets::List(list) => list.clone(),
        };
        let ticks = match &lengths {
            Lengths::Same(length) => Spread::same(*length, n),
            Lengths::Each(each) => Spread::of(each.iter().copied()),
            Lengths::Varying(..) => Spread::between(timing.r.min, timing.r.max, n),
        };
        let delays = match &timing.delays {
            Delays::Min => Spread::same(timing.d.min, n),
            Delays::Max => Spread::same(timing.d.max, n),
            Delays::List(list) => Spread::of(list.iter().copied()),
            _ => Spread::between(timing.d.min, timing.d.max, n),
        };
        let together = match &scenario.wakes {
            Wakes::All => true,
            Wakes::At(at) => at.iter().all(|&time| time.is_some() && time == at[0]),
        };
        let first_wake = match &scenario.wakes {
            Wakes::All => 0,
            Wakes::At(at) => at.iter().flatten().copied().min().unwrap_or(0),
        };
        Self { lengths, phases, ticks, delays, together, first_wake }
    }

    /// The numbers of the scenario that bounds and laws speak of.
    pub fn instance<'a>(&self, scenario: &'a Scenario) -> Instance<'a> {
        Instance {
            n: scenario.n as u64,
            ids: &scenario.ids,
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
            ports: scenario.ports,
        }
    }

    /// The offset of each place's first tick; empty where there is none.
    pub fn phases(&self) -> &[u64] {
        &self.phases
    }

    /// The tick length of each place, where it is fixed.
    pub fn tick_lengths(&self, n: usize) -> Option<Vec<u64>> {
        match &self.lengths {
            Lengths::Same(length) => Some(vec![*length; n]),
            Lengths::Each(each) => Some(each.clone()),
            Lengths::Varying(..) => None,
        }
    }
}

/// Not reached yet.
pub(crate) const ASLEEP: Time = Time::MAX;

/// When the ticks of each place fall.
pub(crate) struct Grid {
    lengths: Lengths,
    phases: Vec<u64>,
    /// The first tick of each place, [`ASLEEP`] before its first event.
    first: Vec<Time>,
}

impl Grid {
    pub(crate) fn new(resolved: Resolved, n: usize) -> Self {
        Self { lengths: resolved.lengths, phases: resolved.phases, first: vec![ASLEEP; n] }
    }

    /// Starts a place's clock at its first event; true if this is it.
    #[inline]
    pub(crate) fn touch(&mut self, place: Place, now: Time) -> bool {
        let first = &mut self.first[place as usize];
        let asleep = *first == ASLEEP;
        if asleep {
            *first = now.saturating_add(self.phases.get(place as usize).copied().unwrap_or(0));
        }
        asleep
    }

    /// Whether every length is drawn when it is needed.
    pub(crate) fn varying(&self) -> Option<(u64, u64)> {
        match self.lengths {
            Lengths::Varying(least, span) => Some((least, span)),
            _ => None,
        }
    }

    pub(crate) fn first(&self, place: Place) -> Time {
        self.first[place as usize]
    }

    fn length(&self, place: Place) -> u64 {
        match &self.lengths {
            Lengths::Same(length) => *length,
            Lengths::Each(each) => each[place as usize],
            Lengths::Varying(..) => unreachable!("there is no grid where every step is drawn afresh"),
        }
    }

    /// The k-th own tick after `now`, counting one that falls on `now` as past; `None` if that is never.
    pub(crate) fn after(&self, place: Place, now: Time, ticks: Ticks) -> Option<Time> {
        let (first, length) = (self.first[place as usize], self.length(place));
        if now < first {
            // Before the first tick, that tick is the first after now.
            return ticks.get()?.checked_sub(1)?.checked_mul(length)?.checked_add(first);
        }
        let last = now - (now - first) % length;
        last.checked_add(ticks.times(length)?)
    }

    /// The k-th own tick from `now` on, counting one that falls on `now`; `None` if that is never.
    pub(crate) fn from(&self, place: Place, now: Time, ticks: Ticks) -> Option<Time> {
        let later = ticks.get()?.checked_sub(1)?.checked_mul(self.length(place))?;
        self.at_or_after(place, now)?.checked_add(later)
    }

    /// The first own tick at or after `now`.
    pub(crate) fn at_or_after(&self, place: Place, now: Time) -> Option<Time> {
        let (first, length) = (self.first[place as usize], self.length(place));
        if now <= first {
            return Some(first);
        }
        (now - first).div_ceil(length).checked_mul(length)?.checked_add(first)
    }

    /// Own ticks since the first one; `None` where no length is fixed.
    pub(crate) fn elapsed(&self, place: Place, now: Time) -> Option<Ticks> {
        if self.varying().is_some() {
            return None;
        }
        Some(Ticks::new(now.saturating_sub(self.first[place as usize]) / self.length(place)))
    }

    pub(crate) fn bytes(&self) -> usize {
        let lengths = if let Lengths::Each(each) = &self.lengths { each.capacity() * 8 } else { 0 };
        lengths + (self.phases.capacity() + self.first.capacity()) * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(length: u64, phase: u64, woken: Time) -> Grid {
        let mut grid = Grid { lengths: Lengths::Same(length), phases: vec![phase], first: vec![ASLEEP] };
        grid.touch(0, woken);
        grid
    }

    #[test]
    fn ticks_fall_at_waking_plus_multiples_of_the_length() {
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
    fn a_phase_moves_the_first_tick() {
        // Woken at 7, first tick 3 later: 10, 15, 20, …
        let grid = grid(5, 3, 7);
        assert_eq!(grid.after(0, 7, Ticks::new(1)), Some(10));
        assert_eq!(grid.after(0, 7, Ticks::new(2)), Some(15));
        assert_eq!(grid.at_or_after(0, 8), Some(10));
    }

    #[test]
    fn what_overflows_is_never() {
        let grid = grid(5, 0, 7);
        assert_eq!(grid.after(0, 7, Ticks::NEVER), None);
        assert_eq!(grid.after(0, 7, Ticks::new(u64::MAX / 4)), None);
    }
}
