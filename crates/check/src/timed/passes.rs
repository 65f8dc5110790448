//! Instants in which what is sent may arrive at once: processors reach each other, one pass after the other.

use core::mem;

use ringleader_model::{Place, Port, Reading};

use super::flights::{Flight, choices};
use super::local::{Body, Clock, Plan};
use super::{Deed, Moment, Timed};
use crate::book::{Book, Said};
use crate::dice::{Dice, Leaf, events, every};
use crate::interner::Number;
use crate::probability::Advance;
use crate::roads::{In, Roads};
use crate::space::Ways;

/// All places in the middle of an instant.
struct Hall {
    bodies: Vec<Body>,
    plans: Vec<Plan>,
    /// By place: whether its clock goes, and whether it has ticked.
    started: Vec<bool>,
    ticked: Vec<bool>,
    /// By link direction: what stays on its way.
    flights: Vec<Vec<Flight>>,
    /// By link direction: what arrives in the next pass.
    due: Vec<Vec<Number>>,
    reports: Vec<(Place, Said)>,
    moment: Moment,
}

/// What the places need to know of the space.
struct House<'a> {
    book: &'a mut dyn Book,
    roads: &'a Roads,
    reading: Reading,
    in_order: bool,
    longest: u64,
}

impl Timed {
    /// Every way of an instant, pass by pass.
    pub(super) fn passes(&mut self, row: &[Number], fingerprint: u64, ways: &mut Ways) {
        let leaves = self.halls(row);
        let Some(events) = events(&leaves) else {
            ways.too_many = true;
            return;
        };
        for event in events {
            let number = ways.list.last().map_or(0, |way| way.event + 1);
            for leaf in event {
                self.leave(row, fingerprint, number, &leaves[leaf], ways);
            }
        }
    }

    /// What happens on a way of an instant that goes pass by pass.
    pub(super) fn passed(&mut self, row: &[Number], way: usize) -> Moment {
        let mut leaves = self.halls(row);
        let mut ways = Ways::default();
        let mut of = Vec::new();
        for leaf in events(&leaves).unwrap_or_default().concat() {
            self.leave(row, 0, 0, &leaves[leaf], &mut ways);
            of.resize(ways.list.len(), leaf);
        }
        let leaf = &mut leaves[of[way]];
        let mut moment = mem::take(&mut leaf.end.moment);
        for (place, body) in leaf.end.bodies.iter().enumerate() {
            let plan = &leaf.end.plans[place];
            let (visits, ticks) = (body.visits.clone(), leaf.end.ticked[place]);
            let coins = moment.places.get_mut(place).map(|deed| mem::take(&mut deed.coins)).unwrap_or_default();
            let deed = Deed { wakes: plan.wakes, calls: plan.calls, ticks, visits, coins, ..Deed::default() };
            moment.places[place] = deed;
        }
        moment
    }

    /// Whose phases grow on which way of an instant that goes pass by pass.
    pub(super) fn passing_advances(&mut self, row: &[Number], advances: &mut Vec<Advance>) {
        let leaves = self.halls(row);
        let mut ways = Ways::default();
        for leaf in events(&leaves).unwrap_or_default().concat() {
            let way = ways.list.len();
            self.leave(row, 0, 0, &leaves[leaf], &mut ways);
            if ways.list.len() > way {
                let bodies = leaves[leaf].end.bodies.iter().map(|body| body.advance).zip(0..);
                advances.extend(bodies.filter(|&(by, _)| by > 0).map(|(by, place)| Advance { way, place, by }));
            }
        }
    }

    fn halls(&mut self, row: &[Number]) -> Vec<Leaf<Hall>> {
        let (n, delay, manner) = (self.n, self.delay, self.manner);
        let locals: Vec<_> = row[..n].iter().map(|&local| self.locals.get(local).clone()).collect();
        let older = |&(age, message): &Flight| (age + 1, message);
        let flights: Vec<Vec<Flight>> =
            row[n..self.monitor_at()].iter().map(|&link| self.flights.row(link).iter().map(older).collect()).collect();
        let arrivals: Vec<_> = flights.iter().map(|link| choices(link, manner.in_order, delay)).collect();
        let mut house = House {
            book: &mut *self.book,
            roads: &self.roads,
            reading: manner.reading,
            in_order: manner.in_order,
            longest: delay.1,
        };
        every(|dice| {
            let mut hall = Hall {
                bodies: locals.iter().cloned().map(Body::new).collect(),
                plans: locals.iter().map(|local| Plan::woken(local, manner, dice)).collect(),
                started: Vec::new(),
                ticked: vec![false; n],
                flights: Vec::new(),
                due: Vec::new(),
                reports: Vec::new(),
                moment: Moment { places: vec![Deed::default(); n], ..Moment::default() },
            };
            for (link, arrivals) in flights.iter().zip(&arrivals) {
                let which = &arrivals[dice.decide(arrivals.len() as u32) as usize];
                let left = (0..link.len()).filter(|index| !which.contains(index)).map(|index| link[index]);
                hall.flights.push(left.collect());
                hall.due.push(which.iter().map(|&index| link[index].1).collect());
                hall.moment.arrived.push(which.clone());
            }
            for (place, local) in locals.iter().enumerate() {
                let mut ways_in = house.roads.ways_in(place as Place);
                let reached = ways_in.any(|way_in| !hall.due[house.roads.way_in(way_in).at as usize - n].is_empty());
                let plan = &mut hall.plans[place];
                let woken = plan.wakes || plan.calls > 0 || reached && manner.reading == Reading::PerStep;
                let nothing = local.timers.is_empty() && local.unread.is_empty() && !woken && !reached;
                plan.ticks = local.ticks(woken, manner.eager && local.step.0 == 1 && nothing, dice);
                plan.visit(local, manner, dice);
                hall.started.push(woken || local.clock != Clock::Stopped);
                hall.bodies[place].tick_ahead = plan.ticks;
            }
            hall.live(&mut house, dice);
            hall
        })
    }

    /// Adds the way to what there is at the end of an instant.
    fn leave(&mut self, row: &[Number], fingerprint: u64, event: u32, leaf: &Leaf<Hall>, ways: &mut Ways) {
        let hall = &leaf.end;
        let mut after = Vec::new();
        after.extend(hall.bodies.iter().map(|body| self.locals.number(body.local.clone())));
        after.extend(hall.flights.iter().map(|link| self.flights.number(link.clone())));
        after.push(self.book.told(row[self.monitor_at()], &hall.reports));
        // As long as nobody has woken no time passes that anybody could tell.
        if after == row && self.beginnings.iter().any(|beginning| beginning == row) {
            return;
        }
        for (at, &to) in after.iter().enumerate().filter(|&(at, &to)| to != row[at]) {
            ways.change(at as u32, to);
        }
        let mut free = false;
        for (place, (plan, body)) in hall.plans.iter().zip(&hall.bodies).enumerate() {
            free |= plan.calls > 0 || plan.wakes && !self.manner.together || body.asked();
            if body.released() {
                ways.take(place as u32);
            }
        }
        ways.end(row, fingerprint, (event, leaf.odds()), hall.moment.sent.len() as u32, free);
    }
}

impl Hall {
    /// Wakes and requests, then pass after pass until nothing more arrives or runs off at this instant.
    fn live(&mut self, house: &mut House<'_>, dice: &mut Dice) {
        let plans = self.plans.clone();
        for (place, plan) in plans.iter().enumerate() {
            self.act(house, place, dice, |body, house, dice| body.wake(&mut *house.book, plan, dice));
        }
        for (place, plan) in plans.iter().enumerate() {
            self.act(house, place, dice, |body, house, dice| body.call(&mut *house.book, plan, dice));
        }
        loop {
            if house.reading == Reading::PerStep {
                self.arrive(house, dice);
                self.tick(house, dice);
            } else {
                self.tick(house, dice);
                self.arrive(house, dice);
            }
            for place in 0..self.bodies.len() {
                self.act(house, place, dice, |body, house, dice| body.end_pass(&mut *house.book, dice));
            }
            if self.due.iter().all(Vec::is_empty) && self.bodies.iter().all(Body::is_done) {
                break;
            }
        }
        let still = Plan::default();
        for (place, body) in self.bodies.iter_mut().enumerate().filter(|&(place, _)| !self.ticked[place]) {
            body.pass_time(&mut *house.book, house.reading, &still, self.started[place], dice);
        }
    }

    /// What is due arrives, by place, port and order on the link.
    fn arrive(&mut self, house: &mut House<'_>, dice: &mut Dice) {
        let nothing = vec![Vec::new(); self.due.len()];
        let mut due = mem::replace(&mut self.due, nothing);
        for place in 0..self.bodies.len() {
            for way_in in house.roads.ways_in(place as Place) {
                let In { at, port, .. } = house.roads.way_in(way_in);
                for message in mem::take(&mut due[at as usize - self.bodies.len()]) {
                    self.start(house.reading, place, dice);
                    self.act(house, place, dice, |body, house, dice| {
                        body.arrive(&mut *house.book, house.reading, Port(port), message, dice);
                    });
                }
            }
        }
    }

    /// Something reaches a place, and starts its clock if it stands. Where arrivals come after ticks a first tick at this
    /// very instant finds nothing to do.
    fn start(&mut self, reading: Reading, place: usize, dice: &mut Dice) {
        if mem::replace(&mut self.started[place], true) {
            return;
        }
        let body = &mut self.bodies[place];
        let ticks = body.local.ticks(true, false, dice);
        self.plans[place].ticks = ticks;
        if reading == Reading::PerStep {
            body.tick_ahead = ticks;
        } else if ticks {
            body.local.clock = Clock::Since(0);
            self.ticked[place] = true;
        }
    }

    fn tick(&mut self, house: &mut House<'_>, dice: &mut Dice) {
        for place in 0..self.bodies.len() {
            if self.plans[place].ticks && !mem::replace(&mut self.ticked[place], true) {
                let plan = self.plans[place].clone();
                self.act(house, place, dice, |body, house, dice| {
                    body.tick(&mut *house.book, house.reading, &plan, dice);
                });
            }
        }
    }

    /// Lets a processor act, and takes what it sends and reports.
    fn act(
        &mut self,
        house: &mut House<'_>,
        place: usize,
        dice: &mut Dice,
        deed: impl FnOnce(&mut Body, &mut House<'_>, &mut Dice),
    ) {
        let body = &mut self.bodies[place];
        let tossed = dice.tossed();
        deed(body, house, dice);
        self.moment.places[place].coins.extend(dice.coins_since(tossed));
        self.reports.extend(body.reports.drain(..).map(|(_, said)| (place as Place, said)));
        for (port, message) in mem::take(&mut body.sends) {
            let link = house.roads.out(place as Place, port).at as usize - self.bodies.len();
            // Nothing that was sent before it on a link that keeps the order may stay behind.
            let may = !house.in_order || self.flights[link].is_empty();
            let at_once = may && (house.longest == 0 || dice.decides());
            self.moment.sent.push((link, at_once));
            if at_once {
                self.due[link].push(message);
            } else {
                self.flights[link].push((0, message));
            }
        }
    }
}
