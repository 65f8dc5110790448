//! Cases small enough to be computed by hand.

use ringleader_model::{
    Assumptions, AtMost, Complete, Description, Effects, EntryReport, EntryRequest, Event, Faults, Links,
    MutualExclusion, Port, Processor, Scenario, Ticks, Topology, Workload,
};
use serde::Serialize;

use super::UntimedSystem;
use crate::answer::Wakers;
use crate::interner::Interned;
use crate::program::TypedProgram;
use crate::reductions::Reductions;
use crate::test_protocols::{ASSUMPTIONS, DESCRIPTION, ToyMessage, toy_protocol};
use crate::transition_system::{Monitored, Successors, TransitionSystem, fingerprint};

/// A processor that wakes up sets a timer, and sends a message when it fires; a user enters on request, and sends a
/// message when it leaves.
#[derive(Clone)]
struct Gate;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Keeper;

const GATE: Description = Description {
    assumptions: Assumptions { topology: Topology::Complete, timed: false, ..ASSUMPTIONS },
    ..DESCRIPTION
};

toy_protocol!(Gate: Keeper, Complete, GATE, |self| Keeper);

impl Processor for Keeper {
    type Problem = MutualExclusion;
    type Message = ToyMessage;
    type Timer = u8;
    type Rules = Gate;

    fn step(&mut self, _: &Gate, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => fx.set_timer(7, Ticks::ONE),
            Event::Timeout(_) => fx.send(Port(0), ToyMessage(0)),
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                fx.report(EntryReport::Entered { negatives: None });
            }
            Event::Call(EntryRequest::Release) => {
                fx.report(EntryReport::Left);
                fx.send(Port(0), ToyMessage(1));
            }
            Event::Receive(..) => {}
        }
    }
}

fn pair(links: Links) -> Scenario {
    Scenario { n: 2, links, untimed: true, ..Scenario::default() }
}

/// A walk through a transition system, by the indices of transitions.
struct Walker {
    system: UntimedSystem,
    state: Vec<Interned>,
    successors: Successors,
}

impl Walker {
    fn new(scenario: &Scenario, wakers: &Wakers) -> Self {
        let initial = TypedProgram::new(Gate).initial_state(scenario).expect("it is small");
        let system = UntimedSystem::new(initial, scenario, wakers, Reductions::NONE).expect("it can be explored");
        let state = system.initial_states().remove(0);
        let mut walker = Self { system, state, successors: Successors::default() };
        walker.look();
        walker
    }

    fn look(&mut self) {
        self.system.successors(&self.state, fingerprint(&self.state), &mut self.successors);
        for transition in 0..self.successors.transitions.len() {
            let mut after = self.state.clone();
            self.successors.apply(transition, &mut after);
            assert_eq!(self.successors.transitions[transition].fingerprint, fingerprint(&after));
        }
    }

    fn go(&mut self, transition: usize) {
        self.successors.apply(transition, &mut self.state);
        self.look();
    }

    fn pending(&mut self) -> Vec<u32> {
        let mut pending = Vec::new();
        self.system.pending(&self.state, &mut pending);
        pending
    }

    /// By transition: it is optional.
    fn optional(&self) -> Vec<bool> {
        self.successors.transitions.iter().map(|transition| transition.optional).collect()
    }
}

#[test]
fn enabled_events_are_pending_unless_they_are_optional() {
    // A state vector: two processors, two links, the monitor. From 5 on wake-ups, from 7 on timers.
    let mut walker = Walker::new(&pair(Links::Fifo), &Wakers::Anybody);
    assert_eq!((walker.optional(), walker.pending()), (vec![true, true], vec![]));
    assert!(walker.successors.is_quiescent());
    walker.go(0);
    assert_eq!(
        (walker.optional(), walker.pending(), walker.successors.discharged(0)),
        (vec![false, true], vec![7], &[7][..])
    );
    walker.go(0);
    assert_eq!(
        (walker.optional(), walker.pending(), walker.successors.discharged(1)),
        (vec![true, false], vec![2], &[2][..])
    );
    let mut walker = Walker::new(&pair(Links::Fifo), &Wakers::These(vec![1]));
    assert_eq!((walker.optional(), walker.pending()), (vec![false], vec![6]), "it must wake up");
}

#[test]
fn a_user_may_enter_and_must_leave() {
    let workload = Some(Workload { entries: 1, ..Workload::new(2) });
    let mut walker = Walker::new(&Scenario { workload, ..pair(Links::Fifo) }, &Wakers::Anybody);
    // Waking up sets a timer, so that it is an event even here; all sites wake up, at some time.
    assert_eq!((walker.optional(), walker.pending()), (vec![false, true, false, true], vec![5, 6]));
    walker.go(1);
    assert_eq!((walker.pending(), walker.successors.discharged(1)), (vec![0, 5, 6], &[0][..]));
    assert!(walker.system.monitor_status(&walker.state).waiting);
    walker.go(1);
    assert_eq!(walker.pending(), [2, 5, 6], "it has left, and sent a message");
    assert!(!walker.system.monitor_status(&walker.state).waiting);
    assert_eq!(walker.optional(), [false, false, true, false], "it has no entry left");
}

/// On a half-duplex link a timer does not fire while there is a message on it, and a message that is sent meanwhile
/// queues.
#[test]
fn a_half_duplex_link_that_is_not_empty_blocks_a_timer() {
    let workload = Some(Workload { entries: 1, ..Workload::new(2) });
    let mut walker = Walker::new(&Scenario { workload, ..pair(Links::Half) }, &Wakers::Anybody);
    assert_eq!(walker.state.len(), 4, "both directions are one link");
    for transition in [0, 2, 1, 1] {
        // Both wake up; 0 requests, enters, leaves: its message is on the link.
        walker.go(transition);
    }
    assert_eq!(walker.pending(), [2], "neither timer can fire");
    assert_eq!(walker.successors.transitions.iter().filter(|transition| !transition.optional).count(), 1);
}

#[test]
fn a_crash_removes_the_processor_and_the_messages_to_it() {
    let at_most = AtMost { crashes: 1, losses: 1, duplicates: 1, ..AtMost::default() };
    let faults = Faults { at_most, ..Faults::default() };
    let mut walker = Walker::new(&Scenario { faults, ..pair(Links::Fifo) }, &Wakers::Anybody);
    walker.go(0);
    walker.go(0);
    // The other wakes up, the message arrives, either crashes, the message is lost or duplicated.
    assert_eq!(walker.successors.transitions.len(), 6);
    assert!(walker.successors.ample.is_empty(), "faults depend on all places");
    let sent: Vec<_> = walker.successors.transitions.iter().map(|transition| transition.sent).collect();
    assert_eq!(sent.iter().sum::<u32>(), 1, "the duplicate is passed once more");
    let before = walker.state.clone();
    walker.go(5);
    assert_ne!(walker.state[2], before[2]);
    walker.state = before;
    walker.look();
    walker.go(3);
    assert_eq!((walker.state[1], walker.state[2]), (0, 0), "the processor is gone, and so is the message");
    assert_eq!(walker.successors.transitions.len(), 0, "no processor can act any more");
}
