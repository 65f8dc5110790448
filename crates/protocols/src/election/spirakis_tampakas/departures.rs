//! The printed rules that are not followed, and which of them are undone.

use ringleader_model::Departure;

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Printed {
    pub(super) next_time: bool,
    pub(super) claims: bool,
    pub(super) stages: bool,
    pub(super) termination: bool,
    pub(super) wait: bool,
    pub(super) early: bool,
}

/// The printed rules that are not followed.
pub(super) const DEPARTURES: &[Departure] = &[
    Departure::new(
        "next-time",
        "Appendix A, 3.2",
        "a next-timer relays the first next-time that comes back to it, to processors that are awake again",
        "one next-time per processor and phase",
    ),
    Departure::new(
        "claims",
        "Appendix A, 4.6",
        "a claim that finds a full buffer, and a forwarding stage that ends without a claim, mean nothing",
        "both mean another candidate",
    ),
    Departure::new("stages", "Appendix A, 4.2 and 4.3", "k stages, and k - 1 coins", "stages 0 to k, and k coins"),
    Departure::new(
        "termination",
        "Appendix A, 2.2",
        "termination defeats who is awake only",
        "it defeats whoever is not decided",
    ),
    Departure::new(
        "wait",
        "Appendix A, 4.8",
        "n d_max steps, in which claims mean nothing",
        "nq steps, in which a claim means another candidate",
    ),
    Departure::new(
        "early",
        "Appendix A, 2.4 and 2.7",
        "a claim that comes early at a processor with number 1 is relayed",
        "it is discarded",
    ),
];
