//! Streamed replies: their chunks are made while they are sent.
//!
//! The worker pool makes the chunks, at most [`CHUNKS_AHEAD`] before the client reads them. No
//! thread waits between two chunks: a slow client costs only the memory of a few chunks. The source
//! keeps its place in the storage engine for [`KEEP_PLACE`]. A fast client returns before that
//! time, and a new place costs as much as reading hundreds of documents.

pub(crate) mod live;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use database::Charge;
use errors::{Error, Result};
use hyper::body::{Body, Frame, SizeHint};

use crate::placement::pool::{User, WorkerPool};

/// Chunks that are made before the client reads them.
pub const CHUNKS_AHEAD: usize = 2;

/// Time for which a waiting source keeps its place in the storage engine.
const KEEP_PLACE: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1_000 });

/// A source of a reply's chunks.
pub trait ChunkSource: Send {
    /// Returns the next chunk, or `None` at the end.
    ///
    /// A chunk must not be empty; some 256 KiB spread its cost well. An error breaks the reply off,
    /// so that the client cannot take it for complete.
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>>;

    /// Releases the memory that it pins, because the client is slow, until the next chunk is
    /// requested.
    fn release(&mut self) {}

    /// Returns the last chunk before an error breaks the reply off.
    fn farewell(&self, _error: &Error) -> Option<Vec<u8>> {
        None
    }
}

/// The error of a reply that broke off because the server could not make the next chunk.
#[derive(Debug)]
pub struct BrokenOff(Error);

impl BrokenOff {
    /// Returns the error of a reply of another server that broke off.
    pub(crate) fn elsewhere(error: &hyper::Error) -> Self {
        BrokenOff(Error::internal(format!("the reply of another server: {error}")))
    }
}

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the reply was interrupted: {}", self.0)
    }
}

impl std::error::Error for BrokenOff {}

/// The threads that make the chunks of a reply, and the user that they work for.
#[derive(Clone)]
pub(crate) struct Threads {
    pub(crate) pool: Arc<WorkerPool>,
    pub(crate) user: User,
}

/// The body of a streamed reply.
pub(crate) struct StreamBody {
    shared: Arc<Shared>,
    threads: Threads,
    _memory: Option<Charge>,
}

struct Shared {
    state: Mutex<State>,
}

struct State {
    ready: VecDeque<Bytes>,
    source: Source,
    waker: Option<Waker>,
    /// Number of times that the source was parked.
    parked: u64,
    /// True if a task releases a source that waits for long.
    is_watched: bool,
}

enum Source {
    /// The source waits. No job makes chunks.
    Waiting(Box<dyn ChunkSource>),
    /// A job on the pool makes chunks.
    Running,
    /// All chunks were made.
    Finished,
    /// The source failed. The connection gets the error after the remaining chunks are sent.
    Broken(Error),
    /// The source failed and the chunks are sent; the next poll returns the error.
    BreakingOff(Error),
    /// The client has gone.
    Abandoned,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamBody {
    /// Returns the body. `memory` is the memory of its chunks.
    pub(crate) fn new(source: Box<dyn ChunkSource>, threads: Threads, memory: Option<Charge>) -> Self {
        let state = State {
            ready: VecDeque::new(),
            source: Source::Waiting(source),
            waker: None,
            parked: 0,
            is_watched: false,
        };
        StreamBody { shared: Arc::new(Shared { state: Mutex::new(state) }), threads, _memory: memory }
    }

    /// Ensures that a source does not keep its place for a client that stops reading.
    fn watch(&self, state: &mut State) {
        if !state.is_watched
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            state.is_watched = true;
            runtime.spawn(release_when_idle(Arc::downgrade(&self.shared)));
        }
    }

    /// Starts a job that makes chunks, if there is room for them and no job is running.
    fn get_on(&self, state: &mut State) {
        if state.ready.len() >= CHUNKS_AHEAD {
            return;
        }
        match std::mem::replace(&mut state.source, Source::Running) {
            Source::Waiting(source) => {
                submit(&self.shared, &self.threads, source);
            }
            other => state.source = other,
        }
    }
}

/// Releases the source whenever it was parked for [`KEEP_PLACE`], until the reply is complete or
/// abandoned.
async fn release_when_idle(shared: Weak<Shared>) {
    let mut seen = 0;
    loop {
        tokio::time::sleep(KEEP_PLACE).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut state = shared.lock();
        let parked = state.parked;
        match &mut state.source {
            Source::Waiting(source) if parked == seen => source.release(),
            Source::Waiting(_) | Source::Running => {}
            _ => return,
        }
        seen = parked;
    }
}

fn submit(shared: &Arc<Shared>, threads: &Threads, source: Box<dyn ChunkSource>) {
    let (shared, own) = (Arc::clone(shared), threads.clone());
    let work = move || make_chunks(&shared, &own, source);
    threads.pool.submit_further(&threads.user, Box::new(work));
}

/// Makes chunks until there is no room for more, or other work waits for the thread.
fn make_chunks(shared: &Arc<Shared>, threads: &Threads, mut source: Box<dyn ChunkSource>) {
    loop {
        let made = catch_unwind(AssertUnwindSafe(|| source.next_chunk()));
        let made = made.unwrap_or_else(|_| Err(Error::internal("a panic while the reply was made")));
        let mut state = shared.lock();
        if matches!(state.source, Source::Abandoned) {
            drop(state);
            return;
        }
        match made {
            Ok(Some(chunk)) if chunk.is_empty() => continue,
            Ok(Some(chunk)) => state.ready.push_back(chunk.into()),
            Ok(None) => state.source = Source::Finished,
            Err(error) => {
                state.ready.extend(source.farewell(&error).map(Bytes::from));
                state.source = Source::Broken(error);
            }
        }
        let waker = state.waker.take();
        let running = matches!(state.source, Source::Running);
        let is_full = state.ready.len() >= CHUNKS_AHEAD;
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        if !running {
            return;
        }
        if is_full && park(shared, &mut source) {
            return;
        }
        if threads.pool.queue_length() > 0 {
            return submit(shared, threads, source);
        }
    }
}

/// Parks the source until there is room again. Returns false if there is room already.
fn park(shared: &Shared, source: &mut Box<dyn ChunkSource>) -> bool {
    let mut state = shared.lock();
    if matches!(state.source, Source::Abandoned) {
        return true;
    }
    if state.ready.len() < CHUNKS_AHEAD {
        return false;
    }
    let source = std::mem::replace(source, Box::new(Empty));
    state.source = Source::Waiting(source);
    state.parked += 1;
    true
}

/// A placeholder for a source that was moved.
struct Empty;

impl ChunkSource for Empty {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

impl Body for StreamBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BrokenOff>>> {
        let mut state = self.shared.lock();
        let chunk = state.ready.pop_front();
        self.get_on(&mut state);
        self.watch(&mut state);
        if let Some(chunk) = chunk {
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match std::mem::replace(&mut state.source, Source::Finished) {
            source @ (Source::Waiting(_) | Source::Running) => {
                state.source = source;
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
            Source::Finished => Poll::Ready(None),
            Source::Abandoned => {
                state.source = Source::Abandoned;
                Poll::Ready(None)
            }
            // An error makes the connection discard unsent bytes. While the body is pending, it
            // sends them.
            Source::Broken(error) => {
                state.source = Source::BreakingOff(error);
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Source::BreakingOff(error) => Poll::Ready(Some(Err(BrokenOff(error)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        let state = self.shared.lock();
        state.ready.is_empty() && matches!(state.source, Source::Finished)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

impl Drop for StreamBody {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let source = std::mem::replace(&mut state.source, Source::Abandoned);
        state.ready.clear();
        drop(state);
        // Dropped outside the lock: releasing a source's snapshot may take long.
        drop(source);
    }
}

#[cfg(test)]
mod tests;
