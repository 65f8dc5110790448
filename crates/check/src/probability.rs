//! Exact probabilities: how likely a run is to end in each way, and what it costs in the mean.
//!
//! What is left to chance has probabilities, what is left to a schedule has not: so every figure is the least and the
//! greatest over all schedules, and where nothing is left to a schedule (in lock step) the two are one.
//!
//! # What a run comes to
//! A run is *over* where nothing more happens by itself: what is free (somebody wakes, a user asks) need not happen. At the
//! very beginning something must. Its ending is what the monitor says then. A run that is never over stays, but for
//! probability 0, in an end component: configurations among which a schedule can stay whatever chance does
//! \[DeAlfaro1997\]. Its ending is what the monitor says there, for ever.
//!
//! # Which schedules
//! Those that leave nothing undone for ever that is owed; they see all that has happened, coins included, and choose the next
//! event before its coins fall. An end component counts as an ending only if such a schedule can stay in it: if
//! everything owed is somewhere in it not owed, or is done in it. From the others every fair schedule goes away in the end, at
//! a moment of its choosing, so that they are taken as one configuration with all the ways out of it; that a schedule may
//! put this off as long as it likes changes no probability, but may make a mean cost unlimited. The least probability
//! of an ending is then what the greatest of all other endings together leaves.

mod charted;
mod component;
mod decisions;
mod equations;
mod solve;
#[cfg(test)]
mod tests;
mod values;

use num_rational::BigRational;
use num_traits::{One, Zero};
use ringleader_model::{BadSetting, Monitor, Outcome, Place, Protocol, Scenario};

use self::charted::{Charted, FARTHEST};
use crate::answer::{Effort, Progress, RanOut, Wakers};
use crate::book::Pages;
use crate::interner::Number;
use crate::space::{Space, Ways};
use crate::timed::Timed;
use crate::untimed::Untimed;

/// How likely a run is to end in each way, and what it costs in the mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chances {
    /// Every way to end that has a probability above 0 under some schedule, in the order of their names.
    pub endings: Vec<Ending>,
    /// Whether anything is left to a schedule. If not, all least and greatest figures are the same.
    pub scheduled: bool,
    /// That a run is ever over; where only some phases are followed, that it is over in those.
    pub over: Chance,
    /// Mean costs of a run, where it is over with probability 1 under every schedule; none elsewhere.
    pub means: Vec<Mean>,
    /// How far the search went.
    pub progress: Progress,
    /// Why there is no answer; `None` if there is one.
    pub ran_out: Option<RanOut>,
}

/// A way to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// In words.
    pub name: String,
    /// How likely it is.
    pub chance: Chance,
}

/// A probability over all schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chance {
    /// No schedule makes it less.
    pub least: BigRational,
    /// No schedule makes it more.
    pub greatest: BigRational,
}

/// A mean cost over all schedules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mean {
    /// Of what.
    pub measure: Measure,
    /// No schedule makes it less.
    pub least: BigRational,
    /// No schedule makes it more; `None`: there is no limit.
    pub greatest: Option<BigRational>,
}

/// What has a mean.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Measure {
    /// The highest phase or round that any processor reaches.
    Phases,
    /// Message passes.
    Messages,
    /// The time at which it is over.
    Time,
}

impl Measure {
    /// As users read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Phases => "phases",
            Self::Messages => "messages",
            Self::Time => "time",
        }
    }
}

/// How likely a run of a protocol that was configured for a scenario is to end in each way. If `phases` says so, runs are
/// followed no further than where the next phase would begin, which is an ending of its own, and there are no means.
pub fn probabilities<P: Protocol>(
    protocol: P,
    scenario: &Scenario,
    wakers: &Wakers,
    phases: Option<u32>,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Chances, BadSetting> {
    let opening = Pages::new(protocol).open(scenario)?;
    if scenario.untimed {
        return chances(&mut Untimed::new(opening, scenario, wakers, false)?, phases, effort, watch);
    }
    chances(&mut Timed::new(opening, scenario, wakers, false)?, phases, effort, watch)
}

fn chances(
    space: &mut dyn Ended,
    phases: Option<u32>,
    effort: &Effort,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Chances, BadSetting> {
    if phases.is_some() && !space.is_phased() {
        return Err(BadSetting::new("max-phases", "is given", "nothing: this protocol has no phases"));
    }
    let mut charted = Charted::new(phases);
    let mut ran_out = charted.explore(space, effort, watch).err();
    let mut chances = Chances {
        endings: Vec::new(),
        scheduled: charted.scheduled,
        over: Chance { least: BigRational::zero(), greatest: BigRational::one() },
        means: Vec::new(),
        progress: charted.progress,
        ran_out,
    };
    if charted.apart && phases.is_some() {
        let wrong = format!("is given, and some processors go on that are {FARTHEST} phases or more behind others");
        return Err(BadSetting::new("max-phases", wrong, "nothing: it is not known then which phase is the highest"));
    }
    if ran_out.is_none() {
        let progress = charted.progress;
        let solved = charted.solve(space, &mut chances, &mut || watch(&progress));
        ran_out = if solved.is_none() { Some(RanOut::Patience) } else { None };
    }
    chances.ran_out = ran_out;
    Ok(chances)
}

/// What probabilities ask of a space besides its ways.
pub(crate) trait Ended: Space {
    /// Whether a way takes one unit of time.
    fn is_timed(&self) -> bool;
    /// Whether processors go through phases.
    fn is_phased(&self) -> bool;

    /// How many processors there are.
    fn places(&self) -> Place;

    /// What the problem's monitor says of a configuration, in few words; the same for all that it cannot tell apart.
    fn label(&mut self, row: &[Number]) -> String;

    /// Whether nothing more happens by itself in a configuration, with these ways to go on from it.
    fn over(&mut self, _row: &[Number], ways: &Ways) -> bool {
        ways.quiet()
    }

    /// Whose phases grow on the ways from a configuration, in the order of ways.
    fn advances(&mut self, row: &[Number], advances: &mut Vec<Advance>);
}

/// On a way, the phase of a place grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Advance {
    /// The way's index.
    pub(crate) way: usize,
    pub(crate) place: Place,
    pub(crate) by: u32,
}

/// What a monitor says of a run, in few words.
pub(crate) fn label<M: Monitor>(monitor: &M) -> String {
    let counted = |count: u64, what: &str| match count {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let result = match monitor.outcome() {
        Outcome::Election { leaders, .. } => counted(leaders.len() as u64, "leader"),
        Outcome::Tokens { tokens } => counted(tokens, "token"),
        Outcome::Entries { .. } | Outcome::Data { .. } | Outcome::Work => {
            if monitor.waiting() {
                "unfinished".into()
            } else {
                "finished".into()
            }
        }
    };
    match monitor.violations() {
        [] => result,
        [first, ..] => format!("{result}, violated: {}", first.property),
    }
}
