//! The versions and the edition that clients see.

/// The ArangoDB version that drivers see.
pub const ARANGODB_VERSION: &str = "3.12.5";

/// The reported edition: the one that needs no license from ArangoDB.
pub const LICENSE: &str = "community";

/// The version of Persea.
pub const PERSEA_VERSION: &str = env!("CARGO_PKG_VERSION");
