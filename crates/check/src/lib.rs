//! An explicit-state model checker for protocols, from the protocol's own code.
//!
//! [`check`] explores the state space of a small instance exhaustively: every schedule, every outcome of every random
//! choice, every fault that the scenario allows. [`probabilities`] treats the state space as a Markov decision process
//! and computes probabilities and expected costs as exact fractions. [`random_walk`] takes one run out of a timed state
//! space, to compare it with another engine.
//!
//! ```
//! use ringleader_check::{CheckVerdict, Effort, MaxMessages, Wakers, check};
//! use ringleader_model::Scenario;
//! use ringleader_protocols::election::chang_roberts::ChangRoberts;
//!
//! let scenario = Scenario { n: 3, ids: vec![3, 2, 1], untimed: true, ..Scenario::default() };
//! let answer = check(ChangRoberts, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true)?;
//! assert_eq!(answer.verdict(), CheckVerdict::Holds);
//! assert_eq!(answer.most_messages, MaxMessages::Exactly(3 + 2 + 1 + 3)); // with the announcement
//! # Ok::<(), ringleader_model::BadSetting>(())
//! ```
//!
//! # Terms
//! - A *place* is a position in the network, with one *processor*, its timers and its user. A *message pass* is one
//!   message over one link.
//! - An *event* happens at one processor: it wakes up, receives a message, a timer expires, or its user makes a
//!   request. The processor's *step* reacts to it: it changes the state, sends messages, sets timers, makes *random
//!   choices*, and *reports* to the *monitor*.
//! - The *monitor* is a deterministic automaton in synchronous product with the protocol. It judges safety, and knows
//!   whether a request is outstanding (*waiting*). A transition that it does not observe is *invisible*.
//! - An *action* is a choice of the *scheduler*, as in a Markov decision process: one event without clocks, one instant
//!   with clocks. Its random choices lead to several *transitions*, each with a probability 1/k.
//! - An action is *optional* if no run need contain it: a wake-up of [`Wakers::Anybody`] (but for sites
//!   with users), a request, a fault. All other
//!   actions are subject to weak fairness. A state is *quiescent* if only optional actions are enabled.
//! - A *tick* is a step of a processor's clock, an *instant* is one unit of time. *Rounds* and *phases* are numbered by
//!   the protocol itself, perhaps without bound.
//!
//! # Properties
//! - *Safety*: G ¬violated. No reachable state violates what the monitor forbids. A counterexample is a shortest path.
//! - *Invariants* of the protocol itself ([`Protocol::INVARIANTS`]): G i, for each invariant i.
//! - *Promises* of its paper ([`Protocol::PROMISES`]): G p, for each promise p, which the monitor judges from the reports.
//!   Unlike those of safety, violations are explored beyond, so that promises change no other verdict. An existential
//!   promise is EF p: one state fulfils it, and only a complete search finds it violated, without a counterexample.
//! - *Lemmas* of its paper ([`Protocol::LEMMAS`]): G l, for each lemma l, judged on the histories of processors by a search of
//!   its own, so that they change neither other verdicts nor the states of the search for them.
//! - *No step panics* ([`NO_PANIC`]), listed where one does: an assertion of the protocol's own code fails, a sum
//!   overflows, a message is sent on a port that does not exist. The state after such a step is the one before it.
//! - *Termination*: FG ¬waiting, in every weakly fair run, with probability 1; and FG ¬send, if the problem demands
//!   quiescence. A run that ends violates it by a *deadlock*: a quiescent state other than an initial state in which a
//!   request is outstanding. An infinite run violates it by a *livelock*. The counterexample is a *lasso*: a shortest
//!   prefix, and a fair cycle, not always a shortest one. If the cycle contains random choices, it is one of the runs
//!   of a scheduler that stays in the livelock whatever they are.
//! - *Formulas* of one's own ([`Specification`]): linear temporal logic without the next operator, in every fair run, with
//!   probability 1. A counterexample is a shortest path, or a lasso with a shortest prefix.
//!
//! If the number of requests is bounded, `waiting` does not alternate forever, and termination means that every request
//! is served. Starvation is then found only within this number of requests. If it is
//! [not bounded](ringleader_model::Workload::FOREVER), no run need terminate and termination is not judged; that nobody is
//! starved is a formula for each site, G(trying(p) -> F critical(p)).
//!
//! The checker also finds the least and the greatest costs of all runs, exactly, and the possible outcomes ([`Extremes`]).
//!
//! # Map
//! In the order in which they are best read:
//!
//! | modules | |
//! |---|---|
//! | `answer`, `reductions` | limits, verdicts, counterexamples |
//! | `program`, `invariants` | a protocol behind a type-erased interface; the only modules that know its types |
//! | `choices`, `step` | all outcomes of an event, over all random choices |
//! | `coverage` | the numbered rules that fire |
//! | `extremes`, `passes`, `phases`, `depth` | least and greatest costs: message passes by kind, phases, causal depth |
//! | `interner`, `memo`, `step_cache` | values and steps, stored once and named by number |
//! | `links`, `queues`, `faults` | the entries of a state vector for links and faults |
//! | `transition_system` | the interface between systems and searches: states, successors, pending obligations |
//! | `untimed`, `local_transitions` | untimed semantics, and its lookup table |
//! | `port_numbering` | all numberings of the ports of a complete network, resolved lazily |
//! | `untimed::ample` | partial-order reduction |
//! | `untimed::canonical` | symmetry reduction, rounds without bound |
//! | `timed` | timed semantics with digital clocks; `timed::local`: one processor in one instant; `timed::rounds`: messages without delay |
//! | `search` | `bfs`, `scc_search`, `liveness`; `extremes`, `state_graph`, `graph_extremes`, `linear_extremes`; `visited_set`, `frontier`, `memory_budget` |
//! | `graph` | strongly connected components, end components, fairness |
//! | `ltl` | formulas: parser, automata, product with a transition system, verdicts |
//! | `probability` | explicit Markov decision process, policy iteration, exact linear equations |
//!
//! # State space
//! A state is a vector of small integers: one for each processor, one for each link, one for the monitor, and where
//! faults are possible one for the faults left. Each stands for a value that is interned once. Its fingerprint is a sum
//! of one hash per entry (Zobrist hashing), which a transition updates. A step is computed once for a local state and
//! an event and then looked up.
//!
//! There are two semantics. In `untimed` every enabled event may happen next. Its runs include those of all clocks and
//! delays, so that safety there implies safety for all of them. So does termination, but for one assumption: a timer
//! that runs fires eventually, even if it is set again meanwhile. In `timed` a transition is one unit of time: digital
//! clocks \[HenzingerMannaPnueli1992\]. `timed` states which real-time runs are covered. There time passes in every
//! state: no state is quiescent, and a deadlock is reported as a livelock.
//!
//! # Search
//! Breadth first and in parallel, with a visited set of 64-bit fingerprints, for shortest counterexamples. If that
//! leaves open whether there are cycles, a second, sequential search runs Tarjan's algorithm over all states again, for
//! livelocks and for the longest run (`search`).
//!
//! States with equal fingerprints are taken for the same one (hash compaction): about s²/2⁶⁵ such pairs are expected
//! among s states. The hash function is fixed; a search with one thread repeats the same collisions, while with several
//! threads the numbers of interned values, and so the fingerprints, depend on timing. [`probabilities`] compares whole
//! vectors.
//!
//! # Checkpoints
//! The breadth-first search is saved between two blocks of a level and resumed ([`check_saved`], `checkpoint`,
//! `search::checkpoint`).
//!
//! # Reductions
//! [`Effort::reductions`] enables each of them; the theorem and its conditions stand in the module of each.
//!
//! - *Partial-order reduction* (`untimed::ample`): the transitions of one place form an ample set if all of its
//!   in-links carry messages and its transitions are invisible.
//! - *Symmetry reduction* (`untimed::canonical`): one of the rotations of a ring of identical processors is explored;
//!   not if the protocol has invariants (`invariants`).
//! - *Renaming of ports* (`port_numbering`): processors that only a renaming of their ports tells apart are the same, if
//!   they do not tell ports apart themselves any more.
//! - *Eager ticks* (`timed::local`): a processor that has nothing to do ticks as soon as it can.
//! - *Deferred arrivals* (`timed::deferred`): with per-step reading, the messages that have arrived are chosen at the tick
//!   that reads them.
//! - *Silent messages* (`timed::deferred`): a message that only changes the state of its receiver is read as late as
//!   possible.
//! - *Early reading* (`timed::early`): such a message is read when it is sent.
//! - *Open clocks* (`timed::open_clocks`): a clock is chosen when its processor first observes it.
//!
//! Rounds that are numbered without bound are always replaced by their differences (`untimed::canonical`), or the state
//! space would be infinite.
//!
//! # Fairness
//! Weak fairness (justice): no obligation is pending forever without being discharged. Obligations: the message at the
//! head of a link is delivered, a running timer fires, a user in the critical region leaves, and a processor of
//! [`Wakers::These`] or [`Wakers::Together`], or a site with users, wakes up. A livelock is a maximal end component in which no obligation is
//! starved (`graph::fairness`), and in which some state is waiting or some transition sends although the problem
//! demands quiescence (`search::liveness`). Partial-order and symmetry reduction do not preserve fairness: if a reduced
//! state space has a cycle, or a livelock was found up to rotation, the search is repeated without them. So it is if a
//! livelock was found with deferred arrivals and random choices.
//!
//! # Probabilities
//! End components in which a weakly fair scheduler can stay are endings of their own, all others are merged. Then
//! policy iteration, one strongly connected component after the other, on the quotient by bisimulation (lumping), with
//! linear equations solved exactly (`probability`).
#![warn(clippy::float_arithmetic)]

mod answer;
mod checkpoint;
mod framing;
mod saved_answer;

mod choices;
mod coverage;
mod depth;
mod extremes;
mod invariants;
mod lemmas;
mod panics;
mod passes;
mod phases;
mod program;
mod reductions;
mod step;

mod faults;
mod interner;
mod links;
mod memo;
mod port_numbering;
mod queues;
mod step_cache;
mod step_memo;
mod transition_system;

mod local_transitions;
mod timed;
mod untimed;

mod graph;
mod ltl;
mod probability;
mod sample;
mod search;
mod state_graph;

#[cfg(test)]
mod compared_reductions;
#[cfg(test)]
mod semantics_tests;
#[cfg(test)]
mod test_protocols;
#[cfg(test)]
mod validation_tests;

pub use answer::{
    Answer, CheckVerdict, Counterexample, Effort, Judgement, MaxMessages, Progress, Property, Schedule, SearchLimit,
    TimedSchedule, Wakers,
};
pub use checkpoint::CheckpointFile;
pub use coverage::RuleSet;
pub use extremes::{CostRange, ExtremeEnd, ExtremeRun, Extremes, ExtremesQuery, Extremum};
pub use framing::{FrameError, FrameReader, FrameWriter};
pub use ltl::{Fairness, Formula, Specification};
pub use num_rational::BigRational;
pub use panics::{NO_PANIC, catch_panic};
pub use probability::{
    ExpectedCost, ExplicitModel, Measure, Probabilities, ProbabilityRange, RunEnding, VarianceRange, label_of,
    probabilities,
};
pub use reductions::{Reduction, Reductions};
pub use sample::{SampleCounts, SampleLimits, ScheduleSample, sample};
pub use state_graph::{DrawnNumbers, GraphAction, GraphPlace, GraphState, GraphTransition, StateGraph, state_graph};
pub use timed::{RandomWalk, random_walk};

use ringleader_model::{Assumptions, AtMost, BadSetting, Place, Ports, Protocol, Scenario, Topology, Wakes};

use crate::checkpoint::{WatchedSearch, check_identity};
use crate::depth::{DeepMessages, with_depth};
use crate::lemmas::JudgedLemmas;
use crate::ltl::judge::{TranslatedFormula, judge, translate};
use crate::program::{InitialState, InternedAction, TypedProgram};
use crate::search::{PropertyViolation, SearchResult};
use crate::timed::TimedSystem;
use crate::transition_system::{Reconstruct, TransitionSystem};
use crate::untimed::UntimedSystem;

/// Explores every schedule of a scenario, for a protocol that was configured for it. `watch` receives the progress now
/// and then, and returns false to interrupt.
///
/// # Errors
/// If the simulator would refuse the scenario, or if it cannot be explored.
///
/// ```
/// # use ringleader_check::{CheckVerdict, Effort, Property, Wakers, check};
/// # use ringleader_model::{Links, Protocol, Scenario, Settings};
/// # use ringleader_protocols::election::peterson::Peterson;
/// # use ringleader_sim::Resolved;
/// // Peterson's election needs links that keep the order of messages.
/// let scenario = Scenario { n: 3, ids: vec![1, 2, 3], untimed: true, links: Links::Any, ..Scenario::default() };
/// let settings = Settings::new(Peterson::DESCRIPTION.parameters, &[])?;
/// let protocol = Peterson::configure(&settings, &Resolved::new(&scenario).instance(&scenario))?;
/// let answer = check(protocol, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true)?;
/// assert_eq!(answer.verdict(), CheckVerdict::Violated);
/// let counterexample = answer.counterexample.expect("a violation comes with a counterexample");
/// assert_eq!(counterexample.property, Property::Termination);
/// assert!(answer.judgements[1].detail.starts_with("deadlock: "));
///
/// // Identities are missing.
/// let scenario = Scenario { ids: Vec::new(), ..scenario };
/// let refused = check(protocol, &scenario, &Wakers::Anybody, &Effort::default(), &mut |_| true);
/// assert_eq!(refused.unwrap_err().field, "ids");
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
pub fn check<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Answer<P::Processor>, BadSetting> {
    check_for(protocol, scenario, wakers, effort, CheckQuery::default(), watch)
}

/// What is asked beside the verdicts on a protocol's own properties.
#[derive(Clone, Copy, Debug)]
pub struct CheckQuery<'a> {
    /// What is computed of the extremes of costs.
    pub extremes: &'a ExtremesQuery,
    /// Formulas of one's own.
    pub specification: &'a Specification,
}

impl Default for CheckQuery<'_> {
    /// Nothing.
    fn default() -> Self {
        const NO_FORMULA: Specification = Specification { formulas: Vec::new(), fairness: Fairness::Weak };
        Self {
            extremes: const { &ExtremesQuery { depth: false, schedule: None } },
            specification: const { &NO_FORMULA },
        }
    }
}

/// Explores all schedules as [`check`] does, and answers a query: extremes of costs, or formulas of one's own
/// ([`Property::Formula`]).
///
/// ```
/// # use ringleader_check::{CheckQuery, CheckVerdict, Effort, Fairness, Property, Specification, Wakers, check_for};
/// # use ringleader_model::Scenario;
/// # use ringleader_protocols::election::chang_roberts::ChangRoberts;
/// # let scenario = Scenario { n: 3, ids: vec![3, 2, 1], untimed: true, ..Scenario::default() };
/// let formulas = vec!["F elected".parse()?, "F leader(1)".parse()?];
/// let query = CheckQuery {
///     specification: &Specification { formulas, fairness: Fairness::Weak },
///     ..CheckQuery::default()
/// };
/// let answer = check_for(ChangRoberts, &scenario, &Wakers::Anybody, &Effort::default(), query, &mut |_| true)?;
/// let verdict = |number| {
///     let judged = answer.judgements.iter().find(|judged| judged.property == Property::Formula(number));
///     judged.map(|judged| judged.verdict)
/// };
/// assert_eq!(verdict(0), Some(CheckVerdict::Holds));
/// assert_eq!(verdict(1), Some(CheckVerdict::Violated), "3 is the greatest identity");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`check`], or if a formula names what the scenario does not have.
pub fn check_for<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    effort: &Effort,
    query: CheckQuery<'_>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Answer<P::Processor>, BadSetting> {
    check_saved(protocol, scenario, wakers, (effort, query), None, watch)
}

/// As [`check_for`], with checkpoints: a check that was interrupted, reached a limit or was killed goes on from its last one, with
/// any number of threads, and ends with the same answer. The protocol must be configured alike: its parameters are not in the
/// checkpoint.
///
/// ```
/// # use std::io::{self, Read, Write};
/// # use ringleader_check::{CheckQuery, CheckpointFile, Effort, SearchLimit, Wakers, check_saved};
/// # use ringleader_model::Scenario;
/// # use ringleader_protocols::election::chang_roberts::ChangRoberts;
/// /// A file in memory.
/// #[derive(Default)]
/// struct Memory(Vec<u8>);
///
/// impl CheckpointFile for Memory {
///     fn is_due(&mut self) -> bool {
///         false
///     }
///     fn replace(&mut self, content: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
///         let mut next = Vec::new();
///         content(&mut next).expect("memory takes all");
///         self.0 = next;
///     }
///     fn open(&mut self) -> io::Result<Option<Box<dyn Read + '_>>> {
///         Ok((!self.0.is_empty()).then(|| Box::new(&self.0[..]) as Box<dyn Read>))
///     }
/// }
///
/// let scenario = Scenario { n: 4, ids: vec![1, 3, 2, 4], untimed: true, ..Scenario::default() };
/// let mut file = Memory::default();
/// let mut check = |states| {
///     let effort = Effort { states, ..Effort::default() };
///     check_saved(ChangRoberts, &scenario, &Wakers::Anybody, (&effort, CheckQuery::default()), Some(&mut file), &mut |_| true)
/// };
/// assert_eq!(check(100)?.ran_out, Some(SearchLimit::States));
/// assert_eq!(check(u64::MAX)?.ran_out, None);
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
///
/// # Errors
/// As [`check_for`], and if there is a checkpoint that cannot be used: it is damaged, or of another check.
pub fn check_saved<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    sought: (&Effort, CheckQuery<'_>),
    file: Option<&mut dyn CheckpointFile>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Answer<P::Processor>, BadSetting> {
    let (mut program, initial) = judged_program(protocol, scenario, wakers)?;
    let mut watch = WatchedSearch::new(watch);
    if let Some(file) = file {
        watch = watch.saved(check_identity(P::DESCRIPTION.name, scenario, wakers, sought), file);
    }
    let (initial, numbers) = if sought.1.extremes.depth { with_depth(initial, scenario) } else { (initial, None) };
    if let Some(saved) = watch.open(&program)? {
        return Ok(saved.into());
    }
    let mut answer = find(initial, scenario, wakers, sought, &mut watch)?;
    if sought.1.extremes.schedule.is_none() {
        let (judgements, counterexample) = lemmas::judge(&program, scenario, wakers, sought.0, &mut watch)?;
        // Its messages have no depth.
        answer.add_lemmas((judgements, counterexample.filter(|_| numbers.is_none())));
    }
    watch.finish(&answer, &program, program.fired());
    Ok(typed(&mut program, numbers.as_ref(), answer))
}

/// A protocol in a scenario that it can be explored in, with all properties that are judged.
fn judged_program<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
) -> Result<(TypedProgram<P>, InitialState), BadSetting> {
    validate(&protocol.profile().assumptions, scenario, wakers)?;
    let stated = woken(scenario, wakers);
    let promises = protocol.promises(&stated);
    let mut program = TypedProgram::new(protocol).judging(P::INVARIANTS, promises).stating(&stated);
    let initial = program.initial_state(scenario)?;
    Ok((program, initial))
}

/// An answer with the types of its protocol. `numbers`: its messages have a causal depth.
fn typed<P: Protocol>(
    program: &mut TypedProgram<P>,
    numbers: Option<&DeepMessages>,
    answer: UntypedAnswer,
) -> Answer<P::Processor> {
    let UntypedAnswer { result, judgements, counterexample, extreme } = answer;
    let mut typed = |schedule: UntypedSchedule| match schedule {
        UntypedSchedule::Untimed(mut actions) => {
            if let Some(numbers) = numbers {
                actions.iter_mut().for_each(|action| numbers.strip(action));
            }
            Schedule::Untimed(program.concrete_actions(actions))
        }
        UntypedSchedule::Timed(schedule) => Schedule::Timed(schedule),
    };
    let counterexample = counterexample.map(|UntypedCounterexample { property, repeats_from, run }| Counterexample {
        property,
        steps: run.steps,
        repeats_from,
        ports: run.ports,
        schedule: typed(run.schedule),
    });
    let extreme =
        extreme.map(|UntypedRun { steps, ports, schedule }| ExtremeRun { steps, ports, schedule: typed(schedule) });
    Answer {
        judgements,
        progress: result.progress,
        quiescent: result.quiescent,
        most_messages: result.most_messages,
        extremes: result.extremes,
        ran_out: result.ran_out,
        fired: program.fired(),
        counterexample,
        extreme,
    }
}

/// The scenario with wakes that are fixed only where the check fixes them.
fn woken(scenario: &Scenario, wakers: &Wakers) -> Scenario {
    let wakes = if *wakers == Wakers::Together { Wakes::All } else { Wakes::At(vec![None; scenario.n]) };
    Scenario { wakes, ..scenario.clone() }
}

/// An answer without the types of its protocol.
struct UntypedAnswer {
    result: SearchResult,
    judgements: Vec<Judgement>,
    counterexample: Option<UntypedCounterexample>,
    /// The run to an extremum.
    extreme: Option<UntypedRun>,
}

impl UntypedAnswer {
    /// With the verdicts on lemmas, whose counterexample is shown if there is no other.
    fn add_lemmas(&mut self, (judgements, counterexample): JudgedLemmas) {
        self.judgements.extend(judgements);
        self.counterexample = self.counterexample.take().or(counterexample);
    }
}

/// A counterexample without the types of its protocol.
struct UntypedCounterexample {
    property: Property,
    repeats_from: Option<usize>,
    run: UntypedRun,
}

/// A run without the types of its protocol.
struct UntypedRun {
    steps: usize,
    ports: Option<Ports>,
    schedule: UntypedSchedule,
}

enum UntypedSchedule {
    Untimed(Vec<InternedAction>),
    Timed(Box<TimedSchedule>),
}

fn find(
    mut initial: InitialState,
    scenario: &Scenario,
    wakers: &Wakers,
    (effort, query): (&Effort, CheckQuery<'_>),
    watch: &mut WatchedSearch<'_>,
) -> Result<UntypedAnswer, BadSetting> {
    let formulas = translate(query.specification, &mut initial, scenario)?;
    let invalid_port = initial.links.invalid_port();
    watch.stop_at(&invalid_port);
    let found = if scenario.untimed {
        let mut system = UntimedSystem::new(initial, scenario, wakers, effort.reductions)?;
        watch.expect(&mut system)?;
        explore(&mut system, &formulas, effort, query.extremes, watch)
            .with_schedule(|_, actions| UntypedSchedule::Untimed(actions))
    } else {
        // Formulas speak of what happens in which order, which the reductions with clocks do not preserve.
        let reductions = if formulas.is_empty() { effort.reductions } else { Reductions::NONE };
        let mut system = TimedSystem::new(initial, scenario, wakers, reductions)?;
        watch.expect(&mut system)?;
        explore(&mut system, &formulas, effort, query.extremes, watch).with_schedule(|initial_state, instants| {
            UntypedSchedule::Timed(Box::new(timed::timed_schedule(&mut system, &initial_state, instants)))
        })
    };
    invalid_port.check()?;
    watch.refused()?;
    Ok(found)
}

/// Refuses the scenarios that the simulator refuses. With clocks, the simulator takes only faults at fixed times, while
/// a model checker bounds their number. The simulator takes one numbering of ports, a model checker all of them.
fn validate(assumptions: &Assumptions, scenario: &Scenario, wakers: &Wakers) -> Result<(), BadSetting> {
    let all_numberings = scenario.ports == Ports::All;
    let counted_faults = !scenario.untimed && scenario.faults.at_most != AtMost::default();
    if all_numberings || counted_faults {
        let mut without = scenario.clone();
        if counted_faults {
            without.faults.at_most = AtMost::default();
        }
        if all_numberings {
            without.ports = Ports::Plain;
        }
        without.check(assumptions)?;
    } else {
        scenario.check(assumptions)?;
    }
    if all_numberings && assumptions.topology != Topology::Complete {
        return Err(BadSetting::new("ports", "is all", "nothing: only a complete network has numberings of ports"));
    }
    match wakers {
        Wakers::These(places) => match places.iter().find(|&&place| place >= scenario.n as Place) {
            Some(place) => {
                let allowed = format!("places 0 to {}", scenario.n - 1);
                Err(BadSetting::new("wake", format!("names place {place}"), allowed))
            }
            None => Ok(()),
        },
        Wakers::Anybody | Wakers::Together => Ok(()),
    }
}

/// The result of a search, with the counterexample as actions of the transition system.
struct Explored<A> {
    found: SearchResult,
    judgements: Vec<Judgement>,
    shortest: Option<ViolatingRun<A>>,
    /// The run to an extremum.
    extreme: Option<SystemRun<A>>,
}

impl<A> Explored<A> {
    /// With the counterexample as a schedule, from its initial state and its actions.
    fn with_schedule(self, mut schedule: impl FnMut(Vec<u32>, Vec<A>) -> UntypedSchedule) -> UntypedAnswer {
        let Self { found, judgements, shortest, extreme } = self;
        let mut untyped = |SystemRun { initial_state, actions, ports }| UntypedRun {
            steps: actions.len(),
            ports,
            schedule: schedule(initial_state, actions),
        };
        let counterexample = shortest.map(|violating| UntypedCounterexample {
            property: violating.property,
            repeats_from: violating.cycle_start,
            run: untyped(violating.run),
        });
        let extreme = extreme.map(untyped);
        UntypedAnswer { result: found, judgements, counterexample, extreme }
    }
}

/// A run of a transition system.
struct SystemRun<A> {
    initial_state: Vec<u32>,
    actions: Vec<A>,
    /// Its numbering of ports, if it is not the scenario's.
    ports: Option<Ports>,
}

/// A run that violates a property.
struct ViolatingRun<A> {
    property: Property,
    cycle_start: Option<usize>,
    run: SystemRun<A>,
}

/// Explores a transition system and judges its properties.
fn explore<S: Reconstruct>(
    system: &mut S,
    formulas: &[TranslatedFormula],
    effort: &Effort,
    query: &ExtremesQuery,
    watch: &mut WatchedSearch<'_>,
) -> Explored<S::Action> {
    let mut found = search::search_for(system, effort, query.schedule, watch);
    if found.ran_out == Some(SearchLimit::Branching) && system.disable_renaming() {
        found = search::search_for(system, effort, query.schedule, watch);
    }
    // Up to rotation, or with deferred arrivals, more runs count as fair: a livelock may be spurious.
    while system.disable_unfair(found.violations.iter().any(|violation| violation.livelock)) {
        found = search::search_for(system, effort, query.schedule, watch);
    }
    judged(system, found, formulas, effort, watch)
}

/// The properties of a transition system, judged by the result of a search, and formulas.
fn judged<S: Reconstruct>(
    system: &mut S,
    mut found: SearchResult,
    formulas: &[TranslatedFormula],
    effort: &Effort,
    watch: &mut WatchedSearch<'_>,
) -> Explored<S::Action> {
    let mut runs: Vec<_> = found
        .violations
        .iter_mut()
        .map(|PropertyViolation { states, transitions, .. }| reconstruct(system, states, transitions))
        .collect();
    let extreme =
        found.extreme.take().and_then(|(mut states, transitions)| reconstruct(system, &mut states, &transitions));
    let mut judgements = judgements(system, &found);
    if !formulas.is_empty() {
        let cut_off = found.violations.iter().any(|violation| violation.property.cuts_off());
        system.disable_unfair(true);
        for numbered in (0..).zip(formulas) {
            let result = judge(numbered, system, cut_off, effort, watch);
            judgements.push(result.judgement);
            found.ran_out = found.ran_out.or(result.ran_out);
            if let Some(mut violation) = result.violation {
                let PropertyViolation { states, transitions, .. } = &mut violation;
                runs.push(reconstruct(system, states, transitions));
                found.violations.push(violation);
            }
        }
    }
    let runs = found.violations.iter().zip(runs).filter_map(|(violation, run)| Some((violation, run?)));
    let shortest = runs.min_by_key(|(violation, _)| (violation.property.preference(), violation.states.len()));
    let shortest = shortest.map(|(violation, run)| ViolatingRun {
        property: violation.property,
        cycle_start: violation.cycle_start,
        run,
    });
    Explored { found, judgements, shortest, extreme }
}

/// The run through these states, which become concrete ones; `None` if they are not known.
fn reconstruct<S: Reconstruct>(
    system: &mut S,
    states: &mut [Vec<u32>],
    transitions: &[usize],
) -> Option<SystemRun<S::Action>> {
    let ports = system.fix_numbering(states, transitions);
    let initial_state = states.first()?.clone();
    let mut state = initial_state.clone();
    let step = |(next, &transition): (&mut Vec<u32>, &usize)| {
        let action = system.replay(&mut state, transition, next);
        next.clone_from(&state);
        action
    };
    let actions = states[1..].iter_mut().zip(transitions).map(step).collect();
    Some(SystemRun { initial_state, actions, ports })
}

fn judgements(system: &mut dyn TransitionSystem, found: &SearchResult) -> Vec<Judgement> {
    let properties = system.properties();
    let cut_off = found.violations.iter().any(|violation| violation.property.cuts_off());
    let judge = |property: Property| {
        let violation = found.violations.iter().find(|violation| violation.property == property);
        let existential = match property {
            Property::Promise(promised) if promised.is_existential() => Some(found.fulfilled.contains(promised)),
            _ => None,
        };
        let (verdict, detail) = match violation {
            None if existential == Some(true) => (CheckVerdict::Holds, String::new()),
            Some(violation) => (CheckVerdict::Violated, detail(system, violation)),
            None if found.undecided.contains(&property) => (CheckVerdict::Unknown, String::new()),
            // Successors of a violating state were not explored.
            None if cut_off => (CheckVerdict::Unknown, "not looked for after a violation".into()),
            None if existential.is_some() => (CheckVerdict::Violated, "in no schedule".into()),
            None if property == Property::Safety => (CheckVerdict::Holds, system.caveat().into()),
            None => (CheckVerdict::Holds, String::new()),
        };
        Judgement { property, verdict, detail }
    };
    properties.into_iter().map(judge).collect()
}

/// A violation in words.
fn detail(system: &mut dyn TransitionSystem, violation: &PropertyViolation) -> String {
    let state = match violation.cycle_start {
        Some(from) => violation.states[from..].iter().find(|state| system.monitor_status(state).waiting),
        None => violation.states.last(),
    };
    let diagnosis = state.map(|state| system.diagnosis(state)).unwrap_or_default();
    match (violation.property, violation.livelock) {
        (Property::Safety | Property::Formula(_), _) => diagnosis,
        (property @ (Property::Invariant(_) | Property::Promise(_) | Property::Lemma(_)), _) => {
            violation.states.last().map(|state| system.violation_detail(state, property.name())).unwrap_or_default()
        }
        (Property::Termination, false) => format!("deadlock: {diagnosis}"),
        (Property::Termination, true) if violation.states.is_empty() => {
            "livelock: too little memory to reconstruct it".into()
        }
        (Property::Termination, true) if diagnosis.is_empty() => {
            "livelock: no request is outstanding, but messages are sent forever (a protocol that is meant to go on \
             declares QUIESCENT = false)"
                .into()
        }
        (Property::Termination, true) => format!("livelock: {diagnosis}"),
    }
}
