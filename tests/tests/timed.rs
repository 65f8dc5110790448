//! Every run with clocks.

use conformance::timed_instants::{Found, explore};
use conformance::ring;
use ringleader::model::{Clocks, Links, Preset, Range, Reading, Scenario, Ties, Timing, Workload};
use ringleader::protocols::election::time_slice::TimeSlice;
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;

fn lock(n: usize, r: (u64, u64), d: (u64, u64), entries: u64, ties: Ties) -> Scenario {
    let timing = Timing {
        r: Range::new(r.0, r.1),
        d: Range::new(d.0, d.1),
        clocks: Clocks::Varying,
        ..Preset::Archimedean.timing(Reading::PerStep)
    };
    let workload = Workload { entries, hold: Range::new(1, 1), ..Workload::new(n) };
    let ids: Vec<u64> = (1..=n as u64).collect();
    Scenario { workload: Some(workload), links: Links::Any, ties, ..ring(&ids, timing) }
}

#[test]
fn figures() {
    let rounds = Preset::Rounds.timing(Reading::Immediate);
    let show = |name: &str, found: Found| eprintln!("{name}: {found:?}");
    show("time-slice 2", explore::<TimeSlice>(&[], &ring(&[2, 3], rounds.clone())));
    for ties in [Ties::Ruled, Ties::Either] {
        for rules in ["printed", "repaired"] {
            for (r, d) in [((1, 1), (1, 1)), ((1, 2), (1, 1)), ((1, 1), (1, 2)), ((1, 2), (1, 2))] {
                let start = std::time::Instant::now();
                let found = explore::<SpirakisTampakasMutex>(&[("rules", rules), ("c1", "1")], &lock(2, r, d, 1, ties));
                show(&format!("mutex {rules} {r:?} {d:?} {ties:?} {:?}", start.elapsed()), found);
            }
        }
    }
}
