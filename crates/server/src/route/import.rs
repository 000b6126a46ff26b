//! `/_api/import`: many documents in one request, as JSON, VelocyPack or an Arrow stream.

use database::Session;
use database::import::{ImportBody, ImportForm, ImportRequest};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use storage::{Durability, OverwriteMode};

use super::arrow_import::ArrowDocuments;
use super::parameter;
use crate::http::Cost::Blocking;
use crate::http::format::{self, ARROW_STREAM, Format};
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

/// The media type of Parquet, which the route refuses by name.
const PARQUET: &str = "application/vnd.apache.parquet";

pub(super) const ROUTES: &[Route] = &[Route::new(Verb::Post, "/_api/import", Blocking, import)
    .about("Imports documents, one per line or as an array.")
    .with_query(&[
        "collection",
        "type",
        "overwrite",
        "onDuplicate",
        "complete",
        "details",
        "waitForSync",
        "fromPrefix",
        "toPrefix",
        "overwriteCollectionPrefix",
    ])
    .with_body(r#"{"_key": "a", "n": 1}"#)];

fn import(session: &Session, request: &Request) -> Result<Response> {
    let collection = parameter::collection(request)?;
    let parameters = parameters(request)?;
    let outcome = match request.body_format() {
        _ if format::is_body(request.headers(), ARROW_STREAM) => {
            let mut documents = ArrowDocuments::of(session, request)?;
            session.import(&collection, ImportBody::Documents(&mut documents), &parameters)
        }
        _ if format::is_body(request.headers(), PARQUET) => {
            return Err(Error::bad_parameter(
                "a body of Parquet is not read; send its rows as application/vnd.apache.arrow.stream",
            ));
        }
        Format::Json => session.import(&collection, ImportBody::Json(request.body()), &parameters),
        Format::VelocyPack => {
            session.import(&collection, ImportBody::VelocyPack(request.body_value()?.slice()), &parameters)
        }
    };
    let outcome = outcome?;
    Response::object(StatusCode::CREATED, |fields| {
        fields
            .bool("error", false)
            .number("created", outcome.created)
            .number("errors", outcome.errors)
            .number("empty", outcome.empty)
            .number("updated", outcome.updated)
            .number("ignored", outcome.ignored);
        if parameters.details {
            fields.list("details", |fields| {
                for message in &outcome.details {
                    fields.text_element(message);
                }
            });
        }
    })
}

fn parameters(request: &Request) -> Result<ImportRequest> {
    let text = |name| Ok::<_, Error>(request.text(name)?.unwrap_or_default().into_owned());
    Ok(ImportRequest {
        form: match text("type")?.as_str() {
            "" => ImportForm::Table,
            "documents" => ImportForm::Lines,
            "list" | "array" => ImportForm::List,
            "auto" => ImportForm::Auto,
            other => {
                let message =
                    format!("parameter 'type' must be documents, list, array or auto, not '{other}'");
                return Err(Error::new(ErrorCode::HttpBadParameter, message));
            }
        },
        on_duplicate: match text("onDuplicate")?.as_str() {
            "" | "error" => OverwriteMode::Conflict,
            "update" => OverwriteMode::Update,
            "replace" => OverwriteMode::Replace,
            "ignore" => OverwriteMode::Ignore,
            other => {
                let message = format!(
                    "parameter 'onDuplicate' must be error, update, replace or ignore, not '{other}'"
                );
                return Err(Error::new(ErrorCode::HttpBadParameter, message));
            }
        },
        complete: request.flag("complete", false)?,
        details: request.flag("details", false)?,
        overwrite: request.flag("overwrite", false)?,
        ignore_missing: request.flag("ignoreMissing", false)?,
        from_prefix: text("fromPrefix")?,
        to_prefix: text("toPrefix")?,
        overwrite_prefix: request.flag("overwriteCollectionPrefix", false)?,
        skip_validation: request.flag("skipDocumentValidation", false)?,
        durability: match request.flag("waitForSync", false)? {
            true => Durability::Synced,
            false => Durability::Buffered,
        },
    })
}
