//! Pictures of whole runs.

use ringleader_model::Task;
use ringleader_sim::Choices;

use super::*;
use crate::execution::Execution;
use crate::options::{Options, TimingName, processors, ring};

fn set_up(protocol: &str, options: &Options) -> (Setup, Execution) {
    let setup =
        crate::find(protocol).expect("it is there").set_up(options.clone(), &[]).expect("the options are right");
    let mut execution = Execution::new(&setup, Choices::Drawn).expect("the set-up is right");
    execution.run.log();
    (setup, execution)
}

/// The picture of a run, recorded in slices.
fn picture(protocol: &str, options: &Options, theme: Theme) -> String {
    let (setup, mut execution) = set_up(protocol, options);
    let mut recording = Recording::new(&setup.scenario);
    let mut over = false;
    while !over {
        over = execution.advance(100);
        recording.extend(execution.run.take_log());
    }
    let summary = execution.run.summary();
    recording.draw(&run_info(&setup, &summary, &setup.command_line()), theme)
}

fn set(options: Options, key: &str, value: &str) -> Options {
    Options { set: vec![(key.to_string(), value.to_string())], ..options }
}

/// One run of every look.
fn looks() -> Vec<(&'static str, Options)> {
    let task = Options { then: Some(Task::Size), ..processors(4) };
    let faults = |faults: &str| Options { faults: faults.parse().ok(), max_messages: Some(500), ..processors(6) };
    let intervened = |all: &str| Options { intervene: all.parse().ok(), ..processors(6) };
    let untimed = Options { timing: Some(TimingName::Untimed), entries: Some(1), ..processors(3) };
    vec![
        ("chang-roberts", task),
        ("chang-roberts", faults("duplicate:1/4")),
        ("chang-roberts", faults("crash:2@3")),
        ("chang-roberts", faults("crash:2@3,restart:2@5,restart:4@2")),
        ("chang-roberts", faults("pause:1@2+4,cut:5-0@2..5")),
        ("peterson", faults("loss:1/10")),
        ("peterson", intervened("2:delay:30,3:drop,5:duplicate,6:delay:40,6:duplicate")),
        ("all-to-all", processors(12)),
        ("vitanyi", processors(12)),
        ("vitanyi", Options { d: "0@0,0..9@2".parse().ok(), ..processors(12) }),
        ("ricart-agrawala", processors(5)),
        ("ricart-agrawala", untimed),
        ("spirakis-tampakas-mutex", set(processors(4), "rules", "printed")),
        ("spirakis-tampakas-readers-writers", processors(6)),
        ("lamport-readers-writers", processors(3)),
        ("token-ring", set(processors(8), "tokens", "4")),
        ("chang-roberts", processors(300)),
        ("ricart-agrawala", Options { entries: Some(1), ..processors(70) }),
    ]
}

/// The elements of a document, with the depth at which each begins; panics if it is not well-formed.
fn elements(svg: &str) -> Vec<(usize, &str)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "text is escaped: {text}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "the element that was begun last ends first");
        } else {
            assert!(tag.matches('"').count().is_multiple_of(2), "values are quoted: {tag}");
            found.push((open.len(), tag));
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "every element ends: {open:?}");
    found
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// The points that a path of absolute commands begins with.
fn starts(path: &str) -> Vec<(f64, f64)> {
    let moves = path.split('M').skip(1).map(|rest| rest.split(|letter: char| letter.is_alphabetic()).next());
    let pair = |text: &str| text.trim().split_once(' ').map(|(x, y)| (number(x), number(y)));
    moves.map(|start| start.and_then(pair).expect("two numbers")).collect()
}

#[test]
fn every_picture_is_well_formed_and_stays_on_its_page() {
    for (protocol, options) in looks() {
        for theme in Theme::ALL {
            let svg = picture(protocol, &options, theme);
            let elements = elements(&svg);
            let page = elements[0].1;
            let (width, height) = (
                number(attribute(page, "width").expect("a width")),
                number(attribute(page, "height").expect("a height")),
            );
            let inside = |x: f64, y: f64| (0.0..=width).contains(&x) && (0.0..=height).contains(&y);
            // Symbols of the legend and along columns are drawn around a point of their own.
            let mut moved = Vec::new();
            for &(depth, tag) in &elements {
                moved.retain(|&outer| outer < depth);
                if let Some(place) = attribute(tag, "transform").and_then(|text| text.strip_prefix("translate(")) {
                    let (x, y) = place.trim_end_matches(')').split_once(' ').expect("two numbers");
                    assert!(!moved.is_empty() || inside(number(x), number(y)), "{protocol}: {tag}");
                    moved.push(depth);
                }
                if !moved.is_empty() {
                    continue;
                }
                if let (Some(x), Some(y)) = (attribute(tag, "x"), attribute(tag, "y")) {
                    assert!(inside(number(x), number(y)), "{protocol}: {tag}");
                }
                for (x, y) in attribute(tag, "d").map_or(Vec::new(), starts) {
                    assert!(inside(x, y), "{protocol}: {tag}");
                }
            }
        }
    }
}

#[test]
fn the_same_run_has_the_same_picture_whatever_the_slices() {
    for (protocol, options) in looks() {
        let (setup, mut execution) = set_up(protocol, &options);
        execution.finish(&());
        let (summary, steps) = (execution.run.summary(), execution.run.take_log());
        let whole = draw(&setup, &summary, &steps, &setup.command_line(), Theme::Light);
        assert!(whole == picture(protocol, &options, Theme::Light), "{protocol}");
    }
}

#[test]
fn every_colour_is_one_of_the_theme() {
    for (protocol, options) in looks() {
        for theme in [Theme::Light, Theme::Dark] {
            let svg = picture(protocol, &options, theme);
            for (_, tag) in elements(&svg) {
                for colour in ["fill", "stroke"].into_iter().filter_map(|name| attribute(tag, name)) {
                    let known = colour == "none" || theme::COLOURS.iter().any(|&one| theme.of(one) == colour);
                    assert!(known, "{protocol}: {tag}");
                }
            }
        }
    }
}

/// The texts of the legend.
fn legend(svg: &str) -> Vec<&str> {
    let entries = svg.split("<text x=\"34\">").skip(1);
    entries.map(|rest| rest.split_once('<').expect("the text ends").0).collect()
}

#[test]
fn a_legend_has_what_is_drawn_and_nothing_else() {
    let task = Options { then: Some(Task::Size), ..ring([3, 1, 4, 2]) };
    let expected = [
        "candidate (8×)",
        "elected 4 (4×)",
        "count (4×)",
        "led to the leader",
        "discarded",
        "elected",
        "learns the leader",
        "the leader's task",
    ];
    assert_eq!(legend(&picture("chang-roberts", &task, Theme::Light)), expected);
    let lone = picture("token-ring", &processors(4), Theme::Light);
    assert_eq!(legend(&lone), ["token (13×)", "in flight", "has a token"]);
    let sharing = Options { entries: Some(1), ..processors(2) };
    assert_eq!(
        legend(&picture("ricart-agrawala", &sharing, Theme::Light)),
        ["request osn 1 id … (2×)", "reply (2×)", "requests", "trying", "in its critical section"]
    );
}

#[test]
fn what_is_done_to_messages_is_marked() {
    let marks = |intervene: &str| {
        let svg =
            picture("chang-roberts", &Options { intervene: intervene.parse().ok(), ..ring([3, 1, 2]) }, Theme::Light);
        ["lost", "delayed or held", "duplicated"].map(|mark| legend(&svg).contains(&mark))
    };
    assert_eq!(marks("none"), [false, false, false]);
    assert_eq!(marks("2:drop,9:delay:3"), [true, false, false]);
    assert_eq!(marks("2:until:9"), [false, true, false]);
    assert_eq!(marks("1:delay:9,3:duplicate"), [false, true, true]);
}

#[test]
fn kinds_have_the_order_and_the_style_of_their_declaration() {
    // In a run of one processor there is no second value; of Vitányi's kinds the second is the most frequent.
    let expected = [
        ("peterson", 1, ["first 1", "announcement 1"]),
        ("peterson", 4, ["first", "second"]),
        ("vitanyi", 12, ["wakeup", "election id …"]),
    ];
    for (protocol, n, expected) in expected {
        let svg = picture(protocol, &processors(n), Theme::Light);
        let shown = legend(&svg);
        let names: Vec<&str> = shown.iter().map(|text| text.split(" (").next().unwrap_or(text)).collect();
        assert_eq!(names[..2], expected);
        let (before, _) = svg.split_once(&format!(">{}<", shown[0])).expect("it is in the legend");
        let arrow = before.rsplit("<g ").next().expect("the entry");
        assert!(arrow.contains(theme::WORK[0].colour.light), "{protocol}: {arrow}");
    }
}

#[test]
fn an_instant_that_is_stretched_is_marked() {
    let text = "a single instant, stretched";
    let stretched = picture("vitanyi", &processors(12), Theme::Light);
    assert!(legend(&stretched).contains(&text), "wakeups are discarded in the instant of their sending");
    assert_eq!(stretched.matches(theme::INSTANT.light).count(), 2 + 1, "time 0, time 46 and the legend");
    assert!(!legend(&picture("chang-roberts", &processors(12), Theme::Light)).contains(&text));
}

#[test]
fn a_task_after_an_election_does_not_hide_its_leader() {
    let election = picture("chang-roberts", &processors(4), Theme::Light);
    let task = picture("chang-roberts", &Options { then: Some(Task::Size), ..processors(4) }, Theme::Light);
    for svg in [election, task] {
        assert!(legend(&svg).contains(&"elected") && legend(&svg).contains(&"led to the leader"));
    }
}

/// The text of a document.
fn text(svg: &str) -> String {
    let parts = svg.split('<').filter_map(|part| part.split_once('>'));
    parts.flat_map(|(_, text)| text.split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[test]
fn larger_runs_are_shown_as_an_overview_or_by_their_first_entries() {
    let overview = text(&picture("chang-roberts", &processors(65), Theme::Light));
    assert!(overview.contains("Overview of ") && overview.contains("Elected at time 65: "), "{overview}");
    let whole = text(&picture("chang-roberts", &processors(64), Theme::Light));
    assert!(!whole.contains("Overview of "));
    let first = text(&picture("ricart-agrawala", &processors(16), Theme::Light));
    assert!(first.contains("First 6 of 320 entries, time 0 to "), "9,600 messages are too many");
}

#[test]
fn a_violation_after_the_first_entries_is_shown_too() {
    let options = Options { seed: Some(2), entries: Some(40), ..set(processors(3), "rules", "printed") };
    let late = text(&picture("spirakis-tampakas-mutex", &options, Theme::Light));
    assert!(late.contains("around the first violation") && late.contains("inside together"), "{late}");
}

#[test]
fn chang_and_roberts_on_four() {
    insta::assert_snapshot!(picture("chang-roberts", &ring([3, 1, 4, 2]), Theme::Light));
}

#[test]
fn readers_and_writers_with_a_lock() {
    let options = Options { entries: Some(1), ..processors(3) };
    insta::assert_snapshot!(picture("spirakis-tampakas-readers-writers", &options, Theme::Dark));
}

#[test]
fn two_tokens_become_one() {
    insta::assert_snapshot!(picture("token-ring", &set(processors(5), "tokens", "2"), Theme::Light));
}

#[test]
fn sites_inside_together() {
    let options = Options { entries: Some(3), ..set(processors(4), "rules", "printed") };
    let svg = picture("spirakis-tampakas-mutex", &options, Theme::Light);
    assert!(svg.contains("inside together"));
    insta::assert_snapshot!(svg);
}

#[test]
fn an_overview_of_two_hundred() {
    insta::assert_snapshot!(picture("chang-roberts", &processors(200), Theme::Auto));
}

#[test]
fn runs_of_all_looks_move_and_large_ones_do_not() {
    for (protocol, options) in looks() {
        let (setup, mut execution) = set_up(protocol, &options);
        let mut recording = Recording::new(&setup.scenario);
        while !execution.advance(100) {
            recording.extend(execution.run.take_log());
        }
        recording.extend(execution.run.take_log());
        let summary = execution.run.summary();
        let info = run_info(&setup, &summary, &setup.command_line());
        let moving = recording.animate(&info, Theme::Auto);
        assert_eq!(moving.is_some(), setup.scenario.n <= Recording::MOST_PLACES, "{protocol}");
        let Some(svg) = moving else { continue };
        assert!(is_picture(&svg), "{protocol}");
        // Each animated element has its keyframes, and each keyframe its element.
        let (names, ids) = (svg.matches("@keyframes ").count(), svg.matches(" id=\"a").count());
        assert_eq!(names, ids, "{protocol}");
        assert!(names as u64 >= summary.cost.messages().min(5), "{protocol}");
    }
}
