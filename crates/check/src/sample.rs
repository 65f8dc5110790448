//! Statistical model checking: random schedules, for state spaces that are too large to be explored.
//!
//! In each state every action is equally likely, faults and optional actions included; random choices of processors have
//! their own probabilities. A schedule ends in a state without successors (with clocks: in which only clocks go on), in a
//! state that violates a property, or after a number of steps; where users make requests of a protocol that goes on
//! forever, once all are served. Such a sample never shows that a property holds, and it
//! shows no livelock.

use ringleader_model::{BadSetting, Processor, Promises, Protocol, Scenario};

use crate::answer::{Answer, Effort, MaxMessages, Progress, Property, SearchLimit, Wakers};
use crate::checkpoint::WatchedSearch;
use crate::extremes::Extremes;
use crate::interner::Interned;
use crate::probability::ProbabilisticSystem;
use crate::program::InitialState;
use crate::reductions::Reductions;
use crate::search::{PropertyViolation, SearchResult, follow};
use crate::timed::{TimedSystem, timed_schedule};
use crate::transition_system::{Monitored, Reconstruct, Successors, fingerprint};
use crate::untimed::UntimedSystem;
use crate::{UntypedAnswer, UntypedSchedule, judged, judged_program, typed};

/// Limits of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleLimits {
    /// The number of schedules. The first that violates a property is the last.
    pub schedules: u64,
    /// The greatest number of steps, or units of time, of one schedule.
    pub steps: u64,
    /// The same where a protocol goes on forever and nobody makes a request.
    pub endless: u64,
    /// The greatest number of bytes that may be held.
    pub bytes: u64,
}

/// Random schedules of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleSample<P: Processor> {
    /// Every property is violated or unknown. Of the progress only the transitions, and as depth the steps of the longest
    /// schedule are counted.
    pub answer: Answer<P>,
    /// What was counted.
    pub counts: SampleCounts,
}

/// The schedules of a sample, and their message passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleCounts {
    /// The number of schedules, the violating one included.
    pub schedules: u64,
    /// Those that ended without a violation.
    pub complete: u64,
    /// Those that were cut off.
    pub cut_off: u64,
    /// The number of steps after which a schedule is cut off.
    pub longest: u64,
    /// The fewest message passes of a complete schedule; `u64::MAX` if there is none.
    pub least: u64,
    /// The most.
    pub greatest: u64,
    /// The sum over all complete schedules.
    pub sum: u128,
    /// The sum of their squares.
    pub squares: u128,
}

impl Default for SampleCounts {
    fn default() -> Self {
        Self { schedules: 0, complete: 0, cut_off: 0, longest: 0, least: u64::MAX, greatest: 0, sum: 0, squares: 0 }
    }
}

impl SampleCounts {
    /// Those of two samples.
    pub fn add(&mut self, other: &Self) {
        self.schedules += other.schedules;
        self.complete += other.complete;
        self.cut_off += other.cut_off;
        self.longest = other.longest;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn complete(&mut self, messages: u64) {
        self.complete += 1;
        self.least = self.least.min(messages);
        self.greatest = self.greatest.max(messages);
        self.sum += u128::from(messages);
        self.squares += u128::from(messages) * u128::from(messages);
    }
}

/// Makes random schedules of those that [`check`](crate::check) explores. `choose` receives a bound and returns a random
/// number below it; `watch` receives the progress now and then, and returns false to interrupt.
///
/// ```
/// use ringleader_check::{CheckVerdict, SampleLimits, Wakers, sample};
/// use ringleader_model::Scenario;
/// use ringleader_protocols::election::lelann::LeLann;
///
/// let scenario = Scenario { n: 2, ids: vec![1, 2], untimed: true, ..Scenario::default() };
/// let limits = SampleLimits { schedules: 10, steps: 100, endless: 100, bytes: 1 << 30 };
/// let sample = sample(LeLann, &scenario, &Wakers::Anybody, &limits, &mut |_| 0, &mut |_| true)?;
/// assert_eq!(sample.answer.verdict(), CheckVerdict::Unknown);
/// assert_eq!((sample.counts.complete, sample.counts.least), (10, 4)); // each identity makes a round of two links
/// # Ok::<(), ringleader_model::BadSetting>(())
/// ```
///
/// # Errors
/// As [`check`](crate::check).
pub fn sample<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    limits: &SampleLimits,
    choose: &mut dyn FnMut(u64) -> u64,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<ScheduleSample<P::Processor>, BadSetting> {
    let (mut program, initial) = judged_program(protocol, scenario, wakers)?;
    let (untyped, counts) = draw(initial, scenario, wakers, limits, choose, watch)?;
    Ok(ScheduleSample { answer: typed(&mut program, None, untyped), counts })
}

fn draw(
    initial: InitialState,
    scenario: &Scenario,
    wakers: &Wakers,
    limits: &SampleLimits,
    choose: &mut dyn FnMut(u64) -> u64,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(UntypedAnswer, SampleCounts), BadSetting> {
    let invalid_port = initial.links.invalid_port();
    let mut watch = |progress: &Progress| watch(progress) && invalid_port.check().is_ok();
    let drawn = if scenario.untimed {
        let mut system = UntimedSystem::new(initial, scenario, wakers, Reductions::NONE)?;
        let endless = !system.must_quiesce() && scenario.workload.is_none();
        let (result, counts) = Sampler::new(&mut system, limits, endless, choose).run(&mut watch);
        let judged = judged(&mut system, result, &[], &Effort::default(), &mut WatchedSearch::new(&mut watch));
        (judged.with_schedule(|_, actions| UntypedSchedule::Untimed(actions)), counts)
    } else {
        let mut system = TimedSystem::new(initial, scenario, wakers, Reductions::NONE)?;
        let endless = !system.must_quiesce() && scenario.workload.is_none();
        let (result, counts) = Sampler::new(&mut system, limits, endless, choose).run(&mut watch);
        let judged = judged(&mut system, result, &[], &Effort::default(), &mut WatchedSearch::new(&mut watch));
        let schedule = |initial: Vec<Interned>, instants: Vec<_>| {
            UntypedSchedule::Timed(Box::new(timed_schedule(&mut system, &initial, instants)))
        };
        (judged.with_schedule(schedule), counts)
    };
    invalid_port.check()?;
    Ok(drawn)
}

/// A transition system whose runs come to an end, as far as nothing must happen any more.
pub(crate) trait EndingSystem: Reconstruct + ProbabilisticSystem {
    /// True if a user may still make a request.
    fn has_requests(&mut self, state: &[Interned], successors: &Successors) -> bool;
}

impl EndingSystem for UntimedSystem {
    fn has_requests(&mut self, _: &[Interned], successors: &Successors) -> bool {
        successors.transitions.iter().any(|transition| transition.optional)
    }
}

/// The end of a schedule.
enum ScheduleEnd {
    Complete,
    Violating(Vec<Property>),
    CutOff,
    Limited(SearchLimit),
}

/// Makes random schedules of a transition system.
struct Sampler<'a, S> {
    system: &'a mut S,
    limits: &'a SampleLimits,
    /// The protocol goes on forever, and nobody makes a request.
    endless: bool,
    choose: &'a mut dyn FnMut(u64) -> u64,
    progress: Progress,
    successors: Successors,
    /// Of the present schedule: the index of its initial state.
    initial_state: usize,
    transitions: Vec<usize>,
    messages: u64,
}

/// Steps between two looks at the watch.
const SLICE: u64 = 64;

impl<'a, S: EndingSystem> Sampler<'a, S> {
    fn new(system: &'a mut S, limits: &'a SampleLimits, endless: bool, choose: &'a mut dyn FnMut(u64) -> u64) -> Self {
        Self {
            system,
            limits,
            endless,
            choose,
            progress: Progress::default(),
            successors: Successors::default(),
            initial_state: 0,
            transitions: Vec::new(),
            messages: 0,
        }
    }

    /// The number of steps after which a schedule is cut off.
    fn longest(&self) -> u64 {
        if self.endless { self.limits.endless } else { self.limits.steps }
    }

    fn run(mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> (SearchResult, SampleCounts) {
        let mut counts = SampleCounts { longest: self.longest(), ..SampleCounts::default() };
        let (mut violations, mut ran_out) = (Vec::new(), None);
        while counts.schedules < self.limits.schedules && violations.is_empty() && ran_out.is_none() {
            let end = self.schedule(watch);
            self.progress.depth = self.progress.depth.max(self.transitions.len() as u64);
            counts.schedules += u64::from(!matches!(end, ScheduleEnd::Limited(_)));
            match end {
                ScheduleEnd::Complete => counts.complete(self.messages),
                ScheduleEnd::CutOff => counts.cut_off += 1,
                ScheduleEnd::Limited(limit) => ran_out = Some(limit),
                ScheduleEnd::Violating(properties) => violations = self.violations(properties),
            }
            if self.system.bytes() as u64 > self.limits.bytes {
                ran_out = Some(SearchLimit::Memory);
            }
        }
        let result = SearchResult {
            progress: Progress { violated: !violations.is_empty(), ..self.progress },
            quiescent: 0,
            most_messages: MaxMessages::Unknown,
            extremes: Extremes::unknown(self.system.linear_costs().iter().map(|cost| cost.quantity)),
            extreme: None,
            ran_out,
            undecided: self.system.properties(),
            violations,
            // One schedule fulfils an existential promise, but nothing is said to hold.
            fulfilled: Promises::default(),
        };
        (result, counts)
    }

    /// Makes one schedule.
    fn schedule(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> ScheduleEnd {
        let mut initial_states = self.system.initial_states();
        self.initial_state = (self.choose)(initial_states.len() as u64) as usize;
        self.transitions.clear();
        self.messages = 0;
        let mut state = initial_states.swap_remove(self.initial_state);
        loop {
            let status = self.system.monitor_status(&state);
            if status.violated {
                return ScheduleEnd::Violating(self.system.violated_properties(&state));
            }
            self.system.successors(&state, fingerprint(&state), &mut self.successors);
            if !self.successors.have_probabilities() {
                return ScheduleEnd::Limited(SearchLimit::Branching);
            }
            let may_end = !self.transitions.is_empty() && self.system.may_end(&state, &self.successors);
            if may_end && status.waiting {
                return ScheduleEnd::Violating(vec![Property::Termination]);
            }
            let served = !status.waiting && !self.system.has_requests(&state, &self.successors);
            let ends = may_end || !self.system.must_quiesce() && !self.endless && !self.transitions.is_empty();
            if self.successors.transitions.is_empty() || served && ends {
                return ScheduleEnd::Complete;
            }
            if self.transitions.len() as u64 >= self.longest() {
                return ScheduleEnd::CutOff;
            }
            self.progress.transitions += 1;
            if self.progress.transitions.is_multiple_of(SLICE) && !watch(&self.progress) {
                return ScheduleEnd::Limited(SearchLimit::Interrupted);
            }
            let transition = self.transition();
            self.messages += u64::from(self.successors.transitions[transition].sent);
            self.successors.apply(transition, &mut state);
            self.transitions.push(transition);
        }
    }

    /// Chooses among the successors: every action is equally likely, and its outcomes have their probabilities.
    fn transition(&mut self) -> usize {
        let transitions = &self.successors.transitions;
        let actions = u64::from(transitions.last().map_or(0, |last| last.action)) + 1;
        // Actions without a transition, if there are any, are no choice.
        let outcomes = loop {
            let action = (self.choose)(actions) as u32;
            let first = transitions.partition_point(|transition| transition.action < action);
            let end = transitions.partition_point(|transition| transition.action <= action);
            if first < end {
                break first..end;
            }
        };
        // An outcome is chosen, and kept with its probability.
        loop {
            let index = outcomes.start + (self.choose)(outcomes.len() as u64) as usize;
            let probability = self.successors.probability(index);
            if (self.choose)(probability.denominator.into()) < probability.numerator.into() {
                return index;
            }
        }
    }

    /// The present schedule as a counterexample to some properties.
    fn violations(&mut self, properties: Vec<Property>) -> Vec<PropertyViolation> {
        let path = (self.initial_state, self.transitions.clone());
        let (states, transitions) = follow(self.system, path);
        let violation = |property| PropertyViolation {
            property,
            states: states.clone(),
            transitions: transitions.clone(),
            cycle_start: None,
            livelock: false,
        };
        properties.into_iter().map(violation).collect()
    }
}
