//! The lab of ringleader: runs in a web page, watched, stepped back and forth, changed and shared.
//!
//! Without features it is the files of the page: [`PAGE`] for a server, [`single_page`] for one file that works offline, and
//! [`link`] for the fragment of an address. The page's engine is compiled to WebAssembly from the code that every other
//! command runs; the module lies here, compressed. With the feature `session`, which the command line does without, the
//! crate is what the module is made of: a `Session` is a run that one moves about in, and a `Lab` answers the page's
//! requests, JSON for JSON, with sessions.
#![deny(unsafe_code)]

#[cfg(all(feature = "session", target_family = "wasm"))]
mod abi;
#[cfg(feature = "session")]
mod lab;
pub mod link;
mod page;
#[cfg(feature = "session")]
mod session;
mod sha256;
mod single_page;

#[cfg(feature = "session")]
pub use lab::Lab;
pub use page::{Asset, CONTENT_SECURITY_POLICY, Embedded, Opened, PAGE, index, is_page};
#[cfg(feature = "session")]
pub use session::{LabPreset, Mark, MarkKind, MoveView, PRESETS, Position, RunView, Session};
pub use single_page::single_page;

/// The most processors of a run in the page: a browser has less memory than a terminal.
pub const MOST_PROCESSORS: u64 = 2_000_000;
/// The version that links and the page name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
