//! The host of functions that users write: no requests, and no capability.

use std::sync::Arc;

use errors::{Error, ErrorCode};
use javascript::{Host, HostResult, LogLevel, Reply, Request};

use super::log_allowance::LogAllowance;

/// A host for computations alone.
pub(super) struct ComputingHost {
    database: Arc<str>,
    log: LogAllowance,
}

impl ComputingHost {
    pub(super) fn new(database: Arc<str>) -> Self {
        ComputingHost { database, log: LogAllowance::default() }
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
}
