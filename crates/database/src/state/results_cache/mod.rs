//! The results cache: a query that reads unchanged data again is answered without being run.
//!
//! A result is cached with the version of every collection that it was read from
//! ([`dependencies`]). It is used only while all of them have that version, so no client reads
//! replaced data. A result of a search also carries the states of the searched indexes. The module
//! `query` captures a result row by row while the query runs for the first time, and delivers it
//! like any other result.
//!
//! Source: ArangoDB 3.12 documentation, "The AQL query results cache".

mod dependencies;
mod properties;
mod store;
#[cfg(test)]
mod tests;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use aql_value::Charge;

use crate::query_request::QueryRequest;

pub(crate) use dependencies::Dependencies;
pub use properties::{CacheMode, CacheProperties};
pub use store::ResultsCache;

/// The key of a result: everything that the result depends on besides the data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ResultKey {
    text: Box<str>,
    /// A VelocyPack object.
    bind_variables: Box<[u8]>,
    count: bool,
    full_count: bool,
    rules: Box<[String]>,
}

impl ResultKey {
    pub(crate) fn of(request: &QueryRequest) -> Self {
        ResultKey {
            text: request.text.as_str().into(),
            bind_variables: request.bind_variables.as_slice().into(),
            count: request.count,
            full_count: request.options.full_count,
            rules: request.options.rules.as_slice().into(),
        }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        let rules: usize = self.rules.iter().map(String::len).sum();
        (size_of::<Self>() + self.text.len() + self.bind_variables.len() + rules) as u64
    }
}

/// A cached result.
#[derive(Debug)]
pub struct Entry {
    pub(crate) key: ResultKey,
    /// The rows as VelocyPack values, one after another.
    pub(crate) rows: Vec<u8>,
    pub(crate) row_count: usize,
    /// `extra` of the reply of the run that computed the rows, in VelocyPack.
    pub(crate) extra: Vec<u8>,
    pub(crate) dependencies: Dependencies,
    pub(crate) hits: AtomicU64,
    pub(crate) run_time: Duration,
    pub(crate) added: SystemTime,
    /// The memory of the entry.
    pub(crate) _charge: Charge,
}

impl Entry {
    /// Returns a hash by which clients tell results apart.
    pub fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.key.hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the query's text.
    pub fn text(&self) -> &str {
        &self.key.text
    }

    /// Returns the bind parameters, a VelocyPack object.
    pub fn bind_variables(&self) -> &[u8] {
        &self.key.bind_variables
    }

    /// Returns the bytes of the rows and the bind parameters.
    pub fn size_bytes(&self) -> u64 {
        (self.rows.len() + self.key.bind_variables.len()) as u64
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Returns the number of times that the result was used.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Returns the run time of the query that computed the result.
    pub fn run_time(&self) -> Duration {
        self.run_time
    }

    /// Returns the time at which the result was cached.
    pub fn added(&self) -> SystemTime {
        self.added
    }

    /// Returns the names of the collections and views that the query names.
    pub fn data_sources(&self) -> impl Iterator<Item = &str> {
        self.dependencies.named().chain(self.dependencies.views())
    }
}
