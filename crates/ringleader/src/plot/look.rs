//! The look of series: colour and shape both tell them apart.

use ringleader_model::BoundKind;

use crate::picture::theme::{self, ANNOUNCEMENTS, Style, WORK};

/// Okabe and Ito's colours, the most different first.
const STYLES: [Style; 8] =
    [WORK[0], WORK[2], ANNOUNCEMENTS[0], WORK[1], WORK[3], WORK[4], ANNOUNCEMENTS[1], ANNOUNCEMENTS[2]];

/// Markers, and whether they are drawn as an outline.
const SHAPES: [(&str, bool); 8] = [
    ("M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z", false),
    ("M-4-4H4V4H-4Z", false),
    ("M0-5.2 5 3.8H-5Z", false),
    ("M0-5.5 5.5 0 0 5.5-5.5 0Z", false),
    ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z", true),
    ("M-3.6-3.6H3.6V3.6H-3.6Z", true),
    ("M0 5.2 5-3.8H-5Z", false),
    ("M0-5 5 0 0 5-5 0Z", true),
];

/// The same markers in a terminal.
const LETTERS: [char; 8] = ['●', '■', '▲', '◆', '○', '□', '▼', '◇'];

/// The colour of a series.
pub(super) const fn style(series: usize) -> Style {
    STYLES[series % STYLES.len()]
}

/// The marker of a series: beyond eight, colours come again with another shape.
pub(super) const fn shape(series: usize) -> (&'static str, bool) {
    SHAPES[(series + series / STYLES.len()) % SHAPES.len()]
}

/// The marker of a series in a terminal.
pub(super) const fn letter(series: usize) -> char {
    LETTERS[(series + series / STYLES.len()) % LETTERS.len()]
}

/// The dashes of a bound.
pub(super) const fn dashes(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::Worst | BoundKind::Exact => "8 4",
        BoundKind::Mean => "2 3",
        BoundKind::Best => "8 3 2 3",
    }
}

/// The style of a vertical line across a histogram.
pub(super) const fn mark(number: usize) -> Style {
    const MARKS: [Style; 4] = [
        Style { colour: theme::RED, dashes: "" },
        Style { colour: theme::INK, dashes: "8 4" },
        Style { colour: theme::LEADER, dashes: "2 3" },
        Style { colour: theme::PALE, dashes: "8 3 2 3" },
    ];
    MARKS[number % MARKS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_64_series_look_the_same() {
        let looks: Vec<_> = (0..64).map(|series| (style(series).colour.light, shape(series).0)).collect();
        assert!(looks.iter().enumerate().all(|(index, look)| !looks[..index].contains(look)));
        let letters: Vec<_> = (0..8).map(letter).collect();
        assert!((0..8).all(|index| !letters[..index].contains(&letters[index])));
    }
}
