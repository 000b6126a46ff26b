//! Options of a program.
//!
//! One typed row for each option ([`Opt`]) feeds the command line, the configuration file, the
//! environment, the help text, `--dump-options` and `/_admin/options`.
//!
//! A section of options is a file: [`section!`] has its rows, and a function makes settings of
//! their values. [`Options::get`] returns the type that a row states, so that a wrong name or type
//! does not compile.
//!
//! A value comes from the first source that has one: the command line, the environment
//! (`PERSEA_SERVER_ENDPOINT` for `server.endpoint`), the configuration file, the default. The forms
//! are ArangoDB's: `--name value`, `--name=value`, a switch alone, a repeated option, `@NAME@` for
//! a variable of the environment and `@@` for an at sign.

mod kind;
mod mistake;
mod placeholder;
mod suggest;
mod definition;
mod file;
mod types;
mod option;
mod program;
mod completion;
mod help;
mod manual;
mod values;
mod describe;
mod read;
#[cfg(test)]
mod tests;

pub use completion::{Command, Shell, completion};
pub use definition::{Definition, Section};
pub use kind::{Kind, Names};
pub use manual::{Manual, overview};
pub use mistake::{Mistake, MistakeKind};
pub use option::{Opt, bytes, choice, decimal, flag, number, seconds, text};
pub use program::{Program, Unsupported, Version};
pub use read::Request;
pub use types::{Bytes, Choice, Decimal, Flag, List, Maybe, Number, Seconds, Text, Value};
pub use values::Options;
