//! Afek and Gafni's synchronous election, compared with its reference for all initiators and held against the lecture.

use conformance::reference::{Account, afek_gafni_sync, afek_gafni_sync_flat};
use conformance::{
    Draw, Played, asked, assert_elected, assert_refused, finished, orders, ring, run_scenario, set_up, simulated,
    wake_sets,
};
use ringleader::model::{Complete, Network, Place, Port, Ports, Preset, Reading, Scenario, Timing, Wakes};
use ringleader::{Setup, find};

fn rounds() -> Timing {
    Preset::Rounds.timing(Reading::Immediate)
}

fn n_log_n(n: u64) -> f64 {
    n as f64 * (n as f64).log2()
}

/// Demands the cost of the reference, and what slide 11 says of all runs; gives candidate messages and acknowledgements.
#[track_caller]
fn compare(setup: &Setup, scenario: &Scenario) -> (u64, u64) {
    let n = scenario.n;
    let expected = compare_with(afek_gafni_sync, setup, scenario);
    let (others, candidates, acks) = (n as u64 - 1, expected.of_kind("candidate"), expected.of_kind("ack"));
    assert!(candidates >= others && acks >= others, "the winner asks all and is acknowledged by all: {scenario:?}");
    assert!(acks as f64 <= n_log_n(n as u64), "slide 11, acks: {scenario:?}");
    assert!(candidates as f64 <= 2.0 * n_log_n(n as u64), "twice slide 11, candidate messages: {scenario:?}");
    (candidates, acks)
}

/// The cost by identities, wake times and links.
type Reference = fn(&[u64], &[Option<u64>], &[Vec<usize>]) -> Account;

/// Demands the cost of a reference, and gives it.
#[track_caller]
fn compare_with(reference: Reference, setup: &Setup, scenario: &Scenario) -> Account {
    let n = scenario.n;
    let network = Complete::new(scenario);
    let port = |place, port| network.route(place, Port(port)).0 as usize;
    let links: Vec<Vec<usize>> =
        (0..n as Place).map(|place| (0..n as u32 - 1).map(|number| port(place, number)).collect()).collect();
    let wake_at: Vec<_> = (0..n as Place).map(|place| scenario.wake_at(place)).collect();
    let expected = reference(&scenario.ids, &wake_at, &links);
    let found = Account::of(&run_scenario(setup, scenario));
    // Who waits for acknowledgements when it is told the result may look for them once more, in the next round.
    assert!(found.time - expected.time <= 1, "{found:?}");
    assert_eq!(Account { time: expected.time, ..found }, expected, "{scenario:?}");
    expected
}

fn setup() -> Setup {
    set_up("afek-gafni-sync")
}

/// Whoever starts of up to five, and of up to four whenever within six rounds.
#[test]
fn all_initiators_of_all_orders_cost_what_the_reference_says() {
    let setup = setup();
    for ids in (1..=5).flat_map(orders) {
        let n = ids.len();
        for wakes in wake_sets(n) {
            for ports in [Ports::Plain, Ports::Shuffled(n as u64)] {
                compare(&setup, &Scenario { wakes: wakes.clone(), ports, ..ring(&ids, rounds()) });
            }
        }
        for code in 1..if n < 5 { 6u64.pow(n as u32) } else { 1 } {
            let wakes = (0..n as u32).map(|place| (code / 6u64.pow(place) % 6).checked_sub(1)).collect();
            compare(&setup, &Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) });
        }
    }
}

#[test]
fn random_initiators_cost_what_the_reference_says() {
    let (mut draw, setup) = (Draw::new(50), setup());
    for seed in 0..8000 {
        let n = draw.between(1, if seed % 10 == 0 { 300 } else { 60 }) as usize;
        let ids = draw.wide_ids(n);
        let latest = draw.one_of(&[0, 1, 2, 5, 12]);
        let ports = draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]);
        compare(&setup, &Scenario { wakes: draw.wakes(n, latest), ports, seed, ..ring(&ids, rounds()) });
    }
}

#[test]
fn the_greatest_identities_and_late_times_change_nothing() {
    let wakes = Wakes::At(vec![Some(1 << 62), None, Some((1 << 62) - 1), None, None]);
    let scenario = Scenario { wakes, ..ring(&[u64::MAX, 1, u64::MAX - 1, 2, 3], rounds()) };
    let summary = run_scenario(&setup(), &scenario);
    assert_elected(&summary, &scenario, Some(u64::MAX - 1));
    // It asks 1, 2 and the last of the others.
    assert_eq!(summary.cost.time_elected, Some((1 << 62) - 1 + 2 * 3));
}

#[test]
fn a_single_initiator_asks_everybody_once() {
    for n in 1..=40 {
        for place in [0, n / 2, n - 1] {
            let mut wakes = vec![None; n];
            wakes[place] = Some(3);
            let ids: Vec<u64> = (1..=n as u64).collect();
            let others = n as u64 - 1;
            assert_eq!(
                compare(&setup(), &Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) }),
                (others, others)
            );
        }
    }
}

/// (2,5) > (1,3001), as slide 4 has it: who started one round earlier is greater.
#[test]
fn an_earlier_start_counts_for_more_than_a_greater_identity() {
    let scenario = Scenario { wakes: Wakes::At(vec![Some(0), Some(1), None]), ..ring(&[5, 3001, 4], rounds()) };
    // 5 asks place 1 at 0, which is asleep: it is an ordinary process by the time it would wake.
    assert_eq!(compare(&setup(), &scenario).0, 2);
    let scenario = Scenario { wakes: Wakes::At(vec![Some(0), None, Some(1)]), ..ring(&[5, 4, 3001], rounds()) };
    // 3001 starts before 5 asks it, asks place 0 and gets no ack; 5 asks both.
    assert_eq!(compare(&setup(), &scenario), (3, 2));
}

/// Levels of the lecture, counted by hand: 8 processors, the chain in which everybody asks the next smaller one first.
#[test]
fn claims_of_n_log_n_candidate_messages_and_2n_log_n_messages_are_exceeded() {
    // 2 asks 1, 1 asks 2, 3 asks 2; 3 and 2 are acknowledged and both ask the one that is left.
    assert_eq!(compare(&setup(), &ring(&[2, 1, 3], rounds())), (5, 3));
    assert!(n_log_n(3) < 5.0);
    let eight = Scenario { ports: Ports::Shuffled(3830), ..ring(&[5, 2, 1, 4, 6, 8, 7, 3], rounds()) };
    assert_eq!(compare(&setup(), &eight), (8 + 7 * 2 + 3 * 4, 7 + 3 * 2 + 4));
    assert!(2.0 * n_log_n(8) < 51.0);
}

fn leaders(settings: &[(&str, &str)], scenario: &Scenario) -> Vec<u64> {
    let summary = finished(&mut *simulated("afek-gafni-sync", settings, scenario));
    conformance::leaders(&summary).iter().map(|leader| leader.id.expect("it has a name").get()).collect()
}

#[test]
fn with_the_own_id_everywhere_a_single_initiator_may_not_be_elected() {
    for settings in [&[("rules", "printed")], &[("printed", "own")]] {
        for n in 2..=4 {
            for ids in orders(n) {
                for starter in 0..n as usize {
                    let mut wakes = vec![None; n as usize];
                    wakes[starter] = Some(0);
                    let scenario = Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) };
                    // Its first message finds a level of 0, all others a smaller one.
                    let expected =
                        if ids[usize::from(starter == 0)] < ids[starter] { vec![ids[starter]] } else { vec![] };
                    assert_eq!(leaders(settings, &scenario), expected, "{scenario:?}");
                    compare(&setup(), &scenario);
                }
            }
        }
    }
}

#[test]
fn with_0_everywhere_two_elect_each_other() {
    let scenario = ring(&[2, 1], rounds());
    assert_eq!(leaders(&[("printed", "zero")], &scenario), [2, 1]);
    assert_refused("afek-gafni-sync --set rules=printed --set printed=zero", "set");
    assert_eq!(leaders(&[], &scenario), [2]);
}

#[test]
fn with_the_remaining_links_of_slide_4_two_of_three_are_elected() {
    // 2 asks 1, 1 asks 3, 3 asks 2: nobody has a link left over which no id went.
    let scenario = Scenario { ports: Ports::Shuffled(16), ..ring(&[2, 1, 3], rounds()) };
    assert_eq!(leaders(&[("printed", "slide-4")], &scenario), [2, 3]);
    assert_eq!(leaders(&[], &scenario), [3]);
}

#[test]
fn it_runs_in_rounds_and_not_otherwise() {
    for line in ["--timing unit", "--timing lockstep", "--d 1", "--r 2", "--reading per-step", "--delays max"] {
        let (protocol, options) = asked(&format!("afek-gafni-sync {line}"));
        let error = Setup::new(conformance::entry(&protocol), options).map(|_| ()).expect_err(line).to_string();
        assert!(error.contains("timing") && error.contains("rounds"), "{line}: {error}");
    }
    Played::of("afek-gafni-sync --timing rounds");
}

/// Slide 9: "Using levels is not strictly needed".
mod without_levels {
    use super::*;

    fn flat() -> Setup {
        find("afek-gafni-sync")
            .expect("it is known")
            .set_up(ring(&[1], rounds()), &[("levels", "off")])
            .expect("it is set up")
    }

    /// Candidate messages, acknowledgements and the round of the election, as the reference says; N(N-1) and N(N-1)/2 at most.
    #[track_caller]
    fn compare_flat(setup: &Setup, scenario: &Scenario) -> (u64, u64, u64) {
        let expected = compare_with(afek_gafni_sync_flat, setup, scenario);
        let (n, candidates, acks) = (scenario.n as u64, expected.of_kind("candidate"), expected.of_kind("ack"));
        assert!(acks <= n * (n - 1) / 2 && candidates <= n * (n - 1), "{scenario:?}");
        (candidates, acks, expected.time_elected)
    }

    #[test]
    fn all_initiators_cost_what_the_reference_says() {
        let setup = flat();
        for ids in (1..=4).flat_map(orders) {
            let n = ids.len();
            for code in 1..6u64.pow(n as u32) {
                let wakes = (0..n as u32).map(|place| (code / 6u64.pow(place) % 6).checked_sub(1)).collect();
                compare_flat(&setup, &Scenario { wakes: Wakes::At(wakes), ..ring(&ids, rounds()) });
            }
        }
        let mut draw = Draw::new(51);
        for seed in 0..2000 {
            let n = draw.between(1, 60) as usize;
            let (ids, latest) = (draw.wide_ids(n), draw.one_of(&[0, 1, 2, 5, 12]));
            let ports = draw.one_of(&[Ports::Plain, Ports::Shuffled(seed)]);
            compare_flat(&setup, &Scenario { wakes: draw.wakes(n, latest), ports, seed, ..ring(&ids, rounds()) });
        }
    }

    /// If all start together, levels are the same in every comparison.
    #[test]
    fn levels_make_no_difference_if_all_start_together() {
        for ids in (1..=5).flat_map(orders) {
            let scenario = ring(&ids, rounds());
            let (candidates, acks, _) = compare_flat(&flat(), &scenario);
            assert_eq!((candidates, acks), compare(&setup(), &scenario));
        }
    }

    /// By hand: 1 starts at 0 and asks 1, 2 and 4 others, the last ones at 4; 8 has started at 3 and denies. It has asked 1, 2
    /// and 4 others itself by 7, and is elected at 9. With levels 1 would be elected at 6.
    #[test]
    fn a_later_starter_takes_over_and_the_election_takes_longer() {
        let mut wakes = vec![None; 8];
        (wakes[0], wakes[7]) = (Some(0), Some(3));
        let scenario = Scenario { wakes: Wakes::At(wakes), ..ring(&[1, 2, 3, 4, 5, 6, 7, 8], rounds()) };
        assert_eq!(compare_flat(&flat(), &scenario), (7 + 7, 6 + 7, 9));
        assert_elected(&run_scenario(&flat(), &scenario), &scenario, Some(8));
        let levels = run_scenario(&setup(), &scenario);
        assert_elected(&levels, &scenario, Some(1));
        assert_eq!(levels.cost.time_elected, Some(6));
    }

    /// Candidates one after another: each asks as many as it can of those that its predecessors have captured, and then the
    /// next one, which starts in that very round and denies. Worked out by hand: the k-th of them asks 2^j - 2 captured ones,
    /// where j = ⌊log2(k + 2)⌋, within 2(j - 1) rounds.
    #[test]
    fn without_levels_messages_grow_like_the_square() {
        for n in [4usize, 8, 16, 32, 64] {
            let (mut wakes, mut ports, mut now) = (vec![None; n], Vec::new(), 0);
            let (mut acks, mut candidates) = (0, 0);
            for (k, wake) in wakes.iter_mut().enumerate() {
                *wake = Some(now);
                let j = (k as u64 + 2).ilog2();
                let captured = (1 << j) - 2;
                let rest = (captured..n).filter(|&place| place != k && place != k + 1);
                let next = (k + 1 < n).then_some(k + 1);
                ports.push((0..captured).chain(next).chain(rest).map(|place| place as Place).collect::<Vec<_>>());
                if k + 1 < n {
                    (acks, candidates) = (acks + captured as u64, candidates + captured as u64 + 1);
                    now += 2 * (u64::from(j) - 1);
                }
            }
            let ids: Vec<u64> = (1..=n as u64).collect();
            let scenario = Scenario { wakes: Wakes::At(wakes), ports: Ports::Listed(ports), ..ring(&ids, rounds()) };
            let last = n as u64 - 1;
            let elected = now + 2 * u64::from(n.next_power_of_two().ilog2());
            assert_eq!(compare_flat(&flat(), &scenario), (candidates + last, acks + last, elected));
            assert!(n < 8 || acks + last > n as u64 * u64::from(n.ilog2()) - n as u64 + 1, "more than with levels");
            assert!(acks * 4 >= (n as u64 - 2) * (n as u64 - 4), "a quarter of the square: {n}, {acks}");
        }
    }
}
