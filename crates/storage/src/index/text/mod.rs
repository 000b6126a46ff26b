//! The inverted index and the link of a view.
//!
//! Their entries are an outbox of what was written, from which segments are made
//! ([`crate::text_maintenance`]), and the [`list`] of those segments; [`encoding`] has both.
//! Where several servers share the store, the segments of an [`image`] are in the store, too.
//! [`text_index`] and [`work`] are the state of one index in memory, [`pace`] slows writers down,
//! and [`pins`] are the states that one snapshot of the store sees.

pub(crate) mod encoding;
pub(crate) mod folder;
pub(crate) mod list;
pub(crate) mod image;
pub(crate) mod pace;
pub(crate) mod pins;
pub(crate) mod text_index;
pub(crate) mod work;

use std::sync::Arc;

use errors::{Error, Result};
use velocypack::Slice;

use crate::index::entries::Entries;
use crate::index::{Index, IndexMethod};
use crate::metrics::TextIndexStatistics;

pub(super) struct Text;

impl IndexMethod for Text {
    /// Appends a new pair of each outbox: not the same one for the same document.
    fn entries(&self, index: &Index, _document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let text = index.text().ok_or_else(|| Error::internal("an inverted index without terms"))?;
        text.add_entries(key, |append| {
            entries.add(|bytes| {
                append(bytes);
                bytes.len()
            });
        });
        Ok(())
    }
}

/// The facts that only text indexes have.
impl Index {
    /// Returns the fields of an inverted index or a view's link; `None` for another index, or if an
    /// Analyzer cannot be opened.
    pub fn search_schema(&self) -> Option<&Arc<search::Schema>> {
        self.text.as_ref()?.schema().ok()
    }

    /// Returns the size and the progress of an inverted index or a view's link.
    pub fn text_statistics(&self) -> Option<TextIndexStatistics> {
        self.text.as_ref().map(|text| text.statistics())
    }

    /// Returns the number of the state in which queries see an inverted index or a view's link;
    /// `None` for another index.
    ///
    /// Each state that the indexer publishes has a greater number. A search saw the state with a
    /// number if the index has that number before and after it.
    pub fn search_state(&self) -> Option<u64> {
        self.text.as_ref().map(|text| text.state_number())
    }
}
