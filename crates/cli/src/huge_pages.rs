//! Large pages for large arrays.
//!
//! A simulation of a million processors touches tens of megabytes in no order. With pages of 4 KB some of its time goes
//! into finding out where they are; with pages of 2 MB less. Linux gives them to who asks.
#![allow(
    unsafe_code,
    reason = "a tenth more speed on ring-random and phold with a million processors, measured with and without"
)]

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator, which asks for large pages where an allocation is large.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

/// From here on it is worth a system call.
const LARGE: usize = 4 << 20;

// SAFETY: every call is passed on to the system's allocator as it is, and its answer is returned as it is.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one that is asked for.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one that is asked for.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one that is asked for.
        advised(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

/// Asks for large pages, if that is worth it; whether they are given does not matter.
fn advised(pointer: *mut u8, size: usize) -> *mut u8 {
    #[cfg(target_os = "linux")]
    if size >= LARGE && !pointer.is_null() {
        const PAGE: usize = 4096;
        let skipped = pointer.align_offset(PAGE);
        // SAFETY: the range lies within an allocation that was just made, and the advice changes none of its contents.
        unsafe {
            libc::madvise(pointer.add(skipped).cast(), (size - skipped) / PAGE * PAGE, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = size;
    pointer
}
