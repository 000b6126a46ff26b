//! Stored definitions: one format byte, then a VelocyPack object.
//!
//! A record with a newer format byte is an error; its meaning is never guessed.

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::properties::{Printer, Properties};
use crate::{CollectionDefinition, DatabaseDefinition, IndexDefinition, UserDefinition, ViewDefinition};

/// The format that this version writes.
pub const RECORD_FORMAT: u8 = 1;

/// A definition that can be stored.
pub trait Record: Sized {
    /// Returns the record's bytes.
    ///
    /// Errors: 4 if the definition cannot be printed.
    fn to_record(&self) -> Result<Vec<u8>>;

    /// Reads a record.
    ///
    /// Errors: 35 for a newer format, 1102 for bytes that are not such a record.
    fn from_record(bytes: &[u8]) -> Result<Self>;
}

macro_rules! record {
    ($definition:ty, $what:literal) => {
        impl Record for $definition {
            fn to_record(&self) -> Result<Vec<u8>> {
                write(|printer| self.print_record(printer))
            }

            fn from_record(bytes: &[u8]) -> Result<Self> {
                <$definition>::read_record(read(bytes, $what)?).map_err(|error| into_corrupt(&error))
            }
        }
    };
}

record!(CollectionDefinition, "collection");
record!(DatabaseDefinition, "database");
record!(IndexDefinition, "index");
record!(UserDefinition, "user");
record!(ViewDefinition, "view");

fn write(print: impl FnOnce(&mut Printer<'_>)) -> Result<Vec<u8>> {
    let into_error = |error| Error::internal(error);
    let mut builder = Builder::append_to(vec![RECORD_FORMAT]);
    builder.open_object().map_err(into_error)?;
    Printer::print(&mut builder, print)?;
    builder.close().map_err(into_error)?;
    Ok(builder.into_vec())
}

fn read<'a>(bytes: &'a [u8], what: &str) -> Result<Properties<'a>> {
    let Some((format, value)) = bytes.split_first() else {
        return Err(Error::corrupt(format!("the record of a {what} is empty")));
    };
    if *format != RECORD_FORMAT {
        let message = format!(
            "the record of a {what} has format {format}, this version reads format {RECORD_FORMAT}: \
             use a newer version"
        );
        return Err(Error::new(ErrorCode::IncompatibleVersion, message));
    }
    velocypack::validate(value, &velocypack::Limits::default())
        .map_err(|error| Error::corrupt(format!("the record of a {what} is damaged: {error}")))?;
    Properties::of(Slice::new(value), what)
}

/// Turns any error into damage: a stored record was valid when it was written.
fn into_corrupt(error: &Error) -> Error {
    Error::corrupt(error.message())
}

#[cfg(test)]
mod tests;
