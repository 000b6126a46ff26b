//! The headers that users add to deliveries.

/// Maximum number of headers.
pub const HEADERS_MAX: usize = 20;
/// Maximum length of a name, and of a value, in bytes.
const NAME_MAX_BYTES: usize = 128;
const VALUE_MAX_BYTES: usize = 4_096;

/// Headers that belong to the connection, the body or the signature.
const RESERVED: [&str; 15] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
];
const RESERVED_PREFIXES: [&str; 3] = ["webhook-", "proxy-", ":"];

/// Checks headers.
///
/// Errors: the reason why one must not be sent, or that there are too many.
pub fn check_headers(headers: &[(String, String)]) -> Result<(), String> {
    if headers.len() > HEADERS_MAX {
        return Err(format!("'headers' has {} entries, at most {HEADERS_MAX} are accepted", headers.len()));
    }
    headers.iter().try_for_each(|(name, value)| check(name, value))
}

fn check(name: &str, value: &str) -> Result<(), String> {
    let shown: String = name.chars().take(NAME_MAX_BYTES).flat_map(char::escape_default).collect();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > NAME_MAX_BYTES || !name.bytes().all(is_token) {
        return Err(format!("'{shown}' is no name of a header of at most {NAME_MAX_BYTES} bytes"));
    }
    let lower = name.to_ascii_lowercase();
    let is_reserved = RESERVED.contains(&lower.as_str())
        || RESERVED_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    if is_reserved {
        return Err(format!("the header '{shown}' belongs to the server and must not be set"));
    }
    if value.len() > VALUE_MAX_BYTES {
        return Err(format!("the header '{shown}' has more than {VALUE_MAX_BYTES} bytes"));
    }
    if !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Err(format!("the header '{shown}' must have visible ASCII characters and spaces only"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(name: &str, value: &str) -> Result<(), String> {
        check_headers(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn headers_of_users_are_accepted() {
        check_one("Authorization", "Bearer x y").unwrap();
        check_one("x-Tenant_1", "").unwrap();
    }

    #[test]
    fn headers_that_change_the_request_are_refused() {
        for name in [
            "Host",
            "Content-Length",
            "transfer-encoding",
            "Webhook-Signature",
            "webhook-x",
            "Proxy-x",
            ":path",
        ] {
            check_one(name, "x").unwrap_err();
        }
        for (name, value) in [
            ("", "x"),
            ("a b", "x"),
            ("a\r\nb", "x"),
            ("é", "x"),
            ("a", "x\r\nb: c"),
            ("a", "\t"),
            ("a", "é"),
        ] {
            check_one(name, value).unwrap_err();
        }
        check_one(&"a".repeat(129), "x").unwrap_err();
        check_one("a", &"x".repeat(4_097)).unwrap_err();
        let many: Vec<_> = (0..21).map(|n| (format!("a{n}"), String::new())).collect();
        check_headers(&many).unwrap_err();
    }
}
