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
    demand("time-slice --ids 3,1,4,2", 0xa200_7f4e_c8f3_ba48);
    demand("frederickson-lynch --ids 3,1,4,2", 0xd76f_47aa_9294_e93c);
}

#[test]
fn traces_from_seeds_are_those_written_down() {
    demand("lelann -n 50 --seed 7", 0xa357_bdf4_0970_7389);
    demand("chang-roberts -n 1000 --wake random:100 --timing uniform --seed 7", 0xb27c_dfc4_50f1_609b);
    demand(
        "chang-roberts -n 100 --timing archimedean --clocks varying --phases random --seed 7",
        0x8694_9fd6_fa1f_3f86,
    );
    demand("chang-roberts -n 20 --d 0..90 --links any --faults duplicate:1/30 --seed 7", 0x43a9_4be0_9983_0498);
    demand("vitanyi -n 100 --timing uniform --seed 7", 0xf270_2bd2_21da_e6c6);
    demand(
        "vitanyi -n 100 --r 2..9 --d 1..30 --clocks varying --reading per-step --set first=f --seed 7",
        0x17a7_4542_742f_9562,
    );
    demand("time-slice -n 50 --seed 7", 0x54d3_94cc_4da6_a2c5);
    demand("frederickson-lynch -n 50 --seed 7", 0x3f71_4271_8fac_de2a);
    demand("itai-rodeh -n 50 --wake random:9 --timing uniform --seed 7", 0xb446_eb81_1717_fa32);
    demand("itai-rodeh -n 50 --d 0..90 --links any --set ids=9 --seed 7", 0x0b3f_bce5_4bfd_1994);
    demand("itai-rodeh -n 50 --set rounds=off --seed 7", 0x1ff4_020b_5112_0aed);
    demand("itai-rodeh-sync -n 50 --seed 7", 0xced0_743a_a48c_bdfe);
}
