//! `cargo xtask mpi`: the program that divides a ring among ranks is built, and compared with `ringleader`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::command::{cargo, must, works};

/// The crate, a workspace of its own.
const CRATE: &str = "crates/mpi";
/// Where programs are built.
const BUILT: &str = "target/release";
/// The number of scenarios of each protocol.
const SCENARIOS: u64 = 25;
/// The numbers of ranks.
const RANKS: [usize; 3] = [1, 2, 3];
/// Protocols that are executed in causal order, with the settings they have.
const PROTOCOLS: [(&str, &[&str]); 6] = [
    ("lelann", &[]),
    ("chang-roberts", &[]),
    ("peterson", &["elected=owner", "elected=holder"]),
    ("peterson-alternating", &[]),
    ("dolev-klawe-rodeh", &["variant=a", "variant=b"]),
    ("itai-rodeh", &["rounds=on", "rounds=off"]),
];
/// A run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);
const ADVICE: &str = "repair crates/mpi, or what it uses of sim and ringleader-cli";

/// Builds it and compares its runs; skipped where something that it needs is not installed.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let missing = missing();
    if missing.is_empty() {
        return test(root);
    }
    println!("    skipped: {} (`apt-get install libopenmpi-dev openmpi-bin libclang-dev`)", missing.join(", "));
    Ok(())
}

/// Says that it is no part of `cargo xtask test`: building it takes as long as all of that.
pub(crate) fn skip() {
    println!("    skipped: `cargo xtask mpi` builds and compares it, where mpirun, mpicc and libclang are installed");
}

/// What is not installed.
fn missing() -> Vec<&'static str> {
    let no_clang = || {
        let places = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib"];
        let given = std::env::var_os("LIBCLANG_PATH").map(PathBuf::from);
        let llvm = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path().join("lib"));
        let machine = PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        let mut places = places.map(PathBuf::from).into_iter().chain([machine]).chain(llvm).chain(given);
        !places.any(|place| has_libclang(&place))
    };
    let missing = [
        ("mpirun is not installed", !works(Command::new("mpirun").arg("--version"))),
        ("mpicc is not installed", !works(Command::new("mpicc").arg("--version"))),
        ("libclang is not installed", no_clang()),
    ];
    missing.into_iter().filter(|(_, missing)| *missing).map(|(what, _)| what).collect()
}

fn has_libclang(directory: &Path) -> bool {
    let names = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with("libclang"))
}

fn test(root: &Path) -> Result<(), String> {
    let built = root.join(BUILT);
    let build = ["build", "--release", "--locked", "--package", "ringleader-cli", "--bin", "ringleader"];
    must(&mut cargo(root, &build), ADVICE)?;
    for command in [&["build", "--bins", "--examples"][..], &["test", "--lib"]] {
        let mut command = cargo(&root.join(CRATE), &[command, &["--release", "--locked"]].concat());
        must(command.env("CARGO_TARGET_DIR", root.join("target")), ADVICE)?;
    }
    let programs = Programs { one: built.join("ringleader"), many: built.join("ringleader-mpi") };
    compare(&programs)?;
    trouble(&programs, &built.join("examples/panicking_rank"))?;
    println!("    all runs are the same on {RANKS:?} ranks");
    Ok(())
}

struct Programs {
    one: PathBuf,
    many: PathBuf,
}

/// Random scenarios of every protocol on each number of ranks: the reports are those of one process, in either order.
fn compare(programs: &Programs) -> Result<(), String> {
    for (protocol, settings) in PROTOCOLS {
        let mut drawn = DrawnLines(protocol.len() as u64);
        for _ in 0..SCENARIOS {
            let line = drawn.scenario(protocol, settings);
            let one = |engine| output(Command::new(&programs.one).args(&line).args(["--engine", engine]));
            let (causal, time) = (one("causal")?, one("time")?);
            for ranks in RANKS {
                let threads = (1 + drawn.below(2)).to_string();
                let shown = format!("mpirun -n {ranks} ringleader-mpi {} --threads {threads}", line.join(" "));
                let words = line.iter().map(String::as_str).chain(["--threads", &threads]);
                let many = output(&mut mpirun(&[(ranks, programs.many.as_path())], words))?;
                if !same(&many, &causal) || !same(&many, &time) {
                    let texts = [&many, &causal, &time].map(|run| String::from_utf8_lossy(&run.stdout).into_owned());
                    let errors = String::from_utf8_lossy(&many.stderr);
                    return Err(format!("{shown} differs from ringleader:\n{}\n{errors}", texts.join("\n")));
                }
            }
        }
        println!("    {protocol}: {SCENARIOS} scenarios");
    }
    Ok(())
}

/// Whether a run on several ranks has ended and reported as one process has; the order of execution aside.
fn same(many: &Output, one: &Output) -> bool {
    let order = |line: &str| {
        let line = line.replace(" --engine time", "").replace(" --engine causal", "");
        line.replace("  (executed in time order)", "").replace("  (executed in causal order)", "")
    };
    let lines = |output: &Output| -> Vec<String> {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().filter(|line| !line.trim_start().starts_with("\"engine\"")).map(order).collect()
    };
    many.status.code() == one.status.code() && lines(many) == lines(one)
}

/// What must be an error on every rank, without a rank that waits forever.
fn trouble(programs: &Programs, panicking: &Path) -> Result<(), String> {
    let many = programs.many.as_path();
    let expect = |what: &str, mut command: Command, code: Option<i32>, says: &[(&str, usize)]| {
        let output = output(&mut command)?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let ended = if let Some(code) = code { output.status.code() == Some(code) } else { !output.status.success() };
        let said = says.iter().all(|(words, times)| text.matches(words).count() >= *times);
        println!("    {what}");
        if ended && said { Ok(()) } else { Err(format!("{what}: {}, and it says\n{text}", output.status)) }
    };
    let plain = ["run", "chang-roberts", "-n", "100"];
    let two = |first: &[&str], second: &[&str]| {
        let mut command = mpirun(&[(1, many)], first.iter().copied());
        command.args([":", "-n", "1"]).arg(many).args(second);
        command
    };
    expect(
        "ranks with different scenarios",
        two(&plain, &["run", "chang-roberts", "-n", "101"]),
        Some(2),
        &[("ranks disagree", 2)],
    )?;
    expect(
        "one rank with a wrong option",
        two(&plain, &["run", "chang-roberts", "-n", "x"]),
        Some(2),
        &[("ranks disagree", 2)],
    )?;
    let refused = |words: &[&'static str]| mpirun(&[(3, many)], words.iter().copied());
    let once = |command: &mut Command| {
        let text = String::from_utf8_lossy(&output(command)?.stderr).into_owned();
        if text.matches("error:").count() == 1 { Ok(()) } else { Err(format!("an error is not told once:\n{text}")) }
    };
    let timers = ["run", "vitanyi", "-n", "10", "--steps"];
    expect("what needs time order", refused(&timers), Some(2), &[("time order", 1)])?;
    once(&mut refused(&timers))?;
    expect(
        "links that change the order",
        refused(&["run", "chang-roberts", "--links", "any"]),
        Some(2),
        &[("order of messages", 1)],
    )?;
    let limited = "ulimit -v 1500000; exec \"$0\" \"$@\"";
    let large = ["run", "itai-rodeh", "-n", "100000000"];
    let mut short = mpirun(&[(1, many)], large.into_iter());
    short.args([":", "-n", "1", "sh", "-c", limited]).arg(many).args(large);
    expect("too little memory on one rank", short, Some(4), &[("too little memory", 2)])?;
    expect(
        "a rank that panics",
        mpirun(&[(2, panicking)], std::iter::empty()),
        None,
        &[("rank 1 of 2 has panicked", 1)],
    )?;
    killed(many)
}

/// A rank that is killed takes all others with it.
fn killed(many: &Path) -> Result<(), String> {
    let long = ["run", "lelann", "-n", "1000000"];
    let mut job = mpirun(&[(1, many)], long.into_iter());
    job.args([":", "-n", "1", "sh", "-c", "(sleep 4; kill -9 $$) & exec \"$0\" \"$@\""]).arg(many).args(long);
    let output = output(&mut job)?;
    println!("    a rank that is killed");
    if output.status.success() { Err("a job goes on without a rank that was killed".to_string()) } else { Ok(()) }
}

/// A job of these ranks, all with these arguments.
fn mpirun<'a>(programs: &[(usize, &Path)], words: impl Iterator<Item = &'a str>) -> Command {
    let mut command = Command::new("mpirun");
    // On one machine, as whoever tests; with as many ranks as cores and more.
    command.args(["--allow-run-as-root", "--oversubscribe"]);
    for (ranks, program) in programs {
        command.args(["-n", &ranks.to_string()]).arg(program);
    }
    command.args(words);
    command
}

/// The output of a command that must not hang.
fn output(command: &mut Command) -> Result<Output, String> {
    let shown = format!("{command:?}");
    let failed = |error: std::io::Error| format!("cannot run {shown}: {error}");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(failed)?;
    let begun = Instant::now();
    let watched = child.id();
    let readers = std::thread::spawn(move || child.wait_with_output());
    while !readers.is_finished() {
        if begun.elapsed() > PATIENCE {
            let _ = Command::new("kill").arg(watched.to_string()).status();
            return Err(format!("{shown} hangs"));
        }
        sleep(Duration::from_millis(5));
    }
    readers.join().expect("waiting does not panic").map_err(failed)
}

/// Random scenarios.
struct DrawnLines(u64);

impl DrawnLines {
    fn below(&mut self, bound: u64) -> u64 {
        // The generator of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A line of `run`.
    fn scenario(&mut self, protocol: &str, settings: &[&str]) -> Vec<String> {
        let n = match self.below(8) {
            // Lemmas of smaller rings are judged in time order.
            _ if protocol == "peterson" => 4097 + self.below(1000),
            0 => 1000 + self.below(2000),
            _ => 1 + self.below(50),
        };
        let mut words = format!("run {protocol} -n {n} --seed {}", self.below(1 << 30));
        if protocol != "itai-rodeh" && self.below(3) == 0 {
            words += " --order computed";
        }
        let least = self.below(4);
        match self.below(4) {
            0 => {}
            1 => words += &format!(" --d {}", 1 + least),
            2 => words += &format!(" --d {least}..{} --delays max", least + 1 + self.below(40)),
            _ => words += &format!(" --d {least}..{}", least + 1 + self.below(300)),
        }
        match self.below(4) {
            0 => words += " --wake one",
            1 => words += &format!(" --wake random:{}", 1 + self.below(n)),
            _ => {}
        }
        if self.below(5) == 0 {
            words += &format!(" --max-time {}", self.below(500));
        }
        if !settings.is_empty() {
            words += &format!(" --set {}", settings[self.below(settings.len() as u64) as usize]);
        }
        if self.below(3) > 0 {
            words += " --json";
        }
        words.split(' ').map(String::from).collect()
    }
}
