//! The command lines of the programs: options with values, and `--help`.

use std::process::ExitCode;
use std::str::FromStr;

/// One option of the command line.
#[derive(Debug)]
pub struct Argument<'a> {
    /// The name, with its dashes.
    pub option: &'a str,
    /// The value.
    pub value: &'a str,
}

impl Argument<'_> {
    /// Returns the value as a number. Errors: text for the user.
    pub fn number<N: FromStr>(&self) -> Result<N, String> {
        self.value.parse().map_err(|_| self.wrong())
    }

    /// Returns the error of a value that is no number.
    pub fn wrong(&self) -> String {
        format!("{} is {:?}; it must be a number", self.option, self.value)
    }

    /// Returns the error of an option that the program does not have.
    pub fn unknown(&self) -> String {
        format!("there is no option {}", self.option)
    }
}

/// Calls `take` for each option in turn. Errors: those of `take`; text for the user if a value is
/// missing.
pub fn each_argument(
    words: &[String],
    mut take: impl FnMut(Argument<'_>) -> Result<(), String>,
) -> Result<(), String> {
    words.chunks(2).try_for_each(|pair| match pair {
        [option, value] => take(Argument { option, value }),
        _ => Err(format!("{} needs a value", pair.join(" "))),
    })
}

/// Runs a program with the arguments that `read` makes of the command line.
///
/// `--help` prints `usage`. A mistake in the command line prints it too, and ends with exit code 2.
#[allow(clippy::print_stdout, clippy::print_stderr, reason = "what a command line program does")]
pub fn run_program<A>(
    usage: &str,
    read: impl FnOnce(&[String]) -> Result<A, String>,
    run: impl FnOnce(A) -> ExitCode,
) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help") {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    match read(&words) {
        Ok(arguments) => run(arguments),
        Err(mistake) => {
            eprintln!("{mistake}\n{usage}");
            ExitCode::from(2)
        }
    }
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
