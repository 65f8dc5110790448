use alloc::format;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::scenario::{check_place, check_time};
use crate::{BadSetting, Place, Scenario, Time, Timing, Topology};

/// The faults; none by default.
///
/// *Crash*: the processor takes no step any more. Its timers, the messages that it has not read, and those that arrive while
/// it is down are lost; messages that it has sent arrive. Its user stops with it.
///
/// *Restart*: a processor that is down is up again, in the state that [`Processor::restart`](crate::Processor::restart) makes
/// of the one before the crash, and wakes at that instant. One that is up crashes and restarts at that instant. Messages in
/// flight are not lost. Its clock starts anew, with the offset that is given or its usual one, and its user goes on with the
/// requests that it has not made yet; one that was not answered is given up.
///
/// *Pause*: the processor takes no step from a time on, for a length of time. All its later ticks come that much later, so that
/// its timers expire as if one of its ticks had been longer. Messages that arrive meanwhile wait, and are handled in the order
/// of arrival when the pause is over. A crash ends a pause.
///
/// *Cut*: messages that are sent or would arrive between two neighbours, in either direction, from a time on and before
/// another one are lost. A message that is sent before and arrives after the cut is not.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// The processors that crash, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crashes: Vec<(Place, Time)>,
    /// The processors that restart, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<Restart>,
    /// The processors that pause, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// The links that are cut, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Cut>,
    /// The share of messages that are lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Share>,
    /// The share of messages that are duplicated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate: Option<Share>,
    /// The time from which on no message is lost or duplicated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// In an untimed run: the faults that may happen, at any time.
    #[serde(default, skip_serializing_if = "AtMost::is_nothing")]
    pub at_most: AtMost,
}

impl Faults {
    /// The faults of a run with clocks, as users write them.
    pub const PLANNED: &'static str = "crash:PLACE@TIME, restart:PLACE@TIME[+OFFSET], pause:PLACE@TIME+LENGTH, \
                               cut:PLACE-PLACE@TIME..TIME, loss:P/Q, duplicate:P/Q, until:TIME";
    /// The faults of a run without clocks and of a check, as users write them.
    pub const COUNTED: &'static str = "crash:K, restart:K, pause:K, cut:K, loss:K, duplicate:K";

    /// Whether there are no faults.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether some are fixed in time, or by their share.
    pub fn is_planned(&self) -> bool {
        *self != Self { at_most: self.at_most, ..Self::default() }
    }

    /// Whether two places cannot exchange messages at this time.
    pub fn is_cut(&self, one: Place, other: Place, now: Time) -> bool {
        self.cuts.iter().any(|cut| cut.joins(one, other) && cut.from <= now && now < cut.to)
    }

    /// The time of the last fault that is fixed.
    pub(crate) fn settled(&self) -> Time {
        let ends = self.crashes.iter().map(|&(_, time)| time).chain(self.restarts.iter().map(|restart| restart.time));
        let pauses = self.pauses.iter().map(|pause| pause.from.saturating_add(pause.length));
        ends.chain(pauses).chain(self.cuts.iter().map(|cut| cut.to)).chain(self.until).max().unwrap_or(0)
    }

    /// Checks that they are possible among `n` processors.
    pub(crate) fn check(&self, n: usize, topology: Topology) -> Result<(), BadSetting> {
        let restarts = self.restarts.iter().map(|restart| (restart.place, restart.time));
        for (place, time) in self.crashes.iter().copied().chain(restarts) {
            check_place("faults", place, n)?;
            check_time("faults", time)?;
        }
        if let Some(offset) =
            self.restarts.iter().filter_map(|restart| restart.offset).find(|&offset| offset > Timing::MOST)
        {
            let wrong = format!("has a restart with the offset {offset}");
            return Err(BadSetting::new("faults", wrong, format!("offsets up to {}", Timing::MOST)));
        }
        for pause in &self.pauses {
            check_place("faults", pause.place, n)?;
            check_time("faults", pause.from)?;
            if pause.length == 0 || pause.length > Scenario::LATEST {
                let wrong = format!("has a pause of length {}", pause.length);
                return Err(BadSetting::new("faults", wrong, format!("lengths from 1 to {}", Scenario::LATEST)));
            }
        }
        for cut in &self.cuts {
            cut.check(n, topology)?;
        }
        for share in [self.loss, self.duplicate].into_iter().flatten() {
            Share::new(share.part, share.whole)?;
        }
        self.until.map_or(Ok(()), |until| check_time("faults", until))
    }
}

/// A processor restarts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "RestartTuple", into = "RestartTuple")]
pub struct Restart {
    /// Its place.
    pub place: Place,
    /// The instant at which it wakes.
    pub time: Time,
    /// From then to the first tick of its clock; `None`: as at its first start.
    pub offset: Option<u64>,
}

/// A restart as it is written.
#[derive(Serialize, Deserialize)]
struct RestartTuple(Place, Time, #[serde(default, skip_serializing_if = "Option::is_none")] Option<u64>);

impl From<Restart> for RestartTuple {
    fn from(Restart { place, time, offset }: Restart) -> Self {
        Self(place, time, offset)
    }
}

impl From<RestartTuple> for Restart {
    fn from(RestartTuple(place, time, offset): RestartTuple) -> Self {
        Self { place, time, offset }
    }
}

/// A processor takes no step for some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Its place.
    pub place: Place,
    /// The first instant at which it takes no step.
    pub from: Time,
    /// The number of such instants.
    pub length: u64,
}

/// Two neighbours cannot exchange messages for some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The neighbours.
    pub ends: (Place, Place),
    /// The first instant at which a message is lost.
    pub from: Time,
    /// The first instant after that at which none is.
    pub to: Time,
}

impl Cut {
    /// Whether it is between these two.
    pub fn joins(&self, one: Place, other: Place) -> bool {
        self.ends == (one, other) || self.ends == (other, one)
    }

    fn check(&self, n: usize, topology: Topology) -> Result<(), BadSetting> {
        let (one, other) = self.ends;
        for place in [one, other] {
            check_place("faults", place, n)?;
        }
        if !topology.has_link(one, other, n) {
            let wrong = format!(
                "cuts {one}-{other} on {} of {n}",
                if topology.is_ring() { "a ring" } else { "a complete network" }
            );
            return Err(BadSetting::new("faults", wrong, "two places with a link between them"));
        }
        for time in [self.from, self.to] {
            check_time("faults", time)?;
        }
        if self.to <= self.from {
            let wrong = format!("cuts {one}-{other} from {} to {}", self.from, self.to);
            return Err(BadSetting::new("faults", wrong, "a cut that ends after it begins"));
        }
        Ok(())
    }
}

/// The numbers of faults that may happen, at any time, in an untimed run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtMost {
    /// Crashes.
    pub crashes: u32,
    /// Lost messages.
    pub losses: u32,
    /// Duplicated messages.
    pub duplicates: u32,
    /// Restarts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restarts: u32,
    /// Cuts, each of which may end at any time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cuts: u32,
    /// Pauses. Without clocks they change nothing: any processor may be slower than all others, for any time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pauses: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl AtMost {
    /// Whether no fault may happen.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// As users write each kind, and the number of it.
    pub const fn kinds(&self) -> [(&'static str, u32); 6] {
        [
            ("crash", self.crashes),
            ("loss", self.losses),
            ("duplicate", self.duplicates),
            ("restart", self.restarts),
            ("cut", self.cuts),
            ("pause", self.pauses),
        ]
    }

    /// The number of a kind, as users write it.
    pub fn kind_mut(&mut self, kind: &str) -> Option<&mut u32> {
        Some(match kind {
            "crash" => &mut self.crashes,
            "loss" => &mut self.losses,
            "duplicate" => &mut self.duplicates,
            "restart" => &mut self.restarts,
            "cut" => &mut self.cuts,
            "pause" => &mut self.pauses,
            _ => return None,
        })
    }
}

/// `part` in `whole`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// At most `whole`.
    pub part: u32,
    /// At least 1.
    pub whole: u32,
}

impl Share {
    /// `part` in `whole`, if that is a share.
    pub fn new(part: u32, whole: u32) -> Result<Self, BadSetting> {
        if whole == 0 || part > whole {
            return Err(BadSetting::new(
                "faults",
                format!("has the share {part}/{whole}"),
                "P/Q with P at most Q and Q at least 1",
            ));
        }
        Ok(Self { part, whole })
    }
}
