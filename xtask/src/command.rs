//! Running other programs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The cargo that runs this, or else the one on the path.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// Whether this runs in continuous integration, where a skipped build is a failure.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// The directory of the compiler that cargo uses.
pub(crate) fn sysroot(root: &Path) -> Option<PathBuf> {
    let printed = Command::new("rustc").current_dir(root).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&printed.stdout).trim()))
}

/// The targets whose libraries are installed.
pub(crate) fn installed_targets(root: &Path) -> Vec<String> {
    let Some(libraries) = sysroot(root).map(|sysroot| sysroot.join("lib/rustlib")) else { return Vec::new() };
    let entries = libraries.read_dir().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut targets: Vec<String> = names.filter(|name| libraries.join(name).join("lib").is_dir()).collect();
    targets.sort();
    targets
}

/// The content of a file, compressed: the same for the same content.
pub(crate) fn gzip(file: &Path) -> Result<Vec<u8>, String> {
    let output = Command::new("gzip").args(["-9", "--no-name", "--stdout"]).arg(file).output();
    let output = output.map_err(|error| format!("cannot run gzip: {error}"))?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("gzip failed ({})", output.status)) }
}

/// Prints a heading, by which a section of a long log is found.
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

/// Like [`must`], and hands every line of standard output and standard error, in their order, to `each` after showing it.
pub(crate) fn must_reading(command: &mut Command, advice: &str, mut each: impl FnMut(&str)) -> Result<(), String> {
    let shown = shown(command);
    println!("    {shown}");
    let failed = |error: std::io::Error| format!("cannot run {shown}: {error}");
    let (output, writer) = std::io::pipe().map_err(failed)?;
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(failed)?;
    // The command holds the writing ends; the output ends only when they are closed.
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    for line in BufReader::new(output).split(b'\n') {
        let line = line.map_err(failed)?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        each(&line);
    }
    let status = child.wait().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(format!("failed: {shown} ({status})\nwhat to do: {advice}")) }
}

/// Whether a command runs and succeeds; its output is discarded.
pub(crate) fn works(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Says why something is not done.
pub(crate) fn skip(why: &str) -> Result<(), String> {
    println!("skipped: {why}");
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn lines_of_both_streams_come_in_order() {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo a; echo b >&2; echo c; exit 3"]);
        let failed = must_reading(&mut command, "nothing", |line| lines.push(line.to_string()));
        assert_eq!(lines, ["a", "b", "c"]);
        assert!(failed.unwrap_err().contains("what to do: nothing"));
    }

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/bin/cargo");
        command.args(["doc", "--locked"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --locked");
    }
}
