//! The replies that feeds fill.

use std::time::{Duration, Instant};

use database::changes::{Feed, Progress, Token};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::json;

use super::framing::Framing;
use crate::http::response::Response;
use crate::http::stream::live::LiveSource;

/// Bytes after which a JSON reply ends, and a chunk of the others is sent.
const REPLY_BYTES: usize = 16 << 20;
const CHUNK_BYTES: usize = 256 << 10;

const OPEN: &[u8] = b"{\"changes\":[";

/// A feed that is sent as it comes.
pub(super) struct FeedSource {
    feed: Feed,
    framing: Framing,
    /// When a JSON reply ends without a change.
    deadline: Instant,
    is_done: bool,
}

/// Reads what is there into one JSON reply.
pub(super) fn whole(mut feed: Feed) -> Result<Response> {
    let (mut out, mut count, mut has_more) = (OPEN.to_vec(), 0, true);
    while has_more && out.len() < REPLY_BYTES {
        let progress = read_block(&mut feed, Framing::Object, &mut out, &mut count)?;
        has_more = progress.has_more;
    }
    close(&feed, &mut out);
    Ok(Response::json(StatusCode::OK, out))
}

fn close(feed: &Feed, out: &mut Vec<u8>) {
    let has_more = feed.is_complete() || feed.has_news();
    out.extend_from_slice(format!("],\"token\":\"{}\",\"hasMore\":{has_more}}}", feed.token()).as_bytes());
}

/// Reads one block. `count` counts the changes of the reply.
fn read_block(feed: &mut Feed, framing: Framing, out: &mut Vec<u8>, count: &mut u64) -> Result<Progress> {
    feed.read(&mut |token, change| {
        framing.add(token, change, *count == 0, out);
        *count += 1;
    })
}

/// Returns the last words of a reply that an error ends, as a JSON object.
pub(super) fn error_object(error: &Error, token: Option<Token>) -> Vec<u8> {
    let mut text = Vec::new();
    json::write_str(error.message(), &mut text);
    let message = String::from_utf8_lossy(&text);
    let (code, number) = (error.status(), error.number());
    let token = token.map_or_else(String::new, |token| format!(",\"token\":\"{token}\""));
    format!("{{\"error\":true,\"code\":{code},\"errorNum\":{number},\"errorMessage\":{message}{token}}}")
        .into_bytes()
}

impl FeedSource {
    pub(super) fn new(feed: Feed, framing: Framing, timeout: Duration) -> Self {
        FeedSource { feed, framing, deadline: Instant::now() + timeout, is_done: false }
    }

    /// Returns the whole JSON reply once there is a change, or its time is over.
    fn object(&mut self) -> Result<Vec<u8>> {
        let (mut out, mut count, mut has_more) = (OPEN.to_vec(), 0, true);
        while has_more && out.len() < REPLY_BYTES {
            has_more = read_block(&mut self.feed, self.framing, &mut out, &mut count)?.has_more;
        }
        if count == 0 && Instant::now() < self.deadline {
            return Ok(Vec::new());
        }
        close(&self.feed, &mut out);
        self.is_done = true;
        Ok(out)
    }
}

impl LiveSource for FeedSource {
    fn has_news(&self) -> bool {
        self.is_done || self.feed.has_news()
    }

    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if self.is_done {
            return Ok(None);
        }
        if self.framing == Framing::Object {
            return self.object().map(Some);
        }
        let (mut out, mut count, mut has_more) = (Vec::new(), 0, true);
        while has_more && out.len() < CHUNK_BYTES {
            has_more = read_block(&mut self.feed, self.framing, &mut out, &mut count)?.has_more;
        }
        self.is_done = self.feed.is_complete();
        Ok(Some(out))
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        if self.framing == Framing::Object {
            let mut out = OPEN.to_vec();
            close(&self.feed, &mut out);
            self.is_done = true;
            return out;
        }
        self.framing.heartbeat(self.feed.token())
    }

    fn farewell(&mut self, error: &Error) -> Vec<u8> {
        let json = error_object(error, Some(self.feed.token()));
        match self.framing {
            Framing::Object => json,
            framing => framing.error(&json),
        }
    }

    fn release(&mut self) {
        self.feed.release();
    }
}
