//! Every protocol there is, one line each.

use ringleader_model::{Description, Protocol};

/// Calls a macro with the type of every protocol: the elections that never elect two, the elections that may, locks and shared
/// data, and the others.
#[macro_export]
macro_rules! each_protocol {
    ($callback:ident) => {
        $callback! {
            elections: [
                $crate::election::lelann::LeLann,
                $crate::election::chang_roberts::ChangRoberts,
                $crate::election::peterson::Peterson,
                $crate::election::peterson_alternating::PetersonAlternating,
                $crate::election::dolev_klawe_rodeh::DolevKlaweRodeh,
                $crate::election::vitanyi::Vitanyi,
                $crate::election::time_slice::TimeSlice,
                $crate::election::frederickson_lynch::FredericksonLynch,
                $crate::election::itai_rodeh::ItaiRodeh,
                $crate::election::itai_rodeh_sync::ItaiRodehSync,
                $crate::election::hirschberg_sinclair::HirschbergSinclair,
                $crate::election::franklin::Franklin,
                $crate::election::van_leeuwen_tan::VanLeeuwenTan,
                $crate::election::all_to_all::AllToAll,
                $crate::election::afek_gafni_sync::AfekGafniSync,
                $crate::election::afek_gafni_async::AfekGafniAsync,
            ],
            anonymous: [$crate::election::spirakis_tampakas::SpirakisTampakas],
            locks: [
                $crate::mutual_exclusion::ricart_agrawala::RicartAgrawala,
                $crate::mutual_exclusion::spirakis_tampakas::SpirakisTampakasMutex,
                $crate::readers_writers::spirakis_tampakas::SpirakisTampakasReadersWriters,
                $crate::readers_writers::lamport::Lamport,
            ],
            others: [$crate::token::token_ring::TokenRing],
        }
    };
}

/// Calls a macro with the elections that a GPU runs on small rings, one configuration each: the name of its entry point, the
/// protocol, the parameters that are set, and the rules that this gives.
#[macro_export]
macro_rules! each_gpu_election {
    ($callback:ident) => {
        $callback! {
            lelann: "lelann" [] $crate::election::lelann::LeLann,
            chang_roberts: "chang-roberts" [] $crate::election::chang_roberts::ChangRoberts,
            peterson_owner: "peterson" ["elected=owner"] $crate::election::peterson::Peterson::OWNER,
            peterson_holder: "peterson" ["elected=holder"] $crate::election::peterson::Peterson::HOLDER,
            peterson_alternating:
                "peterson-alternating" [] $crate::election::peterson_alternating::PetersonAlternating,
            dolev_klawe_rodeh_a: "dolev-klawe-rodeh" ["variant=a"] $crate::election::dolev_klawe_rodeh::DolevKlaweRodeh::A,
            dolev_klawe_rodeh_b: "dolev-klawe-rodeh" ["variant=b"] $crate::election::dolev_klawe_rodeh::DolevKlaweRodeh::B,
            franklin: "franklin" [] $crate::election::franklin::Franklin,
            hirschberg_sinclair_silent: "hirschberg-sinclair" ["blocked=silent"]
                $crate::election::hirschberg_sinclair::HirschbergSinclair::SILENT,
            hirschberg_sinclair_echo: "hirschberg-sinclair" ["blocked=echo"]
                $crate::election::hirschberg_sinclair::HirschbergSinclair::ECHO,
            van_leeuwen_tan: "van-leeuwen-tan" ["duplex=full"] $crate::election::van_leeuwen_tan::VanLeeuwenTan::FULL_DUPLEX,
        }
    };
}

macro_rules! descriptions {
    ($($list:ident: [$($protocol:ty),* $(,)?]),* $(,)?) => {
        /// The descriptions of all protocols, in the order of the catalogue.
        pub const DESCRIPTIONS: &[Description] = &[$($(<$protocol as Protocol>::DESCRIPTION,)*)*];
    };
}

each_protocol!(descriptions);

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
