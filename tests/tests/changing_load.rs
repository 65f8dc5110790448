//! A load that changes with time, in runs of locks: what it asks for, its cost, replay and shrinking.

use conformance::locks::completed_entries;
use conformance::{Draw, Played};
use ringleader::model::{Milestone, Outcome};
use ringleader::sim::Verdict;
use ringleader::{Catalogue, shrink};

/// Every request is made, nobody asks outside of its time, and the bounds that count entries hold.
#[test]
fn sites_ask_only_while_they_compete_and_make_all_of_their_entries() {
    let mut draw = Draw::new(13);
    for _ in 0..60 {
        let n = draw.between(2, 8);
        let mut load: Vec<(u64, u64)> = (0..draw.between(1, 6)).map(|part| (draw.between(1, n), part * 700)).collect();
        load.push((n, load.len() as u64 * 700));
        let text: Vec<_> = load.iter().map(|(sites, from)| format!("{sites}@{from}")).collect();
        let lock = draw.one_of(&["ricart-agrawala", "spirakis-tampakas-mutex"]);
        let seed = draw.below(1000);
        let line = format!("{lock} -n {n} --entries 4 --r 10..20 --d 5..30 --compete {} --seed {seed}", text.join(","));
        let mut played = Played::logged(&line);
        assert_eq!(played.summary.verdict, Verdict::Held, "{line}");
        assert_eq!(played.summary.outcome, Outcome::Entries { entries: 4 * n, overlap_max: 1 }, "{line}");
        assert!(!played.setup.is_exceeded(&played.summary), "{line}");
        for step in played.execution.run.take_log() {
            if step.milestones().any(|milestone| milestone == Milestone::Requested) {
                let present = load.iter().rfind(|(_, from)| *from <= step.time).expect("it begins at 0");
                assert!(u64::from(step.place) < present.0, "place {} at {}: {line}", step.place, step.time);
            }
        }
    }
}

#[test]
fn the_second_of_two_competes_from_20_on() {
    let line = "ricart-agrawala --ids 1,2 --compete 1@0,2@20 --entries 2 --r 1 --d 1 --hold 10";
    let mut played = Played::logged(line);
    // Place 0 asks at 0, has a reply at 2, leaves at 12, asks with number 2 and is inside from 14 to 24. Place 1, which replied at
    // 13, asks at 20 with 3, for which it waits until 24, and once more at 35: nobody competes then.
    let stays = completed_entries(&played.execution.run.take_log(), 2);
    let stays = stays
        .into_iter()
        .map(|entries| entries.iter().map(|entry| (entry.asked, entry.entered, entry.left)).collect::<Vec<_>>());
    assert!(stays.eq([vec![(0, 2, 12), (12, 14, 24)], vec![(20, 25, 35), (35, 37, 47)]]));
    // From 20 on both compete, until place 0 has no entries left: it had none from 14 on, and nothing is in the window.
    assert_eq!(played.summary.cost.tally.sample, 0);
}

#[test]
fn a_run_with_a_load_that_changes_replays_and_shrinks() {
    let line = "spirakis-tampakas-mutex -n 4 --set rules=printed --compete 1@0,3@200,2@400,4@600 --entries 5 --seed 1";
    let played = Played::replayed(line);
    assert_eq!(played.summary.verdict, Verdict::Violated);
    let short = shrink(&played.trace(), &Catalogue::default(), &()).expect("it fails");
    let (setup, _, summary) = short.replay(&Catalogue::default(), &(), |_| {}).expect("it replays");
    assert_eq!(summary.verdict, Verdict::Violated);
    let load = setup.scenario.workload.clone().expect("it has one");
    assert_eq!(load.compete, 2, "two sites are enough");
    assert!(load.changes.len() <= 2 && load.settled() < 600, "the second comes later, if at all: {:?}", load.changes);
}
