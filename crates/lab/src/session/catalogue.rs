//! The catalogue of the page: the protocols, the options of a run, and runs worth seeing.

use ringleader::check::suggested_checks;
use ringleader::{AboutParameter, Catalogue, Entry, RUN_OPTIONS, RunOption, about_parameters};
use serde::Serialize;

use super::run_view::problem_words;

/// The catalogue of the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct CatalogueView {
    version: &'static str,
    protocols: Vec<ProtocolView>,
    options: Vec<OptionView>,
    presets: &'static [LabPreset],
}

/// A protocol.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct ProtocolView {
    name: &'static str,
    problem: &'static str,
    problem_words: &'static str,
    /// All problems that it solves.
    problems: &'static [&'static str],
    title: &'static str,
    topology: &'static str,
    idea: &'static str,
    /// Whether its processors have identities.
    identities: bool,
    /// Whether its correctness rests on clocks.
    clocks: bool,
    /// Whether it draws random numbers.
    probabilistic: bool,
    /// Whether a leader's task may follow.
    tasks: bool,
    /// Whether printed rules can be followed that differ from the repaired ones.
    has_printed: bool,
    sources: &'static [&'static str],
    parameters: Vec<AboutParameter>,
    rules: &'static [&'static str],
    errata: Vec<ErratumView>,
    /// Checks to try.
    suggested: Vec<String>,
}

/// An erratum of a source.
#[derive(Debug, Serialize)]
struct ErratumView {
    place: &'static str,
    text: &'static str,
    repair: &'static str,
}

/// An option of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct OptionView {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    short: Option<char>,
    group: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    choices: &'static [&'static str],
    value_name: &'static str,
    help: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    problems: &'static [&'static str],
}

/// A run worth seeing.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LabPreset {
    /// Its name.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// A description in a sentence or two.
    pub text: &'static str,
    /// Its command line.
    pub line: &'static str,
}

/// Runs worth seeing.
pub const PRESETS: &[LabPreset] = &[
    LabPreset {
        name: "worst-order",
        title: "The worst order of Chang and Roberts",
        text: "Identities that fall clockwise: every candidate travels until it meets the greatest, and the ring sends as many \
               messages as it ever can.",
        line: "run chang-roberts -n 12 --order descending",
    },
    LabPreset {
        name: "printed-lock",
        title: "The printed lock that lets two in",
        text: "As printed, a site draws its number before it sleeps. Others have passed that number when it wakes, and two sites \
               are in the critical section together.",
        line: "run spirakis-tampakas-mutex -n 4 --entries 3 --set printed=sleep",
    },
    LabPreset {
        name: "deadlock",
        title: "A ring that deadlocks",
        text: "A printed rule sends the flag the wrong way. The ring falls silent at time 4, and three of five processors never \
               learn the leader.",
        line: "run van-leeuwen-tan -n 5 --set printed=flag --seed 3",
    },
    LabPreset {
        name: "coins",
        title: "Coins on an anonymous ring",
        text: "Processors without identities draw random ones, phase by phase, until one of them is alone with the greatest.",
        line: "run itai-rodeh -n 8",
    },
    LabPreset {
        name: "clocks",
        title: "Clocks beat the bound",
        text: "With clocks of bounded speed, silence is information: candidates move at speeds that depend on their identities, \
               and the ring needs fewer messages than any election without clocks.",
        line: "run vitanyi -n 16",
    },
    LabPreset {
        name: "lost-token",
        title: "A token that is lost",
        text: "Nobody has the token. After a silence that is too long for a token on its way, a processor inserts a new one.",
        line: "run token-ring -n 8 --set tokens=0",
    },
];

impl CatalogueView {
    pub(crate) fn new(catalogue: &Catalogue) -> Self {
        Self {
            version: crate::VERSION,
            protocols: catalogue.iter().map(ProtocolView::new).collect(),
            options: RUN_OPTIONS.iter().map(OptionView::new).collect(),
            presets: PRESETS,
        }
    }
}

impl ProtocolView {
    fn new(entry: &'static dyn Entry) -> Self {
        let description = entry.description();
        Self {
            name: description.name,
            problem: entry.problem(),
            problem_words: problem_words(entry.problem()),
            problems: entry.problems(),
            title: description.title,
            topology: description.assumptions.topology.name(),
            idea: description.idea,
            identities: description.assumptions.identities,
            clocks: description.assumptions.timed,
            probabilistic: description.random,
            tasks: entry.has_tasks(),
            has_printed: !description.departures.is_empty(),
            sources: description.sources,
            parameters: about_parameters(description),
            rules: description.rules,
            errata: description
                .errata
                .iter()
                .map(|erratum| ErratumView { place: erratum.place, text: erratum.wrong, repair: erratum.repair })
                .collect(),
            suggested: suggested_checks(description.name),
        }
    }
}

impl OptionView {
    fn new(option: &RunOption) -> Self {
        Self {
            name: option.name,
            short: option.short,
            group: option.group,
            kind: option.kind.name(),
            choices: option.choices,
            value_name: option.value_name,
            help: option.help,
            problems: option.problems,
        }
    }
}
