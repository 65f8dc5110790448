//! The ledger is complete, and says what `reproduce` finds.

use std::path::Path;

use ringleader::Effort;
use ringleader_ledger::{
    LedgerEffort, LedgerRecord, LedgerVerdict, RECORD, errata, item, items, ledger, records, reproduce, whole_numbers,
};

fn recorded() -> Vec<LedgerRecord> {
    records(RECORD).expect("`cargo xtask ledger` wrote it")
}

/// The items of the sources: 66 of Vitányi, 38 of Epema, 67 of Spirakis and Tampakas, 33 of van Leeuwen and Tan.
#[test]
fn every_item_of_the_sources_has_a_verdict_or_a_reason() {
    let all = [('V', 66), ('E', 38), ('S', 67), ('L', 33)];
    let numbers = all.into_iter().flat_map(|(letter, count)| (1..=count).map(move |index| format!("{letter}{index}")));
    let numbers: Vec<String> = numbers.collect();
    assert_eq!(items().map(|(_, item)| item.number).collect::<Vec<_>>(), numbers);
    let records = recorded();
    assert_eq!(records.iter().map(|record| record.thorough.item.clone()).collect::<Vec<_>>(), numbers);
    for LedgerRecord { thorough, .. } in &records {
        assert!(!thorough.method.is_empty() && !thorough.method.contains("PENDING"), "{}: no reason", thorough.item);
        assert!(thorough.claim.lines().count() == 1 && !thorough.section.is_empty(), "{}", thorough.item);
    }
}

/// Whoever refutes a claim shows where it fails, and what holds instead.
#[test]
fn a_refuted_claim_has_a_counterexample_and_a_statement_that_holds() {
    for LedgerRecord { thorough, .. } in recorded() {
        let refuted = thorough.verdict == LedgerVerdict::Refuted;
        assert_eq!(thorough.counterexample.is_some(), refuted, "{}", thorough.item);
        let instead = thorough.repaired_verdict;
        let holds = matches!(instead, Some(LedgerVerdict::Holds | LedgerVerdict::Held));
        assert_eq!(holds, refuted, "{}: {instead:?}", thorough.item);
        // Beside a lower bound on all algorithms there may be what ours cost.
        let commands = !thorough.commands.is_empty();
        match thorough.verdict {
            LedgerVerdict::NotApplicable => assert!(!commands, "{}: nothing is decided", thorough.item),
            LedgerVerdict::NotTestable => {}
            _ => assert!(commands, "{}: a verdict comes from commands", thorough.item),
        }
    }
}

fn quick(seed: u64) -> LedgerEffort {
    LedgerEffort { quick: true, seed, effort: Effort { threads: 2, ..Effort::default() } }
}

#[test]
fn quick_trials_come_out_as_they_are_recorded() {
    for LedgerRecord { quick: kept, thorough } in recorded() {
        let item = item(&kept.item).expect("it is in the ledger");
        let found = reproduce(item, quick(1), &()).unwrap_or_else(|error| panic!("{}: {error}", kept.item));
        let found = found.expect("nobody stops it");
        assert_eq!(found.verdict, kept.verdict, "{}: {:?}", kept.item, found.measured);
        assert_eq!(whole_numbers(&found), whole_numbers(&kept), "{}: {:?}", kept.item, found.measured);
        assert_eq!(found.commands, kept.commands, "{}", kept.item);
        // A quick trial may decide less, never something else.
        assert!(kept.verdict == thorough.verdict || kept.verdict == LedgerVerdict::Undecided, "{}", kept.item);
    }
}

#[test]
fn the_documents_show_the_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let records = recorded();
    assert_eq!(read("docs/LEDGER.md"), ledger(&records), "run `cargo xtask ledger`");
    let drawn = |item: &str| root.join(format!("docs/errata/{item}.svg")).exists();
    assert_eq!(read("docs/ERRATA.md"), errata(&records, &drawn), "run `cargo xtask ledger`");
}

/// What the README says of it is counted.
#[test]
fn the_readme_counts_the_verdicts() {
    let readme = include_str!("../../../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let records = recorded();
    let count = |verdict| records.iter().filter(|record| record.thorough.verdict == verdict).count();
    let [holds, held, refuted] = [LedgerVerdict::Holds, LedgerVerdict::Held, LedgerVerdict::Refuted].map(count);
    let said = format!("Of the {} items", records.len());
    let told =
        format!("{holds} hold exhaustively on small instances, {held} held in all runs made and {refuted} are refuted");
    assert!(readme.contains(&said) && readme.contains(&told), "{said} … {told}");
}

/// No item is both held and refuted over three seeds: takes some minutes.
#[test]
#[ignore = "cargo test -p ringleader-cli --release --test ledger -- --ignored"]
fn verdicts_do_not_depend_on_the_seed() {
    for (_, item) in items() {
        let verdicts = [1, 2, 3].map(|seed| {
            let found = reproduce(item, quick(seed), &()).unwrap_or_else(|error| panic!("{}: {error}", item.number));
            found.expect("nobody stops it").verdict
        });
        let refuted = verdicts.iter().filter(|verdict| **verdict == LedgerVerdict::Refuted).count();
        let held =
            verdicts.iter().filter(|verdict| matches!(verdict, LedgerVerdict::Holds | LedgerVerdict::Held)).count();
        assert!(refuted == 0 || held == 0, "{}: {verdicts:?}", item.number);
    }
}
