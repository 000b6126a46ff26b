//! The options of the other server: their forms in requests and in the store, and the connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use client::{Client, ClientOptions, Credentials, Endpoint, RetryOptions, TlsOptions};
use errors::{Error, Result};
use replication_client::Source;
use velocypack::{Builder, Slice};

use super::failure::of_source;
use crate::state::following::SourceOptions;

/// The time limit for opening a connection, and for a reply.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum size of one reply.
const RESPONSE_MAX_BYTES: usize = 512 << 20;
/// Maximum number of threads that copy.
const THREADS_MAX: u64 = 64;

impl SourceOptions {
    /// Reads the options of a request.
    ///
    /// Errors: 10 for a wrong attribute.
    pub fn parse(body: Slice<'_>) -> Result<Self> {
        let text = |name: &str| text(body, name);
        let endpoint = text("endpoint")?.unwrap_or_default();
        Endpoint::parse(&endpoint).map_err(|error| Error::bad_parameter(format!("'endpoint': {error}")))?;
        let threads = match body.get("threads").filter(|threads| !threads.is_null()) {
            None => 0,
            Some(threads) => threads.as_u64().filter(|threads| *threads <= THREADS_MAX).ok_or_else(|| {
                Error::bad_parameter(format!("'threads' must be a number from 0 to {THREADS_MAX}"))
            })?,
        };
        let tls = body.get("tls").unwrap_or(Slice::NULL);
        let authorities = match tls.is_object() {
            true => self::text(tls, "caFile")?,
            false => None,
        };
        Ok(SourceOptions {
            endpoint,
            username: text("username")?.unwrap_or_default(),
            password: text("password")?.unwrap_or_default(),
            token: text("token")?,
            authorities: authorities.map(PathBuf::from),
            databases: databases(body)?,
            threads,
        })
    }

    /// Adds the options to an object that is open in `out`, for [`SourceOptions::parse`].
    pub(super) fn print(&self, out: &mut Builder) -> Result<()> {
        let names = ["endpoint", "username", "password"];
        for (name, value) in names.into_iter().zip([&self.endpoint, &self.username, &self.password]) {
            out.key(name)?;
            out.add_str(value)?;
        }
        if let Some(token) = &self.token {
            out.key("token")?;
            out.add_str(token)?;
        }
        if let Some(file) = &self.authorities {
            out.key("tls")?;
            out.open_object()?;
            out.key("caFile")?;
            out.add_str(&file.to_string_lossy())?;
            out.close()?;
        }
        out.key("databases")?;
        out.open_array()?;
        self.databases.iter().try_for_each(|name| out.add_str(name))?;
        out.close()?;
        out.key("threads")?;
        Ok(out.add_u64(self.threads)?)
    }

    /// Returns the number of threads that copy.
    pub(super) fn copy_threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        usize::try_from(self.threads).ok().filter(|threads| *threads > 0).unwrap_or(cores)
    }

    /// Returns true if a database is copied and followed.
    pub(super) fn includes(&self, database: &str) -> bool {
        self.databases.is_empty() || self.databases.iter().any(|name| name == database)
    }

    /// Asks the server who it is. `interrupt` ends all requests.
    ///
    /// Errors: 10 for what cannot be used, 1400 for a server that does not answer, 1402 for one
    /// that refuses the user, 1401 for another program.
    pub(super) fn connect(&self, interrupt: Option<Arc<AtomicBool>>) -> Result<Source> {
        self.connect_for(REQUEST_TIMEOUT, interrupt)
    }

    /// As [`SourceOptions::connect`], with a time limit for a reply.
    ///
    /// Errors: those of [`SourceOptions::connect`].
    pub(super) fn connect_for(&self, limit: Duration, interrupt: Option<Arc<AtomicBool>>) -> Result<Source> {
        let endpoint = Endpoint::parse(&self.endpoint)
            .map_err(|error| Error::bad_parameter(format!("'endpoint': {error}")))?;
        let credentials = match &self.token {
            Some(token) => Credentials::Token(token.clone()),
            None if self.username.is_empty() => Credentials::None,
            None => Credentials::Basic { user: self.username.clone(), password: self.password.clone() },
        };
        let client = Client::new(ClientOptions {
            credentials,
            connection_timeout: CONNECTION_TIMEOUT,
            request_timeout: limit,
            max_response_bytes: RESPONSE_MAX_BYTES,
            retries: RetryOptions { count: 1, ..RetryOptions::default() },
            tls: TlsOptions { authorities: self.authorities.clone(), ..TlsOptions::default() },
            interrupt,
            ..ClientOptions::new(endpoint)
        });
        Source::connect(client.map_err(|error| of_source(&error))?).map_err(|error| of_source(&error))
    }
}

/// Returns a text of a body; `None` without one.
fn text(body: Slice<'_>, name: &str) -> Result<Option<String>> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().map(str::to_owned);
    text.map(Some).ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a string")))
}

fn databases(body: Slice<'_>) -> Result<Vec<String>> {
    let wrong = || Error::bad_parameter("'databases' must be an array of names");
    let Some(names) = body.get("databases").filter(|names| !names.is_null()) else { return Ok(Vec::new()) };
    if !names.is_array() {
        return Err(wrong());
    }
    names.elements().map(|name| name.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}
