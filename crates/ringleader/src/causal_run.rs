//! A run in causal order, on threads, which is repeated in time order where that has to decide.

use std::sync::Arc;
use std::thread;

use ringleader_check::catch_panic;
use ringleader_model::{BadSetting, Place, Protocol, Scenario, Time};
use ringleader_sim::{
    BadChoice, CausalSimulation, Choices, Full, Instrumentation, Resolved, Run, Segment, Simulation, Step, Summary,
};

/// A run of a protocol, in causal order to begin with.
///
/// It is repeated in time order if it is disputed, if a step panics, if it turns out to be slower, and if it is to be recorded
/// or logged, which only time order can: so whoever reads what came of it cannot tell the difference.
///
/// `F` is the form of the protocol that is executed in causal order.
pub(crate) struct CausalRun<P: Protocol, F: Protocol, D: Instrumentation> {
    order: Executing<P, F, D>,
    protocol: P,
    scenario: Arc<Scenario>,
    last: Option<Time>,
    /// Whether it stays in causal order although that is slower.
    insists: bool,
}

enum Executing<P: Protocol, F: Protocol, D: Instrumentation> {
    Causal(CausalSimulation<F, D>),
    Time(Box<Simulation<P, Full>>),
}

impl<P: Protocol, F: Protocol, D: Instrumentation> CausalRun<P, F, D> {
    /// A run on this number of threads, at its very beginning.
    pub(crate) fn new(
        protocol: P,
        form: F,
        scenario: &Arc<Scenario>,
        threads: usize,
        insists: bool,
    ) -> Result<Self, BadSetting> {
        let causal = on_threads(form, scenario, threads)?;
        Ok(Self { order: Executing::Causal(causal), protocol, scenario: Arc::clone(scenario), last: None, insists })
    }

    /// The run in time order; from its beginning, if it was none.
    fn in_time_order(&mut self) -> &mut Simulation<P, Full> {
        if matches!(self.order, Executing::Causal(_)) {
            let resolved = Resolved::new(&self.scenario);
            let run = Simulation::prepare(self.protocol.clone(), &self.scenario, resolved, Choices::Drawn);
            let mut run = run.expect("the scenario suits the protocol");
            if let Some(last) = self.last {
                run.stop_after(last);
            }
            self.order = Executing::Time(Box::new(run));
        }
        match &mut self.order {
            Executing::Time(run) => run,
            Executing::Causal(_) => unreachable!("it was just replaced"),
        }
    }

    fn run(&self) -> &dyn Run {
        match &self.order {
            Executing::Causal(run) => run,
            Executing::Time(run) => run.as_ref(),
        }
    }
}

/// A run in causal order on this number of threads, at its very beginning.
pub(crate) fn on_threads<P: Protocol, D: Instrumentation>(
    protocol: P,
    scenario: &Scenario,
    threads: usize,
) -> Result<CausalSimulation<P, D>, BadSetting> {
    let run = CausalSimulation::new(protocol, scenario, threads)?;
    Ok(if threads > 1 { run.advanced_by(advance_each_on_a_thread) } else { run })
}

/// Advances each segment on a thread of its own.
pub fn advance_each_on_a_thread<P: Protocol, D: Instrumentation>(segments: &mut [Segment<P, D>], budget: u64) -> bool {
    let advance = |segment: &mut Segment<P, D>| catch_panic(|| segment.advance(budget));
    let [first, others @ ..] = segments else { return true };
    let through = thread::scope(|scope| {
        let others: Vec<_> = others.iter_mut().map(|segment| scope.spawn(move || advance(segment))).collect();
        let first = advance(first);
        others.into_iter().map(|other| other.join().expect("panics are caught")).fold(first, |all, one| Ok(all? & one?))
    });
    through.unwrap_or_else(|panic| panic!("{panic}"))
}

impl<P: Protocol, F: Protocol, D: Instrumentation> Run for CausalRun<P, F, D> {
    fn advance(&mut self, budget: u64) -> bool {
        if let Executing::Causal(run) = &mut self.order {
            match catch_panic(|| run.advance(budget)) {
                Ok(false) if self.insists || !run.is_slow() => return false,
                Ok(true) if !run.is_disputed() => return true,
                Ok(_) | Err(_) => {}
            }
        }
        self.in_time_order().advance(budget)
    }

    fn record(&mut self) {
        self.in_time_order().record();
    }

    fn log(&mut self) {
        self.in_time_order().log();
    }

    fn stop_after(&mut self, last: Time) {
        self.last = Some(last);
        match &mut self.order {
            Executing::Causal(run) => run.stop_after(last),
            Executing::Time(run) => run.stop_after(last),
        }
    }

    fn now(&self) -> Time {
        self.run().now()
    }

    fn steps(&self) -> u64 {
        self.run().steps()
    }

    fn last_place(&self) -> Place {
        self.run().last_place()
    }

    fn position(&self) -> u64 {
        self.run().position()
    }

    fn advance_to(&mut self, position: u64) -> bool {
        self.in_time_order().advance_to(position)
    }

    fn deliveries(&self) -> u64 {
        self.run().deliveries()
    }

    fn choices(&self) -> Option<&[u64]> {
        self.run().choices()
    }

    fn take_log(&mut self) -> Vec<Step> {
        self.in_time_order().take_log()
    }

    fn summary(&self) -> Summary {
        self.run().summary()
    }

    fn bytes(&self) -> usize {
        self.run().bytes()
    }

    fn unused_choices(&self) -> usize {
        self.run().unused_choices()
    }

    fn unanswered(&self) -> usize {
        self.run().unanswered()
    }

    fn bad_choice(&self) -> Option<BadChoice> {
        self.run().bad_choice()
    }
}
