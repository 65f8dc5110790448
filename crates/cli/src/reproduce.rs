//! `ringleader reproduce`: the claims of the sources, each with a verdict.

mod file;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use ringleader::claim::{Claim, Verified, verify};
use ringleader::values::number;
use ringleader::{Effort, Options, Watch, program};
use ringleader_ledger::{
    LedgerEffort, LedgerEntry, LedgerItem, LedgerReport, LedgerVerdict, items, named, reproduce as test,
};

use crate::commands::{after_trouble, printed};
use crate::error::{Error, Exit};
use crate::json::print_json;
use crate::memory;
use crate::options::{RunOptions, free_bytes, threads, workers};
use crate::presentation::Presentation;
use crate::text::{self, BAD, BOLD, DIM, DOUBT, GOOD, fitted, labelled, styled};
use crate::watch::Terminal;

use self::file::LedgerFile;

#[derive(Args)]
pub(crate) struct ReproduceArguments {
    /// Items such as V28, letters (V, E, S, L) or sources (vitanyi, epema, spirakis, vanleeuwen) [default: all]
    items: Vec<String>,
    /// Fewer and smaller experiments: everything within a minute
    #[arg(long)]
    quick: bool,
    /// Keep findings in a file, and go on from those that it has
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "table")]
    resume: Option<PathBuf>,
    /// Show the table of a claim about means instead: many runs, 95% confidence intervals beside the formula
    ///
    /// ITEM is the number of the claim, or a name: see the list of values. Options of a run change the runs of the table.
    #[arg(long, value_name = "ITEM", value_parser = claim, conflicts_with_all = ["items", "quick"])]
    table: Option<Claim>,
    /// With --table: runs for each mean, with seeds from --seed on [default: as many as the claim needs]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true, requires = "table",
          conflicts_with_all = ["items", "quick", "resume"])]
    runs: Option<u64>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true, conflicts_with = "table")]
    threads: Option<u64>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// A claim that has a table, by its name or by the number of an item.
fn claim(text: &str) -> Result<Claim, String> {
    let is_meant =
        |claim: &Claim| claim.name() == text || claim.items().iter().any(|item| item.eq_ignore_ascii_case(text));
    Claim::ALL.into_iter().find(is_meant).ok_or_else(|| {
        let one = |claim: Claim| format!("{} ({})", claim.name(), claim.items().join(", "));
        format!("it has no table; allowed: {}", Claim::ALL.map(one).join(", "))
    })
}

/// Tests claims and shows the verdicts; or shows a table.
pub(crate) fn reproduce(arguments: ReproduceArguments, watch: &Terminal, out: &mut impl Write) -> Result<Exit, Error> {
    let options = Options::from(arguments.options);
    if let Some(claim) = arguments.table {
        return show_table(claim, &options, arguments.runs, arguments.json, watch, out);
    }
    if let Some((name, _)) = options.named().first() {
        let wrong = format!("{} is given without --table", ringleader::flag(name));
        return Err(Error::Usage(format!("{wrong}\nallowed: --seed; other options of a run only with --table ITEM")));
    }
    let chosen = chosen(&arguments.items)?;
    let workers = workers(arguments.threads)?;
    let effort = LedgerEffort {
        quick: arguments.quick,
        seed: options.seed.unwrap_or(1),
        effort: Effort { threads: workers, bytes: free_bytes(workers), ..Effort::default() },
    };
    let mut file = arguments.resume.as_deref().map(|path| LedgerFile::open(path, effort)).transpose()?;
    let mut report = LedgerReport::new(rerun(&arguments.items, effort));
    let detailed = chosen.len() <= DETAILED;
    let mut trouble = None;
    for item in &chosen {
        let known = file.as_ref().and_then(|file| file.known(item.number));
        let entry = match known {
            Some(entry) => entry,
            None if watch.stopped() => break,
            None => {
                let Some(entry) = test(item, effort, watch)? else { break };
                if let Some(error) = file.as_mut().and_then(|file| file.add(&entry).err()) {
                    // The verdicts are shown nevertheless.
                    trouble.get_or_insert(error);
                    file = None;
                }
                entry
            }
        };
        watch.clear();
        if !arguments.json {
            if detailed {
                details(&entry, out)?;
            } else {
                line(&entry, out)?;
            }
            out.flush()?;
        }
        report.items.push(entry);
        if arguments.json {
            watch.keep(printed(|out| print_json(&report, &mut &mut *out).map(drop)));
        }
    }
    watch.clear();
    report.missing = chosen.iter().skip(report.items.len()).map(|item| item.number.to_string()).collect();
    if arguments.json {
        print_json(&report, out)?;
    } else {
        summary(&report, detailed, out)?;
    }
    after_trouble(exit_of(&report, watch), trouble, out)
}

/// The items that are asked for, in the order of the ledger.
fn chosen(asked: &[String]) -> Result<Vec<&'static LedgerItem>, Error> {
    let mut numbers = Vec::new();
    for text in asked {
        let found = named(text);
        if found.is_empty() {
            let last = |letter: char| items().filter(|(paper, _)| paper.letter == letter).count();
            let ranges = ['V', 'E', 'S', 'L'].map(|letter| format!("{letter}1 to {letter}{}", last(letter)));
            let wrong = format!("there is no item or source '{text}'");
            let allowed = "or vitanyi, epema, spirakis, vanleeuwen";
            return Err(Error::Usage(format!("{wrong}\nallowed: {}, {allowed}", ranges.join(", "))));
        }
        numbers.extend(found.iter().map(|item| item.number));
    }
    let wanted = |item: &&LedgerItem| asked.is_empty() || numbers.contains(&item.number);
    Ok(items().map(|(_, item)| item).filter(wanted).collect())
}

/// Up to this number of items are shown in full.
const DETAILED: usize = 3;

fn rerun(asked: &[String], effort: LedgerEffort) -> String {
    let mut words = vec![program().to_string(), "reproduce".to_string()];
    words.extend(asked.iter().cloned());
    words.extend(effort.quick.then(|| "--quick".to_string()));
    words.push(format!("--seed {}", effort.seed));
    words.join(" ")
}

fn exit_of(report: &LedgerReport, watch: &Terminal) -> Exit {
    match watch.exit() {
        _ if report.count(LedgerVerdict::Refuted) > 0 => Exit::Violated,
        Some(stopped) => stopped,
        None if report.count(LedgerVerdict::Undecided) > 0 => Exit::Inconclusive,
        None => Exit::Held,
    }
}

fn verdict(verdict: LedgerVerdict, width: usize) -> String {
    let text = format!("{:<width$}", verdict.name());
    match verdict {
        LedgerVerdict::Holds | LedgerVerdict::Held => styled(GOOD, text),
        LedgerVerdict::Refuted => styled(BAD, text),
        LedgerVerdict::Undecided => styled(DOUBT, text),
        LedgerVerdict::NotTestable | LedgerVerdict::NotApplicable => styled(DIM, text),
    }
}

/// One item of many: its verdict and claim, and what refutes it.
fn line(entry: &LedgerEntry, out: &mut impl Write) -> io::Result<()> {
    let indent = " ".repeat(24);
    fitted(&entry.claim, &format!("  {:<4}  {}", entry.item, verdict(entry.verdict, 16)), &indent, out)?;
    match (&entry.measured, entry.verdict) {
        (Some(measured), LedgerVerdict::Refuted | LedgerVerdict::Undecided) => {
            fitted(measured, &format!("{indent}{DIM}"), &indent, out)?;
            write!(out, "{DIM:#}")
        }
        _ => Ok(()),
    }
}

/// One item in full.
fn details(entry: &LedgerEntry, out: &mut impl Write) -> io::Result<()> {
    let head = format!("{} {}: ", styled(BOLD, &entry.item), verdict(entry.verdict, 0));
    fitted(&entry.claim, &head, "     ", out)?;
    labelled("source", &format!("{}, {}", entry.source, entry.section), out)?;
    if let Some(explanation) = &entry.explanation {
        labelled("why", explanation, out)?;
    }
    labelled("method", &entry.method, out)?;
    if let Some(measured) = &entry.measured {
        labelled("measured", measured, out)?;
    }
    if let Some(counterexample) = &entry.counterexample {
        labelled("smallest", counterexample, out)?;
    }
    if let Some(repaired) = &entry.repaired {
        labelled("instead", repaired, out)?;
    }
    for (index, command) in entry.commands.iter().enumerate() {
        labelled(if index == 0 { "repeat" } else { "" }, command, out)?;
    }
    writeln!(out)
}

fn summary(report: &LedgerReport, detailed: bool, out: &mut impl Write) -> io::Result<()> {
    if Presentation::settled().quiet || detailed && report.missing.is_empty() {
        return Ok(());
    }
    let counts = LedgerVerdict::ALL.into_iter().map(|verdict| (report.count(verdict), verdict.name()));
    let counts: Vec<_> =
        counts.filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    writeln!(out)?;
    fitted(&format!("{} items: {}", report.items.len(), counts.join(", ")), "  ", "  ", out)?;
    if !report.missing.is_empty() {
        fitted(&format!("not tested: {}", report.missing.join(" ")), "  ", "  ", out)?;
    }
    fitted(&format!("One in full: {} reproduce ITEM. Again: {}", program(), report.rerun), "  ", "  ", out)
}

fn show_table(
    claim: Claim,
    options: &Options,
    runs: Option<u64>,
    json: bool,
    watch: &Terminal,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let show = |verified: &Verified, out: &mut dyn Write| match json {
        true => print_json(verified, &mut &mut *out).map(drop),
        false => Ok(text::claim(verified, &mut &mut *out)?),
    };
    let keep = &mut |verified: &Verified| watch.keep(printed(|out| show(verified, out)));
    let verified = verify(claim, options, runs, watch, keep)?;
    watch.clear();
    show(&verified, out)?;
    let exit = match watch.exit() {
        _ if verified.violated => Exit::Violated,
        // The intervals of a few runs more may lie elsewhere.
        Some(stopped) => stopped,
        // Where a claim says nothing, or no run came to an end, nothing holds.
        None if verified.rows.is_empty() => Exit::Inconclusive,
        None if verified.is_exceeded() => Exit::Violated,
        None => Exit::Held,
    };
    after_trouble(exit, memory::exhausted_in(verified.out_of_memory.as_slice()), out)
}
