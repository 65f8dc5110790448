//! The checker beside stateright and SPIN, on the same model in one run: Chang and Roberts's election in a ring of `N`, anybody
//! may wake at any time, every wake and every arrival one step. `cargo bench -p conformance --bench checkers [-- N]`.
//!
//! Ringleader and stateright keep 64 bits of every state, SPIN all of it (its hash compaction misses states
//! here). Ringleader looks for cycles and for the maximum number of message passes too, the others for two leaders alone. Each
//! is a process of its own, so that its memory can be told; the time that all of its threads were at work is told beside the
//! time that passed: machines are noisy.
#![allow(clippy::print_stdout, missing_docs, reason = "a program for people")]

mod spin;
mod stateright_model;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use ringleader::model::Scenario;
use ringleader::protocols::election::chang_roberts::ChangRoberts;
use ringleader_check::{CheckVerdict, Effort, Reductions, Wakers};

#[global_allocator]
static ALLOCATOR: ringleader_cli::HugePages = ringleader_cli::HugePages;

/// What was measured.
struct CheckerRun {
    states: u64,
    /// Seconds that passed, and that all threads together were at work.
    passed: f64,
    worked: f64,
    /// At its peak, as the system sees it.
    bytes: u64,
}

/// Identities around the ring: neither the shortest nor the longest order.
fn ids(n: u64) -> Vec<u64> {
    let step = (2..n).rev().find(|step| 10 * step <= 7 * n && coprime(*step, n)).unwrap_or(1);
    (0..n).map(|place| place * step % n + 1).collect()
}

fn coprime(one: u64, other: u64) -> bool {
    if other == 0 { one == 1 } else { coprime(other, one % other) }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [who, n] = &arguments[..] {
        let n = n.parse().expect("a number");
        println!("{}", if who == "stateright" { stateright_model::search(&ids(n)) } else { ours(&ids(n), who) });
        return;
    }
    let n: u64 = arguments.first().map_or(10, |n| n.parse().expect("a number"));
    println!("Chang-Roberts, n = {n}, identities {:?}", ids(n));
    println!("                       states   passed   at work   M states/s   M states/s at work   bytes/state");
    let one = measured("1", n);
    print("ringleader", &one, None);
    print("ringleader, 2 threads", &measured("2", n), Some(&one));
    print("stateright", &measured("stateright", n), Some(&one));
    match spin::measured(&ids(n)) {
        Some([spin, compressed]) => {
            print("SPIN", &spin, Some(&one));
            print("SPIN, compressed", &compressed, Some(&one));
        }
        None => println!("SPIN: neither measured nor compared, since `spin` and `gcc` are not both installed"),
    }
}

fn print(name: &str, measured: &CheckerRun, ours: Option<&CheckerRun>) {
    let &CheckerRun { states, passed, worked, bytes } = measured;
    assert!(ours.is_none_or(|ours| ours.states == states), "{name} visited {states} states of the same model");
    let rate = |seconds: f64| states as f64 / seconds / 1e6;
    print!("{name:<22}{states:>9} {passed:>7.1}s {worked:>8.1}s {:>12.2} {:>20.2}", rate(passed), rate(worked));
    print!(" {:>13.1}", bytes as f64 / states as f64);
    match ours {
        Some(ours) => {
            println!("   {:.2} of the first's rate, {:.2} at work", ours.passed / passed, ours.worked / worked);
        }
        None => println!(),
    }
}

/// Runs this program once more, for one of those that are compared.
fn measured(who: &str, n: u64) -> CheckerRun {
    let this = std::env::current_exe().expect("it runs");
    let begun = Instant::now();
    let child = Command::new(this).args([who, &n.to_string()]).stdout(Stdio::piped()).spawn().expect("it runs again");
    let output = child.wait_with_output().expect("it ends");
    let passed = begun.elapsed().as_secs_f64();
    let text = String::from_utf8(output.stdout).expect("it prints text");
    let numbers: Vec<u64> = text.split_whitespace().map(|number| number.parse().expect("it prints numbers")).collect();
    let [states, ticks, bytes] = numbers[..] else { panic!("it prints three numbers, not {text}") };
    CheckerRun { states, passed, worked: ticks as f64 / TICKS, bytes }
}

/// How Linux counts seconds at work.
const TICKS: f64 = 100.0;

/// The results of a process: states, CPU ticks, and peak memory in bytes.
fn told(states: u64) -> String {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may have spaces; the 14th and 15th field of all.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| rest.split_whitespace().next());
    let kilobytes: u64 = peak.and_then(|number| number.parse().ok()).unwrap_or(0);
    format!("{states} {} {}", ticks(11) + ticks(12), kilobytes * 1024)
}

fn ours(ids: &[u64], threads: &str) -> String {
    let threads = threads.parse().expect("a number of threads");
    let scenario = Scenario { n: ids.len(), ids: ids.to_vec(), untimed: true, ..Scenario::default() };
    let effort = Effort { states: u64::MAX, bytes: u64::MAX, threads, reductions: Reductions::NONE };
    let answer = ringleader_check::check(ChangRoberts, &scenario, &Wakers::Anybody, &effort, &mut |_| true);
    let answer = answer.expect("it can be explored");
    assert_eq!(answer.verdict(), CheckVerdict::Holds);
    told(answer.progress.states)
}
