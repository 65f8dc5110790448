//! A protocol and all the instances of it that are checked, validated.

use std::fmt;
use std::str::FromStr;

use ringleader_check::{
    CheckQuery, CheckpointFile, Effort, ExtremesQuery, Fairness, Formula, Progress, Property, Reductions,
    Specification, Wakers,
};
use ringleader_model::{
    Assumptions, AtMost, BadSetting, BadText, ChangingRange, Clocks, Faults, Links, Numbering, Place, PortUse, Ports,
    Preset, Proposition, Range, Reading, Scenario, Starts, Task, Ties, Timing, Topology, WakeSet, Wakes, Workload,
};

use super::checked::Checked;
use super::instances::{Arrangement, Family, Orientations, PortCoverage};
use crate::entry::{Case, Entry};
use crate::options::{CommandLine, Options};
use crate::setup::{Setup, check_links, check_retransmission, check_task, scenario};

/// The options of a check. Options that are left out have the protocol's defaults.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// What a run has, too: processors, ports, r, d, clocks, reading, ties, links, faults, workload, parameters. Identities
    /// are one order; a number of processors means all orders of 1..N.
    pub options: Options,
    /// With clocks or without.
    pub timed: Option<bool>,
    /// On a bidirectional ring, whose left and right are exchanged.
    pub orientation: Option<Orientations>,
    /// Initiators: who wakes spontaneously.
    pub wake: Option<CheckWake>,
    /// Formulas of one's own.
    pub specification: Specification,
    /// Limits on the search.
    pub effort: Effort,
    /// What is computed of the extremes of costs.
    pub extremes: ExtremesQuery,
}

/// Initiators of a check: who wakes spontaneously.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckWake {
    /// These, each at some moment, and nobody else.
    Set(WakeSet),
    /// Everybody at the first instant of the clocks.
    Together,
}

const TOGETHER: &str = "together";

impl FromStr for CheckWake {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = |_| BadText::new(format!("is '{text}'"), "all, one, 0,3,5 or together");
        match text.trim() {
            TOGETHER => Ok(Self::Together),
            text if text.starts_with("random:") => Err(bad(())),
            text => text.parse().map(Self::Set).map_err(|_: BadText| bad(())),
        }
    }
}

impl fmt::Display for CheckWake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(set) => set.fmt(f),
            Self::Together => f.write_str(TOGETHER),
        }
    }
}

impl CheckOptions {
    /// Whether they say how many processors there are.
    pub fn has_size(&self) -> bool {
        let Options { n, ids, readers, .. } = &self.options;
        n.is_some() || ids.is_some() || readers.is_some()
    }

    /// The command line that asks the same again, its size written out. Threads and memory are the machine's, not the check's.
    pub fn command_line(&self, protocol: &str, size: usize) -> CommandLine {
        self.command_line_of(protocol, self.options.ids.is_none().then_some(size as u64))
    }

    /// The command line that asks the same without a limit: two checks with the same one explore the same.
    pub fn unlimited_command_line(&self, protocol: &str) -> String {
        let unlimited = Self { effort: Effort { states: u64::MAX, ..self.effort }, ..self.clone() };
        unlimited.command_line_of(protocol, self.options.n).into_text()
    }

    fn command_line_of(&self, protocol: &str, size: Option<u64>) -> CommandLine {
        let mut line = CommandLine::new(&format!("check {protocol}"));
        line.flag("--timed", self.timed == Some(true));
        line.flag("--untimed", self.timed == Some(false));
        line.value("-n", size);
        line.world(&self.options, self.orientation.as_ref(), self.wake.as_ref());
        line.users(&self.options);
        line.value("--max-states", Some(self.effort.states).filter(|&states| states < u64::MAX));
        line.task(&self.options);
        line.repeated(&self.options);
        for formula in &self.specification.formulas {
            line.value("--ltl", Some(formula));
        }
        line.value("--fairness", Some(self.specification.fairness).filter(|&fairness| fairness != Fairness::Weak));
        match self.effort.reductions.complement() {
            Reductions::NONE => {}
            Reductions::ALL => line.flag("--no-reduce", true),
            some => line.flag(&format!("--no-reduce={some}"), true),
        }
        line.flag("--extremes depth", self.extremes.depth);
        line
    }
}

/// A protocol and all the instances of it that are checked.
pub struct CheckSetup {
    /// The protocol.
    pub entry: &'static dyn Entry,
    /// Its parameters, as set.
    pub settings: Vec<(String, String)>,
    /// The leader's task after the election.
    pub task: Option<Task>,
    /// The scenario of all instances, with the identities and the orientation of the first.
    pub scenario: Scenario,
    /// The instances, up to symmetry.
    pub instances: Vec<Arrangement>,
    /// Of which family they are.
    pub family: Family,
    /// Initiators: who wakes spontaneously.
    pub wakers: Wakers,
    /// Formulas of one's own.
    pub specification: Specification,
    /// Limits on the search.
    pub effort: Effort,
    /// What is computed of the extremes of costs.
    pub extremes: ExtremesQuery,
}

/// The instances of a family that are checked.
type InstancesOf = fn(&Family) -> Result<Vec<Arrangement>, BadSetting>;

/// The default number of processors.
const DEFAULT_N: u64 = 4;
/// The default number of requests of each site.
const DEFAULT_ENTRIES: u64 = 1;
/// More processors than this have more schedules than can be explored.
const MOST: u64 = 64;
/// The maximum number of processors for which all orientations are explored even if the protocol treats its ports alike.
const ALL_ORIENTATIONS: usize = 4;

impl CheckSetup {
    /// The set-up of a protocol with these options.
    pub fn new(entry: &'static dyn Entry, given: &CheckOptions) -> Result<Self, BadSetting> {
        Self::with_instances(entry, given, Family::instances)
    }

    /// The same with one instance, where the number of all may be too large: random schedules draw their own.
    pub(crate) fn of_random_instance(entry: &'static dyn Entry, given: &CheckOptions) -> Result<Self, BadSetting> {
        Self::with_instances(entry, given, |family| {
            Ok(vec![Arrangement { ids: family.ids.clone(), orientation: Vec::new() }])
        })
    }

    fn with_instances(
        entry: &'static dyn Entry,
        given: &CheckOptions,
        instances: InstancesOf,
    ) -> Result<Self, BadSetting> {
        let assumptions = &entry.description().assumptions;
        let entries = given.options.entries.unwrap_or(DEFAULT_ENTRIES);
        let needs_clocks = entry.needs_clocks(&given.options.set, entries)?;
        let untimed = !given.timed.unwrap_or(needs_clocks);
        let at_most = at_most(given.options.faults.as_ref())?;
        if !untimed && assumptions.compulsory && at_most != AtMost::default() {
            let wrong = format!("are given for {}, which runs in rounds", entry.name());
            let allowed = "none in a check of all rounds; --untimed, which has no rounds; or a run with faults";
            return Err(BadSetting::new("faults", wrong, allowed));
        }
        refuse_clocks(&given.options, untimed)?;
        refuse_interventions(given.options.intervene.is_some())?;
        if given.options.compete.as_ref().is_some_and(|load| !load.changes().is_empty()) {
            let allowed = "a number: in a check sites ask at any time, however the load changes";
            return Err(BadSetting::new("compete", "changes with time", allowed));
        }
        if given.options.changes.is_some() && given.options.ids.is_none() {
            let allowed = "only with --ids in a check: places are those of a ring, and it explores all orders";
            return Err(BadSetting::new("changes", "are given", allowed));
        }
        let mut options = Options { ties: None, faults: None, ports: None, ..given.options.clone() };
        options.wake = match &given.wake {
            Some(CheckWake::Set(set)) => Some(set.clone()),
            Some(CheckWake::Together) | None => None,
        };
        let visited = entry.implied(&options.set)?.visited;
        if visited {
            options.entries = Some(entries);
        }
        if !given.has_size() {
            options.n = Some(DEFAULT_N);
        }
        if let Some(n) = options.n.filter(|&n| n > MOST) {
            return Err(BadSetting::new("n", format!("is {n}"), format!("1 to {MOST}")));
        }
        options.ports = given.options.ports.clone().filter(|ports| *ports != Numbering::All);
        if !untimed {
            small_times(assumptions.preset, assumptions.compulsory, &mut options)?;
        }
        // Whatever is wrong with the rest shows in any instance.
        let mut scenario = scenario(entry, &options)?;
        scenario.check(assumptions)?;
        one_user_each(&mut scenario);
        check_task(given.options.then, &scenario, entry)?;
        let faulty = Scenario { untimed, faults: Faults { at_most, ..Faults::default() }, ..scenario.clone() };
        check_retransmission(&faulty, entry, &options.set)?;
        check_frames(&faulty)?;
        check_links(&scenario, entry)?;
        let ties = ties(given.options.ties, untimed, &scenario)?;
        let n = scenario.n - scenario.workload.as_ref().map_or(0, |load| load.cells);
        if n as u64 > MOST {
            return Err(BadSetting::new("ids", format!("has {n} identities"), format!("up to {MOST}")));
        }
        if untimed && given.wake == Some(CheckWake::Together) {
            let allowed = "all, one or 0,3,5; together only with --timed";
            return Err(BadSetting::new("wake", "is 'together' for a check without clocks", allowed));
        }
        if explores_all_numberings(assumptions, given.options.ports.as_ref(), scenario.n)? {
            scenario.ports = Ports::All;
        }
        let wakers = wakers(given.wake.as_ref(), assumptions.starts, &scenario, visited)?;
        let orientations = orientations(given.orientation.as_ref(), n, assumptions.topology, assumptions.port_use)?;
        let ordered = given.options.ids.is_some();
        scenario.wakes = Wakes::All;
        (scenario.untimed, scenario.ties, scenario.faults.at_most) = (untimed, ties, at_most);
        let (mut specification, shape) = (given.specification.clone(), (ordered, orientations));
        specification.formulas.extend(no_starvation(entry, &options.set, &scenario)?);
        let search = (given.effort, instances);
        let setup = Self::of_scenario(entry, options.set, scenario, shape, wakers, specification, search)?;
        Ok(Self { extremes: given.extremes, task: given.options.then, ..setup })
    }

    /// The one instance of a set-up: without clocks, unless its protocol rests on them.
    pub(crate) fn of_setup(setup: &Setup, specification: &Specification, effort: Effort) -> Result<Self, BadSetting> {
        let assumptions = &setup.description().assumptions;
        let mut scenario = Scenario::clone(&setup.scenario);
        let places = || (0..setup.scenario.n as Place).filter(|&place| setup.scenario.wake_at(place).is_some());
        let wakers = match (&scenario.wakes, assumptions.starts) {
            (_, Starts::Together) => Wakers::Together,
            (Wakes::All, Starts::Any) => Wakers::Anybody,
            (Wakes::At(_), Starts::Any) => Wakers::These(places().collect()),
        };
        scenario.untimed |= !assumptions.timed;
        one_user_each(&mut scenario);
        // Sites ask at any time.
        if let Some(load) = &mut scenario.workload {
            load.changes.clear();
        }
        let both = !scenario.untimed && scenario.timing.d.min > 0;
        scenario.ties = if both { Ties::Either } else { Ties::Ruled };
        let shape = (true, Orientations::One(scenario.orientation.clone()));
        scenario.wakes = Wakes::All;
        let all = (effort, Family::instances as InstancesOf);
        let (settings, specification) = (setup.settings.clone(), specification.clone());
        let check = Self::of_scenario(setup.entry, settings, scenario, shape, wakers, specification, all)?;
        Ok(Self { task: setup.task, ..check })
    }

    fn of_scenario(
        entry: &'static dyn Entry,
        settings: Vec<(String, String)>,
        scenario: Scenario,
        (ordered, orientations): (bool, Orientations),
        wakers: Wakers,
        specification: Specification,
        (effort, instances): (Effort, InstancesOf),
    ) -> Result<Self, BadSetting> {
        let assumptions = &entry.description().assumptions;
        refuse_changing_ranges(&scenario.timing)?;
        refuse_interventions(!scenario.interventions.is_empty())?;
        let load = scenario.workload.as_ref();
        let n = scenario.n - load.map_or(0, |load| load.cells);
        let asks = scenario.asks();
        let mut roles = entry.roles(&Case { entry, scenario: &scenario, settings: &settings, task: None })?;
        distinguish_named_places(&specification, &mut roles);
        distinguish_values(&scenario.values, &mut roles);
        let mark = |place: usize| {
            let wakes = match &wakers {
                Wakers::Anybody | Wakers::Together => true,
                Wakers::These(places) => places.contains(&(place as Place)),
            };
            let again = scenario.again.iter().filter(|(other, _)| *other as usize == place).count() as u64;
            let reads = load.is_some_and(|load| load.is_reader(place as Place));
            (u64::from(wakes) | u64::from(reads) << 1 | again << 2 | asks[place] << 16, roles[place])
        };
        let family = Family {
            topology: assumptions.topology,
            n,
            ids: scenario.ids.clone(),
            ordered,
            orientations,
            ports_alike: assumptions.port_use.is_alike(),
            numberings: (assumptions.topology == Topology::Complete)
                .then(|| PortCoverage::new(assumptions.port_use, &scenario.ports, scenario.n)),
            marks: (0..n).map(mark).collect(),
        };
        let instances = instances(&family)?;
        let extremes = ExtremesQuery::default();
        Ok(Self { entry, settings, task: None, scenario, instances, family, wakers, specification, effort, extremes })
    }

    /// Refuses the layer that sends messages again where a protocol is explored without it.
    pub(crate) fn refuse_retransmission(&self, option: &str) -> Result<(), BadSetting> {
        match self.scenario.retransmit {
            Some(_) => Err(BadSetting::new("retransmit", format!("is given beside {option}"), "one of the two")),
            None => Ok(()),
        }
    }

    /// A property as users read it.
    pub fn property_name(&self, property: Property) -> String {
        let formula = match property {
            Property::Formula(number) => self.specification.formulas.get(usize::from(number)),
            _ => None,
        };
        formula.map_or_else(|| property.name().to_string(), ToString::to_string)
    }

    /// The scenario of one of its instances.
    pub fn scenario_of(&self, instance: &Arrangement) -> Scenario {
        let mut scenario = self.scenario.clone();
        scenario.ids.clone_from(&instance.ids);
        scenario.orientation.clone_from(&instance.orientation);
        if let Wakers::These(places) = &self.wakers
            && scenario.workload.is_none()
        {
            let at = |place| places.contains(&place).then_some(0);
            scenario.wakes = Wakes::At((0..scenario.n as Place).map(at).collect());
        }
        scenario
    }

    /// Explores every schedule of one of its instances. `watch` is told how far it is and says whether to go on.
    pub fn explore(
        &self,
        instance: &Arrangement,
        effort: &Effort,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Checked, BadSetting> {
        self.explore_for(instance, (effort, &self.extremes), None, watch)
    }

    /// The same, with another query for the extremes of costs, and with a file for checkpoints.
    pub(super) fn explore_for(
        &self,
        instance: &Arrangement,
        (effort, query): (&Effort, &ExtremesQuery),
        file: Option<&mut dyn CheckpointFile>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Checked, BadSetting> {
        let scenario = self.scenario_of(instance);
        let case = Case { entry: self.entry, scenario: &scenario, settings: &self.settings, task: self.task };
        let query = CheckQuery { extremes: query, specification: &self.specification };
        self.entry.check_for(&case, &self.wakers, (effort, query), file, watch)
    }

    /// A note on clocks that the settings need, though the protocol as such does not.
    pub fn clock_note(&self) -> Option<&'static str> {
        let entries = self.scenario.workload.as_ref().map_or(0, |load| load.entries);
        let needs_clocks = self.entry.needs_clocks(&self.settings, entries).is_ok_and(|needs| needs);
        (needs_clocks && !self.entry.description().assumptions.timed).then(|| match self.untimed() {
            true => "without them these settings promise nothing (--timed: with)",
            false => "these settings rest on them (--untimed: without)",
        })
    }

    /// Whether there are no clocks.
    pub fn untimed(&self) -> bool {
        self.scenario.untimed
    }
}

/// Whether a layer that sends messages again has finitely many states.
fn check_frames(scenario: &Scenario) -> Result<(), BadSetting> {
    let refused = |wrong, allowed| Err(BadSetting::new("retransmit", wrong, allowed));
    let unbounded = scenario.workload.as_ref().is_some_and(Workload::is_unbounded);
    match scenario.retransmit {
        Some(_) if unbounded && scenario.links == Links::Any => refused(
            "is given with entries forever, on links any",
            "links fifo: elsewhere messages are numbered without bound",
        ),
        Some(_) if !scenario.untimed && scenario.faults.at_most.crashes > 0 => refused(
            "is given with a crash, in a check with clocks",
            "--untimed: with clocks copies are sent without end",
        ),
        _ => Ok(()),
    }
}

/// All schedules of a site with several users are those of one user who makes all of their requests, of which it makes one after
/// the other. A protocol sees the requests of its sites only. Those for several users follow each other at any time, as those of
/// one: at once where a user waits, and whenever the next one makes its request. Conversely, let users of a site take turns, each
/// asking when the one user does: every schedule of that is one of theirs. Who waits locally is served when those before it
/// are, since requests are granted and the site asks for the next one when a user leaves.
const fn one_user_each(scenario: &mut Scenario) {
    if let Some(load) = &mut scenario.workload {
        (load.entries, load.users) = (load.of_site(), 1);
    }
}

/// Where sites enter forever: whoever tries gets in, for every site that competes.
fn no_starvation(
    entry: &'static dyn Entry,
    settings: &[(String, String)],
    scenario: &Scenario,
) -> Result<Vec<Formula>, BadSetting> {
    let Some(load) = scenario.workload.as_ref().filter(|load| load.is_unbounded()) else { return Ok(Vec::new()) };
    if !entry.implied(settings)?.stays {
        let allowed = "a number: reads and writes are numbered, so that their states are without end";
        return Err(BadSetting::new("entries", "is forever", allowed));
    }
    let competes = |place: &Place| load.asks(*place) > 0;
    let granted = |place| Formula::implies_eventually(Proposition::Trying(place), Proposition::Critical(place));
    Ok((0..scenario.n as Place).filter(competes).map(granted).collect())
}

/// Gives every place that a formula names a role of its own: no symmetry of the network may move it.
fn distinguish_named_places(specification: &Specification, roles: &mut [u32]) {
    let propositions = specification.formulas.iter().flat_map(|formula| formula.propositions());
    let mut named: Vec<_> = propositions.filter_map(|proposition| proposition.place()).collect();
    named.sort_unstable();
    named.dedup();
    let first = roles.iter().max().map_or(0, |greatest| greatest + 1);
    for (role, place) in (first..).zip(named) {
        if let Some(own) = roles.get_mut(place as usize) {
            *own = role;
        }
    }
}

/// Places with different inputs of a task are no image of each other.
fn distinguish_values(values: &[u64], roles: &mut [u32]) {
    let first = roles.iter().max().map_or(0, |greatest| greatest + 1);
    for (role, value) in roles.iter_mut().zip(values) {
        // Elections that tasks follow have one role.
        *role = first + values.iter().position(|other| other == value).unwrap_or(0) as u32;
    }
}

/// Faults in a check: a maximum number of each kind, at any time.
fn at_most(faults: Option<&Faults>) -> Result<AtMost, BadSetting> {
    let Some(faults) = faults else { return Ok(AtMost::default()) };
    let counted = Faults { at_most: faults.at_most, ..Faults::default() };
    let others = Faults { at_most: AtMost::default(), ..faults.clone() };
    if *faults == counted {
        return Ok(faults.at_most);
    }
    let text = others.to_string();
    let first = text.split(',').next().unwrap_or_default();
    Err(BadSetting::new("faults", format!("has '{first}'"), format!("{}, each at most once", Faults::COUNTED)))
}

/// Options that make sense only with clocks, or only without.
fn refuse_clocks(options: &Options, untimed: bool) -> Result<(), BadSetting> {
    let timed = [
        ("r", options.r.is_some()),
        ("d", options.d.is_some()),
        ("clocks", options.clocks.is_some()),
        ("reading", options.reading.is_some()),
        ("ties", options.ties.is_some()),
    ];
    match timed.into_iter().find(|(_, given)| untimed && *given) {
        Some((field, _)) => Err(BadSetting::new(field, "is given for a check without clocks", "only with --timed")),
        None => Ok(()),
    }
}

/// A number means another message in every schedule.
fn refuse_interventions(given: bool) -> Result<(), BadSetting> {
    let allowed = "only in a run; a check explores loss:K and duplicate:K of --faults, and delays within --d";
    if given { Err(BadSetting::new("intervene", "is given for a check", allowed)) } else { Ok(()) }
}

/// Small ranges where nothing is said: a schedule of a long step is a schedule of as many short ones.
fn small_times(preset: Preset, compulsory: bool, options: &mut Options) -> Result<(), BadSetting> {
    if let Some(clocks) = options.clocks.as_ref().filter(|clocks| !matches!(clocks, Clocks::Fixed | Clocks::Varying)) {
        return Err(BadSetting::new("clocks", format!("is '{clocks}'"), "fixed, varying"));
    }
    if compulsory {
        return Ok(());
    }
    let small = Some(ChangingRange::from(Range::new(1, 2)));
    let (r, d) = match preset {
        Preset::Unit | Preset::Lockstep | Preset::Rounds => (None, None),
        Preset::Archimedean | Preset::Uniform => (small.clone(), small),
        Preset::Memory => (small, None),
    };
    (options.r, options.d) = (options.r.take().or(r), options.d.take().or(d));
    if options.clocks.is_none() && options.reading.unwrap_or(preset.reading()) == Reading::PerStep {
        options.clocks = Some(Clocks::Varying);
    }
    Ok(())
}

/// A check knows no instants: relative times only.
fn refuse_changing_ranges(timing: &Timing) -> Result<(), BadSetting> {
    let (r, d) = (timing.tick_ranges(), timing.delay_ranges());
    let field = if r.changes() { "r" } else { "d" };
    if !r.changes() && !d.changes() {
        return Ok(());
    }
    let allowed = format!(
        "one range, since a check has no instants; all runs of this one are among those of --r {} --d {} --clocks varying",
        r.hull(),
        d.hull()
    );
    Err(BadSetting::new(field, "changes with time", allowed))
}

fn ties(given: Option<Ties>, untimed: bool, scenario: &Scenario) -> Result<Ties, BadSetting> {
    let at_once = scenario.timing.d.min == 0;
    match given {
        None => Ok(if untimed || at_once { Ties::Ruled } else { Ties::Either }),
        Some(Ties::Either) if at_once => {
            Err(BadSetting::new("ties", "is both, and messages may take no time", "sim, or --d from 1 on"))
        }
        Some(ties) => Ok(ties),
    }
}

fn wakers(given: Option<&CheckWake>, starts: Starts, scenario: &Scenario, visited: bool) -> Result<Wakers, BadSetting> {
    match given {
        Some(wake) if visited => {
            let wrong = format!("is '{wake}' for sites with users");
            Err(BadSetting::new("wake", wrong, "nothing: every site is awake, and its user asks at any time"))
        }
        _ if starts == Starts::Together => Ok(Wakers::Together),
        None => Ok(Wakers::Anybody),
        Some(CheckWake::Together) => Ok(Wakers::Together),
        Some(CheckWake::Set(_)) => {
            Ok(Wakers::These((0..scenario.n as Place).filter(|&place| scenario.wake_at(place).is_some()).collect()))
        }
    }
}

/// Whether all numberings of ports are explored: unless told otherwise, where the protocol may tell them apart.
fn explores_all_numberings(assumptions: &Assumptions, given: Option<&Numbering>, n: usize) -> Result<bool, BadSetting> {
    let complete = assumptions.topology == Topology::Complete;
    match (given, assumptions.port_use) {
        (Some(Numbering::All), _) if !complete => {
            let wrong = format!("is given for topology {}", assumptions.topology);
            Err(BadSetting::new("ports", wrong, "only on a complete network"))
        }
        (Some(Numbering::All), PortUse::Given(reason)) => {
            Err(BadSetting::new("ports", "is all", format!("plain: {reason}")))
        }
        (Some(Numbering::All), _) => Ok(true),
        (None, PortUse::Numbered) => Ok(complete && n > 2),
        _ => Ok(false),
    }
}

fn orientations(
    given: Option<&Orientations>,
    n: usize,
    topology: Topology,
    port_use: PortUse,
) -> Result<Orientations, BadSetting> {
    if topology != Topology::BidirectionalRing {
        return match given {
            Some(_) => {
                let wrong = format!("is given for topology {topology}");
                Err(BadSetting::new("orientation", wrong, "only on a bidirectional ring"))
            }
            None => Ok(Orientations::One(Vec::new())),
        };
    }
    match given {
        None if port_use.is_alike() && n > ALL_ORIENTATIONS => Ok(Orientations::One(Vec::new())),
        None => Ok(Orientations::All),
        Some(Orientations::One(digits)) if !digits.is_empty() && digits.len() != n => {
            let wrong = format!("has {} digits", digits.len());
            Err(BadSetting::new("orientation", wrong, format!("{n}, one per place")))
        }
        Some(given) => Ok(given.clone()),
    }
}
