//! Restarts, pauses and cuts with the protocols of the catalogue: what each does to an election or a lock, that such runs replay,
//! and that they shrink.

use conformance::{Played, checked, entry, ring, set_up};
use ringleader::model::{Clocks, Links, Preset, Range, Reading, Scenario, Ties, Timing, Workload};
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader::sim::{TERMINATION, Verdict};
use ringleader::{Catalogue, TraceFile, shrink};
use ringleader_check::Effort;

/// A run, and its trace, which replays to the same end.
fn traced(line: &str) -> (Played, TraceFile) {
    let played = Played::replayed(line);
    let trace = TraceFile::new(&played.setup, played.execution.run.as_ref(), &played.summary);
    (played, trace)
}

/// The first property that a run violates.
fn violated(line: &str) -> Option<&'static str> {
    let summary = Played::replayed(line).summary;
    assert_eq!(summary.verdict == Verdict::Violated, !summary.violations.is_empty(), "{line}");
    summary.violations.first().map(|violation| violation.property)
}

#[test]
fn every_protocol_replays_with_every_fault() {
    for description in DESCRIPTIONS {
        let name = description.name;
        for seed in 0..3 {
            for faults in ["restart:2", "crash:1,restart:1", "cut:2", "cut:1,restart:1,loss:1,duplicate:1,pause:1"] {
                for links in ["fifo", "any", "half"] {
                    Played::replayed(&format!(
                        "{name} -n 4 --timing untimed --max-steps 300 --seed {seed} --links {links} --faults {faults}"
                    ));
                }
            }
            let times =
                ["crash:1@3,restart:1@9", "restart:0@5,restart:2@5", "pause:1@2+30,pause:0@9+4", "cut:0-1@1..20"];
            for faults in times {
                Played::replayed(&format!("{name} -n 4 --max-time 400 --seed {seed} --faults {faults}"));
            }
        }
    }
}

/// Ids 4, 1, 2, 3: id 4 has made its turn at 4, and its announcement at 8. Whoever restarts later has forgotten the result; its
/// own identity is discarded by the next greater one, and nobody tells it again. A restart before the announcement comes does no
/// harm, except to the identity 4 itself, which is then sent twice and elected twice, by the same processor.
#[test]
fn chang_and_roberts_do_not_tell_one_that_has_forgotten() {
    let line = |faults: &str| format!("chang-roberts --ids 4,1,2,3 --faults {faults}");
    assert_eq!(violated(&line("restart:1@30")), Some(TERMINATION));
    assert_eq!(violated(&line("restart:1@2")), None);
    // Down while the candidate 4 arrives at 2: it is lost.
    assert_eq!(violated(&line("crash:2@1,restart:2@3")), Some(TERMINATION));
    assert_eq!(violated(&line("crash:2@3,restart:2@5")), None, "it relayed it at 2, and is up when it is told at 6");
    assert_eq!(violated(&line("cut:1-2@1..2")), Some(TERMINATION), "what is sent at 1 is lost");
    assert_eq!(
        violated(&line("cut:3-0@5..9")),
        None,
        "only the end of the announcement is lost, of which its sender knows"
    );
    assert_eq!(violated(&line("pause:2@1+100")), None, "it only waits");
}

/// The election in time slices rests on a common clock. Of three processors the one with identity k sends in round 3(k-1)+1, if it
/// has heard nothing: id 2 in round 4. A pause of 3 rounds makes it round 7, in which id 3 sends as well. Each of the two discards
/// the other's identity, so that neither comes back, and nobody is elected.
#[test]
fn a_pause_breaks_what_rests_on_a_common_clock() {
    assert_eq!(violated("time-slice --ids 2,3,4"), None);
    assert_eq!(violated("time-slice --ids 2,3,4 --faults pause:0@2+1"), None);
    assert_eq!(violated("time-slice --ids 2,3,4 --faults pause:0@2+3"), Some(TERMINATION));
}

/// The same as a trace, and after it has been shrunk: the property that is violated first, and the faults.
fn shrunk(trace: &TraceFile) -> (&'static str, String) {
    let catalogue = Catalogue::default();
    let replay = |trace: &TraceFile| {
        let (setup, _, summary) = trace.replay(&catalogue, &(), |_| {}).expect("it replays");
        (summary.violations.first().expect("it fails").property, setup.scenario.faults.to_string())
    };
    let short = shrink(trace, &catalogue, &()).expect("it fails");
    let (before, after) = (replay(trace), replay(&short));
    assert_eq!(before.0, after.0);
    after
}

/// Without clocks a pause changes nothing, and is dropped; so is every kind of fault that did not happen. Without any fault the
/// election does not fail.
#[test]
fn failing_runs_without_clocks_keep_only_faults_that_matter() {
    for faults in ["restart:1", "cut:1"] {
        let line = |faults: &str, seed: u64| {
            format!("chang-roberts --ids 4,1,2,3 --timing untimed --seed {seed} --faults {faults}")
        };
        let fails = |seed: &u64| violated(&line(faults, *seed)).is_some();
        for seed in (0..40).filter(fails).take(3) {
            let (_, kept) = shrunk(&traced(&line(faults, seed)).1);
            assert_eq!(kept, faults);
            let (_, kept) = shrunk(&traced(&line(&format!("{faults},pause:2"), seed)).1);
            assert_eq!(kept, faults);
        }
    }
}

/// Counterexamples without clocks whose last action is a fault, taken where nothing else is left, replay and shrink: an election
/// is over, and then somebody forgets it.
#[test]
fn counterexamples_that_end_with_a_fault_replay_and_shrink() {
    for name in ["chang-roberts", "peterson", "franklin", "vitanyi"] {
        for n in [1, 2] {
            let ids: Vec<u64> = (1..=n).collect();
            let scenario = Scenario {
                untimed: true,
                faults: "restart:1".parse().expect("they are faults"),
                ..Scenario::clone(&set_up(&format!("{name} -n {n} --timing untimed --order ascending")).scenario)
            };
            assert_eq!(scenario.ids, ids);
            let found = checked(entry(name), &[], &scenario, &Effort::default());
            // A ring of one tells itself again.
            let Some(counterexample) = found.counterexample else { continue };
            let trace = counterexample.run.unwrap_or_else(|error| panic!("{name} -n {n}: {error}"));
            let (_, faults) = shrunk(&trace);
            assert_eq!(faults, "restart:1", "{name} -n {n}");
            assert!(n == 2, "{name}");
        }
    }
}

/// The lock of Spirakis and Tampakas is safe with one request at each site, unless something fails. Its counterexamples name the
/// faults and their times, and keep one that matters.
#[test]
fn counterexamples_with_clocks_shrink_to_faults_that_matter() {
    let timing = Timing {
        r: Range::new(1, 1),
        d: Range::new(1, 1),
        clocks: Clocks::Varying,
        ..Preset::Archimedean.timing(Reading::PerStep)
    };
    let workload = Some(Workload { entries: 1, hold: Range::new(1, 1), ..Workload::new(2) });
    let lock = Scenario { workload, links: Links::Any, ties: Ties::Either, ..ring(&[1, 2], timing) };
    for (text, kept) in [("restart:1", "restart:"), ("cut:1", "cut:"), ("pause:1", "pause:"), ("loss:1", "loss:")] {
        let scenario = Scenario { faults: text.parse().expect("they are faults"), ..lock.clone() };
        let effort = Effort { states: 1_000_000, ..Effort::default() };
        let found = checked(entry("spirakis-tampakas-mutex"), &[("c1", "1")], &scenario, &effort);
        let trace = found.counterexample.expect("it is not safe").run.expect("it is a run");
        let (property, faults) = shrunk(&trace);
        assert_eq!(property, "conflicting sites are never inside together", "{text}");
        assert!(faults.starts_with(kept) && !faults.contains(','), "{text}: {faults}");
    }
}

/// A failing run with a fault that matters and others that do not: only that one is left.
#[test]
fn failing_runs_shrink_to_the_fault_that_matters() {
    let cases = [
        ("chang-roberts --ids 9,1,5,3,8 --faults restart:1@30,pause:2@3+5,restart:2@0,cut:0-1@40..50", "restart:"),
        ("chang-roberts --ids 9,1,5,3,8 --faults cut:2-3@0..9,pause:2@3+5,restart:2@0", "cut:"),
    ];
    for (line, kept) in cases {
        let (played, trace) = traced(line);
        assert_eq!(played.summary.verdict, Verdict::Violated, "{line}");
        let short = shrink(&trace, &Catalogue::default(), &()).expect("it fails");
        let (setup, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
        assert_eq!(summary.verdict, Verdict::Violated, "{line}");
        let faults = setup.scenario.faults.to_string();
        assert!(faults.starts_with(kept) && !faults.contains(','), "{line}: {faults}");
        assert!(setup.scenario.n <= played.setup.scenario.n);
    }
}
