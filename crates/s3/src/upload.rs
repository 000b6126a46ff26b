//! Uploads of files: in one request, or in parts that become one object at the end.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::Note;
use crate::bucket::Bucket;
use crate::error::{Error, Result};
use crate::request::{Call, refused};
use crate::signature::hexadecimal;
use crate::xml;

/// The minimum size of a part in bytes; a smaller file is one request. Memory holds one part.
pub(crate) const PART_BYTES: u64 = 8 << 20;

/// The maximum number of parts, somewhat below S3's 10,000.
const PARTS_MAX: u64 = 9_000;

impl Bucket {
    /// Makes an object of a file, whose content must have the SHA-256 `sha256`.
    ///
    /// Every request carries a digest that the storage checks. The object exists as a whole or not
    /// at all. Errors: [`Error::Changed`], those of the file and the storage, those of `note`.
    pub fn put_file(&self, key: &str, path: &Path, sha256: &str, note: Note<'_>) -> Result<()> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.len();
        let part_bytes = PART_BYTES.max(size.div_ceil(PARTS_MAX));
        let mut source = Source { hash: Sha256::new(), file: &mut file, part_bytes };
        let first = source.part()?;
        if (first.len() as u64) < part_bytes {
            source.check(sha256)?;
            let headers = &self.options.headers;
            let length = first.len() as u64;
            let call = Call { method: "PUT", key: Some(key), headers, body: first, ..Call::default() };
            self.call(&call, note)?;
            return Ok(note(length)?);
        }
        let upload = self.begin(key)?;
        let sent = self.send_parts(key, &upload, first, &mut source, sha256, note);
        if sent.is_err() {
            // The storage keeps the parts otherwise, until somebody removes them.
            let _ = self.abort(key, &upload);
        }
        sent
    }

    fn begin(&self, key: &str) -> Result<String> {
        let headers = &self.options.headers;
        let call =
            Call { method: "POST", key: Some(key), query: &[("uploads", "")], headers, ..Call::default() };
        let reply = self.call(&call, &mut |_| Ok(()))?;
        xml::text(&String::from_utf8_lossy(reply.body()), "UploadId")
            .ok_or_else(|| Error::Reply { request: call.label(), reason: "there is no UploadId".to_owned() })
    }

    fn send_parts(
        &self,
        key: &str,
        upload: &str,
        first: Bytes,
        source: &mut Source<'_>,
        sha256: &str,
        note: Note<'_>,
    ) -> Result<()> {
        let mut part = first;
        let mut list = String::new();
        for number in 1_u32.. {
            let length = part.len() as u64;
            let text = number.to_string();
            let query = [("partNumber", text.as_str()), ("uploadId", upload)];
            let call = Call { method: "PUT", key: Some(key), query: &query, body: part, ..Call::default() };
            let reply = self.call(&call, note)?;
            let tag = reply.header("etag").ok_or_else(|| Error::Reply {
                request: call.label(),
                reason: "a part has no ETag".to_owned(),
            })?;
            let tag = xml::escaped(tag);
            list.push_str(&format!("<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>"));
            note(length)?;
            part = source.part()?;
            if part.is_empty() {
                break;
            }
        }
        source.check(sha256)?;
        let body = format!("<CompleteMultipartUpload>{list}</CompleteMultipartUpload>").into();
        let call =
            Call { method: "POST", key: Some(key), query: &[("uploadId", upload)], body, ..Call::default() };
        let reply = self.call(&call, note)?;
        // S3 sends the status before it puts the parts together, so the body tells of errors.
        match reply.body().windows(7).any(|text| text == b"<Error>") {
            true => Err(refused(&call, reply.status(), reply.body())),
            false => Ok(()),
        }
    }

    fn abort(&self, key: &str, upload: &str) -> Result<()> {
        let query = [("uploadId", upload)];
        let call = Call { method: "DELETE", key: Some(key), query: &query, ..Call::default() };
        self.call(&call, &mut |_| Ok(())).map(drop)
    }

    /// Removes the parts of all uploads below the prefix that were broken off. No upload may be in
    /// progress.
    pub fn abort_uploads(&self) -> Result<()> {
        let prefix = self.key("");
        let query = [("uploads", ""), ("prefix", prefix.as_str())];
        let call = Call { method: "GET", query: &query, ..Call::default() };
        let reply = self.call(&call, &mut |_| Ok(()))?;
        for upload in xml::elements(&String::from_utf8_lossy(reply.body()), "Upload") {
            let (key, id) = (xml::text(upload, "Key"), xml::text(upload, "UploadId"));
            if let (Some(key), Some(id)) = (key, id) {
                self.abort(key.strip_prefix(&prefix).unwrap_or(&key), &id)?;
            }
        }
        Ok(())
    }
}

/// A file that is read part by part.
struct Source<'a> {
    file: &'a mut File,
    hash: Sha256,
    part_bytes: u64,
}

impl Source<'_> {
    /// Returns the next part; a shorter one is the last.
    fn part(&mut self) -> Result<Bytes> {
        let mut part = Vec::new();
        (&mut *self.file).take(self.part_bytes).read_to_end(&mut part)?;
        self.hash.update(&part);
        Ok(part.into())
    }

    /// Compares the digest of all that was read.
    fn check(&self, expected: &str) -> Result<()> {
        let found = hexadecimal(&self.hash.clone().finalize());
        match found == expected {
            true => Ok(()),
            false => Err(Error::Changed { expected: expected.to_owned(), found }),
        }
    }
}
