//! Hirschberg and Sinclair's election, held against the lecture and their paper.

use conformance::both_ways::{any_ring, any_size};
use conformance::{Draw, Played, assert_elected, finished, orders, passes, prepared, ring, wake_sets};
use ringleader::model::{Links, Preset, Reading, Scenario};
use ringleader::protocols::election::hirschberg_sinclair::HirschbergSinclair;
use ringleader::sim::Summary;

/// `blocked` and `rules`.
type Form = (&'static str, &'static str);

const FORMS: [Form; 4] = [("silent", "repaired"), ("echo", "repaired"), ("silent", "printed"), ("echo", "printed")];

/// What is passed in an election: tokens, OKs, nos, and the phases it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct MessageCounts {
    tokens: u64,
    oks: u64,
    nos: u64,
    phases: u32,
}

impl MessageCounts {
    fn of(summary: &Summary) -> Self {
        let [tokens, oks] = ["token", "ok"].map(|kind| passes(summary, kind));
        let nos = summary.cost.split(false) - tokens - oks;
        Self { tokens, oks, nos, phases: summary.cost.phases.expect("there are phases") }
    }

    fn all(self) -> u64 {
        self.tokens + self.oks + self.nos
    }
}

/// From the definition: in phase k a candidate's token goes `reach` far both ways, or as far as the first greater
/// identity, or home. Whoever is greater than all within reach takes part in the next phase.
fn by_definition(ids: &[u64], (blocked, rules): Form) -> MessageCounts {
    let n = ids.len();
    let mut cost = MessageCounts::default();
    let mut candidates: Vec<usize> = (0..n).collect();
    loop {
        cost.phases += 1;
        let reach = (1 << (cost.phases - 1)) + usize::from(rules == "printed");
        let mut next = Vec::new();
        for &place in &candidates {
            let greater = |steps: &usize, back: bool| {
                let other = if back { place + n - steps } else { place + steps };
                ids[other % n] > ids[place]
            };
            let mut oks = 0;
            for back in [false, true] {
                let stopped = (1..n).find(|steps| greater(steps, back)).unwrap_or(n);
                cost.tokens += stopped.min(reach) as u64;
                if stopped > reach {
                    oks += 1;
                    cost.oks += reach as u64;
                } else if stopped < n && blocked == "echo" {
                    cost.nos += stopped as u64;
                }
            }
            if oks == 2 {
                next.push(place);
            }
        }
        if reach >= n {
            assert!(next.is_empty(), "the winner's tokens come home, and all others are stopped");
            return cost;
        }
        candidates = next;
    }
}

fn run(scenario: &Scenario, (blocked, rules): Form) -> MessageCounts {
    let settings = [("blocked", blocked), ("rules", rules)];
    let run = prepared::<HirschbergSinclair>(&settings, scenario);
    let summary = finished(&mut run.expect("the scenario suits the protocol"));
    assert_elected(&summary, scenario, scenario.ids.iter().copied().max());
    assert_eq!(summary.cost.split(true), scenario.n as u64, "the announcement makes one full turn");
    MessageCounts::of(&summary)
}

fn unit(ids: &[u64]) -> Scenario {
    ring(ids, Preset::Unit.timing(Reading::Immediate))
}

#[test]
fn the_definition_on_3_1_4_2_is_what_was_worked_by_hand() {
    let cost = |tokens, oks, nos| MessageCounts { tokens, oks, nos, phases: 3 };
    assert_eq!(by_definition(&[3, 1, 4, 2], FORMS[0]), cost(8 + 8 + 8, 4 + 4, 0));
    assert_eq!(by_definition(&[3, 1, 4, 2], FORMS[1]), cost(8 + 8 + 8, 4 + 4, 4 + 4));
    assert_eq!(by_definition(&[3, 1, 4, 2], FORMS[2]), cost(12 + 6 + 8, 4 + 6, 0));
}

#[test]
fn over_all_orders_up_to_seven_every_form_costs_what_the_definition_says() {
    for n in 1..=7 {
        for ids in orders(n) {
            for form in FORMS {
                assert_eq!(run(&unit(&ids), form), by_definition(&ids, form), "{ids:?}, {form:?}");
            }
        }
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_five_costs_the_same() {
    for n in 1..=5 {
        for ids in orders(n) {
            for wakes in wake_sets(n as usize) {
                let scenario = Scenario { wakes, ..unit(&ids) };
                for form in &FORMS[..2] {
                    assert_eq!(run(&scenario, *form), by_definition(&ids, *form), "{scenario:?}");
                }
            }
        }
    }
}

#[test]
fn the_schedule_does_not_matter() {
    let mut draw = Draw::new(51);
    for _ in 0..600 {
        let n = any_size(&mut draw, 100);
        let ids = draw.ids(n, 2 * n as u64);
        let form = draw.one_of(&FORMS);
        for _ in 0..8 {
            // Tokens and answers carry their phase: links may reorder, or carry one message at a time.
            let links = draw.one_of(&Links::ALL);
            let scenario = Scenario { ids: ids.clone(), ..any_ring(&mut draw, n, links) };
            assert_eq!(run(&scenario, form), by_definition(&ids, form), "{form:?} in {scenario:?}");
        }
    }
}

#[test]
fn the_bounds_hold_and_the_phases_are_those_of_the_hop_counts() {
    let mut draw = Draw::new(52);
    let check = |ids: &[u64], form: Form| {
        let listed = ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let (blocked, rules) = form;
        let line = format!("hirschberg-sinclair --ids {listed} --set blocked={blocked} --set rules={rules}");
        let played = Played::of(&line);
        for formula in ["2N + 4 sum r_k c_k", "8N(1 + ceil(log2 N))", "N"] {
            assert_eq!(played.held(formula), Some(true), "{formula}: {line}");
        }
        let phases = (rules == "repaired").then_some(true);
        assert_eq!(played.held("1 + ceil(log2 N)"), phases, "{line}");
        let n = ids.len() as u64;
        let cost = MessageCounts::of(&played.summary);
        assert!(cost.all() <= 8 * n * u64::from(1 + n.next_power_of_two().ilog2()), "{line}");
        assert!(rules == "printed" || 1 << (cost.phases - 1) >= n && 1 << cost.phases < 4 * n, "{line}");
    };
    for n in 1..=6 {
        for ids in orders(n) {
            check(&ids, draw.one_of(&FORMS));
        }
    }
    for _ in 0..300 {
        let n = any_size(&mut draw, 1000);
        check(&draw.ids(n, n as u64), draw.one_of(&FORMS));
    }
}

#[test]
fn the_printed_hop_test_reaches_one_processor_too_far() {
    // Epema2013, solution 1: segments of size 2^k + 1. In phase 1 a token meets its neighbours, as printed one more.
    let reached = |rules| {
        let played = Played::of(&format!("hirschberg-sinclair --ids 5,1,2,3,4 --set rules={rules}"));
        played.passes("token")
    };
    // 5 meets 1 and 4 in phase 1, two each way in phase 2, four in phase 3, and comes home in phase 4: 2 + 4 + 8 + 10.
    // 1 and 4 pass 2 each; 2 and 3, stopped by a greater neighbour clockwise, the same.
    assert_eq!(reached("repaired"), 24 + 4 * 2);
    // As printed: two each way, three, and home in phase 3: 4 + 6 + 10. 1 is stopped at once on either side; 2, 3 and 4
    // go one farther anticlockwise, over 1, 2 and 3: 4 more for 2 (home is beyond 1: 5), 3 and 4.
    assert_eq!(reached("printed"), 20 + 2 + 3 + 3 + 3);
}

#[test]
fn the_smallest_rings() {
    for form in FORMS {
        assert_eq!(
            run(&unit(&[7]), form),
            MessageCounts { tokens: 2, phases: 1, ..MessageCounts::default() },
            "both self-loops"
        );
    }
    // Phase 1: 4 tokens and 2 OKs to 2; phase 2: 2 tokens go round.
    assert_eq!(run(&unit(&[1, 2]), FORMS[0]), MessageCounts { tokens: 8, oks: 2, nos: 0, phases: 2 });
    assert_eq!(run(&unit(&[1, 2]), FORMS[1]), MessageCounts { tokens: 8, oks: 2, nos: 2, phases: 2 });
    // As printed 2 reaches itself in phase 1.
    assert_eq!(run(&unit(&[1, 2]), FORMS[2]), MessageCounts { tokens: 6, oks: 0, nos: 0, phases: 1 });
}

#[test]
fn identities_may_be_as_large_as_they_come() {
    let ids = [u64::MAX, 1, u64::MAX - 1, 1 << 63];
    assert_eq!(run(&unit(&ids), FORMS[0]), by_definition(&[4, 1, 3, 2], FORMS[0]));
}
