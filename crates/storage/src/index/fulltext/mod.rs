//! The fulltext index: finds documents by the words of one attribute, a text or an array or object
//! of texts.

mod encoding;
mod scan;

use std::sync::Arc;

use catalog::index::{Search, TypeOptions};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::index::bounds::IndexRange;
use crate::index::entries::Entries;
use crate::index::scan::{EntryScan, ScanOptions, ScanSource};
use crate::index::{Index, IndexMethod, field};
use scan::WordScan;

/// Maximum number of words of one document, duplicates included: each takes an entry until the
/// duplicates are removed.
const WORDS_MAX: usize = 1 << 20;

pub(super) struct Fulltext;

impl IndexMethod for Fulltext {
    fn entries(&self, index: &Index, document: Slice<'_>, key: &str, entries: &mut Entries) -> Result<()> {
        let TypeOptions::Fulltext { min_length } = index.definition().properties.options else {
            return Ok(());
        };
        let Some(path) = index.fields().first() else { return Ok(()) };
        let min_length = usize::try_from(min_length).unwrap_or(usize::MAX);
        let object = index.definition().object_id;
        let mut words = 0;
        let mut add = |text: Slice<'_>| {
            let Some(text) = text.as_str() else { return Ok(()) };
            analyzers::for_each_word(
                text,
                min_length,
                || Ok(()),
                |found| {
                    words += 1;
                    if words > WORDS_MAX {
                        return Err(too_many());
                    }
                    entries.add(|bytes| encoding::write_key(object, found, key, bytes));
                    Ok(())
                },
            )
        };
        let value = field::value(document, &path.names);
        if value.is_array() {
            value.elements().try_for_each(&mut add)?;
        } else if value.is_object() {
            value.entries().try_for_each(|(_, member)| add(member))?;
        } else {
            add(value)?;
        }
        entries.sort();
        entries.deduplicate();
        Ok(())
    }

    fn open(
        &self,
        index: &Arc<Index>,
        source: ScanSource,
        ranges: Vec<IndexRange>,
        _options: &ScanOptions,
    ) -> Result<Box<dyn EntryScan>> {
        let search = ranges.into_iter().next().and_then(|range| range.search);
        let Some(Search::Words(query)) = search else {
            return Err(Error::internal("a scan of a fulltext index without a query"));
        };
        let object = index.definition().object_id;
        Ok(Box::new(WordScan::new(source, object, query.as_str().unwrap_or_default())?))
    }
}

fn too_many() -> Error {
    let message = format!("resource limit exceeded: a document has more than {WORDS_MAX} words in one index");
    Error::new(ErrorCode::ResourceLimit, message)
}
