//! One schedule out of all, for those who hold it against another engine.

use ringleader_model::{BadSetting, Monitor, Outcome, Processor, Protocol, Scenario};

use super::{Timed, course};
use crate::answer::{Course, Wakers};
use crate::space::{Space, Told, Ways, fingerprint};

/// A schedule with clocks, and what comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<P: Processor> {
    /// What a simulator must be told to take it.
    pub course: Course<P>,
    /// By place, how processors are when it is over.
    pub processors: Vec<P>,
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
    let mut space = Timed::new(protocol, scenario, wakers, false)?;
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
    let processors = row[..space.n].iter().map(|&local| space.locals.get(local).processor.clone()).collect();
    let outcome = space.monitors.get(row[space.n + space.arcs]).outcome();
    Ok(Walk { course: course(&mut space, &beginning, &moments), processors, outcome, messages })
}
