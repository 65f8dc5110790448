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

pub(super) fn defined_once(tree: &Tree) -> Vec<TidyFinding> {
    let mut first: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_searched(file)) {
        for (line, name) in types(&strip(&file.text, Keep::Code)) {
            match first.get(&name) {
                None => _ = first.insert(name, (&file.path, line)),
                Some((path, other)) => {
                    let what = format!("the type name `{name}` is taken by {path}:{other}");
                    findings.push(TidyFinding::new(&file.path, line, what));
                }
            }
        }
    }
    findings
}

fn is_searched(file: &File) -> bool {
    let under = |directories: &[&str]| directories.iter().any(|directory| file.path.starts_with(directory));
    file.is("rs") && under(&MEMBERS) && !under(&PROTOCOLS)
}

/// The structs, enums, unions, traits and type aliases that modules of a stripped source define, with their lines from 1.
/// Associated types and types local to a function are left out.
fn types(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // Of every open block, whether it is a module.
    let mut blocks: Vec<bool> = Vec::new();
    // The last two words: `mod tests {`, `struct Name`.
    let (mut before, mut last) = (String::new(), String::new());
    let (mut line, mut rest) = (1, code);
    while let Some(c) = rest.chars().next() {
        let word: String = rest.chars().take_while(|&c| is_name(c)).collect();
        if word.is_empty() {
            match c {
                '\n' => line += 1,
                '{' => blocks.push(before == "mod"),
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
        if is_type_keyword(&last) && blocks.iter().all(|&module| module) {
            found.push((line, word.clone()));
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
                    impl D for A { type E = u8; }\nfn h() { struct I; }\nunsafe trait J {}\nfn k(r#type: L) {}\n";
        let names: Vec<(usize, String)> = types(code);
        let names: Vec<(usize, &str)> = names.iter().map(|(line, name)| (*line, name.as_str())).collect();
        assert_eq!(names, [(2, "A"), (3, "B"), (4, "D"), (8, "G"), (12, "J")]);
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
}
