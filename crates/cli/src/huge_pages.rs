//! The allocator: large pages for large arrays, and a clear error where there is no memory left.
//!
//! A simulation of a million processors touches tens of megabytes in no order. With pages of 4 KB some of its time goes
//! into finding out where they are; with pages of 2 MB less. Linux gives them to who asks.
//!
//! A run looks at its memory between slices, and ends with partial results. But all processors may wake at one instant, and what
//! is sent then may not fit. Rust answers an allocation that fails with an abort; here the program says why, and exits.
#![allow(
    unsafe_code,
    reason = "a tenth more speed on ring-random and phold with a million processors, measured with and without"
)]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::memory;
use crate::signals::exhausted;

/// The system's allocator, which asks for large pages where an allocation is large, and ends the program where it fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

/// From here on it is worth a system call.
const LARGE: usize = 4 << 20;
/// From here on it is worth asking how much there is: Linux grants more than it has, and kills whoever uses it.
const DOUBTFUL: usize = 256 << 20;

/// From here on an allocation that fails leaves room for the few bytes that it takes to ask why.
const WORTH_ASKING: usize = 1 << 20;

// SAFETY: every call is passed on to the system's allocator as it is, and its answer is returned as it is, or the program
// ends.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        refuse_beyond(layout.size());
        // SAFETY: the caller's promise is the one that is asked for.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // Pages of zeros take no memory before they are written to.
        // SAFETY: the caller's promise is the one that is asked for.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        refuse_beyond(size.saturating_sub(layout.size()));
        // SAFETY: the caller's promise is the one that is asked for.
        granted(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

/// Ends the program if so much more is more than there is.
fn refuse_beyond(size: usize) {
    if size < DOUBTFUL {
        return;
    }
    let left = memory::available();
    if left.is_some_and(|left| size as u64 > left) {
        exhausted(size, left);
    }
}

/// Asks for large pages, if that is worth it; whether they are given does not matter.
fn granted(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && size > 0 {
        exhausted(size, if size >= WORTH_ASKING { memory::available() } else { None });
    }
    #[cfg(target_os = "linux")]
    if size >= LARGE {
        const PAGE: usize = 4096;
        let skipped = pointer.align_offset(PAGE);
        // SAFETY: the range lies within an allocation that was just made, and the advice changes none of its contents.
        unsafe {
            libc::madvise(pointer.add(skipped).cast(), (size - skipped) / PAGE * PAGE, libc::MADV_HUGEPAGE);
        }
    }
    pointer
}
