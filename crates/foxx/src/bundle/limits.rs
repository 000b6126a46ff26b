//! Bounds of bundles.

/// The bounds of a bundle from outside. Its files are in memory while it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of an archive in bytes.
    pub packed_bytes: usize,
    /// Maximum size of all files together in bytes.
    pub unpacked_bytes: usize,
    /// Maximum number of files and folders.
    pub entries: usize,
    /// Maximum length of a path in bytes.
    pub path_bytes: usize,
    /// Maximum number of parts of a path.
    pub depth: usize,
}

impl Default for Limits {
    /// Returns bounds for services with their packages of npm.
    fn default() -> Self {
        Limits {
            packed_bytes: 64 << 20,
            unpacked_bytes: 256 << 20,
            entries: 50_000,
            path_bytes: 1_024,
            depth: 64,
        }
    }
}
