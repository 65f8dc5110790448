//! The reductions of a search, each of which can be disabled.

use core::fmt;
use core::str::FromStr;

use ringleader_model::{BadText, word};

/// A reduction of the state space. The theorem behind it stands in the module that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Ample sets (`untimed::ample`).
    PartialOrder,
    /// Rotations of a ring of identical processors (`untimed::canonical`).
    Symmetry,
    /// Ports that a processor does not tell apart any more are renamed (`port_numbering`).
    PortRenaming,
    /// A processor that has nothing to do ticks as soon as it can (`timed::local`).
    EagerTicks,
    /// Arrivals are chosen at the tick that reads them (`timed::deferred`).
    DeferredArrivals,
    /// Messages that only change the state of their receiver are read as late as possible (`timed::deferred`).
    SilentMessages,
    /// Such messages are read when they are sent (`timed::early`).
    EarlyReading,
    /// A clock is chosen when it is first observed (`timed::open_clocks`).
    OpenClocks,
}

impl Reduction {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::PartialOrder,
        Self::Symmetry,
        Self::PortRenaming,
        Self::EagerTicks,
        Self::DeferredArrivals,
        Self::SilentMessages,
        Self::EarlyReading,
        Self::OpenClocks,
    ];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PartialOrder => "partial-order",
            Self::Symmetry => "symmetry",
            Self::PortRenaming => "port-renaming",
            Self::EagerTicks => "eager-ticks",
            Self::DeferredArrivals => "deferred-arrivals",
            Self::SilentMessages => "silent-messages",
            Self::EarlyReading => "early-reading",
            Self::OpenClocks => "open-clocks",
        }
    }
}

/// A set of reductions.
///
/// ```
/// use ringleader_check::{Reduction, Reductions};
///
/// let enabled = Reductions::ALL.without(Reduction::Symmetry);
/// assert!(enabled.contains(Reduction::PartialOrder) && !enabled.contains(Reduction::Symmetry));
/// assert_eq!("partial-order,symmetry".parse::<Reductions>()?.to_string(), "partial-order,symmetry");
/// # Ok::<(), ringleader_model::BadText>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reductions(u8);

impl Reductions {
    /// No reduction.
    pub const NONE: Self = Self(0);
    /// All reductions.
    pub const ALL: Self = Self(u8::MAX);

    /// This reduction alone.
    pub const fn only(reduction: Reduction) -> Self {
        Self(1 << reduction as u8)
    }

    /// All of these but one.
    pub const fn without(self, reduction: Reduction) -> Self {
        Self(self.0 & !Self::only(reduction).0)
    }

    /// Those that are not in this set.
    pub const fn complement(self) -> Self {
        Self(!self.0)
    }

    /// Whether a reduction is one of these.
    pub const fn contains(self, reduction: Reduction) -> bool {
        self.0 & Self::only(reduction).0 != 0
    }

    const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// All reductions and none, as users write them.
const ALL: &str = "all";
const NONE: &str = "none";

impl FromStr for Reductions {
    type Err = BadText;

    /// `all`, `none`, or names separated by commas.
    fn from_str(text: &str) -> Result<Self, BadText> {
        match text.trim() {
            ALL => return Ok(Self::ALL),
            NONE => return Ok(Self::NONE),
            _ => {}
        }
        let bad = |bad: BadText| BadText { allowed: format!("{ALL}, {NONE}, or some of {}", bad.allowed), ..bad };
        let named = text.split(',').map(|name| word(name, &Reduction::ALL, Reduction::name).map(Self::only));
        named.reduce(|one, other| Ok(one?.union(other?))).unwrap_or(Ok(Self::NONE)).map_err(bad)
    }
}

impl fmt::Display for Reductions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ALL => return f.write_str(ALL),
            Self::NONE => return f.write_str(NONE),
            _ => {}
        }
        let mut names = Reduction::ALL.into_iter().filter(|&reduction| self.contains(reduction));
        if let Some(first) = names.next() {
            f.write_str(first.name())?;
        }
        names.try_for_each(|reduction| write!(f, ",{}", reduction.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_they_are_read() {
        for bits in 0..=u8::MAX {
            let set = Reductions(bits);
            assert_eq!(set.complement().complement(), set);
            assert_eq!(set.to_string().parse(), Ok(set), "{set}");
        }
        assert_eq!(
            (Reductions::ALL.to_string(), Reductions::NONE.to_string()),
            ("all".to_string(), "none".to_string())
        );
        let bad = "symmetry,sorcery".parse::<Reductions>().expect_err("there is no sorcery");
        assert!(
            bad.wrong.contains("sorcery") && bad.allowed.starts_with("all, none, or some of partial-order"),
            "{bad:?}"
        );
        assert!("".parse::<Reductions>().is_err());
    }
}
