//! A lock, or readers and writers, above links that lose messages: the layer of [`ringleader_protocols::retransmission`]. Types are
//! erased, so that the layer and the engines below it are compiled once for each problem.

use ringleader_check::{CheckQuery, CheckpointFile, Effort, Progress, Wakers};
use ringleader_model::{
    BadSetting, BoundKind, Description, Figure, Instance, Protocol, Quantity, Scenario, Settings, Value,
};
use ringleader_protocols::election::tasks::AnyProtocol;
use ringleader_protocols::retransmission::{LINK_KINDS, Retransmitting, TwoWay, above_links, archimedean_above_links};
use ringleader_sim::{Choices, Resolved};

use super::{
    Case, Erased, ErasedRun, Facts, ProblemSolved, Simulated, configured, erased, evaluated, explore,
    for_every_schedule, prepare, sent_kinds,
};
use crate::check::{Checked, ProvedBounds};
use crate::execution::EvaluatedBound;
use crate::setup::Setup;

/// A protocol whose type is erased, and the layer below it.
type LinkedProtocol<P> = Retransmitting<AnyProtocol<ProblemSolved<P>, <P as Protocol>::Network>>;

/// The scenario above the layer, and whether its delays have a bound there: then it is d_max of a protocol that needs one.
fn above<P: Protocol>(scenario: &Scenario, settings: &[(String, String)]) -> Result<(Scenario, bool), BadSetting> {
    let entries = scenario.workload.as_ref().map_or(0, |load| load.entries);
    let needs_bound = P::needs_clocks(&Settings::new(P::DESCRIPTION.parameters, settings)?, entries);
    let archimedean = archimedean_above_links(scenario).filter(|_| needs_bound);
    Ok(archimedean.map_or_else(|| (above_links(scenario), false), |above| (above, true)))
}

/// A configured protocol and the layer below it.
fn linked<P: Protocol<Network: TwoWay>>(protocol: P, scenario: &Scenario) -> Erased<LinkedProtocol<P>> {
    let ticks = scenario.retransmit.expect("a lock is composed with nothing else");
    erased(Retransmitting::new(AnyProtocol::new(protocol), ticks, scenario))
}

/// The protocol of a set-up and the layer below it.
fn linked_again<P: Protocol<Network: TwoWay>>(
    setup: &Setup,
    _: &Resolved,
) -> Result<Erased<LinkedProtocol<P>>, BadSetting> {
    let (above, _) = above::<P>(&setup.scenario, &setup.settings)?;
    let protocol: P = configured(&above, &Resolved::new(&above), &setup.settings)?;
    Ok(linked(protocol, &setup.scenario))
}

pub(super) fn evaluate<P: Protocol>(case: &Case<'_>) -> Result<Facts, BadSetting> {
    let (above, bounded) = above::<P>(case.scenario, case.settings)?;
    let (_, mut facts) = super::evaluate::<P>(&Case { scenario: &above, ..*case })?;
    if bounded {
        let meaning = "above the links: no message takes longer, however often it is sent again";
        facts.figures.push(Figure { symbol: "d_max", value: Value::int(above.timing.d.max.into()), meaning });
    } else {
        // How long a message takes above the layer is not known.
        facts.figures.clear();
        facts.bounds.retain(|bound| bound.kind != BoundKind::Mean && counts_messages(bound.quantity));
    }
    Ok(facts.above_links(const { &P::DESCRIPTION }, case.scenario, &above))
}

pub(super) fn simulate<P: Protocol<Network: TwoWay>, R: ErasedRun + ?Sized>(
    setup: &Setup,
    choices: Choices,
) -> Simulated<R> {
    let resolved = Resolved::new(&setup.scenario);
    prepare(linked_again::<P>(setup, &resolved)?, setup, resolved, choices)
}

/// Explores every schedule of a protocol above the layer.
pub(super) fn check<P: Protocol<Network: TwoWay>>(
    case: &Case<'_>,
    wakers: &Wakers,
    sought: (&Effort, CheckQuery<'_>),
    file: Option<&mut dyn CheckpointFile>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Checked, BadSetting> {
    let (above, _) = above::<P>(case.scenario, case.settings)?;
    let protocol: P = for_every_schedule(&Case { scenario: &above, ..*case })?;
    let bounds = |instance: &Instance<'_>| evaluated(&protocol, instance);
    let sent = sent_kinds(&protocol);
    let proved = ProvedBounds { description: const { &P::DESCRIPTION }, sent: &sent, evaluate: &bounds };
    let of_all = of_all_schedules(&proved, (case.scenario, &above), wakers);
    explore(linked(protocol, case.scenario), &linked_again::<P>, (None, of_all), (case, wakers), sought, file, watch)
}

/// What is proved of all schedules of a scenario with the layer, of what is proved above it.
pub(super) fn of_all_schedules(
    proved: &ProvedBounds<'_>,
    (scenario, above): (&Scenario, &Scenario),
    wakers: &Wakers,
) -> Vec<EvaluatedBound> {
    let mut bounds = proved.of_all_schedules(above, wakers);
    let once = counts_once(scenario);
    bounds.retain(|bound| once && !bound.quantity.is_time() && !counts_frames(bound.quantity));
    bounds
}

/// Whether each message is counted once: not where links duplicate them.
fn counts_once(scenario: &Scenario) -> bool {
    scenario.faults.duplicate.is_none() && scenario.faults.at_most.duplicates == 0
}

/// Whether a quantity is a number of messages of the protocol, whatever their delays.
fn counts_messages(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::Kind(_) | Quantity::Difference(..) | Quantity::MessagesPerEntry)
}

/// Whether a quantity is about all that is sent, so that what the layer sends counts too.
fn counts_frames(quantity: Quantity) -> bool {
    matches!(
        quantity,
        Quantity::Messages
            | Quantity::MessagesPerEntry
            | Quantity::Bits
            | Quantity::Time
            | Quantity::Depth
            | Quantity::DepthElected
    )
}

impl Facts {
    /// What they are with the layer below, of what is known of the scenario above it.
    pub(super) fn above_links(
        mut self,
        description: &'static Description,
        scenario: &Scenario,
        above: &Scenario,
    ) -> Self {
        if !counts_once(scenario) {
            self.bounds.clear();
        }
        let bounds = self.bounds.clone();
        let all = ProvedBounds { description, sent: &self.kinds, evaluate: &|_| bounds.clone() };
        let most = all.most_messages(above).map(|proved| proved.value);
        self.bounds.retain(|bound| !counts_frames(bound.quantity));
        self.bounds.extend(link_bounds(most, scenario));
        self.kinds.extend(LINK_KINDS);
        self
    }
}

/// The bounds on what a layer sends that sends messages again, where at most so many messages are sent above it.
fn link_bounds(most: Option<Value>, scenario: &Scenario) -> Vec<EvaluatedBound> {
    let (timing, faults) = (&scenario.timing, &scenario.faults);
    let Some(ticks) = scenario.retransmit.filter(|_| timing.exceeded().is_none()) else { return Vec::new() };
    // A timer of k ticks lasts more than k - 1 of them; a message, like its acknowledgement, may wait for a step.
    let patient =
        u128::from(ticks - 1) * u128::from(timing.r.min) >= 2 * (u128::from(timing.d.max) + u128::from(timing.r.max));
    let Some((most, rest)) = most.filter(|_| patient && !scenario.untimed).map(Value::parts) else { return Vec::new() };
    let (lost, whole) = faults.loss.map_or((0, 1), |loss| (u128::from(loss.part), u128::from(loss.whole)));
    let arrives = whole - lost;
    let times = |numerator: u128, denominator: u128| {
        let all = (most + u128::from(rest > 0)).saturating_mul(numerator);
        Value::ratio(all, denominator.max(1))
    };
    let mean = |kind: &'static str, formula: &'static str, value: Value, counts: &'static str| EvaluatedBound {
        quantity: Quantity::Kind(kind),
        kind: BoundKind::Mean,
        formula,
        value,
        source: "Vitanyi1984 section 2, derived here",
        counts,
        before: None,
    };
    let copies = mean(
        LINK_KINDS[1].name,
        "M (1/(1-p)^2 - 1)",
        times(whole.saturating_mul(whole) - arrives.saturating_mul(arrives), arrives.saturating_mul(arrives)),
        "copies of M messages at most, each lost with probability p, as is its acknowledgement",
    );
    let acknowledgements = mean(
        LINK_KINDS[0].name,
        "M / (1-p)",
        times(whole, arrives),
        "one for each copy that arrives, of M messages at most",
    );
    let doubled = faults.duplicate.is_some();
    [copies].into_iter().chain(Some(acknowledgements).filter(|_| !doubled)).collect()
}
