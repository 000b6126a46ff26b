//! Registration of the engines: the names by which options choose one. `options/general.rs` opens
//! the chosen engine.

/// The name of an engine in an option.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EngineName {
    /// The engine of another option, or the default.
    Auto,
    RocksDb,
    Memory,
}

/// The registered engines.
pub(crate) const ENGINES: &[(&str, EngineName); 3] =
    &[("auto", EngineName::Auto), ("rocksdb", EngineName::RocksDb), ("memory", EngineName::Memory)];
