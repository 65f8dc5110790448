//! Whether this machine can do the work, and whether the program does it right here.

use std::io::IsTerminal;

use ringleader::{find, ring};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Error;
use crate::{gpu, memory};

/// Something that was looked at.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Finding {
    pub(crate) what: &'static str,
    pub(crate) found: String,
    pub(crate) good: bool,
}

/// Looks at everything.
pub(crate) fn examine() -> Result<Vec<Finding>, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let free = memory::limits().into_iter().min_by_key(|limit| limit.bytes);
    let directory = tempfile::tempfile_in(".");
    let mut findings = vec![
        Finding { what: "version", found: env!("CARGO_PKG_VERSION").to_string(), good: true },
        Finding {
            what: "build",
            found: if cfg!(debug_assertions) {
                "debug: about ten times slower than --release".into()
            } else {
                "release".into()
            },
            good: true,
        },
        Finding { what: "cores", found: cores.to_string(), good: true },
        Finding {
            what: "memory",
            found: free.map_or("unknown".into(), |free| format!("{} MB free ({})", free.bytes >> 20, free.name)),
            good: free.is_none_or(|free| free.bytes > 1 << 28),
        },
        Finding {
            what: "gpu",
            // Nothing needs one.
            found: gpu::describe().map_or_else(|error| format!("none: {}", error.wrong()), |gpu| gpu.text()),
            good: true,
        },
        Finding {
            what: "terminal",
            found: if std::io::stderr().is_terminal() {
                "yes: long runs show their progress".into()
            } else {
                "no".into()
            },
            good: true,
        },
        Finding {
            what: "files",
            found: directory
                .as_ref()
                .map_or_else(|error| format!("this directory: {error}"), |_| "writable here".into()),
            good: directory.is_ok(),
        },
    ];
    for (protocol, messages) in [("lelann", 16), ("chang-roberts", 12), ("vitanyi", 16)] {
        findings.push(self_test(protocol, messages)?);
    }
    Ok(findings)
}

/// The ring 3, 1, 4, 2, worked out by hand: the total number of messages.
fn self_test(protocol: &'static str, expected: u64) -> Result<Finding, Error> {
    let found = find(protocol)?.set_up(ring([3, 1, 4, 2]), &[])?.run()?.cost.messages();
    Ok(Finding {
        what: protocol,
        found: format!("{found} messages on 3,1,4,2; by hand {expected}"),
        good: found == expected,
    })
}
