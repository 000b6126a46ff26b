//! Runs suites of clients that come unmodified from their registries (`tests/drivers`).

use std::process::Command;

use super::{PROGRAM, Server, tests_folder};

/// The exit code of `tests/drivers/run` if a client cannot be had.
const NOT_INSTALLED: i32 = 77;

/// Returns true if a program is there. Otherwise it says that the test is skipped.
pub(crate) fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}

/// Runs a suite against a server. Skips it if its client cannot be had and the suite allows that.
#[track_caller]
pub(crate) fn run(server: &Server, suite: &str) {
    run_at(&server.endpoint(), suite);
}

/// Runs a suite that starts its own server. Skips it as [`run`] does.
#[track_caller]
pub(crate) fn run_alone(suite: &str) {
    run_at("", suite);
}

#[track_caller]
fn run_at(endpoint: &str, suite: &str) {
    let data = std::env::var_os("PERSEA_TEST_DATA")
        .unwrap_or_else(|| tests_folder().join("../../shared/data").into());
    let output = Command::new(tests_folder().join("drivers/run"))
        .arg(suite)
        .env("PERSEA_ENDPOINT", endpoint)
        .env("PERSEA_PROGRAM", PROGRAM)
        .env("PERSEA_TEST_DATA", data)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.code() == Some(NOT_INSTALLED) {
        println!("skipped: {}", text(&output.stderr));
        return;
    }
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
}
