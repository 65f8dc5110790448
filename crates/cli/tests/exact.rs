//! The document of exact distributions says what is computed.

use ringleader::exact::{Documented, DocumentedRows, ExactRow, GpuRow, SMALL, document};
use ringleader::{find, ring};

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
        let text = document(&[DocumentedRows { of, rows, seconds }], &[], 2).unwrap();
        for line in text.lines().filter(|line| !line.contains("2..") && !line.starts_with("| [")) {
            assert!(DOCUMENT.lines().any(|other| other == line), "{}: {line}", of.protocol);
        }
    }
}

/// What a GPU computed is in the document, counts every order, and its extreme orders cost what it says when they are run here.
#[test]
fn rows_of_a_gpu_are_in_the_document_and_their_extremes_are_repeated() {
    let rows = GpuRow::read(include_str!("../../../docs/exact-gpu.jsonl")).expect("objects, one a line");
    assert!(!rows.is_empty());
    for GpuRow { row, .. } in &rows {
        let name = format!("{} {:?} n = {}", row.protocol, row.parameters, row.n);
        let marked = row.markdown().replacen(" | ", "* | ", 1);
        for line in [marked, row.markdown_costs()] {
            assert!(DOCUMENT.lines().any(|other| other == line), "{name} lacks {line}");
        }
        let orders: u64 = (1..row.n).product();
        let of = &row.election;
        assert_eq!(of.histogram.iter().map(|(_, runs)| runs).sum::<u64>(), orders, "{name}");
        assert!(row.unsound.is_none() && row.bounds.iter().all(|bound| bound.holds != Some(false)), "{name}");
        let settings: Vec<_> = row.parameters.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        for (order, messages) in [(&of.min_order, of.min), (&of.max_order, of.max)] {
            let setup = find(&row.protocol).unwrap().set_up(ring(order.clone()), &settings).unwrap();
            let run = setup.run().unwrap();
            assert_eq!(run.cost.split(false), messages, "{name}: {order:?}");
        }
    }
}
