//! A lock on a unidirectional ring: a token rests until it is asked for.
//!
//! `cargo run -q --example token-lock -- check token-lock -n 3`

use ringleader::prelude::*;

struct TokenLock {
    bug: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
enum Mail {
    Want,
    Token { due: u32 },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Idle,
    Trying,
    Inside,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Site {
    stage: Stage,
    /// The token, with the number of requests that it has yet to serve.
    token: Option<u32>,
}

impl Site {
    fn enter(&mut self, fx: &mut impl Effects<Self>) {
        self.stage = Stage::Inside;
        fx.report(EntryReport::Entered { negatives: None });
    }
    fn hand_over(&mut self, rules: &TokenLock, fx: &mut impl Effects<Self>) {
        if let Some(due) = self.token
            && due > 0
            && (rules.bug || self.stage != Stage::Inside)
        {
            fx.rule(6);
            self.token = None;
            fx.send(Port(0), Mail::Token { due });
        }
    }
}

impl Protocol for TokenLock {
    type Processor = Site;
    type Network = Ring;
    const DESCRIPTION: Description = Description {
        name: "token-lock",
        title: "a token rests until it is asked for",
        idea: "Who wants to enter sends a want around, which ends at the token. The token goes on while wants are due.",
        rules: &[
            "On Acquire, with the token: enter.",
            "On Acquire, without the token: send a want.",
            "On a want, with the token: one more is due. Without: relay it.",
            "On the token, trying: keep it, one less is due, enter. Otherwise keep it.",
            "On Release: leave.",
            "With the token, not inside, and wants due: pass the token on.",
        ],
        parameters: &[Parameter::switch("bug", "the token is passed on even by who is inside")],
        assumptions: Assumptions { identities: false, ..Assumptions::RING },
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[Bound::worst(Quantity::MessagesPerEntry, "2N", |_, instance| {
        Some(Value::int(u128::from(2 * instance.n)))
    })];
    const INVARIANTS: &'static [Invariant<Self>] = &[
        Invariant {
            name: "who is inside holds the token",
            holds: |sites| match sites.iter().position(|site| site.stage == Stage::Inside && site.token.is_none()) {
                None => Ok(()),
                Some(place) => Err(format!("place {place} is inside without it")),
            },
        },
        Invariant {
            name: "at most one token rests",
            holds: |sites| match sites.iter().filter(|site| site.token.is_some()).count() {
                0 | 1 => Ok(()),
                tokens => Err(format!("{tokens} do")),
            },
        },
    ];
    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { bug: settings.is("bug", "on") })
    }
    /// A processor does not know its place: the holder of the token at the beginning has a role of its own.
    fn role(&self, place: Place) -> u32 {
        u32::from(place == 0)
    }
    fn processor(&self, seat: Seat) -> Site {
        Site { stage: Stage::Idle, token: (seat.role == 1).then_some(0) }
    }
}

impl Inspect for Site {}
impl Processor for Site {
    type Problem = MutualExclusion;
    type Message = Mail;
    type Timer = NoTimer;
    type Rules = TokenLock;
    fn step(&mut self, rules: &TokenLock, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Call(EntryRequest::Acquire) => {
                fx.report(EntryReport::Requested);
                if self.token.is_some() {
                    fx.rule(1);
                    self.enter(fx);
                } else {
                    fx.rule(2);
                    self.stage = Stage::Trying;
                    fx.send(Port(0), Mail::Want);
                }
            }
            Event::Receive(_, Mail::Want) => {
                fx.rule(3);
                match &mut self.token {
                    Some(due) => *due += 1,
                    None => fx.send(Port(0), Mail::Want),
                }
            }
            Event::Receive(_, Mail::Token { due }) => {
                fx.rule(4);
                self.token = Some(due);
                if self.stage == Stage::Trying {
                    self.token = Some(due - 1);
                    self.enter(fx);
                }
            }
            Event::Call(EntryRequest::Release) => {
                fx.rule(5);
                self.stage = Stage::Idle;
                fx.report(EntryReport::Left);
            }
            _ => {}
        }
        self.hand_over(rules, fx);
    }
}

fn main() -> std::process::ExitCode {
    ringleader_cli::main_with(&[&Of::<TokenLock>::NEW])
}
