//! The same model for SPIN.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::Instant;

use crate::Measured;

/// Runs SPIN's verifier, if it can be made here.
pub(crate) fn measured(ids: &[u64]) -> Option<Measured> {
    let folder = std::env::temp_dir().join(format!("ringleader-spin-{}", std::process::id()));
    fs::create_dir_all(&folder).ok()?;
    let measured = in_folder(ids, &folder);
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn in_folder(ids: &[u64], folder: &std::path::Path) -> Option<Measured> {
    fs::write(folder.join("ring.pml"), promela(ids)).ok()?;
    let run =
        |program: &str, arguments: &[&str]| Command::new(program).args(arguments).current_dir(folder).output().ok();
    run("spin", &["-a", "ring.pml"])?;
    // Safety alone, nothing left out, four bytes and a hash of each configuration.
    let made = run(
        "gcc",
        &["-O3", "-march=native", "-DSAFETY", "-DNOREDUCE", "-DHC4", "-DMEMLIM=16000", "-o", "pan", "pan.c"],
    )?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let begun = Instant::now();
    let output = run("./pan", &["-m100000", "-w25"])?;
    let passed = begun.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("errors: 0") && !text.contains("max search depth too small"), "{text}");
    let number = |line: &str| line.split_whitespace().find_map(|word| word.parse::<f64>().ok());
    let find = |what: &str| text.lines().find(|line| line.contains(what)).and_then(number);
    let states = find("states, stored")? as u64;
    let megabytes = find("total actual memory usage")?;
    // It says how long it was at work, and has one thread.
    let worked =
        text.lines().find_map(|line| line.strip_prefix("pan: elapsed time ")).and_then(number).unwrap_or(passed);
    Some(Measured { states, passed, worked, bytes: (megabytes * 1024.0 * 1024.0) as u64 })
}

/// One process whose every step is a wake or an arrival, whole: the same configurations as everywhere here.
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
