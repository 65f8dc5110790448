//! Runs of a protocol, their type erased: in causal order where that is possible, else in time order.

use ringleader_model::{BadSetting, Protocol, Scenario, ShortId};
use ringleader_protocols::election::chang_roberts::{ChangRoberts, ChangRobertsWith};
use ringleader_protocols::election::peterson::Peterson;
#[cfg(feature = "inspect")]
use ringleader_sim::InspectableRun;
use ringleader_sim::{
    CausalSimulation, Choices, Full, Instrumentation, Lean, NEVER_CAUSAL, NotCausal, Resolved, Run, Simulation,
};

use super::executed::executed;
use super::{IN_A_PAGE, Simulated, configured};
use crate::catalogue::catalogue;
use crate::causal_run::CausalRun;
use crate::guarded_run::GuardedRun;
use crate::options::Engine;
use crate::setup::Setup;

/// A run without the types of its protocol.
pub(super) trait ErasedRun: Run {
    /// Erases the types of a run.
    fn erase<P: Protocol>(run: Simulation<P, Full>) -> Box<Self>;
}

impl ErasedRun for dyn Run {
    fn erase<P: Protocol>(run: Simulation<P, Full>) -> Box<Self> {
        Box::new(GuardedRun::<dyn Run>::new(Box::new(run)))
    }
}

#[cfg(feature = "inspect")]
impl ErasedRun for dyn InspectableRun {
    fn erase<P: Protocol>(run: Simulation<P, Full>) -> Box<Self> {
        Box::new(GuardedRun::<dyn InspectableRun>::new(Box::new(run)))
    }
}

/// A run in time order, at its very beginning, to be looked into.
#[cfg(feature = "inspect")]
pub(super) fn inspected<P: Protocol>(setup: &Setup, choices: Choices) -> Simulated<dyn InspectableRun> {
    let resolved = Resolved::new(&setup.scenario);
    let protocol: P = configured(&setup.scenario, &resolved, &setup.settings)?;
    prepare(executed(protocol), setup, resolved, choices)
}

/// A run in causal order, where that is possible; else in time order.
pub(super) fn simulate_in_any_order<P: Protocol>(setup: &Setup, choices: Choices) -> Simulated {
    let resolved = Resolved::new(&setup.scenario);
    let protocol: P = configured(&setup.scenario, &resolved, &setup.settings)?;
    if let Some(run) = in_causal_order::<P, P, Full>(&protocol, protocol.clone(), setup, &choices)? {
        return Ok(run);
    }
    prepare(executed(protocol), setup, resolved, choices)
}

/// A run in causal order, of the protocol in this form; `None` where the scenario does not allow it. Where no scenario of the
/// protocol does, nothing is compiled.
fn in_causal_order<P: Protocol, F: Protocol, D: Instrumentation>(
    protocol: &P,
    form: F,
    setup: &Setup,
    choices: &Choices,
) -> Result<Option<Box<dyn Run>>, BadSetting> {
    match causal::<P, D>(protocol, setup, choices)? {
        true if const { !IN_A_PAGE && CausalSimulation::<P, D>::POSSIBLE } => {
            let insists = setup.given.engine == Some(Engine::Causal);
            let run = CausalRun::<P, F, D>::new(protocol.clone(), form, &setup.scenario, setup.threads, insists)?;
            Ok(Some(Box::new(GuardedRun::<dyn Run>::new(Box::new(run)))))
        }
        _ => Ok(None),
    }
}

/// Whether a run is executed in causal order.
fn causal<P: Protocol, D: Instrumentation>(protocol: &P, setup: &Setup, choices: &Choices) -> Result<bool, BadSetting> {
    let engine = setup.given.engine.unwrap_or_default();
    if engine == Engine::Time {
        return Ok(false);
    }
    let possible = if const { !IN_A_PAGE && CausalSimulation::<P, D>::POSSIBLE } {
        CausalSimulation::<P, D>::check(protocol, &setup.scenario)
    } else {
        Err(NEVER_CAUSAL)
    };
    let possible = match choices {
        Choices::Drawn => possible,
        _ => Err("it has choices that are given"),
    };
    match possible {
        Ok(()) if engine == Engine::Causal => Ok(true),
        // Messages are counted in time order.
        Ok(()) => Ok(setup.max_messages.is_none() && CausalSimulation::<P, D>::pays(&setup.scenario)),
        Err(why) if engine == Engine::Causal => Err(not_causal(why)),
        Err(_) => Ok(false),
    }
}

/// The memory that a processor takes at most in a run in time order, in bytes.
pub(super) const MOST_BYTES: usize = 150;

/// The memory that a processor takes at most in a fully instrumented run, in bytes.
pub(super) fn bytes_per_processor<P: Protocol>(setup: &Setup) -> usize {
    let resolved = Resolved::new(&setup.scenario);
    let protocol = configured::<P>(&setup.scenario, &resolved, &setup.settings);
    // Events that no message brings take as much as time order.
    let alone = |protocol: &P| CausalSimulation::<P, Full>::check_divided(protocol, &setup.scenario).is_ok();
    let causal =
        protocol.and_then(|protocol| Ok(causal::<P, Full>(&protocol, setup, &setup.choices())? && alone(&protocol)));
    match causal {
        Ok(true) => CausalSimulation::<P, Full>::bytes_per_processor(&setup.scenario),
        _ => MOST_BYTES,
    }
}

pub(super) fn not_causal(why: NotCausal) -> BadSetting {
    BadSetting::new("engine", "is causal", format!("time or auto, since {why}"))
}

/// A run under [lean](ringleader_sim::Lean) instrumentation.
fn simulate_lean<P: Protocol>(setup: &Setup) -> Simulated {
    let resolved = Resolved::new(&setup.scenario);
    let protocol: P = configured(&setup.scenario, &resolved, &setup.settings)?;
    if let Some(run) = in_causal_order::<P, P, Lean>(&protocol, protocol.clone(), setup, &Choices::Drawn)? {
        return Ok(run);
    }
    let run = Simulation::<P, Lean>::prepare(protocol, &setup.scenario, resolved, Choices::Drawn)?;
    Ok(Box::new(GuardedRun::<dyn Run>::new(Box::new(run))))
}

/// The same, with processors that keep identities in 32 bits in causal order. Those that do not fit are not worth an engine of
/// their own.
fn simulate_lean_short<P: Protocol, F: Protocol>(setup: &Setup) -> Simulated {
    if !fit_32_bits(&setup.scenario) {
        return simulate_in_any_order::<P>(setup, Choices::Drawn);
    }
    let resolved = Resolved::new(&setup.scenario);
    let protocol: P = configured(&setup.scenario, &resolved, &setup.settings)?;
    let form: F = configured(&setup.scenario, &resolved, &setup.settings)?;
    if let Some(run) = in_causal_order::<P, F, Lean>(&protocol, form, setup, &Choices::Drawn)? {
        return Ok(run);
    }
    let run = Simulation::<P, Lean>::prepare(protocol, &setup.scenario, resolved, Choices::Drawn)?;
    Ok(Box::new(GuardedRun::<dyn Run>::new(Box::new(run))))
}

fn fit_32_bits(scenario: &Scenario) -> bool {
    scenario.identities().greatest().is_none_or(|greatest| u32::try_from(greatest).is_ok())
}

/// Runs that nothing but messages, time and results are asked of, as fast as they can be.
type LeanRun = fn(&Setup) -> Simulated;

/// The protocols that are compiled for lean instrumentation, too: those of the largest sweeps. Each costs a second and more of
/// building; the others make the same runs under full instrumentation, in about four times the time.
static LEAN: &[(&str, LeanRun)] = &[
    (ChangRoberts::DESCRIPTION.name, simulate_lean_short::<ChangRoberts, ChangRobertsWith<ShortId>>),
    (Peterson::DESCRIPTION.name, simulate_lean::<Peterson>),
];

/// The lean run of a set-up; `None` where its protocol has none.
pub(crate) fn lean_run(setup: &Setup) -> Option<LeanRun> {
    let Setup { scenario, task, given, entry, .. } = setup;
    let alone = task.is_none() && scenario.retransmit.is_none();
    // Messages have numbers, and choices are prescribed, in full runs only.
    let drawn = scenario.interventions.is_empty() && given.choices.is_none();
    let known = LEAN.iter().find(|(name, _)| alone && drawn && *name == entry.name());
    // A protocol of one's own may have the same name.
    let ours = |name: &str| catalogue().iter().any(|other| other.name() == name && std::ptr::addr_eq(*other, *entry));
    known.filter(|(name, _)| ours(name)).map(|(_, lean)| *lean)
}

/// A run in time order.
pub(super) fn prepare<P: Protocol, R: ErasedRun + ?Sized>(
    protocol: P,
    setup: &Setup,
    resolved: Resolved,
    choices: Choices,
) -> Simulated<R> {
    Simulation::<P, Full>::prepare(protocol, &setup.scenario, resolved, choices).map(R::erase)
}
