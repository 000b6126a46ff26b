//! JavaScript: isolates with limits, and ArangoDB's JavaScript API over a small host interface.
//!
//! An [`Isolate`] runs scripts with [`Limits`] on memory, stack and time. The modules that scripts
//! `require` are written in JavaScript (`modules/`), and compiled when a script first asks for
//! them. They reach the world outside through one trait, [`Host`]: requests to Persea's HTTP API,
//! output, and capabilities that a host may omit. So one API serves the shell, whose host
//! sends requests through a socket, and the server, whose host answers them in process.
//!
//! - [`isolate`](Isolate): the runtime of quickjs-ng with its limits.
//! - [`host`](Host): the interface to the world, with the optional capabilities.
//! - `native`: the functions that modules call on the host.
//! - `value`: values between JavaScript and VelocyPack.
//! - `modules`: the sources of the modules.
//! - [`compiled`](CompiledScripts): compiled scripts, which isolates share.
//!
//! An isolate stays on the thread that made it. Blocking functions of the host block that thread.

mod failure;
mod limits;
mod modules;
mod packages;
mod compiled;
mod host;
mod stop;
mod allocator;
mod value;
mod native;
mod thrown;
mod isolate;
#[cfg(test)]
mod tests;

pub use compiled::CompiledScripts;
pub use failure::{Exception, Failure, Place};
pub use host::{
    EntryKind, Environment, Files, Host, HostError, HostResult, LogLevel, Metadata, Network, OutsideRequest,
    Packing, Process, Reply, Request, Services, Terminal, Unpacking,
};
pub use isolate::{Exchanged, Isolate};
pub use limits::Limits;
