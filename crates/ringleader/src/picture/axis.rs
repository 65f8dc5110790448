//! The time axis: the height of times and steps.

use std::collections::BTreeMap;

use ringleader_model::Time;

use super::flow::Flow;

/// Time goes down evenly, with two exceptions, both marked. An instant in which messages are sent and handled gets room
/// for each level (see [`Flow::levels`]), so that causes are above their effects. And a stretch of time in which nothing
/// happens, or which is left out, may be broken: it is shorter than it should be.
pub(super) struct Axis {
    /// Every instant, its last level, and the levels of all instants before it.
    instants: Vec<(Time, u64, u64)>,
    /// By step, its level.
    levels: Vec<u64>,
    /// The stretches that are broken, in order.
    breaks: Vec<Break>,
    /// The units of time that a level is worth; none if time is strictly linear.
    stretch: u64,
    /// The units of time that a break is worth.
    gap: u64,
    /// In tenths of a pixel.
    pub(super) height: i64,
}

/// The scale of an axis.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// The height of a time.
    pub(super) height: u128,
    /// That time.
    pub(super) time: Time,
    /// The least height of all.
    pub(super) least: i64,
    /// The greatest height of all.
    pub(super) most: i64,
    /// Whether time is strictly linear: levels within an instant get no room of their own.
    pub(super) linear: bool,
}

/// A stretch of time that is shorter than it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Break {
    pub(super) from: Time,
    pub(super) to: Time,
}

/// The height of a level where time is strictly linear, if there is room before the next instant.
const LEVEL: i64 = 22;
/// The height of a break.
const GAP: i64 = 360;
/// A silent stretch of time is broken if it is longer than all other time together, this many times over.
const LONG: u64 = 2;

impl Axis {
    /// The axis of a run. What is left out is broken.
    pub(super) fn new(flow: &Flow<'_>, scale: Scale, left_out: Option<Break>) -> Self {
        let levels = flow.levels();
        let mut last: BTreeMap<Time, u64> = BTreeMap::new();
        for (step, &level) in flow.steps.iter().zip(&levels) {
            let depth = last.entry(step.time).or_default();
            *depth = level.max(*depth);
        }
        let mut before = 0;
        let mut instants = Vec::new();
        for (time, level) in last {
            instants.push((time, level, before));
            before += level;
        }
        let mut axis = Self { instants, levels, breaks: Vec::new(), stretch: 1, gap: 0, height: 0 };
        axis.breaks = axis.long_silences(left_out);
        let cut: u64 = axis.breaks.iter().map(|cut| cut.to - cut.from).sum();
        let even = axis.end() - axis.begin() - cut;
        axis.stretch = if scale.linear { 0 } else { (even / 40).max(1) };
        axis.gap = (axis.total() / 20).max(1) as u64;
        let wanted = axis.total().saturating_mul(scale.height) / u128::from(scale.time.max(1));
        axis.height = wanted.clamp(scale.least as u128, scale.most as u128) as i64;
        axis.gap = axis.even_gap();
        axis
    }

    /// The stretch that is left out, and silences much longer than everything else.
    fn long_silences(&self, left_out: Option<Break>) -> Vec<Break> {
        let mut breaks: Vec<Break> = left_out.into_iter().collect();
        let cut = |breaks: &[Break]| breaks.iter().map(|cut| cut.to - cut.from).sum::<u64>();
        loop {
            let rest = self.end() - self.begin() - cut(&breaks);
            let gaps = self.instants.windows(2).map(|pair| Break { from: pair[0].0, to: pair[1].0 });
            let longest = gaps.filter(|gap| !breaks.contains(gap)).max_by_key(|gap| gap.to - gap.from);
            match longest {
                Some(gap) if self.instants.len() > 4 && (gap.to - gap.from) / LONG > rest - (gap.to - gap.from) => {
                    breaks.push(gap);
                }
                _ => break,
            }
        }
        breaks.sort_by_key(|cut| cut.from);
        breaks
    }

    /// The units of time that make a break [`GAP`] high, given the height of all.
    fn even_gap(&self) -> u64 {
        let count = self.breaks.len() as u128;
        if count == 0 {
            return 0;
        }
        let rest = self.total() - count * u128::from(self.gap);
        let room = (self.height - GAP * count as i64).max(GAP) as u128;
        (rest * GAP as u128 / room).max(1) as u64
    }

    /// The first instant.
    pub(super) fn begin(&self) -> Time {
        self.instants.first().map_or(0, |&(time, ..)| time)
    }

    /// The last instant.
    pub(super) fn end(&self) -> Time {
        self.instants.last().map_or(0, |&(time, ..)| time)
    }

    /// The breaks, each with where it begins and ends.
    pub(super) fn breaks(&self) -> impl Iterator<Item = (Break, i64, i64)> {
        self.breaks.iter().map(|&cut| {
            let levels = self.instants.iter().find(|&&(time, ..)| time == cut.from).map_or(0, |&(_, level, _)| level);
            (cut, self.scaled(self.units(cut.from, levels)), self.time(cut.to))
        })
    }

    /// The height of the beginning of a time.
    pub(super) fn time(&self, time: Time) -> i64 {
        self.scaled(self.units(time, 0))
    }

    /// The instants that are drawn as if they took time, each with where it begins and ends.
    pub(super) fn stretched(&self) -> impl Iterator<Item = (Time, i64, i64)> {
        let least = if self.stretch > 0 { 1 } else { 2 };
        let several = self.instants.iter().filter(move |&&(_, level, _)| level >= least);
        several.map(|&(time, level, _)| (time, self.time(time), self.level(time, level)))
    }

    /// The height of a step, given its index.
    pub(super) fn step(&self, flow: &Flow<'_>, step: usize) -> i64 {
        self.level(flow.steps[step].time, self.levels[step])
    }

    /// The height of a level of an instant.
    fn level(&self, time: Time, level: u64) -> i64 {
        let y = self.scaled(self.units(time, level));
        let next = self.instants.partition_point(|&(instant, ..)| instant <= time);
        let levels = self.instants[next - 1].1 as i64 + 1;
        // A message that takes no time is drawn as such, unless others follow it in its instant.
        if self.stretch > 0 || levels <= 2 {
            return y;
        }
        let room = self.instants.get(next).map_or(LEVEL * levels, |&(time, ..)| self.time(time) - y);
        y + level as i64 * LEVEL.min(room / levels)
    }

    /// Times to label: 1, 2 or 5 times a power of ten apart, and far enough from each other to be read.
    pub(super) fn ticks(&self) -> Vec<Time> {
        let steps = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power).min(Time::MAX / 5)));
        let shown = self.end() - self.begin() - self.breaks.iter().map(|cut| cut.to - cut.from).sum::<u64>();
        let few = steps.filter(|step| shown / step <= 60);
        let mut ticks = few.map(|step| self.multiples(step));
        let apart = |ticks: &Vec<Time>| ticks.windows(2).all(|pair| self.time(pair[1]) - self.time(pair[0]) >= 320);
        ticks.find(apart).filter(|ticks| !ticks.is_empty()).unwrap_or_else(|| vec![self.begin()])
    }

    /// The multiples of a time that are shown, those in a break left out.
    fn multiples(&self, step: Time) -> Vec<Time> {
        let starts = [self.begin()].into_iter().chain(self.breaks.iter().map(|cut| cut.to));
        let stops = self.breaks.iter().map(|cut| cut.from).chain([self.end()]);
        let stretches = starts.zip(stops);
        stretches.flat_map(|(from, to)| from.div_ceil(step)..=to / step).map(|tick| tick * step).collect()
    }

    fn units(&self, time: Time, level: u64) -> u128 {
        let passed = self.instants.partition_point(|&(instant, ..)| instant < time);
        let all = || self.instants.last().map_or(0, |&(_, level, before)| before + level);
        let before = self.instants.get(passed).map_or_else(all, |&(.., before)| before);
        let mut even = u128::from(time - self.begin());
        for cut in self.breaks.iter().filter(|cut| cut.from < time) {
            let (inside, whole) = (time.min(cut.to) - cut.from, cut.to - cut.from);
            even -= u128::from(inside);
            even += u128::from(self.gap) * u128::from(inside) / u128::from(whole);
        }
        even + u128::from(self.stretch) * u128::from(before + level)
    }

    fn total(&self) -> u128 {
        self.units(self.end(), self.instants.last().map_or(0, |&(_, level, _)| level)).max(1)
    }

    fn scaled(&self, units: u128) -> i64 {
        (units * self.height as u128 / self.total()) as i64
    }
}

#[cfg(test)]
mod tests {
    use ringleader_sim::Cause;

    use super::super::samples::{receive, send, step, timeout};
    use super::*;

    const SCALE: Scale = Scale { height: 260, time: 1, least: 0, most: 4_000, linear: false };

    #[test]
    fn an_instant_is_as_high_as_its_passes() {
        let steps =
            [step(5, 0, Cause::Wake, &[send(1, 1)]), step(5, 1, receive(1, 0), &[]), step(8, 0, timeout(), &[])];
        let flow = Flow::new(&steps);
        let axis = Axis::new(&flow, SCALE, None);
        assert_eq!(axis.height, 4 * 260, "three units of time and one level");
        assert_eq!([0, 1, 2].map(|index| axis.step(&flow, index)), [0, 260, 1_040]);
        assert_eq!([5, 6, 7, 8].map(|time| axis.time(time)), [0, 520, 780, 1_040], "equal times are equally high");
        assert_eq!(axis.stretched().collect::<Vec<_>>(), [(5, 0, 260)], "except for that instant");
        assert_eq!(axis.ticks(), [6, 8], "every unit would be too close");
    }

    #[test]
    fn strictly_linear_time_has_several_passes_only_where_there_is_room() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1)]),
            step(0, 1, receive(1, 0), &[send(2, 0)]),
            step(0, 0, receive(2, 1), &[]),
            step(10, 0, timeout(), &[send(3, 1)]),
            step(10, 1, receive(3, 0), &[]),
        ];
        let flow = Flow::new(&steps);
        let high = |height| {
            let axis = Axis::new(&flow, Scale { height, linear: true, ..SCALE }, None);
            assert_eq!(axis.stretched().map(|(time, ..)| time).collect::<Vec<_>>(), [0], "at 10 there is one level");
            [0, 1, 2, 3, 4].map(|index| axis.step(&flow, index))
        };
        assert_eq!(high(100), [0, 22, 44, 1_000, 1_000]);
        assert_eq!(high(3), [0, 10, 20, 30, 30]);
    }

    #[test]
    fn long_runs_have_few_ticks_and_a_single_instant_has_one() {
        let steps = [step(0, 0, Cause::Wake, &[]), step(1 << 60, 0, timeout(), &[])];
        let axis = Axis::new(&Flow::new(&steps), SCALE, None);
        let wide = 100_000_000_000_000_000;
        assert_eq!(axis.ticks(), (0..=11).map(|tick| tick * wide).collect::<Vec<_>>());
        let alone = Axis::new(&Flow::new(&steps[1..]), Scale { least: 100, ..SCALE }, None);
        assert_eq!((alone.ticks(), alone.height), (vec![1 << 60], 260));
    }

    #[test]
    fn a_silence_longer_than_all_the_rest_is_broken() {
        let times = [0, 1_000, 2_000, 1_000_000, 1_001_000, 1_002_000];
        let steps = times.map(|time| step(time, 0, timeout(), &[]));
        let flow = Flow::new(&steps);
        let axis = Axis::new(&flow, SCALE, None);
        assert_eq!(axis.breaks().map(|(cut, ..)| cut).collect::<Vec<_>>(), [Break { from: 2_000, to: 1_000_000 }]);
        let ys: Vec<_> = (0..6).map(|index| axis.step(&flow, index)).collect();
        assert_eq!((ys[0], ys[5]), (0, axis.height));
        assert!((ys[2] - ys[0]).abs_diff(ys[5] - ys[3]) <= 1, "time is as high before as after: {ys:?}");
        assert!(((ys[3] - ys[2]) - GAP).abs() <= 2, "the break is short: {ys:?}");
        assert_eq!(axis.ticks().iter().filter(|&&tick| 2_000 < tick && tick < 1_000_000).count(), 0);
    }
}
