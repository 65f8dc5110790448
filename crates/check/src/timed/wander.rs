//! One schedule out of all, for those who hold it against another engine.

use ringleader_model::{BadSetting, Outcome, Processor, Protocol, Scenario};

use super::{GONE, Timed, course};
use crate::answer::{Timetable, Wakers};
use crate::book::Pages;
use crate::interner::Number;
use crate::space::{Space, Told, Ways, fingerprint};

/// A schedule with clocks, and what comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<P: Processor> {
    /// What a simulator must be told to take it.
    pub course: Timetable,
    /// By place, how processors are when it is over; `None` if it has crashed.
    pub processors: Vec<Option<P>>,
    /// The result so far.
    pub outcome: Outcome,
    /// How many messages were sent.
    pub messages: u64,
}

/// Takes one schedule of a scenario with clocks out of all that [`check`](crate::check) looks at, so many instants long.
/// `choose` says which of so many ways to go.
pub fn wander<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    instants: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<Walk<P::Processor>, BadSetting> {
    let mut pages = Pages::new(protocol);
    let mut space = Timed::new(pages.open(scenario)?, scenario, wakers, false)?;
    let beginnings = space.beginnings();
    let beginning = beginnings[choose(beginnings.len())].clone();
    let (mut row, mut ways) = (beginning.clone(), Ways::default());
    let (mut moments, mut messages) = (Vec::new(), 0);
    for _ in 0..instants {
        space.ways(&row, fingerprint(&row), &mut ways);
        let way = choose(ways.list.len());
        moments.push(space.happening(&row, way));
        messages += u64::from(ways.list[way].sent);
        ways.go(way, &mut row);
    }
    let mut processor = |&local: &Number| {
        let number = space.locals.get(local).processor;
        (local != GONE).then(|| pages.processor(number))
    };
    let processors = row[..space.n].iter().map(&mut processor).collect();
    let outcome = pages.outcome(row[space.monitor_at()]);
    Ok(Walk { course: course(&mut space, &beginning, &moments), processors, outcome, messages })
}
