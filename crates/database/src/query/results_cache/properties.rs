//! What the cache keeps: `/_api/query-cache/properties`, and the options `--query.cache-*`.

use crate::{Error, Result};

/// Which queries use the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CacheMode {
    /// None.
    #[default]
    Off,
    /// All but those whose option `cache` is false.
    On,
    /// Those whose option `cache` is true.
    Demand,
}

impl CacheMode {
    /// ArangoDB's word for it.
    pub fn name(self) -> &'static str {
        match self {
            CacheMode::Off => "off",
            CacheMode::On => "on",
            CacheMode::Demand => "demand",
        }
    }

    /// The mode of a word. Error 10 for any other text.
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

/// What the cache keeps. The limits are each database's own; all results together also stay within the memory for
/// results that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheProperties {
    /// Which queries use the cache.
    pub mode: CacheMode,
    /// Most results.
    pub max_results: usize,
    /// Most bytes of all results.
    pub max_results_bytes: u64,
    /// Most bytes of one result.
    pub max_entry_bytes: u64,
    /// Whether results read from system collections are kept.
    pub include_system: bool,
}

impl Default for CacheProperties {
    /// ArangoDB's defaults.
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
