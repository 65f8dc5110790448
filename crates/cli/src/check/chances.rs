//! `check --probability`: how likely each ending is, exactly.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ringleader_check::{
    BigRational, Effort, ExpectedCost, Probabilities, ProbabilityRange, Progress, StopReason, probabilities,
};
use ringleader_model::{BadSetting, Protocol, Settings};
use ringleader_protocols::catalogue::{self, Visitor};
use ringleader_sim::Resolved;
use schemars::JsonSchema;
use serde::Serialize;

use super::engine::left_open;
use super::question::Question;
use super::report::{CheckScenario, ran_out_name};
use super::text::{network, schedules};
use crate::error::{Error, Exit};
use crate::execution::interrupted;
use crate::plan::Plan;
use crate::report::rules_of;
use crate::text::{BOLD, DOUBT, grouped, styled};

/// How likely a run is to end in each way, over all schedules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChancesReport {
    /// The protocol.
    pub protocol: String,
    /// Whether the printed or the repaired rules were followed.
    pub rules: String,
    /// The protocol's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The world.
    pub scenario: CheckScenario,
    /// Whether anything is left to a schedule; if not, least and greatest are the same.
    pub scheduled: bool,
    /// Every way to end that is possible.
    pub endings: Vec<EndingReport>,
    /// That a run is ever over; null where not everything was looked at.
    pub over: Option<BetweenReport>,
    /// Mean costs, where a run is over with probability 1 whatever the schedule.
    pub means: Vec<MeanReport>,
    /// Distinct configurations.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// What ran out before there was an answer; null if there is one.
    pub ran_out: Option<String>,
    /// The line that repeats it.
    pub rerun: String,
}

/// A way to end.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EndingReport {
    /// In words.
    pub name: String,
    /// How likely it is.
    #[serde(flatten)]
    pub chance: BetweenReport,
}

/// A mean cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeanReport {
    /// phases, messages or time.
    pub of: String,
    /// How much.
    #[serde(flatten)]
    pub mean: BetweenReport,
}

/// The least and the greatest over all schedules.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BetweenReport {
    /// No schedule makes it less.
    pub least: FractionReport,
    /// No schedule makes it more; null if there is no limit.
    pub greatest: Option<FractionReport>,
}

/// A fraction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FractionReport {
    /// Exactly, such as 3/4.
    pub exact: String,
    /// Nearly.
    pub decimal: f64,
}

impl FractionReport {
    fn new(fraction: &BigRational) -> Self {
        Self { exact: fraction.to_string(), decimal: decimal(fraction) }
    }

    fn text(&self) -> String {
        if self.exact.contains('/') && self.exact.len() > MOST_DIGITS {
            return format!("≈ {:.9}", self.decimal);
        }
        if self.exact.contains('/') { format!("{} ≈ {:.6}", self.exact, self.decimal) } else { self.exact.clone() }
    }
}

/// A fraction with more digits than this is not shown in full to people.
const MOST_DIGITS: usize = 40;

/// A fraction of large numbers, near enough: both are divided by the same power of ten first.
fn decimal(fraction: &BigRational) -> f64 {
    let [mut over, mut under] = [fraction.numer(), fraction.denom()].map(ToString::to_string);
    let surplus = over.len().min(under.len()).saturating_sub(18);
    over.truncate(over.len() - surplus);
    under.truncate(under.len() - surplus);
    over.parse::<f64>().unwrap_or(f64::NAN) / under.parse::<f64>().unwrap_or(f64::NAN)
}

impl BetweenReport {
    fn of_chance(chance: &ProbabilityRange) -> Self {
        Self { least: FractionReport::new(&chance.least), greatest: Some(FractionReport::new(&chance.greatest)) }
    }

    fn of_mean(mean: &ExpectedCost) -> Self {
        Self { least: FractionReport::new(&mean.least), greatest: mean.greatest.as_ref().map(FractionReport::new) }
    }

    fn text(&self) -> String {
        match &self.greatest {
            Some(greatest) if greatest.exact == self.least.exact => self.least.text(),
            Some(greatest) => format!("{} to {}", self.least.text(), greatest.text()),
            None => format!("{} or more, without limit", self.least.text()),
        }
    }
}

/// Works out the chances of the one instance of a question. `phases`: how many phases are followed.
pub(crate) fn chances(question: &Question, phases: Option<u32>, rerun: String) -> Result<ChancesReport, Error> {
    let [instance] = question.instances.as_slice() else {
        let wrong = format!("is given for {} orders and orientations", question.instances.len());
        return Err(
            BadSetting::new("probability", wrong, "one: --ids, and --orientation on a bidirectional ring").into()
        );
    };
    let plan = question.plan_of(instance)?;
    let mut watch = |_: &Progress| !interrupted();
    let ask = Ask { question, plan: &plan, phases, effort: &question.effort, watch: &mut watch };
    let found = catalogue::visit(plan.description.name, ask).expect("a plan's protocol is in the catalogue")?;
    let settings = Settings::new(plan.description.parameters, &plan.settings)?;
    Ok(ChancesReport {
        protocol: plan.description.name.to_string(),
        rules: rules_of(settings.iter()).to_string(),
        parameters: settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        scenario: CheckScenario::new(question),
        scheduled: found.nondeterministic,
        endings: found
            .endings
            .iter()
            .map(|ending| EndingReport {
                name: ending.name.clone(),
                chance: BetweenReport::of_chance(&ending.probability),
            })
            .collect(),
        over: found.ran_out.is_none().then(|| BetweenReport::of_chance(&found.termination)),
        means: found
            .expected_costs
            .iter()
            .map(|mean| MeanReport { of: mean.measure.name().to_string(), mean: BetweenReport::of_mean(mean) })
            .collect(),
        states: found.progress.states,
        transitions: found.progress.transitions,
        ran_out: found.ran_out.map(|what: StopReason| ran_out_name(what).to_string()),
        rerun,
    })
}

struct Ask<'a> {
    question: &'a Question,
    plan: &'a Plan,
    phases: Option<u32>,
    effort: &'a Effort,
    watch: &'a mut dyn FnMut(&Progress) -> bool,
}

impl Visitor for Ask<'_> {
    type Output = Result<Probabilities, Error>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let scenario = &self.plan.scenario;
        let settings = Settings::new(P::DESCRIPTION.parameters, &self.plan.settings)?;
        let open = left_open(scenario, scenario.timing.r, scenario.timing.d);
        let protocol = P::configure(&settings, &Resolved::new(&open).instance(&open))?;
        Ok(probabilities(protocol, scenario, &self.question.wakers, self.phases, self.effort, self.watch)?)
    }
}

impl ChancesReport {
    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        match self.ran_out {
            Some(_) if interrupted() => Exit::Interrupted,
            Some(_) => Exit::Inconclusive,
            None => Exit::Held,
        }
    }

    pub(crate) fn write(&self, question: &Question, out: &mut impl Write) -> io::Result<()> {
        let parameters: Vec<_> = self.parameters.iter().map(|(key, value)| format!(", {key}={value}")).collect();
        writeln!(out, "{} on {}{}\n", styled(BOLD, &self.protocol), network(question), parameters.concat())?;
        let whichever = if self.scheduled { "least to greatest over all schedules" } else { "exactly" };
        if self.ran_out.is_none() {
            writeln!(out, "  {}", styled(BOLD, format!("probability, {whichever}")))?;
        }
        for ending in &self.endings {
            writeln!(out, "  {:<28} {}", ending.name, ending.chance.text())?;
        }
        if let Some(over) = &self.over {
            writeln!(out, "  {:<28} {}", "it is ever over", over.text())?;
        }
        if !self.means.is_empty() {
            writeln!(out, "\n  {}", styled(BOLD, format!("in the mean, {whichever}")))?;
        }
        for mean in &self.means {
            writeln!(out, "  {:<28} {}", mean.of, mean.mean.text())?;
        }
        if let Some(what) = &self.ran_out {
            writeln!(out, "  {}    {what}", styled(DOUBT, "ran out"))?;
        }
        writeln!(out, "\n  schedules  {}", schedules(question))?;
        writeln!(out, "  explored   {} states, {} transitions", grouped(self.states), grouped(self.transitions))?;
        writeln!(out, "  repeat     {}", self.rerun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_large_numbers_come_near() {
        let third = |digits: usize| -> BigRational {
            format!("1{}/3{}", "0".repeat(digits), "0".repeat(digits)).parse().expect("a fraction")
        };
        for digits in [0, 5, 40, 400] {
            assert!((decimal(&third(digits)) - 1.0 / 3.0).abs() < 1e-15);
        }
        let tiny: BigRational = format!("1/1{}", "0".repeat(30)).parse().expect("a fraction");
        assert!((decimal(&tiny) * 1e30 - 1.0).abs() < 1e-9);
        let large: BigRational = format!("{}1/{}", "7".repeat(60), "9".repeat(60)).parse().expect("a fraction");
        assert!((decimal(&large) - 70.0 / 9.0).abs() < 1e-12);
    }
}
