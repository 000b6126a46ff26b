//! The membership of this server in a group, whose members elect the one that leads.

mod acknowledged;
mod history;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use aql_value::Waiting;
use elections::{Elections, Leadership, Member};
use encryption::MasterKey;
use errors::{Error, ErrorCode, Result};
use storage::{Membership, Store};

pub(crate) use acknowledged::Acknowledged;
pub(crate) use history::{History, LedEpoch, Predecessor};

use crate::state::following::SourceOptions;

/// Makes the token with which a member signs in at the others; `None` without authentication.
pub type MakeToken = Arc<dyn Fn() -> Result<Option<String>> + Send + Sync>;

/// The options of a member of a group.
#[derive(Clone, Debug)]
pub struct GroupOptions {
    /// The id of this member.
    pub own: u64,
    /// The members that found the group, this one included.
    pub members: Vec<Member>,
    /// The folder of the elections, and of what a former leader alone had.
    pub folder: PathBuf,
    /// The length of a lease.
    pub lease: Duration,
    /// True if a write waits until a majority of the members has it.
    pub is_synchronous: bool,
    /// The longest such wait.
    pub acknowledgement_timeout: Duration,
    /// The file of authorities, one of which must have signed the certificates of the others.
    pub authorities: Option<PathBuf>,
    /// The threads that copy; 0 for one for each core.
    pub threads: u64,
    /// The key of encrypted data, with which the writes of a former leader are encrypted too.
    pub encryption: Option<Arc<MasterKey>>,
}

/// The membership of this server.
pub(crate) struct Group {
    options: GroupOptions,
    make_token: MakeToken,
    elections: OnceLock<Arc<Elections>>,
    /// The epoch in which this server leads, or has led last; 0 if it follows.
    led: AtomicU64,
    acknowledged: Acknowledged,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Group {
    pub(crate) fn new(options: GroupOptions, make_token: MakeToken) -> Self {
        Group {
            options,
            make_token,
            elections: OnceLock::new(),
            led: AtomicU64::new(0),
            acknowledged: Acknowledged::default(),
            thread: Mutex::default(),
        }
    }

    pub(crate) fn options(&self) -> &GroupOptions {
        &self.options
    }

    /// Returns a token for the other members; `None` without authentication.
    pub(crate) fn token(&self) -> Result<Option<String>> {
        (self.make_token)()
    }

    /// Returns the elections; `None` before they run.
    pub(crate) fn elections(&self) -> Option<&Arc<Elections>> {
        self.elections.get()
    }

    /// Takes the elections and the thread that obeys them.
    pub(crate) fn run(&self, elections: Arc<Elections>, thread: JoinHandle<()>) {
        // It is called once.
        let _ = self.elections.set(elections);
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
    }

    /// Ends the elections, and the thread, which must have been told. This server leads no more.
    pub(crate) fn stop(&self) {
        if let Some(elections) = self.elections() {
            elections.stop();
        }
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the thread is in the log.
            let _ = thread.join();
        }
    }

    /// Returns the leadership as this member knows it; `None` before the elections run.
    pub(crate) fn leadership(&self) -> Option<Leadership> {
        self.elections().map(|elections| elections.leadership())
    }

    /// Returns the endpoint of another member that leads; `None` if none is known.
    pub(crate) fn leader(&self) -> Option<String> {
        let leader = self.leadership()?.leader?;
        (leader.id != self.options.own).then_some(leader.endpoint)
    }

    /// Returns true if this server leads and accepts writes.
    pub(crate) fn accepts_writes(&self, store: &Store) -> bool {
        !store.is_following() && self.leads()
    }

    /// Returns the epoch in which this server leads, or has led last; `None` if it follows.
    pub(crate) fn led_epoch(&self) -> Option<u64> {
        Some(self.led.load(Ordering::SeqCst)).filter(|epoch| *epoch > 0)
    }

    pub(crate) fn set_led_epoch(&self, epoch: Option<u64>) {
        self.led.store(epoch.unwrap_or(0), Ordering::SeqCst);
        self.acknowledged.begin(epoch.unwrap_or(0));
    }

    /// Returns the leader as a source to copy and follow. The token is made anew for each
    /// connection, and never stored.
    pub(crate) fn source(&self, leader: &Member) -> SourceOptions {
        SourceOptions {
            endpoint: leader.endpoint.clone(),
            authorities: self.options.authorities.clone(),
            threads: self.options.threads,
            ..SourceOptions::default()
        }
    }

    /// Notes up to which position of this server's log another member has everything.
    pub(crate) fn acknowledge(&self, member: u64, epoch: u64, position: u64) {
        let is_member = || self.members().iter().any(|known| known.id == member);
        if member != self.options.own && is_member() {
            self.acknowledged.note(member, epoch, position);
        }
    }

    /// Returns the positions up to which the other members have the log of this server, by their
    /// ids.
    pub(crate) fn acknowledgements(&self) -> Vec<(u64, u64)> {
        let members = self.members();
        let mut known = self.acknowledged.list();
        // Some may have been removed since.
        known.retain(|(id, _)| members.iter().any(|member| member.id == *id));
        known
    }

    /// Returns the members of the group, as far as this one knows them.
    pub(crate) fn members(&self) -> Vec<Member> {
        let members = self.elections().map(|elections| elections.members()).unwrap_or_default();
        if members.is_empty() { self.options.members.clone() } else { members }
    }

    /// Returns the folder of writes that this server alone had when another one became the leader.
    pub(crate) fn set_aside_folder(&self) -> PathBuf {
        self.options.folder.join("set-aside")
    }

    /// Returns the key of the files in that folder.
    pub(crate) fn encryption(&self) -> Option<&MasterKey> {
        self.options.encryption.as_deref()
    }

    /// Returns the files in that folder, by name. A folder that cannot be read has none.
    pub(crate) fn files_set_aside(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.set_aside_folder()).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        files
    }
}

impl Membership for Group {
    fn leads(&self) -> bool {
        self.elections().is_some_and(|elections| elections.may_write())
    }

    fn wait_for_members(&self, position: u64) -> Result<()> {
        if !self.options.is_synchronous {
            return Ok(());
        }
        // With this server, they are a majority.
        let needed = self.members().len() / 2;
        if self.acknowledged.has(position, needed) {
            return Ok(());
        }
        let _waiting = Waiting::begin();
        let end = Instant::now() + self.options.acknowledgement_timeout;
        while !self.acknowledged.wait(position, needed, end) {
            if !self.leads() {
                let message = "this server does not lead any more: whether the new leader has the write is not \
                               known; read it there";
                return Err(Error::new(ErrorCode::ClusterNotLeader, message));
            }
            if Instant::now() >= end {
                let seconds = self.options.acknowledgement_timeout.as_secs();
                let message = format!(
                    "the write is stored here, but {needed} other members did not have it after {seconds} s; it \
                     is lost if this server fails now"
                );
                return Err(Error::new(ErrorCode::ReplicationWriteConcernNotFulfilled, message));
            }
        }
        Ok(())
    }
}
