//! Peterson's election, held against the lecture and against the rounds worked out on the ring as a whole.

use conformance::schedules::{
    demand_that_faults_do_no_worse_than_silence, demand_the_same_under_every_schedule, for_every_wake_set, judged, unit,
};
use conformance::{Draw, bit_reversal, orders, orders_up_to_rotation, ring};
use ringleader::model::{Place, Scenario};
use ringleader::protocols::election::peterson::Peterson;
use ringleader::sim::Summary;

const OWNER: &[(&str, &str)] = &[("elected", "owner")];
const HOLDER: &[(&str, &str)] = &[("elected", "holder")];

/// A round: the active processors clockwise, each with its place and the identity under which it competes.
type Round = Vec<(usize, u64)>;

/// nid and nnid: what the active processor before this one sends in a round, its identity and then the greater of that and
/// the one before.
fn received(active: &Round, index: usize) -> (u64, u64) {
    let before = |distance: usize| active[(index + 2 * active.len() - distance) % active.len()].1;
    (before(1), before(1).max(before(2)))
}

/// From the definition, all at once.
fn rounds(ids: &[u64]) -> Vec<Round> {
    let mut rounds: Vec<Round> = vec![ids.iter().copied().enumerate().collect()];
    while let Some(active) = rounds.last().filter(|active| active.len() > 1) {
        let survivors = active.iter().enumerate().filter_map(|(index, &(place, id))| {
            let (nid, nnid) = received(active, index);
            (nid >= id && nid >= nnid).then_some((place, nid))
        });
        let survivors = survivors.collect();
        rounds.push(survivors);
    }
    rounds
}

/// Every round but the last takes two passes of every link, the last one.
fn passes_to_holder(rounds: &[Round]) -> [u64; 2] {
    let (n, rounds) = (rounds[0].len() as u64, rounds.len() as u64);
    [n * rounds, n * (rounds - 1)]
}

/// The values on a link are a first and a second one of round 1, then of round 2, and so on. The owner of the greatest stops
/// that sequence where its identity comes in, as the K-th value; from there on clockwise every processor has sent one value
/// more than came in as long as it is active, and as many when it relays.
fn passes_to_owner(rounds: &[Round]) -> [u64; 2] {
    let n = rounds[0].len();
    let (owner, greatest) = rounds[0].iter().copied().max_by_key(|(_, id)| *id).expect("a ring is not empty");
    let distance = |from: usize, to: usize| (to + n - from - 1) % n + 1;
    let stopped = rounds.iter().enumerate().find_map(|(round, active)| {
        let holder = active.iter().position(|(_, id)| *id == greatest).expect("the greatest survives");
        let place = |ahead: usize| active[(holder + ahead) % active.len()].0;
        // As a first value it goes to the next active processor, as a second one on to the next but one.
        let as_first = distance(place(0), place(1));
        let as_second = as_first + distance(place(1), place(2));
        let home = distance(place(0), owner);
        let within = |far: usize, value: usize| (home <= far).then_some(2 * round + value);
        within(as_first, 1).or(within(as_second, 2))
    });
    let mut came_in = stopped.expect("it comes home in the last round at the latest") - 1;
    let mut passes = [0, 0];
    for place in (owner..n).chain(0..owner) {
        let last_active = rounds.iter().filter(|active| active.iter().any(|(at, _)| *at == place)).count();
        let alone_at_last = last_active == rounds.len();
        let sent = if alone_at_last || came_in < 2 * last_active { came_in + 1 } else { came_in };
        passes[0] += sent.div_ceil(2) as u64;
        passes[1] += sent as u64 / 2;
        came_in = sent;
    }
    passes
}

fn place_of_greatest(ids: &[u64]) -> Place {
    let (place, _) = ids.iter().enumerate().max_by_key(|(_, id)| *id).expect("a ring is not empty");
    place as Place
}

/// By kind, and who is elected.
fn expected(set: &[(&str, &str)], ids: &[u64]) -> (Vec<u64>, Place) {
    let rounds = rounds(ids);
    let (passes, place) = if set == OWNER {
        (passes_to_owner(&rounds), place_of_greatest(ids))
    } else {
        (passes_to_holder(&rounds), rounds.last().expect("there is one")[0].0 as Place)
    };
    (vec![passes[0], passes[1], ids.len() as u64], place)
}

fn demand(set: &[(&str, &str)], scenario: &Scenario) -> Summary {
    let (summary, place) = judged::<Peterson>(set, scenario);
    let passes: Vec<u64> = summary.cost.kinds.iter().map(|(_, passes)| *passes).collect();
    assert_eq!((passes, place), expected(set, &scenario.ids), "{set:?}, {scenario:?}");
    summary
}

#[test]
fn the_rounds_of_3_1_4_2_are_those_worked_out_by_hand() {
    let rounds = rounds(&[3, 1, 4, 2]);
    assert_eq!(rounds[1..], [vec![(1, 3), (3, 4)], vec![(1, 4)]]);
    assert_eq!(passes_to_holder(&rounds), [12, 8]);
    // 8 in round 1; in round 2 two firsts over two links each, a second over two, and one over the link to place 2, which
    // is where 4 belongs; a first of round 3 over that link.
    assert_eq!(passes_to_owner(&rounds), [4 + 4 + 1, 4 + 2 + 1]);
}

#[test]
fn every_order_up_to_seven_and_up_to_rotation_up_to_nine_costs_what_its_rounds_say() {
    for set in [OWNER, HOLDER] {
        for n in 1..=9 {
            for ids in if n < 8 { orders(n) } else { orders_up_to_rotation(n) } {
                let summary = demand(set, &ring(&ids, unit()));
                assert!(set == OWNER || summary.cost.phases == Some(rounds(&ids).len() as u32), "{ids:?}");
            }
        }
    }
}

#[test]
fn every_wake_set_of_every_order_up_to_five_costs_the_same() {
    for_every_wake_set(|scenario| {
        for set in [OWNER, HOLDER] {
            demand(set, scenario);
        }
    });
}

#[test]
fn no_schedule_and_no_wake_set_changes_a_count() {
    for set in [OWNER, HOLDER] {
        demand_the_same_under_every_schedule::<Peterson>(set, 3400, |ids| expected(set, ids));
    }
}

#[test]
fn faults_do_no_worse_than_silence() {
    for set in [OWNER, HOLDER] {
        demand_that_faults_do_no_worse_than_silence::<Peterson>(set);
    }
}

#[test]
fn identities_may_be_as_great_as_they_come() {
    for set in [OWNER, HOLDER] {
        demand(set, &ring(&[u64::MAX - 1, 1, u64::MAX, 1 << 63], unit()));
    }
}

/// Question 1: 2n log n passes. With the pass that finds the winner it is 2N⌊log N⌋ + N, and that is reached.
#[test]
fn question_1_the_holder_takes_n_passes_more_than_said() {
    for n in 1..=8 {
        let worst = orders_up_to_rotation(n).iter().map(|ids| passes_to_holder(&rounds(ids)).iter().sum()).max();
        assert_eq!(worst, Some(2 * n * u64::from(n.ilog2()) + n), "of {n}");
    }
    for k in 1..=10 {
        let n = 1 << k;
        let summary = demand(HOLDER, &ring(&bit_reversal(k), unit()));
        assert_eq!(summary.cost.split(false), 2 * n * u64::from(k) + n);
    }
    assert_eq!(demand(OWNER, &ring(&[2, 1], unit())).cost.split(false), 5, "2n log n is 4");
}

/// Question 2: one round for increasing or decreasing order; and for every other ring with one local maximum. The round in
/// which the winner finds out comes on top.
#[test]
fn question_2_one_round_is_enough_for_a_single_local_maximum() {
    for n in 3..=8u64 {
        let ascending: Vec<u64> = (1..=n).collect();
        let descending: Vec<u64> = (1..=n).rev().collect();
        for ids in [ascending, descending] {
            assert_eq!(demand(HOLDER, &ring(&ids, unit())).cost.phases, Some(2));
        }
        let one = |ids: &&Vec<u64>| demand(HOLDER, &ring(ids, unit())).cost.phases == Some(2);
        let orders = orders_up_to_rotation(n);
        assert_eq!(orders.iter().filter(one).count(), 1 << (n - 2), "of {n}");
    }
}

/// Question 3: an arrangement of 2^k that takes k rounds is the bit-reversal order.
#[test]
fn question_3_two_to_the_k_in_bit_reversal_order_take_k_rounds() {
    for k in 1..=10 {
        assert_eq!(demand(HOLDER, &ring(&bit_reversal(k), unit())).cost.phases, Some(k + 1));
    }
}

/// 6/8: "if the id of process P_i still survives in some active process P_j then all processes between P_i and P_j are
/// passive (including P_i)".
#[test]
fn between_an_identity_and_its_owner_all_are_passive() {
    for n in 1..=7 {
        for ids in orders(n) {
            for active in &rounds(&ids)[1..] {
                for &(holder, id) in active {
                    let owner = ids.iter().position(|own| *own == id).expect("it belongs to somebody");
                    let n = n as usize;
                    let between = (0..(holder + n - owner) % n).map(|step| (owner + step) % n);
                    assert_ne!(owner, holder, "{ids:?}");
                    for place in between {
                        assert!(active.iter().all(|(at, _)| *at != place), "{ids:?}: {active:?}");
                    }
                }
            }
        }
    }
}

/// 8/8: the longest chain of messages has 2n-1. True where the owner is elected.
#[test]
fn time_2n_1_is_true_of_the_owner() {
    for n in 1..=8 {
        let depths =
            orders_up_to_rotation(n).into_iter().map(|ids| demand(OWNER, &ring(&ids, unit())).cost.depth_elected);
        assert!(depths.max().flatten() <= Some(2 * n as u32 - 1), "of {n}");
    }
    let mut draw = Draw::new(8);
    for n in [10, 100, 1000, 10_000] {
        let ids = draw.ids(n, 2 * n as u64);
        assert!(demand(OWNER, &ring(&ids, unit())).cost.depth_elected < Some(2 * n as u32));
    }
}

#[test]
fn time_2n_1_is_false_of_the_holder() {
    // Two processors: a first value each way, a second, then the first value of round 2 over both links.
    assert_eq!(demand(HOLDER, &ring(&[2, 1], unit())).cost.depth_elected, Some(4));
    // 4 is a first value at 0, held by place 3 at 2, a first value at place 1 at 4, held there at 6, and back at 10.
    assert_eq!(demand(HOLDER, &ring(&[3, 1, 4, 2], unit())).cost.depth_elected, Some(10));
    assert_eq!(demand(OWNER, &ring(&[3, 1, 4, 2], unit())).cost.depth_elected, Some(5));
    for k in 1..=10 {
        let depth = demand(HOLDER, &ring(&bit_reversal(k), unit())).cost.depth_elected;
        assert!(depth > Some((2 << k) - 1), "of 2^{k}");
    }
}

/// 3/8 read a third way: nid and nnid are compared with the present identity, and nobody stops.
#[test]
fn a_third_reading_elects_two_leaders() {
    let leaders = |ids: &[u64]| {
        let mut leaders = Vec::new();
        for active in rounds(ids) {
            for (index, &(place, id)) in active.iter().enumerate() {
                let (nid, nnid) = received(&active, index);
                if nid == id || nnid == id {
                    leaders.push(place);
                }
            }
        }
        leaders
    };
    assert_eq!(leaders(&[2, 1]), [0, 1]);
    assert_eq!(leaders(&[3, 1, 4, 2]), [3, 1]);
    for n in 2..=8 {
        for ids in orders_up_to_rotation(n) {
            let rounds = rounds(&ids);
            let two_at_last = rounds[rounds.len() - 2].len() == 2;
            assert_eq!(leaders(&ids).len(), if two_at_last { 2 } else { 1 }, "{ids:?}");
        }
    }
}
