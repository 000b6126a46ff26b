//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use cluster_process::Fault;
use server_process::command_line::each_argument;

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// The time in which faults are made.
    pub(crate) time: Duration,
    /// The seed of all random choices.
    pub(crate) seed: u64,
    /// The number of clients of each load.
    pub(crate) clients: usize,
    /// The number of servers.
    pub(crate) servers: usize,
    /// The number of stores.
    pub(crate) stores: u16,
    /// The kinds of faults of the cluster.
    pub(crate) faults: Vec<Fault>,
    /// Kills of servers of a hundred faults.
    pub(crate) server_kills: u8,
    /// The first port of the cluster.
    pub(crate) port: u16,
    /// The server's program.
    pub(crate) server: PathBuf,
}

/// Help of the program.
pub(crate) const USAGE: &str = "\
usage: outages [--OPTION VALUE ...]

  Starts a cluster by scripts/tikv-cluster. The variables PD_SERVER and TIKV_SERVER name its programs.

  --seconds N         Seconds in which processes fail. Default: 120.
  --seed N            Seed of the random choices. Default: a random one, which is printed.
  --clients N         Clients of each kind of load. Default: 2.
  --servers N         Servers. Default: 2.
  --stores N          Stores. Default: 3.
  --faults NAMES      Kinds of faults of the cluster: kill, hold, cut, delay. Default: all of them.
  --server-kills N    Kills of servers of a hundred faults. Default: 20.
  --port N            First port of the cluster. Default: 22000.
  --server PATH       Program of the server. Default: `persea` beside this program.
";

impl Arguments {
    /// Reads the command line without the program's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            time: Duration::from_secs(120),
            seed: fastrand::u64(..1 << 32),
            clients: 2,
            servers: 2,
            stores: 3,
            faults: Fault::ALL.to_vec(),
            server_kills: 20,
            port: 22_000,
            server: server_process::program_beside_this()?,
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--seed" => arguments.seed = argument.number()?,
                "--clients" => arguments.clients = argument.number::<usize>()?.max(1),
                "--servers" => arguments.servers = argument.number::<usize>()?.max(1),
                "--stores" => arguments.stores = argument.number::<u16>()?.max(1),
                "--faults" => {
                    let unknown = || format!("--faults is {:?}; see --help", argument.value);
                    let kinds = argument.value.split(',').map(Fault::of_name);
                    arguments.faults = kinds.collect::<Option<_>>().ok_or_else(unknown)?;
                }
                "--server-kills" => arguments.server_kills = argument.number()?,
                "--port" => arguments.port = argument.number()?,
                "--server" => arguments.server = PathBuf::from(argument.value),
                _ => return Err(argument.unknown()),
            }
            Ok(())
        })?;
        Ok(arguments)
    }
}
