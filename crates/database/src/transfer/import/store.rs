//! Storing chunks of documents: loaded if all of them are new, otherwise inserted in transactions.

use errors::Result;
use storage::{
    Durability, LoadOutcome, OverwriteMode, TransactionOptions, WaitPolicy, WriteKind, WriteOutcome,
};
use velocypack::Slice;

use super::{Import, quoted};
use crate::transaction::Writer;

/// Bytes of a stored document beyond the sent one: its key twice, and its revision.
const LOAD_ROOM_BYTES: usize = 48;

impl Import<'_> {
    /// Empties the collection. With `complete` this is a part of the transaction, so a failure
    /// keeps the old documents.
    pub(super) fn empty_collection(&mut self) -> Result<()> {
        self.session.require_unrestricted(&self.collection, "a truncation")?;
        if !self.request.complete {
            return self.session.truncate_collection(self.collection.name()).map(|_| ());
        }
        let mut writer = self.begin()?;
        self.session.truncate_within(&mut writer, &self.collection)?;
        self.writer = Some(writer);
        Ok(())
    }

    fn begin(&self) -> Result<Writer> {
        let options = TransactionOptions::single_operation(&self.collection);
        self.session.begin_write(&options, [&self.collection], self.session.interrupt())
    }

    pub(super) fn store(&mut self) -> Result<()> {
        let bytes = std::mem::take(&mut self.chunk);
        let documents = std::mem::take(&mut self.documents);
        let prefixed: Vec<Option<Vec<u8>>> = match &self.prefixes {
            None => vec![None; documents.len()],
            Some(prefixes) => documents
                .iter()
                .map(|start| prefixes.apply(slice_at(&bytes, *start)))
                .collect::<Result<_>>()?,
        };
        let bodies: Vec<Slice<'_>> = documents
            .iter()
            .zip(&prefixed)
            .map(|(start, prefixed)| prefixed.as_deref().map_or_else(|| slice_at(&bytes, *start), Slice::new))
            .collect();
        if !self.load(&bodies)? {
            self.insert(&bodies)?;
        }
        self.stored += documents.len() as u64;
        // The buffer is used again for the next chunk.
        self.chunk = bytes;
        self.chunk.clear();
        Ok(())
    }

    /// Loads a chunk.
    ///
    /// Returns false if that is impossible, and nothing was stored: a document is invalid or its
    /// key is taken, or a transaction is writing the collection.
    fn load(&mut self, bodies: &[Slice<'_>]) -> Result<bool> {
        if !self.may_load {
            return Ok(false);
        }
        let store = self.session.instance().store();
        self.collection.wait_for_text_indexes(true, &|| self.session.check_interrupt())?;
        let load = store.load_documents(&self.collection, &self.options, WaitPolicy::NoWait)?;
        let Some(mut load) = load else {
            self.may_load = false;
            return Ok(false);
        };
        load.reserve(bodies.iter().map(|body| body.byte_len() + LOAD_ROOM_BYTES).sum());
        if bodies.iter().any(|body| load.add(*body).is_err()) || load.finish()? != LoadOutcome::Loaded {
            return Ok(false);
        }
        if self.request.durability == Durability::Synced {
            store.sync()?;
        }
        if let Some(usage) = self.session.usage_of(&self.collection) {
            usage.writes.increment();
            usage.written_bytes.add(bodies.iter().map(|body| body.byte_len() as u64).sum());
        }
        self.outcome.created += bodies.len() as u64;
        Ok(true)
    }

    fn insert(&mut self, bodies: &[Slice<'_>]) -> Result<()> {
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.begin()?,
        };
        let outcomes = writer.transaction()?.insert_many(&self.collection, bodies, &self.options)?;
        // Writes whose computations were ended have failed one by one.
        self.options.check_owner()?;
        self.count(outcomes, bodies)?;
        if self.request.complete {
            self.writer = Some(writer);
            return Ok(());
        }
        writer.finish(self.request.durability)
    }

    fn count(&mut self, outcomes: Vec<Result<WriteOutcome>>, bodies: &[Slice<'_>]) -> Result<()> {
        // ArangoDB's messages count well-formed documents from 0 and all others from 1.
        for (position, (outcome, body)) in (self.stored..).zip(outcomes.into_iter().zip(bodies)) {
            match outcome {
                Ok(outcome) => match outcome.kind {
                    WriteKind::Inserted => self.outcome.created += 1,
                    WriteKind::Updated | WriteKind::Replaced => self.outcome.updated += 1,
                    // An update without a change counts as one, as ArangoDB counts it.
                    WriteKind::Unchanged if self.options.overwrite_mode == OverwriteMode::Update => {
                        self.outcome.updated += 1;
                    }
                    WriteKind::Removed | WriteKind::Unchanged => self.outcome.ignored += 1,
                },
                Err(error) => {
                    let (what, document) = (error.message(), quoted(*body));
                    let message = format!(
                        "creating document failed with error '{what}', offending document: {document}"
                    );
                    self.reject(position, error.code(), &message)?;
                }
            }
        }
        Ok(())
    }
}

fn slice_at(bytes: &[u8], start: usize) -> Slice<'_> {
    bytes.get(start..).map_or(Slice::NULL, Slice::new)
}
