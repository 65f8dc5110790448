//! Whatever a scenario file of a sweep says: it is planned or refused, and every error can be shown; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ringleader::Catalogue;
use ringleader::sweep::file::ScenarioDraft;
use ringleader_fuzz::MOST_PROCESSORS;

/// The most cells that are really set up.
const CELLS: u128 = 64;

fuzz_target!(|text: &str| {
    let draft = ScenarioDraft::read(text);
    let cells = draft.spec.vary.iter().map(|axis| axis.values.len() as u128).product::<u128>();
    if draft.spec.largest() > MOST_PROCESSORS as u64 || cells > CELLS {
        return;
    }
    match draft.plan(&Catalogue::default()) {
        Ok(file) => {
            let again = file.plan.spec.command_line();
            assert!(again.starts_with("ringleader sweep"));
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let _ = error.render("fuzz.toml", text);
            }
        }
    }
});
