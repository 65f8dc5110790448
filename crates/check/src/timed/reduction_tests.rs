//! Random locks with clocks, explored with and without reductions: same verdicts, shortest counterexamples and message
//! passes, and counterexamples that the simulator follows.

use core::fmt::Debug;
use std::collections::BTreeSet;

use ringleader_model::{
    Assumptions, AtMost, Clocks, Complete, Description, Effects, EntryReport, EntryRequest, Event, Faults, Links,
    MutualExclusion, Offsets, Port, Preset, Processor, Protocol, Range, Reading, Scenario, Share, Ticks, Ties, Timing,
    Wakes, Workload,
};
use ringleader_sim::{Choices, Full, Run, Simulation};
use serde::Serialize;

use super::TimedSystem;
use crate::answer::{TimedSchedule, Wakers};
use crate::compared_reductions::{ReductionComparison, compare};
use crate::program::TypedProgram;
use crate::reductions::{Reduction, Reductions};
use crate::test_protocols::{ASSUMPTIONS, DESCRIPTION, ToyMessage, rolls, toy_protocol};
use crate::transition_system::{Successors, TransitionSystem, fingerprint};
use crate::{Answer, Property, Schedule};

/// A lock whose rules are drawn from a seed.
#[derive(Clone, Copy, Debug)]
struct RandomLock {
    seed: u64,
    /// Others beside a site.
    ports: u32,
    /// Messages that a site may send.
    sends: u32,
    /// Some steps draw a random number.
    coins: bool,
    /// Some messages are handled on arrival.
    urgent: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct RandomSite {
    memory: u64,
    sends: u32,
    stage: SiteStage,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
enum SiteStage {
    Remainder,
    Trying,
    Critical,
    Exit,
}

pub(super) const LOCK: Description = Description {
    assumptions: Assumptions {
        links: Links::Any,
        readings: &[Reading::PerStep, Reading::Immediate],
        preset: Preset::Archimedean,
        ..ASSUMPTIONS
    },
    ..DESCRIPTION
};

toy_protocol!(RandomLock: RandomSite, Complete, LOCK, |self| RandomSite {
    memory: 0,
    sends: self.sends,
    stage: SiteStage::Remainder,
});

impl Processor for RandomSite {
    type Problem = MutualExclusion;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = RandomLock;

    fn step(&mut self, lock: &RandomLock, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let code = match event {
            Event::Wake => 0,
            Event::Call(EntryRequest::Acquire) => {
                self.stage = SiteStage::Trying;
                fx.report(EntryReport::Requested);
                1
            }
            Event::Call(EntryRequest::Release) => {
                self.stage = SiteStage::Exit;
                2
            }
            Event::Timeout(timer) => 3 + u64::from(timer),
            Event::Receive(port, message) => 5 + 4 * u64::from(port.0) + u64::from(message.0),
        };
        let mut roll = rolls(lock.seed << 16 ^ self.memory << 8 ^ code);
        self.memory = roll(3);
        if lock.coins && roll(3) == 0 && fx.choose(2) == 1 {
            self.memory = roll(3);
        }
        for port in 0..lock.ports {
            if self.sends > 0 && roll(2) == 0 {
                self.sends -= 1;
                fx.send(Port(port), ToyMessage(roll(3) as u32));
            }
        }
        match roll(5) {
            0 => fx.set_timer(0, Ticks::new(1 + roll(2))),
            1 => fx.set_timer(1, Ticks::new(roll(2))),
            2 => fx.cancel_timer(0),
            _ => {}
        }
        match self.stage {
            SiteStage::Trying if roll(2) > 0 => {
                self.stage = SiteStage::Critical;
                fx.report(EntryReport::Entered { negatives: None });
            }
            SiteStage::Exit if roll(4) > 0 => {
                self.stage = SiteStage::Remainder;
                fx.report(EntryReport::Left);
            }
            _ => {}
        }
    }

    fn urgent(&self, lock: &RandomLock, message: &ToyMessage) -> bool {
        lock.urgent && message.0 == 0 && self.memory == 1
    }
}

fn draw(seed: u64) -> (RandomLock, Scenario) {
    let mut roll = rolls(seed ^ 0x5EED);
    let three = roll(6) == 0;
    let n = if three { 3 } else { 2 };
    let sends = if three { 1 } else { 1 + roll(3) as u32 };
    let lock = RandomLock { seed, ports: n as u32 - 1, sends, coins: roll(4) == 0, urgent: roll(8) == 0 };
    let (r, d) = (1 + roll(2), 1 + roll(2));
    let (r, d) = (Range::new(roll(r) + 1, r), Range::new(roll(d) + 1, d));
    let clocks = if roll(4) == 0 { Clocks::Fixed } else { Clocks::Varying };
    let timing = Timing { r, d, clocks, reading: Reading::PerStep, ..Preset::Unit.timing(Reading::PerStep) };
    let ties = if roll(3) == 0 { Ties::Ruled } else { Ties::Either };
    let links = if roll(3) == 0 { Links::Fifo } else { Links::Any };
    let compete = 1 + roll(2) as usize;
    let workload = Some(Workload { entries: 1, compete, ..Workload::new(n) });
    (lock, Scenario { n, timing, ties, links, workload, ..Scenario::default() })
}

/// A lock whose messages are handled on arrival and may take no time. Some sites have no user.
fn draw_without_delays(seed: u64) -> (RandomLock, Scenario) {
    let mut roll = rolls(seed ^ 0xD0);
    let n = 2 + roll(2) as usize;
    let lock = RandomLock { seed, ports: n as u32 - 1, sends: 1, coins: roll(4) == 0, urgent: false };
    let shortest = 1 + roll(2);
    let (r, d) = (Range::new(shortest, 2 + roll(2)), Range::new(0, roll(2)));
    let timing = Timing { r, d, clocks: Clocks::Fixed, ..Preset::Unit.timing(Reading::Immediate) };
    let links = if roll(2) == 0 { Links::Fifo } else { Links::Any };
    let workload = Some(Workload { entries: 1, compete: n - 1, ..Workload::new(n) });
    (lock, Scenario { n, timing, ties: Ties::Ruled, links, workload, ..Scenario::default() })
}

/// A lock with faults of some kinds.
fn draw_with_faults(seed: u64) -> (RandomLock, Scenario) {
    let mut roll = rolls(seed ^ 0xFA);
    let (lock, scenario) = draw(seed);
    let none = AtMost::default();
    let at_most = match roll(8) {
        0 => AtMost { restarts: 1, ..none },
        1 => AtMost { crashes: 1, restarts: 1, ..none },
        2 => AtMost { cuts: 1, ..none },
        3 => AtMost { losses: 1, ..none },
        4 => AtMost { duplicates: 1, ..none },
        5 => AtMost { crashes: 1, losses: 1, ..none },
        6 => AtMost { restarts: 1, cuts: 1, ..none },
        _ => AtMost { crashes: 1, duplicates: 1, pauses: 1, ..none },
    };
    let lock = RandomLock { ports: 1, sends: 1 + roll(2) as u32, ..lock };
    let workload = scenario.workload.map(|load| Workload { compete: load.compete, ..Workload::new(2) });
    let faults = Faults { at_most, ..Faults::default() };
    (lock, Scenario { n: 2, workload, faults, ..scenario })
}

/// The faults of a schedule, fixed in time.
fn planned(schedule: &TimedSchedule, at_most: AtMost) -> Faults {
    let half = |most: u32| (most > 0).then_some(Share { part: 1, whole: 2 });
    let TimedSchedule { crashes, restarts, pauses, cuts, .. } = schedule.clone();
    let (loss, duplicate) = (half(at_most.losses), half(at_most.duplicates));
    Faults { crashes, restarts, pauses, cuts, loss, duplicate, ..Faults::default() }
}

/// The number of safety violations in the simulator, up to the last instant of a schedule.
fn replayed<P: Protocol>(lock: P, scenario: &Scenario, schedule: &TimedSchedule) -> usize {
    let TimedSchedule { offsets, ticks, choices, until, .. } = schedule.clone();
    let clocks = ticks.map_or(Clocks::Varying, Clocks::List);
    let timing = Timing { offsets: Offsets::List(offsets), clocks, ..scenario.timing.clone() };
    // No user waits for longer than the whole run.
    let most = until + 3;
    let workload = scenario.workload.clone().map(|workload| Workload {
        first: Range::new(0, most),
        hold: Range::new(1, most + 1),
        think: Range::new(0, most),
        ..workload
    });
    let faults = planned(schedule, scenario.faults.at_most);
    let scenario = Scenario { wakes: Wakes::All, timing, workload, faults, ..scenario.clone() };
    let mut run = Simulation::<_, Full>::new(lock, &scenario, Choices::Scheduled(choices)).expect("it can be run");
    run.stop_after(until);
    while !run.advance(1000) {}
    assert_eq!((run.bad_choice(), run.unanswered()), (None, 0), "{scenario:?}");
    run.summary().violations.iter().filter(|violation| violation.property != "termination").count()
}

/// The simulator must follow a counterexample.
pub(super) fn follow_counterexample<P: Protocol + Copy + Debug>(
    lock: P,
    scenario: &Scenario,
    answer: &Answer<P::Processor>,
) {
    let Some(found) = &answer.counterexample else { return };
    let Schedule::Timed(schedule) = &found.schedule else { panic!("there are clocks") };
    let expected = usize::from(found.property == Property::Safety);
    assert_eq!(replayed(lock, scenario, schedule), expected, "{lock:?} {scenario:?}");
}

/// The reductions of protocols whose messages are read at ticks.
pub(super) const PER_STEP: [Reduction; 4] =
    [Reduction::EagerTicks, Reduction::DeferredArrivals, Reduction::SilentMessages, Reduction::EarlyReading];

#[test]
fn random_locks_have_the_same_answers_with_and_without_each_reduction() {
    let compared = compare(900, &PER_STEP, draw, follow_counterexample);
    let ReductionComparison { complete, smaller, verdicts, effective } = &compared;
    assert!(*complete > 600 && *smaller > 150 && verdicts.iter().all(|&count| count > 50), "{compared:?}");
    // Locks that are drawn for the last two are compared in `early_tests`.
    assert!(effective[..2].iter().all(|&count| count > 100) && effective[2..].iter().all(|&count| count > 20));
}

#[test]
fn random_locks_without_delays_have_the_same_answers_with_and_without_open_clocks() {
    let compared = compare(40, &[Reduction::OpenClocks], draw_without_delays, follow_counterexample);
    let ReductionComparison { complete, smaller, verdicts, effective } = &compared;
    assert!(
        *complete > 20 && *smaller > 10 && effective[0] > 10 && verdicts.iter().all(|&count| count > 2),
        "{compared:?}"
    );
}

/// Where all faults are possible but restarts, cuts and pauses, arrivals are still deferred.
#[test]
fn random_locks_with_faults_have_the_same_answers_with_and_without_each_reduction() {
    let reductions = [Reduction::EagerTicks, Reduction::DeferredArrivals];
    let compared = compare(240, &reductions, draw_with_faults, follow_counterexample);
    let ReductionComparison { complete, smaller, verdicts, effective } = &compared;
    assert!(*complete > 100 && *smaller > 30 && verdicts.iter().all(|&count| count > 10), "{compared:?}");
    assert!(effective.iter().all(|&count| count > 15), "{compared:?}");
}

/// Compares the successors of a system with those of its copy for another worker, in the first states of a search.
fn compare_with_fork((lock, scenario): (RandomLock, Scenario)) {
    let initial = TypedProgram::new(lock).initial_state(&scenario).expect("it has an initial state");
    let mut system =
        TimedSystem::new(initial, &scenario, &Wakers::Anybody, Reductions::ALL).expect("it can be explored");
    let mut fork = system.fork();
    let (mut own, mut other) = (Successors::default(), Successors::default());
    let (mut states, mut visited) = (system.initial_states(), BTreeSet::new());
    while let Some(state) = states.pop().filter(|_| visited.len() < 100) {
        if !visited.insert(state.clone()) {
            continue;
        }
        let fingerprint = fingerprint(&state);
        system.successors(&state, fingerprint, &mut own);
        fork.successors(&state, fingerprint, &mut other);
        let ends = |successors: &Successors| successors.transitions.iter().map(|to| to.fingerprint).collect::<Vec<_>>();
        assert_eq!(ends(&own), ends(&other), "{lock:?} {scenario:?}");
        for transition in 0..own.transitions.len() {
            let mut next = state.clone();
            own.apply(transition, &mut next);
            states.push(next);
        }
    }
}

#[test]
fn all_workers_find_the_same_successors() {
    (0..100).for_each(|seed| compare_with_fork(draw(seed)));
    (0..20).for_each(|seed| compare_with_fork(draw_without_delays(seed)));
    (0..100).for_each(|seed| compare_with_fork(draw_with_faults(seed)));
}
