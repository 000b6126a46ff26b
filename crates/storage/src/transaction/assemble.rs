//! Assembly of a document's stored form: key, revision, system attributes, computed values, checks.

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use super::WriteOptions;
use super::system_attributes::{FromTo, from_to, given_key, invalid_type, restored_revision};
use crate::base::computed_values::ComputeEvent;
use crate::base::error;
use crate::ids::key_generator::{GeneratedKey, KeyBlock};
use crate::store_core::StoreCore;
use crate::{Collection, Revision};

/// Maximum size in bytes of a stored document.
///
/// ArangoDB limits request bodies and transactions instead. This bound keeps every document well
/// within a block of a scan (4 GiB) and a pair of the engine (1 GiB).
pub const DOCUMENT_MAX_BYTES: usize = 512 << 20;

/// An assembler of documents for one collection.
#[derive(Clone, Copy)]
pub(super) struct Assembler<'a> {
    pub(super) core: &'a StoreCore,
    pub(super) collection: &'a Collection,
}

/// The parts of a document.
pub(super) struct NewDocument<'a> {
    pub(super) key: &'a str,
    pub(super) revision: Revision,
    pub(super) from_to: Option<FromTo<'a>>,
    pub(super) body: Slice<'a>,
    pub(super) event: ComputeEvent,
    pub(super) options: &'a WriteOptions,
}

impl Assembler<'_> {
    /// Returns the key of a new document. The flag is true if the client gave the key.
    ///
    /// Errors: 1227, 1221, 1222, 1225.
    pub(super) fn key_for(self, body: Slice<'_>, options: &WriteOptions) -> Result<(GeneratedKey, bool)> {
        match self.given_key(body, options)? {
            Some((key, value)) => Ok((GeneratedKey { key: key.to_owned(), value }, true)),
            None => Ok((self.collection.keys.generate(&self.core.ids, &self.core.clock)?, false)),
        }
    }

    /// Returns the key that the client gave for a new document, and its numeric value for the key
    /// generator.
    fn given_key<'b>(self, body: Slice<'b>, options: &WriteOptions) -> Result<Option<(&'b str, u64)>> {
        if !body.is_object() {
            return Err(invalid_type());
        }
        let keys = &self.collection.keys;
        let allowed = self.collection.definition.properties.key_options.allow_user_keys || options.is_restore;
        let key = given_key(body, allowed)?;
        if key.is_some_and(|key| !options.is_restore && !keys.accepts(key)) {
            return Err(Error::of(ErrorCode::DocumentKeyBad));
        }
        Ok(key.map(|key| (key, keys.observe(key))))
    }

    /// Returns the revision of the document that is about to be written.
    pub(super) fn new_revision(self, body: Slice<'_>, options: &WriteOptions) -> Revision {
        match restored_revision(body).filter(|_| options.is_restore) {
            Some(revision) => {
                self.core.clock.receive(revision);
                revision
            }
            None => self.core.clock.next(),
        }
    }

    /// Writes the stored form of a new document into `bytes`, and returns its revision.
    ///
    /// Errors: 1233 and those of [`Assembler::assemble`].
    pub(super) fn assemble_new(
        self,
        key: &str,
        body: Slice<'_>,
        options: &WriteOptions,
        bytes: &mut Vec<u8>,
    ) -> Result<Revision> {
        let from_to = if self.collection.is_edge() { Some(from_to(body)?) } else { None };
        let revision = self.new_revision(body, options);
        let event = ComputeEvent::Insert;
        self.assemble(&NewDocument { key, revision, from_to, body, event, options }, None, bytes)?;
        Ok(revision)
    }

    /// Assembles the stored form of a document: system attributes, the body's attributes, computed
    /// values. Checks it against the schema.
    ///
    /// Errors: 1216, 1620, those of computed values.
    pub(super) fn assemble(
        self,
        new: &NewDocument<'_>,
        old: Option<Slice<'_>>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let revision = new.revision.to_text();
        bytes.clear();
        velocypack::document(new.key, revision.as_str(), new.from_to, new.body, bytes)
            .map_err(error::unfit_document)?;
        let owner = new.options.owner.as_ref();
        if !new.options.is_restore {
            if let Some(computed) = &self.collection.computed_values
                && computed.applies_to(new.event)
                && let Some(body) =
                    computed.compute(new.event, Slice::new(bytes), self.collection.name(), owner)?
            {
                bytes.clear();
                velocypack::document(new.key, revision.as_str(), new.from_to, Slice::new(&body), bytes)
                    .map_err(error::unfit_document)?;
            }
            if let Some(schema) = self.collection.schema.as_ref().filter(|_| !new.options.skip_validation) {
                schema.check_write(Slice::new(bytes), old, owner)?;
            }
        }
        if bytes.len() > DOCUMENT_MAX_BYTES {
            let message = format!(
                "document too large: {} bytes, at most {DOCUMENT_MAX_BYTES} are allowed",
                bytes.len()
            );
            return Err(Error::new(ErrorCode::DocumentTooLarge, message));
        }
        Ok(())
    }
}

/// A new document in its stored form, outside of any transaction. It reuses its memory from one
/// document to the next.
#[derive(Default)]
pub(crate) struct AssembledDocument {
    pub(crate) key: GeneratedKey,
    pub(crate) revision: Revision,
    pub(crate) bytes: Vec<u8>,
    /// Reserved values, so that generated keys of consecutive documents are adjacent.
    keys: KeyBlock,
}

impl AssembledDocument {
    /// Assembles the next document.
    ///
    /// Errors: 1216, 1221, 1222, 1225, 1227, 1233, 1620, those of computed values.
    pub(crate) fn assemble(
        &mut self,
        core: &StoreCore,
        collection: &Collection,
        body: Slice<'_>,
        options: &WriteOptions,
    ) -> Result<()> {
        let assembler = Assembler { core, collection };
        match assembler.given_key(body, options)? {
            Some((key, value)) => {
                self.key.key.clear();
                self.key.key.push_str(key);
                self.key.value = value;
            }
            None => self.key = collection.keys.generate_in(&mut self.keys, &core.ids, &core.clock)?,
        }
        self.revision = assembler.assemble_new(&self.key.key, body, options, &mut self.bytes)?;
        Ok(())
    }
}
