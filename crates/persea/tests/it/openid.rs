//! An issuer of OpenID Connect that is certified, and the files of issuers that stop the start.

use std::process::Command;

use crate::support::{PROGRAM, drivers};

#[test]
fn a_certified_issuer() {
    if drivers::has("npm") {
        drivers::run_alone("openid");
    }
}

#[test]
fn a_mistake_stops_the_start_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issuers.json");
    let good = r#""issuer": "https://login.example", "audience": "persea""#;
    let start = |text: String| {
        std::fs::write(&file, text).unwrap();
        let data = folder.path().join("data");
        let arguments = ["server".as_ref(), data.as_os_str(), "--openid.issuers".as_ref(), file.as_os_str()];
        Command::new(PROGRAM).args(arguments).arg("--check-configuration").output().unwrap()
    };
    for (rules, mistake) in [
        ("[]", "the file: `rules` must have 1 to"),
        (r#"[{"everyone": true, "databases": {"shop": "rx"}}]"#, "rules[0].databases.shop: must be rw"),
        (r#"[{"claim": "a", "roles": ["x"]}]"#, "rules[0]: must have one of"),
    ] {
        let output = start(format!(r#"{{{good}, "rules": {rules}}}"#));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(mistake), "{rules}: {text}");
        assert!(text.contains("--openid.issuers") && text.contains("issuers.json"), "{text}");
    }
    let output = start(format!(r#"{{{good}, "rules": [{{"everyone": true, "roles": ["x"]}}]}}"#));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
