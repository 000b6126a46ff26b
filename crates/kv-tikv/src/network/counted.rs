//! A network that counts its messages, for each process of the cluster.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use kv::{NodeRole, NodeStatistics, REPLY_CUTS};
use metrics::{Counter, Gauge, Histogram};

use super::{Exchange, Fault, Network, Pending};

/// Maximum number of addresses that are counted separately. Later ones count together.
const ADDRESSES_MAX: usize = 1024;

/// The name under which the addresses beyond [`ADDRESSES_MAX`] count.
const OTHERS: &str = "others";

/// The beginning of the methods of PD.
const METHODS_OF_PD: &str = "/pdpb.";

/// The counts of one process.
struct Counts {
    role: NodeRole,
    replies: Histogram<{ REPLY_CUTS.len() }>,
    failures: Counter,
    in_flight: Gauge,
    sent_bytes: Counter,
    received_bytes: Counter,
    /// The last message has no reply.
    is_failing: AtomicBool,
    /// A moving average of the microseconds until a reply; 0 before the first one.
    recent_us: AtomicU64,
}

/// The weight of a reply in the moving average is one of this many.
const RECENT_REPLIES: u64 = 8;

impl Counts {
    fn new(role: NodeRole) -> Self {
        Counts {
            role,
            replies: Histogram::of_times(&REPLY_CUTS),
            failures: Counter::new(),
            in_flight: Gauge::new(),
            sent_bytes: Counter::new(),
            received_bytes: Counter::new(),
            is_failing: AtomicBool::new(false),
            recent_us: AtomicU64::new(0),
        }
    }

    /// Counts a message that waits for its reply.
    fn begin(&self, message: &Bytes) -> InFlight<'_> {
        self.in_flight.increment();
        self.sent_bytes.add(message.len() as u64);
        InFlight { counts: self, begin: Instant::now() }
    }

    /// Counts the time of a reply. A concurrent one may get lost in the average.
    fn note_time(&self, time: Duration) {
        self.replies.add_time(time);
        let time_us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1);
        let recent_us = match self.recent_us.load(Ordering::Relaxed) {
            0 => time_us,
            recent_us => (recent_us * (RECENT_REPLIES - 1) + time_us) / RECENT_REPLIES,
        };
        self.recent_us.store(recent_us.max(1), Ordering::Relaxed);
    }

    fn fail(&self) {
        self.failures.increment();
        self.is_failing.store(true, Ordering::Relaxed);
    }

    fn statistics(&self, address: &str) -> NodeStatistics {
        NodeStatistics {
            address: address.to_owned(),
            role: self.role,
            failures: self.failures.get(),
            in_flight: self.in_flight.get(),
            replies: self.replies.summary(),
            sent_bytes: self.sent_bytes.get(),
            received_bytes: self.received_bytes.get(),
        }
    }
}

/// A message whose reply is awaited. When it is dropped, nobody may be waiting any longer.
struct InFlight<'a> {
    counts: &'a Counts,
    begin: Instant,
}

impl InFlight<'_> {
    fn end(self, reply: &Result<Bytes, Fault>) {
        match reply {
            Ok(reply) => {
                self.counts.note_time(self.begin.elapsed());
                self.counts.received_bytes.add(reply.len() as u64);
                self.counts.is_failing.store(false, Ordering::Relaxed);
            }
            // The process has answered.
            Err(Fault::Unimplemented(_)) => self.counts.note_time(self.begin.elapsed()),
            Err(_) => self.counts.fail(),
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.counts.in_flight.decrement();
    }
}

/// A network whose messages are counted.
pub(crate) struct Counted {
    network: Arc<dyn Network>,
    by_address: RwLock<BTreeMap<String, Arc<Counts>>>,
}

impl Counted {
    pub(crate) fn new(network: Arc<dyn Network>) -> Arc<Self> {
        Arc::new(Counted { network, by_address: RwLock::default() })
    }

    /// Returns the statistics of all processes, by address.
    pub(crate) fn statistics(&self) -> Vec<NodeStatistics> {
        let known = self.by_address.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(address, counts)| counts.statistics(address)).collect()
    }

    /// Returns true if the last message to a process has no reply.
    pub(crate) fn is_failing(&self, address: &str) -> bool {
        let known = self.by_address.read().unwrap_or_else(PoisonError::into_inner);
        known.get(address).is_some_and(|counts| counts.is_failing.load(Ordering::Relaxed))
    }

    /// Returns the seconds that a process takes for a reply, by its recent ones; `None` before the
    /// first one.
    pub(crate) fn reply_seconds(&self, address: &str) -> Option<f64> {
        let known = self.by_address.read().unwrap_or_else(PoisonError::into_inner);
        let recent_us = known.get(address)?.recent_us.load(Ordering::Relaxed);
        (recent_us > 0).then(|| recent_us as f64 / 1e6)
    }

    fn counts(&self, address: &str, method: &str) -> Arc<Counts> {
        let known = self.by_address.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counts) = known.get(address) {
            return Arc::clone(counts);
        }
        drop(known);
        let mut known = self.by_address.write().unwrap_or_else(PoisonError::into_inner);
        let name = if known.len() < ADDRESSES_MAX { address } else { OTHERS };
        let role = match method.starts_with(METHODS_OF_PD) {
            true => NodeRole::Placement,
            false => NodeRole::Data,
        };
        Arc::clone(known.entry(name.to_owned()).or_insert_with(|| Arc::new(Counts::new(role))))
    }
}

impl Network for Counted {
    fn call<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
        message: Bytes,
    ) -> Pending<'a, Result<Bytes, Fault>> {
        Box::pin(async move {
            let counts = self.counts(address, method);
            let in_flight = counts.begin(&message);
            let reply = self.network.call(address, method, message).await;
            in_flight.end(&reply);
            reply
        })
    }

    fn open<'a>(
        &'a self,
        address: &'a str,
        method: &'static str,
    ) -> Pending<'a, Result<Box<dyn Exchange>, Fault>> {
        Box::pin(async move {
            let counts = self.counts(address, method);
            let opened = self.network.open(address, method).await;
            let stream = opened.inspect_err(|_| counts.fail())?;
            Ok(Box::new(CountedStream { stream, counts }) as Box<dyn Exchange>)
        })
    }
}

/// A stream whose messages are counted.
struct CountedStream {
    stream: Box<dyn Exchange>,
    counts: Arc<Counts>,
}

impl Exchange for CountedStream {
    fn exchange(&mut self, message: Bytes) -> Pending<'_, Result<Bytes, Fault>> {
        Box::pin(async move {
            let in_flight = self.counts.begin(&message);
            let reply = self.stream.exchange(message).await;
            in_flight.end(&reply);
            reply
        })
    }
}
