//! Every election whose cost follows from its definition, held against a reference that was written from the definition
//! alone: every figure, over all orders of up to seven and on random larger rings. Every bound that is listed holds there.

use conformance::brute_force::{
    Account, Blocked, HopTest, afek_gafni_sync, all_to_all, dolev_klawe_rodeh_a, dolev_klawe_rodeh_b, franklin,
    frederickson_lynch, hirschberg_sinclair, peterson_alternating, peterson_holder, peterson_owner, plain_links,
    time_slice,
};
use conformance::{Draw, orders, set_up};
use ringleader::Setup;
use ringleader::model::{
    Clocks, Complete, Delays, Network, Offsets, Port, Ports, Preset, Range, Reading, Scenario, Timing, Topology, Wakes,
};

/// What is written after `ringleader run`, to be run on many rings.
struct CheckedElection {
    line: &'static str,
    setup: Setup,
}

impl CheckedElection {
    fn new(line: &'static str) -> Self {
        Self { line, setup: set_up(line) }
    }

    /// Runs it on these identities, in a world changed as one likes.
    #[track_caller]
    fn run(&self, ids: &[u64], change: impl FnOnce(&mut Scenario)) -> Account {
        let Setup { entry, mut scenario, settings, task, max_messages, max_time, .. } = self.setup.clone();
        scenario.n = ids.len();
        scenario.ids = ids.to_vec();
        change(&mut scenario);
        let what = format!("{}, {scenario:?}", self.line);
        let setup = Setup::of_scenario(entry, scenario, settings, task, [max_messages, max_time]);
        let setup = setup.unwrap_or_else(|error| panic!("{what}: {error}"));
        let summary = setup.run().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(summary.finished, "{what}: {:?}", summary.violations);
        for bound in &setup.facts.bounds {
            assert_ne!(bound.judge(&summary).1, Some(false), "{what}: {bound:?}");
        }
        Account::of(&summary)
    }

    /// Every figure over all orders of up to seven.
    fn on_all_orders(&self, reference: impl Fn(&[u64]) -> Account) {
        for ids in (1..=7).flat_map(orders) {
            assert_eq!(self.run(&ids, |_| {}), reference(&ids), "{} --ids {ids:?}", self.line);
        }
    }

    /// Every figure on random rings of up to 300, of identities that `changed` may make fit.
    fn on_random_rings(&self, changed: impl Fn(&mut Vec<u64>), reference: impl Fn(&[u64]) -> Account) {
        let mut draw = Draw::new(1);
        for _ in 0..60 {
            let n = draw.between(1, 300) as usize;
            let mut ids = draw.wide_ids(n);
            changed(&mut ids);
            assert_eq!(self.run(&ids, |_| {}), reference(&ids), "{} --ids {ids:?}", self.line);
        }
    }

    /// Everything but times and depths, under schedules of all sorts and whoever wakes by itself.
    fn whatever_the_schedule(&self, reference: impl Fn(&[u64]) -> Account) {
        let topology = self.setup.description().assumptions.topology;
        let mut draw = Draw::new(2);
        for seed in 0..400 {
            let n = draw.between(1, 40) as usize;
            let ids = draw.wide_ids(n);
            let timing = schedule(&mut draw, topology);
            let wakes = draw.wakes(n, 200);
            let left_or_right = topology == Topology::BidirectionalRing;
            let orientation = (0..n).filter(|_| left_or_right).map(|_| draw.below(2) == 1).collect();
            let found = self.run(&ids, |scenario| {
                *scenario = Scenario { timing, wakes, orientation, seed, ..scenario.clone() };
            });
            let expected = reference(&ids).whatever_the_schedule();
            assert_eq!(found.whatever_the_schedule(), expected, "{} --ids {ids:?}, seed {seed}", self.line);
        }
    }
}

fn schedule(draw: &mut Draw, topology: Topology) -> Timing {
    if draw.once_in(4) {
        return draw.one_of(&Preset::ALL).timing(Reading::Immediate);
    }
    let mut delays = Delays::NAMED.to_vec();
    delays.retain(|delays| topology != Topology::Ring || *delays != Delays::OneWay);
    Timing {
        r: Range::new(1, 9),
        d: Range::new(0, draw.one_of(&[1, 10, 1000])),
        reading: draw.one_of(&Reading::ALL),
        clocks: draw.one_of(&[Clocks::Fixed, Clocks::Varying]),
        delays: draw.one_of(&delays),
        offsets: Offsets::Zero,
    }
}

fn as_they_are(_: &mut Vec<u64>) {}

/// Both on a ring in unit time, where the figures do not depend on the schedule.
fn ring(line: &'static str, reference: impl Fn(&[u64]) -> Account + Copy) {
    let election = CheckedElection::new(line);
    election.on_all_orders(reference);
    election.on_random_rings(as_they_are, reference);
    election.whatever_the_schedule(reference);
}

#[test]
fn peterson_by_owner() {
    ring("peterson --set elected=owner", peterson_owner);
    CheckedElection::new("peterson").on_all_orders(peterson_owner);
}

#[test]
fn peterson_by_holder() {
    ring("peterson --set elected=holder", peterson_holder);
}

#[test]
fn peterson_with_one_message_a_phase() {
    ring("peterson-alternating", peterson_alternating);
}

#[test]
fn dolev_klawe_and_rodeh_a() {
    ring("dolev-klawe-rodeh --set variant=a", dolev_klawe_rodeh_a);
}

#[test]
fn dolev_klawe_and_rodeh_b() {
    ring("dolev-klawe-rodeh --set variant=b", dolev_klawe_rodeh_b);
}

#[test]
fn hirschberg_and_sinclair() {
    let of = |blocked, hop_test| move |ids: &[u64]| hirschberg_sinclair(ids, blocked, hop_test);
    ring("hirschberg-sinclair", of(Blocked::Silent, HopTest::Repaired));
    ring("hirschberg-sinclair --set blocked=echo", of(Blocked::Echo, HopTest::Repaired));
    ring("hirschberg-sinclair --set rules=printed", of(Blocked::Silent, HopTest::Printed));
    ring("hirschberg-sinclair --set rules=printed --set blocked=echo", of(Blocked::Echo, HopTest::Printed));
}

#[test]
fn franklins() {
    ring("franklin", franklin);
}

#[test]
fn time_slices() {
    let election = CheckedElection::new("time-slice");
    election.on_all_orders(time_slice);
    election.on_random_rings(|ids| make_least(ids, 1 << 40), time_slice);
}

#[test]
fn frederickson_and_lynch() {
    let election = CheckedElection::new("frederickson-lynch");
    election.on_all_orders(frederickson_lynch);
    election.on_random_rings(|ids| make_least(ids, 40), frederickson_lynch);
}

/// Sees to it that the least identity is not above this, so that time suffices.
fn make_least(ids: &mut [u64], greatest: u64) {
    let place = (0..ids.len()).min_by_key(|&place| ids[place]).expect("somebody is there");
    ids[place] = ids[place].min(greatest);
}

#[test]
fn everybody_to_everybody() {
    let election = CheckedElection::new("all-to-all");
    election.on_all_orders(all_to_all);
    election.on_random_rings(as_they_are, all_to_all);
    election.whatever_the_schedule(all_to_all);
}

#[test]
fn afek_and_gafni_when_all_start_together() {
    let election = CheckedElection::new("afek-gafni-sync");
    let reference = |ids: &[u64]| afek_gafni_sync(ids, &vec![Some(0); ids.len()], &plain_links(ids.len()));
    election.on_all_orders(reference);
    election.on_random_rings(as_they_are, reference);
}

#[test]
fn afek_and_gafni_whoever_starts_and_whenever() {
    let election = CheckedElection::new("afek-gafni-sync");
    let compare = |ids: &[u64], wake_at: &[Option<u64>], ports: Ports| {
        let n = ids.len();
        let network = Complete::new(&Scenario { n, ports, ..Scenario::default() });
        let links: Vec<Vec<usize>> = (0..n as u32)
            .map(|place| (0..n as u32 - 1).map(|port| network.route(place, Port(port)).0 as usize).collect())
            .collect();
        let found = election.run(ids, |scenario| {
            scenario.wakes = Wakes::At(wake_at.to_vec());
            scenario.ports = ports;
        });
        let expected = afek_gafni_sync(ids, wake_at, &links);
        // Who waits for acknowledgements when it is told the result may look for them once more, in the next round.
        assert!(found.time - expected.time <= 1, "{found:?}");
        let found = Account { time: expected.time, ..found };
        assert_eq!(found, expected, "afek-gafni-sync --ids {ids:?} --wake-at {wake_at:?}, {ports:?}");
    };
    for ids in (1..=4).flat_map(orders) {
        let n = ids.len() as u32;
        for code in 1..6u64.pow(n) {
            let wake_at: Vec<_> = (0..n).map(|place| (code / 6u64.pow(place) % 6).checked_sub(1)).collect();
            compare(&ids, &wake_at, Ports::Plain);
        }
    }
    let mut draw = Draw::new(3);
    for seed in 0..2000 {
        let n = draw.between(1, 60) as usize;
        let ids = draw.wide_ids(n);
        let Wakes::At(wake_at) = draw.wakes(n, 10) else { continue };
        compare(&ids, &wake_at, Ports::Shuffled(seed));
    }
}
