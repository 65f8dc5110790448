//! Computes the distributions of `docs/EXACT.md` again, and writes it. `cargo xtask exact` calls it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the person who runs it")]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use ringleader::Error;
use ringleader::exact::{Documented, DocumentedRows, GpuRow, document};

fn main() -> ExitCode {
    let written = compute().and_then(|text| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/EXACT.md");
        std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The document, computed.
fn compute() -> Result<String, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut all = Vec::new();
    for of in Documented::ALL {
        let mut one = DocumentedRows { of, rows: Vec::new(), seconds: Vec::new() };
        for n in 2..=of.largest {
            let begun = Instant::now();
            let row = of.setup(n, threads).and_then(|setup| setup.compute(&())).map_err(|error| error.to_string())?;
            let seconds = begun.elapsed().as_secs_f64();
            one.rows.extend(row);
            one.seconds.push(seconds);
            println!("{} {:?} n = {n}: {seconds:.1} s", of.protocol, of.set);
        }
        all.push(one);
    }
    let gpu = GpuRow::read(include_str!("../../../docs/exact-gpu.jsonl")).map_err(|error| error.to_string())?;
    document(&all, &gpu, threads).map_err(|error: Error| error.to_string())
}
