//! Itai and Rodeh's election in an anonymous asynchronous ring \[ItaiRodeh1981\], as in \[FokkinkPang2006\].
//!
//! *Problem*: election. *Assumes*: no identities, but everybody knows n and can draw at random; any set of starters.
//!
//! Everybody draws an identity and sends it around as in Chang and Roberts's election: smaller ones are discarded.
//! Since two may have drawn the same, a token counts its hops: at hop n it is back where it came from. A bit, true at
//! first, becomes false at anybody else who has drawn the same; a processor whose token is back with the bit still true
//! is the leader, and those whose bit is false draw again, in the next round. The others relay. *Claimed*: O(n log n)
//! messages on average; at most e·n/(n-1) rounds on average if there are n identities to draw from.
//!
//! *Links*: a token of an earlier round may be overtaken. Tokens carry their round, and (round, identity) is compared
//! lexicographically. On links that are first in, first out a token never reaches a processor of another round, so that
//! the round can be left out (`rounds = off`): then the protocol has finitely many states, which is what Fokkink and
//! Pang wanted. On other links that is wrong: see experiments/itai-rodeh-rounds.
//!
//! *Reading*: a token that is back at a processor that has become passive, which happens where links reorder, is
//! discarded: everybody has seen it. The leader's announcement has no contents.
//!
//! ```
//! use ringleader_model::{Outcome, Protocol, Scenario, Settings};
//! use ringleader_protocols::election::itai_rodeh::ItaiRodeh;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ..Scenario::default() };
//! let settings = Settings::new(ItaiRodeh::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = ItaiRodeh::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! // They draw 1, 3 and 1: the one in the middle wins in the first round.
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Recorded(vec![0, 2, 0])).unwrap();
//! while !run.advance(100) {}
//! let Outcome::Election { leaders, .. } = run.summary().outcome else { panic!("it was an election") };
//! assert_eq!(leaders[0].place, 1);
//! assert_eq!(run.summary().cost.split(false), 1 + 3 + 2);
//! ```

use alloc::format;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Inspect,
    Instance, Message, NoTimer, Parameter, Port, Processor, Promise, Protocol, Quantity, Ring, Seat, Settings, Value,
    Values,
};
use serde::{Deserialize, Serialize};

use super::{E_BY_A_BILLION, RING, beyond_32_bits, n_times_harmonic, orderly, somebody_wins};

const NEXT: Port = Port(0);

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct ItaiRodeh {
    n: u32,
    /// The number of identities to draw from.
    ids: u32,
    /// Tokens carry their round.
    rounds: bool,
}

/// A message of the protocol: 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Bid {
    /// An identity that was drawn.
    Token {
        /// Its round; 0, and not charged, where tokens do not carry it.
        #[message(round, optional)]
        round: u32,
        /// The identity that was drawn, from 1.
        id: u32,
        /// The number of links that it has crossed when it arrives.
        hop: u32,
        /// No other processor that received it had drawn the same.
        unique: bool,
    },
    /// There is a leader.
    #[message(announcement)]
    Announcement,
}

/// One processor: 12 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct ItaiRodehProcessor {
    /// The identity that it drew in its last round.
    id: u32,
    /// Its last round, from 1. With `rounds = off` no rule looks at it.
    round: u32,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Asleep,
    Active,
    Passive,
    Follower,
    Leader,
}

impl Protocol for ItaiRodeh {
    type Processor = ItaiRodehProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "itai-rodeh",
        title: "an anonymous ring draws identities until the greatest is unique",
        sources: &["ItaiRodeh1981", "FokkinkPang2006"],
        idea: "Everybody draws an identity and sends it around; smaller ones are discarded. A token counts its hops, so \
               that its sender knows it again, and remembers whether somebody else has drawn the same. If nobody has, its \
               sender is the leader; those who share the greatest draw again.",
        rules: &[
            "On waking, or on the first message: round 1, active; draw an identity and send (round 1, identity, hop \
             1, unique).",
            "Active, on hop = n and unique: elected; send the announcement.",
            "Active, on hop = n and not unique: next round; draw again and send the token of that round.",
            "Active, on the own (round, identity) and hop < n: relay it, hop + 1, not unique.",
            "Active, on a greater (round, identity): turn passive, and relay it, hop + 1.",
            "Active, on a smaller (round, identity): discard it.",
            "Passive or following, on a token with hop < n: relay it, hop + 1.",
            "Passive or following, on a token with hop = n, or leader, on any token: discard it.",
            "On the announcement: follow, and relay it.",
            "Once the leader is known, on the announcement: discard it.",
        ],
        random: true,
        assumptions: Assumptions { identities: false, known_size: true, ..RING },
        parameters: &[
            Parameter {
                name: "ids",
                values: Values::Form(IDS),
                default: "n",
                doc: "number of identities to draw from",
            },
            Parameter {
                name: "rounds",
                values: Values::Choice(&["on", "off"]),
                default: "on",
                doc: "whether tokens carry their round; without it the protocol is right on links that are first in, first \
                      out only",
            },
        ],
        ..Description::NEW
    };

    const PROMISES: &'static [Promise] = &somebody_wins("ItaiRodeh1981");

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Mean,
            formula: "e N/(N-1)",
            value: |rules, instance| {
                let n = u128::from(instance.n);
                let applies = orderly(instance) && n > 1 && u128::from(rules.ids) >= n;
                applies.then(|| Value::ratio(E_BY_A_BILLION * n, 1_000_000_000 * (n - 1)))
            },
            source: "ItaiRodeh1981",
            counts: "rounds, at most, on average, if ids >= N, links first in, first out: each is the last with \
                     probability (1-1/ids)^N or more",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Mean,
            formula: "ids^N/(N (1^(N-1) + 2^(N-1) + … + (ids-1)^(N-1)))",
            value: |rules, instance| {
                let [unique, all] = unique_maximum(rules.n, rules.ids).filter(|_| orderly(instance))?;
                (unique > 0).then(|| Value::ratio(all, unique))
            },
            source: "ItaiRodeh1981, derived here",
            counts: "rounds, at most, on average, links first in, first out: each is the last if the greatest identity \
                     drawn is unique, which is least probable if all N draw; for N <= 20 and ids <= 64",
        },
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Mean,
            formula: "N (H_N + 2)",
            value: |rules, instance| {
                let applies = orderly(instance) && instance.n > 1 && u64::from(rules.ids) >= instance.n;
                applies.then(|| n_times_harmonic(instance.n) + Value::int(2 * u128::from(instance.n)))
            },
            source: "ItaiRodeh1981, derived here",
            counts: "tokens, at most, on average, if ids >= N, links first in, first out; the source says \
                     O(N log N)",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N",
            value: |rules, instance| {
                let applies = orderly(instance) || instance.undisturbed && rules.rounds;
                applies.then(|| Value::int(u128::from(instance.n)))
            },
            source: "FokkinkPang2006",
            counts: "the announcement's full turn",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let n = u32::try_from(instance.n).map_err(|_| beyond_32_bits(instance))?;
        let wanted = settings.get("ids");
        let ids = if wanted == "n" { Some(n) } else { wanted.parse().ok().filter(|&ids| ids > 1 || ids == n) };
        let ids = ids.ok_or_else(|| BadSetting::new("set", format!("ids={wanted}: they cannot differ"), IDS))?;
        Ok(Self { n, ids, rounds: settings.is("rounds", "on") })
    }

    fn processor(&self, _: Seat) -> ItaiRodehProcessor {
        ItaiRodehProcessor { id: 0, round: 0, state: State::Asleep }
    }
}

/// In how many of all cases the greatest of some identities drawn is unique; `None` if there are too many.
fn unique_maximum(drawn: u32, ids: u32) -> Option<[u128; 2]> {
    let cases = |ids: u32, drawn: u32| u128::from(ids).pow(drawn);
    (drawn <= 20 && ids <= 64).then(|| {
        let below: u128 = (0..ids).map(|below| cases(below, drawn - 1)).sum();
        [u128::from(drawn) * below, cases(ids, drawn)]
    })
}

const IDS: &str = "n, or an integer from 2 to 4294967295";

impl Processor for ItaiRodehProcessor {
    type Problem = Election;
    type Message = Bid;
    type Timer = NoTimer;
    type Rules = ItaiRodeh;

    #[inline(always)]
    fn step(&mut self, rules: &ItaiRodeh, event: Event<Self>, fx: &mut impl Effects<Self>) {
        if self.state == State::Asleep {
            fx.rule(1);
            self.state = State::Active;
            self.draw(rules, fx);
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(_, Bid::Token { round, id, hop, unique }) => {
                let pass_on = |unique| Bid::Token { round, id, hop: hop + 1, unique };
                let own = if rules.rounds { (self.round, self.id) } else { (0, self.id) };
                match self.state {
                    State::Active if hop == rules.n && unique => {
                        fx.compare(hop, rules.n);
                        fx.rule(2);
                        self.state = State::Leader;
                        fx.report(ElectionReport::Elected(None));
                        fx.send(NEXT, Bid::Announcement);
                    }
                    State::Active if hop == rules.n => {
                        fx.compare(hop, rules.n);
                        fx.rule(3);
                        self.draw(rules, fx);
                    }
                    State::Active if (round, id) == own => {
                        self.compare(rules, (round, id), fx);
                        fx.rule(4);
                        fx.send(NEXT, pass_on(false));
                    }
                    State::Active if (round, id) > own => {
                        self.compare(rules, (round, id), fx);
                        fx.rule(5);
                        self.state = State::Passive;
                        fx.send(NEXT, pass_on(unique));
                    }
                    State::Passive | State::Follower if hop < rules.n => {
                        fx.compare(hop, rules.n);
                        fx.rule(7);
                        fx.send(NEXT, pass_on(unique));
                    }
                    State::Asleep | State::Active => {
                        self.compare(rules, (round, id), fx);
                        fx.rule(6);
                    }
                    State::Passive | State::Follower => {
                        fx.compare(hop, rules.n);
                        fx.rule(8);
                    }
                    State::Leader => fx.rule(8),
                }
            }
            Event::Receive(_, Bid::Announcement) => match self.state {
                State::Leader | State::Follower => fx.rule(10),
                State::Asleep | State::Active | State::Passive => {
                    fx.rule(9);
                    self.state = State::Follower;
                    fx.report(ElectionReport::Follows(None));
                    fx.send(NEXT, Bid::Announcement);
                }
            },
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for ItaiRodehProcessor {
    const PHASED: bool = true;
    const ROUNDS: bool = true;

    fn phase(&self) -> u32 {
        self.round
    }

    /// Only active processors compare, and one that is asleep will begin with round 1. A token of an earlier round than
    /// that of every active processor is less than each of them, however much earlier it is.
    fn live_round(&self, rules: &ItaiRodeh) -> Option<u32> {
        match self.state {
            State::Asleep => Some(0),
            State::Active if rules.rounds => Some(self.round),
            State::Active | State::Passive | State::Follower | State::Leader => None,
        }
    }

    fn rebase(&mut self, rules: &ItaiRodeh, by: u32) {
        let live = self.live_round(rules);
        self.round = live.map_or(0, |round| round.saturating_sub(by));
        if self.state != State::Active {
            self.id = 0;
        }
    }

    fn is_candidate(&self) -> bool {
        self.state == State::Active
    }
}

impl ItaiRodehProcessor {
    /// The next round: a new identity, and its token.
    #[inline(always)]
    fn draw(&mut self, rules: &ItaiRodeh, fx: &mut impl Effects<Self>) {
        self.round += 1;
        self.id = fx.choose(rules.ids) + 1;
        let round = if rules.rounds { self.round } else { 0 };
        fx.send(NEXT, Bid::Token { round, id: self.id, hop: 1, unique: true });
    }

    /// Names the comparison of a token with the own (round, identity), or with the identity where tokens carry no
    /// round.
    #[inline(always)]
    fn compare(&self, rules: &ItaiRodeh, (round, id): (u32, u32), fx: &mut impl Effects<Self>) {
        if rules.rounds {
            fx.compare((round, id), (self.round, self.id));
        } else {
            fx.compare(id, self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_processor_takes_12_bytes_and_a_message_16() {
        assert_eq!((size_of::<ItaiRodehProcessor>(), size_of::<Bid>()), (12, 16));
    }

    #[test]
    fn the_more_draw_the_less_probable_is_a_unique_maximum() {
        // Of 2 by 2 throws, 1-2 and 2-1; of 27 throws of three, a 2 with two 1s, or a 3 with two less, at 3 places.
        assert_eq!((unique_maximum(2, 2), unique_maximum(3, 3)), (Some([2, 4]), Some([15, 27])));
        for ids in 1..=64 {
            let cases: Vec<_> = (1..=20).map(|drawn| unique_maximum(drawn, ids).expect("it is small")).collect();
            for pair in cases.windows(2) {
                // The number of all cases is greater by a factor of `ids`.
                let [[fewer, _], [more, _]] = *pair else { unreachable!("there are two") };
                assert!(more <= fewer * u128::from(ids), "{ids} identities: {fewer}, {more}");
            }
        }
    }
}
