//! A running member: Raft, and the tasks that keep, appoint and hand over the leadership.

mod found;
mod propose;
mod renew;
mod appoint;
mod hand_over;
mod members;
mod receive;

pub(crate) use members::check;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use openraft::{Config, SnapshotPolicy};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::host::Host;
use crate::journal::{Disk, Journal};
use crate::leadership::Board;
use crate::member::{Holder, Member, Seat};
use crate::raft::{Applied, LogStore, Network, Peers, StateMachine};
use crate::state::Command;
use crate::timing::Timing;
use crate::types::{Membership, Metrics, Raft};

/// The number of entries after which a snapshot takes their place.
const ENTRIES_A_SNAPSHOT: u64 = 512;
/// The number of entries that stay for members which lag.
const ENTRIES_KEPT: u64 = 64;
/// The greatest number of entries in a message.
const ENTRIES_A_MESSAGE: u64 = 64;

/// The parts that a member is started with.
pub(crate) struct Setup {
    /// The id of this member.
    pub(crate) own: u64,
    /// The members of the configuration.
    pub(crate) members: BTreeMap<u64, Member>,
    /// The durations.
    pub(crate) timing: Timing,
    /// Where the journal is.
    pub(crate) disk: Arc<dyn Disk>,
    /// The transport and the data.
    pub(crate) host: Arc<dyn Host>,
    /// A random number for this run.
    pub(crate) run: u64,
    /// A random number for the folder, if it is new.
    pub(crate) folder: u64,
}

/// A running member.
pub(crate) struct Node {
    peers: Arc<Peers>,
    timing: Timing,
    raft: Raft,
    metrics: watch::Receiver<Metrics>,
    applied: watch::Receiver<Applied>,
    board: Arc<Board>,
    journal: Arc<Journal>,
    /// Held during a handover and a change of members, of which one runs at a time.
    busy: Mutex<()>,
    tasks: StdMutex<JoinSet<()>>,
}

impl Node {
    /// Opens the journal and starts all tasks. Errors: damage, a foreign folder, a failing disk.
    pub(crate) async fn start(setup: Setup) -> Result<Arc<Node>> {
        let Setup { own, members, timing, disk, host, run, folder } = setup;
        let journal = Arc::new(Journal::open(disk, own, folder).await?);
        let folder = journal.read(|contents| contents.folder).await;
        let holder = Holder { member: own, run };
        let peers = Arc::new(Peers { holder, folder, configured: members, host });
        let board = Arc::new(Board::new());
        let (machine, applied) =
            StateMachine::restore(Arc::clone(&journal), Arc::clone(&peers), Arc::clone(&board)).await;
        let network = Network { peers: Arc::clone(&peers), retry: timing.heartbeat };
        let store = LogStore { journal: Arc::clone(&journal) };
        let config = Arc::new(configuration(&timing)?);
        let raft = Raft::new(own, config, network, store, machine)
            .await
            .map_err(|error| Error::Stopped(error.to_string()))?;
        let metrics = raft.metrics();
        let (busy, tasks) = (Mutex::default(), StdMutex::default());
        let node = Arc::new(Node { peers, timing, raft, metrics, applied, board, journal, busy, tasks });
        node.spawn(Arc::clone(&node).found());
        node.spawn(Arc::clone(&node).renew());
        node.spawn(Arc::clone(&node).appoint_in_time());
        node.spawn(Arc::clone(&node).finish_changes());
        node.spawn(Arc::clone(&node).watch_over_raft());
        Ok(node)
    }

    /// The place where the leadership can be read.
    pub(crate) fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Gives up the leadership, tells the others if they can be reached, and ends all tasks.
    pub(crate) async fn stop(&self) {
        let reason = String::from("they were stopped");
        let led = self.board.led_epoch();
        self.board.stop(reason.clone());
        if let Some(epoch) = led {
            let resign = Command::Resign { epoch, holder: self.peers.holder };
            if let Err(error) = self.propose(&resign, self.timing.answer).await {
                tracing::debug!(%error, "the others wait until the lease of this member ends");
            }
        }
        self.end(reason).await;
    }

    /// Ends all tasks at once, as a crash would.
    pub(crate) async fn end(&self, reason: String) {
        self.board.stop(reason);
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
        if timeout(self.timing.request, self.raft.shutdown()).await.is_err() {
            tracing::error!("Raft did not end in time");
        }
    }

    /// Ends the lease for good when Raft has ended, because it panicked or its disk failed.
    async fn watch_over_raft(self: Arc<Self>) {
        let mut metrics = self.metrics.clone();
        let ended = metrics.wait_for(|metrics| metrics.running_state.is_err()).await;
        let reason = match ended.as_deref() {
            Ok(metrics) => metrics.running_state.as_ref().err().map(ToString::to_string),
            Err(_) => None,
        };
        let reason = reason.unwrap_or_else(|| String::from("Raft has ended"));
        tracing::error!(%reason, "the elections of this member do not run any more");
        self.board.stop(reason);
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(task);
    }

    /// Returns the membership that Raft works with.
    fn membership(&self) -> Membership {
        self.metrics.borrow().membership_config.membership().clone()
    }

    /// Returns the members that vote, with the endpoints by which they are reached.
    pub(crate) fn members(&self) -> Vec<Member> {
        let membership = self.membership();
        let seat = |id: u64| membership.get_node(&id).cloned().unwrap_or_default();
        membership.voter_ids().map(|id| self.peers.member(id, &seat(id))).collect()
    }

    /// Returns the seat of a member. Errors: there is no such member.
    fn seat(&self, id: u64) -> Result<Seat> {
        let membership = self.membership();
        let seat = membership.get_node(&id).cloned();
        seat.ok_or_else(|| Error::Refused(format!("the group has no member {id}")))
    }
}

fn configuration(timing: &Timing) -> Result<Config> {
    let milliseconds = |duration: std::time::Duration| duration.as_millis().try_into().unwrap_or(u64::MAX);
    let config = Config {
        cluster_name: String::from("persea"),
        heartbeat_interval: milliseconds(timing.heartbeat),
        election_timeout_min: milliseconds(timing.election.0),
        election_timeout_max: milliseconds(timing.election.1),
        install_snapshot_timeout: milliseconds(timing.answer),
        max_payload_entries: ENTRIES_A_MESSAGE,
        replication_lag_threshold: 2 * ENTRIES_A_SNAPSHOT,
        snapshot_policy: SnapshotPolicy::LogsSinceLast(ENTRIES_A_SNAPSHOT),
        max_in_snapshot_log_to_keep: ENTRIES_KEPT,
        ..Config::default()
    };
    config.validate().map_err(|error| Error::Options(error.to_string()))
}
