//! The state of following another server: what everybody sees of it, and the orders to the thread
//! that does it.

mod marks;
mod source;
mod view;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) use marks::{Continuation, Marks};
pub use source::SourceOptions;
pub use view::{
    Compared, CopyProgress, FollowKind, FollowPhase, FollowView, LogProgress, Problem, SourceView,
};

/// How both servers are compared before the end of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comparison {
    /// By the keys and revisions of all documents.
    #[default]
    Revisions,
    /// By the numbers of documents.
    Counts,
    /// Not at all.
    None,
}

/// An order to the thread that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowOrder {
    /// End the work for now.
    Pause,
    /// Take the other server's place. With `force` also where both differ.
    CutOver { comparison: Comparison, force: bool },
    /// Give up, and remove what was copied.
    Abort,
    /// Accept writes from now on.
    Promote,
    /// End the thread, and leave everything as it is: the group has another leader.
    Yield,
}

/// The state of following another server.
#[derive(Default)]
pub(crate) struct Following {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// True while an order waits or the server stops. It also ends requests to the other server.
    interrupt: Arc<AtomicBool>,
    /// The positions in this server's log at which those of the other one were applied.
    marks: Mutex<Marks>,
}

#[derive(Default)]
struct Inner {
    view: FollowView,
    order: Option<FollowOrder>,
    is_stopping: bool,
    /// True while another server is copied once, without being followed.
    is_claimed: bool,
    worker: Option<JoinHandle<()>>,
}

impl Inner {
    /// Returns true if a thread works.
    fn is_working(&self) -> bool {
        self.worker.as_ref().is_some_and(|worker| !worker.is_finished())
    }
}

/// The time in which another server is copied once. No thread can be started.
pub(crate) struct Claim<'a>(&'a Following);

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.lock().is_claimed = false;
    }
}

impl Following {
    /// Returns what everybody sees.
    pub(crate) fn view(&self) -> FollowView {
        self.lock().view.clone()
    }

    /// Returns the phase.
    pub(crate) fn phase(&self) -> FollowPhase {
        self.lock().view.phase
    }

    /// Returns the address of the server that this one follows, and the lag; `None` if it follows
    /// none.
    pub(crate) fn leader(&self) -> Option<(String, Option<Duration>)> {
        let inner = self.lock();
        let view = &inner.view;
        view.phase.is_copy().then(|| (view.source.endpoint.clone(), view.lag()))
    }

    /// Changes what everybody sees.
    pub(crate) fn update(&self, change: impl FnOnce(&mut FollowView)) {
        change(&mut self.lock().view);
        self.changed.notify_all();
    }

    /// Returns the positions in this server's log at which those of the other one were applied.
    pub(crate) fn marks(&self) -> MutexGuard<'_, Marks> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the thread if there is one, and waits for it. Another one can be started afterwards.
    pub(crate) fn end_thread(&self) {
        if self.order(FollowOrder::Yield) {
            let worker = self.lock().worker.take();
            if let Some(worker) = worker {
                let _ = worker.join();
            }
        }
    }

    /// Returns the flag that is true while an order waits or the server stops.
    pub(crate) fn interrupt(&self) -> &Arc<AtomicBool> {
        &self.interrupt
    }

    /// Returns true if the work must pause at once, for an order or because the server stops.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Gives an order. Returns false if no thread works that could take it.
    pub(crate) fn order(&self, order: FollowOrder) -> bool {
        let mut inner = self.lock();
        if !inner.is_working() {
            return false;
        }
        if let FollowOrder::CutOver { .. } = order {
            // Whoever looks from now on must not take an earlier outcome for this one.
            inner.view.phase = FollowPhase::CuttingOver;
            inner.view.error = None;
            inner.view.comparison = None;
        }
        inner.view.is_cut_over_refused = false;
        inner.order = Some(order);
        self.interrupt.store(true, Ordering::Relaxed);
        self.changed.notify_all();
        true
    }

    /// Takes the order that waits.
    pub(crate) fn take_order(&self) -> Option<FollowOrder> {
        let mut inner = self.lock();
        let order = inner.order.take();
        if !inner.is_stopping {
            self.interrupt.store(false, Ordering::Relaxed);
        }
        order
    }

    /// Ends the requests to the other server.
    pub(crate) fn end_requests(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Allows requests again, unless an order waits or the server stops.
    pub(crate) fn allow_requests(&self) {
        let inner = self.lock();
        if inner.order.is_none() && !inner.is_stopping {
            self.interrupt.store(false, Ordering::Relaxed);
        }
    }

    /// Returns true once the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.lock().is_stopping
    }

    /// Waits, but not while an order waits or the server stops.
    pub(crate) fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        let mut inner = self.lock();
        while !self.is_interrupted() {
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return;
            };
            inner = self.changed.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns true if a thread works, or if another server is copied once.
    pub(crate) fn is_working(&self) -> bool {
        let inner = self.lock();
        inner.is_claimed || inner.is_working()
    }

    /// Keeps the thread from being started. Returns `None` if it works, if this server is a copy,
    /// or if another one has the claim.
    pub(crate) fn claim(&self) -> Option<Claim<'_>> {
        let mut inner = self.lock();
        if inner.is_claimed || inner.is_stopping || inner.is_working() || inner.view.phase.is_copy() {
            return None;
        }
        inner.is_claimed = true;
        Some(Claim(self))
    }

    /// Starts the thread, unless one works or the server stops. Returns false then.
    ///
    /// Errors: the system's, if it has no thread.
    pub(crate) fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<bool> {
        let mut inner = self.lock();
        if inner.is_stopping || inner.is_claimed || inner.is_working() {
            return Ok(false);
        }
        inner.order = None;
        self.interrupt.store(false, Ordering::Relaxed);
        inner.worker = Some(std::thread::Builder::new().name(name.into()).spawn(work)?);
        Ok(true)
    }

    /// Ends the thread, and waits for it. No other one starts.
    pub(crate) fn stop(&self) {
        let worker = {
            let mut inner = self.lock();
            inner.is_stopping = true;
            self.interrupt.store(true, Ordering::Relaxed);
            self.changed.notify_all();
            inner.worker.take()
        };
        if let Some(worker) = worker {
            let _ = worker.join();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
