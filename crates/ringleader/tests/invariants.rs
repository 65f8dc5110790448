//! Invariants of a protocol: the model checker and the simulator judge them in the same states.

use ringleader::check::Checked;
use ringleader::checker::{CheckVerdict, Effort, Property, Reductions, Wakers};
use ringleader::model::{
    Assumptions, AtMost, BadSetting, Bound, Description, Effects, Election, Event, Faults, Inspect, Instance,
    Invariant, Message, NoTimer, Port, Processor, Protocol, Ring, Scenario, Seat, Settings,
};
use ringleader::{Case, Catalogue, Entry, Of};
use serde::Serialize;

/// Whoever wakes is lit and tells its neighbour; whoever is told is dark. With one invariant, by number.
#[derive(Clone)]
struct Lamps<const INVARIANT: usize>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Lamp<const INVARIANT: usize> {
    lit: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Off;

/// The verdict of an invariant on the lit processors, by place.
type Predicate = fn(&[bool]) -> bool;

const INVARIANTS: [(&str, Predicate); 5] = [
    ("never two are lit", |lit| lit.iter().filter(|&&lit| lit).count() != 2),
    ("the last is dark", |lit| lit.last() == Some(&false)),
    ("somebody is lit", |lit| lit.contains(&true)),
    ("there are three", |lit| lit.len() == 3),
    ("never all are lit", |lit| lit.contains(&false)),
];

impl<const INVARIANT: usize> Protocol for Lamps<INVARIANT> {
    type Processor = Lamp<INVARIANT>;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "lamps",
        assumptions: Assumptions { identities: false, ..Assumptions::RING },
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[];
    const INVARIANTS: &'static [Invariant<Self>] = &[Invariant {
        name: INVARIANTS[INVARIANT].0,
        holds: |lamps| {
            let lit: Vec<bool> = lamps.iter().map(|lamp| lamp.lit).collect();
            if INVARIANTS[INVARIANT].1(&lit) { Ok(()) } else { Err(format!("{lit:?}")) }
        },
    }];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, _: Seat) -> Lamp<INVARIANT> {
        Lamp { lit: false }
    }
}

impl<const INVARIANT: usize> Inspect for Lamp<INVARIANT> {}

impl<const INVARIANT: usize> Processor for Lamp<INVARIANT> {
    type Problem = Election;
    type Message = Off;
    type Timer = NoTimer;
    type Rules = Lamps<INVARIANT>;

    fn step(&mut self, _: &Lamps<INVARIANT>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        self.lit = event == Event::Wake;
        if self.lit {
            fx.send(Port(0), Off);
        }
    }
}

/// Checks three lamps with one invariant, and returns the verdict on it.
fn checked<const INVARIANT: usize>(scenario: &Scenario, wakers: &Wakers) -> (CheckVerdict, Checked) {
    let entry: &'static dyn Entry = &Of::<Lamps<INVARIANT>>::NEW;
    let case = Case { entry, scenario, settings: &[], task: None };
    let check = |reductions| {
        let effort = Effort { reductions, ..Effort::default() };
        entry.check(&case, wakers, &effort, &mut |_| true).expect("it can be checked")
    };
    let property = Property::Invariant(INVARIANTS[INVARIANT].0);
    let verdict = |checked: &Checked| {
        let found = checked.judgements.iter().find(|judgement| judgement.property == property);
        found.expect("an invariant is judged").verdict
    };
    let (reduced, full) = (check(Reductions::ALL), check(Reductions::NONE));
    assert_eq!(verdict(&reduced), verdict(&full), "reductions preserve invariants");
    if let (Some(one), Some(other)) = (&reduced.counterexample, &full.counterexample) {
        assert_eq!((one.property, one.steps), (other.property, other.steps), "and the shortest counterexample");
    }
    (verdict(&reduced), reduced)
}

fn untimed() -> Scenario {
    Scenario { n: 3, untimed: true, ..Scenario::default() }
}

/// An invariant is violated after this number of steps, and in the simulator, too.
fn violated<const INVARIANT: usize>(scenario: &Scenario, wakers: &Wakers, steps: usize) {
    let name = INVARIANTS[INVARIANT].0;
    let (verdict, checked) = checked::<INVARIANT>(scenario, wakers);
    assert_eq!(verdict, CheckVerdict::Violated, "{name}");
    let found = checked.counterexample.expect("a violation comes with a counterexample");
    assert_eq!((found.property, found.steps), (Property::Invariant(name), steps), "{name}");
    let trace = found.run.unwrap_or_else(|error| panic!("{name}: {error}"));
    let catalogue = Catalogue::with(&[const { &Of::<Lamps<INVARIANT>>::NEW }]);
    let (_, _, summary) = trace.replay(&catalogue, &(), |_| {}).expect("it replays");
    assert!(summary.violations.iter().any(|violation| violation.property == name), "{name}: {summary:?}");
}

#[test]
fn a_violated_invariant_has_a_shortest_counterexample_that_replays() {
    violated::<0>(&untimed(), &Wakers::Anybody, 2);
}

#[test]
fn an_invariant_need_not_be_symmetric() {
    violated::<1>(&untimed(), &Wakers::Anybody, 1);
}

#[test]
fn the_initial_state_is_judged() {
    violated::<2>(&untimed(), &Wakers::Anybody, 0);
}

#[test]
fn an_invariant_holds_where_another_property_does_not() {
    let (verdict, checked) = checked::<3>(&untimed(), &Wakers::Anybody);
    assert_eq!(verdict, CheckVerdict::Holds);
    // Nobody is elected.
    let termination = &checked.judgements[1];
    assert_eq!((termination.property, termination.verdict), (Property::Termination, CheckVerdict::Violated));
}

/// All wake at one instant, one after the other: two are lit in the middle of it.
#[test]
fn with_clocks_an_invariant_is_judged_after_each_step_of_an_instant() {
    let timed = Scenario { untimed: false, ..untimed() };
    violated::<0>(&timed, &Wakers::Together, 1);
    violated::<1>(&timed, &Wakers::Together, 1);
}

/// Of three lamps one crashes; it stays as it was, so that all can still be lit.
#[test]
fn a_crashed_processor_keeps_its_last_state() {
    let faults = Faults { at_most: AtMost { crashes: 1, ..AtMost::default() }, ..Faults::default() };
    let scenario = Scenario { faults, ..untimed() };
    let wakers = Wakers::These(vec![0, 1, 2]);
    let (verdict, _) = checked::<4>(&scenario, &wakers);
    assert_eq!(verdict, CheckVerdict::Violated);
    violated::<0>(&scenario, &wakers, 2);
}
