//! Rules about Rust sources.

use super::source::{Keep, find_word, functions, is_name, strip};
use super::{TidyFinding, Tree};

/// Crates in which the compiler must forbid input, output, clocks and threads.
const BARE: [&str; 4] = ["crates/model", "crates/protocols", "crates/sim", "crates/exact"];
/// Crates that run protocols and must not name one.
const ENGINES: [&str; 4] = ["crates/sim", "crates/check", "crates/exact", "crates/live"];
/// Crates without floating point.
const EXACT: [&str; 5] = ["crates/model", "crates/protocols", "crates/sim", "crates/check", "crates/exact"];

const MOST_LINES: usize = 800;
const MOST_LINES_OF_A_FUNCTION: usize = 70;

/// Files that may be longer, each with its reason.
const LONG: &[(&str, &str)] = &[];

pub(super) fn no_std(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for bare in BARE {
        let path = format!("{bare}/src/lib.rs");
        match tree.file(&path) {
            Some(file) if strip(&file.text, Keep::Code).lines().any(|line| line.trim() == "#![no_std]") => {}
            Some(_) => findings.push(TidyFinding::new(&path, 0, "lacks #![no_std]")),
            None => findings.push(TidyFinding::new(&path, 0, "is missing")),
        }
        for file in tree.sources(bare) {
            let code = strip(&file.text, Keep::Code);
            let lines = code.lines().enumerate().filter(|(_, line)| line.contains("extern crate std"));
            findings.extend(lines.map(|(number, _)| TidyFinding::new(&file.path, number + 1, "brings `std` back in")));
        }
    }
    findings
}

pub(super) fn engines_name_no_protocol(tree: &Tree) -> Vec<TidyFinding> {
    let mut names = vec!["ringleader_protocols".to_string()];
    for (_, module) in tree.protocols() {
        names.extend([module.to_string(), module.replace('_', "-")]);
    }
    names.dedup();
    search(tree, &ENGINES, Keep::CodeAndStrings, |line| {
        names
            .iter()
            .find(|name| find_word(line, name).is_some())
            .map(|name| format!("an engine names the protocol '{name}'"))
    })
}

pub(super) fn no_floats(tree: &Tree) -> Vec<TidyFinding> {
    // Every serializer must have these two, even one that refuses them.
    let required = |line: &str| line.contains("fn serialize_f32(") || line.contains("fn serialize_f64(");
    search(tree, &EXACT, Keep::Code, |line| {
        if required(line) {
            return None;
        }
        let named = ["f32", "f64"].into_iter().find(|name| find_word(line, name).is_some());
        let found = named.map(ToString::to_string).or_else(|| float_literal(line));
        found.map(|found| format!("`{found}`: floating point is for statistics and drawing"))
    })
}

/// `1.5`, but not `x.0.1` nor `0..1`.
fn float_literal(line: &str) -> Option<String> {
    let points = line.match_indices('.').map(|(at, _)| at);
    points.into_iter().find_map(|at| {
        let whole: String = line[..at].chars().rev().take_while(|&c| is_name(c)).collect();
        let before = line[..at - whole.len()].chars().next_back();
        let part: String = line[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        let number = !whole.is_empty() && whole.chars().all(|c| c.is_ascii_digit() || c == '_') && before != Some('.');
        (number && !part.is_empty()).then(|| format!("{}.{part}", whole.chars().rev().collect::<String>()))
    })
}

pub(super) fn file_lengths(tree: &Tree) -> Vec<TidyFinding> {
    too_long(tree, LONG)
}

fn too_long(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is("rs") || file.is("js")) {
        let length = file.text.lines().count();
        let excepted = exceptions.iter().any(|(path, _)| *path == file.path);
        if length > MOST_LINES && !excepted {
            findings.push(TidyFinding::new(
                &file.path,
                0,
                format!("has {length} lines; allowed: {MOST_LINES}, or a reason"),
            ));
        }
        if length <= MOST_LINES && excepted {
            let what = "is no longer too long; remove it from the list in xtask/src/tidy/code.rs";
            findings.push(TidyFinding::new(&file.path, 0, what));
        }
    }
    findings
}

/// A warning only: a long function may be one long `match`.
pub(super) fn long_functions(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is("rs") && file.path.contains("/src/")) {
        for (name, line, length) in functions(&strip(&file.text, Keep::Code)) {
            if length > MOST_LINES_OF_A_FUNCTION {
                let what = format!("{name} has {length} lines; {MOST_LINES_OF_A_FUNCTION} are usual");
                findings.push(TidyFinding::new(&file.path, line, what));
            }
        }
    }
    findings
}

const PRINTS: [&str; 5] = ["println", "print", "eprintln", "eprint", "dbg"];

/// What people read goes through the command's one writer, so that pipes, colours and tests work.
pub(super) fn no_prints(tree: &Tree) -> Vec<TidyFinding> {
    let crates: Vec<&str> = tree.paths.iter().map(String::as_str).filter(|path| is_crate(path)).collect();
    search(tree, &crates, Keep::Code, |line| {
        let called = |name: &&&str| find_word(line, name).is_some_and(|at| line[at + name.len()..].starts_with('!'));
        PRINTS.iter().find(called).map(|name| format!("{name}! bypasses the command's writer"))
    })
}

/// A direct child of `crates`.
fn is_crate(path: &str) -> bool {
    path.strip_prefix("crates/").is_some_and(|name| !name.contains('/'))
}

/// The violations that `wrong` finds in the lines of these crates' sources.
fn search(tree: &Tree, crates: &[&str], keep: Keep, wrong: impl Fn(&str) -> Option<String>) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in crates.iter().flat_map(|one| tree.sources(one)) {
        for (number, line) in strip(&file.text, keep).lines().enumerate() {
            findings.extend(wrong(line).map(|what| TidyFinding::new(&file.path, number + 1, what)));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[TidyFinding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_crate_that_uses_std_is_found() {
        let good = "//! Says nothing.\n#![no_std]\n";
        let tree = |sim| {
            Tree::of(&[
                ("crates/model/src/lib.rs", good),
                ("crates/protocols/src/lib.rs", good),
                ("crates/exact/src/lib.rs", good),
                ("crates/sim/src/lib.rs", sim),
            ])
        };
        assert!(no_std(&tree(good)).is_empty());
        assert_eq!(no_std(&tree("// #![no_std]\n")).len(), 1);
        assert_eq!(lines(&no_std(&tree("#![no_std]\nextern crate std;\n"))), [2]);
        assert_eq!(no_std(&Tree::default()).len(), 4, "a crate that is gone is found");
    }

    #[test]
    fn an_engine_that_names_a_protocol_is_found() {
        let tree =
            |text| Tree::of(&[("crates/protocols/src/election/chang_roberts.rs", ""), ("crates/sim/src/lib.rs", text)]);
        assert!(engines_name_no_protocol(&tree("// as chang-roberts does\nfn f() {}")).is_empty());
        assert_eq!(lines(&engines_name_no_protocol(&tree("\nif name == \"chang-roberts\" {}"))), [2]);
        assert_eq!(lines(&engines_name_no_protocol(&tree("use ringleader_protocols::election;"))), [1]);
    }

    #[test]
    fn floating_point_is_found() {
        let tree = |text| Tree::of(&[("crates/model/src/bound.rs", text)]);
        assert!(no_floats(&tree("// f64\nlet a = \"f32 1.5\"; b.0.1; 0..1; of64; (0, 1).0; v1.0")).is_empty());
        assert_eq!(lines(&no_floats(&tree("fn a() -> f64 {}\nlet b = c as f32;\nlet d = 1.5;"))), [1, 2, 3]);
        assert!(no_floats(&Tree::of(&[("crates/cli/src/a.rs", "let a: f64 = 1.5;")])).is_empty());
    }

    #[test]
    fn long_files_are_found_and_so_are_exceptions_that_are_none() {
        let (fits, long) = ("\n".repeat(MOST_LINES), "\n".repeat(MOST_LINES + 1));
        let tree = |text| Tree::of(&[("crates/a/src/b.rs", text), ("c.md", long.as_str())]);
        let excepted = [("crates/a/src/b.rs", "it is one table")];
        assert!(file_lengths(&tree(&fits)).is_empty() && too_long(&tree(&long), &excepted).is_empty());
        assert_eq!(file_lengths(&tree(&long)).len(), 1);
        assert_eq!(too_long(&tree(&fits), &excepted).len(), 1);
    }

    #[test]
    fn long_functions_are_found() {
        let function = |lines: usize| format!("fn a() {{{}}}\n", "\n".repeat(lines - 1));
        assert!(long_functions(&Tree::of(&[("crates/a/src/b.rs", &function(MOST_LINES_OF_A_FUNCTION))])).is_empty());
        assert_eq!(
            long_functions(&Tree::of(&[("crates/a/src/b.rs", &function(MOST_LINES_OF_A_FUNCTION + 1))])).len(),
            1
        );
    }

    #[test]
    fn prints_are_found() {
        let tree = |text| Tree::of(&[("crates/cli/src/a.rs", text)]);
        assert!(no_prints(&tree("/// println!(1)\nwriteln!(out, \"println!\"); fn print() {}")).is_empty());
        assert_eq!(lines(&no_prints(&tree("dbg!(x);\n  eprintln!();\nprint!(\"a\")"))), [1, 2, 3]);
    }
}
