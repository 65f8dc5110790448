//! Progress estimates.

use ringleader::report::grouped;
use ringleader::{EvaluatedBound, Setup};
use ringleader_model::{BoundKind, Quantity};

/// The expected number of messages of a run, or the number of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expectation {
    /// Exactly this number.
    Exactly(u64),
    /// This number on average.
    OnAverage(u64),
    /// Not more.
    AtMost(u64),
    /// Nothing is proved.
    Unknown,
    /// Many runs, of which some are done.
    Runs {
        /// Exactly this number.
        done: u64,
        /// The number of runs.
        of: u64,
    },
}

impl Expectation {
    /// The proved number of messages of a run.
    pub(super) fn of(setup: &Setup) -> Self {
        if let Some(limit) = setup.max_messages {
            return Self::AtMost(limit);
        }
        let bound = |quantities: &[Quantity], kind| setup.sharpest(quantities, &[kind]).map(whole);
        let entries = || {
            let load = setup.scenario.workload.as_ref()?;
            Some((0..setup.scenario.n as u32).map(|place| load.asks(place)).sum::<u64>())
        };
        let by_entry = |kind| Some(bound(&[Quantity::MessagesPerEntry], kind)?.saturating_mul(entries()?));
        // Where nothing is proved about an announcement, there is none, or it is a small part.
        let parts = |kind| {
            let announcement = bound(&[Quantity::Announcement], kind).unwrap_or(0);
            Some(bound(&[Quantity::Work], kind)?.saturating_add(announcement))
        };
        let all = |kind| bound(&[Quantity::Messages], kind).or_else(|| parts(kind)).or_else(|| by_entry(kind));
        let exactly = all(BoundKind::Exact).map(Self::Exactly);
        let average = || all(BoundKind::Mean).map(Self::OnAverage);
        let most = || all(BoundKind::Worst).map(Self::AtMost);
        exactly.or_else(average).or_else(most).unwrap_or(Self::Unknown)
    }

    /// The progress after this number of messages and seconds, in words.
    pub(super) fn progress(self, messages: u64, seconds: f64) -> String {
        let rate = format!("{} a second", grouped((messages as f64 / seconds.max(1e-3)) as u64));
        let share = |of: u64| messages as f64 / of.max(1) as f64;
        match self {
            Self::Exactly(of) => {
                format!("{}, {} of {} messages, {rate}", left(share(of), seconds), grouped(messages), grouped(of))
            }
            Self::OnAverage(of) if messages < of => {
                format!(
                    "about {}, {} of {} messages on average, {rate}",
                    left(share(of), seconds),
                    grouped(messages),
                    grouped(of)
                )
            }
            Self::OnAverage(of) => {
                format!("{} messages, {rate}; {} on average", grouped(messages), grouped(of))
            }
            Self::AtMost(of) => format!("{} messages, {rate}, at most {}", grouped(messages), grouped(of)),
            Self::Unknown => format!("{} messages, {rate}", grouped(messages)),
            Self::Runs { done, of } => {
                let share = done as f64 / of.max(1) as f64;
                format!("{}, {} of {} runs", left(share, seconds), grouped(done), grouped(of))
            }
        }
    }
}

fn whole(bound: &EvaluatedBound) -> u64 {
    u64::try_from(bound.value.parts().0).unwrap_or(u64::MAX)
}

/// The share in percent and the time that the rest takes, if it goes on like this.
pub(crate) fn left(share: f64, seconds: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let percent = format!("{:.0} %", (share * 100.0).floor());
    if share <= 0.0 {
        return percent;
    }
    let rest = seconds * (1.0 - share) / share;
    format!("{percent}, {} left", duration(rest))
}

/// A time as people read it.
fn duration(seconds: f64) -> String {
    let whole = seconds.ceil().min(1e15) as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{}:{:02} min", whole / 60, whole % 60),
        3600..172_800 => format!("{}:{:02} h", whole / 3600, whole / 60 % 60),
        _ => format!("{} days", grouped(whole / 86_400)),
    }
}

#[cfg(test)]
mod tests {
    use ringleader::{find, ring};

    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        assert_eq!(left(0.0, 5.0), "0 %");
        assert_eq!(left(0.5, 5.0), "50 %, 5 s left");
        assert_eq!(left(0.25, 30.0), "25 %, 1:30 min left");
        assert_eq!(left(0.1, 1000.0), "10 %, 2:30 h left");
        assert_eq!(left(0.001, 1000.0), "0 %, 11 days left");
        assert_eq!(left(2.0, 9.0), "100 %, 0 s left");
    }

    /// LeLann proves N² exactly, Chang and Roberts N(N+1)/2 at most and N·H_N on average: 4(1 + 1/2 + 1/3 + 1/4) = 8 1/3.
    #[test]
    fn what_is_proved_is_expected() {
        let of = |protocol| Expectation::of(&find(protocol).unwrap().set_up(ring([3, 1, 4, 2]), &[]).unwrap());
        assert_eq!(of("lelann"), Expectation::Exactly(16));
        assert_eq!(of("chang-roberts"), Expectation::OnAverage(8));
    }

    #[test]
    fn progress_is_told_in_words() {
        let told = |expectation: Expectation| expectation.progress(1000, 2.0);
        assert_eq!(told(Expectation::Exactly(4000)), "25 %, 6 s left, 1,000 of 4,000 messages, 500 a second");
        assert_eq!(told(Expectation::OnAverage(500)), "1,000 messages, 500 a second; 500 on average");
        assert_eq!(told(Expectation::AtMost(9000)), "1,000 messages, 500 a second, at most 9,000");
        assert_eq!(Expectation::Runs { done: 3, of: 4 }.progress(0, 3.0), "75 %, 1 s left, 3 of 4 runs");
    }
}
