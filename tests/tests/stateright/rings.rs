//! Elections on rings, from their papers.

use crate::network::{Out, Rules};

/// Le Lann: everybody sends its identity around and knows the greatest when it is back.
pub struct LeLann(pub Vec<u64>);

impl Rules for LeLann {
    /// Own identity, greatest seen, whether the own one was sent.
    type State = (u64, u64, bool);
    type Message = u64;

    fn begin(&self, place: usize) -> Self::State {
        (self.0[place], self.0[place], false)
    }

    fn wake(&self, state: &mut Self::State, out: &mut Out<u64>) {
        if !state.2 {
            state.2 = true;
            out.send(0, state.0);
        }
    }

    fn receive(&self, state: &mut Self::State, _: usize, j: u64, out: &mut Out<u64>) {
        self.wake(state, out);
        if j != state.0 {
            state.1 = state.1.max(j);
            out.send(0, j);
        } else if state.1 == j {
            out.leads(j);
        } else {
            out.follows(state.1);
        }
    }
}

/// Chang and Roberts: only what is greater than all on its way comes home.
pub struct ChangRoberts(pub Vec<u64>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RingBallot {
    Candidate(u64),
    Elected(u64),
}

impl Rules for ChangRoberts {
    /// Own identity, whether it was sent, whether the leader is known.
    type State = (u64, bool, bool);
    type Message = RingBallot;

    fn begin(&self, place: usize) -> Self::State {
        (self.0[place], false, false)
    }

    /// Also when a smaller identity comes; void once the result is known.
    fn wake(&self, state: &mut Self::State, out: &mut Out<RingBallot>) {
        let (own, sent, knows) = *state;
        if !sent && !knows {
            state.1 = true;
            out.send(0, RingBallot::Candidate(own));
        }
    }

    fn receive(&self, state: &mut Self::State, _: usize, message: RingBallot, out: &mut Out<RingBallot>) {
        let own = state.0;
        match message {
            RingBallot::Candidate(j) if j > own => out.send(0, RingBallot::Candidate(j)),
            RingBallot::Candidate(j) if j < own => self.wake(state, out),
            RingBallot::Candidate(_) => {
                state.2 = true;
                out.leads(own);
                out.send(0, RingBallot::Elected(own));
            }
            RingBallot::Elected(j) if j != own => {
                state.2 = true;
                out.follows(j);
                out.send(0, RingBallot::Elected(j));
            }
            RingBallot::Elected(_) => {}
        }
    }
}

/// Peterson: who learns that the one before it holds more than itself and than the one before that takes that over and goes
/// on. The owner of the identity that comes home is elected.
pub struct Peterson(pub Vec<u64>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Bid {
    First(u64),
    Second(u64),
    Announcement(u64),
}

/// Of what is compared only the greater is remembered, and whether it was the received one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PetersonState {
    own: u64,
    greatest: u64,
    round: u32,
    stage: Stage,
    begun: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stage {
    BeforeFirst,
    BeforeSecond { took: bool },
    Passive,
    Over,
}

impl Rules for Peterson {
    type State = PetersonState;
    type Message = Bid;

    fn begin(&self, place: usize) -> PetersonState {
        let own = self.0[place];
        PetersonState { own, greatest: own, round: 1, stage: Stage::BeforeFirst, begun: false }
    }

    fn wake(&self, state: &mut PetersonState, out: &mut Out<Bid>) {
        if !state.begun {
            state.begun = true;
            out.send(0, Bid::First(state.own));
        }
    }

    fn receive(&self, state: &mut PetersonState, _: usize, bid: Bid, out: &mut Out<Bid>) {
        self.wake(state, out);
        if state.stage == Stage::Over {
            return;
        }
        match bid {
            Bid::Announcement(id) => {
                state.stage = Stage::Over;
                out.follows(id);
                out.send(0, bid);
            }
            Bid::First(id) | Bid::Second(id) if id == state.own => {
                state.stage = Stage::Over;
                out.leads(id);
                out.send(0, Bid::Announcement(id));
            }
            Bid::First(_) | Bid::Second(_) if state.stage == Stage::Passive => out.send(0, bid),
            Bid::First(nid) => {
                assert_eq!(state.stage, Stage::BeforeFirst, "links keep the order");
                state.stage = Stage::BeforeSecond { took: nid >= state.greatest };
                state.greatest = state.greatest.max(nid);
                out.send(0, Bid::Second(state.greatest));
            }
            Bid::Second(nnid) => {
                let Stage::BeforeSecond { took } = state.stage else { panic!("links keep the order") };
                if took && state.greatest >= nnid {
                    state.stage = Stage::BeforeFirst;
                    state.round += 1;
                    out.send(0, Bid::First(state.greatest));
                } else {
                    state.stage = Stage::Passive;
                }
            }
        }
    }
}

/// Franklin: who has more than its active neighbours on both sides goes on to the next round.
pub struct Franklin(pub Vec<u64>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FranklinMessage {
    Of(u64),
    Announcement(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FranklinState {
    own: u64,
    stage: Franklins,
    round: u32,
    /// By port: whether a value of this round is there.
    heard: [bool; 2],
    lost: bool,
    /// A value of the next round, behind one of this round.
    early: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Franklins {
    Asleep,
    Active,
    Passive,
    Follows,
    Leads,
}

impl Franklin {
    fn next_round(state: &mut FranklinState, out: &mut Out<FranklinMessage>) {
        state.round += 1;
        state.heard = [false; 2];
        state.lost = false;
        for port in [0, 1] {
            out.send(port, FranklinMessage::Of(state.own));
        }
    }

    fn value(state: &mut FranklinState, port: usize, id: u64, out: &mut Out<FranklinMessage>) {
        match state.stage {
            Franklins::Active if id == state.own => {
                state.stage = Franklins::Leads;
                out.leads(id);
                out.send(1, FranklinMessage::Announcement(id));
            }
            Franklins::Active if state.heard[port] => state.early = Some(id),
            Franklins::Active => {
                state.heard[port] = true;
                state.lost |= id > state.own;
                if state.heard == [true; 2] {
                    let early = state.early.take();
                    if state.lost {
                        state.stage = Franklins::Passive;
                    } else {
                        Self::next_round(state, out);
                    }
                    if let Some(early) = early {
                        Self::value(state, 1 - port, early, out);
                    }
                }
            }
            Franklins::Leads => {}
            _ if id == state.own => {}
            _ => out.send(1 - port, FranklinMessage::Of(id)),
        }
    }
}

impl Rules for Franklin {
    type State = FranklinState;
    type Message = FranklinMessage;

    fn begin(&self, place: usize) -> FranklinState {
        let own = self.0[place];
        FranklinState { own, stage: Franklins::Asleep, round: 0, heard: [false; 2], lost: false, early: None }
    }

    fn wake(&self, state: &mut FranklinState, out: &mut Out<FranklinMessage>) {
        if state.stage == Franklins::Asleep {
            state.stage = Franklins::Active;
            Self::next_round(state, out);
        }
    }

    fn receive(
        &self,
        state: &mut FranklinState,
        port: usize,
        message: FranklinMessage,
        out: &mut Out<FranklinMessage>,
    ) {
        self.wake(state, out);
        match message {
            FranklinMessage::Of(id) => Self::value(state, port, id, out),
            FranklinMessage::Announcement(_) if matches!(state.stage, Franklins::Follows | Franklins::Leads) => {}
            FranklinMessage::Announcement(id) => {
                state.stage = Franklins::Follows;
                out.follows(id);
                out.send(1 - port, FranklinMessage::Announcement(id));
            }
        }
    }
}

/// Hirschberg and Sinclair: tokens travel 2^(k-1) hops in both directions; OKs return unless a processor passed has more.
pub struct HirschbergSinclair(pub Vec<u64>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Probe {
    Token { id: u64, phase: u32, hops: u32 },
    Ok { id: u64, phase: u32 },
    Announcement(u64),
}

impl HirschbergSinclair {
    fn explore(state: &mut (u64, u32, [bool; 2], bool), out: &mut Out<Probe>) {
        state.1 += 1;
        state.2 = [false; 2];
        for port in [0, 1] {
            out.send(port, Probe::Token { id: state.0, phase: state.1, hops: 1 << (state.1 - 1) });
        }
    }
}

impl Rules for HirschbergSinclair {
    /// Own identity, phase, by port whether its OK is there, whether the leader is known.
    type State = (u64, u32, [bool; 2], bool);
    type Message = Probe;

    fn begin(&self, place: usize) -> Self::State {
        (self.0[place], 0, [false; 2], false)
    }

    fn wake(&self, state: &mut Self::State, out: &mut Out<Probe>) {
        if state.1 == 0 {
            Self::explore(state, out);
        }
    }

    fn receive(&self, state: &mut Self::State, port: usize, message: Probe, out: &mut Out<Probe>) {
        self.wake(state, out);
        let own = state.0;
        match message {
            Probe::Token { id, phase, hops } if id > own => {
                if hops > 1 {
                    out.send(1 - port, Probe::Token { id, phase, hops: hops - 1 });
                } else {
                    out.send(port, Probe::Ok { id, phase });
                }
            }
            Probe::Token { id, .. } => {
                if id == own && !state.3 {
                    state.3 = true;
                    out.leads(id);
                    out.send(1, Probe::Announcement(id));
                }
            }
            Probe::Ok { id, .. } if id != own => out.send(1 - port, message),
            Probe::Ok { phase, .. } => {
                if phase == state.1 {
                    state.2[port] = true;
                    if state.2 == [true; 2] {
                        Self::explore(state, out);
                    }
                }
            }
            Probe::Announcement(id) => {
                if !state.3 {
                    state.3 = true;
                    out.follows(id);
                    out.send(1 - port, Probe::Announcement(id));
                }
            }
        }
    }
}

/// Vitányi: the least identity seen is sent on when a timer expires, here at any time.
pub struct Vitanyi(pub Vec<u64>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Call {
    Wakeup,
    Election(u64),
    Sleepwell,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sleep {
    NotYetWoken,
    Awake,
    Again,
}

impl Rules for Vitanyi {
    /// i, k, and whether it is awake.
    type State = (u64, u64, Sleep);
    type Message = Call;

    fn begin(&self, place: usize) -> Self::State {
        (self.0[place], self.0[place], Sleep::NotYetWoken)
    }

    fn wake(&self, state: &mut Self::State, out: &mut Out<Call>) {
        if state.2 == Sleep::NotYetWoken {
            *state = (state.0, state.0, Sleep::Awake);
            out.send(0, Call::Wakeup);
            out.timer(true);
        }
    }

    fn receive(&self, state: &mut Self::State, _: usize, message: Call, out: &mut Out<Call>) {
        let (i, k, sleep) = *state;
        let over = |state: &mut Self::State, out: &mut Out<Call>| {
            state.2 = Sleep::Again;
            out.timer(false);
            out.send(0, Call::Sleepwell);
        };
        match (sleep, message) {
            (_, Call::Wakeup) => self.wake(state, out),
            (Sleep::Awake, Call::Sleepwell) => {
                out.follows(k);
                over(state, out);
            }
            (Sleep::Awake, Call::Election(j)) if j == k => {
                out.leads(k);
                over(state, out);
            }
            (Sleep::Awake, Call::Election(j)) if j < k => {
                *state = (i, j, Sleep::Awake);
                out.timer(true);
            }
            (_, Call::Election(_) | Call::Sleepwell) => {}
        }
    }

    fn timeout(&self, state: &mut Self::State, out: &mut Out<Call>) {
        out.send(0, Call::Election(state.1));
    }
}
