//! The requests that a workload still has to make.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use ringleader_model::{LocalUser, Place, Range, Scenario, Ticks, Time, Workload};

#[derive(Clone)]
pub(crate) struct WorkloadDriver {
    /// By place, the requests left; those of a place with several users are in its queue.
    left: Vec<u64>,
    pub(crate) first: Range,
    pub(crate) think: Range,
    pub(crate) hold: Range,
    /// Where the load changes: the workload, and the longest tick.
    changing: Option<(Workload, u64)>,
    /// By place, where sites have several users; otherwise none.
    queues: Vec<LocalQueue>,
}

/// The rest is the same in all states.
impl Hash for WorkloadDriver {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (&self.left, &self.queues).hash(hasher);
    }
}

/// The users of a place, who compete locally: first come, first served.
#[derive(Clone, Hash)]
struct LocalQueue {
    /// By user, the requests left.
    left: Vec<u64>,
    /// Those who wait, in the order of their requests.
    waiting: VecDeque<LocalUser>,
    /// The one for whom the site has asked; it waits as the first, or is inside.
    served: Option<LocalUser>,
}

impl LocalQueue {
    /// Serves the next one who waits; true if there is one.
    fn serve_next(&mut self) -> bool {
        self.served = self.waiting.front().copied();
        self.served.is_some()
    }
}

impl WorkloadDriver {
    /// `None` in a scenario without a workload.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let workload = scenario.workload.as_ref()?;
        let changing =
            (!workload.changes.is_empty()).then(|| (workload.clone(), scenario.timing.tick_ranges().hull().max));
        let asks = scenario.asks();
        let queue = |&asks: &u64| {
            let each = if asks > 0 { workload.entries } else { 0 };
            LocalQueue { left: vec![each; workload.users], waiting: VecDeque::new(), served: None }
        };
        Some(Self {
            queues: if workload.users > 1 { asks.iter().map(queue).collect() } else { Vec::new() },
            left: asks,
            first: workload.first,
            think: workload.think,
            hold: workload.hold,
            changing,
        })
    }

    /// The number of ticks for which a place that does not compete at present puts its request off: of these all but the last
    /// come before it competes, however long they are.
    pub(crate) fn deferred(&self, place: Place, now: Time) -> Option<Ticks> {
        let (workload, longest) = self.changing.as_ref()?;
        let wait = workload.asks_from(place, now) - now;
        (wait > 0).then(|| Ticks::new(wait.div_ceil(*longest)))
    }

    /// The number of requests that a place has left.
    pub(crate) fn left(&self, place: Place) -> u64 {
        match self.queues.get(place as usize) {
            Some(queue) => queue.left.iter().fold(0, |sum: u64, &left| sum.saturating_add(left)),
            None => self.left[place as usize],
        }
    }

    /// A request of a place that was counted is not made.
    pub(crate) fn give_back(&mut self, place: Place) {
        self.left[place as usize] += 1;
    }

    /// Counts a request of a place; false if it has none left.
    pub(crate) fn take_request(&mut self, place: Place) -> bool {
        take_one(&mut self.left[place as usize])
    }

    /// The users of a place, where there are several; otherwise none.
    pub(crate) fn users(&self) -> impl Iterator<Item = LocalUser> + use<> {
        0..self.queues.first().map_or(0, |queue| queue.left.len() as LocalUser)
    }

    /// Whether sites have several users.
    pub(crate) fn queues(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Counts a request of a user; false if it has none left.
    pub(crate) fn take_request_of(&mut self, place: Place, user: LocalUser) -> bool {
        take_one(&mut self.queues[place as usize].left[user as usize])
    }

    /// A request of a user that was counted is not made.
    pub(crate) fn give_back_of(&mut self, place: Place, user: LocalUser) {
        self.queues[place as usize].left[user as usize] += 1;
    }

    /// A user makes a request. True if the site serves nobody and asks for it.
    pub(crate) fn queue(&mut self, place: Place, user: LocalUser) -> bool {
        let queue = &mut self.queues[place as usize];
        queue.waiting.push_back(user);
        queue.served.is_none() && queue.serve_next()
    }

    /// The user for whom the site has asked enters; `None` where sites have one user.
    pub(crate) fn enter(&mut self, place: Place) -> Option<LocalUser> {
        self.queues.get_mut(place as usize)?.waiting.pop_front()
    }

    /// A user has left: it, and whether the site asks for another one.
    pub(crate) fn leave(&mut self, place: Place) -> (Option<LocalUser>, bool) {
        let queue = &mut self.queues[place as usize];
        (queue.served.take(), queue.serve_next())
    }

    /// A place is down: its users give up the requests that are not answered.
    pub(crate) fn go_down(&mut self, place: Place) {
        let queue = &mut self.queues[place as usize];
        queue.waiting.clear();
        queue.served = None;
    }
}

fn take_one(left: &mut u64) -> bool {
    let any = *left > 0;
    *left -= u64::from(any);
    any
}
