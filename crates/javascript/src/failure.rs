//! The reasons why a script ends before its end.

use std::fmt;

/// The reason why a script did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An exception that the script did not catch.
    Exception(Box<Exception>),
    /// The interrupt flag was set.
    Interrupted,
    /// The deadline has passed.
    DeadlinePassed,
    /// The isolate has no memory left even for its own work.
    OutOfMemory,
    /// A function of the host failed or panicked. Scripts cannot catch that.
    Host(String),
    /// The script ended the program, with this exit code.
    Exit(u8),
}

/// An exception that a script did not catch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exception {
    /// Its name and message: `TypeError: x is not a function`.
    pub message: String,
    /// `errorNum`, if it is an `ArangoError`.
    pub number: Option<u32>,
    /// `code`, the HTTP status, if it is an `ArangoError`.
    pub status: Option<u16>,
    /// The place in the script, outside of the API's own modules.
    pub place: Option<Place>,
    /// The calls that led there, one a line.
    pub stack: String,
}

/// A place in a script. Line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the script, mostly a path.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// The prefix of the file names of the API's own modules.
pub(crate) const OWN_PREFIX: &str = "persea:";

impl Exception {
    /// Returns the first place of a stack trace that is not in one of the API's own modules.
    ///
    /// quickjs prints a frame as `    at name (file:line:column)`, without brackets if the code has
    /// no name.
    pub(crate) fn place_of(stack: &str) -> Option<Place> {
        stack.lines().find_map(|line| {
            let frame = line.trim().strip_prefix("at ")?;
            let inner =
                frame.strip_suffix(')').and_then(|frame| Some(frame.rsplit_once('(')?.1)).unwrap_or(frame);
            let (rest, column) = inner.rsplit_once(':')?;
            let (file, line) = rest.rsplit_once(':')?;
            let place =
                Place { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? };
            Some(place).filter(|place| !place.file.starts_with(OWN_PREFIX))
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Exception(exception) => exception.fmt(formatter),
            Failure::Interrupted => formatter.write_str("the script was interrupted"),
            Failure::DeadlinePassed => formatter.write_str("the script did not end before its deadline"),
            Failure::OutOfMemory => formatter.write_str("the script is out of memory"),
            Failure::Host(reason) => formatter.write_str(reason),
            Failure::Exit(code) => write!(formatter, "the script ended with exit code {code}"),
        }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.place {
            Some(Place { file, line, column }) => write!(formatter, " ({file}:{line}:{column})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}
