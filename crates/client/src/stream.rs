//! A reply that is read as it arrives.

use std::io::{self, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::{Body, Incoming};

use crate::connection::{Connection, Stop, reason};
use crate::encoding::Decoder;
use crate::error::{Error, Result};
use crate::exchange::Exchange;
use crate::request::Request;
use crate::response::Response;

/// The maximum number of bytes that [`StreamedResponse::next_chunk`] decompresses in one call.
const CHUNK_BYTES: usize = 128 << 10;

/// The maximum length of an error's body, in bytes.
const MAX_ERROR_BYTES: u64 = 1 << 20;

/// A reply of any status, whose body is read as it arrives.
///
/// After its end its connection serves the next request. If it is dropped before, the connection is
/// closed.
///
/// Errors of reads are [`Error`]s inside an [`io::Error`]; [`StreamedResponse::next_chunk`] returns
/// them directly.
pub struct StreamedResponse {
    status: u16,
    headers: HeaderMap,
    body: Decoder<Arriving>,
}

/// A body as it arrives.
pub(crate) struct Arriving {
    client: Arc<Exchange>,
    request: String,
    /// The longest time between two pieces.
    patience: Duration,
    /// The connection; `None` once the body has been read.
    connection: Option<Connection>,
    incoming: Incoming,
    current: Bytes,
}

impl StreamedResponse {
    pub(crate) fn new(
        client: Arc<Exchange>,
        request: &Request,
        connection: Connection,
        reply: hyper::Response<Incoming>,
    ) -> Result<Self> {
        let (patience, request) = (client.patience(request), request.label());
        let (head, incoming) = reply.into_parts();
        let encoding = head.headers.get("content-encoding").and_then(|value| value.to_str().ok());
        let encoding = encoding.map(str::to_owned);
        let endpoint = client.name.clone();
        let arriving = Arriving {
            client,
            request: request.clone(),
            patience,
            connection: Some(connection),
            incoming,
            current: Bytes::new(),
        };
        let body = Decoder::new(encoding.as_deref(), arriving).ok_or_else(|| Error::Reply {
            endpoint,
            request,
            reason: format!("unknown content-encoding {encoding:?}"),
        })?;
        Ok(StreamedResponse { status: head.status.as_u16(), headers: head.headers, body })
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the first value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the reply, or the error that the server reports.
    pub fn success(mut self) -> Result<Self> {
        if self.status < 400 {
            return Ok(self);
        }
        let mut body = Vec::new();
        let read = (&mut self.body).take(MAX_ERROR_BYTES).read_to_end(&mut body);
        let arriving = self.body.inner_mut();
        read.map_err(|error| arriving.client_error(error))?;
        let (endpoint, request) = (arriving.client.name.clone(), arriving.request.clone());
        let (status, headers) = (self.status, self.headers);
        Response { endpoint, request, status, headers, body: body.into() }.success()?;
        unreachable_success()
    }

    /// Returns the next piece of the body, which is never empty; `None` at its end.
    ///
    /// The piece is not copied, unless it was compressed.
    pub fn next_chunk(&mut self) -> Result<Option<Bytes>> {
        if let Decoder::Plain(arriving) = &mut self.body {
            let chunk = match arriving.current.is_empty() {
                true => arriving.next()?,
                false => Some(std::mem::take(&mut arriving.current)),
            };
            return Ok(chunk);
        }
        let mut chunk = vec![0; CHUNK_BYTES];
        match self.body.read(&mut chunk) {
            Ok(0) => Ok(None),
            Ok(count) => {
                chunk.truncate(count);
                Ok(Some(chunk.into()))
            }
            Err(error) => Err(self.body.inner_mut().client_error(error)),
        }
    }
}

/// Returns an error that never occurs: the status says that the reply is an error.
fn unreachable_success<T>() -> Result<T> {
    Err(Error::Options("a reply was taken for an error".to_owned()))
}

impl Read for StreamedResponse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.body.read(buffer)
    }
}

impl Arriving {
    /// Returns the next piece; `None` at the end, when the connection becomes idle.
    fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let Some(connection) = &mut self.connection else { return Ok(None) };
            let deadline = Instant::now() + self.patience;
            let incoming = &mut self.incoming;
            let frame = connection.run(deadline, |_, context| Pin::new(&mut *incoming).poll_frame(context));
            match frame {
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(bytes) if !bytes.is_empty() => return Ok(Some(bytes)),
                    // Nothing here reads trailers.
                    _ => {}
                },
                Ok(None) => {
                    if let Some(connection) = self.connection.take() {
                        self.client.keep(connection);
                    }
                    return Ok(None);
                }
                Ok(Some(Err(error))) => return Err(self.broken(reason(&error))),
                Err(Stop::Ended(reason)) => return Err(self.broken(reason)),
                Err(Stop::TimedOut) => return Err(self.client.timed_out(&self.request, self.patience)),
            }
        }
    }

    fn broken(&self, reason: String) -> Error {
        Error::Broken { endpoint: self.client.name.clone(), request: self.request.clone(), reason }
    }

    /// Returns the client's error within a read error, or the decompression's.
    fn client_error(&self, error: io::Error) -> Error {
        match error.downcast::<Error>() {
            Ok(error) => error,
            Err(error) => Error::Reply {
                endpoint: self.client.name.clone(),
                request: self.request.clone(),
                reason: error.to_string(),
            },
        }
    }
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() {
            match self.next() {
                Ok(Some(bytes)) => self.current = bytes,
                Ok(None) => return Ok(0),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        let count = self.current.len().min(buffer.len());
        let piece = self.current.split_to(count);
        if let Some(room) = buffer.get_mut(..count) {
            room.copy_from_slice(&piece);
        }
        Ok(count)
    }
}
