//! The errors of requests to another server.

use errors::{Error, ErrorCode};

/// The statuses of a server that is overloaded, starts or stops.
const UNAVAILABLE: [u16; 2] = [503, 504];

/// Returns the error of a request to the other server.
///
/// 1400: it does not answer, and may do so later. 1402: it answers with an error. 1401: its answer
/// is not as expected. 10: the request cannot be sent at all.
pub(super) fn of_source(error: &client::Error) -> Error {
    let code = match error {
        client::Error::Connect { .. } | client::Error::Broken { .. } | client::Error::TimedOut { .. } => {
            ErrorCode::ReplicationNoResponse
        }
        client::Error::Server(server) if UNAVAILABLE.contains(&server.status) => {
            ErrorCode::ReplicationNoResponse
        }
        client::Error::Server(_) => ErrorCode::ReplicationLeaderError,
        client::Error::Reply { .. } | client::Error::TooLarge { .. } => ErrorCode::ReplicationInvalidResponse,
        client::Error::Endpoint { .. } | client::Error::Options(_) | client::Error::Request { .. } => {
            ErrorCode::BadParameter
        }
    };
    Error::new(code, error.to_string())
}

/// Returns true if the work may go on by itself after an error: the other server does not answer,
/// it has dropped what is being copied, or an operator can mend the cause there or here.
pub(super) fn is_passing(error: &Error) -> bool {
    use ErrorCode::{FilesystemFull, ReplicationLeaderError, ReplicationNoResponse};
    matches!(error.code(), ReplicationNoResponse | ReplicationLeaderError | FilesystemFull)
        || error.is_retryable()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_ends_the_work_only_for_a_while() {
        let full = kv::Error::Full { reason: "No space left on device".to_owned() };
        assert!(is_passing(&full.into()));
        let damaged = Error::corrupt("an entry");
        assert!(!is_passing(&damaged));
    }
}
