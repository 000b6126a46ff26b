//! Inserts of documents.

use catalog::IndexType;
use errors::{Error, Result};
use velocypack::Slice;

use super::store_document::Old;
use super::{Operation, OverwriteMode, Transaction, WriteKind, WriteOptions, WriteOutcome};
use crate::base::error;
use crate::encoding::{self, change::ChangeKind};
use crate::ids::key_generator::GeneratedKey;
use crate::visibility::counters;
use crate::{Collection, Revision};

/// Maximum number of keys that are generated for one document, where other servers may have taken
/// some.
const GENERATED_KEYS_MAX: u32 = 100;

/// The key of a new document.
pub(super) enum NewKey {
    /// A key from the client.
    Given(GeneratedKey),
    /// A key from the collection's generator.
    Generated(GeneratedKey),
}

/// The outcome of storing a document under a key.
enum Stored {
    Done,
    /// Another document has the key.
    Taken(Error),
}

impl NewKey {
    pub(super) fn text(&self) -> &str {
        let (NewKey::Given(key) | NewKey::Generated(key)) = self;
        &key.key
    }
}

impl Transaction {
    /// Inserts a document. Generates a key if the body has no `_key`.
    ///
    /// Errors: 1200, 1210, 1216, 1221, 1222, 1227, 1233, 1620, 32; those of updates and
    /// replacements if the options ask for one.
    pub fn insert(
        &mut self,
        collection: &Collection,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        self.write(collection, |operation| operation.insert(body, options))
    }
}

impl Operation<'_> {
    pub(super) fn insert(&mut self, body: Slice<'_>, options: &WriteOptions) -> Result<WriteOutcome> {
        let (key, is_given) = self.assembler().key_for(body, options)?;
        if is_given
            && options.overwrite_mode != OverwriteMode::Conflict
            && let Some(old) = self.find(&key.key)?
        {
            return self.insert_over(&key.key, old, body, options);
        }
        let key = if is_given { NewKey::Given(key) } else { NewKey::Generated(key) };
        self.insert_with_key(key, false, body, options)
    }

    /// Inserts a document under a key. `is_free` means that a lookup in this transaction's
    /// snapshot did not find the key.
    pub(super) fn insert_with_key(
        &mut self,
        key: NewKey,
        is_free: bool,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        let (mut key, may_change) = match key {
            NewKey::Given(key) => (key, false),
            NewKey::Generated(key) => (key, self.collection.keys.may_collide()),
        };
        let mut bytes = std::mem::take(self.document);
        let (mut is_free, mut attempts) = (is_free, 0);
        let revision = loop {
            let revision = self.assembler().assemble_new(&key.key, body, options, &mut bytes)?;
            self.check_may_write(Slice::new(&bytes))?;
            match self.store_new(&key.key, is_free, &bytes)? {
                Stored::Done => break revision,
                Stored::Taken(_) if may_change && attempts < GENERATED_KEYS_MAX => {
                    key = self.another_key()?;
                    (is_free, attempts) = (false, attempts + 1);
                }
                Stored::Taken(error) => return Err(error),
            }
        };
        self.maintain_indexes(&key.key, None, Some(Slice::new(&bytes)))?;
        self.recorder.note_document(ChangeKind::Inserted, self.collection.origin(), Slice::new(&bytes), None);
        self.note_bytes(bytes.len());
        self.note_written(1, revision, key.value);
        let new = if options.return_new {
            self.new_document(bytes, true)
        } else {
            *self.document = bytes;
            None
        };
        Ok(WriteOutcome {
            key: key.key,
            revision,
            old_revision: None,
            old: None,
            new,
            kind: WriteKind::Inserted,
        })
    }

    /// Stores a document under a free key. If the key is known to be free, this only claims it and
    /// does not look it up again.
    fn store_new(&mut self, key: &str, is_free: bool, bytes: &[u8]) -> Result<Stored> {
        self.collection.longest_document.note(bytes.len());
        let document_key = encoding::document_key(self.collection.object_id(), key);
        if is_free {
            let stored = self.engine.put(&document_key, bytes);
            return stored.map(|()| Stored::Done).map_err(|error| self.explain(error, key));
        }
        match self.engine.insert_unique(&document_key, bytes) {
            Ok(()) => Ok(Stored::Done),
            Err(kv::Error::Exists) => {
                let old = self.find(key)?;
                Ok(Stored::Taken(self.key_taken(key, old.map(|old| old.revision))))
            }
            Err(error) => Err(self.explain(error, key)),
        }
    }

    /// Generates a key in place of one that another server's document has.
    fn another_key(&self) -> Result<GeneratedKey> {
        let Operation { core, collection, .. } = self;
        let snapshot = core.engine.snapshot()?;
        collection.keys.exceed_stored(counters::read(snapshot.as_ref(), collection.object_id())?.key_value);
        collection.keys.generate(&core.ids, &core.clock)
    }

    pub(super) fn key_taken(&self, key: &str, revision: Option<Revision>) -> Error {
        let primary = IndexType::Primary.name();
        error::unique_violation(primary, primary, "_key", self.conflicting(key, revision))
    }

    /// Handles an insert whose key exists already, as the options say.
    fn insert_over(
        &mut self,
        key: &str,
        old: Old,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<WriteOutcome> {
        if !self.is_shown(&old)? {
            return Err(self.key_taken(key, None));
        }
        if options.overwrite_mode != OverwriteMode::Ignore {
            self.check_may_write(old.slice())?;
        }
        match options.overwrite_mode {
            OverwriteMode::Conflict => Err(self.key_taken(key, Some(old.revision))),
            // ArangoDB returns neither the old nor a new document here.
            OverwriteMode::Ignore => Ok(WriteOutcome {
                key: key.to_owned(),
                revision: old.revision,
                old_revision: None,
                old: None,
                new: None,
                kind: WriteKind::Unchanged,
            }),
            OverwriteMode::Replace => {
                self.check_revision(key, old.revision, body, options)?;
                self.replace_old(key, old, body, options)
            }
            OverwriteMode::Update => {
                self.check_revision(key, old.revision, body, options)?;
                self.update_old(key, old, body, options)
            }
        }
    }
}
