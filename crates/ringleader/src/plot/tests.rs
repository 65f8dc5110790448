//! Figures of hand-made data, in both media.

use ringleader_model::BoundKind;

use super::*;

/// N·H_N and N(N+1)/2.
fn growing() -> Chart {
    let sizes = [4u32, 8, 16, 32, 64, 128, 256, 512, 1024];
    let series = |name: &str, cost: fn(f64) -> f64| {
        let point = |&n: &u32| {
            let y = cost(f64::from(n));
            DataPoint { x: f64::from(n), y, interval: Some((y * 0.93, y * 1.07)) }
        };
        DataSeries { name: name.to_string(), points: sizes.iter().map(point).collect() }
    };
    let curve = |series, name: &str, kind, cost: fn(f64) -> f64| BoundCurve {
        series,
        name: name.to_string(),
        kind,
        points: sizes.iter().map(|&n| (f64::from(n), cost(f64::from(n)))).collect(),
    };
    Chart {
        title: "Messages of elections on a ring".to_string(),
        subtitle: "mean of 100 runs, 95 % confidence intervals; unit delays, all awake".to_string(),
        notes: vec!["chang-roberts: 0.84 N log N fits best".to_string()],
        origin: Origin {
            command: "ringleader sweep chang-roberts peterson -n 2^2..2^10 --runs 100 --plot growth.svg".to_string(),
            version: "Ringleader 0.1.0".to_string(),
        },
        body: ChartBody::Lines(LineChart {
            x: ChartAxis::new("N", Spacing::Logarithmic),
            y: ChartAxis::new("messages before the announcement", Spacing::Logarithmic),
            series: vec![series("chang-roberts", |n| n * (n.ln() + 0.577)), series("peterson", |n| 1.2 * n * n.log2())],
            curves: vec![
                curve(0, "N(N+1)/2, worst (ChangRoberts1979)", BoundKind::Worst, |n| n * (n + 1.0) / 2.0),
                curve(0, "N H_N, mean (ChangRoberts1979)", BoundKind::Mean, |n| n * (n.ln() + 0.577)),
                curve(1, "2N floor(log2 N) + N, worst (Peterson1982)", BoundKind::Worst, |n| 2.0 * n * n.log2() + n),
            ],
        }),
    }
}

fn all() -> Vec<Chart> {
    let sample: Vec<f64> = (0..400u32).map(|index| f64::from(index * index % 97 + index % 13)).collect();
    let with = |title: &str, body: ChartBody| Chart { title: title.to_string(), body, ..growing() };
    let mut histogram = HistogramChart::of("messages", &sample);
    histogram.marks.push(VerticalMark { value: 53.5, name: "mean".to_string() });
    histogram.marks.push(VerticalMark { value: 140.0, name: "N(N+1)/2, worst".to_string() });
    let boxes = (1..=4u32).filter_map(|scale| {
        let sample: Vec<f64> = sample.iter().map(|value| (value + 5.0) * f64::from(scale)).collect();
        BoxSummary::of(format!("spirakis-tampakas-mutex, s = {scale}"), scale as usize - 1, &sample)
    });
    let heat = HeatMap {
        label: "messages per entry".to_string(),
        across: "s".to_string(),
        columns: ["1", "4", "16"].map(String::from).to_vec(),
        down: "γ".to_string(),
        rows: ["1", "1/2", "1/4", "1/10"].map(String::from).to_vec(),
        values: (0..4).map(|row| (0..3).map(|column| Some(15.0 + f64::from(row * 4 + column * 5))).collect()).collect(),
    };
    let mut linear = growing();
    if let ChartBody::Lines(lines) = &mut linear.body {
        (lines.x.spacing, lines.y.spacing) = (Spacing::Linear, Spacing::Linear);
    }
    vec![
        growing(),
        linear,
        with("One cell", ChartBody::Histogram(histogram)),
        with("Many cells", ChartBody::Boxes(BoxPlot::new("messages", boxes.collect()))),
        with("Contention and γ", ChartBody::Heat(heat)),
    ]
}

#[test]
fn every_figure_has_the_command_and_the_version_that_made_it() {
    for chart in all() {
        for theme in Theme::ALL {
            let svg = chart.svg(theme);
            assert!(svg.contains("Made by: ringleader sweep chang-roberts") && svg.contains("Ringleader 0.1.0"));
            assert!(is_chart(&svg) && svg.ends_with("</svg>\n"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", chart.title);
        }
    }
    assert!(!is_chart("<svg><desc>Repeat the run: x</desc></svg>"));
}

#[test]
fn a_terminal_shows_everything_within_its_columns() {
    for chart in all() {
        for columns in [40, 60, 80, 120] {
            let text = chart.terminal(columns);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(columns), "{columns}: {widest:?} in\n{text}");
            assert!(text.replace("\n  ", " ").contains("--runs 100"), "{text}");
        }
    }
}

#[test]
fn empty_charts_are_drawn_too() {
    let bodies = [
        ChartBody::Lines(LineChart::default()),
        ChartBody::Histogram(HistogramChart::default()),
        ChartBody::Boxes(BoxPlot::default()),
        ChartBody::Heat(HeatMap::default()),
    ];
    for body in bodies {
        let chart = Chart { body, ..Chart::default() };
        assert!(is_chart(&chart.svg(Theme::Auto)));
        chart.terminal(80);
    }
}

#[test]
fn the_figures_are_those_that_were_looked_at() {
    for (chart, name) in all().iter().zip(["lines", "linear", "histogram", "boxes", "heat-map"]) {
        insta::assert_snapshot!(format!("{name}-terminal"), chart.terminal(80));
        insta::assert_snapshot!(format!("{name}-svg"), chart.svg(Theme::Auto));
    }
}
