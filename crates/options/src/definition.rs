//! One row of a table of options, without the type of its values.

use crate::Kind;

/// One option, as help texts, configuration files and descriptions need it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// `section.name`, or a name alone for the general section.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The default in its written form; empty if there is none.
    pub default: &'static str,
    /// The help text.
    pub help: &'static str,
    /// True if the option may be given several times.
    pub is_list: bool,
    /// True if the value is never shown.
    pub is_secret: bool,
    /// True if only `--help-all` and `--help-SECTION` show the option.
    pub is_uncommon: bool,
    /// The letter that stands for the name: `f` for `-f`.
    pub letter: Option<char>,
}

/// The options of a section, in the order of the help text.
pub type Section = &'static [&'static Definition];

impl Definition {
    /// Returns the part of the name before the point; empty for general options.
    pub fn section(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }
}
