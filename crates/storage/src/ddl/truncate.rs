//! Truncation: the collection gets new, empty objects, and the old ones are deleted as ranges. So it costs the same for
//! ten documents as for ten million, is atomic, and readers with a snapshot go on.

use std::sync::Arc;

use catalog::ObjectId;

use crate::counters::{Counters, Totals};
use crate::{Collection, Index, Result, Store, deletion};

impl Store {
    /// Removes all documents. Waits for the collection's writers. (Within a transaction:
    /// [`crate::Transaction::truncate`].)
    ///
    /// Errors: 1203, 18, 1004.
    pub fn truncate(&self, collection: &Collection) -> Result<()> {
        let _guard = self.shared.exclude_writers(collection)?;
        let objects = self.shared.alter(|draft| {
            let present = draft.present(collection)?;
            let mut emptied = Collection::clone(&present);
            self.shared.renew_objects(&mut emptied)?;
            // The key generator goes on where it was, also after a crash.
            let key_value = present.keys.last_value();
            let totals = Totals { count: 0, revision: self.shared.clock.next(), key_value };
            emptied.counters = Arc::new(Counters::starting_with(emptied.object_id(), totals));
            draft.put_counters(emptied.object_id(), totals)?;
            draft.put_collection(emptied)?;
            let objects: Vec<ObjectId> = present.objects().collect();
            for object in &objects {
                draft.pend_deletion(*object)?;
            }
            Ok(objects)
        })?;
        deletion::finish(self.shared.engine.as_ref(), &objects)
    }
}

impl crate::store::Shared {
    /// Gives a collection and its indexes new numbers for their objects, which are empty.
    pub(crate) fn renew_objects(&self, collection: &mut Collection) -> Result<()> {
        let old = collection.definition.object_id;
        let new = ObjectId(self.ticks.next()?);
        collection.definition.object_id = new;
        for definition in &mut collection.definition.indexes {
            definition.object_id =
                if definition.object_id == old { new } else { ObjectId(self.ticks.next()?) };
        }
        let definitions = collection.definition.indexes.iter();
        let opened: Result<Vec<_>> =
            definitions.map(|index| Index::new(index.clone(), None).map(Arc::new)).collect();
        collection.indexes = opened?;
        Ok(())
    }
}
