//! The isolates of services: those that work, and those that wait for the next call.
//!
//! A warm isolate has loaded its service, so a call costs two switches of threads and no start. It
//! ends after a while without calls, after a number of calls, and when anything about the services
//! of its database changes. The number of isolates is bounded for the server, and for each service
//! below that, so that a service which is slow leaves room for the others.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use database::foxx::{IsolateLimits, ServiceSet};
use database::javascript::IsolateThread;
use database::{Session, Waiting};
use errors::{Error, ErrorCode, Result};

use super::host::World;

/// The longest wait for an isolate.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The time between two checks of a wait.
const NAP: Duration = Duration::from_millis(5);

/// The service of an isolate: its database and mount point.
pub(super) type Key = (Arc<str>, Arc<str>);

/// An isolate that has loaded a service, or is about to.
pub(super) struct Warm {
    pub(super) thread: IsolateThread,
    pub(super) world: Arc<World>,
    services: Arc<ServiceSet>,
    calls: u64,
    begun: Instant,
    used: Instant,
}

impl Warm {
    pub(super) fn new(thread: IsolateThread, world: Arc<World>, services: Arc<ServiceSet>) -> Self {
        let now = Instant::now();
        Warm { thread, world, services, calls: 0, begun: now, used: now }
    }
}

/// The isolates of all services.
pub(super) struct Pool {
    limits: IsolateLimits,
    table: Mutex<Table>,
    freed: Condvar,
}

#[derive(Default)]
struct Table {
    idle: HashMap<Key, Vec<Warm>>,
    /// The isolates that work, by service.
    working: HashMap<Key, usize>,
    /// All isolates.
    count: usize,
}

/// The right to use an isolate, which others may use afterwards.
pub(super) struct Place<'a> {
    pool: &'a Pool,
    key: Key,
    /// The isolate; none if one must be made, or it is not to be used again.
    warm: Option<Warm>,
}

impl Pool {
    pub(super) fn new(limits: IsolateLimits) -> Self {
        Pool { limits, table: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits for an isolate of a service, or for room to make one.
    ///
    /// Errors: 503 if there is none in time; 1500 if the request is ended.
    pub(super) fn take(&self, key: Key, services: &Arc<ServiceSet>, session: &Session) -> Result<Place<'_>> {
        let (begun, mut waiting) = (Instant::now(), None);
        let mut table = self.table();
        loop {
            // Isolates that are dropped end outside of the lock.
            let (found, ended) = table.take(&key, services, &self.limits);
            match found {
                Ok(warm) => {
                    drop(table);
                    drop(ended);
                    return Ok(Place { pool: self, key, warm });
                }
                Err(Busy) if begun.elapsed() < WAIT_MAX => {}
                Err(Busy) => {
                    let message = format!("all isolates for the service at {} are busy", key.1);
                    return Err(Error::new(ErrorCode::HttpServiceUnavailable, message));
                }
            }
            waiting.get_or_insert_with(Waiting::begin);
            table = self.freed.wait_timeout(table, NAP).unwrap_or_else(PoisonError::into_inner).0;
            session.check_interrupt()?;
        }
    }

    /// Ends the isolates that nobody has used for a while. It is called once a second.
    pub(super) fn expire(&self) {
        let mut ended = Vec::new();
        let mut table = self.table();
        for warm in table.idle.values_mut() {
            ended.extend(warm.extract_if(.., |warm| warm.used.elapsed() >= self.limits.idle));
        }
        table.idle.retain(|_, warm| !warm.is_empty());
        table.count -= ended.len();
        drop(table);
        drop(ended);
    }

    /// Locks the table. No code that can panic runs under this lock.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// There is neither an isolate nor room to make one.
struct Busy;

impl Table {
    /// Takes an isolate of a service; `None` if there is room to make one.
    ///
    /// The second result are the isolates that have to end.
    fn take(
        &mut self,
        key: &Key,
        services: &Arc<ServiceSet>,
        limits: &IsolateLimits,
    ) -> (std::result::Result<Option<Warm>, Busy>, Vec<Warm>) {
        let mut ended = Vec::new();
        if let Some(idle) = self.idle.get_mut(key) {
            ended.extend(idle.extract_if(.., |warm| !Arc::ptr_eq(&warm.services, services)));
            self.count -= ended.len();
            if let Some(warm) = idle.pop() {
                *self.working.entry(key.clone()).or_default() += 1;
                return (Ok(Some(warm)), ended);
            }
        }
        if self.working.get(key).is_some_and(|working| *working >= limits.most_of_one_service()) {
            return (Err(Busy), ended);
        }
        if self.count >= limits.most {
            match self.take_longest_idle() {
                Some(warm) => ended.push(warm),
                None => return (Err(Busy), ended),
            }
        }
        self.count += 1;
        *self.working.entry(key.clone()).or_default() += 1;
        (Ok(None), ended)
    }

    /// Takes the isolate that has waited longest for a call.
    fn take_longest_idle(&mut self) -> Option<Warm> {
        let oldest = |warm: &Vec<Warm>| warm.first().map(|warm| warm.used);
        let (key, _) =
            self.idle.iter().filter(|(_, warm)| !warm.is_empty()).min_by_key(|(_, warm)| oldest(warm))?;
        let key = key.clone();
        let warm = self.idle.get_mut(&key)?.remove(0);
        self.count -= 1;
        Some(warm)
    }
}

impl Place<'_> {
    /// Returns the isolate, which `make` makes if there is none. Errors: those of `make`.
    pub(super) fn warm(&mut self, make: impl FnOnce() -> Result<Warm>) -> Result<&mut Warm> {
        match &mut self.warm {
            Some(warm) => Ok(warm),
            none => Ok(none.insert(make()?)),
        }
    }

    /// Gives the isolate up, because it cannot be used again.
    pub(super) fn discard(&mut self) {
        self.warm = None;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let limits = &self.pool.limits;
        let kept = self.warm.take().and_then(|mut warm| {
            warm.calls += 1;
            warm.used = Instant::now();
            let is_spent = warm.calls >= limits.calls || warm.begun.elapsed() >= limits.age;
            (!is_spent).then_some(warm)
        });
        let mut table = self.pool.table();
        if let Some(working) = table.working.get_mut(&self.key) {
            *working -= 1;
            if *working == 0 {
                table.working.remove(&self.key);
            }
        }
        match kept {
            Some(warm) => table.idle.entry(self.key.clone()).or_default().push(warm),
            None => table.count -= 1,
        }
        drop(table);
        self.pool.freed.notify_one();
    }
}
