//! Checks that are resumed: from every checkpoint, with another number of threads, after every limit.

#[path = "common/saved_in_memory.rs"]
mod saved_in_memory;

use ringleader_check::{
    Answer, CheckQuery, CheckVerdict, CheckpointFile, Effort, ExtremesQuery, Extremum, Fairness, Judgement, Progress,
    Property, Reductions, SearchLimit, Specification, Wakers, check_for, check_saved,
};
use ringleader_model::{
    AtMost, BadSetting, Faults, Links, Protocol, Quantity, Range, Reading, Scenario, Settings, Ties, Workload,
};
use ringleader_protocols::election::chang_roberts::ChangRoberts;
use ringleader_protocols::election::itai_rodeh::ItaiRodeh;
use ringleader_protocols::election::peterson::Peterson;
use ringleader_protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
use ringleader_protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader_sim::Resolved;

use crate::saved_in_memory::SavedInMemory;

fn configured<P: Protocol>(scenario: &Scenario, set: &[(&str, &str)]) -> P {
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &set).expect("they are valid");
    P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("it suits")
}

/// An answer but for the memory that it took. With several threads, of equally short counterexamples any may be found.
fn figures<P: Protocol>(answer: Answer<P::Processor>, exact: bool) -> Answer<P::Processor> {
    let progress = Progress { bytes: 0, ..answer.progress };
    let mut judgements = answer.judgements;
    let mut counterexample = answer.counterexample;
    if !exact {
        judgements.iter_mut().for_each(|judgement| judgement.detail.clear());
        counterexample = None;
    }
    Answer { progress, judgements, counterexample, ..answer }
}

fn resumed<P: Protocol>(
    scenario: &Scenario,
    set: &[(&str, &str)],
    effort: &Effort,
    file: &mut SavedInMemory,
) -> Result<Answer<P::Processor>, BadSetting> {
    answered::<P>(scenario, set, (effort, CheckQuery::default()), file)
}

fn answered<P: Protocol>(
    scenario: &Scenario,
    set: &[(&str, &str)],
    sought: (&Effort, CheckQuery<'_>),
    file: &mut SavedInMemory,
) -> Result<Answer<P::Processor>, BadSetting> {
    let protocol = configured::<P>(scenario, set);
    let answer = check_saved(protocol, scenario, &Wakers::Anybody, sought, Some(file), &mut |_| true);
    assert_eq!(file.anew, 0, "it is not resumed: {scenario:?}");
    answer
}

/// Asserts that a check is resumed from each checkpoint, and after each limit, with one thread and with two.
#[track_caller]
fn must_resume<P: Protocol>(scenario: &Scenario, set: &[(&str, &str)], reductions: Reductions) {
    must_resume_for::<P>(scenario, set, reductions, CheckQuery::default());
}

/// The same for a query; returns the answer.
#[track_caller]
fn must_resume_for<P: Protocol>(
    scenario: &Scenario,
    set: &[(&str, &str)],
    reductions: Reductions,
    query: CheckQuery<'_>,
) -> Answer<P::Processor> {
    let effort = |threads| Effort { threads, reductions, ..Effort::default() };
    let resume = |effort: &Effort, file: &mut SavedInMemory| {
        answered::<P>(scenario, set, (effort, query), file).expect("it suits")
    };
    let protocol = configured::<P>(scenario, set);
    let expected = check_for(protocol, scenario, &Wakers::Anybody, &effort(1), query, &mut |_| true);
    let expected = expected.expect("it suits");
    let total = expected.progress.states;
    let (exact, roughly) = (figures::<P>(expected.clone(), true), figures::<P>(expected.clone(), false));
    for threads in [1, 2] {
        let mut file = SavedInMemory::every(7);
        let answer = resume(&effort(threads), &mut file);
        assert_eq!(figures::<P>(answer, threads == 1), if threads == 1 { exact.clone() } else { roughly.clone() });
        let some = file.all.len().div_ceil(12);
        for saved in file.all.iter().rev().step_by(some) {
            let again = resume(&effort(threads), &mut SavedInMemory::holding(saved));
            assert_eq!(figures::<P>(again, threads == 1), if threads == 1 { exact.clone() } else { roughly.clone() });
            let again = resume(&effort(3 - threads), &mut SavedInMemory::holding(saved));
            assert_eq!(figures::<P>(again, false), roughly);
        }
        for states in [1, 5, total / 7, total / 2, total - 1] {
            let mut file = SavedInMemory::every(usize::MAX);
            let limited = resume(&Effort { states, ..effort(threads) }, &mut file);
            assert_eq!(limited.ran_out, Some(SearchLimit::States), "{states} of {total}");
            let again = resume(&effort(threads), &mut file);
            assert_eq!(figures::<P>(again, threads == 1), if threads == 1 { exact.clone() } else { roughly.clone() });
        }
    }
    expected
}

fn untimed(ids: &[u64]) -> Scenario {
    Scenario { n: ids.len(), ids: ids.to_vec(), untimed: true, ..Scenario::default() }
}

#[test]
fn elections_are_resumed_from_every_checkpoint() {
    for reductions in [Reductions::ALL, Reductions::NONE] {
        must_resume::<Peterson>(&untimed(&[2, 4, 1, 3]), &[], reductions);
        must_resume::<ChangRoberts>(&untimed(&[4, 1, 3, 2]), &[], reductions);
        must_resume::<Peterson>(&Scenario { links: Links::Any, ..untimed(&[1, 2, 3]) }, &[], reductions);
    }
}

#[test]
fn checks_with_faults_are_resumed() {
    let at_most = AtMost { crashes: 1, losses: 1, duplicates: 1, restarts: 1, cuts: 1, ..AtMost::default() };
    let faults = Faults { at_most, ..Faults::default() };
    must_resume::<ChangRoberts>(&Scenario { faults, ..untimed(&[1, 3, 2]) }, &[], Reductions::ALL);
}

/// Rounds are rebased and rotations are one state. There is a cycle, so that everything is explored again without
/// reduction.
#[test]
fn a_check_that_searches_twice_is_resumed_in_the_second_search() {
    let ring = Scenario { n: 3, untimed: true, ..Scenario::default() };
    must_resume::<ItaiRodeh>(&ring, &[("ids", "2")], Reductions::ALL);
    must_resume::<ItaiRodeh>(&ring, &[("ids", "2")], Reductions::NONE);
}

#[test]
fn checks_with_clocks_are_resumed() {
    let mut scenario = Scenario { untimed: false, ..untimed(&[2, 3, 1]) };
    scenario.timing.d = Range::new(1, 3);
    must_resume::<ChangRoberts>(&scenario, &[], Reductions::ALL);
    scenario.timing.d = Range::new(0, 1);
    must_resume::<ChangRoberts>(&scenario, &[], Reductions::ALL);
}

/// Every site asks once.
fn once(n: usize) -> Option<Workload> {
    Some(Workload { entries: 1, hold: Range::new(1, 1), ..Workload::new(n) })
}

/// Arrivals are deferred, and silent messages are read late.
#[test]
fn a_lock_with_clocks_is_resumed() {
    let mut lock = Scenario { untimed: false, ties: Ties::Either, workload: once(2), ..untimed(&[1, 2]) };
    (lock.timing.r, lock.timing.d, lock.timing.reading) = (Range::new(1, 1), Range::new(1, 2), Reading::PerStep);
    for reductions in [Reductions::ALL, Reductions::NONE] {
        must_resume::<SpirakisTampakasMutex>(&lock, &[("c1", "1")], reductions);
    }
}

/// The order of messages on a link that does not keep it is examined until it is known that it matters.
#[test]
fn a_check_says_that_the_order_of_messages_matters_after_a_resumption() {
    let mut ring = Scenario { untimed: false, links: Links::Any, ties: Ties::Either, ..untimed(&[2, 3, 1]) };
    ring.timing.d = Range::new(1, 2);
    let answer = must_resume_for::<ChangRoberts>(&ring, &[], Reductions::ALL, CheckQuery::default());
    assert!(answer.judgements[0].detail.contains("order of sending"), "{:?}", answer.judgements);
}

/// The verdicts on formulas, which are searches of their own.
fn formula_verdicts<P: Protocol>(
    scenario: &Scenario,
    set: &[(&str, &str)],
    formulas: &[&str],
    fairness: Fairness,
) -> Vec<CheckVerdict> {
    let formulas = formulas.iter().map(|formula| formula.parse().expect("it is well-formed")).collect();
    let specification = Specification { formulas, fairness };
    let query = CheckQuery { specification: &specification, ..CheckQuery::default() };
    let answer = must_resume_for::<P>(scenario, set, Reductions::ALL, query);
    let is_formula = |judged: &&Judgement| matches!(judged.property, Property::Formula(_));
    answer.judgements.iter().filter(is_formula).map(|judged| judged.verdict).collect()
}

#[test]
fn formulas_are_judged_in_searches_that_are_resumed() {
    use CheckVerdict::{Holds, Violated};
    let formulas = ["F elected", "F leader(1)", "G !leader(2)", "F G quiescent"];
    let scenario = untimed(&[2, 4, 1, 3]);
    let verdicts = [Holds, Violated, Holds, Holds];
    assert_eq!(formula_verdicts::<ChangRoberts>(&scenario, &[], &formulas, Fairness::Weak), verdicts);
    let either = ["F elected", "F leader(1)"];
    let mut timed = Scenario { untimed: false, ..untimed(&[3, 2, 1]) };
    timed.timing.d = Range::new(1, 2);
    assert_eq!(formula_verdicts::<ChangRoberts>(&timed, &[], &either, Fairness::Weak), [Holds, Violated]);
    let lock = Scenario { workload: once(2), ..untimed(&[1, 2]) };
    let served = ["G(trying(0) -> F critical(0))", "G !critical(1)"];
    assert_eq!(formula_verdicts::<RicartAgrawala>(&lock, &[], &served, Fairness::Weak), [Holds, Violated]);
    assert_eq!(formula_verdicts::<RicartAgrawala>(&lock, &[], &served, Fairness::Strong), [Holds, Violated]);
}

/// With random choices the automaton of a formula is made deterministic, and its states are interned. An election ends with
/// probability 1, and then all have decided for good; some run has place 1 decide before place 0.
#[test]
fn formulas_about_random_choices_are_judged_in_searches_that_are_resumed() {
    let ring = Scenario { n: 3, untimed: true, ..Scenario::default() };
    let formulas =
        ["F elected", "F G(decided(0) & decided(1))", "!decided(1) W decided(0)", "F(decided(0) & F decided(2))"];
    let verdicts = formula_verdicts::<ItaiRodeh>(&ring, &[("ids", "2")], &formulas, Fairness::Weak);
    use CheckVerdict::{Holds, Violated};
    assert_eq!(verdicts, [Holds, Holds, Violated, Holds]);
}

#[test]
fn the_extremes_of_depth_are_those_of_a_check_that_was_not_stopped() {
    let depth = ExtremesQuery { depth: true, ..ExtremesQuery::default() };
    let query = CheckQuery { extremes: &depth, ..CheckQuery::default() };
    let answer = must_resume_for::<ChangRoberts>(&untimed(&[4, 1, 3, 2]), &[], Reductions::ALL, query);
    // The identity 4 takes four messages around the ring, and so does the announcement. At worst 1, 3 and 3 are sent
    // before 4 is.
    let range =
        answer.extremes.ranges.iter().find(|range| range.quantity == Quantity::Depth).expect("it was asked for");
    assert_eq!((range.least, range.greatest), (Extremum::Exactly(4 + 4), Extremum::Exactly(3 + 4 + 4)));
    must_resume_for::<Peterson>(&untimed(&[2, 4, 1, 3]), &[], Reductions::NONE, query);
}

#[test]
fn a_check_that_ran_out_of_memory_is_resumed_with_more() {
    let scenario = untimed(&[2, 4, 1, 3, 5]);
    let all = Effort { reductions: Reductions::NONE, ..Effort::default() };
    let expected = resumed::<Peterson>(&scenario, &[], &all, &mut SavedInMemory::every(usize::MAX)).expect("it suits");
    let mut stopped = 0;
    for tenths in 1..10 {
        let mut file = SavedInMemory::every(usize::MAX);
        let small = Effort { bytes: expected.progress.bytes / 10 * tenths, ..all };
        let limited = resumed::<Peterson>(&scenario, &[], &small, &mut file).expect("it suits");
        stopped += usize::from(limited.ran_out == Some(SearchLimit::Memory) && !file.all.is_empty());
        let again = resumed::<Peterson>(&scenario, &[], &all, &mut file).expect("there is more");
        assert_eq!(figures::<Peterson>(again, true), figures::<Peterson>(expected.clone(), true), "{tenths}");
    }
    assert!(stopped > 5, "{stopped}");
}

#[test]
fn a_checkpoint_of_another_check_or_a_damaged_one_is_refused() {
    let (scenario, effort) = (untimed(&[2, 4, 1, 3]), Effort::default());
    let mut file = SavedInMemory::every(usize::MAX);
    let few = Effort { states: 100, ..effort };
    resumed::<Peterson>(&scenario, &[], &few, &mut file).expect("it suits");
    let saved = file.now;
    let refused = |scenario: &Scenario, effort: &Effort, saved: &[u8]| {
        let error =
            resumed::<Peterson>(scenario, &[], effort, &mut SavedInMemory::holding(saved)).expect_err("it differs");
        assert_eq!(error.field, "resume");
        error.wrong
    };
    let other = refused(&untimed(&[2, 4, 3, 1]), &effort, &saved);
    assert!(other.contains("another scenario"), "{other}");
    let other = refused(&scenario, &Effort { reductions: Reductions::NONE, ..effort }, &saved);
    assert!(other.contains("another set of reductions: all, not none"), "{other}");
    let error =
        resumed::<ChangRoberts>(&scenario, &[], &effort, &mut SavedInMemory::holding(&saved)).expect_err("it differs");
    assert!(error.wrong.contains("another protocol: peterson, not chang-roberts"), "{}", error.wrong);
    for at in 0..saved.len() {
        let mut damaged = saved.clone();
        damaged[at] ^= 1 << (at % 8);
        refused(&scenario, &effort, &damaged);
        if at > 0 {
            refused(&scenario, &effort, &saved[..at]);
        }
    }
    assert!(resumed::<Peterson>(&scenario, &[], &effort, &mut SavedInMemory::holding(&saved)).is_ok());
}

/// With the rules as printed, a state has other transitions than with the repaired ones.
#[test]
fn a_checkpoint_of_other_parameters_is_refused() {
    let scenario = Scenario { n: 3, untimed: true, ..Scenario::default() };
    let mut file = SavedInMemory::every(usize::MAX);
    let few = Effort { states: 300, ..Effort::default() };
    resumed::<ItaiRodeh>(&scenario, &[("ids", "2")], &few, &mut file).expect("it suits");
    let error = resumed::<ItaiRodeh>(&scenario, &[("ids", "3")], &few, &mut file).expect_err("it differs");
    assert!(error.wrong.contains("other parameters"), "{}", error.wrong);
}
