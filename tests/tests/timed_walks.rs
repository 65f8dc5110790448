//! Random walks of the timed model checker: the simulator follows each of them to the same state. A counterexample shows its
//! violation in the simulator, at the same instant.

use conformance::{configured, ring};
use ringleader::model::{
    AtMost, Clocks, Faults, Inspect, Links, Offsets, Place, Ports, Preset, Protocol, Range, Reading, Scenario, Share,
    Starts, Ties, Time, Timing, Topology, Wakes, Workload,
};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::afek_gafni_sync::AfekGafniSync;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::protocols::election::spirakis_tampakas::SpirakisTampakas;
use ringleader::protocols::election::time_slice::TimeSlice;
use ringleader::protocols::election::vitanyi::Vitanyi;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::protocols::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters;
use ringleader::protocols::token::token_ring::TokenRing;
use ringleader::sim::{Choices, Full, Random, Run, Simulation};
use ringleader_check::{
    Answer, CheckVerdict, Effort, Property, Reductions, Schedule, TimedSchedule, Wakers, random_walk,
};

/// The scenario and the choices with which a simulator follows a schedule; `None` where nobody wakes by itself.
fn scripted(scenario: &Scenario, course: &TimedSchedule) -> Option<(Scenario, Choices, u64)> {
    let TimedSchedule { wakes, offsets: phases, ticks, again, choices: script, until, .. } = course.clone();
    let timing = Timing {
        offsets: Offsets::List(phases),
        clocks: ticks.map_or(Clocks::Varying, Clocks::List),
        ..scenario.timing.clone()
    };
    // No user waits for longer than all of it takes.
    let most = until + 3;
    let workload = scenario.workload.clone().map(|load| Workload {
        first: Range::new(0, most),
        hold: Range::new(1, most + 1),
        think: Range::new(0, most),
        ..load
    });
    let anybody = wakes.iter().any(Option::is_some);
    let at_most = scenario.faults.at_most;
    let half = |most: u32| (most > 0).then_some(Share { part: 1, whole: 2 });
    let faults = Faults {
        crashes: course.crashes.clone(),
        restarts: course.restarts.clone(),
        pauses: course.pauses.clone(),
        cuts: course.cuts.clone(),
        loss: half(at_most.losses),
        duplicate: half(at_most.duplicates),
        ..Faults::default()
    };
    // Who crashes before it wakes would have woken with the others.
    let wakes = if workload.is_some() { Wakes::All } else { Wakes::At(wakes) };
    let followed = Scenario { wakes, again, timing, workload, faults, ..scenario.clone() };
    anybody.then_some((followed, Choices::Scheduled(script), until))
}

/// Takes `count` random walks of a scenario, and demands that the simulator comes to the same state.
#[track_caller]
fn walks<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario, count: u64) {
    let mut random = Random::new(count);
    for walk in 0..count {
        let (instants, lazy) = (1 + random.below(60) as usize, random.below(4));
        // The first way is often that nothing happens but what must.
        let mut choose = |bound: usize| if random.below(4) < lazy { 0 } else { random.below(bound as u64) as usize };
        let protocol = configured::<P>(settings, scenario).expect("the settings suit it");
        let walked =
            random_walk(protocol, scenario, &Wakers::Anybody, instants, &mut choose).expect("it can be explored");
        let Some((mut followed, choices, until)) = scripted(scenario, &walked.schedule) else { continue };
        followed.ports = walked.ports.unwrap_or(followed.ports);
        let protocol = configured::<P>(settings, scenario).expect("the settings suit it");
        let mut run = Simulation::<P, Full>::new(protocol, &followed, choices).expect("it can be run");
        run.stop_after(until);
        while !run.advance(1000) {}
        let what =
            format!("walk {walk} of {} {settings:?} in {scenario:?}: {:?}", P::DESCRIPTION.name, walked.schedule);
        let crashed = |place| {
            let Faults { crashes, restarts, .. } = &followed.faults;
            let last = |times: &mut dyn Iterator<Item = (Place, Time)>| {
                times.filter(|&(other, _)| other == place).map(|(_, time)| time).max()
            };
            let up = last(&mut restarts.iter().map(|restart| (restart.place, restart.time)));
            last(&mut crashes.iter().copied()).is_some_and(|down| up.is_none_or(|up| up < down))
        };
        let processor = |place| {
            let mut processor = run.processor(place).clone();
            processor.rebase(run.protocol(), 0);
            (!crashed(place)).then_some(processor)
        };
        let processors: Vec<_> = (0..scenario.n as Place).map(processor).collect();
        let summary = run.summary();
        assert_eq!(processors, walked.processors, "{what}");
        assert_eq!(summary.outcome, walked.outcome, "{what}");
        assert_eq!(summary.cost.messages(), walked.messages, "{what}");
        assert_eq!((run.bad_choice(), run.unanswered()), (None, 0), "{what}");
    }
}

fn timing(r: (u64, u64), d: (u64, u64), reading: Reading, clocks: Clocks) -> Timing {
    let (r, d) = (Range::new(r.0, r.1), Range::new(d.0, d.1));
    Timing { r, d, reading, clocks, ..Preset::Unit.timing(reading) }
}

/// Processors 1, 2, …, as far as they have identities; ties either way where messages take time.
fn scene<P: Protocol>(n: u64, timing: Timing, entries: Option<u64>) -> Scenario {
    let assumptions = P::DESCRIPTION.assumptions;
    let ids: Vec<u64> = if assumptions.identities { (1..=n).collect() } else { Vec::new() };
    let workload = entries.map(|entries| Workload { entries, ..Workload::new(n as usize) });
    let ties = if timing.d.min == 0 { Ties::Ruled } else { Ties::Either };
    Scenario { n: n as usize, workload, ties, links: assumptions.links, ..ring(&ids, timing) }
}

#[test]
fn elections() {
    use Reading::{Immediate, PerStep, PerTick};
    for (r, d) in [((1, 1), (0, 0)), ((1, 1), (1, 2)), ((1, 3), (1, 3)), ((2, 3), (0, 2))] {
        for reading in [Immediate, PerTick, PerStep] {
            let timing = timing(r, d, reading, Clocks::Fixed);
            walks::<ChangRoberts>(&[], &scene::<ChangRoberts>(3, timing.clone(), None), 60);
            // Where it can tell the size of the ring from its clock the simulator does, and the checker has no time.
            if d.1 > 0 {
                let again = vec![(0, 0), (1, 0)];
                walks::<Vitanyi>(&[], &Scenario { again, ..scene::<Vitanyi>(3, timing, None) }, 60);
            }
        }
        walks::<Vitanyi>(&[], &scene::<Vitanyi>(3, timing(r, (1, 3), PerStep, Clocks::Varying), None), 60);
    }
    let rounds = Preset::Rounds.timing(Immediate);
    walks::<TimeSlice>(&[], &scene::<TimeSlice>(3, rounds.clone(), None), 10);
    walks::<AfekGafniSync>(&[], &scene::<AfekGafniSync>(3, rounds.clone(), None), 200);
    // Every walk has a numbering of ports of its own.
    let all_ports = |scenario: Scenario| Scenario { ports: Ports::All, ..scenario };
    for n in [3, 4] {
        walks::<AfekGafniSync>(&[], &all_ports(scene::<AfekGafniSync>(n, rounds.clone(), None)), 200);
    }
    for (d, reading) in [((1, 1), Immediate), ((1, 2), Immediate), ((0, 1), Immediate), ((1, 1), PerTick)] {
        let timing = timing((1, 1), d, reading, Clocks::Fixed);
        let scenario = all_ports(scene::<AfekGafniAsync>(3, timing, None));
        walks::<AfekGafniAsync>(&[], &scenario, 200);
    }
    walks::<ItaiRodehSync>(&[], &scene::<ItaiRodehSync>(3, rounds, None), 200);
    assert_eq!(TimeSlice::DESCRIPTION.assumptions.starts, Starts::Together);
}

#[test]
fn locks() {
    use Reading::{Immediate, PerStep, PerTick};
    assert_eq!(RicartAgrawala::DESCRIPTION.assumptions.topology, Topology::Complete);
    for (r, d) in [((1, 1), (1, 1)), ((1, 3), (1, 3)), ((2, 4), (0, 2))] {
        for links in [Links::Any, Links::Fifo] {
            for clocks in [Clocks::Varying, Clocks::Fixed] {
                let lock = scene::<SpirakisTampakasMutex>(3, timing(r, d, PerStep, clocks), Some(2));
                walks::<SpirakisTampakasMutex>(&[("c1", "1")], &Scenario { links, ..lock.clone() }, 60);
                walks::<SpirakisTampakasMutex>(&[("c1", "0"), ("rules", "printed")], &Scenario { links, ..lock }, 60);
            }
            for reading in [Immediate, PerTick, PerStep] {
                let lock = scene::<RicartAgrawala>(3, timing(r, d, reading, Clocks::Fixed), Some(2));
                walks::<RicartAgrawala>(&[], &Scenario { links, ..lock }, 60);
            }
        }
    }
    let mut shared =
        scene::<SpirakisTampakasReadersWriters>(3, timing((1, 2), (1, 2), PerStep, Clocks::Varying), Some(2));
    shared.workload = shared.workload.map(|load| Workload { readers: 2, writers: 1, ..load });
    walks::<SpirakisTampakasReadersWriters>(&[("c1", "1")], &shared, 100);
}

/// Somebody crashes, with what is unread and on its way.
#[test]
fn crashes() {
    use Reading::{Immediate, PerStep, PerTick};
    for most in [1, 2] {
        let faults = Faults { at_most: AtMost { crashes: most, ..AtMost::default() }, ..Faults::default() };
        for reading in [Immediate, PerTick, PerStep] {
            let timing = timing((1, 2), (1, 3), reading, Clocks::Fixed);
            let ring = Scenario { faults: faults.clone(), ..scene::<ChangRoberts>(3, timing.clone(), None) };
            walks::<ChangRoberts>(&[], &ring, 200);
            let lock = Scenario { faults: faults.clone(), ..scene::<RicartAgrawala>(3, timing, Some(2)) };
            walks::<RicartAgrawala>(&[], &lock, 100);
        }
        for form in ["none", "timeout:5", "probe"] {
            let timing = timing((1, 2), (1, 2), PerStep, Clocks::Varying);
            let lock = Scenario { faults: faults.clone(), ..scene::<SpirakisTampakasMutex>(3, timing, Some(2)) };
            walks::<SpirakisTampakasMutex>(&[("c1", "1"), ("crash", form)], &lock, 100);
        }
    }
}

/// Somebody pauses: in the simulator its ticks are put off, in the checker one of them takes longer.
#[test]
fn pauses() {
    for most in [1, 3] {
        let faults = Faults { at_most: AtMost { pauses: most, ..AtMost::default() }, ..Faults::default() };
        for (r, clocks) in [((1, 1), Clocks::Fixed), ((1, 2), Clocks::Fixed), ((1, 3), Clocks::Varying)] {
            let timing = timing(r, (1, 3), Reading::PerStep, clocks);
            let ring = Scenario { faults: faults.clone(), ..scene::<ChangRoberts>(3, timing.clone(), None) };
            walks::<ChangRoberts>(&[], &ring, 200);
            let lock = Scenario { faults: faults.clone(), ..scene::<RicartAgrawala>(3, timing.clone(), Some(2)) };
            walks::<RicartAgrawala>(&[], &lock, 100);
            let lock = Scenario { faults: faults.clone(), ..scene::<SpirakisTampakasMutex>(3, timing, Some(2)) };
            walks::<SpirakisTampakasMutex>(&[("c1", "1")], &lock, 100);
        }
    }
}

/// Takes random walks of an election and of two locks with some faults, under every reading.
fn walks_with(at_most: AtMost, count: u64) {
    use Reading::{BitSerial, Immediate, PerStep, PerTick};
    let faults = Faults { at_most, ..Faults::default() };
    for ties in [Ties::Ruled, Ties::Either] {
        for reading in [Immediate, PerTick, PerStep, BitSerial] {
            let timing = timing((1, 3), (1, 3), reading, Clocks::Fixed);
            let faulty = |scenario: Scenario| Scenario { faults: faults.clone(), ties, ..scenario };
            walks::<ChangRoberts>(&[], &faulty(scene::<ChangRoberts>(3, timing.clone(), None)), 2 * count);
            walks::<RicartAgrawala>(&[], &faulty(scene::<RicartAgrawala>(3, timing.clone(), Some(2))), count);
            let fifo = scene::<RicartAgrawala>(2, timing, Some(2));
            walks::<RicartAgrawala>(&[], &faulty(Scenario { links: Links::Fifo, ..fifo }), count);
        }
        let timing = timing((1, 3), (1, 2), PerStep, Clocks::Varying);
        let lock = Scenario { faults: faults.clone(), ties, ..scene::<SpirakisTampakasMutex>(3, timing, Some(2)) };
        walks::<SpirakisTampakasMutex>(&[("c1", "1")], &lock, count);
    }
}

/// Somebody restarts, whether it is up or down: its clock and its user begin anew.
#[test]
fn restarts() {
    walks_with(AtMost { restarts: 1, ..AtMost::default() }, 60);
    walks_with(AtMost { crashes: 2, restarts: 2, ..AtMost::default() }, 60);
}

/// A link is cut: what is sent over it or would arrive is lost, and starts no clock.
#[test]
fn cuts() {
    walks_with(AtMost { cuts: 1, ..AtMost::default() }, 60);
    walks_with(AtMost { cuts: 3, ..AtMost::default() }, 60);
}

#[test]
fn losses_and_duplicates() {
    walks_with(AtMost { losses: 2, ..AtMost::default() }, 60);
    walks_with(AtMost { duplicates: 2, ..AtMost::default() }, 60);
    walks_with(AtMost { losses: 3, duplicates: 3, ..AtMost::default() }, 60);
}

#[test]
fn all_faults_together() {
    walks_with(AtMost { crashes: 1, losses: 1, duplicates: 1, restarts: 2, cuts: 2, pauses: 0 }, 60);
    let faults = Faults {
        at_most: AtMost { crashes: 1, losses: 1, duplicates: 1, restarts: 2, cuts: 1, pauses: 2 },
        ..Faults::default()
    };
    for (r, clocks) in [((1, 2), Clocks::Fixed), ((1, 3), Clocks::Varying)] {
        let timing = timing(r, (1, 3), Reading::PerStep, clocks);
        let ring = Scenario { faults: faults.clone(), ..scene::<ChangRoberts>(3, timing.clone(), None) };
        walks::<ChangRoberts>(&[], &ring, 200);
        let lock = Scenario { faults: faults.clone(), ..scene::<SpirakisTampakasMutex>(3, timing, Some(2)) };
        walks::<SpirakisTampakasMutex>(&[("c1", "1")], &lock, 200);
    }
}

#[test]
fn rings_without_identities() {
    for clocks in [Clocks::Varying, Clocks::Fixed] {
        let timing = timing((1, 2), (1, 2), Reading::PerStep, clocks);
        walks::<SpirakisTampakas>(&[], &scene::<SpirakisTampakas>(2, timing.clone(), None), 100);
        walks::<TokenRing>(&[("jitter", "1")], &scene::<TokenRing>(2, timing, None), 100);
    }
}

fn checked<P: Protocol>(
    settings: &[(&str, &str)],
    scenario: &Scenario,
    reductions: Reductions,
) -> Answer<P::Processor> {
    let effort = Effort { states: 3_000_000, bytes: 1 << 32, threads: 1, reductions };
    let protocol = configured::<P>(settings, scenario).expect("the settings suit it");
    ringleader_check::check(protocol, scenario, &Wakers::Anybody, &effort, &mut |_| true).expect("it can be explored")
}

/// Demands that a scenario is not safe, and that the simulator sees it too, no sooner and no later.
#[track_caller]
fn unsafe_in_the_simulator<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) {
    let found = checked::<P>(settings, scenario, Reductions::ALL).counterexample.expect("it is not safe");
    assert_eq!(found.property, Property::Safety);
    let without = checked::<P>(settings, scenario, Reductions::NONE).counterexample.map(|found| found.steps);
    assert_eq!(without, Some(found.steps), "the reduction does not matter");
    let Schedule::Timed(table) = &found.schedule else { panic!("there are clocks") };
    let (followed, choices, until) = scripted(scenario, table).expect("somebody wakes");
    assert_eq!(until + 1, found.steps as u64);
    let violations = |last| {
        let protocol = configured::<P>(settings, scenario).expect("the settings suit it");
        let mut run = Simulation::<P, Full>::new(protocol, &followed, choices.clone()).expect("it can be run");
        run.stop_after(last);
        while !run.advance(1000) {}
        run.summary().violations.iter().filter(|violation| violation.property != "termination").count()
    };
    assert_eq!((violations(until - 1), violations(until)), (0, 1));
}

/// What `protocols.md` says of the lock as printed, of windows too short, and of numbers modulo 2n-1; and that it holds as
/// repaired, with and without reduction.
#[test]
fn the_lock_that_lets_two_in() {
    let lock = |r, d, entries| {
        scene::<SpirakisTampakasMutex>(2, timing(r, d, Reading::PerStep, Clocks::Varying), Some(entries))
    };
    let unit = lock((1, 1), (1, 1), 1);
    unsafe_in_the_simulator::<SpirakisTampakasMutex>(&[("rules", "printed"), ("c1", "1")], &unit);
    unsafe_in_the_simulator::<SpirakisTampakasMutex>(&[("printed", "sleep")], &unit);
    unsafe_in_the_simulator::<SpirakisTampakasMutex>(&[("c", "0"), ("c1", "1")], &lock((1, 2), (1, 2), 1));
    // One step of waiting is not enough where a message may just miss a step at both ends.
    unsafe_in_the_simulator::<SpirakisTampakasMutex>(&[("c", "1"), ("c1", "1")], &lock((1, 2), (1, 2), 1));
    let three = lock((1, 1), (1, 1), 3);
    unsafe_in_the_simulator::<SpirakisTampakasMutex>(&[("numbers", "3"), ("printed", "numbers"), ("c1", "1")], &three);
    for (settings, scenario) in [
        (&[("c1", "1")][..], &lock((1, 2), (1, 2), 2)),
        (&[("numbers", "3"), ("c1", "1")], &three),
        (&[("c", "1"), ("c1", "1")], &Scenario { ties: Ties::Ruled, ..lock((1, 2), (1, 2), 1) }),
    ] {
        let [all, fewer] = [Reductions::NONE, Reductions::ALL]
            .map(|reductions| checked::<SpirakisTampakasMutex>(settings, scenario, reductions));
        assert_eq!((all.verdict(), fewer.verdict()), (CheckVerdict::Holds, CheckVerdict::Holds), "{settings:?}");
        assert!(fewer.progress.states <= all.progress.states);
        assert_eq!((all.extremes, all.fired), (fewer.extremes, fewer.fired), "{settings:?}");
    }
}
