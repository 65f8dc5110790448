//! Every schedule of a small instance of a protocol, from the protocol's own code.
//!
//! [`check`] takes every step that is possible in every order: wakes, arrivals and timers at any moment, every outcome
//! of every choice. Nothing in a configuration knows the time, so what holds here holds whatever clocks and delays do.
//!
//! What makes it fast: processors, queues and monitors are kept once each and named by numbers, so a configuration is a short
//! row of numbers; a step is worked out once for each state of a processor and looked up ever after; and the fingerprint of a
//! configuration changes with the few numbers that a step changes.
#![warn(clippy::float_arithmetic)]

mod answer;
mod book;
mod dice;
mod effects;
mod faults;
mod interner;
mod memo;
mod moves;
mod probability;
mod queues;
mod roads;
mod search;
mod space;
mod step;
mod timed;
#[cfg(test)]
mod toys;
mod untimed;

pub use answer::{
    Answer, Counterexample, Course, Effort, Judgement, Most, Progress, Property, RanOut, Timetable, Verdict, Wakers,
};
pub use num_rational::BigRational;
pub use probability::{Chance, Chances, Ending, Mean, Measure, probabilities};
pub use timed::{Walk, wander};

use ringleader_model::{BadSetting, Processor, Protocol, Scenario};

use crate::book::Pages;
use crate::search::{Found, Wrong};
use crate::space::{Space, Told};
use crate::timed::Timed;
use crate::untimed::Untimed;

/// Looks at every schedule of a scenario, for a protocol that was configured for it. `watch` is told how far it is, now and
/// then, and says whether to go on.
pub fn check<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Answer<P::Processor>, BadSetting> {
    let mut pages = Pages::new(protocol);
    let opening = pages.open(scenario)?;
    if scenario.untimed {
        let mut space = Untimed::new(opening, scenario, wakers, effort.reduce)?;
        let seen = look(&mut space, effort, watch);
        return Ok(answer(seen, |_, deeds| {
            Course::Untimed(deeds.into_iter().map(|deed| pages.happening(deed)).collect())
        }));
    }
    let mut space = Timed::new(opening, scenario, wakers, effort.reduce)?;
    let seen = look(&mut space, effort, watch);
    Ok(answer(seen, |beginning, moments| Course::Timed(timed::course(&mut space, &beginning, &moments))))
}

/// What was found, with a course in the protocol's own terms.
fn answer<H, P: Processor>(
    Seen { found, judgements, shown }: Seen<H>,
    course: impl FnOnce(Vec<u32>, Vec<H>) -> Course<P>,
) -> Answer<P> {
    Answer {
        judgements,
        progress: found.progress,
        quiet: found.quiet,
        most_messages: found.most_messages,
        ran_out: found.ran_out,
        counterexample: shown.map(|shown| Counterexample {
            property: shown.property,
            steps: shown.steps,
            repeats_from: shown.repeats_from,
            course: course(shown.beginning, shown.happenings),
        }),
    }
}

/// What was found in a space, in the space's terms.
struct Seen<H> {
    found: Found,
    judgements: Vec<Judgement>,
    shown: Option<Shown<H>>,
}

/// A shortest schedule in which something goes wrong.
struct Shown<H> {
    property: Property,
    steps: usize,
    repeats_from: Option<usize>,
    beginning: Vec<u32>,
    happenings: Vec<H>,
}

/// Looks at all of a space.
fn look<S: Told>(space: &mut S, effort: &Effort, watch: &mut dyn FnMut(&Progress) -> bool) -> Seen<S::Happening> {
    let mut found = search::search(space, effort, watch);
    // Which places owe what is lost where rotations are not told apart: what seems to go round for ever may not.
    if found.wrong.iter().any(|wrong| wrong.path.is_empty() || wrong.repeats_from.is_some()) && space.separate() {
        found = search::search(space, effort, watch);
    }
    let happenings: Vec<_> = found.wrong.iter_mut().map(|wrong| followed(space, wrong)).collect();
    let judgements = judgements(space, &found);
    let shown = found.wrong.iter().zip(happenings).filter(|(wrong, _)| !wrong.path.is_empty());
    let shortest = shown.min_by_key(|(wrong, _)| wrong.path.len());
    let shown = shortest.map(|(wrong, happenings)| Shown {
        property: wrong.property,
        steps: wrong.ways.len(),
        repeats_from: wrong.repeats_from,
        beginning: wrong.path[0].clone(),
        happenings,
    });
    Seen { found, judgements, shown }
}

/// What happens on the way to where a property does not hold; its configurations become those that are really there.
fn followed<S: Told>(space: &mut S, wrong: &mut Wrong) -> Vec<S::Happening> {
    let Some(mut row) = wrong.path.first().cloned() else { return Vec::new() };
    let step = |(next, &way): (&mut Vec<u32>, &usize)| {
        let happening = space.follow(&mut row, way, next);
        next.clone_from(&row);
        happening
    };
    wrong.path[1..].iter_mut().zip(&wrong.ways).map(step).collect()
}

fn judgements(space: &mut dyn Space, found: &Found) -> Vec<Judgement> {
    let judge = |property| {
        let wrong = found.wrong.iter().find(|wrong| wrong.property == property);
        let (verdict, detail) = match wrong {
            Some(wrong) => (Verdict::Violated, detail(space, wrong)),
            None if found.unknown.contains(&property) => (Verdict::Unknown, String::new()),
            // Nobody looks at what comes after a violation.
            None if !found.wrong.is_empty() && property == Property::Finishes => {
                (Verdict::Unknown, "not looked for after a violation".into())
            }
            None if property == Property::Safe => (Verdict::Holds, space.caveat().into()),
            None => (Verdict::Holds, String::new()),
        };
        Judgement { property, verdict, detail }
    };
    Property::ALL.map(judge).into()
}

/// What is wrong, in words.
fn detail(space: &mut dyn Space, wrong: &Wrong) -> String {
    let shown = match wrong.repeats_from {
        Some(from) => wrong.path[from..].iter().find(|row| space.standing(row).waiting),
        None => wrong.path.last(),
    };
    let complaint = shown.map(|row| space.complaint(row)).unwrap_or_default();
    match (wrong.property, wrong.path.is_empty() || wrong.repeats_from.is_some()) {
        (Property::Safe, _) => complaint,
        (Property::Finishes, false) => format!("it comes to a standstill: {complaint}"),
        (Property::Finishes, true) if complaint.is_empty() => {
            "it never falls silent: messages go round for ever".into()
        }
        (Property::Finishes, true) => format!("it goes round for ever: {complaint}"),
    }
}
