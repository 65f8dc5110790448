//! The tour can be walked to its end, its questions have one right answer each, and the quiz counts.

use serde_json::json;

use super::LabPage;

/// The stops, and how many answers each offers.
const STOPS: [(&str, usize); 6] = [
    ("What an election is", 4),
    ("Why N²", 4),
    ("Why N log N", 4),
    ("How clocks break that bound", 4),
    ("Coins on an anonymous ring", 4),
    ("The printed lock that lets two in", 3),
];

fn button(page: &mut LabPage, name: &str) {
    page.js(&format!(
        "[...document.querySelectorAll('nav.menu button')].find((button) => button.textContent === '{name}').click()"
    ));
}

/// Answers the question of a stop, and goes to where the run shows the truth: whether the answer was right, and what is told.
fn answered(page: &mut LabPage, answer: usize) -> (bool, String) {
    page.js(&format!("document.querySelectorAll('.teach-answer input')[{answer}].click()"));
    page.js("document.querySelector('.teach-question [type=submit]').click()");
    page.wait_for("lab.ahead.over");
    page.js("[...document.querySelectorAll('.teach-controls button')].find((one) => one.textContent === 'To the end').click()");
    page.wait_for("document.querySelector('.teach-verdict')");
    let right = page.js("document.querySelector('.teach-verdict').dataset.right") == "true";
    (right, page.text("document.querySelector('#tour').innerText"))
}

#[test]
fn the_tour_can_be_walked_to_its_end() {
    let Some(mut page) = LabPage::start() else { return };
    button(&mut page, "Tour");
    for (stop, (title, answers)) in STOPS.into_iter().enumerate() {
        let mut rights = Vec::new();
        for answer in 0..answers {
            page.js(&format!("document.querySelectorAll('.teach-dot')[{stop}].click()"));
            assert_eq!(page.text("document.querySelector('#tour h2').textContent"), title);
            assert_eq!(page.js("document.querySelectorAll('.teach-answer').length"), answers, "{title}");
            // Nothing is shown before the answer.
            assert_eq!(page.js("lab.position.move"), 0, "{title}");
            let (right, told) = answered(&mut page, answer);
            assert!(!told.contains('–') && !told.contains("NaN") && !told.contains("undefined"), "{title}: {told}");
            rights.push(right);
        }
        assert_eq!(rights.iter().filter(|right| **right).count(), 1, "{title}: {rights:?}");
    }
    // From the first stop on, by its own buttons.
    page.js("document.querySelectorAll('.teach-dot')[0].click()");
    for (title, _) in STOPS {
        assert_eq!(page.text("document.querySelector('#tour h2').textContent"), title);
        answered(&mut page, 2);
        page.js("document.querySelector('.teach-next').click()");
    }
    page.wait_for("document.querySelector('#tour').hidden");
    page.assert_clean();
}

/// The numbers are those of the papers: they are worked out by hand, and measured while the run is played.
#[test]
fn the_tour_measures_what_the_papers_say() {
    let Some(mut page) = LabPage::start() else { return };
    button(&mut page, "Tour");
    let expected = [
        // 3, 1, 4, 2: 8 candidates, at most 4·5/2; one announcement over each link.
        json!([["8", "10"], ["4", "4"]]),
        // 12 + 11 + … + 1.
        json!([["78", "78"], ["12", "12"]]),
        // Five rounds of two messages on each of 32 links, and the turn that finds the winner.
        json!([["352", "352"], ["6", "6"]]),
    ];
    for (stop, expected) in expected.into_iter().enumerate() {
        page.js(&format!("document.querySelectorAll('.teach-dot')[{stop}].click()"));
        answered(&mut page, 0);
        let rows = page.js("[...document.querySelector('.teach-facts table').tBodies[0].rows].map((row) =>
               [row.querySelector('.num').textContent, row.querySelector('strong').textContent])");
        assert_eq!(rows, expected, "{}", STOPS[stop].0);
    }
    // Half of the active processors are left after each round.
    let left = page.js("[...document.querySelectorAll('.teach-facts table')].at(-1).innerText.match(/\\d+\\t(\\d+)/g)
        .map((row) => Number(row.split('\\t')[1]))");
    assert_eq!(left, json!([32, 16, 8, 4, 2, 1]));
    page.assert_clean();
}

#[test]
fn the_quiz_counts_right_answers() {
    let Some(mut page) = LabPage::start() else { return };
    page.open("run chang-roberts --ids 3,1,4,2");
    button(&mut page, "Quiz");
    // All wake and send; then 3 discards 2, 1 forwards 3, and so on.
    let truth = ["send", "send", "send", "send", "discard", "forward", "discard", "forward", "forward"];
    for (index, pick) in truth.into_iter().enumerate() {
        assert_eq!(page.js("lab.position.move"), index, "the question is asked before the step");
        page.js(&format!("document.querySelector('.quiz-pick[data-pick={pick}]').click()"));
        assert_eq!(page.js("document.querySelector('.teach-verdict').dataset.right"), "true", "{index}: {pick}");
        assert_eq!(page.js("lab.position.move"), index + 1);
        page.js("document.querySelector('.quiz-next').click()");
    }
    // 4 discards 3. A wrong answer is counted.
    page.js("document.querySelector('.quiz-pick[data-pick=send]').click()");
    assert_eq!(page.js("document.querySelector('.teach-verdict').dataset.right"), "false");
    assert_eq!(page.text("document.querySelector('.quiz-score').textContent"), "9 of 10 answers right.");
    // Whoever is selected is asked about: identity 4 is elected by its own identity, which it answers with an announcement.
    page.js("lab.select({ processor: 2 })");
    let mut picks = Vec::new();
    while page.js("document.querySelector('.quiz-pick:not(:disabled)') !== null") == true {
        page.js("document.querySelector('.quiz-pick[data-pick=decide]').click()");
        assert_eq!(page.js("lab.position.step.place"), 2);
        picks.push(page.js("document.querySelector('.teach-verdict').dataset.right") == "true");
        page.js("document.querySelector('.quiz-next').click()");
    }
    assert_eq!(picks.iter().filter(|right| **right).count(), 1, "{picks:?}");
    page.assert_clean();
}

/// Every protocol has steps that the quiz can ask about, and each is one of those that it offers.
#[test]
fn the_quiz_has_questions_about_every_protocol() {
    let Some(mut page) = LabPage::start() else { return };
    button(&mut page, "Quiz");
    for entry in ringleader::catalogue() {
        page.js(&format!("lab.open({{ line: 'run {} -n 4' }})", entry.name()));
        page.wait_for("document.querySelector('.quiz-pick:not(:disabled)')");
        let prompt = page.text("document.querySelector('.quiz-prompt').innerText");
        assert!(prompt.contains("lace "), "{}: {prompt}", entry.name());
        page.js("document.querySelector('.quiz-pick[data-pick=send]').click()");
        let told = page.text("document.querySelector('#quiz .teach-told').innerText");
        assert!(told.contains("Rule "), "{}: {told}", entry.name());
    }
    page.assert_clean();
}
