//! Hirschberg and Sinclair's election in a bidirectional ring \[HirschbergSinclair1980\], as in \[Epema2013\].
//!
//! *Problem*: election. *Assumes*: distinct identities; left and right may differ from processor to processor; any set
//! of starters.
//!
//! In phase k every candidate finds out whether it has the greatest identity within 2^(k-1) of it: a token with its
//! identity goes that far in both directions, a greater processor that it reaches discards it, the last one sends an OK
//! back. A candidate that gets both OKs goes on to the next phase, twice as far; a candidate whose token comes home is
//! elected. Candidates of one phase are ever farther apart, so every phase costs O(N). *Claimed*: O(N log N) message
//! passes \[Epema2013\], 8N + 8⌈N log2 N⌉ \[HirschbergSinclair1980\].
//!
//! *Readings*: the condition for being elected is lost on the slide. A candidate goes on for as long as it gets its
//! OKs, also when it has relayed a greater token: so what is sent does not depend on the schedule. `blocked = echo` is
//! the program of 1980, in which a processor answers what it discards.
//!
//! *Departure*, undone by `rules = printed`: the slide forwards a token whose hop count is positive, so that it reaches
//! 2^(k-1) + 1 processors, one more than the slide's own segments.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings};
//! use ringleader_protocols::election::hirschberg_sinclair::HirschbergSinclair;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], ..Scenario::default() };
//! let settings = Settings::new(HirschbergSinclair::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = HirschbergSinclair::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! // Phase 1: 6 tokens, OKs from both neighbours of 3 and from 1 to 2. Phase 2: 2 tokens over 2 links, 2 OKs back over
//! // 2. Phase 3: 2 tokens over 3 links.
//! assert_eq!(run.summary().cost.split(false), (6 + 3) + (4 + 4) + 6);
//! ```

use ringleader_model::{
    BadSetting, BidirectionalRing, Bound, BoundKind, Departure, Departures, Description, Effects, Election,
    ElectionReport, Erratum, Event, Id, Inspect, Instance, Kind, Message, NoTimer, Parameter, PhaseBound, Port,
    Processor, Promise, Protocol, Quantity, Seat, Settings, Value, Values,
};
use serde::Serialize;

use super::{BIDIRECTIONAL, BOTH, greatest_wins, onward, ports};
use crate::logarithm::ceil_n_log2_n;

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct HirschbergSinclair {
    /// A processor that discards a token answers with a no.
    echo: bool,
    /// As printed: a token goes one processor farther.
    printed: bool,
}

impl HirschbergSinclair {
    /// `blocked=silent`.
    pub const SILENT: Self = Self { echo: false, printed: false };
    /// `blocked=echo`.
    pub const ECHO: Self = Self { echo: true, printed: false };
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[Departure::new(
    "hops",
    "Epema2013, solution 1 (1/3)",
    "a token is relayed while its hop count is positive, so that it reaches 2^(k-1) + 1 processors",
    "it is relayed while its hop count exceeds 1",
)];

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// A candidate's identity, outward.
    Token {
        /// The identity of the candidate.
        id: Id,
        /// k
        #[message(phase)]
        phase: u8,
        /// The hop count.
        hops: u32,
    },
    /// Nobody that far is greater.
    Ok {
        /// The identity of the candidate.
        id: Id,
        /// k
        #[message(phase)]
        phase: u8,
    },
    /// Somebody is greater: only with `blocked = echo`.
    No {
        /// The identity of the candidate.
        id: Id,
        /// k
        #[message(phase)]
        phase: u8,
    },
    /// The identity that has won.
    #[message(announcement)]
    Announcement(Id),
}

/// One processor: 12 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct HirschbergSinclairProcessor {
    id: Id,
    /// k; 0 before the start.
    phase: u8,
    /// The ports by which an OK of this phase came in, a bit each.
    #[serde(serialize_with = "ports")]
    oks: u8,
    /// The result is known.
    done: bool,
}

impl Protocol for HirschbergSinclair {
    type Processor = HirschbergSinclairProcessor;
    type Network = BidirectionalRing;

    const DESCRIPTION: Description = Description {
        name: "hirschberg-sinclair",
        title: "candidates explore ever larger segments, twice as far each phase",
        sources: &["HirschbergSinclair1980", "Epema2013"],
        idea: "In phase k a candidate sends its identity 2^(k-1) far in both directions. A greater processor discards \
               it; if nobody does, an OK comes back. With two OKs it goes on, twice as far. A candidate whose identity \
               comes home is the leader.",
        rules: &[
            "On waking, or on the first message: phase 1; send a token (id, 1, hops 1) in both directions.",
            "On a token of the own id: elected; send the announcement.",
            "On a token of a smaller id: discard it (blocked=echo: send a no back).",
            "On a token of a greater id with hops > 1 (printed: hops > 0): relay it with hops - 1.",
            "On a token of a greater id with fewer hops left: send an OK back.",
            "On an OK or a no for another id: relay it.",
            "On an OK of the present phase k: note it; on the second, phase k + 1: send a token (id, k+1, hops 2^k) \
             in both directions.",
            "On a no, or on an OK of an earlier phase: discard it.",
            "On the announcement: follow, and relay it.",
            "Once the leader is known, on the own token or the announcement: discard it.",
        ],
        assumptions: BIDIRECTIONAL,
        random: false,
        parameters: &[
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "blocked",
                values: Values::Choice(&["silent", "echo"]),
                default: "silent",
                doc: "a processor with a greater identity discards a token silently (the lecture), or answers with a no \
                      (the program of 1980)",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "Epema2013, solution 1 (1/3)",
                wrong: "a token with hop count 2^(k-1) is sent along while the count is positive and so reaches 2^(k-1) + 1 \
                        processors, though the segments are said to have 2^k + 1; both elect, the counts differ (36 \
                        against 32 on 3, 1, 4, 2)",
                repair: "a token is sent along while its hop count exceeds 1",
            },
            Erratum {
                place: "Epema2013, solution 1 (2/3)",
                wrong: "the condition for being elected is missing",
                repair: "a processor is elected when a token of its own comes home",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &greatest_wins("HirschbergSinclair1980");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N + 4 sum r_k c_k",
            value: |rules, instance| instance.undisturbed.then(|| Value::int(rules.most(instance.n))),
            source: "HirschbergSinclair1980, derived here",
            counts: "tokens and answers; a token of phase k reaches r_k = 2^(k-1) processors (printed: one more), r_0 = 0, and at \
                     most c_k = floor(N/(r_(k-1)+1)) processors start it; the sum is over all phases but the last, in which the \
                     winner's tokens traverse the whole ring",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "8N + 8 ceil(N log2 N)",
            value: |rules, instance| {
                let applies = instance.undisturbed && !rules.printed;
                applies.then(|| Value::int(8 * (u128::from(instance.n) + ceil_n_log2_n(instance.n))))
            },
            source: "HirschbergSinclair1980",
            counts: "tokens and answers, as published; not listed for the longer tokens of printed=hops",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Exact,
            formula: "1 + ceil(log2 N)",
            value: |rules, instance| {
                let applies = instance.undisturbed && !rules.printed;
                applies.then(|| Value::int(u128::from(phases(instance.n))))
            },
            source: "Epema2013 solution 1",
            counts: "phases: the winner's tokens come home in the first phase in which they may go N hops",
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

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[PhaseBound {
        formula: "4 r_k c_k, 2N in the last",
        value: |rules, instance, phase| {
            let most = rules.most_by_phase(instance.n).nth(phase.checked_sub(1)? as usize)?;
            instance.undisturbed.then(|| Value::int(most))
        },
        source: "HirschbergSinclair1980, derived here",
        counts: "tokens and answers of phase k: c_k = floor(N/(r_(k-1)+1)) start it, r_k = 2^(k-1) is how far a token goes \
                 (printed: one more), r_0 = 0",
    }];

    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        let departures = Departures::new(DEPARTURES, settings)?;
        Ok(Self { echo: settings.is("blocked", "echo"), printed: departures.undoes("hops") })
    }

    fn sends(&self, kind: Kind) -> bool {
        self.echo || kind.name != "no"
    }

    fn processor(&self, seat: Seat) -> HirschbergSinclairProcessor {
        HirschbergSinclairProcessor { id: seat.identity(), phase: 0, oks: 0, done: false }
    }
}

/// 1 + ⌈log2 N⌉: the first phase in which a token may go N hops.
fn phases(n: u64) -> u32 {
    n.next_power_of_two().ilog2() + 1
}

impl HirschbergSinclair {
    /// The greatest number of message passes of a run. A processor that starts phase k is the greatest within r_(k-1)
    /// of it, so that at most N/(r_(k-1)+1) do, and each causes at most r_k passes in both directions, out and back.
    fn most(self, n: u64) -> u128 {
        self.most_by_phase(n).sum()
    }

    /// The greatest number of message passes of each phase, from 1 to the last.
    fn most_by_phase(self, n: u64) -> impl Iterator<Item = u128> {
        let n = u128::from(n);
        let (mut before, mut hops, mut over) = (0, 1, false);
        core::iter::from_fn(move || {
            if over {
                return None;
            }
            let reach = hops + u128::from(self.printed);
            let starters = n / (before + 1);
            over = reach >= n && starters <= 1;
            (before, hops) = (reach, 2 * hops);
            Some(if over { 2 * n } else { 4 * reach * starters })
        })
    }
}

impl Processor for HirschbergSinclairProcessor {
    type Problem = Election;
    type Message = Probe;
    type Timer = NoTimer;
    type Rules = HirschbergSinclair;

    fn step(&mut self, rules: &HirschbergSinclair, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.phase == 0 {
            fx.rule(1);
            self.next_phase(fx);
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            // Slide 2: "A process is elected when"; the rest is lost. Its other token is absorbed.
            Event::Receive(_, Probe::Token { id, .. }) if id == self.id => {
                fx.compare(id, self.id);
                if self.done {
                    fx.rule(10);
                } else {
                    fx.rule(2);
                    self.done = true;
                    fx.report(ElectionReport::Elected(Some(id)));
                    fx.send(Port(1), Probe::Announcement(id));
                }
            }
            // Slide 1: "if its own id is larger, it discards it".
            Event::Receive(port, Probe::Token { id, phase, .. }) if id < self.id => {
                fx.compare(id, self.id);
                fx.rule(3);
                if rules.echo {
                    fx.send(port, Probe::No { id, phase });
                }
            }
            // Slide 1: "if the hop count is positive, it decrements the hop count and sends the message along".
            Event::Receive(port, Probe::Token { id, phase, hops }) if hops > u32::from(!rules.printed) => {
                fx.compare(id, self.id);
                fx.compare(hops, u32::from(!rules.printed));
                fx.rule(4);
                fx.send(onward(port), Probe::Token { id, phase, hops: hops - 1 });
            }
            // Slide 1: "else it sends an OK message back".
            Event::Receive(port, Probe::Token { id, phase, hops }) => {
                fx.compare(id, self.id);
                fx.compare(hops, u32::from(!rules.printed));
                fx.rule(5);
                fx.send(port, Probe::Ok { id, phase });
            }
            // Slide 2: "OK messages are returned to the originator".
            Event::Receive(port, answer @ (Probe::Ok { id, .. } | Probe::No { id, .. })) if id != self.id => {
                fx.compare(id, self.id);
                fx.rule(6);
                fx.send(onward(port), answer);
            }
            // Slide 2: "When a process receives two phase-k OK messages, it initiates phase k+1".
            Event::Receive(port, Probe::Ok { phase, .. }) if phase == self.phase => {
                fx.compare(phase, self.phase);
                fx.rule(7);
                self.oks |= 1 << port.0;
                if self.oks == 0b11 {
                    self.next_phase(fx);
                }
            }
            Event::Receive(_, Probe::Ok { phase, .. }) => {
                fx.compare(phase, self.phase);
                fx.rule(8);
            }
            // A processor that gets a no cannot get two OKs.
            Event::Receive(_, Probe::No { .. }) => fx.rule(8),
            Event::Receive(port, Probe::Announcement(id)) => {
                if self.done {
                    fx.rule(10);
                } else {
                    fx.rule(9);
                    self.done = true;
                    fx.report(ElectionReport::Follows(Some(id)));
                    fx.send(onward(port), Probe::Announcement(id));
                }
            }
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for HirschbergSinclairProcessor {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.phase.into()
    }

    /// It has relayed or answered the token of a greater identity.
    const LOSING_RULES: &'static [u8] = &[4, 5];
}

impl HirschbergSinclairProcessor {
    /// Slide 1: "In round k, every active process sends a message to each of its neighbors with its id, a hop count of
    /// 2^(k-1)".
    fn next_phase(&mut self, fx: &mut impl Effects<Self>) {
        self.oks = 0;
        self.phase = self.phase.saturating_add(1);
        let hops = 1u32.checked_shl(u32::from(self.phase) - 1).unwrap_or(u32::MAX);
        for port in BOTH {
            fx.send(port, Probe::Token { id: self.id, phase: self.phase, hops });
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::super::Did;
    use super::*;

    #[test]
    fn tokens_are_compared_by_identity_and_hops_and_answers_by_phase() {
        let rules = HirschbergSinclair { echo: false, printed: false };
        let mut processor = rules.processor(Seat { id: Some(Id::new(4)), role: 0, ports: 2 });
        let mut comparisons = |port: u32, probe: Probe| -> Vec<String> {
            Did::step(&mut processor, &rules, Event::Receive(Port(port), probe)).comparisons
        };
        let token = |id, hops| Probe::Token { id: Id::new(id), phase: 2, hops };
        let ok = |id, phase| Probe::Ok { id: Id::new(id), phase };
        assert_eq!(comparisons(0, token(3, 2)), ["3 < 4"], "discarded");
        assert_eq!(comparisons(0, token(7, 2)), ["7 > 4", "2 > 1"], "relayed");
        assert_eq!(comparisons(0, token(7, 1)), ["7 > 4", "1 = 1"], "answered");
        assert_eq!(comparisons(0, ok(7, 2)), ["7 > 4"], "relayed");
        assert_eq!([comparisons(0, ok(4, 1)), comparisons(1, ok(4, 1))], [["1 = 1"], ["1 = 1"]], "phase 2 begins");
        assert_eq!(comparisons(0, ok(4, 1)), ["1 < 2"], "of an earlier phase");
        assert_eq!(comparisons(0, token(4, 1)), ["4 = 4"], "elected");
    }

    #[test]
    fn a_processor_takes_12_bytes_and_a_message_16() {
        assert_eq!((size_of::<HirschbergSinclairProcessor>(), size_of::<Probe>()), (12, 16));
    }

    #[test]
    fn the_sum_of_the_bound_is_the_one_worked_by_hand() {
        let rules = HirschbergSinclair { echo: false, printed: false };
        // Phase 1: 4 candidates cause 4 passes each; phase 2: 2 candidates 8 each; phase 3: the winner 2N.
        assert_eq!(rules.most(4), 16 + 16 + 8);
        assert_eq!((rules.most(1), rules.most(2)), (2, 8 + 4));
        // As printed: 4 candidates 8 each; one of three apart 12; the winner 2N.
        assert_eq!(HirschbergSinclair { printed: true, ..rules }.most(4), 32 + 12 + 8);
    }

    #[test]
    fn the_published_bound_is_the_weaker_one() {
        let rules = HirschbergSinclair { echo: true, printed: false };
        for n in 1..5000 {
            assert!(rules.most(n) <= 8 * (u128::from(n) + ceil_n_log2_n(n)), "{n}");
        }
    }
}
