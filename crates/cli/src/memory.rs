//! How much memory there is, so that a ring too large is refused and not killed.

use ringleader_model::Scenario;

use crate::error::Error;

/// What a processor takes at most in a run with everything noted down, identities and scratch space included.
const BYTES_PER_PROCESSOR: u64 = 150;

/// Whether a run of `n` processors fits into what is free. More than there can be is refused for that elsewhere.
pub(crate) fn check(n: u64) -> Result<(), Error> {
    if !(1_000_000..=Scenario::MOST as u64).contains(&n) {
        return Ok(());
    }
    let needed = n.saturating_mul(BYTES_PER_PROCESSOR);
    match available() {
        Some(free) if needed > free => Err(Error::Environment(format!(
            "-n is {n}, for which {} MB may be needed, and {} MB are free\nallowed: about {} processors on this machine now",
            needed >> 20,
            free >> 20,
            free / BYTES_PER_PROCESSOR
        ))),
        _ => Ok(()),
    }
}

/// Bytes that can be had without swapping, where the system says so.
pub(crate) fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
