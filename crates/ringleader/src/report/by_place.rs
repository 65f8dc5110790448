//! Lists with an entry for each place, which are written and not held: there may be a billion places.

use std::sync::Arc;

use ringleader_model::{Identities, Scenario};
use serde::{Serialize, Serializer};

/// Something of each place.
#[derive(Clone, Debug)]
pub enum ByPlace<T> {
    /// The same at this number of places.
    Same(T, usize),
    /// One for each.
    Each(Vec<T>),
}

impl<T: Serialize> Serialize for ByPlace<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Same(value, count) => serializer.collect_seq(std::iter::repeat_n(value, *count)),
            Self::Each(all) => all.serialize(serializer),
        }
    }
}

/// The identities of a scenario.
#[derive(Clone, Debug)]
pub struct IdentityList(Arc<Scenario>);

impl IdentityList {
    /// Those of a scenario; `None` where there are none.
    pub fn of(scenario: &Arc<Scenario>) -> Option<Self> {
        (!scenario.identities().is_empty()).then(|| Self(Arc::clone(scenario)))
    }

    /// The identities, by place.
    pub fn identities(&self) -> Identities<'_> {
        self.0.identities()
    }
}

impl Serialize for IdentityList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.identities().iter())
    }
}
