//! The time-to-live index: documents in the order of a date, as seconds since 1970.
//!
//! A document whose field is neither a number nor a date has no entry and never expires.

mod date;

use errors::Result;
use kv::KeyRange;
use velocypack::{Builder, Slice};

use crate::index::bounds::IndexBounds;
use crate::index::entries::Entries;
use crate::index::{Index, IndexMethod, field};
use date::seconds_of_date;

pub(super) struct Ttl;

impl IndexMethod for Ttl {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let Some(path) = index.fields().first() else { return Ok(()) };
        let Some(seconds) = seconds(field::value(document, &path.names)) else { return Ok(()) };
        let mut builder = Builder::default();
        builder.add_f64(seconds)?;
        let value = Slice::new(builder.as_bytes());
        let write_values = |bytes: &mut Vec<u8>| velocypack::order::sort_key(value, bytes);
        entries.add_covering(index, key, write_values, std::iter::once(value))
    }

    fn key_range(&self, index: &Index, bounds: &IndexBounds) -> Option<KeyRange> {
        Some(bounds.range(index))
    }
}

/// Returns the moment that a value stands for, in seconds since 1970-01-01 UTC.
fn seconds(value: Slice<'_>) -> Option<f64> {
    match value.as_str() {
        Some(text) => seconds_of_date(text),
        None => value.as_f64().filter(|number| number.is_finite()),
    }
}
