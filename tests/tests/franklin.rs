//! Franklin's election beyond the battery.

use conformance::bidirectional_rings::{any_ring, any_size};
use conformance::reference::{Account, franklin};
use conformance::{Draw, Played, run_scenario, set_up};
use ringleader::model::Links;

#[test]
fn the_lecture_forgets_the_round_in_which_the_last_one_finds_out() {
    // Epema2013, solution 2: 2n log(n). On 4 that is 16.
    let played = Played::of("franklin --ids 3,1,4,2");
    assert_eq!(played.summary.cost.split(false), 24);
    for formula in ["2N(1 + floor(log2 N))", "2N R", "4N, 2 where N = 1", "1 + floor(log2 N)", "N"] {
        assert_eq!(played.held(formula), Some(true), "{formula}");
    }
}

#[test]
fn links_that_reorder_can_change_the_cost_but_not_the_result() {
    let (mut draw, setup) = (Draw::new(63), set_up("franklin"));
    let mut changed = 0;
    for _ in 0..20_000 {
        let n = any_size(&mut draw, 60);
        let scenario = any_ring(&mut draw, n, Links::Any);
        let (found, expected) = (Account::of(&run_scenario(&setup, &scenario)), franklin(&scenario.ids));
        assert_eq!((found.place, found.id), (expected.place, expected.id), "{scenario:?}");
        assert_eq!(found.of_kind("announcement"), n as u64, "the announcement makes one full turn");
        changed += u64::from(found.election() != expected.election());
    }
    assert!(changed > 0, "then the bounds need not demand links that keep order");
    assert_eq!(Played::of("franklin -n 20 --links any").held("2N R"), None);
}

#[test]
fn who_wakes_after_it_was_reached_does_not_start_again() {
    let played = Played::of("franklin --ids 3,1,4,2 --wake-at 0,1,2,50");
    assert_eq!(Account::of(&played.summary).without_times(), franklin(&[3, 1, 4, 2]).without_times());
}
