//! Both engines take the stages of an instant in the same order: every run that this crate explores is the same in the
//! simulator.

use std::collections::BTreeSet;

use ringleader_model::{
    Clocks, Effects, Election, ElectionReport, Event, Id, Offsets, Place, Port, Preset, Processor, Range, Reading,
    Ring, Scenario, Ticks, Ties, Timing, Wakes,
};
use ringleader_sim::{Choices, Full, Run, Simulation};
use serde::Serialize;

use super::{RandomWalk, random_walk};
use crate::answer::Wakers;
use crate::choices::all_paths;
use crate::test_protocols::{DESCRIPTION, ToyMessage, toy_protocol};

/// Every processor records its events and reports them; the monitor records the order of all reports.
#[derive(Clone)]
struct Recorders;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
struct Recorder {
    events: Vec<u64>,
}

const WAKE: u64 = 1;
const RECEIVE: u64 = 2;
const TIMEOUT: u64 = 3;

toy_protocol!(Recorders: Recorder, Ring, DESCRIPTION, |self| Recorder { events: Vec::new() });

impl Processor for Recorder {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = Recorders;

    /// Sends a message and sets a timer of one tick when it wakes up and when that timer fires; sets a timer of 0 ticks
    /// and one of one tick when it receives a message.
    fn step(&mut self, _: &Recorders, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let event = match event {
            Event::Receive(..) => {
                fx.set_timer(0, Ticks::new(0));
                fx.set_timer(1, Ticks::ONE);
                RECEIVE
            }
            Event::Timeout(timer) => {
                if timer == 2 {
                    fx.send(Port(0), ToyMessage(1));
                }
                TIMEOUT + u64::from(timer)
            }
            _ => {
                fx.send(Port(0), ToyMessage(0));
                fx.set_timer(2, Ticks::ONE);
                WAKE
            }
        };
        self.events.push(event);
        fx.report(ElectionReport::Elected(Some(Id::new(event))));
    }
}

/// The run of the simulator that follows a random walk; `None` where no processor wakes up.
fn simulated(scenario: &Scenario, walk: &RandomWalk<Recorder>) -> Option<Simulation<Recorders, Full>> {
    let schedule = walk.schedule.clone();
    schedule.wakes.iter().flatten().next()?;
    let timing = Timing {
        offsets: Offsets::List(schedule.offsets),
        clocks: schedule.ticks.map_or(Clocks::Varying, Clocks::List),
        ..scenario.timing.clone()
    };
    let scenario = Scenario { timing, wakes: Wakes::At(schedule.wakes), ..scenario.clone() };
    let choices = Choices::Scheduled(schedule.choices);
    let mut run = Simulation::<Recorders, Full>::new(Recorders, &scenario, choices).expect("it can be run");
    run.stop_after(schedule.until);
    while !run.advance(1000) {}
    assert_eq!((run.bad_choice(), run.unanswered()), (None, 0));
    Some(run)
}

/// Compares every run of a number of instants in both engines; returns the orders of events, by place.
fn compare(scenario: &Scenario, instants: usize) -> BTreeSet<Vec<Recorder>> {
    let walks = all_paths(|choices| {
        let mut choose = |count: usize| choices.scheduler_choice(count as u32) as usize;
        random_walk(Recorders, scenario, &Wakers::Anybody, instants, &mut choose).expect("it can be explored")
    });
    let mut orders = BTreeSet::new();
    for walk in walks.into_iter().map(|leaf| leaf.result) {
        let Some(run) = simulated(scenario, &walk) else { continue };
        let processors: Vec<_> = (0..scenario.n as Place).map(|place| run.processor(place).clone()).collect();
        let explored: Vec<_> = walk.processors.iter().flatten().cloned().collect();
        assert_eq!(processors, explored, "{scenario:?} {:?}", walk.schedule);
        let summary = run.summary();
        assert_eq!(summary.outcome, walk.outcome, "{scenario:?} {:?}", walk.schedule);
        assert_eq!(summary.cost.messages(), walk.messages, "{scenario:?} {:?}", walk.schedule);
        orders.insert(processors);
    }
    orders
}

fn scenario(d: (u64, u64), reading: Reading, clocks: Clocks, ties: Ties) -> Scenario {
    let timing =
        Timing { r: Range::new(1, 2), d: Range::new(d.0, d.1), reading, clocks, ..Preset::Unit.timing(reading) };
    Scenario { n: 2, timing, ties, ..Scenario::default() }
}

#[test]
fn both_engines_take_the_stages_of_an_instant_in_the_same_order() {
    for reading in [Reading::Immediate, Reading::PerTick, Reading::PerStep] {
        let clocks = || if reading == Reading::PerStep { Clocks::Varying } else { Clocks::Fixed };
        compare(&scenario((0, 0), reading, clocks(), Ties::Ruled), 3);
        let ruled = compare(&scenario((1, 1), reading, clocks(), Ties::Ruled), 4);
        let either = compare(&scenario((1, 1), reading, clocks(), Ties::Either), 4);
        assert!(!either.is_subset(&ruled), "the outcome depends on the order: {reading:?}");
    }
}
