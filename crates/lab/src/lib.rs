//! The lab: runs in a web page, watched, stepped back and forth, and changed.
