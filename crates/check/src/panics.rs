//! Panics in the step of a protocol: caught, they violate a property instead of ending the program.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use ringleader_model::BadSetting;

use crate::interner::{Interned, Interner, ValueTable};

/// The property that is violated by a step that panics: a failed assertion, an overflow, a port that does not exist.
pub const NO_PANIC: &str = "no step panics";

thread_local! {
    /// The panic of this thread, while it is in [`catch_panic`]: empty as long as there is none.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls a function. If it panics: the message of the panic and where it was raised; nothing is printed.
///
/// What the function has changed before it panicked stays changed.
///
/// # Errors
/// If it panics.
///
/// ```
/// use ringleader_check::catch_panic;
///
/// assert_eq!(catch_panic(|| 7), Ok(7));
/// let panicked = catch_panic(|| panic!("no token")).unwrap_err();
/// assert!(panicked.starts_with("no token (") && panicked.contains(".rs:"));
/// ```
pub fn catch_panic<T>(function: impl FnOnce() -> T) -> Result<T, String> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !note(info) {
                previous(info);
            }
        }));
    });
    let outer = CAUGHT.replace(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(function));
    let caught = CAUGHT.replace(outer).unwrap_or_default();
    result.map_err(|_| caught)
}

/// Keeps the message of a panic where it will be caught; false elsewhere.
fn note(info: &PanicHookInfo<'_>) -> bool {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let location = info.location().map(|location| format!(" ({location})"));
    CAUGHT.with_borrow_mut(|caught| match caught {
        Some(caught) => {
            *caught = format!("{}{}", message.unwrap_or("a panic"), location.unwrap_or_default());
            true
        }
        None => false,
    })
}

/// The panics of a program and its copies, interned, in words.
#[derive(Clone)]
pub(crate) struct StepPanics(Interner<String>);

impl StepPanics {
    pub(crate) fn new() -> Self {
        Self(Interner::new())
    }

    /// Remembers a panic.
    pub(crate) fn note(&mut self, panic: String) -> Interned {
        self.0.intern(panic)
    }

    pub(crate) fn text(&mut self, number: Interned) -> &str {
        self.0.get(number)
    }

    /// As a checkpoint keeps them.
    pub(crate) fn values(&self) -> &dyn ValueTable {
        &self.0
    }

    /// Whether no step has panicked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses a protocol a step of which has panicked, where that is not judged as a property.
    pub(crate) fn refuse(&mut self, field: &'static str) -> Result<(), BadSetting> {
        if self.is_empty() {
            return Ok(());
        }
        let wrong = format!("is for a protocol that panics: a processor {}", self.text(0));
        Err(BadSetting::new(field, wrong, "a protocol whose steps do not panic"))
    }
}
