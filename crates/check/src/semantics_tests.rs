//! Both semantics agree on fairness, reductions change no answer, and an instant or an action that cannot be enumerated
//! makes the answer unknown.

use ringleader_model::{
    Action, Assumptions, Description, Effects, Election, ElectionReport, Event, Links, Port, Processor, Range, Ring,
    Scenario, Ticks, Timing,
};
use serde::Serialize;

use crate::test_protocols::{ASSUMPTIONS, DESCRIPTION, ToyMessage, toy_protocol};
use crate::{Answer, CheckVerdict, Effort, Property, Reductions, Schedule, SearchLimit, Wakers, check};

/// A protocol on a ring.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
enum Toy {
    /// Two timers that set themselves again forever.
    TwoTimers,
    /// A processor that has woken up and received a message decides.
    Gathering,
    /// A message that is forwarded forever.
    Token,
    /// A timer of 0 ticks that sets itself again forever.
    EndlessInstant,
    /// A timer that sends a message for one of two random choices.
    RandomTimer,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct ToyProcessor {
    woken: bool,
    reached: bool,
}

const TOY: Description = Description { assumptions: Assumptions { links: Links::Any, ..ASSUMPTIONS }, ..DESCRIPTION };

toy_protocol!(Toy: ToyProcessor, Ring, TOY, |self| ToyProcessor { woken: false, reached: false });

impl Processor for ToyProcessor {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = Toy;

    fn step(&mut self, toy: &Toy, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match (toy, event) {
            (Toy::TwoTimers, Event::Wake) => (0..2).for_each(|timer| fx.set_timer(timer, Ticks::ONE)),
            (Toy::TwoTimers, Event::Timeout(timer)) => fx.set_timer(timer, Ticks::ONE),
            (Toy::EndlessInstant, Event::Wake | Event::Timeout(_)) => fx.set_timer(0, Ticks::new(0)),
            (Toy::Token, Event::Wake | Event::Receive(..)) => fx.send(Port(0), ToyMessage(0)),
            (Toy::RandomTimer, Event::Wake) => {
                fx.send(Port(0), ToyMessage(0));
                fx.set_timer(0, Ticks::ONE);
            }
            (Toy::RandomTimer, Event::Timeout(_)) if fx.choose(2) == 1 => fx.send(Port(0), ToyMessage(1)),
            (Toy::Gathering, event) => {
                if event == Event::Wake {
                    self.woken = true;
                    fx.send(Port(0), ToyMessage(0));
                }
                self.reached |= matches!(event, Event::Receive(..));
                if self.woken && self.reached {
                    fx.report(ElectionReport::Follows(None));
                }
            }
            _ => {}
        }
    }
}

fn answer(toy: Toy, scenario: &Scenario, wakers: &Wakers) -> Answer<ToyProcessor> {
    check(toy, scenario, wakers, &Effort::default(), &mut |_| true).expect("it can be explored")
}

fn pair(untimed: bool) -> Scenario {
    Scenario { n: 2, untimed, ..Scenario::default() }
}

/// Transitions to one state may discharge different obligations: a lasso is replayed with its own transitions.
#[test]
fn the_cycle_of_a_replayed_lasso_is_fair() {
    let answer = answer(Toy::TwoTimers, &pair(true), &Wakers::These(vec![0]));
    let lasso = answer.counterexample.expect("it never terminates");
    let (Schedule::Untimed(actions), Some(from)) = (lasso.schedule, lasso.repeats_from) else {
        panic!("a livelock is an untimed lasso");
    };
    for expected in 0..2 {
        let fires = |action: &Action<ToyProcessor>| match action {
            Action::Step { event, .. } => *event == Event::Timeout(expected),
            _ => false,
        };
        assert!(actions[from..].iter().any(fires), "timer {expected}: {actions:?}");
    }
}

#[test]
fn fixed_initiators_wake_up_in_every_fair_run() {
    for untimed in [true, false] {
        let these = answer(Toy::Gathering, &pair(untimed), &Wakers::These(vec![0, 1]));
        assert_eq!(these.verdict(), CheckVerdict::Holds, "untimed: {untimed}");
        let anybody = answer(Toy::Gathering, &pair(untimed), &Wakers::Anybody);
        assert_eq!(anybody.judgements[1].verdict, CheckVerdict::Violated, "untimed: {untimed}");
        assert_eq!(anybody.judgements[1].property, Property::Termination);
    }
}

#[test]
fn an_instant_without_an_end_makes_the_answer_unknown() {
    let timing = Timing { d: Range::new(0, 1), ..Scenario::default().timing };
    let zero_delay = Scenario { timing, ..pair(false) };
    for (toy, scenario) in
        [(Toy::Token, &zero_delay), (Toy::EndlessInstant, &zero_delay), (Toy::EndlessInstant, &pair(false))]
    {
        let answer = answer(toy, scenario, &Wakers::Anybody);
        assert_eq!(
            (answer.verdict(), answer.ran_out),
            (CheckVerdict::Unknown, Some(SearchLimit::Branching)),
            "{toy:?}"
        );
    }
}

#[test]
fn a_random_choice_that_a_half_duplex_link_blocks_makes_the_answer_unknown() {
    let half = Scenario { links: Links::Half, ..pair(true) };
    let answer = answer(Toy::RandomTimer, &half, &Wakers::Anybody);
    assert_eq!((answer.verdict(), answer.ran_out), (CheckVerdict::Unknown, Some(SearchLimit::Branching)));
}

/// On a ring of identical processors rotations are equivalent. A livelock that is found up to rotation is confirmed
/// without symmetry reduction.
#[test]
fn reductions_change_no_answer() {
    for toy in [Toy::TwoTimers, Toy::Gathering, Toy::Token] {
        for wakers in [Wakers::Anybody, Wakers::Together] {
            let answer = |reductions| {
                let (scenario, effort) = (Scenario { n: 3, ..pair(true) }, Effort { reductions, ..Effort::default() });
                check(toy, &scenario, &wakers, &effort, &mut |_| true).expect("it can be explored")
            };
            let (full, reduced) = (answer(Reductions::NONE), answer(Reductions::ALL));
            assert_eq!(full.judgements, reduced.judgements, "{toy:?} {wakers:?}");
            assert_eq!(full.most_messages, reduced.most_messages, "{toy:?} {wakers:?}");
            let prefix = |answer: &Answer<_>| answer.counterexample.as_ref().map(|found| found.repeats_from);
            assert_eq!(prefix(&full), prefix(&reduced), "{toy:?} {wakers:?}");
            // Where there is a livelock, both explore all states in the end.
            let livelock = prefix(&full).flatten().is_some();
            assert_eq!(reduced.progress.states < full.progress.states, !livelock, "{toy:?} {wakers:?}");
        }
    }
}
