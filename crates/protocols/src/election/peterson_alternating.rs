//! Peterson's election with alternating directions \[Peterson1982\], the form that \[VanLeeuwenTan1985\] cites.
//!
//! *Problem*: election. *Assumes*: distinct identities, links that are first in, first out; any set of starters.
//!
//! One value per active processor and phase is enough, if a value is compared with only one of its neighbours: in odd
//! phases with the one before it, in even phases with the one after it, which takes it over. A loser relays. A value
//! that survives a phase and then the next has a loser between it and the next survivor of the first, so there are
//! never more survivors of two phases than losers of the first: survivors shrink at least as fast as Fibonacci numbers.
//! *Claimed*: 1.44… N log2 N + O(N) message passes.
//!
//! *No buffers*: every link carries one value per phase, in the order of the phases. A processor's sends are a function
//! of what has come in, in its order; therefore no schedule and no set of starters changes any count.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario};
//! use ringleader_protocols::election::peterson_alternating::PetersonAlternating;
//! use ringleader_sim::{Choices, Full, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 1, 2], ..Scenario::default() };
//! let mut run = Simulation::<_, Full>::new(PetersonAlternating, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 9); // 3 and 2 survive phase 1, 3 survives phase 2 and finds out in phase 3
//! ```

use alloc::vec::Vec;

use ringleader_model::{
    BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance,
    NoTimer, PhaseBound, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Value,
};
use serde::Serialize;

use super::{Ballot, RING, full_turn, greatest_wins, order, orderly};
use crate::logarithm::n_log2_n;

const NEXT: Port = Port(0);

/// Peterson's alternating protocol has no parameters.
#[derive(Clone, Copy, Debug)]
pub struct PetersonAlternating;

/// One processor: 12 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct PetersonAlternatingProcessor {
    /// The value that it holds, its identity at first.
    value: Id,
    phase: u8,
    mode: Mode,
    started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Active,
    Relays,
    /// The result is known.
    Done,
}

impl Protocol for PetersonAlternating {
    type Processor = PetersonAlternatingProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "peterson-alternating",
        title: "values are compared with the one before and the one after them, in turn",
        sources: &["Peterson1982", "VanLeeuwenTan1985"],
        idea: "An active processor sends one value per phase and receives one. In odd phases it survives with its own value \
               if that is the greater, in even phases with the received one if that is the greater. Survivors shrink like \
               Fibonacci numbers; the greatest value never dies, and comes back to the processor that holds it.",
        rules: &[
            "On waking, or on the first message: phase 1, active, holding the own identity; send it.",
            "Active, on the value held: elected; send the announcement.",
            "Active in an odd phase, on a smaller value: next phase; send the value held. In an even phase, on a \
             greater value: hold that, next phase, and send it.",
            "Active in an odd phase, on a greater value, or in an even phase, on a smaller one: turn passive.",
            "Passive, on a value: relay it.",
            "On the announcement: follow, and relay it.",
            "Once the leader is known, on anything: discard it.",
        ],
        assumptions: RING,
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &greatest_wins("Peterson1982");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "N T with Fibonacci(T+1) <= N",
            value: |_, instance| {
                orderly(instance).then(|| Value::int(u128::from(instance.n) * u128::from(most_phases(instance.n))))
            },
            source: "Peterson1982",
            counts: "values, N in each of at most T phases",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "1.4405 N log2 N + N",
            value: |_, instance| {
                // Fibonacci(T+1) is at least the (T-1)-th power of the golden ratio, and 1/log2 of that is 1.44042.
                orderly(instance).then(|| n_log2_n(instance.n, 14_405, 10_000) + Value::int(u128::from(instance.n)))
            },
            source: "VanLeeuwenTan1985 section 1",
            counts: "values; 1.44... N log N + O(N) there",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Exact,
            formula: "N P",
            value: |_, instance| {
                let ids = order(instance).filter(|_| orderly(instance))?;
                Some(Value::int(u128::from(instance.n) * u128::from(phases_from(1, &ids))))
            },
            source: "Peterson1982",
            counts: "values, N in each of the P phases that the order of the identities takes",
        },
        full_turn("Peterson1982"),
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "T with Fibonacci(T+1) <= N",
            value: |_, instance| orderly(instance).then(|| Value::int(u128::from(most_phases(instance.n)))),
            source: "Peterson1982",
            counts: "phases: two survive the last but one, three or more the one before, and so on",
        },
    ];

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[PhaseBound {
        formula: "N",
        value: |_, instance, _| orderly(instance).then(|| Value::int(u128::from(instance.n))),
        source: "Peterson1982",
        counts: "values of the phase: one on every link",
    }];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self)
    }

    fn processor(&self, seat: Seat) -> PetersonAlternatingProcessor {
        PetersonAlternatingProcessor { value: seat.identity(), phase: 1, mode: Mode::Active, started: false }
    }
}

/// The greatest T with F(T+1) ≤ n, where F(1) = F(2) = 1.
fn most_phases(n: u64) -> u32 {
    let (mut t, mut next, mut after) = (1, 2u128, 3u128);
    while next <= u128::from(n) {
        (t, next, after) = (t + 1, after, next + after);
    }
    t
}

/// The number of phases from phase `p` on, if these values are active then.
fn phases_from(p: u32, values: &[u64]) -> u32 {
    if values.len() <= 1 {
        return 1;
    }
    let neighbour = values.iter().cycle().skip(if p % 2 == 1 { values.len() - 1 } else { 1 });
    let pairs = values.iter().zip(neighbour);
    let survivors: Vec<u64> = pairs.filter(|(value, neighbour)| value > neighbour).map(|(value, _)| *value).collect();
    1 + phases_from(p + 1, &survivors)
}

impl Processor for PetersonAlternatingProcessor {
    type Problem = Election;
    type Message = Ballot;
    type Timer = NoTimer;
    type Rules = PetersonAlternating;

    #[inline(always)]
    fn step(&mut self, _: &PetersonAlternating, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if !self.started {
            fx.rule(1);
            self.started = true;
            fx.send(NEXT, Ballot::Value(self.value));
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(_, bid) => match (self.mode, bid) {
                (Mode::Done, _) => fx.rule(7),
                (Mode::Active, Ballot::Value(received)) if received == self.value => {
                    fx.compare(received, self.value);
                    fx.rule(2);
                    self.mode = Mode::Done;
                    fx.report(ElectionReport::Elected(Some(self.value)));
                    fx.send(NEXT, Ballot::Announcement(self.value));
                }
                // Odd phases ask whether the own value is the greater, even ones whether the received one is; a
                // survivor holds the greater.
                (Mode::Active, Ballot::Value(received)) if (self.value > received) == (self.phase % 2 == 1) => {
                    fx.compare(received, self.value);
                    fx.rule(3);
                    self.value = self.value.max(received);
                    self.phase = self.phase.saturating_add(1);
                    fx.send(NEXT, Ballot::Value(self.value));
                }
                (Mode::Active, Ballot::Value(received)) => {
                    fx.compare(received, self.value);
                    fx.rule(4);
                    self.mode = Mode::Relays;
                }
                (Mode::Relays, Ballot::Value(_)) => {
                    fx.rule(5);
                    fx.send(NEXT, bid);
                }
                (_, Ballot::Announcement(id)) => {
                    fx.rule(6);
                    self.mode = Mode::Done;
                    fx.report(ElectionReport::Follows(Some(id)));
                    fx.send(NEXT, bid);
                }
            },
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for PetersonAlternatingProcessor {
    const PHASED: bool = true;

    #[inline]
    fn phase(&self) -> u32 {
        self.phase.into()
    }

    fn is_candidate(&self) -> bool {
        self.mode == Mode::Active
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_on_phases_grows_at_fibonacci_numbers() {
        let sizes = [1, 2, 3, 4, 5, 7, 8, 12, 13, 20, 21];
        assert_eq!(sizes.map(most_phases), [1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7]);
        // F(93) is the last below 2^64.
        assert_eq!(most_phases(u64::MAX), 92);
    }
}
