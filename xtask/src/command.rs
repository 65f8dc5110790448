//! Running other programs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// The cargo that runs this, or the one that is found.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// Shows a heading, so that a long log can be found one's way in.
pub(crate) fn heading(text: &str) {
    println!("\n=== {text}");
}

/// Runs a command that must succeed; `advice` says what to do if it does not.
pub(crate) fn must(command: &mut Command, advice: &str) -> Result<(), String> {
    let shown = shown(command);
    println!("    {shown}");
    let status = command.status().map_err(|error| format!("cannot run {shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("failed: {shown} ({status})\nwhat to do: {advice}")) }
}

/// Like [`must`], and hands every line that it prints to `each` after showing it.
pub(crate) fn must_reading(command: &mut Command, advice: &str, mut each: impl FnMut(&str)) -> Result<(), String> {
    let shown = shown(command);
    println!("    {shown}");
    let failed = |error: std::io::Error| format!("cannot run {shown}: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let output = child.stdout.take().expect("it was piped");
    for line in BufReader::new(output).split(b'\n') {
        let line = line.map_err(failed)?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        each(&line);
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("failed: {shown} ({status})\nwhat to do: {advice}")) }
}

/// Whether a command can be run and succeeds, silently.
pub(crate) fn works(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(key, value)| {
        let value = value?.to_string_lossy();
        let quoted = if value.contains(' ') { format!("'{value}'") } else { value.into_owned() };
        Some(format!("{}={quoted}", key.to_string_lossy()))
    });
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    variables.chain([program]).chain(arguments).collect::<Vec<_>>().join(" ")
}
