//! The example of a protocol of one's own: built as a project of its own, tested, and tried as its tutorial does.

use std::path::Path;
use std::process::Command;

use crate::command::{cargo, must};

/// The directory of the example.
const EXAMPLE: &str = "examples/own-protocol";
/// The programs of the tutorial, and where they are built.
const PROGRAMS: [(&str, &str); 2] = [("own-protocol", "target/debug"), ("token-lock", "target/debug/examples")];
/// The mark for omitted output.
const LEFT_OUT: &str = "…";

/// Builds the example into a target directory of its own, runs its tests and the commands of its tutorial.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let example = root.join(EXAMPLE);
    let advice = "repair examples/own-protocol, as its readers would have to";
    for command in [&["test"][..], &["build", "--bins", "--examples"]] {
        let mut command = cargo(&example, &[command, &["--locked", "--offline"]].concat());
        must(command.env_remove("CARGO_TARGET_DIR"), advice)?;
    }
    let directory = example.join("target/tutorial");
    let failed = |error: std::io::Error| format!("cannot prepare {}: {error}", directory.display());
    if directory.exists() {
        std::fs::remove_dir_all(&directory).map_err(failed)?;
    }
    std::fs::create_dir_all(&directory).map_err(failed)?;
    let tutorial = std::fs::read_to_string(example.join("README.md")).map_err(failed)?;
    shown(&tutorial).iter().try_for_each(|shown| shown.compare(&example, &directory))
}

/// A command of the tutorial, and what it shows of its output.
#[derive(PartialEq, Eq, Debug)]
struct ShownCommand<'a> {
    program: &'a str,
    arguments: Vec<&'a str>,
    lines: Vec<&'a str>,
    code: i32,
}

/// The commands of console blocks.
fn shown(tutorial: &str) -> Vec<ShownCommand<'_>> {
    let blocks = tutorial.split("```console\n").skip(1).filter_map(|block| block.split("```").next());
    let read = |block| -> Option<ShownCommand<'_>> {
        let block: &str = block;
        let mut lines = block.lines();
        let mut words = words(lines.next()?.strip_prefix("$ ")?).into_iter();
        let program = words.next().filter(|word| PROGRAMS.iter().any(|(name, _)| name == word))?;
        let arguments = words.collect();
        let code = |line: &&str| line.strip_prefix("[exit code ")?.strip_suffix(']')?.parse().ok();
        let (codes, lines): (Vec<_>, Vec<_>) = lines.partition(|line| code(line).is_some());
        Some(ShownCommand { program, arguments, lines, code: codes.first().and_then(code).unwrap_or(0) })
    };
    blocks.filter_map(read).collect()
}

/// The words of a command; one in single quotes may contain blanks.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
        let (word, after) = quoted.or_else(|| rest.split_once(' ')).unwrap_or((rest, ""));
        words.push(word);
        rest = after.trim_start();
    }
    words
}

impl ShownCommand<'_> {
    /// Runs the command: it must exit as shown, and print what is shown, in this order.
    fn compare(&self, example: &Path, directory: &Path) -> Result<(), String> {
        let built = PROGRAMS.iter().find(|(name, _)| *name == self.program).map_or("", |(_, built)| built);
        let program = example.join(built).join(format!("{}{}", self.program, std::env::consts::EXE_SUFFIX));
        let shown = format!("{} {}", self.program, self.arguments.join(" "));
        println!("    {shown}");
        let output = Command::new(program).current_dir(directory).args(&self.arguments).output();
        let output = output.map_err(|error| format!("cannot run {shown}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let missing = self.missing(&text);
        if missing.is_none() && output.status.code() == Some(self.code) {
            return Ok(());
        }
        let wrong = missing.map_or_else(|| output.status.to_string(), |line| format!("it does not print: {line}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(format!("{shown}: {wrong}\n{text}{errors}what to do: repair {EXAMPLE}, or show this in its README.md"))
    }

    /// The first line that is shown and not printed.
    fn missing(&self, text: &str) -> Option<&str> {
        let mut printed = text.lines().map(str::trim_end);
        self.lines.iter().copied().find(|&line| line != LEFT_OUT && !printed.any(|printed| printed == line.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_may_contain_blanks() {
        assert_eq!(words("own check --ltl 'F elected' -n 3"), ["own", "check", "--ltl", "F elected", "-n", "3"]);
        assert_eq!(words(" own  run"), ["own", "run"]);
    }

    #[test]
    fn console_blocks_are_read_and_compared_in_order() {
        let tutorial =
            "# A\n```rust\nfn a() {}\n```\n```console\n$ own-protocol check -n 3\na\n…\nc\n[exit code 1]\n```\n";
        let found = shown(tutorial);
        let arguments = vec!["check", "-n", "3"];
        assert_eq!(found, [ShownCommand { program: "own-protocol", arguments, lines: vec!["a", "…", "c"], code: 1 }]);
        assert_eq!(found[0].missing("a\nb\nc\n"), None);
        assert_eq!(found[0].missing("c\na\n"), Some("c"));
    }
}
