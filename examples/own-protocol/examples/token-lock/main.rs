//! A lock on a unidirectional ring: a token circulates, and its holder may enter.

use ringleader::prelude::*;

#[derive(Clone)]
struct TokenLock {
    bug: bool,
}
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
struct Token;
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Section {
    Remainder,
    Trying,
    Critical,
}
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Site {
    section: Section,
    token: bool,
}

impl Protocol for TokenLock {
    type Processor = Site;
    type Network = Ring;
    const DESCRIPTION: Description = Description {
        name: "token-lock",
        title: "the holder of a circulating token may enter",
        rules: &[
            "On Acquire: try.",
            "On the token: keep it; if trying, enter.",
            "On Release: leave.",
            "After that, and on waking: with the token, and not in the critical section, pass it on.",
        ],
        parameters: &[Parameter::switch("bug", "a planted bug: the token is passed on in the critical section, too")],
        assumptions: Assumptions { identities: false, ..Assumptions::RING },
        ..Description::NEW
    };
    const INVARIANTS: &'static [Invariant<Self>] = &[Invariant {
        name: "who is in the critical section holds the token",
        holds: |sites| match sites.iter().position(|site| site.section == Section::Critical && !site.token) {
            Some(place) => Err(format!("place {place} does not")),
            None => Ok(()),
        },
    }];
    /// The token circulates when nobody asks any more, too.
    const QUIESCENT: bool = false;
    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { bug: settings.is("bug", "on") })
    }
    /// A processor does not learn its place. What differs between places from the beginning is their role.
    fn role(&self, place: Place) -> u32 {
        u32::from(place == 0)
    }
    fn processor(&self, seat: Seat) -> Site {
        Site { section: Section::Remainder, token: seat.role == 1 }
    }
}

impl Inspect for Site {}
impl Processor for Site {
    type Problem = MutualExclusion;
    type Message = Token;
    type Timer = NoTimer;
    type Rules = TokenLock;
    fn step(&mut self, rules: &TokenLock, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake | Event::Timeout(_) => {}
            Event::Call(EntryRequest::Acquire) => {
                fx.rule(1);
                self.section = Section::Trying;
                fx.report(EntryReport::Requested);
            }
            Event::Receive(_, Token) => {
                fx.rule(2);
                self.token = true;
                if self.section == Section::Trying {
                    self.section = Section::Critical;
                    fx.report(EntryReport::entered());
                }
            }
            Event::Call(EntryRequest::Release) => {
                fx.rule(3);
                self.section = Section::Remainder;
                fx.report(EntryReport::Left);
            }
        }
        if self.token && (self.section != Section::Critical || rules.bug) {
            fx.rule(4);
            self.token = false;
            fx.send(Port(0), Token);
        }
    }
}

fn main() -> std::process::ExitCode {
    ringleader_cli::main_with(&[&Of::<TokenLock>::NEW])
}
#[cfg(test)]
mod tests;
