//! `check --simulate`: random schedules instead of all of them (statistical model checking).

use ringleader_check::{
    CheckVerdict, Extremes, Judgement, MaxMessages, Progress, Property, SampleCounts, SampleLimits, SearchLimit,
};
use ringleader_model::BadSetting;
use ringleader_sim::Random;
use schemars::JsonSchema;
use serde::Serialize;

use super::checked::Checked;
use super::instances::{Arrangement, Orientations};
use super::report::{CheckReport, Total};
use super::setup::{CheckOptions, CheckSetup};
use super::survey::Survey;
use crate::entry::{Case, Entry};
use crate::report::grouped;
use crate::statistics::{USUAL_LEVEL, half_width};
use crate::watch::Watch;

/// The greatest number of steps, or instants, of one random schedule.
const LONGEST_SCHEDULE: u64 = 100_000;
/// The same where a protocol goes on forever.
const LONGEST_ENDLESS: u64 = 200;
/// The probability with which a bound on the probability of violations is right, in every hundred.
const CONFIDENCE: f64 = 0.95;

/// Random schedules, each of a random instance.
pub struct RandomSchedules {
    /// The protocol, and of its instances the one in which a property was violated, or the last.
    pub setup: CheckSetup,
    /// What was found: every property is violated or unknown.
    pub survey: Survey,
    /// What was counted.
    pub counts: SampleCounts,
    seed: u64,
}

/// Random schedules in a report.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct RandomSchedulesReport {
    /// The number of schedules, the violating one included.
    pub schedules: u64,
    /// Those that ended without a violation.
    pub complete: u64,
    /// Those that were cut off.
    pub cut_off: u64,
    /// The number of steps, or instants, after which a schedule is cut off.
    pub longest: u64,
    /// The random seed.
    pub seed: u64,
    /// An upper bound on the probability that a random schedule violates a property (Clopper and Pearson's, of 95 % confidence);
    /// null if one did.
    pub bound: Option<f64>,
    /// Message passes of the complete schedules; null without at least two.
    pub messages: Option<MessageMeanReport>,
}

/// Message passes of random schedules.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MessageMeanReport {
    /// Their mean.
    pub mean: f64,
    /// Half the width of the interval that has the true mean in 95 of 100 cases.
    pub ci95: f64,
    /// The fewest.
    pub least: u64,
    /// The most.
    pub greatest: u64,
}

/// Makes random schedules of a protocol, until one violates a property. Identities and orientations that the options leave open
/// are drawn for each schedule.
///
/// # Errors
/// If the options do not suit the protocol.
pub fn simulate(
    entry: &'static dyn Entry,
    options: &CheckOptions,
    schedules: u64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<RandomSchedules, BadSetting> {
    let begun = watch.seconds();
    let mut setup = CheckSetup::of_random_instance(entry, options)?;
    setup.refuse_retransmission("--simulate")?;
    let mut random = Random::new(seed);
    let mut drawn = SchedulesSoFar { found: None, counts: SampleCounts::default() };
    // A single instance is not built anew for every schedule.
    let each = if setup.family.is_open() { 1 } else { schedules };
    while drawn.counts.schedules < schedules && !drawn.is_over() && !watch.stopped() {
        let instance = setup.family.draw(&mut random);
        let scenario = setup.scenario_of(&instance);
        let case = Case { entry, scenario: &scenario, settings: &setup.settings, task: None };
        let limits = SampleLimits {
            schedules: each,
            steps: LONGEST_SCHEDULE,
            endless: LONGEST_ENDLESS,
            bytes: setup.effort.bytes,
        };
        let before = drawn.found.as_ref().map_or(Progress::default(), |found| found.progress);
        let mut go_on = |progress: &Progress| {
            let transitions = before.transitions + progress.transitions;
            watch.searching(0, &Progress { transitions, ..*progress });
            !watch.stopped()
        };
        let sample = entry.sample(&case, &setup.wakers, &limits, &mut |bound| random.below(bound), &mut go_on)?;
        drawn.add(sample);
        setup.instances = vec![instance];
    }
    let SchedulesSoFar { found, counts } = drawn;
    let mut found = found.unwrap_or_else(nothing);
    if found.ran_out.is_none() && counts.schedules < schedules && found.counterexample.is_none() {
        found.ran_out = Some(SearchLimit::Interrupted);
    }
    found.judgements.iter_mut().for_each(|judgement| explain(judgement, counts.schedules));
    let survey = Survey { found: vec![found], seconds: watch.seconds() - begun };
    Ok(RandomSchedules { setup, survey, counts, seed })
}

/// The schedules so far.
struct SchedulesSoFar {
    found: Option<Checked>,
    counts: SampleCounts,
}

impl SchedulesSoFar {
    fn add(&mut self, (sample, counts): (Checked, SampleCounts)) {
        self.counts.add(&counts);
        self.found = Some(match self.found.take() {
            None => sample,
            Some(before) => Checked {
                progress: Progress {
                    transitions: before.progress.transitions + sample.progress.transitions,
                    depth: before.progress.depth.max(sample.progress.depth),
                    ..sample.progress
                },
                fired: before.fired.union(&sample.fired),
                ..sample
            },
        });
    }

    /// A property was violated, or something ran out.
    fn is_over(&self) -> bool {
        self.found.as_ref().is_some_and(|found| found.verdict() == CheckVerdict::Violated || found.ran_out.is_some())
    }
}

/// What is found without a schedule.
fn nothing() -> Checked {
    let unknown = |property| Judgement { property, verdict: CheckVerdict::Unknown, detail: String::new() };
    Checked {
        judgements: Property::ALL.map(unknown).into(),
        progress: Progress::default(),
        quiet: 0,
        most: MaxMessages::Unknown,
        ran_out: Some(SearchLimit::Interrupted),
        proved: None,
        fired: ringleader_check::RuleSet::default(),
        counterexample: None,
        extremes: Extremes::default(),
        bounds: Vec::new(),
        extreme: None,
    }
}

/// Says what an unknown verdict rests on.
fn explain(judgement: &mut Judgement, schedules: u64) {
    let what = match judgement.property {
        _ if judgement.verdict != CheckVerdict::Unknown || schedules == 0 => return,
        Property::Promise(promised) if promised.is_existential() => return,
        Property::Termination => "deadlock",
        _ => "violation",
    };
    let plural = if schedules == 1 { "" } else { "s" };
    judgement.detail = format!("no {what} in {} schedule{plural}", grouped(schedules));
}

impl super::instances::Family {
    /// Whether there is more than one instance.
    fn is_open(&self) -> bool {
        !self.ordered && self.ids.len() > 1 || self.orientations == Orientations::All
    }

    /// A random one of all orders of identities and all orientations.
    fn draw(&self, random: &mut Random) -> Arrangement {
        let mut ids = self.ids.clone();
        if !self.ordered {
            random.shuffle(&mut ids);
        }
        let orientation = match &self.orientations {
            Orientations::One(one) => one.clone(),
            Orientations::All => (0..self.n).map(|_| random.below(2) == 1).collect(),
        };
        Arrangement { ids, orientation }
    }
}

impl RandomSchedules {
    /// The report; what is not known of all schedules is left out. `rerun` is the command line that repeats it.
    pub fn report(&self, total: &Total<'_>, rerun: String) -> CheckReport {
        let mut report = CheckReport::new(&self.setup, &self.survey, total, None, rerun);
        report.most_messages.ids = None;
        report.random_schedules = Some(RandomSchedulesReport {
            schedules: self.counts.schedules,
            complete: self.counts.complete,
            cut_off: self.counts.cut_off,
            longest: self.counts.longest,
            seed: self.seed,
            bound: bound(self.counts.schedules).filter(|_| total.verdict() == CheckVerdict::Unknown),
            messages: messages(&self.counts),
        });
        report
    }
}

/// Clopper and Pearson's upper bound on a probability, of an event that was not seen: 1 - α^(1/K).
fn bound(schedules: u64) -> Option<f64> {
    (schedules > 0).then(|| -((1.0 - CONFIDENCE).ln() / schedules as f64).exp_m1())
}

fn messages(counts: &SampleCounts) -> Option<MessageMeanReport> {
    if counts.complete < 2 {
        return None;
    }
    let count = counts.complete as f64;
    let mean = counts.sum as f64 / count;
    // n Σx² - (Σx)² is exact, and never negative.
    let complete = u128::from(counts.complete);
    let squares = (complete.saturating_mul(counts.squares)).saturating_sub(counts.sum.saturating_mul(counts.sum));
    let variance = squares as f64 / (count * (count - 1.0));
    Some(MessageMeanReport {
        mean,
        ci95: half_width(count, variance, USUAL_LEVEL),
        least: counts.least,
        greatest: counts.greatest,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    fn simulated(protocol: &str, schedules: u64, change: impl FnOnce(&mut CheckOptions)) -> CheckReport {
        let mut options = CheckOptions::default();
        change(&mut options);
        let entry = find(protocol).expect("it is there");
        let found = simulate(entry, &options, schedules, 1, &()).expect("it suits");
        found.report(&Total::new(&found.setup, &found.survey), String::new())
    }

    /// The rule of three, and what a single schedule shows.
    #[test]
    fn the_bound_is_clopper_and_pearsons() {
        for (schedules, expected) in [(1, 0.95), (59, 0.0495), (100, 0.0295), (1_000_000, 2.9957e-6)] {
            let found = bound(schedules).expect("there are some");
            assert!((found - expected).abs() < expected / 100.0, "{schedules}: {found}");
        }
        assert_eq!(bound(0), None);
    }

    /// 2, 4, 4 and 6 have the mean 4 and the variance 8/3; Student's quantile for 3 degrees of freedom is 3.182.
    #[test]
    fn messages_have_a_mean_with_students_interval() {
        let counts =
            SampleCounts { complete: 4, least: 2, greatest: 6, sum: 16, squares: 72, ..SampleCounts::default() };
        let found = messages(&counts).expect("there are four");
        assert!(found.mean == 4.0 && (found.ci95 - 3.182 * (8.0f64 / 3.0 / 4.0).sqrt()).abs() < 0.001);
        assert_eq!(messages(&SampleCounts { complete: 1, ..counts }), None);
    }

    /// LeLann's identities all make a full turn, however many processors there are.
    #[test]
    fn a_correct_protocol_of_any_size_is_never_said_to_hold() {
        let report = simulated("lelann", 20, |options| options.options.n = Some(50));
        assert_eq!((report.verdict.as_str(), report.ran_out), ("unknown", None));
        assert!(report.properties.iter().all(|property| property.verdict == "unknown"));
        assert_eq!(report.properties[0].detail.as_deref(), Some("no violation in 20 schedules"));
        let random = report.random_schedules.expect("it was simulated");
        let messages = random.messages.expect("all ended");
        assert_eq!((random.complete, messages.least, messages.greatest, messages.ci95), (20, 2500, 2500, 0.0));
    }

    /// Chang and Roberts: 2N-1 to N(N+1)/2 candidates and N announcements, if all of N = 3 identities are sent; and none less
    /// than N + N where only the greatest is.
    #[test]
    fn messages_lie_within_the_proved_bounds() {
        let report = simulated("chang-roberts", 5_000, |options| options.options.n = Some(3));
        let messages = report.random_schedules.and_then(|random| random.messages).expect("all ended");
        assert_eq!((messages.least, messages.greatest), (6, 9));
        assert!(messages.mean > 6.0 && messages.mean < 9.0 && messages.ci95 > 0.0);
    }

    #[test]
    fn a_deadlock_and_a_violation_of_safety_are_found_and_replay() {
        type Change = fn(&mut CheckOptions);
        let broken: [(&str, &str, Change); 3] = [
            ("chang-roberts", "termination", |options| {
                options.options.faults = Some("loss:1".parse().expect("they are faults"));
            }),
            ("lelann", "safety", |options| options.options.links = Some(ringleader_model::Links::Any)),
            ("vitanyi", "termination", |options| {
                options.options.ids = Some(vec![2, 1]);
                options.options.set.push(("law".into(), "min-time".into()));
                options.options.set.push(("rules".into(), "printed".into()));
            }),
        ];
        for (protocol, property, change) in broken {
            let mut options = CheckOptions::default();
            change(&mut options);
            let found = simulate(find(protocol).expect("it is there"), &options, 10_000, 7, &()).expect("it suits");
            let total = Total::new(&found.setup, &found.survey);
            let (_, violated) = total.shortest.unwrap_or_else(|| panic!("{protocol} is broken"));
            assert_eq!(violated.property.name(), property, "{protocol}");
            let run = violated.run.as_ref().unwrap_or_else(|error| panic!("{protocol}: {error}"));
            assert!(run.replay(&crate::Catalogue::default(), &(), |_| {}).is_ok(), "{protocol}");
            let report = found.report(&total, String::new());
            assert_eq!(
                (report.verdict.as_str(), report.random_schedules.expect("it was simulated").bound),
                ("violated", None)
            );
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_schedules() {
        let report = |seed| {
            let found = simulate(find("itai-rodeh").expect("it is there"), &CheckOptions::default(), 50, seed, &());
            found.expect("it suits").counts
        };
        assert_eq!(report(3), report(3));
        assert_ne!(report(3), report(4));
    }
}
