//! Franklin's election in a bidirectional ring \[Franklin1982\], as in \[Epema2013\].
//!
//! *Problem*: election. *Assumes*: distinct identities, links that are first in, first out; left and right may differ
//! from processor to processor; any set of starters.
//!
//! In every round the processors that are still active exchange identities with the next active one on either side; a
//! processor that is smaller than one of the two turns passive, and from then on relays. At least half of them do, so
//! after log N rounds one is left, and it receives its own identity. *Claimed*: 2N log N message passes; that forgets
//! the last round (erratum).
//!
//! *Reading*: a neighbour may be a round ahead. A value of the next round waits until the one that is missing in this
//! round has come; by then either it counts, or its receiver is passive and relays it. Values carry no round: where
//! links reorder, one can be taken for that of another, which may change the cost but never the result.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario};
//! use ringleader_protocols::election::franklin::Franklin;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], ..Scenario::default() };
//! let mut run = Simulation::<_, Full>::new(Franklin, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 12); // two rounds of 2N: 9 survives, then receives itself
//! ```

use ringleader_model::{
    BadSetting, BidirectionalRing, Bound, BoundKind, Description, Effects, Election, ElectionReport, Erratum, Event,
    Id, Inspect, Instance, NoTimer, PhaseBound, Port, Processor, Promise, Protocol, Quantity, Seat, Settings, Value,
};
use serde::Serialize;

use super::{BIDIRECTIONAL, BOTH, Ballot, full_turn, greatest_wins, onward, order, orderly, ports, rounds_of_maxima};

/// Franklin's protocol has no parameters.
#[derive(Clone, Copy, Debug)]
pub struct Franklin;

/// One processor: 24 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct FranklinProcessor {
    id: Id,
    /// The value of the next round that came in by the port whose value of this round is there. While both are missing
    /// or both are there nothing waits, and no neighbour is two rounds ahead: it would need this processor's value.
    waiting: Option<Id>,
    /// From 1.
    round: u8,
    role: Role,
    /// The ports by which a value of this round came in, a bit each.
    #[serde(serialize_with = "ports")]
    heard: u8,
    /// One of them was greater.
    beaten: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Role {
    Asleep,
    Active,
    Passive,
    /// The result is known: somebody else's, or the own.
    Follower,
    Leader,
}

impl Protocol for Franklin {
    type Processor = FranklinProcessor;
    type Network = BidirectionalRing;

    const DESCRIPTION: Description = Description {
        name: "franklin",
        title: "local maxima survive, round after round",
        sources: &["Franklin1982", "Epema2013"],
        idea: "Active processors exchange identities with the next active one on either side. A processor that is greater \
               than both stays active, the others only relay: each round halves them. The last one receives its own identity and is \
               the leader.",
        rules: &[
            "On waking, or on the first message: active, round 1; send the own identity in both directions.",
            "Active, on the own identity: elected; send the announcement.",
            "Active, on a value of the next round: keep it until there is one of this round from each side.",
            "Active, on a value of this round: note whether it is greater than the own identity.",
            "Active, with a value of this round from each side, both smaller: next round; send the own identity in both \
             directions.",
            "Active, with a value of this round from each side, one of them greater: turn passive.",
            "Passive or following, on a value: relay it.",
            "On the announcement: follow, and relay it.",
            "Leader, on anything, or follower, on the announcement again or on its own identity: discard it.",
        ],
        assumptions: BIDIRECTIONAL,
        parameters: &[],
        errata: &[Erratum {
            place: "Epema2013, solution 2 (1/2)",
            wrong: "2n log(n) messages: after at most log n rounds one processor is left, but it takes one more round to \
                    find that out; 3, 1, 4, 2 has 24 messages, not 16",
            repair: "the bound listed here is 2N(1 + floor(log2 N))",
        }],
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("Franklin1982");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N(1 + floor(log2 N))",
            value: |_, instance| {
                let n = u128::from(instance.n);
                orderly(instance).then(|| Value::int(2 * n * u128::from(1 + instance.n.ilog2())))
            },
            source: "Epema2013 solution 2",
            counts: "values: 2N a round, at least half turn passive in each, and one more to find that nobody is left",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Exact,
            formula: "2N R",
            value: |_, instance| {
                let ids = order(instance).filter(|_| orderly(instance))?;
                Some(Value::int(2 * u128::from(instance.n) * u128::from(rounds_of_maxima(&ids))))
            },
            source: "Franklin1982",
            counts: "values: N links, in both directions, in each of R rounds; local maxima are taken R - 1 times until one is left",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Best,
            formula: "4N, 2 where N = 1",
            value: |_, instance| {
                let n = u128::from(instance.n);
                orderly(instance).then(|| Value::int(if n == 1 { 2 } else { 4 * n }))
            },
            source: "Epema2013 solution 2",
            counts: "values; reached where only one identity is greater than both its neighbours",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "1 + floor(log2 N)",
            value: |_, instance| orderly(instance).then(|| Value::int(u128::from(1 + instance.n.ilog2()))),
            source: "Epema2013 solution 2",
            counts: "rounds",
        },
        full_turn("Epema2013"),
    ];

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[PhaseBound {
        formula: "2N",
        value: |_, instance, _| orderly(instance).then(|| Value::int(2 * u128::from(instance.n))),
        source: "Epema2013 solution 2",
        counts: "values of the round: one in each direction of every link",
    }];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> FranklinProcessor {
        let role = Role::Asleep;
        FranklinProcessor { id: seat.identity(), waiting: None, round: 0, role, heard: 0, beaten: false }
    }
}

impl Processor for FranklinProcessor {
    type Problem = Election;
    type Message = Ballot;
    type Timer = NoTimer;
    type Rules = Franklin;

    fn step(&mut self, _: &Franklin, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.role == Role::Asleep {
            fx.rule(1);
            self.role = Role::Active;
            self.next_round(fx);
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(port, Ballot::Value(id)) => self.receive(port, id, fx),
            Event::Receive(_, Ballot::Announcement(_)) if matches!(self.role, Role::Follower | Role::Leader) => {
                fx.rule(9);
            }
            Event::Receive(port, Ballot::Announcement(id)) => {
                fx.rule(8);
                self.role = Role::Follower;
                fx.report(ElectionReport::Follows(Some(id)));
                fx.send(onward(port), Ballot::Announcement(id));
            }
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for FranklinProcessor {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.round.into()
    }

    fn is_candidate(&self) -> bool {
        self.role == Role::Active
    }
}

impl FranklinProcessor {
    fn receive(&mut self, port: Port, id: Id, fx: &mut impl Effects<Self>) {
        match self.role {
            // "The process that receives its own id is elected."
            Role::Active if id == self.id => {
                fx.compare(id, self.id);
                fx.rule(2);
                self.role = Role::Leader;
                fx.report(ElectionReport::Elected(Some(id)));
                fx.send(Port(1), Ballot::Announcement(id));
            }
            // "every process exchanges process ids with its two neighbors"
            Role::Active if self.heard >> port.0 & 1 == 1 => {
                fx.rule(3);
                self.waiting = Some(id);
            }
            Role::Active => {
                fx.compare(id, self.id);
                fx.rule(4);
                self.heard |= 1 << port.0;
                self.beaten |= id > self.id;
                if self.heard == 0b11 {
                    self.conclude(port, fx);
                }
            }
            // The leader's other value comes home; nobody else's own does.
            _ if id == self.id => {
                fx.compare(id, self.id);
                fx.rule(9);
            }
            Role::Asleep | Role::Passive | Role::Follower => {
                fx.rule(7);
                fx.send(onward(port), Ballot::Value(id));
            }
            Role::Leader => fx.rule(9),
        }
    }

    /// "a process remains active if its id is larger than those of its two neighbors; otherwise, it becomes passive".
    /// The value by `last` came after the one by the other port, where one of the next round may wait.
    fn conclude(&mut self, last: Port, fx: &mut impl Effects<Self>) {
        let waiting = self.waiting.take();
        if self.beaten {
            fx.rule(6);
            self.role = Role::Passive;
        } else {
            fx.rule(5);
            // "Every next round: repeat the first round in the virtual ring".
            self.next_round(fx);
        }
        if let Some(id) = waiting {
            self.receive(onward(last), id, fx);
        }
    }

    fn next_round(&mut self, fx: &mut impl Effects<Self>) {
        self.round = self.round.saturating_add(1);
        (self.heard, self.beaten) = (0, false);
        for port in BOTH {
            fx.send(port, Ballot::Value(self.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::Did;
    use super::*;

    /// The processor of this identity, awake, and what it sends as these values come in by these ports.
    fn sent(id: u64, values: &[(u32, u64)]) -> (FranklinProcessor, Vec<(u32, u64)>) {
        let mut processor = Franklin.processor(Seat { id: Some(Id::new(id)), role: 0, ports: 2 });
        let mut sent = Vec::new();
        let receive = |&(port, id)| Event::Receive(Port(port), Ballot::Value(Id::new(id)));
        for event in core::iter::once(Event::Wake).chain(values.iter().map(receive)) {
            for (port, ballot) in Did::step(&mut processor, &Franklin, event).sent {
                let (Ballot::Value(id) | Ballot::Announcement(id)) = ballot;
                sent.push((port, id.get()));
            }
        }
        (processor, sent)
    }

    #[test]
    fn a_value_of_the_next_round_waits_and_then_counts() {
        // 9 by port 1 is of round 2: it waits for what is missing in round 1, and beats nobody of that round.
        let (processor, before) = sent(5, &[(1, 2), (1, 9)]);
        assert_eq!((before, processor.round), (alloc::vec![(0, 5), (1, 5)], 1));
        let (processor, after) = sent(5, &[(1, 2), (1, 9), (0, 3)]);
        assert_eq!(after[2..], [(0, 5), (1, 5)], "greater than 2 and 3: round 2");
        assert_eq!((processor.round, processor.heard, processor.beaten), (2, 0b10, true));
        let (processor, last) = sent(5, &[(1, 2), (1, 9), (0, 3), (0, 4), (0, 8)]);
        assert_eq!(last[4..], [(1, 8)], "passive by 9: it relays");
        assert_eq!(processor.role, Role::Passive);
    }

    #[test]
    fn a_value_of_the_next_round_waits_and_is_relayed_by_a_processor_that_turns_passive() {
        let (processor, sent) = sent(5, &[(1, 6), (1, 9), (0, 3)]);
        assert_eq!(sent[2..], [(0, 9)], "it came in by port 1");
        assert_eq!(processor.role, Role::Passive);
    }

    #[test]
    fn a_processor_takes_24_bytes_and_a_message_12() {
        assert_eq!((size_of::<FranklinProcessor>(), size_of::<Ballot>()), (24, 12));
    }

    #[test]
    fn the_rounds_of_the_worked_example_are_three() {
        assert_eq!(rounds_of_maxima(&[3, 1, 4, 2]), 3);
        assert_eq!([&[7][..], &[7, 8], &[1, 2, 3, 4, 5]].map(rounds_of_maxima), [1, 2, 2]);
    }
}
