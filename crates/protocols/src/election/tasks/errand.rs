//! The messages of an election and of the task after it.

use alloc::vec::Vec;
use core::fmt;

use ringleader_model::{Id, Kind, Message, Task, int_bits};
use serde::Serialize;

use crate::election::vitanyi::dyadic_digits;

/// A message of the election, or of the task.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Errand<M> {
    /// Of the election.
    Election(M),
    /// The number of processors counted so far.
    Count(u64),
    /// The values so far, in order.
    Collect(Vec<Id>),
    /// The values that nobody has taken yet, in order.
    Distribute(Vec<Id>),
    /// The leader's value.
    Broadcast(u64),
    /// The greatest identity so far.
    Greatest(Id),
    /// The greatest identity, which leads from now on.
    Successor(Id),
    /// Old tokens are removed.
    Clear,
    /// A token, named apart from those of elections: no contents, for which the counting rule charges no bit.
    Token,
}

/// The kinds of messages of a task.
pub const fn task_kinds(task: Task) -> &'static [Kind] {
    match task {
        Task::Size => const { &[Kind::task("count")] },
        Task::Sort => const { &[Kind::task("collect"), Kind::task("distribute")] },
        Task::Broadcast => const { &[Kind::task("broadcast")] },
        Task::Transfer => const { &[Kind::task("greatest"), Kind::task("successor")] },
        Task::Token => const { &[Kind::task("clear"), Kind::task("ring-token")] },
    }
}

/// The number of kinds that are set aside for those of a task: those of the election follow.
const OF_TASK: usize = 2;

/// The kinds of an election and of the task after it, in the order of [`Errand::kind`].
pub(super) fn all_kinds(task: Option<Task>, of_election: Vec<Kind>) -> Vec<Kind> {
    let of_task = task.map_or(&[][..], task_kinds).iter().copied().chain([Kind::link(""); OF_TASK]).take(OF_TASK);
    of_task.chain(of_election).collect()
}

impl<M: Message> fmt::Display for Errand<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, table) = match self {
            Self::Election(message) => return fmt::Display::fmt(message, f),
            Self::Count(count) => return write!(f, "count {count}"),
            Self::Broadcast(value) => return write!(f, "broadcast {value}"),
            Self::Greatest(id) => return write!(f, "greatest {id}"),
            Self::Successor(id) => return write!(f, "successor {id}"),
            Self::Clear => return f.write_str("clear"),
            Self::Token => return f.write_str("ring-token"),
            Self::Collect(table) => ("collect", table),
            Self::Distribute(table) => ("distribute", table),
        };
        f.write_str(name)?;
        for (index, id) in table.iter().enumerate() {
            write!(f, "{} {id}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl<M: Message> Message for Errand<M> {
    /// They are in the profile of [`After`](super::After): those of one task, then those of the election.
    const KINDS: &'static [Kind] = &[];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Self::Count(_) | Self::Collect(_) | Self::Broadcast(_) | Self::Greatest(_) | Self::Clear => 0,
            Self::Distribute(_) | Self::Successor(_) | Self::Token => 1,
            Self::Election(message) => OF_TASK + message.kind(),
        }
    }

    fn named_kind(&self) -> Kind {
        let task = match self {
            Self::Election(message) => return message.named_kind(),
            Self::Count(_) => Task::Size,
            Self::Collect(_) | Self::Distribute(_) => Task::Sort,
            Self::Broadcast(_) => Task::Broadcast,
            Self::Greatest(_) | Self::Successor(_) => Task::Transfer,
            Self::Clear | Self::Token => Task::Token,
        };
        task_kinds(task)[self.kind()]
    }

    /// Messages of the election cost what they cost without a task. "The table of N values can be stored in the form of
    /// N differences summing to L in dyadic encoding"; one bit says whether it collects or distributes, as one tells the
    /// greatest identity so far from that of the successor, and clear from a token.
    fn bits(&self) -> u64 {
        match self {
            Self::Election(message) => message.bits(),
            Self::Count(count) | Self::Broadcast(count) => int_bits(*count),
            Self::Greatest(id) | Self::Successor(id) => 1 + int_bits(id.get()),
            Self::Clear => 1,
            Self::Token => 0,
            Self::Collect(table) | Self::Distribute(table) => {
                let before = [0].into_iter().chain(table.iter().map(|id| id.get()));
                1 + before.zip(table).map(|(before, id)| dyadic_digits(id.get() - before)).sum::<u64>()
            }
        }
    }

    fn rebase(&mut self, by: u32) {
        if let Self::Election(message) = self {
            message.rebase(by);
        }
    }

    /// Of the election: what is proved of the passes of an identity is proved of it alone.
    fn identity(&self) -> Option<Id> {
        match self {
            Self::Election(message) => message.identity(),
            _ => None,
        }
    }

    const PHASED: bool = M::PHASED;

    fn phase(&self) -> Option<u32> {
        match self {
            Self::Election(message) => message.phase(),
            _ => None,
        }
    }
}
