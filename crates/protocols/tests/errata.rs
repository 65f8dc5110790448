//! The errata tables of BIBLIOGRAPHY.md are those of the protocols' descriptions; `cargo xtask errata` writes them.

use std::fmt::Write;
use std::fs;

use ringleader_protocols::catalogue::DESCRIPTIONS;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../BIBLIOGRAPHY.md");
const BEGIN: &str = "<!-- errata: written by `cargo xtask errata` -->\n";
const END: &str = "<!-- end of errata -->\n";

#[test]
fn the_bibliography_has_the_errata_of_the_descriptions() {
    let document = fs::read_to_string(PATH).expect("BIBLIOGRAPHY.md is readable");
    let (before, rest) = document.split_once(BEGIN).expect("BIBLIOGRAPHY.md has a marker where the errata begin");
    let (tables, after) = rest.split_once(END).expect("BIBLIOGRAPHY.md has a marker where the errata end");
    let generated = generated();
    if std::env::var_os("WRITE_ERRATA").is_some() {
        fs::write(PATH, [before, BEGIN, &generated, END, after].concat()).expect("BIBLIOGRAPHY.md is writable");
    } else {
        assert!(tables == generated, "the descriptions have changed: run `cargo xtask errata`");
    }
}

/// One table per protocol that has errata, in the order of the catalogue.
fn generated() -> String {
    let mut text = String::new();
    for description in DESCRIPTIONS.iter().filter(|description| !description.errata.is_empty()) {
        let sources = description.sources.join(", ");
        write!(
            text,
            "\n### `{}` ({sources})\n\n| where | what is wrong | what is done |\n|---|---|---|\n",
            description.name
        )
        .expect("a string can be written to");
        for erratum in description.errata {
            let cells = [erratum.place, erratum.wrong, erratum.repair].map(cell);
            writeln!(text, "| {} |", cells.join(" | ")).expect("a string can be written to");
        }
    }
    text + "\n"
}

/// The text of a cell: bars are escaped, experiments become links.
fn cell(text: &str) -> String {
    let mut pieces = text.split("experiments/");
    let mut linked = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let end = piece.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        write!(linked, "[experiments/{name}](experiments/{name}/README.md){rest}").expect("a string can be written to");
    }
    linked.replace('|', "\\|")
}

#[test]
fn cells_are_markdown() {
    assert_eq!(cell("a | b"), "a \\| b");
    assert_eq!(cell("see experiments/a-1, b"), "see [experiments/a-1](experiments/a-1/README.md), b");
}
