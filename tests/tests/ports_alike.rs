//! A protocol whose description says that it treats its ports alike does: however they are numbered, there are the same
//! schedules. On a ring only the way by which an announcement leaves may differ, so that there are those of a ring on which
//! nobody's left and right are exchanged and those of one on which everybody's are.

use conformance::{list, orders, orders_up_to_rotation};
use ringleader::check::Row;
use ringleader::model::Topology;
use ringleader::protocols::catalogue::DESCRIPTIONS;

/// The figures of a check, all that could show a difference.
fn figures(command: &str) -> (String, u64, u64, u64, u64, Option<u64>) {
    let row = Row { command: format!("ringleader check {command} --threads 1"), figures: None };
    let report = ringleader_cli::recheck(&row).unwrap_or_else(|error| panic!("{command}: {error}"));
    let most = report.most_messages.passes;
    (report.verdict, report.states, report.transitions, report.depth, report.quiet, most)
}

/// Compares all orientations of all rings of `n`; whether two of them differ.
fn compare(protocol: &str, n: usize) -> bool {
    let mut differ = false;
    for ids in orders_up_to_rotation(n as u64) {
        let of = |bits: usize| {
            let digits: String = (0..n).map(|place| if bits >> place & 1 == 1 { '1' } else { '0' }).collect();
            figures(&format!("{protocol} --ids {} --orientation {digits}", list(&ids)))
        };
        let (nobody, everybody) = (of(0), of((1 << n) - 1));
        differ |= nobody != everybody;
        for bits in 1..(1 << n) - 1 {
            let found = of(bits);
            assert!(found == nobody || found == everybody, "{protocol} {ids:?} {bits:b}: {found:?}, {nobody:?}");
        }
    }
    differ
}

#[test]
fn rings_have_the_same_schedules_under_all_orientations() {
    let alike = DESCRIPTIONS.iter().filter(|d| d.assumptions.topology == Topology::BidirectionalRing);
    let alike: Vec<_> = alike.filter(|d| d.assumptions.port_use.is_alike()).map(|d| d.name).collect();
    assert_eq!(alike, ["hirschberg-sinclair", "franklin", "van-leeuwen-tan"]);
    let differ: Vec<bool> = alike.iter().flat_map(|protocol| [2, 3, 4].map(|n| compare(protocol, n))).collect();
    assert!(differ.contains(&true), "nothing that depends on a port would be noticed");
    for variant in ["hirschberg-sinclair --set blocked=echo", "van-leeuwen-tan --set duplex=half"] {
        compare(variant, 3);
    }
}

#[test]
fn sites_have_the_same_schedules_up_to_permutation() {
    let alike = DESCRIPTIONS.iter().filter(|d| d.assumptions.topology == Topology::Complete);
    let alike: Vec<_> = alike.filter(|d| d.assumptions.port_use.is_alike()).map(|d| d.name).collect();
    assert_eq!(
        alike,
        ["all-to-all", "ricart-agrawala", "spirakis-tampakas-mutex", "spirakis-tampakas-readers-writers"]
    );
    // With clocks, which messages count as silent depends on the order of places.
    for line in ["all-to-all", "ricart-agrawala", "spirakis-tampakas-mutex --no-reduce --r 1 --d 1 --set c1=1"] {
        let all: Vec<_> = orders(3).iter().map(|ids| figures(&format!("{line} --ids {}", list(ids)))).collect();
        assert!(all.iter().all(|one| *one == all[0]), "{line}: {all:?}");
    }
    // One that uses one link after the other does not, unless all numberings of ports are explored.
    let one_by_one = |ports: &str| {
        let of = |ids: &Vec<u64>| figures(&format!("afek-gafni-async{ports} --ids {}", list(ids)));
        let all: Vec<_> = orders(3).iter().map(of).collect();
        all.iter().all(|one| *one == all[0])
    };
    assert!(!one_by_one(" --ports plain") && one_by_one(""));
}
