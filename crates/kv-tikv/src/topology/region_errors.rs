//! The errors of messages to regions: their kinds, what the client does about each, and counts.

use std::sync::atomic::{AtomicU64, Ordering};

use kv::Error as Failure;

use crate::protocol::region::Error;

/// The reaction to a kind of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// The region, its leader or its store is elsewhere: correct what is known, and send again.
    Find,
    /// The store cannot act now: send again after a pause.
    Wait,
    /// Every attempt would fail: give up.
    GiveUp,
}

/// One kind of errors.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The name in the engine's statistics.
    name: &'static str,
    is_present: fn(&Error) -> bool,
    pub(crate) remedy: Remedy,
    /// The store may have acted on the message, or may still do so.
    pub(crate) may_have_acted: bool,
}

const fn kind(name: &'static str, is_present: fn(&Error) -> bool, remedy: Remedy) -> Kind {
    Kind { name, is_present, remedy, may_have_acted: false }
}

const fn unclear(name: &'static str, is_present: fn(&Error) -> bool, remedy: Remedy) -> Kind {
    Kind { name, is_present, remedy, may_have_acted: true }
}

/// The kinds, as `errorpb.proto` of kvproto lists them. An error has the first one that is present.
/// One without a field of its own has a text only; a proposal that timed out is among those.
static KINDS: [Kind; 22] = [
    kind("not-leader", |error| error.not_leader.is_some(), Remedy::Find),
    // A proposal of a region that has left the store may be applied elsewhere.
    unclear("region-not-found", |error| error.region_not_found.is_some(), Remedy::Find),
    kind("key-not-in-region", |error| error.key_not_in_region.is_some(), Remedy::Find),
    kind("epoch-not-match", |error| error.epoch_not_match.is_some(), Remedy::Find),
    kind("server-is-busy", |error| error.server_is_busy.is_some(), Remedy::Wait),
    unclear("stale-command", |error| error.stale_command.is_some(), Remedy::Wait),
    kind("store-not-match", |error| error.store_not_match.is_some(), Remedy::Find),
    kind("raft-entry-too-large", |error| error.raft_entry_too_large.is_some(), Remedy::GiveUp),
    kind("max-timestamp-not-synced", |error| error.max_timestamp_not_synced.is_some(), Remedy::Wait),
    kind("read-index-not-ready", |error| error.read_index_not_ready.is_some(), Remedy::Wait),
    kind("proposal-in-merging-mode", |error| error.proposal_in_merging_mode.is_some(), Remedy::Wait),
    kind("data-is-not-ready", |error| error.data_is_not_ready.is_some(), Remedy::Wait),
    kind("region-not-initialized", |error| error.region_not_initialized.is_some(), Remedy::Find),
    kind("disk-full", |error| error.disk_full.is_some(), Remedy::GiveUp),
    kind("recovery-in-progress", |error| error.recovery_in_progress.is_some(), Remedy::Wait),
    kind("flashback-in-progress", |error| error.flashback_in_progress.is_some(), Remedy::GiveUp),
    kind("flashback-not-prepared", |error| error.flashback_not_prepared.is_some(), Remedy::GiveUp),
    kind("is-witness", |error| error.is_witness.is_some(), Remedy::Find),
    kind("mismatch-peer-id", |error| error.mismatch_peer_id.is_some(), Remedy::Find),
    kind("bucket-version-not-match", |error| error.bucket_version_not_match.is_some(), Remedy::Find),
    unclear("undetermined-result", |error| error.undetermined_result.is_some(), Remedy::Find),
    unclear("other", |_| true, Remedy::Find),
];

/// Returns the failure of an operation that such an error ends. The message has `message_bytes`.
pub(crate) fn failure(error: &Error, message_bytes: usize) -> Failure {
    match &error.disk_full {
        Some(full) => Failure::Full { reason: format!("a TiKV store: {} {}", error.message, full.reason) },
        None if error.raft_entry_too_large.is_some() => Failure::TooLarge { limit_bytes: message_bytes },
        None => {
            Failure::Io { action: "an operation of a TiKV store".to_owned(), reason: error.message.clone() }
        }
    }
}

/// The counts of errors by kind.
#[derive(Debug, Default)]
pub(crate) struct RegionErrors([AtomicU64; KINDS.len()]);

impl RegionErrors {
    /// Counts an error, and returns its kind.
    pub(crate) fn count(&self, error: &Error) -> Option<&'static Kind> {
        let mut kinds = KINDS.iter().zip(&self.0);
        let (kind, counter) = kinds.find(|(kind, _)| (kind.is_present)(error))?;
        counter.fetch_add(1, Ordering::Relaxed);
        Some(kind)
    }

    /// Returns the counts under their names in the engine's statistics.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (String, u64)> {
        let counts = self.0.iter().map(|counter| counter.load(Ordering::Relaxed));
        KINDS.iter().map(|kind| format!("tikv.region-errors-{}", kind.name)).zip(counts)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    /// Makes an error in which only the field with this number is set.
    fn error(field: u8) -> Error {
        // The key of a field with a length, in two bytes from number 16 on; the length is 0.
        let key = u32::from(field) << 3 | 2;
        let bytes = if key < 128 { vec![key as u8, 0] } else { vec![key as u8 | 128, (key >> 7) as u8, 0] };
        Error::decode(bytes.as_slice()).unwrap()
    }

    /// Every field has its kind, by its number in the protocol. An error of a newer store, with a
    /// field that is not known here, is tried again.
    #[test]
    fn every_field_has_a_kind() {
        use Remedy::{Find, GiveUp, Wait};
        for (field, name, remedy, may_have_acted) in [
            (2, "not-leader", Find, false),
            (3, "region-not-found", Find, true),
            (4, "key-not-in-region", Find, false),
            (5, "epoch-not-match", Find, false),
            (6, "server-is-busy", Wait, false),
            (7, "stale-command", Wait, true),
            (8, "store-not-match", Find, false),
            (9, "raft-entry-too-large", GiveUp, false),
            (10, "max-timestamp-not-synced", Wait, false),
            (11, "read-index-not-ready", Wait, false),
            (12, "proposal-in-merging-mode", Wait, false),
            (13, "data-is-not-ready", Wait, false),
            (14, "region-not-initialized", Find, false),
            (15, "disk-full", GiveUp, false),
            (16, "recovery-in-progress", Wait, false),
            (17, "flashback-in-progress", GiveUp, false),
            (18, "flashback-not-prepared", GiveUp, false),
            (19, "is-witness", Find, false),
            (20, "mismatch-peer-id", Find, false),
            (21, "bucket-version-not-match", Find, false),
            (22, "undetermined-result", Find, true),
            (99, "other", Find, true),
        ] {
            let errors = RegionErrors::default();
            let kind = errors.count(&error(field)).unwrap();
            assert_eq!((kind.name, kind.remedy, kind.may_have_acted), (name, remedy, may_have_acted));
            let counted = errors.counters().find(|(_, count)| *count > 0);
            assert_eq!(counted, Some((format!("tikv.region-errors-{name}"), 1)));
        }
    }

    #[test]
    fn errors_that_stay_say_why() {
        assert!(matches!(failure(&error(15), 9), Failure::Full { .. }));
        assert_eq!(failure(&error(9), 9), Failure::TooLarge { limit_bytes: 9 });
        for field in [15, 9, 17, 18] {
            assert!(!failure(&error(field), 9).is_retryable());
        }
    }
}
