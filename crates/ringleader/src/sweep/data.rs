//! The data folder's text: rows of `runs.csv` and back, and `table.csv`.

use std::fmt::{self, Write};

use ringleader_sim::{StopReason, Verdict};

use super::plan::SweepPlan;
use super::quantity::{MeasuredValue, RunRecord};
use super::report::{ColumnRole, Provenance, SweepReport};
use crate::report::Number;

/// The name of the report in a data folder.
pub const REPORT_NAME: &str = "sweep.json";
/// The name of the file with one row per run.
pub const CSV_NAME: &str = "runs.csv";
/// The name of the table.
pub const TABLE_NAME: &str = "table.csv";
/// The name of the file with runs that are done although an earlier one is not.
pub const PENDING_NAME: &str = "pending.csv";

/// A row that was not written by this sweep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadData {
    /// What is wrong.
    pub wrong: String,
}

impl fmt::Display for BadData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.wrong)
    }
}

impl std::error::Error for BadData {}

/// The rows of `runs.csv` of one sweep.
#[derive(Clone, Debug)]
pub struct RunRows<'a> {
    plan: &'a SweepPlan,
    /// By cell, the parameters; the same in all rows.
    parameters: Vec<String>,
    provenance: String,
}

impl<'a> RunRows<'a> {
    /// The rows of a sweep that this program makes.
    pub fn new(plan: &'a SweepPlan, provenance: &Provenance) -> Self {
        let parameters = plan.reports.iter().map(|report| {
            let value = |name: &str| match name {
                "protocol" => field(&report.protocol),
                "rules" => field(&report.rules),
                name => {
                    let values = report.parameters.iter().filter(|(known, _)| known == name);
                    field(&values.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" "))
                }
            };
            let columns = plan.columns.iter().filter(|column| column.role == ColumnRole::Parameter);
            columns.map(|column| value(&column.name)).collect::<Vec<_>>().join(",")
        });
        let commit = provenance.commit.as_deref().unwrap_or_default();
        Self {
            plan,
            parameters: parameters.collect(),
            provenance: format!("{},{}", field(&provenance.version), field(commit)),
        }
    }

    /// The header, without the end of the line.
    pub fn header(&self) -> String {
        self.plan.columns.iter().map(|column| field(&column.name)).collect::<Vec<_>>().join(",")
    }

    /// The row of a run, without the end of the line.
    pub fn row(&self, record: &RunRecord) -> String {
        let (cell, _) = self.plan.cell_of(record.index);
        let mut row = format!("{},{cell},{},{}", record.index, self.parameters[cell], record.seed);
        let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        // Writing to a string does not fail.
        let _ = write!(
            row,
            ",{},{},{},{},{},{}",
            record.verdict.name(),
            record.finished,
            record.reason.map_or("", StopReason::name),
            number(record.leaders),
            number(record.leader),
            record.exceeded
        );
        for value in &record.values {
            row.push(',');
            match value {
                MeasuredValue::Missing => {}
                MeasuredValue::Number(number) => push_number(&mut row, *number),
                MeasuredValue::List(list) => {
                    row.push_str(&list.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
                }
            }
        }
        for bound in &record.bounds {
            row.push(',');
            if let Some(number) = bound {
                push_number(&mut row, *number);
            }
        }
        row.push(',');
        row.push_str(&self.provenance);
        row
    }

    /// The run of a row.
    pub fn parse(&self, line: &str) -> Result<RunRecord, BadData> {
        let bad = |wrong: &str| BadData { wrong: wrong.to_string() };
        let fields = fields(line).ok_or_else(|| bad("a quote is not closed"))?;
        if fields.len() != self.plan.columns.len() {
            return Err(bad(&format!("has {} fields instead of {}", fields.len(), self.plan.columns.len())));
        }
        let by_name = |name: &str| {
            let position = self.plan.columns.iter().position(|column| column.name == name);
            position.map_or("", |position| fields[position].as_str())
        };
        let integer = |name: &str| by_name(name).parse::<u64>().map_err(|_| bad(&format!("{name} is no number")));
        let optional = |name: &str| match by_name(name) {
            "" => Ok(None),
            _ => integer(name).map(Some),
        };
        let values = self.plan.quantities.iter().map(|quantity| {
            let text = by_name(&quantity.name);
            match quantity.is_list() {
                _ if text.is_empty() => Ok(MeasuredValue::Missing),
                true => {
                    let items = text.split(' ').map(|item| item.parse().map_err(|_| bad("a list is none")));
                    items.collect::<Result<_, _>>().map(MeasuredValue::List)
                }
                false => number(text).map(MeasuredValue::Number).ok_or_else(|| bad("a quantity is no number")),
            }
        });
        let bounds = (1..=self.plan.bounds.len()).map(|index| match by_name(&format!("bound.{index}")) {
            "" => Ok(None),
            text => number(text).map(Some).ok_or_else(|| bad("a bound is no number")),
        });
        let record = RunRecord {
            index: integer("run")?,
            seed: integer("seed")?,
            verdict: Verdict::named(by_name("verdict")).ok_or_else(|| bad("verdict is none"))?,
            finished: by_name("finished") == "true",
            reason: StopReason::named(by_name("reason")),
            leaders: optional("leaders")?,
            leader: optional("leader")?,
            exceeded: by_name("exceeded") == "true",
            values: values.collect::<Result<_, _>>()?,
            bounds: bounds.collect::<Result<_, _>>()?,
        };
        // Whatever else a row says must be what this sweep would say.
        let ours = record.index < self.plan.total() && self.row(&record) == line;
        if ours { Ok(record) } else { Err(bad("is of another sweep, or of another version of this program")) }
    }
}

/// `table.csv`.
pub fn table_csv(report: &SweepReport) -> String {
    let axes: Vec<&str> = report.spec.vary.iter().map(|axis| axis.name.as_str()).collect();
    let mut text =
        ["cell", "protocol"].into_iter().chain(axes.iter().copied()).map(field).collect::<Vec<_>>().join(",");
    text.push_str(
        ",quantity,runs,mean,variance,level,low,high,median,p95,min,max,bound,kind,formula,source,ratio,exceeded,relation\n",
    );
    let optional = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    for row in &report.rows {
        let mut prefix = format!("{},{}", row.cell, field(&row.protocol));
        for axis in &axes {
            prefix.push(',');
            prefix.push_str(&field(row.parameters.get(*axis).map_or("", String::as_str)));
        }
        for (name, found) in &row.quantities {
            let ci = found.ci;
            let measured = format!(
                "{prefix},{},{},{},{},{},{},{},{},{},{},{}",
                field(name),
                found.runs,
                found.mean,
                optional(found.variance),
                report.spec.level,
                optional(ci.map(|ci| ci.low)),
                optional(ci.map(|ci| ci.high)),
                found.median,
                found.p95,
                found.min,
                found.max
            );
            let mut bounds = row.bounds.iter().filter(|bound| bound.quantity == *name).peekable();
            if bounds.peek().is_none() {
                text.push_str(&format!("{measured},,,,,,,\n"));
            }
            for bound in bounds {
                let relation = bound.relation.map_or("", |relation| relation.name());
                let exceeded = bound.exceeded.map_or(String::new(), |runs| runs.to_string());
                let [kind, formula, source] = [&bound.kind, &bound.formula, &bound.source].map(|text| field(text));
                let ratio = optional(bound.ratio);
                let value = bound.value;
                text.push_str(&format!("{measured},{value},{kind},{formula},{source},{ratio},{exceeded},{relation}\n"));
            }
        }
    }
    text
}

/// A field of a CSV file.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// The fields of a line; `None` if a quote is not closed.
pub(crate) fn fields(line: &str) -> Option<Vec<String>> {
    let (mut fields, mut present, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => present.push(characters.next()?),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut present)),
            other => present.push(other),
        }
    }
    fields.push(present);
    (!quoted).then_some(fields)
}

/// An integer as such, a fraction with as many digits as tell it from all others.
fn push_number(row: &mut String, number: Number) {
    // Writing to a string does not fail.
    let _ = match number {
        Number::Integer(integer) => write!(row, "{integer}"),
        Number::Fraction(fraction) => write!(row, "{fraction:?}"),
    };
}

fn number(text: &str) -> Option<Number> {
    match text.parse() {
        Ok(integer) => Some(Number::Integer(integer)),
        Err(_) => text.parse().ok().filter(|fraction: &f64| fraction.is_finite()).map(Number::Fraction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be_and_read_back() {
        let texts = ["plain", "2,1", "say \"no\"", "", "a b"];
        let line = texts.map(field).join(",");
        assert_eq!(line, "plain,\"2,1\",\"say \"\"no\"\"\",,a b");
        assert_eq!(fields(&line).expect("quotes are closed"), texts);
        assert_eq!(fields("a,\"b"), None);
    }

    #[test]
    fn numbers_are_read_back_bit_by_bit() {
        for number in [Number::Integer(u64::MAX), Number::Fraction(0.1), Number::Fraction(1e300), Number::Fraction(2.0)]
        {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(super::number(&text), Some(number), "{text}");
        }
        assert_eq!(number("inf"), None);
    }
}
