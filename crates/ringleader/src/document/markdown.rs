//! A report in Markdown; figures are drawn in text.

use super::{Document, DocumentTable, MADE};

/// The width of figures.
const COLUMNS: usize = 100;

pub(super) fn text(document: &Document) -> String {
    let Document { title, facts, figures, tables, sources, origin } = document;
    let mut text = format!("# {}\n\n", escaped(title));
    for (name, fact) in facts {
        text.push_str(&format!("- {name}: {}\n", escaped(fact)));
    }
    text.push_str(&format!("- command: `{}`\n- made by: {}\n", origin.command, escaped(&origin.version)));
    if !figures.is_empty() {
        text.push_str("\n## Figures\n");
    }
    for (_, chart) in figures {
        text.push_str(&format!("\n```text\n{}```\n", chart.terminal(COLUMNS)));
    }
    text.push_str("\n## Tables\n");
    for one in tables {
        text.push_str(&table(one));
    }
    text.push_str("\n## Sources\n\n");
    for source in sources {
        text.push_str(&format!("- {}, *{}*, {} \\[{}\\]\n", source.names(), source.title, source.venue, source.key));
    }
    text.push_str(&format!("\n```bibtex\n{}```\n\n{MADE}.\n", document.bibtex()));
    text
}

fn table(table: &DocumentTable) -> String {
    let row =
        |cells: &[String]| format!("| {} |\n", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
    let last = table.header.len() - 1;
    let marks = (0..=last).map(|column| if column < table.names || column == last { "---|" } else { "--:|" });
    let marks: String = marks.collect();
    let body: String = table.rows.iter().map(|cells| row(cells)).collect();
    format!("\n### {}\n\n{}|{marks}\n{body}", escaped(&table.title), row(&table.header))
}

/// Text in which nothing is markup.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('*', "\\*").replace('_', "\\_").replace('<', "&lt;")
}
