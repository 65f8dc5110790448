//! Several users of one site, who compete locally (Spirakis and Tampakas 1989, section 1).

use conformance::locks::completed_entries;
use conformance::{Draw, Played, assert_refused};
use ringleader::check::{CheckSetup, Total, survey};
use ringleader::model::{Lengths, Outcome};
use ringleader::sim::Verdict;
use ringleader::{Catalogue, shrink};

#[test]
fn two_sites_with_two_users_each_take_turns() {
    let line = "ricart-agrawala --ids 1,2 --users 2 --entries 1 --r 1 --d 1 --hold 10";
    let mut played = Played::logged(line);
    let summary = played.summary.clone();
    // All four ask at 0, and so do both sites, with number 1. Place 0 has both agreements at 2, leaves at 12 and asks with 2 for
    // its other user. Place 1 enters at 13, when the deferred reply comes, leaves at 23 and asks with 3. Place 0 is inside from 24
    // to 34, place 1 from 35 to 45.
    let stays = completed_entries(&played.execution.run.take_log(), 2);
    let stays =
        stays.into_iter().map(|entries| entries.iter().map(|entry| (entry.asked, entry.entered)).collect::<Vec<_>>());
    assert!(stays.eq([vec![(0, 2), (12, 24)], vec![(0, 13), (23, 35)]]));
    assert_eq!(summary.outcome, Outcome::Entries { entries: 4, overlap_max: 1 });
    assert_eq!(summary.cost.messages(), 4 * 2, "2(N-1) for each entry, as with one user");
    // Every user has asked at 0.
    let tally = &summary.cost.tally;
    assert_eq!(tally.whole_run.granting_delay, Lengths::of(&[2, 13, 24, 35]));
    assert_eq!(tally.local_wait, Lengths::of(&[0, 12, 0, 23]));
}

#[test]
fn users_cost_what_one_user_costs_and_keep_what_is_proved() {
    let mut draw = Draw::new(2);
    for _ in 0..150 {
        let (n, users, entries) = (draw.between(1, 8), draw.between(2, 6), draw.between(1, 6));
        let lock = draw.one_of(&["ricart-agrawala", "spirakis-tampakas-mutex"]);
        let reading = draw.one_of(&["immediate", "per-tick", "per-step"]);
        let clocks = draw.one_of(&["fixed", "varying"]);
        let load = format!("--users {users} --entries {entries} --think 0..{} --first 0..9", draw.below(200));
        let world = format!("--r 2..5 --d 1..9 --clocks {clocks} --reading {reading} --seed {}", draw.below(1000));
        let line = format!("{lock} -n {n} {load} {world}");
        let played = Played::replayed(&line);
        assert_eq!(played.summary.verdict, Verdict::Held, "{line}: {:?}", played.summary.violations);
        let made = n * users * entries;
        assert_eq!(played.summary.outcome, Outcome::Entries { entries: made, overlap_max: 1 }, "{line}");
        assert!(!played.setup.is_exceeded(&played.summary), "{line}");
        assert_eq!(played.passes("request"), made * (n - 1), "{line}");
        let longest = |lengths: Option<Lengths>| lengths.map_or(0, |lengths| lengths.max);
        let tally = &played.summary.cost.tally;
        assert!(longest(tally.local_wait) <= longest(tally.whole_run.granting_delay), "{line}");
    }
}

/// Users of a site that does not compete ask when it does, not before; those who wait when the load falls are served.
#[test]
fn users_ask_while_their_site_competes() {
    // The bound on delays counts from the request of a user.
    let mut draw = Draw::new(5);
    for _ in 0..60 {
        let lock = draw.one_of(&["ricart-agrawala", "spirakis-tampakas-mutex"]);
        let (n, users, seed) = (draw.between(2, 6), draw.between(2, 4), draw.below(1000));
        let times = [draw.between(1, 400), draw.between(401, 900)];
        let load = format!("{}@0,{}@{},{n}@{}", draw.between(1, n), draw.between(1, n), times[0], times[1]);
        let line = format!("{lock} -n {n} --users {users} --entries 3 --compete {load} --seed {seed}");
        let played = Played::replayed(&line);
        assert_eq!(played.summary.verdict, Verdict::Held, "{line}");
        assert_eq!(played.summary.outcome, Outcome::Entries { entries: n * users * 3, overlap_max: 1 }, "{line}");
        assert_eq!(played.held("U D + (U-1) hold r_max"), Some(true), "{line}");
    }
    // Place 1 competes from 20 on. At 0 both users of place 0 ask: they enter at 2, and at 14, when the first has left at 12. Place 1
    // asks at 20 for the first of its own, who enters when place 0 has left at 24 and its reply has come at 25, and leaves at 35;
    // the other enters at 37.
    let line = "ricart-agrawala --ids 1,2 --users 2 --entries 1 --compete 1@0,2@20 --r 1 --d 1 --hold 10";
    let tally = Played::of(line).summary.cost.tally;
    assert_eq!(tally.whole_run.granting_delay, Lengths::of(&[2, 14, 5, 17]));
    assert_eq!(tally.local_wait, Lengths::of(&[0, 12, 0, 15]));
}

/// Without pauses a queue is never empty until its users have no requests left.
#[test]
fn a_protocol_cannot_tell_users_in_turn_from_one_who_asks_as_often() {
    for lock in ["ricart-agrawala", "spirakis-tampakas-mutex"] {
        for seed in 0..20 {
            let of = |load: &str| Played::of(&format!("{lock} -n 5 --r 2..5 --d 1..9 --seed {seed} {load}")).summary;
            let (users, one) = (of("--users 4 --entries 3"), of("--entries 12"));
            assert_eq!((users.trace, &users.cost.kinds), (one.trace, &one.cost.kinds), "{lock}, seed {seed}");
            assert_eq!(one.cost.tally.local_wait, None);
            assert_eq!(of("--users 1 --entries 12"), one, "{lock}, seed {seed}");
        }
    }
}

#[test]
fn users_queue_without_clocks_and_beside_crashes() {
    for seed in 0..30 {
        let untimed =
            Played::replayed(&format!("ricart-agrawala -n 3 --users 3 --entries 2 --timing untimed --seed {seed}"));
        assert_eq!(untimed.summary.verdict, Verdict::Held);
        assert_eq!(untimed.summary.outcome, Outcome::Entries { entries: 18, overlap_max: 1 });
        let lock = "spirakis-tampakas-mutex -n 4 --users 3 --entries 3 --set crash=probe";
        let crashed = Played::replayed(&format!("{lock} --faults crash:1@{} --seed {seed}", 200 * seed));
        assert_eq!((crashed.summary.verdict, &crashed.summary.violations), (Verdict::Held, &vec![]), "{seed}");
        Played::replayed(&format!("{lock} --faults restart:1@{} --seed {seed}", 200 * seed));
    }
}

#[test]
fn a_violation_shrinks_to_one_user_each() {
    let line = "spirakis-tampakas-mutex -n 4 --set rules=printed --users 3 --entries 5 --seed 1";
    let played = Played::replayed(line);
    assert_eq!(played.summary.verdict, Verdict::Violated);
    let short = shrink(&played.trace(), &Catalogue::default(), &()).expect("it fails");
    let (setup, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert_eq!(summary.verdict, Verdict::Violated);
    let load = setup.scenario.workload.clone().expect("it has one");
    assert_eq!((load.users, load.compete), (1, 2));
}

#[test]
fn all_schedules_of_several_users_are_those_of_one_with_their_requests() {
    let states = |words: &str| {
        let (protocol, options) = ringleader_cli::check_of(words.split(' ')).expect("they are words of a check");
        let setup = CheckSetup::new(ringleader::find(&protocol).expect("it is one"), &options).expect("it suits it");
        let found = survey(&setup, &()).expect("it can be explored");
        let total = Total::new(&setup, &found);
        (total.verdict(), found.found.iter().map(|one| one.progress.states).sum::<u64>())
    };
    for lock in ["ricart-agrawala -n 2", "spirakis-tampakas-mutex -n 2 --r 1 --d 1 --set c1=1"] {
        assert_eq!(states(&format!("{lock} --users 2 --entries 1")), states(&format!("{lock} --entries 2")), "{lock}");
    }
}

#[test]
fn what_has_no_several_users_is_refused() {
    for line in [
        "ricart-agrawala --users 0",
        "ricart-agrawala --users 1001",
        "chang-roberts --users 2",
        "token-ring --users 2",
        "lamport-readers-writers --users 2",
    ] {
        assert_refused(line, "users");
    }
}
