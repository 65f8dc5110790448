//! Runs worked out by hand, and every run of two sites whose steps and delays are 1 or 2.

use super::*;

/// Steps of 1, delays of 1, one entry each, stays of 10, no pauses, the least draws.
fn plain(ids: &[u64]) -> NaiveNetwork<'static> {
    let n = ids.len();
    NaiveNetwork {
        ids: ids.to_vec(),
        readers: vec![false; n],
        entries: vec![1; n],
        first: vec![0; n],
        lengths: &|_, _| 1,
        delay: &|_, _, _| 1,
        draw: &|_, _, _| 0,
        hold: &|_, _| 10,
        think: &|_, _| 0,
        one_by_one: false,
        limit: 1000,
    }
}

/// For steps and delays of 1 with c = 2 and c1 = 10: a window of 4, mindelay and delaystep 10.
fn lock(printed: bool, predict: Option<u64>) -> Lock {
    let (window, delaystep) = (window(2, (1, 1), 1), delaystep(10, (1, 1)));
    assert_eq!((window, delaystep), (4, 10));
    Lock::SpirakisTampakas { printed, window, delaystep, predict, modulus: None }
}

fn entry(place: usize, [asked, sent, entered, left]: [u64; 4], nnr: u64) -> NaiveEntry {
    NaiveEntry { place, asked, sent, entered, left, nnr }
}

#[test]
fn a_window_and_a_delay_are_rounded_up() {
    // (2·100 + 2·20)/10 and 10·20/10; (2·2 + 1·2)/1; 7/2 and 3·3/2.
    assert_eq!((window(2, (10, 20), 100), delaystep(10, (10, 20)), window(1, (1, 2), 2)), (24, 20, 6));
    assert_eq!((window(1, (2, 3), 2), delaystep(3, (2, 3))), (4, 5));
}

#[test]
fn one_alone_waits_for_silence() {
    let network = NaiveNetwork { entries: vec![2, 0, 0], ..plain(&[1, 2, 3]) };
    let run = lock(false, None).run(&network);
    assert_eq!(run.entries, [entry(0, [0, 10, 14, 24], 0), entry(0, [24, 34, 38, 48], 0)]);
    assert_eq!((run.messages, run.overlap, run.finished), ([4, 0, 0], 1, true));
}

#[test]
fn two_together_by_hand() {
    // Both ask at 0 and send 1 at 10. Place 0 wins the tie and says no at 11, so place 1 waits for its leaving at 24 and enters
    // at 25. Place 0 asks again at 24 and sends 2 at 34, which place 1 reads at 35, when it says no and leaves.
    let network = NaiveNetwork { entries: vec![2, 1], ..plain(&[1, 2]) };
    let run = lock(false, None).run(&network);
    let expected = [entry(0, [0, 10, 14, 24], 0), entry(1, [0, 10, 25, 35], 1), entry(0, [24, 34, 38, 48], 1)];
    assert_eq!(run.entries, expected);
    assert_eq!((run.messages, run.overlap), ([3, 2, 2], 1));
}

#[test]
fn the_next_sleep_is_as_long_as_the_last_had_negative_replies() {
    // Place 1 met one no, so it sleeps 10 + 10 and up to 10 more: with 4 more it sends at 35 + 24.
    let draw = |_, entry, of| if entry == 0 { 0 } else { 4u64.min(of - 1) };
    let network = NaiveNetwork { entries: vec![1, 2], draw: &draw, ..plain(&[1, 2]) };
    let run = lock(false, None).run(&network);
    assert_eq!(run.entries[2], entry(1, [35, 59, 63, 73], 0));
}

#[test]
fn printed_two_are_inside_together() {
    // n is predicted. Place 0 sleeps 30 steps and enters at 34; place 1 sleeps 50, with the same number and the smaller identity.
    let draw = |place, _, of| if place == 0 { 0 } else { of - 1 };
    let network = NaiveNetwork { draw: &draw, hold: &|_, _| 30, ..plain(&[2, 1]) };
    let run = lock(true, Some(2)).run(&network);
    assert_eq!(run.entries, [entry(0, [0, 30, 34, 64], 0), entry(1, [0, 50, 54, 84], 0)]);
    assert_eq!(run.overlap, 2);
    let run = lock(false, Some(2)).run(&network);
    assert_eq!(run.entries, [entry(0, [0, 30, 34, 64], 0), entry(1, [0, 50, 65, 95], 1)]);
    assert_eq!(run.overlap, 1);
}

#[test]
fn readers_do_not_exclude_readers() {
    // All three send at 10; the writer, place 2, has the smallest identity and goes first.
    let network = NaiveNetwork { readers: vec![true, true, false], ..plain(&[2, 3, 1]) };
    let run = lock(false, None).run(&network);
    let expected = [entry(2, [0, 10, 14, 24], 0), entry(0, [0, 10, 25, 35], 1), entry(1, [0, 10, 25, 35], 1)];
    assert_eq!(run.entries, expected);
    assert_eq!((run.messages, run.overlap), ([6, 2, 2], 1));
}

#[test]
fn ricart_and_agrawalas_two_by_hand() {
    // Both send at 0; place 1 answers at 1 and place 0 enters at 2, leaves at 12 and answers then.
    let run = Lock::RicartAgrawala.run(&plain(&[1, 2]));
    assert_eq!(run.entries, [entry(0, [0, 0, 2, 12], 1), entry(1, [0, 0, 13, 23], 1)]);
    assert_eq!((run.messages, run.overlap), ([2, 0, 2], 1));
    // One alone enters at once.
    assert_eq!(Lock::RicartAgrawala.run(&plain(&[1])).entries, [entry(0, [0, 0, 0, 10], 0)]);
}

#[test]
fn steps_and_delays_of_different_lengths_by_hand() {
    // Place 0 steps at 0, 2, 4, …; place 1 at 1, 4, 7, …. Requests take 3 and replies 1. Sent at 0, the request of place 0
    // arrives at 3 and is answered at 4; the reply arrives at 5 and is read at 6. Place 1 sends at 1, which arrives at 4 and is put off;
    // place 0 leaves at its step 5, at 10; the reply arrives at 11 and is read at 13.
    let network = NaiveNetwork {
        first: vec![0, 1],
        lengths: &|place, _| 2 + place as u64,
        delay: &|_, _, count| if count == 0 { 3 } else { 1 },
        hold: &|_, _| 2,
        ..plain(&[1, 2])
    };
    let run = Lock::RicartAgrawala.run(&network);
    assert_eq!(run.entries, [entry(0, [0, 0, 6, 10], 1), entry(1, [1, 1, 13, 19], 1)]);
}

/// The most sites inside at once in all runs of two sites: steps of 1 or 2 each, first steps at any time within them, every
/// message delayed by 1 or 2, every difference of sleeps, and two entries each, so that the slower may be inside when the
/// faster asks.
fn worst_of_two(printed: bool, c: u64) -> u64 {
    let (window, delaystep) = (window(c, (1, 2), 2), 6);
    let lock = Lock::SpirakisTampakas { printed, window, delaystep, predict: Some(1), modulus: None };
    let mut worst = 0;
    for (bits, draws) in (0u64..1 << 8).flat_map(|bits| (0..49).map(move |draws| (bits, draws))) {
        let lengths = [1 + (bits & 1), 1 + (bits >> 1 & 1)];
        let first = vec![bits >> 2 & 1, bits >> 3 & 1];
        if first[0] == lengths[0] || first[1] == lengths[1] {
            continue;
        }
        let delay = |from: usize, _, count| 1 + (bits >> (4 + 2 * from as u64 + (count & 1)) & 1);
        let draw = |place: usize, _, _| if place == 0 { draws % 7 } else { draws / 7 };
        let (lengths, hold) = (|place: usize, _| lengths[place], |_, _| 20);
        let plain = NaiveNetwork { entries: vec![2, 2], ..plain(&[1, 2]) };
        let network = NaiveNetwork { first, lengths: &lengths, delay: &delay, draw: &draw, hold: &hold, ..plain };
        worst = worst.max(lock.run(&network).overlap);
    }
    worst
}

#[test]
fn the_window_must_cover_a_step_of_waiting() {
    // Where an arrival at a step is read at that step one is enough.
    assert_eq!([0, 1, 2].map(|c| worst_of_two(false, c)), [2, 1, 1]);
    assert_eq!(worst_of_two(true, 2), 2);
}
