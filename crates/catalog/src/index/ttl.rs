//! Options of the time-to-live index.
//!
//! Source: ArangoDB 3.12 documentation, "TTL index HTTP API".

use errors::{Error, Result};

use super::{Capabilities, IndexProperties, TypeOptions, TypeRules, check_plain_fields};
use crate::properties::{Printer, Properties};

/// The longest expiry, more than a million years: sums stay far from overflow.
const EXPIRE_AFTER_MAX_SECONDS: f64 = 1e14;

pub(super) struct Ttl;

impl TypeRules for Ttl {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        check_plain_fields(index, 1)?;
        let Some(seconds) = properties.number("expireAfter")? else {
            return Err(Error::bad_parameter("expireAfter attribute must be a number"));
        };
        if !(0.0..=EXPIRE_AFTER_MAX_SECONDS).contains(&seconds) {
            return Err(Error::bad_parameter("expireAfter attribute must be greater than or equal to zero"));
        }
        index.sparse = true;
        index.estimates = false;
        index.options = TypeOptions::Ttl { expire_after_ms: (seconds * 1e3).round() as u64 };
        Ok(())
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if let TypeOptions::Ttl { expire_after_ms } = index.options {
            if expire_after_ms % 1000 == 0 {
                printer.unsigned("expireAfter", expire_after_ms / 1000);
            } else {
                printer.double("expireAfter", expire_after_ms as f64 / 1e3);
            }
        }
        printer.boolean("estimates", false);
    }

    /// Compares the expiries too; another expiry is a second index, and a collection can have only
    /// one.
    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options
    }

    /// Returns no capabilities: entries hold dates as numbers, unlike the documents.
    fn capabilities(&self, _index: &IndexProperties) -> Capabilities {
        Capabilities::default()
    }
}
