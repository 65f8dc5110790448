//! A run as the text of a command line, read without a terminal.

use super::table::{RUN_OPTIONS, RunOption};
use super::values::number;
use super::{Options, program};
use crate::catalogue::Catalogue;
use crate::error::Error;

/// The words of a line, as a POSIX shell reads them: quotes and backslashes, no expansions.
///
/// ```
/// let words = ringleader::words(r"run 'a b' c\ d").unwrap();
/// assert_eq!(words, ["run", "a b", "c d"]);
/// ```
pub fn words(line: &str) -> Result<Vec<String>, Error> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, white) if white.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => match characters.next() {
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(Error::refused("the line ends with a backslash", LINE)),
            },
            (_, character) => word.get_or_insert_default().push(character),
        }
    }
    if let Some(quote) = quote {
        return Err(Error::refused(format!("a quotation mark {quote} is not closed"), LINE));
    }
    words.extend(word);
    Ok(words)
}

const LINE: &str = "the line of a run, such as run chang-roberts -n 8 --seed 3";

/// The protocol and the options of a line such as `ringleader run chang-roberts -n 8`; the name of the program may be left out.
///
/// ```
/// use ringleader::{Catalogue, run_line};
///
/// let (protocol, options) = run_line("run peterson --ids 3,1,4,2 --seed=7", &Catalogue::default())?;
/// assert_eq!((protocol.as_str(), options.ids), ("peterson", Some(vec![3, 1, 4, 2])));
/// # Ok::<(), ringleader::Error>(())
/// ```
pub fn run_line(line: &str, catalogue: &Catalogue) -> Result<(String, Options), Error> {
    let words = words(line)?;
    let mut words = words.iter().map(String::as_str).peekable();
    if words.peek().is_some_and(|first| *first == program() || *first == "ringleader") {
        words.next();
    }
    match words.next() {
        Some("run") => {}
        Some(other) => return Err(Error::refused(format!("the line begins with '{other}'"), LINE)),
        None => return Err(Error::refused("the line is empty", LINE)),
    }
    let (mut protocol, mut options, mut given) = (None, Options::default(), Vec::new());
    while let Some(word) = words.next() {
        let Some((option, value)) = option(word)? else {
            if let Some(first) = protocol.replace(word) {
                return Err(Error::refused(format!("the line has two protocols, '{first}' and '{word}'"), LINE));
            }
            continue;
        };
        let value = match value {
            Some(value) => value,
            None => words.next().ok_or_else(|| Error::Named {
                name: option.name.to_string(),
                wrong: "has no value".to_string(),
                allowed: option.value_name.to_string(),
            })?,
        };
        if option.kind != super::OptionKind::List && given.contains(&option.name) {
            let wrong = "is given more than once".to_string();
            return Err(Error::Named { name: option.name.to_string(), wrong, allowed: "one value".to_string() });
        }
        given.push(option.name);
        options.give(option.name, value)?;
    }
    let protocol = protocol.ok_or_else(|| Error::refused("the line names no protocol", LINE))?;
    Ok(options.with_election(&catalogue.complete(protocol)?))
}

/// The option that a word names, and its value if the word has that, too; `None` if the word is no option.
fn option(word: &str) -> Result<Option<(&'static RunOption, Option<&str>)>, Error> {
    let unknown = || Error::Named {
        name: word.trim_start_matches('-').to_string(),
        wrong: "is no option of a run".to_string(),
        allowed: RUN_OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", "),
    };
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        // The name that offsets had first.
        let name = if name == "phases" { "offsets" } else { name };
        let found = RUN_OPTIONS.iter().find(|option| option.name == name);
        return found.map(|option| Some((option, value))).ok_or_else(unknown);
    }
    let Some(short) = word.strip_prefix('-') else { return Ok(None) };
    let found = RUN_OPTIONS.iter().find(|option| option.short.is_some_and(|letter| short.starts_with(letter)));
    let value = short.get(1..).map(|rest| rest.strip_prefix('=').unwrap_or(rest)).filter(|rest| !rest.is_empty());
    found.map(|option| Some((option, value))).ok_or_else(unknown)
}

impl Options {
    /// Gives the option of this name a value, the seed included; `set` and `again` get one more.
    pub fn give(&mut self, name: &str, value: &str) -> Result<(), Error> {
        if name == "seed" {
            self.seed = Some(number(value).map_err(|bad| Error::option("seed", bad))?);
            return Ok(());
        }
        self.assign(name, value).map_err(|bad| bad.named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Order;

    fn read(line: &str) -> Result<(String, Options), Error> {
        run_line(line, &Catalogue::default())
    }

    #[test]
    fn words_are_those_of_a_shell() {
        let read = |line: &str| words(line).expect("words");
        assert_eq!(read("  a  'b c'\td\\'e \"f'\\\"g\" '' h"), ["a", "b c", "d'e", "f'\"g", "", "h"]);
        assert_eq!(read(&format!("x {}", super::super::quoted("it's here"))), ["x", "it's here"]);
        assert!(read("").is_empty());
        for open in ["'a", "a \"b", "a\\"] {
            assert!(words(open).is_err(), "{open}");
        }
    }

    #[test]
    fn values_stand_apart_or_behind_a_sign() {
        let expected = Options { n: Some(8), seed: Some(3), order: Some(Order::Ascending), ..Options::default() };
        for line in [
            "run chang-roberts -n 8 --seed 3 --order ascending",
            "ringleader run -n8 --seed=3 chang-roberts --order=ascending",
            "run --order ascending chang-r -n=8 --seed 3",
        ] {
            assert_eq!(read(line), Ok(("chang-roberts".to_string(), expected.clone())), "{line}");
        }
    }

    #[test]
    fn a_line_that_was_written_is_read_again() {
        let line = "run vitanyi --ids 3,1,4 --timing archimedean --again 1@50 --again 2@70 --set law=2^i --offsets random \
             --intervene 3:drop,4:until:9 --choices 1,0";
        let (protocol, options) = read(line).expect("a run");
        let again = read(&options.command_line(&format!("run {protocol}"))).expect("it was written here");
        assert_eq!(again.1, Options { seed: Some(1), ..options });
        assert_eq!(again.0, protocol);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |line: &str| read(line).expect_err(line).to_string();
        for (line, expected) in [
            ("", "the line is empty"),
            ("check peterson", "begins with 'check'"),
            ("run", "names no protocol"),
            ("run peterson franklin", "two protocols"),
            ("run petersen", "did you mean 'peterson'?"),
            ("run peterson -n", "-n has no value"),
            ("run peterson -n x", "-n has 'x'"),
            ("run peterson -n 2 -n 3", "-n is given more than once"),
            ("run peterson --steps", "--steps is no option of a run"),
            ("run peterson -x 2", "is no option of a run"),
            ("run peterson --order sideways", "--order is 'sideways'"),
        ] {
            let told = wrong(line);
            assert!(told.contains(expected), "{line}: {told}");
        }
    }
}
