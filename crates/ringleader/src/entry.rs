//! One entry per protocol: all that can be done with it, its type erased.

use std::fmt;
use std::marker::PhantomData;
use std::ops;

use ringleader_check::{
    Answer, CheckQuery, CheckpointFile, Counterexample, Effort, Probabilities, Progress, SampleCounts, SampleLimits,
    StateGraph, Wakers,
};
use ringleader_exact::{Kernel, KernelRun};
use ringleader_model::{
    BadSetting, Bound, Clocks, Delays, Description, Figure, IdentityBound, Instance, Kind, Links, Message, PhaseBound,
    Place, Preset, Problem, Processor, Profile, Promised, Protocol, Quantity, Range, ReadersWriters, Scenario,
    Settings, Task,
};
use ringleader_protocols::election::tasks::{After, AnyElection, Elects, link_rules, task_kinds, task_rule};
use ringleader_protocols::retransmission::{LINK_RULES, Retransmitting, TwoWay, above_links};
#[cfg(feature = "inspect")]
use ringleader_sim::InspectableRun;
use ringleader_sim::{Choices, Resolved, Run, described};

use crate::about::About;
use crate::check::{Checked, MeanBounds, Proved, ProvedBounds, Violated, judge_bounds};
use crate::counterexample::{Configure, recorded, recorded_extreme};
use crate::execution::{EvaluatedBound, EvaluatedIdentityBound, EvaluatedPhaseBound};
use crate::options::{Engine, Options};
use crate::setup::Setup;
use executed::{Erased, Executed, ProblemSolved, erased, executed, executed_again};
#[cfg(feature = "inspect")]
use simulated::inspected;
pub(crate) use simulated::lean_run;
use simulated::{ErasedRun, MOST_BYTES, bytes_per_processor, not_causal, prepare, simulate_in_any_order};

mod executed;
mod linked;
mod simulated;

/// A protocol, its type erased. [`Of`] implements it for every [`Protocol`].
pub trait Entry: Sync {
    /// Its description.
    fn description(&self) -> &'static Description;
    /// What it is for.
    fn problem(&self) -> &'static str;
    /// The problems that it solves: what it is for, and readers and writers if its sites may have these roles.
    fn problems(&self) -> &'static [&'static str];
    /// The properties by which a run of this case is judged, beside that it terminates.
    fn properties(&self, case: &Case<'_>) -> Vec<&'static str>;
    /// What messages are for that are neither announcements nor part of a task.
    fn work(&self) -> &'static str;
    /// All that `info` shows.
    fn about(&self) -> About;
    /// Whether a leader's task may follow: it is an election that never elects two.
    fn has_tasks(&self) -> bool;
    /// Whether it can run above links that lose messages.
    fn can_retransmit(&self) -> bool;
    /// Whether its messages have phase numbers, by which links can tell them apart.
    fn has_message_phases(&self) -> bool;
    /// What its settings imply for a scenario.
    fn implied(&self, settings: &[(String, String)]) -> Result<Implied, BadSetting>;
    /// Whether its correctness rests on clocks under these settings, where each site makes this many requests.
    fn needs_clocks(&self, settings: &[(String, String)], entries: u64) -> Result<bool, BadSetting>;
    /// The roles of all processors in a scenario, by place.
    fn roles(&self, case: &Case<'_>) -> Result<Vec<u32>, BadSetting>;
    /// What is known about a scenario before it is run.
    fn evaluate(&self, case: &Case<'_>, task: Option<Task>) -> Result<Facts, BadSetting>;
    /// What is known about the passes of each identity of a scenario.
    fn identity_bound(&self, case: &Case<'_>) -> Result<Option<EvaluatedIdentityBound>, BadSetting>;
    /// What is known about the passes of each phase of a scenario.
    fn phase_bound(&self, case: &Case<'_>) -> Result<Option<EvaluatedPhaseBound>, BadSetting>;
    /// A run, at its very beginning.
    fn simulate(&self, setup: &Setup, choices: Choices) -> Result<Box<dyn Run>, BadSetting>;
    /// The memory that a processor takes at most in such a run, in bytes.
    fn bytes_per_processor(&self, setup: &Setup) -> usize;
    /// The same, to be looked into.
    #[cfg(feature = "inspect")]
    fn inspect(&self, setup: &Setup, choices: Choices) -> Result<Box<dyn InspectableRun>, BadSetting>;
    /// Explores every schedule of a scenario. `watch` is told how far the search is and says whether to go on.
    fn check(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Checked, BadSetting> {
        self.check_for(case, wakers, (effort, CheckQuery::default()), None, watch)
    }
    /// The same, and answers a query: extremes of costs, formulas of one's own. With a file for its checkpoints, it goes on
    /// from the last one.
    fn check_for(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        sought: (&Effort, CheckQuery<'_>),
        file: Option<&mut dyn CheckpointFile>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Checked, BadSetting>;
    /// Random schedules of a scenario. `choose` returns a random number below a bound.
    fn sample(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        limits: &SampleLimits,
        choose: &mut dyn FnMut(u64) -> u64,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(Checked, SampleCounts), BadSetting>;
    /// The reachable states of a scenario without clocks, if there are at most `limit`.
    fn graph(&self, case: &Case<'_>, wakers: &Wakers, limit: usize) -> Result<StateGraph, BadSetting>;
    /// The probability of each ending, over every schedule; of the first phases only, if a number is given.
    fn probabilities(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        phases: Option<u32>,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Probabilities, BadSetting>;
    /// What is proved about expected costs and the probability of error, for every schedule.
    fn mean_bounds(&self, case: &Case<'_>) -> Result<MeanBounds, BadSetting>;
    /// The properties of its type that engines ask for.
    fn profile(&self) -> Profile;
    /// The kernel for many small rings of the size of this case, if there is one for it.
    fn kernel(&self, case: &Case<'_>) -> Result<Option<ErasedKernel>, BadSetting>;
}

impl dyn Entry + '_ {
    /// As users write it.
    pub fn name(&self) -> &'static str {
        self.description().name
    }

    /// The words of a rule that a step applies, by its number from 1: behind those of the protocol come those of the tasks
    /// that may follow it, and of the layer below it.
    pub fn rule(&self, number: u8) -> Option<&'static str> {
        let own = self.description().rules;
        let behind = usize::from(number).checked_sub(own.len()).filter(|&behind| behind > 0);
        match behind {
            None => own.get(usize::from(number).checked_sub(1)?).copied(),
            Some(behind) if self.has_tasks() => task_rule(behind),
            Some(behind) => LINK_RULES.get(behind - 1).copied(),
        }
    }

    /// The numbers of the rules of the layer below it, counted from 1 behind its own.
    pub(crate) fn link_rules(&self) -> ops::Range<usize> {
        if self.has_tasks() { link_rules() } else { 1..LINK_RULES.len() + 1 }
    }
}

impl dyn Entry {
    /// Validates a scenario and everything that is set, once for all that is done with it. What [`Options`] leave out has the
    /// protocol's default; a [`Scenario`] leaves nothing out.
    pub fn set_up(&'static self, scenario: impl Into<Options>, settings: &[(&str, &str)]) -> Result<Setup, BadSetting> {
        let mut options = scenario.into();
        options.set.extend(settings.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())));
        Setup::new(self, options)
    }
}

impl fmt::Debug for dyn Entry + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scenario of a protocol with its settings, as engines take it.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The protocol.
    pub entry: &'static dyn Entry,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The protocol's parameters, as set.
    pub settings: &'a [(String, String)],
    /// The leader's task after the election.
    pub task: Option<Task>,
}

/// What a protocol and its settings imply for a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Implied {
    /// The links it runs on by default.
    pub links: Links,
    /// How many shared cells it needs besides its sites.
    pub cells: usize,
    /// Whether users ask over and over.
    pub visited: bool,
    /// Whether they stay.
    pub stays: bool,
    /// Whether some may read and others write.
    pub shared: bool,
}

/// What is known about a scenario before it is run.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The protocol's parameters, defaults included.
    pub parameters: Vec<(&'static str, String)>,
    /// What users should know about this scenario.
    pub notes: Vec<&'static str>,
    /// What its paper calls numbers of this scenario.
    pub figures: Vec<Figure>,
    /// What is proved or claimed, for this scenario.
    pub bounds: Vec<EvaluatedBound>,
    /// What messages are for that are neither announcements nor part of a task.
    pub work: &'static str,
    /// The kinds of messages that are sent.
    pub kinds: Vec<Kind>,
    /// Whether processors go through phases.
    pub phased: bool,
}

/// Phases for which bounds are evaluated: every protocol with such bounds has about log N.
const MOST_PHASES: u32 = 128;

/// A kernel for many small rings, its type erased.
pub type ErasedKernel = Box<dyn KernelRun>;

/// The [`Entry`] of a protocol.
pub struct Of<P> {
    /// A leader's task may follow.
    has_tasks: bool,
    /// How it is run with a task after it or a layer below it, where that is possible.
    composed: Option<Composed>,
    protocol: PhantomData<fn() -> P>,
}

/// A protocol with a task after it, or with the layer below it that sends messages again.
#[derive(Clone, Copy)]
struct Composed {
    evaluate: fn(&Case<'_>) -> Result<Facts, BadSetting>,
    simulate: fn(&Setup, Choices) -> Simulated,
    #[cfg(feature = "inspect")]
    inspect: fn(&Setup, Choices) -> Simulated<dyn InspectableRun>,
    check: CheckComposed,
    /// The protocol alone, on many small rings.
    kernel: fn(&Case<'_>) -> Result<Option<ErasedKernel>, BadSetting>,
}

/// Explores every schedule of a protocol and of what is composed with it.
type CheckComposed = fn(
    &Case<'_>,
    &Wakers,
    (&Effort, CheckQuery<'_>),
    Option<&mut dyn CheckpointFile>,
    &mut dyn FnMut(&Progress) -> bool,
) -> Result<Checked, BadSetting>;

/// A run at its very beginning, or what it does not suit.
type Simulated<R = dyn Run> = Result<Box<R>, BadSetting>;

impl<P: Protocol> Of<P> {
    /// The entry.
    pub const NEW: Self = Self { has_tasks: false, composed: None, protocol: PhantomData };

    /// How it is run, where it is not run alone.
    fn composed(&self, task: Option<Task>, scenario: &Scenario) -> Option<Composed> {
        self.composed.filter(|_| task.is_some() || scenario.retransmit.is_some())
    }
}

impl<P: Protocol<Network: TwoWay>> Of<P> {
    /// The entry of a protocol that can run above links that lose messages.
    pub const ABOVE_LINKS: Self = Self {
        has_tasks: false,
        composed: Some(Composed {
            evaluate: linked::evaluate::<P>,
            simulate: linked::simulate::<P, dyn Run>,
            #[cfg(feature = "inspect")]
            inspect: linked::simulate::<P, dyn InspectableRun>,
            check: linked::check::<P>,
            kernel: |_| Ok(None),
        }),
        protocol: PhantomData,
    };
}

impl<E: Elects> Of<E> {
    /// The entry of an election that never elects two: a leader's task may follow.
    pub const ELECTION: Self = Self {
        has_tasks: true,
        composed: Some(Composed {
            evaluate: evaluate_task::<E>,
            simulate: simulate_task::<E, dyn Run>,
            #[cfg(feature = "inspect")]
            inspect: simulate_task::<E, dyn InspectableRun>,
            check: check_task::<E>,
            kernel: kernel::<E>,
        }),
        protocol: PhantomData,
    };
}

impl<P: Protocol> Entry for Of<P> {
    fn description(&self) -> &'static Description {
        const { &P::DESCRIPTION }
    }

    fn problem(&self) -> &'static str {
        <P::Processor as Processor>::Problem::NAME
    }

    fn problems(&self) -> &'static [&'static str] {
        const {
            if P::READERS {
                &[<P::Processor as Processor>::Problem::NAME, ReadersWriters::NAME]
            } else {
                &[<P::Processor as Processor>::Problem::NAME]
            }
        }
    }

    fn properties(&self, case: &Case<'_>) -> Vec<&'static str> {
        let mut properties = <P::Processor as Processor>::Problem::PROPERTIES.to_vec();
        properties.extend(P::INVARIANTS.iter().map(|invariant| invariant.name));
        // What is composed with it makes promises of its own.
        let alone = self.composed(case.task, case.scenario).is_none();
        if let Some(protocol) =
            alone.then(|| configured::<P>(case.scenario, &Resolved::new(case.scenario), case.settings).ok()).flatten()
        {
            let judged = protocol.promises(case.scenario).iter().filter(|promised| !promised.is_existential());
            properties.extend(judged.map(Promised::name));
            properties.extend(protocol.lemmas(case.scenario).iter().map(|lemma| lemma.name));
        }
        properties
    }

    fn work(&self) -> &'static str {
        <P::Processor as Processor>::Problem::WORK
    }

    fn about(&self) -> About {
        About::new::<P>()
    }

    fn has_tasks(&self) -> bool {
        self.has_tasks
    }

    fn can_retransmit(&self) -> bool {
        self.composed.is_some()
    }

    fn has_message_phases(&self) -> bool {
        <<P::Processor as Processor>::Message as Message>::PHASED
    }

    fn implied(&self, settings: &[(String, String)]) -> Result<Implied, BadSetting> {
        let settings = Settings::new(P::DESCRIPTION.parameters, settings)?;
        let requests = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS;
        Ok(Implied {
            links: P::links(&settings),
            cells: P::cells(&settings),
            visited: requests.is_some(),
            stays: requests.is_some_and(|requests| requests.release.is_some()),
            shared: self.problems().contains(&ReadersWriters::NAME),
        })
    }

    fn needs_clocks(&self, settings: &[(String, String)], entries: u64) -> Result<bool, BadSetting> {
        Ok(P::needs_clocks(&Settings::new(P::DESCRIPTION.parameters, settings)?, entries))
    }

    fn roles(&self, case: &Case<'_>) -> Result<Vec<u32>, BadSetting> {
        let protocol: P = for_every_schedule(case)?;
        Ok((0..case.scenario.n as Place).map(|place| protocol.role(place)).collect())
    }

    fn identity_bound(&self, case: &Case<'_>) -> Result<Option<EvaluatedIdentityBound>, BadSetting> {
        if P::IDENTITY_BOUNDS.is_empty() {
            return Ok(None);
        }
        let resolved = Resolved::new(case.scenario);
        let instance = resolved.instance(case.scenario);
        let protocol = P::configure(&Settings::new(P::DESCRIPTION.parameters, case.settings)?, &instance)?;
        let mut ids = case.scenario.identities().list().into_owned();
        ids.sort_unstable();
        Ok(P::IDENTITY_BOUNDS.iter().find_map(|&IdentityBound { formula, value, source, counts }| {
            let values: Option<_> = ids.iter().map(|&id| value(&protocol, &instance, id)).collect();
            Some(EvaluatedIdentityBound { formula, values: values?, source, counts })
        }))
    }

    fn phase_bound(&self, case: &Case<'_>) -> Result<Option<EvaluatedPhaseBound>, BadSetting> {
        if P::PHASE_BOUNDS.is_empty() {
            return Ok(None);
        }
        let resolved = Resolved::new(case.scenario);
        let instance = resolved.instance(case.scenario);
        let protocol = P::configure(&Settings::new(P::DESCRIPTION.parameters, case.settings)?, &instance)?;
        Ok(P::PHASE_BOUNDS.iter().find_map(|&PhaseBound { formula, value, source, counts }| {
            let values: Vec<_> = (0..MOST_PHASES).map(|phase| value(&protocol, &instance, phase)).collect();
            let applies = values.iter().any(Option::is_some);
            applies.then_some(EvaluatedPhaseBound { formula, values, source, counts })
        }))
    }

    fn evaluate(&self, case: &Case<'_>, task: Option<Task>) -> Result<Facts, BadSetting> {
        match self.composed(task, case.scenario) {
            Some(composed) => (composed.evaluate)(&Case { task, ..*case }),
            None => evaluate::<P>(case).map(|(_, facts)| facts),
        }
    }

    fn simulate(&self, setup: &Setup, choices: Choices) -> Simulated {
        match self.composed(setup.task, &setup.scenario) {
            Some(_) if setup.given.engine == Some(Engine::Causal) => {
                Err(not_causal("it has a task, or messages are sent again"))
            }
            Some(composed) => (composed.simulate)(setup, choices),
            None => simulate_in_any_order::<P>(setup, choices),
        }
    }

    fn bytes_per_processor(&self, setup: &Setup) -> usize {
        if self.composed(setup.task, &setup.scenario).is_some() { MOST_BYTES } else { bytes_per_processor::<P>(setup) }
    }

    #[cfg(feature = "inspect")]
    fn inspect(&self, setup: &Setup, choices: Choices) -> Simulated<dyn InspectableRun> {
        match self.composed(setup.task, &setup.scenario) {
            Some(composed) => (composed.inspect)(setup, choices),
            None => inspected::<P>(setup, choices),
        }
    }

    fn check_for(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        sought: (&Effort, CheckQuery<'_>),
        file: Option<&mut dyn CheckpointFile>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Checked, BadSetting> {
        if let Some(composed) = self.composed(case.task, case.scenario) {
            return (composed.check)(case, wakers, sought, file, watch);
        }
        let protocol: P = for_every_schedule(case)?;
        let (proved, bounds) = with_bounds(&protocol, |bounds| {
            (bounds.most_messages(case.scenario), bounds.of_all_schedules(case.scenario, wakers))
        });
        explore(executed(protocol), &executed_again::<P>, (proved, bounds), (case, wakers), sought, file, watch)
    }

    fn sample(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        limits: &SampleLimits,
        choose: &mut dyn FnMut(u64) -> u64,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(Checked, SampleCounts), BadSetting> {
        if IN_A_PAGE {
            return Err(not_in_a_page("simulate"));
        }
        let protocol: P = for_every_schedule(case)?;
        let sample = ringleader_check::sample(executed(protocol), case.scenario, wakers, limits, choose, watch)?;
        let query = CheckQuery::default();
        Ok((checked::<Executed<P>>(case, &executed_again::<P>, query, sample.answer), sample.counts))
    }

    fn graph(&self, case: &Case<'_>, wakers: &Wakers, limit: usize) -> Result<StateGraph, BadSetting> {
        if IN_A_PAGE {
            return Err(not_in_a_page("dot"));
        }
        let protocol = executed(for_every_schedule::<P>(case)?);
        ringleader_check::state_graph(protocol, case.scenario, wakers, limit, described)
    }

    fn probabilities(
        &self,
        case: &Case<'_>,
        wakers: &Wakers,
        phases: Option<u32>,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Probabilities, BadSetting> {
        if IN_A_PAGE {
            return Err(not_in_a_page("probability"));
        }
        ringleader_check::probabilities(for_every_schedule::<P>(case)?, case.scenario, wakers, phases, effort, watch)
    }

    fn mean_bounds(&self, case: &Case<'_>) -> Result<MeanBounds, BadSetting> {
        Ok(with_bounds(&for_every_schedule::<P>(case)?, |bounds| bounds.means(case.scenario)))
    }

    fn profile(&self) -> Profile {
        Profile::of::<P>()
    }

    fn kernel(&self, case: &Case<'_>) -> Result<Option<ErasedKernel>, BadSetting> {
        self.composed.map_or(Ok(None), |composed| (composed.kernel)(case))
    }
}

/// An answer without the types of its protocol, its counterexample recorded, and without what is proved.
fn checked<P: Protocol>(
    case: &Case<'_>,
    again: Configure<'_, P>,
    query: CheckQuery<'_>,
    answer: Answer<P::Processor>,
) -> Checked {
    let Answer { judgements, progress, quiescent: quiet, most_messages: most, extremes, ran_out, fired, .. } = answer;
    let violated = |found: Counterexample<P::Processor>| Violated {
        property: found.property,
        steps: found.steps,
        repeats_from: found.repeats_from,
        ports: found.ports.clone(),
        run: recorded::<P>(case, &found, again).map(|run| run.violating(found.property, query.specification)),
    };
    let counterexample = answer.counterexample.map(violated);
    let extreme = answer.extreme.map(|run| recorded_extreme::<P>(case, &run, again, query.extremes, &extremes));
    let (proved, bounds) = (None, Vec::new());
    Checked { judgements, progress, quiet, most, ran_out, proved, fired, counterexample, extremes, bounds, extreme }
}

/// The protocol, configured for a scenario.
pub(crate) fn configured<P: Protocol>(
    scenario: &Scenario,
    resolved: &Resolved,
    settings: &[(String, String)],
) -> Result<P, BadSetting> {
    let settings = Settings::new(P::DESCRIPTION.parameters, settings)?;
    P::configure(&settings, &resolved.instance(scenario))
}

/// What no page asks for is not compiled for one: it would take longer to load.
const IN_A_PAGE: bool = cfg!(target_family = "wasm");

fn not_in_a_page(option: &'static str) -> BadSetting {
    BadSetting::new(option, "is asked for in a page", "in a terminal")
}

/// The protocol for every schedule of a scenario.
fn for_every_schedule<P: Protocol>(case: &Case<'_>) -> Result<P, BadSetting> {
    let open = left_open(case.scenario, case.scenario.timing.r, case.scenario.timing.d);
    configured(&open, &Resolved::new(&open), case.settings)
}

/// A scenario in which nothing is decided before it begins: who wakes when, which clock goes how fast.
pub(crate) fn left_open(scenario: &Scenario, r: Range, d: Range) -> Scenario {
    let mut open = scenario.clone();
    (open.timing.r, open.timing.d) = (r, d);
    (open.timing.clocks, open.timing.delays) = (Clocks::Varying, Delays::Uniform);
    open
}

fn evaluate<P: Protocol>(case: &Case<'_>) -> Result<(P, Facts), BadSetting> {
    let resolved = Resolved::new(case.scenario);
    let instance = resolved.instance(case.scenario);
    let settings = Settings::new(P::DESCRIPTION.parameters, case.settings)?;
    let protocol = P::configure(&settings, &instance)?;
    let facts = Facts {
        parameters: settings.iter().map(|(key, value)| (key, value.to_string())).collect(),
        notes: protocol.notes(&instance),
        figures: protocol.figures(&instance),
        bounds: evaluated(&protocol, &instance),
        work: <P::Processor as Processor>::Problem::WORK,
        kinds: sent_kinds(&protocol),
        phased: protocol.profile().phased,
    };
    Ok((protocol, facts.without_clocks(case.scenario.untimed, P::DESCRIPTION.assumptions.timed)))
}

impl Facts {
    /// What is left of them where there are no clocks. `timed`: the protocol rests on them.
    fn without_clocks(mut self, untimed: bool, timed: bool) -> Self {
        if untimed {
            self.figures.clear();
            if timed {
                let note =
                    "this protocol rests on how long steps and messages take: without clocks it promises nothing";
                self.notes.push(note);
            }
        }
        self
    }
}

fn evaluate_task<E: Elects>(case: &Case<'_>) -> Result<Facts, BadSetting> {
    let (election, mut facts) = evaluate::<E>(case)?;
    facts.kinds.extend(case.task.into_iter().flat_map(task_kinds));
    facts.work = <<After<E> as Protocol>::Processor as Processor>::Problem::WORK;
    if case.scenario.retransmit.is_none() {
        let after = followed_by(election, case.task, case.scenario);
        let bounds = evaluated(&after, &Resolved::new(case.scenario).instance(case.scenario));
        facts.bounds = before_task(facts.bounds, bounds);
        return Ok(facts);
    }
    // How long a message takes above the layer is not known: what holds without clocks is proved.
    let above = Scenario { untimed: true, ..above_links(case.scenario) };
    let resolved = Resolved::new(&above);
    let election_bounds = evaluated(&election, &resolved.instance(&above));
    let after = followed_by(election, case.task, &above);
    facts.bounds = before_task(election_bounds, evaluated(&after, &resolved.instance(&above)));
    facts.figures.clear();
    Ok(facts.above_links(const { &E::DESCRIPTION }, case.scenario, &above))
}

/// An election, and then its task, if there is one.
fn followed_by<E: Elects>(election: E, task: Option<Task>, scenario: &Scenario) -> After<E> {
    let after = match task {
        Some(task) => After::new(election, task),
        None => After::alone(election),
    };
    after.with_values(scenario)
}

/// Explores every schedule of a protocol. `again` configures it for the run of a counterexample.
fn explore<P: Protocol>(
    protocol: P,
    again: Configure<'_, P>,
    (proved, bounds): (Option<Proved>, Vec<EvaluatedBound>),
    (case, wakers): (&Case<'_>, &Wakers),
    sought: (&Effort, CheckQuery<'_>),
    file: Option<&mut dyn CheckpointFile>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Checked, BadSetting> {
    let answer = ringleader_check::check_saved(protocol, case.scenario, wakers, sought, file, watch)?;
    // The bounds of a protocol that goes on forever are about its runs up to a horizon.
    let ends = P::QUIESCENT && <P::Processor as Processor>::Problem::QUIESCENT;
    let bounds = if ends { judge_bounds(bounds, &answer.extremes, case.scenario) } else { Vec::new() };
    Ok(Checked { proved, bounds, ..checked::<P>(case, again, sought.1, answer) })
}

/// Explores every schedule of an election and of the task after it. Its type is erased: it is compiled once for each kind of
/// network.
fn check_task<E: Elects>(
    case: &Case<'_>,
    wakers: &Wakers,
    sought: (&Effort, CheckQuery<'_>),
    file: Option<&mut dyn CheckpointFile>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Checked, BadSetting> {
    let election: E = for_every_schedule(case)?;
    let after = followed_by(for_every_schedule::<E>(case)?, case.task, case.scenario);
    let bounds = |instance: &Instance<'_>| before_task(evaluated(&election, instance), evaluated(&after, instance));
    let mut sent = sent_kinds(&election);
    sent.extend(case.task.into_iter().flat_map(task_kinds));
    let proved = ProvedBounds { description: const { &E::DESCRIPTION }, sent: &sent, evaluate: &bounds };
    let Some(ticks) = case.scenario.retransmit else {
        let proved = (proved.most_messages(case.scenario), proved.of_all_schedules(case.scenario, wakers));
        let again = |setup: &Setup, resolved: &Resolved| {
            let election: E = configured(&setup.scenario, resolved, &setup.settings)?;
            Ok(erased(followed_by(AnyElection::new(election), case.task, &setup.scenario)))
        };
        let after = followed_by(AnyElection::new(election), case.task, case.scenario);
        return explore(erased(after), &again, proved, (case, wakers), sought, file, watch);
    };
    let of_all = linked::of_all_schedules(&proved, (case.scenario, &above_links(case.scenario)), wakers);
    let again = |setup: &Setup, resolved: &Resolved| {
        let election: E = configured(&setup.scenario, resolved, &setup.settings)?;
        let after = followed_by(AnyElection::new(election), case.task, &setup.scenario);
        Ok(erased(Retransmitting::new(after, ticks, &setup.scenario)))
    };
    let after = followed_by(AnyElection::new(election), case.task, case.scenario);
    let linked = Retransmitting::new(after, ticks, case.scenario);
    explore(erased(linked), &again, (None, of_all), (case, wakers), sought, file, watch)
}

/// The bounds of an election and of the task after it: those on the whole of an election say nothing about what follows.
fn before_task(mut election: Vec<EvaluatedBound>, task: Vec<EvaluatedBound>) -> Vec<EvaluatedBound> {
    election.extend(task);
    election.retain(|bound| {
        let whole = [Quantity::Messages, Quantity::Bits, Quantity::Time, Quantity::AnnouncementTime, Quantity::Depth];
        !whole.contains(&bound.quantity)
    });
    election
}

/// The kinds of messages that a protocol sends.
fn sent_kinds<P: Protocol>(protocol: &P) -> Vec<Kind> {
    let mut sent = Vec::new();
    for &kind in <P::Processor as Processor>::Message::KINDS {
        if protocol.sends(kind) {
            sent.push(kind);
        }
    }
    sent
}

/// What is proved about a protocol.
fn with_bounds<P: Protocol, T>(protocol: &P, judge: impl FnOnce(&ProvedBounds<'_>) -> T) -> T {
    let sent = sent_kinds(protocol);
    let evaluate = |instance: &Instance<'_>| evaluated(protocol, instance);
    judge(&ProvedBounds { description: const { &P::DESCRIPTION }, sent: &sent, evaluate: &evaluate })
}

/// The bounds of a protocol that say something about an instance.
fn evaluated<P: Protocol>(protocol: &P, instance: &Instance<'_>) -> Vec<EvaluatedBound> {
    let mut evaluated = Vec::new();
    for bound in P::BOUNDS {
        // Without clocks nothing takes any time, and what rests on it is not proved.
        let timeless = !bound.quantity.is_time() && !P::DESCRIPTION.assumptions.timed;
        if (!instance.untimed || timeless)
            && let Some(value) = (bound.value)(protocol, instance)
        {
            let Bound { quantity, kind, formula, source, counts, .. } = *bound;
            let without_clocks = || (bound.value)(protocol, &Instance { untimed: true, ..*instance });
            let timeless = timeless && !instance.timing.changes.is_empty() && without_clocks() == Some(value);
            let bound = EvaluatedBound { quantity, kind, formula, value, source, counts, before: None };
            evaluated.extend(bound.under(instance.timing, timeless));
        }
    }
    evaluated
}

fn simulate_task<E: Elects, R: ErasedRun + ?Sized>(setup: &Setup, choices: Choices) -> Simulated<R> {
    let resolved = Resolved::new(&setup.scenario);
    let election: E = configured(&setup.scenario, &resolved, &setup.settings)?;
    let after = followed_by(AnyElection::new(election), setup.task, &setup.scenario);
    match setup.scenario.retransmit {
        None => prepare(erased(after), setup, resolved, choices),
        Some(ticks) => {
            let linked = Retransmitting::new(after, ticks, &setup.scenario);
            prepare(erased(linked), setup, resolved, choices)
        }
    }
}

/// The kernel of an election on small rings. Where none can be used, none is compiled.
fn kernel<E: Elects>(case: &Case<'_>) -> Result<Option<ErasedKernel>, BadSetting> {
    if const {
        let assumptions = E::DESCRIPTION.assumptions;
        IN_A_PAGE
            || !assumptions.topology.is_ring()
            || !assumptions.identities
            || !matches!(assumptions.preset, Preset::Unit)
    } {
        return Ok(None);
    }
    let protocol: E = configured(case.scenario, &Resolved::new(case.scenario), case.settings)?;
    Ok(Kernel::new(protocol, case.scenario.n).ok().map(|kernel| Box::new(kernel) as ErasedKernel))
}
