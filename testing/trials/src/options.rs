//! The options of trials, each with a value, and the trials that read them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

/// A trial: a part of this program with a name on its command line.
pub(crate) struct Trial {
    /// The first word of the command line.
    pub(crate) name: &'static str,
    /// The trial in one line.
    pub(crate) about: &'static str,
    /// Returns the help of the options but for those of [`Common`].
    pub(crate) usage: fn() -> String,
    /// Runs the trial with the arguments after its name. Errors: an invalid argument, as text for
    /// the user.
    pub(crate) run: fn(&[String]) -> Result<ExitCode, String>,
}

/// One option of the command line.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    /// The name, with its dashes.
    pub(crate) option: &'a str,
    /// The value.
    pub(crate) value: &'a str,
}

impl Argument<'_> {
    /// Returns the value as a number. Errors: text for the user.
    pub(crate) fn number<N: FromStr>(&self) -> Result<N, String> {
        self.value.parse().map_err(|_| self.wrong())
    }

    /// Returns the error of a value that is not a number.
    pub(crate) fn wrong(&self) -> String {
        format!("{} is {:?}; it must be a number", self.option, self.value)
    }
}

/// The options that every trial has.
#[derive(Debug)]
pub(crate) struct Common {
    /// The seed of all random choices.
    pub(crate) seed: u64,
    /// The server's program.
    pub(crate) server: PathBuf,
}

impl Common {
    /// The help of these options.
    pub(crate) const USAGE: &str = "
  --seed N            Seed of the random choices. Default: random; it is printed.
  --server PATH       Path of the server. Default: `persea` next to this program.
";

    /// Returns the defaults. Errors: text for the user.
    pub(crate) fn new() -> Result<Self, String> {
        let server = harness::program_next_to_this()?;
        Ok(Common { seed: fastrand::u64(..1 << 32), server })
    }

    /// Takes an option that the trial itself does not have. Errors: text for the user, also if it
    /// is none of these.
    pub(crate) fn take(&mut self, argument: &Argument<'_>) -> Result<(), String> {
        match argument.option {
            "--seed" => self.seed = argument.number()?,
            "--server" => self.server = PathBuf::from(argument.value),
            unknown => return Err(format!("unknown option {unknown}")),
        }
        Ok(())
    }
}

/// Calls `take` for each option in turn. Errors: those of `take`; text for the user if a value is
/// missing.
pub(crate) fn each_argument(
    words: &[String],
    mut take: impl FnMut(Argument<'_>) -> Result<(), String>,
) -> Result<(), String> {
    words.chunks(2).try_for_each(|pair| match pair {
        [option, value] => take(Argument { option, value }),
        _ => Err(format!("{} needs a value", pair.join(" "))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Vec<(String, u8)>, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut found = Vec::new();
        each_argument(&words, |argument| {
            found.push((argument.option.to_owned(), argument.number()?));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn each_option_has_a_value() {
        assert_eq!(read(&[]), Ok(Vec::new()));
        assert_eq!(read(&["--a", "1", "--b", "2"]), Ok(vec![("--a".to_owned(), 1), ("--b".to_owned(), 2)]));
        assert_eq!(read(&["--a", "1", "--b"]), Err("--b needs a value".to_owned()));
        assert_eq!(read(&["--a", "x"]), Err("--a is \"x\"; it must be a number".to_owned()));
    }
}
