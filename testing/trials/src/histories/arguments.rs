//! The command line.

use std::time::Duration;

use crate::options::{Common, each_argument};

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The time in which clients run transactions.
    pub(crate) time: Duration,
    /// The number of concurrent clients.
    pub(crate) clients: usize,
    /// The number of times that the server is killed.
    pub(crate) kills: u32,
    /// The server's storage engine.
    pub(crate) engine: String,
    /// The addresses of PD, if the servers share a store in a running cluster.
    pub(crate) pd: Option<String>,
    /// The number of stores of a cluster that the run starts itself.
    pub(crate) stores: Option<u16>,
    /// The first port of that cluster.
    pub(crate) port: u16,
    /// The number of faults of that cluster.
    pub(crate) outages: u32,
    /// The number of servers.
    pub(crate) servers: usize,
    /// The number of servers that follow the first one.
    pub(crate) followers: usize,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  --seconds N         Run transactions for this many seconds. Default: 30.
  --clients N         Number of concurrent clients. Default: 8.
  --kills N           Number of times to kill the server with SIGKILL and restart it. Default: 0.
  --engine NAME       Storage engine of the server. Default: rocksdb.
  --tikv ADDRESSES    PD addresses of a cluster. The servers use the engine `tikv` with a new prefix.
  --stores N          Start a cluster with this many stores for the engine `tikv`. The
                      variables PD_SERVER and TIKV_SERVER name its programs.
  --port N            First port of that cluster. Default: 23000.
  --outages N         Number of faults of that cluster: kills, pauses, lost and slow messages. Default: 0.
  --servers N         Number of servers on one store. More than 1 requires --tikv or --stores. Default: 1.
  --followers N       Number of servers that follow the first one and are read. Each of them must show
                      states that the first one had. --kills kills them too. Default: 0.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            time: Duration::from_secs(30),
            clients: 8,
            kills: 0,
            engine: "rocksdb".to_owned(),
            pd: None,
            stores: None,
            port: 23_000,
            outages: 0,
            servers: 1,
            followers: 0,
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--clients" => arguments.clients = argument.number::<usize>()?.max(1),
                "--kills" => arguments.kills = argument.number()?,
                "--engine" => argument.value.clone_into(&mut arguments.engine),
                "--tikv" => arguments.pd = Some(argument.value.to_owned()),
                "--stores" => arguments.stores = Some(argument.number::<u16>()?.max(1)),
                "--port" => arguments.port = argument.number()?,
                "--outages" => arguments.outages = argument.number()?,
                "--servers" => arguments.servers = argument.number::<usize>()?.max(1),
                "--followers" => arguments.followers = argument.number()?,
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        if arguments.kills > 0 && arguments.engine == "memory" {
            return Err("--kills needs an engine that keeps its data, and `memory` does not".to_owned());
        }
        let shares = arguments.pd.is_some() || arguments.stores.is_some();
        if arguments.servers > 1 && !shares {
            return Err("several servers need a store that they share: --tikv or --stores".to_owned());
        }
        if arguments.followers > 0 && shares {
            return Err("--followers needs a server with a store of its own".to_owned());
        }
        if arguments.outages > 0 && arguments.stores.is_none() {
            return Err("--outages needs a cluster of this run: --stores".to_owned());
        }
        Ok(arguments)
    }
}
