//! The search that found the runs of `experiments/van-leeuwen-tan-*`: where van Leeuwen and Tan's protocol fails as
//! printed, one departure undone at a time.
//!
//! `cargo run --release -p conformance --example van_leeuwen_tan_search [-- RUNS [MOST]]`
//!
//! For both forms of the protocol and each departure it takes RUNS rings of up to MOST processors, of any order,
//! orientation, wake set and timing, and says how many of each size fail, how they fail, and how to take one of the
//! smallest again. With nothing undone, and nothing found, it says how far one has looked.
#![allow(clippy::print_stdout, reason = "its findings are what it is for")]

use std::collections::BTreeMap;

use conformance::bidirectional_rings::any_ring;
use conformance::{Draw, entry, finished, simulated};
use ringleader::model::{Links, Scenario};
use ringleader::sim::Verdict;

const PROTOCOL: &str = "van-leeuwen-tan";
const PRINTED: [&str; 7] = ["none", "pair", "flag", "one", "id", "minimum", "heads"];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let runs = arguments.next().unwrap_or(500_000);
    let most = arguments.next().unwrap_or(12);
    for (duplex, links) in [("full", Links::Fifo), ("half", Links::Half)] {
        for printed in PRINTED {
            search(&[("duplex", duplex), ("printed", printed)], links, runs, most);
        }
    }
}

fn search(settings: &[(&str, &str)], links: Links, runs: u64, most: u64) {
    let mut draw = Draw::new(1);
    let mut sizes: BTreeMap<usize, u64> = BTreeMap::new();
    let mut properties: BTreeMap<&str, u64> = BTreeMap::new();
    let mut smallest: Option<Scenario> = None;
    for _ in 0..runs {
        let n = draw.between(1, most) as usize;
        let scenario = any_ring(&mut draw, n, links);
        let summary = finished(&mut *simulated(PROTOCOL, settings, &scenario));
        if summary.verdict == Verdict::Held {
            continue;
        }
        *sizes.entry(n).or_default() += 1;
        *properties.entry(summary.violations[0].property).or_default() += 1;
        if smallest.as_ref().is_none_or(|found| n < found.n) {
            smallest = Some(scenario);
        }
    }
    let failed: u64 = sizes.values().sum();
    println!("{settings:?}: {failed} of {runs} fail; by size {sizes:?}; first violated {properties:?}");
    if let Some(scenario) = smallest {
        let setup = entry(PROTOCOL).set_up(scenario, settings).expect("it was run before");
        println!("   {}", setup.command_line());
    }
}
