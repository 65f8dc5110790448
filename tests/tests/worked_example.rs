//! The worked example of the project's notes: figures worked out by hand, before there was a program.

use conformance::Played;
use ringleader::model::{Leader, Outcome};
use ringleader::sim::Verdict;

fn play(line: &str) -> Played {
    let played = Played::of(line);
    assert_eq!(played.summary.verdict, Verdict::Held, "{line}: {:?}", played.summary.violations);
    played
}

fn leaders(played: &Played) -> Vec<(u32, u64)> {
    let Outcome::Election { leaders, .. } = &played.summary.outcome else { panic!("it was an election") };
    leaders.iter().map(|Leader { place, id }| (*place, id.expect("it has a name").get())).collect()
}

#[test]
fn lelann_takes_16_messages_and_elects_place_2() {
    let played = play("lelann --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (16, 0));
    // 4 turns of ids of 2, 1, 3 and 2 bits; one kind needs no tag.
    assert_eq!(cost.bits, 4 * (2 + 1 + 3 + 2));
    assert_eq!((cost.time, cost.time_elected), (4, Some(4)));
    assert_eq!(leaders(&played), [(2, 4)]);
}

#[test]
fn chang_roberts_takes_8_and_4_messages_of_43_bits_and_elects_place_2() {
    let played = play("chang-roberts --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true), cost.messages()), (8, 4, 12));
    assert_eq!(cost.bits, 43);
    assert_eq!((cost.time_elected, cost.time), (Some(4), 8));
    assert_eq!((cost.depth_elected, cost.depth), (Some(4), 8));
    assert_eq!(leaders(&played), [(2, 4)]);
}

#[test]
fn chang_roberts_woken_at_one_place_of_eight_takes_10_messages() {
    let played = play("chang-roberts --ids 5,2,8,1,7,3,6,4 --wake 0");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (10, 8));
    assert_eq!(leaders(&played), [(2, 8)]);
}

#[test]
fn vitanyi_in_lockstep_takes_4_and_8_and_4_messages_and_finishes_at_14() {
    for line in ["vitanyi --ids 3,1,4,2", "vitanyi --ids 3,1,4,2 --set law=2^i --timing lockstep"] {
        let played = play(line);
        assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [4, 8, 4]);
        let cost = &played.summary.cost;
        assert_eq!((cost.split(false), cost.split(true)), (12, 4));
        // M_1 is back after T = (N-1)(f(l)+1)+1 = 10 units and read one later.
        assert_eq!((cost.time_elected, cost.time), (Some(11), 14));
        // 4 passes of M_1, 2 of M_2 and 1 each of M_3 and M_4: one digit for 1 and 2, two digits for 3 and 4.
        assert_eq!(cost.bits, 4 + 4 + 2 + 2 + 2 + 4);
        assert_eq!(leaders(&played), [(1, 1)]);
    }
}

#[test]
fn vitanyi_with_clocks_delays_and_wake_times_takes_4_and_7_and_4_messages_and_finishes_at_81() {
    let world = "--clocks list:4,8,12,4 --delays list:1,1,1,1 --wake-at 0,4,0,4 --reading per-tick";
    let played = play(&format!("vitanyi --ids 3,1,4,2 --set law=2^i {world}"));
    assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [4, 7, 4]);
    let cost = &played.summary.cost;
    assert_eq!((cost.bits, cost.time), (16, 81));
    assert_eq!(leaders(&played), [(1, 1)]);
}

#[test]
fn alone_lelann_and_chang_roberts_send_their_identity_to_themselves() {
    let lelann = play("lelann --ids 7");
    assert_eq!(lelann.summary.cost.messages(), 1);
    assert_eq!(leaders(&lelann), [(0, 7)]);
    let chang_roberts = play("chang-roberts --ids 7");
    assert_eq!((chang_roberts.summary.cost.split(false), chang_roberts.summary.cost.split(true)), (1, 1));
    assert_eq!(leaders(&chang_roberts), [(0, 7)]);
}

#[test]
fn alone_vitanyi_sends_three_messages_in_all() {
    let played = play("vitanyi --ids 7");
    assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [1, 1, 1]);
    // M_7 leaves at 1 and is read at 2; the sleepwell is absorbed at once.
    assert_eq!((played.summary.cost.time_elected, played.summary.cost.time), (Some(2), 2));
    assert_eq!(leaders(&played), [(0, 7)]);
}

#[test]
fn two_are_a_ring_too() {
    for (ids, place) in [("1,2", 1), ("2,1", 0)] {
        let lelann = play(&format!("lelann --ids {ids}"));
        assert_eq!(lelann.summary.cost.messages(), 4);
        assert_eq!(leaders(&lelann), [(place, 2)]);
        let chang_roberts = play(&format!("chang-roberts --ids {ids}"));
        // 1 goes one hop, 2 goes round: worst and best are the same.
        assert_eq!((chang_roberts.summary.cost.split(false), chang_roberts.summary.cost.split(true)), (3, 2));
        assert_eq!(leaders(&chang_roberts), [(place, 2)]);
        let vitanyi = play(&format!("vitanyi --ids {ids}"));
        assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| vitanyi.passes(kind)), [2, 3, 2]);
        // Both leave at 1 and are read at 2; M_1 waits 2 units, leaves at 4, is read at 5; the sleepwell is read at 6.
        assert_eq!((vitanyi.summary.cost.time_elected, vitanyi.summary.cost.time), (Some(5), 6));
        assert_eq!(leaders(&vitanyi), [(1 - place, 1)]);
    }
}

#[test]
fn hirschberg_and_sinclair_take_32_messages_and_36_as_printed() {
    let repaired = play("hirschberg-sinclair --ids 3,1,4,2");
    assert_eq!(["token", "ok", "no"].map(|kind| repaired.passes(kind)), [24, 8, 0]);
    let printed = play("hirschberg-sinclair --ids 3,1,4,2 --set rules=printed");
    assert_eq!(["token", "ok", "no"].map(|kind| printed.passes(kind)), [26, 10, 0]);
    // 1 and 2 are blocked next door on either side in phase 1, 3 two away in phase 2.
    let echo = play("hirschberg-sinclair --ids 3,1,4,2 --set blocked=echo");
    assert_eq!(["token", "ok", "no"].map(|kind| echo.passes(kind)), [24, 8, 8]);
    for (played, election) in [(repaired, 32), (printed, 36), (echo, 40)] {
        let cost = &played.summary.cost;
        assert_eq!((cost.split(false), cost.split(true), cost.phases), (election, 4, Some(3)));
        assert_eq!(leaders(&played), [(2, 4)]);
    }
}

#[test]
fn franklin_takes_24_messages() {
    let played = play("franklin --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true), cost.phases), (24, 4, Some(3)));
    // Three rounds of one tag bit each: 2·(2+1+3+2) + 8 in round 1; 3 and 4 go twice 2 hops each way, 4 all the way.
    assert_eq!(cost.bits, (16 + 8) + (4 * 2 + 4 * 3 + 8) + (8 * 3 + 8) + 4 * (1 + 3));
    assert_eq!(leaders(&played), [(2, 4)]);
}

#[test]
fn van_leeuwen_and_tan_elect_4_which_3_finds_out() {
    // 8 messages of phase 0, then 4 by way of 1 and of 2, both to 3, and the flag's four.
    let full = play("van-leeuwen-tan --ids 3,1,4,2");
    let cost = &full.summary.cost;
    assert_eq!((cost.messages(), cost.split(true), cost.phases, cost.time_elected), (14, 4, Some(1), Some(2)));
    // Phase 0: tag, q, one bit of phase, and the identities twice; phase 1: twice 4; then tags.
    assert_eq!(cost.bits, (8 * 3 + 16) + 2 * (3 + 3) + 4);
    assert_eq!(leaders(&full), [(2, 4)]);
    // A link carries one message of phase 0 at a time, so phase 1 begins at 2.
    let half = play("van-leeuwen-tan --ids 3,1,4,2 --set duplex=half");
    assert_eq!((half.summary.cost.messages(), half.summary.cost.time_elected), (14, Some(3)));
    assert_eq!(leaders(&half), [(2, 4)]);
}

#[test]
fn alone_on_a_bidirectional_ring() {
    for (protocol, election) in [("hirschberg-sinclair", 2), ("franklin", 2), ("van-leeuwen-tan", 2)] {
        let played = play(&format!("{protocol} --ids 7"));
        assert_eq!((played.summary.cost.split(false), played.summary.cost.split(true)), (election, 1), "{protocol}");
        assert_eq!(leaders(&played), [(0, 7)]);
    }
}
