//! Queries of tools, within limits, and refused by their plan if they may not write.

use database::query::request::QueryRequest;
use database::{Format, Session};
use errors::{Error, ErrorCode, Result};
use mcp::{Object, Printer};
use velocypack::Slice;

use super::context::Context;
use super::failure::ToolError;
use super::limits::{Limits, TOKEN_BYTES};
use super::suggestions;
use crate::http::Fields;

/// The rows of a query.
pub(super) struct Rows {
    reply: Vec<u8>,
    has_more: bool,
    limits: Limits,
    writes: bool,
}

/// Returns bind parameters that `fill` writes.
pub(super) fn bind(fill: impl FnOnce(&mut Fields<'_>)) -> Result<Vec<u8>> {
    Fields::object(fill)
}

/// Returns a request for a query within the limit of time.
pub(super) fn request(aql: &str, bind: &[u8], limits: Limits) -> QueryRequest {
    let mut request = QueryRequest::new(aql);
    request.bind_variables = bind.to_vec();
    request.options.max_runtime = Some(limits.time());
    request
}

/// Runs a query, and returns as many rows as the limits allow.
///
/// Errors: those of the query; 1004 if its plan writes and writes are not allowed.
pub(super) fn run(
    context: Context<'_>,
    aql: &str,
    bind: &[u8],
    limits: Limits,
) -> std::result::Result<Rows, ToolError> {
    run_within(context, aql, bind, limits).map_err(|error| {
        let is_refused = error.code() == ErrorCode::ReadOnly && !context.can_write;
        let failed = suggestions::of_query(context.session, error, aql);
        match is_refused {
            true => failed.with_hint("this server allows a model to read only; use no writing statement"),
            false => failed,
        }
    })
}

fn run_within(context: Context<'_>, aql: &str, bind: &[u8], limits: Limits) -> Result<Rows> {
    let session = context.session;
    let mut request = request(aql, bind, limits);
    request.batch_size = usize::try_from(limits.rows).unwrap_or(usize::MAX);
    // Rows beyond the limit are not computed.
    request.options.stream = true;
    let mut prepared = session.prepare_query(request.clone())?;
    let writes = prepared.is_modification();
    if writes {
        if !context.can_write {
            return Err(Error::new(ErrorCode::ReadOnly, "the query writes, and writes are not allowed"));
        }
        // All effects of a query take place, however many rows are returned.
        request.options.stream = false;
        prepared = session.prepare_query(request)?;
    }
    let reply = prepared.run(Format::VelocyPack)?;
    let has_more = reply.cursor.is_some();
    if let Some(cursor) = reply.cursor {
        close(session, cursor);
    }
    Ok(Rows { reply: reply.body, has_more, limits, writes })
}

/// Closes the cursor over the rows that nobody asks for.
fn close(session: &Session, cursor: u64) {
    // It may have expired by now.
    let _ = session.remove_cursor(cursor);
}

impl Rows {
    /// Returns the rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = Slice<'_>> {
        Slice::new(&self.reply).get("result").unwrap_or(Slice::EMPTY_ARRAY).elements()
    }

    /// Writes the rows into an answer, with the limits and what they cut off.
    pub(super) fn print(&self, printer: Printer, object: &mut Object<'_>) {
        let (rows, count, is_cut) = self.printed(printer);
        object.raw("rows", &rows).number("row_count", count).bool("has_more", self.has_more || is_cut);
        if is_cut {
            object.text("cut_by", "bytes");
            if count == 0 {
                let hint = "one row is longer than max_bytes; return fewer attributes, or raise max_bytes";
                object.text("hint", hint);
            }
        } else if self.has_more {
            object.text("cut_by", "rows");
        }
        self.limits.print(object);
        object.number("estimated_tokens", rows.len() as u64 / TOKEN_BYTES);
        self.print_extra(object);
    }

    /// Returns the rows as JSON, their number, and true if some are left out for lack of bytes.
    fn printed(&self, printer: Printer) -> (Vec<u8>, u64, bool) {
        let max = usize::try_from(self.limits.bytes).unwrap_or(usize::MAX);
        let (mut out, mut count) = (vec![b'['], 0);
        for row in self.rows() {
            let before = out.len();
            if count > 0 {
                out.push(b',');
            }
            printer.print(row, &mut out);
            if out.len() > max {
                out.truncate(before);
                out.push(b']');
                return (out, count, true);
            }
            count += 1;
        }
        out.push(b']');
        (out, count, false)
    }

    /// Writes the warnings and statistics, which a query has that was run to its end.
    fn print_extra(&self, object: &mut Object<'_>) {
        let Some(extra) = Slice::new(&self.reply).get("extra") else { return };
        if let Some(warnings) = extra.get("warnings").filter(|warnings| !warnings.is_empty()) {
            object.value("warnings", warnings);
        }
        let Some(statistics) = extra.get("stats") else { return };
        object.child("stats", |object| {
            let names: &[&str] = match self.writes {
                true => &["writesExecuted", "writesIgnored", "scannedFull", "scannedIndex", "executionTime"],
                false => &["scannedFull", "scannedIndex", "filtered", "executionTime"],
            };
            for name in names {
                if let Some(value) = statistics.get(name) {
                    object.value(name, value);
                }
            }
        });
    }
}
