//! The places that `$ref` may lead to: JSON Pointers (RFC 6901) and the identifiers of schemas.

use std::collections::HashMap;

use velocypack::Slice;

/// The identifiers within a schema, and their places.
pub(super) struct References<'a> {
    rule: Slice<'a>,
    named: HashMap<&'a str, Slice<'a>>,
}

impl<'a> References<'a> {
    /// Collects the identifiers of a schema.
    pub(super) fn of(rule: Slice<'a>) -> Self {
        let mut named = HashMap::new();
        let mut open = vec![rule];
        while let Some(value) = open.pop() {
            if value.is_object() {
                let names = ["id", "$id"].into_iter().filter_map(|name| value.get(name)?.as_str());
                named.extend(names.map(|name| (name.strip_suffix('#').unwrap_or(name), value)));
                open.extend(value.entries().map(|(_, value)| value));
            } else if value.is_array() {
                open.extend(value.elements());
            }
        }
        References { rule, named }
    }

    /// Returns the place that a reference leads to, if it lies within the schema.
    pub(super) fn resolve(&self, reference: &str) -> Option<Slice<'a>> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = if base.is_empty() { self.rule } else { *self.named.get(base)? };
        if fragment.is_empty() {
            return Some(start);
        }
        match fragment.strip_prefix('/') {
            Some(pointer) => pointer.split('/').try_fold(start, step),
            None => self.named.get(reference).copied(),
        }
    }
}

/// Goes one step of a pointer down.
fn step<'a>(value: Slice<'a>, token: &str) -> Option<Slice<'a>> {
    let token = percent_decoded(token)?.replace("~1", "/").replace("~0", "~");
    if value.is_array() { value.at(token.parse().ok()?) } else { value.get(&token) }
}

/// Decodes `%XX`, as references are URIs. `None` if the result is no text.
fn percent_decoded(token: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(token.len());
    let mut rest = token.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let pair =
            rest.get(..2).and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match pair.filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(2..)?;
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}
