//! The description of a stream transaction, as a client sends it.

use std::time::Duration;

use errors::{Error, Result};
use velocypack::Slice;

/// ArangoDB's default of `lockTimeout`.
const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(900);

/// The maximum wait for a lock: a client that sets no limit has gone by then.
const MAX_LOCK_TIMEOUT: Duration = Duration::from_secs(86_400);

/// Maximum number of collections that one transaction may declare.
const MAX_COLLECTIONS: usize = 10_000;

/// A request to begin a stream transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionRequest {
    /// Names of collections that are only read.
    pub read: Vec<String>,
    /// Names of collections that are written.
    pub write: Vec<String>,
    /// Names of collections that nobody else may write during the transaction.
    pub exclusive: Vec<String>,
    /// True if collections that are not declared may be read.
    pub allow_implicit: bool,
    /// Time to wait for the collections' locks.
    pub lock_timeout: Duration,
    /// Bytes that the transaction may write; `None` uses the server's limit.
    pub max_bytes: Option<u64>,
    /// True if the commit waits for the disk.
    pub wait_for_sync: bool,
    /// True if any replica of the data may answer the reads. It has no effect on a transaction that
    /// writes.
    pub allow_dirty_reads: bool,
}

impl TransactionRequest {
    /// Reads a request body. `skipFastLockRound` has no effect, since collections are always locked
    /// in the same order.
    ///
    /// Errors: 10 for a member that is missing or has a wrong type or value.
    pub fn from_body(body: Slice<'_>) -> Result<Self> {
        let collections = body.get("collections").filter(|collections| collections.is_object());
        let collections =
            collections.ok_or_else(|| Error::bad_parameter("missing/invalid collections definition"))?;
        let implicit = flag(collections, "allowImplicit")?;
        flag(body, "skipFastLockRound")?;
        let request = TransactionRequest {
            read: names(collections, "read")?,
            write: names(collections, "write")?,
            exclusive: names(collections, "exclusive")?,
            allow_implicit: flag(body, "allowImplicit")?.or(implicit).unwrap_or(true),
            lock_timeout: lock_timeout(body)?,
            max_bytes: max_bytes(body)?,
            wait_for_sync: flag(body, "waitForSync")?.unwrap_or(false),
            allow_dirty_reads: flag(body, "allowDirtyReads")?.unwrap_or(false),
        };
        if request.read.len() + request.write.len() + request.exclusive.len() > MAX_COLLECTIONS {
            let message = format!("a transaction declares at most {MAX_COLLECTIONS} collections");
            return Err(Error::bad_parameter(message));
        }
        Ok(request)
    }
}

/// Reads the names of an access mode: one name or a list.
fn names(collections: Slice<'_>, mode: &str) -> Result<Vec<String>> {
    let Some(value) = collections.get(mode).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if let Some(name) = value.as_str() {
        return Ok(vec![name.to_owned()]);
    }
    let invalid = || {
        Error::bad_parameter(format!(
            "'collections.{mode}' must be the name of a collection or a list of names"
        ))
    };
    if !value.is_array() {
        return Err(invalid());
    }
    value.elements().map(|name| name.as_str().map(str::to_owned).ok_or_else(invalid)).collect()
}

fn flag(object: Slice<'_>, name: &str) -> Result<Option<bool>> {
    match object.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => {
            let flag = value.as_bool();
            flag.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be true or false")))
        }
    }
}

fn number(object: Slice<'_>, name: &str) -> Result<Option<f64>> {
    let Some(value) = object.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| *number >= 0.0);
    number.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a non-negative number")))
}

fn lock_timeout(body: Slice<'_>) -> Result<Duration> {
    Ok(match number(body, "lockTimeout")? {
        None => DEFAULT_LOCK_TIMEOUT,
        // ArangoDB waits without a limit.
        Some(0.0) => MAX_LOCK_TIMEOUT,
        Some(seconds) => {
            Duration::try_from_secs_f64(seconds).unwrap_or(MAX_LOCK_TIMEOUT).min(MAX_LOCK_TIMEOUT)
        }
    })
}

/// Reads `maxTransactionSize`. Zero means the server's limit.
fn max_bytes(body: Slice<'_>) -> Result<Option<u64>> {
    Ok(number(body, "maxTransactionSize")?.filter(|bytes| *bytes >= 1.0).map(|bytes| bytes as u64))
}
