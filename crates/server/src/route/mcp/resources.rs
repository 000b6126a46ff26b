//! The resources of a database: its schema, samples of its collections, and the reference of AQL.

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

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// The beginning of the URIs of topics, which are the same in each database.
const MANUAL: &str = "persea://manual/aql/";

/// The documents of a sample.
const SAMPLE: u64 = 10;

/// Returns the resources.
pub(super) fn list(session: &Session) -> Vec<Resource> {
    let database = session.database_name();
    let schema = Resource {
        uri: format!("persea://{database}/schema"),
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
            uri_template: format!("persea://{database}/collection/{{collection}}/sample"),
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
    if let Some(name) = uri.strip_prefix(MANUAL) {
        let found = topic(name);
        return Ok(found.map(|topic| Contents { mime_type: MARKDOWN, text: topic.text.to_owned() }));
    }
    let database = context.session.database_name();
    let rest = uri.strip_prefix("persea://").and_then(|rest| rest.strip_prefix(&**database));
    let read = match rest {
        Some("/schema") => schema(context),
        Some(rest) => {
            let name = rest.strip_prefix("/collection/").and_then(|rest| rest.strip_suffix("/sample"));
            let readable =
                name.filter(|name| context.session.collection(name, AccessLevel::ReadOnly).is_ok());
            let Some(name) = readable else { return Ok(None) };
            sample(context, name)
        }
        None => return Ok(None),
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
