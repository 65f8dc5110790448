//! `#[derive(Message)]` writes what every message type of a protocol needs: the implementation of
//! `ringleader_model::Message`, and `Display` for people. `#[derive(Display)]` writes the latter alone, for timers,
//! requests and reports.
//!
//! | where | attribute | meaning |
//! |---|---|---|
//! | type | `#[message(tags = 3)]` | number of kinds that the tag tells apart (all of them, if not given) |
//! | type | `#[message(bits = "path")]` | `path(&self) -> u64` is the length of a message |
//! | type | `#[message(kind = "path")]` | `path(&self) -> usize` is the kind of a message |
//! | type | `#[message(crate = "path")]` | where `ringleader_model` is found |
//! | type or variant | `#[message(name = "text")]` | the kind's name (the variant in kebab case, if not given) |
//! | type or variant | `#[message(announcement)]`, `#[message(task)]` | the part of a run (work, if not given) |
//! | field | `#[message(name = "text")]` | the field's name in `Display` |
//! | field | `#[message(round)]` | a round number, which `rebase` decreases |
//! | field | `#[message(phase)]` | a phase number, by which links may tell messages apart (`--links half-phase`) |
//! | field | `#[message(optional)]` | 0 stands for absent: neither counted nor shown |

mod attributes;
mod expand;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input, parse_quote};

/// Implements `Message` and `Display` for a struct or an enum; see the [crate](self) for its attributes.
#[proc_macro_derive(Message, attributes(message))]
pub fn message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::message(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// [`Message`](macro@Message) for a crate that depends on `ringleader` and not on `ringleader_model`:
/// `ringleader::prelude` has it under that name.
#[proc_macro_derive(LibraryMessage, attributes(message))]
pub fn library_message(input: TokenStream) -> TokenStream {
    let mut input = parse_macro_input!(input as DeriveInput);
    input.attrs.push(parse_quote!(#[message(crate = "::ringleader::model")]));
    expand::message(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Implements `Display` for a struct or an enum as [`derive(Message)`](macro@Message) does: its name in kebab case,
/// then its fields.
#[proc_macro_derive(Display, attributes(message))]
pub fn display(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::display(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
