//! The promises of the crate: what rows become and become again, and what hostile bytes can do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod hostile;
mod imported;
mod round_trip;

use arrow_format::{Inference, RowReader, RowSchema, StreamDecoder, StreamEncoder};
use errors::Result;
use velocypack::{Builder, Limits, Slice, json};

/// Returns an array in VelocyPack.
fn array(json: &str) -> Vec<u8> {
    let mut builder = Builder::new();
    json::parse(json.as_bytes(), &Limits::default(), &mut builder).unwrap();
    builder.into_vec()
}

/// Returns the schema of the rows of an array.
fn schema_of(rows: &[u8], json_columns: &[&str]) -> RowSchema {
    let mut inference = Inference::new(json_columns.iter().map(|&name| name.to_owned()));
    Slice::new(rows).elements().for_each(|row| inference.observe(row));
    inference.finish().unwrap()
}

/// Returns a stream of arrays, a record batch each.
fn stream(schema: RowSchema, batches: &[&[u8]]) -> Result<Vec<u8>> {
    let mut encoder = StreamEncoder::new(schema)?;
    for batch in batches {
        let (rows, mut next) = (Slice::new(batch), 0);
        while next < rows.len() {
            next = encoder.write(rows, next)?;
        }
    }
    encoder.finish()?;
    Ok(encoder.take())
}

/// Returns the documents of a stream as lines of JSON.
fn documents(stream: Vec<u8>) -> Result<Vec<String>> {
    let mut decoder = StreamDecoder::new(stream.into())?;
    let mut documents = Vec::new();
    while let Some(batch) = decoder.next_batch()? {
        let mut rows = RowReader::new(&batch)?;
        while let Some(document) = rows.next_document()? {
            documents.push(json::to_json_string(document, None));
        }
    }
    Ok(documents)
}
