//! Rules about the crates' manifests.

use super::{TidyFinding, Tree};

/// The crates of the workspace that a crate may depend on, tests and benchmarks aside.
struct Arrows {
    of: &'static str,
    to: Allowed,
}

enum Allowed {
    /// These and no others, of the workspace or from outside.
    Exactly(&'static [&'static str]),
    /// These crates of the workspace, and any from outside.
    Only(&'static [&'static str]),
    /// Any crate.
    Anything,
}

const ARROWS: &[Arrows] = &[
    Arrows { of: "crates/derive", to: Allowed::Only(&[]) },
    Arrows { of: "crates/model", to: Allowed::Exactly(&["ringleader-derive", "serde"]) },
    Arrows { of: "crates/protocols", to: Allowed::Only(&["ringleader-model"]) },
    Arrows { of: "crates/sim", to: Allowed::Only(&["ringleader-model"]) },
    Arrows { of: "crates/check", to: Allowed::Only(&["ringleader-model"]) },
    Arrows { of: "crates/exact", to: Allowed::Exactly(&["ringleader-model"]) },
    Arrows { of: "crates/live", to: Allowed::Only(&["ringleader-model"]) },
    Arrows {
        of: "crates/ringleader",
        to: Allowed::Only(&[
            "ringleader-model",
            "ringleader-protocols",
            "ringleader-sim",
            "ringleader-check",
            "ringleader-exact",
        ]),
    },
    Arrows {
        of: "crates/ledger",
        to: Allowed::Only(&["ringleader", "ringleader-model", "ringleader-sim", "ringleader-check"]),
    },
    Arrows { of: "crates/lab", to: Allowed::Anything },
    Arrows { of: "crates/cli", to: Allowed::Anything },
    Arrows { of: "tests", to: Allowed::Anything },
    Arrows { of: "tests/planted", to: Allowed::Only(&["ringleader-model"]) },
    Arrows { of: "xtask", to: Allowed::Exactly(&[]) },
];

/// A crate of the workspace.
struct Crate<'a> {
    directory: &'a str,
    path: &'a str,
    manifest: Manifest,
}

/// The crates of the workspace. The fuzz targets are a workspace of their own.
fn crates(tree: &Tree) -> Vec<Crate<'_>> {
    let manifests = tree.files.iter().filter_map(|file| Some((file.path.strip_suffix("/Cargo.toml")?, file)));
    manifests
        .map(|(directory, file)| Crate { directory, path: &file.path, manifest: Manifest::parse(&file.text) })
        .filter(|one| !one.manifest.is_workspace)
        .collect()
}

pub(super) fn arrows(tree: &Tree) -> Vec<TidyFinding> {
    let crates = crates(tree);
    let ours: Vec<&str> = crates.iter().map(|one| one.manifest.name.as_str()).collect();
    let mut findings = Vec::new();
    for one in &crates {
        let Some(arrows) = ARROWS.iter().find(|arrows| arrows.of == one.directory) else {
            let what = "the dependencies allowed to this crate are not listed in xtask/src/tidy/manifest.rs";
            findings.push(TidyFinding::new(one.path, 0, what));
            continue;
        };
        for (line, dependency) in &one.manifest.dependencies {
            let ours = ours.contains(&dependency.as_str());
            let (allowed, instead) = match arrows.to {
                Allowed::Exactly(names) => (names.contains(&dependency.as_str()), names.join(", ")),
                Allowed::Only(names) => (!ours || names.contains(&dependency.as_str()), names.join(", ")),
                Allowed::Anything => (true, String::new()),
            };
            if !allowed {
                let what = format!("depends on {dependency}; allowed: {instead}");
                findings.push(TidyFinding::new(one.path, *line, what));
            }
        }
    }
    findings
}

pub(super) fn lints(tree: &Tree) -> Vec<TidyFinding> {
    let without = crates(tree).into_iter().filter(|one| !one.manifest.takes_lints);
    without.map(|one| TidyFinding::new(one.path, 0, "lacks `[lints] workspace = true`")).collect()
}

/// The parts of a manifest that the rules need.
#[derive(Default)]
struct Manifest {
    name: String,
    is_workspace: bool,
    takes_lints: bool,
    /// Names of packages, with their lines; those for tests are left out.
    dependencies: Vec<(usize, String)>,
}

impl Manifest {
    /// Reads the forms that cargo's own manifests have: tables with one key a line.
    fn parse(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut table = String::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                table = header.trim_start_matches('[').split(']').next().unwrap_or("").to_string();
                manifest.is_workspace |= table == "workspace";
                // [dependencies.name]
                if let Some((parent, name)) = table.rsplit_once('.')
                    && is_dependencies(parent)
                {
                    manifest.dependencies.push((number + 1, name.trim_matches('"').to_string()));
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else { continue };
            let (key, value) = (key.trim(), value.trim());
            match (table.as_str(), key) {
                ("package", "name") => manifest.name = value.trim_matches('"').to_string(),
                ("lints", "workspace") => manifest.takes_lints = value == "true",
                (table, key) if is_dependencies(table) => {
                    let name = renamed(value).unwrap_or_else(|| key.split('.').next().unwrap_or(key).trim_matches('"'));
                    manifest.dependencies.push((number + 1, name.to_string()));
                }
                _ => {}
            }
        }
        manifest
    }
}

/// Tables of dependencies and build-dependencies, without dev-dependencies.
fn is_dependencies(table: &str) -> bool {
    let last = table.rsplit('.').next().unwrap_or(table);
    (last == "dependencies" || last == "build-dependencies") && !table.starts_with("workspace")
}

/// `{ package = "name", … }`
fn renamed(value: &str) -> Option<&str> {
    let (_, after) = value.split_once("package")?;
    after.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINTS: &str = "\n[lints]\nworkspace = true\n";

    fn tree(sim: &str) -> Tree {
        let manifest = |name: &str, rest: &str| format!("[package]\nname = \"{name}\"\n{rest}{LINTS}");
        Tree::of(&[
            ("crates/model/Cargo.toml", &manifest("ringleader-model", "")),
            (
                "crates/protocols/Cargo.toml",
                &manifest(
                    "ringleader-protocols",
                    "[dependencies]\nringleader-model.workspace = true\nnum-bigint = \"1\"\n",
                ),
            ),
            ("crates/sim/Cargo.toml", &manifest("ringleader-sim", sim)),
        ])
    }

    fn objections(sim: &str) -> Vec<String> {
        arrows(&tree(sim)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_engine_that_depends_on_protocols_is_found() {
        assert_eq!(objections("[dependencies]\nringleader-model.workspace = true\n"), [""; 0]);
        let found = ["crates/sim/Cargo.toml:4: depends on ringleader-protocols; allowed: ringleader-model"];
        assert_eq!(objections("[dependencies]\nringleader-protocols.workspace = true\n"), found);
        assert_eq!(
            objections("[target.'cfg(unix)'.dependencies]\nringleader-protocols = { path = \"../protocols\" }\n"),
            found
        );
        assert_eq!(objections("[dependencies]\nother = { package = \"ringleader-protocols\", path = \"x\" }\n"), found);
        let table = ["crates/sim/Cargo.toml:3: depends on ringleader-protocols; allowed: ringleader-model"];
        assert_eq!(objections("[dependencies.ringleader-protocols]\npath = \"../protocols\"\n"), table);
    }

    #[test]
    fn tests_may_look_further() {
        assert_eq!(objections("[dev-dependencies]\nringleader-protocols.workspace = true\n"), [""; 0]);
    }

    #[test]
    fn the_model_depends_on_its_derive_and_serde_only() {
        let found = |dependency: &str| {
            let manifest =
                format!("[package]\nname = \"ringleader-model\"\n[dependencies]\n{dependency} = \"1\"\n{LINTS}");
            arrows(&Tree::of(&[("crates/model/Cargo.toml", &manifest)])).len()
        };
        assert_eq!((found("serde"), found("ringleader-derive")), (0, 0));
        assert_eq!((found("libc"), found("ringleader-sim")), (1, 1));
    }

    #[test]
    fn a_crate_that_nobody_thought_of_is_found() {
        let manifest = format!("[package]\nname = \"ringleader-utils\"\n{LINTS}");
        assert_eq!(arrows(&Tree::of(&[("crates/utils/Cargo.toml", &manifest)])).len(), 1);
    }

    #[test]
    fn a_crate_without_the_lints_is_found() {
        assert!(lints(&tree("")).is_empty());
        assert_eq!(lints(&Tree::of(&[("crates/a/Cargo.toml", "[package]\nname = \"a\"\n")])).len(), 1);
        assert_eq!(lints(&Tree::of(&[("crates/a/Cargo.toml", "[lints]\nworkspace = false\n")])).len(), 1);
        assert!(lints(&Tree::of(&[("fuzz/Cargo.toml", "[workspace]\n")])).is_empty());
    }
}
