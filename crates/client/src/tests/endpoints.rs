//! Addresses in ArangoDB's forms.

use crate::Endpoint;

#[test]
fn endpoints_have_many_forms() {
    for (text, shown) in [
        ("tcp://localhost:1234", "http://localhost:1234"),
        ("http://localhost", "http://localhost:8529"),
        ("http+tcp://127.0.0.1/", "http://127.0.0.1:8529"),
        ("TCP://[::1]:99", "http://[::1]:99"),
        ("ssl://[::1]", "https://[::1]:8529"),
        ("https://db.example:443/", "https://db.example:443"),
        ("http+ssl://db.example:443", "https://db.example:443"),
        ("unix:///tmp/persea.sock", "http+unix:///tmp/persea.sock"),
        ("http+unix:///tmp/persea.sock", "http+unix:///tmp/persea.sock"),
    ] {
        assert_eq!(Endpoint::parse(text).unwrap().to_string(), shown, "{text}");
    }
}

#[test]
fn an_invalid_endpoint_names_the_valid_forms() {
    for (text, hint) in [
        ("localhost:8529", "tcp://HOST:PORT"),
        ("vst://localhost:8529", "http+tcp"),
        ("vst+ssl://localhost:8529", "http+tcp"),
        ("ftp://localhost", "unknown scheme \"ftp\""),
        ("tcp://", "name or address"),
        ("tcp://host:99999", "1 to 65535"),
        ("tcp://host:0", "1 to 65535"),
        ("tcp://host:1/path", "1 to 65535"),
        ("tcp://[::1", "not closed"),
        ("tcp://user@host:1", "name or address"),
        ("unix://", "names no socket"),
    ] {
        let error = Endpoint::parse(text).unwrap_err().to_string();
        assert!(error.contains(hint) && error.contains(text), "{text}: {error}");
    }
}
