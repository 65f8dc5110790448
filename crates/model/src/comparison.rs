use core::cmp::Ordering;
use core::fmt::{self, Display};

use serde::{Serialize, Serializer};

use crate::Id;

/// A comparison that decides a step: an identity, level, round or number against another.
///
/// ```
/// use ringleader_model::{StepComparison, Id};
///
/// assert_eq!(StepComparison::new(Id::new(3), Id::new(4)).to_string(), "3 < 4");
/// // Pairs are compared lexicographically: (level, id).
/// assert_eq!(StepComparison::new((2u32, Id::new(7)), (1u32, Id::new(9))).to_string(), "(2, 7) > (1, 9)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct StepComparison {
    /// The left operand.
    pub left: Operand,
    /// The left operand is less than, equal to or greater than the right one.
    #[serde(serialize_with = "by_name")]
    pub ordering: Ordering,
    /// The right operand.
    pub right: Operand,
}

impl StepComparison {
    /// Compares two operands.
    #[inline]
    pub fn new(left: impl Into<Operand>, right: impl Into<Operand>) -> Self {
        let (left, right) = (left.into(), right.into());
        Self { left, ordering: left.cmp(&right), right }
    }
}

impl Display for StepComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.ordering {
            Ordering::Less => '<',
            Ordering::Equal => '=',
            Ordering::Greater => '>',
        };
        write!(f, "{} {sign} {}", self.left, self.right)
    }
}

fn by_name<S: Serializer>(ordering: &Ordering, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match ordering {
        Ordering::Less => "less",
        Ordering::Equal => "equal",
        Ordering::Greater => "greater",
    })
}

/// An operand of a [`StepComparison`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(untagged)]
pub enum Operand {
    /// A number.
    Number(u64),
    /// A pair of numbers, ordered lexicographically.
    Pair(u64, u64),
}

impl Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Pair(first, second) => write!(f, "({first}, {second})"),
        }
    }
}

impl From<Id> for u64 {
    #[inline]
    fn from(id: Id) -> Self {
        id.get()
    }
}

/// Implements the conversions of numbers.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Operand {
            #[inline]
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        })*
    };
}

numbers!(Id, u8, u16, u32, u64);

impl<A: Into<u64>, B: Into<u64>> From<(A, B)> for Operand {
    #[inline]
    fn from((first, second): (A, B)) -> Self {
        Self::Pair(first.into(), second.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn pairs_are_compared_by_their_first_numbers_and_then_by_their_second() {
        let texts = [((1u8, 9u8), (2u8, 3u8)), ((2, 3), (2, 3)), ((2, 4), (2, 3))]
            .map(|(left, right)| StepComparison::new(left, right).to_string());
        assert_eq!(texts, ["(1, 9) < (2, 3)", "(2, 3) = (2, 3)", "(2, 4) > (2, 3)"]);
    }

    #[test]
    fn the_ordering_is_serialised_by_name_and_operands_as_numbers() {
        let json = |comparison: StepComparison| serde_json::to_string(&comparison).expect("a comparison is plain data");
        assert_eq!(json(StepComparison::new(3u64, 4u64)), r#"{"left":3,"ordering":"less","right":4}"#);
        assert_eq!(
            json(StepComparison::new((2u32, 7u64), (1u32, 9u64))),
            r#"{"left":[2,7],"ordering":"greater","right":[1,9]}"#
        );
        assert_eq!(json(StepComparison::new(Id::new(5), Id::new(5))), r#"{"left":5,"ordering":"equal","right":5}"#);
    }
}
