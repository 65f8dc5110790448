//! Elections on unidirectional rings in both orders of execution, lean and full, and on two threads:
//! `cargo bench --bench elections [-- N]`.
//!
//! All are measured in turn, several times, and the best time of each counts: time at work on one thread, the time that has
//! passed on two.
#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]

use ringleader::advance_each_on_a_thread;
use ringleader_cli::Stopwatch;
use ringleader_model::{Delays, Preset, Protocol, Range, Reading, Scenario, Settings, ShortId};
use ringleader_protocols::election::chang_roberts::{ChangRoberts, ChangRobertsWith};
use ringleader_protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader_protocols::election::peterson::Peterson;
use ringleader_protocols::election::peterson_alternating::PetersonAlternating;
use ringleader_sim::{CausalSimulation, Choices, Full, Instrumentation, Lean, Random, Resolved, Run, Simulation};

#[global_allocator]
static ALLOCATOR: ringleader_cli::HugePages = ringleader_cli::HugePages;

const SEED: u64 = 1;
const ROUNDS: usize = 5;

fn main() {
    // Cargo passes `--bench`.
    let n: usize = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    println!("n = {n}, identities in random order; million deliveries a second, best of {ROUNDS}");
    for (delays, d) in [("1", Range::new(1, 1)), ("1..1000", Range::new(1, 1000))] {
        println!("\ndelays {delays:<24} lean  2 threads          full  time order");
        let scenario = scenario(n, d);
        compare::<ChangRoberts, ChangRobertsWith<ShortId>>("chang-roberts", &[], &scenario);
        compare::<Peterson, Peterson>("peterson", &[], &scenario);
        compare::<PetersonAlternating, PetersonAlternating>("peterson-alternating", &[], &scenario);
        for variant in ["a", "b"] {
            let name = format!("dolev-klawe-rodeh {variant}");
            compare::<DolevKlaweRodeh, DolevKlaweRodeh>(&name, &[("variant", variant)], &scenario);
        }
    }
}

fn scenario(n: usize, d: Range) -> Scenario {
    let mut ids: Vec<u64> = (1..=n as u64).collect();
    Random::new(SEED).shuffle(&mut ids);
    let mut timing = Preset::Unit.timing(Reading::Immediate);
    (timing.d, timing.delays) = (d, Delays::Uniform);
    Scenario { n, ids, timing, seed: SEED, ..Scenario::default() }
}

/// The rates of a protocol. `F`: the form in which lean runs execute it.
fn compare<P: Protocol, F: Protocol>(name: &str, settings: &[(&str, &str)], scenario: &Scenario) {
    let [mut lean, mut threads, mut full, mut time] = [0.0f64; 4];
    for _ in 0..ROUNDS {
        lean = lean.max(causal::<F, Lean>(settings, scenario, 1));
        threads = threads.max(causal::<F, Lean>(settings, scenario, 2));
        full = full.max(causal::<P, Full>(settings, scenario, 1));
        let run = Simulation::<P, Full>::new(configured(settings, scenario), scenario, Choices::Drawn);
        time = time.max(rate(&mut run.expect("it suits the protocol"), Stopwatch::start));
    }
    println!(
        "{name:<24} {lean:>12.0} {threads:>5.0} (×{:.2}) {full:>13.0} {time:>5.0} (×{:.1})",
        threads / lean,
        full / time
    );
}

/// A run in causal order, on this number of threads.
fn causal<P: Protocol, D: Instrumentation>(settings: &[(&str, &str)], scenario: &Scenario, threads: usize) -> f64 {
    let run = CausalSimulation::<P, D>::new(configured(settings, scenario), scenario, threads);
    let mut run = run.expect("it suits the protocol");
    if threads > 1 {
        return rate(&mut run.advanced_by(advance_each_on_a_thread), Stopwatch::of_all_threads);
    }
    rate(&mut run, Stopwatch::start)
}

fn configured<P: Protocol>(settings: &[(&str, &str)], scenario: &Scenario) -> P {
    let given: Vec<_> = settings.iter().map(|&(name, value)| (name.to_string(), value.to_string())).collect();
    let settings = Settings::new(P::DESCRIPTION.parameters, &given).expect("they are allowed");
    P::configure(&settings, &Resolved::new(scenario).instance(scenario)).expect("it suits the protocol")
}

/// Executes a run; million deliveries a second.
fn rate(run: &mut dyn Run, start: fn() -> Stopwatch) -> f64 {
    let begun = start();
    while !run.advance(1 << 22) {}
    run.deliveries() as f64 / begun.seconds() / 1e6
}
