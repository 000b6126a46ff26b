//! Requests of `POST /_api/cursor`, `/_api/explain` and `/_api/query`: the query, its parameters
//! and its options.
//!
//! Names, defaults and errors are ArangoDB's. Options for a cluster or for the caches of ArangoDB's
//! own storage are checked for their type. They have no effect on a single server
//! ([`check_without_effect`]).

mod defaults;

use std::sync::Arc;
use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

pub use defaults::QueryDefaults;

/// Default number of rows in a batch.
pub const DEFAULT_BATCH_SIZE: usize = 1_000;
/// Default time to live of an idle cursor, in seconds.
pub const DEFAULT_TTL_SECONDS: f64 = 30.0;
/// Maximum time to live of an idle cursor, in seconds. A longer one would pin old versions for too
/// long.
pub const MAX_TTL_SECONDS: f64 = 86_400.0;
/// Maximum number of rules that a client may switch. A longer list is a mistake or an attack.
const MAX_RULES: usize = 1_000;

/// A query with all options of its planning, execution and delivery.
#[derive(Clone, Debug)]
pub struct QueryRequest {
    /// The AQL text.
    pub text: String,
    /// The bind parameters as one VelocyPack object (empty object: none).
    pub bind_variables: Vec<u8>,
    /// Rows of one batch; at least 1.
    pub batch_size: usize,
    /// Report the number of all rows with the first batch.
    pub count: bool,
    /// Idle time after which the cursor expires; `None` uses the server's default.
    pub ttl: Option<Duration>,
    /// True if the results cache may answer and keep the result; `None` follows the cache's mode.
    pub cache: Option<bool>,
    /// Bytes of memory for the query; 0 sets no limit of its own.
    pub memory_limit_bytes: u64,
    /// The body of a client's request, if the result is streamed (VelocyPack). Another server may
    /// have to go on with it.
    pub body: Option<Arc<[u8]>>,
    /// The options of planning and execution.
    pub options: QueryOptions,
}

/// The attribute `options` of a query request.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Report the number of rows before the last `LIMIT`; never for a stream.
    pub full_count: bool,
    /// Compute batches on demand instead of the whole result first.
    pub stream: bool,
    /// Keep the last batch, so that a client whose connection broke can request it again.
    pub allow_retry: bool,
    /// 0: statistics; 1: also times of the stages; 2: also the plan with statistics per node.
    pub profile: u8,
    /// Run time after which the query ends with error 1500.
    ///
    /// `Duration::MAX` sets no limit; `None` uses the server's default.
    pub max_runtime: Option<Duration>,
    /// Maximum number of warnings to keep.
    pub max_warning_count: usize,
    /// End the query at its first warning. `None` uses the server's default, here and below.
    pub fail_on_warning: Option<bool>,
    /// Maximum number of plans that the optimizer may compare.
    pub max_number_of_plans: Option<usize>,
    /// Maximum number of alternatives of a condition in disjunctive normal form that are matched
    /// with indexes.
    pub max_condition_branches: Option<usize>,
    /// Bytes from which an operator spills to temporary files.
    pub spill_threshold_bytes: Option<u64>,
    /// Rows from which an operator spills to temporary files.
    pub spill_threshold_rows: Option<u64>,
    /// Rules to switch on and off by name, such as `-all` and `+use-indexes`.
    pub rules: Vec<String>,
    /// Maximum number of bytes that the query's transaction may write.
    pub max_transaction_size_bytes: Option<u64>,
    /// Number of written documents after which the query commits before its end.
    pub intermediate_commit_operations: Option<u64>,
    /// Number of written bytes after which the query commits before its end.
    pub intermediate_commit_bytes: Option<u64>,
    /// The use of the plan cache.
    ///
    /// `Some(false)` makes a new plan. `Some(true)` uses the cache, reports its key, and fails
    /// where ArangoDB's cache does not take the query. `None` uses the cache where possible.
    pub use_plan_cache: Option<bool>,
    /// Treat collections that the user may not read as empty, rather than fail with error 11.
    pub skip_inaccessible_collections: bool,
    /// Any replica of the data may answer the reads. It has no effect on a query that writes.
    pub allow_dirty_reads: bool,
    /// `/_api/explain`: show every plan that was considered.
    pub all_plans: bool,
}

impl Default for QueryOptions {
    fn default() -> Self {
        QueryOptions {
            full_count: false,
            stream: false,
            allow_retry: false,
            profile: 0,
            max_runtime: None,
            max_warning_count: aql_value::Warnings::DEFAULT_MAX,
            fail_on_warning: None,
            max_number_of_plans: None,
            max_condition_branches: None,
            spill_threshold_bytes: None,
            spill_threshold_rows: None,
            rules: Vec::new(),
            max_transaction_size_bytes: None,
            intermediate_commit_operations: None,
            intermediate_commit_bytes: None,
            use_plan_cache: None,
            skip_inaccessible_collections: false,
            allow_dirty_reads: false,
            all_plans: false,
        }
    }
}

impl QueryRequest {
    /// Returns a query without parameters and with default options.
    pub fn new(text: impl Into<String>) -> Self {
        QueryRequest {
            text: text.into(),
            bind_variables: Slice::EMPTY_OBJECT.bytes().to_vec(),
            batch_size: DEFAULT_BATCH_SIZE,
            count: false,
            ttl: None,
            cache: None,
            memory_limit_bytes: 0,
            body: None,
            options: QueryOptions::default(),
        }
    }

    /// Reads a request body.
    ///
    /// Errors: 1502 if it is not an object or has no query, 17 for an attribute of a wrong type, 10
    /// for a value out of range.
    pub fn from_body(body: Slice<'_>) -> Result<Self> {
        if !body.is_object() {
            return Err(Error::of(ErrorCode::QueryEmpty));
        }
        let text = match body.get("query") {
            None => return Err(Error::of(ErrorCode::QueryEmpty)),
            Some(text) => text.as_str().ok_or_else(|| type_error("string", "query"))?,
        };
        let mut request = QueryRequest::new(text);
        let mut options = None;
        for (name, value) in given(body) {
            match name {
                "bindVars" if value.is_object() => request.bind_variables = value.bytes().to_vec(),
                "bindVars" => return Err(type_error("object", name)),
                "batchSize" => request.batch_size = batch_size(number_of(name, value)?)?,
                "ttl" => request.ttl = ttl(number_of(name, value)?)?,
                "count" => request.count = bool_of(name, value)?,
                "cache" => request.cache = Some(bool_of(name, value)?),
                "memoryLimit" => request.memory_limit_bytes = non_negative(name, value)? as u64,
                "options" => options = Some(value),
                // Old drivers put it here.
                "stream" => request.options.stream = bool_of(name, value)?,
                _ => {}
            }
        }
        // `options` takes precedence, wherever it appears.
        match options {
            None => {}
            Some(options) if options.is_object() => request.read_options(options)?,
            Some(_) => return Err(type_error("object", "options")),
        }
        // A stream is not read to its end for its count.
        request.options.full_count &= !request.options.stream;
        request.body = request.options.stream.then(|| body.bytes().into());
        Ok(request)
    }

    fn read_options(&mut self, from: Slice<'_>) -> Result<()> {
        let options = &mut self.options;
        for (name, value) in given(from) {
            match name {
                "fullCount" => options.full_count = bool_of(name, value)?,
                "stream" => options.stream |= bool_of(name, value)?,
                "allowRetry" => options.allow_retry = bool_of(name, value)?,
                "allPlans" => options.all_plans = bool_of(name, value)?,
                "skipInaccessibleCollections" => {
                    options.skip_inaccessible_collections = bool_of(name, value)?
                }
                "allowDirtyReads" => options.allow_dirty_reads = bool_of(name, value)?,
                "failOnWarning" => options.fail_on_warning = Some(bool_of(name, value)?),
                "usePlanCache" => options.use_plan_cache = Some(bool_of(name, value)?),
                "cache" => self.cache = Some(bool_of(name, value)?),
                "count" => self.count |= bool_of(name, value)?,
                "profile" => options.profile = profile_level(value)?,
                "maxRuntime" => options.max_runtime = Some(max_runtime(non_negative(name, value)?)),
                "maxWarningCount" => options.max_warning_count = non_negative(name, value)? as usize,
                "maxNumberOfPlans" => options.max_number_of_plans = Some(max_plans(name, value)?),
                // The older name.
                "maxPlans" => {
                    let max = max_plans(name, value)?;
                    options.max_number_of_plans.get_or_insert(max);
                }
                "maxDNFConditionMembers" => {
                    options.max_condition_branches = positive(name, value)?.map(|count| count as usize);
                }
                "spillOverThresholdMemoryUsage" => {
                    options.spill_threshold_bytes = Some(non_negative(name, value)? as u64);
                }
                "spillOverThresholdNumRows" => {
                    options.spill_threshold_rows = Some(non_negative(name, value)? as u64);
                }
                "maxTransactionSize" => {
                    options.max_transaction_size_bytes = Some(non_negative(name, value)? as u64);
                }
                "intermediateCommitCount" => options.intermediate_commit_operations = positive(name, value)?,
                "intermediateCommitSize" => options.intermediate_commit_bytes = positive(name, value)?,
                "memoryLimit" => self.memory_limit_bytes = non_negative(name, value)? as u64,
                "optimizer" => options.rules = rules(value)?,
                _ => check_without_effect(name, value)?,
            }
        }
        if options.skip_inaccessible_collections {
            // The plan depends on the user's rights.
            options.use_plan_cache = Some(false);
        }
        Ok(())
    }
}

/// Returns the attributes that are not null. Null is the same as a missing attribute.
fn given(object: Slice<'_>) -> impl Iterator<Item = (&str, Slice<'_>)> {
    object.entries().filter(|(_, value)| !value.is_null())
}

/// Reads a client's batch size: a whole number of at least 1.
pub fn batch_size(size: f64) -> Result<usize> {
    if size < 1.0 {
        return Err(Error::new(ErrorCode::TypeError, "expecting non-zero value for 'batchSize'"));
    }
    // The conversion saturates. A size larger than any result delivers all rows in one batch.
    Ok(size as usize)
}

/// Reads a client's time to live in seconds. Zero and negative values select the server's default.
pub fn ttl(seconds: f64) -> Result<Option<Duration>> {
    if seconds.is_nan() {
        return Err(type_error("number", "ttl"));
    }
    Ok((seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(MAX_TTL_SECONDS))))
}

fn profile_level(value: Slice<'_>) -> Result<u8> {
    match (value.as_bool(), value.as_f64()) {
        (Some(flag), _) => Ok(u8::from(flag)),
        (None, Some(level)) if (0.0..=4.0).contains(&level) => Ok(level as u8),
        (None, Some(_)) => Err(Error::bad_parameter("'profile' must be 0, 1 or 2")),
        (None, None) => Err(type_error("bool or number", "profile")),
    }
}

/// Returns the limit of the run time. Zero lifts the server's limit.
fn max_runtime(seconds: f64) -> Duration {
    let limit = if seconds > 0.0 { Duration::try_from_secs_f64(seconds).ok() } else { None };
    limit.unwrap_or(Duration::MAX)
}

fn max_plans(name: &str, value: Slice<'_>) -> Result<usize> {
    Ok((non_negative(name, value)? as usize).max(1))
}

fn rules(optimizer: Slice<'_>) -> Result<Vec<String>> {
    if !optimizer.is_object() {
        return Err(type_error("object", "optimizer"));
    }
    let Some(rules) = optimizer.get("rules").filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if !rules.is_array() {
        return Err(type_error("array", "optimizer.rules"));
    }
    if rules.len() > MAX_RULES {
        return Err(Error::bad_parameter(format!("at most {MAX_RULES} 'optimizer.rules' are accepted")));
    }
    // Members that are not strings are skipped, as in ArangoDB.
    Ok(rules.elements().filter_map(|rule| rule.as_str().map(str::to_owned)).collect())
}

/// Checks the types of options that have no effect on a single server with one cache.
///
/// `verbosePlans` shows internals of ArangoDB's executor, such as registers. Drivers send
/// `satelliteSyncWait` in several types, and ArangoDB accepts all of them.
fn check_without_effect(name: &str, value: Slice<'_>) -> Result<()> {
    match name {
        "fillBlockCache" | "verbosePlans" => bool_of(name, value).map(drop),
        "maxNodesPerCallstack" => non_negative(name, value).map(drop),
        "forceOneShardAttributeValue" if !value.is_string() => Err(type_error("string", name)),
        _ => Ok(()),
    }
}

fn bool_of(name: &str, value: Slice<'_>) -> Result<bool> {
    value.as_bool().ok_or_else(|| type_error("bool", name))
}

fn number_of(name: &str, value: Slice<'_>) -> Result<f64> {
    value.as_f64().ok_or_else(|| type_error("number", name))
}

fn non_negative(name: &str, value: Slice<'_>) -> Result<f64> {
    match number_of(name, value)? {
        value if value < 0.0 => Err(Error::bad_parameter(format!("'{name}' must not be negative"))),
        value => Ok(value),
    }
}

/// Reads a number of at least 1. Zero selects the server's default.
fn positive(name: &str, value: Slice<'_>) -> Result<Option<u64>> {
    Ok(Some(non_negative(name, value)? as u64).filter(|value| *value > 0))
}

fn type_error(expected: &str, name: &str) -> Error {
    Error::new(ErrorCode::TypeError, format!("expecting {expected} for '{name}'"))
}

#[cfg(test)]
mod tests;
