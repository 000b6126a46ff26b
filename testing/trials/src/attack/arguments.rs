//! The command line.

use std::time::Duration;

use crate::options::{Common, each_argument};

/// The options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) common: Common,
    /// The time of all attacks together; `None` for one whole pass of each.
    pub(crate) time: Option<Duration>,
    /// The server's `--memory-limit`, in bytes.
    pub(crate) memory_limit: u64,
    /// A part of the names of the attacks to run; empty for all.
    pub(crate) only: String,
    /// A part of the names of the cases to run; empty for all.
    pub(crate) case: String,
    /// Added to each bound of time, for machines that do other work as well.
    pub(crate) floor: Duration,
}

/// Help of the options.
pub(crate) const USAGE: &str = "
  --seconds N         Run all attacks for this many seconds in total. Default: until each has made one pass.
  --memory-limit N    Maximum memory of the server in bytes; accepts a suffix such as MB. Default: 512MB.
  --only NAME         Run only attacks whose name contains this text. Default: all.
  --case NAME         Run only cases whose name contains this text. Default: all.
  --floor N           Add this many milliseconds to each time limit. Default: 20.
";

impl Arguments {
    /// Reads the arguments after the trial's name. Errors: text for the user.
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Arguments {
            common: Common::new()?,
            time: None,
            memory_limit: 512_000_000,
            only: String::new(),
            case: String::new(),
            floor: Duration::from_millis(20),
        };
        each_argument(words, |argument| {
            let value = argument.value;
            match argument.option {
                "--seconds" => arguments.time = Some(Duration::from_secs(argument.number()?)),
                "--memory-limit" => arguments.memory_limit = bytes(value).ok_or_else(|| argument.wrong())?,
                "--only" => value.clone_into(&mut arguments.only),
                "--case" => value.clone_into(&mut arguments.case),
                "--floor" => arguments.floor = Duration::from_millis(argument.number()?),
                _ => arguments.common.take(&argument)?,
            }
            Ok(())
        })?;
        Ok(arguments)
    }
}

/// Reads a number of bytes with a decimal (`MB`) or binary (`MiB`) suffix.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1,
        "MB" => 1_000_000,
        "MiB" => 1 << 20,
        "GB" => 1_000_000_000,
        "GiB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes_have_suffixes() {
        assert_eq!(bytes("512MB"), Some(512_000_000));
        assert_eq!(bytes("2GiB"), Some(2 << 30));
        assert_eq!(bytes("7"), Some(7));
        assert_eq!(bytes("7 apples"), None);
    }
}
