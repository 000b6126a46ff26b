//! The options of the server.

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use traces::Tracer;
use velocypack::Slice;

use crate::http::tls::Tls;
use crate::placement::pool::PoolLimits;
use crate::service::authentication::AuthenticationOptions;
use crate::service::backups::{BackupOptions, Verification};
use crate::service::crashes::CrashDumps;
use crate::service::encryption::EncryptionKeys;
use crate::service::foxx_network::ServiceNetwork;
use crate::service::log::{Log, LogOptions};
use crate::service::log_archive::ArchiveStatus;

pub use crate::http::options::HttpOptions;

/// The options of the server, from the configuration.
#[derive(Clone)]
pub struct ServerOptions {
    /// The options of HTTP.
    pub http: HttpOptions,
    /// The sizes of the worker pool.
    pub pool: PoolLimits,
    /// The options of authentication.
    pub authentication: AuthenticationOptions,
    /// The log that `/_admin/log` shows.
    pub log: Arc<Log>,
    /// The access to `/_admin/log*`.
    pub log_api: ApiAccess,
    /// The access to `/_admin/backup/*`.
    pub backup_api: ApiAccess,
    /// The backups of the server's data.
    pub backup: BackupOptions,
    /// The access to `/_admin/options*`.
    pub options_api: ApiAccess,
    /// The access to `/_admin/support-info`.
    pub support_info_api: ApiAccess,
    /// The access to `/_admin/activities`.
    pub activities_api: ApiAccess,
    /// The dumps of crashes; `None` if none are written.
    pub crash_dumps: Option<Arc<CrashDumps>>,
    /// The secrets of the encrypted data, if they may be changed while the server runs.
    pub encryption_keys: Option<Arc<dyn EncryptionKeys>>,
    /// The access to `/_admin/server/api-calls` and `/_admin/server/aql-queries`.
    pub recording_api: ApiAccess,
    /// Bytes of recorded requests for `/_admin/server/api-calls`; 0 records none.
    pub recorded_calls_max_bytes: usize,
    /// Bytes of recorded queries for `/_admin/server/aql-queries`; 0 records none.
    pub recorded_queries_max_bytes: usize,
    /// The tools for language models.
    pub mcp: McpOptions,
    /// True to enable `/_admin/metrics*`.
    pub metrics_api: bool,
    /// The way from `/`.
    pub root_redirect: RootRedirect,
    /// The addresses that the server listens on, in ArangoDB's notation.
    pub endpoints: Vec<String>,
    /// The configuration that `/_admin/options` shows: a VelocyPack object without secrets.
    pub configuration: Vec<u8>,
    /// The description of all options that `/_admin/options-description` shows: a VelocyPack
    /// object.
    pub configuration_description: Vec<u8>,
    /// The memory limit of the whole process.
    pub memory_limit_bytes: u64,
    /// Certificate and key of the TLS addresses, if there are any.
    pub tls: Option<Tls>,
    /// The other hosts that services may send requests to.
    pub services_network: Option<ServiceNetwork>,
    /// True if writes wait until other servers have them.
    pub writes_wait: bool,
    /// The source of traces, if requests are traced.
    pub tracer: Option<Arc<Tracer>>,
    /// The state of the archive of the change log, if there is one.
    pub log_archive: Option<Arc<ArchiveStatus>>,
}

/// The options of `/_mcp`, the tools for language models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// True to answer at all.
    pub is_enabled: bool,
    /// True if queries and tools may write.
    pub can_write: bool,
}

/// The access to calls that reveal much about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiAccess {
    /// No one.
    Disabled,
    /// Clients that know the secret of the tokens.
    Superuser,
    /// Users who may administer the server.
    Administrator,
    /// All users.
    Public,
}

impl ApiAccess {
    /// Checks the access of the session's user. Errors: 403, or 404 if the call is disabled.
    pub(crate) fn check(self, session: &Session, path: &str) -> Result<()> {
        match self {
            ApiAccess::Disabled => Err(Error::new(ErrorCode::HttpNotFound, format!("'{path}' is disabled"))),
            ApiAccess::Superuser if session.user().is_some() => {
                Err(Error::new(ErrorCode::HttpForbidden, format!("'{path}' needs a superuser's token")))
            }
            ApiAccess::Administrator => Ok(session.require_administrator()?),
            ApiAccess::Superuser | ApiAccess::Public => Ok(()),
        }
    }
}

/// The redirection from `/` and `/_db/{database}/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootRedirect {
    path: String,
    is_permanent: bool,
}

impl RootRedirect {
    /// Redirects to a path within the database, for good if `is_permanent`: browsers remember that.
    ///
    /// Errors: 10 unless the path begins with a slash and has visible ASCII characters only.
    pub fn new(path: &str, is_permanent: bool) -> Result<Self> {
        if !path.starts_with('/') || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("'{path}' is not the path of an address, which begins with '/'");
            return Err(Error::bad_parameter(message));
        }
        Ok(RootRedirect { path: path.to_owned(), is_permanent })
    }

    /// Returns the path within a database.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the status of the reply.
    pub(crate) fn status(&self) -> StatusCode {
        if self.is_permanent { StatusCode::MOVED_PERMANENTLY } else { StatusCode::FOUND }
    }
}

impl Default for RootRedirect {
    fn default() -> Self {
        RootRedirect { path: "/_admin/aardvark/".to_owned(), is_permanent: false }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            http: HttpOptions::default(),
            pool: PoolLimits::of_this_machine(),
            authentication: AuthenticationOptions::default(),
            log: Log::new(LogOptions::default()),
            log_api: ApiAccess::Administrator,
            activities_api: ApiAccess::Administrator,
            crash_dumps: None,
            encryption_keys: None,
            backup_api: ApiAccess::Administrator,
            backup: BackupOptions {
                backups: None,
                verify: Verification::new(|_| Err(Error::not_implemented("restoring backups"))),
                path_prefix: "/".into(),
            },
            options_api: ApiAccess::Superuser,
            support_info_api: ApiAccess::Administrator,
            recording_api: ApiAccess::Administrator,
            recorded_calls_max_bytes: 4 << 20,
            recorded_queries_max_bytes: 4 << 20,
            mcp: McpOptions::default(),
            metrics_api: true,
            root_redirect: RootRedirect::default(),
            endpoints: Vec::new(),
            configuration: Slice::EMPTY_OBJECT.bytes().to_vec(),
            configuration_description: Slice::EMPTY_OBJECT.bytes().to_vec(),
            memory_limit_bytes: 0,
            tls: None,
            writes_wait: false,
            services_network: None,
            tracer: None,
            log_archive: None,
        }
    }
}
