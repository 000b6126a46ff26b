//! Many documents in one call. An error of one document leaves the effects of the others in place.

use std::collections::HashSet;

use errors::Result;
use velocypack::Slice;

use super::insert::NewKey;
use super::{Operation, OverwriteMode, Transaction, WriteOptions, WriteOutcome, document_key};
use crate::Collection;
use crate::encoding;

/// Documents whose keys are looked up in one batch.
const CHUNK_DOCUMENTS: usize = 1000;

impl Transaction {
    /// Inserts documents, and returns one result for each, in order. Looks the keys up in batches.
    ///
    /// Errors: only those that concern the whole collection (1203, 18, 1200 after a truncation).
    pub fn insert_many(
        &mut self,
        collection: &Collection,
        bodies: &[Slice<'_>],
        options: &WriteOptions,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        self.join(collection)?;
        let mut outcomes = Vec::with_capacity(bodies.len());
        for chunk in bodies.chunks(CHUNK_DOCUMENTS) {
            self.insert_chunk(collection, chunk, options, &mut outcomes)?;
        }
        Ok(outcomes)
    }

    /// Updates documents; each patch names its document by `_key` or `_id`.
    ///
    /// Errors: as [`Transaction::insert_many`].
    pub fn update_many(
        &mut self,
        collection: &Collection,
        patches: &[Slice<'_>],
        options: &WriteOptions,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        self.for_each(collection, patches, |transaction, key, patch| {
            transaction.update(collection, key, patch, options)
        })
    }

    /// Replaces documents; each body names its document by `_key` or `_id`.
    ///
    /// Errors: as [`Transaction::insert_many`].
    pub fn replace_many(
        &mut self,
        collection: &Collection,
        bodies: &[Slice<'_>],
        options: &WriteOptions,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        self.for_each(collection, bodies, |transaction, key, body| {
            transaction.replace(collection, key, body, options)
        })
    }

    /// Removes documents; each selector is a key, an identifier, or an object with `_key` or `_id`.
    ///
    /// Errors: as [`Transaction::insert_many`].
    pub fn remove_many(
        &mut self,
        collection: &Collection,
        selectors: &[Slice<'_>],
        options: &WriteOptions,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        self.for_each(collection, selectors, |transaction, key, selector| {
            transaction.remove(collection, key, selector, options)
        })
    }

    fn for_each(
        &mut self,
        collection: &Collection,
        bodies: &[Slice<'_>],
        mut write: impl FnMut(&mut Transaction, &str, Slice<'_>) -> Result<WriteOutcome>,
    ) -> Result<Vec<Result<WriteOutcome>>> {
        self.join(collection)?;
        let name = collection.name();
        let mut outcomes = Vec::with_capacity(bodies.len());
        for chunk in bodies.chunks(CHUNK_DOCUMENTS) {
            let keys: Vec<Result<&str>> = chunk.iter().map(|body| document_key(*body, name)).collect();
            let named = keys.iter().zip(chunk).filter_map(|(key, body)| Some((*key.as_ref().ok()?, *body)));
            self.prefetch(collection, &named.collect::<Vec<_>>())?;
            let written = keys.into_iter().zip(chunk).map(|(key, body)| write(self, key?, *body));
            outcomes.extend(written);
        }
        Ok(outcomes)
    }

    fn insert_chunk(
        &mut self,
        collection: &Collection,
        bodies: &[Slice<'_>],
        options: &WriteOptions,
        outcomes: &mut Vec<Result<WriteOutcome>>,
    ) -> Result<()> {
        let keys: Vec<Result<NewKey>> = self.operate(collection, |operation| {
            Ok(bodies
                .iter()
                .map(|body| {
                    let (key, is_given) = operation.assembler().key_for(*body, options)?;
                    Ok(if is_given { NewKey::Given(key) } else { NewKey::Generated(key) })
                })
                .collect())
        })?;
        let are_free = self.operate(collection, |operation| {
            operation.prefetch_new(&keys, bodies)?;
            operation.are_free(&keys)
        })?;
        for ((key, is_free), body) in keys.into_iter().zip(are_free).zip(bodies) {
            let outcome = match key {
                // A document that has the key is overwritten.
                Ok(_) if !is_free && options.overwrite_mode != OverwriteMode::Conflict => {
                    self.insert(collection, *body, options)
                }
                Ok(key) => self
                    .write(collection, |operation| operation.insert_with_key(key, is_free, *body, options)),
                Err(error) => Err(error),
            };
            outcomes.push(outcome);
        }
        Ok(())
    }
}

impl Operation<'_> {
    /// Checks for each key that no document and no earlier key in the list has it.
    fn are_free(&mut self, keys: &[Result<NewKey>]) -> Result<Vec<bool>> {
        let object = self.collection.object_id();
        let texts = || keys.iter().map(|key| key.as_ref().map_or("", NewKey::text));
        let mut bytes = Vec::with_capacity(texts().map(|key| encoding::OBJECT_ID_BYTES + key.len()).sum());
        let mut ends = Vec::with_capacity(keys.len());
        for key in texts() {
            encoding::append_document_key(object, key, &mut bytes);
            ends.push(bytes.len());
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let document_keys: Vec<&[u8]> =
            starts.zip(&ends).map(|(start, end)| bytes.get(start..*end).unwrap_or_default()).collect();
        let taken = self.engine.contains_many(&document_keys)?;
        let mut seen = HashSet::with_capacity(keys.len());
        Ok(texts().zip(taken).map(|(key, is_taken)| seen.insert(key) && !is_taken).collect())
    }
}
