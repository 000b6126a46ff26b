//! The format of a body: JSON or VelocyPack.

use hyper::HeaderMap;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue};

use super::content_type;

pub use database::Format;

/// The media type of Arrow's IPC stream format.
pub const ARROW_STREAM: &str = "application/vnd.apache.arrow.stream";

const VELOCYPACK: &[u8] = b"application/x-velocypack";

/// Returns the format of a request's body.
///
/// Every type except VelocyPack is read as JSON, as in ArangoDB: curl, for example, labels its
/// bodies as forms.
pub fn of_body(headers: &HeaderMap) -> Format {
    match headers.get(CONTENT_TYPE) {
        Some(value) if media_type(value.as_bytes()).eq_ignore_ascii_case(VELOCYPACK) => Format::VelocyPack,
        _ => Format::Json,
    }
}

/// Returns true if a request's body has a media type.
pub fn is_body(headers: &HeaderMap, wanted: &str) -> bool {
    let given = headers.get(CONTENT_TYPE).map(|value| media_type(value.as_bytes()));
    given.is_some_and(|given| given.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Returns the format that the client wants: VelocyPack only if it is the first accepted type.
pub fn accepted(headers: &HeaderMap) -> Format {
    match headers.get(ACCEPT) {
        Some(value) if media_type(first(value.as_bytes())).eq_ignore_ascii_case(VELOCYPACK) => {
            Format::VelocyPack
        }
        _ => Format::Json,
    }
}

/// Returns the content type of a reply in this format.
pub fn content_type(format: Format) -> HeaderValue {
    match format {
        Format::Json => content_type::JSON,
        Format::VelocyPack => content_type::VELOCYPACK,
    }
}

/// Returns true if the header `accept` contains a media type.
pub fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    headers.get_all(ACCEPT).iter().any(|value| {
        let mut types = value.as_bytes().split(|&byte| byte == b',');
        types.any(|given| media_type(given).eq_ignore_ascii_case(wanted.as_bytes()))
    })
}

fn first(list: &[u8]) -> &[u8] {
    list.split(|&byte| byte == b',').next().unwrap_or_default()
}

/// Returns the media type without its parameters.
fn media_type(value: &[u8]) -> &[u8] {
    value.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: hyper::header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn velocypack_is_read_and_sent_only_when_it_is_named() {
        assert_eq!(of_body(&HeaderMap::new()), Format::Json);
        assert_eq!(of_body(&headers(CONTENT_TYPE, "application/x-www-form-urlencoded")), Format::Json);
        assert_eq!(of_body(&headers(CONTENT_TYPE, "Application/X-VelocyPack ; v=1")), Format::VelocyPack);
        assert_eq!(accepted(&headers(ACCEPT, "*/*")), Format::Json);
        assert_eq!(accepted(&headers(ACCEPT, "application/x-velocypack, */*")), Format::VelocyPack);
        assert_eq!(accepted(&headers(ACCEPT, "application/json, application/x-velocypack")), Format::Json);
    }

    #[test]
    fn a_media_type_is_found_anywhere_in_the_list() {
        assert!(accepts(&headers(ACCEPT, "text/html, application/x-ndjson;q=0.9"), "application/x-ndjson"));
        assert!(!accepts(&headers(ACCEPT, "text/html"), "application/x-ndjson"));
    }
}
