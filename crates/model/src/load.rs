use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{BadText, Place, Scenario, Time, integer};

/// From this time on, places below `sites` make requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadChange {
    /// How many compete.
    pub sites: usize,
    /// From when on.
    pub from: Time,
}

/// The number of sites that compete: `4`, or as it changes with time, `4@0,16@500`.
///
/// A site that is not among them when its next request is due makes it as soon as it is among them again. The last number is
/// the greatest, so that no request is left out.
///
/// ```
/// use ringleader_model::SiteLoad;
///
/// let load: SiteLoad = "4@0,16@500".parse().unwrap();
/// assert_eq!((load.most(), load.to_string().as_str()), (16, "4@0,16@500"));
/// assert_eq!("4".parse(), Ok(SiteLoad::constant(4)));
/// assert!("16@0,4@500".parse::<SiteLoad>().is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteLoad(Vec<LoadChange>);

impl SiteLoad {
    /// As many at all times.
    pub fn constant(sites: usize) -> Self {
        Self(vec![LoadChange { sites, from: 0 }])
    }

    /// Of a workload: `compete` sites, unless the load changes.
    pub fn of(compete: usize, changes: &[LoadChange]) -> Self {
        if changes.is_empty() { Self::constant(compete) } else { Self(changes.to_vec()) }
    }

    /// The greatest number.
    pub fn most(&self) -> usize {
        self.0.last().map_or(0, |change| change.sites)
    }

    /// The changes, from time 0 on; none where it does not change.
    pub fn changes(&self) -> Vec<LoadChange> {
        if self.0.len() == 1 { Vec::new() } else { self.0.clone() }
    }

    /// What is wrong with a list of changes.
    pub(crate) fn flaw(changes: &[LoadChange]) -> Option<&'static str> {
        let most = changes.iter().map(|change| change.sites).max();
        flaw_of_times(changes.iter().map(|change| change.from)).or_else(|| {
            let fewer = changes.last().map(|change| change.sites) != most;
            fewer.then_some("ends with fewer sites than before, whose requests would be left out")
        })
    }

    /// The first time from `now` on at which a place makes requests; `now` where the load does not change.
    pub(crate) fn asks_from(changes: &[LoadChange], place: Place, now: Time) -> Time {
        let competes = |change: &LoadChange| (place as usize) < change.sites;
        let present = changes.iter().rfind(|change| change.from <= now);
        if present.is_none_or(competes) {
            return now;
        }
        // The last one is the greatest: a place that competes at all competes then.
        changes.iter().find(|change| change.from > now && competes(change)).map_or(now, |change| change.from)
    }
}

/// What is wrong with the times of changes.
pub(crate) fn flaw_of_times(times: impl Iterator<Item = Time>) -> Option<&'static str> {
    let mut before = None;
    for time in times {
        match before {
            None if time != 0 => return Some("begins after time 0"),
            Some(before) if before >= time => return Some("is not in the order of time"),
            _ if time > Scenario::LATEST => return Some("goes beyond the end of time"),
            _ => before = Some(time),
        }
    }
    None
}

/// What is allowed, as users read it.
pub(crate) const ALLOWED: &str =
    "S, or S@TIME,S@TIME,… from time 0 on, in the order of time, the last S the greatest: 4@0,16@500";

impl FromStr for SiteLoad {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let sites = |text: &str| Ok(integer(text, 0, Scenario::MOST as u64)? as usize);
        if !text.contains('@') {
            return sites(text).map(Self::constant);
        }
        let bad = |wrong: String| BadText::new(wrong, ALLOWED);
        let change = |part: &str| {
            let (count, from) = part.split_once('@').ok_or_else(|| bad(format!("has '{}'", part.trim())))?;
            Ok(LoadChange { sites: sites(count)?, from: integer(from, 0, Scenario::LATEST)? })
        };
        let changes = text.split(',').map(change).collect::<Result<Vec<_>, _>>()?;
        match Self::flaw(&changes) {
            Some(flaw) => Err(bad(format!("{flaw}: '{}'", text.trim()))),
            None => Ok(Self(changes)),
        }
    }
}

impl fmt::Display for SiteLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.0.as_slice() {
            return only.sites.fmt(f);
        }
        for (index, LoadChange { sites, from }) in self.0.iter().enumerate() {
            write!(f, "{}{sites}@{from}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_place_asks_when_the_load_reaches_it() {
        let load: SiteLoad = "1@0,3@10,2@20,4@30".parse().expect("it is one");
        let from = |place, now| SiteLoad::asks_from(&load.changes(), place, now);
        assert_eq!([0, 9, 10, 25, 99].map(|now| from(0, now)), [0, 9, 10, 25, 99], "place 0 always competes");
        assert_eq!([0, 9, 10, 19, 20, 29, 31].map(|now| from(2, now)), [10, 10, 10, 19, 30, 30, 31]);
        assert_eq!([0, 25, 30].map(|now| from(3, now)), [30, 30, 30]);
        assert_eq!(SiteLoad::asks_from(&[], 7, 5), 5, "a constant load defers nothing");
    }

    #[test]
    fn what_is_no_load_is_refused() {
        for (text, wrong) in [
            ("4@0,x", "has 'x'"),
            ("4@5,16@10", "begins after time 0: '4@5,16@10'"),
            ("4@0,16@0", "is not in the order of time: '4@0,16@0'"),
            ("16@0,4@9", "ends with fewer sites than before, whose requests would be left out: '16@0,4@9'"),
        ] {
            let bad = text.parse::<SiteLoad>().expect_err(text);
            assert_eq!((bad.wrong.as_str(), bad.allowed.as_str()), (wrong, ALLOWED));
        }
        assert!("-1@0".parse::<SiteLoad>().is_err());
        assert_eq!("7@0".parse::<SiteLoad>().map(|load| load.to_string()).as_deref(), Ok("7"));
    }
}
