//! One meaning per type name across the workspace.

use std::collections::BTreeMap;

use super::source::{Keep, is_name, strip};
use super::{File, TidyFinding, Tree};

/// The directories of the workspace.
const MEMBERS: [&str; 3] = ["crates/", "tests/", "xtask/"];
/// A protocol speaks its paper's language: its message is a `Message`, whatever other protocols call so.
const PROTOCOLS: [&str; 4] = [
    "crates/protocols/src/election/",
    "crates/protocols/src/mutual_exclusion/",
    "crates/protocols/src/readers_writers/",
    "crates/protocols/src/token/",
];

/// Names that every crate may define: its error type is its `Error`, as everywhere in Rust.
const OF_EACH_CRATE: [&str; 1] = ["Error"];

/// Within the sources a name is defined once. Tests may use a name again, each file for what it needs, but not a name of the
/// sources: a reader would take it for that.
pub(super) fn defined_once(tree: &Tree) -> Vec<TidyFinding> {
    let mut first: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    let mut findings = Vec::new();
    let definitions = || {
        tree.files
            .iter()
            .filter(|file| is_searched(file))
            .flat_map(definitions)
            .filter(|definition| !OF_EACH_CRATE.contains(&&*definition.name))
    };
    for Definition { path, line, name, .. } in definitions().filter(|definition| !definition.test) {
        match first.get(&name) {
            None => _ = first.insert(name, (path, line)),
            Some(other) => findings.push(taken(&name, (path, line), *other)),
        }
    }
    for Definition { path, line, name, .. } in definitions().filter(|definition| definition.test) {
        findings.extend(first.get(&name).map(|other| taken(&name, (path, line), *other)));
    }
    findings
}

fn taken(name: &str, (path, line): (&str, usize), (other, other_line): (&str, usize)) -> TidyFinding {
    TidyFinding::new(path, line, format!("the type name `{name}` is taken by {other}:{other_line}"))
}

fn is_searched(file: &File) -> bool {
    let under = |directories: &[&str]| directories.iter().any(|directory| file.path.starts_with(directory));
    file.is("rs") && under(&MEMBERS) && !under(&PROTOCOLS)
}

/// Whether a file holds nothing but tests, benchmarks or searches for them.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.starts_with("tests/")
        || ["/tests/", "/benches/"].iter().any(|directory| path.contains(directory))
        || ["tests.rs", "test_protocols.rs"].iter().any(|end| name.ends_with(end))
}

/// A type of a module.
struct Definition<'a> {
    path: &'a str,
    /// From 1.
    line: usize,
    name: String,
    test: bool,
}

/// The structs, enums, unions, traits and type aliases that the modules of a file define. Associated types and types local to
/// a function are left out.
fn definitions(file: &File) -> Vec<Definition<'_>> {
    let (code, is_test) = (strip(&file.text, Keep::Code), is_test(&file.path));
    let mut found = Vec::new();
    // Of every open block, the module that it is.
    let mut blocks: Vec<Option<String>> = Vec::new();
    // The last two words: `mod tests {`, `struct Name`.
    let (mut before, mut last) = (String::new(), String::new());
    let (mut line, mut rest) = (1, &code[..]);
    while let Some(c) = rest.chars().next() {
        let word: String = rest.chars().take_while(|&c| is_name(c)).collect();
        if word.is_empty() {
            match c {
                '\n' => line += 1,
                '{' => blocks.push((before == "mod").then(|| last.clone())),
                '}' => _ = blocks.pop(),
                _ => {}
            }
            if !c.is_whitespace() {
                (before, last) = (String::new(), String::new());
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        rest = &rest[word.len()..];
        if is_type_keyword(&last) && blocks.iter().all(Option::is_some) {
            let test = is_test || blocks.iter().flatten().any(|module| module == "tests");
            found.push(Definition { path: &file.path, line, name: word.clone(), test });
        }
        (before, last) = (last, word);
    }
    found
}

fn is_type_keyword(word: &str) -> bool {
    ["struct", "enum", "union", "trait", "type"].contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_modules_are_found() {
        let code = "#[derive(Clone)]\npub struct A;\npub(crate) enum B { C }\ntrait D<T> {\n type E;\n}\nmod f {\n type G = u8;\n}\n\
                    impl D for A { type E = u8; }\nfn h() { struct I; }\nunsafe trait J {}\nfn k(r#type: L) {}\n\
                    mod tests { struct M; }\n";
        let file = File { path: "crates/model/src/a.rs".to_string(), text: code.to_string() };
        let found = definitions(&file);
        let found: Vec<_> = found.iter().map(|found| (found.line, found.name.as_str(), found.test)).collect();
        let sources = [(2, "A"), (3, "B"), (4, "D"), (8, "G"), (12, "J")].map(|(line, name)| (line, name, false));
        assert_eq!(found, [&sources[..], &[(14, "M", true)]].concat());
    }

    #[test]
    fn a_name_taken_twice_is_found() {
        let tree = |path, text| {
            Tree::of(&[("crates/model/src/a.rs", "pub struct Step;"), (path, text), ("fuzz/a.rs", "struct Step;")])
        };
        let found = |path, text| defined_once(&tree(path, text)).iter().map(ToString::to_string).collect::<Vec<_>>();
        let taken = ["tests/src/b.rs:2: the type name `Step` is taken by crates/model/src/a.rs:1"];
        assert_eq!(found("tests/src/b.rs", "\nenum Step {}"), taken);
        assert_eq!(found("tests/src/b.rs", "// struct Step;\nstruct Stepper(Step);"), [""; 0]);
        assert_eq!(found("crates/protocols/src/token/b.rs", "struct Step;"), [""; 0]);
        assert_eq!(found("crates/protocols/src/b.rs", "struct Step;").len(), 1);
    }

    #[test]
    fn tests_may_use_a_name_that_only_tests_use() {
        let files = [("tests/tests/a.rs", "struct World;"), ("crates/sim/src/b.rs", "mod tests { struct World; }")];
        assert!(defined_once(&Tree::of(&files)).is_empty());
        let clashes = [files[0], files[1], ("crates/sim/src/world.rs", "pub struct World;")];
        assert_eq!(defined_once(&Tree::of(&clashes)).len(), 2);
    }
}
