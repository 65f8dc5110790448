//! An election in a unidirectional ring: of those that start, the smallest identity wins.

use ringleader::prelude::*;

#[derive(Clone)]
struct SmallestStarter {
    bug: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Message)]
enum Ballot {
    Candidate(Id),
    #[message(announcement)]
    Elected(Id),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
struct Member {
    id: Id,
    reached: bool,
    started: bool,
    leads: bool,
}

impl Protocol for SmallestStarter {
    type Processor = Member;
    type Network = Ring;
    const DESCRIPTION: Description = Description {
        name: "smallest-starter",
        title: "of those that start, the smallest identity wins",
        idea: "Who has started discards greater identities. Only the smallest returns to its owner.",
        rules: &[
            "On waking, not yet reached by a message: start, send the own id.",
            "On the own id: lead, send the announcement.",
            "On another id: relay it, unless started and smaller.",
            "On an announcement of another id: follow it, relay the announcement.",
        ],
        parameters: &[Parameter::switch("bug", "a planted bug: discard smaller identities instead of greater ones")],
        ..Description::NEW
    };
    const BOUNDS: &'static [Bound<Self>] = &[Bound::worst(Quantity::Messages, "N(N+1)/2 + N", |_, instance| {
        Some(Value::int(u128::from(instance.n * (instance.n + 1) / 2 + instance.n)))
    })];
    const INVARIANTS: &'static [Invariant<Self>] = &[Invariant {
        name: "nobody that started is smaller than the leader",
        holds: |members| {
            let is_wrong = |leader: &&Member| members.iter().any(|other| other.started && other.id < leader.id);
            let wrong = members.iter().filter(|member| member.leads).find(is_wrong);
            wrong.map_or(Ok(()), |leader| Err(format!("{} leads", leader.id)))
        },
    }];
    fn configure(settings: &Settings, _: &Instance<'_>) -> Result<Self, BadSetting> {
        Ok(Self { bug: settings.is("bug", "on") })
    }
    fn processor(&self, seat: Seat) -> Member {
        Member { id: seat.identity(), reached: false, started: false, leads: false }
    }
}

impl Inspect for Member {}
impl Processor for Member {
    type Problem = Election;
    type Message = Ballot;
    type Timer = NoTimer;
    type Rules = SmallestStarter;
    fn step(&mut self, rules: &SmallestStarter, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake if !self.reached => {
                fx.rule(1);
                self.started = true;
                fx.send(Port(0), Ballot::Candidate(self.id));
            }
            Event::Receive(_, Ballot::Candidate(id)) if id == self.id => {
                fx.rule(2);
                self.leads = true;
                fx.report(ElectionReport::Elected(Some(id)));
                fx.send(Port(0), Ballot::Elected(id));
            }
            Event::Receive(_, Ballot::Candidate(id)) if !self.started || (id < self.id) != rules.bug => {
                fx.rule(3);
                self.reached = true;
                fx.send(Port(0), Ballot::Candidate(id));
            }
            Event::Receive(_, Ballot::Elected(id)) if id != self.id => {
                fx.rule(4);
                fx.report(ElectionReport::Follows(Some(id)));
                fx.send(Port(0), Ballot::Elected(id));
            }
            _ => {}
        }
    }
}

fn main() -> std::process::ExitCode {
    ringleader_cli::main_with(&[&Of::<SmallestStarter>::NEW])
}

#[cfg(test)]
mod tests;
