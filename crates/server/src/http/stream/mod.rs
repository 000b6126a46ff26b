//! Replies whose chunks are made while they are sent.
//!
//! The chunks are made on the worker pool, at most [`CHUNKS_AHEAD`] before the client takes them. Between two of them
//! no thread waits: a client that reads slowly costs the memory of a few chunks and nothing else. What the source
//! pins in the storage engine it keeps for [`KEEP_PLACE`], since a client that reads fast is back before that, and a
//! new place costs as much as hundreds of documents.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use errors::{Error, Result};
use hyper::body::{Body, Frame, SizeHint};

use crate::placement::pool::WorkerPool;

/// How many chunks are made before the client takes them.
pub const CHUNKS_AHEAD: usize = 2;

/// How long a source that waits for its client keeps what it pins.
const KEEP_PLACE: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 1_000 });

/// Makes the chunks of a reply.
pub trait ChunkSource: Send {
    /// The next chunk, of any size but none (some 256 KiB spread its cost well); `None` at the end. An error breaks the
    /// reply off, so that the client cannot take it for complete.
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>>;

    /// The client does not take the chunks as fast as they are made: lets go of what pins memory until it does.
    fn release(&mut self) {}

    /// What is sent as the last chunk before the reply is broken off by an error.
    fn farewell(&self, _error: &Error) -> Option<Vec<u8>> {
        None
    }
}

/// The reply was broken off: the server could not make the next chunk.
#[derive(Debug)]
pub struct BrokenOff(Error);

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the reply was broken off: {}", self.0)
    }
}

impl std::error::Error for BrokenOff {}

/// The body of a streamed reply.
pub(crate) struct StreamBody {
    shared: Arc<Shared>,
    pool: Arc<WorkerPool>,
}

struct Shared {
    state: Mutex<State>,
}

struct State {
    ready: VecDeque<Bytes>,
    source: Source,
    waker: Option<Waker>,
    /// How often the source was parked.
    parked: u64,
    /// A task looks after sources that wait for long.
    is_watched: bool,
}

enum Source {
    /// Nobody makes chunks at the moment.
    Waiting(Box<dyn ChunkSource>),
    /// A job on the pool does.
    Running,
    /// All chunks were made.
    Finished,
    /// No more can be made; the error goes to the connection once the chunks before it are sent.
    Broken(Error),
    /// As `Broken`, one step later.
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
    pub(crate) fn new(source: Box<dyn ChunkSource>, pool: Arc<WorkerPool>) -> Self {
        let state = State {
            ready: VecDeque::new(),
            source: Source::Waiting(source),
            waker: None,
            parked: 0,
            is_watched: false,
        };
        StreamBody { shared: Arc::new(Shared { state: Mutex::new(state) }), pool }
    }

    /// Sees to it that a source does not keep its place for a client that does not come back.
    fn watch(&self, state: &mut State) {
        if !state.is_watched
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            state.is_watched = true;
            runtime.spawn(release_when_idle(Arc::downgrade(&self.shared)));
        }
    }

    /// Starts a job that makes chunks if there is room for them and nobody makes them.
    fn get_on(&self, state: &mut State) {
        if state.ready.len() >= CHUNKS_AHEAD {
            return;
        }
        match std::mem::replace(&mut state.source, Source::Running) {
            Source::Waiting(source) => {
                submit(&self.shared, &self.pool, source);
            }
            other => state.source = other,
        }
    }
}

/// Releases the source each time it has been parked for [`KEEP_PLACE`], until the reply is made or given up.
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

fn submit(shared: &Arc<Shared>, pool: &Arc<WorkerPool>, source: Box<dyn ChunkSource>) {
    let (shared, own_pool) = (Arc::clone(shared), Arc::clone(pool));
    pool.submit_further(Box::new(move || make_chunks(&shared, &own_pool, source)));
}

/// Makes chunks until there is no room for more, or other work waits for the thread.
fn make_chunks(shared: &Arc<Shared>, pool: &Arc<WorkerPool>, mut source: Box<dyn ChunkSource>) {
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
        if pool.queue_length() > 0 {
            return submit(shared, pool, source);
        }
    }
}

/// Leaves the source to be taken up when there is room again. Says false when there is room by now.
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

/// Stands for a source that has been moved on.
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
            // An error makes the connection forget what it has not sent yet; while a body waits, it sends.
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
        // Dropped outside the lock: a source may hold a snapshot whose end takes its time.
        drop(source);
    }
}

#[cfg(test)]
mod tests;
