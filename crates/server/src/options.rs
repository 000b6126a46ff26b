//! What the configuration sets.

use std::sync::Arc;

use database::Session;
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::http::tls::Tls;
use crate::placement::pool::PoolLimits;
use crate::service::authentication::AuthenticationOptions;
use crate::service::log::{Log, LogOptions};

pub use crate::http::options::HttpOptions;

/// What the configuration sets.
#[derive(Clone)]
pub struct ServerOptions {
    /// How HTTP is spoken.
    pub http: HttpOptions,
    /// The threads for work that takes longer.
    pub pool: PoolLimits,
    /// Who may make requests.
    pub authentication: AuthenticationOptions,
    /// The log that `/_admin/log` shows.
    pub log: Arc<Log>,
    /// Who may use `/_admin/log*`.
    pub log_api: ApiAccess,
    /// Who may use `/_admin/options*`.
    pub options_api: ApiAccess,
    /// Who may use `/_admin/support-info`.
    pub support_info_api: ApiAccess,
    /// Who may use `/_admin/server/api-calls` and `/_admin/server/aql-queries`.
    pub recording_api: ApiAccess,
    /// Bytes of requests that the former shows; 0 is none.
    pub recorded_calls_max_bytes: usize,
    /// Bytes of queries that the latter shows; 0 is none.
    pub recorded_queries_max_bytes: usize,
    /// Whether `/_admin/metrics*` are there.
    pub metrics_api: bool,
    /// The addresses that the server listens on, as ArangoDB writes them.
    pub endpoints: Vec<String>,
    /// The configuration that `/_admin/options` shows: a VelocyPack object without secrets.
    pub configuration: Vec<u8>,
    /// What can be configured, that `/_admin/options-description` shows: a VelocyPack object.
    pub configuration_description: Vec<u8>,
    /// Bytes that the whole process is meant to stay within.
    pub memory_limit_bytes: u64,
    /// Certificate and key of the encrypted addresses, if there are any.
    pub tls: Option<Tls>,
}

/// Who may use calls that tell much about the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiAccess {
    /// Nobody.
    Disabled,
    /// Those who know the secret that tokens are signed with.
    Superuser,
    /// Those who may administer the server.
    Administrator,
    /// All users.
    Public,
}

impl ApiAccess {
    /// Error 403 (404 when disabled) if the session's user may not.
    pub(crate) fn check(self, session: &Session, path: &str) -> Result<()> {
        match self {
            ApiAccess::Disabled => {
                Err(Error::new(ErrorCode::HttpNotFound, format!("'{path}' is switched off")))
            }
            ApiAccess::Superuser if session.user().is_some() => {
                Err(Error::new(ErrorCode::HttpForbidden, format!("'{path}' needs a superuser's token")))
            }
            ApiAccess::Administrator => Ok(session.require_administrator()?),
            ApiAccess::Superuser | ApiAccess::Public => Ok(()),
        }
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
            options_api: ApiAccess::Superuser,
            support_info_api: ApiAccess::Administrator,
            recording_api: ApiAccess::Administrator,
            recorded_calls_max_bytes: 4 << 20,
            recorded_queries_max_bytes: 4 << 20,
            metrics_api: true,
            endpoints: Vec::new(),
            configuration: Slice::EMPTY_OBJECT.bytes().to_vec(),
            configuration_description: Slice::EMPTY_OBJECT.bytes().to_vec(),
            memory_limit_bytes: 0,
            tls: None,
        }
    }
}
