//! The timed model checker, compared with a plain search over whole states.

use conformance::timed_instants::explore;
use conformance::toy::Toy;
use conformance::{checked, entry, ring};
use ringleader::model::{Clocks, Faults, Links, Preset, Protocol, Range, Reading, Scenario, Ties, Timing, Workload};
use ringleader::protocols::election::afek_gafni_sync::AfekGafniSync;
use ringleader::protocols::election::frederickson_lynch::FredericksonLynch;
use ringleader::protocols::election::itai_rodeh_sync::ItaiRodehSync;
use ringleader::protocols::election::time_slice::TimeSlice;
use ringleader::protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::protocols::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters;
use ringleader::{Entry, Of};
use ringleader_check::{CheckVerdict, Effort, Property, Reductions};

/// All that r and d may be where each goes up to 2.
const TIMINGS: [((u64, u64), (u64, u64)); 4] = [((1, 1), (1, 1)), ((1, 2), (1, 1)), ((1, 1), (1, 2)), ((1, 2), (1, 2))];

fn per_step(r: (u64, u64), d: (u64, u64)) -> Timing {
    Timing {
        r: Range::new(r.0, r.1),
        d: Range::new(d.0, d.1),
        clocks: Clocks::Varying,
        ..Preset::Archimedean.timing(Reading::PerStep)
    }
}

/// Sites 1, 2, … that each make this number of requests.
fn sites(n: u64, timing: Timing, entries: u64) -> Scenario {
    let workload = Workload { entries, hold: Range::new(1, 1), ..Workload::new(n as usize) };
    let ids: Vec<u64> = (1..=n).collect();
    Scenario { workload: Some(workload), links: Links::Any, ..ring(&ids, timing) }
}

/// The same, of whom the first read and the others write.
fn sharing(readers: usize, scenario: Scenario) -> Scenario {
    let workload = scenario.workload.map(|load| Workload { readers, writers: scenario.n - readers, ..load });
    Scenario { workload, ..scenario }
}

/// It is not in the catalogue.
const TOY: &dyn Entry = &Of::<Toy>::NEW;

const PLENTY: Effort = Effort { states: 1_000_000, bytes: 1 << 32, threads: 1, reductions: Reductions::NONE };

/// Demands that both find the same states and transitions, or violations after the same number of instants; gives that number.
#[track_caller]
fn same<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> Option<usize> {
    compare::<P>(entry(P::DESCRIPTION.name), settings, scenario)
}

#[track_caller]
fn compare<P: Protocol>(entry: &'static dyn Entry, settings: &[(&str, &str)], scenario: &Scenario) -> Option<usize> {
    let found = checked(entry, settings, scenario, &PLENTY);
    let plain = explore::<P>(settings, scenario);
    let what = format!("{} {settings:?} in {scenario:?}", P::DESCRIPTION.name);
    let safe = found.judgements.iter().find(|judgement| judgement.property == Property::Safety).expect("it is judged");
    assert_eq!(safe.verdict == CheckVerdict::Holds, plain.violated_after.is_none(), "{what}");
    let progress = found.progress;
    match plain.violated_after {
        None => {
            let sizes = (plain.states as u64, plain.depth as u64);
            assert_eq!((progress.states, progress.depth), sizes, "{what}");
            // Where anybody may wake, the checker has no transition without an event; where coins are tossed, it has one
            // transition for each outcome even where they lead to the same state.
            if scenario.workload.is_some() {
                assert_eq!(progress.transitions, plain.transitions as u64, "{what}");
            }
        }
        Some(instants) => assert_eq!(found.counterexample.map(|found| found.steps), Some(instants), "{what}"),
    }
    plain.violated_after
}

/// Both orders of a message and a step at one instant, and the simulator's alone.
fn both_ties(scenario: &Scenario) -> [Scenario; 2] {
    [Ties::Ruled, Ties::Either].map(|ties| Scenario { ties, ..scenario.clone() })
}

#[test]
fn rounds() {
    let rounds = |ids: &[u64]| ring(ids, Preset::Rounds.timing(Reading::Immediate));
    for ids in [&[2, 3][..], &[2, 4, 3], &[3, 1, 2]] {
        assert_eq!(same::<TimeSlice>(&[], &rounds(ids)), None);
        assert_eq!(same::<FredericksonLynch>(&[], &rounds(ids)), None);
    }
    for n in [2, 3, 4] {
        let anonymous = Scenario { n, ids: Vec::new(), ..rounds(&[1]) };
        assert_eq!(same::<ItaiRodehSync>(&[], &anonymous), None);
    }
    // Who starts, and when, is open.
    for ids in [&[2, 1][..], &[1, 3, 2]] {
        assert_eq!(same::<AfekGafniSync>(&[], &rounds(ids)), None);
    }
}

/// As printed two enter together, already with two sites and no drift; the repaired lock never lets them.
#[test]
fn the_lock_of_spirakis_and_tampakas() {
    for (r, d) in TIMINGS {
        for scenario in both_ties(&sites(2, per_step(r, d), 1)) {
            assert!(same::<SpirakisTampakasMutex>(&[("rules", "printed"), ("c1", "1")], &scenario).is_some());
            assert_eq!(same::<SpirakisTampakasMutex>(&[("c1", "1")], &scenario), None);
            assert_eq!(same::<SpirakisTampakasMutex>(&[("c1", "0")], &scenario), None);
            let fifo = Scenario { links: Links::Fifo, ..scenario.clone() };
            assert_eq!(same::<SpirakisTampakasMutex>(&[("c1", "1")], &fifo), None);
        }
    }
    // Twice each: sleeps are drawn, and a site may ask again in the step in which it leaves.
    for scenario in both_ties(&sites(2, per_step((1, 1), (1, 2)), 2)) {
        assert_eq!(same::<SpirakisTampakasMutex>(&[("c1", "1")], &scenario), None);
    }
}

/// A pause is a tick of any length. Ricart and Agrawala's lock only waits; that of Spirakis and Tampakas lets two in, since
/// whoever pauses takes its silence for that of the others.
#[test]
fn a_processor_may_pause_at_any_time() {
    for (pauses, (r, d)) in [(1, TIMINGS[0]), (2, TIMINGS[0]), (1, TIMINGS[1]), (1, TIMINGS[2])] {
        let faults: Faults = format!("pause:{pauses}").parse().expect("they are faults");
        for scenario in both_ties(&Scenario { faults, ..sites(2, per_step(r, d), 1) }) {
            assert_eq!(same::<RicartAgrawala>(&[], &scenario), None);
            assert!(same::<SpirakisTampakasMutex>(&[("c1", "1")], &scenario).is_some());
        }
    }
}

/// Every fault comes at any instant. The lock of Spirakis and Tampakas takes silence for consent, so that two enter when a message
/// is lost, whatever loses it; one that is told twice does no harm. Who waits for every answer lets nobody else in, until it forgets
/// that it has entered.
#[test]
fn faults_come_at_any_instant() {
    let cases = [
        ("crash:1", false),
        ("restart:1", true),
        ("crash:1,restart:1", true),
        ("cut:1", true),
        ("cut:2", true),
        ("loss:1", true),
        ("duplicate:1", false),
        ("crash:1,restart:1,cut:1,loss:1,duplicate:1,pause:1", true),
    ];
    for (text, breaks) in cases {
        let faults: Faults = text.parse().expect("they are faults");
        for (links, (r, d)) in [(Links::Any, TIMINGS[0]), (Links::Fifo, TIMINGS[2])] {
            let scenario = Scenario { links, faults: faults.clone(), ..sites(2, per_step(r, d), 1) };
            for scenario in both_ties(&scenario).into_iter().filter(|_| d.1 == 1 || !text.contains("pause")) {
                let found = same::<SpirakisTampakasMutex>(&[("c1", "1")], &scenario);
                assert_eq!(found.is_some(), breaks, "{text}");
                same::<RicartAgrawala>(&[], &scenario);
            }
        }
    }
}

#[test]
fn a_toy_with_faults() {
    for text in ["restart:1", "crash:1,restart:1", "cut:1", "loss:1,duplicate:1"] {
        let faults: Faults = text.parse().expect("they are faults");
        let (r, d) = TIMINGS[0];
        for scenario in both_ties(&Scenario { faults, ..ring(&[1, 2], per_step(r, d)) }) {
            compare::<Toy>(TOY, &[], &scenario);
        }
    }
}

#[test]
fn readers_and_writers() {
    for (r, d) in TIMINGS {
        for scenario in both_ties(&sites(2, per_step(r, d), 1)) {
            for readers in [1, 2] {
                let scenario = sharing(readers, scenario.clone());
                assert_eq!(same::<SpirakisTampakasReadersWriters>(&[("c1", "1")], &scenario), None);
            }
            let scenario = sharing(1, scenario);
            assert!(same::<SpirakisTampakasReadersWriters>(&[("rules", "printed"), ("c1", "1")], &scenario).is_some());
        }
    }
    let three = sharing(2, sites(3, per_step((1, 1), (1, 1)), 1));
    assert_eq!(same::<SpirakisTampakasReadersWriters>(&[("c1", "0")], &three), None);
}

#[test]
fn ricart_and_agrawala() {
    for (r, d) in TIMINGS {
        for scenario in both_ties(&sites(2, per_step(r, d), 2)) {
            for links in [Links::Any, Links::Fifo] {
                assert_eq!(same::<RicartAgrawala>(&[], &Scenario { links, ..scenario.clone() }), None);
            }
        }
    }
}

/// Everything at once that processors can do: coins, timers that are set again and forgotten, timers of no ticks, messages that
/// are urgent, messages that start a clock.
#[test]
fn a_toy_that_does_everything() {
    for (r, d) in [TIMINGS[0], TIMINGS[1], TIMINGS[2], ((2, 3), (1, 1))] {
        for scenario in both_ties(&ring(&[1, 2], per_step(r, d))) {
            for links in [Links::Any, Links::Fifo] {
                assert_eq!(compare::<Toy>(TOY, &[], &Scenario { links, ..scenario.clone() }), None);
            }
        }
    }
}
