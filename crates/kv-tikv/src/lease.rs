//! The lease of a store: only one server at a time uses it.
//!
//! The fact `lease` names the holder and the moment of its last sign of life, in milliseconds of
//! the cluster's timestamps. Another server may take the lease when that is long ago. The holder
//! itself stops to write earlier than that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kv::{Error, Result};

use crate::client::Client;
use crate::commit::{Commit, PATIENCE_MIN};
use crate::keys::Keys;
use crate::options::TikvOptions;
use crate::pd;
use crate::protocol::kv::{Mutation, Op};

/// The name of the fact.
const NAME: &str = "lease";

/// The time without a sign of life after which others may take the lease.
const LIFE: Duration = Duration::from_secs(10);

/// The time without a sign of life after which the holder itself no longer writes.
const OWN_LIFE: Duration = Duration::from_secs(8);

/// The time between two looks at the lease of another server.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The lease of this server.
pub(crate) struct Lease {
    key: Vec<u8>,
    holder: u64,
    started: Instant,
    /// Milliseconds from `started` to the last sign of life.
    renewed: AtomicU64,
    is_lost: AtomicBool,
    /// False if several servers share the store, as tests do.
    is_exclusive: bool,
}

/// The text of the fact.
struct Record {
    holder: u64,
    /// Milliseconds of the cluster's time.
    renewed: u64,
    process: String,
}

impl Record {
    fn text(&self) -> String {
        format!("{:016x} {} {}", self.holder, self.renewed, self.process)
    }

    fn parse(text: &[u8]) -> Option<Record> {
        let text = std::str::from_utf8(text).ok()?;
        let mut words = text.splitn(3, ' ');
        Some(Record {
            holder: u64::from_str_radix(words.next()?, 16).ok()?,
            renewed: words.next()?.parse().ok()?,
            process: words.next()?.to_owned(),
        })
    }
}

/// Describes this process for those who find its lease.
fn process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("process {} on {}", std::process::id(), host.trim())
}

impl Lease {
    /// Makes a lease that excludes nobody.
    pub(crate) fn shared(keys: &Keys) -> Lease {
        Lease {
            key: keys.fact(NAME),
            holder: fastrand::u64(1..),
            started: Instant::now(),
            renewed: AtomicU64::new(0),
            is_lost: AtomicBool::new(false),
            is_exclusive: false,
        }
    }

    /// Takes the lease. Waits for the lease of a server that has given no sign of life for some
    /// seconds, as after a crash.
    ///
    /// Errors: [`Error::CannotOpen`] if another server lives.
    pub(crate) async fn take(client: &Arc<Client>, keys: &Keys, options: &TikvOptions) -> Result<Lease> {
        let lease = Lease { is_exclusive: true, ..Lease::shared(keys) };
        let mut seen = None;
        loop {
            let at = client.timestamps.next().await?;
            let now = pd::milliseconds(at);
            let record = client.get(&lease.key, at).await?.as_deref().and_then(Record::parse);
            if let Some(record) = record.filter(|record| record.renewed + LIFE.as_millis() as u64 > now) {
                if *seen.get_or_insert(record.renewed) != record.renewed {
                    return Err(Error::CannotOpen {
                        store: format!("the store '{}'", options.prefix),
                        reason: format!(
                            "another server uses it ({}); stop that one, or choose another --tikv.prefix",
                            record.process
                        ),
                    });
                }
                tokio::time::sleep(LOOK_INTERVAL).await;
                continue;
            }
            match lease.write(client, at, now).await {
                Err(Error::Conflict) => {}
                written => return written.map(|()| lease),
            }
        }
    }

    /// Gives a sign of life. Errors: [`Error::Closed`] if another server has taken the lease.
    pub(crate) async fn renew(&self, client: &Arc<Client>) -> Result<()> {
        if !self.is_exclusive {
            return Ok(());
        }
        let at = client.timestamps.next().await?;
        let record = client.get(&self.key, at).await?.as_deref().and_then(Record::parse);
        if record.is_none_or(|record| record.holder != self.holder) {
            self.is_lost.store(true, Ordering::Release);
            return Err(Error::Closed);
        }
        self.write(client, at, pd::milliseconds(at)).await
    }

    /// Gives the lease back.
    pub(crate) async fn release(&self, client: &Arc<Client>) -> Result<()> {
        let at = client.timestamps.next().await?;
        let record = client.get(&self.key, at).await?.as_deref().and_then(Record::parse);
        if record.is_none_or(|record| record.holder != self.holder) {
            return Ok(());
        }
        let mutation = Mutation { op: Op::Del as i32, key: self.key.clone(), value: Vec::new() };
        Commit::run(Arc::clone(client), at, vec![mutation], PATIENCE_MIN).await
    }

    async fn write(&self, client: &Arc<Client>, at: u64, now: u64) -> Result<()> {
        let asked = self.started.elapsed();
        let record = Record { holder: self.holder, renewed: now, process: process() };
        let mutation =
            Mutation { op: Op::Put as i32, key: self.key.clone(), value: record.text().into_bytes() };
        Commit::run(Arc::clone(client), at, vec![mutation], PATIENCE_MIN).await?;
        self.renewed.store(asked.as_millis() as u64, Ordering::Release);
        Ok(())
    }

    /// Checks that no other server can have taken the lease.
    ///
    /// Errors: [`Error::Closed`] if one has; [`Error::Transient`] if the last sign of life is too
    /// long ago.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.is_exclusive {
            return Ok(());
        }
        if self.is_lost.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        let renewed = Duration::from_millis(self.renewed.load(Ordering::Acquire));
        if self.started.elapsed().saturating_sub(renewed) > OWN_LIFE {
            let reason = "the lease of this server could not be renewed, so another one may have the store";
            return Err(Error::Transient { reason: reason.to_owned() });
        }
        Ok(())
    }

    /// Returns the number of this server.
    pub(crate) fn holder(&self) -> u64 {
        self.holder
    }
}
