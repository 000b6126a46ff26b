//! Replies that are an array with one member for each document of a request.

use std::collections::BTreeMap;
use std::sync::Arc;

use database::{Charge, MemoryAccount};
use errors::{Error, Result};
use hyper::StatusCode;
use velocypack::{Builder, json, to_wire};

use crate::http::error_response::print_member;
use crate::http::format::Format;
use crate::http::response::Response;

/// The minimum number of bytes in one charge. A shorter reply is not counted.
const CHARGE_STEP_BYTES: usize = 64 << 10;

/// An array under construction, whose bytes are charged to an account. The reply's bytes are
/// charged to the account of replies.
pub(super) struct Members {
    format: Format,
    /// The JSON text so far.
    text: Vec<u8>,
    /// The member that is being written to `text`, or the whole array in VelocyPack.
    builder: Builder,
    errors: BTreeMap<u32, usize>,
    memory: Charge,
    is_empty: bool,
}

impl Members {
    /// Opens an array in the format that the client accepts.
    pub(super) fn open(format: Format, account: Arc<MemoryAccount>) -> Result<Self> {
        let mut builder = Builder::new();
        let mut text = Vec::new();
        match format {
            Format::Json => text.push(b'['),
            Format::VelocyPack => builder.open_array()?,
        }
        let (errors, memory) = (BTreeMap::new(), Charge::new(account));
        Ok(Members { format, text, builder, errors, memory, is_empty: true })
    }

    /// Appends the value that `print` adds. Errors: 32 if there is no memory for it.
    pub(super) fn push(&mut self, print: impl FnOnce(&mut Builder) -> Result<()>) -> Result<()> {
        print(&mut self.builder)?;
        if self.format == Format::Json {
            if !self.is_empty {
                self.text.push(b',');
            }
            json::write(self.builder.as_slice(), None, &mut self.text);
            self.builder.clear();
        }
        self.is_empty = false;
        self.charge(self.text.capacity() + self.builder.len_bytes())
    }

    /// Appends the object of an error.
    pub(super) fn push_error(&mut self, error: &Error) -> Result<()> {
        *self.errors.entry(error.number()).or_default() += 1;
        self.push(|builder| {
            builder.open_object()?;
            print_member(error, builder)?;
            Ok(builder.close()?)
        })
    }

    /// Returns true if no error was appended.
    pub(super) fn has_no_errors(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the reply, with the number of each error in a header, as `{"1210":2}`.
    pub(super) fn into_response(mut self, status: StatusCode) -> Result<Response> {
        let bytes = match self.format {
            Format::Json => {
                self.text.push(b']');
                self.text
            }
            Format::VelocyPack => {
                self.builder.close()?;
                let value = self.builder.as_slice();
                self.memory.grow(value.byte_len() as u64)?;
                let mut bytes = Vec::with_capacity(value.byte_len());
                to_wire(value, None, &mut bytes)?;
                bytes
            }
        };
        let response = Response::encoded(status, self.format, bytes);
        if self.errors.is_empty() {
            return Ok(response);
        }
        let codes: Vec<String> =
            self.errors.iter().map(|(number, count)| format!("\"{number}\":{count}")).collect();
        response.text_header("x-arango-error-codes", &format!("{{{}}}", codes.join(",")))
    }

    fn charge(&mut self, bytes: usize) -> Result<()> {
        match (bytes as u64).checked_sub(self.memory.bytes()) {
            Some(missing) if missing > CHARGE_STEP_BYTES as u64 => self.memory.grow(missing + missing / 2),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(format: Format, limit_bytes: u64) -> (Members, Arc<MemoryAccount>) {
        let account = Arc::new(MemoryAccount::new(Some(limit_bytes), None));
        (Members::open(format, Arc::clone(&account)).unwrap(), account)
    }

    #[test]
    fn a_reply_that_is_too_long_is_an_error() {
        for format in [Format::Json, Format::VelocyPack] {
            let (mut members, account) = members(format, 1 << 20);
            let pushed = (0..100_000).try_for_each(|_| members.push_error(&Error::internal("x".repeat(100))));
            assert_eq!(pushed.unwrap_err().number(), 32);
            assert!(members.text.capacity() + members.builder.len_bytes() < 3 << 20);
            drop(members);
            assert_eq!(account.used_bytes(), 0);
        }
    }
}
