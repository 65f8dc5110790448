//! Ctrl-C, SIGTERM, and memory that has run out.
//!
//! The first signal asks the work to stop and to show partial results. Work that asks whether to stop answers; where nobody asks
//! for a second (a large set-up, one large instant, a long solution of equations), the [partial] results kept so far are printed,
//! and the program ends. A second signal ends it at once.
#![allow(unsafe_code, reason = "the standard library knows no signals, and may allocate where there is no memory")]

use std::fmt::{self, Write};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Exit;
use crate::partial;
use crate::watch::{DELIVERED, STATES};

/// Two signals within this time count as one.
const AT_ONCE: Duration = Duration::from_millis(100);
/// The time in which work must notice that it shall stop.
const ANSWER_WITHIN: Duration = Duration::from_millis(850);
/// The interval in which somebody who waits for a signal looks for one.
const GLANCE: Duration = Duration::from_millis(50);

/// The code to exit with, of the signal that was received; 0 before.
static RECEIVED: AtomicI32 = AtomicI32::new(0);
/// The thread that prints the result: none yet, the work, or the watchdog.
static PRINTER: AtomicU8 = AtomicU8::new(NOBODY);
const NOBODY: u8 = 0;
const WORK: u8 = 1;
const WATCHDOG: u8 = 2;
/// Whether nothing is done but waiting for a signal.
static WAITING: AtomicBool = AtomicBool::new(false);
/// The code to exit with when memory runs out.
static EXHAUSTED: AtomicI32 = AtomicI32::new(Exit::Environment as i32);

/// The exit code for the signal received, if any.
pub(crate) fn received() -> Option<Exit> {
    match RECEIVED.load(Ordering::Relaxed) {
        0 => None,
        code if code == Exit::Terminated as i32 => Some(Exit::Terminated),
        _ => Some(Exit::Interrupted),
    }
}

/// The work knows that it shall stop, or is done. If that comes too late, it waits for the end of the program.
pub(crate) fn answer() {
    if PRINTER.compare_exchange(NOBODY, WORK, Ordering::Relaxed, Ordering::Relaxed) == Err(WATCHDOG) {
        loop {
            thread::park();
        }
    }
}

/// There is more work: it has to answer for itself.
pub(crate) fn resume() {
    if received().is_none() {
        let _ = PRINTER.compare_exchange(WORK, NOBODY, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Waits for a signal: there is nothing to be stopped, and there are no partial results.
pub(crate) fn wait() {
    WAITING.store(true, Ordering::Relaxed);
    while received().is_none() {
        thread::sleep(GLANCE);
    }
}

/// From now on the first signal stops the work, and partial results are shown. A second one ends the program.
#[cfg(unix)]
pub(crate) fn catch() {
    // SAFETY: a set of signals is plain data, filled in by sigemptyset before it is read; both live until the calls return.
    let signals = unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, libc::SIGINT);
        libc::sigaddset(&raw mut signals, libc::SIGTERM);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, std::ptr::null_mut());
        signals
    };
    let wait = move || {
        loop {
            let mut signal = 0;
            // SAFETY: both live until the call returns.
            if unsafe { libc::sigwait(&raw const signals, &raw mut signal) } == 0 {
                take(if signal == libc::SIGTERM { Exit::Terminated } else { Exit::Interrupted });
            }
        }
    };
    if thread::Builder::new().spawn(wait).is_err() {
        // Without a thread that waits for it, a signal just ends the program.
        // SAFETY: as above.
        unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const signals, std::ptr::null_mut()) };
    }
}

/// From now on the first Ctrl-C stops the work, and partial results are shown. A second one ends the program.
#[cfg(not(unix))]
pub(crate) fn catch() {
    // Without a handler Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(|| take(Exit::Interrupted));
}

fn take(exit: Exit) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let first = FIRST.get_or_init(Instant::now);
    if RECEIVED.swap(exit as i32, Ordering::Relaxed) != 0 {
        // Who signals a process and its group, as timeout(1) does, means one signal.
        if first.elapsed() >= AT_ONCE {
            std::process::exit(exit as i32);
        }
        return;
    }
    if WAITING.load(Ordering::Relaxed) {
        return;
    }
    say(format_args!("stopping with partial results; a second signal quits at once"));
    let insist = move || {
        thread::sleep(ANSWER_WITHIN);
        if PRINTER.compare_exchange(NOBODY, WATCHDOG, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            say(format_args!("interrupted in an operation that cannot be divided{SoFar}"));
            partial::take(|text, file, _| write_all(file, text.as_bytes()));
            std::process::exit(exit as i32);
        }
    };
    // Without a thread for it, the second signal has to do.
    let _ = thread::Builder::new().spawn(insist);
}

/// Memory that runs out makes the work inconclusive: no error of the machine, but no answer.
pub(crate) fn exhaustion_is_inconclusive() {
    EXHAUSTED.store(Exit::Inconclusive as i32, Ordering::Relaxed);
}

/// Ends the program, because an allocation of this size fails. Nothing may be allocated here.
pub(crate) fn exhausted(bytes: usize, left: Option<u64>) -> ! {
    partial::take(|text, file, run| {
        write_all(file, text.as_bytes());
        say(format_args!(
            "error: out of memory{}{run}: {} MB in one piece cannot be had{}{SoFar}\nallowed: what `doctor` says is free: fewer \
             processors or messages, or more memory",
            if run.is_empty() { "" } else { " in " },
            bytes.div_ceil(1 << 20),
            Left(left)
        ));
    });
    // SAFETY: it does not return, and runs nothing of ours.
    unsafe { libc::_exit(EXHAUSTED.load(Ordering::Relaxed)) }
}

/// The memory left, where it is known.
struct Left(Option<u64>);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |bytes| write!(f, ", and {} MB are free", bytes >> 20))
    }
}

/// The progress so far.
struct SoFar;

impl fmt::Display for SoFar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, what) in [(&STATES, "states explored"), (&DELIVERED, "messages delivered")] {
            let count = count.load(Ordering::Relaxed);
            if count > 0 {
                write!(f, "; {count} {what} so far")?;
            }
        }
        Ok(())
    }
}

/// Says something on stderr, over what progress shows there, without allocating.
fn say(text: fmt::Arguments<'_>) {
    let mut line = FixedLine { bytes: [0; 512], length: 0 };
    if std::io::stderr().is_terminal() {
        let _ = line.write_str("\r\x1b[K");
    }
    // What does not fit is left out.
    let _ = line.write_fmt(text);
    let _ = line.write_str("\n");
    write_all(2, &line.bytes[..line.length]);
}

/// Writes to a file that is open, past all buffers and locks: whoever holds them may wait forever.
fn write_all(file: i32, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the bytes live until the call returns.
        let written = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len() as _) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => bytes = &bytes[written..],
            // Nobody can be told.
            _ => return,
        }
    }
}

/// A text of limited length.
struct FixedLine {
    bytes: [u8; 512],
    length: usize,
}

impl Write for FixedLine {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let fits = text.len().min(self.bytes.len() - self.length);
        self.bytes[self.length..self.length + fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        Ok(())
    }
}
