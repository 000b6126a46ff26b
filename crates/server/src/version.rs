//! Versions and the edition, as clients see them.

/// The ArangoDB version that is reported where drivers look for it.
pub const ARANGODB_VERSION: &str = "3.12.5";

/// The edition that is reported: what needs none of ArangoDB's licences.
pub const LICENSE: &str = "community";

/// This software's own version.
pub const PERSEA_VERSION: &str = env!("CARGO_PKG_VERSION");
