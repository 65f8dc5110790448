//! The space-time diagram of a run.

use std::collections::BTreeSet;

use ringleader_model::{Kind, Milestone, Part, Place};
use ringleader_sim::{Cause, Step};

use super::axis::{Axis, Scale};
use super::conflicts::{Conflict, Spot, conflicts};
use super::flow::{Flow, elects};
use super::legend::{Sign, Signs};
use super::page::{MARGIN, Page};
use super::stays::{Activity, Stay, stays};
use super::svg::{Px, Svg, text_width};
use super::theme::{self, NEWS, Style, Theme, WORK};
use super::window::Window;
use super::{Scene, Subject, grouped};

const ABOUT: &str = "A space-time diagram: processors across, time downwards, every message a line from its sending to \
                     its handling.";
/// Beside the first and the last column.
const LEFT: i64 = 720;
const RIGHT: i64 = 480;
/// The least height of a bar.
const SHORTEST: i64 = 60;
/// So many violations are numbered.
const NUMBERED: usize = 9;

/// A run with its layout.
pub(super) struct Diagram<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) flow: Flow<'a>,
    /// The places that are elected.
    leaders: BTreeSet<Place>,
    /// The lines that led to a leader.
    pub(super) paths: BTreeSet<usize>,
    pub(super) axis: Axis,
    /// The kinds of messages and how many there are, as in the legend.
    pub(super) kinds: Vec<(Kind, usize)>,
    stays: Vec<Stay>,
    conflicts: Vec<Conflict>,
    page: Page<'a>,
    /// Whether the run goes on below.
    pub(super) cut: bool,
    /// From column to column.
    pub(super) pitch: i64,
    left: i64,
    pub(super) top: i64,
    /// The size of identities.
    id_size: i64,
    /// Whether they are written upwards for want of room.
    upright: bool,
}

impl<'a> Diagram<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, window: &'a Window, theme: Theme) -> Self {
        let flow = Flow::new(&window.steps);
        let stays = stays(scene, &window.steps, window.resumed);
        let conflicts = conflicts(scene, &window.steps, &stays);
        let gaps = (scene.n as i64 - i64::from(!scene.is_ring())).max(1);
        let pitch = (7_600 / gaps).clamp(220, if scene.is_ring() { 1_200 } else { 1_600 });
        let plot = gaps * pitch;
        let page = page(scene, window, &conflicts, theme, LEFT + plot + RIGHT);
        let id_size = if pitch < 300 { 110 } else { 140 };
        let longest = scene.ids.iter().map(|id| text_width(&id.to_string(), id_size * 6 / 5)).max().unwrap_or(0);
        let upright = longest > pitch;
        let roles = if scene.readers + scene.writers > 0 { 140 } else { 0 };
        Self {
            leaders: flow.steps.iter().filter(|step| elects(step)).map(|step| step.place).collect(),
            paths: flow.paths_to_leaders(),
            axis: Axis::new(&flow, scale(scene, &flow, &stays, plot), window.left_out),
            kinds: flow.kinds(),
            left: LEFT + (page.width - LEFT - plot - RIGHT) / 2,
            top: page.top()
                + 600
                + roles
                + if scene.ids.is_empty() { 0 } else { 160 }
                + if upright { longest - 100 } else { 0 },
            cut: window.cut,
            scene,
            flow,
            stays,
            conflicts,
            page,
            pitch,
            id_size,
            upright,
        }
    }

    pub(super) fn draw(&self, theme: Theme) -> String {
        let styles = self.kinds.iter().map(|&(kind, _)| self.style(kind)).collect();
        let mut signs = Signs::new(theme, styles);
        let mut svg = Svg::default();
        self.draw_times(&mut signs, &mut svg);
        self.draw_overlaps(&mut signs, &mut svg);
        for column in 0..=self.last_column() {
            self.draw_column(column, &mut signs, &mut svg);
        }
        self.draw_stays(&mut signs, &mut svg);
        self.draw_messages(&mut signs, &mut svg);
        self.draw_milestones(&mut signs, &mut svg);
        self.draw_badges(&mut signs, &mut svg);
        let (left, right) = (MARGIN, self.page.width - MARGIN);
        let legend = signs.legend(left, right, self.bottom() + 560, |sign| self.name(sign));
        self.page.finish(&svg, self.bottom() + 300, &legend, &signs)
    }

    fn draw_times(&self, signs: &mut Signs, svg: &mut Svg) {
        let (from, to) = (self.left - 140, self.x(self.last_column()) + 140);
        let label = Px(from - 60);
        let (pale, grid) = (signs.theme.of(theme::PALE), signs.theme.of(theme::GRID));
        svg.open("g", &[("text-anchor", &"end"), ("fill", &pale), ("font-size", &11)]);
        for tick in self.axis.ticks() {
            let y = self.top + self.axis.time(tick);
            let path = format!("M{} {}H{}", Px(from), Px(y), Px(to));
            svg.empty("path", &[("d", &path), ("stroke", &grid)]);
            svg.text("text", &[("x", &label), ("y", &Px(y + 40))], &grouped(tick));
        }
        if !self.scene.ids.is_empty() {
            svg.text("text", &[("x", &label), ("y", &Px(self.top - 310 - self.role_height()))], "id");
        }
        svg.text("text", &[("x", &label), ("y", &Px(self.top - 150))], "place");
        let unit = if self.scene.untimed { "step ↓" } else { "time ↓" };
        svg.text("text", &[("x", &label), ("y", &Px(self.bottom() + 260))], unit);
        svg.close();
        for (cut, start, end) in self.axis.breaks() {
            signs.note(Sign::Break);
            let middle = self.top + (start + end) / 2;
            let teeth = "l2-4 4 8 2-4";
            let count = (to - from) / 80;
            let path = format!("M{} {}{}", Px(from), Px(middle), teeth.repeat(count as usize));
            signs.stroke(&path, theme::PALE, "0.8", "", svg);
            let text = format!("{} to {}", grouped(cut.from), grouped(cut.to));
            let attributes: [(&'static str, &dyn std::fmt::Display); 5] =
                [("x", &label), ("y", &Px(middle + 40)), ("text-anchor", &"end"), ("fill", &pale), ("font-size", &9)];
            svg.text("text", &attributes, &text);
        }
    }

    fn role_height(&self) -> i64 {
        if self.scene.readers + self.scene.writers > 0 { 140 } else { 0 }
    }

    fn draw_column(&self, column: usize, signs: &mut Signs, svg: &mut Svg) {
        let place = column % self.scene.n;
        let again = column == self.scene.n;
        let x = Px(self.x(column));
        let crashes = |step: &Step| step.place as usize == place && step.cause == Cause::Crash;
        let crash = self.flow.steps.iter().position(crashes);
        let end = crash.map_or(self.bottom() + 100, |step| self.y(step));
        let line = format!("M{x} {}V{}", Px(self.top - 80), Px(end));
        let (dashes, opacity) = if again { ("2 4", "0.45") } else { ("", "") };
        let colour = signs.theme.of(theme::COLUMN);
        svg.empty("path", &[("d", &line), ("stroke", &colour), ("stroke-dasharray", &dashes)]);
        if crash.is_some() {
            signs.draw(Sign::Crash, self.x(column), end, opacity, svg);
        }
        svg.open("g", &[("text-anchor", &"middle"), ("opacity", &opacity)]);
        let pale = signs.theme.of(theme::PALE);
        if let Some(id) = self.scene.ids.get(place) {
            let leads = self.leads(place as Place);
            let y = Px(self.top - 310 - self.role_height());
            let turn = if self.upright { format!("rotate(-90 {x} {y})") } else { String::new() };
            svg.text(
                "text",
                &[
                    ("x", &x),
                    ("y", &y),
                    ("dy", &if self.upright { "4" } else { "" }),
                    ("text-anchor", &if self.upright { "start" } else { "" }),
                    ("transform", &turn),
                    ("font-size", &Px(self.id_size)),
                    ("font-weight", &600),
                    ("fill", &signs.theme.of(if leads { theme::LEADER } else { theme::INK })),
                ],
                &id.to_string(),
            );
        }
        let role = self.scene.role(place as Place).name();
        if !role.is_empty() {
            let role = if text_width(role, 110) > self.pitch { &role[..1] } else { role };
            svg.text("text", &[("x", &x), ("y", &Px(self.top - 290)), ("font-size", &10), ("fill", &pale)], role);
        }
        let y = Px(self.top - 150);
        svg.text("text", &[("x", &x), ("y", &y), ("font-size", &10), ("fill", &pale)], &place.to_string());
        svg.close();
    }

    /// Who is trying, inside, reading, writing or has a token.
    fn draw_stays(&self, signs: &mut Signs, svg: &mut Svg) {
        for stay in &self.stays {
            let (mut y, end) = (self.y(stay.from), stay.to.map_or(self.bottom(), |to| self.y(to)));
            if end == y && stay.activity == Activity::Trying {
                continue;
            }
            let mut height = end - y;
            if height < SHORTEST && stay.activity != Activity::Trying {
                (y, height) =
                    if stay.activity == Activity::Token { (y - SHORTEST / 2, SHORTEST) } else { (y, SHORTEST) };
            }
            signs.note(Sign::Stay(stay.activity));
            for column in self.columns_of(stay.place) {
                let opacity = if column == self.scene.n { "0.45" } else { "" };
                svg.open("g", &[("opacity", &opacity)]);
                signs.bar(stay.activity, self.x(column), y, height, svg);
                svg.close();
            }
        }
    }

    fn draw_milestones(&self, signs: &mut Signs, svg: &mut Svg) {
        for (index, step) in self.flow.steps.iter().enumerate() {
            let Some(sign) = milestone_sign(step) else { continue };
            for column in self.columns_of(step.place) {
                let opacity = if column == self.scene.n { "0.4" } else { "" };
                signs.draw(sign, self.x(column), self.y(index), opacity, svg);
            }
        }
    }

    /// The background of conflicting sites that are inside together.
    fn draw_overlaps(&self, signs: &mut Signs, svg: &mut Svg) {
        for conflict in &self.conflicts {
            let Spot::Overlap([one, other], from, to) = conflict.spot else {
                if conflict.spot == Spot::End {
                    let (from, to) = (Px(self.left - 140), Px(self.x(self.last_column()) + 140));
                    let end = format!("M{from} {}H{to}", Px(self.bottom()));
                    signs.stroke(&end, theme::RED, "1", "3 2", svg);
                }
                continue;
            };
            signs.note(Sign::Overlap);
            let (y, end) = (self.y(from), to.map_or(self.bottom(), |to| self.y(to)));
            let (left, right) = (self.x(one as usize) - 120, self.x(other as usize) + 120);
            signs.rectangle(left, y, right - left, (end - y).max(SHORTEST), theme::WASH, svg);
            let edges = format!(
                "M{} {}H{}M{} {}H{}",
                Px(left),
                Px(y),
                Px(right),
                Px(left),
                Px(end.max(y + SHORTEST)),
                Px(right)
            );
            signs.stroke(&edges, theme::RED, "1", "3 2", svg);
        }
    }

    /// The numbers of violations, which the text above repeats.
    fn draw_badges(&self, signs: &mut Signs, svg: &mut Svg) {
        for (index, conflict) in self.conflicts.iter().take(NUMBERED).enumerate() {
            let (x, y) = match conflict.spot {
                Spot::Overlap([one, other], from, _) => {
                    ((self.x(one as usize) + self.x(other as usize)) / 2, self.y(from) + SHORTEST / 2)
                }
                Spot::Step(step) => (self.x(self.flow.steps[step].place as usize) - 170, self.y(step)),
                Spot::End => (self.x(self.last_column()) + 200, self.bottom()),
            };
            signs.note(Sign::Violation);
            signs.badge(x, y, &(index + 1).to_string(), svg);
        }
    }

    /// The text of a sign in the legend.
    fn name(&self, sign: Sign) -> String {
        let shared = self.scene.subject == Subject::Sharing;
        let name = match sign {
            Sign::Message(rank) => {
                let (kind, count) = self.kinds[rank];
                return format!("{} ({})", kind.name, grouped(count));
            }
            Sign::Leading(_) => "led to the leader",
            Sign::Waits => "waits",
            Sign::Discarded => "discarded",
            Sign::Pending if self.cut => "on its way",
            Sign::Pending => "never handled",
            Sign::Lost => "lost",
            Sign::Star => "elected",
            Sign::Follows => "learns the leader",
            Sign::Task => "the leader's task",
            Sign::Requested => "requests",
            Sign::Other => "reports",
            Sign::Stay(Activity::Trying) => "trying",
            Sign::Stay(Activity::Critical) => "in its critical section",
            Sign::Stay(Activity::Reading) => {
                if shared {
                    "reader inside"
                } else {
                    "reads"
                }
            }
            Sign::Stay(Activity::Writing) => {
                if shared {
                    "writer inside"
                } else {
                    "writes"
                }
            }
            Sign::Stay(Activity::Abandoned) => "attempt to read given up",
            Sign::Stay(Activity::Token) => "has a token",
            Sign::TokenInserted => "inserts a token",
            Sign::TokenRemoved => "removes a token",
            Sign::Crash => "crashes",
            Sign::Overlap => "inside together",
            Sign::Violation => "violation",
            Sign::Break => "time left out",
            Sign::Density(_) | Sign::News | Sign::Path | Sign::Inside(_) => "",
        };
        name.to_string()
    }

    fn style(&self, kind: Kind) -> Style {
        let mut alike = self.kinds.iter().filter(|(other, _)| (other.part == Part::Work) == (kind.part == Part::Work));
        let rank = alike.position(|(other, _)| *other == kind).expect("every kind was counted");
        if kind.part == Part::Work { WORK[rank % WORK.len()] } else { NEWS[rank % NEWS.len()] }
    }

    /// Whether a place is elected.
    pub(super) fn leads(&self, place: Place) -> bool {
        self.leaders.contains(&place)
    }

    pub(super) fn last_column(&self) -> usize {
        if self.scene.is_ring() { self.scene.n } else { self.scene.n - 1 }
    }

    /// The columns of a place: its own, and for the first of a ring the one at the end.
    pub(super) fn columns_of(&self, place: Place) -> Vec<usize> {
        let end = Some(self.scene.n).filter(|_| self.scene.is_ring() && place == 0);
        std::iter::once(place as usize).chain(end).collect()
    }

    /// The columns between which a message is drawn. Between the last place of a ring and the first, past the end.
    pub(super) fn columns_between(&self, from: Place, to: Place) -> (usize, usize) {
        let (from, to, n) = (from as usize, to as usize, self.scene.n);
        match (self.scene.is_ring(), from, to) {
            (true, from, 0) if from + 1 == n => (from, n),
            (true, 0, to) if to + 1 == n && n > 2 => (n, to),
            _ => (from, to),
        }
    }

    pub(super) fn x(&self, column: usize) -> i64 {
        self.left + column as i64 * self.pitch
    }

    pub(super) fn y(&self, step: usize) -> i64 {
        self.top + self.axis.step(&self.flow, step)
    }

    pub(super) fn bottom(&self) -> i64 {
        self.top + self.axis.height
    }
}

/// The page of a diagram: what it shows, and what is wrong.
fn page<'a>(scene: &'a Scene<'a>, window: &Window, conflicts: &[Conflict], theme: Theme, width: i64) -> Page<'a> {
    let mut page = Page::new(scene, theme, width.max(5_600), ABOUT);
    if let Some(note) = &window.note {
        page.note(note);
    }
    for violation in scene.violations {
        page.add_violation(&format!("Violated: {} ({})", violation.property, violation.detail));
    }
    for (index, conflict) in conflicts.iter().take(NUMBERED).enumerate() {
        page.add_violation(&format!("[{}] {}", index + 1, conflict.text));
    }
    if conflicts.len() > NUMBERED {
        page.add_violation(&format!("and {} more", conflicts.len() - NUMBERED));
    }
    page
}

/// The scale of the time axis: messages are to slope, and those inside to be seen.
fn scale(scene: &Scene<'_>, flow: &Flow<'_>, stays: &[Stay], plot: i64) -> Scale {
    if scene.subject == Subject::Messages {
        let least = if scene.is_ring() { 1_200 } else { (plot * 3 / 10).max(1_200) };
        return Scale { height: 260, time: 1, least, most: (plot * 7 / 10).max(3_600), linear: false };
    }
    let time = |step: usize| flow.steps[step].time;
    let mut delays: Vec<u64> =
        flow.lines.iter().filter_map(|line| Some(time(line.handled?) - time(line.sent))).collect();
    delays.sort_unstable();
    let delay = delays.get(delays.len() / 2).copied().unwrap_or(1).max(1);
    let inside = stays.iter().filter(|stay| !matches!(stay.activity, Activity::Trying | Activity::Token));
    let shortest = inside.filter_map(|stay| Some(time(stay.to?) - time(stay.from))).filter(|&time| time > 0).min();
    // A message drops by 20 pixels, or somebody is inside for 16: whichever is more.
    let (height, time) = match shortest {
        Some(shortest) if 160 * delay > 200 * shortest => (160, shortest),
        _ => (200, delay),
    };
    let most = (flow.lines.len() as i64 * 110).clamp(3_600, 12_000);
    Scale { height, time, least: 3_000, most, linear: true }
}

/// The sign for what is reported in a step, unless a bar shows it.
fn milestone_sign(step: &Step) -> Option<Sign> {
    let mut signs: Vec<Sign> = step
        .milestones()
        .filter_map(|milestone| match milestone {
            Milestone::Elected { .. } => Some(Sign::Star),
            Milestone::Follows { .. } => Some(Sign::Follows),
            Milestone::TaskBegun | Milestone::Size { .. } | Milestone::Sorted { .. } => Some(Sign::Task),
            Milestone::Requested => Some(Sign::Requested),
            Milestone::TokenInserted => Some(Sign::TokenInserted),
            Milestone::TokenRemoved => Some(Sign::TokenRemoved),
            Milestone::Inaugurates | Milestone::Reopened => Some(Sign::Other),
            Milestone::Entered { .. }
            | Milestone::Left
            | Milestone::Attempt
            | Milestone::Read { .. }
            | Milestone::Written { .. }
            | Milestone::TokenBegins => None,
        })
        .collect();
    if signs.is_empty() && step.reports() && step.milestones().next().is_none() {
        return Some(Sign::Other);
    }
    signs.sort_unstable();
    signs.first().copied()
}
