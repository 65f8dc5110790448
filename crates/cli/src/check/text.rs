//! Text output of a check.

use std::io::{self, Write};

use ringleader::check::{
    CheckReport, CheckSetup, CounterexampleReport, CoverageReport, Orientations, PortCoverage, ProbabilityReport,
    ProvedReport, RandomSchedulesReport, RangeReport, SizeReport,
};
use ringleader::report::grouped;
use ringleader::{StepText, program, quoted};
use ringleader_check::Wakers;
use ringleader_model::{Clocks, Scenario, Topology, digits};
use ringleader_sim::{Cause, Step, StepEffect};

use super::Shown;
use super::extremes::write_extremes;
use crate::presentation::Presentation;
use crate::text::{
    BAD, BOLD, DIM, DOUBT, GOOD, counted, fitted, in_parentheses, labelled, mark, styled, write_lab, write_rules,
};

/// The width of the names safety and termination.
const NAME_WIDTH: usize = 11;

pub(crate) fn report(
    report: &CheckReport,
    check: &CheckSetup,
    shown: &Shown,
    all: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let bounds = report.extremes.iter().flat_map(|row| &row.bounds).map(|bound| bound.holds);
    let mut judged = report.most_messages.proved.iter().map(|proved| proved.holds).chain(bounds);
    let exceeded = judged.any(|holds| holds == Some(false));
    let (style, word) = match report.verdict.as_str() {
        "violated" => (BAD, "violated"),
        _ if exceeded => (BAD, "bound exceeded"),
        "holds" => (GOOD, "holds"),
        _ => (DOUBT, "unknown"),
    };
    let parameters: Vec<_> = report.parameters.iter().map(|(key, value)| format!(", {key}={value}")).collect();
    let (word, protocol) = (styled(style, word), styled(BOLD, &report.protocol));
    let then = report.then.as_ref().map_or(String::new(), |task| format!(", then {task}"));
    fitted(&format!("{word}: {protocol} on {}{}{then}", network(check), parameters.concat()), "", "    ", out)?;
    for property in &report.properties {
        let holds = match property.verdict.as_str() {
            "holds" => Some(true),
            "violated" => Some(false),
            _ => None,
        };
        let sign = if holds == Some(true) { "," } else { ":" };
        let detail = property.detail.as_ref().map_or(String::new(), |detail| format!("{sign} {detail}"));
        // The invariants of a protocol have sentences for names.
        let colon = if property.name.len() > NAME_WIDTH { ":" } else { "" };
        let start = format!("  {} {:<NAME_WIDTH$}{colon} ", mark(holds), property.name);
        // Lemmas are known by their numbers.
        let source = property.source.as_ref().filter(|_| property.kind == "lemma");
        let source = source.map_or(String::new(), |source| format!(" ({source})"));
        fitted(&format!("{}{source}{detail}", property.verdict), &start, "      ", out)?;
    }
    if Presentation::settled().quiet {
        return Ok(());
    }
    writeln!(out)?;
    write_what(report, check, out)?;
    write_worst(report, out)?;
    write_extremes(report, out)?;
    write_coverage(report, check, out)?;
    if let Some(counterexample) = &report.counterexample {
        write_counterexample(counterexample, report, check, (shown, all), out)?;
    }
    write_sizes(&report.sizes, out)?;
    if let Some(resume) = &report.resume {
        writeln!(out, "  resume     {resume}")?;
    }
    writeln!(out, "  repeat     {}", report.rerun)?;
    write_lab(shown.lab.as_deref(), out)
}

pub(crate) fn network(check: &CheckSetup) -> String {
    let n = check.family.n;
    match check.family.topology {
        Topology::Complete => format!("a complete network of {n}"),
        ring => format!("a {ring} of {n}"),
    }
}

/// The explored state space and its cost.
fn write_what(report: &CheckReport, check: &CheckSetup, out: &mut impl Write) -> io::Result<()> {
    let random = report.random_schedules.as_ref();
    labelled("instances", &random.map_or_else(|| instances(report, check), |_| random_instances(check)), out)?;
    let all = schedules(check);
    labelled("schedules", &random.map_or_else(|| all.clone(), |_| all.replacen("all ", "random ", 1)), out)?;
    if let Some(note) = check.clock_note() {
        labelled("clocks", note, out)?;
    }
    if let Some(random) = random {
        write_random_schedules(random, report, check, out)?;
        return write_limit(report, check, out);
    }
    let seen = if report.explored < report.instances && report.instances > 1 {
        format!(", {} of {} instances", grouped(report.explored), grouped(report.instances))
    } else {
        String::new()
    };
    let [transitions, depth] = [report.transitions, report.depth].map(grouped);
    let states = styled(BOLD, grouped(report.states));
    labelled("explored", &format!("{states} states, {transitions} transitions, depth {depth}{seen}"), out)?;
    write_limit(report, check, out)?;
    let threads = if report.threads == 1 { "1 thread".to_string() } else { format!("{} threads", report.threads) };
    writeln!(
        out,
        "  rate       {} states/s, {:.2} s, {threads}, {:.1} bytes/state",
        grouped(report.states_per_second as u64),
        report.seconds,
        report.bytes_per_state
    )?;
    writeln!(out, "  collisions {} expected hash collisions (64-bit fingerprints)", expected(report.collisions))
}

/// The limit that was reached.
fn write_limit(report: &CheckReport, check: &CheckSetup, out: &mut impl Write) -> io::Result<()> {
    if let Some(what) = &report.ran_out {
        let why = match what.as_str() {
            "states" => "the state limit of one instance (--max-states)".to_string(),
            "choices" => {
                "too much nondeterminism in one instant: delays of 0 and many-sided random choices".to_string()
            }
            "memory" => format!("the memory limit of {} MB (--max-memory)", grouped(check.effort.bytes >> 20)),
            "time" => "the time limit (--timeout)".to_string(),
            _ => "interrupted".to_string(),
        };
        writeln!(out, "  {}      {why}", styled(DOUBT, "limit"))?;
    }
    Ok(())
}

/// A small number, as its order of magnitude.
fn expected(collisions: f64) -> String {
    if collisions >= 1e-3 {
        return format!("{collisions:.3}");
    }
    let digits = if collisions > 0.0 { (-collisions.log10()).floor() as u32 } else { 18 };
    format!("less than 10^-{}", digits.min(18))
}

fn instances(report: &CheckReport, check: &CheckSetup) -> String {
    let family = &check.family;
    let ids = || family.ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let all_orientations = family.orientations == Orientations::All;
    let order = match (family.ids.is_empty(), family.ordered) {
        (true, _) => format!("{} processors without identities", family.n),
        (false, true) => format!("identities {}", ids()),
        (false, false) => {
            let what = match (all_orientations, report.instances) {
                (true, 1) => "order and orientation",
                (true, _) => "orders and orientations",
                (false, 1) => "order",
                (false, _) => "orders",
            };
            let upto = match family.topology {
                _ if report.instances as u128 == all_arrangements(family.n, all_orientations) => "",
                Topology::BidirectionalRing if all_orientations => ", up to rotation and reflection",
                Topology::Ring | Topology::BidirectionalRing => ", up to rotation",
                Topology::Complete => match family.numberings {
                    Some(PortCoverage::All | PortCoverage::Alike) => ", up to permutation of sites",
                    _ => "",
                },
            };
            let identities = if family.n == 1 { "identity" } else { "identities" };
            format!("{} {what} of {} {identities}{upto}", grouped(report.instances), family.n)
        }
    };
    let orientation = match &family.orientations {
        _ if family.topology != Topology::BidirectionalRing => String::new(),
        Orientations::All if family.ordered => format!(", {} orientations", report.instances),
        Orientations::All => String::new(),
        Orientations::One(one) if one.contains(&true) => format!(", orientation {}", digits(one)),
        Orientations::One(_) if family.ports_alike => ", one orientation (ports are interchangeable)".to_string(),
        Orientations::One(_) => ", the same orientation everywhere".to_string(),
    };
    order + &orientation + &numberings(check)
}

/// The numberings of the ports of a complete network.
fn numberings(check: &CheckSetup) -> String {
    let ports = &check.scenario.ports;
    match check.family.numberings {
        // A processor with one port has one numbering.
        None | Some(PortCoverage::Given) => String::new(),
        Some(_) if check.scenario.n <= 2 => String::new(),
        Some(PortCoverage::All) => ", all port numberings".to_string(),
        Some(PortCoverage::Alike) => ", one port numbering (ports are interchangeable)".to_string(),
        Some(PortCoverage::One) => format!(", port numbering {ports} only"),
    }
}

/// The number of orders of n identities, each with all orientations if there are any.
fn all_arrangements(n: usize, orientations: bool) -> u128 {
    let orders = (1..=n as u128).fold(1, u128::saturating_mul);
    if orientations { orders.saturating_mul(1 << n.min(64)) } else { orders }
}

/// The instances of random schedules.
fn random_instances(check: &CheckSetup) -> String {
    let family = &check.family;
    let ids = match (family.ids.is_empty(), family.ordered) {
        (true, _) => format!("{} processors without identities", family.n),
        (false, true) => format!("identities {}", family.ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")),
        (false, false) => format!("a random order of {} identities for each schedule", family.n),
    };
    let orientation = match &family.orientations {
        _ if family.topology != Topology::BidirectionalRing => String::new(),
        Orientations::All => ", random orientations".to_string(),
        Orientations::One(one) if one.contains(&true) => format!(", orientation {}", digits(one)),
        Orientations::One(_) => ", the same orientation everywhere".to_string(),
    };
    let numbering = match family.numberings {
        Some(PortCoverage::All) => ", random port numberings".to_string(),
        _ => numberings(check),
    };
    ids + &orientation + &numbering
}

/// Random schedules, and what they say about all.
fn write_random_schedules(
    random: &RandomSchedulesReport,
    report: &CheckReport,
    check: &CheckSetup,
    out: &mut impl Write,
) -> io::Result<()> {
    let unit = if check.untimed() { "steps" } else { "instants" };
    let plural = if random.schedules == 1 { "" } else { "s" };
    let (schedules, steps) = (styled(BOLD, grouped(random.schedules)), grouped(report.transitions));
    let cut_off = match random.cut_off {
        0 => String::new(),
        count => format!(", {} cut off after {} {unit}", grouped(count), grouped(random.longest)),
    };
    let seconds = format!("{:.2} s", report.seconds);
    labelled(
        "random",
        &format!("{schedules} schedule{plural}, {steps} {unit}{cut_off}, seed {}, {seconds}", random.seed),
        out,
    )?;
    if let Some(bound) = random.bound {
        let text =
            format!("a random schedule violates a property with probability at most {bound:.2e} (95 % confidence)");
        labelled("bound", &text, out)?;
    }
    if let Some(messages) = &random.messages {
        let (mean, half) = (messages.mean, messages.ci95);
        let [least, greatest] = [messages.least, messages.greatest].map(grouped);
        labelled("messages", &format!("mean {mean:.1} ± {half:.1}, least {least}, greatest {greatest}"), out)?;
    }
    Ok(())
}

pub(crate) fn schedules(check: &CheckSetup) -> String {
    let scenario: &Scenario = &check.scenario;
    let timing = &scenario.timing;
    let clocks = if check.untimed() {
        "all asynchronous schedules".to_string()
    } else {
        format!(
            "all timed schedules (digital clocks) with r {}, d {}, clocks {}, reading {}, ties {}",
            timing.r,
            timing.d,
            if timing.clocks == Clocks::Varying { "varying" } else { "fixed" },
            timing.reading.name(),
            scenario.ties.name()
        )
    };
    let who = match (&scenario.workload, &check.wakers) {
        (Some(load), _) => {
            let asking = match (load.readers, load.writers) {
                (0, 0) => format!("{} of {} sites may enter", load.compete, check.family.n),
                (readers, writers) => format!("{readers} may read and {writers} write"),
            };
            let times = match load.entries {
                1 => "once each".to_string(),
                _ if load.is_unbounded() => "again and again".to_string(),
                entries => format!("{entries} times each"),
            };
            format!("{asking} {times}, at any time")
        }
        // Without clocks no two wake-ups are together.
        (None, Wakers::Together) if check.untimed() => "all wake, each at any time".to_string(),
        (None, Wakers::Together) => "all wake together".to_string(),
        (None, Wakers::Anybody) => "any set of processors wakes, at any time".to_string(),
        (None, Wakers::These(places)) if places.len() == check.family.n => "all wake, each at any time".to_string(),
        (None, Wakers::These(places)) if places.len() == 1 => format!("{} wakes", places_of(places)),
        (None, Wakers::These(places)) => format!("{} wake", places_of(places)),
    };
    let again: Vec<u32> = scenario.again.iter().map(|&(place, _)| place).collect();
    let again = match &again[..] {
        [] => String::new(),
        places => format!(", a further election may be requested at {}", places_of(places)),
    };
    let faults = scenario.faults.at_most.kinds();
    let faults: String =
        faults.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!(", {what} up to {count}")).collect();
    let acknowledged = match scenario.retransmit {
        None => "",
        Some(_) if scenario.merges_copies() => {
            ", with acknowledgements and retransmissions, of equal ones in flight one; cuts end"
        }
        Some(_) => ", with acknowledgements and retransmissions",
    };
    format!("{clocks}; links {}{acknowledged}; {who}{again}{faults}", scenario.links.name())
}

fn places_of(places: &[u32]) -> String {
    let listed = places.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    if places.len() == 1 { format!("place {listed}") } else { format!("places {listed}") }
}

/// The exact worst case beside what is proved.
fn write_worst(report: &CheckReport, out: &mut impl Write) -> io::Result<()> {
    let most = &report.most_messages;
    let seen = match most.known.as_str() {
        "up-to-violation" => "up to a violation",
        _ => "exactly",
    };
    let found = match (most.known.as_str(), most.passes) {
        (_, Some(passes)) => format!("{} messages, {seen}", styled(BOLD, grouped(passes))),
        ("unlimited", _) if report.scenario.workload.as_ref().is_some_and(|load| load.forever) => {
            "unbounded: sites enter forever".to_string()
        }
        ("unlimited", _) => "unbounded: a schedule or random choices can postpone termination forever".to_string(),
        _ => return Ok(()),
    };
    let ids = match &most.ids {
        Some(ids) if report.instances > 1 => {
            format!(", with identities {}", ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
        }
        _ => String::new(),
    };
    let numbering = if most.numberings == Some(PortCoverage::One) { ", under this port numbering only" } else { "" };
    labelled("worst case", &format!("{found}{ids}{numbering}{}", beside(most.proved.as_ref())), out)
}

/// A bound, to stand beside a figure.
fn beside(proved: Option<&ProvedReport>) -> String {
    proved.map_or(String::new(), |proved| {
        let source = in_parentheses(&[&proved.source]);
        let word = if proved.source.is_empty() { "claimed" } else { "proved" };
        let value = grouped(proved.value);
        let value = if proved.formula == value { value } else { format!("{} = {value}", proved.formula) };
        format!("; {} {word} {value}{source}", mark(proved.holds))
    })
}

/// No more rules than this that never fired are shown with their texts.
const FEW_RULES: usize = 3;

/// The rules that fired, and those that did not.
fn write_coverage(report: &CheckReport, check: &CheckSetup, out: &mut impl Write) -> io::Result<()> {
    let Some(CoverageReport { fired, never }) = &report.coverage else { return Ok(()) };
    let so_far = if report.ran_out.is_some() { " so far" } else { "" };
    if never.is_empty() {
        return labelled("rules", &format!("all {} fired{so_far}", fired.len()), out);
    }
    let (count, rules) = (fired.len(), fired.len() + never.len());
    let heading = format!("{count} of {rules} fired{so_far}; {} explored schedule:", styled(DOUBT, "in no"));
    if never.len() > FEW_RULES && !Presentation::settled().verbose {
        let numbers: Vec<_> = never.iter().map(u8::to_string).collect();
        return labelled("rules", &format!("{heading} {} (-v shows them)", numbers.join(", ")), out);
    }
    labelled("rules", &heading, out)?;
    for &rule in never {
        let text = check.entry.rule(rule).unwrap_or_default();
        fitted(text, &format!("             {rule:>2}  "), "                 ", out)?;
    }
    Ok(())
}

/// Sizes that were checked one after the other.
fn write_sizes(sizes: &[SizeReport], out: &mut impl Write) -> io::Result<()> {
    for (index, size) in sizes.iter().enumerate() {
        let label = if index == 0 { "sizes" } else { "" };
        let (style, limit) = match size.verdict.as_str() {
            "holds" => (GOOD, String::new()),
            "violated" => (BAD, String::new()),
            _ => (DOUBT, size.ran_out.as_ref().map_or(String::new(), |limit| format!(" ({limit})"))),
        };
        let seen = match (size.explored, size.instances) {
            (explored, instances) if explored < instances => format!("{} of {}", grouped(explored), grouped(instances)),
            (_, instances) => grouped(instances),
        };
        let instances = if size.instances == 1 { "instance" } else { "instances" };
        let messages = size.most_messages.map_or(String::new(), |most| format!(", at most {} messages", grouped(most)));
        let never: Vec<_> = size.never.iter().map(u8::to_string).collect();
        let never = match never.len() {
            0 => String::new(),
            1 => format!("; rule {} never fired", never.join(", ")),
            _ => format!("; rules {} never fired", never.join(", ")),
        };
        let (n, verdict, states) = (size.n, styled(style, &size.verdict), grouped(size.states));
        let text = format!(
            "n = {n}: {verdict}{limit}, {seen} {instances}, {states} states{messages}, {:.1} s{never}",
            size.seconds
        );
        labelled(label, &text, out)?;
    }
    Ok(())
}

fn write_counterexample(
    counterexample: &CounterexampleReport,
    report: &CheckReport,
    check: &CheckSetup,
    (shown, all): (&Shown, bool),
    out: &mut impl Write,
) -> io::Result<()> {
    let unit = if check.untimed() { "step" } else { "instant" };
    let ids = counterexample.ids.as_ref().map_or(String::new(), |ids| {
        format!(", identities {}", ids.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
    });
    let orientation =
        counterexample.orientation.as_ref().map_or(String::new(), |digits| format!(", orientation {digits}"));
    writeln!(out)?;
    let (property, steps) = (&counterexample.property, counted(counterexample.steps, unit));
    let heading = if report.random_schedules.is_some() { "counterexample" } else { "shortest counterexample" };
    let heading = styled(BOLD, heading);
    let ports = counterexample.ports.as_ref().map_or(String::new(), |ports| format!(", ports {ports}"));
    fitted(&format!("{heading} to {property}: {steps}{ids}{orientation}{ports}"), "  ", "      ", out)?;
    let ids = counterexample.ids.as_deref().unwrap_or_default();
    let all = all || Presentation::settled().verbose || shown.steps.len() <= FEW_STEPS;
    write_steps(&shown.steps, ids, check.untimed(), all, out)?;
    if let Some(from) = counterexample.repeats_from {
        let silent = !check.untimed() && shown.steps.iter().all(|step| step.time < from as u64);
        let unit = if check.untimed() { "step" } else { "time" };
        let what = if silent { "nothing happens any more" } else { "again and again" };
        writeln!(out, "    …  and from {unit} {from} on {what}")?;
    }
    let rules = shown.steps.iter().flat_map(|step| &step.rules).copied().collect();
    write_rules(&rules, check.entry, out)?;
    writeln!(out)?;
    if let Some(file) = &counterexample.file {
        let name = quoted(&file.display().to_string());
        writeln!(out, "  written    {}  ({} replay {name})", file.display(), program())?;
    }
    if !shown.saved && shown.trouble.is_none() {
        writeln!(out, "  save it    {} --save {}.counterexample.json", report.rerun, check.entry.name())?;
    }
    if let Some(picture) = &shown.picture {
        writeln!(out, "  picture    {}", picture.display())?;
    }
    let others = report.properties.iter().filter(|p| p.verdict == "violated" && p.name != counterexample.property);
    for other in others {
        labelled("not shown", &format!("a counterexample to {}", other.name), out)?;
    }
    if check.instances.len() > 1 {
        let [wrong, of] = [counterexample.instances, check.instances.len()].map(grouped);
        writeln!(out, "  violated   in {wrong} of {of} instances")?;
    }
    Ok(())
}

/// A counterexample with no more steps than this is shown in full.
const FEW_STEPS: usize = 6;

/// Numbered, with what changes; steps in which somebody just wakes, passes a message on or does nothing are folded.
fn write_steps(steps: &[Step], ids: &[u64], untimed: bool, all: bool, out: &mut impl Write) -> io::Result<()> {
    let width = steps.len().to_string().len().max(3);
    let mut index = 0;
    while index < steps.len() {
        let dull = |step: &&Step| !all && routine(step).is_some();
        // The last step is why all the others are shown.
        let folded = steps[index..steps.len() - 1].iter().take_while(dull).count();
        if folded > 1 {
            let line = format!("{:>width$}  {folded} steps: {}", "…", summary(&steps[index..index + folded]));
            writeln!(out, "  {}", styled(DIM, line))?;
            index += folded;
        } else {
            let text = StepText::new(&steps[index], ids);
            let text = if untimed { text.without_time() } else { text };
            let indent = " ".repeat(width + 8);
            fitted(&text.to_string(), &format!("  {:>width$}  ", index + 1), &indent, out)?;
            index += 1;
        }
    }
    Ok(())
}

/// A step that need not be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Routine {
    Wake,
    PassOn,
    TakeIn,
    Nothing,
}

/// The routine of a step, if it is one.
fn routine(step: &Step) -> Option<Routine> {
    if step.reports() {
        return None;
    }
    match (&step.cause, step.effects.as_slice()) {
        (cause, _) if cause.is_fault() => None,
        (Cause::Wake, _) => Some(Routine::Wake),
        (Cause::Receive { .. }, []) => Some(Routine::TakeIn),
        (Cause::Timeout { .. } | Cause::Call { .. }, []) => Some(Routine::Nothing),
        (Cause::Receive { content: received, .. }, [StepEffect::Send { content: sent, .. }]) if received == sent => {
            Some(Routine::PassOn)
        }
        _ => None,
    }
}

/// Messages received without any effect, by place.
fn taken_in(steps: &[Step]) -> Vec<String> {
    let mut by_place: Vec<(u32, Vec<&str>)> = Vec::new();
    for step in steps.iter().filter(|step| routine(step) == Some(Routine::TakeIn)) {
        let Cause::Receive { content, .. } = &step.cause else { continue };
        match by_place.iter_mut().find(|(place, _)| *place == step.place) {
            Some((_, messages)) => messages.push(&content.text),
            None => by_place.push((step.place, vec![&content.text])),
        }
    }
    by_place.iter().map(|(place, messages)| format!("place {place} receives {}", messages.join(", "))).collect()
}

/// A summary of steps that are not shown.
fn summary(steps: &[Step]) -> String {
    let mut parts = Vec::new();
    for what in [Routine::Wake, Routine::PassOn, Routine::TakeIn, Routine::Nothing] {
        if what == Routine::TakeIn {
            parts.extend(taken_in(steps));
            continue;
        }
        let mut places: Vec<u32> = Vec::new();
        for step in steps.iter().filter(|step| routine(step) == Some(what)) {
            if !places.contains(&step.place) {
                places.push(step.place);
            }
        }
        let (one, many) = match what {
            Routine::Wake => ("wakes", "wake"),
            Routine::PassOn => ("forwards a message", "forward messages"),
            Routine::TakeIn | Routine::Nothing => ("does nothing", "do nothing"),
        };
        match places.len() {
            0 => {}
            count => parts.push(format!("{} {}", places_of(&places), if count == 1 { one } else { many })),
        }
    }
    parts.join("; ")
}

/// A figure of a Markov decision process beside what is proved.
fn figure(name: &str, range: &RangeReport, proved: Option<&ProvedReport>, out: &mut impl Write) -> io::Result<()> {
    let text = format!("{}{}", range.text(), beside(proved));
    fitted(&text, &format!("  {name:<28} "), &" ".repeat(31), out)
}

/// Text output of probabilities.
pub(crate) fn probabilities(report: &ProbabilityReport, check: &CheckSetup, out: &mut impl Write) -> io::Result<()> {
    let parameters: Vec<_> = report.parameters.iter().map(|(key, value)| format!(", {key}={value}")).collect();
    let exceeded = if report.is_exceeded() { styled(BAD, "bound exceeded") + ": " } else { String::new() };
    writeln!(out, "{exceeded}{} on {}{}\n", styled(BOLD, &report.protocol), network(check), parameters.concat())?;
    let whichever = if report.scheduled { "minimum to maximum over all fair schedulers" } else { "exact" };
    if report.ran_out.is_none() {
        writeln!(out, "  {}", styled(BOLD, format!("probability, {whichever}")))?;
    }
    for ending in &report.endings {
        figure(&ending.name, &ending.probability, None, out)?;
    }
    if let Some(error) = &report.error {
        figure("more than one leader", &error.probability, error.proved.as_ref(), out)?;
    }
    if let Some(over) = &report.over {
        figure("termination", over, report.over_proved.as_ref(), out)?;
    }
    if !report.means.is_empty() {
        let which = if report.means.iter().any(|mean| mean.variance.is_none()) {
            "; variance where all have the same mean"
        } else {
            ""
        };
        writeln!(out, "\n  {}", styled(BOLD, format!("expected cost, {whichever}{which}")))?;
    }
    for mean in &report.means {
        figure(&mean.of, &mean.mean, mean.proved.as_ref(), out)?;
        if let Some(variance) = &mean.variance {
            figure("  variance", variance, None, out)?;
        }
    }
    if let Some(what) = &report.ran_out {
        writeln!(out, "  {}    {what}", styled(DOUBT, "limit"))?;
    }
    writeln!(out)?;
    labelled("schedules", &schedules(check), out)?;
    writeln!(out, "  explored   {} states, {} transitions", grouped(report.states), grouped(report.transitions))?;
    writeln!(out, "  repeat     {}", report.rerun)
}
