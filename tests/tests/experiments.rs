//! The recorded runs below `experiments/`: each replays, and shows what its README says.

use std::path::{Path, PathBuf};

use conformance::vitanyi_bounds::{Fraction, bound_2, bound_4, headline};
use conformance::{Played, asked};
use ringleader::model::{Links, Outcome};
use ringleader::sim::{Step, StopReason, Verdict};
use ringleader::{Catalogue, Options, Recorded, TraceFile, shrink};
use ringleader_cli::{Exit, read_trace};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments")
}

/// The recorded runs below a folder.
fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder can be read to its end").path();
        if path.is_dir() {
            found.append(&mut runs_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found
}

fn replayed(path: &Path) -> (TraceFile, Played) {
    let file = read_trace(path).unwrap_or_else(|error| panic!("{error}"));
    let replayed = file.replay(&Catalogue::default(), &(), |_| {});
    let (setup, execution, summary) = replayed.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(format!("{:016x}", summary.trace), file.trace, "{}", path.display());
    (file, Played { setup, execution, summary })
}

/// The options that a run was recorded with.
fn options_of(file: &TraceFile) -> Options {
    match &file.recorded {
        Recorded::Options(options) => (**options).clone(),
        Recorded::Scenario(_) => file.setup(&Catalogue::default()).expect("it replays").to_options(),
    }
}

fn setting(text: &str) -> (String, String) {
    ringleader::setting(text).expect("it is KEY=VALUE")
}

fn two_to_the(i: u64) -> u64 {
    1 << i
}

/// A bound of the paper: in the program's words, and worked out exactly for a lockstep ring.
struct ExperimentClaim {
    file: &'static str,
    formula: &'static str,
    exact: fn(&[u64]) -> Fraction,
    messages: u64,
    messages_with_first_f: u64,
}

const CLAIMS: [ExperimentClaim; 2] = [
    ExperimentClaim {
        file: "bound-2.json",
        formula: "2N + (Nu(f(l)+1)/m) sum 1/f(i)",
        exact: |ids| bound_2(ids, 1, 1, two_to_the),
        messages: 7,
        messages_with_first_f: 6,
    },
    ExperimentClaim {
        file: "headline.json",
        formula: "2N + 3Nu/m",
        exact: |ids| headline(ids.len(), 1, 1),
        messages: 181,
        messages_with_first_f: 146,
    },
];

#[test]
fn every_recorded_run_replays_with_its_digest() {
    let paths = runs_below(&folder());
    assert!(paths.len() >= CLAIMS.len(), "only {paths:?}");
    for path in paths {
        replayed(&path);
    }
}

/// Whether a run is the shortest of all schedules, as `check` saves it.
fn is_from_every_schedule(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == "check" || name.to_string_lossy().starts_with("check-"))
}

/// What `check` found is wrong in the simulator too: something is violated, or from some step on it repeats itself with
/// something left to do.
#[test]
fn counterexamples_of_the_checker_fail_in_the_simulator() {
    let mut found = 0;
    for path in runs_below(&folder()).iter().filter(|path| is_from_every_schedule(path)) {
        let (file, played) = replayed(path);
        found += 1;
        match file.repeats_from {
            None => assert_eq!(played.summary.verdict, Verdict::Violated, "{}", path.display()),
            Some(_) => assert_ne!(played.summary.verdict, Verdict::Held, "{}", path.display()),
        }
    }
    assert!(found >= 45, "only {found}");
}

#[test]
fn every_run_of_vitanyi_bounds_has_a_claim() {
    for path in runs_below(&folder().join("vitanyi-bounds")) {
        assert!(CLAIMS.iter().any(|claim| path.ends_with(claim.file)), "{}", path.display());
    }
}

#[test]
fn the_bounds_of_the_paper_are_exceeded_there_and_obeyed_with_first_f() {
    for claim in CLAIMS {
        let (file, played) = replayed(&folder().join("vitanyi-bounds").join(claim.file));
        let ids = &played.setup.scenario.ids;
        assert_eq!(played.summary.verdict, Verdict::Held, "the election itself is right");
        assert_eq!(played.summary.cost.messages(), claim.messages);
        assert_eq!(played.held(claim.formula), Some(false), "{}", claim.file);
        assert!((claim.exact)(ids).below(claim.messages), "{}", claim.file);
        assert_eq!(played.exit(), Exit::Violated);

        let mut options = options_of(&file);
        options.set.push(setting("first=f"));
        let repaired = Played::new(&file.protocol, &options);
        assert_eq!(repaired.summary.cost.messages(), claim.messages_with_first_f);
        assert_eq!(repaired.held(claim.formula), Some(true), "{}", claim.file);
        assert!(!(claim.exact)(ids).below(claim.messages_with_first_f), "{}", claim.file);
        assert_eq!(repaired.exit(), Exit::Held, "no bound at all is exceeded");
    }
}

#[test]
fn the_other_figures_of_the_readme_are_right() {
    let totals = |line: &str| {
        let (protocol, mut options) = asked(line);
        let printed = Played::new(&protocol, &options).summary.cost.messages();
        options.set.push(setting("first=f"));
        (printed, Played::new(&protocol, &options).summary.cost.messages())
    };
    // (4) on two processors.
    assert_eq!(totals("vitanyi --ids 1,3"), (7, 6));
    assert_eq!(bound_4(&[1, 3], 1, 1, two_to_the), Fraction::new(27, 4));
    // 3N + N(1 + 1/f(l)), below (4), for f(i) = (2u/m)^i on six.
    assert_eq!(totals("vitanyi --ids 3,5,6,4,7,8 --set law=u/m"), (25, 20));
    assert_eq!(Fraction::new(6, 8).plus(Fraction::new(24, 1)), Fraction::new(99, 4));
    // (2) with other laws on two.
    assert_eq!(totals("vitanyi --ids 4,21 --set law=power:1"), (7, 6));
    assert_eq!(bound_2(&[4, 21], 1, 1, |i| i), Fraction::new(293, 42));
    assert_eq!(totals("vitanyi --ids 2,3 --set law=power:3"), (7, 6));
    assert_eq!(bound_2(&[2, 3], 1, 1, |i| i * i * i), Fraction::new(83, 12));
}

#[test]
fn petersons_2n_1_is_exceeded_where_the_holder_is_elected() {
    let (file, holder) = replayed(&folder().join("peterson-time").join("holder.json"));
    assert_eq!(holder.summary.verdict, Verdict::Held, "the election itself is right");
    assert_eq!(holder.summary.cost.depth_elected, Some(4));
    let owner = Played::new(&file.protocol, &Options { set: vec![setting("elected=owner")], ..options_of(&file) });
    assert_eq!(owner.summary.cost.depth_elected, Some(2));
    assert_eq!(owner.held("2N-1"), Some(true));

    for (ring, chains) in [("--ids 3,1,4,2", [5, 10]), ("-n 1024 --order bit-reversal", [1535, 3070])] {
        let depth =
            |elected| Played::of(&format!("peterson {ring} --set elected={elected}")).summary.cost.depth_elected;
        assert_eq!(["owner", "holder"].map(depth), chains.map(Some), "{ring}");
    }
}

fn replayed_in(folder_name: &str, file: &str) -> Played {
    replayed(&folder().join(folder_name).join(file)).1
}

fn leaders(played: &Played) -> Vec<u64> {
    conformance::leaders(&played.summary).iter().map(|leader| leader.id.expect("it has a name").get()).collect()
}

/// What is recorded as printed, under repaired rules.
fn repaired(played: &Played) -> Played {
    let options = Options { set: Vec::new(), max_messages: None, ..played.setup.to_options() };
    let repaired = Played::new(played.setup.entry.name(), &options);
    assert_eq!(repaired.exit(), Exit::Held, "{:?}", repaired.summary.violations);
    repaired
}

#[test]
fn the_printed_readings_of_afek_and_gafni_in_rounds_elect_nobody_or_two() {
    for (file, printed, elected) in
        [("own.json", vec![], vec![1]), ("zero.json", vec![1, 2], vec![2]), ("slide-4.json", vec![2, 3], vec![3])]
    {
        let played = replayed_in("afek-gafni-sync", file);
        assert_eq!(played.summary.verdict, Verdict::Violated, "{file}");
        assert_eq!(leaders(&played), printed, "{file}");
        assert_eq!(leaders(&repaired(&played)), elected, "{file}");
    }
}

#[test]
fn the_message_counts_of_afek_and_gafni_in_rounds_are_exceeded_and_the_bounds_listed_are_reached() {
    let three = replayed_in("afek-gafni-sync", "candidates.json");
    // 5 > 3 log2 3, since 2^5 > 3^3.
    assert_eq!(three.passes("candidate"), 5);
    let eight = replayed_in("afek-gafni-sync", "messages.json");
    assert_eq!(
        ["candidate", "ack"].map(|kind| eight.passes(kind)),
        [34, 17],
        "more than 8 log2 8 = 24, in all more than 48"
    );
    for played in [three, eight] {
        assert_eq!(played.exit(), Exit::Held, "the bounds listed are obeyed");
    }
}

#[test]
fn the_printed_form_of_afek_and_gafni_without_rounds_elects_two_or_never_ends() {
    let owner = replayed_in("afek-gafni-async", "owner.json");
    assert_eq!((owner.summary.verdict, leaders(&owner)), (Verdict::Violated, vec![1, 2]));
    assert_eq!(leaders(&repaired(&owner)), [2]);
    for (file, elected) in [("endless.json", vec![3]), ("instant.json", vec![])] {
        let played = replayed_in("afek-gafni-async", file);
        let limit = played.setup.max_messages.expect("it is stopped");
        assert!(played.execution.run.deliveries() >= limit, "{file}");
        assert_eq!(leaders(&played), elected, "{file}");
        // It goes on as long as one lets it.
        let options = Options { max_messages: Some(100 * limit), ..played.setup.to_options() };
        assert!(Played::new("afek-gafni-async", &options).execution.run.deliveries() >= 100 * limit, "{file}");
        assert!(repaired(&played).execution.run.deliveries() < 20, "{file}");
    }
}

#[test]
fn without_rounds_an_anonymous_ring_deadlocks_on_links_that_reorder() {
    for (file, processors, steps) in [("smallest.json", 2, 8), ("silent.json", 3, 13)] {
        let (file, played) = replayed(&folder().join("itai-rodeh-rounds").join(file));
        assert_eq!((played.setup.scenario.n, played.summary.cost.steps), (processors, steps));
        assert_eq!((played.summary.verdict, played.summary.finished), (Verdict::Violated, false));
        assert_eq!(played.summary.violations[0].property, "termination");
        assert_eq!(played.exit(), Exit::Violated);
        for change in [Options { links: Some(Links::Fifo), ..options_of(&file) }, with_rounds(&options_of(&file))] {
            assert_eq!(Played::new(&file.protocol, &change).summary.verdict, Verdict::Held, "{change:?}");
        }
    }
}

fn with_rounds(options: &Options) -> Options {
    let others = options.set.iter().filter(|set| **set != setting("rounds=off")).cloned();
    Options { set: others.collect(), ..options.clone() }
}

#[test]
fn shrinking_the_run_of_the_readme_gives_the_file_beside_it() {
    let line = "itai-rodeh -n 3 --set rounds=off --links any --d 0..1 --seed 34";
    let readme = std::fs::read_to_string(folder().join("itai-rodeh-rounds/README.md")).expect("it is there");
    assert!(readme.contains(line));
    let (protocol, options) = asked(line);
    let long = Played::with(&protocol, &options, |run| run.record());
    // Without coins that differ an anonymous ring never terminates: shrinking must not wait for that.
    let long = TraceFile::new(&long.setup, long.execution.run.as_ref(), &long.summary);
    let short = shrink(&long, &Catalogue::default(), &()).expect("it fails");
    let (kept, played) = replayed(&folder().join("itai-rodeh-rounds").join("silent.json"));
    assert_eq!((short.choices, short.trace), (kept.choices, kept.trace));
    let Recorded::Scenario(recorded) = short.recorded else { panic!("it was recorded now") };
    assert_eq!((&recorded.scenario, recorded.settings), (&*played.setup.scenario, played.setup.settings));
}

/// Proposition 3.6, which rests on the links.
const ONE_COLOR: &str = "who inaugurates in a phase finds one active color, which everybody holds";
/// Lemma 3.1.
const OTHER_SIDE: &str = "a message of the own phase comes from the other side";

/// What van Leeuwen and Tan's protocol does as printed, one departure undone at a time: the file's name, how it fails
/// there, and for how many processors.
const PRINTED: [(&str, &[&str], usize); 6] = [
    ("pair", &["everybody agrees", "everybody ends up holding the winner's identity", ONE_COLOR], 7),
    ("flag", &["termination"], 5),
    ("one", &["termination"], 1),
    ("id", &["everybody agrees", "at most one leader", "one processor is elected", ONE_COLOR], 4),
    ("minimum", &["one processor inaugurates", OTHER_SIDE], 4),
    ("heads", &["one processor inaugurates", OTHER_SIDE], 7),
];

#[test]
fn van_leeuwen_and_tan_fail_there_as_printed_and_not_as_repaired() {
    for (name, violated, n) in PRINTED {
        let (file, played) = replayed(&folder().join(format!("van-leeuwen-tan-{name}/{name}.json")));
        let found: Vec<_> = played.summary.violations.iter().map(|violation| violation.property).collect();
        assert_eq!((found.as_slice(), played.setup.scenario.n), (violated, n), "{name}");
        assert!(options_of(&file).set.contains(&setting(&format!("printed={name}"))), "{name} and nothing else");

        let mut options = options_of(&file);
        options.set.retain(|(key, _)| key.starts_with("duplex"));
        for seed in 0..50 {
            options.seed = Some(seed);
            let repaired = Played::new(&file.protocol, &options);
            assert_eq!(repaired.exit(), Exit::Held, "{name}, seed {seed}");
        }
    }
}

#[test]
fn as_printed_the_next_time_of_spirakis_and_tampakas_is_a_livelock() {
    let played = replayed_in("spirakis-tampakas-symmetry-livelock", "livelock.json");
    let limit = played.setup.max_messages.expect("it is stopped");
    let options = Options { max_messages: None, ..played.setup.to_options() };
    let longer = Played::new("spirakis-tampakas-symmetry", &options);
    assert_eq!(longer.summary.reason, Some(StopReason::Horizon), "it goes on as long as one lets it");
    assert!(played.execution.run.deliveries() >= limit && longer.execution.run.deliveries() > 5 * limit);
    for played in [&played, &longer] {
        assert_eq!(played.passes("claim"), 0, "no phase gets as far as a claim");
        assert!(played.passes("next-time") > played.execution.run.deliveries() / 4);
        assert!(leaders(played).is_empty());
    }
    let set = options.set.iter().filter(|set| **set != setting("rules=printed")).cloned().collect();
    let repaired = Played::new("spirakis-tampakas-symmetry", &Options { set, ..options });
    assert_eq!(repaired.exit(), Exit::Held, "{:?}", repaired.summary.violations);
    assert!(repaired.execution.run.deliveries() < 100);
}

/// What happened at a place, and when.
fn history(file: &str, place: u32) -> (Vec<Step>, usize) {
    let path = folder().join("spirakis-tampakas-lemma-3").join(file);
    let file = read_trace(&path).unwrap_or_else(|error| panic!("{error}"));
    let (_, mut execution, summary) =
        file.replay(&Catalogue::default(), &(), |run| run.log()).unwrap_or_else(|error| panic!("{error}"));
    let steps = execution.run.take_log().into_iter().filter(|step| step.place == place);
    let completed = steps.map(conformance::local_view);
    (completed.collect(), conformance::leaders(&summary).len())
}

#[test]
fn lemma_3_one_candidate_in_one_ring_and_two_in_another_see_the_same() {
    let (alone, elected) = history("a.json", 0);
    assert_eq!(elected, 1);
    let claims = alone.iter().filter(|step| conformance::receives(step, "claim"));
    assert!(claims.count() > 1, "{alone:?}");
    for place in [0, 2] {
        assert_eq!(history("b.json", place), (alone.clone(), 2), "place {place}");
    }
}

fn torn_and_starved(played: &Played) -> (u64, Option<u64>) {
    let Outcome::Data { torn, stale, .. } = played.summary.outcome else { panic!("data are shared") };
    assert_eq!(stale, 0);
    (torn, played.summary.cost.tally.starved)
}

/// The same scenario with other settings for some of its parameters.
fn set_otherwise(played: &Played, others: &[&str]) -> Played {
    let mut options = played.setup.to_options();
    let others: Vec<_> = others.iter().map(|other| setting(other)).collect();
    options.set.retain(|(key, _)| others.iter().all(|(other, _)| other != key));
    options.set.extend(others);
    Played::new(played.setup.entry.name(), &options)
}

#[test]
fn fifteen_of_the_sixteen_directions_of_lamport_tear() {
    let keys = ["write-v1", "write-v2", "read-v2", "read-v1"];
    let safe = ["most", "least", "most", "least"];
    let mut unsafe_ones = 0;
    for number in 0..16u32 {
        let first: Vec<_> = (0..4).map(|bit| if number >> bit & 1 == 0 { "most" } else { "least" }).collect();
        if first == safe {
            continue;
        }
        unsafe_ones += 1;
        let played = replayed_in("lamport-directions", &format!("{}.json", first.join("-")));
        for (key, first) in keys.iter().zip(&first) {
            assert!(played.setup.settings.contains(&(key.to_string(), first.to_string())), "{key}");
        }
        assert_eq!(torn_and_starved(&played).0, 1, "{first:?}");
        assert_eq!(played.summary.verdict, Verdict::Violated);
        let settings: Vec<_> = keys.iter().zip(safe).map(|(key, first)| format!("{key}={first}")).collect();
        let settings: Vec<_> = settings.iter().map(String::as_str).collect();
        assert_eq!(set_otherwise(&played, &settings).summary.verdict, Verdict::Held, "{first:?}");
    }
    let found = runs_below(&folder().join("lamport-directions"));
    let (checked, found): (Vec<_>, Vec<_>) = found.iter().partition(|path| is_from_every_schedule(path));
    assert_eq!((unsafe_ones, unsafe_ones), (found.len(), checked.len()));
}

#[test]
fn versions_that_wrap_deceive_a_slow_reader_of_lamport_unless_it_waits() {
    let played = replayed_in("lamport-wrap", "wrap.json");
    assert_eq!((torn_and_starved(&played).0, played.summary.verdict), (1, Verdict::Violated));
    assert_eq!(set_otherwise(&played, &["waits=archimedean"]).summary.verdict, Verdict::Held);
}

#[test]
fn readers_of_lamport_starve_in_lock_step_unless_all_wait() {
    let played = replayed_in("lamport-starvation", "lock-step.json");
    assert_eq!((torn_and_starved(&played), played.summary.verdict), ((0, Some(2)), Verdict::Held));
    let waiting = set_otherwise(&played, &["waits=archimedean"]);
    assert_eq!(torn_and_starved(&waiting), (0, Some(0)));
}

/// Every run of token rings there, how many tokens it ends with and its passes, worked out by hand; and what mends it.
const TOKEN_RINGS: [(&str, u64, u64, Option<&[&str]>); 5] = [
    // Two passes in every unit of time, and at 0; a lap is 4.
    ("two-tokens/two.json", 2, 2 * (150 * 4 + 1), None),
    // Two passes in every second unit of time; a lap is 12.
    ("two-tokens/four.json", 2, 2 * (150 * 12 / 2 + 1), None),
    // Three in every seventh.
    ("lock-step/three.json", 0, 3 * 128, Some(&["tokens=0"])),
    // The first turn, then the same.
    ("printed/removed.json", 0, 3 + 3 * 128, Some(&[])),
    // Everybody passes on the first token and inserts one every second unit of time from then on: at 0, 2, …, at 1, 3, …, at 2, 4, ….
    ("printed/inserted.json", 2, 451 + 450 + 450, Some(&[])),
];

#[test]
fn token_rings_have_no_token_or_two_there() {
    for (name, tokens, messages, mended) in TOKEN_RINGS {
        let (file, played) = replayed(&folder().join(format!("token-ring-{name}")));
        assert_eq!(played.summary.outcome, Outcome::Tokens { tokens }, "{name}");
        assert_eq!(played.summary.cost.messages(), messages, "{name}");
        assert_eq!(played.exit(), Exit::Violated, "{name}");
        if let Some(set) = mended {
            let options = Options { set: set.iter().map(|set| setting(set)).collect(), ..options_of(&file) };
            assert_eq!(Played::new(&file.protocol, &options).summary.verdict, Verdict::Held, "{name}");
        }
    }
}
/// When somebody was inside: from and to.
type Stays = &'static [(u64, u64)];

/// What is recorded of Spirakis and Tampakas's locks: the folder, the file, the settings, and when each place is inside.
const OVERLAPS: [(&str, &str, &[&str], [Stays; 2]); 5] = [
    ("spirakis-tampakas-mutex-overlap", "overlap", &["rules=printed"], [&[(15, 25)], &[(14, 24)]]),
    (
        "spirakis-tampakas-mutex-bounded-numbers",
        "bounded",
        &["c1=1", "printed=numbers", "numbers=3"],
        [&[(5, 10), (15, 20)], &[(11, 16), (22, 27)]],
    ),
    ("spirakis-tampakas-mutex-window", "window", &["c=0", "c1=1"], [&[(8, 18)], &[(7, 17)]]),
    ("spirakis-tampakas-mutex-crash-timeout", "timeout", &["crash=timeout:5"], [&[(14, 24)], &[(19, 29)]]),
    ("spirakis-tampakas-readers-writers-overlap", "overlap", &["rules=printed"], [&[(15, 25)], &[(14, 24)]]),
];

#[test]
fn spirakis_and_tampakas_let_two_in_together_there_and_not_as_repaired() {
    for (name, file, set, inside) in OVERLAPS {
        let path = folder().join(name).join(format!("{file}.json"));
        let trace = read_trace(&path).unwrap_or_else(|error| panic!("{error}"));
        let (_, mut execution, summary) =
            trace.replay(&Catalogue::default(), &(), |run| run.log()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(options_of(&trace).set, set.iter().map(|set| setting(set)).collect::<Vec<_>>(), "{name}");
        let completed = conformance::locks::completed_entries(&execution.run.take_log(), 2);
        let found =
            completed.iter().map(|entries| entries.iter().map(|entry| (entry.entered, entry.left)).collect::<Vec<_>>());
        assert!(found.eq(inside.iter().map(|entries| entries.to_vec())), "{name}: {completed:?}");
        assert_eq!(summary.violations.len(), 1, "{name}: {:?}", summary.violations);
        assert_eq!(summary.violations[0].property, "conflicting sites are never inside together", "{name}");

        // The same world, with the settings that are right, whatever is drawn.
        for seed in 0..50 {
            let set = set.iter().filter(|set| set.starts_with("numbers=")).map(|set| setting(set)).collect();
            let options = Options { set, seed: Some(seed), ..options_of(&trace) };
            let repaired = Played::new(&trace.protocol, &options);
            assert_eq!(repaired.exit(), Exit::Held, "{name}, seed {seed}");
        }
    }
}

#[test]
fn no_timeout_is_long_enough() {
    for steps in [1, 50, 1000] {
        let line = format!("spirakis-tampakas-mutex --ids 1,2 --r 1 --d 1 --entries 1 --hold {}", steps + 1);
        let impatient = Played::of(&format!("{line} --set crash=timeout:{steps}"));
        assert_eq!(impatient.summary.outcome, Outcome::Entries { entries: 2, overlap_max: 2 }, "{steps} steps");
        let probing = Played::of(&format!("{line} --set crash=probe"));
        assert_eq!(probing.summary.outcome, Outcome::Entries { entries: 2, overlap_max: 1 }, "{steps} steps");
    }
}

/// One message a step: as many steps of waiting as the folder says are too few, by one where that is known to be exact.
#[test]
fn a_window_has_room_for_the_queues_at_both_ends() {
    for (file, n, c) in [("two", 2, "3"), ("three", 3, "6")] {
        let path = folder().join("spirakis-tampakas-mutex-one-by-one").join(format!("{file}.json"));
        let (trace, played) = replayed(&path);
        assert_eq!(played.summary.verdict, Verdict::Violated, "{file}");
        assert_eq!(played.summary.violations[0].property, "conflicting sites are never inside together", "{file}");
        let options = options_of(&trace);
        assert_eq!((options.size(), &options.set), (n, &vec![setting(&format!("c={c}")), setting("c1=0")]), "{file}");
        for seed in 0..200 {
            let set = vec![setting("c1=0")];
            let enough = Options { set, seed: Some(seed), entries: Some(20), max_time: None, ..options.clone() };
            assert_eq!(Played::new(&trace.protocol, &enough).exit(), Exit::Held, "{file}, seed {seed}");
        }
    }
}
