//! Rules about documents, comments and scripts.

use super::source::{find_word, is_name};
use super::{File, TidyFinding, Tree};

/// Reminders of unfinished work, which belongs in an issue.
const REMINDERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// Directories of one machine.
const PLACES: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
/// Hosts of registries: each user configures their own.
const REGISTRIES: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("debian", ".org"),
    concat!("artif", "actory"),
];

pub(super) fn no_reminders(tree: &Tree) -> Vec<TidyFinding> {
    search(tree, |line| {
        let found = REMINDERS.iter().find(|word| find_word(line, word).is_some());
        found.map(|word| format!("'{word}': do it, or file it as an issue"))
    })
}

pub(super) fn no_places(tree: &Tree) -> Vec<TidyFinding> {
    search(tree, |line| {
        let starts = |place: &&&str| {
            let before = |at: usize| line[..at].chars().next_back();
            line.match_indices(**place).any(|(at, _)| !before(at).is_some_and(|c| is_name(c) || "./-".contains(c)))
        };
        let place = PLACES.iter().find(starts).map(|place| format!("'{place}' is a path of one machine"));
        let host = || REGISTRIES.iter().find(|host| line.contains(**host));
        place.or_else(|| host().map(|host| format!("'{host}' is a registry's address; name the package only")))
    })
}

/// The most columns of a line in a document.
const MOST_COLUMNS: usize = 132;

/// Table rows, code blocks and link targets do not count, since they cannot be wrapped.
pub(super) fn line_lengths(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| is_document(file)) {
        for (number, line) in outside_code_blocks(&file.text) {
            let columns = without_link_targets(line).chars().count();
            if columns > MOST_COLUMNS && !line.trim_start().starts_with('|') {
                let what = format!("has {columns} columns; allowed: {MOST_COLUMNS}");
                findings.push(TidyFinding::new(&file.path, number, what));
            }
        }
    }
    findings
}

/// Documents lie in the root of the repository or in one of a few directories.
fn is_document(file: &File) -> bool {
    let directories = [".github/", "docs/", "examples/"];
    let placed = !file.path.contains('/') || directories.iter().any(|directory| file.path.starts_with(directory));
    file.is("md") && placed
}

/// The lines outside fenced blocks, numbered from 1.
fn outside_code_blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((number + 1, line))
    })
}

/// A line without link targets, which stand between `](` and `)` or after `]: `, and without addresses.
fn without_link_targets(line: &str) -> String {
    let mut pieces = line.split("](");
    let mut kept = pieces.next().unwrap_or("").to_string();
    for piece in pieces {
        kept.push_str("](");
        kept.push_str(piece.find(')').map_or("", |end| &piece[end..]));
    }
    if kept.starts_with('[')
        && let Some((name, _)) = kept.split_once("]: ")
    {
        return format!("{name}]: ");
    }
    kept.split(' ').filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ")
}

fn search(tree: &Tree, wrong: impl Fn(&str) -> Option<String>) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        for (number, line) in file.text.lines().enumerate() {
            findings.extend(wrong(line).map(|what| TidyFinding::new(&file.path, number + 1, what)));
        }
    }
    findings
}

pub(super) fn links(tree: &Tree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.is("md")) {
        for (line, target) in targets(&file.text) {
            findings.extend(broken(tree, file, &target).map(|what| TidyFinding::new(&file.path, line, what)));
        }
    }
    findings
}

/// The defect of a link, if it has one.
fn broken(tree: &Tree, file: &File, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let Some(path) = (if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) }) else {
        return Some(format!("the link to '{target}' leaves the repository"));
    };
    if !path.is_empty() && !tree.paths.contains(&path) {
        return Some(format!("the link to '{target}' has no target"));
    }
    let document = tree.file(&path).filter(|file| file.is("md"))?;
    let anchor = anchor?;
    let found = document.text.lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == anchor);
    (!found).then(|| format!("'{path}' has no heading for '#{anchor}'"))
}

/// A path relative to the root; `None` if it leaves the repository.
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

/// The targets of `[text](target)` and `[name]: target`, with their lines, outside code.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    for (number, line) in outside_code_blocks(text) {
        let code_taken_out: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut rest = code_taken_out.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let end = after.find(')').unwrap_or(after.len());
            let target = after[..end].split_whitespace().next().unwrap_or("");
            targets.push((number, target.trim_matches(['<', '>']).to_string()));
            rest = &after[end..];
        }
        if let Some((_, target)) = code_taken_out.split_once("]: ").filter(|(name, _)| name.starts_with('[')) {
            targets.push((number, target.trim().to_string()));
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(check: fn(&Tree) -> Vec<TidyFinding>, text: &str) -> usize {
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
    fn long_lines_are_found() {
        let (fits, long) = ("é".repeat(MOST_COLUMNS), "é".repeat(MOST_COLUMNS + 1));
        assert_eq!(found(line_lengths, &fits), 0);
        assert_eq!(found(line_lengths, &format!("a\n{long}\n")), 1);
        assert_eq!(found(line_lengths, &format!("| {long} |\n```console\n{long}\n```\n")), 0);
        assert_eq!(found(line_lengths, &format!("```\n```\n{long}\n")), 1);
        for link in [format!("see [a]({long}), b"), format!("[a]: {long}"), format!("see https://{long} for b")] {
            assert_eq!(found(line_lengths, &link), 0, "{link}");
        }
        assert_eq!(found(line_lengths, &format!("[a](b) {long}")), 1);
        let elsewhere = [("experiments/a/README.md", long.as_str()), ("LICENSE-MIT", &long), ("a.rs", &long)];
        assert!(line_lengths(&Tree::of(&elsewhere)).is_empty());
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
