//! Dolev, Klawe and Rodeh's elections in a unidirectional ring \[DolevKlaweRodeh1982\].
//!
//! *Problem*: election. *Assumes*: distinct identities, links that are first in, first out; any set of starters.
//!
//! Variant a, found independently of Peterson's: an active processor passes on the identity before it, so that each
//! learns of the two before it and keeps the nearer one if it is a local maximum. *Claimed*: 2N⌊log2 N⌋ + N message
//! passes.
//!
//! Variant b saves second messages. A processor that has received a smaller identity turns passive at once and sends M2
//! after its M1: "nothing before me was greater". The M2 need not go as far as the next active processor, for M1 in
//! phase p counts 2^p hops, and where the count ends a passive processor waits to be woken by the M2; and it dies where
//! a greater identity has been. *Claimed*: 1.5 N log2 N + O(N).
//!
//! Why that is true of what is built here: an identity that survives phase p has moved by exactly 2^p, so in phase p it
//! is 2^p - 1 from home. Two that survive p are then at least 2^(p+1) apart, for the greater has left its mark on the
//! 2^p - 1 places before it and would have stopped an M2 there. So at most N/2^p are active in phase p, the last phase
//! T is at most ⌊log2 N⌋, M1 makes N passes in each phase but the last, and there N - 2^T + 1. An M2 that survives
//! makes 2^p passes in a stretch of 2^(p+1), one that dies at most d - 2^p + 1 in a stretch of d < 2^(p+1) or, again,
//! 2^p in 2^(p+1): at most N·2^p/(2^(p+1) - 1) in a phase. Summed up that is less than 1.5 N log2 N + 0.81 N + 1; rings
//! of up to five processors were tried one by one.
//!
//! *No buffers*: in variant a the two kinds alternate on every link, in b an active processor never receives an M2. A
//! processor's sends are a function of what has come in, in its order; therefore no schedule and no set of starters
//! changes any count.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings};
//! use ringleader_protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 1, 2], ..Scenario::default() };
//! let passes = ["a", "b"].map(|variant| {
//!     let set = [("variant".to_string(), variant.to_string())];
//!     let settings = Settings::new(DolevKlaweRodeh::DESCRIPTION.parameters, &set).unwrap();
//!     let protocol = DolevKlaweRodeh::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//!     let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//!     while !run.advance(100) {}
//!     run.summary().cost.split(false)
//! });
//! assert_eq!(passes, [9, 7]); // a: 3 + 3, then 3; b: 3 + 2, then 3, held next to its owner, has two hops home
//! ```

use ringleader_model::{
    BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance, Kind,
    Message, NoTimer, Parameter, Part, PhaseBound, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings,
    Value, Values,
};
use serde::{Deserialize, Serialize};

use super::peterson::{of_the_order, worst};
use super::{RING, beyond_32_bits, full_turn, greatest_wins, orderly};
use crate::logarithm::n_log2_n;

const NEXT: Port = Port(0);

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct DolevKlaweRodeh {
    /// Variant b.
    b: bool,
}

impl DolevKlaweRodeh {
    /// `variant=a`.
    pub const A: Self = Self { b: false };
    /// `variant=b`.
    pub const B: Self = Self { b: true };
}

/// A message of the protocol: 16 bytes. Each variant has three kinds to tell apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[serde(rename_all = "kebab-case")]
#[message(tags = 3)]
pub enum Bid {
    /// Variant a, ⟨1, i⟩: the identity that an active processor holds.
    First(Id),
    /// Variant a, ⟨2, i⟩: the identity that the active processor before it holds.
    Second(Id),
    /// Variant b: the identity that an active processor holds.
    #[message(name = "M1")]
    M1 {
        /// The identity.
        id: Id,
        /// The phase in which it was sent.
        phase: u8,
        /// The hops that the M2 that follows may still have to go, and the distance of the next holder: 2^phase at
        /// first.
        counter: u32,
    },
    /// Variant b: the identity held before this one was not greater.
    #[message(name = "M2")]
    M2(Id),
    /// The identity that has won.
    #[message(announcement)]
    Announcement(Id),
}

/// One processor: 20 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct DolevKlaweRodehProcessor {
    /// The identity that it had at first.
    own: Id,
    /// max. In variant a it becomes left as soon as that comes and is the greater; if it is not, the processor will
    /// turn passive and need neither.
    max: Id,
    phase: u8,
    mode: Mode,
    started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Active,
    /// Variant a: active, with left, before ⟨2, j⟩.
    Second {
        /// left > max.
        rises: bool,
    },
    /// Variant b: an M2 would make it active.
    Waiting,
    Passive,
    /// The result is known.
    Done,
}

impl Protocol for DolevKlaweRodeh {
    type Processor = DolevKlaweRodehProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "dolev-klawe-rodeh",
        title: "local maxima survive; variant b saves a quarter of the messages",
        sources: &["DolevKlaweRodeh1982"],
        idea: "Identities that are greater than the active ones before and after them survive a phase and move on. In \
               variant a the identity before is passed on to be compared. In variant b only a processor that has seen a smaller \
               one says so, and no farther than 2^p hops in phase p, where a passive processor waits to become active.",
        rules: &[
            "On waking, or on the first message: max is the own identity, active; send <1, max> (b: M1(max, phase 0, \
             counter 1)).",
            "a, active, on <1, max>: elected; send the announcement.",
            "a, active, on <1, i>: left := i; send <2, i>.",
            "a, active, on <2, j> with left > j and left > max: max := left, next phase; send <1, max>.",
            "a, active, on <2, j> otherwise: turn passive.",
            "a, passive: relay everything.",
            "b, on the identity that it had at first: elected; send the announcement.",
            "b, active, on M1(i) with i > max: max := i; wait for an M2.",
            "b, active, on any other M1: turn passive; send M2(max).",
            "b, waiting, on M2: active in the next phase p; send M1(max, p, 2^p).",
            "b, waiting or passive, on M1(i, p, counter) with i >= max and counter >= 1: max := i; relay it with \
             counter - 1; if that is 0 wait for an M2, in phase p, else be passive.",
            "b, waiting or passive, on any other M1: relay it with counter 0; be passive.",
            "b, passive, on M2(j): relay it if j >= max, else discard it.",
            "On the announcement: follow, and relay it.",
            "Once the leader is known, on anything: discard it.",
            "Active, on a message out of turn: discard it; only links that lose, duplicate or reorder messages bring \
             one.",
        ],
        assumptions: RING,
        parameters: &[Parameter {
            name: "variant",
            values: Values::Choice(&["a", "b"]),
            default: "a",
            doc: "a: two messages per active processor and phase; b: second messages only where needed, and limited",
        }],
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("DolevKlaweRodeh1982");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N floor(log2 N) + N",
            value: |rules, instance| (orderly(instance) && !rules.b).then(|| worst(instance.n)),
            source: "DolevKlaweRodeh1982",
            counts: "first and second values in variant a; reached in bit-reversal order",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Exact,
            formula: "2N(R-1) + N",
            value: |rules, instance| if orderly(instance) && !rules.b { of_the_order(instance) } else { None },
            source: "DolevKlaweRodeh1982",
            counts: "first and second values in variant a; local maxima are taken R-1 times until one is left",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "1.5 N log2 N + N",
            value: |rules, instance| {
                let applies = orderly(instance) && rules.b;
                applies.then(|| n_log2_n(instance.n, 3, 2) + Value::int(u128::from(instance.n)))
            },
            source: "DolevKlaweRodeh1982",
            counts: "M1 and M2 in variant b; 1.5 N log N + O(N) there",
        },
        full_turn("DolevKlaweRodeh1982"),
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "floor(log2 N) + 1",
            value: |rules, instance| {
                (orderly(instance) && !rules.b).then(|| Value::int(u128::from(instance.n.ilog2() + 1)))
            },
            source: "DolevKlaweRodeh1982",
            counts: "phases in variant a, the first being 1",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "floor(log2 N)",
            value: |rules, instance| (orderly(instance) && rules.b).then(|| Value::int(u128::from(instance.n.ilog2()))),
            source: "DolevKlaweRodeh1982",
            counts: "the last phase in variant b, the first being 0",
        },
    ];

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[
        PhaseBound {
            formula: "2N",
            value: |rules, instance, _| (orderly(instance) && !rules.b).then(|| Value::int(2 * u128::from(instance.n))),
            source: "DolevKlaweRodeh1982",
            counts: "values of the phase in variant a: a first and a second one on every link",
        },
        PhaseBound {
            formula: "N + floor(N 2^p / (2^(p+1) - 1))",
            value: |rules, instance, phase| {
                (orderly(instance) && rules.b).then(|| Value::int(most_in_phase(instance.n, phase)))
            },
            source: "DolevKlaweRodeh1982, derived here",
            counts: "M1 and M2 of phase p in variant b",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let b = settings.is("variant", "b");
        if b && instance.n > u32::MAX.into() { Err(beyond_32_bits(instance)) } else { Ok(Self { b }) }
    }

    fn processor(&self, seat: Seat) -> DolevKlaweRodehProcessor {
        let own = seat.identity();
        DolevKlaweRodehProcessor { own, max: own, phase: u8::from(!self.b), mode: Mode::Active, started: false }
    }

    fn sends(&self, kind: Kind) -> bool {
        kind.part == Part::Announcement || matches!(kind.name, "M1" | "M2") == self.b
    }
}

/// N M1, and an M2 in every stretch of 2^(p+1) - 1, over 2^p links of it.
fn most_in_phase(n: u64, phase: u32) -> u128 {
    let hops = 1u128 << phase.min(64);
    u128::from(n) + u128::from(n) * hops / (2 * hops - 1)
}

impl Processor for DolevKlaweRodehProcessor {
    type Problem = Election;
    type Message = Bid;
    type Timer = NoTimer;
    type Rules = DolevKlaweRodeh;

    #[inline(always)]
    fn step(&mut self, rules: &DolevKlaweRodeh, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if !self.started {
            fx.rule(1);
            self.started = true;
            self.bid(rules, fx);
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(_, bid) => match (self.mode, bid) {
                (Mode::Done, _) => fx.rule(15),
                (_, Bid::Announcement(id)) => {
                    fx.rule(14);
                    self.mode = Mode::Done;
                    fx.report(ElectionReport::Follows(Some(id)));
                    fx.send(NEXT, bid);
                }

                // Variant a.
                (Mode::Active, Bid::First(i)) if i == self.max => {
                    fx.compare(i, self.max);
                    fx.rule(2);
                    self.elected(i, fx);
                }
                (Mode::Active, Bid::First(left)) => {
                    fx.compare(left, self.max);
                    fx.rule(3);
                    self.mode = Mode::Second { rises: left > self.max };
                    self.max = self.max.max(left);
                    fx.send(NEXT, Bid::Second(left));
                }
                (Mode::Second { rises: true }, Bid::Second(j)) if self.max > j => {
                    fx.compare(self.max, j);
                    fx.rule(4);
                    self.next_phase(rules, fx);
                }
                (Mode::Second { rises }, Bid::Second(j)) => {
                    if rises {
                        fx.compare(self.max, j);
                    }
                    fx.rule(5);
                    self.mode = Mode::Passive;
                }
                (Mode::Passive, Bid::First(_) | Bid::Second(_)) => {
                    fx.rule(6);
                    fx.send(NEXT, bid);
                }

                // Variant b.
                (_, Bid::M1 { id, .. } | Bid::M2(id)) if id == self.own => {
                    fx.compare(id, self.own);
                    fx.rule(7);
                    self.elected(id, fx);
                }
                (Mode::Active, Bid::M1 { id, .. }) if id > self.max => {
                    fx.compare(id, self.max);
                    fx.rule(8);
                    self.max = id;
                    self.mode = Mode::Waiting;
                }
                (Mode::Active, Bid::M1 { id, .. }) => {
                    fx.compare(id, self.max);
                    fx.rule(9);
                    self.mode = Mode::Passive;
                    fx.send(NEXT, Bid::M2(self.max));
                }
                (Mode::Waiting, Bid::M2(_)) => {
                    fx.rule(10);
                    self.next_phase(rules, fx);
                }
                (Mode::Waiting | Mode::Passive, Bid::M1 { id, phase, counter }) => {
                    self.mode = Mode::Passive;
                    fx.compare(id, self.max);
                    fx.compare(counter, 1u32);
                    let mut left = 0;
                    if id >= self.max && counter >= 1 {
                        fx.rule(11);
                        self.max = id;
                        left = counter - 1;
                        if left == 0 {
                            self.mode = Mode::Waiting;
                            self.phase = phase;
                        }
                    } else {
                        fx.rule(12);
                    }
                    fx.send(NEXT, Bid::M1 { id, phase, counter: left });
                }
                (Mode::Passive, Bid::M2(id)) if id >= self.max => {
                    fx.compare(id, self.max);
                    fx.rule(13);
                    fx.send(NEXT, bid);
                }
                (Mode::Passive, Bid::M2(id)) => {
                    fx.compare(id, self.max);
                    fx.rule(13);
                }

                // Out of turn: only links that lose, duplicate or reorder messages bring these.
                (Mode::Active, Bid::Second(_) | Bid::M2(_)) | (Mode::Second { .. }, Bid::First(_)) => fx.rule(16),
                (Mode::Waiting, Bid::First(_) | Bid::Second(_))
                | (Mode::Second { .. }, Bid::M1 { .. } | Bid::M2(_)) => {
                    unreachable!("variants do not mix")
                }
            },
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for DolevKlaweRodehProcessor {
    const PHASED: bool = true;

    #[inline]
    fn phase(&self) -> u32 {
        self.phase.into()
    }

    fn is_candidate(&self) -> bool {
        !matches!(self.mode, Mode::Passive | Mode::Done)
    }
}

impl DolevKlaweRodehProcessor {
    /// Sends the message with which an active processor begins a phase.
    #[inline(always)]
    fn bid(&mut self, rules: &DolevKlaweRodeh, fx: &mut impl Effects<Self>) {
        let (id, phase) = (self.max, self.phase);
        if rules.b {
            let counter = 1u32.checked_shl(phase.into()).unwrap_or(u32::MAX);
            fx.send(NEXT, Bid::M1 { id, phase, counter });
        } else {
            fx.send(NEXT, Bid::First(id));
        }
    }

    #[inline(always)]
    fn next_phase(&mut self, rules: &DolevKlaweRodeh, fx: &mut impl Effects<Self>) {
        self.mode = Mode::Active;
        self.phase = self.phase.saturating_add(1);
        self.bid(rules, fx);
    }

    #[inline(always)]
    fn elected(&mut self, id: Id, fx: &mut impl Effects<Self>) {
        self.mode = Mode::Done;
        fx.report(ElectionReport::Elected(Some(id)));
        fx.send(NEXT, Bid::Announcement(id));
    }
}
