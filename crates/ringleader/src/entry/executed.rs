//! Protocols as engines execute them.

use ringleader_model::{BadSetting, Processor, Protocol};
use ringleader_protocols::election::tasks::AnyProtocol;
use ringleader_sim::Resolved;

use super::configured;
use crate::setup::Setup;

/// The problem of a protocol.
pub(super) type ProblemSolved<P> = <<P as Protocol>::Processor as Processor>::Problem;

/// A protocol whose type is erased. In WebAssembly the shape of its network is, too, and every protocol is executed so: engines
/// are compiled once for each problem, and a page loads all protocols at once.
#[cfg(target_family = "wasm")]
pub(super) type ErasedOnAny<P> = AnyProtocol<ProblemSolved<P>, ringleader_model::AnyNetwork>;
#[cfg(target_family = "wasm")]
pub(super) use {ErasedOnAny as Erased, ErasedOnAny as Executed};

/// A protocol whose type is erased.
#[cfg(not(target_family = "wasm"))]
pub(super) type ErasedOnIts<P> = AnyProtocol<ProblemSolved<P>, <P as Protocol>::Network>;
/// A protocol as engines execute it: they are compiled for it.
#[cfg(not(target_family = "wasm"))]
pub(super) type TypeKnown<P> = P;
#[cfg(not(target_family = "wasm"))]
pub(super) use {ErasedOnIts as Erased, TypeKnown as Executed};

/// A protocol, its type erased.
pub(super) fn erased<P: Protocol>(protocol: P) -> Erased<P> {
    AnyProtocol::new_on(protocol)
}

/// A protocol as engines execute it.
#[cfg(target_family = "wasm")]
pub(super) fn executed<P: Protocol>(protocol: P) -> Executed<P> {
    erased(protocol)
}

/// A protocol as engines execute it.
#[cfg(not(target_family = "wasm"))]
pub(super) const fn executed<P: Protocol>(protocol: P) -> Executed<P> {
    protocol
}

/// The protocol of a set-up, for the run of a counterexample.
pub(super) fn executed_again<P: Protocol>(setup: &Setup, resolved: &Resolved) -> Result<Executed<P>, BadSetting> {
    configured(&setup.scenario, resolved, &setup.settings).map(executed::<P>)
}
