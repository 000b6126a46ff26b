//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use server_process::command_line::each_argument;

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The time in which clients run transactions.
    pub(crate) time: Duration,
    /// The seed of all random choices.
    pub(crate) seed: u64,
    /// The number of clients at once.
    pub(crate) clients: usize,
    /// The number of times that the server is killed.
    pub(crate) kills: u32,
    /// The server's program.
    pub(crate) server: PathBuf,
    /// The server's storage engine.
    pub(crate) engine: String,
    /// The address of PD, if the servers share a store in a cluster.
    pub(crate) pd: Option<String>,
    /// The number of servers.
    pub(crate) servers: usize,
}

/// Help of the program.
pub(crate) const USAGE: &str = "\
usage: histories [--OPTION VALUE ...]

  --seconds N         Seconds in which clients run transactions. Default: 30.
  --seed N            Seed of the random choices. Default: a random one, which is printed.
  --clients N         Clients at once. Default: 8.
  --kills N           Kills of the server by SIGKILL, each followed by a restart. Default: 0.
  --engine NAME       Storage engine of the server. Default: rocksdb.
  --tikv ADDRESS      Address of PD: the servers use the engine `tikv`, with a prefix of their own.
  --servers N         Servers on one store, which needs --tikv. Default: 1.
  --server PATH       Program of the server. Default: `persea` beside this program.
";

impl Arguments {
    /// Reads the command line without the program's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            time: Duration::from_secs(30),
            seed: fastrand::u64(..1 << 32),
            clients: 8,
            kills: 0,
            server: server_process::program_beside_this()?,
            engine: "rocksdb".to_owned(),
            pd: None,
            servers: 1,
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--seed" => arguments.seed = argument.number()?,
                "--clients" => arguments.clients = argument.number::<usize>()?.max(1),
                "--kills" => arguments.kills = argument.number()?,
                "--engine" => argument.value.clone_into(&mut arguments.engine),
                "--tikv" => arguments.pd = Some(argument.value.to_owned()),
                "--servers" => arguments.servers = argument.number::<usize>()?.max(1),
                "--server" => arguments.server = PathBuf::from(argument.value),
                _ => return Err(argument.unknown()),
            }
            Ok(())
        })?;
        if arguments.kills > 0 && arguments.engine == "memory" {
            return Err("--kills needs an engine that keeps its data, and `memory` does not".to_owned());
        }
        if arguments.servers > 1 && arguments.pd.is_none() {
            return Err("several servers need a store that they share: --tikv".to_owned());
        }
        Ok(arguments)
    }
}
