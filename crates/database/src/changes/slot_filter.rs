//! The changes of some slots of a subscription.

use storage::Change;
use twox_hash::XxHash64;
use velocypack::Slice;

use crate::state::subscriptions::{SLOTS, Share};

/// The seed of the hash. It is part of the storage format, as is the hash.
const SEED: u64 = 0;

/// A filter for the changes of some slots, each from a position of its own.
pub(crate) struct SlotFilter(pub(crate) Share);

impl SlotFilter {
    /// Returns true for a change of one of the slots that lies behind the slot's position.
    pub(super) fn includes(&self, change: &Change<'_>) -> bool {
        self.0.0[slot_of(change)].is_some_and(|after| change.position > after)
    }
}

/// Returns the slot of a change: that of its key; the first one for a change without a key.
fn slot_of(change: &Change<'_>) -> usize {
    let key = match change.kind.is_of_document() {
        true => change.document.get("_key").and_then(Slice::as_str),
        false => None,
    };
    let (Some(key), Some(collection)) = (key, change.collection) else { return 0 };
    let mut bytes = collection.id.0.to_be_bytes().to_vec();
    bytes.extend_from_slice(key.as_bytes());
    (XxHash64::oneshot(SEED, &bytes) % SLOTS as u64) as usize
}
