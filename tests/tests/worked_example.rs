//! The worked example of the project's notes: figures worked out by hand, before there was a program.

use conformance::{Played, place_of};
use ringleader::model::Part;
use ringleader::sim::Verdict;

fn play(line: &str) -> Played {
    let played = Played::of(line);
    assert_eq!(played.summary.verdict, Verdict::Held, "{line}: {:?}", played.summary.violations);
    played
}

fn leaders(played: &Played) -> Vec<(u32, u64)> {
    conformance::leaders(&played.summary)
        .iter()
        .map(|leader| (place_of(leader), leader.id.expect("it has a name").get()))
        .collect()
}

/// The same where all draw what is written here.
fn drawing(line: &str, choices: &[u64]) -> Played {
    let played = Played::drawing(line, choices, |_| {});
    assert_eq!(played.summary.verdict, Verdict::Held, "{line}");
    played
}

fn nameless_leader(played: &Played) -> u32 {
    let leaders = conformance::leaders(&played.summary);
    assert_eq!((leaders.len(), leaders[0].id), (1, None));
    place_of(&leaders[0])
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

/// Sent at 0 and 1, messages take 1; sent at 2 or later, 5: candidate 4 arrives at 1, 2, 7 and 12, its announcement at 17, 22, 27
/// and 32.
#[test]
fn chang_roberts_takes_longer_where_delays_become_longer() {
    let played = play("chang-roberts --ids 3,1,4,2 --d 1@0,5@2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true), cost.bits), (8, 4, 43));
    assert_eq!((cost.time_elected, cost.time), (Some(12), 32));
}

#[test]
fn chang_roberts_woken_at_one_place_of_eight_takes_10_messages() {
    let played = play("chang-roberts --ids 5,2,8,1,7,3,6,4 --wake 0");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (10, 8));
    assert_eq!(leaders(&played), [(2, 8)]);
}

#[test]
fn peterson_takes_16_messages_and_elects_the_owner_or_20_and_the_holder_of_4() {
    let owner = play("peterson --ids 3,1,4,2");
    assert_eq!(["first", "second", "announcement"].map(|kind| owner.passes(kind)), [9, 7, 4]);
    let cost = &owner.summary.cost;
    assert_eq!((cost.split(false), cost.phases), (16, Some(3)));
    // 3 1 4 2, then 3 3 4 4; 3 and 4 over two links each, then 4 over three; 4 over one; the announcement of 4.
    assert_eq!(cost.bits, 20 * 2 + (8 + 10) + (4 + 6 + 9) + 3 + 12);
    // The second value of place 1 leaves at 4 and is 4, which belongs to place 2.
    assert_eq!((cost.time_elected, cost.time), (Some(5), 9));
    assert_eq!(leaders(&owner), [(2, 4)]);

    let holder = play("peterson --ids 3,1,4,2 --set elected=holder");
    assert_eq!(["first", "second", "announcement"].map(|kind| holder.passes(kind)), [12, 8, 4]);
    let cost = &holder.summary.cost;
    assert_eq!((cost.split(false), cost.messages(), cost.bits), (20, 24, 112));
    // Rounds end at 2 and 6, then 4 makes a full turn.
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(10), 14, Some(3)));
    assert_eq!(leaders(&holder), [(1, 4)]);
}

#[test]
fn peterson_alternating_takes_12_messages_and_elects_place_0_holding_4() {
    let played = play("peterson-alternating --ids 3,1,4,2");
    assert_eq!(["value", "announcement"].map(|kind| played.passes(kind)), [12, 4]);
    let cost = &played.summary.cost;
    // 3 1 4 2; 3 and 4 over two links each; 4 over four; the announcement of 4.
    assert_eq!(cost.bits, 16 + 8 + (4 + 6) + 12 + 12);
    // Phases end at 1 and 3, then 4 makes a full turn.
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(7), 11, Some(3)));
    assert_eq!(leaders(&played), [(0, 4)]);
}

#[test]
fn dolev_klawe_rodeh_a_takes_20_messages_and_elects_place_1_holding_4() {
    let played = play("dolev-klawe-rodeh --ids 3,1,4,2");
    assert_eq!(["first", "second", "announcement"].map(|kind| played.passes(kind)), [12, 8, 4]);
    let cost = &played.summary.cost;
    // 3 1 4 2, twice; 3 and 4 over two links each, twice; 4 over four; the announcement of 4.
    assert_eq!(cost.bits, 24 * 2 + 2 * 8 + 2 * (4 + 6) + 12 + 12);
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(10), 14, Some(3)));
    assert_eq!(leaders(&played), [(1, 4)]);
}

#[test]
fn dolev_klawe_rodeh_b_takes_13_messages_and_elects_place_2() {
    let played = play("dolev-klawe-rodeh --ids 3,1,4,2 --set variant=b");
    assert_eq!(["M1", "M2", "announcement"].map(|kind| played.passes(kind)), [9, 4, 4]);
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.phases), (13, Some(2)));
    // M1 of 3 1 4 2 with phase 0 and counter 1; M2 of 3 and 4; M1(3,1,2), M1(3,1,0), M1(4,1,2), M1(4,1,1); M2 of 4 over two
    // links; M1(4,2,4); the announcement of 4.
    assert_eq!(cost.bits, 17 * 2 + (8 + 4 + 4) + (2 + 3) + (5 + 4 + 6 + 5) + 6 + 8 + 12);
    // Phase 1 begins at 2 and phase 2 at 6, at place 1, next to the owner of 4.
    assert_eq!((cost.time_elected, cost.time), (Some(7), 11));
    assert_eq!(leaders(&played), [(2, 4)]);
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

/// M_i takes as many ticks to read as i has dyadic digits: 1 and 2 are 1 and 2, 3 and 4 are 11 and 12.
///
/// All leave at 1. Place 0 reads M_2 at 2 and would pass it on at 2 + f(2) = 6; place 1 reads M_3 at 2 and 3, place 3 reads M_4
/// likewise, and both discard what they read. Place 2 reads M_1 at 2 and passes it on at 2 + f(1) = 4; place 3 reads it at 5 and
/// passes it on at 7, place 0 at 8 and 10. M_2, which left at 6, is discarded at 7; place 1 is elected at 11. Sleepwell, of one
/// bit, is read at 12, 13 and 14.
#[test]
fn vitanyi_bit_by_bit_takes_as_long_as_names_are() {
    let played = play("vitanyi --ids 3,1,4,2 --reading bit-serial");
    assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [4, 8, 4]);
    let cost = &played.summary.cost;
    assert_eq!((cost.time_elected, cost.time), (Some(11), 14));
    assert_eq!(cost.bits, 4 + 4 + 2 + 2 + 2 + 4);

    // M_4 and M_3 leave at 1, arrive at 2, and are read at 3 and 4. Place 0 passes M_3 on at 4 + f(3) = 12; place 1 reads it at
    // 14 and 15. Sleepwell arrives at 16, is read at 17, and reaches the elected one, who sleeps, at 18.
    let played = play("vitanyi --ids 4,3 --d 1 --reading bit-serial");
    assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [2, 3, 2]);
    let cost = &played.summary.cost;
    assert_eq!((cost.time_elected, cost.time, cost.bits), (Some(15), 18, 2 + 3 * 2 + 2));
    // Since the first pass is free, the tour of two digits takes w_s + (N-1) f(3) + w_p·2 = 2 + 8 + 4 from 1 on, where section 4
    // has w_s + w_p f(3)·2 = 34.
    assert_eq!(cost.time_elected, Some(1 + 2 + 8 + 4));
}

/// As in lockstep up to 4, where M_1 leaves place 2; from then on ticks are at 4, 6, 8, …: it is read at 6, passed on at 10, read
/// at 12, passed on at 16 and read at 18. M_2, due four ticks after 2, leaves at 8. Sleepwell is read at 20, 22 and 24.
#[test]
fn vitanyi_takes_longer_where_clocks_become_slow() {
    let played = play("vitanyi --ids 3,1,4,2 --r 1@0,2@4");
    assert_eq!(["wakeup", "election", "sleepwell"].map(|kind| played.passes(kind)), [4, 8, 4]);
    assert_eq!((played.summary.cost.time_elected, played.summary.cost.time), (Some(18), 24));
}

#[test]
fn time_slice_takes_4_messages_and_elects_place_1_in_round_4() {
    let played = play("time-slice --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (4, 0));
    assert_eq!((cost.time_elected, cost.time), (Some(4), 4));
    // Four passes of 1, one bit each; one kind needs no tag.
    assert_eq!(cost.bits, 4);
    assert_eq!(leaders(&played), [(1, 1)]);
}

#[test]
fn frederickson_lynch_takes_5_messages_and_the_token_of_place_1_is_back_in_round_8() {
    let played = play("frederickson-lynch --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (5, 4));
    assert_eq!((cost.time_elected, cost.time), (Some(8), 12));
    // Four passes of 1 and one of 2, four announcements; each has a tag of one bit.
    assert_eq!(cost.bits, 4 * 2 + 3 + 4);
    assert_eq!(leaders(&played), [(1, 1)]);
}

/// Four nameless ones that draw 3, 1, 4 and 2 do as Chang and Roberts's four.
#[test]
fn itai_rodeh_that_draws_3_1_4_2_takes_8_and_4_messages_and_elects_place_2() {
    let played = drawing("itai-rodeh -n 4", &[2, 0, 3, 1]);
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (8, 4));
    // Tag 1, round 1, the bit 1; identities 2, 1, 3, 2 bits long; hops 1 to 4 are 1, 2, 2, 3 bits long.
    assert_eq!(cost.bits, 8 * 3 + (2 * 2 + 1 + 4 * 3 + 2) + ((1 + 2) + 1 + (1 + 2 + 2 + 3) + 1) + 4);
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(4), 8, Some(1)));
    assert_eq!(nameless_leader(&played), 2);
}

/// They draw 4, 2, 4, 1: places 0 and 2 go twice round all together, then draw 1 and 3, and 1 goes half round.
#[test]
fn itai_rodeh_that_draws_the_greatest_twice_goes_on_with_those_two() {
    let played = drawing("itai-rodeh -n 4", &[3, 1, 3, 0, 0, 2]);
    let cost = &played.summary.cost;
    assert_eq!(cost.split(false), (4 + 1 + 4 + 1) + (2 + 4));
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(8), 12, Some(2)));
    assert_eq!(nameless_leader(&played), 2);
}

/// Of four nobody marks itself, then places 0, 1 and 3 do, and of these three place 3.
#[test]
fn itai_rodeh_sync_takes_a_turn_for_each_mark_and_four_rounds_for_each_phase() {
    let played = drawing("itai-rodeh-sync -n 4", &[1, 1, 1, 1, 0, 0, 1, 0, 2, 2, 0]);
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true), cost.bits), (4 * (3 + 1), 0, 4 * (3 + 1)));
    assert_eq!((cost.time_elected, cost.time, cost.phases), (Some(13), 13, Some(3)));
    assert_eq!(nameless_leader(&played), 3);
}

#[test]
fn synchronous_and_anonymous_elections_of_one() {
    for (line, split, time) in [
        ("time-slice --ids 7", (1, 0), 7),
        ("frederickson-lynch --ids 3", (1, 1), 9),
        ("itai-rodeh -n 1", (1, 1), 2),
        ("itai-rodeh-sync -n 1", (1, 0), 2),
    ] {
        let cost = play(line).summary.cost;
        assert_eq!(((cost.split(false), cost.split(true)), cost.time), (split, time), "{line}");
    }
}

#[test]
fn lelann_and_chang_roberts_of_one() {
    let lelann = play("lelann --ids 7");
    assert_eq!(lelann.summary.cost.messages(), 1);
    assert_eq!(leaders(&lelann), [(0, 7)]);
    let chang_roberts = play("chang-roberts --ids 7");
    assert_eq!((chang_roberts.summary.cost.split(false), chang_roberts.summary.cost.split(true)), (1, 1));
    assert_eq!(leaders(&chang_roberts), [(0, 7)]);
}

#[test]
fn petersons_and_related_elections_of_one() {
    for protocol in [
        "peterson",
        "peterson --set elected=holder",
        "peterson-alternating",
        "dolev-klawe-rodeh",
        "dolev-klawe-rodeh --set variant=b",
    ] {
        let played = play(&format!("{protocol} --ids 7"));
        assert_eq!((played.summary.cost.split(false), played.summary.cost.split(true)), (1, 1), "{protocol}");
        assert_eq!(leaders(&played), [(0, 7)]);
    }
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
        // 1 makes one hop, 2 a full turn: worst and best are the same.
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
fn two_are_a_ring_for_peterson_and_his_kin() {
    for (ids, owner) in [("1,2", 1), ("2,1", 0)] {
        // Two first and two second values; 2 comes home as a second one, and the other, which holds 2 now, begins round 2.
        let peterson = play(&format!("peterson --ids {ids}"));
        assert_eq!((peterson.summary.cost.split(false), leaders(&peterson)), (5, vec![(owner, 2)]));
        // The same, and 2 makes a full turn.
        for protocol in ["peterson --set elected=holder", "dolev-klawe-rodeh"] {
            let played = play(&format!("{protocol} --ids {ids}"));
            assert_eq!((played.summary.cost.split(false), leaders(&played)), (6, vec![(1 - owner, 2)]), "{protocol}");
        }
        // Two M1; one M2 to who has seen the greater; one M1 home.
        let b = play(&format!("dolev-klawe-rodeh --set variant=b --ids {ids}"));
        assert_eq!((b.summary.cost.split(false), leaders(&b)), (4, vec![(owner, 2)]));
        // In phase 1 the greater survives where it is, in phase 2 it makes a full turn.
        let alternating = play(&format!("peterson-alternating --ids {ids}"));
        assert_eq!((alternating.summary.cost.split(false), leaders(&alternating)), (4, vec![(owner, 2)]));
    }
}

#[test]
fn all_to_all_takes_12_messages_and_elects_place_2() {
    let played = play("all-to-all --ids 3,1,4,2");
    let cost = &played.summary.cost;
    assert_eq!((cost.split(false), cost.split(true)), (12, 0));
    // Ids of 2, 1, 3 and 2 bits go to three others each; one kind needs no tag.
    assert_eq!(cost.bits, 3 * (2 + 1 + 3 + 2));
    assert_eq!((cost.time, cost.time_elected, cost.depth), (1, Some(1), 1));
    assert_eq!(leaders(&played), [(2, 4)]);
}

#[test]
fn afek_gafni_sync_takes_8_candidate_messages_and_4_acks_and_elects_place_2_at_level_4() {
    let played = play("afek-gafni-sync --ids 3,1,4,2");
    assert_eq!(["candidate", "ack", "announcement"].map(|kind| played.passes(kind)), [8, 4, 3]);
    let cost = &played.summary.cost;
    assert_eq!((cost.time_elected, cost.time), (Some(4), 4));
    // Two bits of tag. Level 0: all ask; 4 acknowledged by 3, 3 by 1. Level 2: 3 and 4 ask two each, both of 4's give in.
    let asked = (1 + 2) + (1 + 1) + (1 + 3) + (1 + 2) + 2 * (2 + 2) + 2 * (2 + 3);
    assert_eq!(cost.bits, 8 * 2 + asked + 4 * 2 + 3 * (2 + 3));
    assert_eq!(leaders(&played), [(2, 4)]);
}

/// 3 asks 1 at 0, and 4 and 2 at 2. 4 has started by then and denies; 2 gives in. 4 asks 3 at 2, then 1 and 2 at 4, and is elected at
/// 6. With levels 3 would be, at 4.
#[test]
fn afek_gafni_sync_without_levels_elects_a_later_starter() {
    let line = "afek-gafni-sync --ids 3,1,4,2 --wake-at 0,-,2,-";
    let flat = play(&format!("{line} --set levels=off"));
    assert_eq!(["candidate", "ack", "announcement"].map(|kind| flat.passes(kind)), [3 + 3, 2 + 3, 3]);
    assert_eq!((leaders(&flat), flat.summary.cost.time_elected), (vec![(2, 4)], Some(6)));
    let levels = play(line);
    assert_eq!((leaders(&levels), levels.summary.cost.time_elected), (vec![(0, 3)], Some(4)));
}

#[test]
fn afek_gafni_sync_on_three_takes_4_candidate_messages_and_2_acks() {
    let played = play("afek-gafni-sync --ids 3,2,1");
    assert_eq!(["candidate", "ack", "announcement"].map(|kind| played.passes(kind)), [4, 2, 2]);
    assert_eq!(leaders(&played), [(0, 3)]);
}

#[test]
fn afek_gafni_async_captures_three_and_has_one_killed() {
    let played = play("afek-gafni-async --ids 3,1,4,2");
    // All try: 4 captures 3 and 3 captures 1 although it has been killed; 4 then takes 1 by having 3 killed again, then 2.
    assert_eq!(["capture", "ack", "kill", "killed"].map(|kind| played.passes(kind)), [6, 4, 1, 1]);
    let cost = &played.summary.cost;
    assert_eq!((cost.time_elected, cost.time), (Some(8), 9));
    // Three bits of tag; (0, 3), (0, 1), (0, 4), (0, 2), (1, 4) and (2, 4) have 3, 2, 4, 3, 4 and 5.
    let (captures, acks) = (3 + 2 + 4 + 3 + 4 + 5, 4 + 3 + 4 + 5);
    assert_eq!(cost.bits, 12 * 3 + captures + acks + 4 + 4 + 3 * (3 + 3));
    assert_eq!(leaders(&played), [(2, 4)]);
}

#[test]
fn alone_on_a_complete_network_there_is_nobody_to_ask() {
    for protocol in ["all-to-all", "afek-gafni-sync", "afek-gafni-async"] {
        let played = play(&format!("{protocol} --ids 7"));
        assert_eq!((played.summary.cost.messages(), played.summary.cost.time_elected), (0, Some(0)), "{protocol}");
        assert_eq!(leaders(&played), [(0, 7)], "{protocol}");
    }
}

#[test]
fn hirschberg_and_sinclair_take_32_messages_and_36_as_printed() {
    let repaired = play("hirschberg-sinclair --ids 3,1,4,2");
    assert_eq!(["token", "ok"].map(|kind| repaired.passes(kind)), [24, 8]);
    let printed = play("hirschberg-sinclair --ids 3,1,4,2 --set rules=printed");
    assert_eq!(["token", "ok"].map(|kind| printed.passes(kind)), [26, 10]);
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
    // Who finds out leads: 3, whose two bits make a turn beside the tag.
    let finder = play("van-leeuwen-tan --ids 3,1,4,2 --set duplex=half --set leader=finder");
    let cost = &finder.summary.cost;
    assert_eq!((cost.split(false), finder.passes("leader"), cost.time_elected), (10, 4, Some(3)));
    assert_eq!(cost.bits, (8 * 3 + 16) + 2 * (3 + 3) + 4 * (1 + 2));
    assert_eq!(leaders(&finder), [(0, 3)]);
}

/// The ring 5, 3, 2, 4, 1 in lock step. Phase 0 ends at 1, after 10 messages, with two local minima: 2 takes the name 4 and sends
/// it towards 3; 1 takes 5 and sends it towards 4. At 2 both are relayed, at 3 once more or stopped: the processor 5 relays 4
/// to 1, and 2, which holds 4, stops 5 (and may take it). At 4 the processor 1, which holds 5, gets 4 from the other side: 5
/// goes on in phase 2, away from it, and is back at 9 after 5 passes. In phase 1 there were 3 of 4 and 2 of 5.
#[test]
fn van_leeuwen_and_tan_may_take_a_larger_name() {
    let line = "van-leeuwen-tan --ids 5,3,2,4,1 --orientation same";
    for line in [line.to_string(), format!("{line} --set larger=take")] {
        let played = play(&line);
        let cost = &played.summary.cost;
        assert_eq!((cost.split(false), cost.split(true), cost.phases), (10 + 3 + 2 + 5, 5, Some(2)), "{line}");
        assert_eq!((cost.time_elected, cost.time), (Some(9), 14), "{line}");
        assert_eq!(leaders(&played), [(0, 5)], "{line}");
    }
}

/// 4 leads at 4, at place 2, and announces it until 8; its task begins at 4, behind the announcement.
#[test]
fn chang_and_roberts_leader_broadcasts_and_hands_over() {
    // Four passes of the leader's value, which comes back at 8.
    let broadcast = play("chang-roberts --ids 3,1,4,2 --then broadcast --values 5,0,7,7");
    assert_eq!((broadcast.passes("broadcast"), broadcast.summary.cost.time), (4, 8));
    // Four passes to find the greatest identity, 4, and four to tell it.
    let transfer = play("chang-roberts --ids 3,1,4,2 --then transfer");
    assert_eq!(["greatest", "successor"].map(|kind| transfer.passes(kind)), [4, 4]);
    assert_eq!(transfer.summary.cost.time, 4 + 4 + 4);
    // Everybody is awake when the three old tokens come, and removes them; clear makes a turn, then the new token another.
    let token = play("chang-roberts --ids 3,1,4,2 --then token --values 1,0,0,2");
    assert_eq!(["clear", "ring-token"].map(|kind| token.passes(kind)), [4, 3 + 4]);
    assert_eq!(token.summary.cost.time, 4 + 4 + 4);
    // From place 2 on: 3, 1, 5 and 3 are collected in four passes, and 1, 3, 3, 5 distributed in four.
    let sort = play("chang-roberts --ids 3,1,4,2 --then ring-sort --values 5,3,3,1");
    assert_eq!((sort.summary.cost.part(Part::Task), sort.summary.cost.time), (4 + 4, 4 + 4 + 4));
}

#[test]
fn alone_on_a_bidirectional_ring() {
    for (protocol, election) in [("hirschberg-sinclair", 2), ("franklin", 2), ("van-leeuwen-tan", 2)] {
        let played = play(&format!("{protocol} --ids 7"));
        assert_eq!((played.summary.cost.split(false), played.summary.cost.split(true)), (election, 1), "{protocol}");
        assert_eq!(leaders(&played), [(0, 7)]);
    }
}
