//! Shortening a run that never ends: its scenario becomes smaller as long as the model checker still finds a lasso in it, a
//! prefix and a weakly fair cycle.
//!
//! Leaving out choices, as with other runs, would hardly ever lead to a cycle again; and a cycle that is not fair is no
//! violation. The checker's lasso has a shortest prefix, and is replayed before it is returned.

use ringleader_check::{Effort, Fairness, Formula, Property, Specification};
use ringleader_model::{AtMost, Place, Scenario, Wakes};

use crate::check::CheckSetup;
use crate::setup::Setup;
use crate::shrink::{drop_places, ranks};
use crate::trace_file::TraceFile;
use crate::watch::Watch;

/// The most states of one attempt: a scenario with more of them is not tried.
const STATES: u64 = 200_000;

/// The smallest lasso found, or the run itself.
pub(crate) fn shrink_lasso(trace: &TraceFile, setup: Setup, watch: &dyn Watch) -> TraceFile {
    let mut best = Lasso { setup, trace: trace.clone(), watch };
    // The same scenario may have a shorter one.
    let scenario = Scenario::clone(&best.setup.scenario);
    let steps = |trace: &TraceFile| trace.result.as_ref().map(|result| result.time);
    if let Some(other) = best.find(scenario).filter(|(_, other)| steps(other) < steps(trace)) {
        (best.setup, best.trace) = other;
    }
    while !watch.stopped() && (best.drop_processors() | best.drop_initiators() | best.simplify()) {}
    best.trace
}

struct Lasso<'a> {
    setup: Setup,
    trace: TraceFile,
    watch: &'a dyn Watch,
}

impl Lasso<'_> {
    /// A lasso of a scenario, if the checker finds one.
    fn find(&self, scenario: Scenario) -> Option<(Setup, TraceFile)> {
        let Setup { entry, settings, task, max_messages, max_time, .. } = self.setup.clone();
        let setup = Setup::of_scenario(entry, scenario, settings, task, [max_messages, max_time]).ok()?;
        let effort = Effort { states: STATES, ..Effort::default() };
        let formulas: Vec<Formula> =
            self.trace.formula().into_iter().filter_map(|formula| formula.parse().ok()).collect();
        let violated = if formulas.is_empty() { Property::Termination } else { Property::Formula(0) };
        let specification = Specification { formulas, fairness: Fairness::Weak };
        let check = CheckSetup::of_setup(&setup, &specification, effort).ok()?;
        let found = check.explore(&check.instances[0], &effort, &mut |_| !self.watch.stopped()).ok()?;
        let lasso = found.counterexample.filter(|found| found.property == violated)?;
        lasso.repeats_from?;
        Some((setup, lasso.run.ok()?))
    }

    /// Keeps a change of the scenario if there is still a lasso.
    fn attempt(&mut self, change: impl FnOnce(&mut Scenario)) -> bool {
        let mut scenario = Scenario::clone(&self.setup.scenario);
        change(&mut scenario);
        if scenario == *self.setup.scenario || self.watch.stopped() {
            return false;
        }
        let Some(found) = self.find(scenario) else { return false };
        (self.setup, self.trace) = found;
        true
    }

    /// Leaves out processors, one at a time: rings with a lasso are small.
    fn drop_processors(&mut self) -> bool {
        let (mut any, mut place) = (false, 0);
        while place < self.setup.scenario.n && self.setup.scenario.n > 1 {
            if self.attempt(|scenario| drop_places(scenario, place, 1)) {
                any = true;
            } else {
                place += 1;
            }
        }
        any
    }

    /// Lets fewer processors wake spontaneously.
    fn drop_initiators(&mut self) -> bool {
        let mut any = false;
        for place in 0..self.setup.scenario.n {
            any |= self.attempt(|scenario| {
                let at = |other| scenario.wake_at(other).filter(|_| other as usize != place);
                let at: Vec<_> = (0..scenario.n as Place).map(at).collect();
                if scenario.workload.is_none() && at.iter().any(Option::is_some) {
                    scenario.wakes = Wakes::At(at);
                }
            });
        }
        any
    }

    /// Fewer faults, requests and entries, smaller identities.
    fn simplify(&mut self) -> bool {
        let mut any = self.attempt(|scenario| scenario.faults.at_most = AtMost::default());
        for (kind, _) in AtMost::default().kinds() {
            while self.attempt(|scenario| {
                let most = scenario.faults.at_most.kind_mut(kind).expect("it is a kind");
                *most = most.saturating_sub(1);
            }) {
                any = true;
            }
        }
        for index in (0..self.setup.scenario.again.len()).rev() {
            any |= self.attempt(|scenario| {
                scenario.again.remove(index);
            });
        }
        while self.attempt(|scenario| {
            if let Some(load) = scenario.workload.as_mut().filter(|load| load.entries > 1) {
                load.entries -= 1;
            }
        }) {
            any = true;
        }
        any | self.attempt(|scenario| scenario.ids = ranks(&scenario.ids))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ringleader_sim::{Cause, StepEffect, TERMINATION, Verdict};

    use crate::check::{CheckOptions, CheckSetup};
    use crate::{Catalogue, Effort, TraceFile, find, shrink};

    fn counterexample(protocol: &str, change: impl FnOnce(&mut CheckOptions)) -> TraceFile {
        let mut options = CheckOptions::default();
        change(&mut options);
        let check = CheckSetup::new(find(protocol).expect("it is there"), &options).expect("it suits");
        let found = check.explore(&check.instances[0], &Effort::default(), &mut |_| true).expect("it can be explored");
        found.counterexample.expect("it is broken").run.expect("it is a run")
    }

    /// Shrinks a run and replays the result; returns the number of processors, the steps, and the step before its cycle.
    fn shrunk(trace: &TraceFile) -> (usize, usize, Option<usize>) {
        let short = shrink(trace, &Catalogue::default(), &()).expect("it fails");
        let (setup, mut execution, summary) =
            short.replay(&Catalogue::default(), &(), |run| run.log()).expect("it replays");
        let steps = execution.run.take_log();
        let Some(start) = short.repeats_from.map(|from| from as usize - 1) else {
            assert!(summary.violations.iter().any(|violation| violation.property == TERMINATION));
            return (setup.scenario.n, steps.len(), None);
        };
        assert_eq!(summary.verdict, Verdict::Unknown, "a lasso is no run that has ended");
        // The cycle consumes as many messages of every content as it sends, and changes no field in the end.
        let mut in_flight: BTreeMap<(u32, String), i64> = BTreeMap::new();
        let mut fields: BTreeMap<(u32, String), (String, String)> = BTreeMap::new();
        for step in &steps[start..] {
            match &step.cause {
                Cause::Receive { content, .. } => {
                    *in_flight.entry((step.place, content.text.clone())).or_default() -= 1;
                }
                cause => panic!("{cause:?} is not repeated forever here"),
            }
            for effect in &step.effects {
                if let StepEffect::Send { to, content, .. } = effect {
                    *in_flight.entry((*to, content.text.clone())).or_default() += 1;
                }
            }
            for change in &step.changed {
                let first = (change.before.clone(), String::new());
                fields.entry((step.place, change.field.clone())).or_insert(first).1.clone_from(&change.after);
            }
        }
        assert!(start < steps.len() && in_flight.values().all(|&count| count == 0), "{in_flight:?}");
        assert!(fields.values().all(|(before, after)| before == after), "{fields:?}");
        (setup.scenario.n, steps.len(), Some(start))
    }

    #[test]
    fn a_lasso_stays_a_lasso_with_fewer_processors() {
        let trace = counterexample("peterson-alternating", |options| {
            options.options.ids = Some(vec![3, 9, 5]);
            options.options.faults = Some("duplicate:2".parse().expect("they are faults"));
        });
        assert!(trace.repeats_from.is_some());
        // One of two processors wakes and its value is duplicated: both relay, and the copy goes around forever.
        let (n, steps, start) = shrunk(&trace);
        assert_eq!((n, start.is_some()), (2, true));
        let again = counterexample("peterson-alternating", |options| {
            options.options.ids = Some(vec![1, 2]);
            options.options.faults = Some("duplicate:1".parse().expect("they are faults"));
        });
        assert_eq!(again.result.map(|result| result.time), Some(steps as u64), "the shortest of the smallest");
    }

    #[test]
    fn a_lasso_that_cannot_be_smaller_is_kept() {
        let trace = counterexample("afek-gafni-async", |options| {
            options.options.ids = Some(vec![1, 2, 3]);
            options.options.set.push(("rules".into(), "printed".into()));
        });
        let (n, steps, start) = shrunk(&trace);
        assert_eq!(n, 3, "with two processors the printed rules are right");
        assert_eq!(trace.repeats_from.map(|from| from as usize - 1), start);
        assert_eq!(trace.result.map(|result| result.time), Some(steps as u64));
    }

    #[test]
    fn a_deadlock_stays_a_deadlock() {
        let trace = counterexample("chang-roberts", |options| {
            options.options.ids = Some(vec![3, 1, 4, 2]);
            options.options.faults = Some("loss:1".parse().expect("they are faults"));
        });
        // A single processor wakes, and its message is lost.
        assert_eq!(shrunk(&trace), (1, 2, None));
    }
}
