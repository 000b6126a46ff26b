//! Rows of tables of options: [`Opt`], the functions that make one, and
//! [`section!`](crate::section).

use std::fmt::Debug;
use std::ops::Deref;

use crate::types::{Bytes, Choice, Decimal, Flag, List, Maybe, Number, Seconds, Text};
use crate::{Definition, Kind};

/// An option whose values have the type `V`. It dereferences to its [`Definition`].
#[derive(Clone, Copy, Debug)]
pub struct Opt<V> {
    definition: Definition,
    value: V,
}

/// Defines the options of a section, each as a static, and `ROWS`, the table of all of them in this
/// order.
///
/// ```
/// use options::{Bytes, Flag, Opt, bytes, flag};
///
/// options::section! {
///     static MAX_BODY: Opt<Bytes> =
///         bytes("http.max-body-size", "1GiB", "Maximum size of a request body in bytes.");
///     static CACHE: Opt<Flag> = flag("http.cache", true, "Cache replies.").uncommon();
/// }
/// assert_eq!(ROWS[0].name, "http.max-body-size");
/// ```
#[macro_export]
macro_rules! section {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $option:expr;)*) => {
        $($(#[$attribute])* $visibility static $name: $type = $option;)*

        /// The options of this section, in the order of the help text.
        pub(crate) static ROWS: $crate::Section = &[$($name.row()),*];
    };
}

const fn row<V>(
    name: &'static str,
    kind: Kind,
    value: V,
    default: &'static str,
    help: &'static str,
) -> Opt<V> {
    let definition = Definition {
        name,
        kind,
        default,
        help,
        is_list: false,
        is_secret: false,
        is_uncommon: false,
        letter: None,
    };
    Opt { definition, value }
}

/// Returns a switch.
pub const fn flag(name: &'static str, default: bool, help: &'static str) -> Opt<Flag> {
    row(name, Kind::Bool, Flag, if default { "true" } else { "false" }, help)
}

/// Returns an option for a whole number.
pub const fn number(name: &'static str, default: &'static str, help: &'static str) -> Opt<Number> {
    row(name, Kind::Number, Number, default, help)
}

/// Returns an option for a number of bytes.
pub const fn bytes(name: &'static str, default: &'static str, help: &'static str) -> Opt<Bytes> {
    row(name, Kind::Bytes, Bytes, default, help)
}

/// Returns an option for a number of seconds.
pub const fn seconds(name: &'static str, default: &'static str, help: &'static str) -> Opt<Seconds> {
    row(name, Kind::Seconds, Seconds, default, help)
}

/// Returns an option for a number that may have a fraction.
pub const fn decimal(name: &'static str, default: &'static str, help: &'static str) -> Opt<Decimal> {
    row(name, Kind::Decimal, Decimal, default, help)
}

/// Returns an option for any text.
pub const fn text(name: &'static str, default: &'static str, help: &'static str) -> Opt<Text> {
    row(name, Kind::Text, Text, default, help)
}

/// Returns an option that chooses one of some names, each with its meaning.
///
/// A default that is not among the names does not compile:
///
/// ```compile_fail
/// use options::{Choice, Opt, choice};
///
/// static COLOR: Opt<Choice<char>> =
///     choice("color", &[("red", 'r'), ("blue", 'b')], "green", "Colour.");
/// ```
pub const fn choice<T: Copy + Debug + Sync, const N: usize>(
    name: &'static str,
    choices: &'static [(&'static str, T); N],
    default: &'static str,
    help: &'static str,
) -> Opt<Choice<T>> {
    let mut index = 0;
    while !is_same(choices[index].0, default) {
        index += 1;
    }
    let value = Choice { choices, default: choices[index].1 };
    row(name, Kind::Choice(choices), value, default, help)
}

/// Compares texts, at compile time too.
const fn is_same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

impl<V> Opt<V> {
    /// Returns the row without the type of its values, for a table.
    pub const fn row(&self) -> &Definition {
        &self.definition
    }
}

impl<V: Copy> Opt<V> {
    /// Returns the type of the values.
    pub(crate) fn value(&self) -> V {
        self.value
    }

    /// Returns the same option as a list, which may be given any number of times.
    #[must_use]
    pub const fn list(self) -> Opt<List<V>> {
        Opt { definition: Definition { is_list: true, ..self.definition }, value: List(self.value) }
    }

    /// Returns the same option, read as `None` without a value. A separate default does not
    /// compile.
    #[must_use]
    pub const fn optional(self) -> Opt<Maybe<V>> {
        assert!(self.definition.default.is_empty());
        Opt { definition: self.definition, value: Maybe(self.value) }
    }

    /// Returns the same option with values that are never shown.
    #[must_use]
    pub const fn secret(self) -> Self {
        Opt { definition: Definition { is_secret: true, ..self.definition }, value: self.value }
    }

    /// Returns the same option, omitted from the short help.
    #[must_use]
    pub const fn uncommon(self) -> Self {
        Opt { definition: Definition { is_uncommon: true, ..self.definition }, value: self.value }
    }

    /// Returns the same option with a letter that stands for its name: `-f` for `--force`.
    #[must_use]
    pub const fn letter(self, letter: char) -> Self {
        Opt { definition: Definition { letter: Some(letter), ..self.definition }, value: self.value }
    }
}

impl<V> Deref for Opt<V> {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.definition
    }
}
