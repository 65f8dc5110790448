//! Every protocol there is, one line each.

use ringleader_model::{Description, Protocol};

/// Something to be done with a protocol whose type is known only by name.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<P: Protocol>(self) -> Self::Output;
}

macro_rules! catalogue {
    ($($protocol:ty),* $(,)?) => {
        /// What there is to know about every protocol, in the order of the catalogue.
        pub const DESCRIPTIONS: &[Description] = &[$(<$protocol as Protocol>::DESCRIPTION),*];

        /// Does something with the protocol of this name; `None` if there is none.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            $(if name == <$protocol as Protocol>::DESCRIPTION.name {
                return Some(visitor.visit::<$protocol>());
            })*
            None
        }
    };
}

catalogue![
    crate::election::lelann::LeLann,
    crate::election::chang_roberts::ChangRoberts,
    crate::election::vitanyi::Vitanyi,
    crate::election::hirschberg_sinclair::HirschbergSinclair,
    crate::election::franklin::Franklin,
    crate::election::van_leeuwen_tan::VanLeeuwenTan,
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
