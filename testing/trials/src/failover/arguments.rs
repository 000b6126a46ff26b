//! The command line.

use std::time::Duration;

use crate::options::{Common, each_argument};

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The time in which faults are made.
    pub(crate) time: Duration,
    /// The number of members.
    pub(crate) members: usize,
    /// The number of clients that write.
    pub(crate) writers: usize,
    /// True if a write is acknowledged once a majority has it.
    pub(crate) is_synchronous: bool,
    /// The storage engine of the members.
    pub(crate) engine: String,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  --seconds N         Inject faults for this many seconds. Default: 60.
  --members N         Number of members, at least 3. Default: 3.
  --writers N         Number of clients that write. Default: 4.
  --synchronous NAME  Acknowledge writes once a majority has them: yes or no. Default: yes.
  --engine NAME       Storage engine of the members. Default: rocksdb.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            time: Duration::from_secs(60),
            members: 3,
            writers: 4,
            is_synchronous: true,
            engine: "rocksdb".to_owned(),
        };
        each_argument(words, |argument| {
            match argument.option {
                "--seconds" => arguments.time = Duration::from_secs(argument.number()?),
                "--members" => arguments.members = argument.number::<usize>()?.max(3),
                "--writers" => arguments.writers = argument.number::<usize>()?.max(1),
                "--synchronous" => {
                    arguments.is_synchronous = match argument.value {
                        "yes" => true,
                        "no" => false,
                        other => return Err(format!("--synchronous is {other:?}; it must be yes or no")),
                    };
                }
                "--engine" => argument.value.clone_into(&mut arguments.engine),
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        Ok(arguments)
    }
}
