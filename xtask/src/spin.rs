//! The part of `cargo xtask cross-check` with SPIN: the checks of `docs/CROSS_CHECKED.md` by ringleader and by SPIN, on Promela
//! models with the same states.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{cargo, in_ci, skip, works};

/// The file with the checks and their figures.
const RECORD: &str = "docs/CROSS_CHECKED.md";
/// Models by protocol. An instance is defined before them.
const MODELS: &[(&str, &str)] = &[
    ("chang-roberts", include_str!("promela/chang-roberts.pml")),
    ("dolev-klawe-rodeh", include_str!("promela/dolev-klawe-rodeh.pml")),
    ("ricart-agrawala", include_str!("promela/ricart-agrawala.pml")),
];

/// Compares both checkers with the recorded figures.
pub(crate) fn compare(root: &Path, directory: &Path) -> Result<(), String> {
    if !installed() {
        let why = "SPIN needs `spin` and `gcc`, which are not both installed";
        return if in_ci() { Err(why.into()) } else { skip(why) };
    }
    let record = fs::read_to_string(root.join(RECORD)).map_err(|error| format!("cannot read {RECORD}: {error}"))?;
    let rows = rows(&record)?;
    let mut wrong = 0;
    for (check, recorded) in &rows {
        let found = [("ringleader", ours(root, check)?), ("SPIN", by_spin(directory, check)?)];
        for (who, figures) in found.iter().filter(|(_, figures)| figures != recorded) {
            println!("  WRONG  {check}: {recorded:?} in {RECORD}, {figures:?} by {who}");
            wrong += 1;
        }
        if found.iter().all(|(_, figures)| figures == recorded) {
            println!("  ok  {check}: {} states", recorded.states);
        }
    }
    println!("SPIN: {} checks, {wrong} figures wrong", rows.len());
    if wrong == 0 {
        Ok(())
    } else {
        Err("look at the figures marked WRONG: ringleader, SPIN or the record errs".into())
    }
}

/// Whether SPIN can be used; in continuous integration it is installed from the packages of the system.
fn installed() -> bool {
    let usable = || works(Command::new("spin").arg("-V")) && works(Command::new("gcc").arg("--version"));
    let packages = ["apt-get", "install", "--yes", "spin", "gcc"];
    usable()
        || in_ci()
            && (works(Command::new(packages[0]).args(&packages[1..])) || works(Command::new("sudo").args(packages)))
            && usable()
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CheckFigures {
    violated: bool,
    states: u64,
    transitions: u64,
    /// The steps of a shortest counterexample.
    steps: Option<u64>,
}

/// The checks of the record: the arguments of `ringleader` and the figures.
fn rows(record: &str) -> Result<Vec<(String, CheckFigures)>, String> {
    let lines = record.lines().filter(|line| line.starts_with("| `ringleader "));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [check, verdict, states, transitions, steps] = cells[..] else { return None };
        let number = |cell: &str| cell.replace(',', "").parse().ok();
        let figures = CheckFigures {
            violated: verdict == "violated",
            states: number(states)?,
            transitions: number(transitions)?,
            steps: if steps.is_empty() { None } else { Some(number(steps)?) },
        };
        Some((check.trim_matches('`').strip_prefix("ringleader ")?.to_string(), figures))
    };
    let rows: Option<Vec<_>> = lines.map(row).collect();
    rows.filter(|rows| !rows.is_empty()).ok_or_else(|| format!("the table of {RECORD} has another form"))
}

fn ours(root: &Path, check: &str) -> Result<CheckFigures, String> {
    let mut command = cargo(root, &["run", "--release", "--quiet", "--package", "ringleader-cli", "--", "--quiet"]);
    let json = output(command.args(check.split(' ')).arg("--json"))?;
    our_figures(&json).ok_or_else(|| format!("the JSON of {check} has another form:\n{json}"))
}

/// The figures in the JSON of a check.
fn our_figures(json: &str) -> Option<CheckFigures> {
    // Of the object itself, or of the counterexample, by how far they are indented.
    let field = |indented: &str| {
        let (_, rest) = json.split_once(&format!("\n{indented}: "))?;
        rest.split([',', '\n']).next()
    };
    Some(CheckFigures {
        violated: field(r#"  "verdict""#)? == r#""violated""#,
        states: field(r#"  "states""#)?.parse().ok()?,
        transitions: field(r#"  "transitions""#)?.parse().ok()?,
        steps: field(r#"    "steps""#).and_then(|steps| steps.parse().ok()),
    })
}

/// Explores the model of a check twice: depth first for all states, and breadth first for a shortest counterexample.
fn by_spin(directory: &Path, check: &str) -> Result<CheckFigures, String> {
    let unknown = || format!("no model for {check}");
    let protocol = check.split(' ').nth(1).ok_or_else(unknown)?;
    let (_, model) = MODELS.iter().find(|(name, _)| *name == protocol).ok_or_else(unknown)?;
    let text = format!("{}{model}", instance(check));
    let cannot = |error: std::io::Error| format!("cannot write the model: {error}");
    fs::write(directory.join("model.pml"), text).map_err(cannot)?;
    // -o2: variables that are written and never read, such as a phase, distinguish states too.
    output(Command::new("spin").args(["-o2", "-a", "model.pml"]).current_dir(directory))?;
    let explore = |compiled: &[&str], run: &[&str]| {
        let options = ["-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"];
        output(Command::new("gcc").args(options).args(compiled).current_dir(directory))?;
        output(Command::new(directory.join("pan")).args(run).current_dir(directory))
    };
    let all = explore(&[], &["-m1000000", "-c0"])?;
    let nearest = explore(&["-DBFS"], &[])?;
    spin_figures(&all, &nearest).ok_or_else(|| format!("SPIN's output has another form:\n{all}\n{nearest}"))
}

/// The definitions of an instance, from the options of a check.
fn instance(check: &str) -> String {
    let words: Vec<&str> = check.split(' ').collect();
    let option = |name: &str| words.windows(2).find(|pair| pair[0] == name).map_or("", |pair| pair[1]);
    let ids: Vec<&str> = option("--ids").split(',').collect();
    let faults = |kind: &str| option("--faults").strip_prefix(kind).unwrap_or("0");
    let entries = Some(option("--entries")).filter(|entries| !entries.is_empty()).unwrap_or("1");
    format!(
        "#define N {}\n#define IDS {{ {} }}\n#define ANY {}\n#define ENTRIES {entries}\n#define LOSSES {}\n#define DUPLICATES {}\n",
        ids.len(),
        ids.join(", "),
        u8::from(option("--links") == "any"),
        faults("loss:"),
        faults("duplicate:")
    )
}

/// The figures in the output of two verifiers, one that goes on after errors, and one that is breadth first.
fn spin_figures(all: &str, nearest: &str) -> Option<CheckFigures> {
    let line = |what: &str| all.lines().find(|line| line.contains(what));
    let first = |line: &str| line.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    let errors = |text: &str| text.split_once("errors: ")?.1.split_whitespace().next()?.parse::<u64>().ok();
    if all.contains("max search depth too small") || (errors(all)? == 0) != (errors(nearest)? == 0) {
        return None;
    }
    // The last step of a counterexample is at this depth, counted from 0.
    let depth = nearest.split_once("(at depth ").and_then(|(_, rest)| rest.split(')').next()?.parse::<u64>().ok());
    Some(CheckFigures {
        violated: errors(all)? > 0,
        states: first(line("states, stored")?)?,
        // The initial state counts as one.
        transitions: first(line("transitions (= stored+matched)")?)?.checked_sub(1)?,
        steps: depth.map(|depth| depth + 1),
    })
}

/// The standard output of a program that runs to its end; a violation found is no failure.
fn output(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("cannot run {shown}: {error}"))?;
    match output.status.code() {
        Some(0 | 1) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => Err(format!("failed: {shown}\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIOLATED: CheckFigures = CheckFigures { violated: true, states: 1_051, transitions: 2_068, steps: Some(2) };

    #[test]
    fn a_row_of_the_record_is_a_check_and_its_figures() {
        let text = "| Check |\n| `ringleader check lock --ids 1,2` | violated | 1,051 | 2,068 | 2 |\n";
        assert_eq!(rows(text), Ok(vec![("check lock --ids 1,2".to_string(), VIOLATED)]));
        let holds = rows("| `ringleader check lock` | holds | 7 | 8 | |\n").map(|rows| rows[0].1.clone());
        assert_eq!(holds, Ok(CheckFigures { violated: false, states: 7, transitions: 8, steps: None }));
        assert!(rows("| `ringleader check lock` | holds | many | 8 | |\n").is_err() && rows("").is_err());
    }

    #[test]
    fn both_outputs_are_read() {
        let json = "{\n  \"verdict\": \"violated\",\n  \"properties\": [\n    {\n      \"verdict\": \"holds\"\n    }\n  ],\n  \
                    \"states\": 1051,\n  \"transitions\": 2068,\n  \"counterexample\": {\n    \"steps\": 2,\n  }\n}";
        assert_eq!(our_figures(json), Some(VIOLATED));
        let all = "State-vector 92 byte, depth reached 8, errors: 17\n     1051 states, stored\n     2069 transitions (= \
                   stored+matched)\n";
        let nearest = "pan:1: assertion violated (sum<100) (at depth 1)\nState-vector 92 byte, errors: 1\n";
        assert_eq!(spin_figures(all, nearest), Some(VIOLATED));
        assert_eq!(spin_figures(all, "errors: 0\n"), None, "the two disagree");
    }

    #[test]
    fn options_define_the_instance() {
        let text = instance("check ricart-agrawala --ids 4,2 --entries 3 --faults duplicate:1 --no-reduce");
        let expected = "#define N 2\n#define IDS { 4, 2 }\n#define ANY 0\n#define ENTRIES 3\n#define LOSSES 0\n#define \
                        DUPLICATES 1\n";
        assert_eq!(text, expected);
    }
}
