//! Downloads, which continue where a connection broke.

use client::StreamedResponse;

use crate::Note;
use crate::bucket::Bucket;
use crate::error::{Error, Result};
use crate::request::Call;

/// The number of attempts without a further byte after which a download ends.
const ATTEMPTS: u32 = 5;

impl Bucket {
    /// Reads an object piece by piece. The caller compares its digest.
    ///
    /// Errors: those of the storage, also for an object that does not exist, and those of `take`,
    /// which may end the download.
    pub fn read(&self, key: &str, take: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> Result<()> {
        let mut at = 0_u64;
        let mut failures = 0;
        loop {
            let before = at;
            let ended = self.open(key, at, &mut |_| Ok(())).and_then(|mut reply| {
                while let Some(piece) = reply.next_chunk()? {
                    take(&piece)?;
                    at += piece.len() as u64;
                }
                Ok(())
            });
            match ended {
                Err(Error::Client(error)) if error.is_connection() => {
                    failures = if at > before { 1 } else { failures + 1 };
                    if failures >= ATTEMPTS {
                        return Err(error.into());
                    }
                    take(&[])?;
                }
                outcome => return outcome,
            }
        }
    }

    fn open(&self, key: &str, at: u64, note: Note<'_>) -> Result<StreamedResponse> {
        let range = [("range", format!("bytes={at}-"))];
        let headers = if at == 0 { &range[..0] } else { &range[..] };
        let call = Call { method: "GET", key: Some(key), headers, ..Call::default() };
        let reply = self.repeat(note, || self.stream(&call))?;
        match at > 0 && reply.status() != 206 {
            true => Err(Error::Reply {
                request: call.label(),
                reason: "it is not the requested range".to_owned(),
            }),
            false => Ok(reply),
        }
    }
}
