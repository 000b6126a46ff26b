//! Hostile queries must stop when they are killed, must not overflow the stack, and must not take
//! time quadratic in their length.
#![allow(clippy::print_stderr, reason = "the tests report what they measured")]

mod budget;
mod generators;
mod planning;
mod size;
mod time;
