//! Claims of sections 3 and 4 of Vitányi's paper about time, bits and means: where they fail as printed, and that they hold as
//! repaired.

use conformance::vitanyi_bounds::headline;
use conformance::{Draw, Played, orders};
use ringleader::model::{BoundKind, Clocks, Quantity, Reading, Value};
use ringleader::sim::Verdict;

use crate::vitanyi::{LAWS, demand_what_the_paper_says, drawn};

/// The measured value of a quantity and whether a bound on it held.
fn judged(line: &str, formula: &str) -> (String, Option<bool>) {
    let played = Played::of(line);
    let bounds = &played.setup.facts.bounds;
    let bound = bounds.iter().find(|bound| bound.formula == formula).unwrap_or_else(|| panic!("{line}: no {formula}"));
    let (measured, held) = bound.judge(&played.summary);
    (measured.map_or(String::new(), |measured| measured.to_string()), held)
}

/// 2 at place 0, 3 at 21, 4 at 33, 5 at 40, 6 at 43, 8 at 44, 7 at 45, in lockstep with f(i) = 2^i and first=f. M_i leaves its
/// place s at 2^i and is read at s + k at k(2^i + 1), so that the smaller M_j from place t stops it at the first k with
/// (s + k - t)(2^j + 1) ≤ 2^i + k(2^i + 1). M_3 makes 25 passes, M_4 12 (then M_3 is there), M_5 6, M_6 2, M_7 1, all others
/// none. In bits that is 50, 24, 12, 4 and 3, with 46 of M_2 and 92 of wakeups and sleepwells 231.
const RING_OF_46: &str = "--ids 2,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,3,29,30,31,32,33,34,35,36,37,38,39,\
                          4,40,41,42,43,44,45,5,46,47,6,8,7";

/// f(i) = i^10 is above 2^i for these identities, and doubles from none to the next. All first passes are made at 1. Let t be
/// 49^10: M_49 is read at place p after p - 1 times t, and M_50, M_51, M_52 and M_54 need 1.22, 1.49, 1.81 and 2.64 t for a pass.
/// So M_50 leaves places 2 to 6, and place 7 too late, M_51 places 4 to 9, M_52 6 to 9, M_54 8 and 9; five others make one pass.
#[test]
fn an_f_above_2_to_the_i_that_does_not_double_exceeds_2n_plus_3nu_over_m() {
    let played = Played::of("vitanyi --ids 49,53,50,57,51,56,52,58,54,55 --set law=power:10");
    assert_eq!(played.passes("election"), 10 + 5 + 6 + 4 + 2 + 5);
    assert!(headline(10, 1, 1).below(played.summary.cost.messages()), "52 against 50");
    assert!(!played.setup.facts.bounds.iter().any(|bound| bound.formula == "2N + 3Nu/m"), "it is not claimed there");
}

/// The bounds that repair (2), worked out by hand.
#[test]
fn repaired_bounds_on_messages_have_these_values() {
    let (general, doubling, apart) =
        ("4N - 1 + (T/m) sum over i != l of 1/f(i)", "4N - 1 + 2Nu/m", "4N - 1 + 3Nu/(2m)");
    let sharp = "4N - 1 + T sum over i != l of 1/(m f(i) + d_min)";
    let of = |options: &str, formula: &str| {
        let bounds = Played::of(&format!("vitanyi {options}")).setup.facts.bounds;
        bounds.iter().find(|bound| bound.formula == formula).map(|bound| bound.value)
    };
    let table = [
        // 15 + 4·3·(1/4 + 1/8 + 1/16)
        ("--ids 1,2,3,4", general, Some((81, 4))),
        ("--ids 1,2,3,4", doubling, Some((23, 1))),
        ("--ids 1,2,3,4", apart, Some((21, 1))),
        // u = 6 > 2: M_1 may queue. 15 + 4·6·4·7/16, and T = 2·20 + 3·4 + 3.
        ("--ids 1,2,3,4 --d 0..5", general, Some((57, 1))),
        ("--ids 1,2,3,4 --d 0..5", doubling, Some((63, 1))),
        ("--ids 1,2,3,4 --d 0..5", apart, None),
        ("--ids 1,2,3,4 --d 0..5", sharp, Some((15 * 16 + 55 * 7, 16))),
        // Equal delays: nothing queues. T = 2·20 + 3·4.
        ("--ids 1,2,3,4 --d 5", general, Some((15 * 16 + 4 * 6 * 3 * 7, 16))),
        ("--ids 1,2,3,4 --d 5", apart, Some((51, 1))),
        ("--ids 1,2 --d 5", sharp, Some((7 * 9 + 26, 9))),
        // Clocks that vary within u ≤ m f(l) = 12.
        ("--ids 2,3 --r 3..8 --clocks varying --d 0..4", general, Some((7 * 24 + 2 * 12 * 5, 24))),
        ("--ids 2,3 --r 3..8 --clocks varying --d 0..5", general, None),
        // i² does not double.
        ("--ids 1,2,3,4 --set law=power:2", doubling, None),
        // 2u/m = 5/2: 3, 7, 16; nothing queues.
        ("--ids 1,2,3 --clocks list:4,4,4 --delays list:1,1,1 --set law=u/m", doubling, None),
    ];
    for (options, formula, expected) in table {
        let expected = expected.map(|(over, under)| Value::ratio(over, under));
        assert_eq!(of(options, formula), expected, "{options}: {formula}");
    }
}

/// Smallest rings on which printed claims fail, worked by hand, and the rings just below them.
///
/// In lockstep M_1 leaves at 1; each other processor reads it a unit after it arrives and passes it on 2 units later, so that it
/// is read at home at 3N - 1. Sleepwell is read a unit later at each processor but the elected one, which sleeps. Bit by bit a
/// message of D digits that leaves place 1 of two at 1 is read at 1 + D, and M_1, which comes at 4 (with law=min-time at 2), a
/// unit later at the earliest.
#[test]
fn printed_claims_fail_on_these_rings_and_hold_as_repaired() {
    let (serial, fast) = ("--reading bit-serial", "--reading bit-serial --set law=min-time");
    let table = [
        ("--ids 1", "N f(l) u", "2", true, "w_s + (f(l)+1)w_p + (N-1)r_max"),
        ("--ids 1,2", "N f(l) u", "5", false, "w_s + (f(l)+1)w_p + (N-1)r_max"),
        ("--ids 1,2,3,4", "N f(l) u", "11", false, "w_s + (f(l)+1)w_p"),
        ("--ids 1,2", "Nu/2", "1", true, "w"),
        ("--ids 1,2,3", "Nu/2", "2", false, "w"),
        // Two units and a delay of 3, where u/2 is 2.
        ("--ids 1 --r 1 --d 3", "Nu/2", "3", false, "w"),
        // Two delays of 2, and a unit at place 1.
        ("--ids 1,2 --r 1 --d 2", "Nu/2", "5", false, "w"),
        // Two bits each for wakeup, sleepwell and M_1, and 4 or 5 for M_i.
        (
            "--ids 1,30 --set law=u/m",
            "2N + 3N digits(l)",
            "10",
            true,
            "2N + 4N digits(l) + sum over i != l of digits(i)",
        ),
        (
            "--ids 1,31 --set law=u/m",
            "2N + 3N digits(l)",
            "11",
            false,
            "2N + 4N digits(l) + sum over i != l of digits(i)",
        ),
        // The same with M_2, where digits(2) = log2 2.
        (
            "--ids 2,31 --set law=u/m",
            "2N + 3N digits(l)",
            "11",
            false,
            "2N + 4N digits(l) + sum over i != l of digits(i)",
        ),
        (&format!("{RING_OF_46} --set law=u/m --set first=f"), "2N + 3N digits(l)", "231", false, "2N + 4N digits(l)"),
        // Delays so long that no message overtakes another: N(N+1)/2 election messages.
        (
            "--ids 1,2,3,4,5,6,7,8,9 --r 1 --d 99999",
            "7N + 3(r_max - m)N/m",
            "63",
            true,
            "4N - 1 + T sum over i != l of 1/(m f(i) + d_min)",
        ),
        (
            "--ids 1,2,3,4,5,6,7,8,9,10 --r 1 --d 99999",
            "7N + 3(r_max - m)N/m",
            "75",
            false,
            "4N - 1 + T sum over i != l of 1/(m f(i) + d_min)",
        ),
        (
            &format!("--ids 1,62 {serial}"),
            "2w + w_s + w_p f(l) log l",
            "8",
            true,
            "2w + w_s + w_p f(l) digits(l) + r_max sum over i != l of digits(i)",
        ),
        (
            &format!("--ids 1,63 {serial}"),
            "2w + w_s + w_p f(l) log l",
            "9",
            false,
            "2w + w_s + w_p f(l) digits(l) + r_max sum over i != l of digits(i)",
        ),
        (
            &format!("--ids 1,2 {serial}"),
            "w_s + w_p f(l) log l",
            "5",
            false,
            "w_s + w_p(f(l) + digits(l)) + r_max sum over i != l of digits(i)",
        ),
        (
            &format!("--ids 1,14 {fast}"),
            "3w + w_p(log l - 1)",
            "6",
            true,
            "3w + w_p(digits(L) - 1) + r_max sum over i != l of digits(i)",
        ),
        (
            &format!("--ids 1,15 {fast}"),
            "3w + w_p(log l - 1)",
            "7",
            false,
            "3w + w_p(digits(L) - 1) + r_max sum over i != l of digits(i)",
        ),
    ];
    for (options, printed, measured, holds, repaired) in table {
        let line = format!("vitanyi {options} --set claims=printed");
        assert_eq!(judged(&line, printed), (measured.to_string(), Some(holds)), "{line}: {printed}");
        assert_eq!(judged(&line, repaired), (measured.to_string(), Some(true)), "{line}: {repaired}");
    }
}

/// The ring 3, 1, 2 in lockstep, bit by bit. M_3 has two digits, the others one. All leave at 1. Place 0 reads M_2 at 2 and would
/// pass it on at 6; place 1 reads M_3 at 2 and 3, and discards it; place 2 reads M_1 at 2, and sends it at 4. Place 0 reads it
/// at 5 and sends it at 7; place 1 is elected at 8. Sleepwell is read at 9 and 10.
#[test]
fn a_run_bit_by_bit_worked_by_hand() {
    let played = Played::of("vitanyi --ids 3,1,2 --reading bit-serial");
    let cost = &played.summary.cost;
    assert_eq!((cost.time_elected, cost.time, cost.time_awake), (Some(8), 10, Some(0)));
    assert_eq!((played.passes("election"), cost.bits), (5, 12));
    // With 63 for 3, place 1 reads it until 7, and M_1 is still read at 8; with 255, of 8 digits, at 10.
    for (greatest, elected) in [(63, 8), (255, 10)] {
        let played = Played::of(&format!("vitanyi --ids {greatest},1,2 --reading bit-serial"));
        assert_eq!(played.summary.cost.time_elected, Some(elected), "{greatest}");
    }
}

/// What holds as repaired, over rings whose losers have long identities.
#[test]
fn bounds_hold_bit_by_bit() {
    let mut draw = Draw::new(24);
    let clocks = [Clocks::Fixed, Clocks::List(Vec::new()), Clocks::Slowest, Clocks::Varying];
    for _ in 0..30_000 {
        let mut scenario = drawn(&mut draw, &clocks);
        scenario.timing.reading = Reading::BitSerial;
        let least = scenario.ids.iter().copied().min();
        for id in &mut scenario.ids {
            if Some(*id) != least && draw.once_in(3) {
                *id += draw.between(1, 1 << 20) << 10;
            }
        }
        let (law, first) = (draw.one_of(&LAWS), draw.one_of(&["1", "f"]));
        demand_what_the_paper_says(law, first, &scenario);
    }
}

/// The mean of (5) and that of bits, over all orders, in both readings; and N H_N, which minimal time has exactly in lockstep.
#[test]
fn means_over_all_orders_are_what_section_4_says() {
    for n in 1..=6 {
        for reading in ["per-tick", "bit-serial"] {
            for settings in ["", "--set first=f", "--set law=power:2", "--set law=walk --d 3", "--set law=min-time"] {
                mean_over_orders(n, &format!("--reading {reading} {settings}"));
            }
        }
    }
}

fn mean_over_orders(n: u64, options: &str) {
    let quantities = [Quantity::Messages, Quantity::Bits, Quantity::Kind("election")];
    let (mut sums, mut bounds, orders) = ([0u128; 3], Vec::new(), orders(n));
    for order in &orders {
        let ids: Vec<_> = order.iter().map(u64::to_string).collect();
        let played = Played::of(&format!("vitanyi --ids {} {options}", ids.join(",")));
        assert_eq!(played.summary.verdict, Verdict::Held);
        for (sum, quantity) in sums.iter_mut().zip(quantities) {
            *sum += played.summary.cost.of(quantity).expect("it is measured").parts().0;
        }
        bounds.clone_from(&played.setup.facts.bounds);
    }
    bounds.retain(|bound| bound.kind == BoundKind::Mean);
    // (5) is listed where each pass of a message takes the same time.
    let printed = options.contains("min-time") || options.contains("bit-serial");
    assert!(bounds.len() > usize::from(!printed), "{options}");
    for bound in bounds {
        let sum = sums[quantities.iter().position(|&quantity| quantity == bound.quantity).expect("it is one of them")];
        let mean = Value::ratio(sum, orders.len() as u128);
        assert!(mean <= bound.value, "{}: {mean}, {} is {}", bound.formula, options, bound.value);
        if options == "--reading per-tick --set law=min-time" {
            // N H_N is rounded up, term by term.
            let exact: u128 = (1..=u128::from(n)).map(|k| u128::from(n) * orders.len() as u128 / k).sum();
            assert_eq!(sum, exact, "{n}");
        }
    }
}
