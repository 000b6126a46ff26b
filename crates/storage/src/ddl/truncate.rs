//! Truncation: the collection gets new, empty objects, and the old ones are deleted as ranges. So
//! it is atomic, it costs the same for ten documents as for ten million, and readers with a
//! snapshot continue undisturbed.

use std::sync::Arc;

use catalog::ObjectId;
use errors::Result;

use crate::metrics::DocumentOperation;
use crate::visibility::counters::{Counters, Totals};
use crate::{Collection, Store};

impl Store {
    /// Removes all documents. Waits for the collection's writers. Within a transaction, use
    /// [`crate::Transaction::truncate`].
    ///
    /// Errors: 1203, 18, 1004.
    pub fn truncate(&self, collection: &Collection) -> Result<()> {
        let began = self.core.began();
        let _guard = self.core.exclude_writers(collection)?;
        let (present, objects) = self.core.alter(|draft| {
            let present = draft.present(collection)?;
            let mut emptied = Collection::clone(&present);
            let next = || Ok(ObjectId(self.core.ids.next()?));
            emptied.renew_objects(next, &self.core.options.search)?;
            // The key generator continues with its next value, even after a crash.
            let key_value = present.keys.last_value();
            let totals = Totals { count: 0, revision: self.core.clock.next(), key_value };
            emptied.counters =
                Arc::new(Counters::starting_with(emptied.object_id(), totals, &self.core.coordination));
            draft.put_counters(emptied.object_id(), totals)?;
            draft.put_collection(emptied)?;
            let objects: Vec<ObjectId> = present.objects().collect();
            for object in &objects {
                draft.pend_deletion(*object)?;
            }
            Ok((present, objects))
        })?;
        self.core.give_up(&objects, present.indexes());
        self.core.note_operations(DocumentOperation::Truncate, 1, began);
        Ok(())
    }
}
