//! The host of functions that users write: no requests, and no capability.

use std::sync::Arc;

use errors::{Error, ErrorCode};
use javascript::{CompiledScripts, Host, HostResult, LogLevel, Reply, Request};

use super::log_allowance::LogAllowance;
use crate::Session;

/// A host for computations alone.
pub(super) struct ComputingHost {
    database: Arc<str>,
    scripts: Arc<CompiledScripts>,
    log: LogAllowance,
}

impl ComputingHost {
    /// Returns a function that makes a host for the database of a session.
    pub(super) fn maker(session: &Session) -> impl FnOnce() -> Box<dyn Host> + Send + use<> {
        let database = Arc::clone(session.database_name());
        let scripts = Arc::clone(session.instance().compiled_scripts());
        move || Box::new(ComputingHost { database, scripts, log: LogAllowance::default() })
    }
}

impl Host for ComputingHost {
    fn request(&self, _request: Request<'_>) -> HostResult<Reply> {
        let message = "AQL user functions may not read or write data";
        Err(Error::new(ErrorCode::Forbidden, message).into())
    }

    fn database(&self) -> String {
        self.database.to_string()
    }

    fn print(&self, text: &str) -> HostResult<()> {
        self.log(LogLevel::Info, text.trim_end());
        Ok(())
    }

    fn log(&self, level: LogLevel, text: &str) {
        if !self.log.take(text) {
            return;
        }
        match level {
            LogLevel::Debug | LogLevel::Info => tracing::debug!(database = %self.database, "script: {text}"),
            LogLevel::Warning => tracing::info!(database = %self.database, "script: {text}"),
            LogLevel::Error => tracing::warn!(database = %self.database, "script: {text}"),
        }
    }

    fn compiled_scripts(&self) -> Option<&CompiledScripts> {
        Some(&self.scripts)
    }
}
