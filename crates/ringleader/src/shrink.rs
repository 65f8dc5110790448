//! Shortening a run that fails: fewer processors, fewer choices, smaller numbers, as long as it fails in the same way. Runs that
//! never end are shortened by [`shrink_lasso`].

use std::sync::Arc;

use ringleader_model::{
    AtMost, Clocks, Cut, Delays, Faults, Offsets, Pause, Place, Restart, Scenario, Ties, TimingChange, Wakes, Workload,
};
use ringleader_sim::{Choices, Resolved, Summary};

use crate::catalogue::Catalogue;
use crate::error::Error;
use crate::execution::Execution;
use crate::setup::{Setup, tighten};
use crate::shrink_lasso::shrink_lasso;
use crate::trace_file::TraceFile;
use crate::watch::Watch;

/// The failures of a run: violated properties and exceeded bounds.
fn failures(setup: &Setup, summary: &Summary) -> Vec<String> {
    let properties = summary.violations.iter().map(|violation| violation.property.to_string());
    let exceeded = setup.facts.bounds.iter().filter(|bound| bound.judge(summary).1 == Some(false));
    properties.chain(exceeded.map(|bound| format!("{} {}", bound.formula, bound.source))).collect()
}

/// The shortest run found that fails as this one does; an error if it does not fail. Stopped, the shortest so far.
pub fn shrink(trace: &TraceFile, catalogue: &Catalogue, watch: &dyn Watch) -> Result<TraceFile, Error> {
    let (setup, _, summary) = trace.replay(catalogue, watch, |_| {})?;
    if watch.stopped() {
        return Ok(trace.clone());
    }
    let wanted = failures(&setup, &summary);
    if wanted.is_empty() && trace.repeats_from.is_some() {
        return Ok(shrink_lasso(trace, setup, watch));
    }
    if wanted.is_empty() && trace.formula().is_some() {
        let wrong = "nothing to shrink: it violates a formula, which a check judges and a run does not";
        return Err(Error::refused(wrong, "a run that fails; a check's counterexample is a shortest one"));
    }
    if wanted.is_empty() {
        let wrong = "nothing to shrink: no property was violated in this run, and no bound exceeded";
        return Err(Error::refused(wrong, "a run that fails"));
    }
    let explicit = explicit(&setup);
    let original = setup.clone();
    let mut best = Failing {
        setup: Setup { scenario: Arc::new(explicit), ..setup },
        choices: trace.choices.clone(),
        wanted,
        most_steps: summary.cost.steps.saturating_mul(4).saturating_add(1000),
        watch,
    };
    // Written out in full it must still fail; if it does not, shrink it as it was.
    if !best.fails() {
        best.setup = original;
    }
    while !watch.stopped()
        && (best.lighten_load()
            | best.drop_processors()
            | best.simplify_world()
            | best.lower_choices()
            | best.stop_sooner())
    {}
    best.record()
}

/// The same scenario with nothing left to the seed that can be written down.
fn explicit(setup: &Setup) -> Scenario {
    let mut scenario = Scenario::clone(&setup.scenario);
    if scenario.wakes == Wakes::All {
        scenario.wakes = Wakes::At(vec![Some(0); scenario.n]);
    }
    // A protocol that runs under one timing only has it in its own words.
    if scenario.untimed || setup.description().assumptions.compulsory {
        return scenario;
    }
    if let Some(lengths) = Resolved::new(&scenario).tick_lengths(scenario.n) {
        scenario.timing.clocks = Clocks::List(lengths);
    }
    let fixed = match scenario.timing.delays {
        _ if scenario.timing.delay_ranges().changes() => None,
        Delays::Min => Some(scenario.timing.d.min),
        Delays::Max => Some(scenario.timing.d.max),
        Delays::Uniform if scenario.timing.d.min == scenario.timing.d.max => Some(scenario.timing.d.min),
        _ => None,
    };
    if let Some(delay) = fixed {
        scenario.timing.delays = Delays::List(vec![delay; scenario.n]);
    } else if !matches!(scenario.timing.delays, Delays::List(_)) {
        // The recorded choices say what was chosen, whoever chose.
        scenario.timing.delays = Delays::Uniform;
    }
    tighten(&mut scenario.timing);
    scenario
}

/// Messages between two looks at who watches.
const SLICE: u64 = 1 << 14;

struct Failing<'a> {
    setup: Setup,
    choices: Vec<u64>,
    wanted: Vec<String>,
    /// A run that takes more steps is no shortening: without coins that differ some protocols do not terminate.
    most_steps: u64,
    watch: &'a dyn Watch,
}

impl Failing<'_> {
    /// Whether it still has one of the wanted failures.
    fn fails(&self) -> bool {
        self.execute(self.watch).is_some_and(|(setup, _, summary)| {
            failures(&setup, &summary).iter().any(|failure| self.wanted.contains(failure))
        })
    }

    /// The run; `None` if it is stopped, or too long.
    fn execute(&self, watch: &dyn Watch) -> Option<(Setup, Execution, Summary)> {
        let Setup { entry, scenario, settings, task, max_messages, max_time, .. } = self.setup.clone();
        let setup =
            Setup::of_scenario(entry, Arc::unwrap_or_clone(scenario), settings, task, [max_messages, max_time]).ok()?;
        let mut execution = Execution::new(&setup, Choices::Recorded(self.choices.clone())).ok()?;
        execution.run.record();
        while !execution.advance(SLICE) {
            if execution.run.steps() > self.most_steps || watch.stopped() {
                return None;
            }
        }
        let summary = execution.run.summary();
        Some((setup, execution, summary))
    }

    /// The run as it really goes: choices that were out of range or never asked for are put right.
    fn record(&self) -> Result<TraceFile, Error> {
        let (setup, execution, summary) = self.execute(&()).expect("it failed, so it ran");
        let mut trace = TraceFile::new(&setup, execution.run.as_ref(), &summary);
        while trace.choices.last() == Some(&0) {
            trace.choices.pop();
        }
        Ok(trace)
    }

    /// Keeps a change if the run still fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Scenario, &mut Vec<u64>)) -> bool {
        let (scenario, choices) = (self.setup.scenario.clone(), self.choices.clone());
        let changed = Arc::make_mut(&mut self.setup.scenario);
        change(changed, &mut self.choices);
        changed.timing.assume(scenario.timing.assumed());
        tighten(&mut changed.timing);
        if (self.setup.scenario != scenario || self.choices != choices) && !self.watch.stopped() && self.fails() {
            return true;
        }
        (self.setup.scenario, self.choices) = (scenario, choices);
        false
    }

    /// Leaves out stretches of processors, long ones first.
    fn drop_processors(&mut self) -> bool {
        let mut any = false;
        let mut length = self.setup.scenario.n / 2;
        while length > 0 {
            let mut start = 0;
            while start + length <= self.setup.scenario.n && self.setup.scenario.n > length {
                if self.attempt(|scenario, _| drop_places(scenario, start, length)) {
                    any = true;
                } else {
                    start += 1;
                }
            }
            length /= 2;
        }
        any
    }

    /// Fewer faults and requests, earlier wakes, shorter ticks and delays, smaller identities.
    fn simplify_world(&mut self) -> bool {
        let mut any = self.drop_interventions() | self.drop_faults() | self.simplify_timing();
        any |= self.attempt(|scenario, _| scenario.faults.loss = None);
        any |= self.attempt(|scenario, _| scenario.faults.duplicate = None);
        any |= self.attempt(|scenario, _| scenario.faults.at_most = AtMost::default());
        any |= self.attempt(|scenario, _| scenario.retransmit = None);
        any |= self.lower(|scenario| scenario.retransmit.as_mut());
        any |= self.attempt(|scenario, _| scenario.ties = Ties::Ruled);
        any |= self.attempt(|scenario, _| scenario.timing.offsets = Offsets::Zero);
        any |= self.attempt(|scenario, _| scenario.wakes = Wakes::At(vec![Some(0); scenario.n]));
        any |= self.attempt(|scenario, _| scenario.ids = ranks(&scenario.ids));
        for index in (0..self.setup.scenario.again.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.again.remove(index);
            });
        }
        for place in 0..self.setup.scenario.n {
            any |= self.lower(|scenario| match &mut scenario.wakes {
                Wakes::At(at) => at[place].as_mut(),
                Wakes::All => None,
            });
            any |= self.lower(|scenario| match &mut scenario.timing.clocks {
                Clocks::List(list) => Some(&mut list[place]),
                _ => None,
            });
            any |= self.lower(|scenario| match &mut scenario.timing.delays {
                Delays::List(list) => Some(&mut list[place]),
                _ => None,
            });
            any |= self.lower(|scenario| scenario.ids.get_mut(place));
            any |= self.lower(|scenario| scenario.values.get_mut(place));
        }
        any
    }

    /// Fewer interventions, in earlier messages, and shorter delays.
    fn drop_interventions(&mut self) -> bool {
        let mut any = false;
        for index in (0..self.setup.scenario.interventions.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.interventions.remove(index);
            }) || self.lower(|scenario| scenario.interventions[index].action.number_mut())
                | self.lower(|scenario| Some(&mut scenario.interventions[index].message));
        }
        any
    }

    /// Fewer crashes, restarts, pauses and cuts, and shorter ones.
    fn drop_faults(&mut self) -> bool {
        let Faults { crashes, restarts, pauses, cuts, at_most, .. } = self.setup.scenario.faults.clone();
        let mut any = false;
        for index in (0..crashes.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.faults.crashes.remove(index);
            });
        }
        for index in (0..restarts.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.faults.restarts.remove(index);
            }) || self.attempt(|scenario, _| scenario.faults.restarts[index].offset = None);
        }
        for index in (0..pauses.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.faults.pauses.remove(index);
            }) || self.lower(|scenario| Some(&mut scenario.faults.pauses[index].length));
        }
        for index in (0..cuts.len()).rev() {
            any |= self.attempt(|scenario, _| {
                scenario.faults.cuts.remove(index);
            }) || self.lower(|scenario| Some(&mut scenario.faults.cuts[index].to));
        }
        for (kind, _) in at_most.kinds().into_iter().filter(|(_, count)| *count > 0) {
            any |= self.attempt(|scenario, _| *scenario.faults.at_most.kind_mut(kind).expect("it is a kind") = 0);
        }
        any
    }

    /// Fewer users, fewer who compete, fewer entries, shorter stays and pauses.
    fn lighten_load(&mut self) -> bool {
        let mut any = self.fewer_users();
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.entries));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.first.min));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.first.max));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.think.min));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.think.max));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.hold.min));
        any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.hold.max));
        while self.attempt(|scenario, _| {
            if let Some(load) = &mut scenario.workload {
                load.compete = load.compete.saturating_sub(1);
                limit_changes(load);
            }
        }) {
            any = true;
        }
        any |= self.simplify_changes();
        any
    }

    fn fewer_users(&mut self) -> bool {
        // One who makes all requests, as far as anybody can tell; otherwise one less.
        let mut any = self.attempt(|scenario, _| {
            if let Some(load) = &mut scenario.workload {
                (load.entries, load.users) = (load.of_site().min(Workload::MOST), 1);
            }
        });
        while self.attempt(|scenario, _| {
            if let Some(load) = &mut scenario.workload {
                load.users = load.users.saturating_sub(1).max(1);
            }
        }) {
            any = true;
        }
        any
    }

    /// A load that does not change, or less often, or sooner.
    fn simplify_changes(&mut self) -> bool {
        let changes = |scenario: &Scenario| scenario.workload.as_ref().map_or(0, |load| load.changes.len());
        let mut any = changes(&self.setup.scenario) > 0
            && self.attempt(|scenario, _| {
                if let Some(load) = &mut scenario.workload {
                    load.changes.clear();
                }
            });
        let mut index = 1;
        while index + 1 < changes(&self.setup.scenario) {
            let dropped = self.attempt(|scenario, _| {
                if let Some(load) = &mut scenario.workload {
                    load.changes.remove(index);
                }
            });
            any |= dropped;
            index += usize::from(!dropped);
        }
        for index in 1..changes(&self.setup.scenario) {
            any |= self.lower(|scenario| scenario.workload.as_mut().map(|load| &mut load.changes[index].from));
        }
        any
    }

    /// Timing that does not change, or less often, or sooner, within narrower ranges.
    fn simplify_timing(&mut self) -> bool {
        let changes = |scenario: &Scenario| scenario.timing.changes.len();
        let mut any = changes(&self.setup.scenario) > 0 && self.attempt(|scenario, _| scenario.timing.changes.clear());
        let mut index = 0;
        while index < changes(&self.setup.scenario) {
            let dropped = self.attempt(|scenario, _| {
                scenario.timing.changes.remove(index);
                if let Some(first) = scenario.timing.changes.first_mut() {
                    first.from = 0;
                }
            });
            any |= dropped;
            index += usize::from(!dropped);
        }
        for index in 0..changes(&self.setup.scenario) {
            let numbers: [fn(&mut TimingChange) -> &mut u64; 5] = [
                |change| &mut change.from,
                |change| &mut change.r.max,
                |change| &mut change.r.min,
                |change| &mut change.d.max,
                |change| &mut change.d.min,
            ];
            for number in numbers {
                any |= self.lower(|scenario| scenario.timing.changes.get_mut(index).map(number));
            }
        }
        any
    }

    /// Makes one number as small as it can be by halving what is between.
    fn lower(&mut self, number: impl Fn(&mut Scenario) -> Option<&mut u64>) -> bool {
        let Some(&mut now) = number(Arc::make_mut(&mut self.setup.scenario)) else { return false };
        let (mut low, mut high) = (0, now);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.attempt(|scenario, _| *number(scenario).expect("it is still there") = middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high < now
    }

    /// Stops a run without clocks as soon as it fails.
    fn stop_sooner(&mut self) -> bool {
        let steps =
            self.execute(self.watch).map(|(_, _, summary)| summary.cost.time).filter(|_| self.setup.scenario.untimed);
        let (mut low, mut high) = (0, steps.unwrap_or(0));
        let before = self.setup.max_time.unwrap_or(u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            self.setup.max_time = Some(middle);
            if self.fails() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        self.setup.max_time = steps.map(|_| high).or(Some(before)).filter(|&last| last < u64::MAX);
        self.setup.max_time.unwrap_or(u64::MAX) < before
    }

    /// Leaves out choices, and makes the rest as small as they can be.
    fn lower_choices(&mut self) -> bool {
        let mut any = false;
        let mut length = self.choices.len();
        while length > 0 {
            let mut start = 0;
            while start < self.choices.len() {
                let end = (start + length).min(self.choices.len());
                any |= self.attempt(|_, choices| choices[start..end].fill(0));
                start = end;
            }
            length /= 2;
        }
        let used = self.choices.iter().rposition(|&choice| choice != 0).map_or(0, |last| last + 1);
        self.choices.truncate(used);
        any
    }
}

/// No more sites than compete at all.
fn limit_changes(load: &mut Workload) {
    for change in &mut load.changes {
        change.sites = change.sites.min(load.compete);
    }
}

/// Identities of the same order, as small as they can be.
pub(crate) fn ranks(ids: &[u64]) -> Vec<u64> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    ids.iter().map(|id| sorted.partition_point(|other| other < id) as u64 + 1).collect()
}

/// Leaves out a stretch of processors, with all that concerns them.
pub(crate) fn drop_places(scenario: &mut Scenario, start: usize, length: usize) {
    let gone = start..start + length;
    if let Some(load) = &mut scenario.workload {
        // Shared cells belong to the protocol.
        if gone.end > scenario.n - load.cells {
            return;
        }
        let below = |place: usize| gone.clone().filter(|&other| other < place).count();
        let (readers, sites) = (load.readers, load.readers + load.writers);
        load.compete -= below(load.compete);
        for change in &mut load.changes {
            change.sites -= below(change.sites);
        }
        load.readers -= below(readers);
        load.writers -= below(sites) - below(readers);
    }
    scenario.n -= length;
    if !scenario.ids.is_empty() {
        scenario.ids.drain(gone.clone());
    }
    if !scenario.values.is_empty() {
        scenario.values.drain(gone.clone());
    }
    if let Wakes::At(at) = &mut scenario.wakes {
        at.drain(gone.clone());
        if at.iter().all(Option::is_none) {
            at[0] = Some(0);
        }
    }
    if let Clocks::List(list) = &mut scenario.timing.clocks {
        list.drain(gone.clone());
    }
    if let Delays::List(list) = &mut scenario.timing.delays {
        list.drain(gone.clone());
    }
    if let Offsets::List(list) = &mut scenario.timing.offsets {
        list.drain(gone.clone());
    }
    if !scenario.orientation.is_empty() {
        scenario.orientation.drain(gone.clone());
    }
    let there = |place: Place| match place as usize {
        place if gone.contains(&place) => None,
        place if place >= gone.end => Some((place - length) as Place),
        place => Some(place as Place),
    };
    for list in [&mut scenario.again, &mut scenario.faults.crashes] {
        *list = list.iter().filter_map(|&(place, time)| Some((there(place)?, time))).collect();
    }
    let Faults { restarts, pauses, cuts, .. } = &mut scenario.faults;
    *restarts =
        restarts.iter().filter_map(|restart| Some(Restart { place: there(restart.place)?, ..*restart })).collect();
    *pauses = pauses.iter().filter_map(|pause| Some(Pause { place: there(pause.place)?, ..*pause })).collect();
    // Whose link is gone are no neighbours; the scenario is refused then.
    let ends = |cut: &Cut| there(cut.ends.0).zip(there(cut.ends.1));
    *cuts = cuts.iter().filter_map(|cut| Some(Cut { ends: ends(cut)?, ..*cut })).collect();
}
