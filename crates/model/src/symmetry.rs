use alloc::string::String;

use crate::{
    Election, ElectionMonitor, ElectionReport, ElectionRequest, Milestone, Monitor, Outcome, Place, Problem,
    ProcessorState, Proposition, Scenario, Violation,
};

/// Symmetry breaking: an election that may err. Two leaders are possible with a small probability, which no protocol of
/// the kind avoids, so one run with two of them violates nothing; their rate is measured over many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryBreaking {}

impl Problem for SymmetryBreaking {
    const NAME: &'static str = "election";
    const WORK: &'static str = "election";
    const ANY_ORDER: bool = true;
    const CAVEAT: &'static str = "but for two leaders, an error that is left to chance";
    type Request = ElectionRequest;
    type Report = ElectionReport;
    type Monitor = SymmetryMonitor;
    type Meter = ();

    fn milestone(report: &ElectionReport) -> Option<Milestone> {
        Election::milestone(report)
    }
}

/// Every processor ends up elected or defeated, at least one elected.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymmetryMonitor {
    election: ElectionMonitor,
    leaders: u64,
}

impl Monitor for SymmetryMonitor {
    type Report = ElectionReport;

    fn new(scenario: &Scenario) -> Self {
        Self { election: ElectionMonitor::new(scenario), leaders: 0 }
    }

    fn of_segment(scenario: &Scenario, length: usize) -> Self {
        Self { election: ElectionMonitor::of_segment(scenario, length), leaders: 0 }
    }

    fn state(&self, place: Place) -> Option<ProcessorState> {
        self.election.state(place)
    }

    fn leaders(&self) -> usize {
        self.election.leaders()
    }

    fn observe(&mut self, place: Place, report: ElectionReport) -> bool {
        self.leaders += u64::from(matches!(report, ElectionReport::Elected(_)));
        self.election.observe(place, report)
    }

    fn satisfies(&self, proposition: Proposition) -> Option<bool> {
        self.election.satisfies(proposition)
    }

    fn rotated(&self, by: Place, n: Place) -> Option<Self> {
        Some(Self { election: self.election.rotated(by, n)?, leaders: self.leaders })
    }

    fn merge(&mut self, first: u64, other: &Self) {
        self.leaders += other.leaders;
        self.election.merge(first, &other.election);
    }

    fn crash(&mut self, place: Place) {
        self.election.crash(place);
    }

    fn restart(&mut self, place: Place, requests: u64) {
        self.leaders -= u64::from(self.election.leads(place));
        self.election.restart(place, requests);
    }

    fn finished(&self) -> bool {
        self.election.finished() && self.leaders > 0
    }

    fn missing(&self) -> String {
        if self.election.finished() { "nobody is elected".into() } else { self.election.missing() }
    }

    fn violations(&self) -> &[Violation] {
        &[]
    }

    fn outcome(&self) -> Outcome {
        self.election.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_leaders_violate_nothing_and_none_is_not_enough() {
        let mut monitor = SymmetryMonitor::new(&Scenario { n: 2, ..Scenario::default() });
        let mut none = monitor.clone();
        for place in [0, 1] {
            monitor.observe(place, ElectionReport::Elected(None));
            none.observe(place, ElectionReport::Follows(None));
        }
        assert!(monitor.finished() && monitor.violations().is_empty());
        let Outcome::Election { leaders, .. } = monitor.outcome() else { unreachable!("it is an election") };
        assert_eq!(leaders.len(), 2);
        assert!(!none.finished());
    }
}
