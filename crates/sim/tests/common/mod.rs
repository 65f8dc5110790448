//! Toy protocols for the tests of the engine, which knows no real ones, and what it takes to play them.
#![allow(dead_code, reason = "every test file uses its own part of it")]

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::marker::PhantomData;

use ringleader_model::*;
use ringleader_sim::{Choices, Full, Instrumentation, Random, Run, Simulation, Summary};
use serde::Serialize;

/// A network that a toy runs on. (The networks themselves cannot be compared, and states must be.)
pub trait Shape: Clone + Eq + Hash + Debug + 'static + Send + Sync {
    type Network: Network;
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OnRing {}
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OnBidirectional {}
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OnComplete {}

impl Shape for OnRing {
    type Network = Ring;
}
impl Shape for OnBidirectional {
    type Network = BidirectionalRing;
}
impl Shape for OnComplete {
    type Network = Complete;
}

/// The ports of a bidirectional ring whose orientation is not exchanged.
pub const LEFT: u32 = 0;
pub const RIGHT: u32 = 1;

pub const fn toy(topology: Topology, identities: bool) -> Description {
    let assumptions = Assumptions { topology, identities, known_size: true, ..Assumptions::RING };
    Description { name: "toy", title: "a toy", assumptions, ..Description::NEW }
}

// ---------------------------------------------------------------------------------------------------------------------
// A table of rules: at this place, on this event, do that.

/// Everything a processor does is written down beforehand, per place (its identity is its place plus one).
#[derive(Clone)]
pub struct RuleTable<S> {
    rules: Vec<(Place, On, Vec<Do>)>,
    shape: PhantomData<S>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum On {
    Wake,
    Receive(u64),
    Timeout(char),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Do {
    /// By this port, this word.
    Send(u32, u64),
    /// This timer, to a number of ticks.
    Set(char, u64),
    Cancel(char),
    /// By this port, a word drawn from below this bound.
    Toss(u32, u32),
    /// By one of the first two ports, as a coin falls, this word.
    SendEither(u64),
    /// Declares itself leader.
    Lead,
    /// Follows the processor at this place.
    Follow(Place),
    /// Remembers that it was told.
    BeTold,
    /// By this port, this word, unless it was told.
    SendUnlessTold(u32, u64),
}

/// A rule of all places.
pub const EVERYWHERE: Place = Place::MAX;

/// More ticks than there will ever be.
pub const NEVER: u64 = u64::MAX;

/// Words from here on are urgent.
pub const URGENT: u64 = 1000;

pub fn table<S: Shape>(rules: &[(Place, On, &[Do])]) -> RuleTable<S> {
    let rules = rules.iter().map(|(place, on, what)| (*place, *on, what.to_vec())).collect();
    RuleTable { rules, shape: PhantomData }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Actor<S> {
    id: Id,
    told: bool,
    shape: PhantomData<S>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Word(pub u64);

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "word {}", self.0)
    }
}

/// Its tens are its phase; words below 10 have none.
impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::work("word")];
    const PHASED: bool = true;
    fn kind(&self) -> usize {
        0
    }
    fn bits(&self) -> u64 {
        int_bits(self.0)
    }
    fn phase(&self) -> Option<u32> {
        (self.0 >= 10).then_some((self.0 / 10) as u32)
    }
}

impl<S: Shape> Protocol for RuleTable<S> {
    type Processor = Actor<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(S::Network::TOPOLOGY, true);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(table(&[]))
    }

    fn processor(&self, seat: Seat) -> Actor<S> {
        Actor { id: seat.identity(), told: false, shape: PhantomData }
    }
}

impl<S: Shape> Processor for Actor<S> {
    type Problem = Election;
    type Message = Word;
    type Timer = char;
    type Rules = RuleTable<S>;

    fn step(&mut self, rules: &RuleTable<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let on = match event {
            Event::Wake => On::Wake,
            Event::Receive(_, Word(word)) => On::Receive(word),
            Event::Timeout(timer) => On::Timeout(timer),
            Event::Call(request) => unreachable!("nobody asks for {request:?}"),
        };
        let own = (1..).zip(&rules.rules);
        let here = |place: Place| place == EVERYWHERE || u64::from(place) + 1 == self.id.get();
        let own = own.filter(|(_, (place, when, _))| here(*place) && *when == on);
        for (number, (_, _, effects)) in own {
            fx.rule(number);
            for what in effects {
                match *what {
                    Do::Send(port, word) => fx.send(Port(port), Word(word)),
                    Do::Set(timer, ticks) => fx.set_timer(timer, Ticks::new(ticks)),
                    Do::Cancel(timer) => fx.cancel_timer(timer),
                    Do::Toss(port, bound) => {
                        let word = u64::from(fx.choose(bound));
                        fx.send(Port(port), Word(word));
                    }
                    Do::SendEither(word) => {
                        let port = fx.choose(2);
                        fx.send(Port(port), Word(word));
                    }
                    Do::Lead => fx.report(ElectionReport::Elected(Some(self.id))),
                    Do::Follow(place) => fx.report(ElectionReport::Follows(Some(Id::new(u64::from(place) + 1)))),
                    Do::BeTold => self.told = true,
                    Do::SendUnlessTold(port, word) => {
                        if !self.told {
                            fx.send(Port(port), Word(word));
                        }
                    }
                }
            }
        }
    }

    fn urgent(&self, _: &RuleTable<S>, message: &Word) -> bool {
        message.0 >= URGENT
    }

    /// What it was told survives.
    fn restart(&self, _: &RuleTable<S>, newborn: Self) -> Self {
        Self { told: self.told, ..newborn }
    }
}

impl<S: Shape> Inspect for Actor<S> {}

/// What a step was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Took {
    Wake,
    /// By this port, this word.
    Receive(u32, u64),
    Timeout(char),
}

/// A run of a rule table, from its beginning to its end.
pub struct Played {
    /// In the order in which they were taken.
    pub steps: Vec<(Time, Place, Took)>,
    pub summary: Summary,
    pub choices: Vec<u64>,
}

impl Played {
    /// All steps but the wakes.
    pub fn after_waking(&self) -> Vec<(Time, Place, Took)> {
        self.steps.iter().copied().filter(|(_, _, took)| *took != Took::Wake).collect()
    }

    /// When this place received, in order.
    pub fn receipts(&self, place: Place) -> Vec<Time> {
        self.times(place, |took| matches!(took, Took::Receive(..)))
    }

    /// When this place's timers fired, in order.
    pub fn timeouts(&self, place: Place) -> Vec<Time> {
        self.times(place, |took| matches!(took, Took::Timeout(_)))
    }

    fn times(&self, place: Place, wanted: impl Fn(Took) -> bool) -> Vec<Time> {
        self.steps.iter().filter(|(_, at, took)| *at == place && wanted(*took)).map(|(time, ..)| *time).collect()
    }
}

pub fn play<S: Shape>(scenario: &Scenario, script: RuleTable<S>) -> Played {
    play_by(scenario, script, Choices::Drawn)
}

pub fn play_by<S: Shape>(scenario: &Scenario, script: RuleTable<S>, choices: Choices) -> Played {
    let mut run: Simulation<_, Full> = Simulation::new(script, scenario, choices).expect("the scenario makes sense");
    run.log();
    run.record();
    to_the_end(&mut run);
    let steps = run.records().iter().map(|record| {
        let took = match &record.event {
            Event::Wake => Took::Wake,
            Event::Receive(port, message) => Took::Receive(port.0, message.0),
            Event::Timeout(timer) => Took::Timeout(*timer),
            Event::Call(request) => unreachable!("nobody asks for {request:?}"),
        };
        (record.time, record.place, took)
    });
    Played { steps: steps.collect(), summary: run.summary(), choices: run.choices().unwrap_or_default().to_vec() }
}

/// From when on, the least and greatest tick and delay.
pub type RangesFrom = (Time, (u64, u64), (u64, u64));

/// The same scenario where ticks and delays change at these times.
pub fn changing(mut scenario: Scenario, changes: &[RangesFrom]) -> Scenario {
    let range = |(min, max)| Range::new(min, max);
    let changes = changes.iter().map(|&(from, r, d)| TimingChange { from, r: range(r), d: range(d) });
    scenario.timing.changes = changes.collect();
    let (r, d) = (scenario.timing.tick_ranges(), scenario.timing.delay_ranges());
    (scenario.timing.r, scenario.timing.d) = (r.hull(), d.hull());
    scenario
}

/// Any scenario, where ticks and delays change while messages are in flight, or their ranges stay.
pub fn any_changing_scenario<S: Shape>(seed: u64) -> Scenario {
    let (mut scenario, mut random) = (any_scenario::<S>(seed), Random::new(!seed));
    let timing = &mut scenario.timing;
    if matches!(timing.clocks, Clocks::List(_)) {
        timing.clocks = Clocks::Fixed;
    }
    if matches!(timing.delays, Delays::List(_)) {
        timing.delays = Delays::Max;
    }
    let (r, d) = ((timing.r.min, timing.r.max), (timing.d.min, timing.d.max));
    let mut changes = vec![(0, r, d)];
    for _ in 0..1 + random.below(3) {
        let from = changes[changes.len() - 1].0 + 1 + random.below(9);
        let mut range = |least| {
            let min = least + random.below(4);
            (min, min + random.below(7))
        };
        let (other_r, other_d) = (range(1), range(0));
        let keep = random.below(4);
        changes.push((from, if keep == 0 { r } else { other_r }, if keep == 1 { d } else { other_d }));
    }
    changing(scenario, &changes)
}

pub fn to_the_end(run: &mut impl Run) {
    let ended = (0..1000).any(|_| run.advance(1000));
    assert!(ended, "the run is still going on at time {}", run.now());
}

// ---------------------------------------------------------------------------------------------------------------------
// Scenarios.

/// `n` processors that all wake at 0, with clocks of exactly `r` and delays of exactly `d`.
pub fn scenario(n: usize, r: u64, d: u64, reading: Reading) -> Scenario {
    ranged(n, (r, r), (d, d), reading)
}

pub fn ranged(n: usize, r: (u64, u64), d: (u64, u64), reading: Reading) -> Scenario {
    let timing = Timing {
        r: Range::new(r.0, r.1),
        d: Range::new(d.0, d.1),
        reading,
        clocks: Clocks::Fixed,
        delays: Delays::Uniform,
        offsets: Offsets::Zero,
        changes: Vec::new(),
    };
    Scenario { n, ids: (1..=n as u64).collect(), timing, ..Scenario::default() }
}

/// Wakes these places only, at these times.
pub fn waking(mut scenario: Scenario, wakes: &[(Place, Time)]) -> Scenario {
    let mut at = vec![None; scenario.n];
    for &(place, time) in wakes {
        at[place as usize] = Some(time);
    }
    scenario.wakes = Wakes::At(at);
    scenario
}

/// Something of everything that a scenario can be, on few processors.
pub fn any_scenario<S: Shape>(seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    let n = 2 + random.below(9) as usize;
    let (r_min, d_min) = (1 + random.below(3), random.below(4));
    let (r_max, d_max) = (r_min + random.below(4), d_min + random.below(9));
    let reading = Reading::ALL[random.below(3) as usize];
    let mut scenario = ranged(n, (r_min, r_max), (d_min, d_max), reading);
    scenario.seed = random.bits();
    scenario.links = Links::ALL[random.below(Links::ALL.len() as u64) as usize];
    let mut list = |min, max| (0..n).map(|_| min + random.below(max - min + 1)).collect::<Vec<u64>>();
    let (clocks, delays, phases) = (list(r_min, r_max), list(d_min, d_max), list(0, 5));
    scenario.timing.clocks = match random.below(5) {
        0 => Clocks::Fixed,
        1 => Clocks::Varying,
        2 => Clocks::Slowest,
        3 => Clocks::Fastest,
        _ => Clocks::List(clocks),
    };
    scenario.timing.delays = match random.below(7) {
        0 => Delays::Min,
        1 => Delays::Max,
        3 => Delays::NewestFirst,
        4 if S::Network::TOPOLOGY != Topology::Ring => Delays::OneWay,
        5 if !scenario.ids.is_empty() => Delays::SlowestHigh,
        2 if S::Network::TOPOLOGY.is_ring() => Delays::List(delays),
        _ => Delays::Uniform,
    };
    scenario.timing.offsets = match random.below(3) {
        0 => Offsets::Zero,
        1 => Offsets::Random,
        _ => Offsets::List(phases),
    };
    if random.below(2) == 0 {
        let mut at: Vec<_> = (0..n).map(|_| Some(random.below(8)).filter(|time| *time < 6)).collect();
        at[random.below(n as u64) as usize] = Some(0);
        scenario.wakes = Wakes::At(at);
    }
    match S::Network::TOPOLOGY {
        Topology::Ring => {}
        Topology::BidirectionalRing => scenario.orientation = (0..n).map(|_| random.below(2) == 1).collect(),
        Topology::Complete if random.below(2) == 0 => scenario.ports = Ports::Shuffled(random.bits()),
        Topology::Complete => {}
    }
    if random.below(3) == 0 {
        scenario.faults.crashes = vec![(random.below(n as u64) as Place, random.below(20))];
        scenario.faults.loss = Some(Share { part: 1, whole: 20 });
        scenario.faults.duplicate = Some(Share { part: 1, whole: 20 });
    }
    if random.below(3) == 0 {
        let mut place = || (random.below(n as u64) as Place, random.below(20));
        scenario.faults.restarts =
            [place(), place()].map(|(place, time)| Restart { place, time, offset: None }).to_vec();
        scenario.faults.pauses =
            [place(), place()].map(|(place, from)| Pause { place, from, length: 1 + from }).to_vec();
        let (one, from) = place();
        let cut = Cut { ends: (one, (one + 1) % n as Place), from, to: from + 5 };
        scenario.faults.cuts = vec![cut];
    }
    scenario
}

pub fn ports<S: Shape>(scenario: &Scenario) -> u32 {
    S::Network::new(scenario).ports(0)
}

// ---------------------------------------------------------------------------------------------------------------------
// Chatter: traffic in which everything depends on the order of everything before.

/// Messages are passed on until their hops are used up, by ports that coins choose, now or by a timer.
#[derive(Clone)]
pub struct Chatter<S> {
    ports: u32,
    burst: u32,
    hops: u8,
    shape: PhantomData<S>,
}

impl<S: Shape> Chatter<S> {
    pub fn new(scenario: &Scenario) -> Self {
        Self { ports: ports::<S>(scenario), burst: 2, hops: 12, shape: PhantomData }
    }

    pub fn hops(self, hops: u8) -> Self {
        Self { hops, ..self }
    }
}

/// All it knows is a digest of all that happened to it, in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Chatterer<S> {
    id: Id,
    digest: u64,
    received: u32,
    shape: PhantomData<S>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct Chat {
    hops: u8,
    word: u64,
}

impl fmt::Display for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "chat hops {} word {}", self.hops, self.word)
    }
}

impl Message for Chat {
    const KINDS: &'static [Kind] = &[Kind::work("even"), Kind::work("odd")];
    fn kind(&self) -> usize {
        (self.word & 1) as usize
    }
    fn bits(&self) -> u64 {
        tag_bits(2) + int_bits(self.word)
    }
}

impl<S: Shape> Chatterer<S> {
    fn absorb(&mut self, word: u64) {
        let mixed = (self.digest ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.digest = mixed ^ (mixed >> 29);
    }

    fn pass_on(&mut self, rules: &Chatter<S>, hops: u8, fx: &mut impl Effects<Self>) {
        let port = fx.choose(rules.ports);
        fx.send(Port(port), Chat { hops, word: self.digest });
        self.absorb(u64::from(port));
    }
}

impl<S: Shape> Protocol for Chatter<S> {
    type Processor = Chatterer<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(S::Network::TOPOLOGY, true);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, seat: Seat) -> Chatterer<S> {
        Chatterer { id: seat.identity(), digest: seat.identity().get(), received: 0, shape: PhantomData }
    }
}

impl<S: Shape> Processor for Chatterer<S> {
    type Problem = Election;
    type Message = Chat;
    type Timer = u8;
    type Rules = Chatter<S>;

    fn step(&mut self, rules: &Chatter<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {
                self.absorb(1);
                for _ in 0..rules.burst {
                    self.pass_on(rules, rules.hops, fx);
                }
                fx.set_timer(rules.hops, Ticks::new(self.digest % 4));
            }
            Event::Receive(port, Chat { hops, word }) => {
                self.absorb(word ^ u64::from(port.0));
                self.received += 1;
                if self.received == 3 {
                    let leader = Some(Id::new(1));
                    fx.report(if self.id.get() == 1 {
                        ElectionReport::Elected(leader)
                    } else {
                        ElectionReport::Follows(leader)
                    });
                }
                if hops == 0 {
                    return;
                }
                match self.digest >> 32 & 7 {
                    0..=2 => self.pass_on(rules, hops - 1, fx),
                    // Also replaces one that is pending.
                    3 | 4 => fx.set_timer(hops - 1, Ticks::new(self.digest % 5)),
                    5 => fx.cancel_timer(hops),
                    _ => {
                        self.pass_on(rules, hops - 1, fx);
                        self.pass_on(rules, hops - 1, fx);
                    }
                }
            }
            Event::Timeout(hops) => {
                self.absorb(2);
                self.pass_on(rules, hops, fx);
            }
            Event::Call(request) => unreachable!("nobody asks for {request:?}"),
        }
    }

    fn urgent(&self, _: &Chatter<S>, message: &Chat) -> bool {
        message.word.is_multiple_of(8)
    }
}

impl<S: Shape> Inspect for Chatterer<S> {
    const PHASED: bool = true;

    fn phase(&self) -> u32 {
        self.received
    }
}

/// A run of chatter that is over.
pub fn chatter<S: Shape, D: Instrumentation>(scenario: &Scenario, rules: Chatter<S>) -> Simulation<Chatter<S>, D> {
    let mut run = Simulation::new(rules, scenario, Choices::Drawn).expect("the scenario makes sense");
    to_the_end(&mut run);
    run
}

// ---------------------------------------------------------------------------------------------------------------------
// A stream of numbered messages on every link.

/// Sends `count` messages by every port on waking, and one more at each of as many ticks.
#[derive(Clone)]
pub struct Stream<S> {
    ports: u32,
    pub count: u32,
    shape: PhantomData<S>,
}

impl<S: Shape> Stream<S> {
    pub fn new(scenario: &Scenario, count: u32) -> Self {
        Self { ports: ports::<S>(scenario), count, shape: PhantomData }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Streamer<S> {
    sent: u32,
    /// By port, all that came, in order.
    pub came: Vec<Vec<u64>>,
    shape: PhantomData<S>,
}

impl<S: Shape> Protocol for Stream<S> {
    type Processor = Streamer<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(S::Network::TOPOLOGY, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, _: Seat) -> Streamer<S> {
        Streamer { sent: 0, came: vec![Vec::new(); self.ports as usize], shape: PhantomData }
    }
}

impl<S: Shape> Streamer<S> {
    fn send(&mut self, rules: &Stream<S>, fx: &mut impl Effects<Self>) {
        for port in 0..rules.ports {
            fx.send(Port(port), Word(u64::from(self.sent)));
        }
        self.sent += 1;
    }
}

impl<S: Shape> Processor for Streamer<S> {
    type Problem = Election;
    type Message = Word;
    type Timer = char;
    type Rules = Stream<S>;

    fn step(&mut self, rules: &Stream<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {
                for _ in 0..rules.count {
                    self.send(rules, fx);
                }
                fx.set_timer('s', Ticks::ONE);
            }
            Event::Receive(port, message) => self.came[port.0 as usize].push(message.0),
            Event::Timeout(_) => {
                self.send(rules, fx);
                if self.sent < 2 * rules.count {
                    fx.set_timer('s', Ticks::ONE);
                }
            }
            Event::Call(request) => unreachable!("nobody asks for {request:?}"),
        }
    }
}

impl<S: Shape> Inspect for Streamer<S> {}

/// What came at every place by every port, in order.
pub fn stream<S: Shape>(scenario: &Scenario, count: u32) -> Vec<Vec<u64>> {
    let mut scenario = scenario.clone();
    scenario.ids.clear();
    let mut run: Simulation<_, Full> = Simulation::new(Stream::<S>::new(&scenario, count), &scenario, Choices::Drawn)
        .expect("the scenario makes sense");
    to_the_end(&mut run);
    (0..scenario.n as Place).flat_map(|place| run.processor(place).came.clone()).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Endless traffic, for counting allocations.

/// Whatever comes is passed on at once by a port that a coin chooses. It has no timers.
#[derive(Clone)]
pub struct Relay<S> {
    ports: u32,
    /// How many messages everybody sends on waking.
    pub tokens: u32,
    shape: PhantomData<S>,
}

impl<S: Shape> Relay<S> {
    pub fn new(scenario: &Scenario, tokens: u32) -> Self {
        Self { ports: ports::<S>(scenario), tokens, shape: PhantomData }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Relayer<S>(PhantomData<S>);

impl<S: Shape> Protocol for Relay<S> {
    type Processor = Relayer<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(S::Network::TOPOLOGY, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, _: Seat) -> Relayer<S> {
        Relayer(PhantomData)
    }
}

impl<S: Shape> Processor for Relayer<S> {
    type Problem = Election;
    type Message = Word;
    type Timer = NoTimer;
    type Rules = Relay<S>;

    fn step(&mut self, rules: &Relay<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let count = if event == Event::Wake { rules.tokens } else { 1 };
        for _ in 0..count {
            let port = fx.choose(rules.ports);
            fx.send(Port(port), Word(0));
        }
    }
}

impl<S: Shape> Inspect for Relayer<S> {}

/// Whatever comes is kept until a timer fires, and then passed on.
#[derive(Clone)]
pub struct Pacing<S> {
    ports: u32,
    pub tokens: u32,
    /// How long the timer is, in ticks.
    pub hold: u64,
    shape: PhantomData<S>,
}

impl<S: Shape> Pacing<S> {
    pub fn new(scenario: &Scenario, tokens: u32, hold: u64) -> Self {
        Self { ports: ports::<S>(scenario), tokens, hold, shape: PhantomData }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Pacer<S> {
    kept: u32,
    shape: PhantomData<S>,
}

impl<S: Shape> Protocol for Pacing<S> {
    type Processor = Pacer<S>;
    type Network = S::Network;
    const DESCRIPTION: Description = toy(S::Network::TOPOLOGY, false);
    const BOUNDS: &'static [Bound<Self>] = &[];

    fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        unreachable!("made by hand")
    }

    fn processor(&self, _: Seat) -> Pacer<S> {
        Pacer { kept: 0, shape: PhantomData }
    }
}

impl<S: Shape> Processor for Pacer<S> {
    type Problem = Election;
    type Message = Word;
    type Timer = char;
    type Rules = Pacing<S>;

    fn step(&mut self, rules: &Pacing<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {
                self.kept = rules.tokens;
                fx.set_timer('a', Ticks::new(rules.hold));
            }
            Event::Receive(..) => {
                self.kept += 1;
                if self.kept == 1 {
                    fx.set_timer('a', Ticks::new(rules.hold));
                }
            }
            // One at a time, so that on a half-duplex link a step never wants to send twice.
            Event::Timeout(_) => {
                self.kept -= 1;
                let port = fx.choose(rules.ports);
                fx.send(Port(port), Word(0));
                if self.kept > 0 {
                    fx.set_timer('a', Ticks::new(rules.hold.max(1)));
                }
            }
            Event::Call(request) => unreachable!("nobody asks for {request:?}"),
        }
    }
}

impl<S: Shape> Inspect for Pacer<S> {}

/// Sets a timer of one tick on waking and again and again, for `rounds` of them: a metronome with letters.
pub fn metronome(rounds: u8) -> RuleTable<OnRing> {
    let letter = |round: u8| char::from(b'A' + round);
    let mut rules: Vec<(u32, On, Vec<Do>)> = vec![(0, On::Wake, vec![Do::Set('A', 1)])];
    rules.extend((1..rounds).map(|round| (0, On::Timeout(letter(round - 1)), vec![Do::Set(letter(round), 1)])));
    table(&rules.iter().map(|(place, on, what)| (*place, *on, what.as_slice())).collect::<Vec<_>>())
}

/// Place 0 sends this number of words to place 1 on waking.
pub fn burst(words: &[u64]) -> RuleTable<OnRing> {
    let sends: Vec<_> = words.iter().map(|word| Do::Send(0, *word)).collect();
    table(&[(0, On::Wake, &sends)])
}
