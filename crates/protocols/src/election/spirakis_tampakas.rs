//! Spirakis and Tampakas's symmetry breaking in an anonymous Archimedean ring \[SpirakisTampakas1989\].
//!
//! *Problem*: election that may err: two leaders are possible, with a small probability. *Assumes*: no identities, but
//! everybody knows n and the bounds r_min, r_max, d_min, d_max, and can draw at random; any set of starters, at any
//! times.
//!
//! In each phase everybody draws a number from 1 to n; X is the set of those who drew 1. They become candidates and
//! send a claim around. For a few stages, each long enough for a full circle, a candidate flips a coin at the beginning
//! of each: *forwarding*, it passes on at the end of a stage the claim that it received; *holding*, it keeps it and
//! expects none. A claim too many gives another candidate away, and then a new phase begins; a candidate that notices
//! nothing in k stages is elected. *Claimed*: on average 4ecnk bits and 4en·d_max·k time (Theorem 1), fewer than e
//! phases; two leaders with probability (3/4)^k at most (Lemma 6).
//!
//! *Departures*, each undone by `printed = …` and all by `rules = printed`: see `DEPARTURES`. As printed, a ring that
//! needs a second phase never ends.
//!
//! *Reading*, where Appendix A is silent: a next-timer wakes the next processor at once (3.3). A processor that became
//! a next-timer by a next-time has received its first one. 2.6 counts from clock 0, as printed too: counted from the
//! last claim it would give up a candidate that holds. As printed, a claim that finds a full buffer is dropped, what a
//! last stage has in hand is not passed on, and claims that come during 4.8 are ignored.
//!
//! ```
//! use ringleader_model::{Outcome, Protocol, Scenario, Settings};
//! use ringleader_protocols::election::spirakis_tampakas::SpirakisTampakas;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ..Scenario::default() };
//! let set = [("k", "2"), ("draw", "3,1,2")].map(|(key, value)| (key.into(), value.into()));
//! let settings = Settings::new(SpirakisTampakas::DESCRIPTION.parameters, &set).unwrap();
//! let protocol = SpirakisTampakas::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! // The one in the middle holds, then forwards.
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Recorded(vec![0, 1])).unwrap();
//! while !run.advance(100) {}
//! let Outcome::Election { leaders, .. } = run.summary().outcome else { panic!("it was an election") };
//! assert_eq!(leaders[0].place, 1);
//! // A stage has 3 * 2 steps: one before the claim, k + 1 of them, one more; then the termination goes around.
//! assert_eq!(run.summary().cost.time, 5 * 6 + 3);
//! ```

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{
    Assumptions, BadSetting, Bound, Departures, Description, Display, Effects, ElectionReport, Erratum, Event, Figure,
    Inspect, Instance, Kind, Links, Message, Offsets, Parameter, Place, Port, Preset, Processor, Protocol, Reading,
    Ring, Scenario, Seat, Settings, SymmetryBreaking, Ticks, Time, Value, Values,
};
use serde::Serialize;

use super::RING;

mod bounds;
mod departures;
mod modulo3;
use self::departures::{DEPARTURES, Printed};
pub use self::modulo3::Modulo3;

const NEXT: Port = Port(0);
/// The number that makes a candidate.
const ONE: u32 = 1;

/// The rules in force.
#[derive(Clone, Debug)]
pub struct SpirakisTampakas {
    n: u32,
    /// The number of coins that a candidate flips; as printed, one less.
    k: u32,
    form: Form,
    printed: Printed,
    /// nq, q = ⌈(d_max + r_max)/r_min⌉: no full circle takes longer.
    stage: Ticks,
    /// 2.6: ⌈n(1 + r_max/r_min)q⌉.
    patience: Ticks,
    /// 4.8: nq; as printed, n·d_max.
    quiet: Ticks,
    /// The first draws, by place; empty where all are left to chance.
    draws: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Fifo,
    Tagged,
}

/// A message of the protocol: 2 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// A phase has begun.
    WakeUp(Tag),
    /// There is a candidate.
    Claim(Tag),
    /// This phase has failed.
    NextTime,
    /// There is a leader.
    #[message(announcement)]
    Termination,
}

/// The phase modulo 3, where messages carry it.
pub type Tag = Option<Modulo3>;

impl fmt::Debug for Notice {
    /// The paper's words, with the phase where it is carried.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::KINDS[self.kind()].name)?;
        match self {
            Self::WakeUp(Some(phase)) | Self::Claim(Some(phase)) => write!(f, "({})", *phase as u8),
            _ => Ok(()),
        }
    }
}

/// The one timer: clock of an awake processor, timer of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// Expires when what its state waits for has not come.
    Clock,
}

/// One processor: 16 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct SpirakisTampakasProcessor {
    /// The number that it drew in its last phase; asleep, the first that it will draw, 0 if that is random.
    number: u32,
    /// The phases it has begun. Only whether there was one matters to the rules, and in the tagged form the number
    /// modulo 3.
    phases: u32,
    /// j: the stage a candidate is in, from 0.
    j: u32,
    state: State,
    /// The kind of this stage of a candidate.
    period: Period,
    /// A candidate: whether a claim was received in this stage. A next-timer: whether a next-time was.
    received: bool,
    /// A candidate's buffer contains a claim.
    buffer: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Sleeping,
    Awake,
    NextTimer,
    Candidate,
    Elected,
    Defeated,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Period {
    Forwarding,
    Holding,
    /// After the last stage (4.8).
    Last,
}

impl Protocol for SpirakisTampakas {
    type Processor = SpirakisTampakasProcessor;
    type Network = Ring;

    const DESCRIPTION: Description = Description {
        name: "spirakis-tampakas-symmetry",
        title: "an anonymous ring breaks symmetry by Archimedean time, with a small probability of two leaders",
        sources: &["SpirakisTampakas1989"],
        idea: "In each phase everybody draws a number from 1 to n, and a processor that draws 1 is a candidate. A candidate sends a claim \
               around and then flips a coin at the beginning of each of k stages, each long enough for a full circle: \
               forwarding, it passes on the claim it received; holding, it keeps it. A claim too many, or one too few, gives \
               another candidate away, and a new phase begins. Two candidates stay unnoticed, and are both elected, with \
               probability (3/4)^k at most; some such probability is inherent (Lemma 3).",
        rules: &[
            "1: On waking, or on a wake-up while sleeping: begin a phase: draw a number from 1 to n, clock := 0, send \
             wake-up.",
            "2.1: Awake or a candidate, on a wake-up: discard it.",
            "2.2: Not decided, on termination: become defeated and relay it (printed=termination: only if awake).",
            "2.3: Awake with number 1, at clock nq, q = ceil((d_max + r_max)/r_min): become a candidate and send a \
             claim.",
            "2.4: Awake with number 1, on a claim before that: discard it (printed=early: relay it); this phase has \
             failed.",
            "2.5, 4.7: Awake or a candidate, on a next-time: become a next-timer; send next-time and wake-up.",
            "2.6: Awake with another number, no claim by clock ceil(n(1 + r_max/r_min)q): this phase has failed.",
            "2.7: Awake with another number, on a claim: relay it.",
            "3: A phase has failed: become a next-timer; send next-time and wake-up (form=tagged: begin the next \
             phase at once).",
            "3.1: Next-timer, on a wake-up: begin a phase, as in 1.",
            "3.2: Next-timer, on a next-time: discard it (printed=next-time: relay the first one).",
            "4.2, 4.3: Candidate, at the end of a stage of nq steps, of which there are k + 1 (printed=stages: k): \
             flip a coin; in the next stage forward or hold.",
            "4.4, 4.5: Candidate, on a claim while holding, or on a second one in a forwarding stage: this phase has \
             failed.",
            "4.6: Candidate, on the first claim in a forwarding stage: keep it; with a claim in the buffer this phase \
             has failed (printed=claims: it has not).",
            "4.6: Candidate, at the end of a forwarding stage, with a claim received or buffered: pass it on if the \
             next stage is forwarding, buffer it if it is holding.",
            "4.6: Candidate, at the end of a forwarding stage, without a claim: this phase has failed \
             (printed=claims: it has not).",
            "4.8: Candidate, after its last stage: wait for another nq steps (printed=wait: n d_max).",
            "4.8: Candidate, on a claim in that time: this phase has failed (printed=wait: discard it).",
            "4.8: Candidate, at the end of that time: elected; send termination.",
            "form=tagged, on a wake-up of the next phase: begin that phase at once.",
            "On any other message: discard it; it is of another phase, or the leader is known.",
        ],
        random: true,
        assumptions: Assumptions {
            identities: false,
            known_size: true,
            preset: Preset::Archimedean,
            readings: &[Reading::Immediate, Reading::PerStep],
            timed: true,
            ..RING
        },
        parameters: &[
            Parameter {
                name: "k",
                values: Values::Number(1, 1_000_000),
                default: "30",
                doc: "how many coins a candidate flips: the more, the rarer two leaders",
            },
            Parameter {
                name: "form",
                values: Values::Choice(&["fifo", "tagged"]),
                default: "fifo",
                doc: "tagged: messages carry their phase modulo 3, for links that reorder",
            },
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "draw",
                values: Values::Form("random, or one number from 1 to n per place, such as 1,2,1,2"),
                default: "random",
                doc: "what everybody draws in its first phase, clockwise",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "Appendix A, 3.2",
                wrong: "who found out passes its own next-time on when it returns, to processors that are awake again: the \
                        next-time goes around forever, and no second phase ever gets anywhere; see \
                        experiments/spirakis-tampakas-symmetry-livelock",
                repair: "one next-time per processor and phase",
            },
            Erratum {
                place: "Appendix A",
                wrong: "links that keep order are needed and not mentioned: a next-time that comes after its wake-up begins \
                        yet another phase, so that there are more than e of them on average, and an adversary keeps that \
                        up forever",
                repair: "links first in, first out are assumed; form=tagged does without",
            },
            Erratum {
                place: "Appendix A, 4.6",
                wrong: "it does not say what a claim that finds a full buffer means, nor a forwarding stage that ends with none: \
                        if nothing, two candidates stay unnoticed more often than with probability (3/4)^k from k = 7 on",
                repair: "both mean another candidate",
            },
            Erratum {
                place: "Appendix A, 4.2 and 4.3",
                wrong: "k stages of which the first is forwarding have k-1 coins: with k = 1 two candidates are never noticed",
                repair: "stages 0 to k",
            },
            Erratum {
                place: "Appendix A, 2.2",
                wrong: "nothing says what termination does at a candidate or a next-timer: slower candidates go on and elect \
                        themselves",
                repair: "whoever is not decided becomes defeated and passes it on; who is absorbs everything",
            },
            Erratum {
                place: "Appendix A, 4.8",
                wrong: "nd_max steps: a time taken for a number of steps; with d_max = 0 there is no wait at all. Claims that \
                        come meanwhile are not mentioned",
                repair: "nq steps, and a claim in them means another candidate",
            },
            Erratum {
                place: "Appendix A, 2.4 and 2.7",
                wrong: "an early number 1 becomes a next-timer, yet always forwards the claim",
                repair: "it does not forward it",
            },
            Erratum {
                place: "Appendix A, 2.6",
                wrong: "it does not say from when on no claim is received; counted from the last claim, a candidate that \
                        holds once is given up where r_min = r_max, against Lemma 5; the number of steps need not be whole",
                repair: "from clock 0, rounded up",
            },
            Erratum {
                place: "Lemma 3",
                wrong: "it does not say whether n is known, as it is elsewhere in section 4: then everybody can pass on n-1 \
                        names and has seen all, or count hops in O(log n) bits; itai-rodeh does so under all schedules and \
                        never errs",
                repair: "n unknown, and then on synchronous rings, too: check --anonymous shows two rings that look alike",
            },
            Erratum {
                place: "Lemma 6",
                wrong: "two candidates go unnoticed not only if they make the same selections: hold, forward beside hold, \
                        hold is not noticed either",
                repair: "the bound holds nevertheless: in lock step the probability shrinks by (1 + sqrt 3)/4 a coin",
            },
            Erratum {
                place: "Theorem 1",
                wrong: "the mean time 4en d_max k lacks 1/gamma = r_max/r_min, as a stage counts steps of r_min and may have \
                        steps of r_max, and r_max beside d_max: with d = 0 it is 0",
                repair: "the bound listed here",
            },
        ],
    };

    const BOUNDS: &'static [Bound<Self>] = bounds::BOUNDS;

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        let n = u32::try_from(instance.n).expect("places have 32 bits");
        let (r, d) = (instance.timing.r, instance.timing.d);
        let departures = Departures::new(DEPARTURES, settings)?;
        let form = if settings.is("form", "tagged") { Form::Tagged } else { Form::Fifo };
        if form == Form::Tagged && departures.any() {
            let allowed = "form=fifo where rules are as printed";
            return Err(BadSetting::new("set", "form=tagged is not in the paper", allowed));
        }
        let printed = Printed {
            next_time: departures.undoes("next-time"),
            claims: departures.undoes("claims"),
            stages: departures.undoes("stages"),
            termination: departures.undoes("termination"),
            wait: departures.undoes("wait"),
            early: departures.undoes("early"),
        };
        if let Offsets::List(list) = &instance.timing.offsets
            && let Some(offset) = list.iter().find(|&&offset| offset > r.max)
        {
            let allowed = format!("at most r_max = {}: a first step, too, takes no longer", r.max);
            return Err(BadSetting::new("offsets", format!("has {offset}"), allowed));
        }
        let stage = u128::from(n) * u128::from((d.max + r.max).div_ceil(r.min));
        let ticks = |count: Option<u128>| Ticks::or_never(count.and_then(|count| u64::try_from(count).ok()));
        let quiet = if printed.wait { u128::from(n) * u128::from(d.max) } else { stage };
        Ok(Self {
            n,
            k: u32::try_from(settings.number("k")).expect("it is at most a million"),
            form,
            printed,
            stage: ticks(Some(stage)),
            patience: ticks(stage.checked_mul(r.max.into()).map(|steps| stage + steps.div_ceil(r.min.into()))),
            quiet: ticks(Some(quiet)),
            draws: draws(settings.get("draw"), n)?,
        })
    }

    fn links(settings: &Settings) -> Links {
        if settings.is("form", "tagged") { Links::Any } else { Links::Fifo }
    }

    /// Forty times the mean: more than a hundred phases, all of which fail with a probability of less than (1 -
    /// 1/e)^100. As printed, or where something fails, it may go on forever.
    fn horizon(&self, instance: &Instance<'_>) -> Option<Time> {
        let (mean, _) = self.mean_time(instance)?.parts();
        let time = Time::try_from(mean.checked_mul(40)?).ok()?.checked_add(instance.settled)?;
        Some(time).filter(|&time| time <= Scenario::LATEST)
    }

    fn notes(&self, instance: &Instance<'_>) -> Vec<&'static str> {
        if self.form != Form::Tagged && instance.links == Links::Any {
            vec!["form=fifo needs links that keep the order: a next-time may come after its wake-up"]
        } else {
            Vec::new()
        }
    }

    fn role(&self, place: Place) -> u32 {
        self.draws.get(place as usize).copied().unwrap_or(0)
    }

    fn processor(&self, seat: Seat) -> SpirakisTampakasProcessor {
        SpirakisTampakasProcessor {
            number: seat.role,
            phases: 0,
            j: 0,
            state: State::Sleeping,
            period: Period::Forwarding,
            received: false,
            buffer: false,
        }
    }

    fn sends(&self, kind: Kind) -> bool {
        self.form != Form::Tagged || kind != Notice::KINDS[Notice::NextTime.kind()]
    }

    fn figures(&self, instance: &Instance<'_>) -> Vec<Figure> {
        let q = (instance.timing.d.max + instance.timing.r.max).div_ceil(instance.timing.r.min);
        vec![
            Figure { symbol: "q", value: Value::int(q.into()), meaning: "own steps that no hop exceeds" },
            Figure {
                symbol: "nq",
                value: Value::int(u128::from(self.n) * u128::from(q)),
                meaning: "own steps of a stage: no full circle takes longer",
            },
            Figure {
                symbol: "(3/4)^k",
                value: self.error(),
                meaning: "the probability of two leaders, at most (Lemma 6)",
            },
        ]
    }
}

/// The first draws, by place.
fn draws(list: &str, n: u32) -> Result<Vec<u32>, BadSetting> {
    if list == "random" {
        return Ok(Vec::new());
    }
    let draws: Vec<u32> = list.split(',').map(|number| number.trim().parse().unwrap_or(0)).collect();
    let wrong = match draws.iter().position(|number| !(1..=n).contains(number)) {
        Some(place) => format!("draw={list}: the one of place {place} cannot be drawn"),
        None if draws.len() != n as usize => format!("draw={list}: they are {}", draws.len()),
        None => return Ok(draws),
    };
    Err(BadSetting::new("set", wrong, format!("random, or {n} numbers from 1 to {n}, one per place")))
}

impl SpirakisTampakas {
    /// (3/4)^k, rounded up.
    fn error(&self) -> Value {
        let one = 1u128 << 64;
        // After 100 coins it is below the last place that a value has.
        let power = (0..self.k.min(100)).fold(one, |power, _| (3 * power).div_ceil(4));
        Value::ratio(power, one)
    }

    /// The stage that ends with 4.8.
    const fn last_stage(&self) -> u32 {
        if self.printed.stages { self.k - 1 } else { self.k }
    }

    /// The tag that messages of a phase carry.
    fn tag(&self, phase: u32) -> Tag {
        (self.form == Form::Tagged).then(|| Modulo3::of(phase))
    }
}

impl Processor for SpirakisTampakasProcessor {
    type Problem = SymmetryBreaking;
    type Message = Notice;
    type Timer = Timer;
    type Rules = SpirakisTampakas;

    #[inline]
    fn step(&mut self, rules: &SpirakisTampakas, event: Event<Self>, fx: &mut impl Effects<Self>) {
        use Event::{Call, Receive, Timeout, Wake};
        use Notice::{Claim, NextTime, Termination, WakeUp};
        use State::{Awake, Candidate, Defeated, Elected, NextTimer, Sleeping};
        match (self.state, event) {
            // 1.1
            (Sleeping, Wake) => {
                fx.rule(1);
                self.wake_up_1(rules, fx);
            }
            // 1.2 and 3.1; tagged, a wake-up of the next phase whatever the state.
            (state @ (Sleeping | Awake | NextTimer | Candidate), Receive(_, WakeUp(tag)))
                if self.is_woken_by(rules, tag) =>
            {
                fx.rule(match state {
                    Sleeping => 1,
                    NextTimer => 10,
                    _ => 20,
                });
                self.wake_up_1(rules, fx);
            }
            // 2.1
            (Awake | Candidate, Receive(_, WakeUp(_))) => fx.rule(2),
            // 2.2
            (Awake, Receive(_, Termination)) => {
                fx.rule(3);
                self.become_defeated(fx);
            }
            // 2.3
            (Awake, Timeout(Timer::Clock)) if self.number == ONE => {
                fx.compare(self.number, ONE);
                fx.rule(4);
                self.become_candidate(rules, fx);
            }
            // 2.4: its clock is not yet nq, or it would be a candidate.
            (Awake, Receive(_, Claim(tag))) if self.number == ONE && self.is_of_this_phase(rules, tag) => {
                fx.compare(self.number, ONE);
                fx.rule(5);
                if rules.printed.early {
                    fx.send(NEXT, Claim(tag)); // 2.7
                }
                self.fail(rules, fx);
            }
            // 2.5
            (Awake, Receive(_, NextTime)) => {
                fx.rule(6);
                self.become_next_timer(true, fx);
            }
            // 2.6
            (Awake, Timeout(Timer::Clock)) => {
                fx.compare(self.number, ONE);
                fx.rule(7);
                self.fail(rules, fx);
            }
            // 2.7
            (Awake, Receive(_, Claim(tag))) if self.is_of_this_phase(rules, tag) => {
                fx.rule(8);
                fx.cancel_timer(Timer::Clock);
                fx.send(NEXT, Claim(tag));
            }
            // 3.2
            (NextTimer, Receive(_, NextTime)) => {
                fx.rule(11);
                if rules.printed.next_time && !self.received {
                    self.received = true;
                    fx.send(NEXT, NextTime);
                }
            }
            // 4.8
            (Candidate, Timeout(Timer::Clock)) if self.period == Period::Last => {
                fx.rule(19);
                self.decide(Elected, ElectionReport::Elected(None), fx);
            }
            // 4.2, 4.3, 4.6
            (Candidate, Timeout(Timer::Clock)) => self.end_stage(rules, fx),
            (Candidate, Receive(_, Claim(tag))) if self.is_of_this_phase(rules, tag) => match self.period {
                // 4.4
                Period::Holding => {
                    fx.rule(13);
                    self.fail(rules, fx);
                }
                // 4.5
                Period::Forwarding if self.received => {
                    fx.rule(13);
                    self.fail(rules, fx);
                }
                // 4.6
                Period::Forwarding => {
                    fx.rule(14);
                    if self.buffer && !rules.printed.claims {
                        self.fail(rules, fx);
                    } else {
                        self.received = true;
                    }
                }
                // 4.8
                Period::Last => {
                    fx.rule(18);
                    if !rules.printed.wait {
                        self.fail(rules, fx);
                    }
                }
            },
            // 4.7
            (Candidate, Receive(_, NextTime)) => {
                fx.rule(6);
                self.become_next_timer(true, fx);
            }
            // Not printed, see the errata.
            (Sleeping | NextTimer | Candidate, Receive(_, Termination)) => {
                fx.rule(3);
                if !rules.printed.termination {
                    self.become_defeated(fx);
                }
            }
            // There is no rule.
            (Sleeping | Awake | NextTimer | Candidate | Elected | Defeated, Receive(..)) => fx.rule(21),
            (Sleeping | Awake | NextTimer | Candidate | Elected | Defeated, Wake | Call(_) | Timeout(Timer::Clock)) => {
            }
        }
    }
}

impl Inspect for SpirakisTampakasProcessor {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.phases
    }

    const TIMES_PHASES: bool = true;

    /// "A phase begins by either a sleeping node being spontaneously awake or by a node becoming a next-timer."
    fn called_phase(&self) -> u32 {
        self.phases.wrapping_add((self.state == State::NextTimer).into())
    }

    /// Whether there was a phase, and in the tagged form its number modulo 3.
    fn rebase(&mut self, rules: &SpirakisTampakas, _: u32) {
        let different = if rules.form == Form::Tagged { 3 } else { 1 };
        if self.phases > different {
            self.phases = (self.phases - 1) % different + 1;
        }
    }

    fn is_candidate(&self) -> bool {
        matches!(self.state, State::Awake | State::NextTimer | State::Candidate)
    }
}

impl SpirakisTampakasProcessor {
    /// Wake-up-1 routine.
    fn wake_up_1(&mut self, rules: &SpirakisTampakas, fx: &mut impl Effects<Self>) {
        self.enter(State::Awake);
        if self.phases > 0 || self.number == 0 {
            self.number = fx.choose(rules.n) + 1;
        }
        self.phases = self.phases.wrapping_add(1);
        fx.set_timer(Timer::Clock, if self.number == ONE { rules.stage } else { rules.patience });
        fx.send(NEXT, Notice::WakeUp(rules.tag(self.phases)));
    }

    fn become_candidate(&mut self, rules: &SpirakisTampakas, fx: &mut impl Effects<Self>) {
        self.enter(State::Candidate);
        fx.send(NEXT, Notice::Claim(rules.tag(self.phases)));
        fx.set_timer(Timer::Clock, rules.stage);
    }

    /// 4.2, 4.3 and 4.6.
    fn end_stage(&mut self, rules: &SpirakisTampakas, fx: &mut impl Effects<Self>) {
        let claim = self.period == Period::Forwarding && (self.received || self.buffer);
        if self.period == Period::Forwarding && !claim {
            fx.rule(16);
            if !rules.printed.claims {
                return self.fail(rules, fx);
            }
        }
        self.received = false;
        fx.compare(self.j, rules.last_stage());
        if self.j == rules.last_stage() {
            fx.rule(17);
            (self.period, self.buffer) = (Period::Last, false);
            return fx.set_timer(Timer::Clock, rules.quiet);
        }
        fx.rule(12);
        self.j += 1;
        self.period = if fx.choose(2) == 0 { Period::Holding } else { Period::Forwarding };
        if claim {
            fx.rule(15);
            self.buffer = self.period == Period::Holding;
            if !self.buffer {
                fx.send(NEXT, Notice::Claim(rules.tag(self.phases)));
            }
        }
        fx.set_timer(Timer::Clock, rules.stage);
    }

    /// There is no candidate, or more than one.
    fn fail(&mut self, rules: &SpirakisTampakas, fx: &mut impl Effects<Self>) {
        fx.rule(9);
        match rules.form {
            Form::Fifo => self.become_next_timer(false, fx),
            Form::Tagged => self.wake_up_1(rules, fx),
        }
    }

    fn become_next_timer(&mut self, notified: bool, fx: &mut impl Effects<Self>) {
        self.enter(State::NextTimer);
        self.received = notified;
        fx.cancel_timer(Timer::Clock);
        fx.send(NEXT, Notice::NextTime);
        fx.send(NEXT, Notice::WakeUp(None)); // 3.3
    }

    fn become_defeated(&mut self, fx: &mut impl Effects<Self>) {
        fx.cancel_timer(Timer::Clock);
        self.decide(State::Defeated, ElectionReport::Follows(None), fx);
    }

    fn decide(&mut self, state: State, report: ElectionReport, fx: &mut impl Effects<Self>) {
        self.enter(state);
        fx.report(report);
        fx.send(NEXT, Notice::Termination);
    }

    /// Enters a state and clears the fields that belong to the one before.
    fn enter(&mut self, state: State) {
        self.state = state;
        (self.j, self.period, self.received, self.buffer) = (0, Period::Forwarding, false, false);
    }

    fn is_woken_by(&self, rules: &SpirakisTampakas, tag: Tag) -> bool {
        match rules.form {
            Form::Fifo => matches!(self.state, State::Sleeping | State::NextTimer),
            Form::Tagged => tag == rules.tag(self.phases.wrapping_add(1)),
        }
    }

    fn is_of_this_phase(&self, rules: &SpirakisTampakas, tag: Tag) -> bool {
        tag == rules.tag(self.phases)
    }
}

#[cfg(test)]
mod tests;
