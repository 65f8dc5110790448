//! The labels of messages, where there is room for them.

use ringleader_model::Kind;

use super::diagram::{Diagram, KindInfo};
use super::flow::Line;
use super::legend::Symbols;
use super::svg::{Px, Svg, text_width};
use super::theme;

/// The size of a label.
const SIZE: i64 = 95;
/// More lines than this leave no room for labels.
const MANY: usize = 400;
/// Longer labels are left to the tooltips.
const LONG: usize = 8;
/// The positions of a label on its line, in twelfths from the sender.
const SPOTS: [i64; 5] = [6, 4, 8, 3, 9];

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy)]
struct Area(i64, i64, i64, i64);

impl Area {
    const fn meets(self, other: Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }

    /// Whether a line from one point to another crosses it: whether it has corners on both sides and lies in its reach.
    fn is_crossed(self, (x, y): (i64, i64), (to_x, to_y): (i64, i64)) -> bool {
        let reach = Self(x.min(to_x), y.min(to_y), x.max(to_x) + 1, y.max(to_y) + 1);
        let side = |corner_x: i64, corner_y: i64| (to_x - x) * (corner_y - y) - (to_y - y) * (corner_x - x);
        let sides =
            [side(self.0, self.1), side(self.2, self.1), side(self.0, self.3), side(self.2, self.3)].map(i64::signum);
        self.meets(reach) && sides.contains(&1) && sides.contains(&-1)
    }
}

impl Diagram<'_> {
    /// The text of each message on its line, without the words that the legend shows: those with which all messages of
    /// its kind begin. Returns the kinds with labels.
    pub(super) fn draw_labels(&self, symbols: &Symbols, svg: &mut Svg) -> Vec<Kind> {
        let lines: Vec<&Line<'_>> = self.flow.lines.iter().collect();
        if lines.len() > MANY {
            return Vec::new();
        }
        let ends: Vec<_> = lines.iter().map(|line| self.ends(line)).collect();
        let labels: Vec<String> = lines.iter().map(|line| self.label(line)).collect();
        let mut taken: Vec<Area> = Vec::new();
        let mut placed: Vec<(usize, Area)> = Vec::new();
        for (index, label) in labels.iter().enumerate().filter(|(_, label)| (1..=LONG).contains(&label.len())) {
            let Some((start, end)) = ends[index] else { continue };
            let free = |area: &Area| {
                let crossed = |(other, ends): (usize, &Option<_>)| {
                    other != index && ends.is_some_and(|(from, to)| area.is_crossed(from, to))
                };
                taken.iter().all(|other| !other.meets(*area))
                    && self.between_columns(*area)
                    && !ends.iter().enumerate().any(crossed)
            };
            // A line of which the label hides most would not be seen.
            if text_width(label, SIZE) * 5 / 2 > (end.0 - start.0).abs() {
                continue;
            }
            let areas = SPOTS.iter().map(|&part| around(start, end, part, label));
            if let Some(area) = areas.into_iter().find(free) {
                taken.push(area);
                placed.push((index, area));
            }
        }
        // A few labels among many lines would only be in the way.
        let enough = |kind: &&KindInfo<'_>| {
            let labelled = placed.iter().filter(|&&(index, _)| lines[index].kind == kind.kind).count();
            4 * labelled >= kind.count
        };
        let kinds: Vec<Kind> = self.kinds.iter().filter(enough).map(|kind| kind.kind).collect();
        placed.retain(|&(index, _)| kinds.contains(&lines[index].kind));
        write_labels(&placed, &labels, symbols, svg);
        kinds
    }

    fn label(&self, line: &Line<'_>) -> String {
        let kind = self.kinds.iter().find(|kind| kind.kind == line.kind);
        let common = kind.map_or(0, |kind| kind.common.len());
        line.text.split(' ').skip(common).collect::<Vec<_>>().join(" ")
    }

    /// The ends of the line of a message that was handled.
    fn ends(&self, line: &Line<'_>) -> Option<((i64, i64), (i64, i64))> {
        let handled = line.handled?;
        let (from, to) = self.columns_between(line.from, line.to);
        Some(((self.x(from), self.y(line.sent)), (self.x(to), self.y(handled))))
    }

    /// Whether an area leaves the lines of processors and their bars free.
    fn between_columns(&self, area: Area) -> bool {
        (0..=self.last_column()).map(|column| self.x(column)).all(|x| area.2 <= x - 50 || x + 50 <= area.0)
    }
}

/// Labels on a background that hides the line below.
fn write_labels(placed: &[(usize, Area)], labels: &[String], symbols: &Symbols, svg: &mut Svg) {
    if placed.is_empty() {
        return;
    }
    let ground = |&(_, Area(left, top, right, bottom)): &(usize, Area)| {
        format!("M{} {}H{}V{}H{}Z", Px(left), Px(top + 15), Px(right), Px(bottom - 15), Px(left))
    };
    let ground: String = placed.iter().map(ground).collect();
    svg.empty("path", &[("d", &ground), ("fill", &symbols.theme.of(theme::PAPER)), ("fill-opacity", &"0.85")]);
    svg.open("g", &[("text-anchor", &"middle"), ("font-size", &Px(SIZE))]);
    for &(index, area) in placed {
        svg.text("text", &[("x", &Px((area.0 + area.2) / 2)), ("y", &Px(area.3 - 25))], &labels[index]);
    }
    svg.close();
}

/// The area of a label on a line, given its distance from the start in twelfths.
fn around(start: (i64, i64), end: (i64, i64), part: i64, label: &str) -> Area {
    let (x, y) = (start.0 + (end.0 - start.0) * part / 12, start.1 + (end.1 - start.1) * part / 12);
    let half = text_width(label, SIZE) / 2 + 10;
    Area(x - half, y - 60, x + half, y + 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_an_area_only_within_its_reach() {
        let area = Area(100, 100, 200, 150);
        assert!(area.is_crossed((0, 50), (300, 200)));
        assert!(!area.is_crossed((0, 50), (90, 95)), "it ends before");
        assert!(!area.is_crossed((0, 0), (300, 20)), "it passes above");
        assert!(area.is_crossed((150, 0), (150, 300)), "straight through");
    }

    #[test]
    fn areas_that_touch_do_not_meet() {
        assert!(!Area(0, 0, 10, 10).meets(Area(10, 0, 20, 10)));
        assert!(Area(0, 0, 10, 10).meets(Area(9, 9, 20, 20)));
    }
}
