//! The record of checks is right: the small ones are repeated, and the document shows the record.

use ringleader::check::{Figures, Row, document};
use ringleader::protocols::catalogue::DESCRIPTIONS;
use ringleader_cli::recheck;

/// A row with more states than this is left to `cargo xtask checked`.
const SMALL: u64 = 20_000;

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

#[test]
fn the_document_shows_what_is_kept() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/CHECKED.md");
    let shown = std::fs::read_to_string(path).expect("the document is there");
    assert!(shown == document(&Row::all()), "run `cargo xtask checked --new`");
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
