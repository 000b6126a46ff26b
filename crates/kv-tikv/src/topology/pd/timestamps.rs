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

/// Maximum number of timestamps of one message.
const BATCH_MAX: usize = 4096;

type Waiting = oneshot::Sender<Result<u64>>;

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
        let (sender, receiver) = oneshot::channel();
        self.waiting.send(sender).map_err(|_| Error::Closed)?;
        receiver.await.map_err(|_| Error::Closed)?
    }

    /// Returns the approximate milliseconds of a timestamp that PD would issue now, without asking
    /// it.
    pub(crate) fn milliseconds_now(&self) -> u64 {
        let (milliseconds, at) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        milliseconds + at.elapsed().as_millis() as u64
    }
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
            let answer = self.take(batch.len() as u32).await;
            for (i, waiting) in batch.drain(..).enumerate() {
                // A caller that no longer waits needs no answer.
                let _ = waiting.send(answer.clone().map(|first| first + i as u64));
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
