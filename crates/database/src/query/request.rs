//! What a client asks with `POST /_api/cursor`, `/_api/explain` and `/_api/query`: the query, its parameters and its
//! options.
//!
//! Names, defaults and errors are ArangoDB's. Options that steer a cluster, or the caches of ArangoDB's own storage,
//! are checked for their type and have no effect on a single server; each such row of [`NO_EFFECT`] says so.

use std::time::Duration;

use velocypack::Slice;

use crate::cursor::CursorSpec;
use crate::cursor::encoder::Format;
use crate::error::{Error, Result, number};

/// Rows of a batch when the client does not say how many.
pub const DEFAULT_BATCH_SIZE: usize = 1_000;
/// Seconds that a cursor lives between two fetches when the client does not say.
pub const DEFAULT_TTL_SECONDS: f64 = 30.0;
/// Longest life of an idle cursor. A client that wants more must fetch, or it would pin old versions for ever.
pub const MAX_TTL_SECONDS: f64 = 86_400.0;
/// Most rules that a client may switch; more is a mistake or an attack.
const MAX_RULES: usize = 1_000;

/// Options that are accepted and checked, and that mean nothing on a single server with one cache.
const NO_EFFECT: &[(&str, OptionType)] = &[
    ("allowDirtyReads", OptionType::Bool),
    ("fillBlockCache", OptionType::Bool),
    ("forceOneShardAttributeValue", OptionType::Text),
    ("maxNodesPerCallstack", OptionType::Number),
    ("satelliteSyncWait", OptionType::Any),
    // Shows registers and the like of ArangoDB's own executor.
    ("verbosePlans", OptionType::Bool),
];

enum OptionType {
    /// Drivers send several types, and ArangoDB takes them all.
    Any,
    Bool,
    Number,
    Text,
}

/// A query with everything that decides how it is run and handed out.
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
    /// How long the cursor may be idle; `None` leaves it to the server.
    pub ttl: Option<Duration>,
    /// Whether the results cache may answer, and keep the result; `None` leaves it to the cache's mode.
    pub cache: Option<bool>,
    /// Bytes that the query may use; 0 is no limit of its own.
    pub memory_limit_bytes: u64,
    /// How it is planned and run.
    pub options: QueryOptions,
}

/// The attribute `options` of a query request.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Report how many rows there were before the last `LIMIT`.
    pub full_count: bool,
    /// Compute batches on demand instead of the whole result first.
    pub stream: bool,
    /// Keep the last batch so that a client whose connection broke can ask for it again.
    pub allow_retry: bool,
    /// 0: statistics; 1: and times of the stages; 2: and the plan with figures per node.
    pub profile: u8,
    /// After how long the query ends with error 1500; `Duration::MAX` is never, and `None` what the server says.
    pub max_runtime: Option<Duration>,
    /// Most warnings to keep.
    pub max_warning_count: usize,
    /// The first warning ends the query; `None` leaves it to the server, here and below.
    pub fail_on_warning: Option<bool>,
    /// Most plans that the optimizer may compare.
    pub max_number_of_plans: Option<usize>,
    /// Most alternatives of a condition in its normal form that indexes are matched with.
    pub max_condition_branches: Option<usize>,
    /// Bytes and rows from which an operator goes on in temporary files.
    pub spill_threshold_bytes: Option<u64>,
    /// See `spill_threshold_bytes`.
    pub spill_threshold_rows: Option<u64>,
    /// Rules to switch on and off by name, such as `-all` and `+use-indexes`.
    pub rules: Vec<String>,
    /// Most bytes that the query's transaction may write.
    pub max_transaction_size_bytes: Option<u64>,
    /// Documents written from which they are committed before the query's end.
    pub intermediate_commit_operations: Option<u64>,
    /// Bytes written from which they are.
    pub intermediate_commit_bytes: Option<u64>,
    /// `false`: make a new plan. `true`: the client wants the plan cache to be used, to be told of it, and an error
    /// where ArangoDB's could not. `None`: the cache is used where it can.
    pub use_plan_cache: Option<bool>,
    /// Collections that the user may not read are empty ones, rather than error 11.
    pub skip_inaccessible_collections: bool,
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
            all_plans: false,
        }
    }
}

impl QueryRequest {
    /// A query without parameters and with all options at their defaults.
    pub fn new(text: impl Into<String>) -> Self {
        QueryRequest {
            text: text.into(),
            bind_variables: Slice::EMPTY_OBJECT.bytes().to_vec(),
            batch_size: DEFAULT_BATCH_SIZE,
            count: false,
            ttl: None,
            cache: None,
            memory_limit_bytes: 0,
            options: QueryOptions::default(),
        }
    }

    /// Reads a request body. Errors: 1502 when it is no object or has no query, 17 for an attribute of a wrong type,
    /// 10 for a value out of its range.
    pub fn from_body(body: Slice<'_>) -> Result<Self> {
        if !body.is_object() {
            return Err(Error::new(number::QUERY_EMPTY, "query is empty"));
        }
        let text = match body.get("query") {
            None => return Err(Error::new(number::QUERY_EMPTY, "query is empty")),
            Some(text) => text.as_str().ok_or_else(|| type_error("string", "query"))?,
        };
        let mut request = QueryRequest::new(text);
        match body.get("bindVars").filter(|value| !value.is_null()) {
            None => {}
            Some(variables) if variables.is_object() => request.bind_variables = variables.bytes().to_vec(),
            Some(_) => return Err(type_error("object", "bindVars")),
        }
        if let Some(size) = number_of(body, "batchSize")? {
            request.batch_size = batch_size(size)?;
        }
        if let Some(seconds) = number_of(body, "ttl")? {
            request.ttl = ttl(seconds)?;
        }
        request.count = bool_of(body, "count")?.unwrap_or(false);
        request.cache = bool_of(body, "cache")?;
        request.memory_limit_bytes = non_negative(body, "memoryLimit")?.unwrap_or(0.0) as u64;
        match body.get("options").filter(|value| !value.is_null()) {
            None => {}
            Some(options) if options.is_object() => request.read_options(options)?,
            Some(_) => return Err(type_error("object", "options")),
        }
        // `stream` and `profile` are also taken from the top level, where old drivers put them.
        if let Some(stream) = bool_of(body, "stream")? {
            request.options.stream |= stream;
        }
        Ok(request)
    }

    /// How the result is handed out.
    pub(crate) fn cursor_spec(&self, format: Format, default_ttl: Duration) -> CursorSpec {
        CursorSpec {
            format,
            batch_size: self.batch_size,
            stream: self.options.stream,
            count: self.count && !self.options.stream,
            ttl: self.ttl.unwrap_or(default_ttl),
            allow_retry: self.options.allow_retry,
            cached: Some(false),
            plan_cache_key: None,
        }
    }

    fn read_options(&mut self, from: Slice<'_>) -> Result<()> {
        let options = &mut self.options;
        let flags: [(&str, &mut bool); 5] = [
            ("fullCount", &mut options.full_count),
            ("stream", &mut options.stream),
            ("allowRetry", &mut options.allow_retry),
            ("allPlans", &mut options.all_plans),
            ("skipInaccessibleCollections", &mut options.skip_inaccessible_collections),
        ];
        for (name, flag) in flags {
            if let Some(value) = bool_of(from, name)? {
                *flag = value;
            }
        }
        options.fail_on_warning = bool_of(from, "failOnWarning")?;
        if let Some(value) = bool_of(from, "usePlanCache")? {
            options.use_plan_cache = Some(value);
        }
        if options.skip_inaccessible_collections {
            // The plan is made of what this user may see.
            options.use_plan_cache = Some(false);
        }
        if let Some(value) = bool_of(from, "cache")? {
            self.cache = Some(value);
        }
        if let Some(value) = bool_of(from, "count")? {
            self.count |= value;
        }
        options.profile = profile_level(from)?;
        if let Some(seconds) = non_negative(from, "maxRuntime")? {
            let limit = if seconds > 0.0 { Duration::try_from_secs_f64(seconds).ok() } else { None };
            options.max_runtime = Some(limit.unwrap_or(Duration::MAX));
        }
        if let Some(count) = non_negative(from, "maxWarningCount")? {
            options.max_warning_count = count as usize;
        }
        if let Some(count) = non_negative(from, "maxNumberOfPlans")?.or(non_negative(from, "maxPlans")?) {
            options.max_number_of_plans = Some((count as usize).max(1));
        }
        if let Some(count) = non_negative(from, "maxDNFConditionMembers")?.filter(|count| *count > 0.0) {
            options.max_condition_branches = Some(count as usize);
        }
        options.spill_threshold_bytes =
            non_negative(from, "spillOverThresholdMemoryUsage")?.map(|bytes| bytes as u64);
        options.spill_threshold_rows =
            non_negative(from, "spillOverThresholdNumRows")?.map(|rows| rows as u64);
        options.max_transaction_size_bytes =
            non_negative(from, "maxTransactionSize")?.map(|bytes| bytes as u64);
        options.intermediate_commit_operations = positive(from, "intermediateCommitCount")?;
        options.intermediate_commit_bytes = positive(from, "intermediateCommitSize")?;
        if let Some(bytes) = non_negative(from, "memoryLimit")? {
            self.memory_limit_bytes = bytes as u64;
        }
        options.rules = rules(from)?;
        NO_EFFECT.iter().try_for_each(|(name, kind)| check_type(from, name, kind))
    }
}

/// A batch size from a client: a whole number of at least 1.
pub fn batch_size(size: f64) -> Result<usize> {
    if size < 1.0 {
        return Err(Error::new(number::TYPE_ERROR, "expecting non-zero value for 'batchSize'"));
    }
    // The conversion saturates; larger than any result is "all at once".
    Ok(size as usize)
}

/// A time to live from a client, in seconds; zero and less is the server's.
pub fn ttl(seconds: f64) -> Result<Option<Duration>> {
    if seconds.is_nan() {
        return Err(type_error("number", "ttl"));
    }
    Ok((seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(MAX_TTL_SECONDS))))
}

fn profile_level(from: Slice<'_>) -> Result<u8> {
    match from.get("profile").filter(|value| !value.is_null()) {
        None => Ok(0),
        Some(value) => match (value.as_bool(), value.as_f64()) {
            (Some(flag), _) => Ok(u8::from(flag)),
            (None, Some(level)) if (0.0..=4.0).contains(&level) => Ok(level as u8),
            (None, Some(_)) => Err(Error::new(number::BAD_PARAMETER, "'profile' must be 0, 1 or 2")),
            (None, None) => Err(type_error("bool or number", "profile")),
        },
    }
}

fn rules(from: Slice<'_>) -> Result<Vec<String>> {
    let Some(optimizer) = from.get("optimizer").filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    if !optimizer.is_object() {
        return Err(type_error("object", "optimizer"));
    }
    let Some(rules) = optimizer.get("rules").filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if !rules.is_array() {
        return Err(type_error("array", "optimizer.rules"));
    }
    if rules.len() > MAX_RULES {
        return Err(Error::new(
            number::BAD_PARAMETER,
            format!("at most {MAX_RULES} 'optimizer.rules' are accepted"),
        ));
    }
    // Members that are no strings are skipped, as ArangoDB does.
    Ok(rules.elements().filter_map(|rule| rule.as_str().map(str::to_owned)).collect())
}

fn check_type(from: Slice<'_>, name: &str, kind: &OptionType) -> Result<()> {
    match kind {
        OptionType::Any => Ok(()),
        OptionType::Bool => bool_of(from, name).map(drop),
        OptionType::Number => non_negative(from, name).map(drop),
        OptionType::Text => match from.get(name) {
            Some(value) if !value.is_null() && !value.is_string() => Err(type_error("string", name)),
            _ => Ok(()),
        },
    }
}

fn bool_of(from: Slice<'_>, name: &str) -> Result<Option<bool>> {
    match from.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value.as_bool().map(Some).ok_or_else(|| type_error("bool", name)),
    }
}

fn number_of(from: Slice<'_>, name: &str) -> Result<Option<f64>> {
    match from.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or_else(|| type_error("number", name)),
    }
}

/// A number of at least 1; zero is the server's.
fn positive(from: Slice<'_>, name: &str) -> Result<Option<u64>> {
    Ok(non_negative(from, name)?.map(|value| value as u64).filter(|value| *value > 0))
}

fn non_negative(from: Slice<'_>, name: &str) -> Result<Option<f64>> {
    match number_of(from, name)? {
        Some(value) if value < 0.0 => {
            Err(Error::new(number::BAD_PARAMETER, format!("'{name}' must not be negative")))
        }
        other => Ok(other),
    }
}

fn type_error(expected: &str, name: &str) -> Error {
    Error::new(number::TYPE_ERROR, format!("expecting {expected} for '{name}'"))
}

#[cfg(test)]
mod tests;
