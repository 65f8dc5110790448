//! Properties of every protocol of the catalogue in every scenario that suits it.

use conformance::{Played, entry, links_of};
use proptest::prelude::*;
use proptest::sample::select;
use ringleader::model::{
    BoundKind, ChangingRange, Clocks, Delays, Description, Faults, Offsets, Orientation, Preset, Range, Reading,
    Scenario, Starts, Topology, Wakes,
};
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader::sim::{Choices, Verdict};
use ringleader::{Catalogue, Execution, Options, Setup, TimingName, TraceFile};

fn set_up(protocol: &str, options: &Options) -> Setup {
    Setup::new(entry(protocol), options.clone()).expect("the scenario suits the protocol")
}

/// Identities, or their number where the protocol has none. The least one is small: 2^i units must come to an end.
fn who(description: &'static Description) -> BoxedStrategy<(usize, Options)> {
    let size = 1..=if endless(description) { 12 } else { 40usize };
    if !description.assumptions.identities {
        return size.prop_map(|n| (n, Options { n: Some(n as u64), ..Options::default() })).boxed();
    }
    let ids = size.prop_flat_map(|n| (Just(n), Just((1..=n as u64 + 4).collect::<Vec<_>>()).prop_shuffle()));
    ids.prop_map(|(n, ids)| (n, Options { ids: Some(ids[..n].to_vec()), ..Options::default() })).boxed()
}

/// Whether users make requests repeatedly.
fn visited(description: &Description) -> bool {
    ["mutual-exclusion", "readers-writers"].contains(&entry(description.name).problem())
}

/// Whether it runs for 150 laps, and promises something only where everybody starts together.
fn endless(description: &Description) -> bool {
    entry(description.name).problem() == "token-ring"
}

fn wakes(description: &'static Description, n: usize) -> BoxedStrategy<Option<Wakes>> {
    if description.assumptions.starts == Starts::Together || endless(description) {
        return Just(None).boxed();
    }
    // Who competes for something wakes by itself.
    let asleep = Just(visited(description).then_some(7));
    let time = prop_oneof![asleep, Just(Some(0)), (0..200u64).prop_map(Some)];
    let times = prop::collection::vec(time, n);
    let some = (times, 0..n, 0..50u64).prop_map(|(mut times, someone, time)| {
        times[someone] = Some(time);
        Some(Wakes::At(times))
    });
    prop_oneof![1 => Just(None), 3 => some].boxed()
}

/// A preset, or everything drawn by itself.
fn timing(description: &'static Description, n: usize) -> BoxedStrategy<Options> {
    if description.assumptions.compulsory {
        return Just(Options::default()).boxed();
    }
    let readings = description.assumptions.readings;
    // A token that circulates forever must take some time for it, and first steps must not be late.
    let endless = endless(description);
    let timely = move |preset: &Preset| !endless || preset.timing(readings[0]).d.max > 0;
    let presets = Preset::ALL.into_iter().filter(move |preset| readings.contains(&preset.reading()) && timely(preset));
    let preset = select(presets.collect::<Vec<_>>())
        .prop_map(|preset| Options { timing: Some(TimingName::Preset(preset)), ..Options::default() });
    let r = (1..20u64, 0..20u64).prop_map(|(least, more)| (least, least + more));
    let d = (u64::from(endless)..20u64, 0..60u64).prop_map(|(least, more)| (least, least + more));
    let own = (r, d).prop_flat_map(move |(r, d)| {
        let listed = |(least, greatest): (u64, u64), count| prop::collection::vec(least..=greatest, count);
        let clocks = prop_oneof![4 => select(&Clocks::NAMED[..]), 1 => listed(r, n).prop_map(Clocks::List)];
        let suits = move |delays: &Delays| match delays {
            Delays::SlowestHigh | Delays::SlowestLow => description.assumptions.identities,
            Delays::OneWay => description.assumptions.topology != Topology::Ring,
            _ => true,
        };
        let named: Vec<_> = Delays::NAMED.into_iter().filter(suits).collect();
        let named = select(named);
        let delays = match description.assumptions.topology {
            Topology::Complete => named.boxed(),
            _ => prop_oneof![5 => named, 1 => listed(d, n).prop_map(Delays::List)].boxed(),
        };
        // Who counts on steps and readings counts on the first step too.
        let latest = if readings.len() < Reading::ALL.len() { r.1 } else { 30 };
        let offsets =
            prop_oneof![2 => select(&Offsets::NAMED[..]), 1 => listed((0, latest), n).prop_map(Offsets::List)];
        let reading = select(readings);
        let other = (1..300u64, (1..30u64, 0..30u64), (u64::from(endless)..60u64, 0..60u64));
        let change = prop_oneof![2 => Just(None), 1 => other.prop_map(Some)];
        (clocks, delays, offsets, reading, change).prop_map(move |(clocks, delays, offsets, reading, change)| Options {
            r: Some(changing(r, change.map(|(from, r, _)| (from, r)).filter(|_| !matches!(clocks, Clocks::List(_))))),
            d: Some(changing(d, change.map(|(from, _, d)| (from, d)).filter(|_| !matches!(delays, Delays::List(_))))),
            clocks: Some(clocks),
            delays: Some(delays),
            offsets: Some(offsets),
            reading: Some(reading),
            ..Options::default()
        })
    });
    prop_oneof![1 => preset, 3 => own].boxed()
}

/// A range, and from some time on another one, by its least value and how many more there are.
fn changing(range: (u64, u64), change: Option<(u64, (u64, u64))>) -> ChangingRange {
    let constant = Range::new(range.0, range.1);
    let Some((from, (least, more))) = change else { return constant.into() };
    format!("{constant}@0,{}@{from}", Range::new(least, least + more)).parse().expect("it is in the order of time")
}

/// Left and right, where there are two.
fn orientation(description: &'static Description) -> BoxedStrategy<Option<Orientation>> {
    match description.assumptions.topology {
        Topology::BidirectionalRing => select(&[None, Some(Orientation::Random)]).boxed(),
        Topology::Ring | Topology::Complete => Just(None).boxed(),
    }
}

/// Any protocol, in any scenario that suits it.
fn anything() -> impl Strategy<Value = (&'static str, Options)> {
    select(DESCRIPTIONS.iter().collect::<Vec<_>>()).prop_flat_map(|description| {
        who(description).prop_flat_map(move |(n, who)| {
            let entries = if visited(description) { (1..=3u64).prop_map(Some).boxed() } else { Just(None).boxed() };
            let all = (wakes(description, n), orientation(description), timing(description, n), any::<u64>(), entries);
            all.prop_map(move |(wake_at, orientation, timing, seed, entries)| {
                let (n, ids, seed) = (who.n, who.ids.clone(), Some(seed));
                (description.name, Options { n, ids, wake_at, orientation, seed, entries, ..timing })
            })
        })
    })
}

fn trace(protocol: &str, options: &Options) -> u64 {
    Played::new(protocol, options).summary.trace
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_run_is_correct_and_costs_what_is_proved_exactly((protocol, options) in anything()) {
        let played = Played::new(protocol, &options);
        prop_assert_eq!(&played.summary.violations, &[]);
        prop_assert_eq!(played.summary.verdict, Verdict::Held);
        for bound in played.setup.facts.bounds.iter().filter(|bound| matches!(bound.kind, BoundKind::Exact | BoundKind::Best)) {
            let (measured, holds) = bound.judge(&played.summary);
            prop_assert_eq!(holds, Some(true), "{} of {}: measured {:?}", bound.kind.name(), bound.formula, measured);
        }
    }

    #[test]
    fn a_run_repeated_or_in_slices_is_the_same_run((protocol, options) in anything(), slice in 1..50u64) {
        let whole = Played::new(protocol, &options).summary;
        prop_assert_eq!(&Played::new(protocol, &options).summary, &whole);
        let mut execution = Execution::new(&set_up(protocol, &options), Choices::Drawn).expect("likewise");
        while !execution.run.advance(slice) {}
        prop_assert_eq!(&execution.run.summary(), &whole);
    }

    #[test]
    fn a_recorded_run_replays_from_the_text_of_its_file((protocol, options) in anything()) {
        let played = Played::with(protocol, &options, |run| run.record());
        let file = TraceFile::new(&played.setup, played.execution.run.as_ref(), &played.summary);
        let read = TraceFile::parse(&file.to_text().expect("it was recorded now"));
        prop_assert_eq!(read.as_ref(), Ok(&file));
        let replayed = read.expect("it was read").replay(&Catalogue::default(), &(), |_| {});
        let (_, _, replayed) = replayed.expect("it replays");
        prop_assert_eq!(&replayed, &played.summary);
        prop_assert_eq!(trace(protocol, &options), replayed.trace, "recording changes nothing");
    }

    #[test]
    fn the_options_of_a_set_up_repeat_its_run((protocol, options) in anything()) {
        let setup = set_up(protocol, &options);
        let written = setup.to_options();
        let line = setup.command_line();
        let words = line.split_whitespace().skip(2);
        prop_assert_eq!(ringleader_cli::run_of(words).expect("its command line is one").1, setup.given);
        let again = set_up(protocol, &written);
        // What was left to the seed is written out as lists; all else is as it was.
        let drawn = |scenario: &Scenario| {
            let mut scenario = scenario.clone();
            (scenario.timing.clocks, scenario.timing.offsets) = (Clocks::Fixed, Offsets::Zero);
            scenario
        };
        prop_assert_eq!(drawn(&again.scenario), drawn(&setup.scenario));
        prop_assert_eq!(&again.to_options(), &written);
        prop_assert_eq!(trace(protocol, &written), trace(protocol, &options));
    }

    #[test]
    fn no_step_panics_under_faults(
        ((protocol, options), links) in
            anything().prop_flat_map(|(protocol, options)| (Just((protocol, options)), select(links_of(protocol)))),
        faults in select(&["loss:1/9", "duplicate:1/5", "loss:1/9,duplicate:1/5", "crash:0@3", "crash:0@0,duplicate:1/2"][..]),
    ) {
        let options = Options { links: Some(links), faults: Some(faults.parse::<Faults>().expect("these are faults")), ..options };
        let mut execution = Execution::new(&set_up(protocol, &options), Choices::Drawn).expect("likewise");
        // It need not end, nor be right.
        execution.advance(5000);
        let summary = execution.run.summary();
        prop_assert!(summary.finished || summary.reason.is_some(), "what is not finished has a reason");
    }
}
