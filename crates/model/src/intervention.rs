//! Interventions: what is done to single messages of a run, by their numbers.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{BadSetting, BadText, Range, Scenario, Time, Timing, integer};

/// One message is lost, delayed, held or duplicated.
///
/// Messages are numbered from 1, in the order of sending; the copy of a duplicated message has a number of its own. A number
/// means the same message as long as nothing before its sending is different.
///
/// ```
/// use ringleader_model::{Intervention, MessageAction};
///
/// let hold: Intervention = "31:until:900".parse().unwrap();
/// assert_eq!(hold, Intervention { message: 31, action: MessageAction::Until(900) });
/// assert_eq!(hold.to_string(), "31:until:900");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Intervention {
    /// The number of the message.
    pub message: u64,
    /// What is done to it.
    pub action: MessageAction,
}

/// What is done to a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MessageAction {
    /// It is lost when it is sent.
    Drop,
    /// With clocks: it arrives so long after it was sent (on a half-duplex link, after it entered the link). Where links are
    /// FIFO, it does not overtake, and those behind it wait for it.
    Delay(u64),
    /// It arrives at this time, unless its own delay makes it later; those behind it on a FIFO link wait for it. Without clocks it
    /// is not enabled before so many actions, unless nothing else is.
    Until(Time),
    /// A copy arrives with it, behind it.
    Duplicate,
}

impl MessageAction {
    /// As users write it, without its number.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Delay(_) => "delay",
            Self::Until(_) => "until",
            Self::Duplicate => "duplicate",
        }
    }

    /// The number behind its name: a length of time, or a time.
    pub fn number_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::Drop | Self::Duplicate => None,
            Self::Delay(number) | Self::Until(number) => Some(number),
        }
    }

    /// Whether it decides when the message arrives.
    pub const fn decides_arrival(self) -> bool {
        matches!(self, Self::Delay(_) | Self::Until(_))
    }
}

impl Intervention {
    /// As users write them.
    pub const NOTATION: &'static str = "NUMBER:drop, NUMBER:delay:TIME, NUMBER:until:TIME, NUMBER:duplicate";

    /// Whether links that lose and duplicate nothing, with delays in this range (`None` without clocks), might have done the same.
    /// A message that is held is taken to be late.
    pub(crate) fn is_within(self, d: Option<Range>) -> bool {
        match self.action {
            MessageAction::Drop | MessageAction::Duplicate => false,
            MessageAction::Delay(length) => d.is_none_or(|d| d.contains(length)),
            MessageAction::Until(_) => d.is_none(),
        }
    }

    /// Checks that they can be carried out, one by one and together.
    pub(crate) fn check(all: &[Self], untimed: bool) -> Result<(), BadSetting> {
        let refused = |wrong: String, allowed: String| Err(BadSetting::new("intervene", wrong, allowed));
        for intervention in all {
            match intervention.action {
                _ if intervention.message == 0 => {
                    return refused(format!("has {intervention}"), "messages are numbered from 1".into());
                }
                MessageAction::Delay(_) if untimed => {
                    let allowed = "NUMBER:drop, NUMBER:until:ACTIONS, NUMBER:duplicate";
                    return refused(format!("has {intervention}, in a run without clocks"), allowed.into());
                }
                MessageAction::Delay(length) if length > Timing::MOST => {
                    return refused(format!("has {intervention}"), format!("delays from 0 to {}", Timing::MOST));
                }
                MessageAction::Until(time) if time > Scenario::LATEST => {
                    return refused(format!("has {intervention}"), format!("times from 0 to {}", Scenario::LATEST));
                }
                _ => {}
            }
        }
        let mut sorted = all.to_vec();
        sorted.sort_unstable();
        let contradict = |pair: &&[Self]| {
            let (one, other) = (pair[0], pair[1]);
            one.message == other.message && other.action != MessageAction::Duplicate || one == other
        };
        // In order, what is dropped comes first and duplication last: neighbours that go together are one that decides the
        // arrival, and a duplication.
        let lost = |pair: &&[Self]| pair[0].message == pair[1].message && pair[0].action == MessageAction::Drop;
        if let Some(pair) = sorted.windows(2).find(|pair| contradict(pair) || lost(pair)) {
            let allowed = "one per message, or delay or until beside duplicate";
            return refused(format!("has {} and {}", pair[0], pair[1]), allowed.into());
        }
        Ok(())
    }
}

impl FromStr for Intervention {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = || BadText::new(format!("has '{}'", text.trim()), Self::NOTATION);
        let mut words = text.trim().split(':');
        let message = integer(words.next().unwrap_or_default(), 1, u64::MAX).map_err(|_| bad())?;
        let action = match (words.next(), words.next(), words.next()) {
            (Some("drop"), None, _) => MessageAction::Drop,
            (Some("duplicate"), None, _) => MessageAction::Duplicate,
            (Some("delay"), Some(length), None) => MessageAction::Delay(integer(length, 0, Timing::MOST)?),
            (Some("until"), Some(time), None) => MessageAction::Until(integer(time, 0, Scenario::LATEST)?),
            _ => return Err(bad()),
        };
        Ok(Self { message, action })
    }
}

impl fmt::Display for Intervention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.message, self.action.name())?;
        match self.action {
            MessageAction::Drop | MessageAction::Duplicate => Ok(()),
            MessageAction::Delay(number) | MessageAction::Until(number) => write!(f, ":{number}"),
        }
    }
}

impl TryFrom<String> for Intervention {
    type Error = BadText;

    fn try_from(text: String) -> Result<Self, BadText> {
        text.parse()
    }
}

impl From<Intervention> for String {
    fn from(intervention: Intervention) -> Self {
        format!("{intervention}")
    }
}

/// Interventions as users write them: `17:drop,23:delay:40`, or `none`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interventions(pub Vec<Intervention>);

const NONE: &str = "none";

impl FromStr for Interventions {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Interventions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(NONE);
        }
        for (index, intervention) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{intervention}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn checked(text: &str, untimed: bool) -> Result<(), String> {
        let Interventions(all) = text.parse().map_err(|bad: BadText| bad.to_string())?;
        Intervention::check(&all, untimed).map_err(|bad| format!("{}; allowed: {}", bad.wrong, bad.allowed))
    }

    #[test]
    fn what_can_be_carried_out_is_accepted() {
        assert_eq!(checked("17:drop,23:delay:40, 31:until:900,40:duplicate,31:duplicate", false), Ok(()));
        assert_eq!(checked("2:until:0,2:duplicate,1:drop", true), Ok(()));
        assert_eq!(checked("none", true), Ok(()));
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        let most = Timing::MOST + 1;
        let late = Scenario::LATEST + 1;
        for (text, untimed, wrong) in [
            ("0:drop", false, "has 0:drop; allowed: messages are numbered from 1"),
            ("1:drop,1:drop", false, "has 1:drop and 1:drop; allowed: one per message"),
            ("1:drop,1:duplicate", false, "has 1:drop and 1:duplicate"),
            ("1:delay:3,2:drop,1:until:9", false, "has 1:delay:3 and 1:until:9"),
            ("1:delay:3,1:delay:4", false, "has 1:delay:3 and 1:delay:4"),
            ("1:duplicate,1:until:3,1:duplicate", false, "has 1:duplicate and 1:duplicate"),
            ("1:delay:3", true, "has 1:delay:3, in a run without clocks; allowed: NUMBER:drop"),
            (&format!("1:delay:{most}"), false, &format!("has 1:delay:{most}; allowed: delays from 0 to")),
            (&format!("1:until:{late}"), false, &format!("has 1:until:{late}; allowed: times from 0 to")),
            ("1", false, "has '1'; allowed: NUMBER:drop, NUMBER:delay:TIME"),
            ("1:lose", false, "has '1:lose'"),
            ("x:drop", false, "has 'x:drop'"),
            ("1:drop:3", false, "has '1:drop:3'"),
            ("1:delay", false, "has '1:delay'"),
            ("1:delay:x", false, "has 'x'"),
            ("1:until:3:4", false, "has '1:until:3:4'"),
            ("", false, "has ''"),
        ] {
            let refused = checked(text, untimed).expect_err(text);
            assert!(refused.starts_with(wrong), "{text}: {refused}");
        }
    }
}
