//! A stream that records its progress, for the monitor of connections.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connections::{Connection, Connections};
use super::unread::NO_MEMORY;

/// A stream that records its progress.
pub(super) struct Watched<S> {
    stream: S,
    connection: Arc<Connection>,
    connections: Arc<Connections>,
    has_read: bool,
}

impl<S> Watched<S> {
    /// Returns the stream of a connection that has read nothing yet.
    pub(super) fn new(stream: S, connection: &Arc<Connection>, connections: &Arc<Connections>) -> Self {
        let (connection, connections) = (Arc::clone(connection), Arc::clone(connections));
        Watched { stream, connection, connections, has_read: false }
    }

    /// Returns false if the connection has to end.
    fn note_read(&mut self, bytes: &[u8]) -> bool {
        if !self.has_read {
            self.has_read = true;
            if bytes.starts_with(b"PRI") {
                self.connection.mark_http2();
                self.connections.count_http2();
            }
        }
        self.connection.note_read(bytes.len(), self.connections.now())
    }

    fn note_write(&self, written: &Poll<std::io::Result<usize>>) {
        let now = self.connections.now();
        match written {
            Poll::Ready(Ok(bytes)) => self.connection.note_written(*bytes, now),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.connection.note_write_blocked(now),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if let Some(bytes) = buffer.filled().get(before..).filter(|bytes| !bytes.is_empty())
            && !this.note_read(bytes)
        {
            let message = "the connections hold too many bytes that no request has read";
            return Poll::Ready(Err(std::io::Error::new(NO_MEMORY, message)));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.note_write(&written);
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, slices);
        this.note_write(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
