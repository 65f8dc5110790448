//! The battery: one entry for each election whose cost follows from its definition. Every entry passes through the same checks
//! and is compared, figure by figure, with its one independent reference. Every bound that is listed holds in every run.

use conformance::reference::{
    Account, Blocked, HopTest, afek_gafni_sync, all_to_all, chang_roberts, dolev_klawe_rodeh_a, dolev_klawe_rodeh_b,
    franklin, frederickson_lynch, hirschberg_sinclair, lelann, peterson_alternating, peterson_holder, peterson_owner,
    plain_links, time_slice,
};
use conformance::{
    Draw, LINKS, assert_refused, orders, orders_up_to_rotation, run_scenario, set_up, set_up_scenario, wake_sets,
};
use ringleader::model::{
    Assumptions, Delays, Faults, Id, Links, Offsets, Outcome, Place, Ports, Preset, Range, Reading, Scenario, Share,
    Starts, Timing, Topology, Wakes,
};
use ringleader::sim::Choices;
use ringleader::{Execution, Setup};

/// An election, its reference, and the instances on which they are compared.
pub(crate) struct BatteryEntry {
    /// What is written after `ringleader run`.
    pub(crate) line: &'static str,
    /// The cost of a scenario, by definition.
    pub(crate) reference: fn(&Scenario) -> Account,
    /// All orders up to this size, and all orders up to rotation up to that size.
    orders: (u64, u64),
    /// All wake sets and orientations of all orders up to this size; 0 where the reference knows only rings that start
    /// together.
    wake_sets: u64,
    /// The number of random rings that are run under six schedules each, and their greatest size.
    schedules: (u64, u64),
    /// Links on which the schedule does not change a count.
    links: &'static [Links],
    /// The least identity is at most this, so that rounds suffice.
    least: u64,
    /// Sizes of single large rings.
    large: &'static [usize],
    /// Whether no fault elects anybody but the greatest.
    crash_safe: bool,
}

const FIFO: &[Links] = &[Links::Fifo, Links::Fifo, Links::Half];

/// An entry of a ring on which nothing but the order of the identities decides.
const RING: BatteryEntry = BatteryEntry {
    line: "",
    reference: |scenario| lelann(&scenario.ids),
    orders: (7, 9),
    wake_sets: 5,
    schedules: (3470, 1000),
    links: FIFO,
    least: u64::MAX,
    large: &[1000, 10_000],
    crash_safe: true,
};

const BIDIRECTIONAL: BatteryEntry =
    BatteryEntry { orders: (7, 7), schedules: (270, 100), links: &Links::ALL, crash_safe: false, ..RING };

const ROUNDS: BatteryEntry = BatteryEntry {
    orders: (7, 7),
    wake_sets: 0,
    schedules: (500, 300),
    links: &[Links::Fifo],
    crash_safe: false,
    ..RING
};

pub(crate) const ELECTIONS: &[BatteryEntry] = &[
    BatteryEntry { line: "lelann", orders: (7, 7), wake_sets: 6, schedules: (410, 60), large: &[1000], ..RING },
    BatteryEntry {
        line: "chang-roberts",
        reference: |scenario| chang_roberts(&scenario.ids, &initiators(scenario)),
        orders: (8, 8),
        wake_sets: 6,
        schedules: (1700, 60),
        large: &[1000, 1000, 1000, 3162, 3162, 3162, 10_000, 10_000, 10_000],
        ..RING
    },
    BatteryEntry { line: "peterson", reference: |scenario| peterson_owner(&scenario.ids), ..RING },
    BatteryEntry {
        line: "peterson --set elected=holder",
        reference: |scenario| peterson_holder(&scenario.ids),
        ..RING
    },
    BatteryEntry { line: "peterson-alternating", reference: |scenario| peterson_alternating(&scenario.ids), ..RING },
    BatteryEntry {
        line: "dolev-klawe-rodeh --set variant=a",
        reference: |scenario| dolev_klawe_rodeh_a(&scenario.ids),
        ..RING
    },
    BatteryEntry {
        line: "dolev-klawe-rodeh --set variant=b",
        reference: |scenario| dolev_klawe_rodeh_b(&scenario.ids),
        ..RING
    },
    BatteryEntry {
        line: "hirschberg-sinclair",
        reference: |scenario| hirschberg_sinclair(&scenario.ids, Blocked::Silent, HopTest::Repaired),
        ..BIDIRECTIONAL
    },
    BatteryEntry {
        line: "hirschberg-sinclair --set blocked=echo",
        reference: |scenario| hirschberg_sinclair(&scenario.ids, Blocked::Echo, HopTest::Repaired),
        ..BIDIRECTIONAL
    },
    BatteryEntry {
        line: "hirschberg-sinclair --set rules=printed",
        reference: |scenario| hirschberg_sinclair(&scenario.ids, Blocked::Silent, HopTest::Printed),
        ..BIDIRECTIONAL
    },
    BatteryEntry {
        line: "hirschberg-sinclair --set rules=printed --set blocked=echo",
        reference: |scenario| hirschberg_sinclair(&scenario.ids, Blocked::Echo, HopTest::Printed),
        ..BIDIRECTIONAL
    },
    BatteryEntry {
        line: "franklin",
        reference: |scenario| franklin(&scenario.ids),
        orders: (8, 8),
        schedules: (2070, 100),
        links: FIFO,
        large: &[31, 100, 316, 1000, 3162, 10_000],
        ..BIDIRECTIONAL
    },
    BatteryEntry {
        line: "all-to-all",
        reference: |scenario| all_to_all(&scenario.ids),
        orders: (7, 7),
        schedules: (300, 40),
        links: LINKS,
        large: &[200],
        crash_safe: false,
        ..RING
    },
    BatteryEntry {
        line: "time-slice",
        reference: |scenario| started(time_slice(&scenario.ids), scenario),
        least: 1 << 40,
        ..ROUNDS
    },
    BatteryEntry {
        line: "frederickson-lynch",
        reference: |scenario| started(frederickson_lynch(&scenario.ids), scenario),
        least: 40,
        large: &[500, 5000],
        ..ROUNDS
    },
    BatteryEntry {
        line: "afek-gafni-sync",
        reference: |scenario| afek_gafni_sync(&scenario.ids, &vec![Some(0); scenario.n], &plain_links(scenario.n)),
        schedules: (0, 1),
        large: &[300],
        ..ROUNDS
    },
];

fn initiators(scenario: &Scenario) -> Vec<bool> {
    (0..scenario.n as Place).map(|place| scenario.wake_at(place).is_some()).collect()
}

/// The account of a ring that starts together, at any time.
fn started(account: Account, scenario: &Scenario) -> Account {
    let start = scenario.wake_at(0).expect("all wake");
    Account { time_elected: start + account.time_elected, time: start + account.time, ..account }
}

impl BatteryEntry {
    fn setup(&self) -> Setup {
        set_up(self.line)
    }

    /// Identities that suit it.
    fn suited(&self, mut ids: Vec<u64>) -> Vec<u64> {
        let least = (0..ids.len()).min_by_key(|&place| ids[place]).expect("a ring is not empty");
        ids[least] = ids[least].min(self.least);
        ids
    }

    /// The usual scenario of these identities.
    fn usual(&self, setup: &Setup, ids: Vec<u64>) -> Scenario {
        Scenario { n: ids.len(), ids: self.suited(ids), ..Scenario::clone(&setup.scenario) }
    }

    /// Demands every figure of the reference.
    #[track_caller]
    fn compare_all(&self, setup: &Setup, scenario: &Scenario) {
        let found = Account::of(&run_scenario(setup, scenario));
        assert_eq!(found, (self.reference)(scenario), "{} in {scenario:?}", self.line);
    }

    /// Demands every figure of the reference that does not depend on the schedule.
    #[track_caller]
    fn compare(&self, setup: &Setup, scenario: &Scenario) {
        let found = Account::of(&run_scenario(setup, scenario)).without_times();
        assert_eq!(found, (self.reference)(scenario).without_times(), "{} in {scenario:?}", self.line);
    }

    /// A random schedule of a scenario.
    fn schedule(&self, assumptions: &Assumptions, draw: &mut Draw, usual: &Scenario) -> Scenario {
        let n = usual.n;
        if assumptions.starts == Starts::Together {
            return Scenario { wakes: Wakes::At(vec![Some(draw.below(1000)); n]), ..usual.clone() };
        }
        let (two_ways, complete) =
            (assumptions.topology == Topology::BidirectionalRing, assumptions.topology == Topology::Complete);
        // Who of Chang and Roberts's wakes late may have been reached by the announcement.
        let latest = if self.line == "chang-roberts" { 0 } else { 10 * n as u64 };
        Scenario {
            timing: any_timing(assumptions.topology, draw, n),
            wakes: draw.wakes(n, latest),
            links: draw.one_of(self.links),
            orientation: (0..n).filter(|_| two_ways).map(|_| draw.once_in(2)).collect(),
            ports: if complete && draw.once_in(2) { Ports::Shuffled(n as u64) } else { Ports::Plain },
            seed: draw.below(1 << 40),
            ..usual.clone()
        }
    }
}

/// Any clocks, delays and reading that suit a network.
fn any_timing(topology: Topology, draw: &mut Draw, n: usize) -> Timing {
    if draw.once_in(4) {
        return draw.one_of(&Preset::ALL).timing(Reading::Immediate);
    }
    let mut timing = draw.timing(n);
    if draw.once_in(8) {
        timing.offsets = Offsets::List(draw.list(n, Range::new(0, 30)));
    }
    match timing.delays {
        Delays::List(_) if topology == Topology::Complete => timing.delays = Delays::Uniform,
        Delays::Min if topology != Topology::Ring => timing.delays = Delays::OneWay,
        _ => {}
    }
    timing
}

#[test]
fn all_orders_cost_what_the_references_say() {
    for entry in ELECTIONS {
        let (setup, (all, rotations)) = (entry.setup(), entry.orders);
        for ids in (1..=all).flat_map(orders).chain((all + 1..=rotations).flat_map(orders_up_to_rotation)) {
            entry.compare_all(&setup, &entry.usual(&setup, ids));
        }
    }
}

#[test]
fn random_rings_and_extreme_identities_cost_what_the_references_say() {
    let mut draw = Draw::new(1);
    for entry in ELECTIONS {
        let setup = entry.setup();
        entry.compare_all(&setup, &entry.usual(&setup, vec![u64::MAX - 1, 1, u64::MAX, 1 << 63]));
        for _ in 0..60 {
            let n = draw.between(1, 300) as usize;
            entry.compare_all(&setup, &entry.usual(&setup, draw.wide_ids(n)));
        }
        for &n in entry.large {
            entry.compare_all(&setup, &entry.usual(&setup, draw.ids(n, 2 * n as u64)));
        }
    }
}

#[test]
fn every_wake_set_and_orientation_costs_what_the_references_say() {
    let mut presets = Preset::ALL.iter().cycle();
    let mut draw = Draw::new(5);
    for entry in ELECTIONS {
        let setup = entry.setup();
        let topology = setup.description().assumptions.topology;
        for ids in (1..=entry.wake_sets).flat_map(orders) {
            let n = ids.len();
            let usual = entry.usual(&setup, ids);
            for wakes in wake_sets(n) {
                let preset = presets.next().expect("a cycle has no end").timing(Reading::Immediate);
                let timing = if draw.once_in(2) { preset } else { any_timing(topology, &mut draw, n) };
                entry.compare(&setup, &Scenario { wakes, timing, ..usual.clone() });
            }
            for exchanged in 1..if topology == Topology::BidirectionalRing { 1u32 << n } else { 1 } {
                let orientation = (0..n).map(|place| exchanged >> place & 1 == 1).collect();
                entry.compare_all(&setup, &Scenario { orientation, ..usual.clone() });
            }
        }
    }
}

#[test]
fn no_schedule_changes_a_count() {
    for entry in ELECTIONS {
        let (setup, (rings, greatest)) = (entry.setup(), entry.schedules);
        let assumptions = &setup.description().assumptions;
        let mut draw = Draw::new(rings);
        for ring in 0..rings {
            let n = draw.size(greatest) as usize;
            let ids = if ring % 5 == 0 { draw.wide_ids(n) } else { draw.ids(n, 2 * n as u64) };
            let usual = entry.usual(&setup, ids);
            for _ in 0..6 {
                let scenario = entry.schedule(assumptions, &mut draw, &usual);
                if assumptions.compulsory {
                    entry.compare_all(&setup, &scenario);
                } else {
                    entry.compare(&setup, &scenario);
                }
            }
        }
    }
}

/// No step panics with loss, duplication, crashes or links that reorder. Crashes alone, which cut every sequence of messages
/// short and change nothing before, elect nobody but the greatest.
#[test]
fn crashes_elect_nobody_but_the_greatest() {
    for entry in ELECTIONS.iter().filter(|entry| entry.crash_safe) {
        let setup = entry.setup();
        let mut draw = Draw::new(77);
        let (mut silent, mut elected) = (0, 0);
        for seed in 0..2000 {
            let n = draw.between(1, 30) as usize;
            let usual = entry.usual(&setup, draw.ids(n, 100));
            let share = |draw: &mut Draw| draw.once_in(2).then(|| Share { part: 1, whole: draw.between(2, 60) as u32 });
            let crashes = vec![(draw.below(n as u64) as Place, draw.below(1000))];
            let faults = Faults { crashes, loss: share(&mut draw), duplicate: share(&mut draw), ..Faults::default() };
            let links = draw.one_of(&[Links::Fifo, Links::Any]);
            let crashes_only = links == Links::Fifo && faults.loss.is_none() && faults.duplicate.is_none();
            let (wakes, timing) = (draw.wakes(n, 50), draw.timing(n));
            let scenario = Scenario { wakes, timing, links, faults, seed, ..usual };
            let setup = set_up_scenario(&setup, &scenario);
            let mut execution = Execution::new(&setup, Choices::Drawn).expect("the settings suit the protocol");
            // A message circulates forever if nobody is left to stop it.
            execution.run.advance(20_000);
            if crashes_only {
                let Outcome::Election { leaders, .. } = execution.run.summary().outcome else { panic!("an election") };
                let greatest = scenario.ids.iter().copied().max();
                assert!(leaders.iter().all(|leader| leader.id.map(Id::get) == greatest), "{leaders:?} in {scenario:?}");
                *if leaders.is_empty() { &mut silent } else { &mut elected } += 1;
            }
        }
        assert!(silent > 30 && elected > 30, "{}: {silent} silent and {elected} elected show both", entry.line);
    }
}

#[test]
fn synchronous_rings_refuse_other_timings_and_wake_sets() {
    let timings = ["--timing unit", "--timing lockstep", "--d 1", "--r 1..2", "--clocks slowest", "--reading per-tick"];
    let wakes = ["--wake one", "--wake 0,1,2", "--wake-at 0,0,1,0", "--wake-at 0,0,-,0"];
    for protocol in ["time-slice", "frederickson-lynch", "itai-rodeh-sync"] {
        for (option, field) in timings.map(|one| (one, "timing")).into_iter().chain(wakes.map(|one| (one, "wake"))) {
            assert_refused(&format!("{protocol} -n 4 {option}"), field);
        }
    }
}
