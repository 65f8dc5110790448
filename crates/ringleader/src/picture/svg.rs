//! A writer of SVG.

use std::fmt::{self, Display, Write};

/// An attribute and its value; one whose value is empty is left out.
pub(super) type Attribute<'a> = (&'static str, &'a dyn Display);

/// A document, one element per line.
#[derive(Default)]
pub(super) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// Begins an element that holds others.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub(super) fn close(&mut self) {
        let name = self.open.pop().expect("what is closed was opened");
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// An element that holds nothing.
    pub(super) fn empty(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// An element that holds text.
    pub(super) fn text(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.start(name, attributes);
        self.text.push_str(&format!(">{}</{name}>\n", escaped(text)));
    }

    /// A path with a tooltip.
    pub(super) fn titled_path(&mut self, path: &str, title: &str) {
        self.start("path", &[("d", &path)]);
        self.text.push_str(&format!("><title>{}</title></path>\n", escaped(title)));
    }

    /// Adds the elements of another document.
    pub(super) fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// The document.
    pub(super) fn finish(mut self) -> String {
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A length in tenths of a pixel.
#[derive(Clone, Copy)]
pub(super) struct Px(pub(super) i64);

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
pub(super) fn text_width(text: &str, size: i64) -> i64 {
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
