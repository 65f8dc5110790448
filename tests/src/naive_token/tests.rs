//! Runs worked out by hand, and what is true of all small schedules.

use super::search::{Gaps, Question};
use super::*;

/// Steps of 1 and delays of 1, tokens where given.
fn lock_step(given: &[bool], jitter: Given<'static>) -> NaiveRing<'static> {
    let n = given.len();
    NaiveRing {
        given: given.to_vec(),
        first: vec![0; n],
        lengths: &|_, _| 1,
        delay: &|_, _| 1,
        jitter,
        early: early(n as u64, (1, 1), (1, 1)),
        late: late(n as u64, (1, 1), (1, 1)),
        limit: 1000,
    }
}

#[test]
fn limits_are_rounded_outwards() {
    // 3·20/20 and 3·120/10 + 1; 2·3/4 rounded up and 2·9/3 + 1; 3·5/2 rounded down.
    assert_eq!((early(3, (10, 20), (20, 100)), late(3, (10, 20), (20, 100))), (3, 37));
    assert_eq!((early(2, (3, 4), (3, 5)), late(2, (3, 4), (3, 5)), late(3, (2, 2), (0, 3))), (2, 7, 8));
}

#[test]
fn without_jitter_a_ring_in_lock_step_is_never_right() {
    // E = 3 and L = 7: all insert at 7, and at 8 each finds the others' token one step after its own; again at 14, …
    let run = NaiveRing { limit: 22, ..lock_step(&[false; 3], &|_, _| 0) }.run();
    let expected: Vec<_> = (0..=22).map(|time| if time > 0 && time % 7 == 0 { 3 } else { 0 }).collect();
    assert_eq!(run.tokens, expected);
    assert_eq!((run.inserted.len(), run.removed.len(), run.passes, run.stable_from()), (9, 9, 9, None));
    for n in 2..=9 {
        for tokens in [0, 2, n] {
            let given: Vec<_> = (0..n).map(|place| tokens > 0 && place % (n / tokens.min(n)) == 0).collect();
            if tokens == 2 && n % 2 == 1 {
                continue;
            }
            let laps = NaiveRing { limit: 300 * n as u64, ..lock_step(&given, &|_, _| 0) };
            assert_eq!(laps.run().stable_from(), None, "{n} {tokens}");
        }
    }
    // One alone has no others: from L = 3 on its token comes back after E = 1.
    assert_eq!(lock_step(&[false], &|_, _| 0).run().stable_from(), Some(3));
}

#[test]
fn distinct_limits_make_it_right_at_once() {
    // Place 0 inserts at 7. Its token reaches place 1 at 8, when place 1 would have, and place 2 at 9.
    let run = lock_step(&[false; 3], &|place, _| place as u64).run();
    assert_eq!((run.inserted, run.removed), (vec![(0, 7)], vec![]));
}

#[test]
fn two_opposite_tokens_in_lock_step_remove_each_other() {
    // E = 4, L = 9. At 1 the tokens pass places 1 and 3, at 2 each comes to where the other started: too early. Place 0 inserts
    // at 9; its token passes place 1 at 10, when place 2, a step later than it might, and place 3 insert. At 11 there is one token
    // at each of the three, one or two steps after it inserted. Again, place 0 inserts at 18; place 1 is passed at 19, 9 after
    // the last, and place 3 inserts.
    let run =
        NaiveRing { limit: 19, ..lock_step(&[true, false, true, false], &|place, _| u64::from(place == 2)) }.run();
    assert_eq!(run.removed, [(0, 2), (2, 2), (0, 11), (2, 11), (3, 11)]);
    assert_eq!(run.inserted, [(0, 9), (2, 10), (3, 10), (0, 18), (3, 19)]);
    assert_eq!(run.tokens, [2, 2, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
}

#[test]
fn steps_and_delays_of_different_lengths_by_hand() {
    // Place 0 steps at 0, 2, 4, … and place 1 at 1, 4, 7, …. The given token leaves place 0 at 0, arrives at 2 and is passed on at 4,
    // arrives at 5 and is passed on at 6, step 3 of place 0; arrives at 8 and is passed on at 10, step 4 of place 1, two steps
    // after the last.
    let ring = NaiveRing {
        first: vec![0, 1],
        lengths: &|place, _| 2 + place as u64,
        delay: &|link, _| 2 - link as u64,
        early: 2,
        late: 8,
        limit: 10,
        ..lock_step(&[true, false], &|_, _| 0)
    };
    assert_eq!(ring.run().passes, 4);
    // A gap of two is too short for 3, and that of three is not.
    let run = NaiveRing { early: 3, ..ring.clone() }.run();
    assert_eq!((run.removed, run.passes), (vec![(1, 10)], 3));
    // Place 0 finds the token too early at 6, its third step, and inserts there, and three steps later. Place 1, passed at 4,
    // its second step, finds that of 6 too early at 10 and inserts at 13.
    let run = NaiveRing { early: 9, late: 3, limit: 13, ..ring }.run();
    assert_eq!((run.removed, run.inserted), (vec![(0, 6), (1, 10)], vec![(0, 6), (0, 12), (1, 13)]));
}

#[test]
fn no_schedule_disturbs_a_lone_token() {
    let mut tight = [0, 0];
    for n in 1..=3 {
        for (r, d) in
            [((1, 1), (1, 1)), ((1, 2), (1, 2)), ((1, 2), (0, 1)), ((2, 3), (2, 3)), ((1, 1), (2, 3)), ((1, 3), (1, 1))]
        {
            for (varying, ties) in [(false, false), (false, true), (true, true)] {
                let Gaps { shortest, longest, .. } = Question { n, r, d, varying, ties }.lone();
                let (early, late) = (early(n as u64, r, d), late(n as u64, r, d));
                assert!(early <= shortest && longest < late, "{n} {r:?} {d:?}: {shortest} to {longest}");
                tight[0] += usize::from(early == shortest);
                tight[1] += usize::from(longest + 1 == late);
            }
        }
    }
    // Some reach a limit: neither could be narrower.
    assert!(tight[0] > 0 && tight[1] > 0);
}

#[test]
fn the_gaps_of_a_lone_token_by_hand() {
    let lone = |n, r, d, ties| {
        let Gaps { shortest, longest, .. } = Question { n, r, d, varying: true, ties }.lone();
        (shortest, longest)
    };
    // In lock step every lap takes n steps; where a token may miss the step at which it arrives, up to 2n.
    assert_eq!((lone(3, (1, 1), (1, 1), false), lone(3, (1, 1), (1, 1), true)), ((3, 3), (3, 6)));
    // One alone, delays of 1 or 2, steps of 2: a step, but for the first lap if its first step comes at 1 and the token at 2.
    assert_eq!(lone(1, (2, 2), (1, 2), false), (1, 2));
}

#[test]
fn two_tokens_live_only_outside_the_condition() {
    let live = |n: usize, r, d, ties| Question { n, r, d, varying: true, ties }.two_live(early(n as u64, r, d));
    // (d_max + r_max)/d_min < 2γ: 3/2, 5/3 and 4/3 are below 2.
    for (r, d) in [((1, 1), (2, 2)), ((2, 2), (3, 3)), ((1, 1), (3, 3))] {
        assert!((2..=4).all(|n| !live(n, r, d, true)), "{r:?} {d:?}");
    }
    // Outside they may, and need not: 3 against 2, 2 against 2 where a token may miss a step, 8/5 against 4/3.
    assert!(live(2, (1, 1), (1, 2), false) && live(4, (1, 1), (1, 2), false));
    assert!(live(2, (1, 1), (1, 1), true) && !live(2, (1, 1), (1, 1), false));
    assert!(!live(2, (2, 3), (5, 5), true));
    // Where γ is at most 1/2 no delay is inside, however long.
    assert!(live(2, (1, 2), (8, 8), false));
}
