//! The simulator beside a plain `BinaryHeap` engine and a hand-specialised loop, on the same work in one run:
//! `cargo bench --bench baselines [-- N]`.
//!
//! All three are measured in turn, several times, and the best time of each counts, in time at work: machines are noisy.
#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]

mod hand;
mod heap;

use ringleader_cli::{Benchmark, Stopwatch};
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
    println!("workload       heap     hand   ringleader   ringleader/hand   hand/heap   bytes/processor");
    for workload in Benchmark::ALL {
        compare(workload, n, &ids);
    }
}

fn compare(workload: Benchmark, n: u32, ids: &[u32]) {
    let (mut heap_rate, mut hand_rate, mut our_rate, mut bytes) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for round in 0..ROUNDS {
        let (hand, rate) = timed(|| match workload {
            Benchmark::RingUnit => hand::ring_unit(ids),
            Benchmark::RingRandom => hand::ring_random(ids, SEED),
            Benchmark::Phold => hand::phold(n, SEED, PHOLD * u64::from(n)),
        });
        hand_rate = hand_rate.max(rate(hand.deliveries));
        if round < HEAP_ROUNDS {
            let (heap, rate) = timed(|| match workload {
                Benchmark::RingUnit => heap::ring_unit(ids),
                Benchmark::RingRandom => heap::ring_random(ids, SEED),
                Benchmark::Phold => heap::phold(n, SEED, PHOLD * u64::from(n)),
            });
            heap_rate = heap_rate.max(rate(heap.deliveries));
            assert_eq!(
                (hand.deliveries, hand.end_time, hand.checksum),
                (heap.deliveries, heap.end_time, heap.checksum),
                "both baselines do the same work"
            );
        }
        let ours = workload.measure(u64::from(n)).expect("the workload runs");
        if workload != Benchmark::Phold {
            assert_eq!((ours.deliveries, ours.end_time), (hand.deliveries, hand.end_time), "and so does the simulator");
        }
        our_rate = our_rate.max(ours.rate);
        bytes = ours.bytes_per_processor;
    }
    println!(
        "{:<12} {:>6.1} {:>8.1} {:>12.1} {:>17.2} {:>11.1} {:>17.1}",
        workload.name(),
        heap_rate / 1e6,
        hand_rate / 1e6,
        our_rate / 1e6,
        our_rate / hand_rate,
        hand_rate / heap_rate,
        bytes
    );
}

/// The result of a run, and its rate for a given number of deliveries.
fn timed<T>(run: impl FnOnce() -> T) -> (T, impl Fn(u64) -> f64) {
    let begun = Stopwatch::start();
    let result = run();
    let seconds = begun.seconds();
    (result, move |deliveries| deliveries as f64 / seconds)
}
