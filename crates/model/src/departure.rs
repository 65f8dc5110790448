use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde::Serialize;

use crate::{BadSetting, Parameter, Settings, Values};

/// A rule of a paper from which a protocol departs, because what is printed fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Departure {
    /// Its name on the command line: `printed=NAME`.
    pub name: &'static str,
    /// The place in the paper.
    pub place: &'static str,
    /// The printed rule.
    pub printed: &'static str,
    /// The rule that is followed instead.
    pub repaired: &'static str,
    /// Where the printed rule has two readings: the departure of which this is the other reading. Only one of the
    /// two can be undone, and that one is undone with all others.
    pub instead_of: Option<&'static str>,
}

impl Departure {
    /// A departure of this name: at this place of the paper something is printed, and something else is done.
    pub const fn new(name: &'static str, place: &'static str, printed: &'static str, repaired: &'static str) -> Self {
        Self { name, place, printed, repaired, instead_of: None }
    }
}

/// The departures from its papers that a protocol undoes.
///
/// Two parameters say so, and mean the same in every protocol that has them: `rules=printed` undoes all departures,
/// `printed=NAME,…` those named. To give both is an error.
///
/// ```
/// use ringleader_model::{Departure, Departures, Settings};
///
/// const ALL: &[Departure] = &[
///     Departure::new("hops", "slide 1", "relayed while hops > 0", "relayed while hops > 1"),
///     Departure::new("flag", "section 3", "the flag goes back", "the flag goes onward"),
/// ];
/// let undone = |set: &[(&str, &str)]| {
///     let given: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
///     let departures = Departures::new(ALL, &Settings::new(&Departures::parameters(ALL), &given)?)?;
///     Ok::<_, ringleader_model::BadSetting>(departures.undone().map(|departure| departure.name).collect::<Vec<_>>())
/// };
/// assert_eq!(undone(&[]).unwrap(), [""; 0]);
/// assert_eq!(undone(&[("rules", "printed")]).unwrap(), ["hops", "flag"]);
/// assert_eq!(undone(&[("printed", "flag")]).unwrap(), ["flag"]);
/// assert!(undone(&[("rules", "printed"), ("printed", "flag")]).is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departures {
    all: &'static [Departure],
    /// A bit each.
    undone: u32,
}

impl Departures {
    const RULES: &'static str = "rules";
    const PRINTED: &'static str = "printed";
    const NONE: &'static str = "none";

    /// The two parameters of a protocol with these departures from its papers.
    pub const fn parameters(all: &'static [Departure]) -> [Parameter; 2] {
        [Self::rules(), Self::printed(all)]
    }

    /// `rules`
    pub const fn rules() -> Parameter {
        Parameter {
            name: Self::RULES,
            values: Values::Choice(&["repaired", "printed"]),
            default: "repaired",
            doc: "printed: all departures from the paper are undone",
        }
    }

    /// `printed`
    pub const fn printed(all: &'static [Departure]) -> Parameter {
        assert!(all.len() <= 32, "a departure is a bit of 32");
        Parameter {
            name: Self::PRINTED,
            values: Values::Departures(all),
            default: Self::NONE,
            doc: "which departures from the paper are undone, since they may hide each other; separated by commas",
        }
    }

    /// Those of `all` that these settings undo.
    pub fn new(all: &'static [Departure], settings: &Settings) -> Result<Self, BadSetting> {
        let (rules, printed) = (settings.is(Self::RULES, "printed"), settings.get(Self::PRINTED));
        if rules && printed != Self::NONE {
            let wrong = format!("rules=printed and printed={printed} are both given");
            return Err(BadSetting::new(
                "set",
                wrong,
                "rules=printed for all departures, or printed=… for some of them",
            ));
        }
        let mut departures = Self { all, undone: 0 };
        for (index, departure) in all.iter().enumerate() {
            let undone = if rules { departure.instead_of.is_none() } else { is_named(departure.name, printed) };
            departures.undone |= u32::from(undone) << index;
        }
        let excluded = |departure: &&Departure| departure.instead_of.is_some_and(|other| departures.undoes(other));
        if let Some(departure) = departures.undone().find(excluded) {
            let other = departure.instead_of.unwrap_or_default();
            let wrong = format!("printed={printed}: {} and {other} are two readings of one rule", departure.name);
            return Err(BadSetting::new("set", wrong, format!("{} or {other}", departure.name)));
        }
        Ok(departures)
    }

    /// Whether the departure of this name is undone.
    pub fn undoes(&self, name: &str) -> bool {
        let index = self.all.iter().position(|departure| departure.name == name);
        self.undone >> index.expect("a protocol asks for its own departures only") & 1 == 1
    }

    /// Whether some departure is undone.
    pub const fn any(&self) -> bool {
        self.undone != 0
    }

    /// Those that are undone.
    pub fn undone(&self) -> impl Iterator<Item = &'static Departure> + use<> {
        let undone = self.undone;
        self.all.iter().enumerate().filter(move |(index, _)| undone >> index & 1 == 1).map(|(_, departure)| departure)
    }

    /// Whether a value of `printed` names departures of this list.
    pub(crate) fn allows(all: &[Departure], value: &str) -> bool {
        value == Self::NONE || value.split(',').all(|name| all.iter().any(|departure| departure.name == name))
    }

    /// The values of `printed`.
    pub(crate) fn names(all: &[Departure]) -> alloc::string::String {
        let names: Vec<_> = all.iter().map(|departure| departure.name).collect();
        [Self::NONE.to_string(), names.join(" | ")].join(" | ")
    }
}

fn is_named(name: &str, list: &str) -> bool {
    list.split(',').any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn departure(name: &'static str, instead_of: Option<&'static str>) -> Departure {
        Departure { name, place: "", printed: "", repaired: "", instead_of }
    }

    const ALL: &[Departure] = &[departure("own", None), departure("zero", Some("own")), departure("slide-4", None)];

    fn undone(rules: &str, printed: &str) -> Result<Vec<&'static str>, BadSetting> {
        let given = [("rules".to_string(), rules.to_string()), ("printed".to_string(), printed.to_string())];
        let departures = Departures::new(ALL, &Settings::new(&Departures::parameters(ALL), &given)?)?;
        Ok(departures.undone().map(|departure| departure.name).collect())
    }

    #[test]
    fn all_are_undone_or_those_named_and_never_two_readings_of_one() {
        assert_eq!(undone("repaired", "none"), Ok(Vec::new()));
        assert_eq!(undone("printed", "none"), Ok(alloc::vec!["own", "slide-4"]));
        assert_eq!(undone("repaired", "slide-4,zero"), Ok(alloc::vec!["zero", "slide-4"]));
        let wrong = |rules, printed| undone(rules, printed).expect_err("it is refused").wrong;
        assert_eq!(wrong("printed", "zero"), "rules=printed and printed=zero are both given");
        assert_eq!(wrong("repaired", "own,zero"), "printed=own,zero: zero and own are two readings of one rule");
        assert_eq!(wrong("repaired", "own,all"), "printed=own,all: there is no such value");
    }
}
