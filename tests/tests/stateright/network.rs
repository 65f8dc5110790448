//! Processors, links and what is known of a leader, as a model that stateright explores.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, Model, Property};

/// What one processor of a protocol does. Places and ports are numbers.
pub trait Rules: Send + Sync {
    /// What it remembers.
    type State: Clone + Eq + Hash + Debug + Send + Sync;
    /// What it sends.
    type Message: Clone + Ord + Hash + Debug + Send + Sync;

    fn begin(&self, place: usize) -> Self::State;
    fn wake(&self, state: &mut Self::State, out: &mut Out<Self::Message>);
    fn receive(&self, state: &mut Self::State, port: usize, message: Self::Message, out: &mut Out<Self::Message>);
    /// Its timer expires, at any time.
    fn timeout(&self, _: &mut Self::State, _: &mut Out<Self::Message>) {
        unreachable!("it has none")
    }
}

/// What a step brings about.
pub struct Out<M> {
    sends: Vec<(usize, M)>,
    says: Option<(bool, u64)>,
    timer: Option<bool>,
}

impl<M> Out<M> {
    pub fn send(&mut self, port: usize, message: M) {
        self.sends.push((port, message));
    }

    /// It is the leader, of this identity.
    pub fn leads(&mut self, id: u64) {
        self.says = Some((true, id));
    }

    /// It follows the leader of this identity.
    pub fn follows(&mut self, id: u64) {
        self.says = Some((false, id));
    }

    /// Sets the timer, or forgets it.
    pub fn timer(&mut self, pending: bool) {
        self.timer = Some(pending);
    }
}

/// Who is joined to whom.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Port 0 leads to the next place and is where the previous one's messages come in.
    OneWay,
    /// Port 1 leads to the next place, port 0 to the previous one.
    TwoWays,
    /// Port p leads to the p-th other place.
    Complete,
}

/// An instance of a protocol.
pub struct NetworkModel<R> {
    pub rules: R,
    pub n: usize,
    pub shape: Shape,
    /// Whether messages may overtake each other.
    pub any: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Configuration<S, M> {
    processors: Vec<S>,
    /// Who has not woken by itself.
    sleepers: Vec<bool>,
    timers: Vec<bool>,
    /// By receiver and port, oldest first; in order of size where they may overtake each other.
    links: BTreeMap<(usize, usize), Vec<M>>,
    /// By place: whether it leads, and the leader.
    said: Vec<Option<(bool, u64)>>,
    /// Somebody contradicted what was said before.
    broken: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NetworkAction {
    Wake(usize),
    Deliver(usize, usize, usize),
    Timeout(usize),
}

impl<R: Rules> NetworkModel<R> {
    fn neighbour(&self, place: usize, port: usize) -> (usize, usize) {
        let n = self.n;
        match (self.shape, port) {
            (Shape::OneWay, _) => ((place + 1) % n, 0),
            (Shape::TwoWays, 1) => ((place + 1) % n, 0),
            (Shape::TwoWays, _) => ((place + n - 1) % n, 1),
            (Shape::Complete, port) => {
                let to = if port < place { port } else { port + 1 };
                (to, if place < to { place } else { place - 1 })
            }
        }
    }

    /// The number of states, and whether all properties hold.
    pub fn explore(self) -> (u64, bool)
    where
        R: 'static,
    {
        let checker = self.checker().spawn_bfs().join();
        (checker.unique_state_count() as u64, checker.discoveries().is_empty())
    }
}

impl<R: Rules + 'static> Model for NetworkModel<R> {
    type State = Configuration<R::State, R::Message>;
    type Action = NetworkAction;

    fn init_states(&self) -> Vec<Self::State> {
        let n = self.n;
        vec![Configuration {
            processors: (0..n).map(|place| self.rules.begin(place)).collect(),
            sleepers: vec![true; n],
            timers: vec![false; n],
            links: BTreeMap::new(),
            said: vec![None; n],
            broken: false,
        }]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<NetworkAction>) {
        actions.extend((0..self.n).filter(|&place| state.sleepers[place]).map(NetworkAction::Wake));
        actions.extend((0..self.n).filter(|&place| state.timers[place]).map(NetworkAction::Timeout));
        for (&(to, port), queue) in &state.links {
            let first = if self.any { queue.len() } else { 1 };
            actions.extend((0..first).map(|index| NetworkAction::Deliver(to, port, index)));
        }
    }

    fn next_state(&self, last: &Self::State, action: NetworkAction) -> Option<Self::State> {
        let mut next = last.clone();
        let mut out = Out { sends: Vec::new(), says: None, timer: None };
        let place = match action {
            NetworkAction::Wake(place) => {
                next.sleepers[place] = false;
                self.rules.wake(&mut next.processors[place], &mut out);
                place
            }
            NetworkAction::Timeout(place) => {
                next.timers[place] = false;
                self.rules.timeout(&mut next.processors[place], &mut out);
                place
            }
            NetworkAction::Deliver(to, port, index) => {
                let queue = next.links.get_mut(&(to, port)).expect("it was just seen");
                let message = queue.remove(index);
                if queue.is_empty() {
                    next.links.remove(&(to, port));
                }
                self.rules.receive(&mut next.processors[to], port, message, &mut out);
                to
            }
        };
        for (port, message) in out.sends {
            let queue = next.links.entry(self.neighbour(place, port)).or_default();
            queue.push(message);
            if self.any {
                queue.sort();
            }
        }
        if let Some(pending) = out.timer {
            next.timers[place] = pending;
        }
        if let Some((leads, id)) = out.says {
            let contradicts = |&(other, said): &(usize, (bool, u64))| said.1 != id || said.0 && leads && other != place;
            let mut others = last.said.iter().enumerate().filter_map(|(other, said)| said.map(|said| (other, said)));
            next.broken |= others.any(|pair| contradicts(&pair));
            next.said[place] = Some((leads, id));
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn done<R: Rules + 'static>(_: &NetworkModel<R>, state: &Configuration<R::State, R::Message>) -> bool {
            let begun = state.sleepers.contains(&false);
            let silent = state.links.is_empty() && !state.timers.contains(&true);
            !begun || !silent || state.said.iter().all(Option::is_some)
        }
        vec![
            Property::always("nobody contradicts", |_: &Self, state: &Self::State| !state.broken),
            Property::always("silence only when all know", done::<R>),
        ]
    }
}
