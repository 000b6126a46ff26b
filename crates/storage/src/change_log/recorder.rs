//! The entries of a transaction that has not committed.

use std::sync::Arc;

use velocypack::Slice;

use super::is_left_out;
use crate::Revision;
use crate::encoding::change::{ChangeBuffer, ChangeKind, ChangeSavepoint, Origin};

/// The notes of a transaction for the change log.
pub(crate) enum Recorder {
    /// The log is not written. The token says that the transaction has not ended: the log begins
    /// after it.
    Off { _unlogged: Option<Arc<()>> },
    /// The entries so far.
    On { entries: ChangeBuffer, keeps_old: bool },
}

/// A state of a recorder to which it can return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecorderSavepoint(Option<ChangeSavepoint>);

impl Recorder {
    /// Returns the bytes of memory that the entries take.
    pub(crate) fn memory_bytes(&self) -> usize {
        match self {
            Recorder::Off { .. } => 0,
            Recorder::On { entries, .. } => entries.memory_bytes(),
        }
    }

    /// Notes the present version of a document.
    pub(crate) fn note_document(
        &mut self,
        kind: ChangeKind,
        origin: Origin<'_>,
        document: Slice<'_>,
        old: Option<Slice<'_>>,
    ) {
        if let Recorder::On { entries, keeps_old } = self
            && !is_left_out(origin.name)
        {
            entries.add_document(kind, origin, document, old.filter(|_| *keeps_old));
        }
    }

    /// Notes a removal.
    ///
    /// Errors: 4 if the key is no text.
    pub(crate) fn note_removal(
        &mut self,
        origin: Origin<'_>,
        key: &str,
        revision: Revision,
        old: Slice<'_>,
    ) -> errors::Result<()> {
        match self {
            Recorder::Off { .. } => Ok(()),
            Recorder::On { .. } if is_left_out(origin.name) => Ok(()),
            Recorder::On { entries, keeps_old } => {
                entries.add_removal(origin, key, revision, Some(old).filter(|_| *keeps_old))
            }
        }
    }

    pub(crate) fn savepoint(&self) -> RecorderSavepoint {
        RecorderSavepoint(match self {
            Recorder::Off { .. } => None,
            Recorder::On { entries, .. } => Some(entries.savepoint()),
        })
    }

    pub(crate) fn rollback_to(&mut self, savepoint: RecorderSavepoint) {
        if let (Recorder::On { entries, .. }, Some(savepoint)) = (self, savepoint.0) {
            entries.rollback_to(savepoint);
        }
    }

    /// Takes the entries. The token, if there is one, stays until the recorder is dropped.
    pub(crate) fn take(&mut self) -> ChangeBuffer {
        match self {
            Recorder::Off { .. } => ChangeBuffer::default(),
            Recorder::On { entries, .. } => std::mem::take(entries),
        }
    }
}
