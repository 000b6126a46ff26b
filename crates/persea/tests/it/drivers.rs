//! Real drivers, unmodified from their registries, against a freshly started server.

use std::process::Command;

use crate::support::{Server, tests_folder};

#[test]
fn python_arango() {
    run("python", "python3");
}

#[test]
fn arangojs() {
    run("javascript", "npm");
}

/// Runs a suite. Skips it if the language is not installed, but fails if the driver's installation
/// fails.
fn run(suite: &str, needs: &str) {
    if Command::new(needs).arg("--version").output().is_err() {
        println!("skipped: {needs} is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let data = std::env::var_os("PERSEA_TEST_DATA")
        .unwrap_or_else(|| tests_folder().join("../../shared/data").into());
    let output = Command::new(tests_folder().join("drivers/run"))
        .arg(suite)
        .env("PERSEA_ENDPOINT", server.endpoint())
        .env("PERSEA_TEST_DATA", data)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}
