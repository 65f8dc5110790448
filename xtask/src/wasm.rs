//! `cargo xtask wasm`: the library that a web page needs builds for wasm32.
//!
//! Where the toolchain has no wasm32 target and cannot download one, Debian's packaged compiler and the sources of its
//! standard library do. They are unpacked into `target/`, not installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{cargo, installed_targets, must, works};

const TARGET: &str = "wasm32-unknown-unknown";
/// Libraries that must build for wasm32.
const LIBRARIES: [&str; 1] = ["ringleader"];
/// Debian's newer compiler, the one that it builds browsers with, and its sources.
const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// The directories of the unpacked packages and of the build.
const UNPACKED: &str = "target/wasm32/debian";
const BUILT: &str = "target/wasm32";
/// The features that became stable between Debian's 1.85 and our `rust-version`, as far as they are used.
const FEATURES: &str = "let_chains,extract_if,unsigned_is_multiple_of";
const ADVICE: &str = "keep terminals, files, threads and clocks out of what the page needs; a feature that Debian's compiler \
                      calls unstable goes into FEATURES of xtask/src/wasm.rs";

/// Checks the build, and gets what it needs first.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    check_if_possible(root, true)
}

/// Checks the build if a compiler for wasm32 is there. If not, either gets one or prints a skip.
pub(crate) fn check_if_possible(root: &Path, get: bool) -> Result<(), String> {
    if has_target(root) || (get && works(Command::new("rustup").current_dir(root).args(["target", "add", TARGET]))) {
        return must(&mut check(root), ADVICE);
    }
    if !is_unpacked(root) {
        if !get {
            println!(
                "    skipped: no compiler for wasm32 is installed (`rustup target add {TARGET}`, or `cargo xtask wasm`)"
            );
            return Ok(());
        }
        unpack(root).map_err(|why| format!("cannot get a compiler for {TARGET}: {why}"))?;
    }
    must(&mut check_with_debian(root)?, ADVICE)
}

fn has_target(root: &Path) -> bool {
    installed_targets(root).iter().any(|target| target == TARGET)
}

fn check(root: &Path) -> Command {
    let mut command = cargo(root, &["check", "--locked", "--lib", "--target", TARGET, "--target-dir", BUILT]);
    command.args(LIBRARIES.iter().flat_map(|library| ["--package", *library]));
    command
}

/// The check with Debian's compiler, which builds the standard library, too, and is older than our `rust-version`.
fn check_with_debian(root: &Path) -> Result<Command, String> {
    let usr = root.join(UNPACKED).join("usr");
    let mut command = check(root);
    command.args(["--ignore-rust-version", "-Zbuild-std=std,panic_abort", "-Zprofile-rustflags"]);
    for package in packages(root)? {
        let flags = format!("profile.dev.package.{package}.rustflags=['-Zcrate-attr=feature({FEATURES})']");
        command.args(["--config", &flags]);
    }
    command.env("RUSTC", usr.join("bin/rustc")).env("LD_LIBRARY_PATH", usr.join("lib/x86_64-linux-gnu"));
    // Flags that begin with -Z need a nightly toolchain, or this.
    command.env("RUSTC_BOOTSTRAP", "1");
    Ok(command)
}

/// The names of the packages under `crates`.
fn packages(root: &Path) -> Result<Vec<String>, String> {
    let cannot = |error: std::io::Error| format!("cannot read the manifests: {error}");
    let mut names = Vec::new();
    for entry in root.join("crates").read_dir().map_err(cannot)? {
        let manifest = std::fs::read_to_string(entry.map_err(cannot)?.path().join("Cargo.toml")).map_err(cannot)?;
        names.extend(manifest.lines().find_map(|line| line.strip_prefix("name = ")).map(|name| name.replace('"', "")));
    }
    names.sort();
    Ok(names)
}

/// Downloads Debian's packages and unpacks them.
fn unpack(root: &Path) -> Result<(), String> {
    if !cfg!(target_os = "linux") || !works(Command::new("apt-get").arg("--version")) {
        return Err(format!("`rustup target add {TARGET}` failed, and this is no Debian"));
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
fn is_unpacked(root: &Path) -> bool {
    let usr = root.join(UNPACKED).join("usr");
    let mut compiler = Command::new(usr.join("bin/rustc"));
    let sources = usr.join("lib/rustlib/src/rust/library/Cargo.lock");
    sources.is_file() && works(compiler.arg("--version").env("LD_LIBRARY_PATH", usr.join("lib/x86_64-linux-gnu")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_is_a_package_of_the_workspace() {
        let packages = packages(&crate::root()).unwrap();
        assert!(LIBRARIES.iter().all(|library| packages.iter().any(|package| package == library)), "{packages:?}");
    }
}
