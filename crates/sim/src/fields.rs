//! The fields of a serializable state, as flat pairs of name and text, and their changes between two states.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Serializer};

/// A field of a processor's state that a step changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FieldChange {
    /// The name of the field; of a nested one, with dots.
    pub field: String,
    /// Its value before; nothing if there was no such field.
    pub before: Option<String>,
    /// Its value after; nothing if there is no such field any more.
    pub after: Option<String>,
}

/// The fields of a state, in the order of declaration. Nested structures are flattened; other values are texts.
pub(crate) fn state_fields(state: &impl Serialize) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let value = state.serialize(ValueSerializer).expect("a state serializes without errors");
    value.flatten("", &mut fields);
    fields
}

/// The differences between two lists of fields.
pub(crate) fn field_changes(before: Vec<(String, String)>, after: Vec<(String, String)>) -> Vec<FieldChange> {
    let mut before: Vec<_> = before.into_iter().map(|(field, value)| (field, Some(value))).collect();
    let mut changes = Vec::new();
    for (field, value) in after {
        let old = before.iter_mut().find(|(other, old)| *other == field && old.is_some());
        let old = old.and_then(|(_, old)| old.take());
        if old.as_ref() != Some(&value) {
            changes.push(FieldChange { field, before: old, after: Some(value) });
        }
    }
    let gone = before.into_iter().filter(|(_, old)| old.is_some());
    changes.extend(gone.map(|(field, before)| FieldChange { field, before, after: None }));
    changes
}

/// A serialized value.
enum FieldValue {
    /// Anything but a structure.
    Text(String),
    /// A structure, or a variant that has named fields.
    Structure { variant: Option<&'static str>, fields: Vec<(&'static str, FieldValue)> },
}

impl FieldValue {
    fn flatten(self, path: &str, into: &mut Vec<(String, String)>) {
        let named = if path.is_empty() { "state" } else { path };
        match self {
            Self::Text(text) => into.push((named.to_string(), text)),
            Self::Structure { variant, fields } => {
                if let Some(variant) = variant {
                    into.push((named.to_string(), variant.to_string()));
                }
                for (name, value) in fields {
                    let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    value.flatten(&path, into);
                }
            }
        }
    }
}

impl Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Structure { variant, fields } => {
                f.write_str(variant.unwrap_or(""))?;
                f.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{name}: {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A state that refuses to be serialized.
#[derive(Debug)]
struct Refused(String);

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

struct ValueSerializer;

type Serialized = Result<FieldValue, Refused>;

/// Serializes scalars by their `Display`.
macro_rules! scalars {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Serialized {
            Ok(FieldValue::Text(value.to_string()))
        })*
    };
}

impl Serializer for ValueSerializer {
    type Ok = FieldValue;
    type Error = Refused;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = Elements;
    type SerializeStruct = NamedFields;
    type SerializeStructVariant = NamedFields;

    scalars! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str
    }

    #[expect(clippy::disallowed_types, reason = "every serializer must have it")]
    fn serialize_f32(self, _: f32) -> Serialized {
        Err(Refused("a state has no floating point".to_string()))
    }

    #[expect(clippy::disallowed_types, reason = "every serializer must have it")]
    fn serialize_f64(self, _: f64) -> Serialized {
        Err(Refused("a state has no floating point".to_string()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Serialized {
        Ok(FieldValue::Text(format!("{value:?}")))
    }

    fn serialize_none(self) -> Serialized {
        Ok(FieldValue::Text("none".to_string()))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Serialized {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Serialized {
        Ok(FieldValue::Text("()".to_string()))
    }

    fn serialize_unit_struct(self, name: &'static str) -> Serialized {
        Ok(FieldValue::Text(name.to_string()))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Serialized {
        Ok(FieldValue::Text(variant.to_string()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Serialized {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Serialized {
        Ok(FieldValue::Text(format!("{variant}({})", value.serialize(self)?)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements, Refused> {
        Ok(Elements::new("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements, Refused> {
        Ok(Elements::new("(", ")"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements, Refused> {
        Ok(Elements::new("(", ")"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements, Refused> {
        Ok(Elements::new(&format!("{variant}("), ")"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Elements, Refused> {
        Ok(Elements::new("{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<NamedFields, Refused> {
        Ok(NamedFields { variant: None, fields: Vec::new() })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<NamedFields, Refused> {
        Ok(NamedFields { variant: Some(variant), fields: Vec::new() })
    }
}

/// The elements of a sequence, tuple or map, as a text.
struct Elements {
    text: String,
    close: &'static str,
    /// The text before the next element.
    separator: &'static str,
}

impl Elements {
    fn new(open: &str, close: &'static str) -> Self {
        Self { text: open.to_string(), close, separator: "" }
    }

    fn add(&mut self, value: &(impl Serialize + ?Sized), then: &'static str) -> Result<(), Refused> {
        self.text.push_str(self.separator);
        self.text.push_str(&value.serialize(ValueSerializer)?.to_string());
        self.separator = then;
        Ok(())
    }

    fn finish(mut self) -> Serialized {
        self.text.push_str(self.close);
        Ok(FieldValue::Text(self.text))
    }
}

/// Implements the traits for compound values of unnamed elements.
macro_rules! elements {
    ($($trait:ident: $method:ident),*) => {
        $(impl ser::$trait for Elements {
            type Ok = FieldValue;
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
                self.add(value, ", ")
            }

            fn end(self) -> Serialized {
                self.finish()
            }
        })*
    };
}

elements!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

impl ser::SerializeMap for Elements {
    type Ok = FieldValue;
    type Error = Refused;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.add(key, ": ")
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.add(value, ", ")
    }

    fn end(self) -> Serialized {
        self.finish()
    }
}

/// The fields of a structure.
struct NamedFields {
    variant: Option<&'static str>,
    fields: Vec<(&'static str, FieldValue)>,
}

/// Implements the traits for structures.
macro_rules! named_fields {
    ($($trait:ident),*) => {
        $(impl ser::$trait for NamedFields {
            type Ok = FieldValue;
            type Error = Refused;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Refused> {
                self.fields.push((name, value.serialize(ValueSerializer)?));
                Ok(())
            }

            fn end(self) -> Serialized {
                Ok(FieldValue::Structure { variant: self.variant, fields: self.fields })
            }
        })*
    };
}

named_fields!(SerializeStruct, SerializeStructVariant);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use alloc::vec;

    #[derive(Serialize)]
    struct Site {
        id: u64,
        leader: Option<u64>,
        region: SiteRegion,
        waiting: Vec<(u32, bool)>,
        by_port: BTreeMap<u8, SiteRegion>,
        inner: Inner,
    }

    #[derive(Serialize)]
    struct Inner {
        level: u128,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    enum SiteRegion {
        Remainder,
        Trying { since: u64 },
        Inside(u8),
    }

    fn site() -> Site {
        Site {
            id: 7,
            leader: None,
            region: SiteRegion::Remainder,
            waiting: vec![(1, true), (2, false)],
            by_port: BTreeMap::from([(0, SiteRegion::Trying { since: 1 }), (1, SiteRegion::Inside(3))]),
            inner: Inner { level: u128::MAX },
        }
    }

    #[test]
    fn nested_structures_are_flattened_and_all_else_is_text() {
        let fields = state_fields(&site());
        let fields: Vec<_> = fields.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect();
        let expected = [
            ("id", "7"),
            ("leader", "none"),
            ("region", "remainder"),
            ("waiting", "[(1, true), (2, false)]"),
            ("by_port", "{0: trying{since: 1}, 1: inside(3)}"),
            ("inner.level", "340282366920938463463374607431768211455"),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn changes_name_the_fields_that_differ_come_or_go() {
        let change = |field: &str, before: Option<&str>, after: Option<&str>| FieldChange {
            field: field.to_string(),
            before: before.map(ToString::to_string),
            after: after.map(ToString::to_string),
        };
        let (before, mut after) = (state_fields(&site()), site());
        after.leader = Some(9);
        after.region = SiteRegion::Trying { since: 4 };
        let after = state_fields(&after);
        let there = [
            change("leader", Some("none"), Some("9")),
            change("region", Some("remainder"), Some("trying")),
            change("region.since", None, Some("4")),
        ];
        assert_eq!(field_changes(before.clone(), after.clone()), there);
        assert_eq!(field_changes(after, before)[2], change("region.since", Some("4"), None));
    }

    #[test]
    fn a_state_that_is_no_structure_is_one_field() {
        assert_eq!(state_fields(&SiteRegion::Remainder), [("state".to_string(), "remainder".to_string())]);
    }
}
