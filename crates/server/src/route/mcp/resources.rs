//! The resources of a database: its schema, samples of its collections, and the reference of AQL.

use std::borrow::Cow;

use catalog::AccessLevel;
use database::Session;
use mcp::aql_reference::{TOPICS, topic};
use mcp::{Arguments, Contents, Failure, Object, Printer, Resource, Template};
use velocypack::Slice;

use super::context::Context;
use super::describe_schema;
use super::failure::{ToolError, ToolResult};
use super::limits::Limits;
use super::run::{bind, run};
use crate::http::percent::{self, encode_segment};

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// The beginning of the URIs of topics, which are the same in each database.
const MANUAL: &str = "persea://manual/aql/";

/// The parts of a URI that are looked at: more than any resource has.
const PARTS_MAX: usize = 5;

/// The documents of a sample.
const SAMPLE: u64 = 10;

/// Returns the resources.
pub(super) fn list(session: &Session) -> Vec<Resource> {
    let database = session.database_name();
    let schema = Resource {
        uri: format!("persea://{}/schema", encode_segment(database)),
        name: "schema".to_owned(),
        description: format!("The collections, attributes, indexes, graphs and views of '{database}'."),
        mime_type: JSON,
    };
    let topics = TOPICS.iter().map(|topic| Resource {
        uri: format!("{MANUAL}{}", topic.name),
        name: format!("aql-{}", topic.name),
        description: topic.about.to_owned(),
        mime_type: MARKDOWN,
    });
    std::iter::once(schema).chain(topics).collect()
}

/// Returns the families of resources.
pub(super) fn templates(session: &Session) -> Vec<Template> {
    let database = session.database_name();
    vec![
        Template {
            uri_template: format!("persea://{}/collection/{{collection}}/sample", encode_segment(database)),
            name: "sample",
            description: "Some documents of a collection.",
            mime_type: JSON,
        },
        Template {
            uri_template: format!("{MANUAL}{{topic}}"),
            name: "aql",
            description: "The reference of AQL for a topic.",
            mime_type: MARKDOWN,
        },
    ]
}

/// Reads a resource; `None` if there is none with the URI.
pub(super) fn read(context: Context<'_>, uri: &str) -> Result<Option<Contents>, Failure> {
    let Some(rest) = uri.strip_prefix("persea://") else { return Ok(None) };
    let parts: Result<Vec<Cow<'_, str>>, _> = rest.split('/').take(PARTS_MAX).map(percent::decode).collect();
    let Ok(parts) = parts else { return Ok(None) };
    let parts: Vec<&str> = parts.iter().map(|part| &**part).collect();
    let own: &str = context.session.database_name();
    let read = match parts[..] {
        ["manual", "aql", name] => {
            let found = topic(name);
            return Ok(found.map(|topic| Contents { mime_type: MARKDOWN, text: topic.text.to_owned() }));
        }
        [database, "schema"] if database == own => schema(context),
        [database, "collection", name, "sample"]
            if database == own && context.session.collection(name, AccessLevel::ReadOnly).is_ok() =>
        {
            sample(context, name)
        }
        _ => return Ok(None),
    };
    let json = read.map_err(|error| failed(&error))?;
    let text = String::from_utf8(json).map_err(|_| Failure::internal("the content is not text"))?;
    Ok(Some(Contents { mime_type: JSON, text }))
}

fn schema(context: Context<'_>) -> ToolResult {
    let entry = &describe_schema::ENTRY;
    (entry.call)(context, &Arguments::new(&entry.tool, Slice::EMPTY_OBJECT)?)
}

fn sample(context: Context<'_>, collection: &str) -> ToolResult {
    let bind_vars = bind(|fields| {
        fields.text("@collection", collection).number("sample", SAMPLE);
    })?;
    let aql = "FOR d IN @@collection LIMIT @sample RETURN d";
    let rows = run(context, aql, &bind_vars, Limits::default())?;
    Ok(Object::whole(|object| rows.print(Printer::default(), object)))
}

fn failed(error: &ToolError) -> Failure {
    let text = String::from_utf8_lossy(&error.outcome().json).into_owned();
    Failure::internal(text)
}
