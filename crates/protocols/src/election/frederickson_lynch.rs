//! Frederickson and Lynch's election in a synchronous ring: identities travel at different speeds
//! \[FredericksonLynch1987\].
//!
//! *Problem*: election of the smallest identity. *Assumes*: distinct positive identities, rounds, a common start;
//! nobody knows how many there are.
//!
//! A token with the identity v waits 2^v rounds before every hop, so each identity is at least twice as slow as any
//! smaller one. A processor drops every token that is not smaller than the smallest identity it knows, and a token that
//! waits is dropped when a smaller one arrives. While the smallest makes its N hops the next can make N/2, the one
//! after N/4, and so on. *Claimed*: O(N) messages, N·2^min rounds. Fewer than 2N tokens are passed, and the winner's is
//! back in round N·2^min.
//!
//! *Announcement*: nobody but the winner can tell that its token is back, so the winner sends a message without
//! contents around: all hold its identity already.
//!
//! ```
//! use ringleader_model::{Preset, Reading, Scenario};
//! use ringleader_protocols::election::frederickson_lynch::FredericksonLynch;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let timing = Preset::Rounds.timing(Reading::Immediate);
//! let scenario = Scenario { n: 3, ids: vec![2, 1, 3], timing, ..Scenario::default() };
//! let mut run = Simulation::<_, Full>::new(FredericksonLynch, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.time_elected, Some(6)); // three hops of 2^1 rounds
//! assert_eq!(run.summary().cost.split(false), 4); // and one hop of 2, in round 4, as 1 reaches its owner
//! ```

use ringleader_model::{
    BadSetting, Bound, BoundKind, Description, Display, Effects, Election, ElectionReport, Event, Id, Inspect,
    Instance, Message, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Ticks, Value,
};
use serde::Serialize;

use super::{SYNCHRONOUS_RING, smallest_wins};

const NEXT: Port = Port(0);

/// Frederickson and Lynch's protocol has no parameters.
#[derive(Clone, Copy, Debug)]
pub struct FredericksonLynch;

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Mail {
    /// An identity that may win.
    Token(Id),
    /// The smallest identity that everybody knows has won.
    #[message(announcement)]
    Announcement,
}

/// The one timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// The token, or the announcement, that waits here goes on.
    Hop,
}

/// One processor: 20 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct FredericksonLynchProcessor {
    id: Id,
    /// The smallest identity it knows: its token waits here or has passed.
    least: Id,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Asleep,
    Contending,
    /// The leader is known.
    Done,
}

impl Protocol for FredericksonLynch {
    type Processor = FredericksonLynchProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "frederickson-lynch",
        title: "identities travel at different speeds: fewer than 2N messages; the smallest identity wins",
        sources: &["FredericksonLynch1987"],
        idea: "A token with the identity v waits 2^v rounds before every hop, so that each is at least twice as slow as any \
               smaller one: while the smallest makes its turn, all others together make fewer hops than it. The size of the ring \
               need not be known. Time is exponential in the smallest identity.",
        rules: &[
            "On waking: the token of the own identity waits.",
            "When a token with the identity v has waited 2^v rounds: send it.",
            "On a token that is smaller than the smallest identity known: it waits, and the token that waited here is \
             discarded.",
            "On the own token, if no smaller identity is known: elected; send the announcement in the next round.",
            "On any other token: discard it.",
            "On the announcement: follow the smallest identity known, and relay the announcement in the next round.",
            "In the round after the election, or after the announcement came: send the announcement.",
            "Once the leader is known, on anything: discard it.",
        ],
        assumptions: SYNCHRONOUS_RING,
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &smallest_wins("FredericksonLynch1987");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N-1",
            value: |_, instance| instance.undisturbed.then(|| Value::int(2 * u128::from(instance.n) - 1)),
            source: "FredericksonLynch1987",
            counts: "tokens: fewer than N + N/2 + N/4 + …",
        },
        Bound {
            quantity: Quantity::TimeElected,
            kind: BoundKind::Exact,
            formula: "N 2^min",
            value: |_, instance| rounds_of_winner(instance).map(Value::int),
            source: "FredericksonLynch1987",
            counts: "rounds from waking until the winner's token is back",
        },
        Bound {
            quantity: Quantity::Time,
            kind: BoundKind::Exact,
            formula: "N 2^min + N",
            value: |_, instance| Some(Value::int(rounds_of_winner(instance)? + u128::from(instance.n))),
            source: "FredericksonLynch1987",
            counts: "rounds from waking until the announcement is back",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N",
            value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n))),
            source: "FredericksonLynch1987",
            counts: "the announcement's full turn",
        },
    ];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> FredericksonLynchProcessor {
        let id = seat.identity();
        FredericksonLynchProcessor { id, least: id, mode: Mode::Asleep }
    }
}

/// 2^v; `None` where that does not fit.
fn two_to_the(v: u64) -> Option<u64> {
    1u64.checked_shl(u32::try_from(v).ok()?)
}

/// When the winner's token is back; `None` where something may stop it, or where no clock gets that far.
fn rounds_of_winner(instance: &Instance<'_>) -> Option<u128> {
    let hop = u128::from(two_to_the(instance.least()?)?);
    instance.undisturbed.then(|| u128::from(instance.n) * hop + u128::from(instance.first_wake))
}

impl Processor for FredericksonLynchProcessor {
    type Problem = Election;
    type Message = Mail;
    type Timer = Timer;
    type Rules = FredericksonLynch;

    const SENDS_BY_TIMERS: bool = true;

    fn step(&mut self, _: &FredericksonLynch, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.mode == Mode::Asleep {
            fx.rule(1);
            self.mode = Mode::Contending;
            self.hold(self.id, fx);
        }
        match (event, self.mode) {
            (Event::Wake | Event::Call(_), _) => {}
            // A token goes on after 2^v rounds, the announcement after one.
            (Event::Timeout(Timer::Hop), Mode::Asleep | Mode::Contending) => {
                fx.rule(2);
                fx.send(NEXT, Mail::Token(self.least));
            }
            (Event::Timeout(Timer::Hop), Mode::Done) => {
                fx.rule(7);
                fx.send(NEXT, Mail::Announcement);
            }
            // The winner's announcement comes home.
            (Event::Receive(..), Mode::Done) => fx.rule(8),
            (Event::Receive(_, Mail::Token(v)), _) if v < self.least => {
                fx.compare(v, self.least);
                fx.rule(3);
                self.hold(v, fx);
            }
            (Event::Receive(_, Mail::Token(v)), _) if v == self.id && v == self.least => {
                fx.compare(v, self.least);
                fx.compare(v, self.id);
                fx.rule(4);
                fx.report(ElectionReport::Elected(Some(v)));
                self.announce(fx);
            }
            (Event::Receive(_, Mail::Token(v)), _) => {
                fx.compare(v, self.least);
                fx.rule(5);
            }
            (Event::Receive(_, Mail::Announcement), _) => {
                fx.rule(6);
                fx.report(ElectionReport::Follows(Some(self.least)));
                self.announce(fx);
            }
        }
    }
}

impl Inspect for FredericksonLynchProcessor {
    fn is_candidate(&self) -> bool {
        self.mode == Mode::Contending && self.least == self.id
    }
}

impl FredericksonLynchProcessor {
    /// A token waits here; one that waited before is dropped.
    fn hold(&mut self, v: Id, fx: &mut impl Effects<Self>) {
        self.least = v;
        fx.set_timer(Timer::Hop, Ticks::or_never(two_to_the(v.get())));
    }

    fn announce(&mut self, fx: &mut impl Effects<Self>) {
        self.mode = Mode::Done;
        fx.set_timer(Timer::Hop, Ticks::ONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_takes_20_bytes_and_a_message_12() {
        assert_eq!((size_of::<FredericksonLynchProcessor>(), size_of::<Mail>()), (20, 12));
    }
}
