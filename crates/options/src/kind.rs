//! The kinds of values, and the checks of their texts.

use std::fmt::Debug;

/// The kind of an option's values, for checks and for texts about the option.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Number,
    /// A number of bytes, perhaps with a suffix (`k`, `MB`, `GiB`, ...).
    ///
    /// Numbers accept a suffix too, as in ArangoDB, but the help text does not suggest it.
    Bytes,
    /// A number of seconds, perhaps with a fraction.
    Seconds,
    /// A number, perhaps with a fraction; not negative.
    Decimal,
    /// One of these names.
    Choice(&'static dyn Names),
}

/// The names among which an option chooses.
pub trait Names: Debug + Sync {
    /// Returns all names, in the order of the help text.
    fn names(&self) -> Vec<&'static str>;
}

impl<T: Debug + Sync, const N: usize> Names for [(&'static str, T); N] {
    fn names(&self) -> Vec<&'static str> {
        self.iter().map(|(name, _)| *name).collect()
    }
}

impl Kind {
    /// Checks a value. The error says what would be right.
    pub(crate) fn check(self, value: &str) -> Result<(), String> {
        let good = match self {
            Kind::Text => true,
            Kind::Bool => is_true(value) || is_false(value),
            Kind::Number | Kind::Bytes => parse_bytes(value).is_some(),
            Kind::Seconds | Kind::Decimal => {
                value.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0)
            }
            Kind::Choice(choices) => choices.names().contains(&value),
        };
        if good { Ok(()) } else { Err(self.expected()) }
    }

    /// Describes the values in words.
    pub(crate) fn expected(self) -> String {
        match self {
            Kind::Text => "text".to_owned(),
            Kind::Bool => "true or false".to_owned(),
            Kind::Number => "a whole number".to_owned(),
            Kind::Bytes => "a number of bytes, perhaps with a suffix such as MB or GiB".to_owned(),
            Kind::Seconds => "a number of seconds".to_owned(),
            Kind::Decimal => "a number".to_owned(),
            Kind::Choice(choices) => format!("one of {}", choices.names().join(", ")),
        }
    }
}

pub(crate) fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "y", "1"].contains(&value.to_lowercase().as_str())
}

fn is_false(value: &str) -> bool {
    ["false", "no", "off", "n", "0"].contains(&value.to_lowercase().as_str())
}

/// Parses a whole number with an optional suffix.
///
/// `k`, `m`, `g`, `t` and the same with `b` are powers of 1,000; with `i` or `ib` (`KiB`) powers of
/// 1,024.
pub(crate) fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor: u64 = match text.get(digits.len()..)? {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        "ti" | "tib" => 1 << 40,
        _ => return None,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}
