//! One issuer: its keys, and the moments at which they are fetched.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::fetch::{Metadata, discover};
use crate::jwk::{Algorithm, Key, KeySet};
use crate::options::IssuerOptions;

/// Maximum number of requests that wait for the keys of an issuer.
const WAITING_MAX: usize = 64;

/// The times that bound fetches of keys.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The least time between the beginnings of two fetches of one issuer.
    pub interval: Duration,
    /// The age from which keys are fetched again, while they are in use.
    pub refresh: Duration,
    /// The age from which keys are not used any more.
    pub end: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            interval: Duration::from_secs(30),
            refresh: Duration::from_secs(15 * 60),
            end: Duration::from_secs(24 * 3_600),
        }
    }
}

/// Called once a fetch has ended.
type Notice = Box<dyn FnOnce() + Send>;

/// An issuer.
pub(crate) struct Issuer {
    pub(crate) options: IssuerOptions,
    pace: Pace,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: Option<Known>,
    last_begin: Option<Instant>,
    is_fetching: bool,
    /// The reason why the last fetch failed.
    failure: Option<String>,
    waiting: Vec<Notice>,
}

/// The result of the last fetch that succeeded.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) metadata: Arc<Metadata>,
    keys: Arc<KeySet>,
    fetched: Instant,
}

/// The state of the key for a token.
pub(crate) enum KeyState {
    Known(Box<Key>),
    /// A fetch is in progress, which may find the key.
    Fetching,
    /// The issuer has no such key.
    Missing,
    /// There are no keys, for a reason.
    Unavailable(String),
}

/// A fetch of keys that a token waits for.
#[derive(Clone)]
pub struct KeyFetch {
    issuer: Arc<Issuer>,
}

impl std::fmt::Debug for KeyFetch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "KeyFetch({})", self.issuer.options.id)
    }
}

impl KeyFetch {
    pub(crate) fn of(issuer: &Arc<Issuer>) -> Self {
        KeyFetch { issuer: Arc::clone(issuer) }
    }

    /// Calls `notice` once the fetch has ended, with or without keys; immediately if it already
    /// has.
    ///
    /// Returns false, and calls nothing, if too many wait.
    pub fn when_ended(&self, notice: impl FnOnce() + Send + 'static) -> bool {
        let mut state = self.issuer.lock();
        if state.is_fetching {
            if state.waiting.len() >= WAITING_MAX {
                return false;
            }
            state.waiting.push(Box::new(notice));
            return true;
        }
        drop(state);
        notice();
        true
    }
}

impl Issuer {
    pub(crate) fn new(options: IssuerOptions, pace: Pace) -> Arc<Self> {
        Arc::new(Issuer { options, pace, state: Mutex::default() })
    }

    /// Returns the key of a signature, and begins a fetch if it may bring the key.
    pub(crate) fn key(self: &Arc<Self>, id: Option<&str>, algorithm: Algorithm) -> KeyState {
        let mut state = self.lock();
        let known = self.usable(&state).cloned();
        let key = known.as_ref().and_then(|known| known.keys.find(id, algorithm)).cloned();
        if let (Some(key), Some(known)) = (key, &known) {
            if known.fetched.elapsed() >= self.pace.refresh {
                self.begin_fetch(&mut state);
            }
            return KeyState::Known(Box::new(key));
        }
        if state.is_fetching || self.begin_fetch(&mut state) {
            return KeyState::Fetching;
        }
        match known {
            Some(_) => KeyState::Missing,
            None => KeyState::Unavailable(self.reason(&state)),
        }
    }

    /// Returns what is known of the issuer. Without that it begins a fetch, which the error names
    /// if it has begun.
    pub(crate) fn metadata(self: &Arc<Self>) -> Result<Arc<Metadata>, Result<KeyFetch, String>> {
        let mut state = self.lock();
        if let Some(known) = self.usable(&state) {
            return Ok(Arc::clone(&known.metadata));
        }
        match state.is_fetching || self.begin_fetch(&mut state) {
            true => Err(Ok(KeyFetch::of(self))),
            false => Err(Err(self.reason(&state))),
        }
    }

    /// Begins the first fetch.
    pub(crate) fn prepare(self: &Arc<Self>) {
        let mut state = self.lock();
        self.begin_fetch(&mut state);
    }

    fn reason(&self, state: &State) -> String {
        let failure = state.failure.as_deref().unwrap_or("its keys have not been fetched for too long");
        format!("the issuer {} is not available: {failure}", self.options.issuer)
    }

    fn usable<'a>(&self, state: &'a State) -> Option<&'a Known> {
        state.known.as_ref().filter(|known| known.fetched.elapsed() < self.pace.end)
    }

    /// Begins a fetch on a thread of its own. Returns false if it is too early for one.
    fn begin_fetch(self: &Arc<Self>, state: &mut State) -> bool {
        let is_early = state.last_begin.is_some_and(|begin| begin.elapsed() < self.pace.interval);
        if state.is_fetching || is_early {
            return false;
        }
        let issuer = Arc::clone(self);
        let spawned =
            std::thread::Builder::new().name("openid-keys".to_owned()).spawn(move || issuer.fetch());
        state.last_begin = Some(Instant::now());
        state.is_fetching = spawned.is_ok();
        if let Err(error) = spawned {
            state.failure = Some(format!("no thread can be started: {error}"));
        }
        state.is_fetching
    }

    fn fetch(&self) {
        /// Ends the fetch, also after a panic.
        struct End<'a>(&'a Issuer);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                let mut state = self.0.lock();
                state.is_fetching = false;
                let waiting = std::mem::take(&mut state.waiting);
                drop(state);
                waiting.into_iter().for_each(|notice| notice());
            }
        }
        let end = End(self);
        let begin = Instant::now();
        let fetched = discover(&self.options);
        let mut state = self.lock();
        match fetched {
            Ok((metadata, keys)) => {
                tracing::debug!(
                    target: "authentication",
                    issuer = self.options.issuer,
                    keys = keys.len(),
                    "fetched the keys of an issuer"
                );
                let (metadata, keys) = (Arc::new(metadata), Arc::new(keys));
                state.known = Some(Known { metadata, keys, fetched: begin });
                state.failure = None;
            }
            Err(error) => {
                let keeps = self.usable(&state).is_some();
                tracing::warn!(
                    target: "authentication",
                    issuer = self.options.issuer,
                    keeps,
                    "cannot fetch the keys of an issuer: {error}"
                );
                state.failure = Some(error);
            }
        }
        drop(state);
        drop(end);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
