//! Trace hashes of fixed scenarios, written down.
//!
//! Debug and release, today's build and tomorrow's must agree with them: a seed means the same run in every later
//! release. These are the one kind of figure here that was taken from the program itself. If one changes, then either
//! the random streams, the order of steps or the digest has: raise `STREAMS_VERSION` or `TRACE_VERSION`, or find the
//! mistake. Messages, bits, time and depth stand beside each digest and were written down before the digest became one
//! chain per place: a new digest must not change what it is a digest of.

use conformance::Played;

#[track_caller]
fn demand(line: &str, hash: u64, [messages, bits, time, depth]: [u64; 4]) {
    let summary = Played::of(line).summary;
    let cost = &summary.cost;
    assert_eq!([cost.messages(), cost.bits, cost.time, cost.depth], [messages, bits, time, depth], "{line}");
    assert_eq!(summary.trace, hash, "{line} has {:#018x}", summary.trace);
}

#[test]
fn traces_in_fixed_time_are_those_written_down() {
    demand("lelann --ids 3,1,4,2", 0xc832_8aaa_55a8_364f, [16, 32, 4, 4]);
    demand("chang-roberts --ids 3,1,4,2", 0x884b_33fe_1ea6_0739, [12, 43, 8, 8]);
    demand("peterson --ids 3,1,4,2", 0xf853_6ea2_5946_b03b, [20, 92, 9, 9]);
    demand("peterson --ids 3,1,4,2 --set elected=holder", 0x5c61_2824_2ad6_0e6b, [24, 112, 14, 14]);
    demand("peterson-alternating --ids 3,1,4,2", 0xd771_e572_2871_3b96, [16, 58, 11, 11]);
    demand("dolev-klawe-rodeh --ids 3,1,4,2", 0xe283_7025_f90f_3bec, [24, 108, 14, 14]);
    demand("dolev-klawe-rodeh --ids 3,1,4,2 --set variant=b", 0xdfad_e8fe_d428_0c4d, [17, 101, 11, 11]);
    demand("vitanyi --ids 3,1,4,2", 0xd4c9_3333_32f0_2bbd, [16, 18, 14, 9]);
    demand("vitanyi --ids 3,1,4,2 --set rules=printed", 0xee22_2850_96e2_8090, [16, 18, 15, 9]);
    demand("vitanyi --ids 1,2,3 --again 0@10", 0x0a3c_8c86_c16d_f683, [22, 24, 20, 13]);
    demand("time-slice --ids 3,1,4,2", 0x12d1_9de4_7afd_9113, [4, 4, 4, 4]);
    demand("frederickson-lynch --ids 3,1,4,2", 0x128d_1fbc_36af_e240, [9, 15, 12, 8]);
}

#[test]
fn traces_from_seeds_are_those_written_down() {
    demand("lelann -n 50 --seed 7", 0xad05_5b60_0489_8b2c, [2500, 12150, 50, 50]);
    demand(
        "chang-roberts -n 1000 --wake random:100 --timing uniform --seed 7",
        0xd55a_c35b_483a_78c4,
        [6178, 67800, 9916, 2007],
    );
    demand(
        "chang-roberts -n 100 --timing archimedean --clocks varying --phases random --seed 7",
        0xe16d_fb09_ed25_1405,
        [608, 4692, 13935, 200],
    );
    demand(
        "chang-roberts -n 20 --d 0..90 --links any --faults duplicate:1/30 --seed 7",
        0x9734_3c2c_5a72_7ee4,
        [96, 535, 1956, 40],
    );
    demand(
        "peterson -n 1000 --wake random:100 --timing uniform --seed 7",
        0xfa4b_3c84_ef58_c00b,
        [13450, 159916, 12037, 2432],
    );
    demand(
        "peterson-alternating -n 100 --timing archimedean --clocks varying --phases random --seed 7",
        0xeb46_dd26_ae67_98d4,
        [800, 6213, 19805, 291],
    );
    demand(
        "dolev-klawe-rodeh -n 100 --d 0..90 --delays newest-first --set variant=b --seed 7",
        0x32e4_b595_57a3_2ade,
        [930, 10724, 12972, 282],
    );
    demand("vitanyi -n 100 --timing uniform --seed 7", 0x8420_979a_1d36_c45a, [475, 887, 1851, 200]);
    demand(
        "vitanyi -n 100 --r 2..9 --d 1..30 --clocks varying --reading per-step --set first=f --seed 7",
        0x6350_41e4_28d3_6626,
        [379, 414, 4532, 200],
    );
    demand("time-slice -n 50 --seed 7", 0x663e_d6ba_e8c4_4f01, [50, 50, 50, 50]);
    demand("frederickson-lynch -n 50 --seed 7", 0xa6e1_71d1_0f54_c166, [116, 200, 150, 100]);
    demand("itai-rodeh -n 50 --wake random:9 --timing uniform --seed 7", 0xffff_22e2_44a3_bc51, [383, 4282, 824, 170]);
    demand(
        "itai-rodeh -n 50 --d 0..90 --links any --set ids=9 --seed 7",
        0x7023_f22a_7586_2922,
        [685, 7102, 8669, 200],
    );
    demand("itai-rodeh -n 50 --set rounds=off --seed 7", 0xad1c_9336_8b1b_90d2, [383, 3868, 150, 150]);
    demand("itai-rodeh-sync -n 50 --seed 7", 0x7ac5_4351_7c4e_bbc0, [200, 200, 151, 100]);
}

#[test]
fn traces_without_clocks_and_of_ties_are_those_written_down() {
    demand("chang-roberts -n 50 --timing untimed --seed 7", 0xf56f_20a0_8b31_898d, [306, 2056, 356, 100]);
    demand(
        "chang-roberts -n 20 --timing untimed --links any --faults crash:1,loss:2,duplicate:2 --seed 7",
        0xa28b_f166_35e7_6b1d,
        [48, 250, 69, 8],
    );
    demand("vitanyi -n 20 --timing untimed --again 3@0 --seed 7", 0x6126_49cc_741f_1194, [106, 169, 193, 41]);
    demand(
        "van-leeuwen-tan -n 20 --timing untimed --set duplex=half --seed 7",
        0xa7d4_2e6c_1ef8_d7f0,
        [111, 729, 216, 53],
    );
    demand("itai-rodeh -n 20 --timing untimed --seed 7", 0x79a5_4bfe_15e3_39f0, [92, 744, 112, 41]);
    demand("ricart-agrawala -n 5 --timing untimed --entries 3 --seed 7", 0x6d5e_e535_b628_97ea, [120, 420, 155, 17]);
    demand(
        "spirakis-tampakas-mutex -n 5 --entries 3 --first 0..9 --ties both --seed 7",
        0xce43_811b_0ba4_7e22,
        [104, 678, 5780, 16],
    );
}
