//! The steps of a run, written while it advances: those of a long run do not fit into memory.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Write};

use ringleader::report::grouped;
use ringleader::{Entry, Setup, StepText};
use ringleader_sim::Step;

use super::{BOLD, DIM, fitted, styled, wrapped};
use crate::presentation::Presentation;

/// The number of steps shown at each end of a long run.
const SHOWN: usize = 30;
/// The number of steps held back until the width of their numbers is known.
const HELD: usize = 10_000;
/// The width of the numbers if there are more steps.
const WIDTH: usize = 8;

/// Writes all steps of a run, or those at both ends, and the rules that were applied.
pub(crate) struct StepWriter {
    all: bool,
    first: Vec<Step>,
    last: VecDeque<Step>,
    count: u64,
    rules: BTreeSet<u8>,
}

impl StepWriter {
    pub(crate) const fn new(all: bool) -> Self {
        Self { all, first: Vec::new(), last: VecDeque::new(), count: 0, rules: BTreeSet::new() }
    }

    /// Takes the next step of the run.
    pub(crate) fn write(&mut self, step: Step, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
        self.count += 1;
        self.rules.extend(&step.rules);
        let ids = &setup.scenario.ids;
        if !self.all && self.first.len() >= SHOWN {
            if self.last.len() >= SHOWN {
                self.last.pop_front();
            }
            self.last.push_back(step);
        } else if self.count <= HELD as u64 {
            self.first.push(step);
        } else {
            for held in self.first.drain(..) {
                write_step(&held, ids, WIDTH, out)?;
            }
            write_step(&step, ids, WIDTH, out)?;
        }
        Ok(())
    }

    /// Writes what was held back.
    pub(crate) fn finish(self, setup: &Setup, out: &mut impl Write) -> io::Result<()> {
        let width = self.count.to_string().len();
        let folded = self.count - (self.first.len() + self.last.len()) as u64;
        for step in &self.first {
            write_step(step, &setup.scenario.ids, width, out)?;
        }
        if folded > 0 && !self.all {
            let line = format!("{:width$}  {} steps not shown; --all shows them", "…", grouped(folded));
            writeln!(out, "{}", styled(DIM, line))?;
        }
        for step in &self.last {
            write_step(step, &setup.scenario.ids, width, out)?;
        }
        write_rules(&self.rules, setup.entry, out)?;
        if self.count == 0 { Ok(()) } else { writeln!(out) }
    }
}

fn write_step(step: &Step, ids: &[u64], width: usize, out: &mut impl Write) -> io::Result<()> {
    let indent = " ".repeat(width + 6);
    fitted(&StepText::new(step, ids).to_string(), &format!("{:width$}  ", step.number), &indent, out)
}

/// The rules that were applied, in words.
pub(crate) fn write_rules(applied: &BTreeSet<u8>, entry: &dyn Entry, out: &mut impl Write) -> io::Result<()> {
    if applied.is_empty() || Presentation::settled().quiet {
        return Ok(());
    }
    writeln!(out, "\n  {}", styled(BOLD, "rules applied"))?;
    for &rule in applied {
        let text = entry.rule(rule).unwrap_or("(not among the rules of the description)");
        wrapped(text, &format!("{rule:5}. "), "       ", out)?;
    }
    Ok(())
}
