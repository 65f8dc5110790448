//! Runs without clocks: every protocol that needs none does what it should whatever happens next, every run replays, and
//! what the checker finds wrong is a run like any other.

use conformance::{Played, asked, assert_refused, orders_up_to_rotation, set_up};
use ringleader::model::{Action, Protocol, Settings};
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::peterson::Peterson;
use ringleader::protocols::election::van_leeuwen_tan::VanLeeuwenTan;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::sim::{Resolved, StopReason, TERMINATION, Verdict};
use ringleader::{Catalogue, Setup, TraceFile, recorded, shrink};
use ringleader_check::{Answer, Effort, Property, Schedule, Wakers};

/// A run with its record, which replays to the same end.
fn replayed(line: &str) -> Played {
    let (protocol, options) = asked(line);
    let played = Played::with(&protocol, &options, |run| run.record());
    let trace = TraceFile::new(&played.setup, played.execution.run.as_ref(), &played.summary);
    let parsed = TraceFile::parse(&trace.to_text().expect("it was recorded now")).expect("what is written is read");
    assert_eq!(parsed, trace);
    let (_, _, again) =
        parsed.replay(&Catalogue::default(), &(), |_| {}).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(again, played.summary, "{line}");
    played
}

/// Nobody's answer depends on clocks: whatever the order in which things happen, one leader, or everybody's turn.
#[test]
fn protocols_that_need_no_clocks_do_what_they_should_without() {
    let free = DESCRIPTIONS.iter().filter(|description| !description.assumptions.timed);
    let mut seen = 0;
    for description in free {
        for (n, seeds) in [(1, 1), (2, 12), (3, 12), (5, 12), (12, 3)] {
            if n == 1 && description.name.contains("readers-writers") {
                continue;
            }
            for seed in 0..seeds {
                let entries = if description.name.contains("agrawala") || description.name.contains("readers") {
                    "--entries 3"
                } else {
                    ""
                };
                let line = format!("{} -n {n} --timing untimed --seed {seed} {entries}", description.name);
                let played = replayed(&line);
                assert_eq!(played.summary.verdict, Verdict::Held, "{line}: {:?}", played.summary.violations);
                let bounds = played.setup.facts.bounds.iter();
                let exceeded: Vec<_> = bounds.filter(|bound| bound.judge(&played.summary).1 == Some(false)).collect();
                assert!(exceeded.is_empty(), "{line}: {exceeded:?}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
}

/// Those that do need clocks run and replay as well, whatever comes of it; so do all on links of every kind, with faults.
#[test]
fn whatever_comes_of_it_replays() {
    for description in DESCRIPTIONS {
        let name = description.name;
        for seed in 0..3 {
            for world in ["", "--links any", "--links half", "--faults crash:1,loss:2,duplicate:2"] {
                replayed(&format!("{name} -n 4 --timing untimed --max-steps 400 --seed {seed} {world}"));
            }
        }
    }
}

#[test]
fn a_run_stops_after_as_many_steps_as_it_may_take() {
    let short = replayed("chang-roberts -n 8 --timing untimed --max-steps 5");
    assert_eq!((short.summary.cost.time, short.summary.cost.steps), (5, 5));
    assert_eq!((short.summary.verdict, short.summary.reason), (Verdict::Unknown, Some(StopReason::Interrupted)));
    let timed = replayed("chang-roberts --ids 3,1,4,2 --max-time 3");
    assert_eq!((timed.summary.cost.time, timed.summary.reason), (3, Some(StopReason::Interrupted)));
    let whole = Played::of("chang-roberts --ids 3,1,4,2 --max-time 8");
    assert_eq!((whole.summary.cost.time, whole.summary.verdict), (8, Verdict::Held));
}

#[test]
fn what_makes_no_sense_without_clocks_is_refused() {
    let untimed = "chang-roberts --timing untimed";
    for (option, field) in [
        ("--r 1..2", "r"),
        ("--d 3", "d"),
        ("--clocks slowest", "clocks"),
        ("--delays max", "delays"),
        ("--reading immediate", "reading"),
        ("--offsets random", "offsets"),
        ("--ties sim", "ties"),
        ("--max-time 9", "max-time"),
        ("--faults crash:0@3", "faults"),
        ("--faults loss:1/3", "faults"),
        ("--faults until:3", "faults"),
    ] {
        assert_refused(&format!("{untimed} {option}"), field);
    }
    for option in ["--first 0", "--think 0", "--hold 1"] {
        assert_refused(&format!("ricart-agrawala --timing untimed {option}"), &option[2..option.len() - 2]);
    }
    assert_refused("chang-roberts --max-steps 5", "max-steps");
    assert_refused("chang-roberts --faults loss:1", "faults");
    assert_refused("chang-roberts --ties either", "ties");
    assert_refused("chang-roberts --timing rounds --ties both", "ties");
    assert_refused("chang-roberts --timing clockless", "timing");
}

fn checked<P: Protocol>(setup: &Setup) -> Answer<P::Processor> {
    let settings = Settings::new(P::DESCRIPTION.parameters, &setup.settings).expect("the settings are allowed");
    let instance = Resolved::new(&setup.scenario).instance(&setup.scenario);
    let protocol = P::configure(&settings, &instance).expect("they suit it");
    let effort = Effort { states: 10_000_000, bytes: 1 << 32, threads: 1, reduce: false };
    ringleader_check::check(protocol, &setup.scenario, &Wakers::Anybody, &effort, &mut |_| true)
        .expect("it can be explored")
}

/// The counterexample of a set-up, as a run that shows the same and replays; its steps and its violations.
fn shown<P: Protocol>(setup: &Setup) -> Option<(usize, Vec<&'static str>)> {
    let found = checked::<P>(setup).counterexample?;
    let trace = recorded::<P>(&setup.case(), &found).unwrap_or_else(|error| panic!("{error}: {found:?}"));
    let trace = TraceFile::parse(&trace.to_text().expect("it was recorded now")).expect("what is written is read");
    let (_, _, summary) =
        trace.replay(&Catalogue::default(), &(), |_| {}).unwrap_or_else(|error| panic!("{error}: {found:?}"));
    let violated: Vec<_> = summary.violations.iter().map(|violation| violation.property).collect();
    if found.repeats_from.is_none() {
        assert_eq!(summary.verdict, Verdict::Violated, "{found:?}");
        let safe = violated.iter().all(|&property| property == TERMINATION);
        assert_eq!(found.property == Property::Termination, safe, "{violated:?}");
    }
    if let Schedule::Untimed(happenings) = &found.schedule {
        assert_eq!(summary.cost.time, found.steps as u64);
        let steps = happenings.iter().filter(|happening| matches!(happening, Action::Step { .. })).count();
        assert_eq!(summary.cost.steps, steps as u64);
    }
    Some((found.steps, violated))
}

fn listed(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn peterson_on_links_that_reorder_is_broken_in_a_run() {
    let mut broken = 0;
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        let setup = set_up(&format!("peterson --ids {} --timing untimed --links any", listed(ids)));
        broken += usize::from(shown::<Peterson>(&setup).is_some());
    }
    assert!(broken > 0);
}

#[test]
fn van_leeuwen_and_tan_as_printed_are_broken_in_runs() {
    let mut broken = 0;
    for n in 2..=4 {
        for ids in orders_up_to_rotation(n) {
            for forms in ["rules=printed", "printed=pair", "printed=one", "printed=minimum"] {
                let ids = listed(&ids);
                let setup = set_up(&format!("van-leeuwen-tan --ids {ids} --timing untimed --set {forms}"));
                broken += usize::from(shown::<VanLeeuwenTan>(&setup).is_some());
            }
        }
    }
    assert!(broken > 0);
}

#[test]
fn afek_and_gafni_as_printed_elect_two_in_a_run() {
    let setup = set_up("afek-gafni-async --ids 2,1 --timing untimed --set rules=printed");
    let (steps, violated) = shown::<AfekGafniAsync>(&setup).expect("two of two elect themselves");
    assert!(violated.contains(&"at most one leader"), "{violated:?}");
    // Both wake, both captures arrive, both acks: nobody can be elected sooner.
    assert_eq!(steps, 6);
}

/// One lost candidate, and nobody is ever elected: the shortest way is to wake somebody and lose what it sends.
#[test]
fn what_fails_is_part_of_the_run() {
    let lossy = set_up("chang-roberts --ids 2,1 --timing untimed --faults loss:1");
    assert_eq!(shown::<ChangRoberts>(&lossy), Some((2, vec![TERMINATION])));
    for faults in ["crash:1", "crash:1,duplicate:1"] {
        let setup = set_up(&format!("chang-roberts --ids 3,1,2 --timing untimed --faults {faults}"));
        let (_, violated) = shown::<ChangRoberts>(&setup).expect("nothing passes a crashed processor");
        assert_eq!(violated, [TERMINATION]);
    }
}

/// With clocks: two sites as printed enter together, and the run with these clocks and delays shows it.
#[test]
fn the_lock_as_printed_lets_two_in_in_a_run_with_clocks() {
    let options = "--entries 1 --r 1..2 --d 1..2 --set rules=printed --set c1=1";
    for world in ["--ties sim --clocks varying", "--ties both --clocks varying", "--ties both --clocks fixed"] {
        let setup = set_up(&format!("spirakis-tampakas-mutex -n 2 {options} {world}"));
        let (_, violated) = shown::<SpirakisTampakasMutex>(&setup).expect("a sleeping site is silent");
        assert_eq!(violated, ["conflicting sites are never inside together"]);
    }
}

/// What the checker found is shrunk like any other run, and still fails.
#[test]
fn a_counterexample_shrinks() {
    let setup = set_up("peterson --ids 1,2,3 --timing untimed --links any");
    let found = checked::<Peterson>(&setup).counterexample.expect("it is broken");
    let trace = recorded::<Peterson>(&setup.case(), &found).expect("it is a run");
    let short = shrink(&trace, &Catalogue::default(), &()).expect("it fails");
    let (_, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert_eq!(summary.verdict, Verdict::Violated);
    assert!(summary.cost.steps <= found.steps as u64);
    let drawn = replayed("peterson -n 6 --timing untimed --links any --seed 2");
    if drawn.summary.verdict == Verdict::Violated {
        let trace = TraceFile::new(&drawn.setup, drawn.execution.run.as_ref(), &drawn.summary);
        assert!(
            shrink(&trace, &Catalogue::default(), &())
                .expect("it fails")
                .replay(&Catalogue::default(), &(), |_| {})
                .is_ok()
        );
    }
}
