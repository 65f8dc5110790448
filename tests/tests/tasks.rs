//! What a leader does with its ring once it is elected: after every election there is on a ring.

use conformance::{Draw, Played};
use ringleader::catalogue;
use ringleader::model::{Delays, Description, Id, Outcome, Part, Starts, TaskResult, Topology};
use ringleader::sim::Verdict;

fn on_rings() -> impl Iterator<Item = &'static Description> {
    let elections = catalogue().iter().filter(|entry| entry.has_tasks());
    elections.map(|entry| entry.description()).filter(|d| d.assumptions.topology.is_ring())
}

fn outcome(played: &Played) -> (Option<u64>, Option<u64>, Vec<u64>) {
    assert_eq!(played.summary.verdict, Verdict::Held, "{:?}", played.summary.violations);
    let Outcome::Election { agreed, ring_size, sorted, .. } = &played.summary.outcome else { panic!("an election") };
    let sorted = sorted.iter().map(|value| value.expect("everybody has a value").get()).collect();
    (agreed.map(Id::get), *ring_size, sorted)
}

/// Something to run an election with: its size, and the options that say so.
fn world(description: &Description, draw: &mut Draw) -> (Vec<u64>, Vec<bool>, String) {
    let assumptions = &description.assumptions;
    let n = draw.between(1, 24) as usize;
    let mut options = format!("{} --seed {}", description.name, draw.below(1 << 40));
    let ids = draw.ids(n, n as u64 + 3);
    if assumptions.identities {
        let ids: Vec<_> = ids.iter().map(u64::to_string).collect();
        options += &format!(" --ids {}", ids.join(","));
    } else {
        options += &format!(" -n {n}");
    }
    let mut exchanged = vec![false; n];
    if assumptions.topology == Topology::BidirectionalRing && draw.once_in(2) {
        exchanged = (0..n).map(|_| draw.once_in(2)).collect();
        let digits: String = exchanged.iter().map(|&one| if one { '1' } else { '0' }).collect();
        options += &format!(" --orientation {digits}");
    }
    if assumptions.starts == Starts::Any && draw.once_in(2) {
        options += &format!(" --wake random:{}", draw.between(1, n as u64));
    }
    if !assumptions.compulsory {
        let delays = draw.one_of(&[Delays::Uniform, Delays::Max, Delays::NewestFirst]);
        options += &format!(" --r 1..3 --d 0..30 --delays {}", delays.name());
    }
    (ids, exchanged, options)
}

#[test]
fn after_every_election_the_ring_is_counted_in_n_passes() {
    let mut draw = Draw::new(41);
    for description in on_rings() {
        for _ in 0..150 {
            let (ids, _, options) = world(description, &mut draw);
            let played = Played::of(&format!("{options} --then ring-size"));
            let n = ids.len() as u64;
            assert_eq!(outcome(&played).1, Some(n), "{options}");
            assert_eq!(played.passes("count"), n, "{options}");
            assert_eq!(played.summary.cost.part(Part::Task), n, "{options}");
        }
    }
}

#[test]
fn after_every_election_identities_are_sorted_from_the_leader_on_in_2n_passes() {
    let mut draw = Draw::new(42);
    for description in on_rings().filter(|description| description.assumptions.identities) {
        for _ in 0..150 {
            let (ids, exchanged, options) = world(description, &mut draw);
            let played = Played::of(&format!("{options} --then ring-sort"));
            let (agreed, _, sorted) = outcome(&played);
            let n = ids.len();
            let leader = ids.iter().position(|&id| Some(id) == agreed).expect("the leader is one of them");
            let mut expected = ids.clone();
            expected.sort_unstable();
            for (distance, value) in expected.into_iter().enumerate() {
                // Clockwise, if the leader's right is.
                let place = if exchanged[leader] { leader + n - distance } else { leader + distance } % n;
                assert_eq!(sorted[place], value, "place {place}: {options}");
            }
            assert_eq!((played.passes("collect"), played.passes("distribute")), (n as u64, n as u64), "{options}");
        }
    }
}

fn joined(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// The place of the leader, and the result of its task.
fn result(played: &Played) -> (usize, TaskResult) {
    assert_eq!(played.summary.verdict, Verdict::Held, "{:?}", played.summary.violations);
    let Outcome::Election { leaders, agreed, task, .. } = &played.summary.outcome else { panic!("an election") };
    let ids = &played.setup.scenario.ids;
    let leader = match agreed {
        Some(agreed) => ids.iter().position(|&id| id == agreed.get()).expect("the leader is one of them"),
        None => leaders[0].place as usize,
    };
    (leader, task.expect("it has a result"))
}

#[test]
fn after_every_election_everybody_gets_the_leaders_value_in_n_passes() {
    let mut draw = Draw::new(44);
    for description in on_rings() {
        for _ in 0..100 {
            let (ids, _, options) = world(description, &mut draw);
            let values: Vec<_> = ids.iter().map(|_| draw.below(5)).collect();
            let played = Played::of(&format!("{options} --then broadcast --values {}", joined(&values)));
            let (leader, result) = result(&played);
            assert_eq!(result, TaskResult::Value(Some(values[leader])), "{options}");
            assert_eq!(played.summary.cost.part(Part::Task), ids.len() as u64, "{options}");
        }
    }
    // Without values it is the identity.
    assert_eq!(result(&Played::of("peterson --ids 3,1,4,2 --then broadcast")), (2, TaskResult::Value(Some(4))));
}

#[test]
fn after_every_election_the_greatest_identity_succeeds_in_2n_passes() {
    let mut draw = Draw::new(45);
    let mut transferred = 0;
    for description in on_rings().filter(|description| description.assumptions.identities) {
        for _ in 0..100 {
            let (ids, _, options) = world(description, &mut draw);
            let played = Played::of(&format!("{options} --then transfer"));
            let (leader, result) = result(&played);
            let greatest = ids.iter().copied().max().expect("there is somebody");
            transferred += u64::from(ids[leader] != greatest);
            assert_eq!(result, TaskResult::Successor(Some(Id::new(greatest))), "{options}");
            let n = ids.len() as u64;
            assert_eq!((played.passes("greatest"), played.passes("successor")), (n, n), "{options}");
        }
    }
    // Some elect the smallest, and van Leeuwen and Tan's another one.
    assert!(transferred > 100, "{transferred}");
}

#[test]
fn after_every_election_given_values_are_sorted_however_often_each_is_given() {
    let mut draw = Draw::new(46);
    for description in on_rings() {
        for _ in 0..100 {
            let (ids, exchanged, options) = world(description, &mut draw);
            let n = ids.len();
            let values: Vec<_> = ids.iter().map(|_| draw.below(n as u64 + 1)).collect();
            let played = Played::of(&format!("{options} --then ring-sort --values {}", joined(&values)));
            let (_, _, sorted) = outcome(&played);
            let Outcome::Election { leaders, agreed, .. } = &played.summary.outcome else { panic!("an election") };
            let leader = match agreed {
                Some(agreed) => ids.iter().position(|&id| id == agreed.get()).expect("it is one of them"),
                None => leaders[0].place as usize,
            };
            // By counting: as many places as have a smaller value come first.
            for distance in 0..n {
                let place = if exchanged[leader] { leader + n - distance } else { leader + distance } % n;
                let smaller = values.iter().filter(|&&value| value < sorted[place]).count();
                let same = values.iter().filter(|&&value| value == sorted[place]).count();
                assert!((smaller..smaller + same).contains(&distance), "place {place}: {options}");
            }
            assert_eq!(played.summary.cost.part(Part::Task), 2 * n as u64, "{options}");
        }
    }
}

#[test]
fn after_every_election_one_token_replaces_all_that_there_were() {
    let mut draw = Draw::new(47);
    for description in on_rings() {
        let ways = if description.assumptions.topology == Topology::BidirectionalRing { 2 } else { 1 };
        for _ in 0..100 {
            let (ids, _, options) = world(description, &mut draw);
            let n = ids.len() as u64;
            let values: Vec<_> = ids.iter().map(|_| draw.below(3)).collect();
            let old = values.iter().sum();
            let played = Played::of(&format!("{options} --then token --values {}", joined(&values)));
            assert_eq!(result(&played).1, TaskResult::Tokens { old, removed: old, inserted: 1 }, "{options}");
            assert_eq!(played.passes("clear"), ways * n, "{options}");
            let turns = played.passes("ring-token");
            assert!((old + n..=old * n + n).contains(&turns), "{turns}: {options}");
            // Who is awake at first removes what comes; with delays of 0 it may be passed on before.
            if !options.contains("--wake") && description.assumptions.compulsory {
                assert_eq!(turns, old + n, "{options}");
            }
        }
    }
}

/// Place 0 alone wakes spontaneously. Its token sets off ahead of its candidate, and finds 1, 2 and 3 asleep: four passes,
/// back to 0. The candidates behind it wake them up; the tokens of 3 are removed by 0.
#[test]
fn old_tokens_are_removed_where_an_election_is_known() {
    let played = Played::of("chang-roberts --ids 1,3,4,2 --wake one --then token --values 1,0,0,2");
    assert_eq!(played.passes("ring-token"), 4 + 2 + 4);
    assert_eq!(result(&played), (2, TaskResult::Tokens { old: 3, removed: 3, inserted: 1 }));
    // All awake: every token is removed by the next.
    let played = Played::of("chang-roberts --ids 1,3,4,2 --then token --values 1,0,0,2");
    assert_eq!(played.passes("ring-token"), 3 + 4);
}

/// The leader, 4, stands at place 2; the election alone takes 43 bits.
#[test]
fn bits_of_further_tasks_are_those_worked_out_by_hand() {
    let bits = |task: &str| Played::of(&format!("chang-roberts --ids 3,1,4,2 --then {task}")).summary.cost.bits - 43;
    // 4 is 100, four times.
    assert_eq!(bits("broadcast"), 12);
    // As many, and one each that tells the two turns apart: 2 * 4 * 4.
    assert_eq!(bits("transfer"), 32);
    // One bit of clear on each link; tokens are empty.
    assert_eq!(bits("token --values 1,0,0,2"), 4);
    // Collected from place 2 on: 3; 1 3; 1 3 5; 1 3 3 5. As differences 3; 1 2; 1 2 2; 1 2 0 2: 2, 2, 3, 3 digits.
    // Distributed: 3 3 5; 3 5; 5; nothing. As differences 3 0 2; 3 2; 5: 3, 3, 2 digits. One bit for each of 8.
    assert_eq!(bits("ring-sort --values 5,3,3,1"), (2 + 2 + 3 + 3) + (3 + 3 + 2) + 8);
}

#[test]
fn a_task_changes_nothing_about_the_election_before_it() {
    let mut draw = Draw::new(43);
    for description in on_rings() {
        for _ in 0..50 {
            // Where delays are drawn, what a task sends takes some of the draws.
            let (ids, _, _) = world(description, &mut draw);
            let who = if description.assumptions.identities {
                format!("--ids {}", ids.iter().map(u64::to_string).collect::<Vec<_>>().join(","))
            } else {
                format!("-n {}", ids.len())
            };
            let alone = Played::of(&format!("{} {who}", description.name));
            let tasked = Played::of(&format!("{} {who} --then ring-size", description.name));
            assert_eq!(alone.summary.cost.split(false), tasked.summary.cost.split(false));
            assert_eq!(alone.summary.cost.split(true), tasked.summary.cost.split(true));
            assert_eq!(alone.summary.cost.time_elected, tasked.summary.cost.time_elected);
            assert_eq!(outcome(&alone).0, outcome(&tasked).0);
        }
    }
}

/// The leader, 4, stands at place 2. The election alone takes 43 bits.
#[test]
fn bits_are_those_worked_out_by_hand() {
    let counted = Played::of("chang-roberts --ids 3,1,4,2 --then ring-size");
    // 1, 2, 3, 4: 1 + 2 + 2 + 3.
    assert_eq!(counted.summary.cost.bits, 43 + 8);
    let sorted = Played::of("chang-roberts --ids 3,1,4,2 --then ring-sort");
    assert_eq!(outcome(&sorted).2, [3, 4, 1, 2]);
    // Collecting: 4; 2 4; 2 3 4; 1 2 3 4. As differences 4; 2 2; 2 1 1; 1 1 1 1. Dyadic digits: 2, 2, 3, 4.
    // Distributing: 2 3 4; 3 4; 4; nothing. As differences 2 1 1; 3 1; 4. Dyadic digits: 3, 3, 2, 0.
    assert_eq!(sorted.summary.cost.bits, 43 + 8 + (2 + 2 + 3 + 4) + (3 + 3 + 2));
}

#[test]
fn the_name_of_a_task_is_short_for_an_election_with_it() {
    let short = Played::of("ring-sort --ids 3,1,4,2 --set election=chang-roberts");
    assert_eq!(short.summary, Played::of("chang-roberts --ids 3,1,4,2 --then ring-sort").summary);
    let default = Played::of("ring-size --ids 3,1,4,2 --set law=power:2");
    assert_eq!(default.summary, Played::of("vitanyi --ids 3,1,4,2 --set law=power:2 --then ring-size").summary);
}

#[test]
fn a_lost_counter_is_a_run_that_does_not_finish() {
    let mut stopped = 0;
    for seed in 0..200 {
        let played = Played::of(&format!("chang-roberts -n 5 --faults loss:1/30 --then ring-size --seed {seed}"));
        if played.summary.violations.iter().any(|violation| violation.detail.contains("does not know the size")) {
            assert_eq!(played.summary.verdict, Verdict::Violated);
            stopped += 1;
        }
    }
    // A share of 29/30 to the power of 5 of all counters traverses the ring: about one in seven does not.
    assert!(stopped > 5, "{stopped}");
}
