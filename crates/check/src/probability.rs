//! Exact probabilities and expected costs of a Markov decision process.
//!
//! The scheduler chooses events, and its choices have no probabilities; processors make random choices, which have. So
//! every figure is a minimum and a maximum over all schedulers, and where nothing is left to the scheduler (in lock
//! step) the two are equal.
//!
//! # Endings
//! A run terminates in a quiescent state: optional transitions (a wake-up, a request) need not be taken, except from
//! the initial state. Its ending is what the monitor says then. A run that does not terminate stays, but for
//! probability 0, in an end component \[DeAlfaro1997\]. Its ending is what the monitor says there, forever.
//!
//! # Schedulers
//! Weakly fair ones ([`graph::fairness`](crate::graph::fairness)), which know the history with all past random choices
//! and none of those to come. An end component is an ending only if such a scheduler can stay in it. Every fair
//! scheduler leaves the others with probability 1, by an action and at a time of its choice: each is merged into one
//! state with all actions that leave it. The optimum over all schedulers of the result is attained by a memoryless one.
//! A fair scheduler has the same value: it follows the memoryless one outside end components, where runs are finite
//! with probability 1 and so cannot be unfair; in a merged component it goes to the action that leaves it, which takes
//! finitely many steps; and in an ending it visits everything. That a scheduler may defer leaving as long as it likes
//! changes no probability, but may make an expected cost unbounded. The minimal probability of an ending is 1 less the
//! maximal probability of all others together.
//!
//! # Expected costs
//! A stochastic shortest path problem (Bertsekas and Tsitsiklis 1991), where every fair scheduler terminates with
//! probability 1. End components without cost are merged, as above. One with a cost may be left: for the minimum it
//! does no harm, since staying costs infinitely much; for the maximum a scheduler may defer leaving, so that it is
//! unbounded.
//!
//! Where the expected cost does not depend on the scheduler, whatever has happened before, E(X^2) satisfies linear
//! optimality equations of its own, in which the expected costs are constants: so the variance, too, has a minimum and
//! a maximum. Elsewhere it is a trade-off of a mean and a second moment, and is left out.
//!
//! # Exactness
//! Numbers are fractions, and states are compared as vectors, not by fingerprint. There are no reductions: they
//! preserve neither fairness nor expected costs.

mod explicit_mdp;
mod explicit_model;
mod linear_equations;
mod mdp;
mod policy_iteration;
mod rationals;
mod solve;
#[cfg(test)]
mod tests;

use num_rational::BigRational;
use num_traits::{One, Zero};
use ringleader_model::{BadSetting, Monitor, Outcome, Place, Ports, Protocol, Scenario};

use self::explicit_mdp::{ExplicitMdp, MAX_LAG};
pub use self::explicit_model::{ExplicitModel, label_of};
use crate::answer::{Effort, Progress, SearchLimit, Wakers};
use crate::interner::Interned;
use crate::panics::StepPanics;
use crate::program::{InitialState, TypedProgram};
use crate::reductions::Reductions;
use crate::timed::TimedSystem;
use crate::transition_system::{Successors, TransitionSystem};
use crate::untimed::UntimedSystem;
use crate::validate;

/// Probabilities of all endings, and expected costs.
///
/// ```
/// use ringleader_check::{BigRational, Effort, Measure, Wakers, probabilities};
/// use ringleader_model::{Preset, Protocol, Reading, Scenario, Settings};
/// use ringleader_protocols::election::itai_rodeh_sync::ItaiRodehSync;
/// use ringleader_sim::Resolved;
///
/// let timing = Preset::Rounds.timing(Reading::Immediate);
/// let scenario = Scenario { n: 2, timing, ..Scenario::default() };
/// let instance = Resolved::new(&scenario);
/// let protocol = ItaiRodehSync::configure(&Settings::new(&[], &[])?, &instance.instance(&scenario))?;
/// let effort = Effort::default();
/// let found = probabilities(protocol, &scenario, &Wakers::Together, None, &effort, &mut |_| true)?;
/// // Each of two candidates marks itself with probability 1/2; a phase elects if exactly one does.
/// assert_eq!(found.endings[0].name, "1 leader");
/// assert_eq!(found.termination.least, BigRational::from_integer(1.into()));
/// let phases = &found.expected_costs[0];
/// assert_eq!((phases.measure, &phases.least), (Measure::Phases, &BigRational::from_integer(2.into())));
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probabilities {
    /// Every ending that has a positive probability under some scheduler, sorted by name.
    pub endings: Vec<RunEnding>,
    /// The probability of error: a run ends with more than one leader.
    pub error: ProbabilityRange,
    /// Some state leaves a choice to the scheduler. If not, every minimum equals its maximum.
    pub nondeterministic: bool,
    /// The probability of termination; where phases are bounded, of termination within them.
    pub termination: ProbabilityRange,
    /// Expected costs of a run, where every scheduler terminates with probability 1; none elsewhere.
    pub expected_costs: Vec<ExpectedCost>,
    /// The Markov decision process; `None` if it was not explored.
    pub model: Option<ExplicitModel>,
    /// The size of the explored part.
    pub progress: Progress,
    /// The limit for which there is no answer; `None` if there is one.
    pub ran_out: Option<SearchLimit>,
}

/// An ending of runs, and its probability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunEnding {
    /// In words.
    pub name: String,
    /// Its probability.
    pub probability: ProbabilityRange,
}

/// A probability, over all schedulers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbabilityRange {
    /// The minimum.
    pub least: BigRational,
    /// The maximum.
    pub greatest: BigRational,
}

/// An expected cost, over all schedulers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedCost {
    /// The cost.
    pub measure: Measure,
    /// The minimum.
    pub least: BigRational,
    /// The maximum; `None` if it is unbounded.
    pub greatest: Option<BigRational>,
    /// The variance, where the expected cost is the same for all schedulers, from every state; `None` elsewhere.
    pub variance: Option<VarianceRange>,
}

/// The variance of a cost, over all schedulers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarianceRange {
    /// The minimum.
    pub least: BigRational,
    /// The maximum.
    pub greatest: BigRational,
}

/// A cost of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Measure {
    /// The highest phase or round that any processor reaches.
    Phases,
    /// Message passes.
    Messages,
    /// The time of termination.
    Time,
}

impl Measure {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phases => "phases",
            Self::Messages => "messages",
            Self::Time => "time",
        }
    }
}

/// The probabilities of all endings of a protocol that was configured for a scenario, and its expected costs. With
/// `phases`, runs are explored only until a later phase would begin, which is an ending of its own, and there are no
/// expected costs. `watch` receives the progress and returns false to interrupt.
///
/// # Errors
/// As [`check`](crate::check); also if `phases` is given for a protocol without phases.
pub fn probabilities<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    phases: Option<u32>,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Probabilities, BadSetting> {
    validate(&P::DESCRIPTION.assumptions, scenario, wakers)?;
    if scenario.ports == Ports::All {
        // A scheduler that chooses the numbering of ports in the course of a run could let it depend on coins.
        return Err(BadSetting::new("ports", "is all", "one numbering where there are probabilities: plain or a list"));
    }
    let mut program = TypedProgram::new(protocol);
    let initial = program.initial_state(scenario)?;
    probabilities_from(initial, program.panics(), scenario, wakers, phases, effort, watch)
}

fn probabilities_from(
    initial: InitialState,
    mut panics: StepPanics,
    scenario: &Scenario,
    wakers: &Wakers,
    phases: Option<u32>,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Probabilities, BadSetting> {
    let invalid_port = initial.links.invalid_port();
    let mut watch = |progress: &Progress| watch(progress) && invalid_port.check().is_ok() && panics.is_empty();
    let found = if scenario.untimed {
        probabilities_of(
            &mut UntimedSystem::new(initial, scenario, wakers, Reductions::NONE)?,
            phases,
            effort,
            &mut watch,
        )
    } else {
        probabilities_of(
            &mut TimedSystem::new(initial, scenario, wakers, Reductions::NONE)?,
            phases,
            effort,
            &mut watch,
        )
    };
    invalid_port.check()?;
    panics.refuse("probability")?;
    found
}

fn probabilities_of(
    system: &mut dyn ProbabilisticSystem,
    phases: Option<u32>,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Probabilities, BadSetting> {
    if phases.is_some() && !system.is_phased() {
        return Err(BadSetting::new("max-phases", "is given", "nothing: this protocol has no phases"));
    }
    let mut mdp = ExplicitMdp::new(phases);
    let mut ran_out = mdp.explore(system, effort, watch).err();
    let mut found = Probabilities {
        endings: Vec::new(),
        error: ProbabilityRange { least: BigRational::zero(), greatest: BigRational::one() },
        nondeterministic: mdp.nondeterministic,
        termination: ProbabilityRange { least: BigRational::zero(), greatest: BigRational::one() },
        expected_costs: Vec::new(),
        model: None,
        progress: mdp.progress,
        ran_out,
    };
    if mdp.lag_unknown && phases.is_some() {
        let wrong = format!("is given, and some processors go on that are {MAX_LAG} phases or more behind others");
        return Err(BadSetting::new("max-phases", wrong, "nothing: it is not known then which phase is the highest"));
    }
    if ran_out.is_none() {
        let progress = mdp.progress;
        let solved = mdp.solve(system, &mut found, &mut || watch(&progress));
        ran_out = if solved.is_none() { Some(SearchLimit::Interrupted) } else { None };
    }
    found.ran_out = ran_out;
    Ok(found)
}

/// A transition system with probabilities and costs.
pub(crate) trait ProbabilisticSystem: TransitionSystem {
    /// True if a transition takes one unit of time.
    fn is_timed(&self) -> bool;
    /// True if a run may end in a state with these successors.
    fn may_end(&mut self, _state: &[Interned], successors: &Successors) -> bool {
        successors.is_quiescent()
    }

    /// The phases that grow in the transitions of a state, sorted by transition.
    fn advances(&mut self, state: &[Interned], advances: &mut Vec<PhaseAdvance>);
}

/// The phase of a place grows in a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PhaseAdvance {
    /// Its index.
    pub(crate) transition: usize,
    pub(crate) place: Place,
    pub(crate) by: u32,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ResultLabel {
    /// In few words.
    pub(crate) name: String,
    /// There is more than one leader.
    pub(crate) error: bool,
}

pub(crate) fn label<M: Monitor>(monitor: &M) -> ResultLabel {
    let counted = |count: u64, what: &str| match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let mut error = false;
    let result = match monitor.outcome() {
        Outcome::Election { leaders, .. } => {
            error = leaders.len() > 1;
            counted(leaders.len() as u64, "leader")
        }
        Outcome::Tokens { tokens } => counted(tokens, "token"),
        Outcome::Entries { .. } | Outcome::Data { .. } | Outcome::Work => {
            if monitor.waiting() {
                "unfinished".into()
            } else {
                "finished".into()
            }
        }
    };
    let name = match monitor.violations() {
        [] => result,
        [first, ..] => format!("{result}, violated: {}", first.property),
    };
    ResultLabel { name, error }
}
