//! Elections on complete networks, from the lecture.

use crate::network::{Out, Rules};

/// Everybody tells everybody.
pub struct AllToAll(pub Vec<u64>);

impl Rules for AllToAll {
    /// Own identity, greatest heard of, how many were heard of.
    type State = (u64, u64, usize);
    type Message = u64;

    fn begin(&self, place: usize) -> Self::State {
        (self.0[place], self.0[place], 0)
    }

    fn wake(&self, state: &mut Self::State, out: &mut Out<u64>) {
        if state.2 == 0 {
            state.2 = 1;
            for port in 0..self.0.len() - 1 {
                out.send(port, state.0);
            }
        }
    }

    fn receive(&self, state: &mut Self::State, _: usize, j: u64, out: &mut Out<u64>) {
        self.wake(state, out);
        state.1 = state.1.max(j);
        state.2 += 1;
        if state.2 == self.0.len() {
            if state.1 == state.0 { out.leads(state.0) } else { out.follows(state.1) }
        }
    }
}

/// Afek and Gafni, asynchronous: a candidate captures one node after the other; a captured node asks its owner to give way
/// before it changes hands.
pub struct AfekGafni {
    pub ids: Vec<u64>,
    /// As printed: the ordinary process beside a candidate belongs to nobody.
    pub unowned: bool,
}

/// Level, then identity.
type Strength = (u32, u64);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Call {
    Capture(Strength),
    Ack(Strength),
    Kill(Strength),
    Killed(Strength),
    Announcement(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AfekGafniState {
    own: u64,
    candidate: Candidate,
    /// How many nodes it has captured.
    level: u32,
    knows: bool,
    owner: Strength,
    father: Father,
    potential_father: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Candidate {
    NotYet,
    /// Woken by a message.
    Never,
    Alive,
    Killed,
    Elected,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Father {
    None,
    Itself,
    Behind(usize),
}

impl AfekGafni {
    pub fn repaired(ids: Vec<u64>) -> Self {
        Self { ids, unowned: false }
    }

    fn capture(&self, state: &mut AfekGafniState, out: &mut Out<Call>) {
        if state.level as usize == self.ids.len() - 1 {
            state.candidate = Candidate::Elected;
            state.knows = true;
            out.leads(state.own);
            for port in 0..self.ids.len() - 1 {
                out.send(port, Call::Announcement(state.own));
            }
        } else {
            out.send(state.level as usize, Call::Capture((state.level, state.own)));
        }
    }

    /// Whether the candidate of this node gives way.
    fn gives_way(state: &mut AfekGafniState, to: Strength) -> bool {
        let smaller = to < (state.level, state.own);
        if !smaller {
            state.candidate = Candidate::Killed;
        }
        !smaller
    }

    fn new_father(state: &mut AfekGafniState, out: &mut Out<Call>) {
        state.father = Father::Behind(state.potential_father);
        out.send(state.potential_father, Call::Ack(state.owner));
    }
}

impl Rules for AfekGafni {
    type State = AfekGafniState;
    type Message = Call;

    fn begin(&self, place: usize) -> AfekGafniState {
        AfekGafniState {
            own: self.ids[place],
            candidate: Candidate::NotYet,
            level: 0,
            knows: false,
            owner: (0, 0),
            father: Father::None,
            potential_father: 0,
        }
    }

    fn wake(&self, state: &mut AfekGafniState, out: &mut Out<Call>) {
        if state.candidate == Candidate::NotYet {
            state.candidate = Candidate::Alive;
            if !self.unowned {
                state.owner = (0, state.own);
                state.father = Father::Itself;
            }
            self.capture(state, out);
        }
    }

    fn receive(&self, state: &mut AfekGafniState, port: usize, message: Call, out: &mut Out<Call>) {
        if state.candidate == Candidate::NotYet {
            state.candidate = Candidate::Never;
        }
        match message {
            Call::Ack(_) => {
                if state.candidate == Candidate::Alive {
                    state.level += 1;
                    self.capture(state, out);
                }
            }
            Call::Kill(standing) => {
                if Self::gives_way(state, standing) {
                    out.send(port, Call::Killed(standing));
                }
            }
            Call::Capture(standing) => {
                if standing <= state.owner {
                    return;
                }
                state.owner = standing;
                state.potential_father = port;
                match state.father {
                    Father::None => Self::new_father(state, out),
                    Father::Itself => {
                        if Self::gives_way(state, standing) {
                            Self::new_father(state, out);
                        }
                    }
                    Father::Behind(father) => out.send(father, Call::Kill(standing)),
                }
            }
            Call::Killed(standing) => {
                if standing == state.owner {
                    Self::new_father(state, out);
                }
            }
            Call::Announcement(leader) => {
                if !state.knows {
                    state.knows = true;
                    out.follows(leader);
                }
            }
        }
    }
}
