//! The document of exact distributions says what is computed.

use ringleader::exact::{Documented, DocumentedRows, ExactRow, SMALL, document};

const DOCUMENT: &str = include_str!("../../../docs/EXACT.md");

fn small_rows(of: &Documented) -> Vec<ExactRow> {
    (2..=SMALL).map(|n| of.setup(n, 2).unwrap().compute(&()).unwrap().expect("nobody stops it")).collect()
}

/// The rows of small rings, computed again.
#[test]
fn the_document_has_what_is_computed() {
    for of in Documented::ALL {
        let setup = of.setup(of.largest, 1).expect("it was computed");
        let command = format!("`{}`", setup.command_line(&format!("2..{}", of.largest)));
        let (_, section) = DOCUMENT.split_once(&command).unwrap_or_else(|| panic!("{command} is in no section"));
        let section = section.split("\n## ").next().unwrap_or(section);
        for row in small_rows(of) {
            for line in [row.markdown(), row.markdown_costs()] {
                assert!(section.lines().any(|other| other == line), "{command} lacks {line}");
            }
        }
    }
}

/// Everything but the tables and commands of larger rings is written as it would be today.
#[test]
fn the_document_is_written_as_it_would_be_today() {
    for of in Documented::ALL {
        let rows = small_rows(of);
        let seconds = vec![0.0; rows.len()];
        let text = document(&[DocumentedRows { of, rows, seconds }], 2).unwrap();
        for line in text.lines().filter(|line| !line.contains("2..") && !line.starts_with("| [")) {
            assert!(DOCUMENT.lines().any(|other| other == line), "{}: {line}", of.protocol);
        }
    }
}
