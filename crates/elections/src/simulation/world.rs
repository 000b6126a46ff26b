//! A group of members, its network, and what must always hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::data::Data;
use super::disk::MemoryDisk;
use super::host::SimulatedHost;
use crate::error::Result;
use crate::leadership::Leadership;
use crate::member::Member;
use crate::node::{Node, Setup};
use crate::timing::{LEASE, Timing};

/// How bad the network is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weather {
    /// The share of messages and replies that are lost, in percent.
    pub(super) loss: u32,
    /// The share of messages that arrive twice, in percent.
    pub(super) duplicates: u32,
    /// The greatest delay of a message or a reply in milliseconds.
    pub(super) delay: u64,
}

/// The number of messages of a kind that are kept.
const RECORDED_MAX: usize = 50;

struct Running {
    node: Arc<Node>,
    alive: Arc<AtomicBool>,
}

/// A message, and the reply to it.
type Exchange = (Vec<u8>, Vec<u8>);

/// A group. All of its members run in one task set, on one clock.
pub(super) struct World {
    pub(super) rng: Mutex<fastrand::Rng>,
    pub(super) weather: Mutex<Weather>,
    pub(super) data: Mutex<Data>,
    /// The pairs of members of which the first does not reach the second.
    cuts: Mutex<BTreeSet<(u64, u64)>>,
    running: Mutex<BTreeMap<u64, Running>>,
    disks: Mutex<BTreeMap<u64, MemoryDisk>>,
    members: Mutex<BTreeMap<u64, Member>>,
    /// The share of the lease that is waited out, in percent: 110, and less to see tests fail.
    pub(super) waited: u32,
    /// The greatest deviation of a clock, in thousandths.
    pub(super) drift: u32,
    sent: AtomicU64,
    /// Messages with their replies, if a test wants them: up to some of each kind.
    recorded: Mutex<Option<Vec<Exchange>>>,
    runs: Mutex<u64>,
    /// The member and run that wrote in each epoch.
    writers: Mutex<BTreeMap<u64, u64>>,
    violation: Mutex<Option<String>>,
}

impl World {
    pub(super) fn new(seed: u64, ids: &[u64]) -> World {
        let member = |id: u64| (id, Member { id, endpoint: format!("tcp://m{id}") });
        World {
            rng: Mutex::new(fastrand::Rng::with_seed(seed)),
            weather: Mutex::default(),
            data: Mutex::default(),
            cuts: Mutex::default(),
            running: Mutex::default(),
            disks: Mutex::default(),
            members: Mutex::new(ids.iter().map(|id| member(*id)).collect()),
            waited: 110,
            drift: 0,
            sent: AtomicU64::new(0),
            recorded: Mutex::default(),
            runs: Mutex::default(),
            writers: Mutex::default(),
            violation: Mutex::default(),
        }
    }

    /// Returns the ids of all members, also of those that are down.
    pub(super) fn ids(&self) -> Vec<u64> {
        self.members.lock().unwrap().keys().copied().collect()
    }

    /// Starts a member on its disk.
    pub(super) async fn start(self: &Arc<Self>, id: u64) -> Result<()> {
        self.start_with(id, self.configured()).await
    }

    /// Starts a member with this configuration.
    pub(super) async fn start_with(self: &Arc<Self>, id: u64, members: BTreeMap<u64, Member>) -> Result<()> {
        let alive = Arc::new(AtomicBool::new(true));
        let host = SimulatedHost { world: Arc::clone(self), own: id, alive: Arc::clone(&alive) };
        let run = {
            let mut runs = self.runs.lock().unwrap();
            *runs += 1;
            *runs
        };
        let setup = Setup {
            own: id,
            members,
            timing: self.timing(),
            disk: Arc::new(self.disk(id)),
            host: Arc::new(host),
            run,
            folder: run,
        };
        let node = Node::start(setup).await?;
        self.running.lock().unwrap().insert(id, Running { node, alive });
        Ok(())
    }

    /// The durations of a member, whose clock may be fast or slow.
    fn timing(&self) -> Timing {
        let mut rng = self.rng.lock().unwrap();
        let rate = 1000 + rng.u32(0..=2 * self.drift) - self.drift;
        let mut timing = Timing::new(LEASE * rate / 1000).unwrap();
        timing.wait = timing.lease * self.waited / 100;
        // A fixed time instead of a random one, so that the seed decides.
        let (shortest, longest) = timing.election;
        let election = shortest + (longest - shortest) * rng.u32(0..100) / 100;
        timing.election = (election, election + Duration::from_millis(1));
        timing
    }

    /// Returns the disk of a member.
    pub(super) fn disk(&self, id: u64) -> MemoryDisk {
        self.disks.lock().unwrap().entry(id).or_default().clone()
    }

    /// Forgets the disk of a member that is down.
    pub(super) fn lose_disk(&self, id: u64) {
        self.disks.lock().unwrap().remove(&id);
    }

    /// Puts another disk into a member that is down.
    pub(super) fn replace_disk(&self, id: u64, disk: MemoryDisk) {
        self.disks.lock().unwrap().insert(id, disk);
    }

    /// Returns the configuration.
    pub(super) fn configured(&self) -> BTreeMap<u64, Member> {
        self.members.lock().unwrap().clone()
    }

    /// Adds a member to the configuration.
    pub(super) fn admit(&self, member: Member) {
        self.members.lock().unwrap().insert(member.id, member);
    }

    /// Kills a member at this instant, whatever it is doing.
    pub(super) fn kill(&self, id: u64) {
        let Some(running) = self.running.lock().unwrap().remove(&id) else {
            return;
        };
        running.alive.store(false, Ordering::Relaxed);
        let disk = self.disk(id).lose_power(&mut self.rng.lock().unwrap());
        self.disks.lock().unwrap().insert(id, disk);
        self.data.lock().unwrap().stopped.remove(&id);
        tokio::spawn(async move { running.node.end(String::from("killed")).await });
    }

    /// Returns a member that runs.
    pub(super) fn node(&self, id: u64) -> Option<Arc<Node>> {
        self.running.lock().unwrap().get(&id).map(|running| Arc::clone(&running.node))
    }

    /// Returns the ids of the members that run.
    pub(super) fn running(&self) -> Vec<u64> {
        self.running.lock().unwrap().keys().copied().collect()
    }

    /// Cuts the two sides off from each other.
    pub(super) fn part(&self, one: &[u64], other: &[u64]) {
        let mut cuts = self.cuts.lock().unwrap();
        for one in one {
            for other in other {
                cuts.extend([(*one, *other), (*other, *one)]);
            }
        }
    }

    /// Makes messages from one member to another disappear, but not those in the other direction.
    pub(super) fn cut(&self, from: u64, to: u64) {
        self.cuts.lock().unwrap().insert((from, to));
    }

    /// Connects all members.
    pub(super) fn heal(&self) {
        self.cuts.lock().unwrap().clear();
    }

    /// Returns true if a message between these members is lost.
    pub(super) fn loses(&self, from: u64, to: u64) -> bool {
        let loss = self.weather.lock().unwrap().loss;
        self.cuts.lock().unwrap().contains(&(from, to)) || self.rng.lock().unwrap().u32(0..100) < loss
    }

    /// Returns the number of messages that were sent so far.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Keeps messages from now on.
    pub(super) fn record(&self) {
        *self.recorded.lock().unwrap() = Some(Vec::new());
    }

    /// Keeps a message, if messages are kept.
    pub(super) fn keep(&self, message: &[u8], reply: &[u8]) {
        if let Some(recorded) = &mut *self.recorded.lock().unwrap() {
            let kind = recorded.iter().filter(|(other, _)| other[1] == message[1]);
            if kind.count() < RECORDED_MAX {
                recorded.push((message.to_vec(), reply.to_vec()));
            }
        }
    }

    /// Returns the messages that were kept, with their replies.
    pub(super) fn recorded(&self) -> Vec<Exchange> {
        self.recorded.lock().unwrap().clone().unwrap_or_default()
    }

    /// Counts a message.
    pub(super) fn count(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns true if a message arrives twice.
    pub(super) fn duplicates(&self) -> bool {
        let share = self.weather.lock().unwrap().duplicates;
        self.rng.lock().unwrap().u32(0..100) < share
    }

    /// Returns the delay of a message.
    pub(super) fn delay(&self) -> Duration {
        let most = self.weather.lock().unwrap().delay;
        Duration::from_micros(self.rng.lock().unwrap().u64(200..=1000 + most * 1000))
    }

    /// Returns the leadership as a running member knows it.
    pub(super) fn leadership(&self, id: u64) -> Leadership {
        let node = self.node(id).unwrap();
        node.board().look(Instant::now().into_std())
    }

    /// Returns the member that may write at this instant, and its epoch.
    pub(super) fn writer(&self) -> Option<(u64, u64)> {
        self.check();
        let now = Instant::now().into_std();
        let known = self.running().into_iter().map(|id| (id, self.leadership(id)));
        known.filter(|(_, known)| known.may_write(now)).map(|(id, known)| (id, known.epoch)).next()
    }

    /// Notes a violation if two members may write, or if two ever could in one epoch.
    pub(super) fn check(&self) {
        let now = Instant::now().into_std();
        let running = self.running.lock().unwrap();
        let mut writing = Vec::new();
        for (id, member) in &*running {
            let known = member.node.board().look(now);
            if known.may_write(now) {
                writing.push(*id);
                let writer = *self.writers.lock().unwrap().entry(known.epoch).or_insert(*id);
                if writer != *id {
                    self.note(format!("members {writer} and {id} wrote in epoch {}", known.epoch));
                }
            }
        }
        if writing.len() > 1 {
            self.note(format!("members {writing:?} may write at once"));
        }
    }

    fn note(&self, violation: String) {
        self.violation.lock().unwrap().get_or_insert(violation);
    }

    /// Returns what went wrong.
    pub(super) fn violation(&self) -> Option<String> {
        self.violation.lock().unwrap().clone()
    }

    /// Writes as whoever may, every 20 ms, and checks.
    pub(super) async fn write_on(self: Arc<Self>) {
        loop {
            sleep(Duration::from_millis(20)).await;
            let Some((id, epoch)) = self.writer() else {
                continue;
            };
            let mut data = self.data.lock().unwrap();
            if !data.stopped.contains(&id) {
                let reached = self.running().into_iter().filter(|to| *to != id && !self.loses(id, *to));
                data.write(id, epoch, reached.collect::<Vec<_>>().into_iter());
            }
        }
    }

    /// Waits until a member may write, and returns it with its epoch.
    pub(super) async fn wait_for_writer(&self, most: Duration) -> Option<(u64, u64)> {
        let end = Instant::now() + most;
        while Instant::now() < end {
            if let Some(writer) = self.writer() {
                return Some(writer);
            }
            sleep(Duration::from_millis(5)).await;
        }
        None
    }
}

/// Runs a test on a clock that jumps.
pub(super) fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(test)
}

/// Starts a group, and waits for its first leader.
pub(super) async fn group(world: World) -> Arc<World> {
    let world = Arc::new(world);
    for id in world.ids() {
        world.start(id).await.unwrap();
    }
    tokio::spawn(Arc::clone(&world).write_on());
    let first = world.wait_for_writer(Duration::from_secs(10)).await;
    assert!(first.is_some(), "a new group finds a leader");
    world
}
