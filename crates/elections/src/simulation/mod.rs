//! Groups of members in one process, on a clock, a network and disks that tests control.
//!
//! The clock stands still while anything can run, and then jumps to the next event, so a minute
//! takes milliseconds. Members are whole: Raft, journal, messages. The random choices of a schedule
//! follow from its seed.

mod disk;
mod data;
mod world;
mod host;
mod schedule;
mod schedules;
mod scenarios;
mod handovers;
mod changes;
mod hostile;
