//! Heat maps: a value for every pair, as a shade and as a number.

use super::canvas::{Canvas, LegendSample, MARGIN, WIDTH, label_width};
use super::scale::number_text;
use crate::picture::svg::Px;
use crate::picture::theme::{self, Colour, DENSITY};

/// The shades, from few to many; text is legible on each of them in both themes.
const SHADES: [Colour; 5] = [DENSITY[0], DENSITY[1], DENSITY[2], DENSITY[4], DENSITY[5]];
/// From this shade on text is written in the colour of the paper.
const DEEP: usize = 3;
/// The height of a cell.
const ROW: i64 = 420;
/// The size of labels.
const SIZE: i64 = 120;

/// A value for every pair.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatMap {
    /// The quantity.
    pub label: String,
    /// The name of what varies from left to right.
    pub across: String,
    /// Its values.
    pub columns: Vec<String>,
    /// The name of what varies from the top down.
    pub down: String,
    /// Its values.
    pub rows: Vec<String>,
    /// The values, row by row; those that were not measured are left blank.
    pub values: Vec<Vec<Option<f64>>>,
}

impl HeatMap {
    /// The ends of the shades: equal ratios where the greatest value is at least eight times the least, else equal differences.
    pub(super) fn limits(&self) -> Vec<f64> {
        let known = || self.values.iter().flatten().flatten().copied().filter(|value| value.is_finite());
        let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
        if least >= most || least.is_infinite() {
            return Vec::new();
        }
        let steps = SHADES.len() as f64;
        (0..=SHADES.len())
            .map(|step| match step as f64 / steps {
                part if least > 0.0 && most >= 8.0 * least => least * (most / least).powf(part),
                part => least + (most - least) * part,
            })
            .collect()
    }

    /// The shade of a value.
    pub(super) fn shade(limits: &[f64], value: f64) -> usize {
        let inner = limits.get(1..limits.len().saturating_sub(1)).unwrap_or_default();
        inner.iter().filter(|&&limit| value >= limit).count()
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        let limits = self.limits();
        let widest = self.rows.iter().map(|row| label_width(row, SIZE)).max().unwrap_or(0);
        let left = MARGIN + widest.max(label_width(&self.down, SIZE)) + 120;
        let columns = self.columns.len().max(1) as i64;
        let wide = (self.columns.iter().map(|name| label_width(name, SIZE)))
            .chain(self.values.iter().flatten().flatten().map(|&value| label_width(&number_text(value), SIZE)))
            .max()
            .unwrap_or(0)
            + 120;
        let column = ((WIDTH - MARGIN - left) / columns).clamp(wide.min((WIDTH - MARGIN - left) / columns), 1_100);
        let labelled = wide <= column;
        let top = canvas.y + 560;
        canvas.text((left, top - 280), "", SIZE, theme::INK, &self.across);
        canvas.text((left - 120, top - 90), "end", SIZE, theme::INK, &self.down);
        if labelled {
            for (index, name) in self.columns.iter().enumerate() {
                let middle = left + column * index as i64 + column / 2;
                canvas.text((middle, top - 90), "middle", SIZE, theme::PALE, name);
            }
        }
        for (number, (name, values)) in self.rows.iter().zip(&self.values).enumerate() {
            let y = top + ROW * number as i64;
            canvas.text((left - 120, y + ROW / 2 + 42), "end", SIZE, theme::PALE, name);
            for (index, value) in values.iter().enumerate() {
                let x = left + column * index as i64;
                let Some(value) = *value else { continue };
                let shade = Self::shade(&limits, value);
                let (width, height) = (Px(column - 20), Px(ROW - 20));
                let path = format!("M{} {}h{width}v{height}h-{width}Z", Px(x + 10), Px(y + 10));
                canvas.fill(&path, SHADES[shade], "");
                if labelled {
                    let colour = if shade >= DEEP { theme::PAPER } else { theme::INK };
                    let place = (x + column / 2, y + ROW / 2 + 42);
                    canvas.text(place, "middle", SIZE, colour, &number_text(value));
                }
            }
        }
        canvas.y = top + ROW * self.rows.len() as i64;
        canvas.legend(&self.legend(&limits));
    }

    /// The quantity, and the ends of every shade.
    fn legend(&self, limits: &[f64]) -> Vec<(LegendSample, String)> {
        let rounded = |value: f64| number_text((value * 100.0).round() / 100.0);
        let ends = limits.windows(2).enumerate();
        let shades = ends.map(|(shade, ends)| (SHADES[shade], format!("{} to {}", rounded(ends[0]), rounded(ends[1]))));
        let shades = shades.map(|(colour, text)| (LegendSample::Swatch(colour), text));
        std::iter::once((LegendSample::Blank, format!("{}:", self.label))).chain(shades).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(values: &[f64]) -> HeatMap {
        HeatMap { values: vec![values.iter().copied().map(Some).collect()], ..HeatMap::default() }
    }

    #[test]
    fn shades_are_equally_wide_or_have_equal_ratios() {
        assert_eq!(map(&[10.0, 20.0]).limits(), [10.0, 12.0, 14.0, 16.0, 18.0, 20.0]);
        let limits = map(&[1.0, 32.0]).limits();
        for (limit, expected) in limits.iter().zip([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]) {
            assert!((limit - expected).abs() < 1e-9, "{limits:?}");
        }
        assert_eq!([1.0, 1.9, 2.1, 31.0, 32.0].map(|value| HeatMap::shade(&limits, value)), [0, 0, 1, 4, 4]);
        assert_eq!((map(&[3.0]).limits(), HeatMap::shade(&[], 3.0)), (vec![], 0));
    }
}
