//! Lamport's optimistic readers and writer, with the waits of Spirakis and Tampakas, section 3.2.

use conformance::lamport_attempts::FirstRead;
use conformance::naive_lamport::lockstep::Lockstep;
use conformance::naive_lamport::{DigitOrder, Directions, Question, explore};
use conformance::{Draw, Played, assert_bounds, assert_refused, finished, passes, prepared, prepared_in};
use ringleader::model::{
    Clocks, DataReport, Delays, Links, Offsets, Outcome, Preset, Protocol, Range, Reading, Scenario, Settings, Timing,
    Workload,
};
use ringleader::protocols::readers_writers::lamport::Lamport;
use ringleader::sim::{Effect, Full, Instrumentation, Lean, Run, Simulation, Summary, Verdict};

/// The cells, how they are gone through, and whether anybody waits.
#[derive(Clone, Copy, Debug)]
struct Memory {
    digits: u32,
    base: u64,
    words: u32,
    waits: bool,
    directions: Directions,
}

/// Lamport's own protocol, small.
const TWO: Memory = Memory { digits: 2, base: 2, words: 2, waits: false, directions: Directions::SAFE };

impl Memory {
    fn settings(&self) -> Vec<(&'static str, String)> {
        let way = |order| if order == DigitOrder::Most { "most" } else { "least" }.to_string();
        let Directions { v1_written, v2_written, v2_read, v1_read } = self.directions;
        vec![
            ("digits", self.digits.to_string()),
            ("base", self.base.to_string()),
            ("words", self.words.to_string()),
            ("waits", if self.waits { "archimedean" } else { "none" }.to_string()),
            ("write-v1", way(v1_written)),
            ("write-v2", way(v2_written)),
            ("read-v2", way(v2_read)),
            ("read-v1", way(v1_read)),
        ]
    }

    const fn cells(&self) -> usize {
        (2 * self.digits + self.words) as usize
    }

    /// This many writes, whenever they come, deceive nobody: M - M/b, if versions count modulo M in base b.
    const fn harmless(&self) -> u64 {
        self.base.pow(self.digits) - self.base.pow(self.digits - 1)
    }

    fn scenario(&self, readers: usize, entries: u64, timing: Timing, seed: u64) -> Scenario {
        let cells = self.cells();
        let workload = Workload { entries, readers, writers: 1, cells, ..Workload::new(readers + 1) };
        Scenario { n: readers + 1 + cells, workload: Some(workload), timing, seed, ..Scenario::default() }
    }

    fn prepared<D: Instrumentation>(&self, scenario: &Scenario) -> Simulation<Lamport, D> {
        let settings = self.settings();
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        prepared_in(&settings, scenario).expect("it suits the protocol")
    }

    fn run(&self, scenario: &Scenario) -> Summary {
        finished(&mut self.prepared::<Lean>(scenario))
    }
}

/// An access takes one step, of a length in this range.
fn steps_of(r_min: u64, r_max: u64) -> Timing {
    Timing { r: Range::new(r_min, r_max), ..Preset::Memory.timing(Reading::Immediate) }
}

/// Reads, attempts and torn reads; none may be stale.
#[track_caller]
fn outcome(summary: &Summary) -> (u64, u64, u64) {
    let Outcome::Data { reads, attempts, torn, stale, .. } = summary.outcome else { panic!("data are shared") };
    assert_eq!(stale, 0, "words are read after an attempt has begun");
    (reads, attempts, torn)
}

fn any_timing(draw: &mut Draw, places: usize) -> Timing {
    let reading = draw.one_of(&[Reading::Immediate, Reading::PerStep]);
    let varying = draw.once_in(3);
    // Every step of a wait is simulated where it has a length of its own.
    let most = if varying && reading == Reading::PerStep { [0, 1, 3, 3] } else { [0, 1, 9, 100] };
    let longest = draw.one_of(&most);
    let least = draw.between(1, 9);
    let r = Range::new(least, draw.between(least, if varying { 2 * least } else { 9 }));
    let d = Range::new(draw.between(0, longest), longest);
    let fixed = [Clocks::Fixed, Clocks::Slowest, Clocks::List(draw.list(places, r))];
    Timing {
        r,
        d,
        reading,
        clocks: if varying { Clocks::Varying } else { draw.one_of(&fixed) },
        delays: draw.one_of(&[Delays::Uniform, Delays::Max, Delays::NewestFirst, Delays::OneWay]),
        offsets: draw.one_of(&[Offsets::Zero, Offsets::Random]),
        changes: Vec::new(),
    }
}

/// Any number of digits, where versions cannot deceive: with the waits one write meets an attempt at most, without them
/// all writes of the run may.
fn any_memory(draw: &mut Draw) -> Memory {
    let waits = draw.once_in(2);
    let (digits, base) = if waits {
        (draw.between(1, 3) as u32, draw.between(2, 4))
    } else {
        draw.one_of(&[(1, 10), (2, 6), (2, 10), (3, 4), (3, 10), (6, 2), (9, 2)])
    };
    Memory { digits, base, words: draw.between(1, 4) as u32, waits, directions: Directions::SAFE }
}

#[test]
fn nothing_torn_is_returned_in_a_million_reads() {
    let (mut draw, mut all) = (Draw::new(1), 0);
    while all < 1_000_000 {
        let memory = any_memory(&mut draw);
        let readers = draw.between(1, 8) as usize;
        let timing = any_timing(&mut draw, readers + 1 + memory.cells());
        let slow = timing.reading == Reading::PerStep && timing.clocks == Clocks::Varying;
        let most = if slow { 20 } else { 1000 };
        let entries = draw.size(if memory.waits { most } else { memory.harmless().min(most) });
        let links = draw.one_of(&[Links::Fifo, Links::Any]);
        let scenario = Scenario { links, ..memory.scenario(readers, entries, timing, draw.below(1 << 40)) };
        let summary = memory.run(&scenario);
        assert_eq!(summary.verdict, Verdict::Held, "{:?}: {memory:?} in {scenario:?}", summary.violations);
        let (reads, _, torn) = outcome(&summary);
        assert_eq!((reads, torn), (entries * readers as u64, 0));
        all += reads;
    }
}

#[test]
fn exactly_those_directions_tear_that_some_interleaving_tears() {
    // Three writes: versions do not wrap. Messages between memory and reader that may take some time make all interleavings.
    for directions in Directions::all() {
        let memory = Memory { directions, ..TWO };
        let question = Question { digits: 2, base: 2, words: 2, writes: 3, start: 0 };
        let timing = Timing { d: Range::new(0, 9), ..steps_of(1, 2) };
        let tears = |seed| outcome(&memory.run(&memory.scenario(40, 3, timing.clone(), seed))).2 > 0;
        let safe = !(0..1000).any(tears);
        assert_eq!(safe, explore(question, directions).safe(), "{directions:?}");
    }
}

#[test]
fn versions_that_wrap_deceive_a_reader_three_times_as_slow_unless_it_waits() {
    let tears = |memory: Memory| {
        let mut clocks = vec![1; 2 + memory.cells()];
        clocks[0] = 3;
        (0..12).any(|offset| {
            let mut phases = vec![0; clocks.len()];
            phases[0] = offset;
            let (clocks, phases) = (Clocks::List(clocks.clone()), Offsets::List(phases));
            let timing = Timing { clocks, offsets: phases, ..steps_of(1, 3) };
            outcome(&memory.run(&memory.scenario(1, 100, timing, offset))).2 > 0
        })
    };
    assert!(tears(TWO));
    // Four writes must begin in one attempt of eight accesses, and three take as long as it does.
    assert!(!tears(Memory { digits: 3, ..TWO }));
    // One digit, two versions: one write meets an attempt at most.
    assert!(!tears(Memory { digits: 1, waits: true, ..TWO }));
    for start in 0..2 {
        let one = Question { digits: 1, base: 2, words: 2, writes: 1, start };
        assert!(explore(one, Directions::SAFE).safe());
        assert!(!explore(Question { writes: 2, ..one }, Directions::SAFE).safe());
    }
}

#[test]
fn readers_starve_in_lockstep_without_waits() {
    for (readers, entries) in [(1, 3), (2, 20), (7, 20)] {
        for timing in [steps_of(1, 1), Timing { clocks: Clocks::Slowest, ..steps_of(10, 20) }] {
            let scenario = TWO.scenario(readers, entries, timing, 1);
            let alone = TWO.run(&scenario);
            assert_eq!(alone.cost.tally.starved, Some(readers as u64));
            // One attempt fails for each write, then every one succeeds.
            assert_eq!(outcome(&alone), (entries * readers as u64, 2 * entries * readers as u64, 0));
            let waits = Memory { waits: true, ..TWO }.run(&scenario);
            assert_eq!(waits.cost.tally.starved, Some(0));
        }
    }
}

/// A mean with its standard error, over runs.
struct Mean {
    mean: f64,
    error: f64,
}

impl Mean {
    fn of(runs: &[f64]) -> Self {
        let count = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / count;
        let squares: f64 = runs.iter().map(|run| (run - mean) * (run - mean)).sum();
        Self { mean, error: (squares / (count * (count - 1.0))).sqrt() }
    }

    /// By four standard errors.
    fn is_below(&self, bound: f64) -> bool {
        self.mean + 4.0 * self.error < bound
    }

    fn is_above(&self, bound: f64) -> bool {
        self.mean - 4.0 * self.error > bound
    }
}

/// Attempts per read of a reader that reads again and again.
fn attempts_per_read(memory: &Memory, timing: &Timing) -> Mean {
    let runs: Vec<_> = (0..30)
        .map(|seed| {
            let summary = memory.run(&memory.scenario(1, 300, timing.clone(), seed));
            let (whole, fraction) = summary.cost.tally.attempts.expect("there were reads").parts();
            whole as f64 + f64::from(fraction) / 2f64.powi(32)
        })
        .collect();
    Mean::of(&runs)
}

#[test]
fn reads_take_at_most_two_attempts_on_average() {
    // Attempts do not depend on writes, nor on their own success: in the long run one fails as often as a write is met, which is
    // at most (R r + W w) of every (3/2 (R+W)/gamma + W) w, where r and w are the reader's and the writer's steps.
    for words in [1, 20] {
        let memory = Memory { digits: 1, words, waits: true, ..TWO };
        for (least, gamma) in [(8, 1.0), (4, 0.5), (2, 0.25), (1, 0.125)] {
            for (reader, writer) in [(8, 8), (8, least), (least, 8)] {
                let mut clocks = vec![8; 2 + memory.cells()];
                (clocks[0], clocks[1]) = (reader, writer);
                let timing = Timing { clocks: Clocks::List(clocks), ..steps_of(least, 8) };
                let attempts = attempts_per_read(&memory, &timing);
                let context = format!("words {words}, gamma {gamma}, {reader} and {writer}: {}", attempts.mean);
                assert!(attempts.is_below(2.0 / gamma + 1.0), "{context}");
                let ratio = reader as f64 / writer as f64;
                let failing = (ratio + 1.0) / (3.0 / gamma + 1.0);
                assert!(!attempts.is_above(1.0 / (1.0 - failing) + 0.02), "{context}");
                // The proof's p, the share of time that the writer sleeps, forgets that an attempt takes time.
                let asleep = 3.0 / gamma / (3.0 / gamma + 1.0);
                if words == 20 && reader >= writer {
                    assert!(attempts.is_above(1.0 / asleep), "{context}");
                }
            }
        }
    }
}

#[test]
fn so_it_is_where_messages_take_time() {
    for words in [1, 10] {
        let memory = Memory { digits: 1, words, waits: true, ..TWO };
        let late = Timing { d: Range::new(0, 10), ..steps_of(10, 10) };
        assert!(attempts_per_read(&memory, &late).is_below(3.0));
        assert!(attempts_per_read(&memory, &Preset::Archimedean.timing(Reading::PerStep)).is_below(5.0));
    }
}

/// Attempts of the very first read, where everybody begins together.
fn first_read(memory: &Memory, seed: u64) -> f64 {
    // A writer that does not come to its end before.
    let mut run = memory.prepared::<Lean>(&memory.scenario(1, 10_000, steps_of(1, 1), seed));
    loop {
        // A wait is longer than this many messages.
        run.advance(memory.cells() as u64);
        if let (1, attempts, _) = outcome(&run.summary()) {
            return attempts as f64;
        }
    }
}

#[test]
fn the_first_read_exceeds_both_bounds_where_all_start_together() {
    for (words, runs, claimed) in [(6, 12_000, 2.5), (40, 10_000, 3.0)] {
        let memory = Memory { digits: 1, words, waits: true, ..TWO };
        let attempts = Mean::of(&(0..runs).map(|seed| first_read(&memory, seed)).collect::<Vec<_>>());
        let exact = FirstRead::new(words).mean();
        assert!(!attempts.is_below(exact) && !attempts.is_above(exact), "{} against {exact}", attempts.mean);
        // 2/gamma + 1/2 is the sharper one, 2/gamma + 1 the claim; gamma = 1.
        assert!(attempts.is_above(claimed), "{} and {claimed}", attempts.mean);
    }
    let exceeds = |words| FirstRead::new(words).mean();
    assert!(exceeds(4) < 2.5 && exceeds(5) > 2.5 && exceeds(15) < 3.0 && exceeds(16) > 3.0);
}

/// A run in full, and what everybody drew, in order, by place.
fn with_draws(memory: &Memory, scenario: &Scenario) -> (Simulation<Lamport, Full>, Vec<Vec<u64>>) {
    let mut run = memory.prepared::<Full>(scenario);
    run.log();
    finished(&mut run);
    let mut draws = vec![Vec::new(); scenario.n];
    for record in run.records() {
        for effect in &record.effects {
            if let Effect::SetTimer(_, ticks) = effect
                && record.effects.iter().any(|effect| matches!(effect, Effect::Choose(..)))
            {
                draws[record.place as usize].push(ticks.get().expect("it is not never"));
            }
        }
    }
    (run, draws)
}

/// Attempts of each read of a place, and when its last access was made one step before it returned.
fn reads_of(run: &Simulation<Lamport, Full>, place: u32) -> Vec<(u64, u64)> {
    let (mut reads, mut attempts) = (Vec::new(), 0);
    for record in run.records().iter().filter(|record| record.place == place) {
        for effect in &record.effects {
            match effect {
                Effect::Report(DataReport::Attempts) => attempts += 1,
                Effect::Report(DataReport::Returns { .. }) => {
                    reads.push((attempts, record.time));
                    attempts = 0;
                }
                _ => {}
            }
        }
    }
    reads
}

#[test]
fn attempts_are_those_of_a_plain_simulation_with_the_same_waits() {
    let mut draw = Draw::new(5);
    let mut compared = 0;
    for _ in 0..60 {
        let (digits, words) = (draw.between(1, 3) as u32, draw.between(1, 4) as u32);
        let memory = Memory { digits, words, base: draw.between(2, 3), waits: true, directions: Directions::SAFE };
        let readers = draw.between(1, 4) as usize;
        let places = readers + 1 + memory.cells();
        let clocks = draw.list(places, Range::new(1, 3));
        let phases = draw.list(places, Range::new(0, 20));
        let timing =
            Timing { clocks: Clocks::List(clocks.clone()), offsets: Offsets::List(phases.clone()), ..steps_of(1, 3) };
        let scenario = memory.scenario(readers, 30, timing, draw.below(1 << 40));
        let (run, draws) = with_draws(&memory, &scenario);
        let question =
            Question { digits: digits as usize, base: memory.base, words: words as usize, writes: 0, start: 0 };
        // The other writer goes on forever: only reads are compared that end while this one writes.
        let mut left: Vec<_> = draws.iter().map(|draws| draws.iter().copied()).collect();
        let mut wait = |place: usize| left[place].next().unwrap_or(1000);
        let pairs = phases.iter().copied().zip(clocks.iter().copied()).take(readers + 1).collect();
        let plain = Lockstep {
            question,
            directions: Directions::SAFE,
            clocks: pairs,
            writer: readers,
            wait: &mut wait,
            reads: 30,
            patience: u64::MAX,
        };
        let plain = plain.run();
        let written = |record: &&_| {
            let ringleader::sim::Record { effects, .. } = record;
            effects.iter().any(|effect| matches!(effect, Effect::Report(DataReport::Written(_))))
        };
        let over = run.records().iter().filter(written).map(|record| record.time).max().expect("there are writes");
        for (place, length) in clocks.into_iter().take(readers).enumerate() {
            let expected: Vec<_> = plain
                .iter()
                .filter(|read| read.place == place)
                .map(|read| (read.attempts, read.until + length))
                .collect();
            let found = reads_of(&run, place as u32);
            let count = found.iter().take_while(|(_, time)| *time < over).count();
            assert_eq!(found[..count], expected[..count], "{memory:?} {scenario:?}");
            compared += count;
        }
    }
    assert!(compared > 2000, "only {compared}");
}

#[test]
fn an_attempt_takes_a_step_per_cell_and_waits_are_all_those_of_the_interval() {
    let usual = Memory { digits: 3, waits: true, ..TWO };
    // The writer does not write. gamma = 1/2, R + W = 16.
    let mut scenario = usual.scenario(1, 400, Timing { clocks: Clocks::Slowest, ..steps_of(10, 20) }, 1);
    scenario.workload.as_mut().expect("it has one").compete = 1;
    let (run, draws) = with_draws(&usual, &scenario);
    let mut waits = draws[0].clone();
    waits.sort_unstable();
    assert_eq!((waits.len(), waits[0], waits[399]), (400, 32, 64));
    waits.dedup();
    assert_eq!(waits.len(), 33);
    let steps: u64 = draws[0].iter().sum::<u64>() + 400 * 8;
    let reads = reads_of(&run, 0);
    assert_eq!(reads.last(), Some(&(1, 20 * steps)));
    assert!(reads.iter().all(|(attempts, _)| *attempts == 1));
    // 3·⌈(2·100 + 2·20)/10⌉ = 72 steps each, (72 + 72)·2 = 288 to 576.
    let small = Memory { digits: 1, words: 1, waits: true, ..TWO };
    let timing = Preset::Archimedean.timing(Reading::PerStep);
    let (_, draws) = with_draws(&small, &small.scenario(1, 2000, timing, 1));
    let all = || draws.iter().flatten();
    assert_eq!((all().min(), all().max()), (Some(&288), Some(&576)));
    // γ = 2/3: nothing shorter than 6·3/2 = 9, nothing longer than 18.
    let (_, draws) = with_draws(&small, &small.scenario(1, 500, steps_of(2, 3), 1));
    let all = || draws.iter().flatten();
    assert_eq!((all().min(), all().max()), (Some(&9), Some(&18)));
}

#[test]
fn no_access_takes_longer_than_the_waits_allow_for() {
    let mut draw = Draw::new(9);
    for seed in 0..300 {
        let memory = Memory { digits: 1, waits: true, ..TWO };
        let readers = draw.between(1, 5) as usize;
        let timing = any_timing(&mut draw, readers + 1 + memory.cells());
        let (run, _) = with_draws(&memory, &memory.scenario(readers, 5, timing.clone(), seed));
        let longest = 2 * timing.d.max + 2 * timing.r.max;
        let mut asked = vec![None; readers + 1];
        for record in run.records().iter().filter(|record| record.place as usize <= readers) {
            let asked = &mut asked[record.place as usize];
            if let Some(since) = *asked
                && record
                    .effects
                    .iter()
                    .any(|effect| matches!(effect, Effect::Send(..) | Effect::Report(_) | Effect::Choose(..)))
            {
                assert!(record.time - since <= longest, "{} of {longest} in {timing:?}", record.time - since);
                *asked = None;
            }
            if record.effects.iter().any(|effect| matches!(effect, Effect::Send(..))) {
                *asked = Some(record.time);
            }
        }
    }
}

#[test]
fn every_access_costs_two_messages() {
    let mut draw = Draw::new(3);
    for seed in 0..300 {
        let memory = any_memory(&mut draw);
        let (readers, entries) = (draw.below(4) as usize, draw.between(1, memory.harmless().min(20)));
        let timing = any_timing(&mut draw, readers + 1 + memory.cells());
        let scenario = memory.scenario(readers, entries, timing, seed);
        let mut run = memory.prepared::<Full>(&scenario);
        let summary = finished(&mut run);
        // Where nobody reads while the writer writes, there is no mean.
        if summary.cost.tally.attempts.is_some() {
            assert_bounds(&run, &scenario);
        }
        let (_, attempts, _) = outcome(&summary);
        let cells = memory.cells() as u64;
        let found = ["read", "value", "write", "done"].map(|kind| passes(&summary, kind));
        assert_eq!(found, [attempts * cells, attempts * cells, entries * cells, entries * cells]);
    }
}

#[test]
fn one_site_writes_and_two_share() {
    let alone = Played::of("lamport-readers-writers -n 1");
    assert_eq!((alone.summary.verdict, outcome(&alone.summary)), (Verdict::Held, (0, 0, 0)));
    // 20 writes of 8 accesses.
    assert_eq!(alone.summary.cost.messages(), 2 * 160);
    let two = Played::of("lamport-readers-writers -n 2");
    assert_eq!((two.summary.verdict, outcome(&two.summary).0), (Verdict::Held, 20));
    // Sites that neither read nor write do nothing.
    let more = Played::of("lamport-readers-writers -n 5 --readers 1 --writers 1 --seed 4");
    assert_eq!((more.summary.verdict, outcome(&more.summary).0), (Verdict::Held, 20));
}

#[test]
fn unsuitable_scenarios_are_refused() {
    for (line, field) in [("--timing lockstep", "reading"), ("--wake one", "wake")] {
        assert_refused(&format!("lamport-readers-writers -n 3 {line}"), field);
    }
    let refused = |scenario: &Scenario| prepared::<Lamport>(&[], scenario).err().map(|bad| bad.field);
    let usual = Memory { digits: 3, waits: true, ..TWO };
    let good = usual.scenario(2, 5, steps_of(10, 20), 1);
    assert_eq!(refused(&good), None);
    for writers in [0, 2] {
        let mut scenario = good.clone();
        scenario.workload.as_mut().expect("it has one").writers = writers;
        assert_eq!(refused(&scenario), Some("writers"));
    }
    assert_eq!(refused(&Scenario { ports: ringleader::model::Ports::Shuffled(1), ..good.clone() }), Some("ports"));
    assert_eq!(refused(&Scenario { timing: steps_of(1, 1 << 40), ..good }), Some("r"));
}

#[test]
fn the_cells_are_those_of_the_settings() {
    let given = [("digits".to_string(), "5".to_string()), ("words".to_string(), "7".to_string())];
    let settings = Settings::new(Lamport::DESCRIPTION.parameters, &given).expect("they are allowed");
    assert_eq!(Lamport::cells(&settings), 17);
}
