//! The lab: runs in a web page, watched, stepped back and forth, and changed.
//!
//! Without features it is the files of the page: [`PAGE`] for a server, [`single_page`] for one file that works offline.

mod page;
mod sha256;
mod single_page;

pub use page::{Asset, CONTENT_SECURITY_POLICY, Embedded, Opened, PAGE, index, is_page};
pub use single_page::single_page;
