//! Le Lann's election in a unidirectional ring \[LeLann1977\].
//!
//! *Problem*: election. *Assumes*: distinct identities, links that are first in, first out; any set of starters.
//!
//! Every identity makes a full turn. A processor whose own identity comes back has seen all others, since no message
//! overtakes another; it knows the greatest and decides for itself, so nothing needs to be announced. This is the plain
//! method that every later protocol improves upon. *Claimed*: N² message passes, in every run.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario};
//! use ringleader_protocols::election::lelann::LeLann;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], ..Scenario::default() };
//! let mut run = Simulation::<_, Full>::new(LeLann, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.messages(), 9);
//! ```

use ringleader_model::{
    BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance,
    Message, NoTimer, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Value,
};
use serde::{Deserialize, Serialize};

use super::{RING, greatest_wins};

const NEXT: Port = Port(0);

/// Le Lann's protocol has no parameters.
#[derive(Clone, Copy, Debug)]
pub struct LeLann;

/// A message of the protocol: an identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[message(name = "id")]
pub struct Identity(pub Id);

/// One processor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct LeLannProcessor {
    id: Id,
    /// The greatest identity seen.
    best: Id,
    started: bool,
}

impl Protocol for LeLann {
    type Processor = LeLannProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "lelann",
        title: "every identity makes a full turn",
        sources: &["LeLann1977"],
        idea: "Every processor sends its identity around the ring. When its own identity comes back it has seen all \
               others, and takes the greatest for the leader. Nothing needs to be announced.",
        rules: &[
            "On waking, or on the first message: send the own identity.",
            "On the own identity: all have been seen; the greatest of them is the leader.",
            "On another identity: note it if it is the greatest so far, and relay it.",
        ],
        assumptions: RING,
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("LeLann1977");

    const BOUNDS: &'static [Bound<Self>] = &[Bound {
        quantity: Quantity::Work,
        kind: BoundKind::Exact,
        formula: "N^2",
        value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n).pow(2))),
        source: "LeLann1977",
        counts: "all messages, for every order and every set of starters",
    }];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> LeLannProcessor {
        let id = seat.identity();
        LeLannProcessor { id, best: id, started: false }
    }
}

impl Processor for LeLannProcessor {
    type Problem = Election;
    type Message = Identity;
    type Timer = NoTimer;
    type Rules = LeLann;

    #[inline(always)]
    fn step(&mut self, _: &LeLann, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if !self.started {
            fx.rule(1);
            self.started = true;
            fx.send(NEXT, Identity(self.id));
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(_, Identity(j)) if j == self.id => {
                fx.compare(j, self.id);
                fx.compare(self.best, self.id);
                fx.rule(2);
                fx.report(if self.best == self.id {
                    ElectionReport::Elected(Some(self.id))
                } else {
                    ElectionReport::Follows(Some(self.best))
                });
            }
            Event::Receive(_, Identity(j)) => {
                fx.compare(j, self.best);
                fx.rule(3);
                self.best = self.best.max(j);
                fx.send(NEXT, Identity(j));
            }
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for LeLannProcessor {
    fn is_candidate(&self) -> bool {
        self.best == self.id
    }
}
