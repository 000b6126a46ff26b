//! What there is to say of one option.

use crate::Kind;

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// `section.name`, or a name alone for the general section.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// The default, as it would be written; empty where there is none.
    pub default: &'static str,
    /// What it does, for the help text.
    pub help: &'static str,
    /// May be given several times.
    pub is_list: bool,
    /// Never shown.
    pub is_secret: bool,
    /// Shown by `--help-all` and `--help-SECTION` only.
    pub is_uncommon: bool,
}

/// An option with one value that may be shown.
pub const fn option(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Definition {
    Definition { name, kind, default, help, is_list: false, is_secret: false, is_uncommon: false }
}

impl Definition {
    /// The same, to be given any number of times.
    #[must_use]
    pub const fn list(self) -> Self {
        Definition { is_list: true, ..self }
    }

    /// The same, with values that are never shown.
    #[must_use]
    pub const fn secret(self) -> Self {
        Definition { is_secret: true, ..self }
    }

    /// The same, left out of the short help.
    #[must_use]
    pub const fn uncommon(self) -> Self {
        Definition { is_uncommon: true, ..self }
    }

    /// What stands before the point of its name; empty for general options.
    pub fn section(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }
}
