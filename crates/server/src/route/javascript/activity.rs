//! The activity of a script, as the thread sees it that waits for the script.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use database::{Waiting, waiting};
use errors::{Error, ErrorCode, Result};

/// The requests of a script.
pub(in crate::route) struct Activity {
    /// The end of the last request; none during one.
    idle_since: Mutex<Option<Instant>>,
    /// The request waits for others.
    waits: AtomicBool,
}

impl Default for Activity {
    fn default() -> Self {
        Activity { idle_since: Mutex::new(Some(Instant::now())), waits: AtomicBool::new(false) }
    }
}

impl Activity {
    /// Notes the start of a script.
    pub(in crate::route) fn begin(&self) {
        self.set(Some(Instant::now()));
    }

    /// Runs a request of the script, on the script's thread.
    pub(in crate::route) fn request<T>(self: &Arc<Self>, run: impl FnOnce() -> T) -> T {
        self.set(None);
        let answer = waiting::observe(Rc::new(Observer(Arc::clone(self))), run);
        self.set(Some(Instant::now()));
        answer
    }

    fn set(&self, since: Option<Instant>) {
        *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}

/// Notes the waits of a script's thread.
struct Observer(Arc<Activity>);

impl waiting::WaitObserver for Observer {
    fn waits(&self) {
        self.0.waits.store(true, Ordering::Relaxed);
    }
    fn continues(&self) {
        self.0.waits.store(false, Ordering::Relaxed);
    }
}

/// The thread that waits for a script. It is free for others while the script's request waits.
pub(in crate::route) struct Watcher<'a> {
    activity: &'a Activity,
    waiting: RefCell<Option<Waiting>>,
}

impl<'a> Watcher<'a> {
    pub(in crate::route) fn of(activity: &'a Activity) -> Self {
        Watcher { activity, waiting: RefCell::new(None) }
    }

    /// Follows the script. It is called every few milliseconds.
    ///
    /// Errors: 1500 if the script was idle for so long.
    pub(in crate::route) fn check(&self, timeout: Duration) -> Result<()> {
        let mut waiting = self.waiting.borrow_mut();
        match self.activity.waits.load(Ordering::Relaxed) {
            true if waiting.is_none() => *waiting = Some(Waiting::begin()),
            true => {}
            false => *waiting = None,
        }
        let since = *self.activity.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.is_none_or(|since| since.elapsed() < timeout) {
            return Ok(());
        }
        let message = format!("the script has sent no request for {} s", timeout.as_secs());
        Err(Error::new(ErrorCode::QueryKilled, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Pool(RefCell<Vec<&'static str>>);

    impl waiting::WaitObserver for Pool {
        fn waits(&self) {
            self.0.borrow_mut().push("waits");
        }
        fn continues(&self) {
            self.0.borrow_mut().push("continues");
        }
    }

    #[test]
    fn the_thread_that_waits_for_a_script_is_free_while_a_request_waits() {
        let (activity, pool) = (Arc::<Activity>::default(), Rc::<Pool>::default());
        let second = Duration::from_secs(1);
        waiting::observe(Rc::clone(&pool) as Rc<dyn waiting::WaitObserver>, || {
            let watcher = Watcher::of(&activity);
            watcher.check(second).unwrap();
            activity.waits.store(true, Ordering::Relaxed);
            watcher.check(second).unwrap();
            watcher.check(second).unwrap();
            activity.waits.store(false, Ordering::Relaxed);
            watcher.check(second).unwrap();
        });
        assert_eq!(*pool.0.borrow(), ["waits", "continues"]);
    }

    #[test]
    fn a_wait_of_a_request_is_noted() {
        let activity = Arc::<Activity>::default();
        let waits = activity.request(|| {
            let _waiting = Waiting::begin();
            activity.waits.load(Ordering::Relaxed)
        });
        assert!(waits && !activity.waits.load(Ordering::Relaxed));
    }

    #[test]
    fn a_script_without_requests_is_idle() {
        let activity = Arc::<Activity>::default();
        let watcher = Watcher::of(&activity);
        assert_eq!(watcher.check(Duration::ZERO).unwrap_err().number(), 1500);
        activity.request(|| watcher.check(Duration::ZERO)).unwrap();
    }
}
