//! Trace hashes of fixed scenarios, written down.
//!
//! Debug and release, today's build and tomorrow's must agree with them: a seed means the same run in every later
//! release. These are the one kind of figure here that was taken from the program itself. If one changes, then either
//! the random streams, the order of steps or the digest has: raise `STREAMS_VERSION` or `TRACE_VERSION`, or find the
//! mistake.

use conformance::Played;

#[track_caller]
fn demand(line: &str, hash: u64) {
    let trace = Played::of(line).summary.trace;
    assert_eq!(trace, hash, "{line} has {trace:#018x}");
}

#[test]
fn traces_in_fixed_time_are_those_written_down() {
    demand("lelann --ids 3,1,4,2", 0x7133_130f_a6be_03ef);
    demand("chang-roberts --ids 3,1,4,2", 0x1cff_68b2_120b_3845);
    demand("vitanyi --ids 3,1,4,2", 0x4830_fec3_5b5f_6fd8);
    demand("vitanyi --ids 3,1,4,2 --set rules=printed", 0x5e72_3f0b_8873_5671);
    demand("vitanyi --ids 1,2,3 --again 0@10", 0x0bbe_ef6a_9f56_359f);
}

#[test]
fn traces_from_seeds_are_those_written_down() {
    demand("lelann -n 50 --seed 7", 0xa357_bdf4_0970_7389);
    demand("chang-roberts -n 1000 --wake random:100 --timing uniform --seed 7", 0x9a8c_768e_74da_db6f);
    demand(
        "chang-roberts -n 100 --timing archimedean --clocks varying --phases random --seed 7",
        0x7716_0eaa_5c32_3b07,
    );
    demand("chang-roberts -n 20 --d 0..90 --links any --faults duplicate:1/30 --seed 7", 0x13bd_9f8a_e718_98a7);
    demand("vitanyi -n 100 --timing uniform --seed 7", 0xf116_88b5_c52f_7487);
    demand(
        "vitanyi -n 100 --r 2..9 --d 1..30 --clocks varying --reading per-step --set first=f --seed 7",
        0x96e3_9d60_bb5f_9eed,
    );
}
