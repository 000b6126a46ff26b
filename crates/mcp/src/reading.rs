//! The methods of resources.

use velocypack::Slice;

use crate::host::Host;
use crate::message::Failure;
use crate::results::{FIXED_TTL_MS, check_cursor, complete, print_caching};
use crate::revision::Revision;

/// Lists the resources.
pub(crate) fn list(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    check_cursor(params)?;
    let resources = host.resources();
    Ok(complete(revision, |object| {
        object.list("resources", |array| {
            for resource in &resources {
                array.object(|object| resource.print(object));
            }
        });
        print_caching(revision, FIXED_TTL_MS, object);
    }))
}

/// Lists the families of resources.
pub(crate) fn list_templates(
    revision: Revision,
    params: Slice<'_>,
    host: &dyn Host,
) -> Result<Vec<u8>, Failure> {
    check_cursor(params)?;
    let templates = host.templates();
    Ok(complete(revision, |object| {
        object.list("resourceTemplates", |array| {
            for template in &templates {
                array.object(|object| template.print(object));
            }
        });
        print_caching(revision, FIXED_TTL_MS, object);
    }))
}

/// Reads a resource. Errors: -32602, or -32002 in older revisions, for an unknown one.
pub(crate) fn read(revision: Revision, params: Slice<'_>, host: &dyn Host) -> Result<Vec<u8>, Failure> {
    let uri = params.get("uri").and_then(Slice::as_str);
    let uri = uri.ok_or_else(|| Failure::invalid_params("'uri' is missing or not a string"))?;
    let Some(contents) = host.read(uri)? else {
        let code =
            if revision.is_stateless() { Failure::INVALID_PARAMS } else { Failure::RESOURCE_NOT_FOUND };
        return Err(Failure::new(code, "Resource not found; call resources/list for those that exist"));
    };
    Ok(complete(revision, |object| {
        object.list("contents", |array| {
            array.object(|object| {
                object.text("uri", uri).text("mimeType", contents.mime_type).text("text", &contents.text);
            });
        });
        // Data may change at any time.
        print_caching(revision, 0, object);
    }))
}
