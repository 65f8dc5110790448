//! Memory limits: work that is too large is refused or ended, and never killed.
#![allow(unsafe_code, reason = "the standard library does not tell the limit on the address space")]

use std::fs::read_to_string;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ringleader::{Entry, Options, Order, Setup};
use ringleader_model::Scenario;
use ringleader_sim::Summary;

use crate::error::Error;
use crate::presentation::Presentation;

/// The maximum memory per processor of a fully instrumented run, identities and scratch space included.
const BYTES_PER_PROCESSOR: u64 = 150;
/// Fewer processors than this fit everywhere.
const FEW: u64 = 10_000;

/// Less than this is not worth a word.
const MUCH: u64 = 1 << 30;

/// Whether the set-up of a run of `n` processors fits into what is available. More than there can be is refused elsewhere.
pub(crate) fn check(n: u64) -> Result<(), Error> {
    fits(n, BYTES_PER_PROCESSOR, "")
}

/// The same, and says how much will be needed where that is much.
pub(crate) fn announce(n: u64) -> Result<(), Error> {
    reserve(n, BYTES_PER_PROCESSOR, "")
}

/// The same for a run, before its identities are listed. One that is logged is executed in time order.
pub(crate) fn reserve_for(entry: &'static dyn Entry, options: &Options, logged: bool) -> Result<(), Error> {
    let n = options.size();
    if n < MANY || n > Scenario::MOST as u64 || logged {
        return announce(n);
    }
    let identities = entry.description().assumptions.identities && options.ids.is_none();
    let order = identities.then_some(Order::Computed);
    // Whatever is wrong with the options is said when they are used.
    let Ok(setup) = Setup::new(entry, Options { order, ..options.clone() }) else { return Ok(()) };
    let (bytes, listed) = (setup.bytes_per_processor() as u64, options.order != order);
    if listed { reserve(n, bytes + BYTES_PER_LISTED, WITHOUT_LIST) } else { reserve(n, bytes, "") }
}

/// Fewer processors are not worth an estimate.
const MANY: u64 = 1 << 20;
/// What a listed identity takes, with what is needed to validate the list.
const BYTES_PER_LISTED: u64 = 10;
const WITHOUT_LIST: &str = ", or --order computed, which needs no list of identities";

/// Whether `n` processors fit; says on stderr how much they will need, where that is much. `hint`: what else is allowed.
pub(crate) fn reserve(n: u64, bytes_per_processor: u64, hint: &str) -> Result<(), Error> {
    fits(n, bytes_per_processor, hint)?;
    let needed = n.saturating_mul(bytes_per_processor);
    if needed >= MUCH && n <= Scenario::MOST as u64 && !Presentation::settled().quiet {
        let free = available().map_or(String::new(), |free| format!(" of {} MB that are free", free >> 20));
        // Nobody needs to know if nobody can be told.
        let _ = writeln!(io::stderr(), "about {} MB will be needed{free}", needed >> 20);
    }
    Ok(())
}

/// Whether `n` processors fit.
pub(crate) fn fits(n: u64, bytes_per_processor: u64, hint: &str) -> Result<(), Error> {
    if !(FEW..=Scenario::MOST as u64).contains(&n) {
        return Ok(());
    }
    let needed = n.saturating_mul(bytes_per_processor);
    match limits().into_iter().min_by_key(|limit| limit.bytes) {
        Some(limit) if needed > limit.bytes => Err(Error::Environment(format!(
            "-n is {n}, for which {} MB may be needed, and {} MB are free ({})\nallowed: about {} processors on this \
             machine now{hint}",
            needed >> 20,
            limit.bytes >> 20,
            limit.name,
            limit.bytes / bytes_per_processor
        ))),
        _ => Ok(()),
    }
}

/// Why a run was ended that would need more memory than there is.
pub(crate) fn exhausted(summary: &Summary) -> Error {
    Error::Environment(format!(
        "out of memory: the run was ended after {} messages, when {}\nallowed: fewer processors, --max-messages, --max-time, or \
         more memory",
        summary.cost.deliveries,
        budget()
    ))
}

/// Why these runs of a table are missing; nothing if none is.
pub(crate) fn exhausted_in(runs: &[String]) -> Option<Error> {
    let listed: String = runs.iter().map(|run| format!("\n  {run}")).collect();
    let allowed = "fewer processors or sites, or more memory";
    let wrong = format!("out of memory: a run was ended when {}; missing in the table:{listed}", budget());
    (!runs.is_empty()).then(|| Error::Environment(format!("{wrong}\nallowed: {allowed}")))
}

/// The memory that a run may need, and the memory that is left.
fn budget() -> String {
    let free = available().map_or("the memory of this machine".to_string(), |free| format!("{} MB", free >> 20));
    format!("the program held {} MB and might soon have needed as much again, and {free} were left", resident() >> 20)
}

/// Bytes that this process can still have, where the system says so: the least of all limits.
pub(crate) fn available() -> Option<u64> {
    limits().into_iter().map(|limit| limit.bytes).min()
}

/// Address space that a thread takes for its stack, and what else it needs to begin.
const BYTES_PER_THREAD: u64 = 4 << 20;

/// Where the address space is limited, all threads allocate from one arena: each arena of the GNU C library reserves 64 MB, twice
/// as much for a moment, and has them at times that depend on which threads meet.
pub(crate) fn spare_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if address_space().is_some() {
        // SAFETY: it sets a number, and no other thread has begun.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// The same for work on several threads, which reserve some of the address space.
pub(crate) fn available_to(threads: usize) -> Option<u64> {
    let reserved = BYTES_PER_THREAD.saturating_mul(threads as u64);
    let space = address_space().map(|left| left.saturating_sub(reserved));
    available().into_iter().chain(space).min()
}

/// Something that limits the memory of this process, and the bytes that are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryLimit {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
}

/// The limit that each process has for itself.
pub(crate) const ADDRESS_SPACE: &str = "address space, ulimit -v";

/// All limits that the system tells.
pub(crate) fn limits() -> Vec<MemoryLimit> {
    let named = |name, bytes: Option<u64>| bytes.map(|bytes| MemoryLimit { name, bytes });
    [
        named("MemAvailable", free()),
        named(ADDRESS_SPACE, address_space()),
        named("control group", control_group(Path::new("/sys/fs/cgroup"))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Bytes that can be had without swapping.
fn free() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Bytes left of RLIMIT_AS, if it is limited.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is an rlimit that lives until the call returns.
    let answer = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if answer != 0 || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    Some(limit.rlim_cur.saturating_sub(pages(0)?))
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> Option<u64> {
    None
}

/// Bytes of memory that this process holds; 0 where the system does not say.
pub(crate) fn resident() -> u64 {
    pages(1).unwrap_or(0)
}

/// A field of /proc/self/statm, in bytes: the size of the address space, then what is resident.
#[cfg(target_os = "linux")]
fn pages(field: usize) -> Option<u64> {
    let text = read_to_string("/proc/self/statm").ok()?;
    let count: u64 = text.split_whitespace().nth(field)?.parse().ok()?;
    // SAFETY: it only reads a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(count * u64::try_from(size).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn pages(_: usize) -> Option<u64> {
    None
}

/// Bytes left in the control group of this process and in those around it, version 2 or 1.
fn control_group(root: &Path) -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    groups
        .lines()
        .filter_map(|line| group_of(line, root))
        .filter_map(|(root, path, files)| left(&root, &path, files))
        .min()
}

/// The files of one version: the limit, what is used, and the line of memory.stat that can be given back.
type GroupFiles = [&'static str; 3];
const VERSION_2: GroupFiles = ["memory.max", "memory.current", "inactive_file "];
const VERSION_1: GroupFiles = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "];

/// A line of /proc/self/cgroup: where the hierarchy begins, the group inside it, and its files.
fn group_of(line: &str, root: &Path) -> Option<(PathBuf, PathBuf, GroupFiles)> {
    let mut fields = line.splitn(3, ':');
    let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    let path = PathBuf::from(path.trim_start_matches('/'));
    match controllers {
        "" => Some((root.to_path_buf(), path, VERSION_2)),
        names if names.split(',').any(|name| name == "memory") => Some((root.join("memory"), path, VERSION_1)),
        _ => None,
    }
}

/// The least that is left in a group and in those around it. Inside a container the path may not exist: then the root counts.
fn left(root: &Path, path: &Path, [limit, used, reclaimable]: GroupFiles) -> Option<u64> {
    let number = |file: PathBuf| read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let one = |group: &Path| {
        let group = root.join(group);
        let (limit, used) = (number(group.join(limit))?, number(group.join(used))?);
        let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(reclaimable)?.trim().parse::<u64>().ok());
        Some(limit.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
    };
    path.ancestors().filter_map(one).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(directory: &Path, files: &[(&str, &str)]) {
        std::fs::create_dir_all(directory).unwrap();
        for (name, text) in files {
            std::fs::write(directory.join(name), text).unwrap();
        }
    }

    /// The group has 1000 - (900 - 300), the one around it 5000 - 4500.
    #[test]
    fn the_least_of_all_groups_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("a/b");
        let stat = ("memory.stat", "anon 600\ninactive_file 300\n");
        group(&inner, &[("memory.max", "1000\n"), ("memory.current", "900\n"), stat]);
        group(&root.path().join("a"), &[("memory.max", "5000\n"), ("memory.current", "4500\n")]);
        let (from, path, files) = group_of("0::/a/b", root.path()).unwrap();
        assert_eq!(left(&from, &path, files), Some(400));
        group(&root.path().join("a"), &[("memory.max", "4600\n")]);
        assert_eq!(left(&from, &path, files), Some(100));
        group(&inner, &[("memory.max", "max\n")]);
        group(&root.path().join("a"), &[("memory.max", "max\n")]);
        assert_eq!(left(&from, &path, files), None);
    }

    #[test]
    fn groups_of_version_1_have_other_files() {
        let root = tempfile::tempdir().unwrap();
        let (from, path, files) = group_of("4:cpu,memory:/job", root.path()).unwrap();
        let usage = ("memory.usage_in_bytes", "40\n");
        group(&root.path().join("memory/job"), &[("memory.limit_in_bytes", "100\n"), usage]);
        assert_eq!(left(&from, &path, files), Some(60));
        assert_eq!(group_of("3:cpuset:/job", root.path()), None);
        assert_eq!(group_of("nonsense", root.path()), None);
    }

    /// A container may see its own group as the root, under a path that is not there.
    #[test]
    fn the_root_counts_where_the_path_is_not_there() {
        let root = tempfile::tempdir().unwrap();
        group(root.path(), &[("memory.max", "70\n"), ("memory.current", "20\n")]);
        let (from, path, files) = group_of("0::/not/there", root.path()).unwrap();
        assert_eq!(left(&from, &path, files), Some(50));
    }
}
