use serde::Serialize;

/// The part of a processor in its protocol. The numbers are those of the packed frames of the lab.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum ProcessorState {
    /// It has had no event yet.
    Asleep = 0,
    /// It takes part, and may still win.
    Active = 1,
    /// It only forwards messages, or has lost.
    Passive = 2,
    /// It has declared itself leader.
    Leader = 3,
    /// It knows the result, and is not the leader.
    Decided = 4,
    /// It does not ask to enter.
    Remainder = 5,
    /// It waits to enter.
    Trying = 6,
    /// It is inside a critical section, alone.
    Critical = 7,
    /// It is inside as a reader.
    Reading = 8,
    /// It is inside as a writer.
    Writing = 9,
    /// It is a shared cell.
    Cell = 10,
}
