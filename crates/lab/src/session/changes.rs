//! What a user changes: the fate of a message or a processor, and the next event of a run without clocks.
//!
//! Every change is one of the scenario or of the first choices, so that a command line repeats it. The run is made again
//! from its beginning, and the cursor stands behind as many steps of processors as before.

use ringleader::{Error, Options, Setup, StepText};
use ringleader_model::{Intervention, Interventions, MessageAction, Pause, Place, Restart, Time, Wakes};
use ringleader_sim::{Cause, Choices, EnabledAction, InspectableRun, RunPosition, Step};

use super::Session;
use super::timeline::AnyRun;

/// What is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// Something to a message, by number, or nothing any more.
    Message(u64, Option<MessageAction>),
    /// Something to a processor, by place, or nothing any more.
    Processor(Place, Option<ProcessorAction>),
    /// Nothing any more.
    Clear,
}

/// What is done to a processor, at the next instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProcessorAction {
    /// It crashes.
    Crash,
    /// It pauses for so long.
    Pause(u64),
    /// It restarts.
    Restart,
    /// It wakes.
    Wake,
}

impl ProcessorAction {
    const ALLOWED: &'static str = "crash, pause:LENGTH, restart or wake";

    /// As it is written in requests: `pause:20`.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let bad = || named("action", format!("is '{text}'"), Self::ALLOWED);
        match text.split_once(':') {
            None if text == "crash" => Ok(Self::Crash),
            None if text == "restart" => Ok(Self::Restart),
            None if text == "wake" => Ok(Self::Wake),
            Some(("pause", length)) => length.parse().map(Self::Pause).map_err(|_| bad()),
            _ => Err(bad()),
        }
    }
}

fn named(name: &str, wrong: impl Into<String>, allowed: impl Into<String>) -> Error {
    Error::Named { name: name.to_string(), wrong: wrong.into(), allowed: allowed.into() }
}

impl Session {
    /// Whether something is done to a message.
    pub(super) fn is_intervened(&self, number: u64) -> bool {
        self.setup.scenario.interventions.iter().any(|one| one.message == number)
    }

    /// The events of which one can be taken next, in a run without clocks.
    pub(crate) fn enabled(&self) -> Vec<EnabledAction> {
        self.timeline.cursor().enabled()
    }

    /// Takes one of the enabled events next; what comes after it is drawn.
    pub(crate) fn take(&mut self, index: usize) -> Result<(), Error> {
        let enabled = self.enabled();
        if index >= enabled.len() {
            let allowed = match enabled.len() {
                0 if self.setup.scenario.untimed => "the run is over".to_string(),
                0 => "only in a run without clocks (--timing untimed)".to_string(),
                count => format!("0 to {}: there are {count} enabled events", count - 1),
            };
            return Err(named("index", format!("is {index}"), allowed));
        }
        let here = self.timeline.position().moves;
        let mut run = self.setup.inspect(self.choices.clone())?;
        run.record();
        while run.run_position().moves < here && run.advance_move() {}
        if !run.take_enabled(index) {
            return Err(named("index", format!("is {index}"), "an event that is not blocked"));
        }
        let choices = run.choices().unwrap_or_default().to_vec();
        let options = Options { choices: Some(choices), ..self.setup.given.clone() };
        self.replace(options)?;
        self.go(here + 1)
    }

    /// Changes the fate of a message or a processor, from the cursor on.
    pub(crate) fn change(&mut self, change: Change) -> Result<(), Error> {
        if let Change::Processor(place, Some(action)) = change
            && self.setup.scenario.untimed
        {
            return self.change_processor_next(place, action);
        }
        let mut options = self.setup.given.clone();
        match change {
            Change::Message(number, action) => self.change_message(&mut options, number, action)?,
            Change::Processor(place, action) => self.change_processor(&mut options, place, action)?,
            Change::Clear => (options.intervene, options.faults) = (None, None),
        }
        let steps = self.timeline.cursor().steps();
        let time = self.timeline.position().time;
        if options.choices.is_some() && self.setup.scenario.untimed {
            options.choices = Some(self.same_choices(&options)?);
        }
        self.replace(options)?;
        self.go_to_step(steps, time)
    }

    /// Does something to a message that has not arrived yet.
    fn change_message(&self, options: &mut Options, number: u64, action: Option<MessageAction>) -> Result<(), Error> {
        let cursor = self.timeline.cursor();
        let RunPosition { messages_sent, .. } = cursor.run_position();
        let on_its_way = || cursor.in_flight().iter().any(|message| message.number.0 == number);
        let given = self.is_intervened(number);
        if number == 0 || number <= messages_sent && !given && !on_its_way() {
            let wrong = format!("{number} has arrived, or was lost");
            return Err(named("message", wrong, "a message that has not arrived: go back to when it was on its way"));
        }
        let Interventions(mut all) = options.intervene.take().unwrap_or_default();
        let adds = action == Some(MessageAction::Duplicate) || action.is_some_and(MessageAction::decides_arrival);
        // A message can be late and duplicated, but not lost besides.
        all.retain(|one| one.message != number || adds && !replaces(action, one.action));
        all.extend(action.map(|action| Intervention { message: number, action }));
        options.intervene = Some(Interventions(all)).filter(|all| !all.0.is_empty());
        Ok(())
    }

    /// Does something to a processor at the next instant.
    fn change_processor(
        &self,
        options: &mut Options,
        place: Place,
        action: Option<ProcessorAction>,
    ) -> Result<(), Error> {
        self.check_place(place)?;
        let time = self.timeline.position().time.saturating_add(1);
        if action == Some(ProcessorAction::Wake) {
            return self.wake(options, place, time);
        }
        let mut faults = options.faults.take().unwrap_or_default();
        match action {
            Some(ProcessorAction::Crash) => faults.crashes.push((place, time)),
            Some(ProcessorAction::Restart) => faults.restarts.push(Restart { place, time, offset: None }),
            Some(ProcessorAction::Pause(length)) => faults.pauses.push(Pause { place, from: time, length }),
            Some(ProcessorAction::Wake) => {}
            None => {
                faults.crashes.retain(|crash| crash.0 != place);
                faults.restarts.retain(|restart| restart.place != place);
                faults.pauses.retain(|pause| pause.place != place);
            }
        }
        options.faults = Some(faults).filter(|faults| !faults.is_empty());
        Ok(())
    }

    fn check_place(&self, place: Place) -> Result<(), Error> {
        let n = self.setup.scenario.n;
        if (place as usize) < n {
            return Ok(());
        }
        Err(named("place", format!("is {place}"), format!("0 to {}", n - 1)))
    }

    /// Without clocks: has a processor crash, restart or wake in the next action. As many crashes or restarts are allowed as
    /// this takes, and no more are left for chance.
    fn change_processor_next(&mut self, place: Place, action: ProcessorAction) -> Result<(), Error> {
        self.check_place(place)?;
        let here = self.timeline.position().moves;
        let kind = match action {
            ProcessorAction::Crash => "crash",
            ProcessorAction::Restart => "restart",
            ProcessorAction::Wake => "wake",
            ProcessorAction::Pause(_) => {
                let allowed = "crash, restart or wake: without clocks any processor may be slower than all others";
                return Err(named("action", "is a pause", allowed));
            }
        };
        let mut options = self.setup.given.clone();
        let happened = self.timeline.logged(0, here);
        let taken = happened.iter().filter(|one| one.steps.iter().any(|step| step.cause.name() == kind)).count() as u32;
        let mut faults = options.faults.take().unwrap_or_default();
        match action {
            ProcessorAction::Crash => faults.at_most.crashes = faults.at_most.crashes.max(taken + 1),
            ProcessorAction::Restart => faults.at_most.restarts = faults.at_most.restarts.max(taken + 1),
            ProcessorAction::Wake | ProcessorAction::Pause(_) => {}
        }
        options.faults = Some(faults).filter(|faults| !faults.is_empty());
        let mut run = self.followed(&options)?;
        let impossible = |wrong: &str| named("action", wrong, "what can happen to the processor at this moment");
        if run.run_position().moves < here {
            return Err(impossible(&format!("is {kind}: with it allowed, the run takes another course before")));
        }
        let meant = run.enabled().into_iter().find(|action| (action.place, action.kind) == (place, kind));
        let taken = meant.is_some_and(|action| run.take_enabled(action.index));
        if !taken {
            return Err(impossible(&format!("is {kind}, which is not enabled for place {place}")));
        }
        options.choices = Some(run.choices().unwrap_or_default().to_vec());
        self.replace(options)?;
        self.go(here + 1)
    }

    /// Wakes a processor that sleeps.
    fn wake(&self, options: &mut Options, place: Place, time: Time) -> Result<(), Error> {
        let scenario = &self.setup.scenario;
        let wakes_later = scenario.wake_at(place).is_none_or(|wakes| wakes > time);
        if !wakes_later {
            return Err(named("place", format!("{place} is awake"), "a processor that does not wake by itself"));
        }
        let cells = scenario.workload.as_ref().map_or(0, |load| load.cells);
        let mut at: Vec<_> = (0..(scenario.n - cells) as Place).map(|place| scenario.wake_at(place)).collect();
        *at.get_mut(place as usize).ok_or_else(|| named("place", format!("{place} is a shared cell"), "a site"))? =
            Some(time);
        (options.wake, options.wake_at) = (None, Some(Wakes::At(at)));
        Ok(())
    }

    /// Makes the run again with other options.
    fn replace(&mut self, options: Options) -> Result<(), Error> {
        let setup = Setup::new(self.setup.entry, options)?;
        let choices = setup.choices();
        let notes = std::mem::take(&mut self.notes);
        match Self::new(setup, choices) {
            Ok(changed) => *self = Self { notes, ..changed },
            Err(error) => {
                self.notes = notes;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Moves the cursor behind this number of steps of processors, or, before, behind this time.
    fn go_to_step(&mut self, steps: u64, time: Time) -> Result<(), Error> {
        let is_there = |run: &dyn InspectableRun| run.steps() >= steps || run.run_position().time > time;
        while !is_there(self.timeline.ahead()) && self.go_ahead(1)? {}
        let moves = self.timeline.end();
        self.go(moves)
    }

    /// The choices by which a run without clocks, with other options, takes the same events up to the cursor: their numbers
    /// in the list of enabled events may be others.
    fn same_choices(&self, options: &Options) -> Result<Vec<u64>, Error> {
        Ok(self.followed(options)?.choices().unwrap_or_default().to_vec())
    }

    /// A run without clocks, with other options, that has taken the same events up to the cursor, as far as it can.
    fn followed(&self, options: &Options) -> Result<AnyRun, Error> {
        let here = self.timeline.position().moves;
        let setup = Setup::new(self.setup.entry, Options { choices: None, ..options.clone() })?;
        let mut run = setup.inspect(Choices::Drawn)?;
        run.record();
        for logged in self.timeline.logged(0, here) {
            let Some(step) = chosen(&logged.steps) else { continue };
            let meant = run.enabled().into_iter().find(|action| is_meant(action, step));
            if !meant.is_some_and(|action| run.take_enabled(action.index)) {
                break;
            }
        }
        Ok(run)
    }
}

/// The step that tells which event was chosen: what interventions do to its messages comes with it.
fn chosen(steps: &[Step]) -> Option<&Step> {
    let done = |cause: &Cause| {
        matches!(cause, Cause::Loss { .. } | Cause::Duplicate { .. } | Cause::Delay { .. } | Cause::Hold { .. })
    };
    steps.iter().find(|step| !done(&step.cause)).or(steps.first())
}

/// Whether an enabled event is the one that a step was taken for.
fn is_meant(action: &EnabledAction, step: &Step) -> bool {
    let text = StepText::new(step, &[]).without_time().to_string();
    (action.place, action.kind) == (step.place, step.cause.name())
        && match &step.cause {
            cause if cause.message().is_some() => action.message == cause.message(),
            // A place may have several timers, requests and links.
            Cause::Wake | Cause::Crash | Cause::Restart => true,
            Cause::Call { .. } => true,
            _ => text.starts_with(&action.text),
        }
}

/// Whether an action on a message takes the place of another one.
fn replaces(new: Option<MessageAction>, old: MessageAction) -> bool {
    let Some(new) = new else { return true };
    old == MessageAction::Drop || new.decides_arrival() == old.decides_arrival()
}
