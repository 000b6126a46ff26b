//! Certificates: of the file that the server reads, and of the server itself.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use client::{Certificate, Client, ClientOptions, Request};
use velocypack::Slice;

use super::Finding;

const DAY_SECONDS: i64 = 86_400;

/// The number of days before its expiry in which a certificate should be renewed.
const DAYS_MIN: i64 = 30;

/// Looks at a file with a certificate, its chain and its key.
pub(super) fn look_at_file(path: &Path) -> Vec<Finding> {
    let shown = path.display();
    let (chain, keys_match) = match Certificate::of_keyfile(path) {
        Ok(found) => found,
        Err(error) => return vec![Finding::bad(format!("certificate: {error}"))],
    };
    let mut findings = vec![match keys_match {
        true => Finding::good(format!("certificate: {shown} contains the matching key")),
        false => Finding::bad(format!(
            "certificate: the key in {shown} belongs to another certificate; put the server's certificate first"
        )),
    }];
    findings.extend(chain.iter().map(|certificate| time(certificate, &shown.to_string(), now())));
    findings
}

/// Looks at the certificate that a server shows. Nothing for one without TLS.
pub(super) fn look_at_server(options: &ClientOptions) -> Vec<Finding> {
    let certificate = match Certificate::of_server(options) {
        Ok(Some(certificate)) => certificate,
        Ok(None) => return Vec::new(),
        Err(error) => return vec![Finding::bad(format!("certificate of the server: {error}"))],
    };
    let host = options.endpoint.host().unwrap_or_default();
    vec![time(&certificate, "the server", now()), name(&certificate, host)]
}

/// Looks at the certificates that a server lists. Nothing for one without TLS, or if the user may
/// not ask.
pub(super) fn look_at_list(client: &Client) -> Vec<Finding> {
    let Some(reply) =
        client.call(&Request::get("/_admin/server/tls")).ok().and_then(|reply| reply.value().ok())
    else {
        return Vec::new();
    };
    let Some(result) = Slice::new(&reply).get("result").filter(|value| value.is_object()) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut look = |place: String, file: Option<Slice<'_>>| {
        let listed = file.and_then(|file| file.get("certificates")).filter(|value| value.is_array());
        let texts = listed.into_iter().flat_map(Slice::elements).filter_map(|text| text.as_str());
        for text in texts {
            match Certificate::of_pem(text) {
                Ok(facts) => findings.extend(facts.iter().map(|facts| time(facts, &place, now()))),
                Err(error) => findings.push(Finding::doubtful(format!("certificate of {place}: {error}"))),
            }
        }
    };
    look("the server's file".to_owned(), result.get("keyfile"));
    let named = result.get("SNI").filter(|value| value.is_object());
    for (name, file) in named.into_iter().flat_map(Slice::entries) {
        look(format!("the server's file for {name}"), Some(file));
    }
    look("the authorities of clients".to_owned(), result.get("clientCA"));
    findings
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed()
}

fn time(certificate: &Certificate, place: &str, now: i64) -> Finding {
    let text = format!("certificate of {place} for {}", certificate.names.join(", "));
    let days = (certificate.not_after - now).div_euclid(DAY_SECONDS);
    match days {
        _ if certificate.not_before > now => {
            Finding::bad(format!("{text}: it is not valid yet; set the clock, or use another"))
        }
        ..0 => Finding::bad(format!("{text}: it has expired; renew it, then POST /_admin/server/tls")),
        0..DAYS_MIN => Finding::doubtful(format!(
            "{text}: it expires in {days} days; renew it, then POST /_admin/server/tls"
        )),
        _ => Finding::good(format!("{text}: valid for {days} days")),
    }
}

fn name(certificate: &Certificate, host: &str) -> Finding {
    match certificate.is_for(host) {
        true => Finding::good(format!("certificate name: {host}")),
        false => Finding::doubtful(format!(
            "certificate name: issued for {}, not for {host}; clients that verify it refuse to connect",
            certificate.names.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn certificates_are_judged_by_their_time_and_names() {
        let certificate = Certificate {
            names: vec!["db.example".to_owned()],
            not_before: 100 * DAY_SECONDS,
            not_after: 200 * DAY_SECONDS,
        };
        let state = |day: i64| time(&certificate, "the server", day * DAY_SECONDS).state;
        assert_eq!([99, 100, 190, 201].map(state), [State::Bad, State::Good, State::Doubtful, State::Bad]);
        assert_eq!(name(&certificate, "db.example").state, State::Good);
        assert_eq!(name(&certificate, "127.0.0.1").state, State::Doubtful);
    }

    #[test]
    fn a_file_without_a_certificate_is_bad() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(look_at_file(file.path())[0].state, State::Bad);
    }
}
