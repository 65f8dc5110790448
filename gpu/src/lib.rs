//! The entry points of the kernel of small rings on a GPU: one per configured election.
//!
//! Each of them is [`run_thread`], which tests run on a CPU, with the number of the thread and the memory of the tallies.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]

use core::alloc::{GlobalAlloc, Layout};
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x, trap};
use core::slice;
use core::sync::atomic::AtomicU64;

use ringleader_exact::{Launch, Rotations, SmallInstances, Tallies, run_thread};

macro_rules! entry_points {
    ($($entry:ident: $protocol:literal [$($set:literal)?] $rules:expr,)*) => {
        $(
            #[doc = concat!("The entry point of ", $protocol, $(", ", $set,)? ".")]
            ///
            /// # Safety
            /// `words` is the address of `length` words of this GPU's memory, which only such kernels use meanwhile.
            #[unsafe(no_mangle)]
            pub unsafe extern "ptx-kernel" fn $entry(
                n: u32,
                sets: u32,
                from: u64,
                to: u64,
                words: *const AtomicU64,
                length: u64,
            ) {
                let instances = SmallInstances::new(n as usize, Rotations::Equal, sets & 1 != 0, sets & 2 != 0);
                let launch = Launch { instances, range: from..to };
                // SAFETY: the caller's promise; all threads treat the words as atomic.
                let tallies = Tallies::new(unsafe { slice::from_raw_parts(words, length as usize) });
                let (thread, threads) = numbers();
                run_thread($rules, &launch, thread, threads, tallies);
            }
        )*
    };
}

ringleader_protocols::each_gpu_election!(entry_points);

/// The number of this thread, and of all.
fn numbers() -> (u64, u64) {
    // SAFETY: these read registers that every thread has.
    let [block, blocks, size, thread] =
        unsafe { [_block_idx_x(), _grid_dim_x(), _block_dim_x(), _thread_idx_x()] }.map(|number| number as u64);
    (block * size + thread, blocks * size)
}

/// There is no memory to be had: no run of a kernel allocates any.
struct NoMemory;

// SAFETY: it never allocates, so that it cannot break a promise about what it has allocated.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoMemory = NoMemory;

/// A launch that panics fails, which the program reports.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: it ends the launch.
    unsafe { trap() }
}
