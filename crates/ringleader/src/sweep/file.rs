//! Scenario files: a sweep, and what is expected of it, as TOML.
//!
//! ```toml
//! version = 1                       # of this format
//! protocol = ["chang-roberts", "peterson"]
//! n = [4, 8, "2^4..2^6"]            # only n has ranges
//! order = ["random", "ascending"]   # an array varies
//! runs = 100
//!
//! [expect]
//! messages.mean = "<= 100"
//! verdict = "held"
//! ```
//!
//! The keys are the options of `run` without their dashes, `set.NAME` for parameters of the protocol, and `runs`, `seed`,
//! `level` and `quantity` as in `sweep`. A value is a string in the notation of the command line, or a number; an array
//! varies. Two options are lists themselves: `ids = [3, 1, 4, 2]` and `again = ["2@10"]` do not vary, `ids = ["3,1,4,2",
//! "4,3,2,1"]` does.
//!
//! All errors of a file are told at once, each with its line and a caret.

use std::ops::Range;

use ringleader_model::integer;
use schemars::Schema;
use serde_json::json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::expect::ScenarioExpectation;
use super::plan::{MOST_CELLS, SweepPlan};
use super::sizes::sizes;
use super::spec::{SpecPlace, SweepAxis, SweepSpec};
use crate::catalogue::Catalogue;
use crate::options::values::NAMES;

/// The version of the format of scenario files.
pub const FILE_FORMAT: u64 = 1;

/// A scenario file that makes sense.
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    /// The sweep.
    pub plan: SweepPlan,
    /// What is expected of it.
    pub expectations: Vec<ScenarioExpectation>,
}

/// What is wrong with a scenario file, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    /// The bytes of the file that are to blame.
    pub span: Range<usize>,
    /// What is wrong.
    pub wrong: String,
    /// What is allowed.
    pub allowed: String,
}

impl FileError {
    /// The error with the line that it is in, and a caret below.
    pub fn render(&self, name: &str, text: &str) -> String {
        let start = floor(text, self.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let number = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count();
        let end = floor(text, self.span.end.min(line_start + line.len()));
        let width = text.get(start..end).map_or(1, |marked| marked.chars().count()).max(1);
        let margin = " ".repeat(number.to_string().len());
        // A tab takes as much room below as above.
        let indent: String =
            line.chars().take(column).map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
        format!(
            "{name}:{number}:{}: {}\n{margin} |\n{number} | {line}\n{margin} | {indent}{}\nallowed: {}",
            column + 1,
            self.wrong,
            "^".repeat(width),
            self.allowed
        )
    }
}

/// The nearest start of a character before a byte.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The JSON Schema of a scenario file, for editors.
///
/// # Panics
/// Never: what is written here is a schema.
pub fn scenario_schema() -> Schema {
    let scalar = json!({ "type": ["string", "integer", "number"] });
    let varying = json!({ "anyOf": [scalar, { "type": "array", "items": scalar, "minItems": 1 }] });
    let texts =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }] });
    let mut properties = serde_json::Map::new();
    for name in NAMES {
        let mut property = varying.clone();
        property["description"] = format!("As `--{name}` of `ringleader run`; an array varies.").into();
        properties.insert(name.to_string(), property);
    }
    let mut add = |name: &str, mut property: serde_json::Value, description: &str| {
        property["description"] = description.into();
        properties.insert(name.to_string(), property);
    };
    add("version", json!({ "const": FILE_FORMAT }), "The version of this format.");
    add("protocol", texts.clone(), "Protocols: NAME or NAME:KEY=VALUE,KEY=VALUE.");
    add("n", varying.clone(), "Numbers of processors; ranges are \"2..12\" and \"2^4..2^20\".");
    add("runs", json!({ "type": "integer", "minimum": 1 }), "Runs of each cell.");
    add("seed", json!({ "type": "integer", "minimum": 0 }), "The seed from which those of all runs are derived.");
    let level = json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 });
    add("level", level, "The level of confidence intervals.");
    add("quantity", texts, "Quantities to measure, each with all below it; all if there are none.");
    let settings = json!({ "type": "object", "additionalProperties": varying });
    add("set", settings, "Parameters of the protocol; an array varies.");
    let leaf = json!({ "type": ["string", "number", "integer"] });
    let expected =
        json!({ "type": "object", "additionalProperties": { "anyOf": [leaf, { "$ref": "#/properties/expect" }] } });
    add("expect", expected, "What is expected, for `ringleader test`: messages.mean = \"<= 100\", verdict = \"held\".");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario",
        "description": "A sweep of ringleader, and what is expected of it.",
        "type": "object",
        "required": ["version", "protocol"],
        "properties": properties,
        "additionalProperties": false,
    })
    .try_into()
    .expect("it is an object")
}

/// The spans of a spec's parts.
#[derive(Default)]
struct Spans {
    protocols: Vec<Range<usize>>,
    options: Vec<Range<usize>>,
    axes: Vec<(Range<usize>, Vec<Range<usize>>)>,
    runs: Range<usize>,
    level: Range<usize>,
    quantities: Vec<Range<usize>>,
}

impl Spans {
    fn of(&self, place: SpecPlace) -> Range<usize> {
        let found = match place {
            SpecPlace::Whole => None,
            SpecPlace::Protocol(index) => self.protocols.get(index),
            SpecPlace::Option(index) => self.options.get(index),
            SpecPlace::Axis(axis) => self.axes.get(axis).map(|(name, _)| name),
            SpecPlace::AxisValue(axis, value) => self.axes.get(axis).and_then(|(_, values)| values.get(value)),
            SpecPlace::Runs => Some(&self.runs),
            SpecPlace::Level => Some(&self.level),
            SpecPlace::Quantity(index) => self.quantities.get(index),
        };
        found.cloned().unwrap_or(0..0)
    }
}

/// A value of a key.
type TomlItem<'a> = Spanned<DeValue<'a>>;

/// A scenario file that was read, and not yet planned: the command line may change its [spec](Self::spec).
pub struct ScenarioDraft {
    /// The sweep.
    pub spec: SweepSpec,
    spans: Spans,
    expectations: Vec<(Range<usize>, ScenarioExpectation)>,
    errors: Vec<FileError>,
    version: bool,
}

impl ScenarioDraft {
    /// Reads a scenario file; what is wrong with it is told when it is planned.
    pub fn read(text: &str) -> Self {
        let mut draft = Self {
            spec: SweepSpec::default(),
            spans: Spans::default(),
            expectations: Vec::new(),
            errors: Vec::new(),
            version: false,
        };
        let (table, broken) = DeTable::parse_recoverable(text);
        if broken.is_empty() {
            draft.read_table(table.get_ref());
        }
        for error in broken {
            draft.refuse(error.span().unwrap_or(0..0), error.message(), "TOML");
        }
        draft
    }

    /// The sweep and what is expected of it; all that is wrong with them, in the order of the file.
    pub fn plan(self, catalogue: &Catalogue) -> Result<ScenarioFile, Vec<FileError>> {
        let Self { spec, spans, expectations, mut errors, version } = self;
        if !version && !errors.is_empty() {
            // What is no TOML says nothing else.
            return Err(errors);
        }
        let plan = match SweepPlan::new(catalogue, spec) {
            Ok(plan) => Some(plan),
            Err(found) => {
                errors.extend(found.iter().map(|bad| {
                    let wrong = bad.error.wrong().trim_start_matches('-').to_string();
                    FileError { span: spans.of(bad.place), wrong, allowed: bad.error.allowed().unwrap_or_default() }
                }));
                None
            }
        };
        for (span, expectation) in &expectations {
            if let Some(Err(bad)) = plan.as_ref().map(|plan| expectation.check(plan)) {
                errors.push(FileError { span: span.clone(), wrong: bad.wrong, allowed: bad.allowed });
            }
        }
        errors.sort_by_key(|error| error.span.start);
        match plan {
            Some(plan) if errors.is_empty() => {
                let expectations = expectations.into_iter().map(|(_, expectation)| expectation).collect();
                Ok(ScenarioFile { plan, expectations })
            }
            _ => Err(errors),
        }
    }

    fn refuse(&mut self, span: Range<usize>, wrong: impl Into<String>, allowed: impl Into<String>) {
        self.errors.push(FileError { span, wrong: wrong.into(), allowed: allowed.into() });
    }

    fn read_table(&mut self, table: &DeTable<'_>) {
        let mut keys: Vec<_> = table.iter().collect();
        // The order of the file is that of the axes.
        keys.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in keys {
            let (name, at) = (key.get_ref().as_ref(), key.span());
            match name {
                "version" => self.read_version(value),
                "protocol" => {
                    for (text, span) in self.texts(name, value) {
                        self.spec.protocols.push(text);
                        self.spans.protocols.push(span);
                    }
                }
                "quantity" => {
                    for (text, span) in self.texts(name, value) {
                        self.spec.quantities.push(text);
                        self.spans.quantities.push(span);
                    }
                }
                "runs" | "seed" => self.read_number(name, value),
                "level" => self.read_level(value),
                "set" => match value.get_ref().as_table() {
                    Some(settings) => {
                        let mut settings: Vec<_> = settings.iter().collect();
                        settings.sort_by_key(|(key, _)| key.span().start);
                        for (key, value) in settings {
                            self.read_option(&format!("set.{}", key.get_ref()), key.span(), value);
                        }
                    }
                    None => self.refuse(value.span(), "set is no table", "set.NAME = VALUE"),
                },
                "expect" => match value.get_ref().as_table() {
                    Some(expected) => self.read_expectations("", expected),
                    None => self.refuse(value.span(), "expect is no table", "[expect] and lines NAME = VALUE"),
                },
                _ if NAMES.contains(&name) => self.read_option(name, at, value),
                _ => {
                    let known = ["version", "protocol", "runs", "seed", "level", "quantity", "set.NAME", "expect"];
                    let allowed = known.into_iter().chain(NAMES).collect::<Vec<_>>().join(", ");
                    self.refuse(at, format!("{name} is no key of a scenario file"), allowed);
                }
            }
        }
        if !self.version {
            self.refuse(0..0, "version is missing", format!("version = {FILE_FORMAT}"));
            self.version = true;
        }
    }

    fn read_version(&mut self, value: &TomlItem<'_>) {
        self.version = true;
        let found = text_of(value.get_ref()).unwrap_or_else(|| value.get_ref().type_str().to_string());
        if found != FILE_FORMAT.to_string() {
            self.refuse(value.span(), format!("version is {found}"), format!("version = {FILE_FORMAT}"));
        }
    }

    fn read_number(&mut self, name: &str, value: &TomlItem<'_>) {
        let number = text_of(value.get_ref()).map(|text| integer(&text, 0, u64::MAX));
        match (number, name) {
            (Some(Ok(runs)), "runs") => (self.spec.runs, self.spans.runs) = (runs, value.span()),
            (Some(Ok(seed)), _) => self.spec.seed = seed,
            (Some(Err(bad)), _) => self.refuse(value.span(), format!("{name} {}", bad.wrong), bad.allowed),
            (None, _) => self.refuse(value.span(), format!("{name} is no number"), "one integer"),
        }
    }

    fn read_level(&mut self, value: &TomlItem<'_>) {
        match text_of(value.get_ref()).and_then(|text| text.parse().ok()) {
            Some(level) => (self.spec.level, self.spans.level) = (level, value.span()),
            None => self.refuse(value.span(), "level is no number", "above 0 and below 1, such as 0.95"),
        }
    }

    /// The texts of a value or of an array of values.
    fn texts(&mut self, name: &str, value: &TomlItem<'_>) -> Vec<(String, Range<usize>)> {
        let items: Vec<&TomlItem<'_>> = match value.get_ref().as_array() {
            Some(array) => array.iter().collect(),
            None => vec![value],
        };
        let mut texts = Vec::new();
        for item in items {
            match text_of(item.get_ref()) {
                Some(text) => texts.push((text, item.span())),
                None => {
                    self.refuse(item.span(), format!("{name} has no such value"), "a string, a number, or an array");
                }
            }
        }
        texts
    }

    fn read_option(&mut self, name: &str, at: Range<usize>, value: &TomlItem<'_>) {
        let array = value.get_ref().as_array();
        let integers = array.is_some_and(|array| array.iter().all(|item| item.get_ref().is_integer()));
        let texts = self.texts(name, value);
        if name == "n" {
            return self.read_sizes(at, texts);
        }
        match (name, array) {
            ("ids", Some(_)) if integers => {
                let list: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
                self.spec.options.push((name.to_string(), list.join(",")));
                self.spans.options.push(value.span());
            }
            ("again", _) | (_, None) => {
                for (text, span) in texts {
                    self.spec.options.push((name.to_string(), text));
                    self.spans.options.push(span);
                }
            }
            (_, Some(_)) => {
                let (values, spans) = texts.into_iter().unzip();
                self.spec.vary.push(SweepAxis { name: name.to_string(), values });
                self.spans.axes.push((at, spans));
            }
        }
    }

    fn read_sizes(&mut self, at: Range<usize>, texts: Vec<(String, Range<usize>)>) {
        let (mut values, mut spans) = (Vec::new(), Vec::new());
        for (text, span) in texts {
            match sizes(&text, MOST_CELLS) {
                Ok(numbers) => {
                    spans.extend(numbers.iter().map(|_| span.clone()));
                    values.extend(numbers.iter().map(u64::to_string));
                }
                Err(bad) => self.refuse(span, format!("n {}", bad.wrong), bad.allowed),
            }
        }
        if let ([value], [span]) = (values.as_slice(), spans.as_slice()) {
            self.spec.options.push(("n".to_string(), value.clone()));
            self.spans.options.push(span.clone());
        } else if !values.is_empty() {
            self.spec.vary.push(SweepAxis { name: "n".to_string(), values });
            self.spans.axes.push((at, spans));
        }
    }

    /// `messages.mean = "<= 100"` is a table in a table.
    fn read_expectations(&mut self, prefix: &str, table: &DeTable<'_>) {
        let mut keys: Vec<_> = table.iter().collect();
        keys.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in keys {
            let name = format!("{prefix}{}", key.get_ref());
            if let Some(deeper) = value.get_ref().as_table() {
                self.read_expectations(&format!("{name}."), deeper);
                continue;
            }
            let Some(text) = text_of(value.get_ref()) else {
                self.refuse(value.span(), format!("{name} has no such value"), "a string or a number");
                continue;
            };
            match ScenarioExpectation::new(&name, &text) {
                Ok(expectation) => self.expectations.push((key.span(), expectation)),
                Err(bad) => self.refuse(value.span(), format!("{name} {}", bad.wrong), bad.allowed),
            }
        }
    }
}

/// A scalar as the command line writes it.
fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_string()),
        DeValue::Float(number) => Some(number.as_str().to_string()),
        DeValue::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}
