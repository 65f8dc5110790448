//! What a command line means: a protocol and a scenario.

use ringleader_model::{
    AtMost, BadSetting, Clocks, Delays, Description, Faults, Links, Phases, Ports, Preset, Problem, Processor,
    Protocol, Range, ReadersWriters, Reading, Scenario, Settings, Task, Ties, Timing, Topology, Wakes, Workload,
};
use ringleader_protocols::catalogue::{self, DESCRIPTIONS, ELECTIONS, Visitor};
use ringleader_sim::{Random, Resolved};

use crate::error::Error;
use crate::memory;
use crate::options::{Options, faults, links, number, numbers, phases, place_at, range, word};

/// A protocol, its parameters and a scenario: all that a run needs but the choices made in it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The protocol.
    pub description: &'static Description,
    /// Its parameters, as set.
    pub settings: Vec<(String, String)>,
    /// What the leader does once it is elected.
    pub task: Option<Task>,
    /// The world.
    pub scenario: Scenario,
    /// After how many messages to stop, if it does not end before.
    pub max_messages: Option<u64>,
    /// After which time to stop; without clocks, after how many steps.
    pub max_time: Option<u64>,
}

/// How the identities 1..N are arranged.
#[derive(Clone, Copy)]
enum Order {
    Random,
    Ascending,
    Descending,
    BitReversal,
}

impl Order {
    const ALL: [Self; 4] = [Self::Random, Self::Ascending, Self::Descending, Self::BitReversal];

    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::BitReversal => "bit-reversal",
        }
    }

    fn arrange(self, n: usize, random: &mut Random) -> Vec<u64> {
        let mut ids: Vec<u64> = (1..=n as u64).collect();
        match self {
            Self::Random => random.shuffle(&mut ids),
            Self::Ascending => {}
            Self::Descending => ids.reverse(),
            Self::BitReversal => {
                // Place i gets the rank of i read backwards: neighbours differ as much as they can.
                let mut places: Vec<usize> = (0..n).collect();
                places.sort_by_key(|place| place.reverse_bits());
                for (rank, place) in places.into_iter().enumerate() {
                    ids[place] = rank as u64 + 1;
                }
            }
        }
        ids
    }
}

/// How many processors there are unless one says so.
const DEFAULT_N: u64 = 16;

impl Plan {
    /// What these options mean for this protocol.
    pub fn new(protocol: &str, options: &Options) -> Result<Self, Error> {
        let description = describe(protocol)?;
        let settings = options.settings()?;
        let scenario = scenario(description, options, &settings)?;
        scenario.check(&description.assumptions)?;
        let task = options.then.as_deref().map(|text| word("then", text, &Task::ALL, Task::name)).transpose()?;
        check_task(task, &scenario, description)?;
        let max_time = if scenario.untimed { options.max_steps } else { options.max_time };
        Ok(Self { description, settings, task, scenario, max_messages: options.max_messages, max_time })
    }

    /// Options that say all of this, whatever the defaults.
    pub fn to_options(&self) -> Options {
        let scenario = &self.scenario;
        let timing = &scenario.timing;
        let load = scenario.workload.as_ref();
        let sites = scenario.n - load.map_or(0, |load| load.cells);
        let wake_at = match &scenario.wakes {
            Wakes::All => None,
            Wakes::At(at) => Some(join(&at[..sites], |time| time.map_or("-".to_string(), |time| time.to_string()))),
        };
        let listed = |list: &[u64]| format!("list:{}", join(list, u64::to_string));
        // What the seed decided before the run is written out: a record does not depend on how it is drawn.
        let resolved = Resolved::new(scenario);
        let clocks = match (&timing.clocks, resolved.tick_lengths(scenario.n)) {
            (Clocks::Fixed, Some(lengths)) if timing.r.min < timing.r.max => Clocks::List(lengths),
            (clocks, _) => clocks.clone(),
        };
        let clocks = match &clocks {
            Clocks::Fixed => "fixed".to_string(),
            Clocks::Varying => "varying".to_string(),
            Clocks::Slowest => "slowest".to_string(),
            Clocks::Fastest => "fastest".to_string(),
            Clocks::List(list) => listed(list),
        };
        let delays = match &timing.delays {
            Delays::List(list) => listed(list),
            named => named.name().to_string(),
        };
        let phases = match &timing.phases {
            Phases::Zero => None,
            Phases::Random => Some(listed(resolved.phases())),
            Phases::List(list) => Some(listed(list)),
        };
        let anonymous = scenario.ids.is_empty();
        let orientation: String =
            scenario.orientation.iter().map(|&exchanged| if exchanged { '1' } else { '0' }).collect();
        let sharing = load.filter(|load| load.readers + load.writers > 0);
        // What clocks alone give a meaning is not said of a run that has none.
        let clocked = |text: String| Some(text).filter(|_| !scenario.untimed);
        Options {
            n: anonymous.then_some(sites as u64),
            ids: (!anonymous).then(|| join(&scenario.ids, u64::to_string)),
            order: None,
            topology: None,
            orientation: Some(orientation).filter(|digits| !digits.is_empty()),
            ports: (scenario.ports != Ports::Plain).then(|| "shuffled".to_string()),
            wake: None,
            wake_at,
            again: scenario.again.iter().map(|(place, time)| format!("{place}@{time}")).collect(),
            timing: scenario.untimed.then(|| UNTIMED.to_string()),
            r: clocked(timing.r.to_string()),
            d: clocked(timing.d.to_string()),
            clocks: clocked(clocks),
            delays: clocked(delays),
            reading: clocked(timing.reading.name().to_string()),
            phases: phases.and_then(clocked),
            ties: (scenario.ties != Ties::Ruled).then(|| scenario.ties.name().to_string()),
            links: Some(scenario.links.name().to_string()),
            faults: faults_text(&scenario.faults),
            entries: load.map(|load| load.entries),
            compete: load.map(|load| load.compete as u64),
            first: load.filter(|load| load.first != Range::new(0, 0)).and_then(|load| clocked(load.first.to_string())),
            think: load.and_then(|load| clocked(load.think.to_string())),
            hold: load.filter(|load| load.cells == 0).and_then(|load| clocked(load.hold.to_string())),
            readers: sharing.map(|load| load.readers as u64),
            writers: sharing.map(|load| load.writers as u64),
            set: self.settings.iter().map(|(key, value)| format!("{key}={value}")).collect(),
            then: self.task.map(|task| task.name().to_string()),
            max_messages: self.max_messages,
            max_steps: self.max_time.filter(|_| scenario.untimed),
            max_time: self.max_time.filter(|_| !scenario.untimed),
            seed: Some(scenario.seed),
        }
    }
}

fn join<T>(list: &[T], text: impl Fn(&T) -> String) -> String {
    list.iter().map(text).collect::<Vec<_>>().join(",")
}

fn faults_text(faults: &Faults) -> Option<String> {
    let mut parts: Vec<String> = faults.crashes.iter().map(|(place, time)| format!("crash:{place}@{time}")).collect();
    parts.extend(faults.loss.map(|share| format!("loss:{}/{}", share.part, share.whole)));
    parts.extend(faults.duplicate.map(|share| format!("duplicate:{}/{}", share.part, share.whole)));
    parts.extend(faults.until.map(|until| format!("until:{until}")));
    let AtMost { crashes, losses, duplicates } = faults.at_most;
    for (kind, count) in [("crash", crashes), ("loss", losses), ("duplicate", duplicates)] {
        parts.extend((count > 0).then(|| format!("{kind}:{count}")));
    }
    Some(parts.join(",")).filter(|text| !text.is_empty())
}

/// The protocol of this name.
pub(crate) fn describe(name: &str) -> Result<&'static Description, Error> {
    DESCRIPTIONS.iter().find(|d| d.name == name).ok_or_else(|| Error::UnknownProtocol { name: name.to_string() })
}

fn scenario(description: &Description, options: &Options, settings: &[(String, String)]) -> Result<Scenario, Error> {
    let assumptions = &description.assumptions;
    if let Some(text) = &options.topology
        && word("topology", text, &Topology::ALL, Topology::name)? != assumptions.topology
    {
        let wrong = format!("is {text}, which {} does not run on", description.name);
        return Err(BadSetting::new("topology", wrong, assumptions.topology.name()).into());
    }
    let seed = options.seed.unwrap_or(1);
    let untimed = options.timing.as_deref() == Some(UNTIMED);
    refuse_clocks(options, untimed)?;
    let implied = catalogue::visit(description.name, Imply { settings }).expect("it is described there")?;
    let listed = options.ids.as_deref().map(|text| numbers("ids", text)).transpose()?;
    let sites = size(options, listed.as_deref())?;
    let workload = workload(options, sites, &implied)?;
    let n = sites.saturating_add(implied.cells);
    memory::check(n as u64)?;
    // One generator, asked in this order whatever is asked: identities, then wakes, then orientation.
    let mut random = Random::new(seed);
    let order = options.order.as_deref().map(|text| word("order", text, &Order::ALL, Order::name)).transpose()?;
    if order.is_some() && (listed.is_some() || !assumptions.identities) {
        let why = if listed.is_some() { "only without --ids" } else { "only where processors have identities" };
        return Err(BadSetting::new("order", "is given", why).into());
    }
    let ids = match listed {
        Some(ids) => ids,
        None if assumptions.identities => order.unwrap_or(Order::Random).arrange(n, &mut random),
        None => Vec::new(),
    };
    Ok(Scenario {
        n,
        ids,
        wakes: asleep(wakes(options, sites, &mut random)?, sites, n),
        again: options.again.iter().map(|text| place_at("again", text)).collect::<Result<_, _>>()?,
        workload,
        timing: with_cells(if untimed { preset(description) } else { timing(description, options)? }, sites, n),
        links: options.links.as_deref().map_or(Ok(implied.links), links)?,
        orientation: orientation(options, n, &mut random)?,
        ports: ports(options, seed)?,
        faults: options.faults.as_deref().map_or(Ok(Faults::default()), faults)?,
        untimed,
        ties: options.ties.as_deref().map_or(Ok(Ties::Ruled), |text| word("ties", text, &Ties::ALL, Ties::name))?,
        seed,
    })
}

/// The timing of a run without clocks.
const UNTIMED: &str = "untimed";

/// What only clocks, or only their absence, give a meaning.
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
        ("clocks", options.clocks.is_some()),
        ("delays", options.delays.is_some()),
        ("reading", options.reading.is_some()),
        ("phases", options.phases.is_some()),
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

fn check_task(task: Option<Task>, scenario: &Scenario, description: &Description) -> Result<(), BadSetting> {
    let Some(task) = task else { return Ok(()) };
    let assumptions = &description.assumptions;
    let wrong = format!("is {}", task.name());
    if ELECTIONS.iter().all(|election| election.name != description.name) {
        return Err(BadSetting::new("then", wrong, "nothing: this protocol has not always one leader"));
    }
    if assumptions.topology == Topology::Complete {
        return Err(BadSetting::new("then", wrong, "nothing: this protocol does not run on a ring"));
    }
    if task == Task::Sort && !assumptions.identities {
        return Err(BadSetting::new("then", wrong, "ring-size: there are no identities to put in order"));
    }
    if !scenario.again.is_empty() {
        return Err(BadSetting::new("then", wrong, "nothing beside --again: a task follows one election"));
    }
    Ok(())
}

/// What a protocol and its settings imply for a scenario.
struct Implied {
    links: Links,
    cells: usize,
    problem: &'static str,
    /// Whether users ask over and over.
    visited: bool,
    /// Whether they stay.
    stays: bool,
}

struct Imply<'a> {
    settings: &'a [(String, String)],
}

impl Visitor for Imply<'_> {
    type Output = Result<Implied, BadSetting>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let settings = Settings::new(P::DESCRIPTION.parameters, self.settings)?;
        type Of<P> = <<P as Protocol>::Processor as Processor>::Problem;
        Ok(Implied {
            links: P::links(&settings),
            cells: P::cells(&settings),
            problem: Of::<P>::NAME,
            visited: Of::<P>::VISIT.is_some(),
            stays: Of::<P>::VISIT.is_some_and(|visit| visit.release.is_some()),
        })
    }
}

fn workload(options: &Options, sites: usize, implied: &Implied) -> Result<Option<Workload>, BadSetting> {
    let Options { entries, compete, first, think, hold, readers, writers, .. } = options;
    let shared = implied.problem == ReadersWriters::NAME;
    let given = [
        ("entries", entries.is_some(), implied.visited),
        ("compete", compete.is_some(), implied.visited),
        ("first", first.is_some(), implied.visited),
        ("think", think.is_some(), implied.visited),
        ("hold", hold.is_some(), implied.stays),
        ("readers", readers.is_some(), shared),
        ("writers", writers.is_some(), shared),
    ];
    if let Some((field, ..)) = given.into_iter().find(|&(_, given, allowed)| given && !allowed) {
        let allowed = if field == "hold" && implied.visited {
            "only where somebody stays inside"
        } else if implied.visited {
            "only for readers-writers"
        } else {
            "only for mutual-exclusion and readers-writers"
        };
        return Err(BadSetting::new(field, format!("is given for {}", implied.problem), allowed));
    }
    // Nobody at all is refused for that.
    if !implied.visited || sites == 0 {
        return Ok(None);
    }
    let count = |field: &'static str, value: u64| {
        usize::try_from(value).map_err(|_| BadSetting::new(field, format!("is {value}"), format!("at most {sites}")))
    };
    let usual = Workload::new(sites);
    let steps = |field, text: &Option<String>, usual| text.as_deref().map_or(Ok(usual), |text| range(field, text));
    let (mut reading, mut writing) = (0, 0);
    if shared {
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
        compete: compete.map_or(Ok(usual.compete), |compete| count("compete", compete))?,
        first: steps("first", first, usual.first)?,
        think: steps("think", think, usual.think)?,
        hold: steps("hold", hold, usual.hold)?,
        readers: reading,
        writers: writing,
        cells: implied.cells,
    }))
}

fn size(options: &Options, listed: Option<&[u64]>) -> Result<usize, BadSetting> {
    let n = match (options.n, listed) {
        (Some(n), Some(ids)) if n != ids.len() as u64 => {
            return Err(BadSetting::new(
                "n",
                format!("is {n}, but --ids has {}", ids.len()),
                "the same number, or one of the two",
            ));
        }
        (_, Some(ids)) => ids.len() as u64,
        (Some(n), None) => n,
        (None, None) => match (options.readers, options.writers) {
            (Some(readers), writers) => readers.saturating_add(writers.unwrap_or(1)),
            (None, Some(_)) | (None, None) => DEFAULT_N,
        },
    };
    let fits = usize::try_from(n).ok().filter(|&n| n <= Scenario::MOST);
    fits.ok_or_else(|| BadSetting::new("n", format!("is {n}"), format!("1 to {}", Scenario::MOST)))
}

/// Lists that speak of sites only: shared cells, at the last places, are as slow as the slowest site, without an offset.
fn with_cells(mut timing: Timing, sites: usize, n: usize) -> Timing {
    if let Clocks::List(list) = &mut timing.clocks
        && list.len() == sites
    {
        list.resize(n, timing.r.max);
    }
    if let Phases::List(list) = &mut timing.phases
        && list.len() == sites
    {
        list.resize(n, 0);
    }
    timing
}

/// Shared cells, at the last places, do not wake by themselves.
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
    if let Some(text) = &options.wake_at {
        let time = |part: &str| if part == "-" { Ok(None) } else { number("wake-at", part).map(Some) };
        return Ok(Wakes::At(text.split(',').map(time).collect::<Result<_, _>>()?));
    }
    let places = match options.wake.as_deref() {
        None | Some("all") => return Ok(Wakes::All),
        Some("one") => vec![0],
        Some(text) => match text.strip_prefix("random:") {
            Some(count) => {
                let count = number("wake", count)?;
                if count == 0 || count > n {
                    return Err(BadSetting::new("wake", format!("is '{text}'"), format!("random:1 to random:{n}")));
                }
                random.sample(n, count)
            }
            None => {
                let bad = |_| BadSetting::new("wake", format!("is '{text}'"), "all, one, 0,3,5 or random:K");
                numbers("wake", text).map_err(bad)?.into_iter().map(|place| place as usize).collect()
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

/// The timing that a protocol runs under unless told otherwise.
fn preset(description: &Description) -> Timing {
    let usual = description.assumptions.preset;
    usual.timing(usual.reading())
}

fn timing(description: &Description, options: &Options) -> Result<Timing, BadSetting> {
    let assumptions = &description.assumptions;
    let usual = assumptions.preset;
    let named = |text| {
        let bad = |bad: BadSetting| BadSetting { allowed: format!("{}, {UNTIMED}", bad.allowed), ..bad };
        word("timing", text, &Preset::ALL, Preset::name).map_err(bad)
    };
    let preset = options.timing.as_deref().map_or(Ok(usual), named)?;
    let mut timing = preset.timing(usual.reading());
    if let Some(text) = &options.clocks {
        timing.clocks = clocks(text)?;
    }
    if let Some(text) = &options.delays {
        timing.delays = delays(text)?;
    }
    // A list says by itself what its least and greatest are.
    if let Clocks::List(list) = &timing.clocks {
        timing.r = Range::around(list).unwrap_or(timing.r);
    }
    if let Delays::List(list) = &timing.delays {
        timing.d = Range::around(list).unwrap_or(timing.d);
    }
    if let Some(text) = &options.r {
        timing.r = range("r", text)?;
    }
    if let Some(text) = &options.d {
        timing.d = range("d", text)?;
    }
    if let Some(text) = &options.reading {
        timing.reading = word("reading", text, &Reading::ALL, Reading::name)?;
    }
    if let Some(text) = &options.phases {
        timing.phases = phases(text)?;
    }
    if assumptions.compulsory && timing != usual.timing(usual.reading()) {
        let wrong = format!("is not {}", usual.name());
        return Err(BadSetting::new("timing", wrong, format!("{}: {} assumes it", usual.name(), description.name)));
    }
    Ok(timing)
}

fn clocks(text: &str) -> Result<Clocks, BadSetting> {
    Ok(match text {
        "fixed" => Clocks::Fixed,
        "varying" => Clocks::Varying,
        "slowest" => Clocks::Slowest,
        "fastest" => Clocks::Fastest,
        _ => {
            let bad =
                || BadSetting::new("clocks", format!("is '{text}'"), "fixed, varying, slowest, fastest or list:4,8,12");
            Clocks::List(numbers("clocks", text.strip_prefix("list:").ok_or_else(bad)?)?)
        }
    })
}

fn delays(text: &str) -> Result<Delays, BadSetting> {
    if let Some(named) = Delays::NAMED.into_iter().find(|delays| delays.name() == text) {
        return Ok(named);
    }
    let bad = || {
        let names: Vec<_> = Delays::NAMED.iter().map(Delays::name).collect();
        BadSetting::new("delays", format!("is '{text}'"), format!("{} or list:1,1,1", names.join(", ")))
    };
    Ok(Delays::List(numbers("delays", text.strip_prefix("list:").ok_or_else(bad)?)?))
}

fn orientation(options: &Options, n: usize, random: &mut Random) -> Result<Vec<bool>, BadSetting> {
    match options.orientation.as_deref() {
        None | Some("same") => Ok(Vec::new()),
        Some("random") => Ok((0..n).map(|_| random.below(2) == 1).collect()),
        Some("") => Err(BadSetting::new("orientation", "is empty", "same, random or digits like 0110")),
        Some(text) => text
            .chars()
            .map(|digit| match digit {
                '0' => Ok(false),
                '1' => Ok(true),
                _ => Err(BadSetting::new("orientation", format!("is '{text}'"), "same, random or digits like 0110")),
            })
            .collect(),
    }
}

fn ports(options: &Options, seed: u64) -> Result<Ports, BadSetting> {
    match options.ports.as_deref() {
        None | Some("plain") => Ok(Ports::Plain),
        Some("shuffled") => Ok(Ports::Shuffled(seed)),
        Some(text) => Err(BadSetting::new("ports", format!("is '{text}'"), "plain or shuffled")),
    }
}
