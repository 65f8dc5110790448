//! Itai and Rodeh's election in an anonymous synchronous ring \[ItaiRodeh1990\].
//!
//! *Problem*: election. *Assumes*: no identities, rounds, a common start; everybody knows n and can draw at random.
//!
//! A phase takes n rounds. In its first round each of the a candidates marks itself with probability 1/a, and the
//! marked send a pebble around: a message without contents. After n rounds every pebble is back, and everybody has
//! counted as many as there are marked ones. One: that one is the leader. More: they are the candidates of the next
//! phase. None: the phase is repeated. Everybody learns the result by counting, so nothing needs to be announced.
//! *Claimed*: at most 2.442·n bits, one for each pass of a pebble, and O(n) rounds, on average; the mean number of
//! phases grows to 2.4417… with n \[LavaultLouchard2006\].
//!
//! *Rounds*: phase p takes the rounds (p-1)n+1 to pn; what it has come to is known at the next tick.
//!
//! ```
//! use ringleader_model::{Outcome, Preset, Protocol, Reading, Scenario, Settings};
//! use ringleader_protocols::election::itai_rodeh_sync::ItaiRodehSync;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, timing: Preset::Rounds.timing(Reading::Immediate), ..Scenario::default() };
//! let settings = Settings::new(ItaiRodehSync::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = ItaiRodehSync::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! // Of three, the first two mark themselves; of these two, the second.
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Recorded(vec![0, 0, 1, 1, 0])).unwrap();
//! while !run.advance(100) {}
//! let Outcome::Election { leaders, .. } = run.summary().outcome else { panic!("it was an election") };
//! assert_eq!(leaders[0].place, 1);
//! assert_eq!(run.summary().cost.messages(), 2 * 3 + 3);
//! assert_eq!(run.summary().cost.time, 2 * 3 + 1);
//! ```

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Description, Display, Effects, Election, ElectionReport, Event, Inspect,
    Instance, Message, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Ticks, Value,
};
use serde::Serialize;

use super::{SYNCHRONOUS_RING, somebody_wins};

const NEXT: Port = Port(0);

/// The rules in force: all processors know `n`.
#[derive(Clone, Copy, Debug)]
pub struct ItaiRodehSync {
    n: u32,
}

/// A message without contents. It is charged one bit, as in the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[message(bits = "Self::one_bit")]
pub struct Pebble;

impl Pebble {
    const fn one_bit(&self) -> u64 {
        1
    }
}

/// The timers, in the order in which they fire at one tick.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// A phase is over and the next begins.
    Phase,
    /// A pebble goes on.
    Relay,
}

/// One processor: 16 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct ItaiRodehSyncProcessor {
    /// The number of candidates.
    a: u32,
    /// The number of pebbles received in this phase.
    c: u32,
    phase: u32,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Role {
    Asleep,
    Candidate,
    /// A candidate that has marked itself in this phase.
    Marked,
    Passive,
    /// The result is known.
    Done,
}

impl Protocol for ItaiRodehSync {
    type Processor = ItaiRodehSyncProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "itai-rodeh-sync",
        title: "candidates of an anonymous ring mark themselves until just one has: 2.442 N messages on average",
        sources: &["ItaiRodeh1990", "LavaultLouchard2006"],
        idea: "Each of a candidates marks itself with probability 1/a and, if so, sends a pebble around. After n rounds \
               everybody has counted the pebbles. One: its sender is the leader, and all know. More: only their senders go \
               on. None: once more.",
        rules: &[
            "On waking: a candidate, a = n; the first phase begins in the next round.",
            "Candidate, when a phase begins: mark itself with probability 1/a; if so, send a pebble.",
            "On a pebble: count it.",
            "In the round after a pebble came, unless a new phase begins: relay it.",
            "After n rounds with c = 1 pebble: the marked one is elected, all others follow.",
            "After n rounds with c > 1: a := c; the marked are the candidates of the next phase, all others are \
             passive.",
            "After n rounds with c = 0: the candidates remain.",
            "Once the leader is known, on a pebble: discard it.",
        ],
        random: true,
        assumptions: Assumptions { identities: false, known_size: true, ..SYNCHRONOUS_RING },
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &somebody_wins("ItaiRodeh1990");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Messages,
            kind: BoundKind::Mean,
            formula: "2.442 N",
            value: |_, instance| instance.undisturbed.then(|| Value::ratio(2442 * u128::from(instance.n), 1000)),
            source: "ItaiRodeh1990",
            counts: "pebbles, at most, on average; a phase costs N of them on average, whatever a is",
        },
        Bound {
            quantity: Quantity::Bits,
            kind: BoundKind::Mean,
            formula: "2.442 N",
            value: |_, instance| instance.undisturbed.then(|| Value::ratio(2442 * u128::from(instance.n), 1000)),
            source: "ItaiRodeh1990",
            counts: "bits, at most, on average: one for each pass of a pebble",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Mean,
            formula: "2.442",
            value: |_, instance| instance.undisturbed.then(|| Value::ratio(2442, 1000)),
            source: "LavaultLouchard2006",
            counts: "phases, at most, on average; 2.441715879… is the limit for N to infinity",
        },
        Bound {
            quantity: Quantity::Time,
            kind: BoundKind::Mean,
            formula: "2.442 N + 1",
            value: |_, instance| {
                let began = u128::from(instance.first_wake) + 1;
                instance.undisturbed.then(|| Value::ratio(2442 * u128::from(instance.n), 1000) + Value::int(began))
            },
            source: "ItaiRodeh1990",
            counts: "rounds from waking, at most, on average: N for each phase, and one for the result",
        },
    ];

    fn configure(_: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { n: u32::try_from(instance.n).expect("places have 32 bits") })
    }

    fn processor(&self, _: Seat) -> ItaiRodehSyncProcessor {
        ItaiRodehSyncProcessor { a: self.n, c: 0, phase: 0, role: Role::Asleep }
    }
}

impl Processor for ItaiRodehSyncProcessor {
    type Problem = Election;
    type Message = Pebble;
    type Timer = Timer;
    type Rules = ItaiRodehSync;

    const SENDS_BY_TIMERS: bool = true;

    fn step(&mut self, rules: &ItaiRodehSync, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.role == Role::Asleep {
            fx.rule(1);
            self.role = Role::Candidate;
            fx.set_timer(Timer::Phase, Ticks::ONE);
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Timeout(Timer::Phase) => {
                // A pebble received in the last round of the phase is back at its sender.
                fx.cancel_timer(Timer::Relay);
                self.conclude(fx);
                if self.role != Role::Done {
                    self.begin_phase(rules, fx);
                }
            }
            Event::Receive(_, Pebble) if self.role == Role::Done => fx.rule(8),
            Event::Receive(_, Pebble) => {
                fx.rule(3);
                self.c += 1;
                fx.set_timer(Timer::Relay, Ticks::ONE);
            }
            Event::Timeout(Timer::Relay) => {
                fx.rule(4);
                fx.send(NEXT, Pebble);
            }
        }
    }
}

impl Inspect for ItaiRodehSyncProcessor {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.phase
    }

    /// Rules look only at whether there was a phase.
    fn rebase(&mut self, _: &ItaiRodehSync, _: u32) {
        self.phase = self.phase.min(1);
    }

    fn is_candidate(&self) -> bool {
        matches!(self.role, Role::Candidate | Role::Marked)
    }
}

impl ItaiRodehSyncProcessor {
    /// Ends a phase. Before the first, c = 0.
    fn conclude(&mut self, fx: &mut impl Effects<Self>) {
        if self.phase > 0 {
            fx.compare(self.c, 1u32);
        }
        match (self.c, self.role) {
            (0, _) if self.phase == 0 => {}
            (0, _) => fx.rule(7),
            (1, Role::Marked) => {
                fx.rule(5);
                self.role = Role::Done;
                fx.report(ElectionReport::Elected(None));
            }
            (1, _) => {
                fx.rule(5);
                self.role = Role::Done;
                fx.report(ElectionReport::Follows(None));
            }
            (c, role) => {
                fx.rule(6);
                self.a = c;
                self.role = if role == Role::Marked { Role::Candidate } else { Role::Passive };
            }
        }
    }

    fn begin_phase(&mut self, rules: &ItaiRodehSync, fx: &mut impl Effects<Self>) {
        self.phase += 1;
        self.c = 0;
        if self.role == Role::Candidate {
            fx.rule(2);
            if fx.choose(self.a) == 0 {
                self.role = Role::Marked;
                fx.send(NEXT, Pebble);
            }
        }
        fx.set_timer(Timer::Phase, Ticks::new(u64::from(rules.n)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_takes_16_bytes_and_a_message_none() {
        assert_eq!((size_of::<ItaiRodehSyncProcessor>(), size_of::<Pebble>()), (16, 0));
    }
}
