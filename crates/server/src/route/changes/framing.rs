//! How changes are separated in a reply.

use database::changes::Token;
use hyper::header::HeaderValue;

use crate::http::content_type;

/// The form of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// One JSON object with an array of changes.
    Object,
    /// A line for each change, without end.
    Lines,
    /// Server-sent events, without end. Source: the HTML standard, "Server-sent events".
    Events,
}

impl Framing {
    pub(super) fn content_type(self) -> HeaderValue {
        match self {
            Framing::Object => content_type::JSON,
            Framing::Lines => content_type::NDJSON,
            Framing::Events => content_type::EVENTS,
        }
    }

    /// Appends a change. `is_first` is true for the first one of the reply.
    pub(super) fn add(self, token: Option<Token>, change: &[u8], is_first: bool, out: &mut Vec<u8>) {
        match self {
            Framing::Object => {
                if !is_first {
                    out.push(b',');
                }
                out.extend_from_slice(change);
            }
            Framing::Lines => {
                out.extend_from_slice(change);
                out.push(b'\n');
            }
            Framing::Events => {
                if let Some(token) = token {
                    out.extend_from_slice(format!("id: {token}\n").as_bytes());
                }
                out.extend_from_slice(b"data: ");
                out.extend_from_slice(change);
                out.extend_from_slice(b"\n\n");
            }
        }
    }

    /// Returns what tells the client that the server is still there, and how far it has read.
    pub(super) fn heartbeat(self, token: Token) -> Vec<u8> {
        match self {
            Framing::Object => Vec::new(),
            Framing::Lines => format!("{{\"token\":\"{token}\",\"operation\":\"heartbeat\"}}\n").into_bytes(),
            Framing::Events => format!("id: {token}\n: heartbeat\n\n").into_bytes(),
        }
    }

    /// Returns the last words of a reply that an error ends.
    pub(super) fn error(self, error: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Framing::Object => {}
            Framing::Lines => {
                out.extend_from_slice(error);
                out.push(b'\n');
            }
            Framing::Events => {
                out.extend_from_slice(b"event: error\ndata: ");
                out.extend_from_slice(error);
                out.extend_from_slice(b"\n\n");
            }
        }
        out
    }
}
