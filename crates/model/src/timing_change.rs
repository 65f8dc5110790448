//! Timing that changes with time: a system that is Archimedean with other ratios from t1 to t2 (Vitányi 1984, section 2).

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::load::flaw_of_times;
use crate::{BadSetting, BadText, Clocks, Delays, Range, Scenario, Time, Timing, integer, word};

/// From this time on, ticks that begin and messages that are sent take times in these ranges.
///
/// What began before ends as it began: a tick lasts, and a message is in flight, as long as was drawn for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimingChange {
    /// From when on.
    pub from: Time,
    /// The length of a processor's tick.
    pub r: Range,
    /// The delay of a message.
    pub d: Range,
}

/// A range, `1..4`, or as it changes with time, `1..4@0,1..9@500`.
///
/// ```
/// use ringleader_model::{ChangingRange, Range};
///
/// let r: ChangingRange = "1..4@0,2..9@500".parse().unwrap();
/// assert_eq!((r.first(), r.hull()), (Range::new(1, 4), Range::new(1, 9)));
/// assert_eq!(r.to_string(), "1..4@0,2..9@500");
/// assert_eq!("1..4".parse(), Ok(ChangingRange::from(Range::new(1, 4))));
/// assert!("1..4@9,2..9@500".parse::<ChangingRange>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangingRange(Vec<(Time, Range)>);

impl From<Range> for ChangingRange {
    fn from(range: Range) -> Self {
        Self(vec![(0, range)])
    }
}

impl ChangingRange {
    /// One that changes at these times, the first of them 0; changes to the same range are none.
    fn of(periods: impl Iterator<Item = (Time, Range)>) -> Self {
        let mut periods: Vec<_> = periods.collect();
        periods.dedup_by_key(|(_, range)| *range);
        Self(periods)
    }

    /// The ranges, each with the time from which on it is in force: 0 for the first.
    pub fn periods(&self) -> &[(Time, Range)] {
        &self.0
    }

    /// Whether it is another range at some time.
    pub fn changes(&self) -> bool {
        self.0.iter().any(|(_, range)| *range != self.first())
    }

    /// The range at time 0.
    pub fn first(&self) -> Range {
        self.0[0].1
    }

    /// The range in force at a time.
    pub fn at(&self, time: Time) -> Range {
        self.0.iter().rfind(|(from, _)| *from <= time).map_or(self.first(), |(_, range)| *range)
    }

    /// The least range around all of them.
    pub fn hull(&self) -> Range {
        let ranges = self.0.iter().map(|(_, range)| *range);
        ranges.reduce(|all, range| Range::new(all.min.min(range.min), all.max.max(range.max))).unwrap_or(self.first())
    }

    /// `A..B`, or `A..B@TIME,A..B@TIME`. The limits are for the error's text, as in [`integer`].
    pub fn parse(text: &str, least: u64, greatest: u64) -> Result<Self, BadText> {
        if !text.contains('@') {
            return Range::parse(text, least, greatest).map(Self::from);
        }
        let bad = |wrong: String| BadText::new(wrong, ALLOWED);
        let period = |part: &str| {
            let (range, from) = part.split_once('@').ok_or_else(|| bad(format!("has '{}'", part.trim())))?;
            let (from, range) = (integer(from, 0, Scenario::LATEST)?, Range::parse(range, least, greatest)?);
            // Later only the range around all of them is known.
            if range.min > range.max || range.min < least || range.max > greatest {
                let allowed = format!("A..B with A from {least} and B to {greatest}, A not above B");
                return Err(BadText::new(format!("has '{}'", part.trim()), allowed));
            }
            Ok((from, range))
        };
        let periods = text.split(',').map(period).collect::<Result<Vec<_>, _>>()?;
        match flaw_of_times(periods.iter().map(|(from, _)| *from)) {
            Some(flaw) => Err(bad(format!("{flaw}: '{}'", text.trim()))),
            None => Ok(Self(periods)),
        }
    }
}

const ALLOWED: &str = "A..B, or A..B@TIME,A..B@TIME,… from time 0 on, in the order of time: 1..4@0,1..9@500";

impl FromStr for ChangingRange {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        Self::parse(text, 0, u64::MAX)
    }
}

impl fmt::Display for ChangingRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(_, only)] = self.0.as_slice() {
            return only.fmt(f);
        }
        for (index, (from, range)) in self.0.iter().enumerate() {
            write!(f, "{}{range}@{from}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Where timing changes: what protocols and bounds take for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Assumed {
    /// All ranges, by the least range around them.
    #[default]
    All,
    /// The ranges in force at time 0, which later ones may exceed.
    First,
}

impl Assumed {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::All, Self::First];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::First => "first",
        }
    }

    fn of(self, range: &ChangingRange) -> Range {
        match self {
            Self::All => range.hull(),
            Self::First => range.first(),
        }
    }
}

impl FromStr for Assumed {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        word(text, &Self::BOTH, Self::name)
    }
}

impl fmt::Display for Assumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// When ticks or delays are outside of what is assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimingExceeded {
    /// From when on.
    pub from: Time,
    /// From when on they are within it for good, what began before included; `None` if they never are.
    pub until: Option<Time>,
}

impl Timing {
    /// The same with ticks and delays in these ranges.
    pub fn with_ranges(self, r: &ChangingRange, d: &ChangingRange, assumed: Assumed) -> Self {
        let mut times: Vec<Time> = r.periods().iter().chain(d.periods()).map(|(from, _)| *from).collect();
        times.sort_unstable();
        let mut changes: Vec<_> =
            times.into_iter().map(|from| TimingChange { from, r: r.at(from), d: d.at(from) }).collect();
        changes.dedup_by_key(|change| (change.r, change.d));
        if changes.len() == 1 {
            changes.clear();
        }
        Self { r: assumed.of(r), d: assumed.of(d), changes, ..self }
    }

    /// Sets what is assumed of ranges that change.
    pub fn assume(&mut self, assumed: Assumed) {
        (self.r, self.d) = (assumed.of(&self.tick_ranges()), assumed.of(&self.delay_ranges()));
    }

    /// The length of a tick, as it changes with time.
    pub fn tick_ranges(&self) -> ChangingRange {
        self.ranges(self.r, |change| change.r)
    }

    /// The delay of a message, as it changes with time.
    pub fn delay_ranges(&self) -> ChangingRange {
        self.ranges(self.d, |change| change.d)
    }

    fn ranges(&self, constant: Range, range: impl Fn(&TimingChange) -> Range) -> ChangingRange {
        match self.changes.as_slice() {
            [] => constant.into(),
            changes => ChangingRange::of(changes.iter().map(|change| (change.from, range(change)))),
        }
    }

    /// What is assumed of ranges that change.
    pub fn assumed(&self) -> Assumed {
        if self.exceeded().is_none() { Assumed::All } else { Assumed::First }
    }

    /// When ticks or delays are outside of what is assumed, if ever.
    pub fn exceeded(&self) -> Option<TimingExceeded> {
        let within = |outer: Range, inner: Range| outer.contains(inner.min) && outer.contains(inner.max);
        let exceeds = |change: &TimingChange| !within(self.r, change.r) || !within(self.d, change.d);
        let from = self.changes.iter().find(|change| exceeds(change))?.from;
        let last = self.changes.iter().rposition(exceeds)?;
        // The last tick begun outside, and the last message sent there, behind which others of its link may have to wait.
        let longest = self.changes[..=last].iter().map(|change| change.r.max + change.d.max).max()?;
        let until = self.changes.get(last + 1).map(|change| change.from + longest);
        Some(TimingExceeded { from, until })
    }

    /// Checks the changes; each range by itself has been checked.
    pub(crate) fn check_changes(&self) -> Result<(), BadSetting> {
        if self.changes.is_empty() {
            return Ok(());
        }
        if let Some(flaw) = flaw_of_times(self.changes.iter().map(|change| change.from)) {
            return Err(BadSetting::new("r", format!("or d changes, but the list {flaw}"), ALLOWED));
        }
        let (r, d) = (self.tick_ranges(), self.delay_ranges());
        if r.changes() && matches!(self.clocks, Clocks::List(_)) {
            let allowed = "fixed, varying, slowest or fastest: a list has one length for each place";
            return Err(BadSetting::new("clocks", "is a list, and r changes with time", allowed));
        }
        if d.changes() && matches!(self.delays, Delays::List(_)) {
            let allowed = "any other policy: a list has one delay for each link";
            return Err(BadSetting::new("delays", "is a list, and d changes with time", allowed));
        }
        if Assumed::BOTH.iter().any(|assumed| (self.r, self.d) == (assumed.of(&r), assumed.of(&d))) {
            return Ok(());
        }
        let wrong = format!("is assumed to be {}, and d {}, where they are {r} and {d}", self.r, self.d);
        Err(BadSetting::new("r", wrong, "the range around all of them (all), or the one at time 0 (first)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, Reading};
    use alloc::string::ToString;

    fn timing(r: &str, d: &str, assumed: Assumed) -> Timing {
        let range = |text: &str| text.parse::<ChangingRange>().expect("it is one");
        Preset::Unit.timing(Reading::PerTick).with_ranges(&range(r), &range(d), assumed)
    }

    #[test]
    fn changes_of_ticks_and_delays_are_put_together() {
        let both = timing("1..4@0,1..9@500", "0..3@0,2@100,2@500,0..3@900", Assumed::All);
        let times: Vec<_> = both.changes.iter().map(|change| change.from).collect();
        assert_eq!(times, [0, 100, 500, 900]);
        assert_eq!((both.r, both.d), (Range::new(1, 9), Range::new(0, 3)));
        assert_eq!(both.tick_ranges().to_string(), "1..4@0,1..9@500");
        assert_eq!(both.delay_ranges().to_string(), "0..3@0,2@100,0..3@900", "a change to the same range is none");
        assert_eq!(both.delay_ranges().at(899), Range::new(2, 2));
        assert_eq!(timing("1..4@0,1..4@500", "7", Assumed::First), timing("1..4", "7", Assumed::All));
    }

    #[test]
    fn timing_exceeds_what_is_assumed_until_the_last_of_it_has_ended() {
        let widest = timing("1..4@0,1..9@500,1..2@700", "0..3", Assumed::All);
        assert_eq!((widest.exceeded(), widest.assumed()), (None, Assumed::All));
        let first = timing("1..4@0,1..9@500,1..2@700", "0..3@0,0..40@600,0..3@800", Assumed::First);
        assert_eq!((first.r, first.d), (Range::new(1, 4), Range::new(0, 3)));
        // At 799 a tick of 2 may begin, and a message be sent that takes 40; both together with the tick of 9 are enough.
        assert_eq!(first.exceeded(), Some(TimingExceeded { from: 500, until: Some(800 + 49) }));
        assert_eq!(first.assumed(), Assumed::First);
        let narrower = timing("1..4@0,2..3@500", "0..3", Assumed::First);
        assert_eq!(narrower.exceeded(), None, "it stays within the first range");
        let forever = timing("1..4@0,5@7", "0..3", Assumed::First);
        assert_eq!(forever.exceeded(), Some(TimingExceeded { from: 7, until: None }));
    }

    #[test]
    fn what_is_no_changing_range_is_refused() {
        for (text, wrong) in [
            ("1..4@0,x", "has 'x'"),
            ("1..4@5,1..9@10", "begins after time 0: '1..4@5,1..9@10'"),
            ("1..4@0,1..9@0", "is not in the order of time: '1..4@0,1..9@0'"),
        ] {
            let bad = text.parse::<ChangingRange>().expect_err(text);
            assert_eq!((bad.wrong.as_str(), bad.allowed.as_str()), (wrong, ALLOWED));
        }
        for text in ["1..@0,2@1", "-1@0", "1@0,2@", "1@0,2@1@2"] {
            assert!(text.parse::<ChangingRange>().is_err(), "{text}");
        }
        for (text, wrong) in [("4..1@0,1@9", "has '4..1@0'"), ("1@0,0@9", "has '0@9'"), ("1@0, 2..8@9", "has '2..8@9'")]
        {
            let bad = ChangingRange::parse(text, 1, 7).expect_err(text);
            assert_eq!(
                (bad.wrong.as_str(), bad.allowed.as_str()),
                (wrong, "A..B with A from 1 and B to 7, A not above B")
            );
        }
    }
}
