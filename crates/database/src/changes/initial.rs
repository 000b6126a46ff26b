//! The present documents before the changes of a feed.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use catalog::AccessLevel;
use errors::Result;
use storage::{BlockLimits, Collection, DocumentScan, DocumentScanSpec, Snapshot};

use super::Token;
use super::form::{self, ChangeForm};
use crate::session::Session;

/// Documents that one read takes at most.
const BLOCK: BlockLimits = BlockLimits { rows: 1_000, bytes: 256 << 10 };

/// The documents of a snapshot, collection by collection.
pub(super) struct Initial {
    snapshot: Snapshot,
    collections: VecDeque<Arc<Collection>>,
    scan: Option<(Arc<Collection>, DocumentScan)>,
}

impl Initial {
    /// Begins with the first of the wanted collections that the user may read, or of all that are
    /// no system collections.
    pub(super) fn new(
        session: &Session,
        snapshot: Snapshot,
        wanted: Option<&HashSet<String>>,
    ) -> Result<Self> {
        let catalog = Arc::clone(snapshot.catalog());
        let collections = session.database_in(&catalog)?.collections().filter(|collection| {
            let is_wanted = match wanted {
                Some(names) => names.contains(collection.name()),
                None => !collection.definition().properties.is_system,
            };
            is_wanted && session.require_collection(collection.name(), AccessLevel::ReadOnly).is_ok()
        });
        Ok(Initial { collections: collections.cloned().collect(), snapshot, scan: None })
    }

    /// Passes the next documents to `frame`, and returns how many there were; 0 after the last.
    pub(super) fn read(
        &mut self,
        session: &Session,
        form: ChangeForm,
        frame: &mut dyn FnMut(Option<Token>, &[u8]),
    ) -> Result<usize> {
        loop {
            let (collection, mut scan) = match self.scan.take() {
                Some(open) => open,
                None => {
                    let Some(collection) = self.collections.pop_front() else { return Ok(0) };
                    let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
                    let scan = self.snapshot.scan(&collection, &spec)?;
                    (collection, scan)
                }
            };
            session.require_collection(collection.name(), AccessLevel::ReadOnly)?;
            let Some(documents) = scan.next_block(BLOCK)? else { continue };
            scan.release();
            let (mut count, mut line) = (0, Vec::new());
            for document in documents.iter() {
                line.clear();
                form::write_present(form, session.database_name(), collection.name(), document, &mut line);
                frame(None, &line);
                count += 1;
            }
            self.scan = Some((collection, scan));
            if count > 0 {
                return Ok(count);
            }
        }
    }
}
