//! Checks, workloads and tables that make no sense.

use super::*;

#[test]
fn checks_that_make_no_sense_are_refused() {
    all_refused_by(
        "check",
        "nobody                                | unknown protocol 'nobody'
         chang-roberts -n 0                    | -n is 0
         chang-roberts -n 65                   | -n is 65 | 1 to 64
         chang-roberts -n 12                   | -n is 12 | 39916800 orders | --ids
         chang-roberts --ids 3,3               | --ids | 3 twice
         chang-roberts --wake random:2         | --wake is 'random:2' | all, one, 0,3,5 or together
         chang-roberts -n 4 --wake 7            | --wake names place 7 | places 0 to 3
         time-slice --wake one                 | --wake | same round
         ricart-agrawala -n 2 --wake all       | --wake is 'all' | every site is awake
         ricart-agrawala -n 2 --compete 1@0,2@9 | --compete changes with time | at any time
         chang-roberts --orientation same      | --orientation is given for topology ring | bidirectional ring
         franklin --orientation random         | --orientation is 'random' | all, same or digits
         franklin -n 4 --orientation 011       | --orientation has 3 digits | 4, one per place
         franklin --orientation=               | --orientation is '' | all, same or digits
         chang-roberts --r 1..2                | --r is given for a check without clocks | only with --timed
         vitanyi --timed --r 1@0,1..3@9        | --r changes with time | all runs of this one are among those of --r 1..3 --d 0
         vitanyi --timed --d 1@0,2@9           | --d changes with time | --clocks varying
         chang-roberts --d 1                   | --d is given for a check without clocks
         chang-roberts --clocks fixed          | --clocks is given for a check without clocks
         chang-roberts --reading immediate     | --reading is given for a check without clocks
         chang-roberts --ties sim              | --ties is given for a check without clocks
         spirakis-tampakas-mutex --untimed --d 1 | --d is given for a check without clocks
         chang-roberts --timed --r 2..1        | --r is 2..1 | r_min not above r_max
         chang-roberts --timed --clocks list:1,2,3,4 | --clocks is 'list:1,2,3,4' | fixed, varying
         chang-roberts --timed --ties mine     | --ties is 'mine' | sim, both
         chang-roberts --timed --d 0 --ties both | --ties is both | sim, or --d from 1 on
         time-slice --r 2                      | --timing | rounds
         chang-roberts --timed --faults pause:1 | --faults may be pauses, and reading is immediate | reading per-step
         chang-roberts --timed --d 0..1 --faults cut:1,loss:1 | --faults are given, and d_min is 0 | at least a unit
         chang-roberts --timed --d 0..1 --faults crash:1 | --faults are given, and d_min is 0 | at least a unit
         time-slice --faults loss:1 | --faults are given for time-slice, which runs in rounds | none in a check of all rounds
         afek-gafni-sync --faults crash:1 | --faults are given for afek-gafni-sync, which runs in rounds | --untimed
         afek-gafni-async --then ring-size | --then is ring-size | nothing: tasks run on rings only
         itai-rodeh --then ring-sort | --then is ring-sort | ring-size or token, or --values: processors have no identities
         itai-rodeh --then transfer | --then is transfer | ring-size or token: processors have no identities
         chang-roberts -n 3 --retransmit 0 | --retransmit is 0 | 1 to 281474976710656 own ticks
         token-ring -n 2 --retransmit 5 | --retransmit is given for token-ring | an election that always elects one leader, a lock, or
         spirakis-tampakas-symmetry -n 2 --retransmit 5 | --retransmit is given for spirakis-tampakas-symmetry | a lock, or readers
         time-slice -n 3 --retransmit 5 | --retransmit is given for time-slice | an election that needs no rounds
         chang-roberts -n 3 --retransmit 5 --links half | --retransmit is given with links half | links fifo or any
         van-leeuwen-tan -n 3 --retransmit 5 --links half-phase | --retransmit is given with links half-phase | links fifo or any
         spirakis-tampakas-mutex -n 2 --retransmit 5 --reading per-tick | with reading per-tick | immediate or per-step
         chang-roberts -n 3 --timed --retransmit 5 --faults crash:1 | --retransmit is given with a crash, in a check with clocks | --untimed
         ricart-agrawala -n 2 --retransmit 5 --entries forever | --retransmit is given with entries forever, on links any | links fifo
         chang-roberts -n 3 --values 1,2,3 | --values are given without a task | only with --then ring-sort, broadcast or token
         chang-roberts -n 3 --then transfer --values 1,2,3 | --values are given for transfer | ring-sort, broadcast or token
         chang-roberts -n 3 --then token --values 1,2 | --values has 2 values | 3, one per processor
         chang-roberts -n 3 --then token --values 0,0,9999 | --values have 9999 tokens at one place | 0 to 1000 each
         chang-roberts --timed -n 2 --r 1..99999999 | --r has 99999999 lengths, for 2 clocks | 65536
         chang-roberts -n 2 --save same.svg --picture same.svg | --picture and --save name the same file
         chang-roberts -n 2 --save ./same.svg --picture same.svg | --picture and --save name the same file
         chang-roberts -n 9 --save-extreme mesages same.svg | --save-extreme is 'mesages' | messages, election, announcement, candidate, | least- before
         chang-roberts -n 2 --save-extreme least-rounds same.svg | --save-extreme is 'least-rounds' | bits
         spirakis-tampakas-mutex -n 4 --save-extreme time same.svg | --save-extreme is 'time' | negative-positive | response-time
         chang-roberts --timeout soon          | --timeout has 'soon'
         chang-roberts --timed --faults loss:4294967295,duplicate:1 | --faults may be loss:4294967295, duplicate:1 | fewer: the state space
         chang-roberts --faults loss:1/9       | --faults has 'loss:1/9' | crash:K
         chang-roberts --faults crash:0        | --faults has 'crash:0' | crash:K with K from 1
         chang-roberts --faults crash:1,crash:2 | --faults has 'crash:2' | at most once
         chang-roberts --faults fire:1         | --faults has 'fire:1'
         chang-roberts --links loose           | --links is 'loose'
         chang-roberts --links half-phase      | --links is half-phase | fifo, any or half | no phase numbers
         van-leeuwen-tan --timed --links half-phase | --links are half-phase | no clocks
         vitanyi -n 3 --changes leave:1        | --changes are given | only with --ids in a check
         vitanyi --ids 3,1 --changes leave:2   | --changes have leave:2: no such place | 0 to 1 in a ring of 2
         chang-roberts --set colour=red        | --set has no parameter 'colour'
         chang-roberts --entries 2             | --entries is given for election
         chang-roberts --again 0@1             | --again is given
         ricart-agrawala -n 2 --entries 0      | --entries is 0
         ricart-agrawala -n 2 --compete 3      | --compete is 3
         spirakis-tampakas-mutex -n 2 --readers 1 | --readers is given for mutual-exclusion
         ricart-agrawala -n 3 --readers 2 --set numbers=5 | --set numbers=5 with 2 readers
         lamport-readers-writers --users 2     | --users is given for readers-writers
         chang-roberts --threads 0             | --threads is 0 | 1 to
         chang-roberts --max-states 0          | --max-states is 0 | at least 1
         chang-roberts --max-memory lots       | --max-memory is 'lots' | 8G
         chang-roberts --max-memory 1K         | --max-memory is '1K' | from 1M on",
    );
    refused(&["check"], USAGE, &["<PROTOCOL>"]);
    refused(&["check", "lelann", "--then", "sorting"], USAGE, &["--then"]);
    refused(&["check", "lelann", "--timed", "--untimed"], USAGE, &["--timed", "--untimed"]);
    refused(&["check", "lelann", "--threads", "x"], USAGE, &["--threads", "\nallowed: "]);
    refused(
        &["check", "lelann", "--save", "no/such/place.json"],
        ENVIRONMENT,
        &["error: ", "no/such/place.json", "\nallowed: "],
    );
    refused(
        &["check", "lelann", "--picture", "no/such/place.svg"],
        ENVIRONMENT,
        &["error: ", "no/such/place.svg", "\nallowed: "],
    );
}

#[test]
fn a_workload_that_cannot_be_is_refused() {
    all_refused(
        "chang-roberts --entries 3 | --entries | election | mutual-exclusion
         token-ring --hold 3 | --hold | token-ring | mutual-exclusion
         spirakis-tampakas-mutex --readers 2 | --readers | mutual-exclusion | readers-writers
         ricart-agrawala -n 3 --readers 2 --set numbers=5 | --set | numbers=5 | numbers=unbounded
         ricart-agrawala -n 3 --readers 3 --writers 1 | --readers | 3 | at most 3
         ricart-agrawala --users 0 | --users | is 0 | 1 to 1000
         ricart-agrawala --users 1001 | --users | is 1001 | 1 to 1000
         ricart-agrawala --users some | --users | 'some' | integers from 1 to 1000
         chang-roberts --users 2 | --users | election | mutual-exclusion
         lamport-readers-writers --users 2 | --users | readers-writers | stays
         ricart-agrawala --entries 0 | --entries | is 0 | 1 to
         ricart-agrawala --entries 5000000000 | --entries | 5000000000 | 1 to
         ricart-agrawala -n 4 --compete 0 | --compete | is 0 | 1 to 4
         ricart-agrawala -n 4 --compete 5 | --compete | is 5 | 1 to 4
         ricart-agrawala -n 4 --compete 2@0,5@9 | --compete | is 5 | 1 to 4
         ricart-agrawala -n 4 --compete 2@1,4@9 | --compete | begins after time 0 | 4@0,16@500
         ricart-agrawala -n 4 --compete 2@0,4@0 | --compete | order of time | 4@0,16@500
         ricart-agrawala -n 4 --compete 4@0,2@9 | --compete | left out | 4@0,16@500
         ricart-agrawala -n 4 --compete 4@0,x | --compete | 'x' | 4@0,16@500
         ricart-agrawala -n 4 --compete 2@0,4@9 --timing untimed | --compete | without clocks | a number
         ricart-agrawala -n 5000 | -n | 5000 | 4096
         spirakis-tampakas-readers-writers -n 0 | -n | is 0 | at least one
         ricart-agrawala --hold 0 | --hold | is 0 | from 1
         lamport-readers-writers --hold 5 | --hold | readers-writers | stays
         spirakis-tampakas-symmetry --then ring-size | --then | ring-size | one leader
         ricart-agrawala --hold 5..2 | --hold | 5..2 | A..B
         ricart-agrawala --think x | --think | 'x' | integers
         ricart-agrawala -n 3 --wake one | --wake | place 1 | competes
         ricart-agrawala -n 3 --wake-at 0,4,- | --wake | place 2 | competes
         spirakis-tampakas-mutex --reading bit-serial | --reading | bit-serial | per-step
         spirakis-tampakas-mutex --set c=30001 | --set | c=30001 | 0 to 30000
         spirakis-tampakas-readers-writers -n 3 --readers 3 --writers 1 | --readers | 3 | at most 3
         spirakis-tampakas-readers-writers -n 3 --readers 0 --writers 0 | --writers | 0 | somebody
         lamport-readers-writers --readers 18446744073709551615 | -n | 18446744073709551615 | 1 to
         token-ring --faults loss:1/9,until:x | --faults | 'x' | integers",
    );
}

#[test]
fn a_table_refuses_what_it_goes_through_itself() {
    all_refused_by(
        "reproduce",
        "--table lemma-1 --compete 3 | --compete | goes through
         --table changing-load --compete 3 | --compete | goes through
         --table S19 --r 3 | --r | goes through
         --table attempts --d 3 | --d | goes through
         --table theorem-1 -n 3 | -n | goes through
         --table two-leaders --set k=3 | --set | goes through
         --table lemma-1 --runs 3 | --runs | at least 10
         --table lemma-1 --set nothing=3 | nothing | c1",
    );
}
