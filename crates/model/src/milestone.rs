use serde::Serialize;

use crate::Id;

/// The meaning of a report in the terms of its problem, so that pictures and statistics need not know the type of the
/// report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "milestone")]
pub enum Milestone {
    /// The processor is elected leader.
    Elected {
        /// The identity under which it is elected, if there are identities.
        id: Option<Id>,
    },
    /// The processor learns the leader.
    Follows {
        /// The identity of the leader, if there are identities.
        id: Option<Id>,
    },
    /// The processor finds that the election is decided.
    Inaugurates,
    /// A further election has begun.
    Reopened,
    /// The leader begins with its task.
    TaskBegun,
    /// The leader knows the size of the ring.
    Size {
        /// The size.
        size: u64,
    },
    /// The processor knows its value in sorted order.
    Sorted {
        /// The value.
        value: Id,
    },
    /// The processor learns the leader's value.
    Learned {
        /// The value.
        value: u64,
    },
    /// The processor learns the identity to which leadership is transferred.
    Succeeded {
        /// The identity.
        id: Id,
    },
    /// The token that the leader inserted has made a turn.
    TokenReturned,
    /// The site enters its trying region, or begins a read or write.
    Requested,
    /// The site draws the number of its request.
    Numbered,
    /// The site enters its critical section.
    Entered {
        /// The number of negative replies, where there are such.
        negatives: Option<u32>,
    },
    /// The site has left its critical section.
    Left,
    /// The reader begins an attempt to read.
    Attempt,
    /// The reader returns.
    Read {
        /// The number of the write that the first word comes from.
        write: u64,
        /// The words come from different writes.
        torn: bool,
    },
    /// The writer has completed a write.
    Written {
        /// The number of the write, from 1.
        write: u64,
    },
    /// The processor had a token at first, and passes it on.
    TokenBegins,
    /// The processor inserts a token.
    TokenInserted,
    /// The processor removes a token.
    TokenRemoved,
}
