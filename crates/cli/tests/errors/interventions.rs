//! Interventions and first choices that make no sense.

use super::*;

#[test]
fn interventions_that_cannot_be_are_refused() {
    all_refused(
        "chang-roberts --intervene 17          | --intervene has '17' | NUMBER:drop, NUMBER:delay:TIME
         chang-roberts --intervene=            | --intervene has ''
         chang-roberts --intervene 17:lose     | --intervene has '17:lose' | NUMBER:duplicate
         chang-roberts --intervene 17:delay    | --intervene has '17:delay' | NUMBER:delay:TIME
         chang-roberts --intervene 17:delay:-1 | --intervene has '-1' | integers from 0
         chang-roberts --intervene 0:drop      | --intervene has 0:drop | numbered from 1
         chang-roberts --intervene 3:drop,3:duplicate | --intervene has 3:drop and 3:duplicate | one per message
         chang-roberts --intervene 3:delay:4,3:until:5 | --intervene has 3:delay:4 and 3:until:5 | beside duplicate
         chang-roberts --intervene 3:delay:281474976710657 | --intervene has 3:delay:281474976710657 | 0 to 281474976710656
         chang-roberts --intervene 3:until:4611686018427387905 | --intervene has 3:until:4611686018427387905 | times from 0
         chang-roberts --d 1 --ties both --intervene 3:delay:0 | --intervene has 3:delay:0, where ties are both | at least 1
         chang-roberts --timing untimed --intervene 3:delay:4 | --intervene has 3:delay:4, in a run without clocks | until:ACTIONS
         chang-roberts --timing untimed --choices 1,x  | --choices has 'x' | integers from 0
         chang-roberts --timing untimed --choices 3,99 | --choices has 99 as choice 2 of the run | 0 to 15: there are 16
         chang-roberts -n 2 --d 1 --choices 0,0        | --choices has 2 choices | at most 0, as many as the run makes",
    );
    all_refused_by(
        "check",
        "chang-roberts -n 3 --intervene 3:drop | --intervene is given for a check | only in a run | loss:K and duplicate:K
         chang-roberts -n 3 --untimed --intervene 3:delay:4 | --intervene is given for a check",
    );
    all_refused_by(
        "worst",
        "chang-roberts -n 3 --intervene 3:drop | --intervene is given for a search | a number means something else
         chang-roberts -n 3 --choices 3        | --choices is given for a search",
    );
}
