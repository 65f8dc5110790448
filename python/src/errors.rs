//! Errors and reports, as Python gets them.

use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use ringleader::Error;
use ringleader::sweep::SweepError;

/// What is wrong, and what is allowed.
pub(crate) fn refused(error: &Error) -> PyErr {
    match error {
        Error::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// All errors of a sweep at once.
pub(crate) fn refused_spec(errors: &[SweepError]) -> PyErr {
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    PyValueError::new_err(texts.join("\n"))
}

pub(crate) fn json(report: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(report).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
