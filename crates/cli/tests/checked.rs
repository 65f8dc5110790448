//! The record of checks is right: the small ones are repeated, and the document shows the record.

use ringleader::check::{Figures, ProbabilityFigures, ProbabilityRow, Row, document};
use ringleader::checker::Reduction;
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader_cli::{recheck, recheck_probability};

/// A row with more states than this is left to `cargo xtask checked`.
const SMALL: u64 = 20_000;
/// The same for probabilities.
const FEW_STATES: u64 = 1_000;

#[test]
fn small_checks_come_out_as_they_are_kept() {
    let mut count = 0;
    for row in Row::all() {
        let figures =
            row.figures.as_ref().unwrap_or_else(|| panic!("{}: run `cargo xtask checked --new`", row.command));
        if figures.states > SMALL {
            continue;
        }
        let report = recheck(&row).unwrap_or_else(|error| panic!("{}: {error}", row.command));
        assert_eq!(Figures::new(&report), *figures, "{}", row.command);
        assert_eq!(report.rerun, row.command);
        count += 1;
    }
    assert!(count > 0);
}

/// A row with more states than this is not repeated without reductions.
const UNREDUCED: u64 = 5_000;

/// Repeats the rows of at most [`UNREDUCED`] states with `--no-reduce` and an argument; returns how many, and how many have
/// more states then.
#[track_caller]
fn repeat_without_reductions(named: &str) -> (usize, usize) {
    let decided = |figures: Figures| {
        (figures.verdict, figures.promises, figures.lemmas, figures.most_messages, figures.counterexample)
    };
    let (mut count, mut larger) = (0, 0);
    for row in Row::all() {
        let Some(figures) = row.figures.filter(|figures| figures.states <= UNREDUCED) else { continue };
        let full = Row { command: format!("{} --no-reduce{named}", row.command), figures: None };
        let report = recheck(&full).unwrap_or_else(|error| panic!("{}: {error}", full.command));
        larger += usize::from(report.states != figures.states);
        assert_eq!(decided(Figures::new(&report)), decided(figures), "{}", full.command);
        count += 1;
    }
    (count, larger)
}

#[test]
fn small_checks_come_out_the_same_without_reductions() {
    let (count, larger) = repeat_without_reductions("");
    assert!(count > 100 && larger > 50, "{count} {larger}");
}

#[test]
fn small_checks_come_out_the_same_without_each_reduction() {
    for reduction in Reduction::ALL {
        let (_, larger) = repeat_without_reductions(&format!("={}", reduction.name()));
        assert!(larger > 0, "{} is not examined", reduction.name());
    }
}

#[test]
fn small_checks_of_probabilities_come_out_as_they_are_kept() {
    let mut count = 0;
    for row in ProbabilityRow::all() {
        let figures =
            row.figures.as_ref().unwrap_or_else(|| panic!("{}: run `cargo xtask checked --new`", row.command));
        if figures.states > FEW_STATES {
            continue;
        }
        let report = recheck_probability(&row).unwrap_or_else(|error| panic!("{}: {error}", row.command));
        assert_eq!(ProbabilityFigures::new(&report), *figures, "{}", row.command);
        assert_eq!(report.rerun, row.command);
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_document_shows_what_is_kept() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CHECKED.md");
    let shown = std::fs::read_to_string(path).expect("the document is there");
    assert!(shown == document(&Row::all(), &ProbabilityRow::all()), "run `cargo xtask checked --new`");
}

#[test]
fn every_protocol_was_checked_also_on_links_that_reorder() {
    let rows = Row::all();
    for description in DESCRIPTIONS {
        let of = || rows.iter().filter(|row| row.protocol() == description.name);
        assert!(of().next().is_some(), "{} was not checked", description.name);
        for n in [3, 4] {
            let reordered = |row: &Row| row.figures.as_ref().is_some_and(|f| f.links == "any" && f.n == n);
            assert!(of().any(reordered), "{} was not checked on links that reorder at n = {n}", description.name);
        }
    }
}
