//! Charts in a terminal: lines in braille, bars in blocks, within so many columns.

use super::boxes::BoxPlot;
use super::heat_map::HeatMap;
use super::histogram::HistogramChart;
use super::lines::LineChart;
use super::scale::{PlotScale, number_text};
use super::{Chart, ChartBody, look};

/// The lines of a line chart.
const ROWS: usize = 18;
/// No chart is narrower.
const NARROWEST: usize = 40;

/// A chart in so many columns.
pub(super) fn text(chart: &Chart, columns: usize) -> String {
    let columns = columns.max(NARROWEST);
    let mut lines = wrapped(&chart.title, columns, 0);
    lines.extend(wrapped(&chart.subtitle, columns, 0));
    lines.push(String::new());
    lines.extend(match &chart.body {
        ChartBody::Lines(body) => line_chart(body, columns),
        ChartBody::Histogram(body) => histogram(body, columns),
        ChartBody::Boxes(body) => boxes(body, columns),
        ChartBody::Heat(body) => heat_map(body, columns),
    });
    lines.push(String::new());
    lines.extend(chart.notes.iter().flat_map(|note| wrapped(note, columns, 2)));
    lines.extend(chart.origin.lines().iter().flat_map(|line| wrapped(line, columns, 2)));
    let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    // Lines were broken elsewhere.
    (trimmed.join("\n") + "\n").replace('\u{a0}', " ")
}

/// A text in lines of at most so many letters; further lines are indented.
fn wrapped(text: &str, columns: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(columns - indent) {
            let piece: String = piece.iter().collect();
            match lines.last_mut() {
                Some(line) if width(line) + 1 + width(&piece) <= columns => {
                    line.push(' ');
                    line.push_str(&piece);
                }
                None => lines.push(piece),
                Some(_) => lines.push(format!("{}{piece}", " ".repeat(indent))),
            }
        }
    }
    lines
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A text cut to so many letters.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    text.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

/// Dots, two across and four down in each letter, and letters on top of them.
struct Braille {
    columns: usize,
    rows: usize,
    dots: Vec<u8>,
    letters: Vec<Option<char>>,
}

impl Braille {
    fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, dots: vec![0; columns * rows], letters: vec![None; columns * rows] }
    }

    /// The dot of a position given in parts of the whole, upwards.
    fn dot(&self, (x, y): (f64, f64)) -> (i64, i64) {
        let place = |part: f64, dots: usize| (part.clamp(0.0, 1.0) * (dots - 1) as f64).round() as i64;
        (place(x, 2 * self.columns), 4 * self.rows as i64 - 1 - place(y, 4 * self.rows))
    }

    fn set(&mut self, (x, y): (i64, i64)) {
        // The numbering of braille dots: 1 2 3 7 down the left side, 4 5 6 8 down the right one.
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        self.dots[(y / 4) as usize * self.columns + (x / 2) as usize] |= BITS[(x % 2) as usize][(y % 4) as usize];
    }

    /// A line of dots; of a dashed one, two of every four are left out.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), dashed: bool) {
        let ((x0, y0), (x1, y1)) = (self.dot(from), self.dot(to));
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).max(1);
        for step in 0..=steps {
            if !dashed || (x0 + step) % 4 < 2 {
                self.set((x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps));
            }
        }
    }

    fn letter(&mut self, place: (f64, f64), letter: char) {
        let (x, y) = self.dot(place);
        self.letters[(y / 4) as usize * self.columns + (x / 2) as usize] = Some(letter);
    }

    fn row(&self, row: usize) -> String {
        let cells = row * self.columns..(row + 1) * self.columns;
        let dots = |index: usize| match self.dots[index] {
            0 => ' ',
            dots => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
        };
        cells.map(|index| self.letters[index].unwrap_or_else(|| dots(index))).collect()
    }
}

fn line_chart(chart: &LineChart, columns: usize) -> Vec<String> {
    let (x, y) = chart.scales();
    let ticks: Vec<(f64, String)> = y.ticks(6).into_iter().map(|tick| (y.part(tick), number_text(tick))).collect();
    let margin = ticks.iter().map(|(_, label)| width(label)).max().unwrap_or(0);
    let mut canvas = Braille::new(columns - margin - 2, ROWS);
    let place = |(at, value): (f64, f64)| (x.part(at), y.part(value));
    let shown = |&(at, value): &(f64, f64)| x.shows(at) && y.shows(value);
    let mut connect = |points: &[(f64, f64)], dashed: bool| {
        for pair in points.windows(2) {
            canvas.line(pair[0], pair[1], dashed);
        }
    };
    for curve in &chart.curves {
        connect(&curve.points.iter().copied().filter(shown).map(place).collect::<Vec<_>>(), true);
    }
    let means = |series: &super::DataSeries| -> Vec<(f64, f64)> {
        series.points.iter().map(|point| (point.x, point.y)).filter(shown).map(place).collect()
    };
    for series in &chart.series {
        connect(&means(series), false);
    }
    for (number, series) in chart.series.iter().enumerate() {
        for point in means(series) {
            canvas.letter(point, look::letter(number));
        }
    }
    let mut lines = vec![chart.y.label.clone()];
    let row_of = |part: f64| canvas.dot((0.0, part)).1 as usize / 4;
    for row in 0..ROWS {
        let label = ticks.iter().find(|(part, _)| row_of(*part) == row).map_or("", |(_, label)| label);
        let axis = if label.is_empty() { '│' } else { '┤' };
        lines.push(format!("{label:>margin$} {axis}{}", canvas.row(row)));
    }
    lines.extend(horizontal_axis(&x, margin + 1, canvas.columns, &chart.x.label));
    for (number, series) in chart.series.iter().enumerate() {
        lines.extend(wrapped(&format!("{} {}", look::letter(number), series.name), columns, 2));
        for curve in chart.curves.iter().filter(|curve| curve.series == number) {
            lines.extend(wrapped(&format!("\u{a0}\u{a0}⠒\u{a0}⠒ {}", curve.name), columns, 6));
        }
    }
    lines
}

/// A line with ticks, their labels where they do not touch, and the name of the axis.
fn horizontal_axis(scale: &PlotScale, margin: usize, columns: usize, name: &str) -> Vec<String> {
    let mut line = vec!['─'; columns];
    let mut labels = vec![' '; columns + 8];
    let mut free = 0;
    for tick in scale.ticks((columns / 10).max(2)) {
        let at = (scale.part(tick) * (columns - 1) as f64).round() as usize;
        let label: Vec<char> = number_text(tick).chars().collect();
        let start = at.saturating_sub(label.len() / 2).min(columns - label.len().min(columns));
        if start >= free && at < columns {
            line[at] = '┴';
            labels.splice(start..start + label.len(), label.iter().copied());
            free = start + label.len() + 1;
        }
    }
    let (line, labels): (String, String) = (line.iter().collect(), labels.iter().collect());
    let indent = " ".repeat(margin);
    let centred = " ".repeat(margin + 1 + columns.saturating_sub(width(name)) / 2);
    vec![format!("{indent}└{line}"), format!("{indent} {}", labels.trim_end()), format!("{centred}{name}")]
}

/// A bar that ends at an eighth of a letter.
fn bar(part: f64, columns: usize) -> String {
    let eighths = (part.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{rest}", "█".repeat(eighths / 8))
}

fn histogram(chart: &HistogramChart, columns: usize) -> Vec<String> {
    let most = chart.bars.iter().map(|&(.., count)| count).max().unwrap_or(0);
    // Many bars are drawn several to a line.
    let together = chart.bars.len().div_ceil(30).max(1);
    let groups: Vec<(f64, f64, u64)> = (chart.bars.chunks(together))
        .map(|bars| (bars[0].0, bars[bars.len() - 1].1, bars.iter().map(|&(.., count)| count).sum()))
        .collect();
    let most = groups.iter().map(|&(.., count)| count).max().unwrap_or(most).max(1);
    let single = groups.iter().all(|&(from, to, _)| to - from == 1.0);
    let label = |&(from, to, _): &(f64, f64, u64)| match single {
        true => number_text(from),
        false => format!("{}…{}", number_text(from), number_text(to)),
    };
    let margin = groups.iter().map(|group| width(&label(group))).max().unwrap_or(0);
    let counts = width(&number_text(most as f64));
    let room = columns - margin - counts - 4;
    let mut lines = vec![format!("{} and the number of runs", chart.x.label)];
    lines.extend(groups.iter().map(|group| {
        let count = number_text(group.2 as f64);
        format!("{:>margin$} │{} {count}", label(group), bar(group.2 as f64 / most as f64, room))
    }));
    let marks = chart.marks.iter().map(|mark| format!("{} = {}", mark.name, number_text(mark.value)));
    lines.extend(marks.flat_map(|mark| wrapped(&mark, columns, 2)));
    lines
}

fn boxes(chart: &BoxPlot, columns: usize) -> Vec<String> {
    let scale = chart.scale();
    let margin = chart.boxes.iter().map(|summary| width(&summary.name)).max().unwrap_or(0).min(columns * 2 / 5);
    let room = columns - margin - 2;
    let mut lines = Vec::new();
    for summary in &chart.boxes {
        let mut row = vec![' '; room];
        if summary.five.iter().all(|&value| scale.shows(value)) {
            let at = summary.five.map(|value| (scale.part(value) * (room - 1) as f64).round() as usize);
            let [min, low, median, high, max] = at;
            row[min..=max].fill('─');
            (row[min], row[max]) = ('├', '┤');
            row[low..=high].fill('▒');
            row[median] = '█';
        }
        lines.push(format!("{:>margin$} │{}", cut(&summary.name, margin), row.iter().collect::<String>()));
    }
    lines.extend(horizontal_axis(&scale, margin + 1, room, &chart.x.label));
    lines
}

fn heat_map(chart: &HeatMap, columns: usize) -> Vec<String> {
    let limits = chart.limits();
    let margin = chart.rows.iter().chain([&chart.down]).map(|name| width(name)).max().unwrap_or(0).min(columns / 3);
    let cell = |value: &Option<f64>| match value {
        None => String::new(),
        Some(value) => {
            format!("{} {}", [' ', '░', '▒', '▓', '█'][HeatMap::shade(&limits, *value)], number_text(*value))
        }
    };
    let cells: Vec<Vec<String>> = chart.values.iter().map(|row| row.iter().map(cell).collect()).collect();
    let wide = cells.iter().flatten().chain(&chart.columns).map(|cell| width(cell)).max().unwrap_or(0) + 2;
    let shown = chart.columns.len().min((columns - margin) / wide);
    let row = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().take(shown).map(|cell| format!("{cell:>wide$}")).collect();
        format!("{:>margin$}{cells}", cut(name, margin))
    };
    let mut lines = vec![format!("{}; across: {}", chart.label, chart.across), row(&chart.down, &chart.columns)];
    lines.extend(chart.rows.iter().zip(&cells).map(|(name, cells)| row(name, cells)));
    if shown < chart.columns.len() {
        lines.push(format!("{} more columns in the SVG (--plot FILE.svg)", chart.columns.len() - shown));
    }
    lines
        .into_iter()
        .flat_map(|line| if width(&line) > columns { wrapped(&line, columns, 2) } else { vec![line] })
        .collect()
}
