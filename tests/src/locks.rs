//! Scenarios of locks, and the entries of their runs.

use ringleader::model::{
    Clocks, Delays, Links, Milestone, Offsets, Place, Ports, Range, Reading, Scenario, Time, Timing, Wakes, Workload,
};
use ringleader::sim::{Run, Step};

use crate::Draw;

/// Sites of a complete network that make requests, with any clocks, delays, offsets and order of messages. Steps of varying
/// length are taken one by one, so there are few of them.
pub fn any_scenario(draw: &mut Draw, n: usize, readings: &[Reading]) -> Scenario {
    let least = draw.between(1, 8);
    let r = Range::new(least, least + draw.one_of(&[0, 0, 1, 3, 2 * least]));
    let longest = draw.one_of(&[0, 1, 5, 40]);
    let d = Range::new(draw.between(0, longest), longest);
    let clocks = if draw.once_in(6) {
        Clocks::Varying
    } else {
        let listed = Clocks::List(draw.list(n, r));
        draw.one_of(&[Clocks::Fixed, Clocks::Slowest, Clocks::Fastest, listed])
    };
    let delays = if draw.once_in(2) { Delays::Uniform } else { draw.one_of(&Delays::NAMED) };
    let offsets = draw.one_of(&[Offsets::Zero, Offsets::Random]);
    let timing = Timing { r, d, reading: draw.one_of(readings), clocks, delays, offsets, changes: Vec::new() };
    let latest = draw.one_of(&[0, 3, 50, 500]);
    Scenario {
        n,
        ids: draw.wide_ids(n),
        wakes: Wakes::At((0..n).map(|_| Some(draw.between(0, latest))).collect()),
        workload: Some(load(draw, n)),
        timing,
        links: draw.one_of(&[Links::Any, Links::Any, Links::Fifo]),
        ports: if draw.once_in(2) { Ports::Plain } else { Ports::Shuffled(draw.below(1000)) },
        seed: draw.below(1 << 40),
        ..Scenario::default()
    }
}

fn load(draw: &mut Draw, n: usize) -> Workload {
    let compete = if draw.once_in(3) { draw.between(1, n as u64) as usize } else { n };
    let range = |draw: &mut Draw, least, greatest| {
        let least = draw.between(least, greatest);
        Range::new(least, least + draw.one_of(&[0, 0, 5]))
    };
    let longest = draw.one_of(&[1, 3, 20, 200]);
    let (think, hold) = (range(draw, 0, longest - 1), range(draw, 1, longest));
    Workload { entries: draw.between(1, 40), compete, think, hold, ..Workload::new(n) }
}

/// Lets some sites crash, at random times of the run that there is without crashes.
pub fn crashing(draw: &mut Draw, scenario: &Scenario, end: Time) -> Scenario {
    let mut crashing = scenario.clone();
    for place in 0..scenario.n as Place {
        if draw.once_in(3) {
            crashing.faults.crashes.push((place, draw.between(0, end)));
        }
    }
    crashing
}

/// The number of entries of all sites.
pub fn entries(scenario: &Scenario) -> u64 {
    let load = scenario.workload.as_ref().expect("sites ask");
    (0..scenario.n as Place).map(|place| load.asks(place)).sum()
}

/// Runs to the end; gives the steps.
pub fn steps(run: &mut dyn Run) -> Vec<Step> {
    run.log();
    while !run.advance(1 << 16) {}
    run.take_log()
}

/// An entry to the critical section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SiteEntry {
    /// When the user asked.
    pub asked: Time,
    /// When it entered.
    pub entered: Time,
    /// When it left.
    pub left: Time,
    /// Negative replies; 0 where the protocol has none.
    pub negatives: u64,
}

/// The entries of each place that are over, in order.
pub fn completed_entries(steps: &[Step], n: usize) -> Vec<Vec<SiteEntry>> {
    let mut completed = vec![Vec::new(); n];
    let mut present = vec![SiteEntry { asked: 0, entered: 0, left: 0, negatives: 0 }; n];
    for step in steps {
        let place = step.place as usize;
        for milestone in step.milestones() {
            match milestone {
                Milestone::Requested => present[place].asked = step.time,
                Milestone::Entered { negatives } => {
                    present[place].entered = step.time;
                    present[place].negatives = negatives.map_or(0, u64::from);
                }
                Milestone::Left => completed[place].push(SiteEntry { left: step.time, ..present[place] }),
                _ => {}
            }
        }
    }
    completed
}
