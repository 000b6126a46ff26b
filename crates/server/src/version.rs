//! The versions and the edition that clients see.

/// The ArangoDB version that drivers see.
pub const ARANGODB_VERSION: &str = "3.12.10";

/// The reported edition: the one that needs no license from ArangoDB.
pub const LICENSE: &str = "community";

/// The version of Persea.
pub const PERSEA_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The libraries in the binary, by ArangoDB's names for the same purposes, and their versions.
pub const LIBRARIES: [(&str, &str); 6] = [
    ("icu-version", concat!("icu4x ", env!("PERSEA_ICU"))),
    ("mimalloc", env!("PERSEA_MIMALLOC")),
    ("openssl-version-compile-time", concat!("rustls ", env!("PERSEA_RUSTLS"))),
    ("openssl-version-run-time", concat!("rustls ", env!("PERSEA_RUSTLS"))),
    ("rocksdb-version", env!("PERSEA_ROCKSDB")),
    ("zlib-version", concat!("zlib-rs ", env!("PERSEA_ZLIB"))),
];

/// The compiler.
pub const COMPILER: &str = env!("PERSEA_COMPILER");

/// The commit; empty unless the build was told.
pub const COMMIT: &str = env!("PERSEA_COMMIT");

/// The seconds from 1970 to the build; empty unless the build was told.
const BUILD_SECONDS: &str = env!("SOURCE_DATE_EPOCH");

/// Returns the date of the build in ISO 8601; empty unless the build was told.
pub fn build_date() -> String {
    let time = BUILD_SECONDS.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map_or_else(String::new, |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
