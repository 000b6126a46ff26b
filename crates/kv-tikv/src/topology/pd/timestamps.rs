//! Timestamps from PD. Concurrent requests share one message.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use kv::{Error, Result};
use prost::Message;
use tokio::sync::{mpsc, oneshot};

use super::{LOGICAL_BITS, Pd, header_error};
use crate::network::Exchange;
use crate::protocol::PdRequest;
use crate::protocol::pd::{TsoRequest, TsoResponse};
use crate::topology::retry::Retry;

/// Maximum number of requests that share one message.
const BATCH_MAX: usize = 4096;

/// Timestamps of one message beyond which further requests wait for the next. PD has 2^18 for a
/// millisecond, and the servers of a cluster share them.
const SHARED_MAX: u32 = 1 << 14;

/// A request for timestamps.
struct Waiting {
    count: u32,
    answer: oneshot::Sender<Result<u64>>,
}

/// The milliseconds of the latest timestamp, and the moment when it came.
type Last = (u64, Instant);

/// The source of timestamps: each is greater than all that were issued before it was requested.
pub(crate) struct Timestamps {
    waiting: mpsc::UnboundedSender<Waiting>,
    last: Arc<Mutex<Last>>,
}

impl Timestamps {
    /// Starts the task that asks PD.
    pub(crate) fn start(pd: Arc<Pd>) -> Self {
        let (waiting, receiver) = mpsc::unbounded_channel();
        let last = Arc::new(Mutex::new((0, Instant::now())));
        let task = Task { pd, stream: None, last: Arc::clone(&last) };
        tokio::spawn(task.run(receiver));
        Timestamps { waiting, last }
    }

    /// Returns a timestamp.
    pub(crate) async fn next(&self) -> Result<u64> {
        self.next_of(1).await
    }

    /// Returns the first of `count` timestamps that follow one another.
    pub(crate) async fn next_of(&self, count: u32) -> Result<u64> {
        let (answer, receiver) = oneshot::channel();
        self.waiting.send(Waiting { count, answer }).map_err(|_| Error::Closed)?;
        receiver.await.map_err(|_| Error::Closed)?
    }

    /// Returns the approximate milliseconds of a timestamp that PD would issue now, without asking
    /// it.
    pub(crate) fn milliseconds_now(&self) -> u64 {
        let (milliseconds, at) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        milliseconds + at.elapsed().as_millis() as u64
    }
}

/// Returns how many of the requests share a message, at least one, and how many timestamps they ask
/// for together.
fn share(requests: &[Waiting]) -> (usize, u32) {
    let (mut together, mut count) = (0, 0_u32);
    for request in requests {
        let more = count.saturating_add(request.count);
        if together > 0 && more > SHARED_MAX {
            break;
        }
        (together, count) = (together + 1, more);
    }
    (together, count)
}

struct Task {
    pd: Arc<Pd>,
    /// The address of PD's leader, and the stream to it.
    stream: Option<(String, Box<dyn Exchange>)>,
    last: Arc<Mutex<Last>>,
}

impl Task {
    /// Answers until nobody can ask any more.
    async fn run(mut self, mut receiver: mpsc::UnboundedReceiver<Waiting>) {
        let mut batch = Vec::new();
        while receiver.recv_many(&mut batch, BATCH_MAX).await > 0 {
            let mut rest = batch.as_slice();
            let mut answers = Vec::with_capacity(rest.len());
            while !rest.is_empty() {
                let (together, count) = share(rest);
                let mut next = self.take(count).await;
                for waiting in rest.iter().take(together) {
                    answers.push(next.clone());
                    next = next.map(|first| first + u64::from(waiting.count));
                }
                rest = rest.get(together..).unwrap_or_default();
            }
            for (waiting, answer) in batch.drain(..).zip(answers) {
                // A caller that no longer waits needs no answer.
                let _ = waiting.answer.send(answer);
            }
        }
    }

    /// Returns the first of `count` timestamps.
    async fn take(&mut self, count: u32) -> Result<u64> {
        let mut retry = Retry::within(self.pd.timeout);
        loop {
            match self.ask(count).await {
                Ok(first) => {
                    let last = (super::milliseconds(first), Instant::now());
                    *self.last.lock().unwrap_or_else(PoisonError::into_inner) = last;
                    return Ok(first);
                }
                Err(reason) => {
                    self.stream = None;
                    retry.pause(&reason).await?;
                    self.pd.find_leader().await;
                }
            }
        }
    }

    async fn ask(&mut self, count: u32) -> std::result::Result<u64, String> {
        let (leader, stream) = match &mut self.stream {
            Some((leader, stream)) => (leader, stream),
            none => {
                let leader = self.pd.leader();
                let opened = self.pd.network.open(&leader, TsoRequest::METHOD).await;
                let opened = opened.map_err(|fault| format!("PD at {leader} is {fault}"))?;
                let (leader, stream) = none.insert((leader, opened));
                (leader, stream)
            }
        };
        let request = TsoRequest { header: Some(self.pd.header()), count };
        let reply = stream.exchange(request.encode_to_vec().into()).await;
        let reply = reply.map_err(|fault| format!("PD at {leader} is {fault}"))?;
        let reply = TsoResponse::decode(reply).map_err(|error| error.to_string())?;
        if let Some((_, reason)) = header_error(&reply) {
            return Err(reason);
        }
        let last = reply.timestamp.ok_or("PD sent no timestamp")?;
        let last = u64::try_from((last.physical << LOGICAL_BITS) + last.logical)
            .map_err(|error| error.to_string())?;
        if reply.count != count || last < u64::from(count) {
            return Err("PD sent a wrong number of timestamps".to_owned());
        }
        Ok(last + 1 - u64::from(count))
    }
}
