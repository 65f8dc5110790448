//! What is measured beside what is proved, the properties, and the phases, at the cursor.

use ringleader::EvaluatedPhaseBound;
use ringleader::picture::run_info;
use ringleader::report::{Number, grouped};
use ringleader_model::{BoundKind, Part};
use ringleader_sim::{StopReason, Summary, TERMINATION};
use serde::Serialize;

use super::Session;
use super::run_view::BoundView;

/// The rail at one moment.
#[derive(Debug, Serialize)]
pub(crate) struct RailView {
    measured: Vec<MeasuredView>,
    bounds: Vec<LiveBound>,
    lamps: Vec<PropertyLamp>,
    phases: Vec<PhaseRow>,
    /// What is proved about the messages of a phase.
    #[serde(rename = "phase-bound", skip_serializing_if = "Option::is_none")]
    phase_bound: Option<PhaseBoundView>,
    /// The outcome so far, in words.
    outcome: String,
    /// The verdict: `open` as long as the run is not over.
    verdict: &'static str,
}

/// A measured quantity.
#[derive(Debug, Serialize)]
struct MeasuredView {
    quantity: String,
    value: Number,
    text: String,
}

/// A bound with how far it is filled.
#[derive(Debug, Serialize)]
struct LiveBound {
    #[serde(flatten)]
    bound: BoundView,
    measured: Option<Number>,
    /// Whether the bound holds; null as long as the run is not over, or where one run cannot tell.
    judged: Option<bool>,
    /// The measured value divided by the bound.
    fill: Option<f64>,
}

/// A property at this moment.
#[derive(Debug, Serialize)]
struct PropertyLamp {
    property: &'static str,
    /// `holds`, `violated` or `open`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// A phase.
#[derive(Debug, Serialize)]
struct PhaseRow {
    phase: u32,
    /// The processors that have reached it so far.
    candidates: u64,
    /// Its messages so far; null where they are not known.
    messages: Option<u64>,
    /// The most messages that it has in any run.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Number>,
}

/// A bound on the messages of a phase.
#[derive(Debug, Serialize)]
struct PhaseBoundView {
    formula: &'static str,
    source: &'static str,
    counts: &'static str,
}

/// Phases shown, from the last one back.
const MOST_PHASES: u32 = 100;

impl Session {
    /// The rail at the cursor.
    pub(crate) fn rail(&self) -> RailView {
        let over = self.is_at_end();
        let summary = self.summary();
        RailView {
            measured: self.measured(&summary),
            bounds: self.live_bounds(&summary, over),
            lamps: self.lamps(&summary, over),
            phases: self.phases(&summary),
            phase_bound: self.phase_bound(&summary).map(|bound| PhaseBoundView {
                formula: bound.formula,
                source: bound.source,
                counts: bound.counts,
            }),
            outcome: self.outcome(&summary),
            verdict: if over { summary.verdict.name() } else { "open" },
        }
    }

    /// Whether the cursor stands at the end of the run.
    pub(super) fn is_at_end(&self) -> bool {
        self.timeline.is_at_end()
    }

    /// What has come of the run up to the cursor.
    pub(super) fn summary(&self) -> Summary {
        // That nothing comes after the last move, the run has found out ahead.
        if self.is_at_end() {
            return self.timeline.ahead().summary();
        }
        // What is said of a run that stops here is not said of one that goes on.
        let cursor = self.timeline.cursor();
        let (violations, reason) = (cursor.violations(), Some(StopReason::Interrupted));
        Summary { violations, finished: false, reason, ..cursor.summary() }
    }

    fn measured(&self, summary: &Summary) -> Vec<MeasuredView> {
        let cost = &summary.cost;
        let mut measured = Vec::new();
        let mut add = |quantity: &str, value: u64, text: &str| {
            let text = format!("{} {text}", grouped(value));
            measured.push(MeasuredView { quantity: quantity.to_string(), value: Number::Integer(value), text });
        };
        add("messages.total", cost.messages(), "messages");
        for (kind, passes) in cost.kinds.iter().filter(|_| cost.kinds.len() > 1) {
            let text = if kind.part == Part::Announcement { "announcements" } else { "messages" };
            add(&format!("messages.by_kind.{}", kind.name), *passes, &format!("{text} {}", kind.name));
        }
        add("bits", cost.bits, "bits");
        if self.setup.scenario.untimed {
            add("time", cost.time, "steps");
        } else {
            add("time", cost.time, "units of time");
        }
        add("depth", cost.depth, "messages in the longest causal chain");
        if let Some(phases) = cost.phases {
            add("phases", u64::from(phases), "phases");
        }
        measured
    }

    fn live_bounds(&self, summary: &Summary, over: bool) -> Vec<LiveBound> {
        let work = self.setup.facts.work;
        let live = |bound: &ringleader::EvaluatedBound| {
            let (measured, holds) = bound.judge(summary);
            let measured = measured.map(Number::from);
            let value = Number::from(bound.value).to_f64();
            // A worst case that is exceeded is exceeded for good.
            let exceeded =
                bound.kind == BoundKind::Worst && bound.measured(summary).is_some_and(|now| now > bound.value);
            let exceeded = exceeded && bound.is_proved_of(summary) && bound.quantity.only_grows();
            LiveBound {
                bound: BoundView::new(bound, work),
                measured,
                judged: if over { holds } else { exceeded.then_some(false) },
                fill: measured.filter(|_| value > 0.0).map(|measured| measured.to_f64() / value),
            }
        };
        self.setup.facts.bounds.iter().map(live).collect()
    }

    fn lamps(&self, summary: &Summary, over: bool) -> Vec<PropertyLamp> {
        let mut properties = self.properties();
        for violation in &summary.violations {
            if !properties.contains(&violation.property) {
                properties.push(violation.property);
            }
        }
        let lamp = |property: &'static str| {
            let violated = summary.violations.iter().find(|violation| violation.property == property);
            let state = match violated {
                Some(_) => "violated",
                None if over && (property != TERMINATION || summary.finished) => "holds",
                None => "open",
            };
            PropertyLamp { property, state, detail: violated.map(|violation| violation.detail.clone()) }
        };
        properties.into_iter().map(lamp).collect()
    }

    /// The properties that are judged.
    pub(super) fn properties(&self) -> Vec<&'static str> {
        let mut properties = self.setup.entry.properties(&self.setup.case());
        properties.push(TERMINATION);
        properties
    }

    /// What is proved about the messages of a phase in this run.
    fn phase_bound(&self, summary: &Summary) -> Option<&EvaluatedPhaseBound> {
        self.phases.bound().filter(|_| !summary.is_tampered())
    }

    fn phases(&self, summary: &Summary) -> Vec<PhaseRow> {
        let cursor = self.timeline.cursor();
        let position = self.timeline.position();
        if !self.setup.facts.phased || position.moves == 0 {
            return Vec::new();
        }
        let mut statuses = Vec::new();
        cursor.statuses(&mut statuses);
        let passes = self.phases.at(position.moves);
        let bound = self.phase_bound(summary);
        let first = position.phases.saturating_sub(MOST_PHASES - 1).max(self.phases.first());
        let row = |phase: u32| PhaseRow {
            phase,
            candidates: statuses.iter().filter(|(_, reached)| *reached >= phase).count() as u64,
            messages: passes.as_ref().map(|passes| passes.get(phase as usize).copied().unwrap_or(0)),
            bound: bound.and_then(|bound| *bound.values.get(phase as usize)?).map(Number::from),
        };
        (first..=position.phases).map(row).collect()
    }

    /// The outcome so far, in words.
    pub(super) fn outcome(&self, summary: &Summary) -> String {
        let title = run_info(&self.setup, summary, "").title;
        title.split_once(": ").map_or(title.clone(), |(_, outcome)| outcome.to_string())
    }
}
