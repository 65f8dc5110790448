//! Every bad input is refused: with the right exit code, saying what is wrong, where, and what is allowed, and without a
//! word on stdout or a file written.

mod checks;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod interventions;
mod lab;
mod sweeps;

use common::{Ended, Workplace, words};

const USAGE: i32 = 2;
const ENVIRONMENT: i32 = 4;

/// Calls it and insists that it is refused with these words, and that nothing else happens.
#[track_caller]
fn refused(arguments: &[&str], code: i32, said: &[&str]) {
    let place = Workplace::new();
    let ended = place.call(arguments);
    expect(&ended, arguments, code, said);
    assert_eq!(place.listing(), [""; 0], "a file was written by {arguments:?}");
}

#[track_caller]
fn expect(ended: &Ended, arguments: &[&str], code: i32, said: &[&str]) {
    let shown = format!("ringleader {}\n{}", arguments.join(" "), ended.stderr);
    assert_eq!(ended.code, code, "the exit code of {shown}");
    assert_eq!(ended.stdout, "", "stdout of {shown}");
    // No error names a temporary file.
    for bad in ["panicked", ".tmp"] {
        assert!(!ended.stderr.contains(bad), "{shown}");
    }
    for &words in said {
        assert!(ended.stderr.contains(words), "'{words}' is missing: {shown}");
    }
}

/// A line for each case: the arguments of `run`, and what must be said, separated by `|`.
#[track_caller]
fn all_refused(cases: &str) {
    all_refused_by("run", cases);
}

#[track_caller]
fn all_refused_by(command: &str, cases: &str) {
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let (line, said) = case.split_once('|').expect("a case says what must be said");
        let mut arguments = vec![command];
        arguments.extend(words(line));
        let mut said: Vec<&str> = said.split('|').map(str::trim).collect();
        said.extend(["error: ", "\nallowed: "]);
        refused(&arguments, USAGE, &said);
    }
}

#[test]
fn an_unknown_protocol_is_refused_with_the_nearest_name() {
    all_refused(
        "chang-robertz   | unknown protocol 'chang-robertz' | did you mean 'chang-roberts'? | lelann
         vitanyu         | unknown protocol 'vitanyu' | did you mean 'vitanyi'?
         Chang-Roberts   | unknown protocol 'Chang-Roberts' | did you mean 'chang-roberts'?",
    );
    refused(&["run", ""], USAGE, &["unknown protocol ''", "\nallowed: "]);
    refused(&["info", "lelam"], USAGE, &["did you mean 'lelann'?", "\nallowed: "]);
}

#[test]
fn bad_identities_are_refused() {
    all_refused(
        "chang-roberts --ids 3,1,3    | --ids | 3 twice | distinct
         chang-roberts --ids 3,0,1    | --ids | 0 at place 1 | from 1
         chang-roberts --ids 3,,1     | --ids | '' | from 1 to 18446744073709551615
         chang-roberts --ids=         | --ids | ''
         chang-roberts --ids 3,x      | --ids | 'x'
         chang-roberts --ids 3,+1     | --ids | '+1'
         chang-roberts --ids=-3,1     | --ids | '-3'
         chang-roberts --ids 1,99999999999999999999 | --ids | '99999999999999999999'
         chang-roberts --ids 1,18446744073709551616 | --ids | '18446744073709551616' | 18446744073709551615
         chang-roberts --ids 3,1,2 -n 4             | -n is 4 | --ids has 3
         chang-roberts --ids 3,1 --order ascending  | --order | only without --ids
         chang-roberts --ids 3,1 --order computed   | --order | only without --ids
         itai-rodeh -n 5 --order computed           | --order | only where processors have identities
         chang-roberts --order best                 | --order | 'best' | bit-reversal, computed",
    );
}

#[test]
fn a_size_that_cannot_be_is_refused() {
    all_refused(
        "chang-roberts -n 0                    | -n is 0
         chang-roberts -n 2147483649           | -n is 2147483649 | 2147483648
         chang-roberts -n 18446744073709551615 | -n is 18446744073709551615 | 2147483648",
    );
    refused(&["bench", "-n", "0"], USAGE, &["-n is 0", "\nallowed: 1 to "]);
    refused(&["bench", "-n", "1", "--workload", "phold"], USAGE, &["-n is 1", "\nallowed: 2 to "]);
    refused(&["bench", "-n", "4294967296"], USAGE, &["-n is 4294967296", "\nallowed: 1 to "]);
}

#[test]
fn ranges_of_time_that_cannot_be_are_refused() {
    all_refused(
        "chang-roberts --r 4..1       | --r is 4..1 | r_min not above r_max
         chang-roberts --d 10..2      | --d is 10..2 | d_min not above d_max
         chang-roberts --r 0          | --r is 0 | from 1 to
         chang-roberts --r 0..4       | --r is 0..4 | from 1 to
         chang-roberts --r 1..        | --r | ''
         chang-roberts --r 1...4      | --r | '.4'
         chang-roberts --r a..b       | --r | 'a'
         chang-roberts --d=           | --d | ''
         chang-roberts --d=-1         | --d | '-1'
         chang-roberts --d 1..-1      | --d | '-1'
         chang-roberts --r 281474976710657       | --r is 281474976710657 | 281474976710656
         chang-roberts --d 0..281474976710657    | --d is 0..281474976710657 | 281474976710656
         chang-roberts --r 18446744073709551615  | --r is 18446744073709551615 | 281474976710656
         chang-roberts --r 18446744073709551616  | --r | '18446744073709551616'
         chang-roberts --d 0..99999999999999999999 | --d | '99999999999999999999'",
    );
}

#[test]
fn ranges_that_change_are_refused_where_they_make_no_sense() {
    all_refused(
        "vitanyi --r 1..4@5,1..9@10     | --r begins after time 0: '1..4@5,1..9@10' | 1..4@0,1..9@500
         vitanyi --d 0..3@0,0..40@0     | --d is not in the order of time | in the order of time
         vitanyi --d 0..3@0,9           | --d has '9' | A..B@TIME
         vitanyi --r 1..4@0,0..9@500    | --r has '0..9@500' | A from 1
         vitanyi --r 1..4@0,9..1@500    | --r has '9..1@500' | A not above B
         vitanyi --d 1@0,2@soon         | --d has 'soon' | integers from 0 to
         vitanyi --r 1@0,2@9223372036854775807  | --r goes beyond the end of time | in the order of time
         vitanyi -n 2 --r 1@0,2@9 --clocks list:1,1 | --clocks is a list, and r changes with time | varying
         vitanyi -n 2 --d 1@0,2@9 --delays list:1,1 | --delays is a list, and d changes with time | any other policy
         vitanyi --assume first         | --assume is given, but neither r nor d changes | --d 0..3@0,0..40@500
         vitanyi --d 1@0,2@9 --assume some | --assume is 'some' | all, first
         vitanyi --timing untimed --r 1@0,2@9 | --r is given for a run without clocks | nothing beside
         time-slice --r 1@0,2@9         | --timing is not rounds | rounds: time-slice assumes it
         lelann --ties both --d 1@0,0@9 | --ties are both, with d from 0 | delays of at least 1
         token-ring --reading immediate --d 1@0,0@9 | --d is | delays from 1 on",
    );
}

#[test]
fn words_that_are_none_are_refused() {
    all_refused(
        "chang-roberts --timing fast      | --timing is 'fast' | archimedean
         chang-roberts --clocks sundial   | --clocks is 'sundial' | varying
         chang-roberts --delays late      | --delays is 'late' | uniform
         chang-roberts --reading never    | --reading is 'never' | per-step
         chang-roberts --offsets full      | --offsets is 'full' | random
         chang-roberts --links loose      | --links is 'loose' | half
         franklin --links half-phase      | --links is half-phase | the messages of franklin have no phase numbers
         vitanyi --ids 3,1,2 --changes leave:3 | --changes have leave:3: no such place | 0 to 2 in a ring of 3
         vitanyi --ids 3,1,2 --changes join:1@0 | --changes have join:1@0: 1 is in use | a name that nobody has
         vitanyi --ids 3,1,2 --changes join:4@4 | --changes have join:4@4: no such place | 0 to 3 in a ring of 3
         vitanyi --ids 3,1,2 --changes join:0@1 | --changes have join:0@1: a name is a positive integer
         vitanyi --ids 3,1 --changes leave:0,drop:0 | --changes have drop:0: it is the last processor | not alone
         vitanyi -n 3 --changes enter:1   | --changes has 'enter:1' | join:NAME@PLACE, leave:PLACE, drop:PLACE
         itai-rodeh -n 3 --changes leave:1 | --changes are given for itai-rodeh | whose processors have names
         all-to-all -n 3 --changes leave:1 | --changes are given for all-to-all | elections on rings
         ricart-agrawala -n 3 --changes leave:1 | --changes are given for ricart-agrawala
         chang-roberts --topology torus   | --topology is 'torus' | complete
         chang-roberts --wake nobody      | --wake is 'nobody' | random:K
         chang-roberts --ports odd        | --ports is 'odd' | shuffled
         chang-roberts --orientation 01x -n 3 | --orientation is '01x' | 0110",
    );
}

#[test]
fn lists_of_the_wrong_length_are_refused() {
    all_refused(
        "chang-roberts -n 3 --clocks list:1,2     | --clocks has 2 | 3, one per place
         chang-roberts -n 3 --clocks list:1,2,3,4 | --clocks has 4 | 3, one per place
         chang-roberts -n 3 --clocks list:        | --clocks | ''
         chang-roberts -n 3 --delays list:1,2     | --delays has 2 | 3, one per link
         chang-roberts -n 3 --wake-at 1,2         | --wake-at has 2 | 3, one per place
         chang-roberts -n 3 --offsets list:1       | --offsets has 1 | 3, one per place
         chang-roberts -n 3 --orientation 01      | --orientation",
    );
}

#[test]
fn lists_with_values_out_of_range_are_refused() {
    all_refused(
        "chang-roberts -n 2 --clocks list:5,9 --r 1..8   | --clocks has 9 | 1 to 8
         chang-roberts -n 2 --delays list:5,9 --d 1..8   | --delays has 9 | 1 to 8
         chang-roberts -n 2 --offsets list:0,281474976710657 | --offsets has 281474976710657 | 281474976710656
         chang-roberts -n 2 --clocks list:1,18446744073709551616 | --clocks | '18446744073709551616'
         spirakis-tampakas-symmetry -n 3 --offsets list:0,99,0 | --offsets has 99 | at most r_max = 20
         chang-roberts -n 2 --delays list:1,99999999999999999999 | --delays | '99999999999999999999'
         chang-roberts -n 2 --offsets list:1,99999999999999999999 | --offsets | '99999999999999999999'
         chang-roberts -n 2 --clocks list:1,-2 | --clocks | '-2'",
    );
}

/// A list that leaves `--r` or `--d` out is itself what is wrong.
#[test]
fn a_list_is_blamed_and_not_the_range_that_was_derived_from_it() {
    all_refused(
        "chang-roberts -n 2 --clocks list:0,1 | --clocks
         chang-roberts -n 2 --delays list:0,281474976710657 | --delays",
    );
}

#[test]
fn wake_sets_that_cannot_be_are_refused() {
    all_refused(
        "chang-roberts -n 3 --wake 3          | --wake names place 3 | places 0 to 2
         chang-roberts -n 3 --wake 0,7        | --wake names place 7 | places 0 to 2
         chang-roberts -n 3 --wake=           | --wake is ''
         chang-roberts -n 3 --wake=-1         | --wake is '-1'
         chang-roberts -n 3 --wake random:0   | --wake is 'random:0' | random:1 to random:3
         chang-roberts -n 3 --wake random:4   | --wake is 'random:4' | random:1 to random:3
         chang-roberts -n 3 --wake random:99999999999999999999 | --wake | '99999999999999999999'
         chang-roberts -n 3 --wake 18446744073709551616 | --wake | '18446744073709551616'
         chang-roberts -n 3 --wake-at 0,1,x   | --wake-at has 'x'
         chang-roberts -n 3 --wake-at 0,1,-1  | --wake-at has '-1'
         chang-roberts -n 3 --wake-at -1,0,0  | --wake-at has '-1'
         chang-roberts -n 3 --wake-at 18446744073709551616,0,0 | --wake-at has '18446744073709551616'
         chang-roberts -n 3 --wake-at -,-,-   | --wake-at | at least one place
         chang-roberts -n 3 --wake all --wake-at 0,0,0 | --wake-at is given beside --wake | one of the two",
    );
}

#[test]
fn parameters_that_do_not_exist_are_refused() {
    all_refused(
        "chang-roberts --set speed=9   | --set | no parameter 'speed' | no parameters
         vitanyi --set speed=9         | --set | no parameter 'speed' | rules, printed, law, first, claims
         vitanyi --set law             | --set is 'law' | KEY=VALUE
         vitanyi --set =2^i            | --set | no parameter ''
         vitanyi --set first=2         | --set | first=2 | 1 | f
         vitanyi --set rules=both      | --set | rules=both | repaired | printed",
    );
}

#[test]
fn laws_that_are_none_are_refused() {
    let form = "constant:c | power:e | 2^i | u/m | walk | min-time";
    for law in [
        "",
        "3^i",
        "2^j",
        "constant",
        "constant:",
        "constant:0",
        "constant:1/0",
        "constant:-1",
        "constant:+2",
        "constant:1/2/3",
        "constant:1.5",
        "power:0",
        "power:65",
        "power:1/65",
        "power:-1",
        "power:99999999999999999999",
        "walk:2",
        "U/M",
        " 2^i",
    ] {
        let setting = format!("law={law}");
        refused(&["run", "vitanyi", "--set", &setting], USAGE, &["--set", &setting, "\nallowed: ", form]);
    }
    // A number that is too large is not said to be none.
    let large = "law=constant:18446744073709551616";
    let said = ["--set", large, "18446744073709551615", "\nallowed: ", form];
    refused(&["run", "vitanyi", "--set", large], USAGE, &said);
}

#[test]
fn what_a_network_does_not_have_is_refused() {
    all_refused(
        "chang-roberts --topology complete           | --topology is complete | chang-roberts does not run on | ring
         chang-roberts --topology bidirectional-ring | --topology is bidirectional-ring | ring
         chang-roberts -n 3 --orientation 010        | --orientation | ring | bidirectional ring
         chang-roberts -n 3 --orientation random     | --orientation | ring | bidirectional ring
         chang-roberts -n 3 --orientation=           | --orientation
         chang-roberts -n 3 --ports shuffled         | --ports | ring | complete network",
    );
}

#[test]
fn faults_that_cannot_be_are_refused() {
    all_refused(
        "chang-roberts --faults fire        | --faults has 'fire' | crash:PLACE@TIME
         chang-roberts --faults=            | --faults has ''
         chang-roberts --faults crash:3     | --faults say how many, in a run with clocks | PLACE@TIME | untimed
         chang-roberts --faults crash:99@1  | --faults names place 99 | places 0 to 15
         chang-roberts --faults crash:4294967296@1 | --faults has '4294967296' | 4294967295
         chang-roberts --faults crash:1@18446744073709551616 | --faults has '18446744073709551616'
         chang-roberts --faults crash:1@-1  | --faults has '-1'
         chang-roberts --faults loss:1      | --faults say how many | P/Q
         chang-roberts --faults loss:1.5    | --faults has 'loss:1.5' | loss:P/Q; in a check
         chang-roberts --faults crash:4294967296 | --faults has 'crash:4294967296' | 4294967295
         chang-roberts --faults loss:2/1    | --faults | 2/1
         chang-roberts --faults loss:1/0    | --faults | 1/0
         chang-roberts --faults loss:1/4294967296       | --faults has '4294967296'
         chang-roberts --faults duplicate:99999999999999999999/1 | --faults has '99999999999999999999'
         chang-roberts --faults restart:16@1    | --faults names place 16 | places 0 to 15
         chang-roberts --faults restart:1       | --faults say how many, in a run with clocks | restart:PLACE@TIME
         chang-roberts --faults restart:1@      | --faults has ''
         chang-roberts --faults restart:1@9+x   | --faults has 'x'
         chang-roberts --faults restart:1@9+281474976710657 | --faults has a restart with the offset 281474976710657 | up to
         chang-roberts --faults pause:1@3       | --faults has '1@3' | PLACE@TIME+LENGTH
         chang-roberts --faults pause:1@3+0     | --faults has a pause of length 0 | from 1
         chang-roberts --faults pause:16@3+4    | --faults names place 16 | places 0 to 15
         chang-roberts --faults cut:0-1         | --faults has 'cut:0-1' | PLACE-PLACE@TIME..TIME
         chang-roberts --faults pause:x         | --faults has 'pause:x' | PLACE@TIME+LENGTH
         chang-roberts --retransmit x           | --retransmit has 'x' | integers from 1 to 281474976710656
         chang-roberts --faults cut:0-1@3       | --faults has '0-1@3' | PLACE-PLACE@TIME..TIME
         chang-roberts --faults cut:0-1@5..3    | --faults cuts 0-1 from 5 to 3 | ends after it begins
         chang-roberts --faults cut:0-2@3..5    | --faults cuts 0-2 on a ring of 16 | a link between them
         franklin --faults cut:4-16@3..5        | --faults names place 16 | places 0 to 15
         all-to-all --faults cut:4-4@3..5       | --faults cuts 4-4 on a complete network of 16 | a link between them",
    );
}

#[test]
fn what_needs_clocks_is_refused_without_and_the_other_way_round() {
    all_refused(
        "chang-roberts --timing untimed --r 1..2          | --r is given for a run without clocks | --timing untimed
         chang-roberts --timing untimed --reading per-step | --reading is given for a run without clocks
         chang-roberts --timing untimed --max-time 3      | --max-time is given for a run without clocks
         ricart-agrawala --timing untimed --hold 3        | --hold is given for a run without clocks
         chang-roberts --timing untimed --faults crash:0@3 | --faults say when or how often | crash:K, restart:K, pause:K
         chang-roberts --timing untimed --faults cut:0-1@3..5 | --faults say when or how often | cut:K, loss:K, duplicate:K
         chang-roberts --timing untimed --faults restart:0@3 | --faults say when or how often | restart:K
         chang-roberts --max-steps 3                      | --max-steps is given for a run with clocks | --max-time
         chang-roberts --max-steps=-3                     | max-steps
         chang-roberts --timing clockless                 | --timing is 'clockless' | memory, untimed
         chang-roberts --ties either                      | --ties is 'either' | sim, both
         chang-roberts --d 0..3 --ties both               | --ties are both, with d from 0 | at least 1
         chang-roberts --first 3                          | --first is given for election | mutual-exclusion",
    );
}

#[test]
fn further_elections_that_cannot_be_are_refused() {
    all_refused(
        "chang-roberts --again 0@5        | --again | vitanyi
         vitanyi --again 99@5             | --again names place 99 | places 0 to 15
         vitanyi --again 5                | --again has '5' | PLACE@TIME
         vitanyi --again 4294967296@1     | --again has '4294967296' | 4294967295
         vitanyi --again 0@18446744073709551616 | --again has '18446744073709551616'
         vitanyi --again 0@-1             | --again has '-1'",
    );
}

/// These two are numbers to the command line itself.
#[test]
fn sizes_and_seeds_that_overflow_or_are_negative_are_refused() {
    all_refused(
        "chang-roberts -n 18446744073709551616    | '18446744073709551616' | -n
         chang-roberts -n 99999999999999999999    | '99999999999999999999' | -n
         chang-roberts -n=-4                      | '-4' | -n
         chang-roberts -n x                       | 'x' | -n
         chang-roberts --seed 18446744073709551616 | '18446744073709551616' | --seed
         chang-roberts --seed=-1                  | '-1' | --seed",
    );
    refused(&["bench", "-n", "18446744073709551616"], USAGE, &["'18446744073709551616'", "-n", "\nallowed: "]);
    refused(&["--seed", "18446744073709551616"], USAGE, &["'18446744073709551616'", "--seed", "\nallowed: "]);
}

/// The limits that are offered are those of the field.
#[test]
fn true_limits_are_offered() {
    all_refused(
        "chang-roberts -n x              | -n has 'x' | integers from 1 to 2147483648
         chang-roberts --r x             | --r has 'x' | integers from 1 to 281474976710656
         chang-roberts --d x             | --d has 'x' | integers from 0 to 281474976710656
         chang-roberts --wake-at x       | --wake-at has 'x' | integers from 0 to 4611686018427387904
         ricart-agrawala --hold x        | --hold has 'x' | integers from 1 to 4294967296
         ricart-agrawala --entries x     | --entries has 'x' | integers from 1 to 4294967296",
    );
    all_refused_by("check", "chang-roberts --threads x | --threads has 'x' | integers from 1 to 1024");
}

/// A negative number after a space is a value, not an option.
#[test]
fn negative_numbers_are_refused_as_values() {
    all_refused(
        "chang-roberts -n -4        | -n | '-4'
         chang-roberts --seed -1    | --seed | '-1'
         chang-roberts --r -1       | --r | '-1'
         chang-roberts --d -1       | --d | '-1'
         chang-roberts --wake -1    | --wake | '-1'
         chang-roberts --ids -1     | --ids | '-1'",
    );
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    refused(&words("run chang-roberts --quiet --verbose"), USAGE, &["error: ", "--quiet", "--verbose"]);
    refused(&words("run chang-roberts -n 3 -n 4"), USAGE, &["error: ", "-n"]);
    refused(&words("replay a.json --output b.json"), USAGE, &["error: ", "--shrink"]);
}

#[test]
fn networks_without_a_symmetry_are_refused() {
    all_refused_by(
        "check",
        "lelann --anonymous --ids 1,2,3      | --ids | no rotation | 1,2,1,2
         lelann --anonymous -n 1             | -n is 1 | at least 2
         lelann --anonymous --ids 0,0        | --ids has 0 at place 0
         lelann --anonymous --ids 1,1 -n 3   | -n is 3, but --ids has 2
         itai-rodeh --anonymous --ids 1,1    | --ids are given | anonymous
         token-ring --anonymous              | --anonymous is given for token-ring | elections",
    );
    all_refused("lelann --ids 1,1 | --ids has 1 twice | distinct identities");
}

/// Every option of `check` but those that it needs, of which none is ignored.
#[test]
fn what_a_run_in_lock_step_does_not_look_at_is_refused() {
    let used = ["n", "ids", "links", "set", "timeout", "all", "json", "anonymous", "help"];
    let useless = "--changes leave:1 | --again 0@3 | --orientation all | --ports plain | --wake one | --timed \
                   | --untimed | --r 1..4 | --d 2 | --clocks varying | --reading per-tick | --ties both \
                   | --faults loss:1 | --retransmit 3 | --entries 3 | --users 2 | --compete 2 | --readers 1 \
                   | --writers 1 | --then token | --values 1,2,3,4 | --always elected | --eventually elected \
                   | --ltl elected | --fairness strong --ltl elected | --no-reduce | --threads 2 | --max-states 5 \
                   | --max-memory 100M | --probability | --export x --probability | --extremes depth | --simulate 3 \
                   | --seed 4 --simulate 3 | --checkpoint x | --checkpoint-every 3 --resume x | --resume x \
                   | --save x | --save-extreme messages x | --picture x | --theme dark --picture x | --dot x \
                   | --force | --open | --intervene 3:drop";
    let mut tried: Vec<&str> = Vec::new();
    for options in useless.split('|').map(str::trim) {
        let name = options.split_whitespace().next().expect("there is one");
        tried.push(&name[2..]);
        let line = format!("check lelann --anonymous {options}");
        let said = ["--anonymous is given with --", "\nallowed: -n, --ids, --links, --set, "];
        refused(&words(&line), USAGE, &said);
    }
    let command = ringleader_cli::command_line();
    let check = command.find_subcommand("check").expect("it is a command");
    for name in check.get_arguments().filter_map(clap::Arg::get_long) {
        assert!(used.contains(&name) || tried.contains(&name), "--{name}");
    }
}

/// Options that another one makes useless.
#[test]
fn options_of_checks_that_do_not_go_together_are_refused() {
    for line in [
        "--probability --seed 3",
        "--probability --theme dark",
        "--dot x --seed 3",
        "--simulate 5 --export x",
        "--simulate 5 --extremes depth",
        "--simulate 5 --save-extreme messages x",
    ] {
        refused(&words(&format!("check itai-rodeh -n 2 {line}")), USAGE, &["error: ", "cannot be used with"]);
    }
}

#[test]
fn distributions_that_cannot_be_computed_are_refused() {
    all_refused_by(
        "exact",
        "nobody                           | unknown protocol 'nobody'
         itai-rodeh                       | itai-rodeh has no identities | --probability
         ricart-agrawala                  | ricart-agrawala is for mutual-exclusion
         lelann -n 0                      | -n has '0' | numbers from 1
         lelann -n 17                     | -n is 17 | 1 to 16
         lelann -n 2..16                  | -n is 15 | 87,178,291,200 orders | at most 10,000,000,000 runs
         lelann -n 12 --wakes all         | -n is 12 | 163,459,296,000 runs of 39,916,800 orders
         lelann -n 5..3                   | -n has '5..3' | 2..12
         lelann -n 3,x                    | -n has 'x'
         lelann -n -3                     | -n has '-3'
         lelann -n 1..99                  | -n has 99 values | at most 64
         lelann --set a=1                 | has no parameter 'a'
         lelann --threads 0               | --threads
         lelann --orientations all        | --orientations is all | bidirectional
         time-slice --wakes all           | --wakes is all | same round
         lelann --quantity phases         | --quantity is 'phases' | messages, election",
    );
}

#[test]
fn searches_that_cannot_be_are_refused() {
    all_refused_by(
        "worst",
        "itai-rodeh                       | itai-rodeh has no identities
         vitanyi -n 4 --changes leave:0   | --changes are given | not in a search
         lelann -n 4 --quantity beauty    | --quantity is 'beauty' | messages, election
         lelann --over nothing            | --over is 'nothing' | orders, wakes
         lelann --over orders,ports       | --over has ports | complete network
         lelann --over clocks             | --over has clocks | --r 1..4
         lelann --over wakes,schedules    | --over has schedules | alone
         lelann --over schedules --search local | --search is local
         lelann --search nowhere          | --search is 'nowhere' | auto, exhaustive, local
         lelann -n 16 --search exhaustive | --search is exhaustive | 1,307,674,368,000
         lelann --budget 0                | --budget is 0
         lelann -n 4 --entries 3          | --entries is given for election",
    );
}

#[test]
fn commands_that_do_not_exist_are_refused() {
    refused(&["frobnicate"], USAGE, &["error: ", "'frobnicate'"]);
    refused(&["run"], USAGE, &["error: ", "<PROTOCOL>"]);
    refused(&["run", "chang-roberts", "--nonsense"], USAGE, &["error: ", "'--nonsense'"]);
    refused(&["run", "chang-roberts", "--ids"], USAGE, &["error: ", "--ids"]);
    refused(&["completions", "tcsh"], USAGE, &["error: ", "'tcsh'", "zsh"]);
    refused(&["bench", "--workload", "rest"], USAGE, &["error: ", "'rest'", "phold"]);
}

/// A memory of 300 GB is no usual one.
#[test]
fn more_processors_than_fit_are_refused_as_the_machines_fault() {
    if available_memory().is_none_or(|bytes| bytes > 1 << 38) {
        return;
    }
    refused(
        &words("run chang-roberts -n 2147483648"),
        ENVIRONMENT,
        &["error: ", "-n is 2147483648", "MB are free", "allowed"],
    );
    refused(&words("bench -n 2147483648"), ENVIRONMENT, &["error: ", "-n is", "MB are free", "allowed"]);
}

fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

#[test]
fn output_that_cannot_be_written_is_refused() {
    let said = ["error: ", "nowhere", "\nallowed: "];
    refused(&words("run chang-roberts --trace nowhere/run.json"), ENVIRONMENT, &said);
    for option in ["--trace", "--picture"] {
        refused(&["run", "chang-roberts", option, "."], ENVIRONMENT, &["error: ", "directory", "\nallowed: "]);
    }
}

#[test]
fn a_refused_run_leaves_an_old_file_alone() {
    let place = Workplace::new();
    place.write("run.json", "precious");
    let ended = place.call(&words("run vitanyi --set law=3^i --trace run.json"));
    assert_eq!((ended.code, place.read("run.json").as_str()), (USAGE, "precious"));
    assert_eq!(place.listing(), ["run.json"]);
}

/// A recorded run with choices in it.
fn recorded() -> (Workplace, String) {
    let place = Workplace::new();
    let ended = place.call(&words("run chang-roberts -n 4 --timing archimedean --clocks varying --trace run.json"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let text = place.read("run.json");
    (place, text)
}

/// Replays a file with this text and insists that it is refused, naming the file.
#[track_caller]
fn trace_refused(place: &Workplace, text: impl AsRef<[u8]>, said: &[&str]) {
    place.write("bad.json", text);
    let before = place.listing();
    for arguments in
        [&["replay", "bad.json"][..], &["replay", "bad.json", "--json"], &["replay", "bad.json", "--shrink"]]
    {
        let ended = place.call(arguments);
        expect(&ended, arguments, USAGE, said);
        assert_eq!(place.listing(), before, "a file was written by {arguments:?}");
    }
}

const TRACE: &[&str] = &["error: ", "bad.json", "\nallowed: "];

#[test]
fn files_that_are_no_traces_are_refused() {
    let place = Workplace::new();
    let heads = ["{\"ringleader_trace\":1}", "{\"ringleader_trace\":2}", "\u{feff}{}"];
    for text in ["", "hello", "{}", "[]", "null"].into_iter().chain(heads) {
        trace_refused(&place, text, TRACE);
    }
    trace_refused(&place, [0xff, 0xfe, 0x00], TRACE);
    trace_refused(&place, "[".repeat(100_000), TRACE);
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    refused(&["replay", "missing.json"], ENVIRONMENT, &["error: ", "missing.json", "\nallowed: "]);
    refused(&["replay", "."], ENVIRONMENT, &["error: ", "directory", "\nallowed: "]);
    refused(&["replay", "missing.json", "--shrink"], ENVIRONMENT, &["error: ", "missing.json", "\nallowed: "]);
}

#[test]
fn a_trace_cut_off_anywhere_is_refused() {
    let (place, text) = recorded();
    let whole = text.trim_end();
    assert!(whole.is_ascii() && whole.len() > 200);
    for length in 0..whole.len() {
        place.write("bad.json", &whole[..length]);
        let ended = place.call(&["replay", "bad.json"]);
        expect(&ended, &["replay", &whole[..length]], USAGE, TRACE);
    }
    place.write("bad.json", whole);
    assert_eq!(place.call(&["replay", "bad.json"]).code, 0);
}

#[test]
fn a_trace_of_another_version_is_refused() {
    let (place, text) = recorded();
    for version in ["0", "3", "4294967295"] {
        let other = changed(&text, "\"ringleader_trace\":2", &format!("\"ringleader_trace\":{version}"));
        trace_refused(&place, other, &[TRACE, &["version", version]].concat());
    }
    for version in ["4294967296", "-1", "\"2\"", "null", "2.0"] {
        trace_refused(
            &place,
            changed(&text, "\"ringleader_trace\":2", &format!("\"ringleader_trace\":{version}")),
            TRACE,
        );
    }
}

#[test]
fn a_trace_with_an_unknown_field_is_refused() {
    let (place, text) = recorded();
    trace_refused(
        &place,
        changed(&text, "\"streams\":", "\"colour\":\"red\",\"streams\":"),
        &[TRACE, &["colour"]].concat(),
    );
    trace_refused(
        &place,
        changed(&text, "\"seed\":1", "\"seed\":1,\"colour\":\"red\""),
        &[TRACE, &["colour"]].concat(),
    );
    trace_refused(
        &place,
        changed(&text, "\"streams\":", "\"streams\":1,\"streams\":"),
        &[TRACE, &["streams"]].concat(),
    );
    trace_refused(&place, changed(&text, "\"streams\":2,", ""), &[TRACE, &["streams"]].concat());
}

#[test]
fn a_trace_whose_digest_was_changed_is_refused() {
    let (place, text) = recorded();
    let at = text.rfind("\"trace\":\"").expect("a trace has a digest") + "\"trace\":\"".len();
    for index in [0, 7, 15] {
        let mut bytes = text.clone().into_bytes();
        bytes[at + index] = if bytes[at + index] == b'0' { b'1' } else { b'0' };
        trace_refused(&place, bytes, &["error: ", "digest", "\nallowed: "]);
    }
    trace_refused(&place, changed(&text, "\"trace\":\"", "\"trace\":\"0"), &["error: ", "digest", "\nallowed: "]);
}

/// A choice that changes nothing (a step that is too short either way) is none; any other is found.
#[test]
fn a_trace_with_a_changed_choice_is_refused() {
    let (place, text) = recorded();
    let whole = place.call(&["replay", "run.json"]);
    let choices = choices(&text);
    assert!(choices.len() > 10);
    let mut found = 0;
    for index in 0..choices.len() {
        let mut other = choices.clone();
        // Every bound here is above 1.
        other[index] = u64::from(other[index] == 0);
        place.write("bad.json", with_choices(&text, &other));
        let ended = place.call(&["replay", "bad.json"]);
        if ended.code == 0 {
            assert_eq!(
                ended.stdout,
                whole.stdout.replace("run.json", "bad.json"),
                "choice {index} changed the run, which was not found"
            );
            continue;
        }
        found += 1;
        expect(&ended, &["replay", "bad.json"], USAGE, &["error: ", "\nallowed: "]);
    }
    assert!(found * 2 > choices.len(), "only {found} of {} changes were found", choices.len());
}

#[test]
fn a_trace_with_an_impossible_choice_is_refused() {
    let (place, text) = recorded();
    let mut other = choices(&text);
    other[3] = u64::MAX;
    let said = ["error: ", "choice 3 is 18446744073709551615", "\nallowed: "];
    place.write("bad.json", with_choices(&text, &other));
    expect(&place.call(&["replay", "bad.json"]), &["replay"], USAGE, &said);
    trace_refused(&place, changed(&text, "\"choices\":[", "\"choices\":[-1,"), TRACE);
    trace_refused(&place, changed(&text, "\"choices\":[", "\"choices\":[18446744073709551616,"), TRACE);
}

/// Choices that the run never asked for cannot have been recorded.
#[test]
fn a_trace_with_choices_left_over_is_refused() {
    let (place, text) = recorded();
    let mut other = choices(&text);
    other.push(1);
    place.write("bad.json", with_choices(&text, &other));
    expect(
        &place.call(&["replay", "bad.json"]),
        &["replay", "with a choice too many"],
        USAGE,
        &["error: ", "\nallowed: "],
    );
}

/// The error names the field.
#[test]
fn a_field_that_cannot_be_read_is_named() {
    let (place, text) = recorded();
    for (from, to, field) in [
        ("\"min\":10", "\"min\":\"ten\"", "scenario.timing.r.min"),
        ("\"links\":\"fifo\"", "\"links\":\"loose\"", "scenario.links"),
        ("\"seed\":1", "\"seed\":-1", "scenario.seed"),
        ("\"choices\":[", "\"choices\":[\"x\",", "choices[0]"),
    ] {
        trace_refused(&place, changed(&text, from, to), &[TRACE, &[field]].concat());
    }
}

/// A byte order mark is no part of a file, and what stands under `extensions` changes nothing.
#[test]
fn what_changes_nothing_about_a_run_is_skipped() {
    let (place, text) = recorded();
    let whole = place.call(&["replay", "run.json"]).stdout;
    let marked = format!("\u{feff}{text}");
    let extended = changed(&text, "\"streams\":", "\"extensions\":{\"colour\":\"red\"},\"streams\":");
    for other in [marked, extended] {
        place.write("run.json", other);
        let ended = place.call(&["replay", "run.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, whole.as_str()), "{}", ended.stderr);
    }
}

/// The error is in the file, so the file is named.
#[test]
fn a_trace_whose_scenario_cannot_be_is_refused() {
    let (place, text) = recorded();
    trace_refused(&place, changed(&text, "\"protocol\":\"chang-roberts\"", "\"protocol\":\"chang-robert\""), TRACE);
    trace_refused(&place, changed(&text, "\"r\":{\"min\":10,\"max\":20}", "\"r\":{\"min\":20,\"max\":10}"), TRACE);
    trace_refused(&place, changed(&text, "\"links\":\"fifo\"", "\"links\":\"loose\""), TRACE);
}

#[test]
fn a_run_that_held_cannot_be_shrunk() {
    let (place, _) = recorded();
    let ended = place.call(&["replay", "run.json", "--shrink"]);
    expect(&ended, &["replay", "--shrink"], USAGE, &["error: ", "nothing to shrink"]);
    assert_eq!(place.listing(), ["run.json"]);
}

#[test]
fn a_shrunk_run_that_cannot_be_written_is_refused() {
    let place = Workplace::new();
    let ended = place.call(&words("run vitanyi --ids 3,1,4,2 --set law=min-time --set rules=printed --trace run.json"));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    for output in ["nowhere/short.json", "."] {
        let arguments = ["replay", "run.json", "--shrink", "--output", output];
        expect(&place.call(&arguments), &arguments, ENVIRONMENT, &["error: ", "\nallowed: "]);
        assert_eq!(place.listing(), ["run.json"]);
    }
}

#[track_caller]
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from} is not in {text}");
    text.replacen(from, to, 1)
}

fn choices(text: &str) -> Vec<u64> {
    let trace: serde_json::Value = serde_json::from_str(text).expect("a trace is JSON");
    let choices = trace["choices"].as_array().expect("a trace has choices");
    choices.iter().map(|choice| choice.as_u64().expect("a choice is a number")).collect()
}

fn with_choices(text: &str, choices: &[u64]) -> String {
    let mut trace: serde_json::Value = serde_json::from_str(text).expect("a trace is JSON");
    trace["choices"] = choices.into();
    trace.to_string()
}
