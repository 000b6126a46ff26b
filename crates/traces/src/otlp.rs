//! OTLP, the protocol of OpenTelemetry, in its form as JSON: `ExportTraceServiceRequest`.
//!
//! Numbers of traces and spans are hexadecimal digits, and 64-bit numbers are texts.

use velocypack::json::JsonBuilder;
use velocypack::{Slice, ValueWriter};

use crate::record::{Kind, Record, Value};
use crate::shared::TracerOptions;

/// OTLP's numbers of roles and of the status of failed work.
const INTERNAL: u64 = 1;
const SERVER: u64 = 2;
const FAILED: u64 = 2;

/// The name of this program among those that make spans.
const SCOPE: &str = "persea";

/// Returns the body of a request with spans.
pub(crate) fn request(options: &TracerOptions, spans: &[Record]) -> velocypack::Result<Vec<u8>> {
    let mut out = JsonBuilder::with_capacity(512 * spans.len());
    out.open_object()?;
    list(&mut out, "resourceSpans", |out| {
        out.open_object()?;
        out.plain_key("resource")?;
        out.open_object()?;
        list(out, "attributes", |out| {
            attribute(out, "service.name", &Value::Text(options.service_name.clone()))?;
            attribute(out, "service.version", &Value::Text(options.service_version.clone()))?;
            attribute(out, "process.pid", &Value::Number(std::process::id().into()))
        })?;
        out.close_object()?;
        list(out, "scopeSpans", |out| {
            out.open_object()?;
            out.plain_key("scope")?;
            out.open_object()?;
            text(out, "name", SCOPE)?;
            text(out, "version", &options.service_version)?;
            out.close_object()?;
            list(out, "spans", |out| spans.iter().try_for_each(|span| write(out, span)))?;
            out.close_object()
        })?;
        out.close_object()
    })?;
    out.close_object()?;
    Ok(out.into_vec())
}

fn write(out: &mut JsonBuilder, span: &Record) -> velocypack::Result<()> {
    out.open_object()?;
    text(out, "traceId", &format!("{:032x}", span.context.trace))?;
    text(out, "spanId", &format!("{:016x}", span.context.span))?;
    if let Some(parent) = span.parent {
        text(out, "parentSpanId", &format!("{parent:016x}"))?;
    }
    text(out, "name", &span.name)?;
    out.plain_key("kind")?;
    out.add_u64(match span.kind {
        Kind::Internal => INTERNAL,
        Kind::Server => SERVER,
    })?;
    text(out, "startTimeUnixNano", &span.begin.to_string())?;
    text(out, "endTimeUnixNano", &span.end.to_string())?;
    list(out, "attributes", |out| {
        span.attributes.iter().try_for_each(|(name, value)| attribute(out, name, value))
    })?;
    if let Some(error) = &span.error {
        out.plain_key("status")?;
        out.open_object()?;
        out.plain_key("code")?;
        out.add_u64(FAILED)?;
        text(out, "message", error)?;
        out.close_object()?;
    }
    out.close_object()
}

fn attribute(out: &mut JsonBuilder, name: &str, value: &Value) -> velocypack::Result<()> {
    out.open_object()?;
    text(out, "key", name)?;
    out.plain_key("value")?;
    out.open_object()?;
    match value {
        Value::Text(value) => text(out, "stringValue", value)?,
        Value::Number(value) => text(out, "intValue", &value.to_string())?,
        Value::Bool(value) => {
            out.plain_key("boolValue")?;
            out.add_slice(if *value { Slice::TRUE } else { Slice::FALSE })?;
        }
    }
    out.close_object()?;
    out.close_object()
}

fn text(out: &mut JsonBuilder, name: &'static str, value: &str) -> velocypack::Result<()> {
    out.plain_key(name)?;
    out.add_str(value)
}

fn list(
    out: &mut JsonBuilder,
    name: &'static str,
    write: impl FnOnce(&mut JsonBuilder) -> velocypack::Result<()>,
) -> velocypack::Result<()> {
    out.plain_key(name)?;
    out.open_array()?;
    write(out)?;
    out.close_array()
}
