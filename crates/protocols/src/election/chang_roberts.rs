//! Chang and Roberts's election in a unidirectional ring \[ChangRoberts1979\], as in \[Epema2013\].
//!
//! *Problem*: election. *Assumes*: distinct identities; any set of starters.
//!
//! A processor discards identities that are smaller than its own and relays greater ones. Only the greatest identity
//! returns to its owner, which is the leader; a message with its identity then goes around once. *Claimed*: N(N+1)/2
//! message passes at worst (when identities decrease clockwise), N·H_N on average over all orders, without the
//! announcement.
//!
//! *Reading*: a processor that was reached by a message has not started: it sends its identity when it wakes or when a
//! smaller one comes, once, even after relaying a greater one.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario};
//! use ringleader_protocols::election::chang_roberts::ChangRoberts;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], ..Scenario::default() };
//! let mut run = Simulation::<_, Full>::new(ChangRoberts, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 6); // the worst order: 3 + 2 + 1
//! ```

use core::marker::PhantomData;

use ringleader_model::{
    AnyId, BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance,
    Message, NoTimer, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Value,
};
use serde::{Deserialize, Serialize};

use super::{RING, greatest_wins, n_times_harmonic};

const NEXT: Port = Port(0);

/// Chang and Roberts's protocol has no parameters. `I` is how its processors keep identities.
#[derive(Clone, Copy, Debug)]
pub struct ChangRobertsWith<I>(PhantomData<I>);

/// The protocol for all identities.
pub type ChangRoberts = ChangRobertsWith<Id>;
/// The protocol for all identities.
#[allow(
    non_upper_case_globals,
    reason = "a protocol without parameters is the only value of its type, and named like it"
)]
pub const ChangRoberts: ChangRoberts = ChangRobertsWith::NEW;

impl<I> ChangRobertsWith<I> {
    /// The protocol.
    pub const NEW: Self = Self(PhantomData);
}

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Ballot<I: AnyId = Id> {
    /// An identity that may win.
    Candidate(I),
    /// The identity that has won.
    #[message(announcement)]
    Elected(I),
}

/// One processor: 12 bytes, or 8 with short identities.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct ChangRobertsProcessor<I: AnyId = Id> {
    /// own_id
    id: I,
    /// The own identity was sent.
    sent: bool,
    /// The result is known.
    done: bool,
}

impl<I: AnyId> Protocol for ChangRobertsWith<I> {
    type Processor = ChangRobertsProcessor<I>;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "chang-roberts",
        title: "smaller identities are discarded; only the greatest makes a full turn",
        sources: &["ChangRoberts1979", "Epema2013"],
        idea: "A processor relays identities that are greater than its own and discards smaller ones. Only the greatest \
               identity returns to its owner, which is the leader and announces itself.",
        rules: &[
            "On waking: send own_id, unless it was sent before or the leader is known.",
            "On id = own_id: elected; send the announcement.",
            "On id < own_id: discard it; send own_id, unless it was sent before or the leader is known.",
            "On id > own_id: relay it.",
            "On the announcement of another identity: follow it, and relay the announcement.",
            "On the announcement of own_id: discard it, as everybody knows.",
        ],
        assumptions: RING,
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("ChangRoberts1979");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "N(N+1)/2",
            value: |_, instance| {
                let n = u128::from(instance.n);
                instance.undisturbed.then(|| Value::int(n * (n + 1) / 2))
            },
            source: "ChangRoberts1979",
            counts: "candidates; reached when identities decrease clockwise and all start",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Mean,
            formula: "N H_N",
            value: |_, instance| (instance.undisturbed && instance.together).then(|| n_times_harmonic(instance.n)),
            source: "ChangRoberts1979",
            counts: "candidates, over all orders, all starting together",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Best,
            formula: "2N-1",
            value: |_, instance| {
                (instance.undisturbed && instance.together).then(|| Value::int(2 * u128::from(instance.n) - 1))
            },
            source: "ChangRoberts1979",
            counts: "candidates, all starting together; reached when identities increase clockwise",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N",
            value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n))),
            source: "Epema2013",
            counts: "the announcement's full turn",
        },
    ];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self::NEW)
    }

    fn processor(&self, seat: Seat) -> ChangRobertsProcessor<I> {
        ChangRobertsProcessor { id: I::of(seat.identity()), sent: false, done: false }
    }
}

impl<I: AnyId> Processor for ChangRobertsProcessor<I> {
    type Problem = Election;
    type Message = Ballot<I>;
    type Timer = NoTimer;
    type Rules = ChangRobertsWith<I>;

    #[inline(always)]
    fn step(&mut self, _: &ChangRobertsWith<I>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            // Slide 1: "Every process may spontaneously start by sending its id to its neighbor."
            Event::Wake => {
                fx.rule(1);
                self.start(fx);
            }
            // Slide 1: the three cases, in its order.
            Event::Receive(_, Ballot::Candidate(j)) if j == self.id => {
                fx.compare(j, self.id);
                fx.rule(2);
                self.done = true;
                fx.report(ElectionReport::Elected(Some(self.id.id())));
                fx.send(NEXT, Ballot::Elected(self.id));
            }
            Event::Receive(_, Ballot::Candidate(j)) if j < self.id => {
                fx.compare(j, self.id);
                fx.rule(3);
                self.start(fx);
            }
            Event::Receive(_, Ballot::Candidate(j)) => {
                fx.compare(j, self.id);
                fx.rule(4);
                fx.send(NEXT, Ballot::Candidate(j));
            }
            Event::Receive(_, Ballot::Elected(j)) if j == self.id => {
                fx.compare(j, self.id);
                fx.rule(6);
            }
            Event::Receive(_, Ballot::Elected(j)) => {
                fx.compare(j, self.id);
                fx.rule(5);
                self.done = true;
                fx.report(ElectionReport::Follows(Some(j.id())));
                fx.send(NEXT, Ballot::Elected(j));
            }
            Event::Call(_) => {}
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl<I: AnyId> Inspect for ChangRobertsProcessor<I> {
    fn is_candidate(&self) -> bool {
        self.sent && !self.done
    }

    /// It has relayed a greater identity.
    const LOSING_RULES: &'static [u8] = &[4];
}

impl<I: AnyId> ChangRobertsProcessor<I> {
    fn start(&mut self, fx: &mut impl Effects<Self>) {
        if !self.sent && !self.done {
            self.sent = true;
            fx.send(NEXT, Ballot::Candidate(self.id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Did;
    use super::*;

    #[test]
    fn a_candidate_is_compared_with_the_own_identity() {
        for (candidate, comparison) in [(3, "3 < 4"), (5, "5 > 4"), (4, "4 = 4")] {
            let mut processor = ChangRoberts.processor(Seat { id: Some(Id::new(4)), role: 0, ports: 1 });
            let event = Event::Receive(NEXT, Ballot::Candidate(Id::new(candidate)));
            assert_eq!(Did::step(&mut processor, &ChangRoberts, event).comparisons, [comparison]);
        }
    }
}
