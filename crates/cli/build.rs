//! Tells the program the commit that it is built from, where that is known: `RINGLEADER_COMMIT`, or the checkout's HEAD, which
//! is read from its files.

#![allow(clippy::print_stdout, reason = "a build script tells cargo on standard output")]

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=RINGLEADER_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    let given = std::env::var("RINGLEADER_COMMIT").ok();
    let commit = given.or_else(|| head(Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?)));
    println!("cargo::rustc-env=RINGLEADER_COMMIT={}", commit.unwrap_or_default());
}

/// The commit of HEAD.
fn head(package: &Path) -> Option<String> {
    let git = git_directory(package.ancestors().find(|directory| directory.join(".git").exists())?)?;
    let head = read(&git.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref: ") else { return commit(&head) };
    // A worktree has a HEAD of its own, and shares its references.
    let common = read(&git.join("commondir")).map_or_else(|| git.clone(), |path| git.join(path));
    let loose = read(&common.join(reference)).and_then(|text| commit(&text));
    loose.or_else(|| {
        let packed = read(&common.join("packed-refs"))?;
        let line = packed.lines().find(|line| line.ends_with(&format!(" {reference}")))?;
        commit(line.split(' ').next()?)
    })
}

/// The directory of git's files: `.git` itself, or what it names.
fn git_directory(checkout: &Path) -> Option<PathBuf> {
    let git = checkout.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let link = read(&git)?;
    Some(checkout.join(link.strip_prefix("gitdir: ")?))
}

/// A file without the end of its last line, which the program is built again for when it changes.
fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo::rerun-if-changed={}", path.display());
    Some(text.trim_end().to_string())
}

fn commit(text: &str) -> Option<String> {
    (text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| text.to_string())
}
