//! The command line.

use std::time::Duration;

use crate::options::{Common, each_argument};

/// The engine whose files the faults need.
const ROCKSDB: &str = "rocksdb";

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The number of kills.
    pub(crate) kills: u32,
    /// The maximum time of a run; no kill begins after it.
    pub(crate) time: Option<Duration>,
    /// The maximum time from the first write to the kill.
    pub(crate) life: Duration,
    /// The share of kills before which writes of files fail.
    pub(crate) failing: f64,
    /// The share of kills after which the log loses its unsynced end.
    pub(crate) torn: f64,
    /// The share of rounds in which a second server, which follows the first one, is killed too;
    /// `None` for no second server.
    pub(crate) copy: Option<f64>,
    /// The number of concurrent writers.
    pub(crate) writers: usize,
    /// The server's storage engine.
    pub(crate) engine: String,
    /// True if the data is encrypted.
    pub(crate) encrypted: bool,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  --kills N           Number of times to kill the server. Default: 100.
  --seconds N         Maximum time in seconds until the last kill. Default: no limit.
  --life N            Maximum time from the first write to the kill in milliseconds. Default: 400.
  --failing N         Percentage of kills that follow failed file writes. Default: 25.
  --torn N            Percentage of kills after which the unsynced end of the log is removed. Default: 25.
  --copy N            Start a second server, which follows the first one, and kill it too in this
                      percentage of rounds. It must come to the same. Without --torn. Default: none.
  --writers N         Number of concurrent writers. Default: 4.
  --engine NAME       Storage engine of the server. Default: rocksdb. Others ignore --failing and
                      --torn, which need RocksDB's files.
  --encrypted BOOL    Encrypt the data. Default: false.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            kills: 100,
            time: None,
            life: Duration::from_millis(400),
            failing: 0.25,
            torn: 0.25,
            copy: None,
            writers: 4,
            engine: ROCKSDB.to_owned(),
            encrypted: false,
        };
        each_argument(words, |argument| {
            match argument.option {
                "--kills" => arguments.kills = argument.number()?,
                "--seconds" => arguments.time = Some(Duration::from_secs(argument.number()?)),
                "--life" => arguments.life = Duration::from_millis(argument.number()?),
                "--failing" => arguments.failing = f64::from(argument.number::<u32>()?) / 100.0,
                "--torn" => arguments.torn = f64::from(argument.number::<u32>()?) / 100.0,
                "--copy" => arguments.copy = Some(f64::from(argument.number::<u32>()?) / 100.0),
                "--writers" => arguments.writers = argument.number::<usize>()?.max(1),
                "--encrypted" => {
                    arguments.encrypted =
                        argument.value.parse().map_err(|_| "--encrypted is true or false")?;
                }
                "--engine" => argument.value.clone_into(&mut arguments.engine),
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        if arguments.engine != ROCKSDB {
            (arguments.failing, arguments.torn) = (0.0, 0.0);
        }
        if arguments.copy.is_some() {
            // A copy may have the end of a log that was lost in a power failure.
            arguments.torn = 0.0;
        }
        Ok(arguments)
    }
}
