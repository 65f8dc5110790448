//! `cargo xtask tidy`: what the compiler does not enforce of the architecture, checked on the sources.
//!
//! Every check is a function from a [`Tree`] to [`Finding`]s and is tested on small trees that it must object to.

mod catalogue;
mod code;
mod manifest;
mod prose;
mod source;

use std::fmt;
use std::path::Path;

type Check = fn(&Tree) -> Vec<Finding>;

/// What is checked, in the order in which it is reported.
const CHECKS: &[(&str, Check)] = &[
    ("crates depend only on what the architecture allows", manifest::arrows),
    ("every crate takes over the workspace's lints", manifest::lints),
    ("model, protocols and sim are no_std", code::no_std),
    ("engines do not name a protocol", code::engines_name_no_protocol),
    ("integers only in model, protocols and engines", code::no_floats),
    ("no file is over 800 lines", code::file_lengths),
    ("nothing is printed past the one place for it", code::no_prints),
    ("every protocol is in the catalogue", catalogue::all_listed),
    ("every source is in the bibliography", catalogue::all_sources_known),
    ("nothing is left to be done", prose::no_reminders),
    ("every relative link leads somewhere", prose::links),
    ("nothing names this machine or a registry", prose::no_places),
];

/// Checks everything; an error says how many things are wrong, after each was shown.
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
        _ => {
            Err(format!("tidy found {wrong} things wrong\nwhat to do: put them right; ARCHITECTURE.md has the reasons"))
        }
    }
}

/// Something wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    path: String,
    /// From 1; 0 where it is the whole file.
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_string(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
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

/// The files that people write.
#[derive(Default)]
struct Tree {
    files: Vec<File>,
    /// All paths there are, those of other files and of directories included.
    paths: Vec<String>,
}

/// Directories that tools fill.
const GENERATED: [&str; 6] = [".git", "target", "corpus", "artifacts", "coverage", "node_modules"];
/// What is read.
const READ: [&str; 9] = ["rs", "toml", "md", "js", "css", "html", "json", "trycmd", "sh"];

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
        assert_eq!(Finding::new("a.rs", 3, "is wrong").to_string(), "a.rs:3: is wrong");
        assert_eq!(Finding::new("a.rs", 0, "is wrong").to_string(), "a.rs: is wrong");
    }
}
