const HIRSCHBERG: Target = Target::new("election/hirschberg_sinclair.rs", "hirschberg-sinclair -n 3");
const FRANKLIN: Target = Target::new("election/franklin.rs", "franklin -n 3");
const FRANKLIN_4: Target = FRANKLIN.checked_by("franklin --ids 3,1,4,2 --orientation same");
const TAN: Target = Target::new("election/van_leeuwen_tan.rs", "van-leeuwen-tan -n 3");
const TAN_MIXED: Target = TAN.checked_by("van-leeuwen-tan --ids 3,1,4,2 --orientation same");
const TAN_4: Target = TAN.checked_by("van-leeuwen-tan --ids 4,3,2,1 --orientation same");
const TAN_5: Target = TAN.checked_by("van-leeuwen-tan --ids 5,3,2,4,1 --orientation same");
const TAN_HALF: Target = TAN.checked_by("van-leeuwen-tan -n 3 --set duplex=half");
const TAN_FINDER: Target = TAN.checked_by("van-leeuwen-tan -n 3 --set duplex=half --set leader=finder");
const TAN_PHASE: Target =
    TAN.checked_by("van-leeuwen-tan --ids 1,3,2,4 --orientation same --links half-phase --set duplex=half");
const TAN_TAKES: Target = TAN.checked_by("van-leeuwen-tan --ids 5,3,2,4,1 --orientation same --set larger=take");
const ALL: Target = Target::new("election/all_to_all.rs", "all-to-all -n 3");
const AFEK_SYNC: Target = Target::new("election/afek_gafni_sync.rs", "afek-gafni-sync -n 3");
const AFEK_SYNC_4: Target = AFEK_SYNC.checked_by("afek-gafni-sync -n 4");
const AFEK_SYNC_FLAT: Target = AFEK_SYNC.checked_by("afek-gafni-sync -n 3 --set levels=off");
const AFEK: Target = Target::new("election/afek_gafni_async.rs", "afek-gafni-async -n 3");
const AFEK_2: Target = AFEK.checked_by("afek-gafni-async -n 2");
const AFEK_4: Target = AFEK.checked_by("afek-gafni-async -n 4 --ports plain");

/// Elections on bidirectional rings and on complete networks.
pub const NETWORKS: &[Bug] = &[
    // Hirschberg and Sinclair
    Bug::new(HIRSCHBERG, "both answers are noted at one port", "self.oks |= «1 << port.0»;", "1", TERMINATION),
    Bug::new(HIRSCHBERG, "answers are not sent along", "«fx.send(onward(port), answer);»", "", TERMINATION),
    Bug::new(
        HIRSCHBERG,
        "the announcement goes back",
        "fx.send(«onward(port)», Probe::Announcement(id));",
        "port",
        TERMINATION,
    ),
    Bug::new(
        HIRSCHBERG,
        "greater identities are discarded",
        "Probe::Token { id, phase, .. }) if «id < self.id» =>",
        "id > self.id",
        GREATEST_WINS,
    ),
    Bug::new(
        HIRSCHBERG,
        "both tokens elect",
        "if «self.done» {\n                    fx.rule(10);\n                } else {\n                    fx.rule(2);",
        "false",
        DECIDES_ONCE,
    ),
    Bug::new(
        HIRSCHBERG,
        "the winner does not announce itself",
        "«fx.send(Port(1), Probe::Announcement(id));»",
        "",
        TERMINATION,
    ),
    // Franklin
    Bug::new(
        FRANKLIN,
        "an early value is forgotten",
        "fx.rule(3);\n                «self.waiting = Some(id);»",
        "",
        TERMINATION,
    ),
    Bug::new(FRANKLIN_4, "relayed to where it came from", "fx.send(«onward(port)», Ballot::Value(id))", "port", SAFETY),
    Bug::new(
        FRANKLIN,
        "the announcement is sent back",
        "fx.send(«onward(port)», Ballot::Announcement(id));",
        "port",
        TERMINATION,
    ),
    Bug::new(FRANKLIN, "a comparison turned round", "self.beaten |= «id > self.id»;", "id < self.id", GREATEST_WINS),
    Bug::new(
        FRANKLIN_4,
        "the values heard are not forgotten",
        "(self.heard, self.beaten) = «(0, false)»;",
        "(self.heard, false)",
        TERMINATION,
    ),
    Bug::new(FRANKLIN, "one neighbour gets both values", "for port in «BOTH» {", "[Port(1), Port(1)]", TERMINATION),
    Bug::new(
        FRANKLIN,
        "the winner announces itself both ways",
        "«fx.send(Port(1), Ballot::Announcement(id));»",
        "fx.send(Port(0), Ballot::Announcement(id));\n                fx.send(Port(1), Ballot::Announcement(id));",
        MESSAGES,
    ),
    // Van Leeuwen and Tan
    Bug::new(TAN_MIXED, "the smaller of both is kept", "self.id = «v.max(first)»;", "v.min(first)", SAFETY),
    Bug::new(TAN_MIXED, "it starts towards the greater one", "Ordering::Less => «port.0 as u8»,", "other", SAFETY),
    Bug::new(
        TAN_4,
        "relayed to where it came from",
        "self.dir = «onward(port)».0 as u8;",
        "port",
        TERMINATION,
    ),
    Bug::new(TAN_5, "a lost timer", "if «self.flags != 0 || self.waits(0) || self.waits(1)» {", "false", TERMINATION),
    Bug::new(TAN_4, "the flag goes back", "if self.flags == 0b10 { «Port(1)» } else", "Port(0)", TERMINATION),
    Bug::new(TAN_HALF, "half-duplex, it stays in its phase", "self.pnum = «p.saturating_add(1)»;", "p", TERMINATION),
    Bug::new(
        TAN,
        "the greatest follows, all others lead",
        "fx.report(if «leader == self.u» {",
        "leader != self.u",
        ONE_ELECTED,
    ),
    Bug::new(
        TAN,
        "who is less than one neighbour is a local minimum",
        "match («u < v && u < first», u == v",
        "u < v || u < first",
        SEPARATED_MINIMA,
    ),
    Bug::new(
        TAN_5,
        "a greater name is answered with the own one",
        "Ordering::Greater => {\n                «fx.rule(11);»",
        "self.enter(PhaseEntry::Relay, fx);",
        SAFETY,
    ),
    Bug::new(
        TAN_PHASE,
        "a local minimum sends where a message waits",
        "let too_late = «rules.half» &&",
        "false",
        SAFETY,
    ),
    Bug::new(TAN_FINDER, "the finder's identity is not looked at", ".filter(|_| «rules.finder»)", "false", SAFETY),
    Bug::new(
        TAN_TAKES,
        "a larger name is taken for the end",
        "if rules.takes_larger {\n                    «self.id = v;»",
        "self.inaugurate(rules, onward(port), fx);",
        SAFETY,
    ),
    // All to all
    Bug::new(
        ALL,
        "it decides one too early",
        "if «self.heard - 1 == rules.links» {",
        "self.heard == rules.links",
        SAFETY,
    ),
    Bug::new(
        ALL,
        "who is reached does not tell the others",
        "Event::Receive(_, Identity(j)) => {\n                «self.start(rules, fx);»",
        "self.heard = self.heard.max(1);",
        TERMINATION,
    ),
    Bug::new(
        ALL,
        "the smallest identity is kept",
        "self.best = «self.best.max(id)»;",
        "self.best.min(id)",
        GREATEST_WINS,
    ),
    Bug::new(
        ALL,
        "one neighbour is not told",
        "send_to_all(«rules.links», &Identity(self.id), fx);",
        "rules.links - 1",
        TERMINATION,
    ),
    Bug::new(ALL, "a loser follows itself", "ElectionReport::Follows(Some(«self.best»))", "self.id", SAFETY),
    // Afek and Gafni, synchronous
    Bug::new(
        AFEK_SYNC,
        "levels stand still",
        "«self.owner.level = (self.owner.level + 1).min(rules.top);»",
        "",
        SAFETY,
    ),
    Bug::new(AFEK_SYNC, "no ack", "«fx.send(link, Call::Ack);»", "", TERMINATION),
    Bug::new(
        AFEK_SYNC,
        "only identities are compared",
        "if «standing > self.owner» {",
        "standing.id > self.owner.id",
        TERMINATION,
    ),
    Bug::new(
        AFEK_SYNC,
        "acks are not waited for",
        "if «self.missing > 0» {\n                fx.rule(6);",
        "false",
        NO_PANIC,
    ),
    Bug::new(
        AFEK_SYNC,
        "one neighbour does not hear of the leader",
        "send_to_all(«rules.links», &Call::Announcement(self.id), fx);",
        "rules.links - 1",
        TERMINATION,
    ),
    Bug::new(
        AFEK_SYNC_FLAT,
        "without levels, no round follows a capture",
        "if «!rules.levels» {\n                        self.count_on(rules, fx);",
        "false",
        TERMINATION,
    ),
    Bug::new(
        AFEK_SYNC_FLAT,
        "without levels, a candidate knows no identity at first",
        "life == Life::Candidate && «!rules.printed.zero»",
        "rules.levels",
        SAFETY,
    ),
    // Afek and Gafni, asynchronous
    Bug::new(
        AFEK,
        "only identities are compared",
        "if «standing > self.owner» {",
        "standing.id > self.owner.id",
        TERMINATION,
    ),
    Bug::new(
        AFEK,
        "no ack for a new father",
        "«fx.send(self.potential_father, Call::Ack(self.owner));»",
        "",
        TERMINATION,
    ),
    Bug::new(AFEK_4, "who gives way goes on", "«self.life = Life::Killed;»", "", SAFETY),
    Bug::new(
        AFEK_2,
        "elected one capture too early",
        "if «self.level < rules.links» {",
        "self.level + 1 < rules.links",
        SAFETY,
    ),
    Bug::new(AFEK, "the same link is tried again", "«self.level += 1;»", "", TERMINATION),
    Bug::new(
        AFEK,
        "the new candidate is asked to give way, not the father",
        "fx.send(«father», Call::Kill(standing));",
        "port",
        TERMINATION,
    ),
    Bug::new(
        AFEK,
        "one neighbour does not hear of the leader",
        "send_to_all(«rules.links», &Call::Announcement(self.id), fx);",
        "rules.links - 1",
        TERMINATION,
    ),
];

/// Bugs that the plain numbering of ports does not show.
pub const OTHER_PORTS: &[Bug] = &[
    Bug::new(
        AFEK_SYNC_4,
        "who is elected asks once more",
        "} else {\n            «fx.rule(4);»",
        "fx.send(Port(0), Call::Candidate(standing));",
        MESSAGES,
    ),
    Bug::new(
        AFEK_SYNC_4,
        "who is elected acknowledges it",
        "«fx.report(ElectionReport::Elected(Some(self.id)));»",
        "fx.report(ElectionReport::Elected(Some(self.id))); fx.send(Port(0), Call::Ack);",
        MESSAGES,
    ),
    Bug::new(
        AFEK_SYNC_4,
        "who stops later than others asks once more",
        "fx.rule(6);\n                «self.life = Life::Ordinary;»",
        "self.life = Life::Ordinary; if self.level > 2 { fx.send(Port(0), Call::Candidate(Standing { level: 0, id: self.id })); }",
        MESSAGES,
    ),
];
