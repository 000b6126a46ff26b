//! The command line.

use std::time::Duration;

use crate::options::{Common, each_argument};

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The time after which no new round begins.
    pub(crate) time: Duration,
    /// Documents of each collection.
    pub(crate) documents: usize,
    /// The server's storage engine.
    pub(crate) engine: String,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  --seconds N         Begin new rounds of random rules for this many seconds. Default: 30.
  --documents N       Documents of each collection. Default: 60.
  --engine NAME       Storage engine of the server. Default: rocksdb.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            time: Duration::from_secs(30),
            documents: 60,
            engine: "rocksdb".to_owned(),
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--documents" => arguments.documents = argument.number::<usize>()?.max(1),
                "--engine" => argument.value.clone_into(&mut arguments.engine),
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        Ok(arguments)
    }
}
