//! JSON schemas of types of the model, which knows nothing of schemas.
#![expect(dead_code, reason = "schemas, never values")]

use alloc::string::String;

use schemars::JsonSchema;

/// A comparison that decided a step.
#[derive(JsonSchema)]
#[schemars(rename = "Comparison")]
pub(crate) struct ComparisonSchema {
    /// The left operand.
    left: OperandSchema,
    /// The left operand is less than, equal to or greater than the right one.
    ordering: OrderingSchema,
    /// The right operand.
    right: OperandSchema,
}

/// A number, or a pair of numbers that is ordered lexicographically.
#[derive(JsonSchema)]
#[schemars(rename = "Operand", untagged)]
enum OperandSchema {
    Number(u64),
    Pair(u64, u64),
}

#[derive(JsonSchema)]
#[schemars(rename = "Ordering", rename_all = "kebab-case", inline)]
enum OrderingSchema {
    Less,
    Equal,
    Greater,
}

/// The name of a milestone; its figures stand beside it.
#[derive(JsonSchema)]
pub(crate) struct MilestoneSchema {
    /// The meaning of the report, such as elected, follows, requested, entered or left, where it has one; its figures
    /// (id, negatives, write) stand beside it.
    milestone: Option<String>,
}
