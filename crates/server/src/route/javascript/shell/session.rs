//! A session of a shell: an isolate that stays from one input to the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use database::javascript::{Call, IsolateThread, ended, text};
use database::{Owner, Session, Waiting};
use errors::{Error, ErrorCode, Result};
use javascript::Failure;
use velocypack::Slice;

use super::host::{ShellHost, World};
use crate::route::javascript::activity::Watcher;
use crate::route::javascript::origin::Origin;

/// The maximum memory of a session, charged as a whole while it is open.
const MEMORY_MAX_BYTES: u64 = 32 << 20;

/// The time that an input which was stopped has to end. A builtin function is never interrupted.
const STOP_TIME: Duration = Duration::from_secs(5);

/// The time between two checks of a session that another request uses.
const NAP: Duration = Duration::from_millis(5);

/// The end of an input.
pub(super) struct Outcome {
    /// The text that it printed.
    pub(super) printed: String,
    /// Its value as text, unless that is undefined.
    pub(super) shown: Option<String>,
    /// The exception that it did not catch.
    pub(super) exception: Option<String>,
}

/// A session of a shell.
pub(super) struct ShellSession {
    pub(super) owner: Owner,
    thread: Mutex<IsolateThread>,
    world: Arc<World>,
    used: Mutex<Instant>,
    /// True once an input could not be stopped, so that no other can run.
    is_lost: AtomicBool,
}

impl ShellSession {
    /// Makes a session. Errors: 32.
    pub(super) fn new(session: &Session) -> Result<Self> {
        let world = Arc::<World>::default();
        let host = ShellHost { world: Arc::clone(&world), database: session.database_name().to_string() };
        let make = move || -> Box<dyn javascript::Host> { Box::new(host) };
        let thread = IsolateThread::start_within(make, &session.request_memory(), MEMORY_MAX_BYTES)?;
        Ok(ShellSession {
            owner: session.owner(),
            thread: Mutex::new(thread),
            world,
            used: Mutex::new(Instant::now()),
            is_lost: AtomicBool::new(false),
        })
    }

    /// Runs an input. A stopped one leaves the session and its variables as they are.
    ///
    /// Errors: 1601 if another input runs for the lock time of transactions; 1500 if the input is
    /// ended, or sends no request for their idle time; 32.
    pub(super) fn run(&self, origin: &Origin, source: &str) -> Result<Outcome> {
        let limits = origin.session.instance().transactions().limits();
        let mut thread = self.lock(origin, limits.lock_timeout)?;
        self.note_use();
        self.world.begin(origin);
        let watcher = Watcher::of(&self.world.activity);
        let may_continue = || {
            let checked = origin.session.check_interrupt().and_then(|()| watcher.check(limits.idle_timeout));
            // The request that the input waits for ends as well.
            checked.inspect_err(|_| origin.interrupt().kill())
        };
        let call = Call::new("persea/inputs", "run", vec![text(source)?]);
        let called = thread.call(call, may_continue, |outcome| Ok(shown(outcome)));
        if called.is_err() && !thread.recover(STOP_TIME) {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        let printed = self.world.end();
        self.note_use();
        match called? {
            Ok((shown, exception)) => Ok(Outcome { printed, shown, exception }),
            Err(Failure::Exception(exception)) => {
                Ok(Outcome { printed, shown: None, exception: Some(exception.message) })
            }
            Err(failure) => Err(ended(&failure)),
        }
    }

    /// Returns true if the session can run no further inputs.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Returns the moment of the last use.
    pub(super) fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true while an input runs.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.thread.try_lock(), Err(TryLockError::WouldBlock))
    }

    fn note_use(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Waits for the input that another request runs.
    fn lock(&self, origin: &Origin, longest: Duration) -> Result<MutexGuard<'_, IsolateThread>> {
        let (begin, mut waiting) = (Instant::now(), None);
        loop {
            if self.is_lost() {
                return Err(not_found());
            }
            match self.thread.try_lock() {
                Ok(thread) => return Ok(thread),
                Err(TryLockError::Poisoned(_)) => self.is_lost.store(true, Ordering::Relaxed),
                Err(TryLockError::WouldBlock) if begin.elapsed() >= longest => {
                    let message = "the session is running another input; wait for it to end, or stop it";
                    return Err(Error::new(ErrorCode::CursorBusy, message));
                }
                Err(TryLockError::WouldBlock) => {
                    waiting.get_or_insert_with(Waiting::begin);
                    std::thread::sleep(NAP);
                }
            }
            origin.session.check_interrupt()?;
        }
    }
}

/// Returns the value and the exception in what the module returned.
fn shown(outcome: Slice<'_>) -> (Option<String>, Option<String>) {
    let text = |name| outcome.get(name).and_then(Slice::as_str).map(str::to_owned);
    (text("shown"), text("exception"))
}

/// Returns the error for a session that has ended or never was.
pub(super) fn not_found() -> Error {
    Error::new(ErrorCode::HttpNotFound, "there is no such session of the shell; it may have ended")
}
