//! Locks on documents that others must not change until the transaction ends, although it does not
//! change them itself. An example is the vertices of a new edge.

use errors::{ConflictingDocument, Error, Result};

use super::Transaction;
use crate::base::error;
use crate::{Collection, encoding};

impl Transaction {
    /// Locks documents, by collection and key, until the transaction ends, and returns which of
    /// them exist.
    ///
    /// A key without a document is locked as well, so that nobody else can insert one.
    ///
    /// A transaction that reads the latest state should lock everything that it needs in one call,
    /// before it reads.
    ///
    /// Errors: 1200 if another transaction holds one of them, 1203, 18.
    pub fn lock(&mut self, documents: &[(&Collection, &str)]) -> Result<Vec<bool>> {
        let mut keys = Vec::with_capacity(documents.len());
        for (collection, key) in documents {
            let position = self.join(collection)?;
            let object = self.joined.get(position).map(|joined| joined.collection.object_id());
            let object = object.ok_or_else(|| Error::internal("a joined collection was lost"))?;
            keys.push(encoding::document_key(object, key));
        }
        // Locking in key order prevents deadlocks between two transactions.
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|position| keys.get(*position));
        for position in order {
            let (Some(stored), Some((collection, key))) = (keys.get(position), documents.get(position))
            else {
                continue;
            };
            self.engine.lock(stored).map_err(|error| match error {
                kv::Error::Conflict => error::write_conflict(ConflictingDocument {
                    collection: collection.name().to_owned(),
                    key: (*key).to_owned(),
                    revision: None,
                }),
                other => other.into(),
            })?;
        }
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        Ok(self.engine.contains_many(&keys)?)
    }
}
