use super::*;
use crate::Value;

const ENTERED: EntryReport = EntryReport::entered();

fn watch(n: usize, readers: usize) -> EntryMonitor {
    let writers = if readers > 0 { n - readers } else { 0 };
    let workload = Workload { entries: 1, readers, writers, ..Workload::new(n) };
    EntryMonitor::new(&Scenario { n, workload: Some(workload), ..Scenario::default() })
}

fn enter(monitor: &mut EntryMonitor, place: Place) {
    monitor.observe(place, EntryReport::Requested);
    monitor.observe(place, ENTERED);
    monitor.settle();
}

fn overlap(monitor: &EntryMonitor) -> u64 {
    let Outcome::Entries { overlap_max, .. } = monitor.outcome() else { unreachable!("there were entries") };
    overlap_max
}

#[test]
fn two_inside_are_an_overlap_and_one_after_the_other_are_none() {
    let mut monitor = watch(2, 0);
    enter(&mut monitor, 0);
    assert!(!monitor.finished());
    monitor.observe(1, EntryReport::Requested);
    // Both at one instant, in the order in which places are visited.
    monitor.observe(1, ENTERED);
    monitor.observe(0, EntryReport::Left);
    monitor.settle();
    assert!(monitor.violations().is_empty());
    monitor.observe(1, EntryReport::Left);
    assert!(monitor.finished());
    assert_eq!(overlap(&monitor), 1);

    let mut monitor = watch(2, 0);
    enter(&mut monitor, 0);
    enter(&mut monitor, 1);
    assert_eq!((monitor.violations()[0].property, overlap(&monitor)), (EntryMonitor::EXCLUSION, 2));
}

#[test]
fn readers_together_are_one_and_a_writer_among_them_is_one_too_many() {
    let mut monitor = watch(4, 3);
    for reader in 0..3 {
        assert_eq!(monitor.fulfilled().contains(Promised::ReadersTogether), reader > 1);
        enter(&mut monitor, reader);
    }
    assert_eq!(overlap(&monitor), 1);
    enter(&mut monitor, 3);
    assert_eq!((monitor.violations().len(), overlap(&monitor)), (1, 2));
}

#[test]
fn a_site_that_crashes_inside_has_left_and_is_expected_to_do_nothing() {
    let mut monitor = watch(2, 0);
    enter(&mut monitor, 0);
    monitor.crash(0);
    enter(&mut monitor, 1);
    monitor.observe(1, EntryReport::Left);
    assert!(monitor.finished() && monitor.violations().is_empty());
}

#[test]
fn a_site_that_restarts_makes_the_requests_that_it_has_not_made() {
    let mut monitor = watch(2, 0);
    enter(&mut monitor, 0);
    monitor.crash(0);
    monitor.crash(1);
    assert!(monitor.finished());
    monitor.restart(0, 1);
    assert!(!monitor.finished());
    enter(&mut monitor, 0);
    monitor.observe(0, EntryReport::Left);
    assert!(monitor.finished() && monitor.violations().is_empty());
}

#[test]
fn a_site_of_two_may_be_overtaken_twice() {
    let workload = Workload { entries: 9, ..Workload::new(2) };
    let scenario = Scenario { n: 2, workload: Some(workload), ..Scenario::default() };
    let mut monitor = EntryMonitor::new(&scenario);
    monitor.promise(Promises::default().with(Promised::BoundedBypass), &scenario);
    let overtake = |monitor: &mut EntryMonitor| {
        enter(monitor, 0);
        monitor.observe(0, EntryReport::Left);
    };
    overtake(&mut monitor);
    monitor.observe(1, EntryReport::Requested);
    overtake(&mut monitor);
    overtake(&mut monitor);
    monitor.observe(1, ENTERED);
    monitor.observe(1, EntryReport::Left);
    monitor.observe(1, EntryReport::Requested);
    overtake(&mut monitor);
    overtake(&mut monitor);
    assert!(monitor.violations().is_empty());
    overtake(&mut monitor);
    assert_eq!(monitor.violations()[0].property, Promised::BoundedBypass.name());
}

#[test]
fn sites_enter_in_the_order_of_their_numbers_where_that_is_promised() {
    let scenario = Scenario { n: 2, ids: vec![1, 2], ..Scenario::default() };
    for promised in [false, true] {
        let mut monitor = EntryMonitor::new(&scenario);
        let promises = Promises::default();
        let promises = if promised { promises.with(Promised::ServedByNumber) } else { promises };
        monitor.promise(promises, &scenario);
        for (place, value) in [(1, 1), (0, 2)] {
            monitor.observe(place, EntryReport::Requested);
            monitor.observe(place, EntryReport::Numbered(SequenceNumber { value, modulus: None }));
        }
        monitor.observe(0, ENTERED);
        monitor.settle();
        let violated: Vec<_> = monitor.violations().iter().map(|violation| violation.property).collect();
        let expected = [Promised::ServedByNumber.name()];
        assert_eq!(violated, if promised { &expected[..] } else { &[] });
    }
}

#[test]
fn counters_that_cannot_exceed_the_promise_distinguish_no_states() {
    let workload = Workload { entries: 2, ..Workload::new(2) };
    let scenario = Scenario { n: 2, workload: Some(workload), ..Scenario::default() };
    let mut monitor = EntryMonitor::new(&scenario);
    monitor.promise(Promises::default().with(Promised::BoundedBypass), &scenario);
    let before = monitor.bypass.clone();
    monitor.observe(1, EntryReport::Requested);
    enter(&mut monitor, 0);
    assert_eq!(monitor.bypass, before);
}

#[test]
fn an_entry_without_a_request_is_a_violation() {
    let mut monitor = watch(1, 0);
    monitor.observe(0, ENTERED);
    assert_eq!(monitor.violations()[0].property, EntryMonitor::ORDER);
    let detail =
        "place 0 goes from the remainder section to the critical section; was EntryReport::Requested not reported?";
    assert_eq!(monitor.violations()[0].detail, detail);
}

#[test]
fn the_meter_takes_delays_from_asking_to_entering() {
    let workload = Workload { entries: 2, ..Workload::new(2) };
    let mut meter = EntryMeter::new(&Scenario { n: 2, workload: Some(workload), ..Scenario::default() });
    let entered = |negatives| EntryReport::Entered { negatives: Some(negatives) };
    let reports = [
        (0, 0, EntryReport::Requested),
        (3, 1, EntryReport::Requested),
        (10, 0, entered(0)),
        (20, 1, entered(3)),
        (30, 0, EntryReport::Requested),
        (36, 0, entered(3)),
        (50, 1, EntryReport::Requested),
        (99, 1, entered(9)),
    ];
    for (now, place, report) in reports {
        // A message at each instant.
        meter.observe(now, now, place, &report);
    }
    let tally = meter.tally(100);
    // 10, 17 and 6; then place 0 has none left, and the 49 that follow are no part of the window.
    let figures = |delay: Option<Lengths>| delay.map(|delay| (delay.mean, delay.p95, delay.max));
    assert_eq!(figures(tally.granting_delay), Some((Value::int(11), 17, 17)));
    assert_eq!(figures(tally.whole_run.granting_delay), Some((Value::ratio(82, 4), 49, 49)));
    assert_eq!((tally.negatives, tally.sample), (Some(Value::int(2)), 3));
    assert_eq!(tally.whole_run.negatives, Some(Value::ratio(15, 4)));
    // 0 and then 3 at place 0, 3 and then 9 at place 1.
    assert_eq!(tally.prediction_error, Some(Value::ratio(9, 2)));
    // From the entry at 10 to that at 36 there are two more.
    assert_eq!(tally.messages_per_entry, Some(Value::int(13)));
    assert_eq!(tally.whole_run.messages_per_entry, Some(Value::int(25)));
    assert_eq!((tally.starved, tally.waits), (Some(0), vec![10, 17, 6]));
}

#[test]
fn users_of_a_site_enter_in_the_order_of_their_requests() {
    let workload = Workload { entries: 1, users: 2, ..Workload::new(1) };
    let scenario = Scenario { n: 1, workload: Some(workload), ..Scenario::default() };
    for (first, detail) in [
        (4, None),
        (7, Some("user 7 of place 0 enters before user 4, who asked earlier")),
        (5, Some("user 5 of place 0 enters without a request")),
    ] {
        let mut monitor = EntryMonitor::new(&scenario);
        for user in [4, 7] {
            monitor.queue(0, user);
        }
        assert!(monitor.waiting() && !monitor.finished());
        monitor.observe(0, EntryReport::Requested);
        monitor.observe(0, ENTERED);
        monitor.serve(0, first);
        assert_eq!(monitor.violations().first().map(|violation| violation.detail.as_str()), detail);
    }
}

#[test]
fn a_user_waits_from_its_own_request_on() {
    let workload = Workload { entries: 1, users: 2, ..Workload::new(1) };
    let mut meter = EntryMeter::new(&Scenario { n: 1, workload: Some(workload), ..Scenario::default() });
    for now in [0, 3] {
        meter.queue(now, 0);
    }
    let reports = [(0, EntryReport::Requested), (2, ENTERED), (9, EntryReport::Left), (9, EntryReport::Requested)];
    for (now, report) in reports.into_iter().chain([(11, ENTERED)]) {
        meter.observe(now, 0, 0, &report);
    }
    // From 0 to 2 and from 3 to 11; the site asked at once, and at 9.
    let tally = meter.tally(0);
    assert_eq!(tally.whole_run.granting_delay, Lengths::of(&[2, 8]));
    assert_eq!(tally.local_wait, Lengths::of(&[0, 6]));
}

#[test]
fn entries_overlap_unless_one_leaves_when_the_other_enters() {
    let share = |readers, times: &[(Time, Place, EntryReport)]| {
        let workload = Workload { entries: 2, readers, writers: 3 - readers, ..Workload::new(3) };
        let mut meter = EntryMeter::new(&Scenario { n: 3, workload: Some(workload), ..Scenario::default() });
        for (now, place, report) in times {
            meter.observe(*now, 0, *place, report);
        }
        meter.tally(0).overlapping
    };
    let left = EntryReport::Left;
    // 1 enters when 0 leaves, though it is visited first; 2 enters while 1 is inside.
    let times = [(0, 0, ENTERED), (5, 1, ENTERED), (5, 0, left), (7, 2, ENTERED), (9, 1, left), (10, 2, left)];
    assert_eq!(share(0, &times), Some(Value::ratio(2, 3)));
    assert_eq!(share(3, &times), Some(Value::ZERO), "readers do not conflict");
    assert_eq!(share(0, &times[..4]), Some(Value::ratio(2, 3)), "those inside at the end overlap as well");
    assert_eq!(share(0, &[]), None);
}
