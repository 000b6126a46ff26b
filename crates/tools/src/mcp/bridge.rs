//! The bridge: lines in, requests to the server, replies out.

use std::collections::HashSet;
use std::io::{BufRead, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use bytes::Bytes;
use client::{Client, Request};

use super::message::{self, Call, Message};
use crate::Failure;

/// Bytes of the longest line, which is the server's longest message.
const LINE_MAX_BYTES: usize = 8 << 20;

/// Calls that are sent concurrently. Further ones wait.
const CONCURRENT: usize = 8;

/// Lines that wait for a thread before the next one is read.
const WAITING: usize = 16;

/// The errors of JSON-RPC.
const PARSE_ERROR: i32 = -32_700;
const INTERNAL_ERROR: i32 = -32_603;

/// The state that the threads share.
struct Bridge<'b, W> {
    client: &'b Client,
    out: Mutex<W>,
    /// The calls whose replies the client waits for, by their identifiers.
    open: Mutex<HashSet<String>>,
    /// The revision of the session, if there is one.
    version: Mutex<Option<String>>,
}

/// Sends the lines of `input` until it ends, and writes the replies.
///
/// Errors: those of reading and writing. A request that fails is a reply.
pub(super) fn run(client: &Client, mut input: impl BufRead, out: impl Write + Send) -> Result<(), Failure> {
    let bridge = Bridge { client, out: Mutex::new(out), open: Mutex::default(), version: Mutex::default() };
    let (sender, receiver) = sync_channel::<(Call, Bytes)>(WAITING);
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        for _ in 0..CONCURRENT {
            scope.spawn(|| bridge.work(&receiver));
        }
        // The threads end when the sender is gone.
        bridge.read_lines(&mut input, &sender).map(|()| drop(sender))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W: Write> Bridge<'_, W> {
    fn read_lines(
        &self,
        input: &mut impl BufRead,
        sender: &SyncSender<(Call, Bytes)>,
    ) -> Result<(), Failure> {
        let failed = |error| Failure::new(format!("the standard input cannot be read: {error}"));
        loop {
            let mut line = Vec::new();
            let read = input.by_ref().take(LINE_MAX_BYTES as u64 + 1).read_until(b'\n', &mut line);
            if read.map_err(failed)? == 0 {
                return Ok(());
            }
            if line.len() > LINE_MAX_BYTES {
                skip_line(input).map_err(failed)?;
                self.write(&message::error("null", PARSE_ERROR, "the message is longer than 8 MiB"));
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            match Message::read(&line) {
                Some(Message::Call(call)) => {
                    lock(&self.open).insert(call.id.clone());
                    if call.method == "initialize" {
                        // The revision that it negotiates holds for all that follow.
                        self.answer(&call, Bytes::from(line));
                    } else if sender.send((call, Bytes::from(line))).is_err() {
                        return Ok(());
                    }
                }
                Some(Message::Cancelled(id)) => drop(lock(&self.open).remove(&id)),
                Some(Message::Other) => {}
                None => self.write(&message::error("null", PARSE_ERROR, "the line is not a message")),
            }
        }
    }

    fn work(&self, receiver: &Mutex<Receiver<(Call, Bytes)>>) {
        loop {
            let next = lock(receiver).recv();
            let Ok((call, line)) = next else { return };
            self.answer(&call, line);
        }
    }

    /// Sends a call, and writes its reply unless the client has given it up.
    fn answer(&self, call: &Call, line: Bytes) {
        if !lock(&self.open).contains(&call.id) {
            return;
        }
        let reply = self.send(call, line);
        if call.method == "initialize" {
            *lock(&self.version) = message::negotiated(&reply);
        }
        if lock(&self.open).remove(&call.id) {
            self.write(&reply);
        }
    }

    /// Sends a call. The reply is a message, also if there is no answer.
    fn send(&self, call: &Call, line: Bytes) -> Vec<u8> {
        let mut request =
            Request::post("/_mcp").header("accept", "application/json, text/event-stream").json(line);
        let version = call.version.clone().or_else(|| lock(&self.version).clone());
        if let Some(version) = version {
            request = request.header("mcp-protocol-version", &message::header_value(&version));
        }
        if call.version.is_some() {
            request = request.header("mcp-method", &message::header_value(&call.method));
            if let Some(name) = &call.name {
                request = request.header("mcp-name", &message::header_value(name));
            }
        }
        let response = match self.client.send(&request) {
            Ok(response) => response,
            Err(error) => return message::error(&call.id, INTERNAL_ERROR, &error.to_string()),
        };
        let body = response.body().trim_ascii();
        // Errors of the protocol have their own form; the server's errors do not.
        let is_message = matches!(body.first(), Some(b'{' | b'[')) && body.starts_with(br#"{"jsonrpc""#)
            || body.first() == Some(&b'[');
        if is_message {
            return body.to_vec();
        }
        let status = response.status();
        let text = match response.success() {
            Ok(_) => format!("the server answered with status {status} and no message"),
            Err(error) => error.to_string(),
        };
        message::error(&call.id, INTERNAL_ERROR, &text)
    }

    /// Writes a message as a line. A client that reads no more has ended, and so does its input.
    fn write(&self, message: &[u8]) {
        let mut out = lock(&self.out);
        let line = [message, b"\n"].concat();
        let _ = out.write_all(&line).and_then(|()| out.flush());
    }
}

/// Reads the rest of a line, and forgets it.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}
