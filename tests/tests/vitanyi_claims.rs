//! Claims of sections 3 and 4 of Vitányi's paper about time, bits and means: where they fail as printed, and that they hold as
//! repaired.

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
        ("--ids 1,2", "Nu/2", "1", true, "w"),
        ("--ids 1,2,3", "Nu/2", "2", false, "w"),
        // Two units and a delay of 3, where u/2 is 2.
        ("--ids 1 --r 1 --d 3", "Nu/2", "3", false, "w"),
        // Two bits each for wakeup, sleepwell and M_1, and 4 or 5 for M_i.
        (
            "--ids 1,30 --set law=u/m",
            "2N + 3N digits(l)",
            "10",
            true,
            "2N + 5N digits(l) + sum over i != l of digits(i)",
        ),
        (
            "--ids 1,31 --set law=u/m",
            "2N + 3N digits(l)",
            "11",
            false,
            "2N + 5N digits(l) + sum over i != l of digits(i)",
        ),
        // Delays so long that no message overtakes another: N(N+1)/2 election messages.
        (
            "--ids 1,2,3,4,5,6,7,8,9 --r 1 --d 99999",
            "7N + 3(r_max - m)N/m",
            "63",
            true,
            "3N + T sum 1/(m f(i) + d_min)",
        ),
        (
            "--ids 1,2,3,4,5,6,7,8,9,10 --r 1 --d 99999",
            "7N + 3(r_max - m)N/m",
            "75",
            false,
            "3N + T sum 1/(m f(i) + d_min)",
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
    assert!(bounds.len() > usize::from(!options.contains("min-time")), "{options}");
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
