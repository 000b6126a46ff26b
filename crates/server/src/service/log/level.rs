//! ArangoDB's levels.

use tracing::level_filters::LevelFilter;

/// The importance of an entry; a greater level is more verbose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// The server ends.
    Fatal = 0,
    /// An unexpected failure.
    Error = 1,
    /// An event that may lead to errors.
    Warning = 2,
    /// Information for operators.
    #[default]
    Info = 3,
    /// Details for debugging.
    Debug = 4,
    /// Every event.
    Trace = 5,
}

const LEVELS: [Level; 6] =
    [Level::Fatal, Level::Error, Level::Warning, Level::Info, Level::Debug, Level::Trace];

impl Level {
    /// Returns the name for replies and for the log itself.
    pub fn name(self) -> &'static str {
        match self {
            Level::Fatal => "FATAL",
            Level::Error => "ERROR",
            Level::Warning => "WARNING",
            Level::Info => "INFO",
            Level::Debug => "DEBUG",
            Level::Trace => "TRACE",
        }
    }

    /// Returns the level of a name in any case, of a short form, or of a number from 0 to 5.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "fatal" | "0" => Some(Level::Fatal),
            "error" | "err" | "1" => Some(Level::Error),
            "warning" | "warn" | "2" => Some(Level::Warning),
            "info" | "default" | "3" => Some(Level::Info),
            "debug" | "4" => Some(Level::Debug),
            "trace" | "5" => Some(Level::Trace),
            _ => None,
        }
    }

    /// Returns the level of a number; the most verbose level for larger numbers.
    pub fn of_number(number: u8) -> Self {
        LEVELS.get(usize::from(number)).copied().unwrap_or(Level::Trace)
    }

    pub(super) fn to_filter(self) -> LevelFilter {
        match self {
            Level::Fatal | Level::Error => LevelFilter::ERROR,
            Level::Warning => LevelFilter::WARN,
            Level::Info => LevelFilter::INFO,
            Level::Debug => LevelFilter::DEBUG,
            Level::Trace => LevelFilter::TRACE,
        }
    }

    pub(super) fn of_tracing(level: tracing::Level) -> Self {
        match level {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warning,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG => Level::Debug,
            tracing::Level::TRACE => Level::Trace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_stand_for_levels() {
        for (number, level) in LEVELS.into_iter().enumerate() {
            assert_eq!(Level::from_name(level.name()), Some(level));
            assert_eq!(Level::from_name(&number.to_string()), Some(level));
            assert_eq!(Level::of_number(number as u8), level);
        }
        assert_eq!(Level::from_name("warn"), Some(Level::Warning));
        assert_eq!(Level::from_name("loud"), None);
    }
}
