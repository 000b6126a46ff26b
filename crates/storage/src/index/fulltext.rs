//! The fulltext index: documents by the words of one attribute, a text or an array or object of texts.

use catalog::index::TypeOptions;
use velocypack::Slice;

use super::entries::Entries;
use super::{Index, Method, field};
use crate::encoding::word;
use crate::{Error, Result};

/// Most words of one document, counted as often as they come: each costs an entry until they are told apart.
const WORDS_MAX: usize = 1 << 20;

pub(super) struct Fulltext;

impl Method for Fulltext {
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
                    entries.add(|bytes| word::write_key(object, found, key, bytes));
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

    fn is_estimated(&self, _index: &Index) -> bool {
        false
    }
}

fn too_many() -> Error {
    let message = format!("resource limit exceeded: a document has more than {WORDS_MAX} words in one index");
    Error::new(catalog::error_number::RESOURCE_LIMIT, message)
}
