//! The functions that the page calls. This is the only unsafe code of the crate, and all of it is in attributes and in a
//! declaration: names that are exported must not be those of other symbols, and what is imported must be as it is declared. No
//! pointer is followed here: a request is written into a buffer that this module owns, and an answer stays in another one.
#![allow(unsafe_code, reason = "exported names and an imported function are unsafe to declare")]

use std::cell::RefCell;

use crate::Lab;

/// A request is at most this long: the trace of a long run.
const MOST_REQUEST: usize = 64 << 20;

#[link(wasm_import_module = "lab")]
unsafe extern "C" {
    /// Seconds since some moment.
    safe fn now() -> f64;
}

/// All that lives as long as the module.
struct Module {
    lab: Lab,
    request: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> =
        RefCell::new(Module { lab: Lab::new(|| now()), request: Vec::new(), answer: Vec::new() });
}

impl Module {
    /// Keeps an answer with its length before it, and returns where it lies.
    fn keep(&mut self, bytes: &[u8]) -> *const u8 {
        self.answer.clear();
        self.answer.extend((bytes.len() as u32).to_le_bytes());
        self.answer.extend(bytes);
        self.answer.as_ptr()
    }
}

/// Where the next request of this length is written to; null if that is too long.
#[unsafe(no_mangle)]
pub extern "C" fn lab_alloc(length: u32) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        if length as usize > MOST_REQUEST {
            return std::ptr::null_mut();
        }
        module.request.clear();
        module.request.resize(length as usize, 0);
        module.request.as_mut_ptr()
    })
}

/// Answers the request that was written: a length of 4 bytes, then JSON.
#[unsafe(no_mangle)]
pub extern "C" fn lab_request(_request: *const u8, length: u32) -> *const u8 {
    MODULE.with_borrow_mut(|module| {
        let request = std::mem::take(&mut module.request);
        let text = String::from_utf8_lossy(&request[..request.len().min(length as usize)]);
        let answer = module.lab.request(&text);
        module.keep(answer.as_bytes())
    })
}

/// The frame of a session: a length of 4 bytes, then bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lab_frame(session: u32) -> *const u8 {
    MODULE.with_borrow_mut(|module| {
        let frame = module.lab.frame(session);
        module.keep(&frame)
    })
}

/// The version of these functions.
#[unsafe(no_mangle)]
pub extern "C" fn lab_version() -> u32 {
    1
}
