//! A watch over another server while it is copied. A reply may take long; silence may not.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use replication_client::Source;

use super::failure::of_source;

/// The time between two questions whether the server is there.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// Works with a server, which is asked from time to time whether it is there. If it does not answer
/// that, `end` must end all other requests.
///
/// Errors: those of `work`, 1400 if the server is silent.
pub(super) fn watched<T>(
    source: &Source,
    end: &(dyn Fn() + Sync),
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let (working, ended) = sync_channel::<()>(0);
    let (worked, silence) = std::thread::scope(|scope| {
        let watch = scope.spawn(move || {
            loop {
                match ended.recv_timeout(ASK_EVERY) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return None,
                }
                if let Some(error) = silence(source) {
                    end();
                    return Some(error);
                }
            }
        });
        let worked = work();
        drop(working);
        (worked, watch.join().ok().flatten())
    });
    match (worked, silence) {
        (Err(_), Some(silence)) => Err(silence),
        (worked, _) => worked,
    }
}

/// Returns the error of a server that does not answer.
fn silence(source: &Source) -> Option<Error> {
    let error = of_source(&source.greet().err()?);
    (error.code() == ErrorCode::ReplicationNoResponse).then_some(error)
}
