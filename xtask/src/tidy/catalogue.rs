//! Rules about the catalogue and the bibliography.

use super::source::{Keep, find_word, is_name, strip};
use super::{TidyFinding, Tree};

const CATALOGUE: &str = "crates/protocols/src/catalogue.rs";
const BIBLIOGRAPHY: &str = "BIBLIOGRAPHY.md";

/// Files beside the protocols that are not protocols, with the reason.
const SHARED: &[(&str, &str)] = &[
    ("crates/protocols/src/election/tasks.rs", "what a leader does after any election"),
    ("crates/protocols/src/mutual_exclusion/archimedean_lock.rs", "what two protocols share"),
];

pub(super) fn all_listed(tree: &Tree) -> Vec<TidyFinding> {
    let catalogue = tree.file(CATALOGUE).map(|file| strip(&file.text, Keep::Code)).unwrap_or_default();
    let missing = tree.protocols().filter(|(file, module)| {
        !SHARED.iter().any(|(path, _)| *path == file.path) && !catalogue.contains(&format!("::{module}::"))
    });
    missing
        .map(|(file, module)| TidyFinding::new(&file.path, 0, format!("{CATALOGUE} does not list `{module}`")))
        .collect()
}

pub(super) fn all_sources_known(tree: &Tree) -> Vec<TidyFinding> {
    let known = tree.file(BIBLIOGRAPHY).map(|file| keys(&file.text)).unwrap_or_default();
    let mut findings = Vec::new();
    for file in tree.sources("crates/protocols") {
        for (line, key) in cited(&file.text) {
            if !known.contains(&key) {
                findings.push(TidyFinding::new(&file.path, line, format!("{BIBLIOGRAPHY} has no '{key}'")));
            }
        }
    }
    findings
}

/// The keys of a bibliography: the first word of each line, after any markup.
fn keys(text: &str) -> Vec<String> {
    let first = |line: &str| -> String {
        let line = line.trim_start_matches(|c: char| !is_name(c));
        line.chars().take_while(|&c| is_name(c) || c == '-').collect()
    };
    text.lines().map(first).filter(|key| !key.is_empty()).collect()
}

/// The keys that `sources: &["A", "B"]` and `source: "A section 3"` cite, with their lines.
fn cited(text: &str) -> Vec<(usize, String)> {
    let text = strip(text, Keep::CodeAndStrings);
    let mut cited = Vec::new();
    for (field, closing) in [("sources", ']'), ("source", ',')] {
        let mut from = 0;
        while let Some(at) = find_word(&text[from..], field).map(|at| at + from + field.len()) {
            from = at;
            let Some(list) = text[at..].strip_prefix(':') else { continue };
            let line = text[..at].matches('\n').count() + 1;
            let end = list.find(closing).unwrap_or(list.len());
            // Every second piece between quotes is a string.
            let strings = list[..end].split('"').skip(1).step_by(2);
            let keys = strings.filter_map(|string| string.split_whitespace().next());
            cited.extend(keys.map(|key| (line, key.trim_end_matches([',', ';', ':']).to_string())));
        }
    }
    cited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_that_is_not_listed_is_found() {
        let tree = |catalogue| {
            Tree::of(&[
                (CATALOGUE, catalogue),
                ("crates/protocols/src/election.rs", ""),
                ("crates/protocols/src/election/lelann.rs", ""),
                ("crates/protocols/src/election/vitanyi/law.rs", ""),
            ])
        };
        assert!(all_listed(&tree("catalogue![crate::election::lelann::LeLann];")).is_empty());
        assert_eq!(all_listed(&tree("// crate::election::lelann::LeLann")).len(), 1);
    }

    #[test]
    fn a_source_that_is_not_in_the_bibliography_is_found() {
        let protocol =
            "sources: &[\n  \"Lamport1978\",\n  \"Ring1984\"],\nsource: \"Ring1984 section 3, (2)\",\nsource: x,\n";
        let tree = |bibliography| Tree::of(&[(BIBLIOGRAPHY, bibliography), ("crates/protocols/src/a/b.rs", protocol)]);
        assert!(all_sources_known(&tree("# Sources\n\n- **Lamport1978**: L.\n## Ring1984\n")).is_empty());
        let found = all_sources_known(&tree("- **Lamport1978**, unlike Ring1984, is here\n"));
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn a_bibliography_that_is_missing_is_found() {
        assert_eq!(all_sources_known(&Tree::of(&[("crates/protocols/src/a/b.rs", "sources: &[\"A1\"],")])).len(), 1);
    }
}
