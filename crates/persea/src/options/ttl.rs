//! `--ttl`: removal of expired documents.

use database::ttl::TtlProperties;
use options::{Number, Opt, Options, number};

options::section! {
    static FREQUENCY: Opt<Number> =
        number("ttl.frequency", "30000", "Milliseconds between two removals of expired documents; 0 disables them.");
    static MAX_COLLECTION_REMOVES: Opt<Number> =
        number("ttl.max-collection-removes", "100000", "Maximum number of documents to remove from a collection at a time.");
    static MAX_TOTAL_REMOVES: Opt<Number> =
        number("ttl.max-total-removes", "1000000", "Maximum number of documents to remove at a time.");
}

/// Makes the properties of removals.
pub(super) fn settings(options: &Options) -> TtlProperties {
    TtlProperties {
        frequency_ms: options.get(&FREQUENCY),
        max_total_removes: options.get(&MAX_TOTAL_REMOVES),
        max_collection_removes: options.get(&MAX_COLLECTION_REMOVES),
        ..TtlProperties::default()
    }
}
