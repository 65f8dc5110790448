//! The ranks of a job, and what they say to each other.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::request::{WaitGuard, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use ringleader_cli::Exit;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The processes of a job.
pub struct Ranks {
    world: SimpleCommunicator,
    /// Those of the same machine, which share its memory.
    machine: SimpleCommunicator,
}

/// The most bytes of one message: the library counts in 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// Starts MPI and runs `command` on each rank; a panic on one of them ends all.
pub fn start(command: impl FnOnce(&Ranks) -> Exit) -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        say("error: MPI cannot be initialised\nallowed: mpirun -n RANKS ringleader-mpi run PROTOCOL");
        return crate::code(Exit::Environment);
    };
    let world = universe.world().duplicate();
    let machine = world.split_shared(world.rank());
    let ranks = Ranks { world, machine };
    match catch_unwind(AssertUnwindSafe(|| command(&ranks))) {
        Ok(exit) => {
            // Nobody leaves with an error, which ends all, before all have said theirs.
            ranks.world.barrier();
            crate::code(exit)
        }
        Err(_) => ranks.abort(),
    }
}

impl Ranks {
    /// The number of this one, from 0.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Whether this is the one that prints.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Which of how many, for messages.
    pub fn name(&self) -> String {
        format!("rank {} of {}", self.rank(), self.size())
    }

    /// The machine of this rank.
    pub fn host(&self) -> String {
        mpi::environment::processor_name().unwrap_or_else(|_| "an unnamed machine".to_string())
    }

    /// The panic was told by the hook. The others would wait forever.
    fn abort(&self) -> ! {
        say(&format!("error: {} has panicked, which ends the run on all ranks", self.name()));
        self.world.abort(101)
    }

    /// Whether one of them says so.
    pub fn any(&self, here: bool) -> bool {
        self.greatest(u64::from(here)) > 0
    }

    /// The greatest of a number of each.
    pub fn greatest(&self, here: u64) -> u64 {
        let mut greatest = 0u64;
        self.world.all_reduce_into(&here, &mut greatest, SystemOperation::max());
        greatest
    }

    /// The sum of a number of each.
    pub fn sum(&self, here: u64) -> u64 {
        let mut sum = 0u64;
        self.world.all_reduce_into(&here, &mut sum, SystemOperation::sum());
        sum
    }

    /// The sum of a number of each on this machine.
    pub fn sum_here(&self, here: u64) -> u64 {
        let mut sum = 0u64;
        self.machine.all_reduce_into(&here, &mut sum, SystemOperation::sum());
        sum
    }

    /// A number of rank 0.
    pub fn broadcast(&self, mut here: u8) -> u8 {
        self.world.process_at_rank(0).broadcast_into(&mut here);
        here
    }

    /// A text of one rank, on all of them.
    pub fn text_of(&self, rank: usize, here: &str) -> String {
        let root = self.world.process_at_rank(rank as i32);
        let mut length = here.len() as u64;
        root.broadcast_into(&mut length);
        let mut bytes = here.as_bytes().to_vec();
        bytes.resize(length as usize, 0);
        root.broadcast_into(&mut bytes[..]);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What each of them has, by rank, on rank 0; nothing elsewhere.
    pub fn gather<T: Serialize + DeserializeOwned>(&self, here: &T) -> Vec<T> {
        if !self.is_first() {
            self.send(0, &encoded(here));
            return Vec::new();
        }
        let others = (1..self.size()).map(|rank| decoded(&self.receive(rank)));
        std::iter::once(decoded(&encoded(here))).chain(others).collect()
    }

    /// Hands something to the next one of the first `active` ranks, which are a ring, and returns what comes from the one before.
    pub fn shift<T: Serialize + for<'de> Deserialize<'de>>(&self, active: usize, leaving: &T) -> T {
        let (next, before) = ((self.rank() + 1) % active, (self.rank() + active - 1) % active);
        let leaving = encoded(leaving);
        let length = leaving.len() as u64;
        let entering = scope(|scope| {
            let to = self.world.process_at_rank(next as i32);
            let mut sent = vec![];
            let announced = WaitGuard::from(to.immediate_send(scope, &length));
            for piece in leaving.chunks(MOST_BYTES) {
                sent.push(WaitGuard::from(to.immediate_send(scope, piece)));
            }
            let entering = self.receive(before);
            drop((announced, sent));
            entering
        });
        decoded(&entering)
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        let to = self.world.process_at_rank(to as i32);
        to.send(&(bytes.len() as u64));
        bytes.chunks(MOST_BYTES).for_each(|piece| to.send(piece));
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        let from = self.world.process_at_rank(from as i32);
        let mut bytes = vec![0; from.receive::<u64>().0 as usize];
        for piece in bytes.chunks_mut(MOST_BYTES) {
            from.receive_into(piece);
        }
        bytes
    }
}

/// Says something on standard error, at once: the ranks of a job share it.
pub(crate) fn say(text: &str) {
    // Nobody can be told where it is closed.
    let _ = std::io::stderr().write_all(format!("{text}\n").as_bytes());
}

fn encoded<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_allocvec(value).expect("memory takes it")
}

fn decoded<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).expect("ranks run the same version")
}
