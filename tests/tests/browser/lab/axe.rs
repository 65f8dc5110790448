//! axe-core, the rules of accessibility that a program can judge. Its lock file is beside these tests; npm installs it below
//! `target`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use conformance::installed::skip;
use serde_json::Value;

use super::LabPage;

/// The version that the lock file names, installed; none where npm is not there, or brings nothing.
fn script() -> Option<&'static str> {
    static SCRIPT: OnceLock<Option<String>> = OnceLock::new();
    SCRIPT.get_or_init(install).as_deref()
}

fn install() -> Option<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let (from, to) = (root.join("tests/tests/browser/axe"), root.join("target/axe"));
    let script = to.join("node_modules/axe-core/axe.min.js");
    let read = |directory: &Path| std::fs::read_to_string(directory.join("package-lock.json")).ok();
    if read(&from) != read(&to) || !script.exists() {
        std::fs::create_dir_all(&to).expect("target can be written");
        std::fs::copy(from.join("package.json"), to.join("package.json")).expect("it can be copied");
        let npm = |words: &[&str]| {
            let status =
                Command::new("npm").args(words).current_dir(&to).stdin(Stdio::null()).stdout(Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        };
        // What was installed from another lock file is replaced.
        let _ = std::fs::remove_file(to.join("package-lock.json"));
        if !npm(&["--version"]) {
            skip("there is no npm, which installs axe-core; `apt-get install npm` brings one");
            return None;
        }
        std::fs::copy(from.join("package-lock.json"), to.join("package-lock.json")).expect("it can be copied");
        if !npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"]) {
            let _ = std::fs::remove_file(to.join("package-lock.json"));
            skip("npm cannot install axe-core: `npm ci` failed in target/axe");
            return None;
        }
    }
    Some(std::fs::read_to_string(script).expect("npm has installed it"))
}

/// Whether the rules are there; brings them into the page.
pub(super) fn bring(page: &mut LabPage) -> bool {
    let Some(script) = script() else { return false };
    page.js(&format!("{script}; true"));
    true
}

/// What is found in the page as it stands: rule, help and elements.
pub(super) fn findings(page: &mut LabPage) -> Vec<String> {
    let found =
        page.js("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((rule) =>
           `${rule.id} (${rule.help}): ${rule.nodes.map((node) => `${node.target.join(' ')} ${node.any.map((one) =>
             one.message).join('; ')}`).join(' | ')}`))");
    let Value::Array(found) = found else { panic!("it is a list: {found}") };
    found.iter().map(ToString::to_string).collect()
}
