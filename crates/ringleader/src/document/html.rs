//! A report as one page that needs nothing else: no script, no font, no picture from anywhere.

use super::{Document, DocumentTable};
use crate::picture::Theme;
use crate::picture::svg::escaped;
use crate::picture::theme::{self, Colour};

/// What a page says about where it is from.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"ringleader report\">";

const STYLE: &str = "\
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 FONTS}
main{max-width:1560px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 16px;overflow-wrap:anywhere}
h2{font-size:19px;margin:40px 0 12px}
h3{font-size:15px;margin:28px 0 8px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0}
dt{color:var(--pale)}
dd{margin:0;overflow-wrap:anywhere}
.figures{display:flex;flex-wrap:wrap;gap:20px}
figure{margin:0;max-width:100%}
svg{display:block;max-width:100%;height:auto}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:5px 12px 5px 0;text-align:right;white-space:nowrap;border-bottom:1px solid var(--frame)}
th{color:var(--pale);font-weight:600;vertical-align:bottom}
td.name,th.name,td.last,th.last{text-align:left}
td.last{white-space:normal;min-width:260px;color:var(--pale)}
pre{overflow-x:auto;padding:14px 16px;background:var(--grid);border-radius:8px;font-size:13px;line-height:1.45}
code{overflow-wrap:anywhere}
summary{cursor:pointer}
footer{margin-top:48px;color:var(--pale);font-size:13px}
";

pub(super) fn text(document: &Document) -> String {
    let Document { title, facts, figures, tables, sources, origin } = document;
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n{GENERATOR}\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        variables(),
        STYLE.replace("FONTS", theme::FONTS)
    );
    page.push_str("<dl>\n");
    let command = ("command", format!("<code>{}</code>", escaped(&origin.command)));
    let version = ("made by", escaped(&origin.version));
    let facts = facts.iter().map(|(name, text)| (*name, escaped(text)));
    let mut before = "";
    for (name, text) in facts.chain([command, version]) {
        page.push_str(&format!("<dt>{}</dt><dd>{text}</dd>\n", if name == before { "" } else { name }));
        before = name;
    }
    page.push_str("</dl>\n");
    if !figures.is_empty() {
        page.push_str("<h2>Figures</h2>\n<div class=\"figures\">\n");
        for (number, (_, chart)) in figures.iter().enumerate() {
            let figure = chart.svg_with_id(&format!("figure-{}-", number + 1), Theme::Auto);
            page.push_str(&format!("<figure>\n{figure}</figure>\n"));
        }
        page.push_str("</div>\n");
    }
    page.push_str("<h2>Tables</h2>\n");
    for one in tables {
        page.push_str(&table(one));
    }
    page.push_str("<h2>Sources</h2>\n<ul>\n");
    for source in sources {
        let (names, title, venue) = (source.names(), source.title, source.venue.to_string());
        let text = format!("{}, <em>{}</em>, {}", escaped(&names), escaped(title), escaped(&venue));
        page.push_str(&format!("<li>{text} [{}]</li>\n", source.key));
    }
    let bibtex = escaped(&document.bibtex());
    page.push_str(&format!("</ul>\n<details><summary>BibTeX</summary>\n<pre>{bibtex}</pre>\n</details>\n"));
    page.push_str(&format!(
        "<footer>Every figure carries the command and the version that made it. Made by <code>{}</code>, {}.</footer>\n",
        escaped(&origin.command),
        escaped(&origin.version)
    ));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// The colours of the page, in both themes.
fn variables() -> String {
    let named = [("paper", theme::PAPER), ("ink", theme::INK), ("pale", theme::PALE), ("frame", theme::FRAME)];
    let all = named.into_iter().chain([("grid", theme::GRID)]);
    let rules = |of: fn(Colour) -> &'static str| {
        all.clone().map(|(name, colour)| format!("--{name}:{};", of(colour))).collect::<String>()
    };
    let (light, dark) = (rules(|colour| colour.light), rules(|colour| colour.dark));
    format!(":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
}

fn table(table: &DocumentTable) -> String {
    let last = table.header.len() - 1;
    let class = |column: usize| match column {
        column if column < table.names => " class=\"name\"",
        column if column == last => " class=\"last\"",
        _ => "",
    };
    let row = |cells: &[String], tag: &str| {
        let cells = cells.iter().enumerate();
        let cells: String =
            cells.map(|(column, cell)| format!("<{tag}{}>{}</{tag}>", class(column), escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = table.rows.iter().map(|cells| row(cells, "td")).collect();
    format!(
        "<h3>{}</h3>\n<div class=\"scroll\"><table>\n<thead>\n{}</thead>\n<tbody>\n{body}</tbody>\n</table></div>\n",
        escaped(&table.title),
        row(&table.header, "th")
    )
}
