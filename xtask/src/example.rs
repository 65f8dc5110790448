//! The example of a protocol of one's own: built as a project of its own, tested, and tried as its tutorial does.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, must};

/// The directory of the example.
const EXAMPLE: &str = "examples/own-protocol";

/// What the tutorial shows, and how each command exits.
const COMMANDS: [(&[&str], i32); 7] = [
    (&["info", "smallest-starter"], 0),
    (&["run", "smallest-starter", "--ids", "3,1,4,2", "--steps"], 0),
    (&["run", "smallest-starter", "--ids", "3,1,4,2", "--picture", "target/run.svg"], 0),
    (&["check", "smallest-starter", "-n", "3"], 0),
    (&["check", "smallest-starter", "-n", "3", "--timed"], 0),
    (&["check", "smallest-starter", "-n", "3", "--set", "bug=on", "--save", "target/bug.json"], 1),
    (&["replay", "target/bug.json", "--picture", "target/bug.svg"], 1),
];

/// Builds the example into a target directory of its own, runs its tests and the commands of its tutorial.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let example = root.join(EXAMPLE);
    let advice = "repair examples/own-protocol, as its readers would have to";
    let cargo_in = |arguments: &[&str]| {
        let mut command = cargo(&example, arguments);
        command.env_remove("CARGO_TARGET_DIR");
        command
    };
    must(&mut cargo_in(&["test", "--locked", "--offline"]), advice)?;
    must(&mut cargo_in(&["build", "--locked", "--offline"]), advice)?;
    for old in ["target/run.svg", "target/bug.json", "target/bug.svg"] {
        let path = example.join(old);
        if path.exists() {
            std::fs::remove_file(&path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
        }
    }
    let program = example.join("target/debug").join(format!("own-protocol{}", std::env::consts::EXE_SUFFIX));
    COMMANDS.iter().try_for_each(|(arguments, code)| exits(&program, &example, arguments, *code))
}

/// Runs a command, which must exit with this code.
fn exits(program: &Path, directory: &Path, arguments: &[&str], code: i32) -> Result<(), String> {
    let shown = format!("own-protocol {}", arguments.join(" "));
    println!("    {shown}");
    let output = Command::new(program).current_dir(directory).args(arguments).output();
    let output = output.map_err(|error| format!("cannot run {shown}: {error}"))?;
    if output.status.code() == Some(code) {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    Err(format!("{shown} must exit with {code} ({})\n{text}what to do: repair {EXAMPLE}", output.status))
}
