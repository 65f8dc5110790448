//! No allocation per delivery: in steady state a run lives in the memory that it has.
#![allow(unsafe_code, reason = "a global allocator that counts is unsafe by its trait; it only passes on")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::*;
use ringleader_model::{Clocks, Links, Network, Protocol, Reading, Scenario};
use ringleader_sim::{Choices, Full, Instrumentation, Lean, Run, Simulation};

thread_local! {
    /// Tests run side by side; each counts its own.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; the counter is a constant-initialised thread local,
// which does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WARM_UP: u64 = 50_000;
const DELIVERIES: u64 = 100_000;
const FEW: u64 = 50;

fn advance_by(run: &mut impl Run, deliveries: u64) {
    let goal = run.summary().cost.deliveries + deliveries;
    // A budget counts deliveries or passes, whichever are used up first. Summaries allocate, so few are taken.
    for _ in 0..1000 {
        assert!(!run.advance(deliveries), "the traffic is endless");
        if run.summary().cost.deliveries >= goal {
            return;
        }
    }
    panic!("there are too few deliveries");
}

/// The number of allocations of a run in a number of deliveries after the warm-up, without what `summary` itself allocates.
fn allocations<P: Protocol, D: Instrumentation>(protocol: P, scenario: &Scenario) -> u64 {
    let mut run: Simulation<P, D> = Simulation::new(protocol, scenario, Choices::Drawn).expect("it makes sense");
    advance_by(&mut run, WARM_UP);
    let (mut count, mut done) = (0, 0);
    while done < DELIVERIES {
        let deliveries = run.summary().cost.deliveries;
        let before = ALLOCATIONS.get();
        assert!(!run.advance(DELIVERIES), "the traffic is endless");
        count += ALLOCATIONS.get() - before;
        done += run.summary().cost.deliveries - deliveries;
    }
    count
}

/// What is wrong with a run in full or in lean detail, if it allocates more than a few times.
fn complaints<P: Protocol>(what: &str, scenario: &Scenario, protocol: impl Fn(&Scenario) -> P) -> Vec<String> {
    let full = allocations::<P, Full>(protocol(scenario), scenario);
    let lean = allocations::<P, Lean>(protocol(scenario), scenario);
    let counts = [("full", full), ("lean", lean)].into_iter().filter(|(_, count)| *count >= FEW);
    counts.map(|(detail, count)| format!("{what}, {detail}: {count} in {DELIVERIES} deliveries")).collect()
}

#[track_caller]
fn none(complaints: impl IntoIterator<Item = Vec<String>>) {
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "allocations: {complaints:#?}");
}

fn anonymous(mut scenario: Scenario) -> Scenario {
    scenario.ids.clear();
    scenario
}

/// Traffic as in PHOLD: `tokens` messages per processor, each passed on by a port drawn anew.
fn tokens<S: Shape>(n: usize, tokens: u32, reading: Reading) -> Vec<String> {
    let what = format!("{tokens} per processor of {n}, {}, {}", S::Network::TOPOLOGY, reading.name());
    let scenario = anonymous(ranged(n, (1, 4), (1, 10), reading));
    complaints(&what, &scenario, |scenario| Relay::<S>::new(scenario, tokens))
}

fn one_token<S: Shape>(reading: Reading) -> Vec<String> {
    let what = format!("one token, {}, {}", S::Network::TOPOLOGY, reading.name());
    let scenario = waking(anonymous(ranged(50, (1, 4), (1, 10), reading)), &[(0, 0)]);
    complaints(&what, &scenario, |scenario| Relay::<S>::new(scenario, 1))
}

#[test]
fn one_token_allocates_nothing_under_immediate_reading() {
    let reading = Reading::Immediate;
    none([one_token::<OnRing>(reading), one_token::<OnBidirectional>(reading), one_token::<OnComplete>(reading)]);
}

#[test]
fn one_token_allocates_nothing_under_per_tick_reading() {
    let reading = Reading::PerTick;
    none([one_token::<OnRing>(reading), one_token::<OnBidirectional>(reading), one_token::<OnComplete>(reading)]);
}

#[test]
fn one_token_allocates_nothing_under_per_step_reading() {
    let reading = Reading::PerStep;
    none([one_token::<OnRing>(reading), one_token::<OnBidirectional>(reading), one_token::<OnComplete>(reading)]);
}

#[test]
fn light_traffic_allocates_nothing() {
    none(Reading::ALL.map(|reading| tokens::<OnRing>(50, 1, reading)));
    none(Reading::ALL.map(|reading| tokens::<OnBidirectional>(50, 1, reading)));
    none(Reading::ALL.map(|reading| tokens::<OnComplete>(50, 1, reading)));
}

#[test]
fn heavy_traffic_on_a_ring_allocates_nothing() {
    none(Reading::ALL.map(|reading| tokens::<OnRing>(2000, 1, reading)));
}

#[test]
fn heavy_traffic_on_a_bidirectional_ring_allocates_nothing() {
    none(Reading::ALL.map(|reading| tokens::<OnBidirectional>(2000, 1, reading)));
}

#[test]
fn heavy_traffic_on_a_complete_network_allocates_nothing() {
    none(Reading::ALL.map(|reading| tokens::<OnComplete>(2000, 1, reading)));
}

#[test]
fn many_messages_of_one_sender_on_a_complete_network_allocate_nothing() {
    none([tokens::<OnComplete>(50, 6, Reading::Immediate)]);
}

#[test]
fn timers_allocate_nothing() {
    for hold in [1, 3] {
        none(Reading::ALL.map(|reading| {
            let scenario = anonymous(ranged(50, (1, 4), (1, 10), reading));
            let what = format!("held for {hold} ticks, {}", reading.name());
            complaints(&what, &scenario, |scenario| Pacing::<OnBidirectional>::new(scenario, 1, hold))
        }));
    }
}

#[test]
fn timers_of_0_ticks_allocate_nothing() {
    none(Reading::ALL.map(|reading| {
        let scenario = anonymous(ranged(50, (1, 4), (1, 10), reading));
        complaints(reading.name(), &scenario, |scenario| Pacing::<OnBidirectional>::new(scenario, 1, 0))
    }));
}

#[test]
fn varying_clocks_allocate_nothing() {
    none(Reading::ALL.map(|reading| {
        let mut scenario = anonymous(ranged(50, (1, 4), (1, 10), reading));
        scenario.timing.clocks = Clocks::Varying;
        complaints(reading.name(), &scenario, |scenario| Pacing::<OnBidirectional>::new(scenario, 1, 2))
    }));
}

fn half_duplex() -> Scenario {
    Scenario { links: Links::Half, ..anonymous(ranged(50, (1, 4), (1, 10), Reading::Immediate)) }
}

#[test]
fn half_duplex_links_allocate_nothing() {
    none([complaints("half-duplex", &half_duplex(), |scenario| Relay::<OnBidirectional>::new(scenario, 1))]);
}

#[test]
fn timers_that_wait_for_half_duplex_links_allocate_nothing() {
    none([complaints("half-duplex", &half_duplex(), |scenario| Pacing::<OnBidirectional>::new(scenario, 1, 1))]);
}

#[test]
fn delays_beyond_any_wheel_allocate_nothing() {
    let scenario = anonymous(ranged(50, (1, 4), (1, 1 << 20), Reading::Immediate));
    none([complaints("long delays", &scenario, |scenario| Relay::<OnRing>::new(scenario, 1))]);
}
