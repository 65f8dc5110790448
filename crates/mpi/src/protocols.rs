//! The protocols whose messages can be sent to other processes.

use ringleader::Setup;
use ringleader_cli::{Exit, Terminal};
use ringleader_model::Protocol;
use ringleader_protocols::election::chang_roberts::ChangRoberts;
use ringleader_protocols::election::dolev_klawe_rodeh::DolevKlaweRodeh;
use ringleader_protocols::election::itai_rodeh::ItaiRodeh;
use ringleader_protocols::election::lelann::LeLann;
use ringleader_protocols::election::peterson::Peterson;
use ringleader_protocols::election::peterson_alternating::PetersonAlternating;

use crate::divided::{DividedResult, execute};
use crate::ranks::Ranks;

/// Executes this rank's part of a run; the result of all parts on rank 0.
pub(crate) type Execute = fn(&Ranks, &Setup, &Terminal) -> Result<Option<DividedResult>, Exit>;

/// Engines are compiled for each of them.
static PROTOCOLS: &[(&str, Execute)] = &[
    (LeLann::DESCRIPTION.name, execute::<LeLann>),
    (ChangRoberts::DESCRIPTION.name, execute::<ChangRoberts>),
    (Peterson::DESCRIPTION.name, execute::<Peterson>),
    (PetersonAlternating::DESCRIPTION.name, execute::<PetersonAlternating>),
    (DolevKlaweRodeh::DESCRIPTION.name, execute::<DolevKlaweRodeh>),
    (ItaiRodeh::DESCRIPTION.name, execute::<ItaiRodeh>),
];

/// The one of this name.
pub(crate) fn find(name: &str) -> Option<Execute> {
    PROTOCOLS.iter().find(|(known, _)| *known == name).map(|(_, execute)| *execute)
}

#[cfg(test)]
mod tests {
    use ringleader_model::{Processor, Protocol};
    use ringleader_sim::{CausalSimulation, Full};

    use super::*;

    macro_rules! names {
        ($($list:ident: [$($protocol:ty),* $(,)?]),* $(,)?) => {
            /// Those without timers, whose type then has no values: ranks hand on no promises.
            fn executed_in_causal_order() -> Vec<&'static str> {
                let mut names = Vec::new();
                $($(if CausalSimulation::<$protocol, Full>::POSSIBLE
                    && size_of::<Option<<<$protocol as Protocol>::Processor as Processor>::Timer>>() == 0
                {
                    names.push(<$protocol as Protocol>::DESCRIPTION.name);
                })*)*
                names
            }
        };
    }

    ringleader_protocols::each_protocol!(names);

    #[test]
    fn protocols_that_are_executed_in_causal_order_are_divided() {
        let divided: Vec<_> = PROTOCOLS.iter().map(|(name, _)| *name).collect();
        assert_eq!(divided, executed_in_causal_order());
    }
}
