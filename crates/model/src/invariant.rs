use alloc::string::String;
use core::fmt;

use crate::{Protocol, Violation};

/// Something that must be true of all processors together, in every state: a property of one's own beside those of the
/// problem.
///
/// A run judges it at the beginning and after every step, a check in every state; `check --probability` does not. Where
/// [rounds](crate::Inspect::ROUNDS) are numbered without bound, a check judges it after
/// [`rebase`](crate::Inspect::rebase).
///
/// It sees the states of all processors, and nothing else: neither messages in flight nor earlier states nor the rules. What
/// it needs of those, processors keep in a field ("exactly one token, held or travelling": let the sender remember that it
/// has sent it). Judging takes time proportional to the number of processors, so that a run with invariants takes time
/// proportional to steps times processors: with 10,000 processors and more it is slow.
///
/// ```
/// use ringleader_model::Invariant;
/// # use ringleader_model::{
/// #     BadSetting, Bound, Description, Effects, Election, Event, Inspect, Instance, Message, NoTimer, Processor, Protocol,
/// #     Ring, Seat, Settings,
/// # };
/// # use serde::Serialize;
/// # #[derive(Clone)]
/// # struct MyElection;
/// # #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
/// # struct Ping;
/// # #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
/// # struct Member { leads: bool }
/// # impl Protocol for MyElection {
/// #     type Processor = Member;
/// #     type Network = Ring;
/// #     const DESCRIPTION: Description = Description::NEW;
/// #     const BOUNDS: &'static [Bound<Self>] = &[];
/// #     fn configure(_: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> { Ok(Self) }
/// #     fn processor(&self, _: Seat) -> Member { Member { leads: false } }
/// # }
/// # impl Inspect for Member {}
/// # impl Processor for Member {
/// #     type Problem = Election;
/// #     type Message = Ping;
/// #     type Timer = NoTimer;
/// #     type Rules = MyElection;
/// #     fn step(&mut self, _: &MyElection, _: Event<Self>, _: &mut impl Effects<Self>) {}
/// # }
/// const ONE_LEADER: Invariant<MyElection> = Invariant {
///     name: "at most one leader",
///     holds: |members| match members.iter().filter(|member| member.leads).count() {
///         0 | 1 => Ok(()),
///         leaders => Err(format!("{leaders} lead")),
///     },
/// };
/// let violation = ONE_LEADER.violation(&[Member { leads: true }, Member { leads: true }]).expect("two lead");
/// assert_eq!(violation.detail, "2 lead");
/// ```
pub struct Invariant<P: Protocol> {
    /// As users read it, such as "at most one processor is active".
    pub name: &'static str,
    /// Whether it is true of the processors, by place; if not, what contradicts it.
    pub holds: fn(&[P::Processor]) -> Result<(), String>,
}

impl<P: Protocol> Invariant<P> {
    /// The violation by these processors, if it does not hold.
    pub fn violation(&self, processors: &[P::Processor]) -> Option<Violation> {
        (self.holds)(processors).err().map(|detail| Violation { property: self.name, detail })
    }
}

impl<P: Protocol> fmt::Debug for Invariant<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
