//! Shared by the conformance tests: runs of protocols, rings to run them on, and independent references.

use ringleader::check::Checked;
use ringleader::model::{
    BadSetting, Clocks, Delays, Id, Leader, Links, Offsets, Outcome, Place, Protocol, Range, Reading, Scenario,
    Settings, Time, Timing, Wakes,
};
use ringleader::sim::{
    Cause, Choices, Full, Instrumentation, Random, Resolved, Run, Simulation, Step, StepEffect, Summary, Verdict,
};
use ringleader::{Case, Catalogue, Effort, Entry, Execution, Options, Setup, TraceFile, find};
use ringleader_check::Wakers;
use ringleader_cli::{Error, Exit};

pub mod anonymous_rounds;
pub mod bidirectional_rings;
pub mod chromium;
pub mod firefox;
pub mod installed;
pub mod interleavings;
pub mod lamport_attempts;
pub mod locks;
pub mod naive_itai_rodeh;
pub mod naive_lamport;
pub mod naive_mutex;
pub mod naive_symmetry;
pub mod naive_token;
pub mod naive_vitanyi;
pub mod page_server;
pub mod reference;
pub mod stop_and_wait;
pub mod timed_instants;
pub mod toy;
pub mod vitanyi_bounds;

/// Whether the tests that are drawn are as many as `cargo xtask test --thorough` asks for.
pub fn thorough() -> bool {
    std::env::var_os("RINGLEADER_THOROUGH").is_some()
}

/// The number of runs that a test draws: all of them with `cargo xtask test --thorough`, else the first fifth.
pub fn samples(all: u64) -> u64 {
    if thorough() { all } else { all / 5 }
}

/// Whether a step is the receipt of a message of this kind.
pub fn receives(step: &Step, kind: &str) -> bool {
    matches!(&step.cause, Cause::Receive { content, .. } if content.kind.name == kind)
}

/// A step as its processor sees it: ports instead of places, and no numbers.
pub fn local_view(mut step: Step) -> Step {
    (step.number, step.place) = (0, 0);
    if let Cause::Receive { message, from, .. } = &mut step.cause {
        (message.0, *from) = (0, 0);
    }
    for effect in &mut step.effects {
        if let StepEffect::Send { message, to, .. } = effect {
            (message.0, *to) = (0, 0);
        }
    }
    step
}

/// A protocol at the beginning of a scenario, its type known.
pub fn prepared<P: Protocol>(
    settings: &[(&str, &str)],
    scenario: &Scenario,
) -> Result<Simulation<P, Full>, BadSetting> {
    prepared_in(settings, scenario)
}

/// The same, in full detail or without.
pub fn prepared_in<P: Protocol, D: Instrumentation>(
    settings: &[(&str, &str)],
    scenario: &Scenario,
) -> Result<Simulation<P, D>, BadSetting> {
    Simulation::prepare(configured::<P>(settings, scenario)?, scenario, Resolved::new(scenario), Choices::Drawn)
}

/// A protocol with these settings, for a scenario.
pub fn configured<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> Result<P, BadSetting> {
    let settings = Settings::new(P::DESCRIPTION.parameters, &owned(settings))?;
    P::configure(&settings, &Resolved::new(scenario).instance(scenario))
}

/// Runs to the end.
pub fn finished(run: &mut (impl Run + ?Sized)) -> Summary {
    while !run.advance(1 << 16) {}
    run.summary()
}

/// Demands that every bound that says something about a run, whose type is known, held in it.
#[track_caller]
pub fn assert_bounds<P: Protocol, D: Instrumentation>(run: &Simulation<P, D>, scenario: &Scenario) {
    let (summary, resolved) = (run.summary(), Resolved::new(scenario));
    for bound in P::BOUNDS {
        let Some(value) = (bound.value)(run.protocol(), &resolved.instance(scenario)) else { continue };
        let measured = summary.cost.over_whole_run(bound.quantity).expect("a full run measures everything");
        let held = bound.kind.holds(measured, value);
        assert_ne!(held, Some(false), "{}: {measured} against {value} in {scenario:?}", bound.formula);
    }
}

/// The protocol and the options that are written after `ringleader run`, read as the program reads them.
pub fn asked(line: &str) -> (String, Options) {
    ringleader_cli::run_of(line.split_whitespace()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The protocol of this name.
pub fn entry(name: &str) -> &'static dyn Entry {
    find(name).unwrap_or_else(|unknown| panic!("{unknown}"))
}

/// The links that any messages can take: those that are half-duplex for messages of one phase ask for phase numbers.
pub const LINKS: &[Links] = &[Links::Fifo, Links::Any, Links::Half];

/// The links that a protocol's messages can take.
pub fn links_of(protocol: &str) -> &'static [Links] {
    if entry(protocol).has_message_phases() { &Links::ALL } else { LINKS }
}

/// What is written after `ringleader run`, set up.
pub fn set_up(line: &str) -> Setup {
    let (protocol, options) = asked(line);
    Setup::new(entry(&protocol), options).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The same with another scenario.
pub fn set_up_scenario(setup: &Setup, scenario: &Scenario) -> Setup {
    let Setup { entry, settings, task, max_messages, max_time, .. } = setup.clone();
    Setup::of_scenario(entry, scenario.clone(), settings, task, [max_messages, max_time])
        .unwrap_or_else(|error| panic!("{}, {scenario:?}: {error}", entry.name()))
}

/// A scenario of a protocol with these settings.
pub fn validated(protocol: &str, settings: &[(&str, &str)], scenario: &Scenario) -> Setup {
    Setup::of_scenario(entry(protocol), scenario.clone(), owned(settings), None, [None; 2])
        .unwrap_or_else(|error| panic!("{protocol} {settings:?}, {scenario:?}: {error}"))
}

/// A run of it, at its beginning.
pub fn simulated(protocol: &str, settings: &[(&str, &str)], scenario: &Scenario) -> Box<dyn Run> {
    Execution::new(&validated(protocol, settings, scenario), Choices::Drawn).expect("it was validated").run
}

/// Runs a scenario to the end, and demands that it terminates and that every bound holds.
#[track_caller]
pub fn run_scenario(setup: &Setup, scenario: &Scenario) -> Summary {
    let setup = set_up_scenario(setup, scenario);
    let summary = setup.run().expect("it was validated");
    assert!(summary.finished, "{}, {scenario:?}: {:?}", setup.entry.name(), summary.violations);
    assert_not_exceeded(&setup, &summary);
    summary
}

/// Demands that every bound that says something about a run held in it.
#[track_caller]
pub fn assert_not_exceeded(setup: &Setup, summary: &Summary) {
    for bound in &setup.facts.bounds {
        assert_ne!(bound.judge(summary).1, Some(false), "{}, {:?}: {bound:?}", setup.entry.name(), setup.scenario);
    }
}

/// Explores all schedules of a scenario, in which anybody may wake at any time.
#[track_caller]
pub fn checked(entry: &'static dyn Entry, settings: &[(&str, &str)], scenario: &Scenario, effort: &Effort) -> Checked {
    let settings = &owned(settings);
    let case = Case { entry, scenario, settings, task: None };
    entry.check(&case, &Wakers::Anybody, effort, &mut |_| true).expect("it can be explored")
}

/// Settings as they are kept.
pub fn owned(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect()
}

/// A run as the command line makes it.
pub struct Played {
    /// What was asked for.
    pub setup: Setup,
    /// The run, at its end.
    pub execution: Execution,
    /// What came of it.
    pub summary: Summary,
}

impl Played {
    /// Runs these options of a protocol to the end.
    pub fn new(protocol: &str, options: &Options) -> Self {
        Self::with(protocol, options, |_| {})
    }

    /// Runs what is written after `ringleader run` to the end.
    pub fn of(line: &str) -> Self {
        let (protocol, options) = asked(line);
        Self::new(&protocol, &options)
    }

    /// The same; `prepare` may ask for a log or a record.
    pub fn with(protocol: &str, options: &Options, prepare: impl FnOnce(&mut dyn Run)) -> Self {
        let setup = Setup::new(entry(protocol), options.clone());
        let setup = setup.unwrap_or_else(|error| panic!("{protocol}, {options:?}: {error}"));
        Self::taking(setup, Choices::Drawn, prepare)
    }

    /// Runs what is written after `ringleader run` to the end, and logs its steps.
    pub fn logged(line: &str) -> Self {
        Self::taking(set_up(line), Choices::Drawn, |run| run.log())
    }

    /// Runs what is written after `ringleader run` to the end, where everything left to chance comes out as listed.
    pub fn drawing(line: &str, choices: &[u64], prepare: impl FnOnce(&mut dyn Run)) -> Self {
        let played = Self::taking(set_up(line), Choices::Recorded(choices.to_vec()), prepare);
        assert_eq!((played.execution.run.bad_choice(), played.execution.run.unused_choices()), (None, 0), "{line}");
        played
    }

    /// A run with its record, which replays to the same end.
    pub fn replayed(line: &str) -> Self {
        let (protocol, options) = asked(line);
        let played = Self::with(&protocol, &options, |run| run.record());
        let trace = played.trace();
        let parsed = TraceFile::parse(&trace.to_text().expect("it was recorded now")).expect("what is written is read");
        assert_eq!(parsed, trace);
        let (_, _, again) =
            parsed.replay(&Catalogue::default(), &(), |_| {}).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(again, played.summary, "{line}");
        played
    }

    /// What was recorded.
    pub fn trace(&self) -> TraceFile {
        TraceFile::new(&self.setup, self.execution.run.as_ref(), &self.summary)
    }

    fn taking(setup: Setup, choices: Choices, prepare: impl FnOnce(&mut dyn Run)) -> Self {
        let mut execution = Execution::new(&setup, choices).expect("the settings suit the protocol");
        prepare(&mut *execution.run);
        execution.finish(&());
        let summary = execution.run.summary();
        Self { setup, execution, summary }
    }

    /// Whether the bound of this formula held; `None` if it is not listed for this run.
    pub fn held(&self, formula: &str) -> Option<bool> {
        let bound = self.setup.facts.bounds.iter().find(|bound| bound.formula == formula)?;
        bound.judge(&self.summary).1
    }

    /// How the command ends that shows it.
    pub fn exit(&self) -> Exit {
        match self.summary.verdict {
            Verdict::Violated => Exit::Violated,
            _ if self.setup.is_exceeded(&self.summary) => Exit::Violated,
            Verdict::Unknown => Exit::Inconclusive,
            Verdict::Held => Exit::Held,
        }
    }

    /// How many messages of a kind were passed.
    pub fn passes(&self, kind: &str) -> u64 {
        passes(&self.summary, kind)
    }
}

/// How many messages of a kind were passed.
pub fn passes(summary: &Summary, kind: &str) -> u64 {
    let found = summary.cost.kinds.iter().find(|(known, _)| known.name == kind);
    found.unwrap_or_else(|| panic!("there are no messages of the kind {kind}")).1
}

/// Who was elected.
pub fn leaders(summary: &Summary) -> &[Leader] {
    let Outcome::Election { leaders, .. } = &summary.outcome else { panic!("it was an election") };
    leaders
}

/// The place of a leader.
pub fn place_of(leader: &Leader) -> Place {
    Place::try_from(leader.place).expect("rings are small here")
}

/// Demands that a run elected this one, and this one only, and that everybody knows.
#[track_caller]
pub fn assert_elected(summary: &Summary, scenario: &Scenario, id: Option<u64>) {
    let place = assert_agreed(summary, scenario, id);
    assert_eq!(scenario.ids.get(place as usize).copied(), id, "{scenario:?}");
}

/// Demands that one processor, at the place returned, was elected under this identity, and that everybody knows.
#[track_caller]
pub fn assert_agreed(summary: &Summary, scenario: &Scenario, id: Option<u64>) -> Place {
    assert_eq!(summary.verdict, Verdict::Held, "{:?} in {scenario:?}", summary.violations);
    let Outcome::Election { leaders, agreed, decided, .. } = &summary.outcome else { panic!("it was an election") };
    assert_eq!(leaders.len(), 1, "{leaders:?} in {scenario:?}");
    assert_eq!(leaders[0].id.map(Id::get), id, "{scenario:?}");
    assert_eq!(agreed.map(Id::get), id, "{scenario:?}");
    assert_eq!(*decided, scenario.n as u64, "{scenario:?}");
    place_of(&leaders[0])
}

/// Demands that what is written after `ringleader run` is refused on account of this field.
#[track_caller]
pub fn assert_refused(line: &str, field: &str) {
    let refused = ringleader_cli::run_of(line.split_whitespace())
        .and_then(|(protocol, options)| Setup::new(entry(&protocol), options).map_err(Error::from));
    match refused {
        Err(Error::Refused(ringleader::Error::Setting(bad))) => assert_eq!(bad.field, field, "{line}: {bad}"),
        Err(Error::Value { field: found, bad }) => assert_eq!(found, field, "{line}: {bad}"),
        other => panic!("{line}: {other:?}"),
    }
}

/// Identities as users write them.
pub fn list(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// A ring of these identities, clockwise, all awake at 0.
pub fn ring(ids: &[u64], timing: Timing) -> Scenario {
    Scenario { n: ids.len(), ids: ids.to_vec(), timing, ..Scenario::default() }
}

/// All orders of 1..=n, each once.
pub fn orders(n: u64) -> Vec<Vec<u64>> {
    let mut orders = vec![Vec::new()];
    for id in 1..=n {
        orders = orders
            .iter()
            .flat_map(|shorter: &Vec<u64>| {
                (0..=shorter.len()).map(move |at| {
                    let mut longer = shorter.clone();
                    longer.insert(at, id);
                    longer
                })
            })
            .collect();
    }
    orders
}

/// All orders of 1..=n up to rotation: those that begin with n.
pub fn orders_up_to_rotation(n: u64) -> Vec<Vec<u64>> {
    let mut orders = orders(n - 1);
    for order in &mut orders {
        order.insert(0, n);
    }
    orders
}

/// The identities 1..=2^k in bit-reversal order, k not 0.
pub fn bit_reversal(k: u32) -> Vec<u64> {
    (0..1u64 << k).map(|place| (place << (64 - k)).reverse_bits() + 1).collect()
}

/// All non-empty sets of places that wake at 0.
pub fn wake_sets(n: usize) -> impl Iterator<Item = Wakes> {
    (1u32..1 << n).map(move |set| Wakes::At((0..n).map(|place| (set >> place & 1 == 1).then_some(0)).collect()))
}

/// Draws the scenarios of a test from its seed.
pub struct Draw(Random);

impl Draw {
    /// The same seed gives the same scenarios.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Uniform in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// Uniform, both ends included.
    pub fn between(&mut self, least: u64, greatest: u64) -> u64 {
        least + self.0.below(greatest - least + 1)
    }

    /// True once in `times` times, on average.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.0.below(times) == 0
    }

    /// One of these.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.0.below(all.len() as u64) as usize].clone()
    }

    /// From 1 to `greatest`, all orders of magnitude about equally likely.
    pub fn size(&mut self, greatest: u64) -> u64 {
        let below = self.between(1, greatest.ilog2().into());
        self.between(1, (2u64 << below).min(greatest))
    }

    /// Any clocks, delays and reading: among the delays those of adversaries.
    pub fn timing(&mut self, n: usize) -> Timing {
        let r = Range::new(1, self.between(1, 9));
        let longest = self.one_of(&[0, 1, 9, 100, 5000]);
        let d = Range::new(self.between(0, longest), longest);
        let clocks = [Clocks::Fixed, Clocks::Varying, Clocks::Slowest, Clocks::List(self.list(n, r))];
        let adversaries = [Delays::NewestFirst, Delays::SlowestHigh, Delays::SlowestLow];
        let delays = [Delays::Uniform, Delays::Min, Delays::Max, Delays::List(self.list(n, d))];
        Timing {
            r,
            d,
            reading: self.one_of(&Reading::ALL),
            clocks: self.one_of(&clocks),
            delays: if self.once_in(2) { self.one_of(&adversaries) } else { self.one_of(&delays) },
            offsets: self.one_of(&[Offsets::Zero, Offsets::Random]),
            changes: Vec::new(),
        }
    }

    /// Any clocks, delays and reading that need no size; the greatest delay is one of these.
    pub fn timing_up_to(&mut self, longest: &[u64]) -> Timing {
        let longest = self.one_of(longest);
        Timing {
            r: Range::new(1, self.between(1, 9)),
            d: Range::new(self.between(0, longest), longest),
            reading: self.one_of(&Reading::ALL),
            clocks: self.one_of(&[Clocks::Fixed, Clocks::Varying, Clocks::Slowest]),
            delays: self.one_of(&[Delays::Uniform, Delays::Min, Delays::Max, Delays::NewestFirst]),
            offsets: self.one_of(&[Offsets::Zero, Offsets::Random]),
            changes: Vec::new(),
        }
    }

    /// `n` different identities from 1..=greatest, in random order.
    pub fn ids(&mut self, n: usize, greatest: u64) -> Vec<u64> {
        let mut ids: Vec<u64> = (1..=greatest).collect();
        self.0.shuffle(&mut ids);
        ids.truncate(n);
        ids
    }

    /// `n` different identities of all lengths up to 64 bits, in random order.
    pub fn wide_ids(&mut self, n: usize) -> Vec<u64> {
        let mut ids = Vec::with_capacity(n);
        while ids.len() < n {
            let id = self.between(1, u64::MAX) >> self.below(64);
            if id > 0 && !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// `n` numbers of a range.
    pub fn list(&mut self, n: usize, range: Range) -> Vec<u64> {
        (0..n).map(|_| self.between(range.min, range.max)).collect()
    }

    /// Some wake by themselves, at times up to `latest`; at least one does.
    pub fn wakes(&mut self, n: usize, latest: Time) -> Wakes {
        if self.once_in(3) {
            return Wakes::All;
        }
        let mut at: Vec<_> = (0..n).map(|_| Some(self.between(0, latest)).filter(|_| self.below(2) == 0)).collect();
        let someone = self.below(n as u64) as usize;
        at[someone] = Some(self.between(0, latest));
        Wakes::At(at)
    }
}
