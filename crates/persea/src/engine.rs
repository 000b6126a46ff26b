//! Registration of the engines: the names by which options choose one. `options/general.rs` opens
//! the chosen engine.

/// The name of an engine in an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineName {
    /// The engine of another option, of the data folder, or the default.
    Auto,
    RocksDb,
    Mmap,
    Tikv,
    Memory,
}

/// The registered engines.
pub(crate) const ENGINES: &[(&str, EngineName); 5] = &[
    ("auto", EngineName::Auto),
    ("rocksdb", EngineName::RocksDb),
    ("mmfiles", EngineName::Mmap),
    ("tikv", EngineName::Tikv),
    ("memory", EngineName::Memory),
];

impl EngineName {
    /// Returns the name by which options choose the engine.
    pub(crate) fn text(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::RocksDb => "rocksdb",
            EngineName::Mmap => "mmfiles",
            EngineName::Tikv => "tikv",
            EngineName::Memory => "memory",
        }
    }
}
