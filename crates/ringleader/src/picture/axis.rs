//! How far down a time is.

use std::collections::BTreeMap;

use ringleader_model::Time;

use super::flow::Flow;

/// Time goes down evenly, except that an instant in which messages are sent and handled gets room for each pass: what
/// comes later is never drawn beside what led to it.
pub(super) struct Axis {
    /// Every instant, its last pass, and the passes of all instants before it.
    instants: Vec<(Time, u64, u64)>,
    /// By step, its pass.
    passes: Vec<u64>,
    /// How many units of time a pass is worth.
    stretch: u64,
    /// In tenths of a pixel.
    pub(super) height: i64,
}

impl Axis {
    /// The axis of a run, between these heights.
    pub(super) fn new(flow: &Flow<'_>, least: i64, most: i64) -> Self {
        let passes = flow.passes();
        let mut last: BTreeMap<Time, u64> = BTreeMap::new();
        for (step, &pass) in flow.steps.iter().zip(&passes) {
            let depth = last.entry(step.time).or_default();
            *depth = pass.max(*depth);
        }
        let mut before = 0;
        let mut instants = Vec::new();
        for (time, pass) in last {
            instants.push((time, pass, before));
            before += pass;
        }
        let mut axis = Self { instants, passes, stretch: 1, height: 0 };
        axis.stretch = ((axis.end() - axis.begin()) / 40).max(1);
        axis.height = (axis.total() * 260).clamp(least as u128, most as u128) as i64;
        axis
    }

    /// The first instant.
    pub(super) fn begin(&self) -> Time {
        self.instants.first().map_or(0, |&(time, ..)| time)
    }

    /// The last instant.
    pub(super) fn end(&self) -> Time {
        self.instants.last().map_or(0, |&(time, ..)| time)
    }

    /// Where the beginning of a time is.
    pub(super) fn time(&self, time: Time) -> i64 {
        self.scaled(self.units(time, 0))
    }

    /// Where a step is, given its index.
    pub(super) fn step(&self, flow: &Flow<'_>, step: usize) -> i64 {
        self.scaled(self.units(flow.steps[step].time, self.passes[step]))
    }

    /// Times to label: 1, 2 or 5 times a power of ten apart, and far enough from each other to be read.
    pub(super) fn ticks(&self) -> Vec<Time> {
        let steps = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power).min(Time::MAX / 5)));
        let few = steps.filter(|step| (self.end() - self.begin()) / step <= 60);
        let mut ticks = few
            .map(|step| (self.begin().div_ceil(step)..=self.end() / step).map(|tick| tick * step).collect::<Vec<_>>());
        let apart = |ticks: &Vec<Time>| ticks.windows(2).all(|pair| self.time(pair[1]) - self.time(pair[0]) >= 320);
        ticks.find(apart).filter(|ticks| !ticks.is_empty()).unwrap_or_else(|| vec![self.begin()])
    }

    fn units(&self, time: Time, pass: u64) -> u128 {
        let passed = self.instants.partition_point(|&(instant, ..)| instant < time);
        let all = || self.instants.last().map_or(0, |&(_, pass, before)| before + pass);
        let before = self.instants.get(passed).map_or_else(all, |&(.., before)| before);
        u128::from(time - self.begin()) + u128::from(self.stretch) * u128::from(before + pass)
    }

    fn total(&self) -> u128 {
        self.units(self.end(), self.instants.last().map_or(0, |&(_, pass, _)| pass)).max(1)
    }

    fn scaled(&self, units: u128) -> i64 {
        (units * self.height as u128 / self.total()) as i64
    }
}

#[cfg(test)]
mod tests {
    use ringleader_sim::Cause;

    use super::super::flow::tests::{receive, send, step, timeout};
    use super::*;

    #[test]
    fn an_instant_is_as_high_as_its_passes() {
        let steps =
            [step(5, 0, Cause::Wake, &[send(1, 1)]), step(5, 1, receive(1, 0), &[]), step(8, 0, timeout(), &[])];
        let flow = Flow::new(&steps);
        let axis = Axis::new(&flow, 0, 4_000);
        assert_eq!(axis.height, 4 * 260, "three units of time and one pass");
        assert_eq!([0, 1, 2].map(|index| axis.step(&flow, index)), [0, 260, 1_040]);
        assert_eq!(axis.ticks(), [6, 8], "every unit would be too close");
    }

    #[test]
    fn long_runs_have_few_ticks_and_a_single_instant_has_one() {
        let steps = [step(0, 0, Cause::Wake, &[]), step(1 << 60, 0, timeout(), &[])];
        let axis = Axis::new(&Flow::new(&steps), 0, 4_000);
        let wide = 100_000_000_000_000_000;
        assert_eq!(axis.ticks(), (0..=11).map(|tick| tick * wide).collect::<Vec<_>>());
        let alone = Axis::new(&Flow::new(&steps[1..]), 100, 4_000);
        assert_eq!((alone.ticks(), alone.height), (vec![1 << 60], 260));
    }
}
