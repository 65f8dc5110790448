//! Clocks whose tick lengths change with time.
//!
//! A tick has the length that is in force when it begins, so that the grid of ticks goes on without a jump: the first tick
//! that begins at the time of a change or later is the first of the new length.

use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{Place, Ticks, Time};

use crate::clock::TickLengths;

/// Tick lengths that change with time.
#[derive(Clone, Hash, Debug)]
pub(crate) struct ChangingLengths {
    /// From when on which are in force; the first from 0.
    periods: Vec<(Time, TickLengths)>,
    /// The ticks of places before their grids began anew.
    skipped: Vec<(Place, u64)>,
}

impl ChangingLengths {
    /// Tick lengths, and those of later times, if there are any.
    pub(crate) fn following(first: TickLengths, later: impl Iterator<Item = (Time, TickLengths)>) -> TickLengths {
        let mut later = later.peekable();
        if later.peek().is_none() {
            return first;
        }
        let mut periods = vec![(0, first)];
        periods.extend(later);
        // Clocks that vary have no grid, and get none where their range has one value for a while.
        let varies = periods.iter().any(|(_, lengths)| matches!(lengths, TickLengths::Varying(..)));
        for (_, lengths) in periods.iter_mut().filter(|_| varies) {
            if let TickLengths::Same(length) = *lengths {
                *lengths = TickLengths::Varying(length, 1);
            }
        }
        TickLengths::Changing(Self { periods, skipped: Vec::new() })
    }

    /// Those of each period.
    pub(crate) fn periods(&self) -> impl Iterator<Item = &TickLengths> {
        self.periods.iter().map(|(_, lengths)| lengths)
    }

    /// The minimum and the number of values over the whole run, if the length of every step is drawn when it is needed.
    pub(crate) fn varying(&self) -> Option<(u64, u64)> {
        let ranges = self.periods().map(|lengths| match lengths {
            TickLengths::Varying(least, span) => Some((*least, least + span)),
            _ => None,
        });
        let hull = ranges.reduce(|all, range| Some((all?.0.min(range?.0), all?.1.max(range?.1))))??;
        Some((hull.0, hull.1 - hull.0))
    }

    /// The minimum and the number of values of steps that begin at a time, and when others follow.
    pub(crate) fn varying_at(&self, time: Time) -> ((u64, u64), Option<Time>) {
        let next = self.periods.partition_point(|(from, _)| *from <= time);
        match &self.periods[next - 1].1 {
            TickLengths::Varying(least, span) => ((*least, *span), self.periods.get(next).map(|(from, _)| *from)),
            _ => unreachable!("asked of clocks that vary"),
        }
    }

    /// The tick length of a place in each period, and the end of the period.
    fn of_place(&self, place: Place) -> impl Iterator<Item = (u64, Time)> {
        let ends = self.periods[1..].iter().map(|(from, _)| *from).chain([Time::MAX]);
        self.periods().map(move |lengths| lengths.longest(place as usize)).zip(ends)
    }

    /// A number of ticks after a tick.
    fn advance(&self, place: Place, mut tick: Time, mut ticks: u64) -> Option<Time> {
        for (length, end) in self.of_place(place) {
            // The number of ticks that begin in this period.
            let fit = end.saturating_sub(tick).div_ceil(length);
            if ticks <= fit {
                return tick.checked_add(ticks.checked_mul(length)?);
            }
            tick = tick.checked_add(fit.checked_mul(length)?)?;
            ticks -= fit;
        }
        None
    }

    /// The number of ticks since `first` that begin before a time, and the first that does not.
    fn before(&self, place: Place, first: Time, time: Time) -> Option<(u64, Time)> {
        let (mut count, mut tick) = (0, first);
        for (length, end) in self.of_place(place) {
            let fit = end.min(time).saturating_sub(tick).div_ceil(length);
            count += fit;
            tick = tick.checked_add(fit.checked_mul(length)?)?;
        }
        Some((count, tick))
    }

    /// The first tick at or after `now`.
    pub(crate) fn at_or_after(&self, place: Place, first: Time, now: Time) -> Option<Time> {
        self.before(place, first, now).map(|(_, tick)| tick)
    }

    /// The k-th tick from `now` on, counting a tick at `now`.
    pub(crate) fn from(&self, place: Place, first: Time, now: Time, ticks: Ticks) -> Option<Time> {
        self.advance(place, self.at_or_after(place, first, now)?, ticks.get()?.checked_sub(1)?)
    }

    /// The k-th tick after `now`, not counting a tick at `now`.
    pub(crate) fn after(&self, place: Place, first: Time, now: Time, ticks: Ticks) -> Option<Time> {
        self.from(place, first, now.checked_add(1)?, ticks)
    }

    /// The number of ticks since the first one.
    pub(crate) fn elapsed(&self, place: Place, first: Time, now: Time) -> u64 {
        let skipped = self.skipped.iter().find(|(other, _)| *other == place).map_or(0, |(_, ticks)| *ticks);
        let begun = self.before(place, first, now.saturating_add(1)).map_or(0, |(count, _)| count);
        (skipped + begun).saturating_sub(1)
    }

    /// The first tick at or after `now`, with which the grid of a place that begins at `first` is to begin anew.
    pub(crate) fn skip_to(&mut self, place: Place, first: Time, now: Time) -> Time {
        let Some((count, tick)) = self.before(place, first, now) else { return first };
        match self.skipped.iter_mut().find(|(other, _)| *other == place) {
            Some((_, ticks)) => *ticks += count,
            None => self.skipped.push((place, count)),
        }
        tick
    }

    /// The grid of a place begins anew, with a new count.
    pub(crate) fn forget(&mut self, place: Place) {
        self.skipped.retain(|(other, _)| *other != place);
    }

    /// When a tick of a place comes, if all from `now` on come later: as many ticks after the next one as before.
    pub(crate) fn postponed(&self, place: Place, first: Time, now: Time, by: u64, tick: Time) -> Option<Time> {
        let next = self.at_or_after(place, first, now)?;
        let (between, _) = self.before(place, next, tick)?;
        self.advance(place, next.checked_add(by)?, between)
    }
}
