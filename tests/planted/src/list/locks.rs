const RICART: Target = Target::new("mutual_exclusion/ricart_agrawala.rs", "ricart-agrawala -n 2 --entries 2");
const RICART_3: Target = RICART.checked_by("ricart-agrawala -n 3");
const RICART_SHARED: Target = RICART.checked_by("ricart-agrawala -n 3 --readers 2 --writers 1");
const RICART_BYPASS: Target = RICART.checked_by("ricart-agrawala -n 2 --entries 3");
const NUMBERS: Target = Target::new("mutual_exclusion.rs", RICART.command);
const MUTEX: Target =
    Target::new("mutual_exclusion/archimedean_lock.rs", "spirakis-tampakas-mutex -n 2 --r 1 --d 1..2 --set c1=1");
const MUTEX_TWICE: Target = MUTEX.checked_by("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 2");
const MUTEX_THRICE: Target = MUTEX.checked_by("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --entries 3 --set c1=1");
const MUTEX_QUEUES: Target =
    MUTEX.checked_by("spirakis-tampakas-mutex -n 2 --r 1 --d 1 --reading per-tick --entries 2 --set c1=0");
const SHARED: Target = Target::new(
    "readers_writers/spirakis_tampakas.rs",
    "spirakis-tampakas-readers-writers -n 2 --r 1 --d 1..2 --set c1=1",
);
const SHARED_3: Target = SHARED.checked_by("spirakis-tampakas-readers-writers -n 3 --r 1 --d 1 --set c1=1");
const SHARED_LOCK: Target = Target::new(MUTEX.file, SHARED.command);
const LAMPORT: Target = Target::new(
    "readers_writers/lamport.rs",
    "lamport-readers-writers -n 2 --entries 1 --readers 1 --writers 1 --set digits=1 --set words=2 --set waits=none",
);
const LAMPORT_TIMES: Target = LAMPORT.checked_by(
    "lamport-readers-writers --timed -n 2 --r 1 --d 0 --entries 2 --readers 1 --writers 1 --set digits=1 --set read-time=24 \
     --set write-time=4",
);
const TOKEN: Target = Target::new("token/token_ring.rs", "token-ring -n 2 --r 1 --d 2");
const TOKENS_2: Target = TOKEN.checked_by("token-ring -n 2 --r 1 --d 2 --set tokens=2");
const TOKENS_0: Target = TOKEN.checked_by("token-ring -n 2 --r 1 --d 2 --set tokens=0");
const TOKEN_TOGETHER: Target = TOKEN.checked_by("token-ring -n 2 --wake together --r 1 --d 2");

/// Locks, readers and writers, token rings.
pub const LOCKS: &[Bug] = &[
    // Ricart and Agrawala
    Bug::new(RICART, "a deferred reply is forgotten", "self.deferred[port.0 as usize] = «true»;", "false", TERMINATION),
    Bug::new(
        RICART,
        "who tries gives way always",
        "let waits = «self.stage != Stage::Remainder && rules.numbers.yields((k, j), (self.osn, self.id))»;",
        "self.stage == Stage::Critical",
        SAFETY,
    ),
    Bug::new(RICART, "numbers seen do not count", "«self.hsn = rules.numbers.greatest(self.hsn, k);»", "", SAFETY),
    Bug::new(NUMBERS, "a tie stops both", "k == osn && «i < j»", "true", TERMINATION),
    Bug::new(NUMBERS, "of the same numbers the greater identity goes first", "k == osn && «i < j»", "i > j", SERVED_BY_NUMBER),
    Bug::new(NUMBERS, "numbers are left out", "number.saturating_add(«1»)", "3", NUMBERS_CLOSE),
    Bug::new(RICART_3, "one reply is enough", "self.outstanding = «rules.links»;", "1", SAFETY),
    Bug::new(
        RICART,
        "deferred replies are sent again at every exit",
        "if «core::mem::take(deferred)» {",
        "*deferred",
        MESSAGES,
    ),
    Bug::new(
        RICART_3,
        "all deferred replies go to one site",
        "fx.send(Port(«port as u32»), Ask::Reply);",
        "0",
        TERMINATION,
    ),
    Bug::new(
        RICART,
        "who has left still defers",
        "fx.rule(6);\n        «self.stage = Stage::Remainder;»",
        "",
        TERMINATION,
    ),
    Bug::new(RICART_BYPASS, "the own number is not one that was seen", "«self.hsn = self.osn;»", "", BOUNDED_BYPASS),
    Bug::new(
        RICART_SHARED,
        "readers reply to writers at once",
        "if waits && «self.role.conflicts_with(role)» {",
        "self.role != Role::Reader",
        SAFETY,
    ),
    Bug::new(
        RICART_SHARED,
        "the first writer is taken for a reader",
        "_ if «place < self.readers» => 1,",
        "place <= self.readers",
        SAFETY,
    ),
    Bug::new(
        RICART_SHARED,
        "readers take themselves for writers",
        "[Role::Site, «Role::Reader», Role::Writer]",
        "Role::Writer",
        READERS_TOGETHER,
    ),
    // Spirakis and Tampakas's lock
    Bug::new(
        MUTEX,
        "the window forgets the way back",
        "let window = «(2 * d.max + c * r.max).div_ceil(r.min)»;",
        "(d.max + c * r.max).div_ceil(r.min)",
        SAFETY,
    ),
    Bug::new(
        MUTEX,
        "no positive reply",
        "«fx.send(Port(port as u32), Ask::Positive { osn: rules.tag(other.k) });»",
        "",
        TERMINATION,
    ),
    Bug::new(
        MUTEX,
        "who is inside says nothing",
        "let awake = «matches!(self.stage, Stage::Listening | Stage::Waiting | Stage::Critical)»;",
        "matches!(self.stage, Stage::Listening | Stage::Waiting)",
        SAFETY,
    ),
    Bug::new(MUTEX, "negative replies are not counted", "«self.nnr = self.nnr.saturating_add(1);»", "", SAFETY),
    Bug::new(
        MUTEX,
        "the window is never closed",
        "«fx.set_timer(Timer::Window, Ticks::new(rules.window));»",
        "",
        TERMINATION,
    ),
    Bug::new(MUTEX, "positive replies do not count", "«self.ppr = self.ppr.saturating_add(1);»", "", TERMINATION),
    Bug::new(
        MUTEX_TWICE,
        "positive replies are sent again at every exit",
        "if «core::mem::take(&mut other.repgiven)» {",
        "other.repgiven",
        NEGATIVE_POSITIVE,
    ),
    Bug::new(
        MUTEX_THRICE,
        "the number is taken before another sleep",
        "Event::Timeout(Timer::Sleep) => «self.ask(rules, fx)»,",
        "if self.probe == 0 {
                self.probe = 1;
                fx.report(EntryReport::Numbered(rules.numbers.sequence_number(rules.numbers.after(self.hsn))));
                let longer = u64::from(fx.choose(2));
                fx.set_timer(Timer::Sleep, Ticks::new(1 + 40 * longer));
            } else {
                self.ask(rules, fx);
            }",
        OVERTAKEN_TWICE,
    ),
    Bug::new(
        MUTEX_THRICE,
        "who leaves goes on waiting with its number",
        "fx.rule(5);\n        «self.stage = Stage::Remainder;»",
        "self.stage = Stage::Remainder; fx.report(EntryReport::Numbered(rules.numbers.sequence_number(self.osn)));",
        OVERTAKEN_TWICE,
    ),
    Bug::new(
        MUTEX_QUEUES,
        "the window has no room for the queue at its own end",
        "if one_by_one { «needed_for_one_by_one(instance.n, crash)» } else",
        "(3 * instance.n - 3, 1)",
        SAFETY,
    ),
    // Readers and writers
    Bug::new(
        SHARED,
        "readers say nothing to writers",
        "«(one, other) != (Role::Reader, Role::Reader)»",
        "one == Role::Writer",
        SAFETY,
    ),
    Bug::new(
        SHARED,
        "the first writer is taken for a reader",
        "u32::from(«place >= self.readers»)",
        "place > self.readers",
        SAFETY,
    ),
    Bug::new(
        SHARED_3,
        "readers take themselves for writers",
        "if «seat.role == 0» { Role::Reader }",
        "false",
        READERS_TOGETHER,
    ),
    Bug::new(
        SHARED_LOCK,
        "the other's role is taken for the own",
        "if priority && S::conflict(«self.role», role) {",
        "role",
        SAFETY,
    ),
    // Lamport
    Bug::new(LAMPORT, "versions are not compared", "_ if «self.versions == 0» =>", "true", SAFETY),
    Bug::new(
        LAMPORT,
        "a cell does not keep what is written",
        "if self.role == Role::Cell => {\n                «self.value = value;»",
        "",
        SAFETY,
    ),
    Bug::new(
        LAMPORT,
        "V1 is not read",
        "«self.versions = self.versions.wrapping_sub(value.wrapping_mul(weight))»",
        "()",
        SAFETY,
    ),
    Bug::new(
        LAMPORT,
        "a write leaves out its last cell",
        "if u32::from(self.accesses) < «rules.size()» {",
        "rules.size() - u32::from(self.role == Role::Writer)",
        TERMINATION,
    ),
    Bug::new(
        LAMPORT,
        "one overlapping write is taken for two",
        "several: «rules.writes_between(self.versions) > 1»",
        "true",
        OVERLAPS_TOLD,
    ),
    Bug::new(
        LAMPORT,
        "no step follows an answer",
        "«fx.set_timer(Timer::Turn, Ticks::new(pause + u64::from(!rules.prompt)));»",
        "",
        TERMINATION,
    ),
    Bug::new(LAMPORT, "a cell does not confirm a write", "«fx.send(port, Access::Done);»", "", TERMINATION),
    Bug::new(
        LAMPORT_TIMES,
        "a pause follows every access",
        "if «rank == self.digits + self.words» {",
        "rank >= 1",
        SAFETY,
    ),
    // Token rings
    Bug::new(
        TOKENS_2,
        "an early token stays",
        "fx.rule(3);\n                        «fx.report(TokenReport::Removes);»",
        "self.pass(rules, fx);",
        TERMINATION,
    ),
    Bug::new(TOKENS_0, "nobody inserts a token", "«fx.set_timer(Timer::Late, limit);»", "", TERMINATION),
    Bug::new(
        TOKEN_TOGETHER,
        "whoever wakes without a token inserts one",
        "if !rules.printed.waking {\n                    «self.await_late(rules, fx);»",
        "fx.set_timer(Timer::Late, Ticks::ONE);",
        TOKEN_KEPT,
    ),
    Bug::new(
        TOKEN_TOGETHER,
        "the guard is never lifted",
        "fx.rule(5);\n                «self.stage = Stage::Open;»",
        "",
        TERMINATION,
    ),
    Bug::new(
        TOKEN_TOGETHER,
        "a processor is guarded too long",
        "ticks(Some(«rules.early - 1»))",
        "2 * rules.early",
        TERMINATION,
    ),
    Bug::new(
        TOKEN_TOGETHER,
        "a processor does not wait for the token",
        "let limit = «rules.limit(self.rank, fx)»;",
        "Ticks::ONE",
        TERMINATION,
    ),
];

/// Changes that nothing can tell from the original.
pub const EQUIVALENT: &[Equivalent] = &[
    Equivalent {
        bug: Bug::new(
            LINKS,
            "the timer of a message that is acknowledged goes on",
            "«fx.cancel_timer(LinkTimer::Resend(port));»",
            "",
            NOTHING,
        ),
        proof: "it expires where no message is under way, and nothing is sent; a message that is sent before replaces it",
    },
    Equivalent {
        bug: Bug::new(
            CHANG_ROBERTS,
            "a follower that has not started may still start",
            "fx.rule(5);\n                «self.done = true;»",
            "",
            NOTHING,
        ),
        proof: "every identity is still sent at most once, and one that is sent late meets the greatest, which discards it",
    },
    Equivalent {
        bug: Bug::new(
            HIRSCHBERG,
            "the phase of an answer is not looked at",
            "Probe::Ok { phase, .. }) if «phase == self.phase» =>",
            "true",
            NOTHING,
        ),
        proof: "a phase ends with the second of its two answers, so that none of an earlier phase is under way",
    },
    Equivalent {
        bug: Bug::new(
            AFEK_SYNC,
            "an announcement is taken twice",
            "Event::Receive(_, Call::Announcement(_)) if «self.done» =>",
            "false",
            NOTHING,
        ),
        proof: "one processor is elected, which announces itself once over every link: nobody gets a second announcement",
    },
];
