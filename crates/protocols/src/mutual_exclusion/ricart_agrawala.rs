//! Ricart and Agrawala's lock \[RicartAgrawala1981\], as described in \[SpirakisTampakas1989\] 2.1, and with readers and
//! writers (3.1).
//!
//! *Problem*: mutual exclusion; readers and writers, where the workload has some. *Assumes*: distinct identities, a link between
//! any two; messages in any order, no bounds on time.
//!
//! A site that wants to enter takes a number above all it has seen, asks all others and enters when all have replied. A
//! site that is asked replies at once, unless it wants to enter itself and has the smaller number, or the same and the
//! smaller identity: then it replies when it leaves. *Claimed*, and so in every run: 2(N-1) messages for each entry.
//!
//! *First come, first served* by number: while a site waits with the smaller number, or the same and the smaller
//! identity, nobody enters. A site that was asked before it drew its number drew a greater one, and a site that is asked
//! later does not reply before it leaves.
//!
//! *Granting delay*. Let j draw its number at t, and let a message be handled within d = d_max, or d = d_max + r_max where
//! that takes a step. By t + d everybody has handled j's request, and nobody draws a smaller number any more: at most N-1
//! sites have one then, each for one entry. Their requests are handled by t + 2d, and the replies that are not deferred by
//! t + 3d. From then on the first of those that are left is inside, for hold r_max at most, or enters within d of its
//! predecessor's leaving; so does j in the end. That makes 3d + (N-1)(hold r_max + d). As printed,
//! (N(N+1)/2-1) r_max, the delays of messages are left out; N(N+1)/2-1 bounds how often j is overtaken.
//!
//! *Numbers modulo M*. Two numbers in use differ by at most N-1, so that M = 2N-1 tells them apart, provided that the
//! highest number seen (hsn) takes in the own one. While k is in use nobody enters with a greater one: a site that has
//! seen k asked for more, a site that gave way to a greater one before took k above it. So all greater ones in use
//! belong to different sites, and since every number drawn is one above a former one, they are k+1 to k+N-1 at most.
//! And a site that is asked has replied to all who have entered, so that all numbers above its hsn belong to different
//! sites, not to itself.
//!
//! *Readers and writers.* "Readers never give a negative answer to a request of another reader. [...] Any other mutual exclusion
//! algorithm can of course be used": requests say who asks, and a reader replies to a reader at once. Two sites *conflict* unless
//! both read.
//!
//! - *Exclusion.* Let i and j conflict and be inside together, with (k, i) < (k', j). When i handled the request of j, it had not
//!   drawn k yet, or else it had, and defers its reply until it leaves, so that j enters later. But what i draws after it has
//!   seen k' is greater. So a writer keeps everybody out.
//! - *Every request is granted.* A reply is deferred only by a site with a smaller number, as before. What is drawn by a site that
//!   has handled a request is greater than its number, so that finitely many go before: later readers do not starve a writer.
//!   The granting delay above is proved by the same chain of numbers, among those that conflict.
//! - *Cost*: a request to and a reply from everybody, 2(N-1), since a writer must learn the numbers of readers, too.
//! - *Order*: of two sites that conflict the one with the smaller number enters first, by the argument for exclusion.
//! - *Bypass*: a waiting site is overtaken by sites that conflict with it N(N+1)/2-1 times at most. Let j draw k. Another site i
//!   has one request under way at most, and draws at most k - hsn numbers until it handles that of j. It has replied to all that
//!   have entered, so that each number from hsn + 1 to k is that of another site under way, whose own hsn is greater. So the i-th
//!   site, in descending order of hsn, draws i-1 at most: N(N-1)/2 all together, and N-1 are under way. Who conflicts with j and
//!   draws a greater number does not overtake it. Readers that overtake a reader are not bounded: while it waits for a reply of a
//!   writer that is slow, others enter as often as they like.
//! - *Numbers* are unbounded with two readers or more: while one is inside those of the other run on.
//!
//! ```
//! use ringleader_model::{Protocol, Scenario, Settings, Workload};
//! use ringleader_protocols::mutual_exclusion::ricart_agrawala::RicartAgrawala;
//! use ringleader_sim::{Choices, Full, Resolved, Run, Simulation};
//!
//! let workload = Some(Workload { entries: 5, ..Workload::new(3) });
//! let scenario = Scenario { n: 3, ids: vec![2, 9, 4], workload, ..Scenario::default() };
//! let settings = Settings::new(RicartAgrawala::DESCRIPTION.parameters, &[]).unwrap();
//! let protocol = RicartAgrawala::configure(&settings, &Resolved::new(&scenario).instance(&scenario)).unwrap();
//! let mut run = Simulation::<_, Full>::new(protocol, &scenario, Choices::Drawn).unwrap();
//! while !run.advance(100) {}
//! assert_eq!(run.summary().cost.messages(), 5 * 3 * 2 * (3 - 1));
//! ```

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

use ringleader_model::{
    BadSetting, Bound, BoundKind, Complete, Description, Effects, EntryReport, EntryRequest, Erratum, Event, Field, Id,
    Inspect, Instance, Message, MutualExclusion, NoTimer, Place, Port, Processor, Promise, Promised, Promises,
    Protocol, Quantity, Reading, Scenario, Seat, Settings, Value,
};
use serde::Serialize;

use super::{
    COMPLETE, NUMBERS, Numbers, check_sites, for_every_entry, local_delay, of_one_user, of_several_users, one_user,
};
use crate::election::{links_of, send_to_all};

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct RicartAgrawala {
    links: u32,
    numbers: Numbers,
    /// The numbers of readers, which have the first places, and of writers; 0 where all sites are alike.
    readers: u32,
    writers: u32,
}

/// The role of a site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// All are alike: it excludes everybody, and requests do not say so.
    Site,
    /// It reads.
    Reader,
    /// It writes.
    Writer,
}

impl Role {
    const fn conflicts_with(self, other: Self) -> bool {
        !matches!((self, other), (Self::Reader, Self::Reader))
    }

    /// Whether it is left out of requests.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_left_out(&self) -> bool {
        *self == Self::Site
    }
}

/// What is left out adds nothing: digests of mutual exclusion are those of requests without roles.
impl Hash for Role {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if *self != Self::Site {
            (*self as u8).hash(state);
        }
    }
}

impl Field for Role {
    fn bits(&self) -> u64 {
        u64::from(*self != Self::Site)
    }

    fn show(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Site => "",
            Self::Reader => " reader",
            Self::Writer => " writer",
        })
    }
}

/// A message between sites.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// May I?
    Request {
        /// The sequence number.
        osn: u64,
        /// The identity of the site.
        id: Id,
        /// Whether it reads or writes.
        #[serde(skip_serializing_if = "Role::is_left_out")]
        role: Role,
    },
    /// Yes.
    Reply,
}

/// The region of a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Remainder,
    Trying,
    Critical,
}

/// One site: 56 bytes, and one for every other site.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct RicartAgrawalaSite {
    id: Id,
    #[serde(skip_serializing_if = "Role::is_left_out")]
    role: Role,
    stage: Stage,
    /// Replies that are still to come.
    outstanding: u32,
    /// Our sequence number.
    osn: u64,
    /// The highest sequence number seen.
    hsn: u64,
    /// By port: the reply is deferred until this site leaves.
    deferred: Vec<bool>,
}

impl Protocol for RicartAgrawala {
    type Processor = RicartAgrawalaSite;
    type Network = Complete;

    const DESCRIPTION: Description = Description {
        name: "ricart-agrawala",
        title: "everybody must agree; the smaller number goes first",
        sources: &["RicartAgrawala1981", "SpirakisTampakas1989"],
        idea: "A site that wants to enter takes a number above all that it has seen and asks all others. It enters when all \
               have replied. A site that wants to enter too and has the smaller number replies only when it leaves. Nothing \
               is known about time. With readers and writers (`--readers`, `--writers`) a reader replies to a reader at once.",
        rules: &[
            "On Acquire: osn := hsn + 1, hsn := osn; send request(osn, id) to everybody.",
            "On request(k, j): hsn := max(hsn, k). Trying or inside, and k > osn or k = osn and id < j, and not both are \
             readers: defer the reply.",
            "On request(k, j) otherwise: hsn := max(hsn, k); reply.",
            "On a reply: one less is outstanding.",
            "Trying, with no reply outstanding: enter.",
            "On Release: send the deferred replies.",
        ],
        assumptions: COMPLETE,
        parameters: &[NUMBERS],
        errata: &[Erratum {
            place: "SpirakisTampakas1989 2.2.4: D is at most (n(n+1)/2-1) r_max",
            wrong: "messages take time, and so do others inside: of two sites with hold 1, steps of 1 and messages that take 1 \
                    one waits for 4, not for 2 (`ringleader run ricart-agrawala -n 2 --entries 3 --r 1 --d 1 --hold 1`)",
            repair: "3d + (N-1)(hold r_max + d), d being the longest time from sending a message to handling it",
        }],
        ..Description::NEW
    };

    // As times of the critical section: N(N+1)/2-1 of them pass at most where messages come in any order.
    // "the older (smaller valued) timestamp wins (in case of a tie, the process with smaller identity wins)"
    const PROMISES: &'static [Promise] = &[
        Promise {
            property: Promised::BoundedBypass,
            when: "by sites that conflict with it; readers pass readers",
            source: "SpirakisTampakas1989 2.2.4",
        },
        Promise {
            property: Promised::ServedByNumber,
            when: "where they conflict; readers pass readers",
            source: "SpirakisTampakas1989 2.1",
        },
        Promise {
            property: Promised::NumbersClose,
            when: "with one reader at most",
            source: "RicartAgrawala1981; SpirakisTampakas1989 2.2.5",
        },
        Promise {
            property: Promised::ReadersTogether,
            when: "with two readers or more; a check of all schedules judges it, a run does not",
            source: "SpirakisTampakas1989 3.1",
        },
    ];

    const READERS: bool = true;

    const BOUNDS: &'static [Bound<Self>] = &[
        Bound {
            quantity: Quantity::MessagesPerEntry,
            kind: BoundKind::Exact,
            formula: "2(N-1)",
            value: |_, instance| {
                let asked = instance.undisturbed && instance.workload.is_some();
                asked.then(|| Value::int(2 * u128::from(instance.n - 1)))
            },
            source: "RicartAgrawala1981; SpirakisTampakas1989 2.1",
            counts: "requests and replies for each entry, in every run",
        },
        for_every_entry("request", "RicartAgrawala1981; SpirakisTampakas1989 2.1"),
        Bound {
            quantity: Quantity::LongestDelay,
            kind: BoundKind::Worst,
            formula: "3d + (N-1)(hold r_max + d)",
            value: |_, instance| of_one_user(instance, longest_delay(instance)),
            source: "SpirakisTampakas1989 2.2.4, corrected",
            counts: "from asking to entering; d = d_max, or d_max + r_max where messages are read at steps",
        },
        of_several_users(|_, instance| local_delay(instance, longest_delay(instance))),
        Bound {
            quantity: Quantity::LongestDelay,
            kind: BoundKind::Mean,
            formula: "(N(N+1)/2-1) r_max",
            value: |_, instance| {
                let asked = instance.undisturbed && !instance.untimed && one_user(instance);
                let [n, r] = [instance.n, instance.timing.r.max].map(u128::from);
                asked.then(|| Value::int((n * (n + 1) / 2 - 1) * r))
            },
            source: "SpirakisTampakas1989 2.2.4",
            counts: "a claim, false where messages take time: from asking to entering, at worst",
        },
        for_every_entry("reply", "RicartAgrawala1981; SpirakisTampakas1989 2.1"),
    ];

    fn configure(settings: &Settings, instance: &Instance<'_>) -> Result<Self, BadSetting> {
        check_sites(instance)?;
        let [readers, writers] = instance.workload.map_or([0; 2], |load| [load.readers as u32, load.writers as u32]);
        let numbers = if readers < 2 {
            Numbers::new(settings, instance)?
        } else if settings.get(NUMBERS.name) == NUMBERS.default {
            Numbers::unbounded(instance, "a number")?
        } else {
            let wrong = format!("numbers={} with {readers} readers: theirs run apart", settings.get(NUMBERS.name));
            return Err(BadSetting::new("set", wrong, "numbers=unbounded, or one reader"));
        };
        Ok(Self { links: links_of(instance.n), numbers, readers, writers })
    }

    fn promises(&self, scenario: &Scenario) -> Promises {
        let promises = Promises::within(Self::PROMISES, &Self::DESCRIPTION.assumptions, scenario);
        promises.without(if self.readers < 2 { Promised::ReadersTogether } else { Promised::NumbersClose })
    }

    fn role(&self, place: Place) -> u32 {
        match self.readers + self.writers {
            0 => 0,
            _ if place < self.readers => 1,
            _ => 2,
        }
    }

    fn processor(&self, seat: Seat) -> RicartAgrawalaSite {
        RicartAgrawalaSite {
            id: seat.identity(),
            role: [Role::Site, Role::Reader, Role::Writer][seat.role as usize],
            stage: Stage::Remainder,
            outstanding: 0,
            osn: 0,
            hsn: 0,
            deferred: vec![false; self.links as usize],
        }
    }
}

/// 3d + (N-1)(hold r_max + d)
fn longest_delay(instance: &Instance<'_>) -> Option<u128> {
    let load = instance.workload.filter(|_| instance.undisturbed && !instance.untimed)?;
    let [n, r] = [instance.n, instance.timing.r.max].map(u128::from);
    let step = match instance.timing.reading {
        Reading::Immediate => 0,
        Reading::PerStep => r,
        Reading::PerTick | Reading::BitSerial => return None,
    };
    let d = u128::from(instance.timing.d.max) + step;
    let delay = 3 * d + (n - 1) * (u128::from(load.hold.max) * r + d);
    (!instance.links.is_half_duplex()).then_some(delay)
}

impl Processor for RicartAgrawalaSite {
    type Problem = MutualExclusion;
    type Message = Ask;
    type Timer = NoTimer;
    type Rules = RicartAgrawala;

    fn step(&mut self, rules: &RicartAgrawala, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {}
            // "it generates a timestamp and sends a message to all the other sites"
            Event::Call(EntryRequest::Acquire) => {
                if self.stage == Stage::Remainder {
                    self.invoke(rules, fx);
                }
            }
            // "if the site does not wish to enter the critical section it replies at once. Else, it compares"
            Event::Receive(port, Ask::Request { osn: k, id: j, role }) => {
                self.hsn = rules.numbers.greatest(self.hsn, k);
                let waits = self.stage != Stage::Remainder && rules.numbers.yields((k, j), (self.osn, self.id));
                if self.stage != Stage::Remainder {
                    rules.numbers.compare((k, j), (self.osn, self.id), fx);
                }
                // "readers never give a negative answer to a request of another reader"
                if waits && self.role.conflicts_with(role) {
                    fx.rule(2);
                    self.deferred[port.0 as usize] = true;
                } else {
                    fx.rule(3);
                    fx.send(port, Ask::Reply);
                }
            }
            // "A site that has received a reply message from every other site may enter"
            Event::Receive(_, Ask::Reply) => {
                fx.rule(4);
                self.outstanding = self.outstanding.saturating_sub(1);
                self.enter_if_agreed(fx);
            }
            // "On leaving its critical section, a site sends any deferred reply messages"
            Event::Call(EntryRequest::Release) => self.leave(fx),
            Event::Timeout(timer) => match timer {},
        }
    }
}

impl Inspect for RicartAgrawalaSite {}

impl RicartAgrawalaSite {
    fn invoke(&mut self, rules: &RicartAgrawala, fx: &mut impl Effects<Self>) {
        fx.rule(1);
        self.stage = Stage::Trying;
        fx.report(EntryReport::Requested);
        self.osn = rules.numbers.after(self.hsn);
        self.hsn = self.osn;
        fx.report(EntryReport::Numbered(rules.numbers.sequence_number(self.osn)));
        self.outstanding = rules.links;
        send_to_all(rules.links, &Ask::Request { osn: self.osn, id: self.id, role: self.role }, fx);
        self.enter_if_agreed(fx);
    }

    fn enter_if_agreed(&mut self, fx: &mut impl Effects<Self>) {
        if self.stage == Stage::Trying && self.outstanding == 0 {
            fx.rule(5);
            self.stage = Stage::Critical;
            fx.report(EntryReport::Entered { negatives: None });
        }
    }

    fn leave(&mut self, fx: &mut impl Effects<Self>) {
        fx.rule(6);
        self.stage = Stage::Remainder;
        for (port, deferred) in self.deferred.iter_mut().enumerate() {
            if core::mem::take(deferred) {
                fx.send(Port(port as u32), Ask::Reply);
            }
        }
        fx.report(EntryReport::Left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::election::Did;

    /// The comparison of site 2, which has asked with this number, and a request, and how many messages it sends then.
    fn compared(numbers: Numbers, osn: u64, (k, j): (u64, u64)) -> (alloc::string::String, usize) {
        let rules = RicartAgrawala { links: 1, numbers, readers: 0, writers: 0 };
        let mut site = rules.processor(Seat { id: Some(Id::new(2)), role: 0, ports: 1 });
        (site.stage, site.osn) = (Stage::Trying, osn);
        let request = Event::Receive(Port(0), Ask::Request { osn: k, id: Id::new(j), role: Role::Site });
        let did = Did::step(&mut site, &rules, request);
        (did.comparisons.join(", "), did.sent.len())
    }

    #[test]
    fn requests_are_compared_by_number_and_identity() {
        let unbounded = Numbers::Unbounded;
        assert_eq!(compared(unbounded, 1, (1, 1)), ("(1, 1) < (1, 2)".into(), 1), "it replies");
        assert_eq!(compared(unbounded, 1, (1, 3)), ("(1, 3) > (1, 2)".into(), 0), "it defers the reply");
        assert_eq!(compared(unbounded, 1, (2, 1)), ("(2, 1) > (1, 2)".into(), 0), "it defers the reply");
        // Modulo 3, for two sites: 0 came after 2.
        let modulo = Numbers::Modulo { m: 3, n: 2 };
        assert_eq!(compared(modulo, 2, (0, 1)), ("(3, 1) > (2, 2)".into(), 0), "it defers the reply");
        assert_eq!(compared(modulo, 0, (2, 1)), ("(2, 1) < (3, 2)".into(), 1), "it replies");
    }
}
