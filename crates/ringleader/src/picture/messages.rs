//! The messages of a diagram.

use ringleader_model::Kind;

use super::Subject;
use super::diagram::Diagram;
use super::flow::{Fate, Line};
use super::legend::{Symbol, Symbols};
use super::svg::{Px, Svg};

/// More lines than this on a complete network are drawn thin.
const MANY: usize = 120;

/// The emphasis of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weight {
    /// One of very many.
    Thin,
    Plain,
    /// It led to a leader.
    Bold,
}

impl Weight {
    const ALL: [Self; 3] = [Self::Thin, Self::Plain, Self::Bold];

    const fn stroke(self) -> (&'static str, &'static str) {
        match self {
            Self::Thin => ("0.8", "0.45"),
            Self::Plain => ("1.4", "0.85"),
            Self::Bold => ("3", ""),
        }
    }
}

impl Diagram<'_> {
    /// All messages; those that led to a leader last, and bold. Returns the kinds with labels.
    pub(super) fn draw_messages(&self, symbols: &mut Symbols, svg: &mut Svg) -> Vec<Kind> {
        for weight in Weight::ALL {
            for rank in 0..self.kinds.len() {
                self.draw_kind(rank, weight, symbols, svg);
            }
        }
        for line in self.flow.lines.iter().filter(|line| self.flow.fate(line) == Fate::Lost) {
            let (x, y) = self.stub_end(line);
            symbols.draw(Symbol::Lost, x, y, "", svg);
        }
        for line in self.flow.lines.iter().filter(|line| line.decided || line.copy) {
            // One in front of the other, where both are true of a message.
            for (symbol, _) in
                [(Symbol::Delayed, line.decided), (Symbol::Copied, line.copy)].iter().filter(|(_, is)| *is)
            {
                let (x, y) = self.along(line, if *symbol == Symbol::Delayed { 3 } else { 5 });
                symbols.draw(*symbol, x, y, "", svg);
            }
        }
        self.draw_labels(symbols, svg)
    }

    fn draw_kind(&self, rank: usize, weight: Weight, symbols: &mut Symbols, svg: &mut Svg) {
        let kind = self.kinds[rank].kind;
        let lines = self.flow.lines.iter().enumerate();
        let chosen = lines.filter(|&(index, line)| line.kind == kind && self.weight(index, line) == weight);
        let chosen: Vec<_> = chosen.map(|(_, line)| line).collect();
        if chosen.is_empty() {
            return;
        }
        symbols.note(Symbol::Message(rank));
        // One entry of the legend for all kinds: the last of them that led to a leader.
        if self.paths.last().is_some_and(|&last| self.flow.lines[last].kind == kind) {
            symbols.note(Symbol::Leading(rank));
        }
        let style = symbols.styles[rank];
        let colour = symbols.theme.of(style.colour);
        let (width, opacity) = weight.stroke();
        svg.open(
            "g",
            &[
                ("fill", &"none"),
                ("stroke", &colour),
                ("stroke-width", &width),
                ("stroke-opacity", &opacity),
                ("stroke-linecap", &"round"),
                ("stroke-linejoin", &"round"),
            ],
        );
        svg.open("g", &[("stroke-dasharray", &style.dashes)]);
        for line in &chosen {
            self.note_fate(line, symbols);
            svg.titled_path(&self.path(line), line.text);
        }
        svg.close();
        let bars: String = chosen.iter().map(|line| self.bars(line)).collect();
        if !bars.is_empty() {
            svg.empty("path", &[("d", &bars), ("stroke-width", &2)]);
        }
        let heads: String = chosen.iter().map(|line| self.head(line, weight)).collect();
        if !heads.is_empty() {
            let opacity = if weight == Weight::Thin { "0.7" } else { "" };
            svg.empty("path", &[("d", &heads), ("fill", &colour), ("fill-opacity", &opacity), ("stroke", &"none")]);
        }
        svg.close();
    }

    fn weight(&self, index: usize, line: &Line<'_>) -> Weight {
        let many = !self.info.is_ring() && self.flow.lines.len() > MANY;
        if self.paths.contains(&index) {
            Weight::Bold
        } else if many && !self.leads(line.from) {
            Weight::Thin
        } else {
            Weight::Plain
        }
    }

    /// Whether the fates of messages are shown: where sites share something, bars show the effects of messages.
    fn shows_fates(&self) -> bool {
        self.info.subject == Subject::Messages
    }

    fn fate(&self, line: &Line<'_>) -> Fate {
        match self.flow.fate(line) {
            Fate::Waits(_) | Fate::Discarded if !self.shows_fates() => Fate::RecordedSteps,
            fate => fate,
        }
    }

    fn note_fate(&self, line: &Line<'_>, symbols: &mut Symbols) {
        match self.fate(line) {
            Fate::Waits(_) => symbols.note(Symbol::Waits),
            Fate::Discarded => symbols.note(Symbol::Discarded),
            Fate::Pending => symbols.note(Symbol::Pending),
            Fate::Lost | Fate::Acted | Fate::RecordedSteps => {}
        }
    }

    /// The offset of a message below others that are sent and handled at the same places and times.
    fn shift(&self, line: &Line<'_>) -> i64 {
        30 * i64::from(line.parallel.min(2))
    }

    /// From where a message was sent to where it was handled, and down for as long as it waits there.
    pub(super) fn path(&self, line: &Line<'_>) -> String {
        let (from, to) = self.columns_between(line.from, line.to);
        let (x, y) = (self.x(from), self.y(line.sent) + self.shift(line));
        let Some(handled) = line.handled else {
            // Three dashes towards where it should have gone.
            let (dx, dy) = ((self.x(to) - x).signum() * 35, 35);
            let (dash, gap) = (format!("l{} {}", Px(dx), Px(dy)), format!("m{} {}", Px(dx), Px(dy)));
            return format!("M{} {}{dash}{gap}{dash}{gap}{dash}", Px(x), Px(y));
        };
        let mut path = format!("M{} {}L{} {}", Px(x), Px(y), Px(self.x(to)), Px(self.y(handled) + self.shift(line)));
        if let Fate::Waits(until) = self.fate(line) {
            let end = Px(until.map_or(self.bottom(), |until| self.y(until)));
            path.push_str(&format!("V{end}"));
            for other in self.columns_of(line.to).into_iter().filter(|&other| other != to) {
                path.push_str(&format!("M{} {}V{end}", Px(self.x(other)), Px(self.y(handled))));
            }
        }
        path
    }

    /// A point on the line of a message, so many eighths of the way.
    fn along(&self, line: &Line<'_>, eighths: i64) -> (i64, i64) {
        let (from, to) = self.columns_between(line.from, line.to);
        let (start, top) = (self.x(from), self.y(line.sent) + self.shift(line));
        let (end, bottom) = match line.handled {
            Some(handled) => (self.x(to), self.y(handled) + self.shift(line)),
            None => self.stub_end(line),
        };
        (start + (end - start) * eighths / 8, top + (bottom - top) * eighths / 8)
    }

    /// The end of the dashes of a message that was never handled.
    fn stub_end(&self, line: &Line<'_>) -> (i64, i64) {
        let (from, to) = self.columns_between(line.from, line.to);
        let x = self.x(from);
        (x + (self.x(to) - x).signum() * 220, self.y(line.sent) + 220)
    }

    /// The bar across the end of a message that is discarded, at once or after it has waited.
    pub(super) fn bars(&self, line: &Line<'_>) -> String {
        let (from, to) = self.columns_between(line.from, line.to);
        match (self.fate(line), line.handled) {
            (Fate::Discarded, Some(handled)) => {
                let (x, y) = (self.x(to), self.y(handled));
                self.bar(x, y, x - self.x(from), y - self.y(line.sent))
            }
            (Fate::Waits(Some(until)), _) if self.flow.receives(until) => {
                let bar = |column| self.bar(self.x(column), self.y(until), 0, 1);
                self.columns_of(line.to).into_iter().map(bar).collect()
            }
            _ => String::new(),
        }
    }

    /// A bar across a line that comes to this point in this direction, a little before it.
    fn bar(&self, x: i64, y: i64, dx: i64, dy: i64) -> String {
        let half = (self.pitch / 9).clamp(28, 45);
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let (x, y) = (x - dx * 25 / length, y - dy * 25 / length);
        let (across, down) = (dy * half / length, -dx * half / length);
        format!("M{} {}L{} {}", Px(x + across), Px(y + down), Px(x - across), Px(y - down))
    }

    /// The head of the arrow of a message that was handled and not discarded.
    fn head(&self, line: &Line<'_>, weight: Weight) -> String {
        let Some(handled) = line.handled.filter(|_| self.fate(line) != Fate::Discarded) else { return String::new() };
        let (from, to) = self.columns_between(line.from, line.to);
        let (x, y) = (self.x(to), self.y(handled) + self.shift(line));
        let (dx, dy) = (x - self.x(from), self.y(handled) - self.y(line.sent));
        let length = (dx * dx + dy * dy).isqrt().max(1);
        let long = match weight {
            Weight::Thin => 45,
            Weight::Plain => (self.pitch / 8).clamp(35, 65),
            Weight::Bold => (self.pitch / 5).clamp(60, 110),
        };
        let half = long * 9 / 20;
        // The tip is at the edge of whatever bar stands on the line of the receiver.
        let (x, y) = (x - dx * 10 / length, y - dy * 10 / length);
        let (back, down) = (x - dx * long / length, y - dy * long / length);
        let (across, along) = (dy * half / length, -dx * half / length);
        let corner = |side: i64| format!("L{} {}", Px(back + side * across), Px(down + side * along));
        format!("M{} {}{}{}Z", Px(x), Px(y), corner(1), corner(-1))
    }
}

#[cfg(test)]
mod tests {
    use ringleader_model::Topology;
    use ringleader_sim::{Cause, Step};

    use super::super::samples::{info, receive, report, send, set_timer, step, timeout};
    use super::super::window::Window;
    use super::super::{RunInfo, Theme};
    use super::*;

    fn window(steps: &[Step]) -> Window {
        Window { steps: steps.to_vec(), left_out: None, resumed: None, cut: false, note: None }
    }

    /// The lines and bars on a ring of three: columns 120 pixels apart, the first at 112.
    fn paths(steps: &[Step]) -> Vec<(String, String)> {
        let (info, window) = (info(3, Subject::Messages), window(steps));
        let diagram = Diagram::new(&info, &window, Theme::Light);
        assert_eq!((diagram.x(0), diagram.x(3), diagram.top), (1_120, 4_720, 1_240), "as the numbers below expect");
        diagram.flow.lines.iter().map(|line| (diagram.path(line), diagram.bars(line))).collect()
    }

    #[test]
    fn on_a_ring_the_last_sends_to_the_first_past_the_end() {
        let steps = [
            step(0, 2, Cause::Wake, &[send(1, 0)]),
            step(4, 0, receive(1, 2), &[send(2, 2)]),
            step(8, 2, receive(2, 0), &[report(None)]),
        ];
        let past = [("M352 124L472 228".to_string(), String::new()), ("M472 228L352 332".to_string(), String::new())];
        assert_eq!(paths(&steps), past);
        let everywhere = RunInfo { topology: Topology::Complete, ..info(3, Subject::Messages) };
        let window = window(&steps);
        let across = Diagram::new(&everywhere, &window, Theme::Light);
        assert_eq!(
            across.path(&across.flow.lines[0]),
            "M452 124L132 228",
            "where there are all links, straight across"
        );
    }

    #[test]
    fn a_discarded_message_ends_in_a_bar_across_its_line() {
        let steps = [step(0, 0, Cause::Wake, &[send(1, 1)]), step(6, 1, receive(1, 0), &[])];
        let bar = "M234 275.4L227 280.8";
        assert_eq!(paths(&steps), [("M112 124L232 280".to_string(), bar.to_string())]);
    }

    #[test]
    fn a_message_that_waits_goes_down_until_it_is_sent_on_or_overtaken() {
        let steps = [
            step(0, 2, Cause::Wake, &[send(1, 0)]),
            step(1, 2, timeout(), &[send(2, 0)]),
            step(2, 0, receive(1, 2), &[set_timer(9)]),
            step(4, 0, receive(2, 2), &[set_timer(4)]),
            step(8, 0, timeout(), &[send(3, 1)]),
        ];
        let expected = [
            ("M352 124L472 176V228M112 176V228", "M116.5 225.5L107.5 225.5M476.5 225.5L467.5 225.5"),
            ("M352 150L472 228V332M112 228V332", ""),
            ("M112 332l3.5 3.5m3.5 3.5l3.5 3.5m3.5 3.5l3.5 3.5", ""),
        ];
        assert_eq!(paths(&steps), expected.map(|(path, bars)| (path.to_string(), bars.to_string())));
    }

    #[test]
    fn messages_between_the_same_places_and_times_are_drawn_side_by_side() {
        let steps = [
            step(0, 0, Cause::Wake, &[send(1, 1), send(2, 1)]),
            step(4, 1, receive(1, 0), &[report(None)]),
            step(4, 1, receive(2, 0), &[report(None)]),
        ];
        let paths: Vec<String> = paths(&steps).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["M112 124L232 244", "M112 127L232 247"]);
    }
}
