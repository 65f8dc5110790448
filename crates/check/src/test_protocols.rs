//! The common parts of the protocols in tests.

use ringleader_model::{Assumptions, Description, Message, mix};
use serde::Serialize;

pub(crate) const ASSUMPTIONS: Assumptions = Assumptions { identities: false, timed: true, ..Assumptions::RING };

pub(crate) const DESCRIPTION: Description = Description { name: "toy", assumptions: ASSUMPTIONS, ..Description::NEW };

/// Small numbers, each below a bound, out of a seed.
pub(crate) fn rolls(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut draws = mix(seed);
    move |sides| {
        let drawn = draws % sides;
        draws /= sides;
        drawn
    }
}

/// A message with a number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
pub(crate) struct ToyMessage(pub(crate) u32);

/// Makes a type the protocol of a processor. Tests construct it themselves.
macro_rules! toy_protocol {
    ($protocol:ty: $processor:ty, $network:ty, $description:expr, |$this:ident| $new:expr) => {
        impl ringleader_model::Protocol for $protocol {
            type Processor = $processor;
            type Network = $network;
            const DESCRIPTION: ringleader_model::Description = $description;

            fn configure(
                _: &ringleader_model::Settings,
                _: &ringleader_model::Instance<'_>,
            ) -> Result<Self, ringleader_model::BadSetting> {
                Err(ringleader_model::BadSetting::new("protocol", "is a toy", "a protocol of the catalogue"))
            }

            fn processor(&$this, _: ringleader_model::Seat) -> $processor {
                $new
            }
        }

        impl ringleader_model::Inspect for $processor {}
    };
}
pub(crate) use toy_protocol;
