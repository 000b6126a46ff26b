//! Parts without the entries of some collections.

use errors::{Error, Result};

use super::read::{ChangePart, REMOVED_ENTRY, Reader};

/// A part that has lost entries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Thinned {
    /// Nothing is to be removed.
    Unchanged,
    /// The new value.
    Changed(Vec<u8>),
    /// No entry is left, and the part is a whole commit.
    Empty,
}

impl ChangePart<'_> {
    /// Removes the entries of the collections that `is_expired` selects by name; `None` stands for
    /// entries without a collection. `value` is the value of the part.
    ///
    /// Errors: 1102 for damage.
    pub(crate) fn thin(&self, value: &[u8], is_expired: impl Fn(Option<&str>) -> bool) -> Result<Thinned> {
        let entries_len = self.rest().len();
        let head =
            value.len().checked_sub(entries_len).ok_or_else(|| Error::corrupt("a part of the change log"))?;
        let mut thinned = value.get(..head).unwrap_or_default().to_vec();
        let (mut reader, mut left, mut removed) = (Reader(self.rest()), 0, 0);
        while !reader.0.is_empty() {
            let before = reader.0;
            let is_removed = before.first() == Some(&REMOVED_ENTRY);
            let change = match is_removed {
                true => None,
                false => Some(self.entry(&mut reader, 0)?),
            };
            match change {
                Some(change) if !is_expired(change.collection.map(|collection| collection.name)) => {
                    let bytes = before.len() - reader.0.len();
                    thinned.extend_from_slice(before.get(..bytes).unwrap_or_default());
                    left += 1;
                }
                Some(_) => {
                    thinned.push(REMOVED_ENTRY);
                    removed += 1;
                }
                None => {
                    reader.0 = before.get(1..).unwrap_or_default();
                    thinned.push(REMOVED_ENTRY);
                }
            }
        }
        Ok(match (left, removed) {
            (_, 0) => Thinned::Unchanged,
            (0, _) if self.is_last && self.is_first() => Thinned::Empty,
            _ => Thinned::Changed(thinned),
        })
    }
}
