//! Key generators, which make the keys of documents that come without one.

use errors::{Error, ErrorCode, Result};

use crate::properties::{Printer, Properties};

/// The maximum step of an autoincrement generator.
pub const INCREMENT_MAX: u64 = 65_536;

/// The kinds of key generators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyGeneratorType {
    /// The server's tick as decimal text: ascending numbers with gaps.
    #[default]
    Traditional,
    /// The numbers `offset`, `offset + increment`, ... as decimal text, per collection.
    Autoincrement,
    /// A clock in 16 lower-case hexadecimal digits, ascending as text.
    Padded,
    /// A random UUID (version 4).
    Uuid,
}

impl KeyGeneratorType {
    /// Returns the name in requests and replies.
    pub fn name(self) -> &'static str {
        match self {
            KeyGeneratorType::Traditional => "traditional",
            KeyGeneratorType::Autoincrement => "autoincrement",
            KeyGeneratorType::Padded => "padded",
            KeyGeneratorType::Uuid => "uuid",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "traditional" => Some(KeyGeneratorType::Traditional),
            "autoincrement" => Some(KeyGeneratorType::Autoincrement),
            "padded" => Some(KeyGeneratorType::Padded),
            "uuid" => Some(KeyGeneratorType::Uuid),
            _ => None,
        }
    }
}

/// The `keyOptions` of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyOptions {
    /// The generator.
    pub generator: KeyGeneratorType,
    /// True if a client may supply keys.
    pub allow_user_keys: bool,
    /// A lower bound of an autoincrement generator's first value, itself included.
    pub offset: u64,
    /// The step of an autoincrement generator, 1 to [`INCREMENT_MAX`].
    pub increment: u64,
    /// A value that generated ones must exceed (`lastValue` of a restored collection). Storage
    /// keeps the live value.
    pub last_value: u64,
}

impl Default for KeyOptions {
    fn default() -> Self {
        KeyOptions {
            generator: KeyGeneratorType::Traditional,
            allow_user_keys: true,
            offset: 0,
            increment: 1,
            last_value: 0,
        }
    }
}

impl KeyOptions {
    /// Reads `keyOptions`; missing attributes have their default.
    ///
    /// Errors: 10 for a wrong type; 1232 for an unknown generator, for a step of 0 or above
    /// [`INCREMENT_MAX`], and for an increment or offset of a generator other than autoincrement.
    pub(crate) fn parse(properties: Properties<'_>) -> Result<Self> {
        let defaults = KeyOptions::default();
        let generator = match properties.text("type")? {
            None | Some("") => defaults.generator,
            Some(name) => KeyGeneratorType::from_name(name)
                .ok_or_else(|| invalid(&format!("unknown key generator type '{name}'")))?,
        };
        let options = KeyOptions {
            generator,
            allow_user_keys: properties.boolean("allowUserKeys")?.unwrap_or(defaults.allow_user_keys),
            offset: properties.unsigned("offset")?.unwrap_or(defaults.offset),
            increment: properties.unsigned("increment")?.unwrap_or(defaults.increment),
            last_value: properties.unsigned("lastValue")?.unwrap_or(defaults.last_value),
        };
        options.check()
    }

    fn check(self) -> Result<Self> {
        if !(1..=INCREMENT_MAX).contains(&self.increment) {
            return Err(invalid("increment value must be between 1 and 65536"));
        }
        let is_autoincrement = self.generator == KeyGeneratorType::Autoincrement;
        if !is_autoincrement && (self.offset != 0 || self.increment != 1) {
            return Err(invalid(
                "offset and increment are only allowed for key generator type 'autoincrement'",
            ));
        }
        Ok(self)
    }

    /// Prints the options' attributes with the generator's present value.
    pub(crate) fn print(&self, printer: &mut Printer<'_>, last_value: u64) {
        printer.boolean("allowUserKeys", self.allow_user_keys);
        printer.text("type", self.generator.name());
        match self.generator {
            KeyGeneratorType::Autoincrement => {
                printer.unsigned("offset", self.offset);
                printer.unsigned("increment", self.increment);
                printer.unsigned("lastValue", last_value);
            }
            KeyGeneratorType::Traditional | KeyGeneratorType::Padded => {
                printer.unsigned("lastValue", last_value);
            }
            KeyGeneratorType::Uuid => {}
        }
    }
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorCode::InvalidKeyGenerator, format!("invalid key generator: {what}"))
}
