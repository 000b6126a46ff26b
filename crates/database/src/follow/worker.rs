//! The thread that copies and follows: its phases, and the orders that it obeys.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use errors::{Error, ErrorCode, Result};
use replication_client::Product;

use super::copy::copy;
use super::failure::{is_passing, of_source};
use super::kept::Kept;
use super::position::AppliedPosition;
use super::tailing::{Ended, follow};
use super::watch::watched;
use super::work::Work;
use super::{before, compare, member};
use crate::instance::Instance;
use crate::state::following::{Comparison, FollowKind, FollowOrder, FollowPhase, Following, SourceOptions};

/// The pauses between attempts to reach the other server: they double from the first to the last.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// The longest pause of a member of a group, whose leader may become ready at any moment.
const MEMBER_PAUSE_MAX: Duration = Duration::from_millis(400);
/// Attempts to reach it before a cut-over is given up.
const CUT_OVER_TIME: Duration = Duration::from_secs(60);

/// Starts the thread for the state that is kept. This server refuses the writes of clients from now
/// on.
///
/// Errors: 1411 if a thread works already, 4 if no thread can be started.
pub(super) fn start(instance: &Arc<Instance>, kept: Kept) -> Result<()> {
    start_in(instance, kept, None)
}

/// Starts the thread of a member of a group, which follows the leader of an epoch.
///
/// Errors: those of [`start`].
pub(crate) fn start_member(instance: &Arc<Instance>, kept: Kept, epoch: u64) -> Result<()> {
    start_in(instance, kept, Some(epoch))
}

fn start_in(instance: &Arc<Instance>, kept: Kept, epoch: Option<u64>) -> Result<()> {
    instance.store().set_following(true);
    let following = instance.following();
    following.update(|view| {
        view.kind = kept.kind;
        view.phase = FollowPhase::Copying;
        view.source.endpoint.clone_from(&kept.source.endpoint);
        view.source.server_id.clone_from(&kept.server_id);
        view.error = None;
    });
    let own = Arc::clone(instance);
    let started = following.start("follow", move || {
        let _permit = own.store().permit_writes();
        let mut worker = Worker { instance: Arc::clone(&own), kept, epoch };
        if catch_unwind(AssertUnwindSafe(|| worker.run())).is_err() {
            // It stays a copy, and shows that nobody works on it.
            own.following().update(|view| {
                view.phase = FollowPhase::Failed;
                view.error = Some(Error::internal("a panic; see the log"));
            });
        }
    });
    match started {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::of(ErrorCode::ReplicationRunning)),
        Err(error) => Err(Error::internal(format!("cannot start a thread: {error}"))),
    }
}

struct Worker {
    instance: Arc<Instance>,
    kept: Kept,
    /// The epoch of the leader that a member of a group follows.
    epoch: Option<u64>,
}

/// The end of a turn of work.
enum Turn {
    /// The work goes on.
    Next,
    /// The thread ends.
    End,
}

impl Worker {
    fn following(&self) -> &Following {
        self.instance.following()
    }

    /// Works until an order or the server's stop ends it.
    fn run(&mut self) {
        let mut pause = PAUSES.0;
        if self.kept.has_closed_source {
            tracing::warn!(target: "replication", "a cut-over was interrupted, and is given up");
            self.reopen_source();
        }
        loop {
            if self.following().is_stopping() {
                return;
            }
            let turn = match self.following().take_order() {
                Some(order) => self.obey(order),
                None => self.work().map(|()| Turn::Next),
            };
            match turn {
                Ok(Turn::Next) => pause = PAUSES.0,
                Ok(Turn::End) => return,
                Err(_) if self.following().is_interrupted() => {}
                Err(error) if is_passing(&error) => {
                    self.following().update(|view| {
                        view.failed_attempts += 1;
                        view.error = Some(error);
                    });
                    self.following().pause(pause);
                    let longest = if self.epoch.is_some() { MEMBER_PAUSE_MAX } else { PAUSES.1 };
                    pause = (pause * 2).min(longest);
                }
                Err(error) => {
                    tracing::error!(target: "replication", "the work has stopped: {error}");
                    self.show(FollowPhase::Failed);
                    self.following().update(|view| view.error = Some(error));
                    return;
                }
            }
        }
    }

    /// Copies or follows, until something ends it.
    fn work(&mut self) -> Result<()> {
        let work = self.connect()?;
        if let Some((group, epoch)) = self.instance.group().zip(self.epoch) {
            member::join(&work, group, &mut self.kept, epoch)?;
        }
        if self.kept.is_copying {
            self.show(FollowPhase::Copying);
            let end = || self.instance.following().end_requests();
            let kept = &mut self.kept;
            let copied = watched(&work.source, &end, || copy(&work, kept));
            self.following().allow_requests();
            copied?;
            self.following().update(|view| view.source.server_id.clone_from(&self.kept.server_id));
            self.kept.is_copying = false;
            self.kept.copied.clear();
            self.save(FollowPhase::Following)?;
        }
        // Until the end of the copy is reached in the log, the data are of several moments.
        let ended = match self.is_whole()? {
            true => Ended::Reached,
            false => follow(&work, &self.kept, Some(self.kept.complete))?,
        };
        if ended == Ended::Reached && self.kept.kind == FollowKind::Member {
            self.note_whole()?;
        }
        let ended = match ended {
            Ended::Reached => {
                self.show(FollowPhase::Following);
                follow(&work, &self.kept, None)?
            }
            ended => ended,
        };
        match ended {
            Ended::Gap => self.begin_again(),
            Ended::Interrupted | Ended::Reached => Ok(()),
        }
    }

    /// Returns true if the log is applied up to the end of the copy.
    fn is_whole(&self) -> Result<bool> {
        Ok(self.kept.applied_whole(self.instance.store())?.is_some())
    }

    /// Notes that the log is applied up to the end of the copy, also where its last entries concern
    /// nothing here. The elections ask for it. The log of a Persea has no open transactions.
    fn note_whole(&self) -> Result<()> {
        let (store, complete) = (self.instance.store(), self.kept.complete);
        if self.is_whole()? {
            return Ok(());
        }
        AppliedPosition { applied: complete, restart: complete, complete }.store(store, &self.kept.server_id)
    }

    /// Copies again what changed, because the log has lost entries that were not read.
    fn begin_again(&mut self) -> Result<()> {
        tracing::warn!(
            target: "replication",
            "the log of the other server has lost entries that were not read here; what differs is copied again"
        );
        AppliedPosition::remove(self.instance.store(), &self.kept.server_id)?;
        self.kept = Kept {
            is_copying: true,
            is_repeated: true,
            begin: None,
            complete: 0,
            copied: Default::default(),
            ..self.kept.clone()
        };
        self.following().update(|view| view.copy = Default::default());
        self.save(FollowPhase::Copying)
    }

    fn connect(&self) -> Result<Work> {
        let interrupt = Arc::clone(self.following().interrupt());
        let source = self.source()?.connect(Some(interrupt))?;
        self.following().update(|view| {
            view.source.product = match source.product() {
                Product::ArangoDb => "arangodb".to_owned(),
                Product::Persea => "persea".to_owned(),
            };
            source.version().clone_into(&mut view.source.version);
            view.source.server_id.clone_from(&self.kept.server_id);
        });
        Ok(Work { instance: Arc::clone(&self.instance), source })
    }

    /// Returns the other server. A member signs in by a token that is valid now.
    fn source(&self) -> Result<SourceOptions> {
        let source = self.kept.source.clone();
        match self.instance.group().filter(|_| self.epoch.is_some()) {
            Some(group) => Ok(SourceOptions { token: group.token()?, ..source }),
            None => Ok(source),
        }
    }

    fn save(&mut self, phase: FollowPhase) -> Result<()> {
        self.kept.phase = phase;
        self.kept.store(self.instance.store())
    }

    fn show(&self, phase: FollowPhase) {
        self.following().update(|view| view.phase = phase);
    }

    fn obey(&mut self, order: FollowOrder) -> Result<Turn> {
        match order {
            FollowOrder::Pause => {
                self.save(FollowPhase::Paused)?;
                self.show(FollowPhase::Paused);
                Ok(Turn::End)
            }
            FollowOrder::CutOver { comparison, force } => match self.cut_over(comparison, force) {
                Ok(()) => Ok(Turn::End),
                Err(error) => {
                    self.show(FollowPhase::Following);
                    self.reopen_source();
                    tracing::error!(target: "replication", "the cut-over was given up: {error}");
                    self.following().update(|view| {
                        view.error = Some(error);
                        view.is_cut_over_refused = true;
                    });
                    Ok(Turn::Next)
                }
            },
            FollowOrder::Abort => {
                self.reopen_source();
                self.leave_source();
                before::restore(&self.instance)?;
                Kept::remove(self.instance.store())?;
                AppliedPosition::remove(self.instance.store(), &self.kept.server_id)?;
                self.instance.store().set_following(false);
                self.following().update(|view| *view = Default::default());
                Ok(Turn::End)
            }
            FollowOrder::Yield => Ok(Turn::End),
            FollowOrder::Promote => {
                self.leave_source();
                self.end()?;
                Ok(Turn::End)
            }
        }
    }

    /// Accepts writes from now on.
    fn end(&mut self) -> Result<()> {
        self.save(FollowPhase::Ended)?;
        self.instance.store().sync()?;
        self.instance.store().set_following(false);
        self.show(FollowPhase::Ended);
        tracing::info!(target: "replication", "this server accepts writes from now on");
        Ok(())
    }

    /// Takes the other server's place: it becomes read-only, the rest of its log is applied, both
    /// are compared, and this one accepts writes.
    ///
    /// Errors: 1411 while the copy is not complete, 1416 if both differ, those of requests.
    fn cut_over(&mut self, comparison: Comparison, force: bool) -> Result<()> {
        if self.kept.is_copying {
            let message = "the copy is not complete; a cut-over is possible once the log is followed";
            return Err(Error::new(ErrorCode::ReplicationRunning, message));
        }
        let work = self.connect()?;
        self.kept.has_closed_source = !work.source.is_read_only().map_err(|error| of_source(&error))?;
        self.save(FollowPhase::Following)?;
        work.source.set_read_only(true).map_err(|error| of_source(&error))?;
        let (_, last) = work.last_tick()?;
        let end = Instant::now() + CUT_OVER_TIME;
        loop {
            match follow(&work, &self.kept, Some(last)) {
                Ok(Ended::Reached) => break,
                Ok(Ended::Gap) => return Err(Error::of(ErrorCode::ReplicationStartTickNotPresent)),
                Ok(Ended::Interrupted) => return Err(Error::of(ErrorCode::ReplicationApplierStopped)),
                Err(error) if is_passing(&error) && Instant::now() < end => {
                    self.following().pause(PAUSES.0);
                }
                Err(error) => return Err(error),
            }
        }
        self.compare(&work, comparison, force)?;
        self.leave_source();
        self.end()
    }

    fn compare(&self, work: &Work, comparison: Comparison, force: bool) -> Result<()> {
        if comparison == Comparison::None {
            return Ok(());
        }
        let mut databases = work.source.databases().map_err(|error| of_source(&error))?;
        databases.retain(|name| self.kept.source.includes(name));
        let compared = compare::all(work, &databases, comparison)?;
        let different: Vec<String> = compared
            .iter()
            .filter(|compared| !compared.is_equal)
            .map(|compared| format!("{}/{}", compared.database, compared.collection))
            .collect();
        self.following().update(|view| view.comparison = Some(compared));
        if different.is_empty() || force {
            return Ok(());
        }
        let message = format!("both servers differ in {}", different.join(", "));
        Err(Error::new(ErrorCode::ReplicationWrongChecksum, message))
    }

    /// Makes the other server accept writes again, if this one ended that.
    fn reopen_source(&mut self) {
        if !self.kept.has_closed_source {
            return;
        }
        let reopened = self
            .kept
            .source
            .connect(None)
            .and_then(|source| source.set_read_only(false).map_err(|error| of_source(&error)));
        match reopened {
            Ok(()) => {
                self.kept.has_closed_source = false;
                if let Err(error) = self.kept.store(self.instance.store()) {
                    tracing::warn!(target: "replication", "the state of the migration is not stored: {error}");
                }
            }
            Err(error) => tracing::error!(
                target: "replication",
                "the other server is still read-only, and cannot be reached to change that: {error}"
            ),
        }
    }

    /// Tells the other server that nobody reads its log here any more. It finds out by itself
    /// otherwise.
    fn leave_source(&self) {
        if let Ok(source) = self.kept.source.connect(None) {
            let _ = source.forget_reader(self.kept.reader);
        }
    }
}
