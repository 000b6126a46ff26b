//! The properties of the cache: `/_api/query-cache/properties`, and the options `--query.cache-*`.

use errors::{Error, Result};

/// The mode of the cache: the queries that use it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CacheMode {
    /// No queries.
    #[default]
    Off,
    /// All queries except those whose option `cache` is false.
    On,
    /// Only queries whose option `cache` is true.
    Demand,
}

impl CacheMode {
    /// Returns ArangoDB's name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            CacheMode::Off => "off",
            CacheMode::On => "on",
            CacheMode::Demand => "demand",
        }
    }

    /// Returns the mode with a name. Errors: 10 for any other text.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "off" => Ok(CacheMode::Off),
            "on" => Ok(CacheMode::On),
            "demand" => Ok(CacheMode::Demand),
            _ => Err(Error::bad_parameter(format!(
                "the mode of the query results cache must be off, on or demand, not '{name}'"
            ))),
        }
    }

    pub(super) fn from_number(number: u8) -> Self {
        match number {
            1 => CacheMode::On,
            2 => CacheMode::Demand,
            _ => CacheMode::Off,
        }
    }
}

/// The mode and the limits of the cache.
///
/// The limits apply to each database. All results together also stay within the memory of waiting
/// results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheProperties {
    /// The mode.
    pub mode: CacheMode,
    /// Maximum number of results.
    pub max_results: usize,
    /// Maximum size in bytes of all results.
    pub max_results_bytes: u64,
    /// Maximum size in bytes of one result.
    pub max_entry_bytes: u64,
    /// True if results read from system collections are cached.
    pub include_system: bool,
}

impl Default for CacheProperties {
    /// Returns ArangoDB's defaults.
    fn default() -> Self {
        CacheProperties {
            mode: CacheMode::Off,
            max_results: 128,
            max_results_bytes: 256 << 20,
            max_entry_bytes: 16 << 20,
            include_system: false,
        }
    }
}
