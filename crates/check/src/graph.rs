//! The graph algorithms behind liveness and probabilities, each written once: strongly connected components, maximal
//! end components, and which of these a fair scheduler can stay in forever.
//!
//! - [`tarjan`]: Tarjan's algorithm over any depth-first search, of a graph that is built on the fly or of an explicit
//!   one.
//! - [`end_components`]: maximal end components of a graph whose actions have several outcomes.
//! - [`fairness`]: end components under weak and strong fairness.
//!
//! The graphs are: the state space itself, given by its successors, in [`scc_search`](crate::search); one strongly
//! connected component of it as an explicit graph, `InnerGraph`, for livelocks; the whole state space as an explicit
//! Markov decision process, `Mdp`, which `ExplicitMdp` builds, for [`probability`](crate::probability); and one
//! strongly connected component of that, `SccMdp`, with the values outside it as constants.

pub(crate) mod end_components;
pub(crate) mod fairness;
pub(crate) mod tarjan;

pub(crate) use self::end_components::{ActionGraph, EndComponents};
pub(crate) use self::fairness::{StrongFairness, WeakFairness};
pub(crate) use self::tarjan::Sccs;

/// The number of no component.
pub(crate) const NO_COMPONENT: u32 = u32::MAX;
