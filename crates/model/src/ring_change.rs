//! Names on a ring whose processors join and leave between elections \[Vitanyi1984, section 4\].

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::{BadSetting, BadText, integer};

/// A change of a ring between two elections. Places are those of the ring at the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingChange {
    /// "If we add a new processor to the system then we choose a new name for the new processor only": it comes before the
    /// processor at a place, or behind the last.
    Join {
        /// Its name.
        name: u64,
        /// Its place.
        place: u64,
    },
    /// "If we delete a processor from the system then we can interchange the name of the processor with that of one of its
    /// neighbors if the latter happens to be greater." Of two greater neighbours it is the clockwise one.
    Leave(u64),
    /// A processor leaves with its own name.
    Drop(u64),
}

/// Changes of a ring, in their order.
///
/// ```
/// use ringleader_model::RingChanges;
///
/// let changes: RingChanges = "leave:1,join:7@0".parse().unwrap();
/// let rings = changes.of(&[3, 1, 2]).unwrap();
/// // The processor at place 1 leaves with the name 2; its neighbour is 1 now.
/// assert_eq!((&rings[0].names[..], rings[0].interchanged), (&[3, 1][..], Some((1, 2))));
/// assert_eq!(rings[1].names, [7, 3, 1]);
/// assert!("leave:3".parse::<RingChanges>().unwrap().of(&[3, 1, 2]).is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RingChanges(pub Vec<RingChange>);

/// A ring after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedRing {
    /// The change.
    pub change: RingChange,
    /// The names that the processor that left and its neighbour have interchanged: the one that stays, and the other.
    pub interchanged: Option<(u64, u64)>,
    /// The names afterwards, clockwise.
    pub names: Vec<u64>,
}

impl ChangedRing {
    /// l, the least name.
    pub fn least(&self) -> u64 {
        self.names.iter().copied().min().unwrap_or(0)
    }
}

impl RingChange {
    /// The ring with these names after this change.
    ///
    /// # Errors
    ///
    /// If there is no such place, the name is taken or 0, or nobody would stay.
    pub fn of(self, names: &[u64]) -> Result<ChangedRing, BadSetting> {
        let refused = |wrong, allowed| Err(BadSetting::new("changes", wrong, allowed));
        let (n, mut after) = (names.len() as u64, names.to_vec());
        let mut interchanged = None;
        match self {
            Self::Join { name: 0, .. } => {
                return refused(format!("have {self}: a name is a positive integer"), "join:NAME@PLACE".to_string());
            }
            Self::Join { name, .. } if names.contains(&name) => {
                return refused(format!("have {self}: {name} is in use"), "a name that nobody has".to_string());
            }
            Self::Join { place, .. } if place > n => {
                return refused(format!("have {self}: no such place"), format!("0 to {n} in a ring of {n}"));
            }
            Self::Join { name, place } => after.insert(place as usize, name),
            Self::Leave(place) | Self::Drop(place) if place >= n => {
                return refused(format!("have {self}: no such place"), format!("0 to {} in a ring of {n}", n - 1));
            }
            Self::Leave(_) | Self::Drop(_) if n == 1 => {
                return refused(
                    format!("have {self}: it is the last processor"),
                    "a processor that is not alone".into(),
                );
            }
            Self::Leave(place) => {
                let (place, n) = (place as usize, names.len());
                let neighbours = [(place + 1) % n, (place + n - 1) % n];
                if let Some(&other) = neighbours.iter().find(|&&other| names[other] > names[place]) {
                    interchanged = Some((names[place], names[other]));
                    after.swap(place, other);
                }
                after.remove(place);
            }
            Self::Drop(place) => drop(after.remove(place as usize)),
        }
        Ok(ChangedRing { change: self, interchanged, names: after })
    }
}

impl RingChanges {
    /// The ring with these names after each change.
    ///
    /// # Errors
    ///
    /// If a change cannot happen: see [`RingChange::of`].
    pub fn of(&self, names: &[u64]) -> Result<Vec<ChangedRing>, BadSetting> {
        let mut rings: Vec<ChangedRing> = Vec::new();
        for change in &self.0 {
            let next = change.of(rings.last().map_or(names, |ring| &ring.names))?;
            rings.push(next);
        }
        Ok(rings)
    }
}

const NOTATION: &str = "join:NAME@PLACE, leave:PLACE, drop:PLACE";

impl FromStr for RingChange {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        let bad = || BadText::new(format!("has '{}'", text.trim()), NOTATION);
        let number = |text| integer(text, 0, u64::MAX).map_err(|_| bad());
        let (kind, rest) = text.trim().split_once(':').ok_or_else(bad)?;
        match kind {
            "join" => {
                let (name, place) = rest.split_once('@').ok_or_else(bad)?;
                Ok(Self::Join { name: number(name)?, place: number(place)? })
            }
            "leave" => number(rest).map(Self::Leave),
            "drop" => number(rest).map(Self::Drop),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for RingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join { name, place } => write!(f, "join:{name}@{place}"),
            Self::Leave(place) => write!(f, "leave:{place}"),
            Self::Drop(place) => write!(f, "drop:{place}"),
        }
    }
}

impl FromStr for RingChanges {
    type Err = BadText;

    fn from_str(text: &str) -> Result<Self, BadText> {
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for RingChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, change) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{change}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn after(names: &[u64], changes: &str) -> Vec<u64> {
        let changes: RingChanges = changes.parse().expect("it is a list of changes");
        changes.of(names).expect("they can happen").pop().expect("there is one").names
    }

    /// By hand, on the ring 3, 1, 4, 2.
    #[test]
    fn a_greater_neighbour_takes_the_name_of_who_leaves() {
        let ring = [3, 1, 4, 2];
        // Place 1, name 1: the clockwise neighbour 4 becomes 1, and 4 is gone.
        assert_eq!(after(&ring, "leave:1"), [3, 1, 2]);
        // Place 2, name 4: both neighbours are smaller.
        assert_eq!(after(&ring, "leave:2"), [3, 1, 2]);
        // Place 3, name 2: the clockwise neighbour is at place 0, name 3.
        assert_eq!(after(&ring, "leave:3"), [2, 1, 4]);
        // Place 0, name 3: only the anticlockwise neighbour could be greater, and 2 is not.
        assert_eq!(after(&ring, "leave:0"), [1, 4, 2]);
        // Only the anticlockwise neighbour is greater.
        assert_eq!(after(&[5, 2, 1], "leave:1"), [2, 1]);
        assert_eq!(after(&ring, "drop:1"), [3, 4, 2]);
        assert_eq!(after(&ring, "join:9@4,join:5@0,leave:2"), [5, 3, 1, 2, 9]);
    }

    #[test]
    fn what_cannot_happen_is_refused() {
        for (changes, wrong) in [
            ("leave:4", "have leave:4: no such place"),
            ("drop:9", "have drop:9: no such place"),
            ("join:5@5", "have join:5@5: no such place"),
            ("join:3@0", "have join:3@0: 3 is in use"),
            ("join:0@0", "have join:0@0: a name is a positive integer"),
            ("leave:0,leave:0,drop:0,leave:0", "have leave:0: it is the last processor"),
        ] {
            let changes: RingChanges = changes.parse().expect("it is a list of changes");
            let refused = changes.of(&[3, 1, 4, 2]).expect_err("it is refused");
            assert_eq!((refused.field, refused.wrong.as_str()), ("changes", wrong));
        }
        for text in ["", "leave", "leave:", "leave:x", "join:5", "join:@2", "enter:1", "leave:1,"] {
            assert!(text.parse::<RingChanges>().is_err(), "{text}");
        }
    }

    /// Every ring of up to four of the names 1 to 5, in every order.
    fn rings() -> Vec<Vec<u64>> {
        let mut rings: Vec<Vec<u64>> = vec![Vec::new()];
        let mut from = 0;
        while rings[from].len() < 4 {
            let longer =
                (1..=5).filter(|name| !rings[from].contains(name)).map(|name| [&rings[from][..], &[name]].concat());
            let longer: Vec<_> = longer.collect();
            rings.extend(longer);
            from += 1;
        }
        rings.split_off(1)
    }

    fn least(names: &[u64]) -> u64 {
        *names.iter().min().expect("somebody is there")
    }

    /// Section 4: l never rises, over any sequence of changes, since no change of any ring raises it. Who stays has the names of
    /// before but for the greatest of those that were interchanged.
    #[test]
    fn the_least_name_never_rises_with_interchange_and_does_without() {
        let (rings, mut raised) = (rings(), 0);
        assert_eq!(rings.len(), 5 + 5 * 4 + 5 * 4 * 3 + 5 * 4 * 3 * 2);
        for names in rings {
            let n = names.len() as u64;
            let joins = (1..=6).flat_map(|name| (0..=n).map(move |place| RingChange::Join { name, place }));
            for change in joins.chain((0..n).map(RingChange::Leave)).chain((0..n).map(RingChange::Drop)) {
                let Ok(ring) = change.of(&names) else { continue };
                match change {
                    RingChange::Drop(_) => raised += u64::from(ring.least() > least(&names)),
                    RingChange::Join { name, .. } => {
                        assert_eq!(ring.least(), least(&names).min(name), "{change} of {names:?}");
                        let old: Vec<u64> = ring.names.iter().copied().filter(|&other| other != name).collect();
                        assert_eq!(old, names, "nobody else is renamed");
                    }
                    RingChange::Leave(place) => {
                        assert_eq!(ring.least(), least(&names), "{change} of {names:?}");
                        let left = ring.interchanged.map_or(names[place as usize], |(_, greater)| greater);
                        assert!(left >= names[place as usize]);
                        let [mut stay, mut kept] = [ring.names.clone(), names.clone()];
                        kept.retain(|&name| name != left);
                        stay.sort_unstable();
                        kept.sort_unstable();
                        assert_eq!(stay, kept, "{change} of {names:?}");
                    }
                }
            }
        }
        // The least of two or more leaves: once for each of the 20 + 60 + 120 rings.
        assert_eq!(raised, 200);
    }
}
