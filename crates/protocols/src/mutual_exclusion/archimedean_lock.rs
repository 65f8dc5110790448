//! The lock of \[SpirakisTampakas1989\], for [mutual exclusion](crate::mutual_exclusion::spirakis_tampakas) (section
//! 2.2) and for [readers and writers](crate::readers_writers::spirakis_tampakas) (section 3.1): one machine, and what
//! is proved of both.
//!
//! # One message a step
//!
//! "c is approx equal to the number of steps of process (b)": where a step reads all that has arrived, c = 2 covers one step of
//! waiting at each end. Where a step reads one message (`--reading per-tick`), first come, first served at each site, messages
//! queue at both ends, and c grows with N.
//!
//! *c = 6N-8 is enough*, for N ≥ 2 and any c1, think and hold. Suppose that up to some time every request was read before the
//! window of its sender closed, and every negative reply before its receiver entered. Then
//!
//! 1. a site asks again only when all replies to its earlier requests have been read: it entered with ppr = nnr, all negative ones
//!    counted, and each of these is followed by one positive reply;
//! 2. of each other site at most one request, one negative and one positive reply wait at a site: the replies are to its present
//!    request, by 1., and a request has been read when its sender, whose window has closed, asks again. So at most q = 3(N-1)
//!    messages wait at a site, and what is sent at u is read by u + d_max + q r_max. That is before a window that begins at u
//!    closes.
//!
//! Let j ask at t, and let i answer negatively. Let a messages wait at i when the request arrives there, it included, and b at j
//! when the answer does: the answer is read by t + 2 d_max + (a+b) r_max, and at a tick a message is read before timers expire.
//! Every other site x has at most 3 messages at each end. Of those that i and j send each other,
//!
//! - if j has read the request of i by t: at i there are its negative and its positive reply (j was inside with a smaller number)
//!   and its request, a ≤ 3(N-2) + 3. At j there are the answer and the positive reply that follows it, if that has overtaken it:
//!   b ≤ 3(N-2) + 2;
//! - if not: j is silent to that request, as its own number is greater, a ≤ 3(N-2) + 1. At j there may be the request of i, too,
//!   b ≤ 3(N-2) + 3.
//!
//! So a + b ≤ 6N-7. The window takes 2 d_max + c r_max or longer: where a + b ≤ 6N-8 it closes when the answer has been read.
//! Otherwise the answer is one step late, but then the positive replies of i and of every x are before it in the queue: ppr = nnr +
//! 1 when the window closes, and j waits for the answer. What was supposed holds at all times, therefore, and exclusion follows as
//! with c = 2, with d_max + q r_max for d_max + r_max.
//!
//! With two sites 4 is necessary: with c = 3, c1 = 0 and r = d = 1 the request of j arrives with its negative and its positive reply
//! to i, which enters when it has read these, and answers too late (experiments/spirakis-tampakas-mutex-one-by-one). With three
//! sites and r = d = 1 a check of two entries each finds 7 sufficient and 6 not; whether some delays need 10 is not known.
//!
//! With `crash=probe` a probe and the answer to one are further messages of each other site, q = 5(N-1), and the round trip of a
//! probe takes 2 d_max + 2q r_max at most: c = 10(N-1).

mod bounds;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::hash::Hash;
use core::marker::PhantomData;

use ringleader_model::{
    Assumptions, BadSetting, Departure, Departures, Display, Effects, EntryReport, EntryRequest, Event, Field, Figure,
    Id, Inspect, Instance, Kind, Message, Parameter, Port, Preset, Problem, Processor, Reading, Seat, Settings, Ticks,
    Value, Values,
};
use serde::Serialize;

pub(crate) use bounds::{
    balance, least, longest_delay, longest_delay_one_by_one, longest_local_delay, most, most_with_probes,
};

use super::{COMPLETE, Numbers, check_sites};
use crate::election::{links_of, send_to_all};

/// The sites that may be inside together.
pub trait Sharing: Clone + Copy + Eq + Ord + Hash + Debug + 'static + Send + Sync {
    /// The problem that is solved.
    type Problem: Problem<Request = EntryRequest, Report = EntryReport>;
    /// The role of a site; part of its requests.
    type Role: Clone + Copy + Eq + Ord + Hash + Debug + Field + Serialize + 'static + Send + Sync;
    /// The role of a seat.
    fn role(seat: Seat) -> Self::Role;
    /// Whether sites of these roles exclude each other.
    fn conflict(one: Self::Role, other: Self::Role) -> bool;
}

/// The rules in force.
#[derive(Clone, Copy, Debug)]
pub struct Lock<S> {
    links: u32,
    numbers: Numbers,
    printed: Printed,
    c: u64,
    /// The least c that is proved to be enough.
    proved_c: u64,
    /// The number of steps within which a message that has arrived is read.
    queue: u64,
    /// window
    window: u64,
    /// mindelay, and delaystep
    pub(crate) delay: u64,
    /// predict, where it is not the nnr of the previous invocation
    predict: Option<u32>,
    crash: Crash,
    /// Places below this one read, where some do.
    pub(crate) readers: u32,
    sharing: PhantomData<S>,
}

/// The departures that are undone: see [`DEPARTURES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Printed {
    /// osn is drawn before the sleep.
    sleep: bool,
    /// hsn does not take in the own osn.
    numbers: bool,
    /// Replies do not say what they answer.
    replies: bool,
}

/// The treatment of sites that crash after a negative reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Crash {
    None,
    /// They are not waited for longer than this.
    Timeout(u64),
    /// They are asked again.
    Probe,
}

/// The printed rules that are not followed.
pub(crate) const DEPARTURES: &[Departure] = &[
    Departure::new(
        "sleep",
        "2.2.1, process (a)",
        "osn is drawn before the sleep",
        "osn is drawn after the sleep, in the step that sends the requests",
    ),
    Departure::new(
        "numbers",
        "2.2.1, process (a), with 2.2.5",
        "hsn does not take in the own osn",
        "hsn := osn when it is drawn",
    ),
    Departure::new("replies", "2.2.1, process (c)", "replies carry nothing", "replies carry the osn they answer"),
];

/// A message between sites.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Message)]
#[serde(rename_all = "kebab-case")]
#[message(kind = "Self::counted_as")]
pub enum Ask<S: Sharing> {
    /// (request, osn, i): may I?
    Request {
        /// The sequence number.
        osn: u64,
        /// The identity of the site.
        id: Id,
        /// The role of the site.
        role: S::Role,
    },
    /// (negative reply): not yet.
    Negative {
        /// The number of the request; as printed it is not said.
        osn: Option<u64>,
        /// The number of the probe that this answers, if it is one.
        probe: Option<u32>,
    },
    /// (positive reply): now you may.
    Positive {
        /// The number of the request; as printed it is not said.
        osn: Option<u64>,
    },
    /// Do you still say no?
    Probe {
        /// The number of the request.
        osn: u64,
        /// The number of the probe: 1 or 2.
        probe: u32,
    },
}

impl<S: Sharing> Ask<S> {
    const fn counted_as(&self) -> usize {
        match self {
            Self::Request { .. } => 0,
            Self::Negative { probe: None, .. } => 1,
            Self::Positive { .. } => 2,
            // The answer to a probe is counted with it: without crashes there are as many negative as positive replies.
            Self::Probe { .. } | Self::Negative { probe: Some(_), .. } => 3,
        }
    }
}

impl<S: Sharing> Debug for Ask<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { osn, id, role } if role.bits() == 0 => write!(f, "request({osn}, {id})"),
            Self::Request { osn, id, role } => write!(f, "request({osn}, {id}, {role:?})"),
            Self::Negative { osn: Some(osn), probe: Some(probe) } => write!(f, "negative({osn}, {probe})"),
            Self::Negative { osn: Some(osn), probe: None } => write!(f, "negative({osn})"),
            Self::Negative { osn: None, .. } => f.write_str("negative"),
            Self::Positive { osn: Some(osn) } => write!(f, "positive({osn})"),
            Self::Positive { osn: None } => f.write_str("positive"),
            Self::Probe { osn, probe } => write!(f, "probe({osn}, {probe})"),
        }
    }
}

/// A timer of a site; one is pending at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timer {
    /// The end of the sleep.
    Sleep,
    /// The end of the window.
    Window,
    /// The end of its patience (`crash=timeout:K`).
    Patience,
    /// When to ask again (`crash=probe`).
    Probe,
    /// The end of the wait for answers to a probe.
    Answers,
}

/// The stage of a site. csreq is true but in the remainder; sleep is true in its sleep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stage {
    Remainder,
    Sleeping,
    Listening,
    Waiting,
    Critical,
}

/// One site: 64 bytes, and 16 for every other site.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Site<S: Sharing> {
    id: Id,
    role: S::Role,
    stage: Stage,
    /// Our sequence number.
    osn: u64,
    /// The highest sequence number seen.
    hsn: u64,
    /// The number of negative replies.
    nnr: u32,
    /// The number of positive replies.
    ppr: u32,
    /// The number of the last probe for the present request.
    probe: u32,
    /// By port.
    others: Vec<Other>,
}

/// Another site, as this one sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
struct Other {
    /// repgiven: it got a negative reply, and its positive one is pending.
    repgiven: bool,
    /// The number of the request to which that one answers.
    k: u64,
    heard: Heard,
}

/// The answer of another site to the present request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Heard {
    Nothing,
    /// A negative reply.
    Negative,
    /// A negative reply, and it was asked again.
    Asked,
    /// A positive reply, or it was asked again and is silent.
    Positive,
}

/// The assumptions of these locks.
pub(crate) const ARCHIMEDEAN: Assumptions = Assumptions {
    preset: Preset::Archimedean,
    readings: &[Reading::Immediate, Reading::PerTick, Reading::PerStep],
    timed: true,
    ..COMPLETE
};

/// The rules of both locks.
pub(crate) const RULES: &[&str] = &[
    "On Acquire: sleep x steps, uniform from mindelay + predict delaystep to mindelay + 2 predict delaystep (printed=sleep: \
     draw osn before).",
    "After the sleep, in one step: osn := hsn + 1, hsn := osn (printed=numbers: hsn stays), nnr := ppr := 0; send request(osn, \
     id) to everybody; listen for window steps.",
    "At the end of the window, or when a reply comes after it, ppr = nnr: enter.",
    "At the end of the window, ppr < nnr: wait for the positive replies that are missing.",
    "On Release: send a positive reply to every site that got a negative one.",
    "On request(k, j): hsn := max(hsn, k). If it has asked and not left, and k > osn or k = osn and id < j, and not both are \
     readers: reply negatively.",
    "On request(k, j) otherwise: hsn := max(hsn, k); stay silent, which means consent.",
    "On a negative reply to the present request: nnr := nnr + 1.",
    "On a positive reply to the present request: ppr := ppr + 1.",
    "On a reply to an earlier request: discard it.",
    "crash=timeout:K, K steps after the window: enter.",
    "crash=probe, window steps after the window or after the last probe: send probe(osn, number) to those whose positive reply \
     is missing, with number 1 and 2 in turn.",
    "crash=probe, on a probe of a request for which a positive reply is pending: reply negatively with its number.",
    "crash=probe, on a probe of another request: stay silent.",
    "crash=probe, on a negative reply to a probe: if it has the last number, its sender does not consent.",
    "crash=probe, window steps after a probe: a silent site is taken to consent, ppr := ppr + 1.",
];

pub(crate) const C: Parameter = Parameter {
    name: "c",
    values: Values::Form("proved, or 0 to 30000"),
    default: PROVED,
    doc: "window = ⌈(2 d_max + c r_max)/r_min⌉ steps; proved: 2, one step of waiting at each end, or 6N-8 where a step reads one \
          message only (--reading per-tick; 10(N-1) with crash=probe)",
};

/// The c that is proved to be enough.
const PROVED: &str = "proved";

pub(crate) const C1: Parameter = Parameter {
    name: "c1",
    values: Values::Form("a number of steps up to 1000000, or round: window + hold"),
    default: "10",
    doc: "mindelay = delaystep = ⌈c1 r_max/r_min⌉ steps; the sleep is uniform from mindelay + predict delaystep to mindelay \
          + 2 predict delaystep",
};

pub(crate) const PREDICT: Parameter = Parameter {
    name: "predict",
    values: Values::Choice(&["previous", "n"]),
    default: "previous",
    doc: "how many competitors are expected: as many as replied negatively the last time, or N",
};

pub(crate) const CRASH: Parameter = Parameter {
    name: "crash",
    values: Values::Form("none, timeout:K or probe"),
    default: "none",
    doc: "none: a site that replied negatively is waited for; timeout:K: for K steps after the window; probe: it is asked again, a \
          window after the window and so on, and taken to consent if it is silent for a window; probes and their answers \
          are counted as probe",
};

impl<S: Sharing> Lock<S> {
    /// The rules for these settings and this instance, with these numbers.
    pub(crate) fn new(settings: &Settings, instance: &Instance<'_>, numbers: Numbers) -> Result<Self, BadSetting> {
        check_sites(instance)?;
        let departures = Departures::new(DEPARTURES, settings)?;
        let [sleep, numbers_as_printed, replies] = ["sleep", "numbers", "replies"].map(|name| departures.undoes(name));
        let printed = Printed { sleep, numbers: numbers_as_printed, replies };
        let (r, d) = (instance.timing.r, instance.timing.d);
        let crash = crash(settings.get(CRASH.name))?;
        let one_by_one = instance.timing.reading == Reading::PerTick;
        let (proved_c, queue) = if one_by_one { needed_for_one_by_one(instance.n, crash) } else { (2, 1) };
        let c = c(settings.get(C.name), proved_c)?;
        // At most 2^48 each and c below 2^15 (with 4096 sites 10(N-1) is 40950): less than 2^64.
        let window = (2 * d.max + c * r.max).div_ceil(r.min);
        if crash == Crash::Probe && printed.replies {
            let allowed = "none or timeout:K: a probe's answer must say what it answers";
            return Err(BadSetting::new("set", "crash=probe: replies are as printed", allowed));
        }
        let links = links_of(instance.n);
        let hold = instance.workload.map_or(0, |load| load.hold.max);
        let c1 = c1(settings.get(C1.name), window, hold)?;
        let delay = (u128::from(c1) * u128::from(r.max)).div_ceil(u128::from(r.min));
        // The sleep is drawn at one go.
        if delay.saturating_mul(u128::from(instance.n)) >= u128::from(u32::MAX) {
            let wrong = format!("c1={c1}: N ⌈c1 r_max/r_min⌉ steps are 2^32 or more");
            return Err(BadSetting::new("set", wrong, "shorter sleeps, or steps whose lengths differ less"));
        }
        Ok(Self {
            links,
            numbers,
            printed,
            c,
            proved_c,
            queue,
            window,
            delay: delay as u64,
            predict: settings.is(PREDICT.name, "n").then_some(links + 1),
            crash,
            readers: instance.workload.map_or(0, |load| load.readers as u32),
            sharing: PhantomData,
        })
    }

    /// Whether messages of this kind are sent.
    pub(crate) fn counts(&self, kind: Kind) -> bool {
        kind.name != "probe" || self.crash == Crash::Probe
    }

    pub(crate) fn numbers_of(&self, instance: &Instance<'_>) -> Vec<Figure> {
        let r = instance.timing.r;
        let c = Figure {
            symbol: "c",
            value: Value::int(u128::from(self.c)),
            meaning: "longest steps for which messages of a round trip may wait to be read",
        };
        let mut figures = vec![
            Figure {
                symbol: "1/γ",
                value: Value::ratio(u128::from(r.max), u128::from(r.min)),
                meaning: "r_max/r_min: how many steps of one site correspond to at least one of another",
            },
            Figure {
                symbol: "window",
                value: Value::int(u128::from(self.window)),
                meaning: "steps for which a site that asks listens",
            },
            Figure {
                symbol: "mindelay",
                value: Value::int(u128::from(self.delay)),
                meaning: "steps of the shortest sleep; also delaystep",
            },
        ];
        if instance.timing.reading == Reading::PerTick {
            figures.insert(1, c);
        }
        figures
    }

    /// A note on links that carry one message at a time.
    pub(crate) fn outlook(instance: &Instance<'_>) -> Vec<&'static str> {
        if instance.links.is_half_duplex() {
            vec![
                "a message that waits for its link takes longer than d_max: the window is too short, and two may be inside",
            ]
        } else {
            Vec::new()
        }
    }

    /// The longest time from drawing a number to entering, as [`longest_delay`](bounds::longest_delay) proves it: the window, and every other
    /// site twice inside.
    fn longest_wait(&self, instance: &Instance<'_>) -> Option<u128> {
        let load = instance.workload?;
        let [n, r, d] = [instance.n, instance.timing.r.max, instance.timing.d.max].map(u128::from);
        let handled = d + u128::from(self.queue) * r;
        Some(u128::from(self.window) * r + 2 * n * handled + 2 * (n - 1) * u128::from(load.hold.max) * r)
    }

    /// The longest time from asking to entering: the longest sleep, and that.
    fn longest_delay(&self, instance: &Instance<'_>) -> Option<u128> {
        let predict = self.predict.unwrap_or(self.links);
        let sleep = u128::from(self.delay) * (1 + 2 * u128::from(predict)) * u128::from(instance.timing.r.max);
        let wait = self.longest_wait(instance).filter(|_| self.proved(instance))?;
        Some(sleep + wait)
    }

    /// The assumptions of the proofs hold.
    fn proved(&self, instance: &Instance<'_>) -> bool {
        let in_time = instance.undisturbed && !instance.links.is_half_duplex() && instance.workload.is_some();
        in_time && self.is_sound()
    }

    /// Nothing is as printed that fails, and windows are long enough.
    pub(crate) fn is_sound(&self) -> bool {
        self.c >= self.proved_c && self.printed == Printed::default() && !matches!(self.crash, Crash::Timeout(_))
    }
}

/// Where a step reads one message: the least c that is proved to be enough, and the most messages that wait at a site.
const fn needed_for_one_by_one(n: u64, crash: Crash) -> (u64, u64) {
    let others = n.saturating_sub(1);
    match crash {
        // A site alone waits for nothing.
        _ if others == 0 => (2, 1),
        Crash::Probe => (10 * others, 5 * others),
        _ => (6 * n - 8, 3 * others),
    }
}

fn c(text: &str, proved: u64) -> Result<u64, BadSetting> {
    if text == PROVED {
        return Ok(proved);
    }
    text.parse().ok().filter(|&steps| steps <= 30_000).ok_or_else(|| {
        BadSetting::new("set", format!("c={text}: there is no such value"), "proved, or a number from 0 to 30000")
    })
}

fn crash(text: &str) -> Result<Crash, BadSetting> {
    let timeout = |text: &str| text.strip_prefix("timeout:")?.parse().ok().filter(|&steps| steps > 0);
    match text {
        "none" => Ok(Crash::None),
        "probe" => Ok(Crash::Probe),
        other => timeout(other).map(Crash::Timeout).ok_or_else(|| {
            BadSetting::new(
                "set",
                format!("crash={text}: there is no such value"),
                "none, timeout:K with K steps, probe",
            )
        }),
    }
}

fn c1(text: &str, window: u64, hold: u64) -> Result<u64, BadSetting> {
    if text == "round" {
        return Ok(window + hold);
    }
    text.parse().ok().filter(|&steps| steps <= 1_000_000).ok_or_else(|| {
        BadSetting::new("set", format!("c1={text}: there is no such value"), "a number up to 1000000, or round")
    })
}

impl<S: Sharing> Processor for Site<S> {
    type Problem = S::Problem;
    type Message = Ask<S>;
    type Timer = Timer;
    type Rules = Lock<S>;

    fn step(&mut self, rules: &Lock<S>, event: Event<Self>, fx: &mut impl Effects<Self>) {
        match event {
            Event::Wake => {}
            // (a) "Process which invokes mutual exclusion for this node"
            Event::Call(EntryRequest::Acquire) => {
                if self.stage == Stage::Remainder {
                    self.invoke(rules, fx);
                }
            }
            Event::Timeout(Timer::Sleep) => self.ask(rules, fx),
            Event::Timeout(Timer::Window) => self.close_window(rules, fx),
            Event::Timeout(Timer::Patience) => {
                fx.rule(11);
                self.enter(fx);
            }
            Event::Timeout(Timer::Probe) => self.ask_again(rules, fx),
            Event::Timeout(Timer::Answers) => self.take_silence_for_consent(rules, fx),
            Event::Call(EntryRequest::Release) => self.leave(rules, fx),
            // (b) "Process which receives (request, k, j) messages"
            Event::Receive(port, Ask::Request { osn: k, id: j, role }) => {
                self.hsn = rules.numbers.greatest(self.hsn, k);
                let awake = matches!(self.stage, Stage::Listening | Stage::Waiting | Stage::Critical);
                let priority = awake && rules.numbers.yields((k, j), (self.osn, self.id));
                if awake {
                    rules.numbers.compare((k, j), (self.osn, self.id), fx);
                }
                if priority && S::conflict(self.role, role) {
                    fx.rule(6);
                    let other = &mut self.others[port.0 as usize];
                    (other.repgiven, other.k) = (true, k);
                    fx.send(port, Ask::Negative { osn: rules.tag(k), probe: None });
                } else {
                    fx.rule(7);
                }
            }
            Event::Receive(port, Ask::Probe { osn: k, probe }) => {
                let other = self.others[port.0 as usize];
                if other.repgiven {
                    fx.compare(k, other.k);
                }
                if other.repgiven && other.k == k {
                    fx.rule(13);
                    fx.send(port, Ask::Negative { osn: Some(k), probe: Some(probe) });
                } else {
                    fx.rule(14);
                }
            }
            // (c) "Process which receives replies"
            Event::Receive(port, Ask::Negative { osn, probe }) => {
                if self.concerns(osn, fx) {
                    fx.rule(if probe.is_some() { 15 } else { 8 });
                    self.note_negative(port, probe);
                    self.stop_waiting_if_balanced(rules, fx);
                } else {
                    fx.rule(10);
                }
            }
            Event::Receive(port, Ask::Positive { osn }) => {
                if self.concerns(osn, fx) {
                    fx.rule(9);
                    self.note_positive(port);
                    self.stop_waiting_if_balanced(rules, fx);
                } else {
                    fx.rule(10);
                }
            }
        }
    }
}

impl<S: Sharing> Inspect for Site<S> {
    fn stuck(&self, rules: &<Self as Processor>::Rules) -> Option<&'static str> {
        let waits = self.stage == Stage::Waiting && rules.crash == Crash::None;
        waits.then_some("it waits for a positive reply that does not come; crash=probe would ask again")
    }
}

impl<S: Sharing> Lock<S> {
    /// The number by which a reply names its request.
    fn tag(&self, k: u64) -> Option<u64> {
        (!self.printed.replies).then_some(k)
    }
}

impl<S: Sharing> Site<S> {
    pub(crate) fn new(rules: &Lock<S>, seat: Seat) -> Self {
        let other = Other { repgiven: false, k: 0, heard: Heard::Nothing };
        Self {
            id: seat.identity(),
            role: S::role(seat),
            stage: Stage::Remainder,
            osn: 0,
            hsn: 0,
            nnr: 0,
            ppr: 0,
            probe: 0,
            others: vec![other; rules.links as usize],
        }
    }

    /// "csreq ← true"; "sleep ← true"; "wait for x steps"
    fn invoke(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        fx.rule(1);
        fx.report(EntryReport::Requested);
        self.stage = Stage::Sleeping;
        // As printed, late replies could have made nnr too large; no sleep is longer than for all.
        let predict = rules.predict.unwrap_or(self.nnr.min(rules.links));
        if rules.printed.sleep {
            self.draw(rules);
        }
        let spread = u64::from(predict) * rules.delay;
        // Less than 2^32, as was checked.
        let more = if spread == 0 { 0 } else { u64::from(fx.choose(spread as u32 + 1)) };
        match rules.delay + spread + more {
            0 => self.ask(rules, fx),
            x => fx.set_timer(Timer::Sleep, Ticks::new(x)),
        }
    }

    /// "osn ← hsn + 1; nnr ← 0; ppr ← 0"
    fn draw(&mut self, rules: &Lock<S>) {
        self.osn = rules.numbers.after(self.hsn);
        if !rules.printed.numbers {
            self.hsn = self.osn;
        }
        (self.nnr, self.ppr, self.probe) = (0, 0, 0);
        for other in &mut self.others {
            other.heard = Heard::Nothing;
        }
    }

    /// "sleep ← false; for j ≠ i send (request, osn, i) to j; wait for window(i) steps"
    fn ask(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        fx.rule(2);
        if !rules.printed.sleep {
            self.draw(rules);
        }
        self.stage = Stage::Listening;
        fx.report(EntryReport::Numbered(rules.numbers.sequence_number(self.osn)));
        send_to_all(rules.links, &Ask::Request { osn: self.osn, id: self.id, role: self.role }, fx);
        fx.set_timer(Timer::Window, Ticks::new(rules.window));
    }

    /// "wait until ppr = nnr"
    fn close_window(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        self.stage = Stage::Waiting;
        self.enter_if_balanced(fx);
        if self.stage == Stage::Waiting {
            fx.rule(4);
            match rules.crash {
                Crash::None => {}
                Crash::Timeout(steps) => fx.set_timer(Timer::Patience, Ticks::new(steps)),
                Crash::Probe => fx.set_timer(Timer::Probe, Ticks::new(rules.window)),
            }
        }
    }

    fn enter_if_balanced(&mut self, fx: &mut impl Effects<Self>) {
        fx.compare(self.ppr, self.nnr);
        if self.ppr == self.nnr {
            fx.rule(3);
            self.enter(fx);
        }
    }

    fn enter(&mut self, fx: &mut impl Effects<Self>) {
        self.stage = Stage::Critical;
        fx.report(EntryReport::Entered { negatives: Some(self.nnr) });
    }

    fn ask_again(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        fx.rule(12);
        // By the time of the next probe but one all answers to a probe have come: a window covers the round trip.
        self.probe = self.probe % 2 + 1;
        for (port, other) in self.others.iter_mut().enumerate() {
            if other.heard == Heard::Negative {
                other.heard = Heard::Asked;
                fx.send(Port(port as u32), Ask::Probe { osn: self.osn, probe: self.probe });
            }
        }
        fx.set_timer(Timer::Answers, Ticks::new(rules.window));
    }

    fn take_silence_for_consent(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        fx.rule(16);
        for other in &mut self.others {
            if other.heard == Heard::Asked {
                other.heard = Heard::Positive;
                self.ppr += 1;
            }
        }
        self.enter_if_balanced(fx);
        if self.stage == Stage::Waiting {
            fx.set_timer(Timer::Probe, Ticks::new(rules.window));
        }
    }

    /// "csreq ← false; for j = 1 to n do if repgiven[j] then repgiven[j] ← false; send (positive rep) to j"
    fn leave(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        fx.rule(5);
        self.stage = Stage::Remainder;
        for (port, other) in self.others.iter_mut().enumerate() {
            if core::mem::take(&mut other.repgiven) {
                fx.send(Port(port as u32), Ask::Positive { osn: rules.tag(other.k) });
            }
        }
        fx.report(EntryReport::Left);
    }

    /// Whether a reply is to the present request. As printed every reply is taken for one.
    fn concerns(&self, osn: Option<u64>, fx: &mut impl Effects<Self>) -> bool {
        let asking = matches!(self.stage, Stage::Listening | Stage::Waiting);
        if let Some(osn) = osn.filter(|_| asking) {
            fx.compare(osn, self.osn);
        }
        osn.is_none_or(|osn| asking && osn == self.osn)
    }

    /// "nnr ← nnr + 1"; the answer to a probe is no further reply. A positive reply may have overtaken it.
    fn note_negative(&mut self, port: Port, probe: Option<u32>) {
        let heard = &mut self.others[port.0 as usize].heard;
        match (probe, *heard) {
            (None, before) => {
                self.nnr = self.nnr.saturating_add(1);
                if before == Heard::Nothing {
                    *heard = Heard::Negative;
                }
            }
            (Some(probe), Heard::Asked) if probe == self.probe => *heard = Heard::Negative,
            (Some(_), _) => {}
        }
    }

    /// "ppr ← ppr + 1"
    fn note_positive(&mut self, port: Port) {
        self.others[port.0 as usize].heard = Heard::Positive;
        self.ppr = self.ppr.saturating_add(1);
    }

    /// A reply may be what it waits for: the last positive one or, if the window was too short, a negative one that was
    /// overtaken.
    fn stop_waiting_if_balanced(&mut self, rules: &Lock<S>, fx: &mut impl Effects<Self>) {
        if self.stage == Stage::Waiting && self.ppr == self.nnr {
            match rules.crash {
                Crash::None => {}
                Crash::Timeout(_) => fx.cancel_timer(Timer::Patience),
                Crash::Probe => {
                    fx.cancel_timer(Timer::Probe);
                    fx.cancel_timer(Timer::Answers);
                }
            }
            fx.compare(self.ppr, self.nnr);
            fx.rule(3);
            self.enter(fx);
        }
    }
}

#[cfg(test)]
mod tests;
