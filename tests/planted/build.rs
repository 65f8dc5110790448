//! Copies the catalogue and plants every bug of the list in it, each asleep until it is asked for.
#![allow(dead_code, reason = "where a bug shows is the test's concern")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

include!("src/list.rs");
include!("src/list/rings.rs");
include!("src/list/networks.rs");
include!("src/list/locks.rs");

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // `cargo package` builds a copy under target/: the catalogue lies above that, too.
    let mut above = here.ancestors().map(|directory| directory.join("crates/protocols/src"));
    let from = above.find(|sources| sources.is_dir()).expect("the catalogue lies above this crate");
    let to = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("protocols");
    println!("cargo::rerun-if-changed={}", from.display());
    println!("cargo::rerun-if-changed=src");
    let unknown = all_bugs().find(|bug| !from.join(bug.target.file).is_file());
    if let Some(bug) = unknown {
        panic!("{}: there is no file {}", bug.name, bug.target.file);
    }
    copy(&from, &to, Path::new(""));
}

fn copy(from: &Path, to: &Path, inner: &Path) {
    fs::create_dir_all(to.join(inner)).expect("the build directory can be written");
    for entry in fs::read_dir(from.join(inner)).expect("the catalogue is there") {
        let entry = entry.expect("it can be listed");
        let inner = inner.join(entry.file_name());
        if entry.path().is_dir() {
            copy(from, to, &inner);
            continue;
        }
        let text = fs::read_to_string(entry.path()).expect("it can be read");
        let name = inner.to_str().expect("file names are plain").replace('\\', "/");
        let text = match name.as_str() {
            // What is said of the crate as a whole is said where it is included.
            "lib.rs" => {
                let said = |line: &&str| line.starts_with("//!") || line.starts_with("#!");
                text.lines().filter(|line| !said(line)).collect::<Vec<_>>().join("\n")
            }
            _ => planted(&name, &text),
        };
        fs::write(to.join(&inner), text).expect("the build directory can be written");
    }
}

/// The file with all of its bugs: those that replace the same text are alternatives.
fn planted(file: &str, text: &str) -> String {
    let mut planted: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (number, bug) in all_bugs().enumerate().filter(|(_, bug)| bug.target.file == file) {
        let (before, rest) = bug.at.split_once('«').unwrap_or_else(|| panic!("{}: no «", bug.name));
        let (right, after) = rest.split_once('»').unwrap_or_else(|| panic!("{}: no »", bug.name));
        let found = format!("{before}{right}{after}");
        let count = text.matches(&found).count();
        assert!(count == 1, "{}: in {file} this is found {count} times, not once: {found}", bug.name);
        let from = text.find(&found).expect("it was found") + before.len();
        let wrong = format!("if crate::is_planted({number}) {{ {} }} else ", bug.to);
        planted.entry((from, from + right.len())).or_default().push_str(&wrong);
    }
    let mut result = String::new();
    let mut done = 0;
    for ((from, to), wrong) in planted {
        assert!(done <= from, "{file}: two bugs overlap: {}", &text[from..to]);
        let right = &text[from..to];
        let choice = format!("{wrong}{{ {right} }}");
        // As part of an expression it needs parentheses; as a statement it must not have them.
        let choice = if right.trim_end().ends_with(';') { choice } else { format!("({choice})") };
        result.push_str(&text[done..from]);
        result.push_str(&choice);
        done = to;
    }
    result + &text[done..]
}
