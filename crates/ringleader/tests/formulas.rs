//! Formulas of one's own, on protocols of the catalogue: verdicts worked out by hand, and those of the built-in properties.

use ringleader::check::{CheckOptions, CheckSetup, CheckVerdict, Checked, Fairness, Formula, Specification};
use ringleader::checker::Property;
use ringleader::checker::Reductions;
use ringleader::model::{AtMost, Faults, Workload};
use ringleader::prelude::*;
use ringleader::{Catalogue, Effort, Options, TimingName};

fn specification(formulas: &[&str], fairness: Fairness) -> Specification {
    let formulas = formulas.iter().map(|text| text.parse().expect("it is a formula")).collect();
    Specification { formulas, fairness }
}

fn checked_with(
    name: &str,
    options: Options,
    settings: &[(&str, &str)],
    specification: &Specification,
    effort: &Effort,
) -> Result<Checked, BadSetting> {
    let entry = find(name).expect("it is in the catalogue");
    entry.set_up(options, settings).expect("it can be set up").check_formulas(specification, effort)
}

fn checked(name: &str, options: Options, formulas: &[&str]) -> Checked {
    let specification = specification(formulas, Fairness::Weak);
    checked_with(name, options, &[], &specification, &Effort::default()).expect("it can be checked")
}

/// Whether each formula holds.
fn holds(answer: &Checked) -> Vec<bool> {
    let judged = answer.judgements.iter().filter(|judged| matches!(judged.property, Property::Formula(_)));
    judged.map(|judged| judged.verdict == CheckVerdict::Holds).collect()
}

fn untimed(options: Options) -> Options {
    Options { timing: Some(TimingName::Untimed), ..options }
}

fn locks(entries: u64) -> Options {
    Options { entries: Some(entries), ..untimed(processors(2)) }
}

#[test]
fn the_greatest_identity_is_elected_and_no_other() {
    let formulas = [
        "F elected",
        "G !leader(1)",
        "F leader(3)",
        "G(quiescent -> elected)",
        "!decided(0) U elected",
        "G(elected -> G elected)",
    ];
    assert_eq!(holds(&checked("chang-roberts", ring([1, 2, 3]), &formulas)), [true; 6]);
    // Place 2 wakes; its identity takes three steps around the ring, and so does the announcement.
    let answer = checked("chang-roberts", ring([1, 2, 3]), &["F leader(1)"]);
    assert_eq!(holds(&answer), [false]);
    let found = answer.counterexample.expect("a violation has a counterexample");
    assert_eq!((found.property, found.steps, found.repeats_from), (Property::Formula(0), 1 + 3 + 3, None));
    let run = found.run.expect("the simulator makes the same run");
    assert_eq!(run.formula(), Some("F leader(1)"));
    let (setup, _, summary) = run.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    let violation = run.recorded_violation(&setup, &summary).expect("it is recorded");
    assert_eq!((violation.property, violation.detail.as_str()), ("formula", "F leader(1)"));
    // A state that violates an invariant is reached as soon as 3 is back.
    let found = checked("chang-roberts", ring([1, 2, 3]), &["G !elected"]).counterexample.expect("it is violated");
    assert_eq!((found.steps, found.run.is_ok()), (1 + 3, true));
}

#[test]
fn every_request_is_granted_unless_a_message_is_lost() {
    let formulas =
        ["G(trying(0) -> F critical(0))", "G !(critical(0) & critical(1))", "G(critical(1) -> F !critical(1))"];
    assert_eq!(holds(&checked("ricart-agrawala", locks(2), &formulas)), [true; 3]);
    // The other site asks, is answered, enters and leaves.
    let answer = checked("ricart-agrawala", locks(1), &["F critical(0)"]);
    let found = answer.counterexample.expect("nobody must ask");
    assert_eq!((found.steps, found.repeats_from, found.run.is_ok()), (4, None, true));
    let faults = Faults { at_most: AtMost { losses: 1, ..AtMost::default() }, ..Faults::default() };
    let answer = checked("ricart-agrawala", Options { faults: Some(faults), ..locks(1) }, &formulas);
    assert_eq!(holds(&answer), [false, true, true], "a request or a reply is lost");
}

#[test]
fn a_run_with_clocks_is_a_lasso() {
    let formulas = ["F elected", "F quiescent", "G(quiescent -> decided(0) & decided(1))", "FG !elected"];
    let timed = Options { timing: None, ..ring([2, 1]) };
    let options = CheckOptions {
        options: timed,
        timed: Some(true),
        specification: specification(&formulas, Fairness::Weak),
        ..CheckOptions::default()
    };
    let check = CheckSetup::new(find("lelann").unwrap(), &options).expect("it can be checked");
    let answer = check.explore(&check.instances[0], &check.effort, &mut |_| true).expect("it is explored");
    assert_eq!(holds(&answer), [true, true, true, false]);
    let found = answer.counterexample.expect("once elected, time goes on");
    assert!(found.repeats_from.is_some());
    let run = found.run.expect("the simulator makes the same run");
    assert_eq!(run.formula(), Some("F G !elected"));
}

#[test]
fn an_initial_state_can_violate_a_formula() {
    for timed in [false, true] {
        let options = CheckOptions {
            options: ring([2, 1]),
            timed: Some(timed),
            specification: specification(&["elected"], Fairness::Weak),
            ..CheckOptions::default()
        };
        let check = CheckSetup::new(find("lelann").unwrap(), &options).expect("it can be checked");
        let answer = check.explore(&check.instances[0], &check.effort, &mut |_| true).expect("it is explored");
        let found = answer.counterexample.expect("nobody is elected at first");
        assert_eq!((found.steps, found.run.is_ok()), (0, true), "{:?}", found.run);
    }
}

/// Elections and whether they terminate, orders of three identities each.
const ELECTIONS: [(&str, Links); 8] = [
    ("chang-roberts", Links::Fifo),
    ("lelann", Links::Fifo),
    ("lelann", Links::Any),
    ("peterson", Links::Fifo),
    ("peterson", Links::Any),
    ("franklin", Links::Fifo),
    ("dolev-klawe-rodeh", Links::Any),
    ("hirschberg-sinclair", Links::Any),
];

#[test]
fn that_everybody_decides_agrees_with_termination() {
    let mut verdicts = [0; 2];
    for (name, links) in ELECTIONS {
        for ids in [[1, 2, 3], [3, 2, 1]] {
            let options = untimed(Options { links: Some(links), ..ring(ids) });
            let formulas =
                ["F(decided(0) & decided(1) & decided(2))", "G(quiescent -> decided(0) & decided(1) & decided(2))"];
            let answer = checked(name, options, &formulas);
            let judged =
                |property| answer.judgements.iter().find(|judged| judged.property == property).unwrap().verdict;
            let terminates = judged(Property::Termination);
            if judged(Property::Safety) == CheckVerdict::Holds {
                assert_eq!(holds(&answer), [terminates == CheckVerdict::Holds; 2], "{name} {links:?} {ids:?}");
                verdicts[usize::from(terminates == CheckVerdict::Holds)] += 1;
            }
            assert!(answer.counterexample.is_none_or(|found| found.run.is_ok()));
        }
    }
    assert!(verdicts.iter().all(|&count| count > 1), "{verdicts:?}");
}

#[test]
fn random_choices_elect_with_probability_1() {
    let formulas = ["F elected", "F(decided(0) & decided(1))", "G !decided(0)", "G !decided(1)"];
    for reductions in [Reductions::ALL, Reductions::NONE] {
        let effort = Effort { reductions, ..Effort::default() };
        let specification = specification(&formulas, Fairness::Weak);
        let answer = checked_with("itai-rodeh", untimed(processors(2)), &[], &specification, &effort).unwrap();
        // A run in which both draw the same number forever has probability 0.
        assert_eq!(holds(&answer), [true, true, false, false], "rotations of the ring are told apart");
    }
}

#[test]
fn reductions_and_threads_change_no_verdict() {
    let formulas = ["G !leader(1)", "G !elected", "G(decided(0) -> decided(1))", "G(leader(2) -> decided(2))"];
    for (name, links) in ELECTIONS {
        let mut seen = Vec::new();
        for (reductions, threads) in [(Reductions::ALL, 1), (Reductions::NONE, 1), (Reductions::ALL, 2)] {
            let options = untimed(Options { links: Some(links), ..ring([2, 3, 1]) });
            let specification = specification(&formulas, Fairness::Weak);
            let effort = Effort { reductions, threads, ..Effort::default() };
            let answer = checked_with(name, options, &[], &specification, &effort).unwrap();
            let steps = answer.counterexample.as_ref().map(|found| found.steps);
            seen.push((holds(&answer), steps));
        }
        assert!(seen.iter().all(|one| *one == seen[0]), "{name}: {seen:?}");
    }
}

#[test]
fn propositions_must_suit_the_scenario() {
    let refused = |name: &str, options: Options, text: &str| {
        let bad = checked_with(name, options, &[], &specification(&[text], Fairness::Weak), &Effort::default());
        let bad = bad.expect_err("it does not suit");
        assert_eq!(bad.field, "formula");
        (bad.wrong, bad.allowed)
    };
    let (wrong, allowed) = refused("chang-roberts", ring([1, 2]), "F critical(0)");
    assert_eq!(wrong, "'F critical(0)' names critical(0), which this problem does not have");
    assert_eq!(allowed, "elected, leader(ID), decided(PLACE), quiescent");
    let (wrong, allowed) = refused("chang-roberts", ring([1, 2]), "F decided(2)");
    assert_eq!(
        (wrong.as_str(), allowed.as_str()),
        ("'F decided(2)' names place 2", "decided(PLACE) for places 0 to 1")
    );
    let (_, allowed) = refused("chang-roberts", ring([4, 7]), "F leader(1)");
    assert_eq!(allowed, "4, 7");
    let (_, allowed) = refused("itai-rodeh", untimed(processors(2)), "F leader(1)");
    assert_eq!(allowed, "no identity: there are none");
    let (_, allowed) = refused("ricart-agrawala", locks(1), "F reading(0)");
    assert_eq!(allowed, "trying(PLACE), critical(PLACE), quiescent");
}

#[test]
fn a_place_that_is_named_is_moved_by_no_symmetry() {
    let instances = |name: &str, formulas: &[&str]| {
        let options = CheckOptions {
            options: processors(3),
            specification: specification(formulas, Fairness::Weak),
            ..CheckOptions::default()
        };
        CheckSetup::new(find(name).unwrap(), &options).expect("it can be checked").instances.len()
    };
    assert_eq!(instances("chang-roberts", &[]), 2, "up to rotation");
    assert_eq!(instances("chang-roberts", &["F leader(1)", "F elected"]), 2, "identities move with their places");
    assert_eq!(instances("chang-roberts", &["F decided(0)"]), 6);
    assert_eq!(instances("all-to-all", &[]), 1, "up to permutation of sites");
    assert_eq!(instances("all-to-all", &["F decided(1)"]), 3, "the identity at place 1");
    assert_eq!(instances("all-to-all", &["F decided(1)", "F decided(2)"]), 6);
}

#[test]
fn the_command_line_of_a_check_has_its_formulas() {
    let always = "!elected".parse::<Formula>().unwrap().always();
    let specification = Specification { formulas: vec![always], fairness: Fairness::Strong };
    let options = CheckOptions { options: processors(3), specification, ..CheckOptions::default() };
    let line = options.command_line("lelann", 3).into_text();
    assert!(line.ends_with("check lelann -n 3 --ltl 'G !elected' --fairness strong"), "{line}");
}

/// A lock of two sites: who has the token and does not need it hands it over when it is asked; who is inside answers that it
/// should be asked again. With finitely many entries that is soon enough.
#[derive(Clone)]
struct RetryLock;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
enum Talk {
    Want,
    Retry,
    Token,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Site {
    token: bool,
    inside: bool,
}

impl Protocol for RetryLock {
    type Processor = Site;
    type Network = Ring;
    const DESCRIPTION: Description = Description {
        name: "retry-lock",
        assumptions: Assumptions { identities: false, ..Assumptions::RING },
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn role(&self, place: Place) -> u32 {
        u32::from(place == 0)
    }

    fn processor(&self, seat: Seat) -> Site {
        Site { token: seat.role == 1, inside: false }
    }
}

impl Inspect for Site {}

impl Site {
    fn enter(&mut self, fx: &mut impl Effects<Self>) {
        self.inside = true;
        fx.report(EntryReport::entered());
    }
}

impl Processor for Site {
    type Problem = MutualExclusion;
    type Message = Talk;
    type Timer = NoTimer;
    type Rules = RetryLock;

    fn step(&mut self, _: &RetryLock, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake | Event::Timeout(_) => {}
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                if self.token {
                    self.enter(fx);
                } else {
                    fx.send(Port(0), Talk::Want);
                }
            }
            Event::Call(EntryRequest::Release) => {
                self.inside = false;
                fx.report(EntryReport::Left);
            }
            Event::Receive(_, Talk::Want) if self.inside => fx.send(Port(0), Talk::Retry),
            Event::Receive(_, Talk::Want) => {
                self.token = false;
                fx.send(Port(0), Talk::Token);
            }
            Event::Receive(_, Talk::Retry) => fx.send(Port(0), Talk::Want),
            Event::Receive(_, Talk::Token) => {
                self.token = true;
                self.enter(fx);
            }
        }
    }
}

/// The check of two sites that enter so many times each, or forever.
fn entering(entry: &'static dyn Entry, entries: u64, settings: &[(&str, &str)], fairness: Fairness) -> Checked {
    let set = settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let options = CheckOptions {
        options: Options { entries: Some(entries), set, ..processors(2) },
        timed: Some(false),
        specification: Specification { formulas: Vec::new(), fairness },
        ..CheckOptions::default()
    };
    let check = CheckSetup::new(entry, &options).expect("it can be checked");
    check.explore(&check.instances[0], &check.effort, &mut |_| true).expect("it is explored")
}

#[test]
fn a_site_can_be_starved_by_entries_without_end_only() {
    let own: &dyn Entry = &Of::<RetryLock>::NEW;
    for entries in [1, 2, 3] {
        let answer = entering(own, entries, &[], Fairness::Weak);
        let judged: Vec<_> = answer.judgements.iter().map(|judged| (judged.property, judged.verdict)).collect();
        let expected = [Property::Safety, Property::Termination].map(|property| (property, CheckVerdict::Holds));
        assert_eq!(judged, expected, "{entries} entries");
    }
    for fairness in [Fairness::Weak, Fairness::Strong] {
        let answer = entering(own, Workload::FOREVER, &[], fairness);
        let judged: Vec<_> = answer.judgements.iter().map(|judged| (judged.property, judged.verdict)).collect();
        let starved = |number| (Property::Formula(number), CheckVerdict::Violated);
        assert_eq!(judged, [(Property::Safety, CheckVerdict::Holds), starved(0), starved(1)], "{fairness}");
        // The message of the one is always delivered while the other is inside.
        let found = answer.counterexample.expect("a violation has a counterexample");
        assert!(found.repeats_from.is_some());
        let run = found.run.expect("the simulator makes the same run");
        assert!(run.formula().is_some_and(|formula| formula.starts_with("G (trying(")));
    }
}

#[test]
fn nobody_is_starved_by_ricart_and_agrawala() {
    // Numbers modulo 2N - 1 are enough, and keep the state space finite.
    let entry = find("ricart-agrawala").unwrap();
    let answer = entering(entry, Workload::FOREVER, &[("numbers", "3")], Fairness::Weak);
    assert_eq!(answer.verdict(), CheckVerdict::Holds, "{answer:?}");
    assert_eq!(holds(&answer), [true; 2]);
}

#[test]
fn entries_without_end_are_for_checks_of_locks() {
    let options = Options { entries: Some(Workload::FOREVER), ..processors(2) };
    let run = find("ricart-agrawala").unwrap().set_up(options.clone(), &[]);
    assert_eq!(run.map(|_| ()).unwrap_err().field, "entries");
    for name in ["lamport-readers-writers", "spirakis-tampakas-readers-writers", "ricart-agrawala"] {
        let options = CheckOptions { options: options.clone(), ..CheckOptions::default() };
        let refused = CheckSetup::new(find(name).unwrap(), &options).map(|_| ()).unwrap_err();
        assert_eq!(refused.field, "entries", "{name} has numbers that grow without bound");
    }
}
