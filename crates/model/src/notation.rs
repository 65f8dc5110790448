//! The notation of the parts of a scenario: `FromStr` and `Display` of each, which are inverse to each other.
//!
//! Integers may be written `1000`, `1_000` or `1e3`, and the items of a list may be separated by spaces as well as
//! commas.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::{
    BadSetting, Clocks, Cut, Delays, Faults, Links, Numbering, Offsets, Orientation, Pause, Place, Ports, Preset,
    Range, Reading, Restart, Scenario, Share, Ties, Time, Timing, Topology, WakeSet, Wakes,
};

/// A text that is no value of its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadText {
    /// The error.
    pub wrong: String,
    /// The allowed values.
    pub allowed: String,
}

impl BadText {
    /// `wrong`; allowed: `allowed`.
    pub fn new(wrong: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { wrong: wrong.into(), allowed: allowed.into() }
    }

    /// The same as the error of a field.
    pub fn of(self, field: &'static str) -> BadSetting {
        BadSetting::new(field, self.wrong, self.allowed)
    }
}

impl fmt::Display for BadText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; allowed: {}", self.wrong, self.allowed)
    }
}

impl core::error::Error for BadText {}

/// A non-negative integer: digits, with `_` between them where one likes, or `1e6`. The limits are for the error's
/// text; a number outside them is judged by whoever knows what it is for.
pub fn integer(text: &str, least: u64, greatest: u64) -> Result<u64, BadText> {
    let text = text.trim();
    let digits = |part: &str| -> Option<u64> {
        let plain = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        let ends = part.starts_with('_') || part.ends_with('_') || part.contains("__");
        (!part.is_empty() && !ends && part.bytes().all(plain)).then(|| part.replace('_', "").parse().ok())?
    };
    let parsed = match text.split_once(['e', 'E']) {
        None => digits(text),
        Some((mantissa, exponent)) => digits(mantissa)
            .zip(digits(exponent))
            .and_then(|(mantissa, exponent)| 10u64.checked_pow(u32::try_from(exponent).ok()?)?.checked_mul(mantissa)),
    };
    parsed.ok_or_else(|| BadText::new(format!("has '{text}'"), format!("integers from {least} to {greatest}")))
}

fn narrow(text: &str) -> Result<u32, BadText> {
    let greatest = u64::from(u32::MAX);
    let bad = || BadText::new(format!("has '{}'", text.trim()), format!("integers from 0 to {greatest}"));
    integer(text, 0, greatest).and_then(|number| u32::try_from(number).map_err(|_| bad()))
}

/// Integers separated by commas.
pub fn integers(text: &str, least: u64, greatest: u64) -> Result<Vec<u64>, BadText> {
    text.split(',').map(|part| integer(part, least, greatest)).collect()
}

/// `PLACE@TIME`.
pub fn place_at(text: &str) -> Result<(Place, Time), BadText> {
    let (place, time) =
        text.split_once('@').ok_or_else(|| BadText::new(format!("has '{}'", text.trim()), "PLACE@TIME"))?;
    Ok((narrow(place)?, integer(time, 0, Scenario::LATEST)?))
}

/// One of a few words.
pub fn word<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, BadText> {
    let text = text.trim();
    all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&one| name(one)).collect();
        BadText::new(format!("is '{text}'"), names.join(", "))
    })
}

/// A word, or `list:` and integers.
fn word_or_list<T: Clone>(
    text: &str,
    named: &[(&'static str, T)],
    list: impl Fn(Vec<u64>) -> T,
    (least, example): (u64, &str),
) -> Result<T, BadText> {
    let text = text.trim();
    if let Some((_, found)) = named.iter().find(|(name, _)| *name == text) {
        return Ok(found.clone());
    }
    let Some(items) = text.strip_prefix("list:") else {
        let names: Vec<_> = named.iter().map(|(name, _)| *name).collect();
        return Err(BadText::new(format!("is '{text}'"), format!("{} or list:{example}", names.join(", "))));
    };
    Ok(list(integers(items, least, Timing::MOST)?))
}

/// Items separated by commas.
struct CommaSeparated<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for CommaSeparated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{item}")?;
        }
        Ok(())
    }
}

/// Words whose name says everything.
macro_rules! words {
    ($($type:ty),*) => {$(
        impl FromStr for $type {
            type Err = BadText;

            fn from_str(text: &str) -> Result<Self, BadText> {
                word(text, &Self::ALL, Self::name)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    )*};
}

words!(Reading, Links, Ties, Preset, Topology);

impl Range {
    /// `A` or `A..B`. The limits are for the error's text, as in [`integer`].
    pub fn parse(text: &str, least: u64, greatest: u64) -> Result<Self, BadText> {
        match text.split_once("..") {
            Some((min, max)) => Ok(Self::new(integer(min, least, greatest)?, integer(max, least, greatest)?)),
            None => integer(text, least, greatest).map(|both| Self::new(both, both)),
        }
    }
}

impl FromStr for Range {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        Self::parse(text, 0, u64::MAX)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max { write!(f, "{}", self.min) } else { write!(f, "{}..{}", self.min, self.max) }
    }
}

impl FromStr for Clocks {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let named = Self::NAMED.map(|clocks| (clocks.name(), clocks));
        word_or_list(text, &named, Self::List, (1, "4,8,12"))
    }
}

impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => write!(f, "list:{}", CommaSeparated(list)),
            named => f.write_str(named.name()),
        }
    }
}

impl FromStr for Delays {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let named = Self::NAMED.map(|delays| (delays.name(), delays));
        word_or_list(text, &named, Self::List, (0, "1,1,1"))
    }
}

impl fmt::Display for Delays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => write!(f, "list:{}", CommaSeparated(list)),
            named => f.write_str(named.name()),
        }
    }
}

impl FromStr for Offsets {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let named = Self::NAMED.map(|offsets| (offsets.name(), offsets));
        word_or_list(text, &named, Self::List, (0, "0,1,2"))
    }
}

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(list) => write!(f, "list:{}", CommaSeparated(list)),
            named => f.write_str(named.name()),
        }
    }
}

impl FromStr for Wakes {
    type Err = BadText;

    /// `all`, or a time for each place and `-` for those that do not wake by themselves.
    fn from_str(text: &str) -> Result<Self, BadText> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let time = |part: &str| match part.trim() {
            "-" => Ok(None),
            time => integer(time, 0, Scenario::LATEST).map(Some),
        };
        text.split(',').map(time).collect::<Result<_, _>>().map(Self::At)
    }
}

impl fmt::Display for Wakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::At(at) = self else { return f.write_str("all") };
        let times: Vec<_> = at.iter().map(|time| time.map_or("-".to_string(), |time| time.to_string())).collect();
        write!(f, "{}", CommaSeparated(&times))
    }
}

impl FromStr for WakeSet {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let text = text.trim();
        match text {
            "all" => return Ok(Self::All),
            "one" => return Ok(Self::One),
            _ => {}
        }
        if let Some(count) = text.strip_prefix("random:") {
            return integer(count, 1, Scenario::MOST as u64).map(Self::Random);
        }
        let bad = |_| BadText::new(format!("is '{text}'"), "all, one, 0,3,5 or random:K");
        integers(text, 0, Scenario::MOST as u64).map(Self::Places).map_err(bad)
    }
}

impl fmt::Display for WakeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::One => f.write_str("one"),
            Self::Places(places) => write!(f, "{}", CommaSeparated(places)),
            Self::Random(count) => write!(f, "random:{count}"),
        }
    }
}

impl FromStr for Orientation {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let text = text.trim();
        let allowed = "same, random or digits like 0110";
        match text {
            "same" => Ok(Self::Same),
            "random" => Ok(Self::Random),
            "" => Err(BadText::new("is empty", allowed)),
            _ => exchanged(text).map(Self::Exchanged).ok_or_else(|| BadText::new(format!("is '{text}'"), allowed)),
        }
    }
}

impl fmt::Display for Orientation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("same"),
            Self::Random => f.write_str("random"),
            Self::Exchanged(places) => f.write_str(&digits(places)),
        }
    }
}

/// Digits that say whose left and right are exchanged; `None` if there are none or others.
pub fn exchanged(text: &str) -> Option<Vec<bool>> {
    let digit = |digit| match digit {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    };
    text.chars().map(digit).collect::<Option<Vec<bool>>>().filter(|digits| !digits.is_empty())
}

/// The processors whose left and right are exchanged, as digits.
pub fn digits(exchanged: &[bool]) -> String {
    exchanged.iter().map(|&exchanged| if exchanged { '1' } else { '0' }).collect()
}

impl FromStr for Numbering {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        match text.trim() {
            "plain" => Ok(Self::Plain),
            "shuffled" => Ok(Self::Shuffled(None)),
            "all" => Ok(Self::All),
            other => match other.strip_prefix("shuffled:") {
                Some(seed) => integer(seed, 0, u64::MAX).map(|seed| Self::Shuffled(Some(seed))),
                None => port_lists(other).map(Self::Listed).ok_or_else(|| {
                    let allowed = "plain, shuffled, or the places to which the ports lead, like 1,2/2,0/0,1";
                    BadText::new(format!("is '{other}'"), allowed)
                }),
            },
        }
    }
}

impl fmt::Display for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain => f.write_str("plain"),
            Self::Shuffled(None) => f.write_str("shuffled"),
            Self::Shuffled(Some(seed)) => write!(f, "shuffled:{seed}"),
            Self::Listed(lists) => {
                for (place, list) in lists.iter().enumerate() {
                    f.write_str(if place > 0 { "/" } else { "" })?;
                    for (port, to) in list.iter().enumerate() {
                        write!(f, "{}{to}", if port > 0 { "," } else { "" })?;
                    }
                }
                Ok(())
            }
            Self::All => f.write_str("all"),
        }
    }
}

/// By place and port, the place to which it leads: `1,2/2,0/0,1`.
fn port_lists(text: &str) -> Option<Vec<Vec<Place>>> {
    let list = |text: &str| text.split(',').map(|place| place.trim().parse().ok()).collect();
    text.split('/').map(list).collect::<Option<Vec<Vec<Place>>>>().filter(|lists| lists.len() > 1)
}

impl FromStr for Ports {
    type Err = BadText;

    /// `plain`, `shuffled:SEED`, `1,2/2,0/0,1` or `all`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        match text.parse()? {
            Numbering::Plain => Ok(Self::Plain),
            Numbering::Shuffled(Some(seed)) => Ok(Self::Shuffled(seed)),
            Numbering::Shuffled(None) => Err(BadText::new("is 'shuffled'", "plain or shuffled:SEED")),
            Numbering::Listed(lists) => Ok(Self::Listed(lists)),
            Numbering::All => Ok(Self::All),
        }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Numbering::from(self.clone()).fmt(f)
    }
}

impl FromStr for Share {
    type Err = BadText;

    /// `P/Q`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let (part, whole) =
            text.split_once('/').ok_or_else(|| BadText::new(format!("has '{}'", text.trim()), "P/Q"))?;
        Self::new(narrow(part)?, narrow(whole)?).map_err(|bad| BadText::new(bad.wrong, bad.allowed))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.whole)
    }
}

impl FromStr for Faults {
    type Err = BadText;

    /// `none`, or faults separated by commas.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let mut faults = Self::default();
        if text.trim() == "none" {
            return Ok(faults);
        }
        for part in text.split(',').map(str::trim) {
            let bad = || {
                let allowed = format!("{}; without clocks {}, each at most once", Self::PLANNED, Self::COUNTED);
                BadText::new(format!("has '{part}'"), allowed)
            };
            let (kind, value) = part.split_once(':').ok_or_else(bad)?;
            let planned = value.contains(if matches!(kind, "loss" | "duplicate") { '/' } else { '@' });
            match kind {
                "crash" if planned => faults.crashes.push(place_at(value)?),
                "restart" if planned => faults.restarts.push(value.parse()?),
                "pause" if planned => faults.pauses.push(value.parse()?),
                "cut" if planned => faults.cuts.push(value.parse()?),
                "loss" if planned => faults.loss = Some(value.parse()?),
                "duplicate" if planned => faults.duplicate = Some(value.parse()?),
                "until" => faults.until = Some(integer(value, 0, Scenario::LATEST)?),
                _ => {
                    let count = faults.at_most.kind_mut(kind).ok_or_else(bad)?;
                    if *count > 0 {
                        return Err(bad());
                    }
                    *count = fault_count(kind, value)?;
                }
            }
        }
        Ok(faults)
    }
}

/// The number of faults of this kind that may happen. The error names the planned form, too.
fn fault_count(kind: &str, text: &str) -> Result<u32, BadText> {
    narrow(text).ok().filter(|&count| count > 0).ok_or_else(|| {
        let forms = Faults::PLANNED.split(", ").filter_map(|form| form.split_once(':'));
        let form = forms.filter(|(named, _)| *named == kind).map(|(_, form)| form).next().unwrap_or_default();
        let counted = format!("in a check and without clocks {kind}:K with K from 1 to {}", u32::MAX);
        BadText::new(format!("has '{kind}:{text}'"), format!("{kind}:{form}; {counted}"))
    })
}

impl FromStr for Restart {
    type Err = BadText;

    /// `PLACE@TIME`, or with the offset of the first tick `PLACE@TIME+OFFSET`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let (start, offset) = text.split_once('+').map_or((text, None), |(start, offset)| (start, Some(offset)));
        let (place, time) = place_at(start)?;
        Ok(Self { place, time, offset: offset.map(|offset| integer(offset, 0, Scenario::LATEST)).transpose()? })
    }
}

impl fmt::Display for Restart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.place, self.time)?;
        self.offset.map_or(Ok(()), |offset| write!(f, "+{offset}"))
    }
}

impl FromStr for Pause {
    type Err = BadText;

    /// `PLACE@TIME+LENGTH`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = || BadText::new(format!("has '{}'", text.trim()), "PLACE@TIME+LENGTH");
        let (start, length) = text.split_once('+').ok_or_else(bad)?;
        let (place, from) = place_at(start)?;
        Ok(Self { place, from, length: integer(length, 1, Scenario::LATEST)? })
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}+{}", self.place, self.from, self.length)
    }
}

impl FromStr for Cut {
    type Err = BadText;

    /// `PLACE-PLACE@TIME..TIME`.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = || BadText::new(format!("has '{}'", text.trim()), "PLACE-PLACE@TIME..TIME");
        let (ends, times) = text.split_once('@').ok_or_else(bad)?;
        let (one, other) = ends.split_once('-').ok_or_else(bad)?;
        let (from, to) = times.split_once("..").ok_or_else(bad)?;
        let time = |text| integer(text, 0, Scenario::LATEST);
        Ok(Self { ends: (narrow(one)?, narrow(other)?), from: time(from)?, to: time(to)? })
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}@{}..{}", self.ends.0, self.ends.1, self.from, self.to)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = self.crashes.iter().map(|(place, time)| format!("crash:{place}@{time}")).collect();
        parts.extend(self.restarts.iter().map(|restart| format!("restart:{restart}")));
        parts.extend(self.pauses.iter().map(|pause| format!("pause:{pause}")));
        parts.extend(self.cuts.iter().map(|cut| format!("cut:{cut}")));
        parts.extend(self.loss.map(|share| format!("loss:{share}")));
        parts.extend(self.duplicate.map(|share| format!("duplicate:{share}")));
        parts.extend(self.until.map(|until| format!("until:{until}")));
        for (kind, count) in self.at_most.kinds() {
            parts.extend((count > 0).then(|| format!("{kind}:{count}")));
        }
        if parts.is_empty() { f.write_str("none") } else { write!(f, "{}", CommaSeparated(&parts)) }
    }
}
