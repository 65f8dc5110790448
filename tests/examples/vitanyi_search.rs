//! The search that found the rings of `experiments/vitanyi-bounds`: where the bounds of Vitányi's paper fail under its
//! "set timer equal to 1".
//!
//! `cargo run --release -p conformance --example vitanyi_search`
//!
//! First, all rings of two and three processors with small identities, ticks of 1 or 2 and delays of 0 or 1 against
//! bounds (2) and (4). Then, in lockstep, the least ring that exceeds 2N + 3Nu/m. There a message is hindered by smaller
//! identities only, so the identities 2, 3, … are placed in turn, each wherever it may, as long as those not yet placed
//! could still make the best ring so far worse; all others are as good as infinite.
#![allow(clippy::print_stdout, reason = "its findings are what it is for")]

use conformance::vitanyi_bounds::{Fraction, bound_2, bound_4, extremes, headline};
use conformance::{finished, ring, simulated};
use ringleader::model::{Clocks, Delays, Preset, Range, Reading, Timing};

fn main() {
    for law in [
        Law { text: "power:1", f: |i| i, greatest: [26, 9] },
        Law { text: "power:2", f: |i| i * i, greatest: [12, 9] },
        Law { text: "power:3", f: |i| i * i * i, greatest: [12, 9] },
        Law { text: "2^i", f: |i| 1 << i, greatest: [12, 9] },
    ] {
        law.search_small_rings();
    }
    for n in 3..=36 {
        search_lockstep(n);
    }
}

struct Law {
    text: &'static str,
    f: fn(u64) -> u64,
    /// Of rings of two, and of three.
    greatest: [u64; 2],
}

impl Law {
    fn search_small_rings(&self) {
        for n in 2..=3 {
            let (mut tried, mut break_2, mut break_4) = (0u64, 0u64, 0u64);
            let mut smallest: Option<(u64, String)> = None;
            for ids in rings(n, self.greatest[n - 2]) {
                for pattern in 0..1u64 << (2 * n) {
                    let bit = |index: usize| pattern >> index & 1;
                    let ticks: Vec<u64> = (0..n).map(|place| 1 + bit(place)).collect();
                    let delays: Vec<u64> = (0..n).map(|place| bit(n + place)).collect();
                    let (u, m) = extremes(&ticks, &delays);
                    let total = messages(self.text, &ids, &ticks, &delays);
                    tried += 1;
                    break_4 += u64::from(bound_4(&ids, u, m, self.f).below(total));
                    let bound = bound_2(&ids, u, m, self.f);
                    if bound.below(total) {
                        break_2 += 1;
                        // Small identities first, and lockstep, which is pattern 0, before all else.
                        let size = ids.iter().sum::<u64>() * 100 + pattern;
                        if smallest.as_ref().is_none_or(|(best, _)| size < *best) {
                            let Fraction { numerator, denominator } = bound;
                            let world = format!("ids {ids:?}, ticks {ticks:?}, delays {delays:?}");
                            smallest =
                                Some((size, format!("{world}: {total} messages, (2) is {numerator}/{denominator}")));
                        }
                    }
                }
            }
            println!("{} N={n}: {tried} rings, {break_2} exceed (2), {break_4} exceed (4)", self.text);
            if let Some((_, found)) = smallest {
                println!("   {found}");
            }
        }
    }
}

/// All rings of `n` distinct identities up to `greatest`, the least one first.
fn rings(n: usize, greatest: u64) -> Vec<Vec<u64>> {
    let mut rings: Vec<Vec<u64>> = (1..=greatest).map(|least| vec![least]).collect();
    for _ in 1..n {
        let longer = |ring: &Vec<u64>| {
            let ring = ring.clone();
            let others = (ring[0] + 1..=greatest).filter(|id| !ring.contains(id)).collect::<Vec<_>>();
            others.into_iter().map(move |id| ring.iter().copied().chain([id]).collect())
        };
        rings = rings.iter().flat_map(longer).collect();
    }
    rings
}

/// How many messages an election takes with all awake at 0 and `first = 1`, as printed.
fn messages(law: &str, ids: &[u64], ticks: &[u64], delays: &[u64]) -> u64 {
    let timing = Timing {
        r: Range::around(ticks).expect("there is a processor"),
        d: Range::around(delays).expect("there is a link"),
        clocks: Clocks::List(ticks.to_vec()),
        delays: Delays::List(delays.to_vec()),
        ..Preset::Lockstep.timing(Reading::PerTick)
    };
    finished(&mut *simulated("vitanyi", &[("law", law)], &ring(ids, timing))).cost.messages()
}

fn f(i: u64) -> u64 {
    1 << i.min(40)
}

fn search_lockstep(n: usize) {
    let mut search = Placing { ids: vec![0; n], tried: 0, most: 0, worst: Vec::new() };
    search.ids[0] = 1;
    search.place(2);
    let others = (2..30).map(|least| ceiling(n, least)).max().unwrap_or(0);
    let Placing { most, tried, worst, .. } = search;
    println!(
        "2^i N={n}: at most {most} messages ({tried} rings), {others} where 1 is missing; 2N + 3Nu/m is {}",
        5 * n
    );
    if headline(n, 1, 1).below(most) {
        println!("   exceeded, with any others for 0: {worst:?}");
    }
}

/// What no lockstep ring with this least identity can exceed: 2N wakeups and sleepwells, N passes of the winner, a free
/// hop of every loser, and as many more as fit in the time until M_l was read at the last place.
fn ceiling(n: usize, least: u64) -> u64 {
    let time = (f(least) + 1) * (n as u64 - 2);
    4 * n as u64 - 1 + (least + 1..60).map(|i| time / (f(i) + 1)).sum::<u64>()
}

/// A ring whose identities are placed one after the other; 0 where none is yet.
struct Placing {
    ids: Vec<u64>,
    tried: u64,
    most: u64,
    worst: Vec<u64>,
}

impl Placing {
    fn place(&mut self, id: u64) {
        let n = self.ids.len();
        let mut ids = self.ids.clone();
        for (filler, empty) in (100..).zip(ids.iter_mut().filter(|id| **id == 0)) {
            *empty = filler;
        }
        self.tried += 1;
        let total = messages("2^i", &ids, &vec![1; n], &vec![0; n]);
        if total > self.most {
            (self.most, self.worst) = (total, self.ids.clone());
        }
        // Hops of M_i after its free one fall at 1 + h(f(i)+1), and none once M_1 was read at the last place, at 3N - 4.
        let hope: u64 = (id..20).map(|i| (3 * n as u64 - 6) / (f(i) + 1)).sum();
        if total + hope <= self.most || id as usize > n {
            return;
        }
        for place in 1..n {
            if self.ids[place] == 0 {
                self.ids[place] = id;
                self.place(id + 1);
                self.ids[place] = 0;
            }
        }
        if hope > 0 {
            // Or there is no such identity.
            self.place(id + 1);
        }
    }
}
