//! The two searches: all points, or local search with restarts.
//!
//! Both are divided into numbered parts (chunks of points, restarts), which are independent of each other: threads take the next
//! part, and the result is put together in the order of the numbers. So it does not depend on the number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ringleader_sim::Random;

use super::space::{SearchPoint, SearchSpace};
use crate::check::side_by_side;
use crate::error::Error;
use crate::exact::Evaluator;
use crate::setup::Setup;
use crate::watch::Watch;

/// What is searched for.
pub(super) struct Goal<'a> {
    pub(super) base: &'a Setup,
    pub(super) space: &'a SearchSpace<'a>,
    /// The quantity, by its position among those that are measured.
    pub(super) measure: usize,
    /// The least value, and not the greatest.
    pub(super) least: bool,
    /// A value that is proved to be the extreme: there is no need to search on.
    pub(super) proved: Option<u64>,
    pub(super) threads: usize,
}

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Best {
    pub(super) value: u64,
    pub(super) point: SearchPoint,
    /// Evaluations.
    pub(super) evaluated: u64,
    /// Whether the search was stopped.
    pub(super) interrupted: bool,
}

/// A part of a search.
struct SearchPart {
    best: Option<(u64, SearchPoint)>,
    evaluated: u64,
    stopped: bool,
}

/// Points between looks at who watches.
const CHUNK: u64 = 1 << 10;

impl Goal<'_> {
    /// Whether a value is better than another.
    const fn is_better(&self, value: u64, than: u64) -> bool {
        if self.least { value < than } else { value > than }
    }

    fn is_proved(&self, value: u64) -> bool {
        self.proved.is_some_and(|proved| !self.is_better(proved, value))
    }

    fn evaluate(&self, evaluator: &mut Evaluator<'_>, point: &SearchPoint) -> Result<u64, Error> {
        Ok(self.space.evaluate(evaluator, point)?.values[self.measure])
    }

    /// Evaluates all points.
    pub(super) fn exhaust(&self, count: u64, watch: &dyn Watch) -> Result<Option<Best>, Error> {
        let part = |number: u64, evaluator: &mut Evaluator<'_>| {
            let mut part = SearchPart { best: None, evaluated: 0, stopped: false };
            for index in number * CHUNK..count.min((number + 1) * CHUNK) {
                let point = self.space.nth(index.into());
                let value = self.evaluate(evaluator, &point)?;
                part.evaluated += 1;
                if part.best.as_ref().is_none_or(|(best, _)| self.is_better(value, *best)) {
                    part.best = Some((value, point));
                }
            }
            Ok(part)
        };
        let parts = self.parts(count.div_ceil(CHUNK), count, watch, &part)?;
        Ok(self.put_together(parts, u64::MAX))
    }

    /// Climbs from random points until about this number of points is evaluated.
    pub(super) fn climb(&self, budget: u64, seed: u64, watch: &dyn Watch) -> Result<Option<Best>, Error> {
        let part = |number: u64, evaluator: &mut Evaluator<'_>| {
            let mut random = Random::new(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            self.climb_once(&mut random, evaluator, watch)
        };
        let parts = self.parts(u64::MAX, budget, watch, &part)?;
        Ok(self.put_together(parts, budget).map(|best| {
            let complete = best.evaluated >= budget || self.is_proved(best.value);
            Best { interrupted: best.interrupted || !complete, ..best }
        }))
    }

    /// One climb: random changes, which are kept unless they make it worse, until there is no improvement for long. Sometimes a
    /// change for the worse is kept, too.
    fn climb_once(
        &self,
        random: &mut Random,
        evaluator: &mut Evaluator<'_>,
        watch: &dyn Watch,
    ) -> Result<SearchPart, Error> {
        let n = self.base.scenario.n as u64;
        let patience = PATIENCE * n * n;
        let mut point = self.space.random(random);
        let mut value = self.evaluate(evaluator, &point)?;
        let mut best = (value, point.clone());
        let (mut evaluated, mut improved, mut stopped) = (1, 0, false);
        while evaluated - improved < patience && !self.is_proved(best.0) {
            let mut other = point.clone();
            self.space.change(&mut other, random);
            let reached = self.evaluate(evaluator, &other)?;
            evaluated += 1;
            if !self.is_better(value, reached) || random.below(REGRESS) == 0 {
                (point, value) = (other, reached);
            }
            if self.is_better(value, best.0) {
                best = (value, point.clone());
                improved = evaluated;
            }
            if evaluated % CHUNK == 0 && watch.stopped() {
                stopped = true;
                break;
            }
        }
        Ok(SearchPart { best: Some(best), evaluated, stopped })
    }

    /// The parts in order, until there are enough evaluations or a proved value is reached.
    fn parts(
        &self,
        most: u64,
        budget: u64,
        watch: &dyn Watch,
        part: &(dyn Fn(u64, &mut Evaluator<'_>) -> Result<SearchPart, Error> + Sync),
    ) -> Result<Vec<SearchPart>, Error> {
        let (next, evaluated, last) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(u64::MAX));
        let found: Mutex<Vec<(u64, Result<SearchPart, Error>)>> = Mutex::new(Vec::new());
        let work = |_: usize| {
            let mut evaluator = match Evaluator::new(self.base) {
                Ok(evaluator) => evaluator,
                Err(error) => return found.lock().expect("nothing panics while it is locked").push((0, Err(error))),
            };
            while evaluated.load(Ordering::Relaxed) < budget && !watch.stopped() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= most || number > last.load(Ordering::Relaxed) {
                    return;
                }
                let done = part(number, &mut evaluator);
                match &done {
                    Ok(part) => {
                        let all = evaluated.fetch_add(part.evaluated, Ordering::Relaxed) + part.evaluated;
                        watch.measured(all.min(budget), budget);
                        if part.best.as_ref().is_some_and(|(value, _)| self.is_proved(*value)) {
                            last.fetch_min(number, Ordering::Relaxed);
                        }
                    }
                    Err(_) => {
                        last.fetch_min(number, Ordering::Relaxed);
                    }
                }
                found.lock().expect("nothing panics while it is locked").push((number, done));
            }
        };
        side_by_side(self.threads, &work);
        let mut found = found.into_inner().expect("nothing panics while it is locked");
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, part)| part).collect()
    }

    /// The best of the parts that one thread would have done.
    fn put_together(&self, parts: Vec<SearchPart>, budget: u64) -> Option<Best> {
        let mut all: Option<Best> = None;
        for part in parts {
            let (value, point) = part.best?;
            let best =
                all.get_or_insert_with(|| Best { value, point: point.clone(), evaluated: 0, interrupted: false });
            if best.evaluated >= budget || self.is_proved(best.value) && best.evaluated > 0 {
                break;
            }
            best.evaluated += part.evaluated;
            best.interrupted |= part.stopped;
            if self.is_better(value, best.value) {
                (best.value, best.point) = (value, point);
            }
        }
        all
    }
}

/// By square of the number of processors, evaluations without an improvement before a climb ends.
const PATIENCE: u64 = 8;
/// One change for the worse in so many is kept.
const REGRESS: u64 = 50;
