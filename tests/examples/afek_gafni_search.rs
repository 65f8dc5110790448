//! The search that found the runs of `experiments/afek-gafni-sync` and `experiments/afek-gafni-async`: where the printed
//! forms of Afek and Gafni's elections fail, and where the message counts of the lecture are exceeded.
//!
//! `cargo run --release -p conformance --example afek_gafni_search`
//!
//! In rounds: all orders and wake sets of a few processors, with plain ports and some shuffled ones; for the counts also
//! eight processors with those shuffled ports that let everybody ask the next smaller one first. Without rounds: random
//! scenarios of each size, under every delay policy.
#![allow(clippy::print_stdout, reason = "its findings are what it is for")]

use conformance::{Draw, finished, leaders, orders, passes, ring, simulated, wake_sets};
use ringleader::model::{Complete, Delays, Network, Place, Port, Ports, Preset, Range, Reading, Scenario, Timing};
use ringleader::sim::Summary;

fn main() {
    for reading in ["own", "zero", "slide-4"] {
        sync_as_printed(reading);
    }
    for n in 2..=6 {
        sync_counts(n);
    }
    sync_chains(8);
    for settings in [[("printed", "owner")], [("printed", "ack")], [("rules", "printed")]] {
        for n in 2..=6 {
            async_as_printed(&settings, n);
        }
    }
    for n in [2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128] {
        async_counts(n);
    }
}

fn rounds() -> Timing {
    Preset::Rounds.timing(Reading::Immediate)
}

fn shown(scenario: &Scenario) -> String {
    let Scenario { ids, wakes, ports, timing, .. } = scenario;
    format!("ids {ids:?}, {wakes:?}, {ports:?}, d {}, {}", timing.d, timing.delays.name())
}

fn n_log_n(n: u64) -> f64 {
    n as f64 * (n as f64).log2()
}

fn sync(settings: &[(&str, &str)], scenario: &Scenario) -> Summary {
    finished(&mut *simulated("afek-gafni-sync", settings, scenario))
}

/// All orders and wake sets of more and more processors, until some fail.
fn sync_as_printed(reading: &str) {
    for n in 1..=5u64 {
        let (mut tried, mut failed, mut first) = (0, 0, None);
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                for ports in [Ports::Plain].into_iter().chain((1..20).map(Ports::Shuffled)) {
                    let scenario = Scenario { wakes: wakes.clone(), ports, ..ring(&ids, rounds()) };
                    let violations = sync(&[("printed", reading)], &scenario).violations;
                    tried += 1;
                    if let Some(violation) = violations.first() {
                        failed += 1;
                        first.get_or_insert((scenario, violation.detail.clone()));
                    }
                }
            }
        }
        println!("in rounds, printed={reading}, {n} processors: {failed} of {tried} fail");
        if let Some((scenario, detail)) = first {
            return println!("    {}: {detail}", shown(&scenario));
        }
    }
}

/// The most candidate messages that any order makes with plain ports, all starting.
fn sync_counts(n: u64) {
    let counts = orders(n).into_iter().map(|ids| (passes(&sync(&[], &ring(&ids, rounds())), "candidate"), ids));
    let (most, ids) = counts.max_by_key(|(count, _)| *count).expect("there is an order");
    println!("in rounds, {n} processors: {most} candidate messages, n log n is {:.1}; ids {ids:?}", n_log_n(n));
}

/// The most messages among those ports that make a chain.
fn sync_chains(n: u64) {
    let (mut most, mut chains) = ((0, 0, 0, Vec::new()), 0);
    for seed in 0..20_000 {
        let ports = Ports::Shuffled(seed);
        let scenario = Scenario { n: n as usize, ports, timing: rounds(), ..Scenario::default() };
        let Some(ids) = chain(&Complete::new(&scenario), n) else { continue };
        let summary = sync(&[], &Scenario { ids: ids.clone(), ..scenario });
        chains += 1;
        if summary.cost.split(false) > most.0 {
            most = (summary.cost.split(false), passes(&summary, "candidate"), seed, ids);
        }
    }
    let (all, candidates, seed, ids) = most;
    println!("in rounds, {n} processors, {chains} chains: {all} messages, 2n log n is {:.1}", 2.0 * n_log_n(n));
    println!("    {candidates} of them candidate; ids {ids:?}, ports shuffled from {seed}");
}

/// Identities under which everybody's first link leads to the next smaller one, if the ports allow that.
fn chain(network: &Complete, n: u64) -> Option<Vec<u64>> {
    (0..n as Place).find_map(|first| {
        let mut ids = vec![0; n as usize];
        let mut place = first;
        for id in (1..=n).rev() {
            if ids[place as usize] != 0 {
                return None;
            }
            ids[place as usize] = id;
            place = network.route(place, Port(0)).0;
        }
        Some(ids)
    })
}

fn drawn(draw: &mut Draw, n: u64, seed: u64) -> Scenario {
    let d = Range::new(draw.between(0, 1), draw.one_of(&[1, 3, 30, 1000]));
    let timing = Timing { d, delays: draw.one_of(&Delays::NAMED), ..Preset::Unit.timing(Reading::Immediate) };
    let latest = draw.one_of(&[0, 4, d.max * n]);
    let ports = draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]);
    Scenario { wakes: draw.wakes(n as usize, latest), ports, seed, ..ring(&draw.ids(n as usize, n), timing) }
}

/// Random runs; one with this many messages is taken for infinite.
fn async_as_printed(settings: &[(&str, &str)], n: u64) {
    let mut draw = Draw::new(n);
    let mut found = [const { Vec::new() }; 2];
    for seed in 0..20_000 {
        let scenario = drawn(&mut draw, n, seed);
        let mut run = simulated("afek-gafni-async", settings, &scenario);
        let over = (0..10).any(|_| run.advance(2000));
        let summary = run.summary();
        let leaders = leaders(&summary);
        assert!(!over || leaders.len() > 1 || summary.violations.is_empty(), "nothing else goes wrong");
        if leaders.len() > 1 {
            found[0].push(scenario);
        } else if !over {
            found[1].push(scenario);
        }
    }
    let [two, endless] = &found;
    println!("{settings:?}, {n} processors: of 20,000, {} two leaders, {} without end", two.len(), endless.len());
    for scenario in [two.first(), endless.first()].into_iter().flatten() {
        println!("    {}", shown(scenario));
    }
}

/// The most messages, the longest chain and the longest time found.
fn async_counts(n: u64) {
    let mut draw = Draw::new(n);
    let runs = if n <= 16 { 200_000 } else { 200_000 / n };
    let (mut most, mut captures, mut deepest, mut slowest) = (0, 0, 0, 0.0f64);
    for seed in 0..runs {
        let scenario = drawn(&mut draw, n, seed);
        let summary = finished(&mut *simulated("afek-gafni-async", &[], &scenario));
        let cost = &summary.cost;
        let first = (0..n as Place).filter_map(|place| scenario.wake_at(place)).min().expect("somebody wakes");
        let time = cost.time_elected.expect("one is elected") - first;
        most = most.max(cost.split(false));
        captures = captures.max(passes(&summary, "capture"));
        deepest = deepest.max(cost.depth_elected.unwrap_or(0));
        slowest = slowest.max(time as f64 / scenario.timing.d.max as f64);
    }
    let log = n_log_n(n);
    println!(
        "{n} processors, {runs} runs: {most} messages ({captures} captures), n log n is {log:.1}; elected after a"
    );
    println!("    chain of {deepest} and {slowest:.0} d_max");
}
