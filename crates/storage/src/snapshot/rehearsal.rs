//! Reads that are made early, in batches, where each would wait for a message.

use crate::snapshot::Snapshot;

impl Snapshot {
    /// Returns a view of the same state whose reads need no message when they are repeated
    /// ([`kv::Snapshot::rehearsal`]). They are not counted. `None` where reads do not wait.
    pub fn rehearsal(&self) -> Option<Snapshot> {
        let engine = self.engine.rehearsal()?;
        Some(Snapshot { engine, usage: None, document_times: None, ..self.clone() })
    }
}
