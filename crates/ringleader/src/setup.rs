//! A protocol and a scenario, validated: all that a run needs but the choices made in it.

use std::sync::Arc;

use ringleader_check::{Effort, Progress, Specification};
use ringleader_model::{
    Assumptions, BadSetting, BoundKind, ChangedRing, Clocks, Delays, Description, Election, Faults, Links, Offsets,
    Orientation, Problem, Quantity, Range, ReadersWriters, Reading, Scenario, SiteLoad, Task, Ties, Timing,
    TimingExceeded, Topology, WakeSet, Wakes, Workload,
};
use ringleader_protocols::retransmission::archimedean_above_links;
#[cfg(feature = "inspect")]
use ringleader_sim::InspectableRun;
use ringleader_sim::{BadChoice, Choices, Random, Run, Summary};

use crate::check::{CheckSetup, Checked};
use crate::entry::{Case, Entry, Facts, Implied};
use crate::execution::{EvaluatedBound, EvaluatedIdentityBound, EvaluatedPhaseBound, Execution, RunEnd};
use crate::options::{Engine, Options, Order, TimingName};
use crate::watch::Watch;

/// A protocol, its parameters and a scenario.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The protocol.
    pub entry: &'static dyn Entry,
    /// Its parameters, as set.
    pub settings: Vec<(String, String)>,
    /// The leader's task after the election.
    pub task: Option<Task>,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// On how many threads a run is executed in causal order.
    pub threads: usize,
    /// After how many messages to stop, if it does not end before.
    pub max_messages: Option<u64>,
    /// After which time to stop; without clocks, after how many steps.
    pub max_time: Option<u64>,
    /// Facts known before it is run.
    pub facts: Facts,
    /// The options that it was made from: what a command line says that repeats it.
    pub given: Options,
}

impl Setup {
    /// The set-up of a protocol with these options.
    pub fn new(entry: &'static dyn Entry, given: Options) -> Result<Self, BadSetting> {
        let scenario = scenario(entry, &given)?;
        scenario.check(&entry.description().assumptions)?;
        let max_time = if scenario.untimed { given.max_steps } else { given.max_time };
        Self::evaluated(entry, scenario, given, max_time)
    }

    /// The same for a run in causal order that is divided among processes: its ring may be larger than one can hold.
    pub fn divided(entry: &'static dyn Entry, given: Options) -> Result<Self, BadSetting> {
        let scenario = scenario_up_to(entry, &given, Scenario::MOST_DIVIDED)?;
        scenario.check_divided(&entry.description().assumptions)?;
        let max_time = if scenario.untimed { given.max_steps } else { given.max_time };
        Self::evaluated(entry, scenario, given, max_time)
    }

    /// A scenario that leaves nothing out, the protocol's parameters, a task, and when to stop.
    pub fn of_scenario(
        entry: &'static dyn Entry,
        mut scenario: Scenario,
        settings: Vec<(String, String)>,
        task: Option<Task>,
        [max_messages, max_time]: [Option<u64>; 2],
    ) -> Result<Self, BadSetting> {
        // Scenarios that options cannot express are validated before anything is made of them.
        check_workload(&scenario, entry, &settings)?;
        check_compulsory(&scenario.timing, entry.description())?;
        scenario.check(&entry.description().assumptions)?;
        if scenario.computed && scenario.n <= MOST_LISTED {
            scenario.list_identities();
        }
        let given = explicit(&scenario, settings, task, [max_messages, max_time]);
        Self::evaluated(entry, scenario, given, max_time)
    }

    fn evaluated(
        entry: &'static dyn Entry,
        scenario: Scenario,
        given: Options,
        max_time: Option<u64>,
    ) -> Result<Self, BadSetting> {
        check_task(given.then, &scenario, entry)?;
        check_retransmission(&scenario, entry, &given.set)?;
        check_links(&scenario, entry)?;
        if scenario.workload.as_ref().is_some_and(Workload::is_unbounded) {
            return Err(BadSetting::new("entries", "is forever", "a number; forever only in check"));
        }
        let settings = given.set.clone();
        let facts =
            entry.evaluate(&Case { entry, scenario: &scenario, settings: &settings, task: given.then }, given.then)?;
        let (task, max_messages) = (given.then, given.max_messages);
        Ok(Self {
            entry,
            settings,
            task,
            scenario: Arc::new(scenario),
            threads: 1,
            max_messages,
            max_time,
            facts,
            given,
        })
    }

    /// Lists identities that are computed, for whoever shows or records steps.
    pub fn list_identities(&mut self) {
        if self.scenario.computed {
            Arc::make_mut(&mut self.scenario).list_identities();
        }
    }

    /// The description of the protocol.
    pub fn description(&self) -> &'static Description {
        self.entry.description()
    }

    /// The memory that a processor takes at most in a run, in bytes.
    pub fn bytes_per_processor(&self) -> usize {
        self.entry.bytes_per_processor(self)
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Summary, BadSetting> {
        self.run_watched(&()).map(|(summary, _)| summary)
    }

    /// The same; stopped, or out of memory, it ends before.
    pub fn run_watched(&self, watch: &dyn Watch) -> Result<(Summary, RunEnd), BadSetting> {
        let mut execution = Execution::new(self, self.choices())?;
        let end = execution.finish(watch);
        self.check_choices(execution.run.as_ref(), end)?;
        Ok((execution.run.summary(), end))
    }

    /// A run at its very beginning, to be looked into. It stops at the limit of time; a limit of messages is left to whoever
    /// moves it.
    #[cfg(feature = "inspect")]
    pub fn inspect(&self, choices: Choices) -> Result<Box<dyn InspectableRun>, BadSetting> {
        let mut run = self.entry.inspect(self, choices)?;
        if let Some(last) = self.max_time {
            run.stop_after(last);
        }
        Ok(run)
    }

    /// Model-checks it: without clocks, unless the protocol assumes timing. Initiators wake at any time.
    pub fn check(&self, effort: &Effort) -> Result<Checked, BadSetting> {
        self.check_watched(effort, &())
    }

    /// The same, and judges formulas of one's own: [`Property::Formula`](ringleader_check::Property::Formula).
    pub fn check_formulas(&self, specification: &Specification, effort: &Effort) -> Result<Checked, BadSetting> {
        self.check_specification(specification, effort, &())
    }

    /// Model-checks it; stopped, it has no answer.
    pub fn check_watched(&self, effort: &Effort, watch: &dyn Watch) -> Result<Checked, BadSetting> {
        self.check_specification(&Specification::default(), effort, watch)
    }

    fn check_specification(
        &self,
        specification: &Specification,
        effort: &Effort,
        watch: &dyn Watch,
    ) -> Result<Checked, BadSetting> {
        let check = CheckSetup::of_setup(self, specification, *effort)?;
        let mut go_on = |progress: &Progress| {
            watch.searching(0, progress);
            !watch.stopped()
        };
        check.explore(&check.instances[0], effort, &mut go_on)
    }

    /// The sharpest bound of one of these kinds on one of these quantities.
    pub fn sharpest(&self, quantities: &[Quantity], kinds: &[BoundKind]) -> Option<&EvaluatedBound> {
        let meant = |bound: &&EvaluatedBound| {
            quantities.contains(&bound.quantity) && kinds.contains(&bound.kind) && bound.before.is_none()
        };
        self.facts.bounds.iter().filter(meant).min_by_key(|bound| bound.sharpness())
    }

    /// Whether a run exceeded what is proved.
    pub fn is_exceeded(&self, summary: &Summary) -> bool {
        self.is_exceeded_by(summary, false)
    }

    /// The same of a run that may be [lean](ringleader_sim::Lean), so that bits and depth are unknown.
    pub(crate) fn is_exceeded_by(&self, summary: &Summary, lean: bool) -> bool {
        let known = |bound: &&EvaluatedBound| {
            !lean || !matches!(bound.quantity, Quantity::Bits | Quantity::Depth | Quantity::DepthElected)
        };
        self.facts.bounds.iter().filter(known).any(|bound| bound.judge(summary).1 == Some(false))
    }

    /// What is known about the passes of each identity; nothing where a task follows.
    pub fn identity_bound(&self) -> Result<Option<EvaluatedIdentityBound>, BadSetting> {
        let kept = self.scenario.timing.exceeded().is_none() && self.scenario.interventions.is_empty();
        let judged = self.task.is_none() && kept;
        if !judged { Ok(None) } else { self.entry.identity_bound(&self.case()) }
    }

    /// What is known about the passes of each phase; nothing where messages are sent again.
    pub fn phase_bound(&self) -> Result<Option<EvaluatedPhaseBound>, BadSetting> {
        if self.scenario.retransmit.is_some() { Ok(None) } else { self.entry.phase_bound(&self.case()) }
    }

    /// What is assumed of timing that changes.
    pub(crate) fn timing_note(&self) -> Option<String> {
        let timing = &self.scenario.timing;
        let (r, d) = (timing.r, timing.d);
        if timing.changes.is_empty() {
            return None;
        }
        let Some(TimingExceeded { from, until }) = timing.exceeded() else {
            return Some(format!(
                "timing changes: processors and bounds assume r {r} and d {d}, which are around all of it"
            ));
        };
        let until = until.map_or_else(String::new, |until| format!(" (until {until} at the latest)"));
        Some(format!(
            "timing is outside of what processors and bounds assume, r {r} and d {d}, from {from} on{until}: what rests on it is \
             not promised, and its bounds are not judged if the run goes on beyond {from}"
        ))
    }

    /// Its protocol, scenario and parameters, as engines take them.
    pub fn case(&self) -> Case<'_> {
        Case { entry: self.entry, scenario: &self.scenario, settings: &self.settings, task: self.task }
    }

    /// Options that say all of it, whatever the protocol's defaults.
    pub fn to_options(&self) -> Options {
        let all = explicit(&self.scenario, self.settings.clone(), self.task, [self.max_messages, self.max_time]);
        Options { choices: self.given.choices.clone(), ..all }
    }

    /// How its choices are made: drawn, but for those that are given.
    pub fn choices(&self) -> Choices {
        self.given.choices.clone().map_or(Choices::Drawn, Choices::Prefix)
    }

    /// Whether a run that is over made the choices that are given.
    pub fn check_choices(&self, run: &dyn Run, end: RunEnd) -> Result<(), BadSetting> {
        let Some(given) = &self.given.choices else { return Ok(()) };
        if let Some(BadChoice { index, choice, bound }) = run.bad_choice() {
            let wrong = format!("has {choice} as choice {} of the run", index + 1);
            return Err(BadSetting::new(
                "choices",
                wrong,
                format!("0 to {}: there are {bound} to choose from", bound - 1),
            ));
        }
        let (unused, limited) = (run.unused_choices(), self.max_messages.is_some() || self.max_time.is_some());
        if unused > 0 && end == RunEnd::Complete && !limited {
            let wrong = format!("has {} choices", given.len());
            return Err(BadSetting::new(
                "choices",
                wrong,
                format!("at most {}, as many as the run makes", given.len() - unused),
            ));
        }
        Ok(())
    }

    /// How processors joined and left before the election; `None` where none did.
    pub fn ring_history(&self) -> Result<Option<RingHistory>, BadSetting> {
        if self.given.changes.is_none() {
            return Ok(None);
        }
        let mut random = Random::new(self.given.seed.unwrap_or(1));
        let names = identities(
            &self.description().assumptions,
            &self.given,
            size(&self.given, Scenario::MOST as u64)?,
            &mut random,
        );
        let after = changed_rings(self.entry, &self.given, &names)?;
        Ok(Some(RingHistory { before: names, after }))
    }

    /// Runs it to its end in time order, which decides what causal order leaves open.
    pub fn run_in_time_order(&self, watch: &dyn Watch) -> Result<Summary, BadSetting> {
        let mut in_time_order = self.clone();
        in_time_order.given.engine = Some(Engine::Time);
        in_time_order.run_watched(watch).map(|(summary, _)| summary)
    }

    /// The command line that repeats it.
    pub fn command_line(&self) -> String {
        self.given.command_line(&format!("run {}", self.entry.name()))
    }
}

/// The names of a ring before processors joined and left, and the ring after each change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingHistory {
    /// The names before, clockwise.
    pub before: Vec<u64>,
    /// The ring after each change.
    pub after: Vec<ChangedRing>,
}

/// Options that leave nothing out.
fn explicit(
    scenario: &Scenario,
    set: Vec<(String, String)>,
    then: Option<Task>,
    [max_messages, max_time]: [Option<u64>; 2],
) -> Options {
    let (max_steps, max_time) = if scenario.untimed { (max_time, None) } else { (None, max_time) };
    Options { set, then, max_messages, max_steps, max_time, ..Options::from(scenario) }
}

/// The scenario that options mean for a protocol.
pub(crate) fn scenario(entry: &dyn Entry, options: &Options) -> Result<Scenario, BadSetting> {
    scenario_up_to(entry, options, Scenario::MOST as u64)
}

/// The same, of at most so many processors.
fn scenario_up_to(entry: &dyn Entry, options: &Options, most: u64) -> Result<Scenario, BadSetting> {
    let description = entry.description();
    let assumptions = &description.assumptions;
    if let Some(topology) = options.topology.filter(|&topology| topology != assumptions.topology) {
        let wrong = format!("is {topology}, which {} does not run on", description.name);
        return Err(BadSetting::new("topology", wrong, assumptions.topology.name()));
    }
    let seed = options.seed.unwrap_or(1);
    let untimed = options.timing == Some(TimingName::Untimed);
    refuse_clocks(options, untimed)?;
    let implied = entry.implied(&options.set)?;
    let sites = size(options, most)?;
    let workload = workload(options, sites, &implied, entry.problem())?;
    let n = sites.saturating_add(implied.cells);
    // One generator, asked in this order whatever is asked: identities, then wakes, then orientation.
    let mut random = Random::new(seed);
    let computed = options.order == Some(Order::Computed) && options.changes.is_none() && n > MOST_LISTED;
    check_order(assumptions, options)?;
    let ids = if computed { Vec::new() } else { identities(assumptions, options, n, &mut random) };
    let (ids, sites, n) = match changed_rings(entry, options, &ids)?.pop() {
        Some(ring) => (ring.names.clone(), ring.names.len(), ring.names.len()),
        None => (ids, sites, n),
    };
    Ok(Scenario {
        n,
        ids,
        computed,
        values: options.values.clone().unwrap_or_default(),
        equal_ids: false,
        wakes: asleep(wakes(options, sites, &mut random)?, sites, n),
        again: options.again.clone(),
        workload,
        timing: with_cells(if untimed { preset(description) } else { timing(description, options)? }, sites, n),
        links: options.links.unwrap_or(implied.links),
        orientation: match &options.orientation {
            None | Some(Orientation::Same) => Vec::new(),
            Some(Orientation::Random) => (0..n).map(|_| random.below(2) == 1).collect(),
            Some(Orientation::Exchanged(places)) => places.clone(),
        },
        ports: options.ports.clone().map_or_else(Default::default, |numbering| numbering.ports(seed)),
        faults: options.faults.clone().unwrap_or_default(),
        interventions: options.intervene.clone().unwrap_or_default().0,
        retransmit: options.retransmit,
        untimed,
        ties: options.ties.unwrap_or(Ties::Ruled),
        seed,
    })
}

/// Computed identities are listed, too, where there are not more: most of the tools take lists.
const MOST_LISTED: usize = 1 << 16;

fn check_order(assumptions: &Assumptions, options: &Options) -> Result<(), BadSetting> {
    if options.order.is_some() && (options.ids.is_some() || !assumptions.identities) {
        let why = if options.ids.is_some() { "only without --ids" } else { "only where processors have identities" };
        return Err(BadSetting::new("order", "is given", why));
    }
    Ok(())
}

/// The identities of the processors, before any of them joins or leaves.
fn identities(assumptions: &Assumptions, options: &Options, n: usize, random: &mut Random) -> Vec<u64> {
    let seed = options.seed.unwrap_or(1);
    match &options.ids {
        Some(ids) => ids.clone(),
        None if assumptions.identities => options.order.unwrap_or(Order::Random).arrange(n, seed, random),
        None => Vec::new(),
    }
}

/// The ring with these names after each processor that joins or leaves.
fn changed_rings(entry: &dyn Entry, options: &Options, names: &[u64]) -> Result<Vec<ChangedRing>, BadSetting> {
    let Some(changes) = &options.changes else { return Ok(Vec::new()) };
    let assumptions = &entry.description().assumptions;
    let elects = entry.problem() == Election::NAME && assumptions.identities;
    if !elects || !assumptions.topology.is_ring() {
        let wrong = format!("are given for {}", entry.name());
        return Err(BadSetting::new("changes", wrong, "elections on rings whose processors have names"));
    }
    changes.of(names)
}

/// Options that make sense only with clocks, or only without.
fn refuse_clocks(options: &Options, untimed: bool) -> Result<(), BadSetting> {
    if !untimed {
        let allowed = "only with --timing untimed; --max-time or --max-messages otherwise";
        return match options.max_steps {
            Some(_) => Err(BadSetting::new("max-steps", "is given for a run with clocks", allowed)),
            None => Ok(()),
        };
    }
    let given = [
        ("r", options.r.is_some()),
        ("d", options.d.is_some()),
        ("assume", options.assume.is_some()),
        ("clocks", options.clocks.is_some()),
        ("delays", options.delays.is_some()),
        ("reading", options.reading.is_some()),
        ("offsets", options.offsets.is_some()),
        ("ties", options.ties.is_some()),
        ("first", options.first.is_some()),
        ("think", options.think.is_some()),
        ("hold", options.hold.is_some()),
        ("max-time", options.max_time.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((field, _)) => {
            Err(BadSetting::new(field, "is given for a run without clocks", "nothing beside --timing untimed"))
        }
        None => Ok(()),
    }
}

/// Whether a timing is the one that a protocol runs under, where it runs under no other.
fn check_compulsory(timing: &Timing, description: &Description) -> Result<(), BadSetting> {
    if !description.assumptions.compulsory || *timing == preset(description) {
        return Ok(());
    }
    let usual = description.assumptions.preset.name();
    Err(BadSetting::new("timing", format!("is not {usual}"), format!("{usual}: {} assumes it", description.name)))
}

/// Whether there is a workload where the protocol has one, and its shared cells are the protocol's.
fn check_workload(scenario: &Scenario, entry: &dyn Entry, settings: &[(String, String)]) -> Result<(), BadSetting> {
    let implied = entry.implied(settings)?;
    let fits = match &scenario.workload {
        None => !implied.visited,
        Some(load) => {
            let counts = [load.compete, load.readers, load.writers];
            implied.visited
                && load.cells == implied.cells
                && load.cells < scenario.n
                && (implied.stays || load.users == 1)
                && counts.iter().all(|&count| count <= scenario.n)
                && (implied.shared || load.readers + load.writers == 0)
        }
    };
    if fits {
        return Ok(());
    }
    let wrong = format!("and the rest of the workload do not suit {}", entry.name());
    let allowed = format!("a workload for {} with {} shared cells", entry.problem(), implied.cells);
    Err(BadSetting::new("entries", wrong, if implied.visited { allowed } else { "none".to_string() }))
}

/// The most old tokens of a processor: each is a message.
const MOST_TOKENS: u64 = 1000;

/// Whether a task suits an election and its scenario.
pub(crate) fn check_task(task: Option<Task>, scenario: &Scenario, entry: &dyn Entry) -> Result<(), BadSetting> {
    let given = |wrong: &str, allowed: String| Err(BadSetting::new("values", wrong, allowed));
    let Some(task) = task else {
        let allowed = "only with --then ring-sort, broadcast or token";
        return if scenario.values.is_empty() {
            Ok(())
        } else {
            given("are given without a task", allowed.to_string())
        };
    };
    let assumptions = &entry.description().assumptions;
    let wrong = format!("is {}", task.name());
    if !entry.has_tasks() {
        return Err(BadSetting::new(
            "then",
            wrong,
            "nothing: a task follows an election that always elects one leader (in Rust, an entry `Of::ELECTION`)",
        ));
    }
    if assumptions.topology == Topology::Complete {
        return Err(BadSetting::new("then", wrong, "nothing: tasks run on rings only"));
    }
    if task.needs_identities(&scenario.values) && !assumptions.identities {
        let values = if task.input().is_some() { ", or --values" } else { "" };
        let allowed = format!("ring-size or token{values}: processors have no identities");
        return Err(BadSetting::new("then", wrong, allowed));
    }
    if !scenario.values.is_empty() && task.input().is_none() {
        return given(&format!("are given for {}", task.name()), "only with ring-sort, broadcast or token".to_string());
    }
    if let Some(tokens) = scenario.values.iter().find(|&&tokens| task == Task::Token && tokens > MOST_TOKENS) {
        return given(&format!("have {tokens} tokens at one place"), format!("0 to {MOST_TOKENS} each"));
    }
    if !scenario.again.is_empty() {
        return Err(BadSetting::new("then", wrong, "nothing beside --again: a task follows one election"));
    }
    Ok(())
}

/// Whether links can tell messages apart by their phases where they have to.
pub(crate) fn check_links(scenario: &Scenario, entry: &dyn Entry) -> Result<(), BadSetting> {
    if scenario.links != Links::HalfPhase || entry.has_message_phases() {
        return Ok(());
    }
    let allowed = format!("fifo, any or half: the messages of {} have no phase numbers", entry.name());
    Err(BadSetting::new("links", "is half-phase", allowed))
}

/// Whether messages that are not acknowledged can be sent again.
pub(crate) fn check_retransmission(
    scenario: &Scenario,
    entry: &dyn Entry,
    settings: &[(String, String)],
) -> Result<(), BadSetting> {
    let Some(ticks) = scenario.retransmit else { return Ok(()) };
    let assumptions = &entry.description().assumptions;
    let refused = |wrong: String, allowed: &str| Err(BadSetting::new("retransmit", wrong, allowed));
    if ticks == 0 || ticks > Timing::MOST {
        return refused(format!("is {ticks}"), &format!("1 to {} own ticks", Timing::MOST));
    }
    if !entry.can_retransmit() {
        let allowed = "an election that always elects one leader, a lock, or readers and writers: others rest on delays that \
                       differ less than those of messages that are sent again";
        return refused(format!("is given for {}", entry.name()), allowed);
    }
    if assumptions.compulsory {
        let allowed = "an election that needs no rounds: a message that is sent again takes longer than one";
        return refused(format!("is given for {}", entry.name()), allowed);
    }
    if scenario.links.is_half_duplex() {
        let allowed = "links fifo or any: on half-duplex links acknowledgements keep messages waiting";
        return refused(format!("is given with links {}", scenario.links.name()), allowed);
    }
    if !scenario.again.is_empty() {
        return refused("is given beside --again".to_string(), "one election");
    }
    let Faults { loss, until, .. } = &scenario.faults;
    if loss.is_some_and(|loss| loss.part == loss.whole) && until.is_none() {
        return refused("is given where all messages are lost".to_string(), "a smaller share, or until:TIME");
    }
    if assumptions.topology == Topology::Ring && matches!(scenario.timing.delays, Delays::List(_)) {
        let allowed = "delays without a list: with acknowledgements a ring has links in both directions";
        return refused("is given with a list of delays".to_string(), allowed);
    }
    check_longest_delay(scenario, entry, settings)
}

/// Whether the delays of messages that are sent again have a bound, for a protocol that rests on one.
fn check_longest_delay(
    scenario: &Scenario,
    entry: &dyn Entry,
    settings: &[(String, String)],
) -> Result<(), BadSetting> {
    let entries = scenario.workload.as_ref().map_or(0, |load| load.entries);
    if scenario.untimed || entry.has_tasks() || !entry.needs_clocks(settings, entries)? {
        return Ok(());
    }
    let refused = |wrong: &str, allowed: &str| {
        let wrong = format!("is given for {} with {wrong}", entry.name());
        Err(BadSetting::new("retransmit", wrong, allowed))
    };
    if !scenario.faults.restarts.is_empty() {
        return refused("a restart", "no restarts: a message that waits for one takes longer than any bound on delays");
    }
    if scenario.timing.reading == Reading::PerTick {
        let allowed = "reading immediate or per-step: where a step reads one message, those that are sent again keep others waiting";
        return refused("reading per-tick", allowed);
    }
    match archimedean_above_links(scenario) {
        None => refused("losses without end", "until:TIME, or cuts: this protocol rests on a bound on delays"),
        Some(above) if above.timing.d.max > Timing::MOST => refused(
            "an outage this long",
            &format!("delays of at most {}, however often messages are sent", Timing::MOST),
        ),
        Some(_) => Ok(()),
    }
}

fn workload(options: &Options, sites: usize, implied: &Implied, problem: &str) -> Result<Option<Workload>, BadSetting> {
    let Options { entries, users, compete, first, think, hold, readers, writers, .. } = options;
    let given = [
        ("entries", entries.is_some(), implied.visited),
        ("compete", compete.is_some(), implied.visited),
        ("first", first.is_some(), implied.visited),
        ("think", think.is_some(), implied.visited),
        ("hold", hold.is_some(), implied.stays),
        ("users", users.is_some(), implied.stays),
        ("readers", readers.is_some(), implied.shared),
        ("writers", writers.is_some(), implied.shared),
    ];
    if let Some((field, ..)) = given.into_iter().find(|&(_, given, allowed)| given && !allowed) {
        let allowed = if ["hold", "users"].contains(&field) && implied.visited {
            "only where somebody stays inside"
        } else if implied.visited {
            "only protocols for readers and writers: see `ringleader list readers-writers`"
        } else {
            "only for mutual-exclusion and readers-writers"
        };
        return Err(BadSetting::new(field, format!("is given for {problem}"), allowed));
    }
    // Nobody at all is refused for that.
    if !implied.visited || sites == 0 {
        return Ok(None);
    }
    let count = |field: &'static str, value: u64| {
        usize::try_from(value).map_err(|_| BadSetting::new(field, format!("is {value}"), format!("at most {sites}")))
    };
    let usual = Workload::new(sites);
    let (mut reading, mut writing) = (0, 0);
    // A lock for mutual exclusion has readers and writers only where they are asked for.
    if implied.shared && (problem == ReadersWriters::NAME || readers.is_some() || writers.is_some()) {
        writing = writers.map_or(Ok(1), |writers| count("writers", writers))?;
        reading = readers.map_or(Ok(sites.saturating_sub(writing)), |readers| count("readers", readers))?;
        if writing > sites || reading > sites {
            let wrong = format!("are {reading}, beside {writing} writers");
            return Err(BadSetting::new("readers", wrong, format!("at most {sites} sites together")));
        }
        if reading + writing == 0 {
            return Err(BadSetting::new("writers", "are 0, and so are the readers", "somebody to read or write"));
        }
    }
    Ok(Some(Workload {
        entries: entries.unwrap_or(usual.entries),
        users: users.map_or(usual.users, |users| usize::try_from(users).unwrap_or(usize::MAX)),
        compete: compete.as_ref().map_or(usual.compete, SiteLoad::most),
        changes: compete.as_ref().map_or_else(Vec::new, SiteLoad::changes),
        first: first.unwrap_or(usual.first),
        think: think.unwrap_or(usual.think),
        hold: hold.unwrap_or(usual.hold),
        readers: reading,
        writers: writing,
        cells: implied.cells,
    }))
}

fn size(options: &Options, most: u64) -> Result<usize, BadSetting> {
    if let (Some(n), Some(ids)) = (options.n, &options.ids)
        && n != ids.len() as u64
    {
        let wrong = format!("is {n}, but --ids has {}", ids.len());
        return Err(BadSetting::new("n", wrong, "the same number, or one of the two"));
    }
    let n = options.size();
    let fits = usize::try_from(n).ok().filter(|_| n <= most);
    fits.ok_or_else(|| BadSetting::new("n", format!("is {n}"), format!("1 to {most}")))
}

/// Lists that speak of sites only: shared cells, at the last places, are as slow as the slowest site, without an offset.
fn with_cells(mut timing: Timing, sites: usize, n: usize) -> Timing {
    if let Clocks::List(list) = &mut timing.clocks
        && list.len() == sites
    {
        list.resize(n, timing.r.max);
    }
    if let Offsets::List(list) = &mut timing.offsets
        && list.len() == sites
    {
        list.resize(n, 0);
    }
    timing
}

/// Shared cells, at the last places, do not wake spontaneously.
fn asleep(wakes: Wakes, sites: usize, n: usize) -> Wakes {
    match wakes {
        Wakes::At(mut at) if at.len() == sites => {
            at.resize(n, None);
            Wakes::At(at)
        }
        other => other,
    }
}

fn wakes(options: &Options, n: usize, random: &mut Random) -> Result<Wakes, BadSetting> {
    if options.wake.is_some() && options.wake_at.is_some() {
        return Err(BadSetting::new("wake-at", "is given beside --wake", "one of the two"));
    }
    if let Some(wakes) = &options.wake_at {
        return Ok(wakes.clone());
    }
    let places: Vec<usize> = match &options.wake {
        None | Some(WakeSet::All) => return Ok(Wakes::All),
        Some(WakeSet::One) => vec![0],
        Some(WakeSet::Places(places)) => {
            places.iter().map(|&place| usize::try_from(place).unwrap_or(usize::MAX)).collect()
        }
        Some(WakeSet::Random(count)) => match usize::try_from(*count) {
            Ok(count) if (1..=n).contains(&count) => random.sample(n, count),
            _ => {
                let wrong = format!("is 'random:{count}'");
                return Err(BadSetting::new("wake", wrong, format!("random:1 to random:{n}")));
            }
        },
    };
    let mut at = vec![None; n];
    for place in places {
        *at.get_mut(place).ok_or_else(|| {
            BadSetting::new("wake", format!("names place {place}"), format!("places 0 to {}", n.saturating_sub(1)))
        })? = Some(0);
    }
    Ok(Wakes::At(at))
}

/// The timing that a protocol runs under by default.
fn preset(description: &Description) -> Timing {
    let usual = description.assumptions.preset;
    usual.timing(usual.reading())
}

fn timing(description: &Description, options: &Options) -> Result<Timing, BadSetting> {
    let usual = description.assumptions.preset;
    let preset = match options.timing {
        Some(TimingName::Preset(preset)) => preset,
        Some(TimingName::Untimed) | None => usual,
    };
    let mut timing = preset.timing(usual.reading());
    if let Some(clocks) = &options.clocks {
        timing.clocks.clone_from(clocks);
    }
    if let Some(delays) = &options.delays {
        timing.delays.clone_from(delays);
    }
    tighten(&mut timing);
    let r = options.r.clone().unwrap_or(timing.r.into());
    let d = options.d.clone().unwrap_or(timing.d.into());
    if options.assume.is_some() && !r.changes() && !d.changes() {
        let allowed = "only where one of them does, such as --d 0..3@0,0..40@500";
        return Err(BadSetting::new("assume", "is given, but neither r nor d changes", allowed));
    }
    let mut timing = timing.with_ranges(&r, &d, options.assume.unwrap_or_default());
    timing.reading = options.reading.unwrap_or(timing.reading);
    if let Some(offsets) = &options.offsets {
        timing.offsets.clone_from(offsets);
    }
    check_compulsory(&timing, description)?;
    Ok(timing)
}

/// Lists say by themselves what their least and greatest are.
pub(crate) fn tighten(timing: &mut Timing) {
    if let Clocks::List(list) = &timing.clocks {
        timing.r = Range::around(list).unwrap_or(timing.r);
        timing.changes.iter_mut().for_each(|change| change.r = timing.r);
    }
    if let Delays::List(list) = &timing.delays {
        timing.d = Range::around(list).unwrap_or(timing.d);
        timing.changes.iter_mut().for_each(|change| change.d = timing.d);
    }
}
