//! Spirakis and Tampakas's lock (1989, section 2.2) against what the paper says, and against a reference of its own.

use conformance::locks::{SiteEntry, any_scenario, completed_entries, crashing, entries, steps};
use conformance::{
    Draw, Played, assert_bounds, assert_not_exceeded, assert_refused, configured, finished, passes, prepared_in,
    simulated, validated,
};
use ringleader::Execution;
use ringleader::model::{Clocks, Lengths, Links, Offsets, Outcome, Ports, Range, Reading, Scenario, Value, Wakes};
use ringleader::protocols::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex;
use ringleader::sim::{Choices, Lean, Summary, Verdict};

const READINGS: [Reading; 2] = [Reading::Immediate, Reading::PerStep];

type Set = Vec<(&'static str, String)>;

/// Any settings under which nobody may overlap.
fn settings(draw: &mut Draw, n: usize, crash: &str) -> Set {
    let least = 2 * n as u64 - 1;
    let more = least + draw.below(5);
    vec![
        ("c1", draw.one_of(&["0", "1", "3", "10", "round"]).to_string()),
        ("predict", draw.one_of(&["previous", "n"]).to_string()),
        ("numbers", draw.one_of(&["unbounded".to_string(), least.to_string(), more.to_string()])),
        ("crash", crash.to_string()),
    ]
}

fn as_given(set: &Set) -> Vec<(&str, &str)> {
    set.iter().map(|(key, value)| (*key, value.as_str())).collect()
}

fn played(set: &Set, scenario: &Scenario) -> Summary {
    finished(&mut prepared_in::<SpirakisTampakasMutex, Lean>(&as_given(set), scenario).expect("it suits it"))
}

#[test]
fn a_million_entries_keep_mutual_exclusion_and_the_bounds() {
    let mut draw = Draw::new(1989);
    let mut total = 0;
    while total < 1_000_000 {
        let n = draw.size(24) as usize;
        let scenario = any_scenario(&mut draw, n, &READINGS);
        let crash = if draw.once_in(4) { "probe" } else { "none" };
        let set = settings(&mut draw, n, crash);
        let mut run = prepared_in::<SpirakisTampakasMutex, Lean>(&as_given(&set), &scenario).expect("it suits it");
        let summary = finished(&mut run);
        assert_eq!(summary.verdict, Verdict::Held, "{set:?}, {:?} in {scenario:?}", summary.violations);
        let made = entries(&scenario);
        assert_eq!(summary.outcome, Outcome::Entries { entries: made, overlap_max: 1 }, "{set:?} in {scenario:?}");
        assert_eq!(passes(&summary, "request"), made * (n as u64 - 1), "{set:?} in {scenario:?}");
        assert_eq!(passes(&summary, "negative"), passes(&summary, "positive"), "{set:?} in {scenario:?}");
        assert_bounds(&run, &scenario);
        total += made;
    }
}

#[test]
fn so_they_do_where_a_step_reads_one_message() {
    let mut draw = Draw::new(22);
    let mut total = 0;
    while total < 200_000 {
        let n = draw.size(16) as usize;
        let scenario = any_scenario(&mut draw, n, &[Reading::PerTick]);
        let crash = if draw.once_in(4) { "probe" } else { "none" };
        let set = settings(&mut draw, n, crash);
        let mut run = prepared_in::<SpirakisTampakasMutex, Lean>(&as_given(&set), &scenario).expect("it suits it");
        let summary = finished(&mut run);
        assert_eq!(summary.verdict, Verdict::Held, "{set:?}, {:?} in {scenario:?}", summary.violations);
        assert_eq!(passes(&summary, "negative"), passes(&summary, "positive"), "{set:?} in {scenario:?}");
        assert_bounds(&run, &scenario);
        total += entries(&scenario);
    }
}

#[test]
fn c_covers_the_queues_where_a_step_reads_one_message() {
    // window = ⌈(2 d_max + c r_max)/r_min⌉, where c is 2, or 6N-8, or 10(N-1) with probes.
    let window = |line: &str| {
        let setup = conformance::set_up(&format!("spirakis-tampakas-mutex {line}"));
        setup.facts.figures.iter().find(|figure| figure.symbol == "window").expect("it has one").value
    };
    let scope = "--r 3..5 --d 1..7";
    assert_eq!(window(&format!("-n 5 {scope}")), Value::int((14 + 2 * 5_u128).div_ceil(3)));
    assert_eq!(window(&format!("-n 5 {scope} --reading per-tick")), Value::int((14 + 22 * 5_u128).div_ceil(3)));
    assert_eq!(
        window(&format!("-n 5 {scope} --reading per-tick --set crash=probe")),
        Value::int((14 + 40 * 5_u128).div_ceil(3))
    );
    assert_eq!(window(&format!("-n 5 {scope} --reading per-tick --set c=1")), Value::int((14 + 5_u128).div_ceil(3)));
    for c in ["30001", "many", "-1"] {
        assert_refused(&format!("spirakis-tampakas-mutex --set c={c}"), "set");
    }
}

#[test]
fn every_entry_costs_n_1_requests_and_two_replies_for_each_negative_one() {
    let mut draw = Draw::new(21);
    for _ in 0..1500 {
        let n = draw.size(12) as usize;
        let scenario = any_scenario(&mut draw, n, &READINGS);
        let crash = if draw.once_in(3) { "probe" } else { "none" };
        let set = settings(&mut draw, n, crash);
        let setup = validated("spirakis-tampakas-mutex", &as_given(&set), &scenario);
        let mut run = Execution::new(&setup, Choices::Drawn).expect("it suits it").run;
        let completed = completed_entries(&steps(&mut *run), n).concat();
        let nnr: u64 = completed.iter().map(|entry| entry.negatives).sum();
        let summary = run.summary();
        assert_eq!(completed.len() as u64, entries(&scenario));
        let messages = summary.cost.messages() - summary.cost.passes_of("probe").unwrap_or(0);
        assert_eq!(messages, completed.len() as u64 * (n as u64 - 1) + 2 * nnr, "{set:?} in {scenario:?}");
        assert_eq!(passes(&summary, "negative"), nnr, "{set:?} in {scenario:?}");
        // 2.2.4 by hand, from the steps alone: what the meter says of the whole run; its window is a part of that.
        let delays: Vec<u64> = completed.iter().map(|entry| entry.entered - entry.asked).collect();
        let tally = &summary.cost.tally;
        assert_eq!(tally.whole_run.granting_delay, Lengths::of(&delays), "{set:?} in {scenario:?}");
        assert!(tally.granting_delay.map(|delay| delay.max) <= delays.iter().max().copied());
        assert_not_exceeded(&setup, &summary);
    }
}

#[test]
fn probes_keep_mutual_exclusion_and_progress_under_crashes() {
    let mut draw = Draw::new(225);
    let (mut crashes, mut consents, mut blocked) = (0, 0, 0);
    for _ in 0..12_000 {
        let n = draw.between(2, 7) as usize;
        let mut scenario = any_scenario(&mut draw, n, &READINGS);
        if let Some(load) = &mut scenario.workload {
            load.entries = draw.between(1, 6);
        }
        let set = settings(&mut draw, n, "probe");
        let end = played(&set, &scenario).cost.time;
        let scenario = crashing(&mut draw, &scenario, end);
        let summary = played(&set, &scenario);
        assert_eq!((&summary.violations, summary.finished), (&vec![], true), "{set:?} in {scenario:?}");
        crashes += scenario.faults.crashes.len();
        consents += u64::from(passes(&summary, "negative") > passes(&summary, "positive"));

        let patient: Set = set[..3].to_vec();
        let summary = played(&patient, &scenario);
        blocked += u64::from(!summary.finished);
        assert!(summary.violations.iter().all(|violation| violation.property == "termination"), "{scenario:?}");
    }
    assert!(crashes > 10_000 && consents > 1000, "{crashes} crashes, {consents} runs in which silence decided");
    assert!(blocked > 500, "without probes only {blocked} runs wait for somebody who has crashed");
}

#[test]
fn without_probes_a_crash_after_a_negative_reply_blocks() {
    let line = "spirakis-tampakas-mutex --ids 1,2 --r 1 --d 1 --entries 1 --faults crash:0@15";
    // Place 0 refuses at 11, enters at 14, and crashes inside.
    let blocked = Played::of(line);
    assert_eq!((blocked.summary.verdict, blocked.summary.finished), (Verdict::Violated, false));
    assert_eq!(blocked.summary.violations[0].property, "termination");
    // The window closes at 14; place 0 is asked again at 18, and silent until 22.
    let mut run =
        Played::with("spirakis-tampakas-mutex", &conformance::asked(&format!("{line} --set crash=probe")).1, |run| {
            run.log();
        });
    assert_eq!((run.summary.verdict, run.passes("probe")), (Verdict::Held, 1));
    let entry = SiteEntry { asked: 0, entered: 22, left: 32, negatives: 1 };
    assert_eq!(completed_entries(&run.execution.run.take_log(), 2), [vec![], vec![entry]]);
}

#[test]
fn probes_cost_two_messages_every_two_windows_and_their_bound_says_so() {
    // Both draw 1 at 10; place 0 is inside from 14 to 114, and place 1, whose window closes at 14 too, asks again at 18, 26, …,
    // 114. The last of these 13 probes comes in when place 0 has left, and is not answered.
    let line = "spirakis-tampakas-mutex --ids 1,2 --r 1 --d 1 --entries 1 --hold 100 --set crash=probe";
    let run = Played::of(line);
    assert_eq!(["request", "negative", "positive", "probe"].map(|kind| run.passes(kind)), [2, 1, 1, 13 + 12]);
    // W = 4·1 + 2·2·(1 + 1) + 2·100·1 = 212, and a probe every 2·4 steps: 26.
    let formula = "N-1 + 2(s-1)(1 + floor(W/(2 window r_min)))";
    let bound = run.setup.facts.bounds.iter().find(|bound| bound.formula == formula).expect("it is listed");
    assert_eq!(bound.value, Value::int(1 + 2 * (1 + 26)));
    assert_eq!(run.held(formula), Some(true));
    assert_eq!(Played::of(&line.replace("probe", "none")).held(formula), None);
}

/// W15: the cost grows with the stay inside, and the bound grows with it.
#[test]
fn probes_stay_below_their_bound_however_long_a_stay_is() {
    let mut draw = Draw::new(15);
    let mut before = 0.0;
    for hold in [10, 100, 1000] {
        let per_entry = |seed| {
            let line =
                format!("spirakis-tampakas-mutex -n 16 --hold {hold} --set crash=probe --entries 5 --seed {seed}");
            let run = Played::of(&line);
            assert_eq!(run.held("N-1 + 2(s-1)(1 + floor(W/(2 window r_min)))"), Some(true), "{line}");
            run.summary.cost.messages() as f64 / (16.0 * 5.0)
        };
        let mean = per_entry(draw.below(1000));
        assert!(mean > 2.0 * before, "hold {hold}: {mean} messages an entry, {before} before");
        before = mean;
    }
}

#[test]
fn one_alone_sleeps_and_listens() {
    // mindelay 10, window ⌈(2 + 2)/1⌉ = 4, hold 10.
    let entry = |asked| SiteEntry { asked, entered: asked + 14, left: asked + 24, negatives: 0 };
    let mut run = logged("-n 1 --r 1 --d 1 --entries 2");
    assert_eq!(completed_entries(&run.execution.run.take_log(), 1), [[entry(0), entry(24)]]);
    assert_eq!(run.summary.cost.messages(), 0);
}

fn logged(line: &str) -> Played {
    Played::logged(&format!("spirakis-tampakas-mutex {line}"))
}

#[test]
fn of_two_with_the_same_number_the_smaller_identity_goes_first() {
    // Both draw 1 at 10 and read the other's at 11. Place 1 has the smaller identity: it replies negatively, enters when its
    // window closes at 14, and leaves at 24. Place 0 enters when that is read, at 25.
    let mut run = logged("--ids 2,1 --r 1 --d 1 --entries 1");
    let expected = [
        vec![SiteEntry { asked: 0, entered: 25, left: 35, negatives: 1 }],
        vec![SiteEntry { asked: 0, entered: 14, left: 24, negatives: 0 }],
    ];
    assert_eq!(completed_entries(&run.execution.run.take_log(), 2), expected);
    assert_eq!(["request", "negative", "positive"].map(|kind| run.passes(kind)), [2, 1, 1]);
}

#[test]
fn the_window_and_the_sleep_are_as_in_2_2_2() {
    let figures = |line: &str| {
        let run = logged(line);
        let figure =
            |symbol| run.setup.facts.figures.iter().find(|figure| figure.symbol == symbol).expect("it is listed").value;
        ["window", "mindelay"].map(figure)
    };
    let whole = |values: [u128; 2]| values.map(Value::int);
    // ⌈(2·7 + 2·5)/3⌉ and ⌈10·5/3⌉
    assert_eq!(figures("-n 2 --r 3..5 --d 1..7"), whole([8, 17]));
    // ⌈(2·7 + 0)/3⌉ and ⌈1·5/3⌉
    assert_eq!(figures("-n 2 --r 3..5 --d 1..7 --set c=0 --set c1=1 --entries 1"), whole([5, 2]));
    // round: ⌈(8 + 4)·5/3⌉
    assert_eq!(figures("-n 2 --r 3..5 --d 1..7 --set c1=round --hold 2..4"), whole([8, 20]));
}

#[test]
fn the_sleep_takes_every_value_of_its_range_and_no_other() {
    // With predict=n: from 2 + 2·2 to 2 + 2·2·2 steps, r = 1.
    let mut seen = vec![];
    for seed in 0..200 {
        let mut run =
            logged(&format!("-n 2 --r 1 --d 1 --entries 1 --compete 1 --set c1=2 --set predict=n --seed {seed}"));
        let entry = completed_entries(&run.execution.run.take_log(), 2)[0][0];
        seen.push(entry.entered - 4);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [6, 7, 8, 9, 10]);
}

#[test]
fn the_longest_delay_of_2_2_4_is_exceeded_by_one_that_is_alone_and_in_units_of_time_too() {
    let alone = Played::of("spirakis-tampakas-mutex -n 1 --r 1 --d 1");
    // 2 d_max + 0 against 14.
    assert_eq!(alone.summary.cost.tally.granting_delay.map(|delay| delay.max), Some(14));
    // Two sites, r = 1, so that steps are units: 2·1 + 2·1·10 = 22, but the second reads at 115 that the first has left.
    let mut two = logged("--ids 1,2 --r 1 --d 1 --entries 1 --hold 100");
    let second = completed_entries(&two.execution.run.take_log(), 2)[1][0];
    assert_eq!(second, SiteEntry { asked: 0, entered: 115, left: 215, negatives: 1 });
}

#[test]
fn as_printed_two_overlap_already_without_drift() {
    let line = "--ids 1,2 --wake-at 2,0 --r 1 --d 1 --entries 1";
    // Both take number 1, place 1 at 0 and place 0, whose identity is smaller, at 2. Place 1 asks at 10 while 0 sleeps and is
    // inside from 14 to 24; 0 asks at 12, has priority, and enters at 16.
    let mut printed = logged(&format!("{line} --set rules=printed"));
    let entry = |asked| SiteEntry { asked, entered: asked + 14, left: asked + 24, negatives: 0 };
    assert_eq!(completed_entries(&printed.execution.run.take_log(), 2), [[entry(2)], [entry(0)]]);
    assert_eq!(printed.summary.outcome, Outcome::Entries { entries: 2, overlap_max: 2 });
    for set in ["", "--set printed=numbers", "--set printed=replies"] {
        assert_eq!(logged(&format!("{line} {set}")).summary.verdict, Verdict::Held);
    }
    assert_eq!(logged(&format!("{line} --set printed=sleep")).summary.verdict, Verdict::Violated);
}

/// The number of runs with a violation.
fn violated(set: &[(&'static str, &str)], runs: u64, suited: impl Fn(&mut Draw, Scenario) -> Scenario) -> u64 {
    let set: Set = set.iter().map(|(key, value)| (*key, (*value).to_string())).collect();
    let mut draw = Draw::new(7);
    let mut run = || {
        let n = draw.between(2, 4) as usize;
        let scenario = any_scenario(&mut draw, n, &READINGS);
        let scenario = suited(&mut draw, scenario);
        u64::from(played(&set, &scenario).verdict == Verdict::Violated)
    };
    (0..runs).map(|_| run()).sum()
}

#[test]
fn each_departure_is_needed() {
    let any = |_: &mut Draw, scenario| scenario;
    assert!(violated(&[("printed", "sleep")], 1000, any) > 100);
    // Unbounded, hsn needs not take in the own number; and as long as nothing is late replies need no number.
    assert_eq!(violated(&[("printed", "numbers")], 3000, any), 0);
    assert_eq!(violated(&[("printed", "replies")], 3000, any), 0);
    let three =
        |_: &mut Draw, scenario: Scenario| Scenario { n: 2, ids: scenario.ids[..2].to_vec(), ..smaller(scenario) };
    assert!(violated(&[("printed", "numbers"), ("numbers", "3")], 1000, three) > 100);
    assert_eq!(violated(&[("numbers", "3")], 3000, three), 0);
    // The smaller is increased where they differ by n or more: a greater M does not help what is printed.
    assert!(violated(&[("printed", "numbers"), ("numbers", "100")], 3000, three) > 0);
}

#[test]
fn untagged_replies_may_deadlock_after_a_window_that_is_too_short() {
    let unfinished = |set: &str| {
        let line = "spirakis-tampakas-mutex -n 2 --r 1..2 --d 1..2 --clocks varying --entries 40 --hold 1..12";
        let runs = (0..400).map(|seed| Played::of(&format!("{line} --set c=0 --set c1=1 --seed {seed} {set}")));
        runs.filter(|played| !played.summary.finished).count()
    };
    assert_eq!(unfinished(""), 0);
    let blocked = unfinished("--set printed=replies");
    assert!(blocked > 0, "{blocked}");
}

#[test]
fn under_contention_it_takes_more_messages_than_ricart_and_agrawalas() {
    // Both as 2.2.5 compares them: 2(n-1) = 30 for each entry.
    let per_entry = |hold| {
        let line = format!("spirakis-tampakas-mutex -n 16 --r 10 --entries 30 --hold {hold}");
        Played::of(&line).summary.cost.tally.whole_run.messages_per_entry.expect("somebody entered")
    };
    assert!(per_entry(100) > Value::int(38) && per_entry(1) < Value::int(30));
}

/// Without what depends on the number of places.
fn smaller(mut scenario: Scenario) -> Scenario {
    scenario.wakes = Wakes::All;
    if let Clocks::List(_) = scenario.timing.clocks {
        scenario.timing.clocks = Clocks::Fixed;
    }
    if let Some(load) = &mut scenario.workload {
        load.compete = 2;
    }
    scenario
}

#[test]
fn a_window_without_room_for_steps_is_safe_only_in_lockstep() {
    let at_one_to_two = |_: &mut Draw, mut scenario: Scenario| {
        (scenario.timing.r, scenario.timing.d) = (Range::new(1, 2), Range::new(1, 2));
        if let Clocks::List(list) = &mut scenario.timing.clocks {
            list.fill(2);
        }
        scenario
    };
    assert!(violated(&[("c", "0")], 2000, at_one_to_two) > 20);
    for c in ["2", "3"] {
        assert_eq!(violated(&[("c", c)], 2000, at_one_to_two), 0);
    }
    // Where what arrives at a tick is read at that tick 1 suffices; so it is unless a message takes no time at all.
    let taking = |least| {
        move |_: &mut Draw, mut scenario: Scenario| {
            let d = scenario.timing.d;
            scenario.timing.d = if least == 0 { Range::new(0, 0) } else { Range::new(d.min.max(1), d.max.max(1)) };
            scenario
        }
    };
    assert_eq!(violated(&[("c", "1")], 4000, taking(1)), 0);
    assert!(violated(&[("c", "1")], 1000, taking(0)) > 20);
    let lockstep = |draw: &mut Draw, mut scenario: Scenario| {
        scenario.timing.r = Range::new(1, 1);
        let d = draw.between(1, 9);
        scenario.timing.d = Range::new(d, d);
        (scenario.timing.clocks, scenario.timing.offsets) = (Clocks::Fixed, Offsets::Zero);
        scenario.timing.reading = Reading::PerStep;
        scenario
    };
    assert_eq!(violated(&[("c", "0")], 2000, lockstep), 0);
}

#[test]
fn every_fixed_timeout_is_too_short_for_somebody() {
    let any = |_: &mut Draw, scenario| scenario;
    for crash in ["timeout:1", "timeout:100"] {
        assert!(violated(&[("crash", crash)], 1500, any) > 5, "{crash}");
    }
    // Longer than anybody can be inside here, it is not noticed.
    assert_eq!(violated(&[("crash", "timeout:10000000")], 500, any), 0);
}

#[test]
fn unsuitable_settings_are_refused() {
    let mut scenario = any_scenario(&mut Draw::new(1), 3, &[Reading::PerStep]);
    let refused = |set: &[(&str, &str)], scenario: &Scenario| {
        configured::<SpirakisTampakasMutex>(set, scenario).err().map(|refused| refused.field)
    };
    let bad = [
        ("numbers", "4"),
        ("numbers", "x"),
        ("crash", "timeout:0"),
        ("crash", "never"),
        ("c1", "ten"),
        ("c1", "1000001"),
        ("c", "-1"),
        ("printed", "all"),
    ];
    for set in bad {
        assert_eq!(refused(&[set], &scenario), Some("set"), "{set:?}");
    }
    assert_eq!(refused(&[("crash", "probe"), ("printed", "replies")], &scenario), Some("set"));
    assert_eq!(refused(&[("numbers", "5"), ("crash", "probe")], &scenario), None);
    // A sleep of up to 3·10·2^48 steps cannot be drawn.
    (scenario.timing.r, scenario.timing.clocks) = (Range::new(1, 1 << 48), Clocks::Fastest);
    assert_eq!(refused(&[], &scenario), Some("set"));
    assert_refused("spirakis-tampakas-mutex -n 3 --reading bit-serial", "reading");
}

#[test]
fn links_that_keep_order_or_not_are_all_the_same_to_it() {
    let links = |links| {
        let any = move |_: &mut Draw, scenario| Scenario { links, ..scenario };
        violated(&[], 300, any)
    };
    assert_eq!([Links::Any, Links::Fifo].map(links), [0, 0]);
}

mod reference {
    use super::*;
    use conformance::naive_mutex::{Lock, NaiveNetwork, delaystep, window};
    use ringleader::model::{Delays, Milestone, Timing};
    use ringleader::sim::{Step, StepEffect};

    /// What was left to chance in a run, in the order in which the steps of the run asked for it.
    struct Chances {
        /// By sender and receiver.
        delays: Vec<Vec<Vec<u64>>>,
        /// By place and entry.
        sleeps: Vec<Vec<u64>>,
        holds: Vec<Vec<u64>>,
        thinks: Vec<Vec<u64>>,
    }

    impl Chances {
        fn of(scenario: &Scenario, steps: &[Step], choices: &[u64]) -> Self {
            let (n, load) = (scenario.n, scenario.workload.as_ref().expect("sites ask"));
            let d = match (&scenario.timing.delays, scenario.timing.d) {
                (Delays::Min, d) => Range::new(d.min, d.min),
                (Delays::Max, d) => Range::new(d.max, d.max),
                (_, d) => d,
            };
            let mut next = choices.iter().copied();
            let mut from = |range: Range| {
                let more = if range.min == range.max { 0 } else { next.next().expect("it was recorded") };
                range.min + more
            };
            let nothing = || vec![Vec::new(); n];
            let mut chances =
                Self { delays: vec![nothing(); n], sleeps: nothing(), holds: nothing(), thinks: nothing() };
            for step in steps {
                let place = step.place as usize;
                for effect in &step.effects {
                    match *effect {
                        StepEffect::Send { to, .. } => chances.delays[place][to as usize].push(from(d)),
                        StepEffect::Choose { bound, chosen } => {
                            let drawn = u64::from(chosen);
                            assert_eq!(from(Range::new(0, u64::from(bound) - 1)), drawn);
                            *chances.sleeps[place].last_mut().expect("it has asked") = drawn;
                        }
                        StepEffect::Report { milestone: Some(milestone), .. } => match milestone {
                            Milestone::Requested => chances.sleeps[place].push(0),
                            Milestone::Entered { .. } => chances.holds[place].push(from(load.hold)),
                            Milestone::Left if (chances.holds[place].len() as u64) < load.entries => {
                                chances.thinks[place].push(from(load.think));
                            }
                            _ => {}
                        },
                        _ => {}
                    }
                }
            }
            assert_eq!(next.next(), None, "all is accounted for");
            chances
        }
    }

    /// A scenario that the reference can run: steps of fixed lengths, read one by one.
    fn fixed_steps(draw: &mut Draw) -> Scenario {
        let n = draw.between(1, 6) as usize;
        let mut scenario = any_scenario(draw, n, &[Reading::PerStep]);
        let least = draw.between(1, 5);
        let r = Range::new(least, least + draw.below(4));
        let longest = draw.one_of(&[0, 1, 4, 12]);
        let lengths = draw.list(n, r);
        let phases = (0..n).map(|_| draw.below(9)).collect();
        scenario.timing = Timing {
            r,
            d: Range::new(draw.between(0, longest), longest),
            reading: Reading::PerStep,
            clocks: Clocks::List(lengths),
            delays: if draw.once_in(2) { Delays::Uniform } else { draw.one_of(&Delays::NAMED) },
            offsets: Offsets::List(phases),
            changes: Vec::new(),
        };
        (scenario.wakes, scenario.links) = (Wakes::All, Links::Any);
        let load = scenario.workload.as_mut().expect("sites ask");
        load.entries = draw.between(1, 6);
        load.hold.max = load.hold.min + load.hold.max.min(20) % 7;
        (load.hold.min, load.hold.max) = (load.hold.min.min(20), load.hold.max.min(20));
        (load.think.min, load.think.max) = (load.think.min.min(20), load.think.max.min(20));
        scenario
    }

    fn compare(protocol: &str, set: &Set, scenario: &Scenario, lock: Lock, kinds: [&str; 3]) {
        let n = scenario.n;
        let mut run = simulated(protocol, &as_given(set), scenario);
        run.record();
        let steps = steps(&mut *run);
        let summary = run.summary();
        let chances = Chances::of(scenario, &steps, run.choices().expect("they are recorded"));
        let (Clocks::List(lengths), Offsets::List(first)) = (&scenario.timing.clocks, &scenario.timing.offsets) else {
            unreachable!("it was drawn so");
        };
        let load = scenario.workload.as_ref().expect("sites ask");
        let reference = lock.run(&NaiveNetwork {
            ids: scenario.ids.clone(),
            readers: (0..n).map(|place| load.is_reader(place as u32)).collect(),
            entries: (0..n).map(|place| load.asks(place as u32)).collect(),
            first: first.clone(),
            lengths: &|place, _| lengths[place],
            delay: &|from, to, count| chances.delays[from][to].get(count as usize).copied().unwrap_or(0),
            draw: &|place, entry, _| chances.sleeps[place].get(entry as usize).copied().unwrap_or(0),
            hold: &|place, entry| chances.holds[place].get(entry as usize).copied().unwrap_or(1),
            think: &|place, entry| chances.thinks[place].get(entry as usize).copied().unwrap_or(0),
            one_by_one: scenario.timing.reading == Reading::PerTick,
            limit: summary.cost.time + 100,
        });
        let mut expected = vec![Vec::new(); n];
        let replies = matches!(lock, Lock::SpirakisTampakas { .. });
        for entry in &reference.entries {
            let negatives = if replies { entry.nnr } else { 0 };
            let conformance::naive_mutex::NaiveEntry { asked, entered, left, .. } = *entry;
            expected[entry.place].push(SiteEntry { asked, entered, left, negatives });
        }
        let context = format!("{set:?} in {scenario:?}");
        assert_eq!(completed_entries(&steps, n), expected, "{context}");
        let counts = kinds.map(|kind| summary.cost.passes_of(kind).unwrap_or(0));
        assert_eq!((counts, summary.finished), (reference.messages, reference.finished), "{context}");
        let Outcome::Entries { overlap_max, .. } = summary.outcome else { panic!("sites entered") };
        assert_eq!(overlap_max, reference.overlap, "{context}");
    }

    fn lock(set: &Set, scenario: &Scenario) -> Lock {
        let value = |name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        let (r, d) = (scenario.timing.r, scenario.timing.d);
        let c = match scenario.timing.reading {
            Reading::PerTick if scenario.n > 1 => 6 * scenario.n as u64 - 8,
            _ => 2,
        };
        let window = window(c, (r.min, r.max), d.max);
        let c1 = match value("c1") {
            Some("round") => window + scenario.workload.as_ref().expect("sites ask").hold.max,
            Some(c1) => c1.parse().expect("a number"),
            None => 10,
        };
        Lock::SpirakisTampakas {
            printed: value("rules") == Some("printed"),
            window,
            delaystep: delaystep(c1, (r.min, r.max)),
            predict: (value("predict") == Some("n")).then_some(scenario.n as u64),
            modulus: value("numbers").and_then(|m| m.parse().ok()),
        }
    }

    #[test]
    fn every_entry_is_that_of_the_reference() {
        let mut draw = Draw::new(3);
        for _ in 0..3000 {
            let scenario = fixed_steps(&mut draw);
            let mut set = settings(&mut draw, scenario.n, "none");
            set.push(("rules", draw.one_of(&["repaired", "printed"]).to_string()));
            let kinds = ["request", "negative", "positive"];
            compare("spirakis-tampakas-mutex", &set, &scenario, lock(&set, &scenario), kinds);
        }
    }

    #[test]
    fn so_it_is_with_readers() {
        let mut draw = Draw::new(31);
        for _ in 0..2000 {
            let mut scenario = fixed_steps(&mut draw);
            let writers = draw.between(0, scenario.n as u64) as usize;
            if let Some(load) = &mut scenario.workload {
                (load.readers, load.writers) = (scenario.n - writers, writers);
            }
            let mut set = settings(&mut draw, scenario.n, "none");
            set.retain(|(key, _)| *key != "numbers");
            set.push(("rules", draw.one_of(&["repaired", "printed"]).to_string()));
            let kinds = ["request", "negative", "positive"];
            compare("spirakis-tampakas-readers-writers", &set, &scenario, lock(&set, &scenario), kinds);
        }
    }

    /// The same, where a step reads one message: of those that arrive at one instant in the order of places.
    fn one_by_one(scenario: &mut Scenario) {
        let Range { min, max } = scenario.timing.d;
        (scenario.timing.reading, scenario.timing.d) = (Reading::PerTick, Range::new(min.max(1), max.max(1)));
        scenario.ports = Ports::Plain;
    }

    #[test]
    fn so_it_is_where_a_step_reads_one_message() {
        let mut draw = Draw::new(222);
        for _ in 0..2000 {
            let mut scenario = fixed_steps(&mut draw);
            one_by_one(&mut scenario);
            let mut set = settings(&mut draw, scenario.n, "none");
            set.push(("rules", draw.one_of(&["repaired", "printed"]).to_string()));
            let kinds = ["request", "negative", "positive"];
            compare("spirakis-tampakas-mutex", &set, &scenario, lock(&set, &scenario), kinds);
        }
    }

    #[test]
    fn and_so_is_ricart_and_agrawalas() {
        let mut draw = Draw::new(81);
        for _ in 0..2000 {
            let mut scenario = fixed_steps(&mut draw);
            if draw.once_in(3) {
                one_by_one(&mut scenario);
            }
            let writers = draw.between(0, scenario.n as u64) as usize;
            if let Some(load) = scenario.workload.as_mut().filter(|_| draw.once_in(2)) {
                (load.readers, load.writers) = (scenario.n - writers, writers);
            }
            compare("ricart-agrawala", &vec![], &scenario, Lock::RicartAgrawala, ["request", "", "reply"]);
        }
    }
}
