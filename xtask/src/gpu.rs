//! `cargo xtask gpu`: the kernel of small rings is compiled for GPUs, to PTX, and committed.
//!
//! Beside it stands what it was made of. A test compares that with the sources of today.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{cargo, gzip, must, works};
use crate::debian;

const TARGET: &str = "nvptx64-nvidia-cuda";
/// The directory of the build.
const BUILT: &str = "target/gpu";
/// The oldest processors that it is for: newer ones take it as well.
const OLDEST: &str = "sm_75";
/// The processor that it is assembled for, to see what it takes.
const ASSEMBLED: &str = "sm_90";
/// The kernels, compressed, and what they were made of.
const KERNELS: &str = "crates/cli/src/gpu/kernels.ptx.gz";
const RECORD: &str = "crates/cli/src/gpu/kernels.txt";
/// The directory of NVIDIA's assembler, a package of PyPI.
const ASSEMBLER: &str = "target/ptxas";
const ASSEMBLER_PACKAGE: &str = "nvidia-cuda-nvcc-cu12";
const ADVICE: &str = "repair what the compiler names; the kernel and its protocols allocate nothing and have no floats";

/// What decides what a run costs: changes elsewhere do not make the kernels stale.
const SOURCES: &[&str] = &[
    "crates/derive/src",
    "crates/exact/src",
    "crates/model/src/election.rs",
    "crates/model/src/identity.rs",
    "crates/model/src/milestone.rs",
    "crates/model/src/network.rs",
    "crates/model/src/processor.rs",
    "crates/protocols/src/election/chang_roberts.rs",
    "crates/protocols/src/election/dolev_klawe_rodeh.rs",
    "crates/protocols/src/election/franklin.rs",
    "crates/protocols/src/election/hirschberg_sinclair.rs",
    "crates/protocols/src/election/lelann.rs",
    "crates/protocols/src/election/peterson.rs",
    "crates/protocols/src/election/peterson_alternating.rs",
    "crates/protocols/src/election/van_leeuwen_tan.rs",
    "gpu/src",
];

/// Compiles the kernels and writes them, with what they were made of.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    debian::get(root).map_err(|why| format!("cannot get a compiler for {TARGET}: {why}"))?;
    must(&mut compile(root), ADVICE)?;
    let assembly = root.join(BUILT).join(TARGET).join("release/deps/ringleader_ptx.s");
    let text = read(&assembly)?;
    let version = manifest_version(&read(&root.join("Cargo.toml"))?)?;
    let sources = source_hash(root)?;
    let kernels = format!("// ringleader {version}, sources {sources:016x}\n{}", stripped(&text));
    let ptx = root.join(BUILT).join("kernels.ptx");
    write(&ptx, kernels.as_bytes())?;
    let compressed = gzip(&ptx)?;
    write(&root.join(KERNELS), &compressed)?;
    let compiler = debian::compiler(root).arg("--version").output().map_err(|error| error.to_string())?;
    let mut record = format!(
        "version {version}\nsources {sources:016x}\nkernels {:016x}\ncompiler {}\ntarget {OLDEST}\n",
        hash(&compressed),
        String::from_utf8_lossy(&compiler.stdout).trim()
    );
    match assemble(root, &ptx)? {
        Some(lines) => record += &lines,
        None => println!("skipped: no assembler ({ASSEMBLER_PACKAGE} of PyPI): registers and stack are not recorded"),
    }
    write(&root.join(RECORD), record.as_bytes())?;
    println!("{record}{KERNELS}: {} bytes, {} of PTX", compressed.len(), kernels.len());
    Ok(())
}

fn compile(root: &Path) -> Command {
    let arguments = ["rustc", "--release", "--locked", "--manifest-path", "gpu/Cargo.toml", "--target-dir", BUILT];
    let mut command = cargo(root, &arguments);
    command.args(["--ignore-rust-version", "-Zbuild-std=core,alloc", "--target", TARGET, "--", "--emit=asm"]);
    debian::compile_with(&mut command, root);
    // PTX is text, which nothing links.
    let flags = [
        "-Zunstable-options",
        &format!("-Ctarget-cpu={OLDEST}"),
        "-Cpanic=immediate-abort",
        "-Clinker-flavor=llbc",
        "-Clinker=/bin/true",
    ];
    command.env("RUSTFLAGS", flags.join(" "));
    command
}

/// PTX without comments, with short names of functions that are no entry points.
fn stripped(text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            lines.push_str(line);
            lines.push('\n');
        }
    }
    let mut names: Vec<&str> = lines.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    names.retain(|name| name.starts_with("_R") && !name.contains("_param_"));
    names.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    names.dedup();
    let names: Vec<String> = names.into_iter().map(ToString::to_string).collect();
    for (number, name) in names.iter().enumerate() {
        lines = lines.replace(name.as_str(), &format!("function_{number}"));
    }
    lines
}

/// What the kernels take of a processor, a line each; `None` if there is no assembler.
fn assemble(root: &Path, ptx: &Path) -> Result<Option<String>, String> {
    let assembler = root.join(ASSEMBLER).join("nvidia/cuda_nvcc/bin/ptxas");
    if !assembler.is_file() {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
        if !works(pip.arg(root.join(ASSEMBLER)).arg(ASSEMBLER_PACKAGE)) {
            return Ok(None);
        }
    }
    let mut command = Command::new(&assembler);
    command.args([&format!("--gpu-name={ASSEMBLED}"), "--verbose", "--output-file=/dev/null"]).arg(ptx);
    let output = command.stdout(Stdio::piped()).output().map_err(|error| format!("cannot run ptxas: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("ptxas does not assemble the kernels:\n{said}"));
    }
    let mut lines = assembled(&said);
    lines.sort();
    let mut text = format!("assembled for {ASSEMBLED}\n");
    lines.iter().for_each(|line| writeln!(text, "{line}").expect("a text takes everything"));
    Ok(Some(text))
}

/// The lines about entry points of what ptxas says.
fn assembled(said: &str) -> Vec<String> {
    let (mut lines, mut entry, mut frame) = (Vec::new(), None, String::new());
    for line in said.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            entry = rest.split('\'').next();
        } else if line.contains("bytes stack frame") && entry.is_some() && frame.is_empty() {
            frame = line.trim().to_string();
        } else if let (Some((_, rest)), Some(name)) = (line.split_once(": Used "), entry) {
            let registers = rest.split(',').next().unwrap_or(rest);
            lines.push(format!("entry {name}: {registers}, {frame}"));
            (entry, frame) = (None, String::new());
        }
    }
    lines
}

/// A hash of the sources, without comments and blank lines.
fn source_hash(root: &Path) -> Result<u64, String> {
    let mut text = String::new();
    for source in SOURCES {
        let mut files = vec![root.join(source)];
        while let Some(path) = files.pop() {
            if path.is_dir() {
                let entries = path.read_dir().map_err(|error| format!("cannot read {}: {error}", path.display()))?;
                let mut inside: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
                inside.sort_by(|one, other| other.cmp(one));
                files.extend(inside);
                continue;
            }
            let file = read(&path)?;
            let code = file.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
            lines.for_each(|line| text.extend([line, "\n"]));
        }
    }
    Ok(hash(text.as_bytes()))
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

fn manifest_version(manifest: &str) -> Result<String, String> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = "));
    line.map(|version| version.trim_matches('"').to_string()).ok_or_else(|| "Cargo.toml has no version".to_string())
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(key: &str) -> String {
        let text = read(&crate::root().join(RECORD)).unwrap();
        let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        found.unwrap_or_else(|| panic!("{RECORD} has no {key}")).to_string()
    }

    /// If this fails, the committed kernels compute what the sources said once: `cargo xtask gpu`.
    #[test]
    fn the_committed_kernels_are_those_of_the_sources() {
        let sources = format!("{:016x}", source_hash(&crate::root()).unwrap());
        assert_eq!(record("sources"), sources, "{KERNELS} is stale: run `cargo xtask gpu`");
        let compressed = std::fs::read(crate::root().join(KERNELS)).unwrap();
        assert_eq!(record("kernels"), format!("{:016x}", hash(&compressed)), "{RECORD} is of another {KERNELS}");
    }

    /// The vectors of the authors.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!([hash(b""), hash(b"a")], [0xcbf2_9ce4_8422_2325, 0xaf63_dc4c_8601_ec8c]);
    }

    #[test]
    fn functions_get_short_names_and_comments_go() {
        let text = "// made\n.func _RNvAb_3foo(\n\t.param .b64 _RNvAb_3foo_param_0\n)\n\tcall _RNvAb_3foo; // here\n\n";
        assert_eq!(stripped(text), ".func function_0(\n.param .b64 function_0_param_0\n)\ncall function_0;\n");
    }

    #[test]
    fn the_figures_of_the_assembler_are_read() {
        let said = "ptxas info : Compiling entry function 'a' for 'sm_90'\nptxas info : Function properties for a\n    16 bytes \
                    stack frame, 0 bytes spill stores, 4 bytes spill loads\nptxas info : Used 7 registers, used 0 barriers\n";
        let line = "entry a: 7 registers, 16 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads";
        assert_eq!(assembled(said), [line]);
    }
}
