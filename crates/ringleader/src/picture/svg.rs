//! A writer of SVG.

use std::fmt::{self, Display, Write};

use super::theme::{self, Theme};

/// An attribute and its value; one whose value is empty is left out.
pub(crate) type Attribute<'a> = (&'static str, &'a dyn Display);

/// A document, one element per line.
#[derive(Default)]
pub(crate) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Begins an element that holds others.
    pub(crate) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub(crate) fn close(&mut self) {
        let name = self.open.pop().expect("what is closed was opened");
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// An element that holds nothing.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// An element that holds text.
    pub(crate) fn text(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.start(name, attributes);
        self.text.push_str(&format!(">{}</{name}>\n", escaped(text)));
    }

    /// A path with a tooltip.
    pub(crate) fn titled_path(&mut self, path: &str, title: &str) {
        self.start("path", &[("d", &path)]);
        self.text.push_str(&format!("><title>{}</title></path>\n", escaped(title)));
    }

    /// Adds the elements of another document.
    pub(crate) fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// The document.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn start(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        self.text.push_str(&format!("<{name}"));
        for (key, value) in attributes {
            let value = value.to_string();
            if !value.is_empty() {
                self.text.push_str(&format!(" {key}=\"{}\"", escaped(&value)));
            }
        }
    }
}

/// The head of a document: its size, and the text for those who cannot see it.
pub(crate) struct PageHead<'a> {
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    /// What identifiers begin with, so that documents can stand together in one page.
    pub(crate) id: &'a str,
}

impl Svg {
    /// Begins a document: head, style sheet, paper and frame.
    pub(crate) fn begin(&mut self, head: &PageHead<'_>, theme: Theme) {
        let PageHead { width, height, title, description, id } = *head;
        let [title_id, description_id] = ["title", "desc"].map(|name| format!("{id}{name}"));
        self.open(
            "svg",
            &[
                ("xmlns", &"http://www.w3.org/2000/svg"),
                ("viewBox", &format!("0 0 {} {}", Px(width), Px(height))),
                ("width", &Px(width)),
                ("height", &Px(height)),
                ("role", &"img"),
                ("aria-labelledby", &format!("{title_id} {description_id}")),
                ("font-family", &theme::FONTS),
                ("font-size", &12),
                ("fill", &theme.of(theme::INK)),
            ],
        );
        self.text("title", &[("id", &title_id)], title);
        self.text("desc", &[("id", &description_id)], description);
        if let Some(css) = theme.css() {
            self.text("style", &[], &css);
        }
        self.empty(
            "rect",
            &[
                ("x", &"0.5"),
                ("y", &"0.5"),
                ("width", &Px(width - 10)),
                ("height", &Px(height - 10)),
                ("rx", &12),
                ("fill", &theme.of(theme::PAPER)),
                ("stroke", &theme.of(theme::FRAME)),
            ],
        );
    }
}

/// A text in lines no wider than this; a word that is wider is cut.
pub(crate) fn wrapped(text: &str, size: i64, width: i64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let most = (width / text_width("m", size)).max(1) as usize;
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for (index, piece) in letters.chunks(most).enumerate() {
            let piece: String = piece.iter().collect();
            match lines.last_mut() {
                Some(line) if index == 0 && text_width(&format!("{line} {piece}"), size) <= width => {
                    line.push(' ');
                    line.push_str(&piece);
                }
                _ => lines.push(piece),
            }
        }
    }
    lines
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A length in tenths of a pixel.
#[derive(Clone, Copy)]
pub(crate) struct Px(pub(crate) i64);

impl Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_char('-')?;
        }
        let (whole, tenth) = (self.0.unsigned_abs() / 10, self.0.unsigned_abs() % 10);
        if tenth == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{tenth}") }
    }
}

/// The approximate width of a text of this size.
pub(crate) fn text_width(text: &str, size: i64) -> i64 {
    text.chars().count() as i64 * size * 11 / 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_exact_and_short() {
        assert_eq!([0, 10, 25, -5, -120].map(|tenths| Px(tenths).to_string()), ["0", "1", "2.5", "-0.5", "-12"]);
    }

    #[test]
    fn lines_are_no_wider_than_asked_for_and_lose_nothing() {
        assert_eq!(wrapped("one two three", 100, 7 * 55), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 100, 4 * 55), ["abcd", "efgh", "ij k"]);
    }

    #[test]
    fn what_is_open_is_closed_and_what_is_text_stays_text() {
        let mut svg = Svg::default();
        svg.open("g", &[("font-family", &"a \"b\"")]);
        svg.text("text", &[("x", &Px(15)), ("y", &"")], "1 < 2 & 3");
        assert_eq!(
            svg.finish(),
            "<g font-family=\"a &quot;b&quot;\">\n<text x=\"1.5\">1 &lt; 2 &amp; 3</text>\n</g>\n"
        );
    }
}
