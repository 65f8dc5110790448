//! The violations of a run: places and times.

use ringleader_model::{Id, Milestone, Place, Time};
use ringleader_sim::Step;

use super::intervals::{Activity, Interval};
use super::{PlaceRole, RunInfo, grouped};

/// A violation that is seen in the steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    pub(super) location: Location,
    /// A description.
    pub(super) text: String,
}

/// The location of a violation. Steps are named by their index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Location {
    /// Two places, from a step to a step, or to the end.
    Overlap([Place; 2], usize, Option<usize>),
    /// A step.
    Step(usize),
    /// The end of the run.
    End,
}

/// The violations of a run, in order; none if no property is violated. Where the steps do not show any, it is the end
/// that is wrong.
pub(super) fn conflicts(info: &RunInfo<'_>, steps: &[Step], intervals: &[Interval]) -> Vec<Conflict> {
    if info.violations.is_empty() {
        return Vec::new();
    }
    let mut conflicts = overlaps(info, steps, intervals);
    conflicts.extend(wrong_reports(info, steps));
    conflicts.sort_by_key(|conflict| match conflict.location {
        Location::Overlap(_, from, _) => from,
        Location::Step(step) => step,
        Location::End => usize::MAX,
    });
    if conflicts.is_empty() {
        let when = steps.last().map_or(String::new(), |step| moment(info, step.time));
        conflicts.push(Conflict { location: Location::End, text: format!("{when}: the last step shown") });
    }
    conflicts
}

/// Conflicting sites that are inside together: strictly before either leaves.
fn overlaps(info: &RunInfo<'_>, steps: &[Step], intervals: &[Interval]) -> Vec<Conflict> {
    let inside =
        |interval: &&Interval| matches!(interval.activity, Activity::Critical | Activity::Reading | Activity::Writing);
    let inside: Vec<&Interval> = intervals.iter().filter(inside).filter(|_| info.cells == 0).collect();
    let left = |interval: &Interval| interval.to.map_or(Time::MAX, |to| steps[to].time);
    let mut found = Vec::new();
    for (index, one) in inside.iter().enumerate() {
        let both_read = |other: &Interval| (one.activity, other.activity) == (Activity::Reading, Activity::Reading);
        for other in inside[index + 1..].iter().take_while(|other| one.to.is_none_or(|to| other.from < to)) {
            let (entered, until) = (steps[other.from].time, left(one).min(left(other)));
            if both_read(other) || one.place == other.place || entered >= until {
                continue;
            }
            let to = if left(one) <= left(other) { one.to } else { other.to };
            let (a, b) = (one.place.min(other.place), one.place.max(other.place));
            let end = to.map_or("the end".to_string(), |to| grouped(steps[to].time));
            let text = format!("{} to {end}: places {a} and {b} inside together", moment(info, entered));
            found.push(Conflict { location: Location::Overlap([a, b], other.from, to), text });
        }
    }
    found
}

/// Steps that report what contradicts earlier reports.
fn wrong_reports(info: &RunInfo<'_>, steps: &[Step]) -> Vec<Conflict> {
    let mut reports = Reports::default();
    let mut found = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        for milestone in step.milestones() {
            if let Some(wrong) = reports.contradicted(step.place, milestone) {
                let text = format!("{}: place {} {wrong}", moment(info, step.time), step.place);
                found.push(Conflict { location: Location::Step(index), text });
            }
        }
    }
    found
}

/// The reports so far.
#[derive(Default)]
pub(super) struct Reports {
    leader: Option<(Place, Option<Id>)>,
    known: Option<Option<Id>>,
    written: u64,
    /// By reader, the last write completed when its attempt began.
    since: Vec<(Place, u64)>,
}

impl Reports {
    /// The contradiction between a report and those before, if there is one.
    pub(super) fn contradicted(&mut self, place: Place, milestone: Milestone) -> Option<&'static str> {
        match milestone {
            Milestone::Elected { id } => {
                let first = *self.leader.get_or_insert((place, id));
                let known = *self.known.get_or_insert(id);
                (first != (place, id) || known != id).then_some("is elected, too")
            }
            Milestone::Follows { id } => {
                let known = *self.known.get_or_insert(id);
                (known != id).then_some("follows another leader")
            }
            Milestone::Written { write } => {
                self.written = self.written.max(write);
                None
            }
            Milestone::Attempt => {
                self.since.retain(|&(reader, _)| reader != place);
                self.since.push((place, self.written));
                None
            }
            Milestone::Read { torn: true, .. } => Some("returns a torn read"),
            Milestone::Read { write, torn: false } => {
                let since = self.since.iter().find(|&&(reader, _)| reader == place).map_or(0, |&(_, since)| since);
                (write < since).then_some("returns a stale read")
            }
            _ => None,
        }
    }
}

/// Looks for the first violation in the steps of a run as it advances.
#[derive(Default)]
pub(super) struct ConflictDetector {
    inside: Vec<Place>,
    /// The instant of the last step, and whether somebody has entered at it.
    now: Time,
    entered: bool,
    reports: Reports,
}

impl ConflictDetector {
    /// Takes note of a step; true if there was a violation, at the latest in the instant before.
    pub(super) fn observe(&mut self, step: &Step, role: impl Fn(Place) -> PlaceRole) -> bool {
        let wrong = step.time > self.now && std::mem::take(&mut self.entered) && {
            let readers = self.inside.iter().filter(|&&place| role(place) == PlaceRole::Reader).count();
            self.inside.len() - readers + usize::from(readers > 0) > 1
        };
        self.now = step.time;
        let mut contradicted = false;
        for milestone in step.milestones() {
            contradicted |= self.reports.contradicted(step.place, milestone).is_some();
            match milestone {
                Milestone::Entered { .. } => {
                    self.inside.push(step.place);
                    self.entered = true;
                }
                Milestone::Left => self.inside.retain(|&place| place != step.place),
                _ => {}
            }
        }
        if step.cause.goes_down() {
            self.inside.retain(|&place| place != step.place);
        }
        wrong || contradicted
    }
}

/// A time in words.
fn moment(info: &RunInfo<'_>, time: Time) -> String {
    format!("{} {}", if info.untimed { "step" } else { "time" }, grouped(time))
}

#[cfg(test)]
mod tests {
    use ringleader_model::Violation;

    use super::super::Subject;
    use super::super::intervals::intervals;
    use super::super::samples::{info, reports};
    use super::*;

    const ENTERED: Milestone = Milestone::Entered { negatives: None };

    fn violated() -> [Violation; 1] {
        [Violation { property: "a property", detail: "a detail".to_string() }]
    }

    fn found(info: &RunInfo<'_>, steps: &[Step]) -> Vec<(Location, String)> {
        let found = conflicts(info, steps, &intervals(info, steps, None));
        found.into_iter().map(|conflict| (conflict.location, conflict.text)).collect()
    }

    #[test]
    fn sites_overlap_unless_one_leaves_when_the_other_enters() {
        let violations = violated();
        let sharing = RunInfo { violations: &violations, ..info(3, Subject::Sharing) };
        let steps = [
            reports(1, 0, ENTERED),
            reports(4, 2, ENTERED),
            reports(6, 0, Milestone::Left),
            reports(7, 1, ENTERED),
            reports(7, 2, Milestone::Left),
        ];
        let text = "time 4 to 6: places 0 and 2 inside together".to_string();
        assert_eq!(found(&sharing, &steps), [(Location::Overlap([0, 2], 1, Some(2)), text)]);
        assert_eq!(found(&info(3, Subject::Sharing), &steps), [], "no property is violated");
        let mut detector = ConflictDetector::default();
        let seen: Vec<bool> = steps.iter().map(|step| detector.observe(step, |_| PlaceRole::Site)).collect();
        assert_eq!(seen, [false, false, true, false, false]);
        let readers = RunInfo { readers: 3, ..sharing };
        assert_eq!(found(&readers, &steps).len(), 1);
        assert_eq!(found(&readers, &steps)[0].0, Location::End, "readers may be together");
    }

    #[test]
    fn a_second_leader_and_a_stale_read_are_found() {
        let violations = violated();
        let election = RunInfo { violations: &violations, ..info(3, Subject::Messages) };
        let steps = [
            reports(3, 1, Milestone::Elected { id: None }),
            reports(4, 2, Milestone::Follows { id: None }),
            reports(5, 2, Milestone::Elected { id: None }),
        ];
        assert_eq!(found(&election, &steps), [(Location::Step(2), "time 5: place 2 is elected, too".to_string())]);
        let data = RunInfo { readers: 1, writers: 1, cells: 1, ..election };
        let steps = [
            reports(1, 1, Milestone::Written { write: 1 }),
            reports(2, 0, Milestone::Attempt),
            reports(3, 0, Milestone::Read { write: 0, torn: false }),
        ];
        assert_eq!(found(&data, &steps), [(Location::Step(2), "time 3: place 0 returns a stale read".to_string())]);
    }
}
