//! The thread of a member, which obeys the elections: it leads, or follows who leads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use elections::{Elections, Leadership, Member};
use errors::{Error, Result};

use crate::follow::{Kept, find_data, start_member};
use crate::instance::Instance;
use crate::state::following::{FollowKind, FollowPhase};
use crate::state::group::{Group, History, LedEpoch, Predecessor};

/// The time after which the thread looks again, whatever the elections say.
const LOOK: Duration = Duration::from_millis(500);
/// The pause before work that has failed is begun again.
const AGAIN: Duration = Duration::from_secs(10);

/// Starts the thread. It ends when the server stops, or when the elections fail.
///
/// Errors: 4 if the system has no thread.
pub(super) fn start(instance: &Arc<Instance>, elections: Arc<Elections>) -> Result<JoinHandle<()>> {
    let instance = Arc::downgrade(instance);
    let thread = std::thread::Builder::new().name("group".into());
    thread
        .spawn(move || run(&instance, &elections))
        .map_err(|error| Error::internal(format!("cannot start a thread: {error}")))
}

fn run(instance: &Weak<Instance>, elections: &Elections) {
    let (mut version, mut followed) = (0, None);
    loop {
        let seen = elections.wait_for_change(version, LOOK);
        version = seen.version;
        let Some(instance) = instance.upgrade().filter(|instance| !instance.is_stopping()) else { return };
        let Some(group) = instance.group() else { return };
        let turn = AssertUnwindSafe(|| Turn { instance: &instance, group }.obey(&seen, &mut followed));
        let failed = match catch_unwind(turn) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("a panic; see above".to_owned()),
        };
        if let Some(error) = failed {
            tracing::error!(target: "replication", "this member cannot obey the elections: {error}");
            instance.following().update(|view| view.error = Some(Error::internal(error)));
            std::thread::sleep(LOOK);
        }
        if elections.failure().is_some() {
            // The elections have said why.
            instance.store().set_following(true);
            return;
        }
    }
}

/// A leader that is followed, and the time at which the work began.
struct Followed {
    leader: Member,
    epoch: u64,
    since: Instant,
}

struct Turn<'a> {
    instance: &'a Arc<Instance>,
    group: &'a Group,
}

impl Turn<'_> {
    fn obey(&self, seen: &Leadership, followed: &mut Option<Followed>) -> Result<()> {
        if seen.is_self {
            *followed = None;
            return match seen.valid_until {
                Some(_) => self.lead(seen.epoch),
                // It refuses writes, and what it shows is still the latest.
                None if seen.is_handing_over => Ok(()),
                None => {
                    self.instance.store().set_following(true);
                    Ok(())
                }
            };
        }
        self.instance.store().set_following(true);
        match &seen.leader {
            Some(leader) if leader.id != self.group.options().own => {
                self.follow(leader, seen.epoch, followed)
            }
            _ => Ok(()),
        }
    }

    /// Accepts writes while the lease holds.
    fn lead(&self, epoch: u64) -> Result<()> {
        let (instance, store) = (self.instance, self.instance.store());
        if self.group.led_epoch() != Some(epoch) {
            instance.following().end_thread();
            let mut history = History::read(store)?;
            let kept = Kept::read(store)?.filter(|kept| kept.kind == FollowKind::Member);
            if history.last().is_none_or(|led| led.epoch < epoch) {
                let predecessor = match &kept {
                    Some(kept) if kept.phase != FollowPhase::Ended => predecessor(instance, kept)?,
                    _ => None,
                };
                history.add(LedEpoch { epoch, began_at: store.last_position()?, predecessor }, store)?;
            }
            if let Some(kept) = kept {
                kept.in_phase(FollowPhase::Ended).store(store)?;
            }
            store.sync()?;
            self.group.set_led_epoch(Some(epoch));
            instance.following().update(|view| {
                view.kind = FollowKind::Member;
                view.phase = FollowPhase::Ended;
                view.error = None;
            });
            tracing::info!(target: "replication", "this member leads in epoch {epoch}");
        }
        store.set_following(false);
        Ok(())
    }

    /// Follows another member that leads.
    fn follow(&self, leader: &Member, epoch: u64, followed: &mut Option<Followed>) -> Result<()> {
        let instance = self.instance;
        if let Some(known) = followed.as_ref().filter(|known| known.epoch == epoch && known.leader == *leader)
        {
            let is_tried = instance.following().is_working() || known.since.elapsed() < AGAIN;
            if is_tried {
                return Ok(());
            }
        }
        if self.group.led_epoch().is_some() {
            self.group.set_led_epoch(None);
            tracing::warn!(target: "replication", "member {} leads in epoch {epoch}, not this one", leader.id);
            // None of them can be committed, and the locks of some are in the way.
            instance.queries().kill_all();
            instance.transactions().abort_all();
        }
        instance.following().end_thread();
        *followed = Some(Followed { leader: leader.clone(), epoch, since: Instant::now() });
        let kept = Kept::read(instance.store())?.filter(|kept| kept.kind == FollowKind::Member);
        let source = self.group.source(leader);
        let kept = match kept {
            Some(kept) => kept.of(source),
            None => {
                self.check_empty(leader)?;
                Kept::begin(FollowKind::Member, source)
            }
        };
        start_member(instance, kept, epoch)
    }

    /// Checks that a copy would replace nothing that the group never had.
    fn check_empty(&self, leader: &Member) -> Result<()> {
        let found = find_data(self.instance);
        match found
            .filter(|_| History::read(self.instance.store()).is_ok_and(|history| history.last().is_none()))
        {
            None => Ok(()),
            Some(found) => {
                let error = Error::bad_parameter(format!(
                    "member {} leads, whose data would replace those of this server, which was no member before; \
                     it has {found}. Begin with an empty folder",
                    leader.id
                ));
                self.instance.following().update(|view| {
                    view.kind = FollowKind::Member;
                    view.phase = FollowPhase::Failed;
                });
                Err(error)
            }
        }
    }
}

/// Returns the leader that this member has followed until now, and how far.
fn predecessor(instance: &Instance, kept: &Kept) -> Result<Option<Predecessor>> {
    let applied = kept.applied_whole(instance.store())?;
    Ok(applied.map(|applied| Predecessor { server: kept.server_id.clone(), applied }))
}
