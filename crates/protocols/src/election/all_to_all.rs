//! The plain election on a complete network \[Epema2013\]: everybody tells everybody.
//!
//! *Problem*: election. *Assumes*: distinct identities, a link between any two; any set of starters, in any order of
//! messages.
//!
//! Every processor sends its identity over all its links. A processor that has heard from all of them knows the
//! greatest identity and decides for itself, so nothing needs to be announced. It is as fast as an election can be, and
//! what the lecture's other protocols for complete networks save messages against. *Claimed*: n² messages, time 1.
//! Exactly they are n(n-1) in every run; time 1, as the longest chain of messages, holds where all start together, and
//! where some start only when they are reached the chain can have n.
//!
//! Messages are counted, not the links that they come by: links that duplicate messages are outside the assumptions, and
//! processors decide too early there.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings};
//! use ringleader_protocols::election::all_to_all::AllToAll;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], ..Scenario::default() };
//! let settings = Settings::new(AllToAll::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = AllToAll::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.messages(), 6);
//! assert_eq!(run.summary().cost.depth, 1);
//! ```

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Complete, Description, Effects, Election, ElectionReport, Event, Id,
    Inspect, Instance, NoTimer, PortUse, Processor, Promise, Protocol, Quantity, Seat, Settings, Value,
};
use serde::Serialize;

use super::lelann::Identity;
use super::{COMPLETE, greatest_wins, links_of, send_to_all};

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct AllToAll {
    links: u32,
}

/// One processor: 20 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct AllToAllProcessor {
    id: Id,
    /// The greatest identity received.
    best: Id,
    /// The number of identities received, the own one included; 0 before the start.
    heard: u32,
}

impl Protocol for AllToAll {
    type Processor = AllToAllProcessor;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "all-to-all",
        title: "everybody tells everybody",
        sources: &["Epema2013"],
        idea: "Every processor sends its identity to every other one. A processor that has heard from all of them takes the \
               greatest identity for the leader. Nothing needs to be announced.",
        rules: &[
            "On waking, or on the first message: send the own identity over every link.",
            "On an identity: note it if it is the greatest so far; once as many have come as there are links, the \
             greatest is the leader.",
        ],
        assumptions: Assumptions {
            port_use: PortUse::Alike(
                "sends the same by all of them at once, and does not look at the port of a message",
            ),
            ..COMPLETE
        },
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("Epema2013 election 1/3");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Messages,
            kind: BoundKind::Exact,
            formula: "N(N-1)",
            value: |_, instance| {
                let n = u128::from(instance.n);
                instance.undisturbed.then(|| Value::int(n * (n - 1)))
            },
            source: "Epema2013 election 1/3",
            counts: "all messages, for every order, every set of starters and every schedule",
        },
        Bound {
            quantity: Quantity::Depth,
            kind: BoundKind::Exact,
            formula: "1",
            value: |rules, instance| {
                let together = instance.undisturbed && instance.together;
                together.then(|| Value::int(u128::from(rules.links.min(1))))
            },
            source: "Epema2013 election 1/3",
            counts: "the longest chain, all starting together; 0 for one that is alone",
        },
        Bound {
            quantity: Quantity::Depth,
            kind: BoundKind::Worst,
            formula: "N",
            value: |_, instance| {
                (instance.undisturbed && !instance.together).then(|| Value::int(u128::from(instance.n)))
            },
            source: "Epema2013 election 1/3",
            counts: "the longest chain where some may start only when they are reached, each by the one before it",
        },
    ];

    fn configure(_: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { links: links_of(instance.n) })
    }

    fn processor(&self, seat: Seat) -> AllToAllProcessor {
        let id = seat.identity();
        AllToAllProcessor { id, best: id, heard: 0 }
    }
}

impl Processor for AllToAllProcessor {
    type Problem = Election;
    type Message = Identity;
    type Timer = NoTimer;
    type Rules = AllToAll;

    fn step(&mut self, rules: &AllToAll, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            // "every process sends its id to every other process"
            Event::Wake => self.start(rules, fx),
            Event::Receive(_, Identity(j)) => {
                self.start(rules, fx);
                fx.compare(j, self.best);
                fx.rule(2);
                self.hear(j, rules, fx);
            }
            Event::Call(_) => {}
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for AllToAllProcessor {
    fn is_candidate(&self) -> bool {
        self.best == self.id
    }
}

impl AllToAllProcessor {
    fn start(&mut self, rules: &AllToAll, fx: &mut impl Effects<Self>) {
        if self.heard == 0 {
            fx.rule(1);
            send_to_all(rules.links, &Identity(self.id), fx);
            self.hear(self.id, rules, fx);
        }
    }

    /// Decides once it has heard of everybody. What is delivered twice can be heard of afterwards.
    fn hear(&mut self, id: Id, rules: &AllToAll, fx: &mut impl Effects<Self>) {
        self.best = self.best.max(id);
        self.heard = self.heard.saturating_add(1);
        if self.heard - 1 == rules.links {
            fx.compare(self.best, self.id);
            fx.report(if self.best == self.id {
                ElectionReport::Elected(Some(self.id))
            } else {
                ElectionReport::Follows(Some(self.best))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use ringleader_model::Port;

    use super::super::Did;
    use super::*;

    /// Rule 2 counts identities, not links.
    #[test]
    fn as_many_identities_as_links_decide_whichever_links_they_come_by() {
        let rules = AllToAll { links: 2 };
        let mut processor = rules.processor(Seat { id: Some(Id::new(4)), role: 0, ports: 2 });
        let mut reported = || Did::step(&mut processor, &rules, Event::Receive(Port(1), Identity(Id::new(3)))).reported;
        assert_eq!(reported(), []);
        assert_eq!(reported(), [ElectionReport::Elected(Some(Id::new(4)))]);
        assert_eq!(reported(), [], "it decides once");
    }
}
