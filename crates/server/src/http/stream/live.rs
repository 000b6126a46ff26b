//! Replies without end: their chunks come when there is something new.
//!
//! Each has a task of the runtime, which waits for news without a thread. The worker pool makes the
//! chunks. One chunk waits for the client; a client that does not read it for [`SLOW`] is cut off,
//! and may return with the last token that it has.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use database::{Interrupt, Waiting};
use errors::{Error, Result};
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::HeaderValue;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::{BrokenOff, Threads};
use crate::http::reply_memory::ReplyMemory;
use crate::http::waits::news_or;

/// The time after which a client that does not read is cut off.
const SLOW: Duration = Duration::from_secs(60);
/// The time between two looks of a thread that waits for the end of a reply.
const NAP: Duration = Duration::from_millis(5);
/// The error of callers that need a whole reply.
pub(crate) const NO_END: &str = "a reply without end cannot be a part of a batch or the result of a job";

/// A source of chunks.
pub(crate) trait LiveSource: Send {
    /// Returns true if there may be something new.
    fn has_news(&self) -> bool;

    /// Returns what is new, perhaps nothing; `None` at the end. An error ends the reply.
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>>;

    /// Returns what tells the client that the server is still there.
    fn heartbeat(&mut self) -> Vec<u8>;

    /// Returns the last chunk before an error ends the reply.
    fn farewell(&mut self, error: &Error) -> Vec<u8>;

    /// Releases the memory that it pins, because it waits.
    fn release(&mut self);
}

/// A reply without end.
pub(crate) struct Live {
    pub(crate) content_type: HeaderValue,
    pub(crate) source: Box<dyn LiveSource>,
    /// Changes whenever there may be something new.
    pub(crate) news: watch::Receiver<u64>,
    /// The time between two signs of life.
    pub(crate) heartbeat: Duration,
    /// The source ends with its first news, or with its first sign of life.
    pub(crate) ends: bool,
}

/// The body of a reply without end.
pub(crate) struct LiveBody {
    /// The task, until the connection first asks for a chunk: only there is the runtime.
    task: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    chunks: mpsc::Receiver<Bytes>,
}

impl Live {
    /// Returns the body. Its task starts when the connection first asks for a chunk.
    pub(crate) fn start(self, threads: Threads, memory: ReplyMemory) -> LiveBody {
        let (sender, chunks) = mpsc::channel(1);
        LiveBody { task: Some(Box::pin(self.run(threads, memory, sender))), chunks }
    }

    /// Waits on the calling thread for the end of a reply that has one, and returns it.
    ///
    /// Errors: 10 for a reply without end, 1500 if it is ended, those of the source.
    pub(crate) fn whole(mut self, interrupt: &Interrupt) -> Result<Vec<u8>> {
        if !self.ends {
            return Err(Error::bad_parameter(NO_END));
        }
        let (mut reply, deadline) = (Vec::new(), Instant::now() + self.heartbeat);
        loop {
            interrupt.check()?;
            if self.source.has_news() {
                match self.source.next_chunk()? {
                    Some(chunk) => reply.extend_from_slice(&chunk),
                    None => return Ok(reply),
                }
            } else if Instant::now() >= deadline {
                reply.extend_from_slice(&self.source.heartbeat());
            } else {
                self.source.release();
                let _waiting = Waiting::begin();
                std::thread::sleep(NAP);
            }
        }
    }

    async fn run(mut self, threads: Threads, memory: ReplyMemory, sender: mpsc::Sender<Bytes>) {
        loop {
            self.news.borrow_and_update();
            let chunk = if self.source.has_news() {
                let Some((source, made)) = make_chunk(self.source, &threads).await else { return };
                self.source = source;
                match made {
                    Ok(None) => return,
                    Ok(Some(chunk)) if chunk.is_empty() => continue,
                    Ok(Some(chunk)) => chunk,
                    Err(error) => {
                        let _ = timeout(SLOW, sender.send(self.source.farewell(&error).into())).await;
                        return;
                    }
                }
            } else {
                self.source.release();
                match timeout(self.heartbeat, news_or(&mut self.news, sender.closed())).await {
                    Ok(true) => continue,
                    // The client has gone, or the server ends.
                    Ok(false) => return,
                    Err(_) => self.source.heartbeat(),
                }
            };
            let Ok(chunk) = memory.hold(chunk.into()) else { return };
            if !matches!(timeout(SLOW, sender.send(chunk)).await, Ok(Ok(()))) {
                return;
            }
        }
    }
}

/// Makes the next chunk on the worker pool; `None` if the pool has ended.
async fn make_chunk(
    mut source: Box<dyn LiveSource>,
    threads: &Threads,
) -> Option<(Box<dyn LiveSource>, Result<Option<Vec<u8>>>)> {
    let (sender, made) = oneshot::channel();
    let job = move || {
        let chunk = source.next_chunk();
        // Nobody waits for it if the client has gone.
        drop(sender.send((source, chunk)));
    };
    threads.pool.submit_further(&threads.user, Box::new(job));
    made.await.ok()
}

impl Body for LiveBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, BrokenOff>>> {
        let body = self.get_mut();
        if let Some(task) = body.task.take() {
            tokio::spawn(task);
        }
        body.chunks.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
