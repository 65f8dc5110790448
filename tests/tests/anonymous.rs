//! No deterministic election where identities repeat \[Angluin1980\]: `check --anonymous`.

use ringleader::check::{CheckOptions, LockStepReport};
use ringleader::model::{BadSetting, Election, Problem, Reading};
use ringleader::{Entry, Options, catalogue, find};

/// The lock-step run of a protocol with these identities and settings.
fn lock_step(entry: &'static dyn Entry, ids: &[u64], set: &[(&str, &str)]) -> Result<LockStepReport, BadSetting> {
    let set = set.iter().map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    let options = Options { ids: Some(ids.to_vec()), set, ..Options::default() };
    LockStepReport::new(entry, &CheckOptions { options, ..CheckOptions::default() }, &())
}

fn of(protocol: &str, ids: &[u64]) -> LockStepReport {
    lock_step(find(protocol).expect("it is in the catalogue"), ids, &[]).expect("the identities repeat")
}

/// The elections of the catalogue that make no random choices.
fn deterministic() -> impl Iterator<Item = &'static dyn Entry> {
    let elections = catalogue().iter().copied().filter(|entry| entry.problem() == Election::NAME);
    elections.filter(|entry| entry.description().assumptions.identities)
}

/// Whatever the protocol: rotation maps every instant to itself, so that the leaders are those of one period, repeated.
#[test]
fn every_deterministic_election_stays_symmetric() {
    let periods: [&[u64]; 6] = [&[1], &[7], &[1, 2], &[2, 1, 1], &[3, 1, 2], &[1, 4, 2, 3]];
    let mut seen = 0;
    for entry in deterministic() {
        for period in periods {
            for copies in 2..=4 {
                let ids = period.repeat(copies);
                let report = lock_step(entry, &ids, &[]).unwrap_or_else(|wrong| panic!("{}: {wrong}", entry.name()));
                let what = format!("{} {ids:?}: {report:?}", entry.name());
                assert_eq!((report.verdict.as_str(), report.ended.as_str()), ("holds", "quiescent"), "{what}");
                assert_eq!(report.period, period.len(), "{what}");
                assert!(report.instants > 0 && report.steps >= ids.len() as u64, "{what}");
                let rotated = |place: u32| (place + period.len() as u32) % ids.len() as u32;
                assert!(report.elected.iter().all(|&place| report.elected.contains(&rotated(place))), "{what}");
                if let Some(covered) = &report.covered {
                    assert!(covered.same && covered.n == period.len(), "{what}");
                    assert_eq!(covered.elected.len() * copies, report.elected.len(), "{what}");
                    seen += 1;
                }
            }
        }
    }
    // All rings but those of time-slice, which knows their size.
    assert_eq!(seen, 10 * periods.len() * 3);
}

/// Chang and Roberts on 1, 2, 1, 2, worked by hand: at 0 all send; at 1 the 1s pass 2 on and the 2s discard 1; at 2 each 2 has a 2
/// come in, from the other one, and declares itself; at 3 the 1s hear of it and pass it on; at 4 the announcements end.
#[test]
fn two_leaders_of_chang_roberts_are_worked_by_hand() {
    let report = of("chang-roberts", &[1, 2, 1, 2]);
    assert_eq!((report.instants, report.steps), (5, 4 + 4 + 2 + 2 + 2));
    assert_eq!((report.period, &report.elected[..]), (2, &[1, 3][..]));
    let covered = report.covered.expect("the size is not known");
    assert_eq!((covered.same, &covered.elected[..]), (true, &[1][..]));
    let shown: Vec<_> = report.trace.iter().map(|step| (step.step.time, step.step.place)).collect();
    assert_eq!(shown, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0), (4, 1)]);
}

/// Lemma 3 of Spirakis and Tampakas: a ring with one least name and one with two, which no processor of Vitányi's ring of unknown
/// size tells apart: in the ring of three 1 has its own name back, in the ring of six that of the other 1.
#[test]
fn one_minimum_is_not_told_from_two() {
    let report = of("vitanyi", &[1, 2, 3, 1, 2, 3]);
    assert_eq!(report.elected, [0, 3]);
    let covered = report.covered.expect("the size is not known");
    assert!(covered.same);
    assert_eq!((covered.ids, &covered.elected[..]), (Some(vec![1, 2, 3]), &[0][..]));
}

/// Where n is known nothing is compared with a smaller ring: n itself tells the two apart.
#[test]
fn a_known_size_is_no_secret() {
    let report = of("time-slice", &[1, 2, 1, 2]);
    assert!(report.covered.is_none());
    assert_eq!((report.verdict.as_str(), &report.elected[..]), ("holds", &[0, 2][..]));
}

/// A run without end repeats a global state: the printed rules of Afek and Gafni have two killed candidates answer each other.
#[test]
fn a_livelock_is_followed_until_a_state_repeats() {
    let entry = find("afek-gafni-async").expect("it is in the catalogue");
    let report = lock_step(entry, &[1, 1, 1], &[("rules", "printed")]).expect("identities repeat");
    assert_eq!((report.verdict.as_str(), report.ended.as_str()), ("holds", "repeats"));
    assert!(report.elected.is_empty());
    // From the 6th instant on three acknowledgements and three notices of being killed alternate.
    let texts: Vec<&str> = report.trace.iter().map(|step| step.text.as_str()).collect();
    assert!(texts[6..].iter().step_by(2).all(|text| text.contains("receives ack")), "{texts:?}");
    assert!(texts[7..].iter().step_by(2).all(|text| text.contains("receives killed")), "{texts:?}");
}

/// Coins break the symmetry, and so do half-duplex links, which let one end go first.
#[test]
fn what_breaks_the_symmetry_is_named() {
    for protocol in ["itai-rodeh", "itai-rodeh-sync", "spirakis-tampakas-symmetry"] {
        let entry = find(protocol).expect("it is in the catalogue");
        let options = CheckOptions { options: Options { n: Some(4), ..Options::default() }, ..CheckOptions::default() };
        let report = LockStepReport::new(entry, &options, &()).expect("there is nothing to refuse");
        assert_eq!(report.verdict, "violated", "{protocol}");
        assert!(report.broken.expect("it is shown").random, "{protocol}");
    }
    let entry = find("van-leeuwen-tan").expect("it is in the catalogue");
    let report = lock_step(entry, &[1, 1, 1, 1], &[("duplex", "half")]).expect("identities repeat");
    assert_eq!(report.verdict, "violated");
    assert!(!report.broken.expect("it is shown").random);
}

#[test]
fn a_ring_without_symmetry_is_refused() {
    let entry = find("peterson").expect("it is in the catalogue");
    let field = |ids: &[u64]| lock_step(entry, ids, &[]).expect_err("it is refused").field;
    assert_eq!(field(&[1, 2, 3]), "ids");
    // 1, 2, 2, 1 has a reflection, but no rotation.
    assert_eq!(field(&[1, 2, 2, 1]), "ids");
    assert_eq!(field(&[1]), "n");
    assert_eq!(
        lock_step(find("token-ring").expect("it is there"), &[1, 1], &[]).expect_err("no election").field,
        "anonymous"
    );
}

#[test]
fn options_without_a_use_are_refused() {
    let entry = find("lelann").expect("it is in the catalogue");
    let refused = |given: CheckOptions, name: &str| {
        let bad = LockStepReport::new(entry, &given, &()).expect_err("it is refused");
        assert!(bad.field == "anonymous" && bad.wrong.contains(&format!("--{name},")), "{bad}");
    };
    let of = |options: Options| CheckOptions { options, ..CheckOptions::default() };
    refused(of(Options { retransmit: Some(3), ..Options::default() }), "retransmit");
    refused(of(Options { reading: Some(Reading::PerTick), ..Options::default() }), "reading");
    refused(of(Options { seed: Some(3), ..Options::default() }), "seed");
    refused(CheckOptions { timed: Some(false), ..CheckOptions::default() }, "untimed");
}
