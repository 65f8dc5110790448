//! JSON on standard output.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::error::{Error, Exit};
use crate::presentation::Presentation;

/// The version of everything that is printed as JSON. Fields may be added under the same version; a field that is renamed, or
/// changes its meaning, makes a new one.
pub(crate) const VERSION: u32 = 1;

/// The greatest integer that a 64-bit float can be counted up to without a gap.
const FLOAT_INTEGERS: u64 = 1 << 53;

/// An object with the version of its format.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Versioned<T> {
    /// The version of the format: 1. Fields may be added under the same version, never renamed.
    version: u32,
    #[serde(flatten)]
    value: T,
}

impl<T> Versioned<T> {
    const fn new(value: T) -> Self {
        Self { version: VERSION, value }
    }
}

/// Prints an object.
pub(crate) fn print_json(value: &impl Serialize, out: &mut impl Write) -> Result<Exit, Error> {
    print(&Versioned::new(value), out)
}

/// Prints a list of objects, each with its version: a list stays a list.
pub(crate) fn print_rows<T: Serialize>(rows: &[T], out: &mut impl Write) -> Result<Exit, Error> {
    print(&rows.iter().map(Versioned::new).collect::<Vec<_>>(), out)
}

/// Prints JSON as it is.
pub(crate) fn print(value: &impl Serialize, out: &mut impl Write) -> Result<Exit, Error> {
    let formatter =
        BigIntegers { pretty: PrettyFormatter::new(), as_strings: Presentation::settled().big_integers_as_strings };
    write_formatted(value, formatter, out)?;
    writeln!(out)?;
    Ok(Exit::Held)
}

fn write_formatted(value: &impl Serialize, formatter: BigIntegers<'_>, out: &mut impl Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter)).map_err(io::Error::from)
}

/// Formats integers that a 64-bit float cannot hold as strings, if asked to, and everything else prettily.
struct BigIntegers<'a> {
    pretty: PrettyFormatter<'a>,
    as_strings: bool,
}

/// Methods that the pretty formatter has an opinion about.
macro_rules! prettily {
    ($($method:ident($($argument:ident: $type:ty)?);)*) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.pretty.$method(writer $(, $argument)?)
        }
    )*};
}

impl Formatter for BigIntegers<'_> {
    fn write_u64<W: ?Sized + Write>(&mut self, writer: &mut W, integer: u64) -> io::Result<()> {
        if self.as_strings && integer > FLOAT_INTEGERS {
            return write!(writer, "\"{integer}\"");
        }
        self.pretty.write_u64(writer, integer)
    }

    prettily! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn printed(as_strings: bool) -> Value {
        let value = json!({ "ids": [1, 9_007_199_254_740_992u64, 9_007_199_254_740_993u64], "rate": 1e300, "n": -1 });
        let mut text = Vec::new();
        write_formatted(&value, BigIntegers { pretty: PrettyFormatter::new(), as_strings }, &mut text)
            .expect("it is written");
        serde_json::from_slice(&text).expect("it is JSON")
    }

    #[test]
    fn only_what_a_float_cannot_hold_becomes_a_string() {
        let with = |last: Value| json!({ "ids": [1, 9_007_199_254_740_992u64, last], "rate": 1e300, "n": -1 });
        assert_eq!(printed(true), with(json!("9007199254740993")));
        assert_eq!(printed(false), with(json!(9_007_199_254_740_993u64)));
    }
}
