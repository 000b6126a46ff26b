//! Options of a program: one [`Definition`] each, from which the command line, the configuration file, the
//! environment, the help text and `--dump-options` are made.
//!
//! A value comes from, the first that has one: the command line, the environment (`PERSEA_SERVER_ENDPOINT` for
//! `server.endpoint`), the configuration file, the default. The forms are ArangoDB's: `--name value`, `--name=value`,
//! a switch alone, an option several times, `@NAME@` for a variable of the environment and `@@` for an at sign.

mod definition;
mod describe;
mod file;
mod help;
mod mistake;
mod placeholder;
mod program;
mod read;
mod suggest;
mod value;

pub use definition::{Definition, option};
pub use mistake::{Mistake, MistakeKind};
pub use program::{Exception, Program, Version};
pub use read::{Options, Request};
pub use value::{Kind, parse_bytes};

#[cfg(test)]
mod tests;
