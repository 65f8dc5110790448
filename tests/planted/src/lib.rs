//! The catalogue, copied, with the bugs of [`all_bugs`] planted in it. Each sleeps until [`plant`] wakes it: without, this is the
//! catalogue as it is.
#![allow(warnings, reason = "the catalogue is looked at where it stands; what is planted is wrong on purpose")]

use std::sync::atomic::{AtomicUsize, Ordering};

include!("list.rs");
include!("list/rings.rs");
include!("list/networks.rs");
include!("list/locks.rs");
include!(concat!(env!("OUT_DIR"), "/protocols/lib.rs"));

/// No bug.
const NONE: usize = usize::MAX;

static PLANTED: AtomicUsize = AtomicUsize::new(NONE);

/// From now on there is this bug of [`all_bugs`], and no other.
pub fn plant(bug: Option<usize>) {
    PLANTED.store(bug.unwrap_or(NONE), Ordering::SeqCst);
}

/// Asked wherever a bug could be.
#[inline]
pub(crate) fn is_planted(bug: usize) -> bool {
    PLANTED.load(Ordering::Relaxed) == bug
}
