//! The scenarios that can be explored with clocks.

use ringleader_model::{BadSetting, Clocks, Delays, Faults, Offsets, Place, Ports, Reading, Scenario, Ties};

use crate::port_numbering::MAX_PORTS;

/// The greatest number of combinations of tick lengths that is explored.
const MAX_INITIAL_STATES: u64 = 1 << 16;

/// Refuses scenarios that cannot be explored with clocks.
pub(super) fn refuse(scenario: &Scenario) -> Result<(), BadSetting> {
    let timing = &scenario.timing;
    if scenario.ports == Ports::All && scenario.n as u32 > MAX_PORTS {
        return Err(BadSetting::new("ports", "is all", format!("up to {MAX_PORTS} ports")));
    }
    if scenario.links.is_half_duplex() {
        let wrong = format!("are {}", scenario.links.name());
        return Err(BadSetting::new("links", wrong, "fifo or any where there are clocks, or no clocks (untimed)"));
    }
    let at_most = scenario.faults.at_most;
    if scenario.faults.is_planned() {
        return Err(BadSetting::new("faults", "are fixed in time, or by a share", Faults::COUNTED));
    }
    if at_most.pauses > 0 && timing.reading != Reading::PerStep {
        let wrong = format!("may be pauses, and reading is {}", timing.reading.name());
        return Err(BadSetting::new("faults", wrong, "none, or reading per-step, where a pause is a long tick"));
    }
    if !at_most.is_nothing() && timing.d.min == 0 {
        return Err(BadSetting::new(
            "faults",
            "are given, and d_min is 0",
            "none, or messages that take at least a unit",
        ));
    }
    if scenario.ties == Ties::Either && timing.d.min == 0 {
        return Err(BadSetting::new("ties", "are both, and d_min is 0", "sim, or messages that take at least a unit"));
    }
    let varies = timing.clocks == Clocks::Varying && timing.r.min < timing.r.max;
    if varies && timing.reading != Reading::PerStep {
        let wrong = format!("are varying, and reading is {}", timing.reading.name());
        return Err(BadSetting::new("clocks", wrong, "fixed, or reading per-step"));
    }
    let lengths = timing.r.max - timing.r.min + 1;
    let few = |power: u32| lengths.checked_pow(power).is_some_and(|combinations| combinations <= MAX_INITIAL_STATES);
    if timing.clocks == Clocks::Fixed && !few(scenario.n as u32) {
        let wrong = format!("has {lengths} lengths, for {} clocks", scenario.n);
        return Err(BadSetting::new(
            "r",
            wrong,
            format!("at most {MAX_INITIAL_STATES} combinations of lengths, or varying clocks"),
        ));
    }
    if !matches!(timing.delays, Delays::Uniform | Delays::Min | Delays::Max) {
        let wrong = format!("are {}", timing.delays.name());
        return Err(BadSetting::new("delays", wrong, "uniform, min or max: every delay in d is explored"));
    }
    if matches!(timing.offsets, Offsets::List(_)) {
        return Err(BadSetting::new("offsets", "are a list", "zero: every offset of a first tick is explored"));
    }
    Ok(())
}

/// The least and the greatest length of a tick, for every length that may be fixed.
pub(super) fn tick_lengths(scenario: &Scenario, place: Place) -> Vec<(u64, u64)> {
    let r = scenario.timing.r;
    match &scenario.timing.clocks {
        Clocks::Varying => vec![(r.min, r.max)],
        Clocks::Fixed => (r.min..=r.max).map(|length| (length, length)).collect(),
        Clocks::Slowest => vec![(r.max, r.max)],
        Clocks::Fastest => vec![(r.min, r.min)],
        Clocks::List(list) => vec![(list[place as usize], list[place as usize])],
    }
}
