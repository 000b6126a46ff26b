//! The command line.

use std::time::Duration;

use harness::cluster::Fault;

use crate::options::{Common, each_argument};

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The time in which faults are made.
    pub(crate) time: Duration,
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
    /// Outages of a hundred faults that last longer than the servers' leases.
    pub(crate) long_outages: u8,
    /// The life of the servers' leases.
    pub(crate) lease: Duration,
    /// The first port of the cluster.
    pub(crate) port: u16,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  Starts a cluster with scripts/tikv-cluster. The variables PD_SERVER and TIKV_SERVER name its programs.

  --seconds N         Inject faults for this many seconds. Default: 120.
  --clients N         Number of clients for each kind of load. Default: 2.
  --servers N         Number of servers. Default: 2.
  --stores N          Number of TiKV stores. Default: 3.
  --faults NAMES      Kinds of cluster faults: kill, hold, cut, delay. Default: all.
  --server-kills N    Percentage of faults that kill a server. Default: 20.
  --long-outages N    Percentage of faults that outlast the leases of all servers. Default: 5.
  --lease N           Lease of the servers in seconds. Default: 30.
  --port N            First port of the cluster. Default: 22000.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            time: Duration::from_secs(120),
            clients: 2,
            servers: 2,
            stores: 3,
            faults: Fault::ALL.to_vec(),
            server_kills: 20,
            long_outages: 5,
            lease: Duration::from_secs(30),
            port: 22_000,
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--clients" => arguments.clients = argument.number::<usize>()?.max(1),
                "--servers" => arguments.servers = argument.number::<usize>()?.max(1),
                "--stores" => arguments.stores = argument.number::<u16>()?.max(1),
                "--faults" => {
                    let unknown = || format!("--faults is {:?}; see --help", argument.value);
                    let kinds = argument.value.split(',').map(Fault::of_name);
                    arguments.faults = kinds.collect::<Option<_>>().ok_or_else(unknown)?;
                }
                "--server-kills" => arguments.server_kills = argument.number()?,
                "--long-outages" => arguments.long_outages = argument.number()?,
                "--lease" => arguments.lease = Duration::from_secs(argument.number()?),
                "--port" => arguments.port = argument.number()?,
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        Ok(arguments)
    }
}
