//! The messages of one run by phase and by identity, and the candidates left in each phase, from its logged steps.

use std::collections::BTreeMap;

use ringleader_model::{Id, Part};
use ringleader_sim::{Cause, MessageContent, MessageNumber, Step};

/// Counts of a run that need its steps.
///
/// A message belongs to the phase that it carries, or else to that of the processor that sent it first: one that is passed on,
/// with the same identity and by a processor that does not begin a phase in that step, keeps its phase, also if it is passed on in a later step. Announcements and tasks belong to no phase. By identity,
/// a message counts for the first identity that it carries. The candidates of a phase are the processors that reach it.
#[derive(Clone, Debug, Default)]
pub struct MessageBreakdown {
    /// The phase that each place has reached.
    reached: Vec<u32>,
    /// By place, the identity and the phase of the last message that it received and did not pass on at once.
    kept: Vec<Option<(Id, u32)>>,
    /// The phases of messages in flight.
    in_flight: BTreeMap<MessageNumber, u32>,
    /// Message passes by phase, from 0.
    phases: Vec<u64>,
    /// Message passes by the rank of an identity.
    identities: Vec<u64>,
    /// The identities, in increasing order.
    ids: Vec<u64>,
}

impl MessageBreakdown {
    /// Before the first step of a run with these identities.
    pub fn new(ids: &[u64]) -> Self {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        Self { identities: vec![0; ids.len()], ids, ..Self::default() }
    }

    /// Takes note of a step.
    pub fn take(&mut self, step: &Step) {
        if let Cause::Duplicate { message, copy, content, .. } = &step.cause {
            let phase = self.in_flight.get(message).copied();
            self.count(*copy, content, phase);
        }
        if let Cause::Loss { message, .. } = &step.cause {
            self.in_flight.remove(message);
        }
        let received = match &step.cause {
            Cause::Receive { message, content, .. } => {
                self.in_flight.remove(message).map(|phase| (content.identity, phase))
            }
            _ => None,
        };
        let begun = self.reach(step);
        if self.kept.len() <= step.place as usize {
            self.kept.resize(step.place as usize + 1, None);
        }
        let sends = step.sends().count() as u32;
        for (index, (number, _, content)) in (0u32..).zip(step.sends()) {
            let kept = self.kept[step.place as usize].map(|(identity, phase)| (Some(identity), phase));
            let same = |(identity, _): &(Option<Id>, u32)| begun == 0 && *identity == content.identity;
            // The same identity in both: the one that is passed on is that of the later phase.
            let passed_on = received.into_iter().chain(kept).filter(same).max_by_key(|(_, phase)| *phase);
            // Who is woken by a message may begin two phases in a step: the messages of the first come first.
            let later = if begun > 1 && sends.is_multiple_of(begun) { begun - 1 - index / (sends / begun) } else { 0 };
            let phase = passed_on.map_or(step.phase.map(|phase| phase - later), |(_, phase)| Some(phase));
            self.count(number, content, content.phase.or(phase));
        }
        let passed_on = |identity| step.sends().any(|(.., content)| content.identity == Some(identity));
        let kept = &mut self.kept[step.place as usize];
        *kept = received.and_then(|(identity, phase)| Some((identity?, phase))).or(*kept);
        kept.take_if(|(identity, _)| passed_on(*identity));
    }

    /// Notes the phase of the step's processor, and returns how many it has begun.
    fn reach(&mut self, step: &Step) -> u32 {
        let Some(phase) = step.phase else { return 0 };
        let place = step.place as usize;
        if self.reached.len() <= place {
            self.reached.resize(place + 1, 0);
        }
        let before = self.reached[place];
        self.reached[place] = phase.max(before);
        phase.saturating_sub(before)
    }

    fn count(&mut self, number: MessageNumber, content: &MessageContent, phase: Option<u32>) {
        if let Some(rank) = content.identity.map(Id::get).and_then(|id| self.ids.binary_search(&id).ok()) {
            self.identities[rank] += 1;
        }
        let Some(phase) = phase.filter(|_| content.kind.part == Part::Work) else { return };
        self.in_flight.insert(number, phase);
        let index = phase as usize;
        if self.phases.len() <= index {
            self.phases.resize(index + 1, 0);
        }
        self.phases[index] += 1;
    }

    /// Message passes by phase, from 0.
    pub fn phases(&self) -> &[u64] {
        &self.phases
    }

    /// The number of the first phase: of the first one in which messages are sent.
    pub fn first_phase(&self) -> usize {
        self.phases.iter().position(|&passes| passes > 0).unwrap_or(0)
    }

    /// Message passes by phase, from the first phase on.
    pub fn by_phase(&self) -> &[u64] {
        &self.phases[self.first_phase().min(self.phases.len())..]
    }

    /// Message passes by identity, in increasing order of identities.
    pub fn by_identity(&self) -> &[u64] {
        &self.identities
    }

    /// The identities, in increasing order.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// The number of processors that reach each phase, from the first phase on.
    pub fn candidates(&self) -> Vec<u64> {
        let phases = self.first_phase()..self.phases.len();
        phases.map(|phase| self.reached.iter().filter(|&&reached| reached as usize >= phase).count() as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use ringleader_model::Wakes;
    use ringleader_sim::Choices;

    use super::*;
    use crate::{Execution, Options, TimingName, find, ring};

    fn breakdown(protocol: &str, ids: &[u64]) -> MessageBreakdown {
        breakdown_of(protocol, ring(ids))
    }

    fn breakdown_of(protocol: &str, options: Options) -> MessageBreakdown {
        let setup = find(protocol).expect("it is there").set_up(options, &[]).expect("it makes sense");
        let mut execution = Execution::new(&setup, Choices::Drawn).expect("it makes sense");
        execution.run.log();
        let mut breakdown = MessageBreakdown::new(&setup.scenario.identities().list());
        execution.finish_logged(&(), &mut |step| breakdown.take(&step));
        breakdown
    }

    /// Worked by hand on the ring 3, 1, 4, 2, clockwise: 1 is stopped by 4, 2 by 3, 3 passes 1 and is stopped by 4, and 4 goes
    /// round; then 4 is announced to all.
    #[test]
    fn chang_roberts_counts_by_identity() {
        let found = breakdown("chang-roberts", &[3, 1, 4, 2]);
        assert_eq!((found.ids(), found.by_identity()), ([1, 2, 3, 4].as_slice(), [1, 1, 2, 8].as_slice()));
        assert!(found.by_phase().is_empty() && found.candidates().is_empty());
    }

    /// Every round of Franklin's is 2N passes, and a candidate is left if it is greater than the nearest candidates on both
    /// sides: of 8 identities that alternate, every second one, then every fourth.
    #[test]
    fn franklin_has_two_passes_per_processor_and_round() {
        let found = breakdown("franklin", &[1, 5, 2, 7, 3, 6, 4, 8]);
        assert_eq!(found.candidates()[..3], [8, 4, 2]);
        assert!(found.by_phase()[..2].iter().all(|&passes| passes == 16), "{:?}", found.by_phase());
    }

    /// Place 0 wakes alone and sends 1. Place 1 is woken by it, sends 2, and begins phase 2 in the same step, since 2 > 1: it sends
    /// 2 again. Place 0 relays that one only.
    #[test]
    fn who_is_woken_into_the_second_phase_has_sent_a_message_of_the_first() {
        let wakes = Some(Wakes::At(vec![Some(0), None]));
        let found = breakdown_of("peterson-alternating", Options { wake_at: wakes, ..ring([1, 2]) });
        assert_eq!(found.by_phase(), [2, 2]);
    }

    /// A value of the next round may come before the one of this round from the other side. It is kept, and passed on in a step
    /// that receives a value of this round. Every round of Franklin's is 2N passes.
    #[test]
    fn a_value_that_is_kept_belongs_to_its_own_round() {
        for seed in 0..40 {
            let options =
                Options { timing: Some(TimingName::Untimed), seed: Some(seed), ..ring([9, 1, 8, 2, 7, 3, 6]) };
            let found = breakdown_of("franklin", options);
            assert!(found.by_phase().iter().all(|&passes| passes == 14), "seed {seed}: {:?}", found.by_phase());
        }
    }

    /// In Peterson's every round that does not elect is 2N passes: each processor, active or not, sends two.
    #[test]
    fn peterson_has_two_passes_per_processor_and_round() {
        let found = breakdown("peterson", &[8, 1, 7, 2, 6, 3, 5, 4]);
        let (last, whole) = found.by_phase().split_last().expect("there are rounds");
        assert!(!whole.is_empty() && whole.iter().all(|&passes| passes == 16), "{:?}", found.by_phase());
        assert!(*last <= 16);
        assert_eq!(found.candidates()[0], 8);
        assert!(found.candidates().windows(2).all(|pair| 2 * pair[1] <= pair[0]), "{:?}", found.candidates());
    }
}
