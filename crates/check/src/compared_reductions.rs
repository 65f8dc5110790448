//! Random protocols, explored with and without each reduction: same verdicts, costs and shortest counterexamples.

use core::fmt::Debug;

use ringleader_model::{
    Assumptions, AtMost, Description, Effects, Election, ElectionReport, Event, Faults, Links, Port, Processor,
    Protocol, Ring, Scenario, Ticks,
};
use serde::Serialize;

use crate::test_protocols::{ASSUMPTIONS, DESCRIPTION, ToyMessage, rolls, toy_protocol};
use crate::{
    Answer, CheckVerdict, Counterexample, Effort, Extremes, MaxMessages, Property, Reduction, Reductions, Wakers, check,
};

/// The parts of an answer that no reduction changes.
#[derive(PartialEq, Debug)]
struct PreservedAnswer {
    judgements: Vec<(Property, CheckVerdict)>,
    most_messages: MaxMessages,
    extremes: Extremes,
    /// The property and the length of the counterexample; of a lasso, of its prefix, which is shortest.
    counterexample: Option<(Property, usize)>,
}

impl PreservedAnswer {
    fn new<P: Processor>(answer: &Answer<P>) -> Self {
        let length = |found: &Counterexample<P>| (found.property, found.repeats_from.unwrap_or(found.steps));
        Self {
            judgements: answer.judgements.iter().map(|judgement| (judgement.property, judgement.verdict)).collect(),
            most_messages: answer.most_messages,
            extremes: answer.extremes.clone(),
            counterexample: answer.counterexample.as_ref().map(length),
        }
    }
}

/// What a comparison was about.
#[derive(Debug)]
pub(crate) struct ReductionComparison {
    /// Protocols that were explored completely without reductions.
    pub(crate) complete: usize,
    /// Of those, all reductions together have fewer states.
    pub(crate) smaller: usize,
    /// Without a counterexample, with a finite one and with a lasso.
    pub(crate) verdicts: [usize; 3],
    /// By reduction: disabling it alone, or enabling it alone, changes the number of states.
    pub(crate) effective: Vec<usize>,
}

/// Compares the answers without reductions, with all, with all but each of `reductions`, and with one of them alone. `examine`
/// receives the answers without reductions and with all.
pub(crate) fn compare<P: Protocol + Copy + Debug>(
    seeds: u64,
    reductions: &[Reduction],
    draw: fn(u64) -> (P, Scenario),
    examine: fn(P, &Scenario, &Answer<P::Processor>),
) -> ReductionComparison {
    let mut compared =
        ReductionComparison { complete: 0, smaller: 0, verdicts: [0; 3], effective: vec![0; reductions.len()] };
    for seed in 0..seeds {
        let (protocol, scenario) = draw(seed);
        let explored = |reductions| {
            let effort = Effort { states: 20_000, bytes: 1 << 30, threads: 1, reductions };
            check(protocol, &scenario, &Wakers::Anybody, &effort, &mut |_| true).expect("it can be explored")
        };
        let full = explored(Reductions::NONE);
        if full.ran_out.is_some() {
            continue;
        }
        let preserved = PreservedAnswer::new(&full);
        let states = |reductions: Reductions| {
            let answer = explored(reductions);
            assert_eq!(preserved, PreservedAnswer::new(&answer), "{protocol:?} {scenario:?} {reductions}");
            answer.progress.states
        };
        let reduced = explored(Reductions::ALL);
        assert_eq!(preserved, PreservedAnswer::new(&reduced), "{protocol:?} {scenario:?}");
        let least = reduced.progress.states;
        for (index, &reduction) in reductions.iter().enumerate() {
            let mut effective = states(Reductions::ALL.without(reduction)) != least;
            if seed as usize % reductions.len() == index {
                effective |= states(Reductions::only(reduction)) != full.progress.states;
            }
            compared.effective[index] += usize::from(effective);
        }
        compared.complete += 1;
        compared.smaller += usize::from(least < full.progress.states);
        let kind = full.counterexample.as_ref().map_or(0, |found| 1 + usize::from(found.repeats_from.is_some()));
        compared.verdicts[kind] += 1;
        examine(protocol, &scenario, &full);
        examine(protocol, &scenario, &reduced);
    }
    compared
}

/// An election on a ring whose rules are drawn from a seed.
#[derive(Clone, Copy, Debug)]
struct RandomRing {
    seed: u64,
    /// Messages that a processor may send.
    sends: u32,
    /// Some steps draw a random number.
    coins: bool,
    /// Some steps set a timer.
    timers: bool,
    /// It may decide once.
    decides: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct RandomPlace {
    memory: u64,
    sends: u32,
    decided: bool,
}

const RING: Description =
    Description { assumptions: Assumptions { links: Links::Any, timed: false, ..ASSUMPTIONS }, ..DESCRIPTION };

toy_protocol!(RandomRing: RandomPlace, Ring, RING, |self| RandomPlace {
    memory: 0,
    sends: self.sends,
    decided: false,
});

impl Processor for RandomPlace {
    type Problem = Election;
    type Message = ToyMessage;
    type Timer = u32;
    type Rules = RandomRing;

    fn step(&mut self, ring: &RandomRing, event: Event<Self>, fx: &mut impl Effects<Self>) {
        let code = match event {
            Event::Wake => 0,
            Event::Timeout(timer) => 1 + u64::from(timer),
            Event::Receive(_, message) => 3 + u64::from(message.0),
            Event::Call(_) => return,
        };
        let mut roll = rolls(ring.seed << 16 ^ self.memory << 8 ^ code);
        self.memory = roll(3);
        if ring.coins && roll(3) == 0 && fx.choose(2) == 1 {
            self.memory = roll(3);
        }
        let forwards = code >= 3 && roll(4) > 1;
        if forwards || self.sends > 0 && (code == 0 || roll(3) > 0) {
            self.sends = self.sends.saturating_sub(1);
            fx.send(Port(0), ToyMessage(roll(2) as u32));
        }
        match roll(6) {
            0 if ring.timers => fx.set_timer(0, Ticks::ONE),
            1 if ring.timers => fx.set_timer(1, Ticks::ONE),
            2 => fx.cancel_timer(0),
            _ => {}
        }
        if ring.decides && !self.decided && roll(8) > 0 {
            self.decided = true;
            let elected = roll(12) == 0;
            fx.report(if elected { ElectionReport::Elected(None) } else { ElectionReport::Follows(None) });
        }
    }
}

fn draw(seed: u64) -> (RandomRing, Scenario) {
    let mut roll = rolls(seed ^ 0x51B9);
    let n = 2 + roll(3) as usize;
    let ring =
        RandomRing { seed, sends: 1 + roll(2) as u32, coins: roll(4) == 0, timers: roll(3) == 0, decides: roll(4) > 0 };
    let links = if roll(4) == 0 { Links::Any } else { Links::Fifo };
    let at_most = match roll(8) {
        0 => AtMost { losses: 1, ..AtMost::default() },
        1 => AtMost { crashes: 1, ..AtMost::default() },
        _ => AtMost::default(),
    };
    let faults = Faults { at_most, ..Faults::default() };
    (ring, Scenario { n, links, faults, untimed: true, ..Scenario::default() })
}

#[test]
fn random_rings_have_the_same_answers_with_and_without_each_reduction() {
    let reductions = [Reduction::PartialOrder, Reduction::Symmetry];
    let compared = compare(1000, &reductions, draw, |_, _, _| {});
    let ReductionComparison { complete, smaller, verdicts, effective } = &compared;
    assert!(
        *complete > 800 && *smaller > 500 && verdicts.iter().chain(effective).all(|&count| count > 100),
        "{compared:?}"
    );
}
