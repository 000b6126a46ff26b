//! The faults of a manifest, collected so that its author sees all at once.

use std::fmt::{Display, Write};

use errors::{Error, ErrorCode};
use velocypack::Slice;

/// Maximum number of faults in a message, and of warnings.
const SHOWN_MAX: usize = 20;
/// Maximum number of characters of a value in a message.
const VALUE_SHOWN_MAX: usize = 60;

/// The faults and warnings that were found so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    errors: Vec<String>,
    warnings: Vec<String>,
    omitted: usize,
}

impl Problems {
    /// Notes a member with a wrong value, and the values that would be right.
    pub(super) fn wrong(&mut self, member: impl Display, value: Slice<'_>, right: impl Display) {
        self.wrong_text(format!("`{member}` is {}; it must be {right}", shown(value)));
    }

    /// Notes a fault in a text of its own.
    pub(super) fn wrong_text(&mut self, text: String) {
        if self.errors.len() < SHOWN_MAX { self.errors.push(text) } else { self.omitted += 1 }
    }

    /// Notes something that does no harm.
    pub(super) fn warn(&mut self, text: String) {
        if self.warnings.len() < SHOWN_MAX {
            self.warnings.push(text);
        }
    }

    /// Returns the warnings. Errors: 3001 with all faults.
    pub(super) fn finish(self) -> Result<Vec<String>, Error> {
        if self.errors.is_empty() {
            return Ok(self.warnings);
        }
        let mut message = format!("manifest.json is invalid: {}", self.errors.join(". "));
        if self.omitted > 0 {
            let _ = write!(message, ". There are {} more faults", self.omitted);
        }
        Err(Error::new(ErrorCode::InvalidServiceManifest, message))
    }
}

/// Returns the beginning of a value's JSON.
fn shown(value: Slice<'_>) -> String {
    if value.is_object() {
        return "an object".to_owned();
    }
    if value.is_array() {
        return "a list".to_owned();
    }
    let text = velocypack::json::to_json_string(value, None);
    match text.char_indices().nth(VALUE_SHOWN_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
