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
    demand("peterson --ids 3,1,4,2", 0xec2b_f3b4_478b_7dad);
    demand("peterson --ids 3,1,4,2 --set elected=holder", 0x8cc2_a715_95d5_0276);
    demand("peterson-alternating --ids 3,1,4,2", 0xa9a8_9ca4_5b80_90a0);
    demand("dolev-klawe-rodeh --ids 3,1,4,2", 0xdb5f_2818_ed0c_931f);
    demand("dolev-klawe-rodeh --ids 3,1,4,2 --set variant=b", 0x214c_c19e_7337_bcf6);
    demand("vitanyi --ids 3,1,4,2", 0x4830_fec3_5b5f_6fd8);
    demand("vitanyi --ids 3,1,4,2 --set rules=printed", 0x5e72_3f0b_8873_5671);
    demand("vitanyi --ids 1,2,3 --again 0@10", 0x0bbe_ef6a_9f56_359f);
    demand("time-slice --ids 3,1,4,2", 0xa200_7f4e_c8f3_ba48);
    demand("frederickson-lynch --ids 3,1,4,2", 0xd76f_47aa_9294_e93c);
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
    demand("peterson -n 1000 --wake random:100 --timing uniform --seed 7", 0xed72_6291_3769_6671);
    demand(
        "peterson-alternating -n 100 --timing archimedean --clocks varying --phases random --seed 7",
        0x53d5_1a7c_608c_802a,
    );
    demand("dolev-klawe-rodeh -n 100 --d 0..90 --delays newest-first --set variant=b --seed 7", 0xafe2_73df_7e5c_7415);
    demand("vitanyi -n 100 --timing uniform --seed 7", 0xf116_88b5_c52f_7487);
    demand(
        "vitanyi -n 100 --r 2..9 --d 1..30 --clocks varying --reading per-step --set first=f --seed 7",
        0x96e3_9d60_bb5f_9eed,
    );
    demand("time-slice -n 50 --seed 7", 0x54d3_94cc_4da6_a2c5);
    demand("frederickson-lynch -n 50 --seed 7", 0x3f71_4271_8fac_de2a);
    demand("itai-rodeh -n 50 --wake random:9 --timing uniform --seed 7", 0xaa1f_7f77_3483_9cf2);
    demand("itai-rodeh -n 50 --d 0..90 --links any --set ids=9 --seed 7", 0x140f_0c35_2bc5_b6aa);
    demand("itai-rodeh -n 50 --set rounds=off --seed 7", 0x43a0_1661_b9c7_01e1);
    demand("itai-rodeh-sync -n 50 --seed 7", 0x413b_0f5a_568e_d5ed);
}

#[test]
fn traces_without_clocks_and_of_ties_are_those_written_down() {
    demand("chang-roberts -n 50 --timing untimed --seed 7", 0xa594_a1d1_29f9_dfe9);
    demand(
        "chang-roberts -n 20 --timing untimed --links any --faults crash:1,loss:2,duplicate:2 --seed 7",
        0x8ec5_04b9_40c9_1823,
    );
    demand("vitanyi -n 20 --timing untimed --again 3@0 --seed 7", 0x9771_6fba_7a76_6ad5);
    demand("van-leeuwen-tan -n 20 --timing untimed --set duplex=half --seed 7", 0x348d_57ef_6d20_1b6a);
    demand("itai-rodeh -n 20 --timing untimed --seed 7", 0x81c1_acf7_e730_53ad);
    demand("ricart-agrawala -n 5 --timing untimed --entries 3 --seed 7", 0x7879_2bbc_70c5_7201);
    demand("spirakis-tampakas-mutex -n 5 --entries 3 --first 0..9 --ties both --seed 7", 0xca69_76d7_fc1e_7cb2);
}
