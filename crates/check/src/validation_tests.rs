//! Scenarios and protocols that are refused.

use ringleader_model::{AtMost, Effects, Election, Event, Faults, NoTimer, Port, Processor, Ring, Scenario};

use crate::test_protocols::{DESCRIPTION, ToyMessage, toy_protocol};
use crate::{CheckVerdict, Effort, NO_PANIC, Wakers, check, probabilities, random_walk};

/// A processor that wakes up sends on a port.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize)]
struct PortSender {
    port: Port,
}

toy_protocol!(PortSender: PortSender, Ring, DESCRIPTION, |self| self.clone());

impl Processor for PortSender {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = NoTimer;
    type Rules = Self;

    fn step(&mut self, _: &Self, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if event == Event::Wake {
            fx.send(self.port, ToyMessage(0));
        }
    }
}

/// The fields that the three engines refuse.
fn refused(port: u32, scenario: &Scenario, wakers: &Wakers) -> [Option<&'static str>; 3] {
    let port_sender = || PortSender { port: Port(port) };
    let effort = Effort::default();
    [
        check(port_sender(), scenario, wakers, &effort, &mut |_| true).err(),
        probabilities(port_sender(), scenario, wakers, None, &effort, &mut |_| true).err(),
        random_walk(port_sender(), &Scenario { untimed: false, ..scenario.clone() }, wakers, 3, &mut |count| count - 1)
            .err(),
    ]
    .map(|refused| refused.map(|bad| bad.field))
}

#[test]
fn a_port_that_does_not_exist_violates_a_property_whichever_place_sends_on_it() {
    for untimed in [true, false] {
        let scenario = Scenario { n: 3, untimed, ..Scenario::default() };
        assert_eq!(refused(0, &scenario, &Wakers::Together), [None; 3]);
        for port in [1, 2, u32::MAX] {
            assert_eq!(refused(port, &scenario, &Wakers::Together), [None, Some("probability"), Some("protocol")]);
            let port_sender = PortSender { port: Port(port) };
            let answer = check(port_sender, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true);
            let answer = answer.expect("a step that panics is a violation");
            let found = answer.judgements.last().expect("there are properties");
            assert_eq!((found.property.name(), found.verdict), (NO_PANIC, CheckVerdict::Violated));
            let words = format!("wakes: it sends on port {port}; a processor of this network has port 0 only (");
            assert!(found.detail.contains(&words), "{}", found.detail);
            let counterexample = answer.counterexample.expect("a violation comes with a counterexample");
            assert_eq!((counterexample.property.name(), counterexample.steps), (NO_PANIC, 1));
        }
    }
}

#[test]
fn a_scenario_that_the_simulator_refuses_is_refused() {
    let none = Scenario { n: 0, ..Scenario::default() };
    assert_eq!(refused(0, &none, &Wakers::Anybody), [Some("n"); 3]);
    let identities = Scenario { n: 2, ids: vec![1, 2], untimed: true, ..Scenario::default() };
    assert_eq!(refused(0, &identities, &Wakers::Anybody), [Some("ids"); 3], "processors are anonymous");
    let scenario = Scenario { n: 2, ..Scenario::default() };
    assert_eq!(refused(0, &scenario, &Wakers::These(vec![0, 2])), [Some("wake"); 3]);
    // A simulator with clocks knows no such faults; a model checker does.
    let at_most = AtMost { crashes: 1, ..AtMost::default() };
    let crashes = Scenario { faults: Faults { at_most, ..Faults::default() }, ..scenario };
    assert_eq!(refused(0, &crashes, &Wakers::Together), [None; 3]);
}
