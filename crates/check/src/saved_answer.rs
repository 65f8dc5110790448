//! The answer of a complete check as bytes, so that it need not be found again.

use ringleader_model::{Id, Leader, Processor, Quantity};

use crate::UntypedAnswer;
use crate::answer::{Answer, CheckVerdict, Judgement, MaxMessages, Progress, Property};
use crate::coverage::RuleSet;
use crate::extremes::{CostRange, Extremes, Extremum};
use crate::framing::{FrameError, FrameReader, FrameWriter};
use crate::program::Program;

/// The answer of a check that was complete and found no violation.
pub(crate) struct SavedAnswer {
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) progress: Progress,
    pub(crate) quiescent: u64,
    pub(crate) most_messages: MaxMessages,
    pub(crate) extremes: Extremes,
    pub(crate) fired: RuleSet,
}

/// The quantities that every protocol may have.
const QUANTITIES: [Quantity; 7] = [
    Quantity::Phases,
    Quantity::Time,
    Quantity::TimeElected,
    Quantity::Depth,
    Quantity::DepthElected,
    Quantity::LongestDelay,
    Quantity::GrantingDelay,
];

/// All quantities of a protocol, which are saved as their numbers.
fn quantities(program: &dyn Program) -> Vec<Quantity> {
    program.linear_costs().iter().map(|cost| cost.quantity).chain(QUANTITIES).collect()
}

/// All properties of a protocol but formulas, likewise.
fn properties(program: &dyn Program) -> Vec<Property> {
    let mut properties = program.properties();
    properties.extend(program.lemmas());
    properties
}

impl SavedAnswer {
    pub(crate) fn new(found: &UntypedAnswer, fired: RuleSet) -> Self {
        let result = &found.result;
        Self {
            judgements: found.judgements.clone(),
            progress: result.progress,
            quiescent: result.quiescent,
            most_messages: result.most_messages,
            extremes: result.extremes.clone(),
            fired,
        }
    }

    /// Writes it; false if it has something that cannot be written.
    #[must_use]
    pub(crate) fn save(&self, out: &mut FrameWriter<'_>, program: &dyn Program) -> bool {
        let (properties, quantities) = (properties(program), quantities(program));
        out.number(self.judgements.len() as u64);
        for judgement in &self.judgements {
            let number = match judgement.property {
                Property::Formula(number) => Some(properties.len() + usize::from(number)),
                property => properties.iter().position(|&other| other == property),
            };
            let Some(number) = number else { return false };
            out.number(number as u64);
            out.text(&judgement.detail);
        }
        let Progress { states, transitions, depth, frontier, bytes, violated: _ } = self.progress;
        for number in [states, transitions, depth, frontier, bytes, self.quiescent] {
            out.number(number);
        }
        save_tagged(
            out,
            match self.most_messages {
                MaxMessages::Exactly(most) => (0, most),
                MaxMessages::UpToViolation(most) => (1, most),
                MaxMessages::Unbounded => (2, 0),
                MaxMessages::Unknown => (3, 0),
            },
        );
        let fired: Vec<u8> = self.fired.iter().collect();
        out.bytes(&fired);
        out.number(self.extremes.ranges.len() as u64);
        for range in &self.extremes.ranges {
            let Some(number) = quantities.iter().position(|&quantity| quantity == range.quantity) else { return false };
            out.number(number as u64);
            save_extremum(out, range.least);
            save_extremum(out, range.greatest);
        }
        out.number(u64::from(self.extremes.leaders.is_some()));
        let leaders = self.extremes.leaders.as_deref().unwrap_or_default();
        out.number(leaders.len() as u64);
        for outcome in leaders {
            out.number(outcome.len() as u64);
            for Leader { place, id } in outcome {
                out.number(*place);
                save_tagged(out, id.map_or((0, 0), |id| (1, id.get())));
            }
        }
        true
    }

    /// Reads it.
    pub(crate) fn load(input: &mut FrameReader<'_>, program: &dyn Program) -> Result<Self, FrameError> {
        let (properties, quantities) = (properties(program), quantities(program));
        let mut judgements = Vec::new();
        for _ in 0..input.count()? {
            let number = input.count()?;
            let formula = |number| u16::try_from(number).map(Property::Formula).map_err(|_| FrameError::Damaged);
            let property = match number.checked_sub(properties.len()) {
                Some(number) => formula(number)?,
                None => properties[number],
            };
            judgements.push(Judgement { property, verdict: CheckVerdict::Holds, detail: input.text()? });
        }
        let progress = Progress {
            states: input.number()?,
            transitions: input.number()?,
            depth: input.number()?,
            frontier: input.number()?,
            bytes: input.number()?,
            violated: false,
        };
        let quiescent = input.number()?;
        let most_messages = match (input.number()?, input.number()?) {
            (0, most) => MaxMessages::Exactly(most),
            (1, most) => MaxMessages::UpToViolation(most),
            (2, _) => MaxMessages::Unbounded,
            _ => MaxMessages::Unknown,
        };
        let fired = input.bytes()?.into_iter().collect();
        let mut ranges = Vec::new();
        for _ in 0..input.count()? {
            let quantity = *quantities.get(input.count()?).ok_or(FrameError::Damaged)?;
            ranges.push(CostRange { quantity, least: load_extremum(input)?, greatest: load_extremum(input)? });
        }
        let known = input.number()? == 1;
        let mut leaders = Vec::new();
        for _ in 0..input.count()? {
            let leader = |input: &mut FrameReader<'_>| {
                let place = input.number()?;
                let (has_id, id) = (input.number()? == 1, Id::new(input.number()?));
                Ok(Leader { place, id: has_id.then_some(id) })
            };
            leaders.push((0..input.count()?).map(|_| leader(input)).collect::<Result<Vec<_>, _>>()?);
        }
        let extremes = Extremes { ranges, leaders: known.then_some(leaders) };
        Ok(Self { judgements, progress, quiescent, most_messages, extremes, fired })
    }
}

impl<P: Processor> From<SavedAnswer> for Answer<P> {
    fn from(saved: SavedAnswer) -> Self {
        let SavedAnswer { judgements, progress, quiescent, most_messages, extremes, fired } = saved;
        let (ran_out, counterexample, extreme) = (None, None, None);
        Self { judgements, progress, quiescent, most_messages, extremes, ran_out, fired, counterexample, extreme }
    }
}

fn save_tagged(out: &mut FrameWriter<'_>, (tag, value): (u64, u64)) {
    out.number(tag);
    out.number(value);
}

fn save_extremum(out: &mut FrameWriter<'_>, extremum: Extremum) {
    save_tagged(
        out,
        match extremum {
            Extremum::Exactly(value) => (0, value.cast_unsigned()),
            Extremum::UpToViolation(value) => (1, value.cast_unsigned()),
            Extremum::Unbounded => (2, 0),
            Extremum::NoRun => (3, 0),
            Extremum::Unknown => (4, 0),
        },
    );
}

fn load_extremum(input: &mut FrameReader<'_>) -> Result<Extremum, FrameError> {
    Ok(match (input.number()?, input.number()?.cast_signed()) {
        (0, value) => Extremum::Exactly(value),
        (1, value) => Extremum::UpToViolation(value),
        (2, _) => Extremum::Unbounded,
        (3, _) => Extremum::NoRun,
        _ => Extremum::Unknown,
    })
}
