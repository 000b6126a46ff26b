//! Prefixes of the ends of edges: names of collections for ends that name none.

use errors::Result;
use storage::Collection;
use velocypack::{Builder, Slice};

use super::ImportRequest;

/// The prefixes of an edge's ends.
pub(super) struct Prefixes {
    from: String,
    to: String,
    overwrite: bool,
}

impl Prefixes {
    pub(super) fn of(collection: &Collection, request: &ImportRequest) -> Option<Self> {
        let with_slash = |prefix: &str| match prefix {
            "" => String::new(),
            prefix => format!("{}/", prefix.trim_end_matches('/')),
        };
        let (from, to) = (with_slash(&request.from_prefix), with_slash(&request.to_prefix));
        let wanted = collection.is_edge() && !(from.is_empty() && to.is_empty());
        wanted.then_some(Prefixes { from, to, overwrite: request.overwrite_prefix })
    }

    /// Returns the edge with its prefixes, or `None` if nothing changes.
    pub(super) fn apply(&self, edge: Slice<'_>) -> Result<Option<Vec<u8>>> {
        if !edge.is_object() {
            return Ok(None);
        }
        let ends = [self.end(edge.get("_from"), &self.from), self.end(edge.get("_to"), &self.to)];
        if ends.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut builder = Builder::with_capacity(edge.byte_len() + 64);
        builder.open_object()?;
        for (name, value) in edge.entries() {
            builder.key(name)?;
            match (name, &ends) {
                ("_from", [Some(from), _]) => builder.add_str(from)?,
                ("_to", [_, Some(to)]) => builder.add_str(to)?,
                _ => builder.add_slice(value)?,
            }
        }
        builder.close()?;
        Ok(Some(builder.into_vec()))
    }

    fn end(&self, value: Option<Slice<'_>>, prefix: &str) -> Option<String> {
        let value = value?;
        // A CSV reader may have taken a key for a number.
        let text = match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.as_i64()?.to_string(),
        };
        match text.split_once('/') {
            _ if prefix.is_empty() => value.as_str().is_none().then_some(text),
            None => Some(format!("{prefix}{text}")),
            Some((_, key)) if self.overwrite => Some(format!("{prefix}{key}")),
            Some(_) => None,
        }
    }
}
