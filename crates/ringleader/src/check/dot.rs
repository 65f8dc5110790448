//! `check --dot`: the reachable states of a small instance in Graphviz's format.

use std::fmt::Write as _;

use ringleader_check::{GraphAction, GraphState, GraphTransition, StateGraph};
use ringleader_model::BadSetting;

use super::setup::CheckSetup;
use crate::entry::Case;

/// The most states that are written: more cannot be drawn so that anybody can read it.
const MOST_STATES: usize = 2_000;

/// The beginning of the text, by which it is recognised.
const BEGINNING: &str = "digraph ";

impl CheckSetup {
    /// The graph of its one instance without clocks, as text for Graphviz. The initial state has an arrow from nowhere, quiescent
    /// states are drawn with a double border, and those that violate a property, deadlocks included, in red.
    ///
    /// # Errors
    /// If there is more than one instance, if there are clocks, or if it has more than 2,000 states.
    pub fn dot(&self) -> Result<String, BadSetting> {
        let [instance] = self.instances.as_slice() else {
            let wrong = format!("is given for {} orders and orientations", self.instances.len());
            return Err(BadSetting::new("dot", wrong, "one: --ids, and --orientation on a bidirectional ring"));
        };
        self.refuse_retransmission("--dot")?;
        let scenario = self.scenario_of(instance);
        let case = Case { entry: self.entry, scenario: &scenario, settings: &self.settings, task: None };
        self.entry.graph(&case, &self.wakers, MOST_STATES).map(|graph| dot(&graph, self.entry.name()))
    }
}

/// Whether a text is a graph in Graphviz's format.
pub fn is_dot(text: &str) -> bool {
    text.starts_with(BEGINNING)
}

/// The graph of a protocol, as text for Graphviz.
fn dot(graph: &StateGraph, name: &str) -> String {
    let mut text = format!("{BEGINNING}{} {{\n", quoted(name));
    text += "  node [shape=box, fontname=monospace]\n  start [shape=point]\n  start -> s0\n";
    for (index, state) in graph.states.iter().enumerate() {
        let label: String = lines(state).iter().map(|line| format!("{}\\l", escaped(line))).collect();
        let border = if state.quiescent { ", peripheries=2" } else { "" };
        let color = if state.violating || state.deadlocked { ", color=red" } else { "" };
        let _ = writeln!(text, "  s{index} [label=\"{label}\"{border}{color}]");
    }
    for GraphTransition { from, to, action } in &graph.transitions {
        let _ = writeln!(text, "  s{from} -> s{to} [label={}]", quoted(&label(action)));
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A state in words: its processors, then the links that carry messages.
fn lines(state: &GraphState) -> Vec<String> {
    let mut lines = Vec::new();
    for (place, at) in state.places.iter().enumerate() {
        let mut line = match &at.processor {
            Some(processor) => format!("place {place} {processor}"),
            None => format!("place {place} has crashed"),
        };
        if at.asleep {
            line += ", asleep";
        }
        for timer in &at.timers {
            let _ = write!(line, ", timer {timer}");
        }
        if at.entries > 0 {
            let _ = write!(line, ", requests left {}", at.entries);
        }
        lines.push(line);
    }
    for (from, to, messages) in &state.links {
        lines.push(format!("{from} → {to}: {}", messages.join(", ")));
    }
    lines
}

/// An action in words.
fn label(action: &GraphAction) -> String {
    let (place, what, drawn) = match action {
        GraphAction::Wake(place, drawn) => (place, "wakes".to_string(), drawn),
        GraphAction::Receive(place, message, drawn) => (place, format!("receives {message}"), drawn),
        GraphAction::Timeout(place, timer, drawn) => (place, format!("timer {timer} expires"), drawn),
        GraphAction::Call(place, request, drawn) => (place, format!("is asked to {request}"), drawn),
        GraphAction::Crash(place) => return format!("place {place} crashes"),
        GraphAction::Restart(place, drawn) => (place, "restarts and wakes".to_string(), drawn),
        GraphAction::Cut(one, other) => return format!("the link {one}-{other} is cut"),
        GraphAction::Heal(one, other) => return format!("the link {one}-{other} is cut no more"),
        GraphAction::Loss(to, message) => return format!("{message} to place {to} is lost"),
        GraphAction::Duplicate(to, message) => return format!("{message} to place {to} is duplicated"),
    };
    let drawn: Vec<_> = drawn.iter().map(u32::to_string).collect();
    let drawn = if drawn.is_empty() { String::new() } else { format!(", draws {}", drawn.join(", ")) };
    format!("place {place} {what}{drawn}")
}

#[cfg(test)]
mod tests {
    use ringleader_check::{Effort, Reductions, Wakers, check, state_graph};
    use ringleader_model::{AtMost, Scenario};
    use ringleader_protocols::election::chang_roberts::ChangRoberts;

    use crate::check::{CheckOptions, CheckSetup, is_dot};
    use crate::find;

    fn dot(protocol: &str, ids: &[u64], faults: Option<&str>) -> Result<String, ringleader_model::BadSetting> {
        let mut options = CheckOptions::default();
        options.options.ids = Some(ids.to_vec());
        options.options.faults = faults.map(|faults| faults.parse().expect("they are faults"));
        CheckSetup::new(find(protocol).expect("it is there"), &options)?.dot()
    }

    /// The whole graph of a single processor, worked by hand: it wakes, is elected by its own identity, and the announcement
    /// returns; or its first message is lost.
    #[test]
    fn a_graph_is_written_as_graphviz_reads_it() {
        let text = dot("chang-roberts", &[7], None).expect("it is small");
        let expected = r#"digraph "chang-roberts" {
  node [shape=box, fontname=monospace]
  start [shape=point]
  start -> s0
  s0 [label="place 0 (id: 7, sent: no, done: no), asleep\l"]
  s1 [label="place 0 (id: 7, sent: yes, done: no)\l0 → 0: candidate 7\l"]
  s2 [label="place 0 (id: 7, sent: yes, done: yes)\l0 → 0: elected 7\l"]
  s3 [label="place 0 (id: 7, sent: yes, done: yes)\l", peripheries=2]
  s0 -> s1 [label="place 0 wakes"]
  s1 -> s2 [label="place 0 receives candidate 7"]
  s2 -> s3 [label="place 0 receives elected 7"]
}
"#;
        assert_eq!(text, expected);
        assert!(is_dot(&text));
        let lossy = dot("chang-roberts", &[7], Some("loss:1")).expect("it is small");
        assert!(lossy.contains("[label=\"candidate 7 to place 0 is lost\"]"));
        assert!(lossy.contains("(id: 7, sent: yes, done: no)\\l\", peripheries=2, color=red]"));
    }

    /// Every line is a node or an edge between nodes, and quotes are closed.
    #[test]
    fn graphs_of_other_protocols_are_valid() {
        for protocol in ["peterson", "dolev-klawe-rodeh", "vitanyi", "ricart-agrawala", "lelann"] {
            let text = dot(protocol, &[1, 2], None).unwrap_or_else(|error| panic!("{protocol}: {error}"));
            let inner = text.lines().skip(4).filter(|line| *line != "}");
            let nodes = inner.clone().filter(|line| !line.contains(" -> ")).count();
            assert!(nodes > 4, "{protocol}");
            for line in inner {
                let unquoted: Vec<&str> = line.replace("\\\"", "").leak().split('"').collect();
                let [statement, _, rest] = unquoted[..] else { panic!("{protocol}: {line}") };
                assert!(rest.ends_with(']'), "{protocol}: {line}");
                let names = statement.trim().strip_suffix(" [label=").expect("it has a label").split(" -> ");
                for name in names {
                    let index: usize = name.trim_start_matches('s').parse().expect("it is a state");
                    assert!(index < nodes, "{protocol}: {line}");
                }
            }
        }
        let large = dot("chang-roberts", &[1, 2, 3, 4, 5, 6], None).expect_err("there are too many states");
        assert_eq!(large.wrong, "is given for an instance with more than 2000 states");
    }

    fn scenario(losses: u32) -> Scenario {
        let mut scenario = Scenario { n: 3, ids: vec![3, 1, 2], untimed: true, ..Scenario::default() };
        scenario.faults.at_most = AtMost { losses, ..AtMost::default() };
        scenario
    }

    /// The graph is made by another search than that of a check.
    #[test]
    fn the_graph_has_the_states_of_a_check_without_reductions() {
        for losses in [0, 1] {
            let graph = state_graph(ChangRoberts, &scenario(losses), &Wakers::Anybody, 1000, |_| String::new())
                .expect("it is small");
            let effort = Effort { reductions: Reductions::NONE, ..Effort::default() };
            let answer = check(ChangRoberts, &scenario(losses), &Wakers::Anybody, &effort, &mut |_| true);
            let answer = answer.expect("it can be explored");
            let counts = (graph.states.len() as u64, graph.transitions.len() as u64);
            assert_eq!(counts, (answer.progress.states, answer.progress.transitions));
            let quiescent = graph.states.iter().filter(|state| state.quiescent).count() as u64;
            assert_eq!(quiescent, answer.quiescent);
            assert_eq!(graph.states.iter().any(|state| state.deadlocked), losses > 0);
            assert!(graph.transitions.iter().all(|transition| transition.to > 0), "nothing leads back to the start");
        }
    }

    #[test]
    fn a_large_instance_and_one_with_clocks_are_refused() {
        let refused = |scenario: &Scenario, limit: usize| {
            state_graph(ChangRoberts, scenario, &Wakers::Anybody, limit, |_| String::new())
                .expect_err("it is refused")
                .wrong
        };
        assert_eq!(refused(&scenario(0), 100), "is given for an instance with more than 100 states");
        let timed = Scenario { untimed: false, ..scenario(0) };
        assert_eq!(refused(&timed, 100), "is given for a check with clocks");
    }
}
