//! Van Leeuwen and Tan's election in a bidirectional ring \[VanLeeuwenTan1985\].
//!
//! *Problem*: election of a processor that depends on the identities and, on half-duplex links, on the schedule too;
//! often not the greatest. *Assumes*: distinct identities, links that are first in, first out; left and right may
//! differ from processor to processor; any set of starters.
//!
//! Every processor holds the identity of a large candidate in its register ID. Local minima begin to chase the smaller
//! of their two neighbours: they send the name of the larger one towards the other, and every processor that it passes
//! takes it over. Where two chases of one phase collide, or one runs into a processor that holds a larger name, that
//! processor begins a chase of the next phase after the smaller name. A name that dies was overrun by one that survives
//! two phases on, so that the names left decrease like Fibonacci numbers; a processor that receives the name it holds
//! sends a flag around. *Claimed*: 1.44… log N phases and 1.44… N log N + O(N) message passes (Propositions 3.9 and
//! 4.2).
//!
//! `duplex = half` is the paper's algorithm E, for links that carry one message at a time; `full` is its section 4, for
//! all others. `larger = take` follows the optional assignment ID := v where a larger name is stopped. `leader = finder` is the other
//! inauguration: the one processor that inaugurates leads, and sends its identity around. *Reading*: messages are kept on arrival and both ports looked at together, on a timer of 0 ticks.
//! *Departures*, each undone by `printed = …` and all by `rules = printed`: see `DEPARTURES`.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings};
//! use ringleader_protocols::election::van_leeuwen_tan::VanLeeuwenTan;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], ..Scenario::default() };
//! let settings = Settings::new(VanLeeuwenTan::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = VanLeeuwenTan::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.split(false), 9); // 6 of phase 0; then 1 sends 3 round, by way of 2
//! ```

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cmp::Ordering;

use ringleader_model::{
    BadSetting, BidirectionalRing, Bound, BoundKind, Departure, Departures, Description, Display, Effects, Election,
    ElectionReport, Erratum, Event, Fact, Id, Inspect, Instance, Kind, Lemma, Links, Message, Parameter, PhaseBound,
    Port, Processor, Promise, Protocol, Quantity, Scenario, Seat, Settings, Ticks, Value, Values,
};
use serde::Serialize;

use self::lemmas::PhaseEntry;
use super::{BIDIRECTIONAL, BOTH, onward, ports, somebody_wins};

mod lemmas;

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct VanLeeuwenTan {
    half: bool,
    /// ID := v where a message is stopped because v > ID, which "is optional".
    takes_larger: bool,
    /// Whoever inaugurates leads.
    finder: bool,
    printed: Printed,
}

impl VanLeeuwenTan {
    /// `duplex=full`.
    pub const FULL_DUPLEX: Self = Self {
        half: false,
        takes_larger: false,
        finder: false,
        printed: Printed { pair: false, flag: false, one: false, id: false, minimum: false, heads: false },
    };
}

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Printed {
    pair: bool,
    flag: bool,
    one: bool,
    id: bool,
    minimum: bool,
    heads: bool,
}

/// The printed rules that are not followed.
const DEPARTURES: &[Departure] = &[
    Departure::new(
        "pair",
        "section 2, algorithm E, two messages left, with section 4",
        "two messages with p = PNUM collide, too, before rule (i) of section 4 discards one",
        "two messages collide only if p > PNUM; else they are handled one after the other",
    ),
    Departure::new(
        "flag",
        "sections 3 and 4, inauguration",
        "which way the flag goes is not said; read as back over the link that decided",
        "the flag goes away from that link",
    ),
    Departure::new(
        "one",
        "section 2, initialization",
        "a ring of one processor is no special case",
        "who receives its own identity by both ports inaugurates",
    ),
    Departure::new("id", "section 2, algorithm E, two equal messages", "PNUM is set but ID is not", "ID := v1"),
    Departure::new(
        "minimum",
        "section 2, initialization, and the rule at its end",
        "a local minimum turns active in any case, as the program says without the rule at the end of section 2",
        "half-duplex: it turns observant where a message waits on the link that it would send on",
    ),
    Departure::new(
        "heads",
        "section 2, algorithm E, `receive message(s) from one or both directions`",
        "messages of one port are taken one by one",
        "of the messages that wait on a port only the newest counts",
    ),
];

/// A message of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
// Under given rules there are two kinds: nobody sends flags where the leader's identity is announced.
#[message(tags = 2)]
pub enum Chase {
    /// ⟨v, p⟩, and the bit of section 4.
    Message {
        /// The name of a large candidate.
        v: Id,
        /// The phase; they are few, so 16 bits are plenty.
        #[message(phase)]
        p: u16,
        /// Its sender is active in this phase.
        #[message(name = "active")]
        q: bool,
    },
    /// The election is over.
    #[message(announcement)]
    Flag,
    /// The election is over, and this is the leader.
    #[message(announcement)]
    Leader(Id),
}

/// The one timer, always of 0 ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// Look at what has come in by both ports.
    Look,
}

/// One processor: 56 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct VanLeeuwenTanProcessor {
    /// u
    u: Id,
    /// ID. While one message of phase 0 is missing, the other one.
    id: Id,
    /// PNUM
    pnum: u16,
    stage: Stage,
    /// DIR: the port by which the last message was sent.
    dir: u8,
    /// This processor is active in phase PNUM.
    active: bool,
    /// The ports by which a flag came in that was not looked at yet, a bit each.
    #[serde(serialize_with = "ports")]
    flags: u8,
    /// The newest message by either port that was not looked at yet: it has the highest phase.
    held: [Option<Held>; 2],
    /// As printed, all of them.
    queues: Option<Box<[VecDeque<Held>; 2]>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Asleep,
    /// In phase 0, without a message from either neighbour.
    Alone,
    /// In phase 0, with the message by this port.
    HeardPort(u8),
    /// Both messages of phase 0 are there; the first look is to come.
    Ranked(Rank),
    /// The main loop.
    Observant,
    /// The flag was sent.
    Over,
}

/// The rank of a processor among its neighbours, after phase 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Rank {
    Minimum,
    Other,
    /// It is its own neighbour.
    Only,
}

/// A message that was not looked at yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
struct Held {
    v: Id,
    p: u16,
    q: bool,
}

impl Protocol for VanLeeuwenTan {
    type Processor = VanLeeuwenTanProcessor;
    type Network = BidirectionalRing;

    const DESCRIPTION: Description = Description {
        name: "van-leeuwen-tan",
        title: "large names chase smaller ones: 1.44 N log N without a sense of direction",
        sources: &["VanLeeuwenTan1985"],
        idea: "Local minima send the name of their larger neighbour after the smaller one; every processor that it passes \
               takes it over. Where it collides with another chase of its phase, or with a larger name, a new chase begins \
               after the smaller of the two. Names die out like Fibonacci numbers fall. A processor that receives the name \
               it holds sends a flag around; the leader is the processor of that name, not always the greatest.",
        rules: &[
            "On waking, or on the first message: send (u, 0) in both directions; wait for (u1, 0) and (u2, 0).",
            "On a message or a flag: keep it, then look at both ports together; of each port only the newest message \
             counts (printed=heads: all, one by one).",
            "Both messages of phase 0 there, u less than both: ID := max(u1, u2), DIR towards the other, active.",
            "Both messages of phase 0 there, u not less than both: observant. Half-duplex, also if a message waits on \
             the link of DIR (printed=minimum: not so).",
            "Both messages of phase 0 are its own: inaugurate (printed=one: observant).",
            "Active: PNUM := p + 1, send (ID, PNUM) towards DIR, with q = 1 for one hop; observant.",
            "Observant, on a message with p < PNUM, or with a smaller p than another: discard it.",
            "Observant, on one message with p > PNUM: PNUM := p, ID := v; relay it with q = 0.",
            "Observant, on one message with p = PNUM and v = ID: inaugurate.",
            "Observant, on one message with p = PNUM and v < ID: active, DIR towards where it came from.",
            "Observant, on one message with p = PNUM and v > ID: discard it (larger=take: ID := v).",
            "Observant, two messages collide, v1 = v2: PNUM := p, ID := v1 (printed=id: ID stays), inaugurate.",
            "Observant, two messages collide, v1 and v2 differ: ID := max(v1, v2), DIR towards the other, active.",
            "Observant, on two messages with p = PNUM: one after the other (printed=pair: they collide).",
            "Full duplex, on a message with p = PNUM on the link of the own message of that phase, active and q = 0: \
             discard it.",
            "Full duplex, on a message with p = PNUM on the link of the own message of that phase, not active and q = \
             1: it collides with ID.",
            "Inaugurate: the leader is ID; send the flag, away from the link that decided (printed=flag: back over it; \
             leader=finder: the leader is u, and its identity is sent in place of the flag).",
            "On the flag: the leader is ID; relay the flag (leader=finder: the leader is the identity received).",
            "Once the flag was sent, on anything: discard it.",
        ],
        assumptions: BIDIRECTIONAL,
        random: false,
        parameters: &[
            Departures::rules(),
            Departures::printed(DEPARTURES),
            Parameter {
                name: "duplex",
                values: Values::Choice(&["full", "half"]),
                default: "full",
                doc: "half: algorithm E, for links that carry one message at a time (implies --links half), or one of each \
                      phase (--links half-phase); full: section 4, for all others",
            },
            Parameter {
                name: "larger",
                values: Values::Choice(&["keep", "take"]),
                default: "keep",
                doc: "take: the optional ID := v where a message of the own phase is stopped because its v is larger",
            },
            Parameter {
                name: "leader",
                values: Values::Choice(&["named", "finder"]),
                default: "named",
                doc: "named: the leader is the processor whose identity is in all ID registers, and a flag is sent around; finder: \
                      the one that inaugurates, which sends its identity (duplex=half only: else two may inaugurate)",
            },
        ],
        departures: DEPARTURES,
        errata: &[
            Erratum {
                place: "section 2, algorithm E, two messages left, with section 4",
                wrong: "the order of case 2 and of rule (i) of section 4 is not said: on full-duplex links two messages with \
                        p = PNUM can come together, and to treat them as a collision, before (i) discards one, can end in \
                        disagreement; see experiments/van-leeuwen-tan-pair",
                repair: "two messages collide only if p > PNUM; else they are handled one after the other",
            },
            Erratum {
                place: "sections 3 and 4, inauguration",
                wrong: "which way the flag goes is not said: two neighbours that inaugurate at once annihilate each other's \
                        flag if it goes back over the link that decided; see experiments/van-leeuwen-tan-flag",
                repair: "the flag goes away from that link",
            },
            Erratum {
                place: "section 2, initialization",
                wrong: "a ring of one elects nobody: its processor is no local minimum; see experiments/van-leeuwen-tan-one",
                repair: "who receives its own identity by both ports inaugurates",
            },
            Erratum {
                place: "section 2, algorithm E, two equal messages",
                wrong: "PNUM is set but ID is not, so that the processor that inaugurates may hold another name than all \
                        others; see experiments/van-leeuwen-tan-id",
                repair: "ID := v1",
            },
            Erratum {
                place: "section 2, initialization",
                wrong: "the rule at the end of section 2, that nothing is sent where a message waits to be read, is not in the \
                        program: without it a local minimum that turns active sends past a message that waits; see \
                        experiments/van-leeuwen-tan-minimum",
                repair: "half-duplex: it turns observant instead",
            },
            Erratum {
                place: "section 2, algorithm E, `receive message(s) from one or both directions`",
                wrong: "the same rule: if messages of one port are taken one by one, an old one can be answered over a link on \
                        which a newer one waits; see experiments/van-leeuwen-tan-heads",
                repair: "of the messages that wait on a port only the newest counts",
            },
            Erratum {
                place: "section 2, initialization",
                wrong: "the test that makes a processor active is lost in the copy we read",
                repair: "it follows from lemmas 3.5 and 3.7: a local minimum takes the larger neighbour's name and chases \
                         the smaller",
            },
        ],
    };

    const PROMISES: &'static [Promise] = &somebody_wins("VanLeeuwenTan1985 section 3");
    const LEMMAS: &'static [Lemma] = lemmas::LEMMAS;

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::Work,
            kind: BoundKind::Worst,
            formula: "2N + N P, F_(P+1) <= N",
            value: |rules, instance| {
                let n = u128::from(instance.n);
                rules.hold(instance).then(|| Value::int(2 * n + n * u128::from(phases(instance.n))))
            },
            source: "VanLeeuwenTan1985 propositions 3.9 and 4.2",
            counts: "messages: 2N in phase 0, at most N in each of P = 1.44.. log2 N + O(1) more",
        },
        Bound {
            quantity: Quantity::Phases,
            kind: BoundKind::Worst,
            formula: "P, F_(P+1) <= N",
            value: |rules, instance| rules.hold(instance).then(|| Value::int(u128::from(phases(instance.n)))),
            source: "VanLeeuwenTan1985 propositions 3.9 and 4.2",
            counts: "PNUM, from 0; F is Fibonacci's sequence, so P is 1.44.. log2 N + O(1)",
        },
        Bound {
            quantity: Quantity::Announcement,
            kind: BoundKind::Exact,
            formula: "N",
            value: |rules, instance| rules.hold(instance).then(|| Value::int(u128::from(instance.n))),
            source: "VanLeeuwenTan1985 section 3",
            counts: "flags: every processor sends one",
        },
    ];

    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[PhaseBound {
        formula: "2N in phase 0, N in every other",
        value: |rules, instance, phase| {
            let passes = u128::from(instance.n) * if phase == 0 { 2 } else { 1 };
            rules.hold(instance).then(|| Value::int(passes))
        },
        source: "VanLeeuwenTan1985 section 3 and proposition 3.9",
        counts: "messages of the phase",
    }];

    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        let departures = Departures::new(DEPARTURES, settings)?;
        let printed = Printed {
            pair: departures.undoes("pair"),
            flag: departures.undoes("flag"),
            one: departures.undoes("one"),
            id: departures.undoes("id"),
            minimum: departures.undoes("minimum"),
            heads: departures.undoes("heads"),
        };
        let (half, finder) = (settings.is("duplex", "half"), settings.is("leader", "finder"));
        if finder && !half {
            let wrong = "leader=finder: on full-duplex links two processors may inaugurate";
            return Err(BadSetting::new("set", wrong, "leader=named, or duplex=half"));
        }
        Ok(Self { half, takes_larger: settings.is("larger", "take"), finder, printed })
    }

    fn links(settings: &Settings) -> Links {
        if settings.is("duplex", "half") { Links::Half } else { Links::Fifo }
    }

    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        let suited = |lemma: &&Lemma| match scenario.links {
            Links::Half | Links::HalfPhase => self.half || lemma.when.is_empty(),
            Links::Fifo | Links::Any => !self.half && lemma.when.is_empty(),
        };
        Lemma::within(Self::LEMMAS, &Self::DESCRIPTION.assumptions, scenario).filter(suited).collect()
    }

    fn sends(&self, kind: Kind) -> bool {
        kind.name != if self.finder { "flag" } else { "leader" }
    }

    fn processor(&self, seat: Seat) -> VanLeeuwenTanProcessor {
        let u = seat.identity();
        VanLeeuwenTanProcessor {
            u,
            id: u,
            pnum: 0,
            stage: Stage::Asleep,
            dir: 0,
            active: false,
            flags: 0,
            held: [None; 2],
            queues: None,
        }
    }
}

impl VanLeeuwenTan {
    /// Whether the bounds hold: the rules are repaired, and fit the links.
    fn hold(&self, instance: &Instance<'_>) -> bool {
        let suited = match instance.links {
            Links::Fifo => !self.half,
            Links::Half | Links::HalfPhase => true,
            Links::Any => false,
        };
        instance.undisturbed && suited && self.printed == Printed::default()
    }
}

/// P, the greatest number with F_(P+1) <= N: the T phases of Proposition 3.9 are 0 to P.
fn phases(n: u64) -> u32 {
    // F_(P+1) and F_(P+2)
    let (mut last, mut next, mut p) = (1u64, 1u64, 0);
    while next <= n {
        (last, next) = (next, last.saturating_add(next));
        p += 1;
    }
    p
}

impl Processor for VanLeeuwenTanProcessor {
    type Problem = Election;
    type Message = Chase;
    type Timer = Timer;
    type Rules = VanLeeuwenTan;

    fn step(&mut self, rules: &VanLeeuwenTan, event: Event<Self>, fx: &mut impl Effects<Self>) {
        // 1. Initialization: "send message <u, 0> to both neighbors".
        if self.stage == Stage::Asleep {
            fx.rule(1);
            self.stage = Stage::Alone;
            for port in BOTH {
                fx.send(port, Chase::Message { v: self.u, p: 0, q: false });
            }
        }
        match event {
            Event::Wake | Event::Call(_) => {}
            Event::Receive(..) if self.stage == Stage::Over => fx.rule(19),
            Event::Receive(port, message) => {
                fx.rule(2);
                match message {
                    Chase::Message { v, p: 0, .. } => self.hear_neighbour(rules, port, v, fx),
                    Chase::Message { v, p, q } => self.hold(rules, port, Held { v, p, q }),
                    Chase::Flag => self.flags |= 1 << port.0,
                    // Its sender sends nothing more, so that it is kept until it is looked at.
                    Chase::Leader(v) => {
                        self.flags |= 1 << port.0;
                        self.held[port.0 as usize] = Some(Held { v, p: 0, q: false });
                    }
                }
                if matches!(self.stage, Stage::Ranked(_) | Stage::Observant) {
                    fx.set_timer(Timer::Look, Ticks::ZERO);
                }
            }
            Event::Timeout(Timer::Look) => match self.stage {
                Stage::Ranked(rank) => self.end_phase_0(rules, rank, fx),
                Stage::Observant => self.look(rules, fx),
                Stage::Asleep | Stage::Alone | Stage::HeardPort(_) | Stage::Over => {}
            },
        }
    }

    /// Section 2: no message may be sent "when there is still an unprocessed incoming message in a queue at the
    /// processor, in the direction in which a message would be sent". What a half-duplex link has delivered must be
    /// seen.
    fn urgent(&self, rules: &VanLeeuwenTan, _: &Chase) -> bool {
        rules.half
    }
}

impl Inspect for VanLeeuwenTanProcessor {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.pnum.into()
    }

    fn is_candidate(&self) -> bool {
        match self.stage {
            Stage::Observant => self.active,
            Stage::Over => false,
            Stage::Asleep | Stage::Alone | Stage::HeardPort(_) | Stage::Ranked(_) => true,
        }
    }

    fn stuck(&self, rules: &VanLeeuwenTan) -> Option<&'static str> {
        let only = rules.printed.one && self.stage == Stage::Observant && self.pnum == 0;
        only.then_some("it is observant and no message ever comes")
    }
}

impl VanLeeuwenTanProcessor {
    /// "wait for the corresponding messages <u1, 0> and <u2, 0> to come in": once both are there it knows its rank.
    fn hear_neighbour(&mut self, rules: &VanLeeuwenTan, port: Port, v: Id, fx: &mut impl Effects<Self>) {
        let (u, first) = (self.u, self.id);
        match self.stage {
            Stage::Alone => {
                self.stage = Stage::HeardPort(port.0 as u8);
                self.id = v;
            }
            Stage::HeardPort(other) if u32::from(other) != port.0 => {
                fx.compare(u, first);
                fx.compare(u, v);
                let rank = match (u < v && u < first, u == v && u == first) {
                    (true, _) => Rank::Minimum,
                    (_, true) if !rules.printed.one => Rank::Only,
                    _ => Rank::Other,
                };
                if rank == Rank::Minimum {
                    self.id = v.max(first);
                    self.dir = match v.cmp(&first) {
                        Ordering::Less => port.0 as u8,
                        Ordering::Greater => other,
                        // N = 2: both neighbours are one.
                        Ordering::Equal => 1,
                    };
                } else {
                    self.id = u;
                }
                self.stage = Stage::Ranked(rank);
            }
            _ => {}
        }
    }

    fn hold(&mut self, rules: &VanLeeuwenTan, port: Port, message: Held) {
        if rules.printed.heads {
            self.queues.get_or_insert_default()[port.0 as usize].push_back(message);
        } else {
            self.held[port.0 as usize] = Some(message);
        }
    }

    /// Whether a message waits on a port.
    fn waits(&self, port: usize) -> bool {
        self.held[port].is_some() || self.queues.as_ref().is_some_and(|queues| !queues[port].is_empty())
    }

    /// "This ends the initialization phase. A processor continues in either the active or the observant state".
    fn end_phase_0(&mut self, rules: &VanLeeuwenTan, rank: Rank, fx: &mut impl Effects<Self>) {
        self.stage = Stage::Observant;
        // Half-duplex: it must not send where a message waits, for the two would not meet.
        let too_late = rules.half && !rules.printed.minimum && self.waits(self.dir.into());
        match rank {
            Rank::Only => {
                fx.rule(5);
                return self.inaugurate(rules, Port(1), fx);
            }
            Rank::Minimum if !too_late => {
                fx.rule(3);
                self.turn_active(0, self.dir, PhaseEntry::Minimum, fx);
                if self.flags != 0 || self.waits(0) || self.waits(1) {
                    fx.set_timer(Timer::Look, Ticks::ZERO);
                }
                return;
            }
            Rank::Minimum => self.id = self.u,
            Rank::Other => {}
        }
        fx.rule(4);
        self.look(rules, fx);
    }

    /// a. Active.
    fn turn_active(&mut self, p: u16, dir: u8, cause: PhaseEntry, fx: &mut impl Effects<Self>) {
        fx.rule(6);
        self.pnum = p.saturating_add(1);
        self.active = true;
        self.dir = dir;
        self.enter(cause, fx);
    }

    /// Sends the message of the phase that it enters, (ID, PNUM) towards DIR.
    fn enter(&self, entry: PhaseEntry, fx: &mut impl Effects<Self>) {
        self.note(entry, fx);
        let q = entry != PhaseEntry::Relay;
        fx.send(Port(self.dir.into()), Chase::Message { v: self.id, p: self.pnum, q });
    }

    /// Notes what lemmas speak of.
    fn note(&self, entry: PhaseEntry, fx: &mut impl Effects<Self>) {
        let (phase, value, port) = (self.pnum.into(), self.id.get(), Port(self.dir.into()));
        fx.note(Fact { kind: entry as u8, phase, value, port });
    }

    /// b. Observant: "receive message(s) from one or both directions".
    fn look(&mut self, rules: &VanLeeuwenTan, fx: &mut impl Effects<Self>) {
        if self.flags != 0 {
            fx.rule(18);
            let from = if self.flags == 0b10 { Port(1) } else { Port(0) };
            let named = self.held[from.0 as usize].filter(|_| rules.finder).map(|held| held.v);
            return self.finish(rules, onward(from), named.unwrap_or(self.id), fx);
        }
        let messages = match &mut self.queues {
            None => core::mem::take(&mut self.held),
            Some(queues) => {
                let heads = [queues[0].pop_front(), queues[1].pop_front()];
                if queues.iter().any(|queue| !queue.is_empty()) {
                    fx.set_timer(Timer::Look, Ticks::ZERO);
                }
                heads
            }
        };
        // "discard any message <v, p> received with p < PNUM; discard any message that does not have the highest
        // p-value"
        let highest = messages.iter().flatten().map(|message| message.p).max().unwrap_or(0).max(self.pnum);
        for message in messages.iter().flatten().filter(|message| message.p < highest) {
            fx.compare(message.p, highest);
        }
        if messages.iter().flatten().any(|message| message.p < highest) {
            fx.rule(7);
        }
        // Section 4 lets messages bypass each other; where links are half-duplex lemma 3.1 says that they do not.
        let sent = usize::from(self.dir);
        if rules.half && self.pnum > 0 && messages[sent].is_some_and(|message| message.p == self.pnum) {
            self.note(PhaseEntry::Bypass, fx);
        }
        match messages.map(|message| message.filter(|message| message.p == highest)) {
            [None, None] => {}
            [Some(message), None] => self.take_one(rules, Port(0), message, fx),
            [None, Some(message)] => self.take_one(rules, Port(1), message, fx),
            [Some(left), Some(right)] if highest > self.pnum || rules.printed.pair => {
                fx.compare(highest, self.pnum);
                self.collide(rules, highest, [left.v, right.v], fx);
            }
            [Some(left), Some(right)] => {
                fx.rule(14);
                self.take_one(rules, Port(0), left, fx);
                if self.stage == Stage::Observant && right.p == self.pnum {
                    self.take_one(rules, Port(1), right, fx);
                }
            }
        }
    }

    /// "Let the one message received be <v, p>, where necessarily p >= PNUM."
    fn take_one(&mut self, rules: &VanLeeuwenTan, port: Port, message: Held, fx: &mut impl Effects<Self>) {
        let Held { v, p, q } = message;
        fx.compare(p, self.pnum);
        if p > self.pnum {
            fx.rule(8);
            // "This branch will be followed when p > PNUM and the message must be relayed further."
            (self.pnum, self.id, self.active) = (p, v, false);
            self.dir = onward(port).0 as u8;
            return self.enter(PhaseEntry::Relay, fx);
        }
        let bypass = !rules.half && u32::from(self.dir) == port.0;
        match (bypass, self.active, q) {
            // Section 4 (i): "it will simply discard the incoming message".
            (true, true, false) => return fx.rule(15),
            // Section 4 (ii): "it must act as if the two messages had collided at v".
            (true, false, true) => {
                fx.rule(16);
                let values = if port == Port(0) { [v, self.id] } else { [self.id, v] };
                return self.collide(rules, p, values, fx);
            }
            _ => {}
        }
        fx.compare(v, self.id);
        match v.cmp(&self.id) {
            Ordering::Equal => {
                fx.rule(9);
                let away = if rules.printed.flag { port } else { onward(port) };
                self.inaugurate(rules, away, fx);
            }
            Ordering::Less => {
                fx.rule(10);
                self.turn_active(p, port.0 as u8, PhaseEntry::Single, fx);
            }
            // "stop the message, the assignment ID := v is optional"
            Ordering::Greater => {
                fx.rule(11);
                if rules.takes_larger {
                    self.id = v;
                }
            }
        }
    }

    /// "Let the two messages received be <v1, p> and <v2, p>": by port 0 and by port 1.
    fn collide(&mut self, rules: &VanLeeuwenTan, p: u16, [v1, v2]: [Id; 2], fx: &mut impl Effects<Self>) {
        fx.compare(v1, v2);
        if v1 == v2 {
            fx.rule(12);
            self.pnum = p;
            if !rules.printed.id {
                self.id = v1;
            }
            self.inaugurate(rules, Port(1), fx);
        } else {
            fx.rule(13);
            self.id = v1.max(v2);
            self.turn_active(p, u8::from(v2 < v1), PhaseEntry::Collision, fx);
        }
    }

    /// "A transfer to this final phase occurs when the algorithm terminates, and the ID register contains the identity
    /// of the (unique) leader."
    fn inaugurate(&mut self, rules: &VanLeeuwenTan, away: Port, fx: &mut impl Effects<Self>) {
        fx.rule(17);
        self.note(PhaseEntry::Inauguration, fx);
        fx.report(ElectionReport::Inaugurates { alone: rules.half });
        let leader = if rules.finder { self.u } else { self.id };
        self.finish(rules, away, leader, fx);
    }

    /// Section 3: "it is sufficient for u to merely send a 1-bit flag around", "the one processor that finds its own id
    /// to be identical to the value in its ID-register" is the leader. Or else the finder "must send a message carrying its id
    /// around the ring".
    fn finish(&mut self, rules: &VanLeeuwenTan, away: Port, leader: Id, fx: &mut impl Effects<Self>) {
        fx.compare(leader, self.u);
        let known = Some(leader);
        fx.report(if leader == self.u { ElectionReport::Elected(known) } else { ElectionReport::Follows(known) });
        if rules.finder {
            fx.send(away, Chase::Leader(leader));
        } else {
            fx.send(away, Chase::Flag);
        }
        (self.stage, self.flags, self.held, self.queues) = (Stage::Over, 0, [None; 2], None);
    }
}

#[cfg(test)]
mod tests;
