const LELANN: Target = Target::new("election/lelann.rs", "lelann -n 4");
const CHANG_ROBERTS: Target = Target::new("election/chang_roberts.rs", "chang-roberts -n 4");
const LINKS: Target = Target::new("retransmission.rs", "chang-roberts -n 2 --faults loss:1 --retransmit 3");
const LINKS_CUT: Target = LINKS.checked_by("chang-roberts -n 2 --faults cut:1 --retransmit 3");
const LINKS_ANY: Target = LINKS.checked_by("ricart-agrawala -n 2 --faults loss:1 --retransmit 3");
const LINKS_OVERTAKEN: Target =
    LINKS.checked_by("ricart-agrawala -n 2 --faults duplicate:1 --retransmit 3 --entries 3 --compete 1");
const PETERSON: Target = Target::new("election/peterson.rs", "peterson -n 4");
const ALTERNATING: Target = Target::new("election/peterson_alternating.rs", "peterson-alternating -n 4");
const DKR: Target = Target::new("election/dolev_klawe_rodeh.rs", "dolev-klawe-rodeh -n 4");
const DKR_B: Target = DKR.checked_by("dolev-klawe-rodeh -n 4 --set variant=b");
const VITANYI: Target = Target::new("election/vitanyi.rs", "vitanyi -n 3");
const VITANYI_SERIAL: Target = VITANYI.checked_by("vitanyi --timed --ids 1,30 --r 1 --d 0 --reading bit-serial");
const VITANYI_AGAIN: Target = VITANYI.checked_by("vitanyi -n 3 --again 0@0");
const SIZE: Target = Target::new("election/tasks.rs", "vitanyi -n 3 --then ring-size");
const SORT: Target = Target::new(SIZE.file, "vitanyi -n 3 --then ring-sort");
const SORT_VALUES: Target = Target::new(SIZE.file, "vitanyi -n 3 --values 2,1,2 --then ring-sort");
const BROADCAST: Target = Target::new(SIZE.file, "vitanyi -n 3 --then broadcast");
const TRANSFER: Target = Target::new(SIZE.file, "vitanyi -n 3 --then transfer");
const NEW_TOKEN: Target = Target::new(SIZE.file, "vitanyi -n 3 --values 1,0,2 --then token");
const SLICE: Target = Target::new("election/time_slice.rs", "time-slice -n 4");
const FREDERICKSON: Target = Target::new("election/frederickson_lynch.rs", "frederickson-lynch -n 4");
const ITAI: Target = Target::new("election/itai_rodeh.rs", "itai-rodeh -n 3");
const ITAI_ANY: Target = ITAI.checked_by("itai-rodeh -n 3 --links any");
const ITAI_MEAN: Target = ITAI.checked_by("itai-rodeh -n 3 --probability");
const ITAI_SYNC: Target = Target::new("election/itai_rodeh_sync.rs", "itai-rodeh-sync -n 4");
const ITAI_SYNC_MEAN: Target = ITAI_SYNC.checked_by("itai-rodeh-sync -n 4 --probability");
const SYMMETRY: Target =
    Target::new("election/spirakis_tampakas.rs", "spirakis-tampakas-symmetry -n 2 --r 1 --d 1..2 --set k=1");
const SYMMETRY_MEAN: Target =
    SYMMETRY.checked_by("spirakis-tampakas-symmetry -n 2 --r 1 --d 1 --set k=1 --probability");

/// Elections on unidirectional rings.
pub const RINGS: &[Bug] = &[
    // The layer that sends messages again
    Bug::new(LINKS, "the bit of the link is not changed", "(link.number, link.sent) = («number.next()», 0);", "number", TERMINATION),
    Bug::new(LINKS, "copies are handed on", "let copy = «number != link.expected»;", "false", DECIDES_ONCE),
    Bug::new(
        LINKS_ANY,
        "copies are not acknowledged",
        "«fx.send(port, LinkFrame::Acknowledgement(number));»",
        "if !copy { fx.send(port, LinkFrame::Acknowledgement(number)); }",
        TERMINATION,
    ),
    Bug::new(LINKS, "the expected bit is not changed", "link.expected = «number.next()»;", "number", TERMINATION),
    Bug::new(
        LINKS,
        "a message is sent without a timer",
        "self.fx.send(port, LinkFrame::Message(link.number, message));\n            «link.wait::<A>(self.rules, port, self.fx);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        LINKS_CUT,
        "any acknowledgement will do",
        "link.queue.is_empty() || «number != link.number»",
        "false",
        TERMINATION,
    ),
    Bug::new(
        LINKS_OVERTAKEN,
        "messages that overtake each other have a bit",
        "if scenario.links == Links::Any { «FrameNumber::Sequence(0)» }",
        "FrameNumber::Bit(false)",
        TERMINATION,
    ),
    // Le Lann
    Bug::new(LELANN, "a forgotten forward", "«fx.send(NEXT, Identity(j));»", "", TERMINATION),
    Bug::new(LELANN, "the greatest is not remembered", "«self.best = self.best.max(j);»", "", SAFETY),
    Bug::new(
        LELANN,
        "the winner follows itself",
        "«ElectionReport::Elected(Some(self.id))»\n                } else {",
        "ElectionReport::Follows(Some(self.id))",
        WINNER_KNOWN,
    ),
    Bug::new(
        LELANN,
        "a processor that is reached asleep only relays",
        "if «!self.started» {",
        "!self.started && matches!(event, Event::Wake)",
        SAFETY,
    ),
    Bug::new(
        LELANN,
        "the own identity makes a second turn",
        "«fx.rule(2);»",
        "fx.rule(2);\n                if self.best == self.id { fx.send(NEXT, Identity(self.id)); }",
        TERMINATION,
    ),
    Bug::new(LELANN, "a loser follows itself", "ElectionReport::Follows(Some(«self.best»))", "self.id", SAFETY),
    // Chang and Roberts
    Bug::new(
        CHANG_ROBERTS,
        "smaller identities are relayed, greater ones discarded",
        "Candidate(j)) if «j < self.id» =>",
        "j > self.id",
        GREATEST_WINS,
    ),
    Bug::new(
        CHANG_ROBERTS,
        "the winner reports when its announcement returns",
        "«fx.rule(6);»",
        "fx.rule(6);\n                fx.report(ElectionReport::Elected(Some(self.id.id())));",
        DECIDES_ONCE,
    ),
    Bug::new(
        CHANG_ROBERTS,
        "a smaller identity does not wake",
        "fx.rule(3);\n                «self.start(fx);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        CHANG_ROBERTS,
        "the own identity is sent instead",
        "«fx.send(NEXT, Ballot::Candidate(j));»",
        "fx.send(NEXT, Ballot::Candidate(self.id));",
        TERMINATION,
    ),
    Bug::new(CHANG_ROBERTS, "a wrong comparison elects", "Candidate(j)) if «j == self.id» =>", "j >= self.id", SAFETY),
    Bug::new(CHANG_ROBERTS, "no announcement", "«fx.send(NEXT, Ballot::Elected(self.id));»", "", TERMINATION),
    Bug::new(
        CHANG_ROBERTS,
        "whoever relays also sends its own identity, again",
        "«fx.rule(4);»",
        "fx.rule(4);\n                fx.send(NEXT, Ballot::Candidate(self.id));",
        MESSAGES,
    ),
    Bug::new(
        CHANG_ROBERTS,
        "a follower announces itself",
        "«fx.send(NEXT, Ballot::Elected(j));»",
        "fx.send(NEXT, Ballot::Elected(self.id));",
        SAFETY,
    ),
    // Peterson
    Bug::new(
        PETERSON,
        "the wrong one survives",
        "Bid::Second(nnid)) if «self.id >= nnid» =>",
        "self.id < nnid",
        SAFETY,
    ),
    Bug::new(
        PETERSON,
        "who loses stays active",
        "fx.rule(4);\n                    «self.mode = Mode::Relays;»",
        "",
        TERMINATION,
    ),
    Bug::new(
        PETERSON,
        "the holder is taken for the owner",
        "if rules.owner && «id == self.own» =>",
        "id == self.id",
        SAFETY,
    ),
    Bug::new(PETERSON, "the neighbour's identity is not taken over", "«self.id = self.id.max(nid);»", "", TERMINATION),
    Bug::new(
        PETERSON,
        "a passive processor drops what it should relay",
        "fx.rule(5);\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        PETERSON,
        "the announcement is not relayed",
        "fx.report(ElectionReport::Follows(Some(id)));\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        PETERSON,
        "who survives keeps its own identity",
        "Mode::Second { rises: «nid >= self.id» };",
        "nid <= self.id",
        PASSIVE_BETWEEN,
    ),
    // It elects the same: whoever exceeds the two before it survives, but with its own identity.
    Bug::new(PETERSON, "a comparison turned round", "rises: «nid >= self.id»", "nid <= self.id", PASSIVE_BETWEEN),
    // Peterson, alternating
    Bug::new(
        ALTERNATING,
        "a passive processor does not relay",
        "fx.rule(5);\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        ALTERNATING,
        "a survivor of an even phase keeps its own value",
        "«self.value = self.value.max(received);»",
        "",
        GREATEST_WINS,
    ),
    Bug::new(ALTERNATING, "it follows what it holds", "Follows(Some(«id»))", "self.value", SAFETY),
    Bug::new(
        ALTERNATING,
        "every phase is taken for an odd one",
        "«self.phase = self.phase.saturating_add(1);»",
        "",
        MESSAGES,
    ),
    Bug::new(
        ALTERNATING,
        "the announcement is not relayed",
        "fx.report(ElectionReport::Follows(Some(id)));\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        ALTERNATING,
        "odd and even phases exchanged",
        "== («self.phase % 2 == 1»)",
        "self.phase % 2 == 0",
        MESSAGES,
    ),
    // Dolev, Klawe and Rodeh
    Bug::new(DKR, "a comparison turned round", "Bid::Second(j)) if «self.max > j» =>", "self.max < j", TERMINATION),
    Bug::new(
        DKR,
        "the maximum is sent on, not the neighbour's",
        "fx.send(NEXT, Bid::Second(«left»));",
        "self.max",
        TERMINATION,
    ),
    Bug::new(
        DKR,
        "a passive processor drops what it should relay",
        "fx.rule(6);\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    Bug::new(DKR_B, "a missing answer", "«fx.send(NEXT, Bid::M2(self.max));»", "", TERMINATION),
    Bug::new(DKR_B, "a strict comparison", "Bid::M2(id)) if «id >= self.max» =>", "id > self.max", TERMINATION),
    Bug::new(
        DKR_B,
        "the greater identity is not taken over",
        "fx.rule(8);\n                    «self.max = id;»",
        "",
        TERMINATION,
    ),
    Bug::new(
        DKR,
        "the announcement is not relayed",
        "fx.report(ElectionReport::Follows(Some(id)));\n                    «fx.send(NEXT, bid);»",
        "",
        TERMINATION,
    ),
    // Vitányi
    Bug::new(VITANYI, "a smaller identity is not taken over", "«self.k = id;»", "", TERMINATION),
    Bug::new(VITANYI, "it follows itself", "Follows(Some(«self.k»))", "self.id", SAFETY),
    Bug::new(
        VITANYI,
        "the first timer is lost",
        "} else {\n            self.late = false;\n            «fx.set_timer(Timer::Countdown, Ticks::ONE);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        VITANYI,
        "sleepwell is not passed on",
        "«fx.send(NEXT, Call::Sleepwell { epoch: self.epoch });»",
        "",
        TERMINATION,
    ),
    Bug::new(
        VITANYI,
        "an identity that is not smaller elects",
        "Call::Election { id, .. }) if «id == self.k» =>",
        "id >= self.k",
        SAFETY,
    ),
    Bug::new(
        VITANYI_SERIAL,
        "names are written in unary",
        "Self::Election { id, .. } => «dyadic_digits(id.get())»,",
        "id.get()",
        "bound on bits",
    ),
    Bug::new(
        VITANYI_SERIAL,
        "sleepwell is as long as a name",
        "Self::Wakeup { .. } | Self::Sleepwell { .. } => «1»,",
        "8",
        "bound on bits",
    ),
    Bug::new(VITANYI_AGAIN, "a further election has the number of the last", "«self.epoch += 1;»", "", TERMINATION),
    Bug::new(
        VITANYI_AGAIN,
        "messages of an earlier election count",
        "Mode::Awake | Mode::Asleep if «message.epoch() < self.epoch» =>",
        "false",
        SAFETY,
    ),
    // Tasks of a leader
    Bug::new(SIZE, "the leader counts itself twice", "fx.send(right, Errand::Count(«1»));", "2", SAFETY),
    Bug::new(SIZE, "the counter is not passed on", "«fx.send(onward, Errand::Count(count + 1));»", "", TERMINATION),
    Bug::new(
        SORT,
        "the greatest value is taken",
        "fx.report(TaskReport::Sorted(«table.remove(0)»));",
        "table.pop().expect(\"there is one\")",
        SAFETY,
    ),
    Bug::new(
        SORT,
        "a processor leaves its value out",
        "«table.insert(table.partition_point(|&other| other < value), value);»",
        "",
        TERMINATION,
    ),
    Bug::new(SORT_VALUES, "identities are sorted", "«self.value».or(self.id.map(Id::get))", "None::<u64>", SAFETY),
    Bug::new(
        SORT_VALUES,
        "an equal value is left out",
        "«table.insert(table.partition_point(|&other| other < value), value);»",
        "if !table.contains(&value) { table.insert(table.partition_point(|&other| other < value), value); }",
        TERMINATION,
    ),
    Bug::new(
        BROADCAST,
        "everybody sends its own value on",
        "fx.send(onward, Errand::Broadcast(«value»));",
        "self.value()",
        SAFETY,
    ),
    Bug::new(
        BROADCAST,
        "the leader sends its value around again",
        "Errand::Broadcast(_) if «self.leads» => fx.rule(rule(11)),",
        "false",
        TERMINATION,
    ),
    Bug::new(
        TRANSFER,
        "the least identity succeeds",
        "Errand::Greatest(«greatest.max(self.identity())»)",
        "greatest.min(self.identity())",
        SAFETY,
    ),
    Bug::new(
        TRANSFER,
        "the new leader tells nobody",
        "fx.report(TaskReport::Succeeded(successor));\n                «fx.send(onward, Errand::Successor(successor));»",
        "if Some(successor) != self.id { fx.send(onward, Errand::Successor(successor)); }",
        TERMINATION,
    ),
    Bug::new(NEW_TOKEN, "an old token is taken for the new one", "} else if «cleared» {", "true", SAFETY),
    Bug::new(
        NEW_TOKEN,
        "a token is inserted at once",
        "«begin(20);»",
        "begin(20); fx.report(TaskReport::TokenInserted); fx.send(right, Errand::Token);",
        SAFETY,
    ),
    Bug::new(
        NEW_TOKEN,
        "the new token is taken for an old one",
        "«tokens.cleared[port.0 as usize] = true;»",
        "if self.leads { tokens.cleared[port.0 as usize] = true; }",
        SAFETY,
    ),
    // Synchronous rings
    Bug::new(SLICE, "slices too short", "(k.get() - 1).checked_mul(«self.n»)", "self.n - 2", TERMINATION),
    Bug::new(
        SLICE,
        "the own identity is relayed",
        "«(self.mode, self.travels) = (Mode::Done, k);»",
        "self.mode = Mode::Done;",
        SAFETY,
    ),
    Bug::new(
        SLICE,
        "a follower keeps its own time slice",
        "fx.report(ElectionReport::Follows(Some(k)));\n                    «fx.set_timer(Timer::Send, Ticks::ONE);»",
        "",
        SAFETY,
    ),
    Bug::new(
        SLICE,
        "the winner's message is not relayed",
        "«fx.send(NEXT, Identity(self.travels));»",
        "if self.mode == Mode::Sent { fx.send(NEXT, Identity(self.travels)); }",
        SAFETY,
    ),
    Bug::new(
        SLICE,
        "the winner takes itself for a follower",
        "fx.report(«ElectionReport::Elected(Some(k))»);",
        "ElectionReport::Follows(Some(k))",
        WINNER_KNOWN,
    ),
    Bug::new(
        FREDERICKSON,
        "greater identities go on, smaller ones are dropped",
        "Mail::Token(v)), _) if «v < self.least» =>",
        "v > self.least",
        SMALLEST_WINS,
    ),
    Bug::new(
        FREDERICKSON,
        "any token that comes is one's own",
        "if «v == self.id && v == self.least» => {",
        "v >= self.least",
        SAFETY,
    ),
    Bug::new(
        FREDERICKSON,
        "the announcement is not sent",
        "«fx.set_timer(Timer::Hop, Ticks::ONE);»",
        "fx.cancel_timer(Timer::Hop);",
        TERMINATION,
    ),
    Bug::new(
        FREDERICKSON,
        "all tokens are equally fast",
        "Ticks::or_never(«two_to_the(v.get())»)",
        "Some(1)",
        MESSAGES,
    ),
    Bug::new(
        FREDERICKSON,
        "the announcement never stops",
        "(Event::Receive(..), Mode::Done) => «fx.rule(8)»,",
        "self.announce(fx)",
        TERMINATION,
    ),
    Bug::new(FREDERICKSON, "a follower follows itself", "Follows(Some(«self.least»))", "self.id", SAFETY),
    // Itai and Rodeh
    Bug::new(ITAI, "no mark where two drew the same", "fx.send(NEXT, «pass_on(false)»);", "pass_on(unique)", SAFETY),
    Bug::new(ITAI, "hops counted from 0", "id: self.id, hop: «1», unique: true", "0", TERMINATION),
    Bug::new(ITAI, "the mark is not looked at", "hop == rules.n && «unique» =>", "true", SAFETY),
    Bug::new(ITAI_ANY, "rounds are not compared", "State::Active if «(round, id) > own» =>", "id > own.1", TERMINATION),
    Bug::new(
        ITAI,
        "the announcement is not relayed",
        "fx.report(ElectionReport::Follows(None));\n                    «fx.send(NEXT, Bid::Announcement);»",
        "",
        TERMINATION,
    ),
    Bug::new(
        ITAI,
        "the leader reports when its announcement returns",
        "State::Leader | State::Follower => «fx.rule(10)»,",
        "fx.report(ElectionReport::Elected(None))",
        DECIDES_ONCE,
    ),
    Bug::new(ITAI_MEAN, "two identities to draw from", "fx.choose(«rules.ids») + 1", "2", MEAN_PHASES),
    Bug::new(ITAI_SYNC, "a pebble of the last phase goes on", "«fx.cancel_timer(Timer::Relay);»", "", TERMINATION),
    Bug::new(ITAI_SYNC, "a phase one too short", "Ticks::new(u64::from(«rules.n»))", "rules.n - 1", SAFETY),
    Bug::new(
        ITAI_SYNC,
        "whoever counts one pebble is elected",
        "fx.report(«ElectionReport::Follows(None)»);",
        "ElectionReport::Elected(None)",
        SAFETY,
    ),
    Bug::new(
        ITAI_SYNC,
        "the only marked processor follows",
        "fx.report(«ElectionReport::Elected(None)»);",
        "ElectionReport::Follows(None)",
        WINNER_KNOWN,
    ),
    Bug::new(
        ITAI_SYNC_MEAN,
        "marked with probability 1/n in every phase",
        "if fx.choose(«self.a») == 0",
        "rules.n",
        MEAN_PHASES,
    ),
    Bug::new(
        ITAI_SYNC_MEAN,
        "unmarked processors stay candidates",
        "{ Role::Candidate } else { «Role::Passive» };",
        "Role::Candidate",
        MEAN_PHASES,
    ),
    // Symmetry breaking
    Bug::new(
        SYMMETRY,
        "termination is not passed on",
        "fx.report(report);\n        «fx.send(NEXT, Notice::Termination);»",
        "",
        TERMINATION,
    ),
    Bug::new(SYMMETRY, "a failed phase ends it", "«fx.send(NEXT, Notice::WakeUp(None));» // 3.3", "", TERMINATION),
    Bug::new(
        SYMMETRY,
        "a candidate does not claim",
        "self.enter(State::Candidate);\n        «fx.send(NEXT, Notice::Claim(rules.tag(self.phases)));»",
        "",
        TERMINATION,
    ),
    Bug::new(SYMMETRY_MEAN, "numbers up to 2n", "fx.choose(«rules.n») + 1", "2 * rules.n", MEAN_PHASES),
    Bug::new(
        SYMMETRY_MEAN,
        "a coin too few",
        "if «self.j == rules.last_stage()» {",
        "self.j + 1 == rules.last_stage()",
        ERROR,
    ),
];
