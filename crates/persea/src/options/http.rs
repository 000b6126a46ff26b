//! `--http`: requests and connections.

use options::{Bytes, Flag, List, Number, Opt, Options, Seconds, Text, bytes, flag, number, seconds, text};
use server::http::cors::TrustedOrigins;
use server::{HttpOptions, RootRedirect};
use storage::MemoryBudget;

use super::rocksdb;
use crate::failure::Failure;

/// File descriptors that are reserved for the log, temporary files and the engine's own needs.
const SPARE_DESCRIPTORS: u64 = 128;

/// The minimum number of connections, so that an operator can always connect to find out why there
/// are no more.
const MIN_CONNECTIONS: usize = 16;

options::section! {
    static COMPRESS_RESPONSE_THRESHOLD: Opt<Bytes> =
        bytes("http.compress-response-threshold", "0", "Compress replies of at least this many bytes for clients that accept it; 0 disables compression.");
    static KEEP_ALIVE_TIMEOUT: Opt<Seconds> =
        seconds("http.keep-alive-timeout", "300", "Close a connection after this many seconds without a request.");
    static MAX_BODY_SIZE: Opt<Bytes> =
        bytes("http.max-body-size", "1GiB", "Maximum size of a request body in bytes.");
    static MAX_CONNECTIONS: Opt<Number> =
        number("http.max-connections", "16384", "Maximum number of open connections. Further ones wait to be accepted.");
    static PERMANENTLY_REDIRECT_ROOT: Opt<Flag> =
        flag("http.permanently-redirect-root", false, "Redirect `/` with status 301, which browsers remember, instead of 302.");
    static REDIRECT_ROOT_TO: Opt<Text> =
        text("http.redirect-root-to", "/_admin/aardvark/", "Redirect `/` to this path in the database.");
    static RETURN_QUEUE_TIME_HEADER: Opt<Flag> =
        flag("http.return-queue-time-header", true, "Send a header with the time that requests wait for a thread.");
    static TRUSTED_ORIGIN: Opt<List<Text>> =
        text("http.trusted-origin", "", "Allow web pages of this origin to send credentials; `*` allows all.").list();
}

/// The share of the memory limit for bytes of connections that no request has read yet.
const UNREAD_SHARE: u64 = 32;

/// Returns the way from `/`.
pub(super) fn root_redirect(options: &Options) -> Result<RootRedirect, Failure> {
    let redirect = RootRedirect::new(options.get(&REDIRECT_ROOT_TO), options.get(&PERMANENTLY_REDIRECT_ROOT));
    redirect.map_err(|error| Failure::from(format!("--http.redirect-root-to: {}", error.message())))
}

/// Makes the options of the listener. `descriptors` is the limit of files and connections.
pub(super) fn settings(options: &Options, budget: &MemoryBudget, descriptors: u64) -> HttpOptions {
    let files = rocksdb::max_open_files(options, budget, descriptors) + SPARE_DESCRIPTORS;
    let for_connections = usize::try_from(descriptors.saturating_sub(files)).unwrap_or(usize::MAX);
    let origins = options.get(&TRUSTED_ORIGIN).into_iter().map(str::to_owned);
    HttpOptions {
        max_body_bytes: options.size(&MAX_BODY_SIZE),
        request_memory_bytes: usize::try_from(budget.request_bytes).unwrap_or(usize::MAX),
        unread_max_bytes: budget.limit_bytes / UNREAD_SHARE,
        keep_alive: options.duration(&KEEP_ALIVE_TIMEOUT),
        compress_response_threshold_bytes: options.size(&COMPRESS_RESPONSE_THRESHOLD),
        max_connections: options.size(&MAX_CONNECTIONS).min(for_connections).max(MIN_CONNECTIONS),
        return_queue_time_header: options.get(&RETURN_QUEUE_TIME_HEADER),
        trusted_origins: TrustedOrigins::new(origins),
        ..HttpOptions::default()
    }
}
