//! `--traces`: the export of traces to a collector of OpenTelemetry.

use std::sync::Arc;
use std::time::Duration;

use client::{ClientOptions, Endpoint, RetryOptions, TlsOptions};
use options::{Decimal, List, Maybe, Number, Opt, Options, Seconds, Text, decimal, number, seconds, text};
use server::version::PERSEA_VERSION;
use traces::{Tracer, TracerOptions};

use crate::failure::Failure;

/// The path of collectors, unless the endpoint has one.
const PATH: &str = "/v1/traces";

/// The ports of collectors, unless the endpoint has one.
const PORT: u16 = 4_318;

/// The time limit of a request to the collector.
const TIMEOUT: Duration = Duration::from_secs(5);

options::section! {
    static CAFILE: Opt<Maybe<Text>> =
        text("traces.cafile", "", "PEM file of certificates, one of which must be the collector's or have signed it. Default: the authorities that the system trusts.").optional();
    static ENDPOINT: Opt<Maybe<Text>> =
        text("traces.endpoint", "", "Send traces to this OpenTelemetry collector with OTLP over HTTP, such as http://127.0.0.1:4318. Default: none; requests are not traced.").optional();
    static HEADER: Opt<List<Text>> =
        text("traces.header", "", "Send this header to the collector, as NAME=VALUE.").list().secret();
    static NODE_THRESHOLD: Opt<Seconds> =
        seconds("traces.node-threshold", "0.01", "Minimum execution time in seconds of a query node that gets a span of its own.");
    static QUEUE_SIZE: Opt<Number> =
        number("traces.queue-size", "4096", "Maximum number of spans that wait to be sent. Further ones are dropped and counted.");
    static SAMPLE_RATIO: Opt<Decimal> =
        decimal("traces.sample-ratio", "1", "Share of requests to trace, from 0 to 1, unless the header `traceparent` decides.");
    static SERVICE_NAME: Opt<Text> =
        text("traces.service-name", "persea", "Name of this server in traces.");
}

/// Returns the options of traces, if there is a collector.
pub(crate) fn settings(options: &Options) -> Result<Option<TracerOptions>, Failure> {
    let Some(endpoint) = options.non_empty(&ENDPOINT) else { return Ok(None) };
    let (address, path) = address_and_path(endpoint)?;
    let wrong = |error: client::Error| format!("--{} {endpoint}: {error}", ENDPOINT.name);
    let mut collector = ClientOptions::new(Endpoint::parse(&address).map_err(wrong)?);
    collector.connection_timeout = TIMEOUT;
    collector.request_timeout = TIMEOUT;
    collector.retries = RetryOptions { count: 1, ..RetryOptions::default() };
    if matches!(collector.endpoint, Endpoint::Tls { .. }) {
        collector.tls = match options.get(&CAFILE) {
            Some(file) => TlsOptions { authorities: Some(file.into()), ..TlsOptions::default() },
            None => TlsOptions::trusting_the_system().map_err(wrong)?,
        };
    }
    let share = options.get(&SAMPLE_RATIO);
    if !(0.0..=1.0).contains(&share) {
        return Err(format!("--{} is {share}; it must be a number from 0 to 1", SAMPLE_RATIO.name).into());
    }
    let header = |text: &str| {
        let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let pair = pair.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        pair.ok_or_else(|| Failure::from(format!("--{} must be NAME=VALUE", HEADER.name)))
    };
    Ok(Some(TracerOptions {
        collector,
        path,
        headers: options.get(&HEADER).into_iter().map(header).collect::<Result<_, _>>()?,
        service_name: options.get(&SERVICE_NAME).to_owned(),
        service_version: PERSEA_VERSION.to_owned(),
        share,
        node_threshold: options.duration(&NODE_THRESHOLD),
        queue_length: options.size(&QUEUE_SIZE),
    }))
}

/// Starts the export of traces.
pub(crate) fn start(settings: TracerOptions) -> Result<Arc<Tracer>, Failure> {
    let tracer = Tracer::start(settings).map_err(|error| format!("traces: {error}"))?;
    Ok(Arc::new(tracer))
}

/// Splits `http://HOST[:PORT][/PATH]`, and adds the usual port and path.
fn address_and_path(endpoint: &str) -> Result<(String, String), Failure> {
    let (scheme, rest) = endpoint
        .split_once("://")
        .filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
        .ok_or_else(|| format!("--{} is {endpoint:?}; it must be http://HOST:PORT", ENDPOINT.name))?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = if path.is_empty() { PATH.to_owned() } else { format!("/{path}") };
    // A colon within brackets belongs to an address of IPv6.
    let has_port = authority.rsplit(']').next().is_some_and(|behind| behind.contains(':'));
    let port = if has_port { String::new() } else { format!(":{PORT}") };
    Ok((format!("{scheme}://{authority}{port}"), path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_has_a_port_and_a_path() {
        let parts = |endpoint: &str| {
            address_and_path(endpoint).ok().map(|(address, path)| format!("{address} {path}"))
        };
        for (endpoint, expected) in [
            ("http://collector", "http://collector:4318 /v1/traces"),
            ("http://collector:80/", "http://collector:80 /v1/traces"),
            ("https://[::1]/otlp/v1/traces", "https://[::1]:4318 /otlp/v1/traces"),
            ("http://[::1]:1", "http://[::1]:1 /v1/traces"),
        ] {
            assert_eq!(parts(endpoint).as_deref(), Some(expected), "{endpoint}");
        }
        for endpoint in ["collector:4318", "grpc://collector", ""] {
            assert!(parts(endpoint).is_none(), "{endpoint}");
        }
    }
}
