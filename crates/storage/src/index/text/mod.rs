//! The inverted index and the link of a view: their entries are an outbox of what was written, from
//! which segments are made ([`crate::search`]).

use velocypack::Slice;

use crate::index::entries::Entries;
use crate::index::{Index, IndexMethod};
use errors::{Error, Result};

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
