/// A small bug, such as people write.
pub struct Bug {
    /// What it does.
    pub name: &'static str,
    /// In which file of the catalogue.
    pub file: &'static str,
    /// What stands there, once; what is between « and » is replaced.
    pub at: &'static str,
    /// By what.
    pub to: &'static str,
    /// In which protocol it shows.
    pub protocol: &'static str,
    /// With which settings.
    pub settings: &'static [(&'static str, &'static str)],
    /// On which processors; where they are anonymous, only how many there are counts.
    pub ids: &'static [u64],
    /// Under which clocks.
    pub time: BugClocks,
    /// How often every site asks, where users do.
    pub entries: u64,
    /// How many read.
    pub readers: usize,
    /// Whether all wake together.
    pub together: bool,
    /// The property that it breaks.
    pub breaks: &'static str,
}

/// Clocks.
pub enum BugClocks {
    /// Everything may happen at any time.
    None,
    /// Rounds.
    Rounds,
    /// Steps that take so long, messages that take so long.
    Steps {
        /// From, to.
        r: (u64, u64),
        /// From, to.
        d: (u64, u64),
    },
}

const SAFETY: &str = "safety";
const TERMINATION: &str = "termination";
const GREATEST_WINS: &str = "the greatest identity wins";
const SMALLEST_WINS: &str = "the smallest identity wins";
const WINNER_KNOWN: &str = "everybody ends up holding the winner's identity";
const DECIDES_ONCE: &str = "every processor reports its decision once";
const READERS_TOGETHER: &str = "readers can be inside together";
const TOKEN_KEPT: &str = "a lone token is neither doubled nor removed";
/// A bound on the mean of phases, which `check --probability` judges.
pub const MEAN_PHASES: &str = "phases";
/// A bound on the probability of more than one leader, likewise.
pub const ERROR: &str = "error";

const fn election(
    name: &'static str,
    [file, protocol]: [&'static str; 2],
    at: &'static str,
    to: &'static str,
    ids: &'static [u64],
    breaks: &'static str,
) -> Bug {
    Bug {
        name,
        file,
        at,
        to,
        protocol,
        settings: &[],
        ids,
        time: BugClocks::None,
        entries: 0,
        readers: 0,
        together: false,
        breaks,
    }
}

const fn round_election(
    name: &'static str,
    file_and_protocol: [&'static str; 2],
    at: &'static str,
    to: &'static str,
    ids: &'static [u64],
    breaks: &'static str,
) -> Bug {
    Bug { time: BugClocks::Rounds, ..election(name, file_and_protocol, at, to, ids, breaks) }
}

/// Sites that take a step every unit of time, and whose messages take one or two.
const fn lock(
    name: &'static str,
    file_and_protocol: [&'static str; 2],
    at: &'static str,
    to: &'static str,
    ids: &'static [u64],
    breaks: &'static str,
) -> Bug {
    Bug {
        time: BugClocks::Steps { r: (1, 1), d: (1, 2) },
        settings: &[("c1", "1")],
        entries: 1,
        ..election(name, file_and_protocol, at, to, ids, breaks)
    }
}

/// Two processors that break symmetry with one coin, every step and every message taking one unit of time.
const fn symmetry(name: &'static str, at: &'static str, to: &'static str, breaks: &'static str) -> Bug {
    Bug {
        time: BugClocks::Steps { r: (1, 1), d: (1, 1) },
        settings: &[("k", "1")],
        ..election(name, SYMMETRY, at, to, &[1, 2], breaks)
    }
}

const LELANN: [&str; 2] = ["election/lelann.rs", "lelann"];
const CHANG_ROBERTS: [&str; 2] = ["election/chang_roberts.rs", "chang-roberts"];
const PETERSON: [&str; 2] = ["election/peterson.rs", "peterson"];
const ALTERNATING: [&str; 2] = ["election/peterson_alternating.rs", "peterson-alternating"];
const DKR: [&str; 2] = ["election/dolev_klawe_rodeh.rs", "dolev-klawe-rodeh"];
const FRANKLIN: [&str; 2] = ["election/franklin.rs", "franklin"];
const HIRSCHBERG: [&str; 2] = ["election/hirschberg_sinclair.rs", "hirschberg-sinclair"];
const TAN: [&str; 2] = ["election/van_leeuwen_tan.rs", "van-leeuwen-tan"];
const ALL: [&str; 2] = ["election/all_to_all.rs", "all-to-all"];
const AFEK_SYNC: [&str; 2] = ["election/afek_gafni_sync.rs", "afek-gafni-sync"];
const AFEK: [&str; 2] = ["election/afek_gafni_async.rs", "afek-gafni-async"];
const ITAI: [&str; 2] = ["election/itai_rodeh.rs", "itai-rodeh"];
const ITAI_SYNC: [&str; 2] = ["election/itai_rodeh_sync.rs", "itai-rodeh-sync"];
const SLICE: [&str; 2] = ["election/time_slice.rs", "time-slice"];
const FREDERICKSON: [&str; 2] = ["election/frederickson_lynch.rs", "frederickson-lynch"];
const VITANYI: [&str; 2] = ["election/vitanyi.rs", "vitanyi"];
const SYMMETRY: [&str; 2] = ["election/spirakis_tampakas.rs", "spirakis-tampakas-symmetry"];
const RICART: [&str; 2] = ["mutual_exclusion/ricart_agrawala.rs", "ricart-agrawala"];
const MUTEX: [&str; 2] = ["mutual_exclusion/archimedean_lock.rs", "spirakis-tampakas-mutex"];
const SHARED: [&str; 2] = ["readers_writers/spirakis_tampakas.rs", "spirakis-tampakas-readers-writers"];
const LAMPORT: [&str; 2] = ["readers_writers/lamport.rs", "lamport-readers-writers"];
const TOKEN: [&str; 2] = ["token/token_ring.rs", "token-ring"];

/// All of them.
pub const BUGS: &[Bug] = &[
    // Le Lann
    election("a forgotten forward", LELANN, "«fx.send(NEXT, Identity(j));»", "", &[3, 1, 2], TERMINATION),
    election("what was seen is not remembered", LELANN, "«self.best = self.best.max(j);»", "", &[3, 1, 2], SAFETY),
    election(
        "the winner follows itself",
        LELANN,
        "«ElectionReport::Elected(Some(self.id))»\n                } else {",
        "ElectionReport::Follows(Some(self.id))",
        &[3, 1, 2],
        WINNER_KNOWN,
    ),
    // Chang and Roberts
    election(
        "smaller identities are relayed, greater ones discarded",
        CHANG_ROBERTS,
        "Candidate(j)) if «j < self.id» =>",
        "j > self.id",
        &[3, 1, 2],
        GREATEST_WINS,
    ),
    election(
        "the winner reports when its announcement returns",
        CHANG_ROBERTS,
        "«fx.rule(6);»",
        "fx.rule(6);\n                fx.report(ElectionReport::Elected(Some(self.id)));",
        &[3, 1, 2],
        DECIDES_ONCE,
    ),
    election(
        "a smaller identity does not wake",
        CHANG_ROBERTS,
        "fx.rule(3);\n                «self.start(fx);»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "the own identity is sent instead",
        CHANG_ROBERTS,
        "«fx.send(NEXT, Ballot::Candidate(j));»",
        "fx.send(NEXT, Ballot::Candidate(self.id));",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "a wrong comparison elects",
        CHANG_ROBERTS,
        "Candidate(j)) if «j == self.id» =>",
        "j >= self.id",
        &[3, 1, 4, 2],
        SAFETY,
    ),
    election(
        "no announcement",
        CHANG_ROBERTS,
        "«fx.send(NEXT, Ballot::Elected(self.id));»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    // Peterson
    election(
        "the wrong one survives",
        PETERSON,
        "Bid::Second(nnid)) if «self.id >= nnid» =>",
        "self.id < nnid",
        &[3, 1, 4, 2],
        TERMINATION,
    ),
    election(
        "who loses stays active",
        PETERSON,
        "fx.rule(4);\n                    «self.mode = Mode::Relays;»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "the holder is taken for the owner",
        PETERSON,
        "if rules.owner && «id == self.own» =>",
        "id == self.id",
        &[3, 1, 4, 2],
        SAFETY,
    ),
    // Peterson, alternating
    election(
        "a passive processor does not relay",
        ALTERNATING,
        "fx.rule(5);\n                    «fx.send(NEXT, bid);»",
        "",
        &[3, 1, 4, 2],
        TERMINATION,
    ),
    election(
        "a survivor of an even phase keeps its own value",
        ALTERNATING,
        "«self.value = self.value.max(received);»",
        "",
        &[1, 2, 3],
        GREATEST_WINS,
    ),
    election("it follows what it holds", ALTERNATING, "Follows(Some(«id»))", "self.value", &[3, 1, 4, 2], SAFETY),
    // Dolev, Klawe and Rodeh
    election(
        "a comparison turned round",
        DKR,
        "Bid::Second(j)) if «self.max > j» =>",
        "self.max < j",
        &[3, 1, 4, 2],
        TERMINATION,
    ),
    Bug {
        settings: &[("variant", "b")],
        ..election("a missing answer", DKR, "«fx.send(NEXT, Bid::M2(self.max));»", "", &[3, 1, 4, 2], TERMINATION)
    },
    Bug {
        settings: &[("variant", "b")],
        ..election(
            "a strict comparison",
            DKR,
            "Bid::M2(id)) if «id >= self.max» =>",
            "id > self.max",
            &[3, 1, 4, 2],
            TERMINATION,
        )
    },
    // Franklin
    election(
        "an early value is forgotten",
        FRANKLIN,
        "fx.rule(3);\n                «self.waiting = Some(id);»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "relayed to where it came from",
        FRANKLIN,
        "fx.send(«onward(port)», Ballot::Value(id))",
        "port",
        &[3, 1, 4, 2],
        SAFETY,
    ),
    election(
        "the announcement turns round",
        FRANKLIN,
        "fx.send(«onward(port)», Ballot::Announcement(id));",
        "port",
        &[3, 1, 2],
        TERMINATION,
    ),
    // Hirschberg and Sinclair
    election(
        "both answers are noted at one port",
        HIRSCHBERG,
        "self.oks |= «1 << port.0»;",
        "1",
        &[3, 1, 2],
        TERMINATION,
    ),
    election("answers are not sent along", HIRSCHBERG, "«fx.send(onward(port), answer);»", "", &[3, 1, 2], TERMINATION),
    election(
        "the announcement goes back",
        HIRSCHBERG,
        "fx.send(«onward(port)», Probe::Announcement(id));",
        "port",
        &[3, 1, 2],
        TERMINATION,
    ),
    // Van Leeuwen and Tan
    election("the smaller of both is kept", TAN, "self.id = «v.max(first)»;", "v.min(first)", &[3, 1, 4, 2], SAFETY),
    election(
        "it starts towards the greater one",
        TAN,
        "Ordering::Less => «port.0 as u8»,",
        "other",
        &[3, 1, 4, 2],
        SAFETY,
    ),
    election(
        "relayed to where it came from",
        TAN,
        "return fx.send(«onward(port)», Chase::Message { v, p, q: false });",
        "port",
        &[4, 3, 2, 1],
        TERMINATION,
    ),
    election(
        "a lost timer",
        TAN,
        "if «self.flags != 0 || self.waits(0) || self.waits(1)» {",
        "false",
        &[5, 3, 2, 4, 1],
        TERMINATION,
    ),
    election(
        "the flag goes back",
        TAN,
        "0b10 => return self.finish(«Port(0)», fx),",
        "Port(1)",
        &[4, 3, 2, 1],
        TERMINATION,
    ),
    Bug {
        settings: &[("duplex", "half")],
        ..election(
            "half-duplex, it stays in its phase",
            TAN,
            "self.pnum = «p.saturating_add(1)»;",
            "p",
            &[3, 1, 4, 2],
            TERMINATION,
        )
    },
    // Complete networks
    election(
        "it decides one too early",
        ALL,
        "if «self.heard - 1 == rules.links» {",
        "self.heard == rules.links",
        &[3, 1, 2],
        SAFETY,
    ),
    election(
        "who is reached does not tell the others",
        ALL,
        "Event::Receive(_, Identity(j)) => {\n                «self.start(rules, fx);»",
        "self.heard = self.heard.max(1);",
        &[3, 1, 2],
        TERMINATION,
    ),
    round_election(
        "levels stand still",
        AFEK_SYNC,
        "«self.owner.level = (self.owner.level + 1).min(rules.top);»",
        "",
        &[3, 1, 2],
        SAFETY,
    ),
    round_election("no ack", AFEK_SYNC, "«fx.send(link, Call::Ack);»", "", &[3, 1, 2], TERMINATION),
    round_election(
        "the least is the greatest",
        AFEK_SYNC,
        "if «standing > self.owner» {",
        "standing.id > self.owner.id",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "only identities are compared",
        AFEK,
        "if «standing > self.owner» {",
        "standing.id > self.owner.id",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "no ack for a new father",
        AFEK,
        "«fx.send(self.potential_father, Call::Ack(self.owner));»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    election("who gives way goes on", AFEK, "«self.life = Life::Killed;»", "", &[3, 2, 1, 4], SAFETY),
    // Itai and Rodeh
    election(
        "no mark where two drew the same",
        ITAI,
        "fx.send(NEXT, «pass_on(false)»);",
        "pass_on(unique)",
        &[1, 2],
        SAFETY,
    ),
    election("hops counted from 0", ITAI, "id: self.id, hop: «1», unique: true", "0", &[1, 2], TERMINATION),
    round_election(
        "a pebble of the last phase goes on",
        ITAI_SYNC,
        "«fx.cancel_timer(Timer::Relay);»",
        "",
        &[1, 2, 3],
        TERMINATION,
    ),
    round_election(
        "a phase one too short",
        ITAI_SYNC,
        "Ticks::new(u64::from(«rules.n»))",
        "rules.n - 1",
        &[1, 2, 3],
        SAFETY,
    ),
    // Synchronous rings
    round_election(
        "slices too short",
        SLICE,
        "(k.get() - 1).checked_mul(«self.n»)",
        "self.n - 2",
        &[1, 3, 2],
        TERMINATION,
    ),
    round_election(
        "the own identity is relayed",
        SLICE,
        "«(self.mode, self.travels) = (Mode::Done, k);»",
        "self.mode = Mode::Done;",
        &[1, 3, 2],
        SAFETY,
    ),
    round_election(
        "greater identities go on, smaller ones are dropped",
        FREDERICKSON,
        "Mail::Token(v)), _) if «v < self.least» =>",
        "v > self.least",
        &[3, 1, 2],
        SMALLEST_WINS,
    ),
    round_election(
        "any token that comes is one's own",
        FREDERICKSON,
        "if «v == self.id && v == self.least» => {",
        "v >= self.least",
        &[1, 3, 2],
        SAFETY,
    ),
    round_election(
        "the announcement is not sent",
        FREDERICKSON,
        "«fx.set_timer(Timer::Hop, Ticks::ONE);»",
        "fx.cancel_timer(Timer::Hop);",
        &[1, 3, 2],
        TERMINATION,
    ),
    // Vitányi
    election("a smaller identity is not taken over", VITANYI, "«self.k = id;»", "", &[3, 1, 2], TERMINATION),
    election("it follows itself", VITANYI, "Follows(Some(«self.k»))", "self.id", &[3, 1, 2], SAFETY),
    election(
        "the first timer is lost",
        VITANYI,
        "} else {\n            self.late = false;\n            «fx.set_timer(Timer::Countdown, Ticks::ONE);»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    election(
        "sleepwell is not passed on",
        VITANYI,
        "«fx.send(NEXT, Call::Sleepwell { epoch: self.epoch });»",
        "",
        &[3, 1, 2],
        TERMINATION,
    ),
    // Symmetry breaking
    Bug {
        settings: &[("k", "1")],
        ..lock(
            "termination is not passed on",
            SYMMETRY,
            "fx.report(report);\n        «fx.send(NEXT, Notice::Termination);»",
            "",
            &[1, 2],
            TERMINATION,
        )
    },
    Bug {
        settings: &[("k", "1")],
        ..lock(
            "a failed phase ends it",
            SYMMETRY,
            "«fx.send(NEXT, Notice::WakeUp(None));» // 3.3",
            "",
            &[1, 2],
            TERMINATION,
        )
    },
    // Ricart and Agrawala
    Bug {
        entries: 1,
        ..election(
            "a deferred reply is forgotten",
            RICART,
            "self.deferred[port.0 as usize] = «true»;",
            "false",
            &[1, 2],
            TERMINATION,
        )
    },
    Bug {
        entries: 1,
        ..election(
            "who tries gives way always",
            RICART,
            "let waits = «self.stage != Stage::Remainder && rules.numbers.yields((k, j), (self.osn, self.id))»;",
            "self.stage == Stage::Critical",
            &[1, 2],
            SAFETY,
        )
    },
    Bug {
        entries: 2,
        ..election(
            "numbers seen do not count",
            RICART,
            "«self.hsn = rules.numbers.greatest(self.hsn, k);»",
            "",
            &[1, 2],
            SAFETY,
        )
    },
    Bug {
        file: "mutual_exclusion.rs",
        entries: 1,
        ..election("a tie stops both", RICART, "k == osn && «i < j»", "true", &[1, 2], TERMINATION)
    },
    // Spirakis and Tampakas's locks
    lock(
        "the window forgets the way back",
        MUTEX,
        "let window = «(2 * d.max + c * r.max).div_ceil(r.min)»;",
        "(d.max + c * r.max).div_ceil(r.min)",
        &[1, 2],
        SAFETY,
    ),
    lock(
        "no positive reply",
        MUTEX,
        "«fx.send(Port(port as u32), Ask::Positive { osn: rules.tag(other.k) });»",
        "",
        &[1, 2],
        TERMINATION,
    ),
    lock(
        "who is inside says nothing",
        MUTEX,
        "let awake = «matches!(self.stage, Stage::Listening | Stage::Waiting | Stage::Critical)»;",
        "matches!(self.stage, Stage::Listening | Stage::Waiting)",
        &[1, 2],
        SAFETY,
    ),
    lock("negative replies are not counted", MUTEX, "«self.nnr = self.nnr.saturating_add(1);»", "", &[1, 2], SAFETY),
    lock(
        "the window is never closed",
        MUTEX,
        "«fx.set_timer(Timer::Window, Ticks::new(rules.window));»",
        "",
        &[1, 2],
        TERMINATION,
    ),
    Bug {
        readers: 1,
        ..lock(
            "readers say nothing to writers",
            SHARED,
            "«(one, other) != (Role::Reader, Role::Reader)»",
            "one == Role::Writer",
            &[1, 2],
            SAFETY,
        )
    },
    Bug {
        readers: 1,
        ..lock(
            "the first writer is taken for a reader",
            SHARED,
            "u32::from(«place >= self.readers»)",
            "place > self.readers",
            &[1, 2],
            SAFETY,
        )
    },
    Bug {
        readers: 2,
        ..lock(
            "readers take themselves for writers",
            SHARED,
            "if «seat.role == 0» { Role::Reader }",
            "false",
            &[1, 2, 3],
            READERS_TOGETHER,
        )
    },
    // Lamport
    Bug {
        settings: &[("digits", "1"), ("words", "2"), ("waits", "none")],
        entries: 1,
        readers: 1,
        ..election("versions are not compared", LAMPORT, "_ if «self.versions == 0» =>", "true", &[1, 2], SAFETY)
    },
    Bug {
        settings: &[("digits", "1"), ("words", "2"), ("waits", "none")],
        entries: 1,
        readers: 1,
        ..election(
            "a cell does not keep what is written",
            LAMPORT,
            "if self.role == Role::Cell => {\n                «self.value = value;»",
            "",
            &[1, 2],
            SAFETY,
        )
    },
    // Token rings
    Bug {
        settings: &[("tokens", "2"), ("jitter", "L")],
        time: BugClocks::Steps { r: (1, 1), d: (2, 2) },
        ..lock(
            "an early token stays",
            TOKEN,
            "fx.rule(3);\n                        «fx.report(TokenReport::Removes);»",
            "self.pass(rules, fx);",
            &[1, 2],
            TERMINATION,
        )
    },
    Bug {
        settings: &[("tokens", "0"), ("jitter", "L")],
        time: BugClocks::Steps { r: (1, 1), d: (2, 2) },
        ..lock("nobody inserts a token", TOKEN, "«fx.set_timer(Timer::Late, limit);»", "", &[1, 2], TERMINATION)
    },
    Bug {
        settings: &[("jitter", "L")],
        time: BugClocks::Steps { r: (1, 1), d: (2, 2) },
        together: true,
        ..lock(
            "whoever wakes without a token inserts one",
            TOKEN,
            "if !rules.printed.waking {\n                    «self.await_late(rules, fx);»",
            "fx.set_timer(Timer::Late, Ticks::ONE);",
            &[1, 2],
            TOKEN_KEPT,
        )
    },
    // Found by probabilities only
    round_election(
        "marked with probability 1/n in every phase",
        ITAI_SYNC,
        "if fx.choose(«self.a») == 0",
        "rules.n",
        &[1, 2, 3, 4],
        MEAN_PHASES,
    ),
    election("two identities to draw from", ITAI, "fx.choose(«rules.ids») + 1", "2", &[1, 2, 3], MEAN_PHASES),
    symmetry("numbers up to 2n", "fx.choose(«rules.n») + 1", "2 * rules.n", MEAN_PHASES),
    symmetry("a coin too few", "if «self.j == rules.last_stage()» {", "self.j + 1 == rules.last_stage()", ERROR),
];
