//! Runs of a protocol, their type erased: in causal order where that is possible, else in time order.

use ringleader_model::{BadSetting, Protocol};
use ringleader_protocols::election::chang_roberts::ChangRoberts;
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
    if let Some(run) = in_causal_order::<P, Full>(&protocol, setup, &choices)? {
        return Ok(run);
    }
    prepare(executed(protocol), setup, resolved, choices)
}

/// A run in causal order; `None` where the scenario does not allow it. Where no scenario of the protocol does, nothing is compiled.
fn in_causal_order<P: Protocol, D: Instrumentation>(
    protocol: &P,
    setup: &Setup,
    choices: &Choices,
) -> Result<Option<Box<dyn Run>>, BadSetting> {
    let engine = setup.given.engine.unwrap_or_default();
    if engine == Engine::Time {
        return Ok(None);
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
        // Messages are counted in time order.
        Ok(()) if engine == Engine::Auto && setup.max_messages.is_some() => Ok(None),
        Ok(()) if engine == Engine::Auto && !CausalSimulation::<P, D>::pays(&setup.scenario) => Ok(None),
        Ok(()) if const { !IN_A_PAGE && CausalSimulation::<P, D>::POSSIBLE } => {
            let run =
                CausalRun::<P, D>::new(protocol.clone(), &setup.scenario, setup.threads, engine == Engine::Causal)?;
            Ok(Some(Box::new(GuardedRun::<dyn Run>::new(Box::new(run)))))
        }
        Err(why) if engine == Engine::Causal => Err(not_causal(why)),
        _ => Ok(None),
    }
}

pub(super) fn not_causal(why: NotCausal) -> BadSetting {
    BadSetting::new("engine", "is causal", format!("time or auto, since {why}"))
}

/// A run under [lean](ringleader_sim::Lean) instrumentation.
fn simulate_lean<P: Protocol>(setup: &Setup) -> Simulated {
    let resolved = Resolved::new(&setup.scenario);
    let protocol: P = configured(&setup.scenario, &resolved, &setup.settings)?;
    if let Some(run) = in_causal_order::<P, Lean>(&protocol, setup, &Choices::Drawn)? {
        return Ok(run);
    }
    let run = Simulation::<P, Lean>::prepare(protocol, &setup.scenario, resolved, Choices::Drawn)?;
    Ok(Box::new(GuardedRun::<dyn Run>::new(Box::new(run))))
}

/// Runs that nothing but messages, time and results are asked of, as fast as they can be.
type LeanRun = fn(&Setup) -> Simulated;

/// The protocols that are compiled for lean instrumentation, too: those of the largest sweeps. Each costs a second and more of
/// building; the others make the same runs under full instrumentation, in about four times the time.
static LEAN: &[(&str, LeanRun)] = &[
    (ChangRoberts::DESCRIPTION.name, simulate_lean::<ChangRoberts>),
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
