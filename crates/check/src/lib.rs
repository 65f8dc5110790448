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
mod effects;
mod faults;
mod interner;
mod memo;
mod queues;
mod roads;
mod search;
mod space;
mod step;
mod timed;
mod untimed;

pub use answer::{
    Answer, Counterexample, Course, Effort, Judgement, Most, Progress, Property, RanOut, Verdict, Wakers,
};

use ringleader_model::{BadSetting, Processor, Protocol, Scenario};

use crate::search::{Found, Wrong};
use crate::space::{Space, Ways, fingerprint};
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
    if scenario.untimed {
        let space = Untimed::new(protocol, scenario, wakers)?;
        let course = |_: &mut _, _: &[_], happenings| Course::Untimed(happenings);
        return Ok(answer(space, effort, watch, course));
    }
    let space = Timed::new(protocol, scenario, wakers, effort.reduce)?;
    let course = |space: &mut _, beginning: &[_], moments: Vec<_>| timed::course(space, beginning, &moments);
    Ok(answer(space, effort, watch, course))
}

/// Looks at all of a space. `course`: from a beginning, with what happens then.
fn answer<S: Space, P: Processor>(
    mut space: S,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
    course: impl FnOnce(&mut S, &[u32], Vec<S::Happening>) -> Course<P>,
) -> Answer<P> {
    let found = search::search(&mut space, effort, watch);
    let judgements = judgements(&mut space, &found);
    let counterexample = found.wrong.iter().min_by_key(|wrong| wrong.path.len()).map(|wrong| {
        let happenings = happenings(&mut space, wrong);
        Counterexample {
            property: wrong.property,
            steps: wrong.path.len() - 1,
            repeats_from: wrong.repeats_from,
            course: course(&mut space, &wrong.path[0], happenings),
        }
    });
    Answer {
        judgements,
        progress: found.progress,
        quiet: found.quiet,
        most_messages: found.most_messages,
        ran_out: found.ran_out,
        counterexample,
    }
}

fn judgements<S: Space>(space: &mut S, found: &Found) -> Vec<Judgement> {
    let judge = |property| {
        let wrong = found.wrong.iter().find(|wrong| wrong.property == property);
        let (verdict, detail) = match wrong {
            Some(wrong) => (Verdict::Violated, space.complaint(wrong.path.last().expect("it has an end"))),
            None if found.ran_out.is_some() => (Verdict::Unknown, String::new()),
            None => (Verdict::Holds, String::new()),
        };
        Judgement { property, verdict, detail }
    };
    Property::ALL.map(judge).into()
}

/// What happens on the way to where a property does not hold.
fn happenings<S: Space>(space: &mut S, wrong: &Wrong) -> Vec<S::Happening> {
    let mut ways = Ways::default();
    let step = |pair: &[Vec<u32>]| {
        let (row, next) = (&pair[0], &pair[1]);
        space.ways(row, fingerprint(row), &mut ways);
        let leads = |way: &usize| {
            let mut after = row.clone();
            ways.go(*way, &mut after);
            after == *next
        };
        let way = (0..ways.list.len()).find(leads).expect("one of them leads there");
        space.happening(row, way)
    };
    wrong.path.windows(2).map(step).collect()
}
