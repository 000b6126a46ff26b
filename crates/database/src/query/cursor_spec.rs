//! The cursor that a query's request asks for.

use std::time::Duration;

use crate::query_request::QueryRequest;
use crate::state::cursor::CursorSpec;
use crate::state::cursor::encoder::Format;

impl QueryRequest {
    /// Returns the specification of the cursor over the result.
    pub(super) fn cursor_spec(&self, format: Format, default_ttl: Duration) -> CursorSpec {
        CursorSpec {
            format,
            batch_size: self.batch_size,
            stream: self.options.stream,
            count: self.count && !self.options.stream,
            ttl: self.ttl.unwrap_or(default_ttl),
            allow_retry: self.options.allow_retry,
            cached: Some(false),
            plan_cache_key: None,
            may_be_dirty: false,
        }
    }
}
