//! Golden traces: every step of the worked example, read and checked by hand against the rules.
//!
//! After a change of rules or texts: `INSTA_UPDATE=always cargo test -p conformance --test all golden`, then read what
//! changed in `snapshots/` before you keep it.

use conformance::Played;
use ringleader::StepText;

fn steps(line: &str) -> String {
    written(Played::logged(line))
}

/// The same where all draw what is written here.
fn steps_drawing(line: &str, choices: &[u64]) -> String {
    written(Played::drawing(line, choices, |run| run.log()))
}

fn written(mut played: Played) -> String {
    let steps = played.execution.run.take_log();
    steps.iter().map(|step| format!("{}\n", StepText::new(step, &played.setup.scenario.ids))).collect()
}

#[test]
fn lelann_on_3_1_4_2() {
    insta::assert_snapshot!(steps("lelann --ids 3,1,4,2"));
}

#[test]
fn chang_roberts_on_3_1_4_2() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,4,2"));
}

#[test]
fn chang_roberts_on_3_1_4_2_without_clocks() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,4,2 --timing untimed"));
}

#[test]
fn peterson_on_3_1_4_2() {
    insta::assert_snapshot!(steps("peterson --ids 3,1,4,2"));
}

#[test]
fn peterson_on_3_1_4_2_electing_the_holder() {
    insta::assert_snapshot!(steps("peterson --ids 3,1,4,2 --set elected=holder"));
}

#[test]
fn peterson_alternating_on_3_1_4_2() {
    insta::assert_snapshot!(steps("peterson-alternating --ids 3,1,4,2"));
}

#[test]
fn dolev_klawe_rodeh_on_3_1_4_2() {
    insta::assert_snapshot!(steps("dolev-klawe-rodeh --ids 3,1,4,2"));
}

#[test]
fn dolev_klawe_rodeh_on_3_1_4_2_in_variant_b() {
    insta::assert_snapshot!(steps("dolev-klawe-rodeh --ids 3,1,4,2 --set variant=b"));
}

#[test]
fn vitanyi_on_3_1_4_2() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2"));
}

#[test]
fn vitanyi_on_3_1_4_2_with_first_f() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2 --set first=f"));
}

#[test]
fn vitanyi_on_3_1_4_2_as_printed() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2 --set rules=printed"));
}

/// Place 1 reads M_3, and place 3 reads M_4, for two ticks each.
#[test]
fn vitanyi_on_3_1_4_2_bit_by_bit() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2 --reading bit-serial"));
}

/// The tick that begins at 3 ends at 4, those that begin at 4 or later are two units long.
#[test]
fn vitanyi_on_3_1_4_2_whose_clocks_become_slow() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2 --r 1@0,2@4"));
}

#[test]
fn all_to_all_on_3_1_4_2() {
    insta::assert_snapshot!(steps("all-to-all --ids 3,1,4,2"));
}

#[test]
fn afek_gafni_sync_on_3_1_4_2() {
    insta::assert_snapshot!(steps("afek-gafni-sync --ids 3,1,4,2"));
}

#[test]
fn afek_gafni_sync_without_levels_on_3_1_4_2() {
    insta::assert_snapshot!(steps("afek-gafni-sync --ids 3,1,4,2 --wake-at 0,-,2,- --set levels=off"));
}

#[test]
fn afek_gafni_async_on_3_1_4_2() {
    insta::assert_snapshot!(steps("afek-gafni-async --ids 3,1,4,2"));
}

#[test]
fn time_slice_on_3_1_4_2() {
    insta::assert_snapshot!(steps("time-slice --ids 3,1,4,2"));
}

#[test]
fn frederickson_lynch_on_3_1_4_2() {
    insta::assert_snapshot!(steps("frederickson-lynch --ids 3,1,4,2"));
}

#[test]
fn itai_rodeh_on_four() {
    insta::assert_snapshot!(steps_drawing("itai-rodeh -n 4", &[3, 1, 3, 0, 0, 2]));
}

#[test]
fn itai_rodeh_sync_on_four() {
    insta::assert_snapshot!(steps_drawing("itai-rodeh-sync -n 4", &[1, 1, 1, 1, 0, 0, 1, 0, 2, 2, 0]));
}

#[test]
fn hirschberg_sinclair_on_3_1_4_2() {
    insta::assert_snapshot!(steps("hirschberg-sinclair --ids 3,1,4,2"));
}

#[test]
fn franklin_on_3_1_4_2() {
    insta::assert_snapshot!(steps("franklin --ids 3,1,4,2"));
}

#[test]
fn van_leeuwen_tan_on_3_1_4_2() {
    insta::assert_snapshot!(steps("van-leeuwen-tan --ids 3,1,4,2"));
}

#[test]
fn van_leeuwen_tan_on_3_1_4_2_half_duplex() {
    insta::assert_snapshot!(steps("van-leeuwen-tan --ids 3,1,4,2 --set duplex=half"));
}

/// A message of phase 2 passes one of phase 1 on the link between places 0 and 4.
#[test]
fn van_leeuwen_tan_on_five_half_duplex_in_one_phase() {
    let line = "van-leeuwen-tan -n 5 --seed 95 --d 1..9 --links half-phase --set duplex=half";
    insta::assert_snapshot!(steps(line));
}

#[test]
fn van_leeuwen_tan_on_3_1_4_2_led_by_the_finder() {
    insta::assert_snapshot!(steps("van-leeuwen-tan --ids 3,1,4,2 --set duplex=half --set leader=finder"));
}

#[test]
fn van_leeuwen_tan_on_seven_with_larger_names_taken() {
    insta::assert_snapshot!(steps("van-leeuwen-tan -n 7 --seed 1 --set larger=take"));
}

/// Two candidates in the first phase, of which the one at place 0 holds and receives; then place 1 alone, who forwards.
#[test]
fn spirakis_tampakas_symmetry_on_three() {
    let line = "spirakis-tampakas-symmetry -n 3 --timing unit --set k=1 --set draw=1,2,1";
    insta::assert_snapshot!(steps_drawing(line, &[0, 1, 0, 1, 2, 1]));
}

#[test]
fn spirakis_tampakas_symmetry_on_three_tagged() {
    let line = "spirakis-tampakas-symmetry -n 3 --timing unit --set k=1 --set draw=1,2,1 --set form=tagged";
    insta::assert_snapshot!(steps_drawing(line, &[0, 1, 2, 0, 1, 1]));
}

#[test]
fn lamport_readers_writers_of_one_digit_and_one_word() {
    let line = "lamport-readers-writers -n 2 --entries 1 --r 1 --set digits=1 --set words=1";
    insta::assert_snapshot!(steps_drawing(line, &[0, 1, 5]));
}

#[test]
fn lamport_readers_writers_whose_reads_take_longer() {
    let line = "lamport-readers-writers -n 2 --entries 1 --r 1 --set digits=1 --set words=1 --set read-time=6 --set write-time=4";
    insta::assert_snapshot!(steps_drawing(line, &[0, 1, 5]));
}

/// It never terminates: the first three laps.
#[test]
fn token_ring_of_three() {
    let line = "token-ring -n 3 --set tokens=2";
    let steps = steps(line);
    insta::assert_snapshot!(steps.lines().take(40).collect::<Vec<_>>().join("\n"));
}

#[test]
fn ricart_agrawala_on_3_1_4_2() {
    insta::assert_snapshot!(steps("ricart-agrawala --ids 3,1,4,2 --entries 1"));
}

#[test]
fn ricart_agrawala_with_readers_on_3_1_2() {
    insta::assert_snapshot!(steps("ricart-agrawala --ids 3,1,2 --readers 2 --writers 1 --entries 1"));
}

#[test]
fn spirakis_tampakas_mutex_on_2_1_one_message_a_step() {
    let line = "spirakis-tampakas-mutex --ids 2,1 --entries 1 --r 1 --d 1 --reading per-tick --set c1=1";
    insta::assert_snapshot!(steps(line));
}

#[test]
fn spirakis_tampakas_mutex_on_3_1_4_2() {
    insta::assert_snapshot!(steps("spirakis-tampakas-mutex --ids 3,1,4,2 --entries 1 --r 1 --d 1"));
}

#[test]
fn spirakis_tampakas_mutex_on_3_1_4_where_one_crashes() {
    let line = "spirakis-tampakas-mutex --ids 3,1,4 --entries 1 --r 1 --d 1 --set crash=probe --faults crash:1@15";
    insta::assert_snapshot!(steps(line));
}

#[test]
fn spirakis_tampakas_readers_writers_on_3_1_4_2() {
    insta::assert_snapshot!(steps("spirakis-tampakas-readers-writers --ids 3,1,4,2 --entries 1 --r 1 --d 1"));
}

#[test]
fn broadcast_on_3_1_4_2() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,4,2 --then broadcast --values 5,0,7,7"));
}

#[test]
fn transfer_on_3_1_4_2() {
    insta::assert_snapshot!(steps("vitanyi --ids 3,1,4,2 --then transfer"));
}

#[test]
fn ring_sort_of_5_3_3_1() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,4,2 --then ring-sort --values 5,3,3,1"));
}

#[test]
fn token_on_3_1_4_2() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,4,2 --wake one --then token --values 1,0,0,1"));
}

#[test]
fn token_on_a_bidirectional_ring_of_3() {
    insta::assert_snapshot!(steps("franklin --ids 3,1,2 --orientation 010 --then token --values 0,1,1"));
}

#[test]
fn chang_roberts_on_3_1_2_with_interventions() {
    insta::assert_snapshot!(steps("chang-roberts --ids 3,1,2 --intervene 2:delay:3,3:duplicate,7:until:9"));
}

#[test]
fn chang_roberts_on_2_1_over_links_that_lose() {
    insta::assert_snapshot!(steps("chang-roberts --ids 2,1 --faults loss:1/3,duplicate:1/5 --retransmit 4"));
}

#[test]
fn ricart_agrawala_of_2_over_links_that_lose() {
    insta::assert_snapshot!(steps(
        "ricart-agrawala -n 2 --entries 1 --hold 1 --faults loss:1/3 --retransmit 4 --seed 2"
    ));
}

/// Place 1 forgets what it did, place 2 is late, and the end of the announcement is lost.
#[test]
fn chang_roberts_on_4_1_2_3_with_a_restart_a_pause_and_a_cut() {
    insta::assert_snapshot!(steps("chang-roberts --ids 4,1,2,3 --faults restart:1@2,pause:2@1+3,cut:3-0@8..12"));
}

#[test]
fn ricart_agrawala_of_2_sites_with_2_users() {
    insta::assert_snapshot!(steps("ricart-agrawala --ids 1,2 --users 2 --entries 1 --r 1 --d 1 --hold 3"));
}

/// Place 1 competes from 8 on: its request with number 3 comes while place 0 is inside with number 2.
#[test]
fn ricart_agrawala_of_2_of_whom_one_competes_later() {
    let line = "ricart-agrawala --ids 1,2 --compete 1@0,2@8 --entries 2 --r 1 --d 1 --hold 3";
    insta::assert_snapshot!(steps(line));
}
