//! Real drivers, unmodified from their registries, against a freshly started server.

use crate::support::{Server, drivers};

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
    if drivers::has(needs) {
        let folder = tempfile::tempdir().unwrap();
        drivers::run(&Server::start(folder.path(), &[]), suite);
    }
}
