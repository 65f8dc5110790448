//! The fields of a serializable state, written for people, and their changes between two states.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use serde::Serialize;
use serde::ser::{self, Serializer};

/// A field of a processor's state that a step changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FieldChange {
    /// The name of the field; of a nested one, with dots, and of an element of a list, with its index in brackets.
    pub field: String,
    /// Its value before, for people.
    pub before: String,
    /// Its value after.
    pub after: String,
}

/// The fields of a state, for people: `(id: 3, sent: no)`.
pub fn described(state: &impl Serialize) -> String {
    FieldValue::of(state).to_string()
}

/// A state, or a part of it, with the names of its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FieldValue {
    /// A value without parts.
    Text(String),
    /// A list or tuple.
    List(Vec<FieldValue>),
    /// A structure, or a variant with named fields.
    Structure { variant: Option<&'static str>, fields: Vec<(&'static str, FieldValue)> },
}

impl FieldValue {
    pub(crate) fn of(state: &impl Serialize) -> Self {
        state.serialize(ValueSerializer).expect("a state serializes without errors")
    }

    /// The changes from this state to the one after it, in the order of declaration.
    pub(crate) fn changes(&self, after: &Self) -> Vec<FieldChange> {
        let mut changes = Vec::new();
        self.list_changes("", after, &mut changes);
        changes
    }

    /// The fields and their values, in the order of declaration. Nested structures are listed field by field.
    pub(crate) fn leaves(&self) -> Vec<(String, String)> {
        let mut leaves = Vec::new();
        self.list_leaves("", &mut leaves);
        leaves
    }

    fn list_leaves(&self, name: &str, leaves: &mut Vec<(String, String)>) {
        let named = if name.is_empty() { "state" } else { name };
        match self {
            Self::Structure { variant, fields } => {
                leaves.extend(variant.map(|variant| (named.to_string(), variant.to_string())));
                for (field, value) in fields {
                    let field = if name.is_empty() { (*field).to_string() } else { format!("{name}.{field}") };
                    value.list_leaves(&field, leaves);
                }
            }
            other => leaves.push((named.to_string(), other.to_string())),
        }
    }

    /// Lists the changes of the field of this name. Structures are compared field by field, lists of equal length
    /// element by element.
    fn list_changes(&self, name: &str, after: &Self, changes: &mut Vec<FieldChange>) {
        match (self, after) {
            _ if self == after => {}
            (Self::List(before), Self::List(after)) if before.len() == after.len() => {
                for (index, (before, after)) in before.iter().zip(after).enumerate() {
                    before.list_changes(&format!("{name}[{index}]"), after, changes);
                }
            }
            (
                Self::Structure { variant: before_variant, fields: before },
                Self::Structure { variant: after_variant, fields: after },
            ) if before_variant == after_variant => {
                for ((field, before), (_, after)) in before.iter().zip(after) {
                    let field = if name.is_empty() { (*field).to_string() } else { format!("{name}.{field}") };
                    before.list_changes(&field, after, changes);
                }
            }
            (before, after) => {
                let field = if name.is_empty() { "state" } else { name }.to_string();
                changes.push(FieldChange { field, before: before.to_string(), after: after.to_string() });
            }
        }
    }
}

impl Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = |index| if index == 0 { "" } else { ", " };
        match self {
            Self::Text(text) => f.write_str(text),
            Self::List(elements) => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", separator(index))?;
                }
                f.write_str("]")
            }
            Self::Structure { variant, fields } => {
                if let Some(variant) = variant {
                    write!(f, "{variant} ")?;
                }
                f.write_str("(")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {value}", separator(index))?;
                }
                f.write_str(")")
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
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str
    }

    fn serialize_bool(self, value: bool) -> Serialized {
        Ok(FieldValue::Text(if value { "yes" } else { "no" }.to_string()))
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
        value.serialize(self)
    }

    fn serialize_none(self) -> Serialized {
        Ok(FieldValue::Text("none".to_string()))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Serialized {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Serialized {
        self.serialize_none()
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
        Ok(FieldValue::Text(format!("{variant} {}", value.serialize(self)?)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements, Refused> {
        Ok(Elements::default())
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements, Refused> {
        Ok(Elements::default())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements, Refused> {
        Ok(Elements::default())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements, Refused> {
        Ok(Elements { variant: Some(variant), ..Elements::default() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Elements, Refused> {
        Ok(Elements::default())
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

/// The elements of a sequence, tuple or map.
#[derive(Default)]
struct Elements {
    variant: Option<&'static str>,
    elements: Vec<FieldValue>,
    /// The key of a map's next value.
    key: Option<FieldValue>,
}

impl Elements {
    fn add(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Refused> {
        let value = value.serialize(ValueSerializer)?;
        self.elements.push(match self.key.take() {
            Some(key) => FieldValue::Text(format!("{key}: {value}")),
            None => value,
        });
        Ok(())
    }

    fn finish(self) -> Serialized {
        let list = FieldValue::List(self.elements);
        Ok(match self.variant {
            Some(variant) => FieldValue::Text(format!("{variant} {list}")),
            None => list,
        })
    }
}

/// Implements the traits for compound values of unnamed elements.
macro_rules! elements {
    ($($trait:ident: $method:ident),*) => {
        $(impl ser::$trait for Elements {
            type Ok = FieldValue;
            type Error = Refused;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
                self.add(value)
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
        self.key = Some(key.serialize(ValueSerializer)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.add(value)
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
        held: [Option<Inner>; 2],
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
            held: [None, Some(Inner { level: 2 })],
        }
    }

    #[test]
    fn values_are_written_for_people() {
        let expected = "(id: 7, leader: none, region: remainder, waiting: [[1, yes], [2, no]], by_port: [0: trying \
                        (since: 1), 1: inside 3], inner: (level: 340282366920938463463374607431768211455), held: [none, \
                        (level: 2)])";
        assert_eq!(FieldValue::of(&site()).to_string(), expected);
    }

    #[test]
    fn fields_are_listed_with_those_of_nested_structures() {
        let site = Site { region: SiteRegion::Trying { since: 4 }, ..site() };
        let leaves = FieldValue::of(&site).leaves();
        let leaves: Vec<_> = leaves.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let nested = [("region", "trying"), ("region.since", "4"), ("waiting", "[[1, yes], [2, no]]")];
        assert_eq!(leaves[..2], [("id", "7"), ("leader", "none")]);
        assert_eq!(leaves[2..5], nested);
        assert_eq!(
            leaves[6..],
            [("inner.level", "340282366920938463463374607431768211455"), ("held", "[none, (level: 2)]")]
        );
        let alone = FieldValue::of(&SiteRegion::Inside(3)).leaves();
        assert_eq!(alone, [("state".to_string(), "inside 3".to_string())]);
    }

    fn change(field: &str, before: &str, after: &str) -> FieldChange {
        FieldChange { field: field.to_string(), before: before.to_string(), after: after.to_string() }
    }

    fn changes(before: &Site, after: &Site) -> Vec<FieldChange> {
        FieldValue::of(before).changes(&FieldValue::of(after))
    }

    #[test]
    fn changes_name_the_fields_that_differ() {
        let trying = |since| Site { region: SiteRegion::Trying { since }, ..site() };
        assert_eq!(changes(&site(), &trying(4)), [change("region", "remainder", "trying (since: 4)")]);
        assert_eq!(changes(&trying(4), &trying(5)), [change("region.since", "4", "5")]);
        let after = Site { leader: Some(9), inner: Inner { level: 3 }, ..site() };
        let level = change("inner.level", "340282366920938463463374607431768211455", "3");
        assert_eq!(changes(&site(), &after), [change("leader", "none", "9"), level]);
        assert_eq!(changes(&site(), &site()), []);
    }

    #[test]
    fn lists_of_equal_length_are_compared_element_by_element() {
        let after = Site { waiting: vec![(1, true), (2, true)], ..site() };
        assert_eq!(changes(&site(), &after), [change("waiting[1][1]", "no", "yes")]);
        let shorter = Site { waiting: vec![(2, false)], ..site() };
        assert_eq!(changes(&site(), &shorter), [change("waiting", "[[1, yes], [2, no]]", "[[2, no]]")]);
        let held = |held| Site { held, ..site() };
        let moved = [change("held[0]", "none", "(level: 2)"), change("held[1]", "(level: 2)", "none")];
        assert_eq!(changes(&site(), &held([Some(Inner { level: 2 }), None])), moved);
        let raised = [change("held[1].level", "2", "3")];
        assert_eq!(changes(&site(), &held([None, Some(Inner { level: 3 })])), raised);
    }

    #[test]
    fn a_state_that_is_no_structure_is_one_field() {
        let [before, after] = [SiteRegion::Remainder, SiteRegion::Inside(3)].map(|state| FieldValue::of(&state));
        assert_eq!(before.changes(&after), [change("state", "remainder", "inside 3")]);
    }
}
