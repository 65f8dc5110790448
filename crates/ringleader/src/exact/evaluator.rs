//! The cost of one election: by the kernel of small rings where it can do it, else by the simulator.

use std::sync::Arc;

use ringleader_check::catch_panic;
use ringleader_exact::{KernelRun, MOST, QUANTITIES, RunValues, Unsuited};
use ringleader_model::{
    BadSetting, Delays, Election, Kind, Links, Preset, Problem, Quantity, Reading, Scenario, Ties, Topology, Value,
    Wakes,
};
use ringleader_sim::{Choices, Summary, Verdict};

use crate::entry::Entry;
use crate::error::Error;
use crate::execution::{Execution, RunEnd};
use crate::options::comma_separated;
use crate::report::quantity_name;
use crate::setup::Setup;

/// A run with more messages than this is taken for one that does not end.
const MOST_MESSAGES: u64 = 1 << 20;

/// The quantities measured of every run, as in [`RunValues::values`]; those of kinds of messages follow.
const COMMON: [Quantity; ringleader_exact::COMMON] = [
    Quantity::Messages,
    Quantity::Work,
    Quantity::Announcement,
    Quantity::Bits,
    Quantity::Time,
    Quantity::TimeElected,
    Quantity::Phases,
];

/// The quantities measured of an election with these kinds of messages.
pub(crate) fn quantities(kinds: &[Kind]) -> Vec<Quantity> {
    let kinds = kinds.iter().take(ringleader_exact::KINDS).map(|kind| Quantity::Kind(kind.name));
    COMMON.into_iter().chain(kinds).collect()
}

/// The position of a quantity among those that are measured, by its name in reports.
///
/// # Errors
/// If there is no such quantity.
pub(crate) fn position_of(entry: &dyn Entry, name: &str) -> Result<usize, BadSetting> {
    let profile = entry.profile();
    let named = |quantity: Quantity| match quantity {
        Quantity::Messages => "messages".to_string(),
        Quantity::Kind(kind) => kind.to_string(),
        other => quantity_name(other, entry.work()).trim_start_matches("messages.").to_string(),
    };
    let names: Vec<String> = quantities(&profile.kinds).into_iter().map(named).collect();
    let known = |name: &&String| name.as_str() != "phases" || profile.phased;
    names.iter().position(|other| other == name && known(&other)).ok_or_else(|| {
        let mut allowed: Vec<&str> = names.iter().filter(known).map(String::as_str).collect();
        allowed.dedup();
        BadSetting::new("quantity", format!("is '{name}'"), allowed.join(", "))
    })
}

/// Evaluates elections of one protocol, one after another.
pub(crate) struct Evaluator<'a> {
    setup: &'a Setup,
    kinds: Vec<Kind>,
    kernel: Option<Box<dyn KernelRun>>,
    exchanged: u32,
}

impl<'a> Evaluator<'a> {
    /// For scenarios that differ from the one of this set-up in identities, wakes, orientation, ports, clocks and delays.
    pub(crate) fn new(setup: &'a Setup) -> Result<Self, Error> {
        let kernel = if suits_kernel(setup) { setup.entry.kernel(&setup.case())? } else { None };
        Ok(Self { setup, kinds: setup.entry.profile().kinds, kernel, exchanged: 0 })
    }

    /// Whether the kernel of small rings does it.
    pub(crate) fn has_kernel(&self) -> bool {
        self.kernel.is_some()
    }

    /// The election of these identities, from the wake-up of these places, a bit each, with left and right exchanged at those.
    pub(crate) fn evaluate(&mut self, ids: &[u8], wakes: u32, exchanged: u32) -> Result<RunValues, Error> {
        if let Some(kernel) = &mut self.kernel {
            if self.exchanged != exchanged {
                kernel.orient(exchanged);
                self.exchanged = exchanged;
            }
            let counts = catch_panic(|| kernel.run(ids, wakes)).map_err(|panic| panicked(ids, &panic))?;
            match counts {
                Ok(counts) => return Ok(RunValues::new(&counts, &self.kinds)),
                // It may have room for another order, or see its end.
                Err(Unsuited::Crowded | Unsuited::Endless) => {}
                Err(Unsuited::Network | Unsuited::Timer | Unsuited::Random) => self.kernel = None,
            }
        }
        self.simulate(small_scenario(&self.setup.scenario, ids, wakes, exchanged))
    }

    /// The election of a scenario, simulated.
    pub(crate) fn simulate(&self, scenario: Scenario) -> Result<RunValues, Error> {
        let setup = Setup { scenario: Arc::new(scenario), max_messages: Some(MOST_MESSAGES), ..self.setup.clone() };
        let mut execution = Execution::new(&setup, Choices::Drawn)?;
        let ended = execution.finish(&());
        let summary = execution.run.summary();
        if ended != RunEnd::Complete || summary.cost.deliveries >= MOST_MESSAGES {
            let wrong = format!(
                "the run --ids {} does not end within {MOST_MESSAGES} messages",
                comma_separated(&setup.scenario.ids)
            );
            return Err(Error::refused(wrong, "a protocol whose elections end"));
        }
        Ok(self.of_summary(&summary))
    }

    fn of_summary(&self, summary: &Summary) -> RunValues {
        let mut values = [0; QUANTITIES];
        for (value, quantity) in values.iter_mut().zip(quantities(&self.kinds)) {
            *value = summary.cost.of(quantity).map_or(0, whole);
        }
        RunValues { values, sound: summary.verdict == Verdict::Held && summary.finished }
    }
}

/// The whole part of a value.
fn whole(value: Value) -> u64 {
    u64::try_from(value.parts().0).unwrap_or(u64::MAX)
}

fn panicked(ids: &[u8], panic: &str) -> Error {
    let ids: Vec<u64> = ids.iter().copied().map(u64::from).collect();
    Error::Refused {
        wrong: format!("a step of the run --ids {} panics: {panic}", comma_separated(&ids)),
        allowed: Some("a protocol whose steps do not panic"),
    }
}

/// A scenario with other identities, wakes and orientation.
pub(crate) fn small_scenario(scenario: &Scenario, ids: &[u8], wakes: u32, exchanged: u32) -> Scenario {
    let n = ids.len();
    let is_in = |set: u32| move |place: usize| set >> place & 1 == 1;
    let woken = is_in(wakes);
    let all = (0..n).all(woken);
    Scenario {
        ids: ids.iter().copied().map(u64::from).collect(),
        wakes: if all { Wakes::All } else { Wakes::At((0..n).map(|place| woken(place).then_some(0)).collect()) },
        orientation: if exchanged == 0 { Vec::new() } else { (0..n).map(is_in(exchanged)).collect() },
        ..scenario.clone()
    }
}

/// Whether the kernel's model is that of a scenario: a small ring, unit delays, everything handled on arrival, no faults.
fn suits_kernel(setup: &Setup) -> bool {
    let Setup { scenario, entry, .. } = setup;
    let unit = Preset::Unit.timing(Reading::Immediate);
    let timing = &scenario.timing;
    // Where all delays are 1, how they are drawn means nothing.
    let delays_suit = !matches!(timing.delays, Delays::List(_)) || timing.d == unit.d;
    let ranges_suit = timing.r == unit.r && timing.d == unit.d && timing.changes.is_empty();
    let timing_suits = ranges_suit && timing.reading == unit.reading && delays_suit;
    let nothing_else = scenario.faults.is_empty()
        && scenario.interventions.is_empty()
        && setup.given.choices.is_none()
        && scenario.again.is_empty()
        && scenario.workload.is_none()
        && !scenario.untimed
        && scenario.ties == Ties::Ruled
        && setup.task.is_none()
        && setup.scenario.retransmit.is_none();
    entry.description().assumptions.topology != Topology::Complete
        && scenario.n <= MOST
        && scenario.links == Links::Fifo
        && timing_suits
        && nothing_else
}

impl dyn Entry {
    /// Refuses a protocol whose runs are not determined by an order of identities.
    pub(crate) fn require_ordered_election(&self, command: &str) -> Result<(), Error> {
        let name = self.name();
        if self.problem() != Election::NAME {
            let wrong = format!("{command} is about elections, and {name} is for {}", self.problem());
            return Err(Error::refused(wrong, "an election with identities; `ringleader list election` has them"));
        }
        if !self.description().assumptions.identities {
            let wrong = format!("{name} has no identities, so that there are no orders of them");
            let allowed = "an election with identities; `ringleader check PROTOCOL --probability` computes exact \
                           probabilities and expected costs of this one";
            return Err(Error::refused(wrong, allowed));
        }
        Ok(())
    }
}
