//! Debian's packaged compiler and the sources of its standard library, for targets that the toolchain has no library for.
//!
//! They are unpacked into `target/`, not installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{must, works};

/// Debian's newer compiler, the one that it builds browsers with, and its sources.
const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// The directory of the unpacked packages.
const UNPACKED: &str = "target/debian";

/// Has a cargo command use this compiler, which must be unpacked.
pub(crate) fn compile_with(command: &mut Command, root: &Path) {
    let usr = root.join(UNPACKED).join("usr");
    command.env("RUSTC", usr.join("bin/rustc")).env("LD_LIBRARY_PATH", libraries(root));
    // Flags that begin with -Z need a nightly toolchain, or this.
    command.env("RUSTC_BOOTSTRAP", "1");
}

/// The compiler itself, for questions.
pub(crate) fn compiler(root: &Path) -> Command {
    let mut command = Command::new(root.join(UNPACKED).join("usr/bin/rustc"));
    command.env("LD_LIBRARY_PATH", libraries(root));
    command
}

fn libraries(root: &Path) -> PathBuf {
    root.join(UNPACKED).join("usr/lib/x86_64-linux-gnu")
}

/// Downloads the packages and unpacks them, unless that was done before.
pub(crate) fn get(root: &Path) -> Result<(), String> {
    if is_unpacked(root) { Ok(()) } else { unpack(root) }
}

fn unpack(root: &Path) -> Result<(), String> {
    if !cfg!(target_os = "linux") || !works(Command::new("apt-get").arg("--version")) {
        return Err("this is no Debian".to_string());
    }
    let directory = root.join(UNPACKED);
    let archives = directory.join("archives");
    std::fs::create_dir_all(&archives).map_err(|error| format!("cannot create {}: {error}", archives.display()))?;
    download(&archives)?;
    for archive in debs(&archives)? {
        extract(&archive, &directory)?;
    }
    std::fs::remove_dir_all(&archives).map_err(|error| format!("cannot remove {}: {error}", archives.display()))?;
    if is_unpacked(root) { Ok(()) } else { Err(format!("{UNPACKED} has no compiler that works")) }
}

/// Downloads the packages and what they depend on, after an update of the lists if they are not known yet.
fn download(to: &Path) -> Result<(), String> {
    let mut wanted = wanted();
    if wanted.is_none() {
        must(Command::new("apt-get").args(["update", "-qq"]), "run it as root")?;
        wanted = self::wanted();
    }
    let wanted = wanted.ok_or_else(|| format!("Debian has no {}", PACKAGES.join(" and ")))?;
    let mut command = Command::new("apt-get");
    command.current_dir(to).args(["download", "-qq", "-o", "APT::Sandbox::User=root"]).args(wanted);
    must(&mut command, "look whether the lists of packages are up to date (`apt-get update`)")
}

/// The packages and those of their dependencies that the system lacks; `None` if they are not known.
fn wanted() -> Option<Vec<String>> {
    let mut command = Command::new("apt-get");
    let simulated = command.args(["install", "--simulate", "--no-install-recommends"]).args(PACKAGES).output().ok()?;
    let text = String::from_utf8_lossy(&simulated.stdout);
    let missing = text.lines().filter_map(|line| line.strip_prefix("Inst ")?.split(' ').next());
    let mut names: Vec<String> = PACKAGES.iter().copied().chain(missing).map(ToString::to_string).collect();
    names.sort();
    names.dedup();
    simulated.status.success().then_some(names)
}

fn debs(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = directory.read_dir().map_err(|error| format!("cannot read {}: {error}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
    paths.sort();
    Ok(paths)
}

/// Unpacks an archive without documentation and without the sources of the compiler itself.
fn extract(archive: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot unpack {}: {error}", archive.display());
    let mut reader = Command::new("dpkg-deb");
    let mut reader = reader.arg("--fsys-tarfile").arg(archive).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut writer = Command::new("tar");
    writer.arg("--extract").arg("--directory").arg(to).arg("--no-wildcards-match-slash");
    writer.args(["--exclude=./usr/share", "--exclude=./usr/src/*/src", "--exclude=./usr/src/*/compiler"]);
    let written = writer.stdin(reader.stdout.take().expect("it was piped")).status().map_err(failed)?;
    let read = reader.wait().map_err(failed)?;
    if read.success() && written.success() {
        Ok(())
    } else {
        Err(format!("cannot unpack {} (dpkg-deb {read}, tar {written})", archive.display()))
    }
}

/// Whether the compiler is there, works, and has the sources of its standard library.
pub(crate) fn is_unpacked(root: &Path) -> bool {
    let sources = root.join(UNPACKED).join("usr/lib/rustlib/src/rust/library/Cargo.lock");
    sources.is_file() && works(compiler(root).arg("--version"))
}
