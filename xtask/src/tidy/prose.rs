//! What documents, comments and scripts say.

use super::source::{find_word, is_name};
use super::{File, Finding, Tree};

/// Words for what is left to be done; an issue is the place for it.
const REMINDERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// Where the machines are set up on which this is written.
const PLACES: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
/// Where packages come from is each user's own affair.
const REGISTRIES: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("debian", ".org"),
    concat!("artif", "actory"),
];

pub(super) fn no_reminders(tree: &Tree) -> Vec<Finding> {
    search(tree, |line| {
        let found = REMINDERS.iter().find(|word| find_word(line, word).is_some());
        found.map(|word| format!("'{word}': do it, or file it as an issue"))
    })
}

pub(super) fn no_places(tree: &Tree) -> Vec<Finding> {
    search(tree, |line| {
        let starts = |place: &&&str| {
            let before = |at: usize| line[..at].chars().next_back();
            line.match_indices(**place).any(|(at, _)| !before(at).is_some_and(|c| is_name(c) || "./-".contains(c)))
        };
        let place = PLACES.iter().find(starts).map(|place| format!("'{place}' is a path of one machine only"));
        let host = || REGISTRIES.iter().find(|host| line.contains(**host));
        place.or_else(|| host().map(|host| format!("'{host}' is a registry's; say the package's name only")))
    })
}

fn search(tree: &Tree, wrong: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (number, line) in file.text.lines().enumerate() {
            findings.extend(wrong(line).map(|what| Finding::new(&file.path, number + 1, what)));
        }
    }
    findings
}

pub(super) fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is("md")) {
        for (line, target) in targets(&file.text) {
            findings.extend(broken(tree, file, &target).map(|what| Finding::new(&file.path, line, what)));
        }
    }
    findings
}

/// What is wrong with a link, if anything.
fn broken(tree: &Tree, file: &File, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let Some(path) = (if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) }) else {
        return Some(format!("the link to '{target}' leads out of the repository"));
    };
    if !path.is_empty() && !tree.paths.contains(&path) {
        return Some(format!("the link to '{target}' leads nowhere"));
    }
    let document = tree.file(&path).filter(|file| file.is("md"))?;
    let anchor = anchor?;
    let found = document.text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == anchor);
    (!found).then(|| format!("'{path}' has no heading for '#{anchor}'"))
}

/// A path as seen from the root; `None` if it leads out of it.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The anchor of a heading, as forges make it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(|&c| is_name(c) || c == '-' || c == ' ').map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of `[text](target)` and `[name]: target`, with their lines; code is left out.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let code_taken_out: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut rest = code_taken_out.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let end = after.find(')').unwrap_or(after.len());
            let target = after[..end].split_whitespace().next().unwrap_or("");
            targets.push((number + 1, target.trim_matches(['<', '>']).to_string()));
            rest = &after[end..];
        }
        if let Some((_, target)) = code_taken_out.split_once("]: ").filter(|(name, _)| name.starts_with('[')) {
            targets.push((number + 1, target.trim().to_string()));
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: fn(&Tree) -> Vec<Finding>, text: &str) -> usize {
        check(&Tree::of(&[("docs/a.md", text), ("docs/b.md", "# Two Words, `code`\n"), ("c/d.rs", "")])).len()
    }

    #[test]
    fn reminders_are_found() {
        for word in REMINDERS {
            assert_eq!(found(no_reminders, &format!("// {word}: later")), 1);
        }
        assert_eq!(found(no_reminders, "todo is a lint, MASTODON an animal"), 0);
    }

    #[test]
    fn machines_and_registries_are_found() {
        for place in PLACES {
            assert_eq!(found(no_places, &format!("see {place}x")), 1);
            assert_eq!(found(no_places, &format!("see some{place}x")), 0);
        }
        for host in REGISTRIES {
            assert_eq!(found(no_places, &format!("https://{host}/x")), 1);
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let good = "[a](b.md) [a](../c/d.rs) [a](../c/) [a](https://example.net/x) [a](b.md#two-words-code)\n[r]: b.md\n`[a](x)`\n```\n[a](x)\n```\n";
        assert_eq!(found(links, good), 0);
        for bad in [
            "[a](e.md)",
            "[a](c/d.rs)",
            "[a](../../x)",
            "[a](b.md#three)",
            "[a](#none)",
            "[r]: e.md",
            "```\n```\n[a](x)",
        ] {
            assert_eq!(found(links, bad), 1, "{bad}");
        }
    }
}
