/// A small bug, such as people write.
#[derive(Clone, Copy)]
pub struct Bug {
    /// The mistake.
    pub name: &'static str,
    /// Its place in the catalogue, and the check that finds it.
    pub target: Target,
    /// The text of the file around it, found there once; the part between « and » is replaced.
    pub at: &'static str,
    /// The replacement.
    pub to: &'static str,
    /// What finds it: the name of a property, or a bound.
    pub found_by: &'static str,
}

/// A file of the catalogue, and a check that `ringleader info` suggests for its protocol.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub file: &'static str,
    /// The words after `ringleader check`.
    pub command: &'static str,
}

impl Target {
    const fn new(file: &'static str, command: &'static str) -> Self {
        Self { file, command }
    }

    /// The same file with another check.
    const fn checked_by(self, command: &'static str) -> Self {
        Self { command, ..self }
    }
}

impl Bug {
    const fn new(
        target: Target,
        name: &'static str,
        at: &'static str,
        to: &'static str,
        found_by: &'static str,
    ) -> Self {
        Self { name, target, at, to, found_by }
    }

    /// The protocol in which it shows.
    pub fn protocol(&self) -> &'static str {
        self.target.command.split(' ').next().expect("a command has words")
    }
}

/// A change that no property, promise or proved bound can tell from the original, and the proof.
pub struct Equivalent {
    /// The change.
    pub bug: Bug,
    /// Why nothing can find it.
    pub proof: &'static str,
}

const SAFETY: &str = "safety";
const TERMINATION: &str = "termination";
const GREATEST_WINS: &str = "the greatest identity wins";
const SMALLEST_WINS: &str = "the smallest identity wins";
const WINNER_KNOWN: &str = "everybody ends up holding the winner's identity";
const DECIDES_ONCE: &str = "every processor reports its decision once";
/// A step that panics breaks this invariant of every protocol.
const NO_PANIC: &str = "no step panics";
const ONE_ELECTED: &str = "one processor is elected";
const BOUNDED_BYPASS: &str = "a waiting site is overtaken at most N(N+1)/2-1 times";
const SERVED_BY_NUMBER: &str = "waiting sites enter in the order of their numbers";
const READERS_TOGETHER: &str = "readers can be inside together";
const OVERLAPS_TOLD: &str = "no reader finds more overlapping writes than there are";
const OVERTAKEN_TWICE: &str = "while a site waits with its number, each other enters at most twice";
const NUMBERS_CLOSE: &str = "numbers in use differ by at most N-1";
const TOKEN_KEPT: &str = "a lone token is neither doubled nor removed";
const SEPARATED_MINIMA: &str = "1 to N/2 processors are active in phase 1, no two of them neighbours";
const PASSIVE_BETWEEN: &str = "from the owner of an identity to the process that holds it all are passive";
/// The proved bound on message passes, with which a check compares the maximum over all schedules.
pub const MESSAGES: &str = "bound on messages";
/// The proved bound on the difference of negative and positive replies, likewise.
const NEGATIVE_POSITIVE: &str = "bound on negative-positive";
/// A bound on the mean of phases, which `check --probability` judges.
pub const MEAN_PHASES: &str = "phases";
/// A bound on the probability of more than one leader, likewise.
pub const ERROR: &str = "error";
/// Nothing finds it.
const NOTHING: &str = "";

/// All bugs, in the order of their numbers; the equivalent ones come last.
pub fn all_bugs() -> impl Iterator<Item = &'static Bug> {
    let equivalent = EQUIVALENT.iter().map(|equivalent| &equivalent.bug);
    RINGS.iter().chain(NETWORKS).chain(OTHER_PORTS).chain(LOCKS).chain(equivalent)
}
