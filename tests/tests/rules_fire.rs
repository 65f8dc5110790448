//! Every rule of every protocol fires somewhere: random schedules of small instances, without clocks, with faults, with
//! printed and repaired rules, with further elections and with a leader's tasks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use conformance::Draw;
use ringleader::model::{
    Departure, Description, Effects, Event, Links, Network, Ports, Problem, Processor, Protocol, Report, Scenario,
    Settings, Task, Ticks, Values, Workload, WorkloadEvent,
};
use ringleader::model::{Place, Port};
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader::protocols::election::tasks::After;
use ringleader::sim::Resolved;

/// Runs of each protocol, at most; they end as soon as every rule has fired.
const RUNS: u32 = 40_000;
/// Steps of a run, at most.
const STEPS: u32 = 300;

/// What a step does.
struct RuleRecorder<'a, P: Processor> {
    sent: Vec<(Port, P::Message)>,
    timers: &'a mut BTreeSet<P::Timer>,
    /// What timers were set to.
    waits: Vec<Ticks>,
    reports: Vec<Report<P>>,
    rules: &'a mut BTreeSet<u8>,
    draw: &'a mut Draw,
}

impl<P: Processor> Effects<P> for RuleRecorder<'_, P> {
    fn send(&mut self, port: Port, message: P::Message) {
        assert_for_people(&message);
        self.sent.push((port, message));
    }

    fn set_timer(&mut self, timer: P::Timer, after: Ticks) {
        assert_for_people(&timer);
        self.timers.insert(timer);
        self.waits.push(after);
    }

    fn cancel_timer(&mut self, timer: P::Timer) {
        self.timers.remove(&timer);
    }

    fn choose(&mut self, bound: u32) -> u32 {
        self.draw.below(bound.into()) as u32
    }

    fn report(&mut self, report: Report<P>) {
        assert_for_people(&report);
        self.reports.push(report);
    }

    fn elapsed(&mut self) -> Option<Ticks> {
        None
    }

    fn rule(&mut self, number: u8) {
        self.rules.insert(number);
    }
}

/// Demands a text without the syntax of a program.
fn assert_for_people(thing: &impl std::fmt::Display) {
    let text = thing.to_string();
    let plain = |letter: char| letter.is_alphanumeric() || " -,".contains(letter);
    assert!(!text.is_empty() && text.chars().all(plain), "{text}");
}

/// A processor and its user.
struct Site<P: Processor> {
    processor: P,
    asleep: bool,
    timers: BTreeSet<P::Timer>,
    /// Requests that its user may still make.
    requests: u64,
    user: User,
}

#[derive(PartialEq)]
enum User {
    Out,
    Trying,
    Inside,
}

/// An instance on its way through a random schedule.
struct World<'a, P: Protocol> {
    protocol: &'a P,
    network: P::Network,
    any_order: bool,
    sites: Vec<Site<P::Processor>>,
    /// By receiver and port.
    links: BTreeMap<(Place, u32), VecDeque<<P::Processor as Processor>::Message>>,
    /// What timers were set to in the last step.
    waits: Vec<Ticks>,
}

/// What can happen next.
enum Next<P: Processor> {
    Event(Place, Event<P>),
    Delivery(Place, u32, usize),
}

impl<'a, P: Protocol> World<'a, P> {
    fn new(protocol: &'a P, scenario: &Scenario) -> Self {
        let asks = scenario.asks();
        let again = P::DESCRIPTION.assumptions.again;
        let network = P::Network::new(scenario);
        let sites = (0..scenario.n).map(|place| Site {
            processor: protocol.processor(protocol.seat(scenario, &network, place as Place)),
            asleep: scenario.workload.is_none(),
            timers: BTreeSet::new(),
            requests: if again { 2 } else { asks[place] },
            user: User::Out,
        });
        Self {
            protocol,
            sites: sites.collect(),
            network,
            any_order: scenario.links == Links::Any,
            links: BTreeMap::new(),
            waits: Vec::new(),
        }
    }

    /// Everything that can happen next; messages and timers apart.
    fn possible(&self) -> [Vec<Next<P::Processor>>; 2] {
        let (mut events, mut deliveries) = (Vec::new(), Vec::new());
        for (place, site) in self.sites.iter().enumerate() {
            let mut may = |event| events.push(Next::Event(place as Place, event));
            site.timers.iter().for_each(|timer| may(Event::Timeout(timer.clone())));
            if site.asleep {
                may(Event::Wake);
            }
            if let Some(request) = <P::Processor as Processor>::Problem::AGAIN.filter(|_| site.requests > 0) {
                may(Event::Call(request));
            }
            let Some(requests) = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS else { continue };
            match (&site.user, requests.release) {
                (User::Out, _) if site.requests > 0 => may(Event::Call(requests.acquire)),
                (User::Inside, Some(release)) => may(Event::Call(release)),
                _ => {}
            }
        }
        for ((place, port), queue) in &self.links {
            let reach = if self.any_order { queue.len() } else { queue.len().min(1) };
            deliveries.extend((0..reach).map(|index| Next::Delivery(*place, *port, index)));
        }
        [events, deliveries]
    }

    /// One random step; false if nothing can happen. Deliveries are preferred: messages are usually faster than timers.
    fn advance(&mut self, faulty: bool, draw: &mut Draw, rules: &mut BTreeSet<u8>) -> bool {
        let [events, deliveries] = self.possible();
        let mut list = match (events.is_empty(), deliveries.is_empty()) {
            (true, true) => return false,
            (false, false) if draw.once_in(4) => events,
            (_, true) => events,
            _ => deliveries,
        };
        let chosen = list.swap_remove(draw.below(list.len() as u64) as usize);
        let (place, event) = match chosen {
            Next::Event(place, event) => (place, event),
            Next::Delivery(place, port, index) => {
                let queue = self.links.get_mut(&(place, port)).expect("it was listed");
                let message = queue.remove(index).expect("it was listed");
                if faulty && draw.once_in(10) {
                    return true;
                }
                if faulty && draw.once_in(10) {
                    queue.insert(index, message.clone());
                }
                (place, Event::Receive(Port(port), message))
            }
        };
        self.step(place, event, draw, rules);
        true
    }

    fn step(&mut self, place: Place, event: Event<P::Processor>, draw: &mut Draw, rules: &mut BTreeSet<u8>) {
        let site = &mut self.sites[place as usize];
        match &event {
            Event::Wake => site.asleep = false,
            Event::Timeout(timer) => assert!(site.timers.remove(timer), "it was listed"),
            Event::Call(_) if site.user == User::Inside => site.user = User::Trying,
            Event::Call(_) => (site.requests, site.user) = (site.requests - 1, User::Trying),
            Event::Receive(..) => {}
        }
        let (sent, reports, waits) = (Vec::new(), Vec::new(), Vec::new());
        let mut did = RuleRecorder { sent, timers: &mut site.timers, waits, reports, rules, draw };
        site.processor.step(self.protocol, event, &mut did);
        let RuleRecorder { sent, reports, waits, .. } = did;
        self.waits = waits;
        for event in reports.iter().filter_map(<P::Processor as Processor>::Problem::workload_event) {
            site.user = match event {
                WorkloadEvent::Entered => User::Inside,
                WorkloadEvent::Left => User::Out,
            };
        }
        for (port, message) in sent {
            let (to, entry) = self.network.route(place, port);
            self.links.entry((to, P::Network::port(entry).0)).or_default().push_back(message);
        }
    }
}

/// Values of parameters that are no plain choice.
const FORMS: &[(&str, &[&str])] = &[
    ("law", &["2^i", "min-time", "constant:3/2"]),
    ("ids", &["n", "2"]),
    ("k", &["1", "2"]),
    ("draw", &["random"]),
    ("numbers", &["unbounded"]),
    ("c1", &["0", "1", "round"]),
    ("c", &["0", "2"]),
    ("crash", &["none", "timeout:3", "probe"]),
    ("digits", &["1", "2"]),
    ("base", &["2"]),
    ("words", &["1", "2"]),
    ("tokens", &["0", "1", "n"]),
    ("jitter", &["0", "L"]),
    ("timer", &["1", "L"]),
];

/// Some of the departures, as users write them.
fn some_of(departures: &[Departure], draw: &mut Draw) -> String {
    let names: Vec<_> = departures.iter().filter(|_| draw.once_in(3)).map(|departure| departure.name).collect();
    if names.is_empty() { "none".into() } else { names.join(",") }
}

fn drawn_settings<P: Protocol>(draw: &mut Draw) -> Vec<(String, String)> {
    let mut set = Vec::new();
    for parameter in P::DESCRIPTION.parameters {
        let value = match parameter.values {
            _ if draw.once_in(2) => parameter.default.to_string(),
            Values::Choice(words) => draw.one_of(words).to_string(),
            Values::Departures(all) => some_of(all, draw),
            Values::Number(..) | Values::Form(_) => {
                let known = FORMS.iter().find(|(name, _)| *name == parameter.name);
                let (_, values) = known.unwrap_or_else(|| panic!("no values are listed for {}", parameter.name));
                draw.one_of(values).to_string()
            }
        };
        set.push((parameter.name.to_string(), value));
    }
    set
}

fn drawn_scenario<P: Protocol>(settings: &Settings, draw: &mut Draw) -> Scenario {
    let assumptions = P::DESCRIPTION.assumptions;
    let sites = draw.between(1, 5) as usize;
    let visited = <P::Processor as Processor>::Problem::WORKLOAD_REQUESTS.is_some();
    let cells = P::cells(settings);
    let readers = draw.below(sites as u64) as usize;
    let writers = if cells > 0 { 1 } else { sites - readers };
    let workload = visited.then(|| Workload {
        entries: 2,
        readers,
        writers,
        cells,
        ..Workload::new(sites.max(readers + writers))
    });
    let sites = if cells > 0 { readers + writers } else { sites };
    let n = sites + cells;
    let reading = draw.one_of(assumptions.readings);
    Scenario {
        n,
        ids: if assumptions.identities { draw.ids(n, n as u64) } else { Vec::new() },
        workload,
        timing: assumptions.preset.timing(reading),
        links: P::links(settings),
        ports: if cells > 0 { Ports::Plain } else { draw.one_of(&[Ports::Plain, Ports::Shuffled(7)]) },
        ..Scenario::default()
    }
}

/// The numbers of the rules that fire in random schedules of a protocol that is made so.
fn fired<P: Protocol>(make: impl Fn(&Settings, &Scenario) -> Option<P>) -> BTreeSet<u8> {
    let mut draw = Draw::new(1);
    let (mut rules, all) = (BTreeSet::new(), P::DESCRIPTION.rules.len());
    for _ in 0..RUNS {
        if rules.len() >= all {
            break;
        }
        let given = drawn_settings::<P>(&mut draw);
        let settings = Settings::new(P::DESCRIPTION.parameters, &given).expect("they are listed");
        let scenario = drawn_scenario::<P>(&settings, &mut draw);
        // Some combinations are refused.
        let Some(protocol) = make(&settings, &scenario) else { continue };
        let mut world = World::new(&protocol, &scenario);
        let faulty = draw.once_in(2);
        let mut steps = 0;
        while steps < STEPS && world.advance(faulty, &mut draw, &mut rules) {
            steps += 1;
        }
    }
    rules
}

fn configured<P: Protocol>(settings: &Settings, scenario: &Scenario) -> Option<P> {
    P::configure(settings, &Resolved::new(scenario).instance(scenario)).ok()
}

/// The rules that never fire, and the numbers that no rule has.
fn faults(rules: &[&str], fired: &BTreeSet<u8>, wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let silent = (1..=rules.len()).filter(|number| wanted(*number) && !fired.contains(&(*number as u8)));
    let unknown = fired.iter().filter(|number| !(1..=rules.len()).contains(&usize::from(**number)));
    let silent = silent.map(|number| format!("rule {number} never fires: {}", rules[number - 1]));
    silent.chain(unknown.map(|number| format!("there is no rule {number}"))).collect()
}

/// The tests of one protocol.
struct OfProtocol {
    rule_faults: fn() -> Vec<String>,
    departures: fn() -> usize,
    idle_departures: fn() -> Vec<String>,
}

impl OfProtocol {
    const fn new<P: Protocol>() -> Self {
        Self {
            rule_faults: rule_faults::<P>,
            departures: departures_with_one_meaning::<P>,
            idle_departures: idle_departures::<P>,
        }
    }
}

macro_rules! of_all {
    (elections: [$($election:ty),* $(,)?], others: [$($other:ty),* $(,)?] $(,)?) => {
        const CATALOGUE: &[OfProtocol] = &[$(OfProtocol::new::<$election>(),)* $(OfProtocol::new::<$other>(),)*];
    };
}

ringleader::protocols::each_protocol!(of_all);

fn rule_faults<P: Protocol>() -> Vec<String> {
    let faults = faults(P::DESCRIPTION.rules, &fired::<P>(configured), |_| true);
    faults.into_iter().map(|fault| format!("{}: {fault}", P::DESCRIPTION.name)).collect()
}

#[test]
fn every_rule_of_every_protocol_fires() {
    let found = CATALOGUE.iter().flat_map(|protocol| (protocol.rule_faults)());
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The rules of the tasks follow those of the election, which are looked for above.
#[test]
fn every_rule_of_a_task_fires() {
    let mut all = BTreeSet::new();
    for task in Task::ALL {
        all.extend(fired::<After<ChangRoberts>>(|settings, scenario| {
            Some(After::new(configured::<ChangRoberts>(settings, scenario)?, task))
        }));
    }
    let of_tasks = |number| number > ChangRoberts::DESCRIPTION.rules.len();
    let found = faults(After::<ChangRoberts>::DESCRIPTION.rules, &all, of_tasks);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What a random schedule makes of the processors and their timers, with these settings and others that are drawn.
fn course<P: Protocol>(undone: (&str, &str), seed: u64) -> Vec<String> {
    let mut draw = Draw::new(seed);
    let mut given = drawn_settings::<P>(&mut draw);
    given.retain(|(key, _)| !["rules", "printed"].contains(&key.as_str()));
    given.push((undone.0.to_string(), undone.1.to_string()));
    let settings = Settings::new(P::DESCRIPTION.parameters, &given).expect("they are allowed");
    let scenario = drawn_scenario::<P>(&settings, &mut draw);
    let Some(protocol) = configured::<P>(&settings, &scenario) else { return Vec::new() };
    let mut world = World::new(&protocol, &scenario);
    let mut course = Vec::new();
    while course.len() < 100 && world.advance(true, &mut draw, &mut BTreeSet::new()) {
        let states: Vec<_> = world.sites.iter().map(|site| &site.processor).collect();
        course.push(format!("{states:?} {:?}", world.waits));
    }
    course
}

const REPAIRED: (&str, &str) = ("rules", "repaired");

/// The number of its departures, whose meaning was tested.
fn departures_with_one_meaning<P: Protocol>() -> usize {
    let Description { name, departures, parameters, .. } = P::DESCRIPTION;
    let listed = parameters.iter().find_map(|parameter| match parameter.values {
        Values::Departures(all) => Some(all),
        _ => None,
    });
    assert_eq!(listed.unwrap_or_default(), departures, "{name}");
    if departures.is_empty() {
        assert!(parameters.iter().all(|parameter| !["rules", "printed"].contains(&parameter.name)), "{name}");
        return 0;
    }
    let primary = departures.iter().filter(|departure| departure.instead_of.is_none());
    let all = primary.map(|departure| departure.name).collect::<Vec<_>>().join(",");
    let mut differ = false;
    for seed in 0..200 {
        let printed = course::<P>(("rules", "printed"), seed);
        assert_eq!(printed, course::<P>(("printed", &all), seed), "{name}, printed={all}");
        differ |= printed != course::<P>(REPAIRED, seed);
    }
    assert!(differ, "{name}: printed rules make no difference");
    for departure in departures {
        let both = [("rules", "printed"), ("printed", departure.name)].map(|(key, value)| (key.into(), value.into()));
        let settings = Settings::new(parameters, &both).expect("each is allowed");
        let scenario = drawn_scenario::<P>(&settings, &mut Draw::new(1));
        let Err(bad) = P::configure(&settings, &Resolved::new(&scenario).instance(&scenario)) else {
            panic!("{name}: rules=printed and printed={} are taken together", departure.name)
        };
        assert_eq!(bad.wrong, format!("rules=printed and printed={} are both given", departure.name), "{name}");
    }
    departures.len()
}

#[test]
fn printed_rules_mean_the_same_in_every_protocol() {
    let departing = CATALOGUE.iter().filter(|protocol| (protocol.departures)() > 0);
    assert!(departing.count() > 5, "several protocols depart from their papers");
}

/// The departures that make no difference.
fn idle_departures<P: Protocol>() -> Vec<String> {
    let idle = |departure: &&Departure| {
        let undone = ("printed", departure.name);
        // What is refused has no course.
        (0..20_000).all(|seed| {
            let printed = course::<P>(undone, seed);
            printed.is_empty() || printed == course::<P>(REPAIRED, seed)
        })
    };
    let idle = P::DESCRIPTION.departures.iter().filter(idle);
    idle.map(|departure| format!("{}: printed={}", P::DESCRIPTION.name, departure.name)).collect()
}

#[test]
fn every_departure_makes_a_difference() {
    let idle = CATALOGUE.iter().flat_map(|protocol| (protocol.idle_departures)());
    assert_eq!(idle.collect::<Vec<_>>(), [""; 0]);
}
