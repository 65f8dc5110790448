//! Colours, fonts and themes of pictures, as data: whatever else shows runs may use the same.
//!
//! The colours that tell kinds apart are Okabe and Ito's, or lighter and darker shades of them; dashes and patterns tell
//! the same apart without colour.

/// A theme of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
    /// The one that the viewer prefers (`prefers-color-scheme`); light where nobody can tell.
    Auto,
}

impl Theme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Light, Self::Dark, Self::Auto];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Auto => "auto",
        }
    }

    /// A colour as this theme writes it.
    pub const fn of(self, colour: Colour) -> &'static str {
        match self {
            Self::Light | Self::Auto => colour.light,
            Self::Dark => colour.dark,
        }
    }

    /// The style sheet that a picture of this theme needs. Colours are written into the elements, so that a reader of SVG
    /// without CSS shows them; only where the viewer decides, rules replace the light ones by the dark ones.
    pub(crate) fn css(self) -> Option<String> {
        if self != Self::Auto {
            return None;
        }
        let rule = |Colour { light, dark }: &Colour| {
            format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
        };
        let rules: String = COLOURS.iter().map(rule).collect();
        Some(format!("@media (prefers-color-scheme:dark){{{rules}}}"))
    }
}

/// A colour in both themes, as SVG and CSS write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colour {
    /// On the light paper.
    pub light: &'static str,
    /// On the dark paper.
    pub dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

/// The fonts of all text.
pub const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/// The background.
pub const PAPER: Colour = colour("#fdfdfc", "#0d1117");
/// The frame around a picture.
pub const FRAME: Colour = colour("#d8dee4", "#30363d");
/// The lines of the time axis.
pub const GRID: Colour = colour("#eaeef2", "#21262d");
/// The background of an instant that is drawn as if it took time.
pub const INSTANT: Colour = colour("#f3efdf", "#2b2718");
/// The line of a processor.
pub const COLUMN: Colour = colour("#c4ccd4", "#484f58");
/// Text and symbols.
pub const INK: Colour = colour("#24292f", "#e6edf3");
/// Text that is less important.
pub const PALE: Colour = colour("#626a73", "#9198a1");
/// The identity of a leader.
pub const LEADER: Colour = colour("#9a4d00", "#ffb757");
/// The star of a leader, a token, a site in its critical section.
pub const GOLD: Colour = colour("#e69f00", "#e8a30a");
/// A reader inside.
pub const READER: Colour = colour("#5ab4e8", "#4aa8e0");
/// A writer inside.
pub const WRITER: Colour = colour("#d65f02", "#ee7d2d");
/// A site in its trying region.
pub const TRYING: Colour = colour("#a3abb3", "#5d646c");
/// Faults and violations.
pub const RED: Colour = colour("#cf222e", "#ff7b72");
/// The background of a violation.
pub const VIOLATION_BACKGROUND: Colour = colour("#ffd7d5", "#5a1d1d");

/// The look of messages of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// The colour.
    pub colour: Colour,
    /// `stroke-dasharray`; empty for a solid line.
    pub dashes: &'static str,
}

const fn style(light: &'static str, dark: &'static str, dashes: &'static str) -> Style {
    Style { colour: colour(light, dark), dashes }
}

/// Messages that do the work, by kind, in the order in which the protocol declares them.
pub const WORK: [Style; 5] = [
    style("#0072b2", "#58a6ff", ""),
    style("#b3578c", "#e08abb", "10 3"),
    style("#d55e00", "#f0883e", "1 4"),
    style("#56b4e9", "#a5d6ff", "8 3 2 3"),
    style("#7a6200", "#e3d34a", "3 3"),
];
/// Announcements of the result and messages of what follows it, in the same order.
pub const ANNOUNCEMENTS: [Style; 3] =
    [style("#009e73", "#3fcf9f", "6 4"), style("#004d38", "#9be8cf", "2 2"), style("#5b8c00", "#b4e05a", "12 3 2 3")];
/// From few messages to many, in an overview.
pub const DENSITY: [Colour; 6] = [
    colour("#d2e4f4", "#17324e"),
    colour("#b3d2ea", "#1b4a74"),
    colour("#7fb5da", "#20629c"),
    colour("#4693c4", "#2f7fbd"),
    colour("#1b6ca8", "#62a8de"),
    colour("#08406f", "#b8dcfa"),
];

/// Every colour there is.
pub const COLOURS: [Colour; 28] = [
    PAPER,
    FRAME,
    GRID,
    INSTANT,
    COLUMN,
    INK,
    PALE,
    LEADER,
    GOLD,
    READER,
    WRITER,
    TRYING,
    RED,
    VIOLATION_BACKGROUND,
    WORK[0].colour,
    WORK[1].colour,
    WORK[2].colour,
    WORK[3].colour,
    WORK[4].colour,
    ANNOUNCEMENTS[0].colour,
    ANNOUNCEMENTS[1].colour,
    ANNOUNCEMENTS[2].colour,
    DENSITY[0],
    DENSITY[1],
    DENSITY[2],
    DENSITY[3],
    DENSITY[4],
    DENSITY[5],
];

/// The names of the colours that are none of a list.
const NAMED: [(&str, Colour); 14] = [
    ("paper", PAPER),
    ("frame", FRAME),
    ("grid", GRID),
    ("instant", INSTANT),
    ("column", COLUMN),
    ("ink", INK),
    ("pale", PALE),
    ("leader", LEADER),
    ("gold", GOLD),
    ("reader", READER),
    ("writer", WRITER),
    ("trying", TRYING),
    ("red", RED),
    ("violation-background", VIOLATION_BACKGROUND),
];

/// The colours as variables of a style sheet: light, dark where the reader prefers that, and either as `data-theme` says.
pub fn style_sheet() -> String {
    let variables = |theme: Theme, indent: &str| {
        let mut lines = format!("{indent}color-scheme: {};\n", theme.name());
        let mut add =
            |name: &str, colour: Colour| lines.push_str(&format!("{indent}--{name}: {};\n", theme.of(colour)));
        for (name, colour) in NAMED {
            add(name, colour);
        }
        let lists = [("work", WORK.as_slice()), ("announcement", &ANNOUNCEMENTS)];
        for (list, styles) in lists {
            for (index, style) in styles.iter().enumerate() {
                add(&format!("{list}-{index}"), style.colour);
            }
        }
        for (index, colour) in DENSITY.into_iter().enumerate() {
            add(&format!("density-{index}"), colour);
        }
        lines
    };
    let (light, dark) = (variables(Theme::Light, "  "), variables(Theme::Dark, "  "));
    let preferred = variables(Theme::Dark, "    ");
    format!(
        "/* The colours of the pictures, as crates/ringleader/src/picture/theme.rs lists them. */\n\
         :root {{\n{light}  --font: {FONTS};\n}}\n\n\
         @media (prefers-color-scheme: dark) {{\n  :root:not([data-theme=\"light\"]) {{\n{preferred}  }}\n}}\n\n\
         :root[data-theme=\"dark\"] {{\n{dark}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour, after WCAG 2.
    fn luminance(hex: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits")) / 255.0;
        let linear = |c: f64| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_has_the_contrast_of_wcag_aa_in_both_themes() {
        for text in [INK, PALE, LEADER, RED] {
            for theme in [Theme::Light, Theme::Dark] {
                for ground in [PAPER, GRID, INSTANT] {
                    let ratio = contrast(theme.of(text), theme.of(ground));
                    assert!(ratio >= 4.5, "{text:?} on {ground:?}, {theme:?}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn lines_and_bars_stand_out_from_the_paper_in_both_themes() {
        let symbols = COLOURS
            .iter()
            .filter(|colour| ![PAPER, FRAME, GRID, INSTANT, COLUMN, VIOLATION_BACKGROUND].contains(colour));
        for &symbol in symbols.filter(|colour| !DENSITY.contains(colour)) {
            for theme in [Theme::Light, Theme::Dark] {
                let ratio = contrast(theme.of(symbol), theme.of(PAPER));
                assert!(ratio >= 2.1, "{symbol:?}, {theme:?}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn density_grows_with_the_contrast_to_the_paper() {
        for theme in [Theme::Light, Theme::Dark] {
            let ratios = DENSITY.map(|colour| contrast(theme.of(colour), theme.of(PAPER)));
            assert!(ratios.is_sorted() && ratios[0] >= 1.15, "{theme:?}: {ratios:?}");
        }
    }

    #[test]
    fn a_light_colour_has_one_dark_one() {
        for (index, colour) in COLOURS.iter().enumerate() {
            assert!(COLOURS[..index].iter().all(|other| other.light != colour.light), "{colour:?}");
        }
        assert!(Theme::Light.css().is_none() && Theme::Dark.css().is_none());
        let css = Theme::Auto.css().expect("a style sheet");
        assert_eq!(css.matches("fill:").count(), COLOURS.len());
    }
}
