//! `cargo xtask tidy`: rules of the architecture that the compiler does not enforce, checked on the sources.
//!
//! Every check is a function from a [`Tree`] to [`TidyFinding`]s and is tested on small trees that break its rule.

mod catalogue;
mod code;
mod manifest;
mod names;
mod prose;
mod source;

use std::fmt;
use std::path::Path;

type TidyCheck = fn(&Tree) -> Vec<TidyFinding>;

/// The rules, in the order in which they are reported.
const CHECKS: &[(&str, TidyCheck)] = &[
    ("crates depend only on what the architecture allows", manifest::arrows),
    ("every crate inherits the workspace's lints", manifest::lints),
    ("model, protocols and sim are no_std", code::no_std),
    ("engines do not name a protocol", code::engines_name_no_protocol),
    ("integers only in model, protocols and engines", code::no_floats),
    ("no file is over 800 lines", code::file_lengths),
    ("crates print only through the command's writer", code::no_prints),
    ("a type name has one definition in the workspace", names::defined_once),
    ("every protocol is in the catalogue", catalogue::all_listed),
    ("every source is in the bibliography", catalogue::all_sources_known),
    ("no reminders of unfinished work", prose::no_reminders),
    ("no line of a document is over 132 columns", prose::line_lengths),
    ("every relative link has a target", prose::links),
    ("no path of one machine, no registry's address", prose::no_places),
];

/// Checks all rules and prints every violation; the error counts them.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let tree = Tree::read(root).map_err(|error| format!("cannot read the sources: {error}"))?;
    for warning in code::long_functions(&tree) {
        println!("    warning: {warning}");
    }
    let mut wrong = 0;
    for (name, check) in CHECKS {
        let findings = check(&tree);
        println!("    {} {name}", if findings.is_empty() { "✓" } else { "✗" });
        for finding in &findings {
            println!("        {finding}");
        }
        wrong += findings.len();
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("tidy found {wrong} violations\nwhat to do: fix them; ARCHITECTURE.md gives the reasons")),
    }
}

/// A violation of a rule, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TidyFinding {
    path: String,
    /// From 1; 0 for the whole file.
    line: usize,
    what: String,
}

impl TidyFinding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_string(), line, what: what.into() }
    }
}

impl fmt::Display for TidyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// A file as text; its path is relative to the root, with slashes.
struct File {
    path: String,
    text: String,
}

impl File {
    fn is(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }
}

/// The files of the repository that people write.
#[derive(Default)]
struct Tree {
    files: Vec<File>,
    /// The paths of all files and directories, also of files that are not read.
    paths: Vec<String>,
}

/// Directories written by tools.
const GENERATED: [&str; 6] = [".git", "target", "corpus", "artifacts", "coverage", "node_modules"];
/// Extensions of the files that are read.
const READ: [&str; 11] = ["rs", "toml", "md", "js", "css", "html", "json", "trycmd", "sh", "yml", "cff"];

impl Tree {
    fn read(root: &Path) -> std::io::Result<Self> {
        let mut tree = Self::default();
        tree.walk(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn walk(&mut self, directory: &Path, prefix: &str) -> std::io::Result<()> {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{prefix}{name}");
            if GENERATED.contains(&name.as_str()) {
                continue;
            }
            self.paths.push(path.clone());
            if entry.file_type()?.is_dir() {
                self.walk(&entry.path(), &format!("{path}/"))?;
                continue;
            }
            let file = File { path, text: String::new() };
            if READ.iter().any(|extension| file.is(extension)) || file.path == ".ci/run" {
                self.files.push(File { text: std::fs::read_to_string(entry.path())?, ..file });
            }
        }
        Ok(())
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust sources of a crate's library or binary.
    fn sources<'a>(&'a self, of: &'a str) -> impl Iterator<Item = &'a File> {
        let prefix = format!("{of}/src/");
        self.files.iter().filter(move |file| file.path.starts_with(&prefix) && file.is("rs"))
    }

    /// The protocols' files: path and name as a module.
    fn protocols(&self) -> impl Iterator<Item = (&File, &str)> {
        self.sources("crates/protocols").filter_map(|file| {
            let inner = file.path.strip_prefix("crates/protocols/src/")?;
            let (_problem, name) = inner.split_once('/')?;
            let module = name.strip_suffix(".rs").filter(|module| !module.contains('/'))?;
            Some((file, module))
        })
    }
}

#[cfg(test)]
impl Tree {
    /// A tree of these files, for tests.
    fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            let parents = path.match_indices('/').map(|(at, _)| path[..at].to_string());
            tree.paths.extend(parents.chain([(*path).to_string()]));
            tree.files.push(File { path: (*path).to_string(), text: (*text).to_string() });
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_fill_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [("a/b.rs", "1"), ("target/c.rs", "2"), (".ci/run", "3"), ("d.bin", "4")] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let tree = Tree::read(root.path()).unwrap();
        assert_eq!(tree.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), [".ci/run", "a/b.rs"]);
        assert!(tree.paths.contains(&"d.bin".to_string()) && !tree.paths.contains(&"target".to_string()));
    }

    #[test]
    fn a_finding_says_where() {
        assert_eq!(TidyFinding::new("a.rs", 3, "is wrong").to_string(), "a.rs:3: is wrong");
        assert_eq!(TidyFinding::new("a.rs", 0, "is wrong").to_string(), "a.rs: is wrong");
    }
}
