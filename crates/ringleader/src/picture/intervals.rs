//! The intervals in which a processor tries to enter, is in its critical section, reads, writes or has a token.

use std::collections::{BTreeMap, BTreeSet};

use ringleader_model::{Milestone, Place};
use ringleader_sim::{Cause, Step};

use super::{PlaceRole, RunInfo, Subject};

/// The activity of a processor, shown by a bar along its line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Activity {
    /// It has requested entry.
    Trying,
    /// It is in its critical section.
    Critical,
    /// The same, as a reader; or it reads, in an attempt that returns.
    Reading,
    /// The same, as a writer; or it writes.
    Writing,
    /// It reads, in an attempt that it gives up.
    Abandoned,
    /// It has a token.
    Token,
}

/// An activity of a processor, from a step to a step, or to the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub(super) place: Place,
    pub(super) activity: Activity,
    pub(super) from: usize,
    pub(super) to: Option<usize>,
}

/// The intervals of a run, in the order in which they begin. Steps are left out before `resumed`: the activity of a
/// processor there is inferred from how it ends.
pub(super) fn intervals(info: &RunInfo<'_>, steps: &[Step], resumed: Option<usize>) -> Vec<Interval> {
    let mut tracker =
        IntervalTracker { info, intervals: Vec::new(), open: BTreeMap::new(), resumed: None, seen: BTreeSet::new() };
    for (index, step) in steps.iter().enumerate() {
        if resumed == Some(index) {
            tracker.resume(index);
        }
        if step.cause.goes_down() {
            tracker.end(step.place, index);
        }
        for milestone in step.milestones() {
            tracker.observe(step.place, index, milestone);
        }
        if info.subject == Subject::Data && step.sends().next().is_some() {
            tracker.writes(step.place, index);
        }
        if info.subject == Subject::Tokens && handles_token(step) {
            tracker.intervals.push(Interval {
                place: step.place,
                activity: Activity::Token,
                from: index,
                to: Some(index),
            });
        }
    }
    tracker.intervals.sort_by_key(|interval| interval.from);
    tracker.intervals
}

/// In a token ring every message is a token.
fn handles_token(step: &Step) -> bool {
    matches!(step.cause, Cause::Receive { .. }) || step.sends().next().is_some()
}

/// The activity of this role in its critical section.
const fn inside(role: PlaceRole) -> Activity {
    match role {
        PlaceRole::Reader => Activity::Reading,
        PlaceRole::Writer => Activity::Writing,
        PlaceRole::Site | PlaceRole::Cell => Activity::Critical,
    }
}

struct IntervalTracker<'a> {
    info: &'a RunInfo<'a>,
    intervals: Vec<Interval>,
    /// By place, the interval that has not ended.
    open: BTreeMap<Place, usize>,
    /// The first step after those that are left out.
    resumed: Option<usize>,
    /// The places that have reported something since then.
    seen: BTreeSet<Place>,
}

impl IntervalTracker<'_> {
    fn observe(&mut self, place: Place, index: usize, milestone: Milestone) {
        let role = self.info.role(place);
        self.infer(place, milestone);
        match milestone {
            Milestone::Requested => self.begin(place, index, Activity::Trying),
            Milestone::Entered { .. } => self.begin(place, index, inside(role)),
            Milestone::Attempt => {
                if let Some(interval) = self.open.get(&place).map(|&interval| &mut self.intervals[interval])
                    && interval.activity == Activity::Reading
                {
                    interval.activity = Activity::Abandoned;
                }
                self.begin(place, index, Activity::Reading);
            }
            Milestone::Left | Milestone::Read { .. } | Milestone::Written { .. } => self.end(place, index),
            _ => {}
        }
    }

    /// Steps are left out before this one.
    fn resume(&mut self, index: usize) {
        for interval in std::mem::take(&mut self.open).into_values() {
            self.intervals[interval].to = index.checked_sub(1);
        }
        self.resumed = Some(index);
        self.seen.clear();
    }

    /// Infers the activity of a place while steps were left out from its first report afterwards.
    fn infer(&mut self, place: Place, milestone: Milestone) {
        let Some(resumed) = self.resumed.filter(|_| self.seen.insert(place)) else { return };
        match milestone {
            Milestone::Entered { .. } => self.begin(place, resumed, Activity::Trying),
            Milestone::Left | Milestone::Read { .. } | Milestone::Written { .. } => {
                self.begin(place, resumed, inside(self.info.role(place)));
            }
            _ => {}
        }
    }

    /// A writer of shared data writes from its first message on.
    fn writes(&mut self, place: Place, index: usize) {
        let waits =
            self.open.get(&place).is_some_and(|&interval| self.intervals[interval].activity == Activity::Trying);
        if waits && self.info.role(place) == PlaceRole::Writer {
            self.begin(place, index, Activity::Writing);
        }
    }

    fn begin(&mut self, place: Place, index: usize, activity: Activity) {
        self.end(place, index);
        self.open.insert(place, self.intervals.len());
        self.intervals.push(Interval { place, activity, from: index, to: None });
    }

    fn end(&mut self, place: Place, index: usize) {
        if let Some(interval) = self.open.remove(&place) {
            self.intervals[interval].to = Some(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{info, receive, reports, send, step, timeout};
    use super::*;

    const ENTERED: Milestone = Milestone::Entered { negatives: None };

    fn found(info: &RunInfo<'_>, steps: &[Step]) -> Vec<(Place, Activity, usize, Option<usize>)> {
        intervals(info, steps, None)
            .into_iter()
            .map(|interval| (interval.place, interval.activity, interval.from, interval.to))
            .collect()
    }

    #[test]
    fn a_site_tries_enters_and_leaves() {
        let steps = [
            reports(0, 0, Milestone::Requested),
            reports(2, 0, ENTERED),
            reports(3, 1, ENTERED),
            reports(4, 0, Milestone::Left),
        ];
        let expected =
            [(0, Activity::Trying, 0, Some(1)), (0, Activity::Critical, 1, Some(3)), (1, Activity::Critical, 2, None)];
        assert_eq!(found(&info(3, Subject::Sharing), &steps), expected);
        let sharing = RunInfo { readers: 1, writers: 2, ..info(3, Subject::Sharing) };
        let activities: Vec<_> =
            intervals(&sharing, &steps, None).into_iter().map(|interval| interval.activity).collect();
        assert_eq!(activities, [Activity::Trying, Activity::Reading, Activity::Writing]);
    }

    #[test]
    fn what_is_left_out_ends_stays_and_what_follows_tells_how_it_went_on() {
        let steps = [
            reports(1, 0, ENTERED),
            reports(2, 1, Milestone::Requested),
            reports(50, 2, ENTERED),
            reports(60, 0, Milestone::Requested),
            reports(70, 1, Milestone::Left),
        ];
        let intervals = intervals(&info(3, Subject::Sharing), &steps, Some(2));
        let found: Vec<_> = intervals
            .into_iter()
            .map(|interval| (interval.place, interval.activity, interval.from, interval.to))
            .collect();
        let expected = [
            (0, Activity::Critical, 0, Some(1)),
            (1, Activity::Trying, 1, Some(1)),
            (2, Activity::Trying, 2, Some(2)),
            (2, Activity::Critical, 2, None),
            (1, Activity::Critical, 2, Some(4)),
            (0, Activity::Trying, 3, None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_crash_ends_a_stay() {
        let steps = [reports(2, 0, ENTERED), step(5, 0, Cause::Crash, &[])];
        assert_eq!(found(&info(2, Subject::Sharing), &steps), [(0, Activity::Critical, 0, Some(1))]);
    }

    #[test]
    fn an_attempt_that_is_repeated_was_abandoned() {
        let data = RunInfo { readers: 1, writers: 1, cells: 1, ..info(3, Subject::Data) };
        let steps = [
            reports(0, 1, Milestone::Requested),
            step(1, 1, timeout(), &[send(1, 2)]),
            reports(1, 0, Milestone::Attempt),
            reports(3, 0, Milestone::Attempt),
            reports(4, 1, Milestone::Written { write: 1 }),
            reports(5, 0, Milestone::Read { write: 1, torn: false }),
        ];
        let expected = [
            (1, Activity::Trying, 0, Some(1)),
            (1, Activity::Writing, 1, Some(4)),
            (0, Activity::Abandoned, 2, Some(3)),
            (0, Activity::Reading, 3, Some(5)),
        ];
        assert_eq!(found(&data, &steps), expected);
    }

    #[test]
    fn whoever_handles_a_message_of_a_token_ring_has_the_token() {
        let steps = [reports(0, 0, Milestone::TokenBegins), step(1, 1, receive(1, 0), &[send(2, 2)])];
        assert_eq!(found(&info(3, Subject::Tokens), &steps), [(1, Activity::Token, 1, Some(1))]);
    }
}
