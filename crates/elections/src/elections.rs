//! The public interface: a member with a thread of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::codec::message::MESSAGE_MAX;
use crate::error::{Error, Result};
use crate::host::Blocking;
use crate::interface::{Candidate, Transport};
use crate::journal::Folder;
use crate::leadership::{Board, Leadership};
use crate::member::{MEMBERS_MAX, Member};
use crate::node::{Node, Setup, check};
use crate::timing::Timing;

/// The greatest number of threads that wait for the transport, the disk and the data.
const THREADS_MAX: usize = 64;
/// The time after which an idle one of these threads ends.
const THREAD_IDLE: Duration = Duration::from_secs(30);
/// The time that a call may take beyond its own limit.
const GRACE: Duration = Duration::from_secs(5);

/// The options of a member's elections.
pub struct Options {
    /// The id of this member.
    pub own: u64,
    /// The members that found the group, this one included. A member that is to be added to a
    /// running group names the others too. Later, only their endpoints matter.
    pub members: Vec<Member>,
    /// The folder, which is created. It belongs to this member alone.
    pub folder: PathBuf,
    /// The length of the lease: [`LEASE`](crate::LEASE), or another one that all members share.
    pub lease: Duration,
    /// The way to the other members.
    pub transport: Arc<dyn Transport>,
    /// The data of this member.
    pub candidate: Arc<dyn Candidate>,
}

/// The elections of a member. They run until [`stop`](Elections::stop), or until this is dropped.
pub struct Elections {
    node: Arc<Node>,
    board: Arc<Board>,
    handle: Handle,
    timing: Timing,
    thread: Mutex<Option<(oneshot::Sender<()>, JoinHandle<()>)>>,
}

impl Elections {
    /// Starts the elections of a member, which begins as no leader.
    ///
    /// Errors: an option cannot work; the folder is damaged, in use, or another member's.
    pub fn start(options: Options) -> Result<Arc<Elections>> {
        let timing = Timing::new(options.lease)?;
        let members = members_of(&options)?;
        let setup = Setup {
            own: options.own,
            members,
            timing: timing.clone(),
            disk: Arc::new(Folder::open(&options.folder)?),
            host: Arc::new(Blocking { transport: options.transport, candidate: options.candidate }),
            run: random()?,
            folder: random()?,
        };
        let runtime = Builder::new_current_thread()
            .enable_time()
            .max_blocking_threads(THREADS_MAX)
            .thread_keep_alive(THREAD_IDLE)
            .thread_name("elections-io")
            .build()
            .map_err(|error| Error::Stopped(error.to_string()))?;
        let node = runtime.block_on(Node::start(setup))?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            // Both a message and a sender that was dropped end the thread.
            let _ = runtime.block_on(stopped);
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name(String::from("elections")).spawn(run);
        let thread = thread.map_err(|error| Error::Stopped(error.to_string()))?;
        let board = Arc::clone(node.board());
        Ok(Arc::new(Elections { node, board, handle, timing, thread: Mutex::new(Some((stop, thread))) }))
    }

    /// Returns the reply to a message of another member, which the transport brought.
    ///
    /// Errors: the message was not made by this version of this crate, is for another member, or
    /// cannot be served now.
    pub fn receive(&self, message: &[u8]) -> Result<Vec<u8>> {
        if message.len() > MESSAGE_MAX {
            return Err(Error::Message(format!("it has more than {MESSAGE_MAX} bytes")));
        }
        let (node, message) = (Arc::clone(&self.node), message.to_vec());
        self.run(self.timing.request, async move { node.receive(&message).await })
    }

    /// Returns who leads, and whether this member may write.
    pub fn leadership(&self) -> Leadership {
        self.board.look(Instant::now())
    }

    /// Returns true if this member may write at this moment. It takes less than a microsecond.
    pub fn may_write(&self) -> bool {
        self.board.may_write(Instant::now())
    }

    /// Waits until the leadership has another version than this one, or for the timeout.
    pub fn wait_for_change(&self, version: u64, timeout: Duration) -> Leadership {
        self.board.wait(version, timeout)
    }

    /// Returns the reason why the elections do not run, or none while they run. This member does
    /// not lead and does not vote until they are started again.
    pub fn failure(&self) -> Option<String> {
        self.board.stopped()
    }

    /// Returns the members of the group, or none before it was founded.
    pub fn members(&self) -> Vec<Member> {
        self.node.members()
    }

    /// Makes a member the leader: the present one stops its writes, the member catches up within
    /// the limit, and then it is appointed. Any member can be asked.
    ///
    /// Errors: nobody leads; the member cannot lead, or did not catch up, and the leader goes on;
    /// or the outcome is unknown, and the group appoints a leader by itself.
    pub fn appoint(&self, id: u64, limit: Duration) -> Result<()> {
        let node = Arc::clone(&self.node);
        self.run(limit, async move { node.appoint(id, limit).await })
    }

    /// Adds a member, which was started with an empty folder. Any member can be asked.
    ///
    /// Errors: the id is taken, the member cannot be reached, or its folder belongs to a group.
    pub fn add_member(&self, member: Member, limit: Duration) -> Result<()> {
        let node = Arc::clone(&self.node);
        self.run(limit, async move { node.add(member, limit).await })
    }

    /// Removes a member, also one that cannot be reached. Any other member can be asked.
    ///
    /// Errors: the member leads, or does not exist.
    pub fn remove_member(&self, id: u64, limit: Duration) -> Result<()> {
        let node = Arc::clone(&self.node);
        self.run(limit, async move { node.remove(id, limit).await })
    }

    /// Gives up the leadership, so that the others need not wait for the end of the lease, and ends
    /// all threads. The folder can be used again when this returns.
    pub fn stop(&self) {
        let Some((stop, thread)) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return;
        };
        let node = Arc::clone(&self.node);
        let stopped = self.run(self.timing.request, async move {
            node.stop().await;
            Ok(())
        });
        if let Err(error) = stopped {
            tracing::error!(%error, "the elections did not stop in time");
        }
        drop(stop);
        if thread.join().is_err() {
            tracing::error!("the thread of the elections panicked");
        }
    }

    /// Runs a task on the thread of the elections, and waits for it. The task goes on if the caller
    /// stops waiting, so a handover always comes to an end.
    fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        task: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // The caller may have stopped waiting.
            let _ = sender.send(task.await);
        });
        match receiver.recv_timeout(limit + GRACE) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => Err(Error::Timeout("a request")),
            Err(RecvTimeoutError::Disconnected) => {
                let reason = self.board.stopped();
                Err(Error::Stopped(reason.unwrap_or_else(|| String::from("a task ended early"))))
            }
        }
    }
}

impl Drop for Elections {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the configured members by their ids. Errors: there are none, too many, or two with one
/// id; this member is missing; an id or an endpoint is out of its bounds.
fn members_of(options: &Options) -> Result<BTreeMap<u64, Member>> {
    let count = options.members.len();
    if !(1..=MEMBERS_MAX).contains(&count) {
        return Err(Error::Options(format!(
            "the group has {count} members; it must have between 1 and {MEMBERS_MAX}"
        )));
    }
    let mut members = BTreeMap::new();
    for member in &options.members {
        check(member)?;
        if members.insert(member.id, member.clone()).is_some() {
            return Err(Error::Options(format!("two members have the id {}", member.id)));
        }
    }
    if !members.contains_key(&options.own) {
        return Err(Error::Options(format!("this member, {}, is not among the members", options.own)));
    }
    Ok(members)
}

fn random() -> Result<u64> {
    let number = getrandom::u64().map_err(|error| Error::Stopped(error.to_string()))?;
    // Zero means "unknown" in messages.
    Ok(number.max(1))
}
