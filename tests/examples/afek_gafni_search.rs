//! The search that found the runs of `experiments/afek-gafni-sync` and `experiments/afek-gafni-async`: where the printed
//! forms of Afek and Gafni's elections fail, and where the message counts of the lecture are exceeded.
//!
//! `cargo run --release -p conformance --example afek_gafni_search`
#![allow(clippy::print_stdout, reason = "its findings are what it is for")]

use conformance::{Draw, finished, orders, passes, prepared, ring, wake_sets};
use ringleader::model::{
    Complete, Delays, Network, Outcome, Place, Port, Ports, Preset, Range, Reading, Scenario, Timing,
};
use ringleader::protocols::election::afek_gafni_async::AfekGafniAsync;
use ringleader::protocols::election::afek_gafni_sync::AfekGafniSync;
use ringleader::sim::{Run, Summary};

fn main() {
    sync_printed("rules=printed", &[("rules", "printed")]);
    sync_printed("rules=printed initial=zero", &[("rules", "printed"), ("initial", "zero")]);
    sync_printed("rules=printed remaining=slide-4, all awake", &[("rules", "printed"), ("remaining", "slide-4")]);
    sync_counts();
    async_printed("rules=printed", &[("rules", "printed")]);
    async_printed("printed=owner", &[("printed", "owner")]);
    async_printed("printed=ack", &[("printed", "ack")]);
    async_counts();
}

fn rounds() -> Timing {
    Preset::Rounds.timing(Reading::Immediate)
}

fn sync(settings: &[(&str, &str)], scenario: &Scenario) -> Summary {
    finished(&mut prepared::<AfekGafniSync>(settings, scenario).expect("the scenario suits it"))
}

/// All orders and wake sets of a few processors, until one fails.
fn sync_printed(name: &str, settings: &[(&str, &str)]) {
    let all_awake = name.contains("all awake");
    for n in 1..=5u64 {
        let (mut tried, mut failed, mut first) = (0u64, 0u64, None);
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                for seed in 0..20 {
                    let ports = if seed == 0 { Ports::Plain } else { Ports::Shuffled(seed) };
                    let scenario = Scenario { wakes: wakes.clone(), ports, seed, ..ring(&ids, rounds()) };
                    if all_awake && (0..n as Place).any(|place| scenario.wake_at(place).is_none()) {
                        continue;
                    }
                    let summary = sync(settings, &scenario);
                    tried += 1;
                    if !summary.violations.is_empty() {
                        failed += 1;
                        first.get_or_insert((scenario, summary.violations));
                    }
                }
            }
        }
        println!("afek-gafni-sync, {name}, {n} processors: {failed} of {tried} runs fail");
        if let Some((scenario, violations)) = first {
            println!("  ids {:?}, wakes {:?}, {:?}: {violations:?}", scenario.ids, scenario.wakes, scenario.ports);
            return;
        }
    }
}

/// Exceeded where n log2 n < count: in integers, n^n < 2^count.
fn exceeds_n_log_n(n: u64, count: u64, times: u32) -> bool {
    f64::from(times) * n as f64 * (n as f64).log2() < count as f64
}

/// Candidate messages beyond n log2 n, and all messages beyond 2n log2 n.
fn sync_counts() {
    for n in 2..=5u64 {
        let mut most = (0, 0, Vec::new());
        for ids in orders(n) {
            let summary = sync(&[], &ring(&ids, rounds()));
            let candidates = passes(&summary, "candidate");
            if candidates > most.0 {
                most = (candidates, summary.cost.split(false), ids);
            }
        }
        let exceeded = exceeds_n_log_n(n, most.0, 1);
        println!(
            "afek-gafni-sync, plain ports, {n}: at most {most:?} candidate messages; more than n log n: {exceeded}"
        );
    }
    for n in [4, 8u64] {
        let mut most = (0, 0, 0, Vec::new());
        for seed in 0..20_000 {
            let scenario =
                Scenario { ports: Ports::Shuffled(seed), n: n as usize, seed, timing: rounds(), ..Scenario::default() };
            let Some(ids) = chain(&Complete::new(&scenario), n) else { continue };
            let summary = sync(&[], &Scenario { ids: ids.clone(), ..scenario });
            if summary.cost.split(false) > most.0 {
                most = (summary.cost.split(false), passes(&summary, "candidate"), seed, ids);
            }
        }
        let (all, candidates, seed, ids) = most;
        println!(
            "afek-gafni-sync, shuffled ports, {n}: {all} messages, {candidates} of them candidate, seed {seed}, ids {ids:?}; \
             more than n log n candidate: {}, more than 2n log n: {}",
            exceeds_n_log_n(n, candidates, 1),
            exceeds_n_log_n(n, all, 2)
        );
    }
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

fn schedule(draw: &mut Draw) -> Timing {
    let longest = draw.one_of(&[1, 3, 30, 1000]);
    Timing {
        d: Range::new(draw.between(0, 1), longest),
        delays: draw.one_of(&Delays::NAMED),
        ..Preset::Unit.timing(Reading::Immediate)
    }
}

fn drawn(draw: &mut Draw, n: u64, seed: u64) -> Scenario {
    let ids = draw.ids(n as usize, n);
    let timing = schedule(draw);
    let latest = draw.one_of(&[0, 4, timing.d.max * n]);
    let ports = draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]);
    Scenario { wakes: draw.wakes(n as usize, latest), ports, seed, ..ring(&ids, timing) }
}

/// Random runs of a few processors: what fails, and how often.
fn async_printed(name: &str, settings: &[(&str, &str)]) {
    for n in 2..=6 {
        let mut draw = Draw::new(n);
        let (mut two, mut endless, mut other) = (0, 0, 0);
        let mut first = [None, None];
        for seed in 0..20_000 {
            let scenario = drawn(&mut draw, n, seed);
            let mut run = prepared::<AfekGafniAsync>(settings, &scenario).expect("the scenario suits it");
            let ended = run.advance(10_000) || run.advance(10_000);
            let summary = run.summary();
            let Outcome::Election { leaders, .. } = &summary.outcome else { unreachable!("it is an election") };
            if !ended {
                endless += 1;
                first[1].get_or_insert(scenario);
            } else if leaders.len() > 1 {
                two += 1;
                first[0].get_or_insert(scenario);
            } else if !summary.violations.is_empty() {
                other += 1;
                println!("{:?}", summary.violations);
            }
        }
        println!("afek-gafni-async, {name}, {n}: of 20000, two leaders {two}, without end {endless}, other {other}");
        for scenario in first.iter().flatten() {
            println!("  {scenario:?}");
        }
    }
}

/// The most messages and the longest chains found.
fn async_counts() {
    for n in [2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128] {
        let mut draw = Draw::new(n);
        let (mut most, mut deepest, mut slowest) = ((0, None), (0, None), (0.0, None));
        for seed in 0..if n <= 16 { 200_000 } else { 200_000 / n } {
            let scenario = drawn(&mut draw, n, seed);
            let summary = finished(&mut prepared::<AfekGafniAsync>(&[], &scenario).expect("the scenario suits it"));
            let work = summary.cost.split(false);
            if work > most.0 {
                most = (work, Some(scenario.clone()));
            }
            let depth = summary.cost.depth_elected.unwrap_or(0);
            if depth > deepest.0 {
                deepest = (depth, Some(scenario.clone()));
            }
            let first = (0..n as Place).filter_map(|place| scenario.wake_at(place)).min().unwrap_or(0);
            let time =
                (summary.cost.time_elected.unwrap_or(0) - first) as f64 / scenario.timing.d.max as f64 / n as f64;
            if time > slowest.0 {
                slowest = (time, Some(scenario.clone()));
            }
        }
        let log = n as f64 * (n as f64).log2();
        let show = |scenario: &Option<Scenario>| scenario.as_ref().map(|s| s.timing.delays.clone());
        println!(
            "afek-gafni-async, {n}: {} messages ({:?}), n log n is {log:.1}, quotient {:.2}; chain {} = {:.2} n ({:?}); time {:.2} n d ({:?})",
            most.0,
            show(&most.1),
            most.0 as f64 / log,
            deepest.0,
            deepest.0 as f64 / n as f64,
            show(&deepest.1),
            slowest.0,
            show(&slowest.1)
        );
    }
}
