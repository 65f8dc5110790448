//! The same model for SPIN.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::CheckerRun;

/// Runs SPIN's verifier, if it can be made here: as it is, and with its states compressed.
pub(crate) fn measured(ids: &[u64]) -> Option<[CheckerRun; 2]> {
    let folder = std::env::temp_dir().join(format!("ringleader-spin-{}", std::process::id()));
    fs::create_dir_all(&folder).ok()?;
    let run = || {
        fs::write(folder.join("ring.pml"), promela(ids)).ok()?;
        Command::new("spin").args(["-a", "ring.pml"]).current_dir(&folder).output().ok()?;
        Some([in_folder(&folder, &[])?, in_folder(&folder, &["-DCOLLAPSE", "-DSEPQS"])?])
    };
    let measured = run();
    let _ = fs::remove_dir_all(&folder);
    measured
}

/// Safety alone, nothing left out, every state kept whole.
fn in_folder(folder: &Path, compression: &[&str]) -> Option<CheckerRun> {
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let options = ["-O3", "-march=native", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c"];
    run("gcc", &[&options[..], compression].concat())?;
    let begun = Instant::now();
    // The shell tells how long those were at work that it waited for: on the last line, as user and as system.
    let text = run("sh", &["-c", "./pan -m100000 -w25; times"])?;
    let passed = begun.elapsed().as_secs_f64();
    assert!(text.contains("errors: 0") && !text.contains("max search depth too small"), "{text}");
    let number = |line: &str| line.split_whitespace().find_map(|word| word.parse::<f64>().ok());
    let find = |what: &str| text.lines().find(|line| line.contains(what)).and_then(number);
    let worked = text.lines().last()?.split_whitespace().map(|time| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').expect("minutes and seconds");
        60.0 * minutes.parse::<f64>().expect("minutes") + seconds.parse::<f64>().expect("seconds")
    });
    Some(CheckerRun {
        states: find("states, stored")? as u64,
        passed,
        worked: worked.sum(),
        bytes: (find("total actual memory usage")? * f64::from(1 << 20)) as u64,
    })
}

/// One process whose every step is a wake or an arrival, whole: the same states as everywhere here.
fn promela(ids: &[u64]) -> String {
    let n = ids.len();
    let mut text = format!(
        "#define N {n}\nbit asleep[N] = 1; bit sent[N]; bit done[N]; bit elected[N];\nchan link[N] = [{}] of {{ byte }};\n\
         hidden byte m;\n",
        n + 1
    );
    text += "active proctype ring() {\nend: do\n";
    for (place, own) in ids.iter().enumerate() {
        let next = (place + 1) % n;
        let start =
            format!("if :: !sent[{place}] && !done[{place}] -> sent[{place}] = 1; link[{next}]!{own} :: else fi");
        let _ = writeln!(text, ":: d_step {{ asleep[{place}] -> asleep[{place}] = 0; {start} }}");
        let _ = writeln!(
            text,
            ":: d_step {{ nempty(link[{place}]) -> link[{place}]?m; if\n\
             \t:: m == {own} + 16 -> skip\n\
             \t:: m > 16 && m != {own} + 16 -> done[{place}] = 1; link[{next}]!m\n\
             \t:: m == {own} -> done[{place}] = 1; elected[{place}] = 1; link[{next}]!{own} + 16\n\
             \t:: m < {own} -> {start}\n\
             \t:: m > {own} && m <= 16 -> link[{next}]!m\n\
             fi; m = 0 }}"
        );
    }
    text += "od }\n";
    text
}
