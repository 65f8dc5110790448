//! The tables of a report for LaTeX, with booktabs, and its BibTeX as a comment.

use super::{Document, DocumentTable, MADE};

pub(super) fn text(document: &Document) -> String {
    let mut text = format!(
        "% {MADE}.\n% Command: {}\n% Version: {}\n% Needs \\usepackage{{booktabs}}; keys are those of the BibTeX at the end.\n",
        document.origin.command, document.origin.version
    );
    for (number, one) in document.tables.iter().enumerate() {
        text.push_str(&table(document, one, number + 1));
    }
    text.push('\n');
    for line in document.bibtex().lines() {
        text.push_str(&format!("% {line}\n"));
    }
    text
}

fn table(document: &Document, table: &DocumentTable, number: usize) -> String {
    // Bounds are text, which a table of numbers has no room for: their keys are cited in the caption.
    let last = table.header.len() - 1;
    let columns: String = (0..last).map(|column| if column < table.names { 'l' } else { 'r' }).collect();
    let row = |cells: &[String]| {
        format!("    {} \\\\\n", cells[..last].iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" & "))
    };
    let body: String = table.rows.iter().map(|cells| row(cells)).collect();
    let keys: Vec<&str> = document.sources.iter().map(|source| source.key).collect();
    let cite = if keys.is_empty() { String::new() } else { format!(" \\cite{{{}}}", keys.join(",")) };
    let facts: Vec<_> = document.facts.iter().filter(|(name, _)| *name == "runs" || *name == "fixed").collect();
    let facts: Vec<_> = facts.iter().map(|(name, fact)| format!("{name}: {}", escaped(fact))).collect();
    format!(
        "\n\\begin{{table}}\n  \\centering\n  \\caption{{{}{cite}; {}. {}}}\n  \\label{{tab:ringleader-{number}}}\n  \
         \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{}    \\midrule\n{body}    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
        escaped(&table.title),
        facts.join("; "),
        escaped(&document.origin.version),
        row(&table.header)
    )
}

/// Text in which nothing is a command.
fn escaped(text: &str) -> String {
    let one = |letter: char| match letter {
        '\\' => "\\textbackslash{}".to_string(),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{letter}"),
        '~' => "\\textasciitilde{}".to_string(),
        '^' => "\\textasciicircum{}".to_string(),
        '…' => "\\ldots{}".to_string(),
        '−' => "$-$".to_string(),
        '·' => "$\\cdot$".to_string(),
        'γ' => "$\\gamma$".to_string(),
        '⁰'..='⁹' | '¹' | '²' | '³' => {
            format!("$^{}$", "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| digit == letter).unwrap_or(0))
        }
        other => other.to_string(),
    };
    text.chars().map(one).collect()
}
