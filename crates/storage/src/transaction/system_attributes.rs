//! System attributes of a client's document: reads and checks them.

use catalog::{DocumentIdentifier, is_valid_key};
use errors::{Error, ErrorCode, Result};
use velocypack::Slice;

use crate::Revision;
use crate::base::error;

/// Returns the key that a body names by `_key`, or by `_id` if it has no `_key`.
///
/// Errors: 1227 unless the body is an object, or a string, which is a key or an identifier; 1226 if
/// there is neither. 1221 for an illegal key, 1205 for an illegal identifier, 1213 for an
/// identifier of another collection (1202 if the body is a string, as in ArangoDB).
pub fn document_key<'a>(body: Slice<'a>, collection: &str) -> Result<&'a str> {
    if let Some(text) = body.as_str() {
        let is_identifier = text.contains('/');
        let key = if is_identifier { key_of_identifier(text, collection) } else { check_key(text) };
        return key.map_err(|error| match error.code() {
            ErrorCode::CrossCollectionRequest => error::document_not_found(),
            _ => error,
        });
    }
    if !body.is_object() {
        return Err(invalid_type());
    }
    if let Some(key) = body.get("_key") {
        return key.as_str().map_or_else(|| Err(illegal_key()), check_key);
    }
    match body.get("_id").and_then(Slice::as_str) {
        Some(identifier) => key_of_identifier(identifier, collection),
        None => Err(Error::of(ErrorCode::DocumentKeyMissing)),
    }
}

fn key_of_identifier<'a>(text: &'a str, collection: &str) -> Result<&'a str> {
    let parsed = DocumentIdentifier::parse(text).ok_or_else(|| Error::of(ErrorCode::DocumentHandleBad))?;
    if parsed.collection == collection {
        return Ok(parsed.key);
    }
    Err(Error::of(ErrorCode::CrossCollectionRequest))
}

fn check_key(key: &str) -> Result<&str> {
    if is_valid_key(key) { Ok(key) } else { Err(illegal_key()) }
}

pub(super) fn illegal_key() -> Error {
    Error::of(ErrorCode::DocumentKeyBad)
}

pub(super) fn invalid_type() -> Error {
    Error::of(ErrorCode::DocumentTypeInvalid)
}

/// Returns the key that a client gave for a new document, if it gave one.
///
/// Errors: 1221, and 1222 if clients may not give keys.
pub(super) fn given_key(body: Slice<'_>, allowed: bool) -> Result<Option<&str>> {
    let Some(key) = body.get("_key") else { return Ok(None) };
    if !allowed {
        let message = "unexpected document key: the collection does not allow user-defined keys";
        return Err(Error::new(ErrorCode::DocumentKeyUnexpected, message));
    }
    key.as_str().filter(|key| is_valid_key(key)).map(Some).ok_or_else(illegal_key)
}

/// The two vertices of an edge.
pub(super) type FromTo<'a> = (&'a str, &'a str);

/// Returns `_from` and `_to` of a new or replaced edge.
///
/// Errors: 1233.
pub(super) fn from_to(body: Slice<'_>) -> Result<FromTo<'_>> {
    Ok((vertex(body.get("_from"))?, vertex(body.get("_to"))?))
}

/// Returns `_from` and `_to` of an updated edge: those of the patch, or else the old ones.
///
/// Errors: 1233.
pub(super) fn updated_from_to<'a>(old: Slice<'a>, patch: Slice<'a>) -> Result<FromTo<'a>> {
    let end = |name| vertex(patch.get(name).or_else(|| old.get(name)));
    Ok((end("_from")?, end("_to")?))
}

fn vertex(value: Option<Slice<'_>>) -> Result<&str> {
    let text = value.and_then(Slice::as_str).filter(|text| DocumentIdentifier::parse(text).is_some());
    text.ok_or_else(|| {
        let message = "expecting both `_from` and `_to` attributes to be defined in the edge document and have the \
                       format `<collectionName>/<vertexKey>`";
        Error::new(ErrorCode::InvalidEdgeAttribute, message)
    })
}

/// Returns the revision of a stored document.
///
/// Errors: 1239 for damage.
pub(super) fn stored_revision(document: Slice<'_>) -> Result<Revision> {
    let revision = document.get("_rev").and_then(Slice::as_str).and_then(Revision::parse);
    revision.ok_or_else(|| Error::of(ErrorCode::DocumentRevBad))
}

/// Returns the `_rev` of a body from a dump, if it can be kept. Decimal revisions of old versions
/// cannot.
pub(super) fn restored_revision(body: Slice<'_>) -> Option<Revision> {
    let text = body.get("_rev")?.as_str()?;
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { None } else { Revision::parse(text) }
}
