//! The input and the output of a connection.
//!
//! A connection that waits for its client holds no buffer: bytes are received into a buffer of the
//! thread, and replies are collected in another one.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{future::poll_fn, mem};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::head::{MAX_BODY_BYTES, MAX_HEAD_BYTES};

/// Bytes that are received at once.
const RECEIVE_BYTES: usize = 16 << 10;

/// Maximum number of bytes that wait in a connection's input.
pub(super) const MAX_INPUT_BYTES: usize = MAX_HEAD_BYTES + MAX_BODY_BYTES;

/// Length from which bytes of a reply are sent from where they are.
const SHORT_BYTES: usize = 4 << 10;

/// Maximum number of bytes of replies that are collected before they are sent.
const COLLECTED_BYTES: usize = 32 << 10;

thread_local! {
    static RECEIVED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// A buffer for the next reply.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The bytes that were received and not taken by a request.
#[derive(Default)]
pub(super) struct Input {
    pub(super) bytes: BytesMut,
}

impl Input {
    /// Receives more bytes. Returns their number; 0 at the end of the input.
    pub(super) fn poll_receive<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        RECEIVED.with_borrow_mut(|buffer| {
            buffer.resize(RECEIVE_BYTES, 0);
            let mut received = ReadBuf::new(buffer);
            ready!(Pin::new(stream).poll_read(context, &mut received))?;
            self.bytes.extend_from_slice(received.filled());
            Poll::Ready(Ok(received.filled().len()))
        })
    }

    /// Takes the first bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Bytes {
        match bytes == self.bytes.len() {
            true => mem::take(&mut self.bytes).freeze(),
            false => self.bytes.split_to(bytes).freeze(),
        }
    }

    /// Returns true if no more bytes are received before a request takes some.
    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= MAX_INPUT_BYTES
    }
}

/// The bytes of replies that are not sent yet.
#[derive(Default)]
pub(super) struct Output {
    collected: Vec<u8>,
}

impl Output {
    /// Returns the buffer to append to.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        if self.collected.capacity() == 0 {
            self.collected = SPARE.take();
        }
        &mut self.collected
    }

    /// Returns true if the collected bytes should be sent before more are collected.
    pub(super) fn is_full(&self) -> bool {
        self.collected.len() >= COLLECTED_BYTES
    }

    /// Appends bytes, or sends them after the collected ones if there are many.
    pub(super) async fn add<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        bytes: &[u8],
    ) -> io::Result<()> {
        if bytes.len() <= SHORT_BYTES {
            self.buffer().extend_from_slice(bytes);
            return Ok(());
        }
        let collected = mem::take(&mut self.collected);
        send(stream, &mut [IoSlice::new(&collected), IoSlice::new(bytes)]).await?;
        keep(collected);
        Ok(())
    }

    /// Sends the collected bytes.
    pub(super) async fn flush<S: AsyncWrite + Unpin>(&mut self, stream: &mut S) -> io::Result<()> {
        if !self.collected.is_empty() {
            let collected = mem::take(&mut self.collected);
            send(stream, &mut [IoSlice::new(&collected)]).await?;
            keep(collected);
        }
        poll_fn(|context| Pin::new(&mut *stream).poll_flush(context)).await
    }
}

/// Keeps a buffer for the thread's next reply, unless it is large.
fn keep(mut buffer: Vec<u8>) {
    if buffer.capacity() <= 2 * COLLECTED_BYTES {
        buffer.clear();
        SPARE.set(buffer);
    }
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, mut parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Leaves out empty parts at the beginning.
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        let left = &*parts;
        let sent = poll_fn(|context| match left {
            [part] => Pin::new(&mut *stream).poll_write(context, part),
            parts => Pin::new(&mut *stream).poll_write_vectored(context, parts),
        });
        match sent.await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            sent => IoSlice::advance_slices(&mut parts, sent),
        }
    }
    Ok(())
}
