//! Every protocol there is, one line each.

use ringleader_model::{Description, Problem, Processor, Protocol};

use crate::after::Elects;

/// Something to be done with a protocol whose type is known only by name.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<P: Protocol>(self) -> Self::Output;
}

/// Something to be done with an election whose type is known only by name.
pub trait ElectionVisitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<E: Elects>(self) -> Self::Output;
}

macro_rules! catalogue {
    (elections: [$($election:ty),* $(,)?], others: [$($other:ty),* $(,)?] $(,)?) => {
        /// What there is to know about every protocol, in the order of the catalogue.
        pub const DESCRIPTIONS: &[Description] =
            &[$(<$election as Protocol>::DESCRIPTION,)* $(<$other as Protocol>::DESCRIPTION,)*];

        /// Of those, the elections that never elect two: a leader's task may follow them.
        pub const ELECTIONS: &[Description] = &[$(<$election as Protocol>::DESCRIPTION),*];

        /// Does something with the protocol of this name; `None` if there is none.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$election as Protocol>::DESCRIPTION.name {
                return Some(visitor.visit::<$election>());
            })*
            $(if name == <$other as Protocol>::DESCRIPTION.name {
                return Some(visitor.visit::<$other>());
            })*
            None
        }

        /// Does something with the election of this name, one that never elects two; `None` if there is none.
        pub fn visit_election<V: ElectionVisitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$election as Protocol>::DESCRIPTION.name {
                return Some(visitor.visit::<$election>());
            })*
            None
        }
    };
}

/// What the protocol of this name is for; `None` if there is none.
pub fn problem(name: &str) -> Option<&'static str> {
    visit(name, Named)
}

struct Named;

impl Visitor for Named {
    type Output = &'static str;

    fn visit<P: Protocol>(self) -> &'static str {
        <P::Processor as Processor>::Problem::NAME
    }
}

catalogue![
    elections: [
        crate::election::lelann::LeLann,
        crate::election::chang_roberts::ChangRoberts,
        crate::election::peterson::Peterson,
        crate::election::peterson_alternating::PetersonAlternating,
        crate::election::dolev_klawe_rodeh::DolevKlaweRodeh,
        crate::election::vitanyi::Vitanyi,
        crate::election::time_slice::TimeSlice,
        crate::election::frederickson_lynch::FredericksonLynch,
        crate::election::itai_rodeh::ItaiRodeh,
        crate::election::itai_rodeh_sync::ItaiRodehSync,
        crate::election::hirschberg_sinclair::HirschbergSinclair,
        crate::election::franklin::Franklin,
        crate::election::van_leeuwen_tan::VanLeeuwenTan,
        crate::election::all_to_all::AllToAll,
        crate::election::afek_gafni_sync::AfekGafniSync,
        crate::election::afek_gafni_async::AfekGafniAsync,
    ],
    others: [
        crate::election::spirakis_tampakas::SpirakisTampakas,
        crate::mutual_exclusion::ricart_agrawala::RicartAgrawala,
        crate::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex,
        crate::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters,
        crate::readers_writers::lamport::Lamport,
        crate::token::token_ring::TokenRing,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_defaults_are_allowed() {
        for (index, description) in DESCRIPTIONS.iter().enumerate() {
            assert!(DESCRIPTIONS[..index].iter().all(|other| other.name != description.name));
            let defaults: alloc::vec::Vec<_> =
                description.parameters.iter().map(|p| (p.name.into(), p.default.into())).collect();
            assert!(ringleader_model::Settings::new(description.parameters, &defaults).is_ok());
        }
    }
}
