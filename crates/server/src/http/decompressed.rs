//! The body of a request without its `content-encoding`, and the memory that it is charged to.

use std::sync::Arc;

use database::MemoryAccount;
use errors::{Error, Result};
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use super::body::Collected;
use super::body_memory::BodyPermit;
use super::compression::{bounds_to_try, decompress};
use super::request::{BodyShare, RequestMemory};
use super::service::HttpService;
use crate::placement::pool::User;

impl HttpService {
    /// Returns the body without its `content-encoding`.
    pub(super) async fn decompressed(
        &self,
        user: &User,
        headers: &HeaderMap,
        body: Collected,
        max_bytes: usize,
    ) -> Result<Collected> {
        if !headers.contains_key(CONTENT_ENCODING) || body.bytes.is_empty() {
            return Ok(body);
        }
        let memory = &self.body_memory;
        let compressed = body.bytes;
        // Given back before more is requested. Two requests that each hold memory and want more
        // would wait for each other.
        drop(body.memory);
        let max_bytes = max_bytes.min(memory.capacity_bytes());
        for bytes in bounds_to_try(&compressed, max_bytes) {
            let with_packed = bytes.saturating_add(compressed.len());
            let mut permit = memory.permit(with_packed);
            permit.reach(with_packed).await?;
            let mut encoding = HeaderMap::new();
            encoding.extend(headers.get(CONTENT_ENCODING).map(|value| (CONTENT_ENCODING, value.clone())));
            let part = compressed.clone();
            let unpacked =
                self.lanes.requests.run(user, move || Ok(decompress(&encoding, part, bytes))).await?;
            match unpacked {
                Err(error) if error.status() == 413 && bytes < max_bytes => {}
                unpacked => {
                    let bytes = unpacked?;
                    permit.complete(bytes.len());
                    return Ok(Collected { bytes, memory: permit.if_counted() });
                }
            }
        }
        Err(Error::internal("a body was neither decompressed nor refused"))
    }

    pub(super) fn request_memory(&self, body: BodyPermit) -> RequestMemory {
        let account = body.is_long().then(|| {
            let all = Arc::clone(self.dispatcher.services().work_memory());
            Arc::new(MemoryAccount::new(None, Some(all)))
        });
        RequestMemory { _body: BodyShare::OfBodies(body), account }
    }
}
