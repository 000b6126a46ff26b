//! Objects: small ones as a whole, listings, and removal.

use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::bucket::Bucket;
use crate::error::{Error, Result};
use crate::request::Call;
use crate::xml;

/// An object of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The key.
    pub key: String,
    /// The size in bytes.
    pub size_bytes: u64,
    /// The moment of the last change, by the storage's clock, in seconds since 1970.
    pub modified_seconds: i64,
}

/// The objects whose keys begin with one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The objects, by key.
    pub objects: Vec<Object>,
    /// The moment of the listing, by the storage's clock, in seconds since 1970.
    pub now_seconds: i64,
}

impl Bucket {
    /// Returns the content of an object of at most 256 MiB, or `None` if there is none.
    pub fn get(&self, key: &str) -> Result<Option<Bytes>> {
        let call = Call { method: "GET", key: Some(key), ..Call::default() };
        match self.call(&call, &mut |_| Ok(())) {
            Err(error) if error.is_missing() => Ok(None),
            reply => Ok(Some(reply?.into_body())),
        }
    }

    /// Makes or replaces an object. The storage compares the SHA-256 of what arrives.
    pub fn put(&self, key: &str, body: impl Into<Bytes>) -> Result<()> {
        let headers = &self.options.headers;
        let call = Call { method: "PUT", key: Some(key), headers, body: body.into(), ..Call::default() };
        self.call(&call, &mut |_| Ok(())).map(drop)
    }

    /// Removes an object. It is not an error if there is none.
    pub fn delete(&self, key: &str) -> Result<()> {
        let call = Call { method: "DELETE", key: Some(key), ..Call::default() };
        match self.call(&call, &mut |_| Ok(())) {
            Err(error) if !error.is_missing() => Err(error),
            _ => Ok(()),
        }
    }

    /// Lists the objects whose keys begin with `start`.
    pub fn list(&self, start: &str) -> Result<Listing> {
        let prefix = self.key(start);
        let mut listing = Listing::default();
        let mut token: Option<String> = None;
        loop {
            let mut query = vec![("list-type", "2"), ("prefix", prefix.as_str())];
            if let Some(token) = &token {
                query.push(("continuation-token", token));
            }
            let call = Call { method: "GET", query: &query, ..Call::default() };
            let reply = self.call(&call, &mut |_| Ok(()))?;
            listing.now_seconds = reply
                .header("date")
                .and_then(|date| rfc2822::parse(date).ok())
                .map_or_else(Timestamp::now, |date| date.timestamp())
                .as_second();
            let body = String::from_utf8_lossy(reply.body());
            for content in xml::elements(&body, "Contents") {
                listing.objects.push(self.object(content).ok_or_else(|| Error::Reply {
                    request: call.label(),
                    reason: "an object has no key, size or time".to_owned(),
                })?);
            }
            let is_last = xml::text(&body, "IsTruncated").as_deref() != Some("true");
            token = xml::text(&body, "NextContinuationToken").filter(|_| !is_last);
            if token.is_none() {
                return Ok(listing);
            }
        }
    }

    fn object(&self, content: &str) -> Option<Object> {
        let text = |name: &str| xml::text(content, name);
        let key = text("Key")?;
        let key = key.strip_prefix(&self.options.prefix)?.trim_start_matches('/').to_owned();
        let modified_seconds = text("LastModified")?.parse::<Timestamp>().ok()?.as_second();
        Some(Object { key, size_bytes: text("Size")?.parse().ok()?, modified_seconds })
    }
}
