//! The replicated state of this member, and its publication.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use openraft::storage::RaftStateMachine;
use openraft::{EntryPayload, OptionalSend, RaftSnapshotBuilder, StorageIOError};
use tokio::sync::watch;
use tokio::time::Instant;

use super::peers::Peers;
use crate::codec::raft::snapshot;
use crate::journal::Journal;
use crate::leadership::Board;
use crate::state::{Outcome, State};
use crate::types::{Entry, LogId, Snapshot, SnapshotMeta, StorageError, StoredMembership, Types};

/// The state that this member has applied.
#[derive(Debug, Clone)]
pub(crate) struct Applied {
    /// The state.
    pub(crate) state: State,
    /// The moment at which this member applied the state's revision, or learned of it from a
    /// snapshot or from its journal. It is never before the renewal was sent.
    pub(crate) since: Instant,
}

/// The state machine as openraft sees it.
pub(crate) struct StateMachine {
    journal: Arc<Journal>,
    peers: Arc<Peers>,
    board: Arc<Board>,
    applied: watch::Sender<Applied>,
    state: State,
    last: Option<LogId>,
    membership: StoredMembership,
}

impl StateMachine {
    /// Restores the state from the snapshot of the journal.
    pub(crate) async fn restore(
        journal: Arc<Journal>,
        peers: Arc<Peers>,
        board: Arc<Board>,
    ) -> (StateMachine, watch::Receiver<Applied>) {
        let snapshot = journal.read(|contents| contents.snapshot.clone()).await;
        let (state, last, membership) = match snapshot {
            Some(kept) => (*kept.snapshot, kept.meta.last_log_id, kept.meta.last_membership),
            None => (State::default(), None, StoredMembership::default()),
        };
        let (applied, receiver) = watch::channel(Applied { state: state.clone(), since: Instant::now() });
        let machine = StateMachine { journal, peers, board, applied, state, last, membership };
        machine.publish();
        (machine, receiver)
    }

    fn publish(&self) {
        let seats: BTreeMap<_, _> = self.membership.nodes().collect();
        let leader = self.state.leader.map(|holder| {
            let seat = seats.get(&holder.member).copied().cloned().unwrap_or_default();
            self.peers.member(holder.member, &seat)
        });
        let is_self = self.state.leader == Some(self.peers.holder);
        self.board.note(self.state.epoch, leader, self.state.previous, is_self);
        self.applied.send_if_modified(|applied| {
            let changed = applied.state.revision != self.state.revision;
            if changed {
                *applied = Applied { state: self.state.clone(), since: Instant::now() };
            }
            changed
        });
    }

    fn apply_entry(&mut self, entry: Entry) -> Outcome {
        self.last = Some(entry.log_id);
        match entry.payload {
            EntryPayload::Blank => Outcome::Accepted,
            EntryPayload::Normal(command) => self.state.apply(&command),
            EntryPayload::Membership(membership) => {
                self.membership = StoredMembership::new(Some(entry.log_id), membership);
                Outcome::Accepted
            }
        }
    }
}

impl RaftStateMachine<Types> for StateMachine {
    type SnapshotBuilder = SnapshotBuilder;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, StoredMembership), StorageError> {
        Ok((self.last, self.membership.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<Outcome>, StorageError>
    where
        I: IntoIterator<Item = Entry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let outcomes = entries.into_iter().map(|entry| self.apply_entry(entry)).collect();
        self.publish();
        Ok(outcomes)
    }

    async fn get_snapshot_builder(&mut self) -> SnapshotBuilder {
        let snapshot = snapshot(self.last, self.membership.clone(), self.state.clone());
        SnapshotBuilder { journal: Arc::clone(&self.journal), snapshot }
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<State>, StorageError> {
        Ok(Box::default())
    }

    async fn install_snapshot(&mut self, meta: &SnapshotMeta, state: Box<State>) -> Result<(), StorageError> {
        let received = Snapshot { meta: meta.clone(), snapshot: state };
        self.journal.snapshot(received.clone()).await.map_err(|error| failed(&error))?;
        self.state = *received.snapshot;
        self.last = meta.last_log_id;
        self.membership = meta.last_membership.clone();
        self.publish();
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Result<Option<Snapshot>, StorageError> {
        Ok(self.journal.read(|contents| contents.snapshot.clone()).await)
    }
}

/// A snapshot that is about to be kept.
pub(crate) struct SnapshotBuilder {
    journal: Arc<Journal>,
    snapshot: Snapshot,
}

impl RaftSnapshotBuilder<Types> for SnapshotBuilder {
    async fn build_snapshot(&mut self) -> Result<Snapshot, StorageError> {
        self.journal.snapshot(self.snapshot.clone()).await.map_err(|error| failed(&error))?;
        Ok(self.snapshot.clone())
    }
}

fn failed(error: &io::Error) -> StorageError {
    StorageIOError::write_snapshot(None, error).into()
}
