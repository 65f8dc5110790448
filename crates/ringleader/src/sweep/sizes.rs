//! Numbers of processors to go through: `8`, `4,8,16`, `2..12`, `2^4..2^20`.

use ringleader_model::{BadText, Scenario, integer};

/// One item of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SizeItem {
    /// Every integer from one to another.
    Integers(u64, u64),
    /// Every power of a base from one exponent to another.
    Powers { base: u64, from: u32, to: u32 },
}

const ALLOWED: &str = "a number, a list 4,8,16, a range 2..12, or powers 2^4..2^20";

/// The numbers that a text means, in its order. More than `most` of them are refused, with their number.
pub fn sizes(text: &str, most: u64) -> Result<Vec<u64>, BadText> {
    let items = text.split([',', ' ']).filter(|item| !item.is_empty()).map(item).collect::<Result<Vec<_>, _>>()?;
    let count = items.iter().map(|item| item.count()).fold(0, u64::saturating_add);
    if count == 0 {
        return Err(BadText::new(format!("is '{text}'"), ALLOWED));
    }
    if count > most {
        return Err(BadText::new(format!("has {count} values"), format!("at most {most}")));
    }
    Ok(items.iter().flat_map(|item| item.numbers()).collect())
}

/// A text that means these numbers; many of them are written as a range or as powers of two, where they are one.
pub fn concise(numbers: &[String]) -> String {
    let all = numbers.join(",");
    let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return all };
    let mut texts = vec![format!("{first}..{last}")];
    if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>())
        && first > 0
        && last > 0
    {
        texts.push(format!("2^{}..2^{}", first.ilog2(), last.ilog2()));
    }
    let same = |text: &String| {
        let meant = sizes(text, numbers.len() as u64).unwrap_or_default();
        meant.iter().map(u64::to_string).eq(numbers.iter().cloned())
    };
    texts.into_iter().filter(|_| numbers.len() > FEW).find(same).unwrap_or(all)
}

/// As many numbers as are easily read one by one.
const FEW: usize = 4;

fn item(text: &str) -> Result<SizeItem, BadText> {
    let bad = || BadText::new(format!("has '{text}'"), ALLOWED);
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let found = match (power(first)?, power(last)?) {
        ((base, Some(from)), (other, Some(to))) if base == other => SizeItem::Powers { base, from, to },
        ((_, None), (_, None)) => SizeItem::Integers(number(first)?, number(last)?),
        _ => return Err(bad()),
    };
    let orderly = match found {
        SizeItem::Integers(first, last) => first <= last,
        SizeItem::Powers { from, to, .. } => from <= to,
    };
    let most = Scenario::MOST as u64;
    match found.greatest() {
        Some(greatest) if orderly && found.least() >= 1 && greatest <= most => Ok(found),
        _ if orderly => Err(BadText::new(format!("has '{text}'"), format!("numbers from 1 to {most}"))),
        _ => Err(bad()),
    }
}

fn number(text: &str) -> Result<u64, BadText> {
    integer(text, 1, Scenario::MOST as u64)
}

/// `BASE^EXPONENT`, or a number.
fn power(text: &str) -> Result<(u64, Option<u32>), BadText> {
    match text.split_once('^') {
        None => number(text).map(|number| (number, None)),
        Some((base, exponent)) => {
            let exponent = u32::try_from(number(exponent)?).unwrap_or(u32::MAX);
            Ok((number(base)?, Some(exponent)))
        }
    }
}

impl SizeItem {
    const fn count(self) -> u64 {
        match self {
            Self::Integers(first, last) => last - first + 1,
            Self::Powers { from, to, .. } => (to - from) as u64 + 1,
        }
    }

    fn least(self) -> u64 {
        match self {
            Self::Integers(first, _) => first,
            Self::Powers { base, from, .. } => base.saturating_pow(from),
        }
    }

    fn greatest(self) -> Option<u64> {
        match self {
            Self::Integers(_, last) => Some(last),
            Self::Powers { base, to, .. } => base.checked_pow(to),
        }
    }

    fn numbers(self) -> Vec<u64> {
        match self {
            Self::Integers(first, last) => (first..=last).collect(),
            Self::Powers { base, from, to } => (from..=to).map(|exponent| base.saturating_pow(exponent)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_ranges_and_powers() {
        let of = |text| sizes(text, 100);
        assert_eq!(of("8"), Ok(vec![8]));
        assert_eq!(of("4,8, 1_6 1e2"), Ok(vec![4, 8, 16, 100]));
        assert_eq!(of("2..5"), Ok(vec![2, 3, 4, 5]));
        assert_eq!(of("2^2..2^5"), Ok(vec![4, 8, 16, 32]));
        assert_eq!(of("10^0..10^2,7"), Ok(vec![1, 10, 100, 7]));
        assert_eq!(of("2^4"), Ok(vec![16]));
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        let again = |text: &str| concise(&sizes(text, 100).unwrap().iter().map(u64::to_string).collect::<Vec<_>>());
        for text in ["8", "4,8,16", "2..12", "2^4..2^20", "3,1,4,1,5", "2,3,4,5,7"] {
            assert_eq!(again(text), text);
        }
        assert_eq!((again("1,2,3,4,5"), again("1,2,4,8,16")), ("1..5".to_string(), "2^0..2^4".to_string()));
        assert_eq!(concise(&[]), "");
    }

    #[test]
    fn what_is_none_is_refused_and_so_is_too_much() {
        let bad = |text| sizes(text, 100).expect_err(text).wrong;
        for text in ["", "x", "5..2", "2^5..2^2", "2^2..3^5", "2..2^5", "0", "0..3", "2^99", "1..", "^3", "2^"] {
            bad(text);
        }
        assert_eq!(bad("1..1000"), "has 1000 values");
        assert!(bad("1..99999999999").contains("1..99999999999"));
    }
}
