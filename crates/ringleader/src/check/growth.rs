//! A check of one size after another, as far as time and memory reach.

use ringleader_check::CheckVerdict;
use ringleader_model::BadSetting;

use super::report::Total;
use super::setup::{CheckOptions, CheckSetup};
use super::survey::{Survey, survey};
use crate::entry::Entry;
use crate::watch::Watch;

/// The check of one size.
pub struct SizeCheck {
    /// Its instances.
    pub setup: CheckSetup,
    /// What was found in them.
    pub survey: Survey,
}

/// The smallest number of processors.
const FIRST_SIZE: u64 = 2;
/// Options that suit no size up to this one suit none.
const LARGEST_FIRST_SIZE: u64 = 8;

/// Checks growing numbers of processors, from 2 on, or from the first that suits the options. The last size is the first in
/// which a property is violated or a bound exceeded, or that is not explored completely.
///
/// # Errors
/// If the options suit no size.
pub fn grow(
    entry: &'static dyn Entry,
    options: &CheckOptions,
    watch: &dyn Watch,
) -> Result<Vec<SizeCheck>, BadSetting> {
    let mut sizes: Vec<SizeCheck> = Vec::new();
    for n in FIRST_SIZE.. {
        let mut options = options.clone();
        options.options.n = Some(n);
        let size = match SizeCheck::new(entry, &options, watch) {
            Ok(size) => size,
            Err(_) if sizes.is_empty() && n < LARGEST_FIRST_SIZE => continue,
            Err(error) if sizes.is_empty() => return Err(error),
            // An option, such as an orientation, that suits the sizes before only.
            Err(_) => break,
        };
        let total = Total::new(&size.setup, &size.survey);
        let goes_on = total.verdict() == CheckVerdict::Holds && !total.is_exceeded() && !watch.stopped();
        sizes.push(size);
        if !goes_on {
            break;
        }
    }
    Ok(sizes)
}

impl SizeCheck {
    /// Checks the size that the options say.
    ///
    /// # Errors
    /// If the options do not suit the protocol.
    pub fn new(entry: &'static dyn Entry, options: &CheckOptions, watch: &dyn Watch) -> Result<Self, BadSetting> {
        let setup = CheckSetup::new(entry, options)?;
        Ok(Self { survey: survey(&setup, watch)?, setup })
    }

    /// The size that a check of growing sizes is about: the largest that was explored completely, or in which something is
    /// wrong; the first, if there is none.
    pub fn decided(sizes: &[Self]) -> &Self {
        let is_decided = |size: &&Self| {
            let total = Total::new(&size.setup, &size.survey);
            total.verdict() != CheckVerdict::Unknown || total.is_exceeded()
        };
        sizes.iter().rev().find(is_decided).unwrap_or(&sizes[0])
    }
}
