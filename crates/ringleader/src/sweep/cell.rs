//! Cells: one protocol with one value of everything that varies.

use ringleader_model::{BadSetting, Numbering, Task, Topology, WakeSet};

use super::seeds;
use crate::entry::Entry;
use crate::options::{Options, Order, TimingName};
use crate::setup::Setup;

/// One protocol with one value of everything that varies.
#[derive(Clone, Debug)]
pub struct SweepCell {
    /// The protocol with its parameters, as it was given.
    pub label: String,
    /// The value of each axis.
    pub values: Vec<String>,
    /// The protocol.
    pub entry: &'static dyn Entry,
    /// The options of its runs, but for their seed.
    pub options: Options,
    /// The hash from which seeds are derived.
    key: u64,
}

impl SweepCell {
    pub(crate) fn new(label: String, values: Vec<String>, entry: &'static dyn Entry, options: Options) -> Self {
        let named = options.named().into_iter().map(|(name, value)| format!("{name}={value}"));
        let text = std::iter::once(entry.name().to_string()).chain(named).collect::<Vec<_>>().join("\n");
        Self { label, values, entry, options, key: seeds::hash(&text) }
    }

    /// The seed of one of its runs.
    pub fn seed(&self, base: u64, run: u64) -> u64 {
        seeds::seed(base, self.key, run)
    }

    /// The set-up of the run with this seed.
    pub fn setup(&self, seed: u64) -> Result<Setup, BadSetting> {
        Setup::new(self.entry, Options { seed: Some(seed), ..self.options.clone() })
    }
}

/// Everything that a run is about but its seed and what the seed decides, defaults written out: names and values.
pub(crate) fn parameters(setup: &Setup) -> Vec<(String, String)> {
    let (scenario, timing) = (&setup.scenario, &setup.scenario.timing);
    let assumptions = &setup.description().assumptions;
    let load = scenario.workload.as_ref();
    let shared = load.filter(|load| load.readers + load.writers > 0);
    let mut all = setup.given.clone();
    all.set.clear();
    all.n = Some((scenario.n - load.map_or(0, |load| load.cells)) as u64);
    all.topology = Some(assumptions.topology);
    all.links = Some(scenario.links);
    if assumptions.identities && all.ids.is_none() {
        all.order = all.order.or(Some(Order::Random));
    }
    if all.wake_at.is_none() {
        all.wake = all.wake.or(Some(WakeSet::All));
    }
    if assumptions.topology == Topology::Complete {
        all.ports = all.ports.or(Some(Numbering::Plain));
    }
    if scenario.untimed {
        all.timing = Some(TimingName::Untimed);
    } else {
        (all.timing, all.reading) = (None, Some(timing.reading));
        (all.r, all.d) = (Some(timing.tick_ranges()), Some(timing.delay_ranges()));
        (all.clocks, all.delays) = (Some(timing.clocks.clone()), Some(timing.delays.clone()));
        (all.offsets, all.ties) = (Some(timing.offsets.clone()), Some(scenario.ties));
    }
    if let Some(load) = load {
        (all.entries, all.compete) = (Some(load.entries), Some(load.load()));
        if load.users > 1 {
            all.users = Some(load.users as u64);
        }
        (all.readers, all.writers) = (shared.map(|load| load.readers as u64), shared.map(|load| load.writers as u64));
        if !scenario.untimed {
            (all.first, all.think) = (Some(load.first), Some(load.think));
            all.hold = Some(load.hold).filter(|_| load.cells == 0);
        }
    }
    all.then = setup.task;
    let mut named = all.named();
    named.extend(setup.facts.parameters.iter().map(|(key, value)| (format!("set.{key}"), value.clone())));
    named
}

/// A protocol with parameters, `NAME:KEY=VALUE,KEY=VALUE`, apart. A part without `=` belongs to the value before it, which may
/// be a list.
pub(crate) fn with_parameters(label: &str) -> (&str, Vec<(String, String)>) {
    let Some((name, settings)) = label.split_once(':') else { return (label, Vec::new()) };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in settings.split(',') {
        match (part.split_once('='), pairs.last_mut()) {
            (None, Some((_, value))) => {
                value.push(',');
                value.push_str(part);
            }
            (Some((key, value)), _) => pairs.push((key.to_string(), value.to_string())),
            (None, None) => pairs.push((part.to_string(), String::new())),
        }
    }
    (name, pairs)
}

/// Whether a name is that of a leader's task, which stands for an election with that task.
pub(crate) fn is_task(name: &str) -> bool {
    Task::ALL.into_iter().any(|task| task.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_be_lists() {
        assert_eq!(with_parameters("peterson"), ("peterson", vec![]));
        let pair = |key: &str, value: &str| (key.to_string(), value.to_string());
        let (name, settings) = with_parameters("lock:rules=printed,draw=1,2,1,k=3");
        assert_eq!((name, settings), ("lock", vec![pair("rules", "printed"), pair("draw", "1,2,1"), pair("k", "3")]));
    }
}
