//! The distributions within one run.

use std::io::{self, Write};

use ringleader::report::grouped;
use ringleader::statistics::HistogramBucket;
use ringleader::sweep::RunDistribution;

use super::grid::{Column, TextTable};
use super::{BOLD, fitted, styled};

/// The width of the longest bar.
const BAR: u64 = 40;
/// The most identities that are listed one by one.
const LISTED: usize = 24;

pub(crate) fn distribution(found: &RunDistribution, out: &mut impl Write) -> io::Result<()> {
    if !found.phases.is_empty() {
        writeln!(out, "\n  {}", styled(BOLD, "messages by phase"))?;
        let most = found.phases.iter().map(|phase| phase.messages).max();
        let columns = [
            Column::new("phase").right(),
            Column::new("messages").right(),
            Column::new("candidates").right(),
            Column::new("").rank(1),
        ];
        let mut rows = TextTable::new(columns);
        for phase in &found.phases {
            let [number, messages, candidates] = [phase.phase, phase.messages, phase.candidates].map(grouped);
            rows.row([number, messages, candidates, bar(phase.messages, most)]);
        }
        rows.write(out)?;
    }
    if !found.identities.is_empty() {
        writeln!(out, "\n  {}", styled(BOLD, "messages by identity"))?;
        if found.identities.len() > LISTED {
            histogram("passes", "identities", &found.identity_histogram(), out)?;
        } else {
            write_identities(found, out)?;
        }
        if let Some(bound) = &found.identity_bound {
            let exceeded = found.identities.iter().filter(|count| count.holds == Some(false)).count();
            let verdict = if exceeded == 0 { "held".to_string() } else { format!("exceeded by {exceeded}") };
            fitted(&format!("{} ({}): {verdict}; {}", bound.formula, bound.source, bound.counts), "  ", "  ", out)?;
        }
    }
    let Some(waits) = &found.waiting_times else { return Ok(()) };
    writeln!(out, "\n  {}", styled(BOLD, "waiting times while all compete"))?;
    let [median, p95, max] = [waits.median, waits.p95, waits.max].map(grouped);
    let summary =
        format!("{} entries: mean {:.1}, median {median}, p95 {p95}, max {max}", grouped(waits.entries), waits.mean);
    fitted(&summary, "  ", "  ", out)?;
    histogram("time", "entries", &waits.histogram, out)
}

/// The passes of each identity, beside their bound where there is one.
fn write_identities(found: &RunDistribution, out: &mut impl Write) -> io::Result<()> {
    let most = found.identities.iter().map(|count| count.messages).max();
    let [id, messages, bars] = [Column::new("id").right(), Column::new("messages").right(), Column::new("").rank(1)];
    let (mut plain, mut bounded) = (Vec::new(), Vec::new());
    for count in &found.identities {
        let [id, messages] = [count.id.to_string(), grouped(count.messages)];
        let mark = if count.holds == Some(false) { "✗" } else { "≤" };
        match count.bound {
            None => plain.push([id, messages, bar(count.messages, most)]),
            Some(bound) => bounded.push([id, messages, format!("{mark} {bound}"), bar(count.messages, most)]),
        }
    }
    if bounded.is_empty() {
        let mut rows = TextTable::new([id, messages, bars]);
        plain.into_iter().for_each(|row| rows.row(row));
        return rows.write(out);
    }
    let mut rows = TextTable::new([id, messages, Column::new("bound").right(), bars]);
    bounded.into_iter().for_each(|row| rows.row(row));
    rows.write(out)
}

fn histogram(what: &str, of: &str, buckets: &[HistogramBucket], out: &mut impl Write) -> io::Result<()> {
    let mut rows = TextTable::new([Column::new(what).right(), Column::new(of).right(), Column::new("").rank(1)]);
    let most = buckets.iter().map(|bucket| bucket.count).max();
    for &HistogramBucket { low, high, count } in buckets {
        let range = if low == high { grouped(low) } else { format!("{} to {}", grouped(low), grouped(high)) };
        rows.row([range, grouped(count), bar(count, most)]);
    }
    rows.write(out)
}

/// A bar as long as its share of the greatest.
fn bar(count: u64, most: Option<u64>) -> String {
    let length = u128::from(count) * u128::from(BAR) / u128::from(most.unwrap_or(0).max(1));
    "█".repeat(length as usize)
}
