//! The document of exact distributions says what is computed.

use ringleader::exact::{Documented, SMALL};

/// The rows of small rings, computed again.
#[test]
fn the_document_has_what_is_computed() {
    let document = include_str!("../../../docs/EXACT.md");
    for of in Documented::ALL {
        let setup = of.setup(of.largest, 1).expect("it was computed");
        let command = format!("`{}`", setup.command_line(&format!("2..{}", of.largest)));
        let (_, section) = document.split_once(&command).unwrap_or_else(|| panic!("{command} is in no section"));
        let section = section.split("\n## ").next().unwrap_or(section);
        for n in 2..=SMALL {
            let row = of.setup(n, 2).unwrap().compute(&()).unwrap().expect("nobody stops it");
            for line in [row.markdown(), row.markdown_costs()] {
                assert!(section.lines().any(|other| other == line), "{command} lacks {line}");
            }
        }
    }
}
