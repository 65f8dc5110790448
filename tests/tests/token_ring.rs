//! The token rings of practice \[Vitanyi1984\]: what is repaired keeps one token, what is printed does not.

use conformance::{Draw, LINKS, Played, assert_bounds, assert_refused, finished, naive_token, prepared, prepared_in};
use ringleader::Setup;
use ringleader::model::{
    Clocks, Delays, Faults, Links, Milestone, Offsets, Outcome, Preset, Protocol, Range, Reading, Scenario, Settings,
    Share, Timing, TokenReport, Value, Wakes,
};
use ringleader::protocols::token::token_ring::TokenRing;
use ringleader::sim::{Effect, Lean, Resolved, Run, Summary, Verdict};

const READINGS: [Reading; 2] = [Reading::Immediate, Reading::PerStep];

/// Clocks, delays and reading, drawn within these bounds.
fn timing(draw: &mut Draw, n: usize, r: Range, d: Range) -> Timing {
    let reading = draw.one_of(&READINGS);
    let (steps, link_delays) = (draw.list(n, r), draw.list(n, d));
    let clocks = [Clocks::Fixed, Clocks::Varying, Clocks::Slowest, Clocks::Fastest, Clocks::List(steps)];
    let delays = [Delays::Uniform, Delays::Min, Delays::Max, Delays::NewestFirst, Delays::List(link_delays)];
    let offsets = Offsets::List(draw.list(n, Range::new(0, r.max)));
    Timing {
        r,
        d,
        reading,
        clocks: draw.one_of(&clocks),
        delays: draw.one_of(&delays),
        offsets: draw.one_of(&[Offsets::Zero, Offsets::Random, offsets]),
        changes: Vec::new(),
    }
}

/// Any bounds, within the condition or not; a token read on arrival takes some time for a hop.
fn any_timing(draw: &mut Draw, n: usize) -> Timing {
    let least = draw.between(1, 9);
    let r = Range::new(least, draw.between(least, 3 * least + 9));
    let longest = draw.one_of(&[0, 1, 9, 40]);
    let d = Range::new(draw.between(0, longest), longest);
    let timing = timing(draw, n, r, d);
    if timing.reading == Reading::Immediate && timing.d.min == 0 { any_timing(draw, n) } else { timing }
}

/// Bounds with (d_max + r_max)/d_min < 2 r_min/r_max, half of the time as close to it as integers come.
fn within_the_condition(draw: &mut Draw) -> (Range, Range) {
    let least = draw.between(1, 12);
    let r = Range::new(least, draw.between(least, (2 * least - 1).min(least + 4)));
    let shortest = r.max * r.max / (2 * r.min - r.max) + 1;
    let more = draw.one_of(&[0, 3, 30]);
    let d_min = draw.between(shortest, shortest + more);
    let greatest = (2 * d_min * r.min - 1) / r.max - r.max;
    let d = Range::new(d_min, if draw.once_in(2) { greatest } else { draw.between(d_min, greatest) });
    assert!((d.max + r.max) * r.max < 2 * d.min * r.min && d.min <= d.max);
    (r, d)
}

fn lap(scenario: &Scenario) -> u64 {
    scenario.n as u64 * (scenario.timing.d.max + scenario.timing.r.max)
}

fn run_lean(settings: &[(&str, &str)], scenario: &Scenario) -> Summary {
    let run = prepared_in::<TokenRing, Lean>(settings, scenario);
    finished(&mut run.unwrap_or_else(|bad| panic!("{settings:?}, {scenario:?}: {bad}")))
}

#[track_caller]
fn assert_one(summary: &Summary, settings: &[(&str, &str)], scenario: &Scenario) {
    assert_eq!(summary.verdict, Verdict::Held, "{:?}: {settings:?} in {scenario:?}", summary.violations);
    assert_eq!(summary.outcome, Outcome::Tokens { tokens: 1 });
}

/// Any number of tokens at first, anybody awake at any time, and messages lost and doubled for a while.
fn disturbed(draw: &mut Draw, largest: u64) -> (Scenario, String, &'static str) {
    let n = draw.size(largest) as usize;
    let (r, d) = within_the_condition(draw);
    let timing = timing(draw, n, r, d);
    let mut scenario = Scenario { n, timing, seed: draw.below(1 << 40), ..Scenario::default() };
    scenario.links = draw.one_of(&[Links::Fifo, Links::Any]);
    let lap = lap(&scenario);
    let latest = draw.one_of(&[0, lap / 2, 5 * lap]);
    scenario.wakes = draw.wakes(n, latest);
    if draw.once_in(3) {
        let share = Some(Share { part: 1, whole: 50 });
        let until = Some(draw.between(0, 20 * lap));
        scenario.faults = Faults { loss: share, duplicate: share, until, ..Faults::default() };
    }
    let tokens = [0, 1, 2.min(n), n, draw.below(n as u64 + 1) as usize];
    (scenario, draw.one_of(&tokens).to_string(), draw.one_of(&["jitter", "distinct"]))
}

/// "Within the timing and synchronization conditions met this basically probabilistic algorithm works fine": within 150
/// laps of the last disturbance there is one token, and it stays, in every one of 10,000 runs.
#[test]
fn within_the_condition_one_token_is_left_and_kept() {
    let mut draw = Draw::new(84);
    for _ in 0..10_000 {
        let (scenario, tokens, limits) = disturbed(&mut draw, 24);
        let settings = [("tokens", tokens.as_str()), ("limits", limits)];
        assert_one(&run_lean(&settings, &scenario), &settings, &scenario);
    }
    for _ in 0..10 {
        let (mut scenario, tokens, limits) = disturbed(&mut draw, 1000);
        if scenario.timing.clocks == Clocks::Varying {
            scenario.timing.clocks = Clocks::Fixed;
        }
        let settings = [("tokens", tokens.as_str()), ("limits", limits)];
        assert_one(&run_lean(&settings, &scenario), &settings, &scenario);
    }
}

/// E ≤ every gap of a lone token < L, whatever the clocks, delays and waking times, within the condition or not.
#[test]
fn a_lone_token_is_never_disturbed() {
    let mut draw = Draw::new(1984);
    for _ in 0..2000 {
        let n = draw.size(12) as usize;
        let timing = any_timing(&mut draw, n);
        let mut scenario = Scenario { n, timing, seed: draw.below(1 << 40), ..Scenario::default() };
        scenario.links = draw.one_of(LINKS);
        if let Wakes::At(mut at) = draw.wakes(n, 3 * lap(&scenario)) {
            at[0] = Some(0);
            scenario.wakes = Wakes::At(at);
        }
        let settings = [("limits", draw.one_of(&["jitter", "distinct"])), ("jitter", draw.one_of(&["0", "nL"]))];
        let mut run = prepared::<TokenRing>(&settings, &scenario).expect("the scenario suits the protocol");
        let summary = finished(&mut run);
        assert_one(&summary, &settings, &scenario);
        // Place 0 begins with it at 0, and nothing was inserted or removed after.
        assert_eq!(summary.cost.tally.laps, Some(Value::ZERO), "{settings:?} in {scenario:?}");
        assert_bounds(&run, &scenario);
    }
}

/// With all delays and steps the same a lone token is back after n d, which is E steps: E could not be greater.
#[test]
fn e_is_as_great_as_it_can_be() {
    let played = Played::of("token-ring -n 4 --r 10 --d 10 --reading per-step");
    let figure = |symbol| played.setup.facts.figures.iter().find(|f| f.symbol == symbol).map(|f| f.value);
    assert_eq!((figure("E"), figure("L")), (Some(Value::int(4)), Some(Value::int(9))));
    // A pass every 10, until 150 laps of 4 · 20 are over: a turn takes 40, which is 4 steps.
    assert_eq!(played.summary.cost.messages(), 150 * 80 / 10 + 1);
    assert_eq!(played.summary.cost.tally.laps, Some(Value::ZERO));
}

#[test]
fn distinct_limits_need_no_chance_and_keep_their_bound() {
    let mut draw = Draw::new(5);
    for _ in 0..300 {
        let n = draw.size(16) as usize;
        let timing = any_timing(&mut draw, n);
        let scenario = Scenario { n, timing, seed: draw.below(1 << 40), ..Scenario::default() };
        let settings = [("tokens", "0"), ("limits", "distinct")];
        let mut run = prepared::<TokenRing>(&settings, &scenario).expect("the scenario suits the protocol");
        assert_one(&finished(&mut run), &settings, &scenario);
        assert_bounds(&run, &scenario);
    }
}

/// Two tokens at opposite ends, read on arrival, each hop as long as can be: both pass if half a turn, n d_max/2 steps, has E - 1 =
/// n d_min - 1 steps or more.
#[test]
fn two_tokens_circulate_forever_just_where_the_note_says_so() {
    for n in [2, 4, 6, 8] {
        for shortest in 1..=4 {
            for longest in shortest..=10 {
                let line = format!("token-ring -n {n} --r 1 --d {shortest}..{longest} --delays max --set tokens=2");
                let played = Played::of(&line);
                let both = n * longest >= 2 * (n * shortest - 1);
                let tokens = if both { 2 } else { 1 };
                assert_eq!(played.summary.outcome, Outcome::Tokens { tokens }, "{line}");
                let said = played.setup.facts.notes.concat();
                assert_eq!(said.contains("can live forever"), both, "{line}: {said}");
            }
        }
    }
}

/// The same read per step, where a hop takes up to d_max + r_max: here 11 and a wait of 9.
#[test]
fn two_tokens_circulate_forever_outside_the_condition_read_per_step() {
    for (d, tokens) in [("10..11", 2), ("11", 1)] {
        // 4 hops of 20 are a turn, two of them 4 steps. d_min = 10: E = 4. d_min = 11: E = 5.
        let line = format!("token-ring -n 4 --r 10 --d {d} --delays max --reading per-step --set tokens=2");
        assert_eq!(Played::of(&line).summary.outcome, Outcome::Tokens { tokens }, "{line}");
    }
}

/// Without jitter all insert at the same time, all remove what the others inserted, and so on.
#[test]
fn without_jitter_a_ring_in_lock_step_never_gets_a_token() {
    for reading in ["immediate", "per-step"] {
        for n in 3..20 {
            let line = format!("token-ring -n {n} --r 1 --d 2 --reading {reading} --set tokens=0");
            let played = Played::of(&format!("{line} --set jitter=0"));
            assert_eq!(played.summary.verdict, Verdict::Violated, "{line}");
            // L = 3n + 1: all n insert at every L-th step, until 150 laps of 3n are over.
            let rounds = 150 * 3 * n / (3 * n + 1);
            assert_eq!(played.summary.cost.messages(), rounds * n, "{line}");
            for others in ["--set jitter=nL", "--set limits=distinct"] {
                assert_eq!(Played::of(&format!("{line} {others}")).summary.verdict, Verdict::Held, "{line} {others}");
            }
        }
    }
}

/// With J = L processors insert at about the same time, and their tokens remove each other, the more the larger the ring.
#[test]
fn a_jitter_of_l_is_too_small_for_larger_rings() {
    let failed = |n: u32, jitter: &str| {
        let line = |seed| format!("token-ring -n {n} --r 1 --d 4 --set tokens=0 --set jitter={jitter} --seed {seed}");
        (0..40).filter(|&seed| Played::of(&line(seed)).summary.verdict == Verdict::Violated).count()
    };
    assert_eq!([failed(5, "L"), failed(40, "nL")], [0, 0]);
    let failed = failed(40, "L");
    assert!(failed > 20, "{failed} of 40");
}

/// As printed: however long the one timer is, and however many tokens there were, there is never one for long.
#[test]
fn the_one_timer_of_the_paper_never_keeps_one_token() {
    for n in 1..=6u64 {
        let longest = 2 * n + 1;
        for timer in 1..=3 * longest {
            for tokens in 0..=n {
                for reading in ["immediate", "per-step"] {
                    let line = format!(
                        "token-ring -n {n} --reading {reading} --set rules=printed --set timer={timer} --set tokens={tokens}"
                    );
                    let played = Played::of(&line);
                    assert_eq!(played.summary.verdict, Verdict::Violated, "{line}");
                }
            }
        }
    }
}

/// As printed a timer is started by a passage only: where there is no token nothing ever happens.
#[test]
fn as_printed_a_ring_without_a_token_stays_so() {
    let played = Played::of("token-ring -n 5 --set rules=printed --set tokens=0");
    assert_eq!((played.summary.verdict, played.summary.cost.messages()), (Verdict::Violated, 0));
}

/// As printed, by hand: 2 processors, d = 1, a timer of 4. The token leaves place 0 at 0, is passed on at 1 and is back at 2, too
/// early: removed. Place 0 inserts at 4, place 1 at 5, and again every 4: each is removed one hop on.
#[test]
fn as_printed_a_lone_token_is_removed_when_it_is_back() {
    let mut played = Played::logged("token-ring -n 2 --set rules=printed --set timer=4");
    let steps = played.execution.run.take_log();
    let told = |wanted: Milestone| {
        let reports = steps.iter().filter(|step| step.milestones().any(|milestone| milestone == wanted));
        reports.map(|step| (step.time, step.place)).take(4).collect::<Vec<_>>()
    };
    assert_eq!(told(Milestone::TokenInserted), [(4, 0), (5, 1), (8, 0), (9, 1)]);
    assert_eq!(told(Milestone::TokenRemoved), [(2, 0), (5, 1), (6, 0), (9, 1)]);
}

/// What reaches a processor that has stopped is lost; those behind it insert again and again.
#[test]
fn a_crash_cuts_the_ring() {
    let played = Played::of("token-ring -n 4 --faults crash:2@50");
    assert_eq!(played.summary.verdict, Verdict::Violated);
    let violated: Vec<_> = played.summary.violations.iter().map(|violation| violation.property).collect();
    assert_eq!(violated, ["termination"]);
    // Before the crash a pass in every unit of time; after it never more than n - 1 for one token.
    let messages = played.summary.cost.messages();
    assert!((60..1200 + 50).contains(&messages), "{messages}");
}

#[test]
fn tokens_that_are_lost_and_doubled_for_a_while_leave_one() {
    for seed in 0..50 {
        let line = format!(
            "token-ring -n 12 --r 4..5 --d 20 --reading per-step --faults loss:1/50,duplicate:1/50,until:20000 --seed {seed}"
        );
        let played = Played::of(&line);
        assert_eq!(played.summary.verdict, Verdict::Held, "{line}");
        // The horizon is 150 laps after the last disturbance.
        assert!(played.summary.cost.time > 20_000 + 149 * 12 * 25, "{line}");
    }
}

#[test]
fn tokens_are_spread_evenly() {
    let holders = |n: usize, tokens: &str| {
        let scenario = Scenario { n, timing: Preset::Unit.timing(Reading::Immediate), ..Scenario::default() };
        let given = [("tokens".to_string(), tokens.to_string())];
        let settings = Settings::new(TokenRing::DESCRIPTION.parameters, &given).expect("it has that parameter");
        let protocol = TokenRing::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).expect("it may");
        (0..n as u32).filter(|&place| protocol.role(place) & 1 == 1).collect::<Vec<_>>()
    };
    assert!(holders(8, "0").is_empty());
    assert_eq!(holders(8, "1"), [0]);
    assert_eq!(holders(8, "2"), [0, 4]);
    assert_eq!(holders(7, "3"), [0, 2, 4]);
    assert_eq!(holders(7, "5"), [0, 1, 2, 4, 5]);
    assert_eq!(holders(4, "n"), [0, 1, 2, 3]);
    assert_eq!(holders(1, "1"), [0]);
}

#[test]
fn one_processor_keeps_a_token_and_makes_one() {
    for tokens in 0..=1 {
        let played = Played::of(&format!("token-ring -n 1 --set tokens={tokens}"));
        assert_eq!(played.summary.verdict, Verdict::Held);
    }
}

/// Demands that what is written after `ringleader run` suits the scenario but not the protocol, on account of this field.
#[track_caller]
fn assert_unsuited(line: &str, field: &str) {
    let (protocol, options) = conformance::asked(line);
    let refused = Setup::new(conformance::entry(&protocol), options).map(|_| ()).expect_err(line);
    assert!(refused.to_string().contains(field), "{line}: {refused}");
}

#[test]
fn unsuitable_settings_are_refused() {
    assert_unsuited("token-ring -n 4 --set tokens=5", "tokens=5");
    assert_unsuited("token-ring -n 4 --set jitter=many", "jitter=many");
    assert_unsuited("token-ring -n 4 --set jitter=-1", "jitter=-1");
    assert_unsuited("token-ring -n 4 --set rules=printed --set timer=0", "timer=0");
    assert_refused("token-ring -n 4 --reading per-tick", "reading");
    assert_refused("token-ring --ids 1,2", "ids");
    // A token that is read on arrival and takes no time would circulate forever at one instant.
    assert_unsuited("token-ring -n 4 --d 0", "makes a turn in no time");
    assert_unsuited("token-ring -n 4 --d 0..3 --delays min", "makes a turn in no time");
    assert_unsuited("token-ring -n 4 --d 0..3 --delays newest-first", "makes a turn in no time");
}

/// The number of tokens after every instant, as an independent model has it that looks at every unit of time.
#[test]
fn the_reference_has_as_many_tokens_at_every_instant() {
    let mut draw = Draw::new(193);
    let mut changes = 0;
    for _ in 0..1500 {
        let n = draw.between(1, 8) as usize;
        let least = draw.between(1, 6);
        let r = Range::new(least, draw.between(least, 2 * least));
        let d = Range::new(draw.between(1, 9), 9);
        let (steps, link_delays) = (draw.list(n, r), draw.list(n, d));
        let phases: Vec<_> = steps.iter().map(|&step| draw.below(step)).collect();
        let timing = Timing {
            r,
            d,
            reading: Reading::PerStep,
            clocks: Clocks::List(steps.clone()),
            delays: Delays::List(link_delays.clone()),
            offsets: Offsets::List(phases.clone()),
            changes: Vec::new(),
        };
        let scenario = Scenario { n, timing, seed: draw.below(1 << 40), ..Scenario::default() };
        let (tokens, jitter) = (draw.below(n as u64 + 1).to_string(), draw.one_of(&["0", "3", "L", "nL"]));
        let settings = [("tokens", tokens.as_str()), ("jitter", jitter)];
        let mut run = prepared::<TokenRing>(&settings, &scenario).expect("the scenario suits the protocol");
        run.log();
        let _ = finished(&mut run);

        let mut drawn = vec![Vec::new(); n];
        let mut told = Vec::new();
        for record in run.records() {
            for effect in &record.effects {
                match effect {
                    Effect::Choose(_, jitter) => drawn[record.place as usize].push(u64::from(*jitter)),
                    Effect::Report(report) => told.push((record.time, *report)),
                    _ => {}
                }
            }
        }
        let limit = 150 * lap(&scenario);
        let mut count = 0;
        let mut told = told.into_iter().peekable();
        let counts = (0..=limit).map(|time| {
            while let Some((_, report)) = told.next_if(|&(then, _)| then == time) {
                match report {
                    TokenReport::Begins | TokenReport::Inserts => count += 1,
                    TokenReport::Removes => count -= 1,
                }
                changes += 1;
            }
            count
        });
        let counts: Vec<u64> = counts.collect();

        let given = (0..n as u32).map(|place| run.protocol().role(place) & 1 == 1).collect();
        let (pair_r, pair_d) = ((r.min, r.max), (d.min, d.max));
        let naive = naive_token::NaiveRing {
            given,
            first: phases,
            lengths: &|place, _| steps[place],
            delay: &|place, _| link_delays[place],
            jitter: &|place, armed| drawn[place].get(armed as usize).copied().unwrap_or(0),
            early: naive_token::early(n as u64, pair_r, pair_d),
            late: naive_token::late(n as u64, pair_r, pair_d),
            limit,
        };
        assert!(naive.run().tokens == counts, "{settings:?} in {scenario:?}");
    }
    assert!(changes > 20_000, "only {changes}: nothing was compared");
}
