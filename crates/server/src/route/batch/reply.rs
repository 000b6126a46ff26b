//! The reply to a batch.

use std::sync::Arc;

use bytes::Bytes;
use database::{Charge, MemoryAccount};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};

use super::PART_TYPE;
use crate::http::elsewhere::REPLY_MAX_BYTES;
use crate::http::format::Format;
use crate::http::response::{Body, Encoded, Response};
use crate::http::stream::live::NO_END;

/// Bytes reserved for the reply to a part: the head, and a document's metadata.
pub(super) const PART_REPLY_BYTES: usize = 384;

/// The reply to a part, with its whole body.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Encoded,
}

impl Answer {
    /// Returns the bytes of the reply's body.
    pub(crate) fn body_len(&self) -> usize {
        self.body.bytes.len()
    }

    /// Encodes a reply. The bytes of a stream are charged to `memory`. Errors: 32 without memory
    /// for it.
    pub(crate) fn of(response: Response, accepted: Format, memory: &Arc<MemoryAccount>) -> Result<Self> {
        let (response, encoded) = response.encode(accepted)?;
        let headers = response.headers.into_iter().collect();
        let body = match (encoded, response.body) {
            (Some(body), _) => body,
            (None, Body::Stream { content_type, mut source }) => {
                let mut bytes = Vec::new();
                let mut charge = Charge::new(Arc::clone(memory));
                while let Some(chunk) = source.next_chunk()? {
                    // A vector doubles when it is full.
                    charge.grow(2 * chunk.len() as u64)?;
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() > REPLY_MAX_BYTES {
                        let message = "the reply is too large for a batch: request it separately";
                        return Err(Error::new(ErrorCode::ResourceLimit, message));
                    }
                }
                Encoded { content_type: Some(content_type), bytes: bytes.into() }
            }
            (None, Body::Live(_)) => return Err(Error::bad_parameter(NO_END)),
            (None, _) => Encoded { content_type: None, bytes: Bytes::new() },
        };
        Ok(Answer { status: response.status, headers, body })
    }

    /// Returns the reply for an error that cannot be encoded.
    pub(crate) fn broken() -> Self {
        let body = Encoded { content_type: None, bytes: Bytes::new() };
        Answer { status: StatusCode::INTERNAL_SERVER_ERROR, headers: Vec::new(), body }
    }
}

/// The reply to the batch, while it is written.
pub(super) struct Reply {
    bytes: Vec<u8>,
    boundary: Vec<u8>,
    memory: Charge,
}

impl Reply {
    /// Returns the beginning of a reply, whose bytes are charged to `account`. Errors: 32.
    pub(super) fn new(boundary: Vec<u8>, parts: usize, account: Arc<MemoryAccount>) -> Result<Self> {
        let mut reply = Reply { bytes: Vec::new(), boundary, memory: Charge::new(account) };
        reply.reserve(parts * PART_REPLY_BYTES)?;
        Ok(reply)
    }

    /// Reserves memory for further bytes. Errors: 32; or if the reply would be too long.
    pub(super) fn reserve(&mut self, further_bytes: usize) -> Result<()> {
        let bytes = self.bytes.len().saturating_add(further_bytes);
        if bytes > REPLY_MAX_BYTES {
            let message = format!("the reply to the batch would be longer than {REPLY_MAX_BYTES} bytes");
            return Err(Error::new(ErrorCode::ResourceLimit, message));
        }
        if bytes > self.bytes.capacity() {
            let capacity = bytes.max(self.bytes.capacity().saturating_mul(2));
            self.memory.grow((capacity as u64).saturating_sub(self.memory.bytes()))?;
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        Ok(())
    }

    pub(super) fn boundary(&self) -> &[u8] {
        &self.boundary
    }

    /// Appends the reply to a part. Its bytes are reserved, except for a short head.
    pub(super) fn push(&mut self, id: Option<&[u8]>, answer: &Answer, has_body: bool) {
        let bytes = &mut self.bytes;
        append(bytes, &[b"--", &self.boundary, b"\r\nContent-Type: ", PART_TYPE.as_bytes(), b"\r\n"]);
        if let Some(id) = id {
            append(bytes, &[b"Content-Id: ", id, b"\r\n"]);
        }
        let reason = answer.status.canonical_reason().unwrap_or_default();
        append(
            bytes,
            &[b"\r\nHTTP/1.1 ", answer.status.as_str().as_bytes(), b" ", reason.as_bytes(), b"\r\n"],
        );
        let content_type = answer.body.content_type.iter().map(|value| (&CONTENT_TYPE, value));
        for (name, value) in content_type.chain(answer.headers.iter().map(|(name, value)| (name, value))) {
            append(bytes, &[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
        let length = answer.body.bytes.len().to_string();
        append(bytes, &[CONTENT_LENGTH.as_str().as_bytes(), b": ", length.as_bytes(), b"\r\n\r\n"]);
        if has_body {
            append(bytes, &[&answer.body.bytes]);
        }
        append(bytes, &[b"\r\n"]);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        append(&mut self.bytes, &[b"--", &self.boundary, b"--"]);
        self.bytes
    }
}

fn append(bytes: &mut Vec<u8>, pieces: &[&[u8]]) {
    pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
}
