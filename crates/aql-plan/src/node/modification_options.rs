//! Options of data-modification statements.

use super::flag;

/// Options of data-modification statements. The reference of AQL says which apply to which
/// statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModificationOptions {
    /// Failed documents are counted and are not an error.
    pub ignore_errors: bool,
    /// Sync to disk before the query returns; `None` for the collection's setting.
    pub wait_for_sync: Option<bool>,
    /// Lock the collection against other writers.
    pub exclusive: bool,
    /// The behaviour of an INSERT if the document exists.
    pub overwrite_mode: OverwriteMode,
    /// False: an update with null removes the attribute.
    pub keep_null: bool,
    /// True: an update merges sub-objects.
    pub merge_objects: bool,
    /// False: `_rev` of the input must match.
    pub ignore_revs: bool,
    /// The collection's schema does not apply.
    pub skip_validation: bool,
    /// Accepted and passed on: index caches are refilled.
    pub refill_index_caches: Option<bool>,
    /// Attribute whose value must be higher than the stored one, otherwise nothing is written.
    pub version_attribute: Option<Box<str>>,
}

/// The behaviour of an INSERT if a document with its `_key` exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OverwriteMode {
    /// Fails with error 1210.
    #[default]
    Conflict,
    /// Writes nothing.
    Ignore,
    /// Replaces the document.
    Replace,
    /// Updates the document.
    Update,
}

impl ModificationOptions {
    /// Returns the options that differ from the defaults.
    pub(super) fn print(&self) -> String {
        let mut text = String::new();
        text += flag(" ignore errors", self.ignore_errors);
        text += flag(" exclusive", self.exclusive);
        text += flag(" drop null", !self.keep_null);
        text += flag(" do not merge", !self.merge_objects);
        text += flag(" check revisions", !self.ignore_revs);
        text += flag(" skip validation", self.skip_validation);
        text += flag(" wait for sync", self.wait_for_sync == Some(true));
        match self.overwrite_mode {
            OverwriteMode::Conflict => text,
            mode => text + &format!(" overwrite {mode:?}").to_lowercase(),
        }
    }
}
