//! Commands as the ledger writes them: the words of a command line, read into specs and options.

use ringleader_model::BadText;

use ringleader::check::CheckOptions;
use ringleader::exact::ExactOptions;
use ringleader::sweep::sizes::sizes;
use ringleader::sweep::{MOST_CELLS, SweepAxis, SweepSpec};
use ringleader::values::BadOption;
use ringleader::{Error, Options};

/// The words of a command: protocols, then options with their values; a flag has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CommandWords {
    pub(crate) protocols: Vec<String>,
    options: Vec<(String, String)>,
}

/// Options without a value.
const FLAGS: [&str; 3] = ["timed", "untimed", "anonymous"];

impl CommandWords {
    /// The words of a text such as `vitanyi -n 2..8 --vary r='1 1..4'`.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let mut words = split(text).into_iter().peekable();
        let mut protocols = Vec::new();
        while let Some(word) = words.next_if(|word| !word.starts_with('-')) {
            protocols.push(word);
        }
        let mut options = Vec::new();
        while let Some(word) = words.next() {
            let name = word.trim_start_matches('-').to_string();
            let value = if FLAGS.contains(&name.as_str()) { Some(String::new()) } else { words.next() };
            let value = value.ok_or_else(|| Error::option(&name, BadText::new("has no value", "a value")))?;
            options.push((name, value));
        }
        Ok(Self { protocols, options })
    }

    /// The only protocol.
    pub(crate) fn protocol(&self) -> &str {
        self.protocols.first().map_or("", String::as_str)
    }

    /// The options of a run.
    pub(crate) fn run(&self) -> Result<Options, Error> {
        let mut options = Options::default();
        for (name, value) in &self.options {
            match name.as_str() {
                "seed" => options.seed = Some(value.parse().map_err(|_| not_a_number(name, value))?),
                _ => options.assign(name, value).map_err(|bad| bad.named(name))?,
            }
        }
        Ok(options)
    }

    /// The options of a check.
    pub(crate) fn check(&self) -> Result<CheckOptions, Error> {
        let mut check = CheckOptions::default();
        for (name, value) in &self.options {
            let bad = |bad: BadText| BadOption::from(bad).named(name);
            match name.as_str() {
                "anonymous" => {}
                "timed" => check.timed = Some(true),
                "untimed" => check.timed = Some(false),
                "wake" => check.wake = Some(value.parse().map_err(bad)?),
                "orientation" => check.orientation = Some(value.parse().map_err(bad)?),
                "extremes" => check.extremes.depth = true,
                "max-states" => check.effort.states = value.parse().map_err(|_| not_a_number(name, value))?,
                _ => check.options.assign(name, value).map_err(|bad| bad.named(name))?,
            }
        }
        Ok(check)
    }

    /// A sweep of this many runs a cell.
    pub(crate) fn sweep(&self, runs: u64, seed: u64, level: f64) -> Result<SweepSpec, Error> {
        let mut spec = SweepSpec { protocols: self.protocols.clone(), runs, seed, level, ..SweepSpec::default() };
        for (name, value) in &self.options {
            let bad = |bad: BadText| BadOption::from(bad).named(name);
            match (name.as_str(), value.split_once('=')) {
                ("vary", _) => spec.vary.push(value.parse().map_err(bad)?),
                ("quantity", _) => spec.quantities.push(value.clone()),
                ("set", Some((key, value))) => spec.options.push((format!("set.{key}"), value.to_string())),
                ("n", _) => match sizes(value, MOST_CELLS).map_err(bad)?.as_slice() {
                    [one] => spec.options.push((name.clone(), one.to_string())),
                    many => {
                        let values = many.iter().map(u64::to_string).collect();
                        spec.vary.insert(0, SweepAxis { name: name.clone(), values });
                    }
                },
                _ => spec.options.push((name.clone(), value.clone())),
            }
        }
        Ok(spec)
    }

    /// The sizes and options of an exact distribution.
    pub(crate) fn exact(&self, threads: usize) -> Result<(Vec<u64>, ExactOptions), Error> {
        let mut options = ExactOptions { threads, ..ExactOptions::default() };
        let mut numbers = Vec::new();
        for (name, value) in &self.options {
            let bad = |bad: BadText| BadOption::from(bad).named(name);
            match (name.as_str(), value.split_once('=')) {
                ("n", _) => numbers = sizes(value, MOST_CELLS).map_err(bad)?,
                ("wakes", _) => options.all_wakes = value == "all",
                ("orientations", _) => options.all_orientations = value == "all",
                ("set", Some((key, value))) => options.set.push((key.to_string(), value.to_string())),
                _ => return Err(BadOption::Unknown.named(name)),
            }
        }
        Ok((numbers, options))
    }

    /// The value of an option that is given.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn not_a_number(name: &str, value: &str) -> Error {
    Error::option(name, BadText::new(format!("is '{value}'"), "a number"))
}

/// The words of a text; single quotes hold words together.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    for letter in text.chars() {
        match letter {
            '\'' => (quoted, begun) = (!quoted, true),
            letter if letter.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            letter => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(split("a  --vary r='1 1..4' ''"), ["a", "--vary", "r=1 1..4", ""]);
        assert!(split("  ").is_empty());
    }

    #[test]
    fn a_sweep_has_axes_sizes_and_parameters() {
        let words = CommandWords::parse("vitanyi -n 2..3 --vary r='1 1..4' --set law=2^i --d 0").unwrap();
        let spec = words.sweep(7, 5, 0.99).unwrap();
        assert_eq!(spec.protocols, ["vitanyi"]);
        let axis = |name: &str, values: [&str; 2]| SweepAxis {
            name: name.to_string(),
            values: values.map(str::to_string).to_vec(),
        };
        assert_eq!(spec.vary, [axis("n", ["2", "3"]), axis("r", ["1", "1..4"])]);
        let option = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(spec.options, [option("set.law", "2^i"), option("d", "0")]);
        assert_eq!((spec.runs, spec.seed, spec.level), (7, 5, 0.99));
    }

    #[test]
    fn a_check_has_clocks_and_initiators() {
        let words = CommandWords::parse("vitanyi --ids 2,5 --timed --wake together --r 1").unwrap();
        let check = words.check().unwrap();
        assert_eq!((check.timed, words.protocol()), (Some(true), "vitanyi"));
        assert_eq!(check.options.ids, Some(vec![2, 5]));
        assert!(check.wake.is_some() && check.options.r.is_some());
        assert!(CommandWords::parse("vitanyi --nonsense 3").unwrap().check().is_err());
        assert!(CommandWords::parse("vitanyi -n").is_err(), "a value is missing");
    }
}
