//! Timing that changes within a run: a system that is Archimedean with other ratios from t1 to t2 (Vitányi 1984, section 2).

use conformance::{Draw, Played};
use ringleader::model::BoundKind;
use ringleader::sim::{Summary, Verdict};
use ringleader::{Catalogue, Setup, shrink};

/// Whether every bound on a run is judged, and holds.
fn all_hold(setup: &Setup, summary: &Summary) -> bool {
    let judged = setup.facts.bounds.iter().filter(|bound| bound.kind != BoundKind::Mean);
    judged.map(|bound| bound.judge(summary).1).all(|holds| holds == Some(true))
}

/// An election that begins after the last tick and message of wilder times is one of the calm system, and one that ends before
/// them as well: step by step, within the bounds of the calm system, with its u and m.
#[test]
fn an_election_within_an_interval_is_one_of_a_system_that_always_is_so() {
    let mut draw = Draw::new(17);
    for _ in 0..60 {
        let n = draw.between(1, 16);
        let seed = draw.below(1000);
        let clocks = draw.one_of(&["fixed", "slowest", "fastest"]);
        let delays = draw.one_of(&["uniform", "min", "max", "newest-first", "slowest-low"]);
        let common = format!("vitanyi -n {n} --clocks {clocks} --delays {delays} --seed {seed}");
        // u = 4 + 3 and l = 1: every election is over within 7n(2 + 2) = 28n.
        let over = 28 * n;
        let calm = |wakes: &str| Played::of(&format!("{common} --r 1..4 --d 0..3 {wakes}"));
        let early = calm("");
        let ended = format!("{common} --r 1..4@0,1..60@{} --d 0..3@0,5..500@{} --assume first", over + 1, over + 1);
        let ended = Played::of(&ended);
        let calm_order = early.summary.order;
        assert_eq!(Summary { order: calm_order, ..ended.summary.clone() }, early.summary, "{common}");
        assert!(all_hold(&ended.setup, &ended.summary), "{common}");
        assert_eq!(ended.setup.facts.figures.len(), early.setup.facts.figures.len());

        let at: Vec<_> = (0..n).map(|place| (900 + place % 3).to_string()).collect();
        let wakes = format!("--wake-at {}", at.join(","));
        let begun = format!("{common} --r 2..60@0,1..4@300 --d 5..500@0,0..3@300 {wakes}");
        let (begun, calm) = (Played::of(&begun).summary, calm(&wakes).summary);
        assert_eq!((begun.trace, begun.cost), (calm.trace, calm.cost), "{common} {wakes}");
    }
}

/// The least ring on which delays that become long exceed (2) as repaired, of the interval before: nothing is overtaken any more.
#[test]
fn an_election_that_goes_on_beyond_its_interval_exceeds_its_bounds() {
    // Awake at 0, all send M_i at 1, and from 2 on no message is overtaken: 2N + N(N+1)/2 = 63. With u = f(l) = 2, m = 1 and
    // Σ 1/f(i) < 1/2 over the losers it is 4N - 1 + 3N = 62 at most that (2) as repaired allows.
    let played = Played::of("vitanyi -n 9 --order ascending --d 1@0,1e6@2 --assume first");
    assert_eq!((played.summary.verdict, played.summary.cost.messages()), (Verdict::Held, 63));
    let repaired = |bound: &&_| -> bool {
        let bound: &ringleader::EvaluatedBound = bound;
        bound.formula == "4N - 1 + (T/m) sum over i != l of 1/f(i)"
    };
    let bound = played.setup.facts.bounds.iter().find(repaired).expect("it is listed");
    assert!(bound.value <= ringleader::model::Value::int(62));
    let (measured, holds) = bound.judge(&played.summary);
    assert!(measured > Some(bound.value), "{measured:?} against {}", bound.value);
    assert_eq!(holds, None, "the system is not what it assumes");
    assert!(!played.setup.is_exceeded(&played.summary));
    let notes = ringleader::RunReport::new(&played.setup, &played.summary).notes;
    assert!(notes.iter().any(|note| note.contains("r 1 and d 1, from 2 on")), "{notes:?}");

    // With the ratios of the whole run it holds: those are what is assumed unless something else is said.
    let all = Played::of("vitanyi -n 9 --order ascending --d 1@0,1e6@2");
    assert_eq!(all.summary, played.summary);
    assert!(all_hold(&all.setup, &all.summary));
}

/// A lock that knows all ranges is safe; one that knows the first only is not, once delays are longer than its window.
#[test]
fn what_a_lock_takes_for_granted_must_be_true() {
    let line = "spirakis-tampakas-mutex -n 3 --r 10..20 --d 20..100@0,20..3000@500";
    for seed in 1..20 {
        let knows = Played::of(&format!("{line} --seed {seed}"));
        assert_eq!(knows.summary.verdict, Verdict::Held, "{seed}");
        assert!(!knows.setup.is_exceeded(&knows.summary));
        let trusts = Played::of(&format!("{line} --assume first --seed {seed}"));
        assert_eq!(trusts.summary.verdict, Verdict::Violated, "{seed}");
    }
}

/// Tokens are multiplied while delays exceed what the timers assume, and are one again when they do not: whoever is late
/// replaces, whoever is early removes.
#[test]
fn a_token_ring_recovers_from_an_interval_outside_of_its_assumptions() {
    let line = "token-ring -n 4 --r 10..12 --d 20..22@0,400@1000,20..22@3000 --assume first --set tokens=1";
    for seed in 1..20 {
        let played = Played::of(&format!("{line} --seed {seed}"));
        assert_eq!(played.summary.verdict, Verdict::Held, "{seed}: {:?}", played.summary.violations);
        let within = Played::of(&format!("token-ring -n 4 --r 10..12 --d 20..22 --set tokens=1 --seed {seed}"));
        assert!(played.summary.cost.tally.laps > within.summary.cost.tally.laps, "{seed}: it was disturbed");
    }
}

#[test]
fn a_run_with_timing_that_changes_replays_and_shrinks() {
    let line =
        "spirakis-tampakas-mutex -n 4 --r 10..20@0,9..21@200 --d 20..100@0,20..3000@500,20..90@9000 --assume first";
    let played = Played::replayed(line);
    assert_eq!(played.summary.verdict, Verdict::Violated);
    let short = shrink(&played.trace(), &Catalogue::default(), &()).expect("it fails");
    let (setup, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert_eq!(summary.verdict, Verdict::Violated);
    let timing = &setup.scenario.timing;
    assert_eq!(timing.changes.len(), 2, "one change is enough: {:?}", timing.changes);
    assert!(timing.exceeded().is_some_and(|exceeded| exceeded.from < 500), "{:?}", timing.changes);
    assert!(timing.changes[1].d.max < 3000 && short.choices.len() < played.trace().choices.len());

    // What needs no change is shrunk to a run without one.
    let printed = "spirakis-tampakas-mutex -n 4 --set rules=printed --d 20..100@0,20..110@100 --seed 1 --entries 5";
    let played = Played::replayed(printed);
    assert_eq!(played.summary.verdict, Verdict::Violated);
    let short = shrink(&played.trace(), &Catalogue::default(), &()).expect("it fails");
    let (setup, ..) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert!(setup.scenario.timing.changes.is_empty(), "{:?}", setup.scenario.timing);
}

/// Options that say all of a scenario say what changes, and files without changes are what they were.
#[test]
fn a_scenario_is_written_with_its_changes_and_without_them_as_before() {
    let line = "vitanyi -n 3 --r 1..4@0,1..9@500 --d 0..3@0,0..40@700 --assume first --seed 5";
    let played = Played::replayed(line);
    let again = Setup::new(played.setup.entry, played.setup.to_options()).expect("they say all of it");
    assert_eq!((again.scenario.timing.changes.len(), again.run().expect("it runs")), (3, played.summary.clone()));
    let json = |setup: &Setup| serde_json::to_value(&setup.scenario.timing).expect("it can be written");
    assert_eq!(json(&played.setup)["changes"][2]["from"], 700);
    let plain = Played::of("vitanyi -n 3 --r 1..4 --seed 5");
    assert!(json(&plain.setup).get("changes").is_none());
    let same = Played::of("vitanyi -n 3 --r 1..4@0,1..4@20 --seed 5");
    assert_eq!(same.setup.scenario, plain.setup.scenario);
}
