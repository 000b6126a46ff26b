//! Writes the log of queries into the collection `_queries`, and removes old entries.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use catalog::SYSTEM_DATABASE;
use errors::{ErrorCode, Result};
use storage::WriteOptions;
use velocypack::{Builder, Slice};

use crate::changes::{OWN_WRITES, own_session, provide_collections};
use crate::instance::Instance;
use crate::query_request::QueryRequest;
use crate::session::Session;
use crate::state::query_log::{QueryLog, iso_time};

/// The collection of the log, in the system database.
const QUERIES: &str = "_queries";

/// Documents that one transaction writes or removes.
const AT_ONCE: usize = 1_000;

/// The longest time in which the thread does not notice that the instance has ended.
const NOTICE_AFTER: Duration = Duration::from_millis(500);

/// The keys of old entries.
const OLD: &str = "FOR query IN _queries FILTER query.started < @oldest LIMIT @count RETURN query._key";

/// Runs the thread until the instance ends.
pub(super) fn run(watched: &Weak<Instance>) {
    let Some(log) = watched.upgrade().and_then(|instance| instance.query_log().cloned()) else { return };
    log.set_writer();
    let (mut pushed, mut cleaned) = (Instant::now(), Instant::now());
    loop {
        let options = log.options();
        let is_quarter_full = log.wait(options.push_interval.min(NOTICE_AFTER));
        let Some(instance) = watched.upgrade() else { return };
        if instance.is_stopping() {
            return;
        }
        if is_quarter_full || pushed.elapsed() >= options.push_interval {
            pushed = Instant::now();
            report("written", push(&instance, &log));
        }
        if cleaned.elapsed() >= options.cleanup_interval {
            cleaned = Instant::now();
            report("shortened", clean(&instance, options.retention));
        }
    }
}

/// A store that follows another server takes no documents of its own.
fn report(done: &str, outcome: Result<()>) {
    if let Err(error) = outcome {
        tracing::debug!(target: "queries", "the log of queries cannot be {done}: {error}");
    }
}

fn push(instance: &Arc<Instance>, log: &QueryLog) -> Result<()> {
    let documents = log.take();
    if documents.is_empty() {
        return Ok(());
    }
    let session = own_session(instance, SYSTEM_DATABASE)?;
    provide_collections(&session, &[QUERIES])?;
    for part in documents.chunks(AT_ONCE) {
        session.write(QUERIES, OWN_WRITES, |transaction, queries| {
            for document in part {
                transaction.insert(queries, Slice::new(document), &WriteOptions::default())?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn clean(instance: &Arc<Instance>, retention: Duration) -> Result<()> {
    let session = own_session(instance, SYSTEM_DATABASE)?;
    let oldest = SystemTime::now().checked_sub(retention).unwrap_or(SystemTime::UNIX_EPOCH);
    loop {
        let keys = old_keys(&session, &iso_time(oldest))?;
        if keys.is_empty() || instance.is_stopping() {
            return Ok(());
        }
        session.write(QUERIES, OWN_WRITES, |transaction, queries| {
            for key in &keys {
                match transaction.remove(queries, key, Slice::NONE, &WriteOptions::default()) {
                    // A client was faster.
                    Err(error) if error.code() == ErrorCode::DocumentNotFound => {}
                    removed => drop(removed?),
                }
            }
            Ok(())
        })?;
    }
}

/// Returns the keys of some entries that began before a time. Without the collection there are
/// none.
fn old_keys(session: &Session, oldest: &str) -> Result<Vec<String>> {
    let mut variables = Builder::new();
    variables.open_object()?;
    variables.key("oldest")?;
    variables.add_str(oldest)?;
    variables.key("count")?;
    variables.add_u64(AT_ONCE as u64)?;
    variables.close()?;
    let query = QueryRequest { bind_variables: variables.into_vec(), ..QueryRequest::new(OLD.to_owned()) };
    let mut keys = Vec::new();
    let mut take = |key: Slice<'_>| {
        keys.extend(key.as_str().map(str::to_owned));
        Ok(())
    };
    match session.for_each_row(&query, &mut take) {
        Err(error) if error.code() == ErrorCode::DataSourceNotFound => Ok(Vec::new()),
        ended => ended.map(|_| keys),
    }
}
