//! Errors of settings.

use errors::Error;

/// Returns error 10 for a setting.
pub(super) fn wrong(name: &str, reason: &str) -> Error {
    Error::bad_parameter(format!("'{name}' {reason}"))
}
