//! The parts that the results of several methods share.

use velocypack::Slice;

use crate::message::Failure;
use crate::revision::Revision;
use crate::writer::Object;

/// The time in milliseconds for which clients may keep what the program always answers alike.
pub(crate) const FIXED_TTL_MS: u64 = 300_000;

/// Returns a result that is final, as the stateless revision says of each.
pub(crate) fn complete(revision: Revision, fill: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    Object::whole(|object| {
        if revision.is_stateless() {
            object.text("resultType", "complete");
        }
        fill(object);
    })
}

/// Writes how long a result may be kept. The user's rights decide about it, so it is private.
pub(crate) fn print_caching(revision: Revision, ttl_ms: u64, object: &mut Object<'_>) {
    if revision.is_stateless() {
        object.number("ttlMs", ttl_ms).text("cacheScope", "private");
    }
}

/// Checks that a client asks for the first page of a list, which is the only one.
pub(crate) fn check_cursor(params: Slice<'_>) -> Result<(), Failure> {
    match params.get("cursor").filter(|cursor| !cursor.is_null()) {
        None => Ok(()),
        Some(_) => Err(Failure::invalid_params("'cursor' is unknown; lists have one page")),
    }
}
