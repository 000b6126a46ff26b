//! The bounds of the messages of a stream, before its decoder sees them.
//!
//! The decoder of arrow-ipc panics where a message names bytes outside of its body. It also takes
//! any number of rows without data. This check refuses both.

use arrow_ipc::{MessageHeader, RecordBatch, root_as_message};
use errors::{Error, ErrorCode, Result};

/// Maximum length of the description of one message in bytes.
const MAX_METADATA_BYTES: usize = 16 << 20;
/// Maximum number of rows in one record batch or dictionary.
const MAX_BATCH_ROWS: usize = 1 << 24;
/// Rows that are accepted for each byte of a stream: columns of bits have eight.
const ROWS_PER_BYTE: usize = 8;
/// The first bytes of Arrow's file format, which is not a stream.
const FILE_MAGIC: &[u8] = b"ARROW1";
/// The marker before the length of each message.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Checks the messages of a whole stream, and that it has its end. Errors: 400.
pub(crate) fn check(stream: &[u8]) -> Result<()> {
    if stream.starts_with(FILE_MAGIC) {
        return Err(refused(0, "is an Arrow file; send the stream format, without a footer"));
    }
    let mut rest = stream;
    let mut rows_left = stream.len().saturating_mul(ROWS_PER_BYTE);
    let mut has_schema = false;
    loop {
        let at = stream.len() - rest.len();
        let mut word = take(&mut rest, 4).ok_or_else(|| cut(at))?;
        if word == CONTINUATION {
            word = take(&mut rest, 4).ok_or_else(|| cut(at))?;
        }
        let length = u32::from_le_bytes(word.try_into().unwrap_or_default()) as usize;
        if length == 0 {
            break;
        }
        if length > MAX_METADATA_BYTES {
            return Err(refused(at, "has a message whose description is longer than 16 MiB"));
        }
        let metadata = take(&mut rest, length).ok_or_else(|| cut(at))?;
        let message = root_as_message(metadata)
            .map_err(|error| refused(at, &format!("has a message that is not valid: {error}")))?;
        let body = usize::try_from(message.bodyLength())
            .map_err(|_| refused(at, "has a message with a negative length"))?;
        take(&mut rest, body).ok_or_else(|| cut(at))?;
        match message.header_type() {
            MessageHeader::Schema if !has_schema => has_schema = true,
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or_else(|| no_header(at))?;
                check_batch(batch, body, at, &mut rows_left)?;
            }
            MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch().ok_or_else(|| no_header(at))?;
                let batch = dictionary.data().ok_or_else(|| no_header(at))?;
                check_batch(batch, body, at, &mut rows_left)?;
            }
            _ => return Err(refused(at, "has a message that is neither its schema nor a batch")),
        }
        if !has_schema {
            return Err(refused(at, "does not begin with a schema"));
        }
    }
    if !has_schema {
        return Err(refused(0, "has no schema"));
    }
    if rest.is_empty() { Ok(()) } else { Err(refused(stream.len() - rest.len(), "has bytes after its end")) }
}

fn check_batch(batch: RecordBatch<'_>, body: usize, at: usize, rows_left: &mut usize) -> Result<()> {
    if batch.compression().is_some() {
        return Err(refused(at, "has a compressed batch; write the stream without compression"));
    }
    let rows = usize::try_from(batch.length()).ok().filter(|&rows| rows <= MAX_BATCH_ROWS);
    let rows = rows.ok_or_else(|| refused(at, "has a batch of more than 16,777,216 rows"))?;
    *rows_left = rows_left.checked_sub(rows).ok_or_else(|| refused(at, "has more rows than bits"))?;
    let is_wrong = |length: i64| usize::try_from(length).is_err();
    if batch.nodes().into_iter().flatten().any(|node| is_wrong(node.length()) || is_wrong(node.null_count()))
    {
        return Err(refused(at, "has a column with a negative length"));
    }
    let fits = |offset: i64, length: i64| {
        let end = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        end.and_then(|(offset, length)| offset.checked_add(length)).is_some_and(|end| end <= body)
    };
    if !batch.buffers().into_iter().flatten().all(|buffer| fits(buffer.offset(), buffer.length())) {
        return Err(refused(at, "has a column whose data is outside of its message"));
    }
    Ok(())
}

/// Takes bytes from the front, if there are as many.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, others) = rest.split_at_checked(count)?;
    *rest = others;
    Some(taken)
}

fn cut(at: usize) -> Error {
    refused(at, "ends in the middle; send it with its end-of-stream marker")
}

fn no_header(at: usize) -> Error {
    refused(at, "has a message without content")
}

fn refused(at: usize, what: &str) -> Error {
    Error::new(ErrorCode::HttpBadParameter, format!("the Arrow stream {what} (message at byte {at})"))
}
