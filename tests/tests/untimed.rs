//! Untimed runs: every protocol that needs no clocks is correct under every order of actions, every run replays, and a
//! counterexample is a run like any other.

use conformance::{Played, assert_refused, list, orders_up_to_rotation, set_up};
use ringleader::check::Violated;
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader::sim::{StopReason, TERMINATION, Verdict};
use ringleader::{Catalogue, Setup, TraceFile, shrink};
use ringleader_check::{Effort, Property, Reductions, Wakers};

/// Whatever the order of actions: one leader, or everybody's turn.
#[test]
fn protocols_that_need_no_clocks_are_correct_without() {
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
                let played = Played::replayed(&line);
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

/// Those that need clocks run and replay as well, whatever the result; so do all on links of every kind, with faults.
#[test]
fn every_untimed_run_replays() {
    for description in DESCRIPTIONS {
        let name = description.name;
        for seed in 0..3 {
            for world in ["", "--links any", "--links half", "--faults crash:1,loss:2,duplicate:2"] {
                Played::replayed(&format!("{name} -n 4 --timing untimed --max-steps 400 --seed {seed} {world}"));
            }
        }
    }
}

#[test]
fn a_run_stops_at_its_limit() {
    let short = Played::replayed("chang-roberts -n 8 --timing untimed --max-steps 5");
    assert_eq!((short.summary.cost.time, short.summary.cost.steps), (5, 5));
    assert_eq!((short.summary.verdict, short.summary.reason), (Verdict::Unknown, Some(StopReason::Interrupted)));
    let timed = Played::replayed("chang-roberts --ids 3,1,4,2 --max-time 3");
    assert_eq!((timed.summary.cost.time, timed.summary.reason), (3, Some(StopReason::Interrupted)));
    let whole = Played::of("chang-roberts --ids 3,1,4,2 --max-time 8");
    assert_eq!((whole.summary.cost.time, whole.summary.verdict), (8, Verdict::Held));
}

#[test]
fn options_of_clocks_are_refused_without_clocks() {
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

fn counterexample(setup: &Setup) -> Option<Violated> {
    let effort = Effort { states: 10_000_000, bytes: 1 << 32, threads: 1, reductions: Reductions::NONE };
    let found = setup.entry.check(&setup.case(), &Wakers::Anybody, &effort, &mut |_| true);
    found.expect("it can be explored").counterexample
}

/// The counterexample of a set-up, as a run that shows the same and replays; its actions, its steps and its violations.
fn shown(setup: &Setup) -> Option<(usize, u64, Vec<&'static str>)> {
    let Violated { property, steps, repeats_from, run, .. } = counterexample(setup)?;
    let trace = run.unwrap_or_else(|error| panic!("{setup:?}: {error}"));
    let trace = TraceFile::parse(&trace.to_text().expect("it was recorded now")).expect("what is written is read");
    let replayed = trace.replay(&Catalogue::default(), &(), |run| run.log());
    let (_, mut execution, summary) = replayed.unwrap_or_else(|error| panic!("{error}: {trace:?}"));
    let violated: Vec<_> = summary.violations.iter().map(|violation| violation.property).collect();
    if repeats_from.is_none() {
        assert_eq!(summary.verdict, Verdict::Violated, "{trace:?}");
        let safe = violated.iter().all(|&property| property == TERMINATION);
        assert_eq!(property == Property::Termination, safe, "{violated:?}");
    }
    if setup.scenario.untimed {
        assert_eq!(summary.cost.time, steps as u64);
        // Every action but a fault is a step.
        let faults = execution.run.take_log().iter().filter(|step| step.cause.is_fault()).count();
        assert_eq!(summary.cost.steps, (steps - faults) as u64, "{summary:?}");
    }
    Some((steps, summary.cost.steps, violated))
}

#[test]
fn peterson_on_links_that_reorder_is_broken_in_a_run() {
    let mut broken = 0;
    for ids in orders_up_to_rotation(3).iter().chain(&orders_up_to_rotation(4)) {
        let setup = set_up(&format!("peterson --ids {} --timing untimed --links any", list(ids)));
        broken += usize::from(shown(&setup).is_some());
    }
    assert!(broken > 0);
}

#[test]
fn van_leeuwen_and_tan_as_printed_are_broken_in_runs() {
    let mut broken = 0;
    for n in 2..=4 {
        for ids in orders_up_to_rotation(n) {
            for forms in ["rules=printed", "printed=pair", "printed=one", "printed=minimum"] {
                let ids = list(&ids);
                let setup = set_up(&format!("van-leeuwen-tan --ids {ids} --timing untimed --set {forms}"));
                broken += usize::from(shown(&setup).is_some());
            }
        }
    }
    assert!(broken > 0);
}

#[test]
fn afek_and_gafni_as_printed_elect_two_in_a_run() {
    let setup = set_up("afek-gafni-async --ids 2,1 --timing untimed --set rules=printed");
    let (steps, _, violated) = shown(&setup).expect("two of two elect themselves");
    assert!(violated.contains(&"at most one leader"), "{violated:?}");
    // Both wake, both captures arrive, both acks: nobody can be elected sooner.
    assert_eq!(steps, 6);
}

/// One lost candidate, and nobody is ever elected: the shortest counterexample wakes somebody and loses what it sends.
#[test]
fn faults_are_part_of_a_counterexample() {
    let lossy = set_up("chang-roberts --ids 2,1 --timing untimed --faults loss:1");
    assert_eq!(shown(&lossy), Some((2, 1, vec![TERMINATION])));
    for faults in ["crash:1", "crash:1,duplicate:1"] {
        let setup = set_up(&format!("chang-roberts --ids 3,1,2 --timing untimed --faults {faults}"));
        let (_, _, violated) = shown(&setup).expect("nothing passes a crashed processor");
        assert_eq!(violated, [TERMINATION]);
    }
}

/// With clocks: two sites as printed enter together, and the run with these clocks and delays shows it.
#[test]
fn the_lock_as_printed_lets_two_in_in_a_run_with_clocks() {
    let options = "--entries 1 --r 1..2 --d 1..2 --set rules=printed --set c1=1";
    for world in ["--ties sim --clocks varying", "--ties both --clocks varying", "--ties both --clocks fixed"] {
        let setup = set_up(&format!("spirakis-tampakas-mutex -n 2 {options} {world}"));
        let (_, _, violated) = shown(&setup).expect("a sleeping site is silent");
        assert_eq!(violated, ["conflicting sites are never inside together"]);
    }
}

/// A counterexample is shrunk like any other run, and still fails.
#[test]
fn a_counterexample_shrinks() {
    let setup = set_up("peterson --ids 1,2,3 --timing untimed --links any");
    let found = counterexample(&setup).expect("it is broken");
    let trace = found.run.expect("it is a run");
    let short = shrink(&trace, &Catalogue::default(), &()).expect("it fails");
    let (_, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert_eq!(summary.verdict, Verdict::Violated);
    assert!(summary.cost.steps <= found.steps as u64);
    let drawn = Played::replayed("peterson -n 6 --timing untimed --links any --seed 2");
    if drawn.summary.verdict == Verdict::Violated {
        let trace = drawn.trace();
        assert!(
            shrink(&trace, &Catalogue::default(), &())
                .expect("it fails")
                .replay(&Catalogue::default(), &(), |_| {})
                .is_ok()
        );
    }
}
