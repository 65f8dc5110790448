//! The bibliography as data is that of BIBLIOGRAPHY.md, and the program that of CITATION.cff.

use std::path::Path;

use ringleader::bibliography::{PROGRAM_AUTHORS, PROGRAM_TITLE, SOURCES, bibtex, key_of, keys, program_bibtex, source};
use ringleader::{Catalogue, catalogue};

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(path).expect("it is in the repository")
}

#[test]
fn every_source_is_the_one_of_the_document() {
    let text = document("BIBLIOGRAPHY.md");
    let table = text.split("\n\n").find(|part| part.starts_with("| key |")).expect("it begins with a table");
    let rows: Vec<(&str, &str)> = (table.lines().skip(2))
        .map(|line| {
            let cells: Vec<_> = line.split(" | ").collect();
            (cells[0].trim_start_matches("| "), cells[1])
        })
        .collect();
    let documented: Vec<_> = rows.iter().map(|(key, _)| *key).collect();
    let known: Vec<_> = SOURCES.iter().map(|source| source.key).collect();
    assert_eq!(known, documented);
    for (source, (key, text)) in SOURCES.iter().zip(rows) {
        let (citation, rest) = text.split_at(text.find("; read in").unwrap_or(text.len()));
        assert_eq!(source.to_string(), citation.replace('*', ""), "{key}");
        assert!(rest.is_empty() || rest.starts_with("; "), "{key}: {rest}");
    }
}

#[test]
fn every_citation_of_a_protocol_has_an_entry() {
    for entry in catalogue() {
        let keys = keys(&Catalogue::default(), entry.name()).expect("it is known");
        assert!(!keys.is_empty(), "{}", entry.name());
        for key in keys {
            assert!(source(key).is_some(), "{}: {key}", entry.name());
        }
    }
    assert_eq!(key_of("SpirakisTampakas1989 2.2.4, corrected"), "SpirakisTampakas1989");
    assert_eq!(key_of("ItaiRodeh1981, derived here"), "ItaiRodeh1981");
    assert!(bibtex(&["Nobody2000"]).starts_with("% Nobody2000"));
}

#[test]
fn bibtex_has_the_fields_of_its_kind() {
    let of = |key: &str| source(key).expect("it is known").bibtex();
    assert_eq!(
        of("SpirakisTampakas1989"),
        "@article{SpirakisTampakas1989,\n  author = {P. Spirakis and B. Tampakas},\n  title = {{Efficient distributed \
         algorithms by using the Archimedean time assumption}},\n  journal = {Informatique th{\\'e}orique et \
         applications},\n  volume = {23},\n  year = {1989},\n  pages = {113--128},\n}\n"
    );
    assert!(of("LeLann1977").contains("author = {G. {Le Lann}}"));
    assert!(of("VanLeeuwenTan1985").starts_with("@techreport{"));
    for source in SOURCES {
        let text = source.bibtex();
        assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
        assert!(text.contains("  year = {") && text.is_ascii(), "{text}");
    }
}

#[test]
fn the_program_is_that_of_the_citation_file() {
    let cff = document("CITATION.cff");
    let field = |name: &str| {
        let line = cff.lines().map(str::trim).find_map(|line| line.trim_start_matches("- ").strip_prefix(name));
        line.expect("it has the field").trim().to_string()
    };
    assert_eq!(field("version:"), env!("CARGO_PKG_VERSION"));
    assert_eq!((field("title:").as_str(), field("name:").as_str()), (PROGRAM_TITLE, PROGRAM_AUTHORS));
    let entry = program_bibtex();
    assert!(entry.contains(&format!("version = {{{}}}", env!("CARGO_PKG_VERSION"))) && entry.starts_with("@software{"));
}
