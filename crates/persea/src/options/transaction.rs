//! `--transaction`: stream transactions.

use std::time::Duration;

use database::transaction::TransactionLimits;
use options::{Bytes, Opt, Options, Seconds, bytes, seconds};

options::section! {
    static STREAMING_IDLE_TIMEOUT: Opt<Seconds> =
        seconds("transaction.streaming-idle-timeout", "60", "Abort a stream transaction after this many seconds without a request; at most 120.");
    static STREAMING_LOCK_TIMEOUT: Opt<Seconds> =
        seconds("transaction.streaming-lock-timeout", "8", "Maximum time in seconds that a request waits for another one in the same stream transaction.");
    static STREAMING_MAX_TRANSACTION_SIZE: Opt<Bytes> =
        bytes("transaction.streaming-max-transaction-size", "512MiB", "Maximum number of bytes that a stream transaction may write.");
}

/// The maximum idle time, as in ArangoDB: an abandoned transaction locks its collections until
/// then.
const MAX_IDLE_TIMEOUT: Duration = Duration::from_secs(120);

/// Makes the limits of stream transactions.
pub(super) fn settings(options: &Options) -> TransactionLimits {
    TransactionLimits {
        idle_timeout: options.duration(&STREAMING_IDLE_TIMEOUT).min(MAX_IDLE_TIMEOUT),
        lock_timeout: options.duration(&STREAMING_LOCK_TIMEOUT),
        max_bytes: usize::try_from(options.get(&STREAMING_MAX_TRANSACTION_SIZE)).unwrap_or(usize::MAX),
    }
}
