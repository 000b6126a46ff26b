//! External versions (`versionAttribute`).
//!
//! Source: ArangoDB 3.12 documentation, "Document HTTP API", parameter `versionAttribute`.

use velocypack::Slice;

use super::WriteOptions;

/// Returns true if a write must be skipped because its version is not greater than the stored one.
/// A version does not count if it is missing, negative or not a number, on either side.
pub(super) fn is_outdated(stored: Slice<'_>, sent: Slice<'_>, options: &WriteOptions) -> bool {
    let Some(name) = options.version_attribute.as_deref().filter(|name| !name.is_empty()) else {
        return false;
    };
    match (version(stored, name), version(sent, name)) {
        (Some(stored), Some(sent)) => sent <= stored,
        _ => false,
    }
}

/// Returns a version, rounded down to a whole number.
fn version(document: Slice<'_>, name: &str) -> Option<u64> {
    let value = document.get(name)?;
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    // The cast rounds down and saturates.
    (number >= 0.0).then_some(number as u64)
}
