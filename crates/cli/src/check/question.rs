//! What a command line asks to be checked.

use ringleader_check::{Effort, Wakers};
use ringleader_model::{
    AtMost, BadSetting, Place, Preset, Problem, Processor, Protocol, Reading, Starts, Ties, Topology, Wakes,
};
use ringleader_protocols::catalogue::{self, Visitor};

use super::instances::{Family, Instance, Orientations};
use super::options::{CheckOptions, bytes};
use crate::error::Error;
use crate::memory;
use crate::options::{Options, word};
use crate::plan::{Plan, describe};

/// A protocol and all the instances of it that are looked at.
pub(crate) struct Question {
    /// The first of the instances, as a plan.
    pub(crate) plan: Plan,
    pub(crate) instances: Vec<Instance>,
    pub(crate) family: Family,
    pub(crate) wakers: Wakers,
    pub(crate) effort: Effort,
    options: Options,
    at_most: AtMost,
    ties: Ties,
    untimed: bool,
}

/// How many processors there are unless one says so.
const DEFAULT_N: u64 = 4;
/// More processors than this have more schedules than can be looked at.
const MOST: u64 = 64;
/// Up to so many processors all orientations are looked at, also where the protocol treats its ports alike.
const ALL_WAYS: usize = 4;

impl Question {
    pub(crate) fn new(protocol: &str, given: &CheckOptions) -> Result<Self, Error> {
        let description = describe(protocol)?;
        let assumptions = &description.assumptions;
        let untimed = !given.timed && (given.untimed || !assumptions.timed);
        let at_most = given.at_most()?;
        refuse_clocks(given, untimed, at_most)?;
        let mut options = given.of_a_run();
        options.wake = options.wake.filter(|text| text != TOGETHER);
        let visited = catalogue::visit(description.name, Visited).expect("it is described there");
        if visited {
            options.entries = options.entries.or(Some(1));
        }
        if options.n.is_none() && options.ids.is_none() && options.readers.is_none() {
            options.n = Some(DEFAULT_N);
        }
        if let Some(n) = options.n.filter(|&n| n > MOST) {
            return Err(BadSetting::new("n", format!("is {n}"), format!("1 to {MOST}")).into());
        }
        if !untimed {
            small_times(assumptions.preset, assumptions.compulsory, &mut options)?;
        }
        // Whatever is wrong with the rest shows in any instance.
        let mut plan = Plan::new(description.name, &options)?;
        let ties = ties(given, untimed, &plan)?;
        let load = plan.scenario.workload.as_ref();
        let n = plan.scenario.n - load.map_or(0, |load| load.cells);
        if n as u64 > MOST {
            return Err(BadSetting::new("ids", format!("has {n} identities"), format!("up to {MOST}")).into());
        }
        let wakers = wakers(given, &plan, visited)?;
        let asks = plan.scenario.asks();
        let mark = |place: usize| {
            let wakes = match &wakers {
                Wakers::Anybody | Wakers::Together => true,
                Wakers::These(places) => places.contains(&(place as Place)),
            };
            let again = plan.scenario.again.iter().filter(|(other, _)| *other as usize == place).count() as u64;
            let reads = load.is_some_and(|load| load.is_reader(place as Place));
            u64::from(wakes) | u64::from(reads) << 1 | again << 2 | asks[place] << 16
        };
        let family = Family {
            topology: assumptions.topology,
            n,
            ids: plan.scenario.ids.clone(),
            ordered: given.ids.is_some(),
            orientations: orientations(given, n, assumptions.topology, assumptions.ports_alike)?,
            ports_alike: assumptions.ports_alike,
            marks: (0..n).map(mark).collect(),
        };
        let instances = family.instances()?;
        let effort = effort(given)?;
        options.wake = None;
        settle(&mut plan, untimed, ties, at_most);
        Ok(Self { plan, instances, family, wakers, effort, options, at_most, ties, untimed })
    }

    /// The plan of one of its instances.
    pub(crate) fn plan_of(&self, instance: &Instance) -> Result<Plan, Error> {
        let list = |ids: &[u64]| ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let digits = |ways: &[bool]| ways.iter().map(|&way| if way { '1' } else { '0' }).collect::<String>();
        let options = Options {
            n: self.options.n.filter(|_| instance.ids.is_empty()),
            ids: Some(list(&instance.ids)).filter(|text| !text.is_empty()),
            orientation: Some(digits(&instance.orientation)).filter(|text| !text.is_empty()),
            ..self.options.clone()
        };
        let mut plan = Plan::new(self.plan.description.name, &options)?;
        if let Wakers::These(places) = &self.wakers
            && self.plan.scenario.workload.is_none()
        {
            let at = |place| places.contains(&place).then_some(0);
            plan.scenario.wakes = Wakes::At((0..plan.scenario.n as Place).map(at).collect());
        }
        settle(&mut plan, self.untimed, self.ties, self.at_most);
        Ok(plan)
    }

    /// Whether there are no clocks.
    pub(crate) fn untimed(&self) -> bool {
        self.untimed
    }
}

fn settle(plan: &mut Plan, untimed: bool, ties: Ties, at_most: AtMost) {
    let scenario = &mut plan.scenario;
    (scenario.untimed, scenario.ties, scenario.faults.at_most) = (untimed, ties, at_most);
}

/// Whether users of a protocol ask over and over.
struct Visited;

impl Visitor for Visited {
    type Output = bool;

    fn visit<P: Protocol>(self) -> bool {
        <P::Processor as Processor>::Problem::VISIT.is_some()
    }
}

/// What only clocks, or only their absence, give a meaning.
fn refuse_clocks(given: &CheckOptions, untimed: bool, at_most: AtMost) -> Result<(), BadSetting> {
    let timed = [
        ("r", &given.r),
        ("d", &given.d),
        ("clocks", &given.clocks),
        ("reading", &given.reading),
        ("ties", &given.ties),
    ];
    match timed.into_iter().find(|(_, value)| untimed && value.is_some()) {
        Some((field, _)) => Err(BadSetting::new(field, "is given for a check without clocks", "only with --timed")),
        None if !untimed && (at_most.losses > 0 || at_most.duplicates > 0) => {
            Err(BadSetting::new("faults", "are not crashes, in a check with clocks", "crash:K, or --untimed"))
        }
        None => Ok(()),
    }
}

/// Small ranges where nothing is said: a schedule of a long step is a schedule of as many short ones.
fn small_times(preset: Preset, compulsory: bool, options: &mut Options) -> Result<(), BadSetting> {
    if let Some(text) = &options.clocks {
        word("clocks", text, &["fixed", "varying"], |name| name)?;
    }
    if compulsory {
        return Ok(());
    }
    let (r, d) = match preset {
        Preset::Unit | Preset::Lockstep | Preset::Rounds => (None, None),
        Preset::Archimedean | Preset::Uniform => (Some("1..2"), Some("1..2")),
        Preset::Memory => (Some("1..2"), None),
    };
    options.r = options.r.take().or(r.map(ToString::to_string));
    options.d = options.d.take().or(d.map(ToString::to_string));
    let reading = options.reading.as_deref().unwrap_or(preset.reading().name());
    if options.clocks.is_none() && reading == Reading::PerStep.name() {
        options.clocks = Some("varying".to_string());
    }
    Ok(())
}

fn ties(given: &CheckOptions, untimed: bool, plan: &Plan) -> Result<Ties, BadSetting> {
    let at_once = plan.scenario.timing.d.min == 0;
    let Some(text) = &given.ties else {
        return Ok(if untimed || at_once { Ties::Ruled } else { Ties::Either });
    };
    let ties = word("ties", text, &[Ties::Either, Ties::Ruled], Ties::name)?;
    if ties == Ties::Either && at_once {
        return Err(BadSetting::new("ties", "is both, and messages may take no time", "sim, or --d from 1 on"));
    }
    Ok(ties)
}

/// Everybody wakes at the first instant.
const TOGETHER: &str = "together";

fn wakers(given: &CheckOptions, plan: &Plan, visited: bool) -> Result<Wakers, BadSetting> {
    let scenario = &plan.scenario;
    let together = plan.description.assumptions.starts == Starts::Together;
    match &given.wake {
        Some(text) if visited => {
            let wrong = format!("is '{text}' for sites with users");
            Err(BadSetting::new("wake", wrong, "nothing: every site is awake, and its user asks at any moment"))
        }
        Some(text) if text.starts_with("random:") => {
            Err(BadSetting::new("wake", format!("is '{text}'"), "all, one, 0,3,5 or together"))
        }
        _ if together => Ok(Wakers::Together),
        None => Ok(Wakers::Anybody),
        Some(text) if text == TOGETHER => Ok(Wakers::Together),
        Some(_) => {
            Ok(Wakers::These((0..scenario.n as Place).filter(|&place| scenario.wake_at(place).is_some()).collect()))
        }
    }
}

fn orientations(
    given: &CheckOptions,
    n: usize,
    topology: Topology,
    ports_alike: bool,
) -> Result<Orientations, BadSetting> {
    let allowed = "all, same or digits like 0110";
    let bad = |text: &str| BadSetting::new("orientation", format!("is '{text}'"), allowed);
    if topology != Topology::BidirectionalRing {
        return match &given.orientation {
            Some(_) => {
                let wrong = format!("is given for topology {topology}");
                Err(BadSetting::new("orientation", wrong, "only on a bidirectional ring"))
            }
            None => Ok(Orientations::One(Vec::new())),
        };
    }
    match given.orientation.as_deref() {
        None if ports_alike && n > ALL_WAYS => Ok(Orientations::One(Vec::new())),
        None | Some("all") => Ok(Orientations::All),
        Some("same") => Ok(Orientations::One(Vec::new())),
        Some(text) => {
            let digit = |digit| match digit {
                '0' => Ok(false),
                '1' => Ok(true),
                _ => Err(bad(text)),
            };
            let digits: Vec<bool> = text.chars().map(digit).collect::<Result<_, _>>()?;
            if digits.is_empty() {
                return Err(bad(text));
            }
            if digits.len() != n {
                let wrong = format!("has {} digits", digits.len());
                return Err(BadSetting::new("orientation", wrong, format!("{n}, one per place")));
            }
            Ok(Orientations::One(digits))
        }
    }
}

fn effort(given: &CheckOptions) -> Result<Effort, BadSetting> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match given.threads {
        None => cores,
        Some(threads) => usize::try_from(threads)
            .ok()
            .filter(|&threads| (1..=MOST_THREADS).contains(&threads))
            .ok_or_else(|| BadSetting::new("threads", format!("is {threads}"), format!("1 to {MOST_THREADS}")))?,
    };
    let free = || memory::available().map_or(UNKNOWN_MEMORY, |free| free / 4 * 3);
    let states = given.max_states.unwrap_or(u64::MAX);
    if states == 0 {
        return Err(BadSetting::new("max-states", "is 0", "at least 1"));
    }
    let bytes = given.max_memory.as_deref().map_or_else(|| Ok(free()), bytes)?;
    Ok(Effort { states, bytes, threads, reduce: !given.no_reduce })
}

const MOST_THREADS: usize = 1024;
/// What may be used where the system does not say what is free.
const UNKNOWN_MEMORY: u64 = 2 << 30;
