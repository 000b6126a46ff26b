//! The options of the engine.

use std::time::Duration;

use crate::network::TlsFiles;

/// The greatest age of a dirty read.
pub const DIRTY_READ_AGE_MAX: Duration = Duration::from_secs(60);

/// The format of everything in a store: keys, facts, and the records of all layers above.
///
/// A version of the software whose records an older one cannot read, or could destroy by writing
/// them back, has the next number. It writes such records only if [`kv::Sharing::format`] has
/// reached that number.
///
/// Format 2: each commit makes the revision in its counter records greater.
pub(crate) const FORMAT: u32 = 2;

/// The cluster and the part of it that a store takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TikvOptions {
    /// The addresses of PD's members (`HOST:PORT`). One of them must answer.
    pub pd: Vec<String>,
    /// The files for encrypted connections, if the cluster asks for them.
    pub tls: Option<TlsFiles>,
    /// The beginning of all keys of the store. Stores with other prefixes may be in the same
    /// cluster, if no prefix begins with another one.
    pub prefix: String,
    /// The maximum time of one operation, retries included.
    pub timeout: Duration,
    /// The maximum time until a single message counts as lost.
    pub message_timeout: Duration,
    /// The life of the server's lease without a sign of life. It should exceed the time in which a
    /// cluster elects a leader of a region or of PD.
    pub lease: Duration,
    /// The newest format of the store that the server reads and writes. Tests give other formats.
    pub format: u32,
    /// Takes over a store that was restored from a backup of another cluster.
    pub adopts_restored: bool,
    /// Commits in one phase where a single region has all keys.
    pub one_phase: bool,
    /// The age of dirty reads. At zero they read the present state, for which a follower asks its
    /// leader; at more than zero they read that far in the past, without the leader.
    pub dirty_read_age: Duration,
    /// Maximum size in bytes of a transaction's keys and values.
    pub transaction_bytes_max: usize,
    /// One of the servers collects old versions, if no other program uses the cluster.
    pub collect_garbage: bool,
}

impl Default for TikvOptions {
    fn default() -> Self {
        TikvOptions {
            pd: vec!["127.0.0.1:2379".to_owned()],
            tls: None,
            prefix: "persea".to_owned(),
            timeout: Duration::from_secs(25),
            message_timeout: Duration::from_secs(8),
            lease: Duration::from_secs(30),
            format: FORMAT,
            adopts_restored: false,
            one_phase: true,
            dirty_read_age: Duration::ZERO,
            transaction_bytes_max: 64 << 20,
            collect_garbage: true,
        }
    }
}
