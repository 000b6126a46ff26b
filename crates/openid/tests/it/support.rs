//! Issuers and their configuration.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mock_issuer::MockIssuer;
use openid::{Issuers, Pace, Refusal, Verified, read_issuers};

/// The moment of all tests, in seconds since 1970.
pub(crate) const NOW: f64 = 1_700_000_000.0;

/// Returns a pace without a pause between fetches.
pub(crate) fn fast() -> Pace {
    Pace { interval: Duration::ZERO, ..Pace::default() }
}

/// Returns a pace with one fetch within a test.
pub(crate) fn slow() -> Pace {
    Pace { interval: Duration::from_secs(3_600), ..Pace::default() }
}

/// Returns the configured issuers, given further members of the configuration.
pub(crate) fn issuers(mock: &MockIssuer, members: &str, pace: Pace) -> Arc<Issuers> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuers.json");
    let text = format!(
        r#"{{"issuer": "{}", "audience": ["persea", "other"], {members}
            "rules": [{{"everyone": true, "databases": {{"shop": "ro"}}}}]}}"#,
        mock.url()
    );
    std::fs::write(&file, text).unwrap();
    Issuers::start(read_issuers(&file).unwrap(), pace)
}

/// Examines a token, and waits for keys where that is needed.
pub(crate) fn examine(issuers: &Issuers, token: &str) -> Result<Verified, Refusal> {
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        match issuers.examine(token, NOW) {
            Err(Refusal::Fetching(fetch)) if Instant::now() < limit => {
                let (sender, receiver) = std::sync::mpsc::channel();
                assert!(fetch.when_ended(move || {
                    let _ = sender.send(());
                }));
                receiver.recv_timeout(Duration::from_secs(60)).unwrap();
            }
            examined => return examined,
        }
    }
}

/// Returns the reason why a token is refused.
pub(crate) fn refusal(issuers: &Issuers, token: &str) -> String {
    examine(issuers, token).unwrap_err().to_string()
}

/// Returns claims of a good token, without the given ones, and with further members.
pub(crate) fn claims(mock: &MockIssuer, without: &str, with: &str) -> String {
    let good = [
        ("iss", format!("\"{}\"", mock.url())),
        ("aud", "\"persea\"".to_owned()),
        ("sub", "\"ann\"".to_owned()),
        ("iat", "1699999990".to_owned()),
        ("exp", "1700000600".to_owned()),
    ];
    let good = good.iter().filter(|(name, _)| *name != without);
    let members = good.map(|(name, value)| format!("\"{name}\": {value}"));
    let members = members.chain((!with.is_empty()).then(|| with.to_owned()));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}
