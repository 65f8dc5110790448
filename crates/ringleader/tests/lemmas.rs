//! Lemmas of a protocol's paper: the model checker and the simulator judge them on the same histories, and they change nothing
//! else.

use std::io;

use ringleader::check::Checked;
use ringleader::checker::{
    CheckQuery, CheckVerdict, CheckpointFile, Effort, Property, Reductions, Wakers, check_saved,
};
use ringleader::model::{
    AtMost, BadSetting, Description, Effects, Election, ElectionReport, Event, Fact, Faults, Id, Inspect, Instance,
    Lemma, Links, Message, NoTimer, Port, Processor, Protocol, Ring, Scenario, Seat, Settings, Task,
};
use ringleader::protocols::election::peterson::Peterson;
use ringleader::sim::Resolved;
use ringleader::{Case, Catalogue, Entry, Of};
use serde::Serialize;

/// Whoever wakes notes it and tells its neighbour, and so on; identity 3 is elected. `NOTES`: whether lemmas are stated.
#[derive(Clone)]
struct Sleepers<const NOTES: bool>;

/// Whether it has woken by itself is in its history only.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Sleeper<const NOTES: bool> {
    id: Id,
    awake: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Ringing;

const NEVER_BOTH: &str = "places 0 and 1 do not both wake";
const NEVER_ANYBODY: &str = "no fact has a phase";

const LEMMAS: &[Lemma] = &[
    Lemma {
        name: NEVER_BOTH,
        when: "",
        source: "here, lemma 1",
        holds: |histories| match histories.facts[0].is_empty() || histories.facts[1].is_empty() {
            true => Ok(()),
            false => Err("both have".into()),
        },
    },
    Lemma {
        name: NEVER_ANYBODY,
        when: "",
        source: "here, lemma 2",
        holds: |histories| match histories.iter().all(|(_, fact)| fact.phase == 0) {
            true => Ok(()),
            false => Err("one has".into()),
        },
    },
];

impl<const NOTES: bool> Protocol for Sleepers<NOTES> {
    type Processor = Sleeper<NOTES>;
    type Network = Ring;

    const DESCRIPTION: Description = Description { name: "sleepers", ..Description::NEW };
    const LEMMAS: &'static [Lemma] = if NOTES { LEMMAS } else { &[] };

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> Sleeper<NOTES> {
        Sleeper { id: seat.identity(), awake: false }
    }
}

impl<const NOTES: bool> Inspect for Sleeper<NOTES> {}

impl<const NOTES: bool> Processor for Sleeper<NOTES> {
    type Problem = Election;
    type Message = Ringing;
    type Timer = NoTimer;
    type Rules = Sleepers<NOTES>;

    fn step(&mut self, _: &Sleepers<NOTES>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.awake {
            return;
        }
        self.awake = true;
        if event == Event::Wake {
            fx.note(Fact::default());
        }
        let leader = Id::new(3);
        fx.report(if self.id == leader {
            ElectionReport::Elected(Some(leader))
        } else {
            ElectionReport::Follows(Some(leader))
        });
        fx.send(Port(0), Ringing);
    }
}

fn untimed() -> Scenario {
    Scenario { n: 3, ids: vec![1, 2, 3], untimed: true, ..Scenario::default() }
}

fn checked<const NOTES: bool>(scenario: &Scenario, reductions: Reductions) -> Checked {
    let entry: &'static dyn Entry = &Of::<Sleepers<NOTES>>::NEW;
    let case = Case { entry, scenario, settings: &[], task: None };
    let effort = Effort { reductions, ..Effort::default() };
    entry.check(&case, &Wakers::Anybody, &effort, &mut |_| true).expect("it can be checked")
}

fn verdict(checked: &Checked, name: &'static str) -> Option<CheckVerdict> {
    let found = checked.judgements.iter().find(|judgement| judgement.property == Property::Lemma(name));
    found.map(|judgement| judgement.verdict)
}

#[test]
fn lemmas_are_judged_on_what_states_forget_and_change_nothing_else() {
    for reductions in [Reductions::ALL, Reductions::NONE] {
        for scenario in [untimed(), Scenario { untimed: false, ..untimed() }] {
            let (with, without) = (checked::<true>(&scenario, reductions), checked::<false>(&scenario, reductions));
            assert_eq!(verdict(&with, NEVER_BOTH), Some(CheckVerdict::Violated));
            assert_eq!(verdict(&with, NEVER_ANYBODY), Some(CheckVerdict::Holds));
            assert_eq!(with.progress.states, without.progress.states);
            assert_eq!(with.judgements[..2], without.judgements[..], "the problem's properties");
        }
    }
}

#[test]
fn a_violated_lemma_has_a_shortest_counterexample_that_replays() {
    for reductions in [Reductions::ALL, Reductions::NONE] {
        let found = checked::<true>(&untimed(), reductions).counterexample.expect("a violation comes with one");
        assert_eq!((found.property, found.steps), (Property::Lemma(NEVER_BOTH), 2));
        let catalogue = Catalogue::with(&[const { &Of::<Sleepers<true>>::NEW }]);
        let (_, _, summary) =
            found.run.expect("it can be recorded").replay(&catalogue, &(), |_| {}).expect("it replays");
        assert_eq!(summary.violations.iter().map(|violation| violation.property).collect::<Vec<_>>(), [NEVER_BOTH]);
    }
}

/// A file in memory.
#[derive(Default)]
struct Memory(Vec<u8>);

impl CheckpointFile for Memory {
    fn is_due(&mut self) -> bool {
        true
    }

    fn replace(&mut self, content: &mut dyn FnMut(&mut dyn io::Write) -> io::Result<()>) {
        let mut next = Vec::new();
        content(&mut next).expect("memory takes all");
        self.0 = next;
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn io::Read + '_>>> {
        Ok((!self.0.is_empty()).then(|| Box::new(&self.0[..]) as Box<dyn io::Read>))
    }
}

/// Verdicts on lemmas are those of a check without checkpoints, also if the check is resumed, or its answer read again.
#[test]
fn lemmas_are_judged_with_checkpoints() {
    let scenario = Scenario { n: 3, ids: vec![1, 3, 2], ..untimed() };
    let mut file = Memory::default();
    let judged = |states, file: Option<&mut Memory>| {
        let effort = Effort { states, ..Effort::default() };
        let file = file.map(|file| file as &mut dyn CheckpointFile);
        let protocol = Peterson::configure(
            &Settings::new(Peterson::DESCRIPTION.parameters, &[]).expect("there are none"),
            &Resolved::new(&scenario).instance(&scenario),
        );
        let sought = (&effort, CheckQuery::default());
        let protocol = protocol.expect("it suits the scenario");
        check_saved(protocol, &scenario, &Wakers::Anybody, sought, file, &mut |_| true).expect("it can be checked")
    };
    let plain = judged(u64::MAX, None);
    let lemmas = plain.judgements.iter().filter(|judgement| matches!(judgement.property, Property::Lemma(_)));
    assert_eq!(lemmas.clone().count(), 2);
    assert!(lemmas.clone().all(|judgement| judgement.verdict == CheckVerdict::Holds));
    assert!(judged(50, Some(&mut file)).ran_out.is_some());
    assert_eq!(judged(u64::MAX, Some(&mut file)).judgements, plain.judgements, "it is resumed");
    assert_eq!(judged(u64::MAX, Some(&mut file)).judgements, plain.judgements, "its answer is read");
}

/// Peterson's lemmas speak of the election, whatever follows it, and whatever is below it.
#[test]
fn lemmas_are_judged_before_a_task_and_over_links() {
    let entry = Catalogue::default().find("peterson").expect("it is in the catalogue");
    let judged = |task, scenario: &Scenario| {
        let case = Case { entry, scenario, settings: &[], task };
        let found = entry.check(&case, &Wakers::Anybody, &Effort::default(), &mut |_| true).expect("it can be checked");
        let lemmas = found.judgements.into_iter().filter(|judgement| matches!(judgement.property, Property::Lemma(_)));
        lemmas.map(|judgement| (judgement.property, judgement.verdict)).collect::<Vec<_>>()
    };
    let scenario = Scenario { n: 2, ids: vec![1, 2], ..untimed() };
    let alone = judged(None, &scenario);
    assert_eq!(alone.len(), 2);
    assert!(alone.iter().all(|&(_, verdict)| verdict == CheckVerdict::Holds));
    assert_eq!(judged(Some(Task::Size), &scenario), alone);
    assert_eq!(judged(None, &Scenario { retransmit: Some(3), ..scenario }), alone);
}

#[test]
fn nothing_is_stated_outside_the_assumptions() {
    let at_most = AtMost { losses: 1, ..AtMost::default() };
    let faulty = Scenario { faults: Faults { at_most, ..Faults::default() }, ..untimed() };
    for scenario in [faulty, Scenario { links: Links::Any, ..untimed() }] {
        assert_eq!(verdict(&checked::<true>(&scenario, Reductions::ALL), NEVER_BOTH), None);
    }
}
