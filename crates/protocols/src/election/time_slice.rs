//! Election by time slices in a synchronous ring whose size is known \[Epema2013, Election 3/3\].
//!
//! *Problem*: election of the smallest identity. *Assumes*: distinct positive identities, rounds, a common start, and
//! that everybody knows n.
//!
//! Time is cut into slices of n rounds, and in the k-th slice, rounds (k-1)n+1 to kn, only the identity k may travel.
//! The owner of the smallest identity hears nothing before its slice, so it sends; one slice is just enough for a full
//! turn. A processor that receives an identity knows thereby that it is the smallest: silence has excluded all others,
//! and nothing needs to be announced. *Claimed*: O(n) messages and time. Messages are n exactly; time is n times the
//! smallest identity, which is O(n) only where that identity is bounded.
//!
//! *Reading*: the owner declares itself when its identity is back, in round n·min; it could do so when it sends.
//!
//! ```
//! use ringleader_model::{Preset, Protocol, Reading, Scenario, Settings};
//! use ringleader_protocols::election::time_slice::TimeSlice;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let timing = Preset::Rounds.timing(Reading::Immediate);
//! let scenario = Scenario { n: 3, ids: vec![9, 5, 7], timing, ..Scenario::default() };
//! let settings = Settings::new(TimeSlice::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = TimeSlice::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.messages(), 3);
//! assert_eq!(run.summary().cost.time, 15); // four silent slices, then the turn of 5
//! ```

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Description, Display, Effects, Election, ElectionReport, Erratum, Event,
    Id, Inspect, Instance, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Ticks, Value,
};
use serde::Serialize;

use super::lelann::Identity;
use super::{SYNCHRONOUS_RING, smallest_wins};

const NEXT: Port = Port(0);

/// The rules in force: all processors know `n`.
#[derive(Clone, Copy, Debug)]
pub struct TimeSlice {
    n: u64,
}

/// The one timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// The own slice begins, or an identity that was received goes on.
    Send,
}

/// One processor: 20 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct TimeSliceProcessor {
    id: Id,
    /// The identity that it sends: its own until it receives one.
    travels: Id,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Asleep,
    /// Nothing was received, and the own slice is still to come.
    Silent,
    /// The own identity is sent.
    Sent,
    /// The leader is known.
    Done,
}

impl Protocol for TimeSlice {
    type Processor = TimeSliceProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "time-slice",
        title: "every identity has n rounds of its own: n messages; the smallest identity wins",
        sources: &["Epema2013"],
        idea: "In rounds (k-1)n+1 to kn only the identity k may travel. A processor that has heard nothing when its slice \
               begins has the smallest identity, and one slice is enough for a full turn. Silence carries the information, so the \
               price is paid in time: n rounds for every identity that nobody has.",
        rules: &[
            "On waking: wait until the own slice begins, round (k-1)n+1 for identity k.",
            "In round (k-1)n+1, if nothing was received: send the own identity k.",
            "On an identity, if the own was not sent: follow it, and relay it in the next round.",
            "In the round after an identity was received: relay it.",
            "On the own identity: elected.",
            "On any other identity after the own was sent, or once the leader is known: discard it; only faults bring \
             one.",
        ],
        assumptions: Assumptions { known_size: true, ..SYNCHRONOUS_RING },
        parameters: &[],
        errata: &[Erratum {
            place: "Epema2013, Election 3/3",
            wrong: "time O(n): it is n times the smallest identity, so that no function of n bounds it",
            repair: "the bound listed is N min(id)",
        }],
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &smallest_wins("Epema2013, Election 3/3");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Messages,
            kind: BoundKind::Exact,
            formula: "N",
            value: |_, instance| instance.undisturbed.then(|| Value::int(u128::from(instance.n))),
            source: "Epema2013, Election 3/3",
            counts: "all messages: one turn of the smallest identity, which everybody thereby knows",
        },
        Bound {
            quantity: Quantity::Time,
            kind: BoundKind::Exact,
            formula: "N min(id)",
            value: |_, instance| {
                let rounds = u128::from(instance.n) * u128::from(instance.least()?);
                instance.undisturbed.then(|| Value::int(rounds + u128::from(instance.first_wake)))
            },
            source: "Epema2013, Election 3/3",
            counts: "rounds from waking until the smallest identity is back",
        },
    ];

    fn configure(_: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { n: instance.n })
    }

    fn processor(&self, seat: Seat) -> TimeSliceProcessor {
        let id = seat.identity();
        TimeSliceProcessor { id, travels: id, mode: Mode::Asleep }
    }
}

impl TimeSlice {
    /// (k-1)n+1
    fn first_round_of(&self, k: Id) -> Ticks {
        Ticks::or_never((k.get() - 1).checked_mul(self.n).and_then(|before| before.checked_add(1)))
    }
}

impl Processor for TimeSliceProcessor {
    type Problem = Election;
    type Message = Identity;
    type Timer = Timer;
    type Rules = TimeSlice;

    const SENDS_BY_TIMERS: bool = true;

    fn step(&mut self, rules: &TimeSlice, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.mode == Mode::Asleep {
            fx.rule(1);
            self.mode = Mode::Silent;
            fx.set_timer(Timer::Send, rules.first_round_of(self.id));
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            // "If in the first (k-1)n rounds nothing is received and a process has id=k, it sends it in round
            // (k-1)n+1"; "every process relays this message".
            Event::Timeout(Timer::Send) => {
                if self.mode == Mode::Silent {
                    fx.rule(2);
                    self.mode = Mode::Sent;
                } else {
                    fx.rule(4);
                }
                fx.send(NEXT, Identity(self.travels));
            }
            Event::Receive(_, Identity(k)) => match self.mode {
                Mode::Asleep | Mode::Silent => {
                    fx.rule(3);
                    (self.mode, self.travels) = (Mode::Done, k);
                    fx.report(ElectionReport::Follows(Some(k)));
                    fx.set_timer(Timer::Send, Ticks::ONE);
                }
                Mode::Sent if k == self.id => {
                    fx.compare(k, self.id);
                    fx.rule(5);
                    self.mode = Mode::Done;
                    fx.report(ElectionReport::Elected(Some(k)));
                }
                // Only where messages are lost or duplicated.
                Mode::Sent => {
                    fx.compare(k, self.id);
                    fx.rule(6);
                }
                Mode::Done => fx.rule(6),
            },
        }
    }
}

impl Inspect for TimeSliceProcessor {
    fn is_candidate(&self) -> bool {
        self.mode != Mode::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_takes_20_bytes_and_a_message_8() {
        assert_eq!((size_of::<TimeSliceProcessor>(), size_of::<Identity>()), (20, 8));
    }
}
