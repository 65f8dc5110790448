//! The simulator beside a plain `BinaryHeap` engine and hand-specialised loops, on the same work in one run:
//! `cargo bench --bench baselines [-- N]`.
//!
//! *By hand* is the fastest loop in time order. The *limit* is the fastest loop at all: for rings, in causal order; for phold, one
//! whose random numbers do not depend on the order of events, as the simulator's must not. All are measured in turn, several
//! times, and the best time of each counts, in time at work: machines are noisy.
#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]

mod hand;
mod heap;

use ringleader::benchmark;
use ringleader_cli::{Benchmark, Stopwatch};
use ringleader_model::Range;
use ringleader_sim::Random;

#[global_allocator]
static ALLOCATOR: ringleader_cli::HugePages = ringleader_cli::HugePages;

const SEED: u64 = 1;
const ROUNDS: usize = 7;
/// The heap is slow, and its time varies less.
const HEAP_ROUNDS: usize = 2;
/// How often every processor of phold is reached.
const PHOLD: u64 = 20;

fn main() {
    // Cargo passes `--bench`.
    let n: u32 = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000);
    let mut ids: Vec<u32> = (1..=n).collect();
    Random::new(SEED).shuffle(&mut ids);
    println!("n = {n}; million deliveries a second, best of {ROUNDS} (heap: {HEAP_ROUNDS})");
    println!("workload       heap   by hand    limit   time order   ringleader   of hand   of limit   bytes/processor");
    for workload in Benchmark::ALL {
        compare(workload, n, &ids);
    }
}

/// The rates of one workload, in deliveries a second.
#[derive(Default)]
struct Rates {
    heap: f64,
    hand: f64,
    limit: f64,
    in_time_order: f64,
    ours: f64,
}

fn compare(workload: Benchmark, n: u32, ids: &[u32]) {
    let (mut best, mut bytes) = (Rates::default(), 0.0f64);
    for round in 0..ROUNDS {
        let (hand, rate) = timed(|| match workload {
            Benchmark::RingUnit => hand::ring_unit(ids),
            Benchmark::RingRandom => hand::ring_random(ids, SEED),
            Benchmark::Phold => hand::phold(n, SEED, PHOLD * u64::from(n)),
        });
        best.hand = best.hand.max(rate(hand.deliveries));
        let (limit, rate) = timed(|| match workload {
            Benchmark::RingUnit => hand::ring_unit_causal(ids),
            Benchmark::RingRandom => hand::ring_random_causal(ids, SEED),
            Benchmark::Phold => hand::phold_keyed(n, SEED, PHOLD * u64::from(n)),
        });
        best.limit = best.limit.max(rate(limit.deliveries));
        if round < HEAP_ROUNDS {
            let (heap, rate) = timed(|| match workload {
                Benchmark::RingUnit => heap::ring_unit(ids),
                Benchmark::RingRandom => heap::ring_random(ids, SEED),
                Benchmark::Phold => heap::phold(n, SEED, PHOLD * u64::from(n)),
            });
            best.heap = best.heap.max(rate(heap.deliveries));
            assert_eq!(
                (hand.deliveries, hand.end_time, hand.checksum),
                (heap.deliveries, heap.end_time, heap.checksum),
                "both baselines do the same work"
            );
        }
        let ours = workload.measure(u64::from(n)).expect("the workload runs");
        if workload == Benchmark::Phold {
            assert_eq!(limit.checksum, limit.deliveries, "every delivery is counted where it arrives");
        } else {
            assert_eq!(limit, hand, "the limit does the same work");
            assert_eq!((ours.deliveries, ours.end_time), (hand.deliveries, hand.end_time), "and so does the simulator");
            best.in_time_order = best.in_time_order.max(in_time_order(workload, n));
        }
        best.ours = best.ours.max(ours.rate);
        bytes = ours.bytes_per_processor;
    }
    let in_time_order = if workload == Benchmark::Phold { best.ours } else { best.in_time_order };
    println!(
        "{:<12} {:>6.1} {:>9.1} {:>8.1} {:>12.1} {:>12.1} {:>9.2} {:>10.2} {:>17.1}",
        workload.name(),
        best.heap / 1e6,
        best.hand / 1e6,
        best.limit / 1e6,
        in_time_order / 1e6,
        best.ours / 1e6,
        best.ours / best.hand,
        best.ours / best.limit,
        bytes
    );
}

/// The rate of the simulator in time order, on a ring.
fn in_time_order(workload: Benchmark, n: u32) -> f64 {
    let d = Range::new(1, if workload == Benchmark::RingUnit { 1 } else { 1000 });
    let mut run = benchmark::ring_in_time_order(n as usize, d).expect("the workload runs");
    let (deliveries, rate) = timed(|| {
        while !run.advance(1 << 20) {}
        run.deliveries()
    });
    rate(deliveries)
}

/// The result of a run, and its rate for a given number of deliveries.
fn timed<T>(run: impl FnOnce() -> T) -> (T, impl Fn(u64) -> f64) {
    let begun = Stopwatch::start();
    let result = run();
    let seconds = begun.seconds();
    (result, move |deliveries| deliveries as f64 / seconds)
}
