use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;
use core::ops::Range;

use crate::{
    Bound, Departure, Departures, Id, Identities, IdentityBound, Inspect, Invariant, Kind, Lemma, Links, Message,
    Network, NoTimer, PhaseBound, Place, Ports, Preset, Processor, Promise, Promises, Reading, Scenario, Time, Timing,
    Topology, Value, Workload,
};

/// A protocol: everything about it that is not a processor's state. An instance of it holds the rules in force.
///
/// ```
/// use ringleader_model::{
///     BadSetting, Bound, BoundKind, Description, Effects, Election, ElectionReport, Event, Id, Inspect, Instance,
///     Message, NoTimer, Port, Processor, Protocol, Quantity, Ring, Seat, Settings, Value,
/// };
/// use serde::Serialize;
///
/// /// Only the greatest identity makes a full turn.
/// #[derive(Clone)]
/// struct GreatestWins;
///
/// #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
/// struct Candidate(Id);
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
/// struct Member {
///     id: Id,
/// }
///
/// impl Protocol for GreatestWins {
///     type Processor = Member;
///     type Network = Ring;
///
///     const DESCRIPTION: Description = Description {
///         name: "greatest-wins",
///         title: "only the greatest identity makes a full turn",
///         rules: &["On waking: send the own id.", "On the own id: elected.", "On a greater id: relay it."],
///         ..Description::NEW
///     };
///     const BOUNDS: &'static [Bound<Self>] = &[Bound {
///         quantity: Quantity::Messages,
///         kind: BoundKind::Worst,
///         formula: "N^2",
///         value: |_, instance| Some(Value::int(u128::from(instance.n).pow(2))),
///         source: "",
///         counts: "candidates: N of them make at most N passes each",
///     }];
///
///     fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
///         Ok(Self)
///     }
///
///     fn processor(&self, seat: Seat) -> Member {
///         Member { id: seat.identity() }
///     }
/// }
///
/// impl Processor for Member {
///     type Problem = Election;
///     type Message = Candidate;
///     type Timer = NoTimer;
///     type Rules = GreatestWins;
///
///     fn step(&mut self, _: &GreatestWins, event: Event<Self>, fx: &mut impl Effects<Self>) {
///         match event {
///             Event::Wake => {
///                 fx.rule(1);
///                 fx.send(Port(0), Candidate(self.id));
///             }
///             Event::Receive(_, Candidate(id)) if id == self.id => {
///                 fx.rule(2);
///                 fx.report(ElectionReport::Elected(Some(id)));
///             }
///             Event::Receive(_, Candidate(id)) if id > self.id => {
///                 fx.rule(3);
///                 fx.send(Port(0), Candidate(id));
///             }
///             Event::Receive(..) | Event::Call(_) => {}
///             Event::Timeout(never) => match never {},
///         }
///     }
/// }
///
/// impl Inspect for Member {}
///
/// let seat = Seat { id: Some(Id::new(7)), role: 0, ports: 1 };
/// assert_eq!(GreatestWins.processor(seat), Member { id: Id::new(7) });
/// assert!(GreatestWins::DESCRIPTION.assumptions.identities, "what is not said is as on most rings");
/// ```
pub trait Protocol: Clone + Send + Sync + Sized + 'static {
    /// Its processors.
    type Processor: Processor<Rules = Self>;
    /// The network it runs on.
    type Network: Network;

    /// Its name, idea, rules, assumptions and parameters.
    const DESCRIPTION: Description;
    /// The proved or claimed bounds.
    const BOUNDS: &'static [Bound<Self>] = &[];
    /// Bounds on the passes of each identity: the first that says something about an instance is judged.
    const IDENTITY_BOUNDS: &'static [IdentityBound<Self>] = &[];
    /// Bounds on the passes of each phase: the first that says something about an instance is judged.
    const PHASE_BOUNDS: &'static [PhaseBound<Self>] = &[];
    /// The invariants of its processors in every state, beside the properties of its problem.
    const INVARIANTS: &'static [Invariant<Self>] = &[];
    /// The promises of its paper beyond the properties of its problem.
    const PROMISES: &'static [Promise] = &[];
    /// The lemmas of its paper about what its processors have done so far.
    const LEMMAS: &'static [Lemma] = &[];
    /// Whether it becomes quiescent once all requests are served, where its [problem](crate::Problem::QUIESCENT) demands
    /// that. One that goes on forever (a token that circulates) says `false`: a run then ends when all requests are served,
    /// and a check demands only that they are.
    const QUIESCENT: bool = true;
    /// Whether it solves readers and writers, too, where a scenario has some: one for mutual exclusion with roles.
    const READERS: bool = false;

    /// The rules for these settings and this instance.
    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting>;
    /// The links it runs on under these settings, by default.
    fn links(_settings: &Settings) -> Links {
        Self::DESCRIPTION.assumptions.links
    }
    /// The properties of its type that engines ask for. Only a protocol whose type is erased overrides it.
    fn profile(&self) -> Profile {
        Profile::of::<Self>()
    }
    /// Its network in a scenario. Only a protocol whose type is erased overrides it.
    fn network(&self, scenario: &Scenario) -> Self::Network {
        Self::Network::new(scenario)
    }
    /// The promises that are made under these rules in this scenario. Where a check explores wakes at any times, none are
    /// fixed in it.
    fn promises(&self, scenario: &Scenario) -> Promises {
        Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario)
    }
    /// The lemmas that are stated for these rules in this scenario.
    fn lemmas(&self, scenario: &Scenario) -> Vec<&'static Lemma> {
        Lemma::within(Self::LEMMAS, &Self::DESCRIPTION.assumptions, scenario).collect()
    }
    /// Whether its correctness rests on clocks under these settings, where each site makes this many requests. A check
    /// explores clocks then, unless told otherwise.
    fn needs_clocks(_settings: &Settings, _entries: u64) -> bool {
        Self::DESCRIPTION.assumptions.timed
    }
    /// The number of processors that it needs besides its sites, as shared cells.
    fn cells(_settings: &Settings) -> usize {
        0
    }
    /// The role of the processor at a place: part of its seat, which is all it learns of its place.
    fn role(&self, _place: Place) -> u32 {
        0
    }
    /// The seat of the processor at a place.
    fn seat(&self, scenario: &Scenario, network: &Self::Network, place: Place) -> Seat {
        let id = scenario.identities().get(place).map(Id::new);
        Seat { id, role: self.role(place), ports: network.ports(place) }
    }
    /// The seats of consecutive places, their identities computed several at once.
    fn seats(&self, scenario: &Scenario, network: &Self::Network, places: Range<Place>) -> impl Iterator<Item = Seat> {
        let mut ids = scenario.identities().iter_from(places.start.into());
        let seat =
            move |place| Seat { id: ids.next().map(Id::new), role: self.role(place), ports: network.ports(place) };
        places.map(seat)
    }
    /// The horizon of a protocol that never terminates; its result must be there by then.
    fn horizon(&self, _instance: &Instance<'_>) -> Option<Time> {
        None
    }
    /// The time from which on the result must be there and stay.
    fn deadline(&self, _instance: &Instance<'_>) -> Option<Time> {
        None
    }
    /// The initial state of a processor.
    fn processor(&self, seat: Seat) -> Self::Processor;
    /// Whether messages of this kind can be sent under these rules; kinds that cannot are not counted, not even as 0.
    fn sends(&self, _kind: Kind) -> bool {
        true
    }
    /// Notes on this instance, such as that it is outside the assumptions of the protocol.
    fn notes(&self, _instance: &Instance<'_>) -> Vec<&'static str> {
        Vec::new()
    }
    /// Numbers of the instance that the protocol's paper speaks of.
    fn figures(&self, _instance: &Instance<'_>) -> Vec<Figure> {
        Vec::new()
    }
}

/// The properties of a protocol's type that engines ask for.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its assumptions.
    pub assumptions: Assumptions,
    /// The number of its rules.
    pub rules: usize,
    /// The kinds of its messages, in the order of [`Message::kind`].
    pub kinds: Vec<Kind>,
    /// Whether processors set timers.
    pub timers: bool,
    /// Whether processors go through [phases](crate::Inspect::phase).
    pub phased: bool,
    /// Whether engines [record](crate::Inspect::TIMES_PHASES) when phases begin.
    pub times_phases: bool,
    /// Whether processors number [rounds](crate::Inspect::ROUNDS) without bound.
    pub rounds: bool,
    /// The rules by which a processor [loses](crate::Inspect::LOSING_RULES).
    pub losing_rules: &'static [u8],
}

impl Profile {
    /// Of a protocol whose type is known.
    pub fn of<P: Protocol>() -> Self {
        Self {
            assumptions: P::DESCRIPTION.assumptions,
            rules: P::DESCRIPTION.rules.len(),
            kinds: <P::Processor as Processor>::Message::KINDS.to_vec(),
            timers: TypeId::of::<<P::Processor as Processor>::Timer>() != TypeId::of::<NoTimer>(),
            phased: P::Processor::PHASED,
            times_phases: P::Processor::TIMES_PHASES,
            rounds: P::Processor::ROUNDS,
            losing_rules: P::Processor::LOSING_RULES,
        }
    }
}

/// The initial knowledge of a processor. Its place is not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seat {
    /// Its identity, where it has one.
    pub id: Option<Id>,
    /// Its role, where the protocol gives processors different roles (a shared cell, a reader, a writer).
    pub role: u32,
    /// The number of its ports, which are numbered from 0.
    pub ports: u32,
}

impl Seat {
    /// The identity of a processor that is known to have one.
    pub fn identity(self) -> Id {
        self.id.expect("a scenario is checked for identities before seats are taken")
    }
}

/// The description of a protocol, as `info` shows it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Keys of BIBLIOGRAPHY.md.
    pub sources: &'static [&'static str],
    /// A few sentences.
    pub idea: &'static str,
    /// The rules in words, in the paper's order.
    pub rules: &'static [&'static str],
    /// Its assumptions.
    pub assumptions: Assumptions,
    /// Its processors draw random numbers, unless its parameters say otherwise.
    pub random: bool,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The printed rules that are not followed.
    pub departures: &'static [Departure],
    /// The errors in the sources.
    pub errata: &'static [Erratum],
}

impl Description {
    /// A ring protocol without parameters: a description gives its name and the fields that differ.
    pub const NEW: Self = Self {
        name: "",
        title: "",
        sources: &[],
        idea: "",
        rules: &[],
        assumptions: Assumptions::RING,
        random: false,
        parameters: &[],
        departures: &[],
        errata: &[],
    };
}

impl Default for Description {
    fn default() -> Self {
        Self::NEW
    }
}

/// The assumptions of a protocol.
#[derive(Clone, Copy, Debug)]
pub struct Assumptions {
    /// The shape of the network.
    pub topology: Topology,
    /// Processors have identities.
    pub identities: bool,
    /// They know the number of processors.
    pub known_size: bool,
    /// The processors that may start.
    pub starts: Starts,
    /// A user may request a further election.
    pub again: bool,
    /// The timing it runs under by default.
    pub preset: Preset,
    /// It runs under no other timing.
    pub compulsory: bool,
    /// The readings under which it is correct.
    pub readings: &'static [Reading],
    /// Its correctness depends on how long steps and messages take.
    pub timed: bool,
    /// The part that the numbers of its ports play.
    pub port_use: PortUse,
    /// The links it runs on by default.
    pub links: Links,
}

impl Assumptions {
    /// The assumptions of most protocols on unidirectional rings: identities, any starters, links first in, first out,
    /// and nothing about time.
    pub const RING: Self = Self {
        topology: Topology::Ring,
        identities: true,
        known_size: false,
        starts: Starts::Any,
        again: false,
        preset: Preset::Unit,
        compulsory: false,
        readings: &Reading::ALL,
        timed: false,
        port_use: PortUse::Numbered,
        links: Links::Fifo,
    };
}

impl Default for Assumptions {
    fn default() -> Self {
        Self::RING
    }
}

/// The part that the numbers of its ports play in a protocol. Networks in which a processor has one port have nothing to number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortUse {
    /// Rules may depend on them: a check explores all numberings and all orientations.
    Numbered,
    /// Ports are treated alike, for this reason: nothing depends on their numbers but the port by which an announcement
    /// leaves a ring's leader, so that a check explores one numbering.
    Alike(&'static str),
    /// They are given, for this reason: there is one numbering.
    Given(&'static str),
}

impl PortUse {
    /// Whether ports are treated alike.
    pub const fn is_alike(self) -> bool {
        matches!(self, Self::Alike(_))
    }
}

/// The processors that wake by themselves. Where users make requests over and over (locks, readers and writers) every site does,
/// whatever this says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// Any non-empty set, at any times: a check explores the runs in which the others never wake, too.
    Any,
    /// All: at the same instant where there are clocks, at any times where there are none.
    Together,
}

/// A parameter of a protocol.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its key in `--set key=value`.
    pub name: &'static str,
    /// The allowed values.
    pub values: Values,
    /// The default value.
    pub default: &'static str,
    /// Its effect.
    pub doc: &'static str,
}

impl Parameter {
    /// A parameter that is on or off, off by default.
    pub const fn switch(name: &'static str, doc: &'static str) -> Self {
        Self { name, values: Values::Choice(&["off", "on"]), default: "off", doc }
    }
}

/// The allowed values of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An integer in this range, both ends included.
    Number(u64, u64),
    /// Something of this form; the protocol reads it.
    Form(&'static str),
    /// None of these, or some, separated by commas.
    Departures(&'static [Departure]),
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(words) => f.write_str(&words.join(" | ")),
            Self::Number(min, max) => write!(f, "{min} to {max}"),
            Self::Form(form) => f.write_str(form),
            Self::Departures(all) => f.write_str(&Departures::names(all)),
        }
    }
}

/// An error in a source.
#[derive(Clone, Copy, Debug)]
pub struct Erratum {
    /// The place in the source.
    pub place: &'static str,
    /// The error.
    pub wrong: &'static str,
    /// The repair.
    pub repair: &'static str,
}

/// The values of a protocol's parameters.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Vec<(&'static str, String)>,
}

impl Settings {
    /// The defaults, changed by `given`.
    pub fn new(parameters: &[Parameter], given: &[(String, String)]) -> Result<Self, BadSetting> {
        let mut values: Vec<(&'static str, String)> =
            parameters.iter().map(|p| (p.name, p.default.to_string())).collect();
        for (key, value) in given {
            let Some(index) = parameters.iter().position(|p| p.name == key) else {
                let known: Vec<_> = parameters.iter().map(|p| p.name).collect();
                let allowed = if known.is_empty() {
                    "none: this protocol has no parameters".to_string()
                } else {
                    known.join(", ")
                };
                return Err(BadSetting::new("set", format!("has no parameter '{key}'"), allowed));
            };
            let allowed = match parameters[index].values {
                Values::Choice(words) => words.contains(&value.as_str()),
                Values::Number(min, max) => value.parse().is_ok_and(|number| min <= number && number <= max),
                Values::Form(_) => true,
                Values::Departures(all) => Departures::allows(all, value),
            };
            if !allowed {
                let wrong = format!("{key}={value}: there is no such value");
                return Err(BadSetting::new("set", wrong, parameters[index].values.to_string()));
            }
            values[index].1.clone_from(value);
        }
        Ok(Self { values })
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the description declares no such parameter.
    #[track_caller]
    pub fn get(&self, name: &str) -> &str {
        let found = self.values.iter().find(|(key, _)| *key == name);
        let Some((_, value)) = found else {
            let declared: Vec<_> = self.values.iter().map(|(key, _)| *key).collect();
            panic!("the description declares no parameter '{name}'; it declares: {}", declared.join(", "));
        };
        value
    }

    /// Whether a parameter has this value.
    #[track_caller]
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.get(name) == value
    }

    /// The value of a numeric parameter.
    #[track_caller]
    pub fn number(&self, name: &str) -> u64 {
        self.get(name).parse().expect("a number was checked to be one")
    }

    /// All of them, in the order of the description.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(name, value)| (*name, value.as_str()))
    }
}

/// The numbers of a scenario on which bounds and laws depend.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The number of processors.
    pub n: u64,
    /// Their identities, clockwise; empty where they have none.
    pub ids: Identities<'a>,
    /// All wake at the same time; false where there are no clocks.
    pub together: bool,
    /// There are no clocks: the numbers below are only what the protocol assumes about them.
    pub untimed: bool,
    /// The first wake time.
    pub first_wake: u64,
    /// The time of the last event that the scenario fixes: wakes, crashes, the end of losses and duplications.
    pub settled: Time,
    /// There is one election only, and nothing fails.
    pub undisturbed: bool,
    /// Tick lengths: those in force where they are fixed, the declared bounds where they vary.
    pub ticks: Spread,
    /// Link delays, likewise.
    pub delays: Spread,
    /// Clocks, delays and reading.
    pub timing: &'a Timing,
    /// The workload, where users make requests repeatedly.
    pub workload: Option<&'a Workload>,
    /// The order that links keep: most bounds say nothing where it is not the one the protocol assumes.
    pub links: Links,
    /// The numbering of the ports of a complete network.
    pub ports: &'a Ports,
}

impl Instance<'_> {
    /// Vitányi's u: the largest tick plus the largest delay.
    pub const fn u(&self) -> u64 {
        self.ticks.max + self.delays.max
    }

    /// The least identity.
    pub fn least(&self) -> Option<u64> {
        self.ids.least()
    }
}

/// The least, the greatest and the sum of something that every processor or link has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// All together.
    pub sum: u128,
}

impl Spread {
    /// `n` times the same.
    pub const fn same(value: u64, n: usize) -> Self {
        Self { min: value, max: value, sum: value as u128 * n as u128 }
    }

    /// Anything from `min` to `max`: the sum is the most that `n` of them can make.
    pub const fn between(min: u64, max: u64, n: usize) -> Self {
        Self { min, max, sum: max as u128 * n as u128 }
    }

    /// Of a list, which is not empty.
    pub fn of(list: impl Iterator<Item = u64>) -> Self {
        list.fold(Self { min: u64::MAX, max: 0, sum: 0 }, |spread, value| Self {
            min: spread.min.min(value),
            max: spread.max.max(value),
            sum: spread.sum + u128::from(value),
        })
    }
}

/// A number of the instance, with its symbol and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The paper's symbol.
    pub symbol: &'static str,
    /// Its value.
    pub value: Value,
    /// Its meaning.
    pub meaning: &'static str,
}

/// An invalid setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadSetting {
    /// The name of the field.
    pub field: &'static str,
    /// The error.
    pub wrong: String,
    /// The allowed values.
    pub allowed: String,
}

impl BadSetting {
    /// `field` `wrong`; allowed: `allowed`.
    pub fn new(field: &'static str, wrong: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { field, wrong: wrong.into(), allowed: allowed.into() }
    }
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}; allowed: {}", self.field, self.wrong, self.allowed)
    }
}

impl core::error::Error for BadSetting {}
