//! The token rings of practice, as Vitányi tells of them \[Vitanyi1984\].
//!
//! *Problem*: one token on a ring, whatever there was at first and whatever is lost or duplicated. *Assumes*:
//! no identities, a unidirectional ring; everybody knows n and the bounds r and d; steps as long as that allows.
//!
//! Every passage of a token is timed. One that comes too early after another is removed; where none comes for too long
//! one is inserted. *Claimed*: "within the timing and synchronization conditions met this basically probabilistic
//! algorithm works fine".
//!
//! *As printed* there is one timer, and it contradicts itself. A lone token that is back before its timer expires is
//! taken out; if it is back later, another was put in before. No margin helps: the token is back either before or
//! after.
//!
//! *Repaired*: two limits, in own steps. E = ⌈n d_min/r_max⌉: what comes after fewer than E steps is removed, and
//! changes nothing else. L = ⌊n (d_max + r_max)/r_min⌋ + 1: where none was passed on or inserted for L steps and a
//! jitter, one is inserted. What comes after E steps or more is passed on, and both count again from 0, as they do from
//! an insertion. Before the first passage there is nothing that a token could be too early after; L counts from waking.
//! No clock is read: a timer of E - 1 steps expires before the step in which a token is no longer too early, and
//! whoever still waits for it removes what comes.
//!
//! *A lone token is never disturbed.* Let it be passed on at t and be back at t + g. It takes n delays, and under
//! per-step reading n times a wait for the next step, so n d_min ≤ g ≤ n (d_max + r_max). Never too early: the timer of
//! E - 1 steps expires by t + (E - 1) r_max, and E - 1 < n d_min/r_max. (A timer of E steps would be too long. E r_max
//! may exceed g; and in the very step in which it expires, messages are read before.) Never too late: per step, t is a
//! step, and L steps last at least L r_min > n (d_max + r_max) ≥ g. On arrival, t may fall just before a step, and L
//! steps last only more than (L - 1) r_min; but then g ≤ n d_max, and (L - 1) r_min > n (d_max + r_max) - r_min ≥ n
//! d_max. Steps of varying length change nothing, as only their bounds were used, nor does an offset of the first step
//! that is no longer than a step. The + 1 is needed by one processor alone that reads on arrival: with r = 10 and d = 9
//! it would wait for a single step.
//!
//! *Of two tokens one is removed within a lap* of n (d_max + r_max) if (d_max + r_max)/d_min < 2γ, γ = r_min/r_max.
//! While a token makes a turn, another is passed on in between: two gaps of E steps or more in g. Per step they are
//! whole steps, and 2E r_min ≥ 2n d_min γ > n (d_max + r_max) ≥ g. On arrival a gap of E - 1 steps and a little is
//! enough, so k turns take more than (2k (E - 1) - 1) r_min; but k turns take at most k n d_max, which is less than k
//! (2E r_min - n r_max) by the condition. For n ≥ 3 that is impossible at once, for n = 2 from k = r_min on. Outside
//! the condition two tokens at opposite ends can live forever. More than one may be removed, and all of them where
//! everybody acts at the same time.
//!
//! *Jitter* decides which processor inserts first. It is alone if its token reaches everybody before their limits do,
//! within a lap. With n jitters drawn from 0..J the first is J/n ahead of the next on average, so J = nL, which is the
//! default, makes that about as likely as not, and the first does not take longer than some two laps. J = L is too
//! small: of n limits that fall in one lap about √n expire before a token reaches them, the tokens remove each other,
//! and it begins again. J = 0 lets everybody act alike forever. `limits = distinct` needs no chance: the processor of
//! rank k waits L + k (2L + ⌈L/γ⌉) steps, so that the first is always ahead of all others by more than two laps.
//!
//! *A crash* cuts the ring: what reaches the processor that has stopped is lost, those behind it insert a token again
//! and again, and each is lost there.
//!
//! ```
//! use ringleader_model::{Outcome, Protocol, Scenario, Settings};
//! use ringleader_protocols::token::token_ring::TokenRing;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ..Scenario::default() };
//! let none = [("tokens".to_string(), "0".to_string())];
//! let settings = Settings::new(TokenRing::DESCRIPTION.parameters, &none).unwrap();
//! let protocol = TokenRing::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! // In unit time E = 3 and L = 7; place 1 draws the shortest jitter, and its token is at the others at 10 and 11.
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Recorded(vec![20, 2, 9])).unwrap();
//! while !run.advance(100) {}
//! let summary = run.summary();
//! assert_eq!(summary.outcome, Outcome::Tokens { tokens: 1 });
//! // Inserted at 9; a pass in every unit of time until 150 laps of 3 (1 + 1) are over.
//! assert_eq!(summary.cost.messages(), 150 * 6 - 9 + 1);
//! ```

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use ringleader_model::{
    Assumptions, BadSetting, Bound, BoundKind, Delays, Departure, Departures, Description, Display, Effects, Erratum,
    Event, Figure, Inspect, Instance, Message, Offsets, OneToken, Parameter, Place, Port, Processor, Promise, Promised,
    Promises, Protocol, Quantity, Reading, Ring, Scenario, Seat, Settings, Ticks, Time, Timing, TokenReport, Value,
    Values,
};
use serde::Serialize;

const NEXT: Port = Port(0);
/// The laps after which there should be one token.
const LAPS: u128 = 150;

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct TokenRing {
    printed: Printed,
    n: u64,
    tokens: u64,
    /// E; at least this many steps after the last one a token is not too early.
    early: u128,
    /// L, or the one timer as printed.
    late: u128,
    extra: Extra,
}

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Printed {
    timer: bool,
    waking: bool,
    jitter: bool,
}

/// The time that a processor waits beyond L.
#[derive(Clone, Copy, Debug)]
enum Extra {
    /// Something from 0 to J, both included, drawn each time.
    Jitter(u128),
    /// Its rank times this.
    Rank(u128),
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[
    Departure::new(
        "timer",
        "Token Rings in practice",
        "one timer says both too early and too late",
        "two limits, E and L, between which a token comes in time",
    ),
    Departure::new(
        "waking",
        "Token Rings in practice",
        "a timer is started by a passage only, so that a ring without a token never gets one",
        "L counts from waking",
    ),
    Departure::new(
        "jitter",
        "Token Rings in practice",
        "all limits are equal",
        "L is followed by a jitter, or limits are distinct",
    ),
];

/// A token: a message without contents, for which the counting rule charges no bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
pub struct Token;

/// The timers, in the order in which they fire at one step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// From now on a token is not too early.
    Early,
    /// None came for too long. As printed, the only one.
    Late,
}

/// One processor: 8 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct TokenRingProcessor {
    /// Where limits are distinct: the number of processors with a shorter one.
    rank: u32,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Asleep,
    /// Asleep, with a token.
    Holding,
    /// A token may pass.
    Open,
    /// One that comes is removed.
    Guarded,
}

impl Protocol for TokenRing {
    type Processor = TokenRingProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "token-ring",
        title: "a token that comes too early is removed, one that does not come is replaced",
        sources: &["Vitanyi1984"],
        idea: "Every passage of a token is timed. A processor that sees one too soon after another removes it; one that \
               sees none for too long inserts one. The limits follow from n and the bounds on steps and delays, so that a lone token is \
               never disturbed, and a random part of the later one decides which processor inserts.",
        rules: &[
            "On waking, or on the first token, if it holds a token: pass that on; both counts begin.",
            "On waking, or on the first token, without a token: the count towards L + jitter begins (printed=waking: \
             it does not).",
            "On a token, fewer than E steps after the last one was passed on or inserted: remove it (printed=timer: \
             before the one timer expires).",
            "On a token otherwise: pass it on; both counts begin again.",
            "E steps after the last token was passed on or inserted: from now on a token is not too early.",
            "No token passed on or inserted for L + jitter steps (printed=timer: when the one timer expires): insert \
             one; both counts begin again.",
        ],
        random: true,
        assumptions: Assumptions {
            identities: false,
            known_size: true,
            readings: &[Reading::Immediate, Reading::PerStep],
            timed: true,
            ..Assumptions::RING
        },
        parameters: &[
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "tokens",
                values: Values::Form("0 to n, or n"),
                default: "1",
                doc: "how many there are at first, spread evenly from place 0 on",
            },
            Parameter {
                name: "limits",
                values: Values::Choice(&["jitter", "distinct"]),
                default: "jitter",
                doc: "what is added to L: a jitter drawn at each start of the count, or a constant by rank, in the order of places",
            },
            Parameter {
                name: "jitter",
                values: Values::Form("own steps, L or nL"),
                default: "nL",
                doc: "J: a jitter is drawn from 0 to J; 0 is the livelock in lock step",
            },
            Parameter {
                name: "timer",
                values: Values::Form("own steps, or L"),
                default: "L",
                doc: "how long the one timer is, where printed=timer",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "Token Rings in practice",
                wrong: "one timer says both too early and too late, so that a lone token is removed if it is back before it expires, \
                        and gets a companion if it is not; see experiments/token-ring-printed",
                repair: "two limits, E and L, between which a token comes in time",
            },
            Erratum {
                place: "Token Rings in practice",
                wrong: "a ring without a token never gets one: a timer is started by a passage only",
                repair: "L counts from waking",
            },
            Erratum {
                place: "Token Rings in practice",
                wrong: "equal limits remove and insert in lock step forever (experiments/token-ring-lock-step), and two tokens at \
                        opposite ends live forever unless (d_max + r_max)/d_min < 2γ (experiments/token-ring-two-tokens)",
                repair: "a jitter of up to nL, or distinct limits; the run says how the two sides of the condition compare",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &[Promise {
        property: Promised::TokenKept,
        when: "as repaired, with tokens=1, where all wake together and no first step is late",
        source: "Vitanyi1984 Token Rings in practice",
    }];

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Laps,
            kind: BoundKind::Exact,
            formula: "0",
            value: |rules, instance| {
                let began = Value::ratio(u128::from(instance.first_wake), lap(instance));
                (rules.tokens == 1 && rules.calm(instance)).then_some(began)
            },
            source: "Vitanyi1984",
            counts: "laps from waking until there is one token for good, from one, all waking together: it is never disturbed",
        },
        Bound {
            quantity: Quantity::Messages,
            kind: BoundKind::Best,
            formula: "150N + 1",
            value: |rules, instance| {
                let passes = LAPS * u128::from(rules.n) + 1;
                (rules.tokens == 1 && rules.calm(instance)).then(|| Value::int(passes))
            },
            source: "Vitanyi1984",
            counts: "passes of a lone token in 150 laps, each within d_max + r_max of the one before",
        },
        Bound {
            quantity: Quantity::Messages,
            kind: BoundKind::Worst,
            formula: "⌊150N(d_max + r_max)/d_min⌋ + 1",
            value: |rules, instance| {
                let passes = (LAPS * lap(instance)).checked_div(u128::from(instance.timing.d.min));
                passes.filter(|_| rules.tokens == 1 && rules.calm(instance)).map(|passes| Value::int(passes + 1))
            },
            source: "Vitanyi1984",
            counts: "passes of a lone token in 150 laps, none within d_min of the one before; nothing where d_min = 0",
        },
        Bound {
            quantity: Quantity::Laps,
            kind: BoundKind::Best,
            formula: "(L - 1) r_min/(N(d_max + r_max))",
            value: |rules, instance| {
                let least = u128::from(instance.first_wake) + (rules.late - 1) * u128::from(instance.timing.r.min);
                (rules.tokens == 0 && rules.calm(instance)).then(|| Value::ratio(least, lap(instance)))
            },
            source: "Vitanyi1984",
            counts: "laps until there is one token for good, from none, all waking together",
        },
        Bound {
            quantity: Quantity::Laps,
            kind: BoundKind::Worst,
            formula: "L r_max/(N(d_max + r_max))",
            value: |rules, instance| {
                let most = u128::from(instance.first_wake) + rules.late * u128::from(instance.timing.r.max);
                let sure = rules.tokens == 0 && matches!(rules.extra, Extra::Rank(_)) && rules.calm(instance);
                sure.then(|| Value::ratio(most, lap(instance)))
            },
            source: "Vitanyi1984",
            counts: "the same with limits=distinct",
        },
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let (n, timing) = (instance.n, instance.timing);
        let slow = timing.delay_ranges().periods().iter().all(|(_, d)| match timing.delays {
            Delays::List(_) => instance.delays.max > 0,
            Delays::Uniform | Delays::Max => d.max > 0,
            _ => d.min > 0,
        });
        if timing.reading == Reading::Immediate && !slow {
            let wrong = format!("is {}, so that a token read on arrival makes a turn in no time", timing.d);
            return Err(BadSetting::new("d", wrong, "delays from 1 on, or per-step reading"));
        }
        let early = (u128::from(n) * u128::from(timing.d.min)).div_ceil(u128::from(timing.r.max));
        let late = lap(instance) / u128::from(timing.r.min) + 1;
        let departures = Departures::new(DEPARTURES, settings)?;
        let [one_timer, waking, no_jitter] = ["timer", "waking", "jitter"].map(|name| departures.undoes(name));
        let printed = Printed { timer: one_timer, waking, jitter: no_jitter };
        let jitter = number(settings, "jitter", &[("L", late), ("nL", late * u128::from(n))], Self::LONGEST)?;
        let timer = number(settings, "timer", &[("L", late)], Self::LONGEST)?;
        let tokens = number(settings, "tokens", &[("n", u128::from(n))], u128::from(n))?;
        if printed.timer && timer == 0 {
            return Err(BadSetting::new("set", "timer=0: a timer that expires at once", "own steps, or L"));
        }
        let rank = 2 * late + (late * u128::from(timing.r.max)).div_ceil(u128::from(timing.r.min));
        let extra = match (printed.jitter, settings.get("limits")) {
            (true, _) => Extra::Jitter(0),
            (false, "distinct") => Extra::Rank(rank),
            (false, _) => Extra::Jitter(jitter),
        };
        let late = if printed.timer { timer } else { late };
        Ok(Self { printed, n, tokens: tokens as u64, early, late, extra })
    }

    /// Whether it has a token at first, and its rank where limits are distinct.
    fn role(&self, place: Place) -> u32 {
        // Token i starts at ⌊i n/tokens⌋: a place has one if a multiple of n falls into its share.
        let (tokens, place_wide) = (u128::from(self.tokens), u128::from(place));
        let holds = (place_wide * tokens).div_ceil(u128::from(self.n)) * u128::from(self.n) < (place_wide + 1) * tokens;
        let rank = if matches!(self.extra, Extra::Rank(_)) { place } else { 0 };
        rank << 1 | u32::from(holds)
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        let promises = Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario);
        let together = !scenario.untimed && scenario.wakes.are_together() && punctual(&scenario.timing);
        let kept = self.tokens == 1 && self.printed == Printed::default();
        if kept && together { promises } else { Promises::default() }
    }

    fn horizon(&self, instance: &Instance<'_>) -> Option<Time> {
        Some(after(LAPS, instance))
    }

    /// A lap before the horizon: a lone token that has passed everybody is kept forever.
    fn deadline(&self, instance: &Instance<'_>) -> Option<Time> {
        Some(after(LAPS - 1, instance))
    }

    fn processor(&self, seat: Seat) -> TokenRingProcessor {
        let stage = if seat.role & 1 == 1 { Stage::Holding } else { Stage::Asleep };
        TokenRingProcessor { rank: seat.role >> 1, stage }
    }

    fn figures(&self, instance: &Instance<'_>) -> Vec<Figure> {
        if self.printed.timer {
            return vec![Figure {
                symbol: "timer",
                value: Value::int(self.late),
                meaning: "the one timer, in own steps",
            }];
        }
        let mut figures = vec![
            Figure { symbol: "E", value: Value::int(self.early), meaning: "fewer own steps than this are too early" },
            Figure {
                symbol: "L",
                value: Value::int(self.late),
                meaning: "as many own steps, and what is added, are too late",
            },
        ];
        if let Extra::Jitter(most) = self.extra {
            figures.push(Figure { symbol: "J", value: Value::int(most), meaning: "the longest jitter, in own steps" });
        }
        let (r, d) = (instance.timing.r, instance.timing.d);
        if d.min > 0 {
            figures.push(Figure {
                symbol: "(d_max + r_max)/d_min",
                value: Value::ratio(u128::from(d.max + r.max), u128::from(d.min)),
                meaning: "how unlike the times are that a token takes for a hop",
            });
        }
        let gamma = Value::ratio(2 * u128::from(r.min), u128::from(r.max));
        let meaning = "what that must stay below, or two tokens may live forever";
        figures.push(Figure { symbol: "2γ", value: gamma, meaning });
        figures
    }

    fn notes(&self, instance: &Instance<'_>) -> Vec<&'static str> {
        if self.printed.timer { Vec::new() } else { vec![self.outlook(instance)] }
    }
}

/// n (d_max + r_max): no lone token takes longer for a turn.
fn lap(instance: &Instance<'_>) -> u128 {
    u128::from(instance.n) * u128::from(instance.timing.d.max + instance.timing.r.max)
}

/// Whether no first step is late.
fn punctual(timing: &Timing) -> bool {
    match &timing.offsets {
        Offsets::Zero | Offsets::Random => true,
        Offsets::List(list) => list.iter().all(|&offset| offset <= timing.r.max),
    }
}

/// This number of laps after the last disturbance.
fn after(laps: u128, instance: &Instance<'_>) -> Time {
    let laps = Time::try_from(laps * lap(instance)).unwrap_or(Scenario::LATEST);
    laps.saturating_add(instance.settled).min(Scenario::LATEST)
}

/// A number from 0 to `most`, or one that has a name.
fn number(settings: &Settings, key: &str, names: &[(&str, u128)], most: u128) -> Result<u128, BadSetting> {
    let word = settings.get(key);
    let named = names.iter().find(|(name, _)| *name == word).map(|&(_, value)| value);
    named.or_else(|| word.parse().ok().filter(|&value| value <= most)).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let wrong = format!("{key}={word}: there is no such value");
        BadSetting::new("set", wrong, format!("0 to {most}, or {}", names.join(" or ")))
    })
}

impl TokenRing {
    /// Longer jitters and timers are refused.
    const LONGEST: u128 = 1 << 62;

    /// Whether a run is one of which something is proved: nothing fails, all wake together, and no first step is late.
    fn calm(&self, instance: &Instance<'_>) -> bool {
        let ends = LAPS * lap(instance) + u128::from(instance.settled) < u128::from(Scenario::LATEST);
        self.printed == Printed::default()
            && instance.undisturbed
            && instance.together
            && punctual(instance.timing)
            && ends
    }

    /// Whether two tokens can both live forever. Read on arrival they lose no step on the way, but gaps are measured
    /// only to a step.
    fn separates(&self, instance: &Instance<'_>) -> bool {
        let (timing, n) = (instance.timing, u128::from(instance.n));
        let (gap, turn) = match timing.reading {
            Reading::PerStep => (self.early, lap(instance)),
            Reading::Immediate | Reading::PerTick | Reading::BitSerial => {
                (self.early.saturating_sub(1), n * u128::from(timing.d.max))
            }
        };
        2 * gap * u128::from(timing.r.min) > turn
    }

    fn outlook(&self, instance: &Instance<'_>) -> &'static str {
        let (r, d) = (instance.timing.r, instance.timing.d);
        let below = u128::from(d.max + r.max) * u128::from(r.max) < 2 * u128::from(d.min) * u128::from(r.min);
        match (below, self.separates(instance)) {
            (true, _) => "(d_max + r_max)/d_min < 2γ: of two tokens one is removed",
            (false, true) => {
                "(d_max + r_max)/d_min is not below 2γ, yet on a ring of this size one of two tokens is removed"
            }
            (false, false) => "(d_max + r_max)/d_min is not below 2γ: two tokens can live forever",
        }
    }

    /// The time that a processor waits for the next token.
    fn limit<P: Processor>(&self, rank: u32, fx: &mut impl Effects<P>) -> Ticks {
        let extra = match self.extra {
            Extra::Rank(each) => each.checked_mul(u128::from(rank)),
            Extra::Jitter(most) => {
                // A draw has 32 bits: beyond, jitters are multiples of some unit.
                let unit = most / u128::from(u32::MAX) + 1;
                Some(unit * u128::from(fx.choose((most / unit) as u32 + 1)))
            }
        };
        ticks(extra.and_then(|extra| self.late.checked_add(extra)))
    }
}

fn ticks(count: Option<u128>) -> Ticks {
    Ticks::or_never(count.and_then(|count| u64::try_from(count).ok()))
}

impl Processor for TokenRingProcessor {
    type Problem = OneToken;
    type Message = Token;
    type Timer = Timer;
    type Rules = TokenRing;

    fn step(&mut self, rules: &TokenRing, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => self.begin(rules, fx),
            Event::Receive(_, Token) => {
                self.begin(rules, fx);
                match self.stage {
                    // "If a token passes a processor before its timer runs off then that token is taken out of the
                    // ring."
                    Stage::Guarded => {
                        fx.rule(3);
                        fx.report(TokenReport::Removes);
                    }
                    _ => {
                        fx.rule(4);
                        self.pass(rules, fx);
                    }
                }
            }
            Event::Timeout(Timer::Early) => {
                fx.rule(5);
                self.stage = Stage::Open;
            }
            // "If the timer runs off before a token reappears then the processor puts a new token in the ring."
            Event::Timeout(Timer::Late) => {
                fx.rule(6);
                fx.report(TokenReport::Inserts);
                self.pass(rules, fx);
            }
            Event::Call(request) => match request {},
        }
    }
}

impl Inspect for TokenRingProcessor {}

impl TokenRingProcessor {
    /// Begins, at the first event, whatever it is.
    fn begin(&mut self, rules: &TokenRing, fx: &mut impl Effects<Self>) {
        match self.stage {
            Stage::Holding => {
                fx.rule(1);
                fx.report(TokenReport::Begins);
                self.pass(rules, fx);
            }
            Stage::Asleep => {
                fx.rule(2);
                self.stage = Stage::Open;
                if !rules.printed.waking {
                    self.await_late(rules, fx);
                }
            }
            Stage::Open | Stage::Guarded => {}
        }
    }

    /// "Each time a token passes a processor it starts a timer."
    fn pass(&mut self, rules: &TokenRing, fx: &mut impl Effects<Self>) {
        fx.send(NEXT, Token);
        self.stage = if rules.printed.timer || rules.early > 0 { Stage::Guarded } else { Stage::Open };
        if !rules.printed.timer && rules.early > 0 {
            fx.set_timer(Timer::Early, ticks(Some(rules.early - 1)));
        }
        self.await_late(rules, fx);
    }

    fn await_late(&self, rules: &TokenRing, fx: &mut impl Effects<Self>) {
        let limit = rules.limit(self.rank, fx);
        fx.set_timer(Timer::Late, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_takes_8_bytes_and_a_message_none() {
        assert_eq!((size_of::<TokenRingProcessor>(), size_of::<Token>()), (8, 0));
    }
}
