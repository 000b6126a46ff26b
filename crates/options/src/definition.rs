//! One row of a table of options, without the type of its values.

use crate::Kind;

/// One option, as help texts, configuration files and descriptions need it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// `section.name`, or a name alone for the general section.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: Kind,
    /// The default, as it would be written; empty if there is none.
    pub default: &'static str,
    /// The help text.
    pub help: &'static str,
    /// The option may be given several times.
    pub is_list: bool,
    /// The value is never shown.
    pub is_secret: bool,
    /// Shown by `--help-all` and `--help-SECTION` only.
    pub is_uncommon: bool,
}

/// The options of a section, in the order of the help text.
pub type Section = &'static [&'static Definition];

impl Definition {
    /// Returns the part of the name before the point; empty for general options.
    pub fn section(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }
}
