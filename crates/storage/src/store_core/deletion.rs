//! Deletion of objects that nothing owns any longer.
//!
//! The change of definitions that abandons an object records it as pending. The object's keys are
//! deleted next, and then the record. After a crash in between, the store finishes the deletion
//! when it opens. Where several servers share a store, the record names the server that made it,
//! and another one finishes its deletions once it is gone.

use catalog::ObjectId;
use errors::{Error, Result};
use kv::{Durability, Engine, KeyRange, Member, TransactionOptions};

use crate::catalog_snapshot::metadata::for_each;
use crate::encoding::metadata::{
    Kind, counter_range, estimate_key, kind_range, object_of_pending_deletion, pending_deletion_key,
};
use crate::encoding::{object_range, pack};

/// Deletes objects that are recorded as pending.
pub(crate) fn finish(engine: &dyn Engine, objects: &[ObjectId]) -> Result<()> {
    if objects.is_empty() {
        return Ok(());
    }
    for object in objects {
        engine.drop_range(&object_range(*object))?;
        engine.drop_range(&counter_range(*object))?;
        engine.drop_range(&KeyRange::single(&estimate_key(*object)))?;
    }
    let mut transaction = engine.begin(TransactionOptions::default())?;
    for object in objects {
        transaction.delete(&pending_deletion_key(*object))?;
    }
    Ok(transaction.commit(Durability::Buffered)?)
}

/// Deletes objects that a change of definitions has given up, which are recorded as pending.
///
/// The change took place, so a failure is not one of the change. The record stays then, and the
/// next start deletes them.
pub(crate) fn finish_or_leave(engine: &dyn Engine, objects: &[ObjectId]) {
    let _ = finish(engine, objects);
}

/// Deletes the objects that servers have recorded as pending which are not among `living`.
pub(crate) fn finish_abandoned(engine: &dyn Engine, living: &[Member]) -> Result<()> {
    let mut objects = Vec::new();
    for_each(engine.snapshot()?.as_ref(), kind_range(Kind::PendingDeletion), |key, value| {
        // A record of a time when only one server could use the store has no owner.
        let owner = pack::read_all_numbers(value)?;
        let is_owner =
            |member: &Member| owner.as_slice() == [u64::from(member.number), member.identity].as_slice();
        if !living.iter().any(is_owner) {
            let object = object_of_pending_deletion(key);
            objects.push(object.ok_or_else(|| Error::corrupt("a pending deletion has an illegal key"))?);
        }
        Ok(())
    })?;
    finish(engine, &objects)
}

/// Deletes all objects that are recorded as pending.
pub(crate) fn finish_all(engine: &dyn Engine) -> Result<()> {
    let mut objects = Vec::new();
    for_each(engine.snapshot()?.as_ref(), kind_range(Kind::PendingDeletion), |key, _| {
        let object = object_of_pending_deletion(key);
        objects.push(object.ok_or_else(|| Error::corrupt("a pending deletion has an illegal key"))?);
        Ok(())
    })?;
    finish(engine, &objects)
}
