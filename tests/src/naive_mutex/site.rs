//! One site: the paper's processes (b) and (c), which read, and (a), whose place in the program is looked at once a step.

use super::{Lock, NaiveEntry, NaiveNetwork};

#[derive(Clone, Copy)]
pub(super) enum NaiveMessage {
    Request(u64),
    Negative(u64),
    Positive(u64),
}

impl NaiveMessage {
    pub(super) fn kind(self) -> usize {
        match self {
            Self::Request(_) => 0,
            Self::Negative(_) => 1,
            Self::Positive(_) => 2,
        }
    }
}

/// How far program (a) has come; numbers are those of own steps.
#[derive(Clone, Copy)]
enum At {
    Pause(u64),
    Sleep(u64),
    Window(u64),
    Replies,
    Inside(u64),
    Done,
}

pub(super) struct Site {
    at: At,
    /// Own steps so far.
    step: u64,
    /// When the next one comes.
    pub(super) next: u64,
    /// Senders and messages that have arrived.
    pub(super) mail: Vec<(usize, NaiveMessage)>,
    asking: bool,
    asleep: bool,
    osn: u64,
    hsn: u64,
    nnr: u64,
    ppr: u64,
    predict: u64,
    /// Who waits for a positive reply, by place, and to which number.
    owed: Vec<Option<u64>>,
    /// The entries that are over, and the present one.
    pub(super) entries: Vec<NaiveEntry>,
    entry: NaiveEntry,
    /// What the present step sends, and to whom.
    pub(super) sent: Vec<(usize, NaiveMessage)>,
}

impl Site {
    pub(super) fn new(network: &NaiveNetwork, place: usize) -> Self {
        Self {
            at: if network.entries[place] == 0 { At::Done } else { At::Pause(0) },
            step: 0,
            next: network.first[place],
            mail: Vec::new(),
            asking: false,
            asleep: false,
            osn: 0,
            hsn: 0,
            nnr: 0,
            ppr: 0,
            predict: 0,
            owed: vec![None; network.ids.len()],
            entries: Vec::new(),
            sent: Vec::new(),
            entry: NaiveEntry { place, asked: 0, sent: 0, entered: 0, left: 0, nnr: 0 },
        }
    }

    pub(super) fn is_inside(&self) -> bool {
        matches!(self.at, At::Inside(_))
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.at, At::Done)
    }

    /// Reads everything, or one message, then goes on as far as it gets.
    pub(super) fn take_step(&mut self, lock: Lock, network: &NaiveNetwork, time: u64) {
        let read = if network.one_by_one { self.mail.len().min(1) } else { self.mail.len() };
        for (from, message) in self.mail.drain(..read).collect::<Vec<_>>() {
            self.read(lock, network, from, message);
        }
        while self.goes_on(lock, network, time) {}
        self.next += (network.lengths)(self.entry.place, self.step);
        self.step += 1;
    }

    /// Processes (b) and (c).
    fn read(&mut self, lock: Lock, network: &NaiveNetwork, from: usize, message: NaiveMessage) {
        let (n, place) = (network.ids.len(), self.entry.place);
        let counts = |number| lock.printed() || self.asking && !self.asleep && number == self.osn;
        match message {
            NaiveMessage::Request(number) => {
                if lock.later(n, number, self.hsn) {
                    self.hsn = number;
                }
                let tie = number == self.osn && network.ids[place] < network.ids[from];
                let exclude = !(network.readers[place] && network.readers[from]);
                let priority = exclude && self.asking && !self.asleep && (lock.later(n, number, self.osn) || tie);
                if priority {
                    self.owed[from] = Some(number);
                }
                match lock {
                    Lock::SpirakisTampakas { .. } if priority => self.sent.push((from, NaiveMessage::Negative(number))),
                    Lock::RicartAgrawala if !priority => self.sent.push((from, NaiveMessage::Positive(number))),
                    _ => {}
                }
            }
            NaiveMessage::Negative(number) => self.nnr += u64::from(counts(number)),
            NaiveMessage::Positive(number) => self.ppr += u64::from(counts(number)),
        }
    }

    /// One line of process (a) or of its user, if it can be taken in this step.
    fn goes_on(&mut self, lock: Lock, network: &NaiveNetwork, time: u64) -> bool {
        let (place, made) = (self.entry.place, self.entries.len() as u64);
        let others = (0..network.ids.len()).filter(|&other| other != place);
        match self.at {
            At::Pause(until) if until == self.step => {
                (self.asking, self.nnr, self.ppr, self.entry.asked) = (true, 0, 0, time);
                self.at = At::Sleep(self.step);
                if let Lock::SpirakisTampakas { printed, delaystep, predict, .. } = lock {
                    if printed {
                        self.osn = lock.following(self.hsn);
                    }
                    let span = predict.unwrap_or(self.predict) * delaystep;
                    let more = (network.draw)(place, made, span + 1);
                    assert!(
                        more <= span,
                        "place {place} cannot sleep {more} steps more than the least: {span} at most"
                    );
                    self.asleep = true;
                    self.at = At::Sleep(self.step + delaystep + span + more);
                }
            }
            At::Sleep(until) if until == self.step => {
                if !lock.printed() {
                    self.osn = lock.following(self.hsn);
                    self.hsn = self.osn;
                }
                (self.asleep, self.entry.sent) = (false, time);
                self.sent.extend(others.map(|other| (other, NaiveMessage::Request(self.osn))));
                self.at = match lock {
                    Lock::SpirakisTampakas { window, .. } => At::Window(self.step + window),
                    Lock::RicartAgrawala => At::Replies,
                };
            }
            At::Window(until) if until == self.step => self.at = At::Replies,
            At::Replies if self.ppr == if lock.asks_silence() { self.nnr } else { network.ids.len() as u64 - 1 } => {
                (self.entry.entered, self.entry.nnr, self.predict) = (time, self.ppr, self.nnr);
                self.at = At::Inside(self.step + (network.hold)(place, made));
            }
            At::Inside(until) if until == self.step => {
                self.asking = false;
                let owed = others.filter_map(|other| Some((other, NaiveMessage::Positive(self.owed[other].take()?))));
                self.sent.extend(owed);
                self.entries.push(NaiveEntry { left: time, ..self.entry });
                let last = made + 1 == network.entries[place];
                self.at = if last { At::Done } else { At::Pause(self.step + (network.think)(place, made)) };
            }
            _ => return false,
        }
        true
    }
}
