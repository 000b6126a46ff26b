//! The tool that describes the data of a database.

use std::sync::Arc;

use catalog::AccessLevel;
use database::Session;
use mcp::{Arguments, Effect, Inference, Object, Parameter, Printer, Tool, closest};
use storage::{Collection, Index};
use velocypack::Slice;

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};
use super::limits::Limits;
use super::run::{bind, run};
use crate::http::Fields;
use crate::route::query_parts::definitions;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The most collections that one call may name.
const NAMES_MAX: usize = 50;

/// The most documents of a sample.
const SAMPLE_MAX: u64 = 1_000;

/// The collections whose attributes are described if the call names none.
const DESCRIBED_MAX: usize = 30;

/// The most collections that are listed.
const LISTED_MAX: usize = 500;

/// Bytes of descriptions after which further collections are listed without their attributes.
const DESCRIBED_MAX_BYTES: usize = 128 << 10;

/// The attributes of an index that a query may depend on.
const INDEX_ATTRIBUTES: &[&str] = &[
    "name",
    "type",
    "fields",
    "unique",
    "sparse",
    "storedValues",
    "params",
    "analyzer",
    "geoJson",
    "expireAfter",
    "trainingState",
];

const TOOL: Tool = Tool {
    name: "describe_schema",
    title: "Describe the data",
    description: "Describes the current database: collections with their number of documents, their \
                  attributes as a sample shows them (types, frequency if below 1, examples), indexes, named \
                  graphs with edge definitions, and views with Analyzers. Call it before the first query.",
    parameters: &[
        Parameter::optional(
            "collections",
            r#"{"type": "array", "items": {"type": "string"}, "maxItems": 50, "description": "Describe only these collections"}"#,
        ),
        Parameter::optional(
            "sample",
            r#"{"type": "integer", "minimum": 0, "maximum": 1000, "default": 100, "description": "Documents of each collection to look at; 0 lists names, counts and indexes only"}"#,
        ),
        Parameter::optional(
            "include_system",
            r#"{"type": "boolean", "default": false, "description": "Also list system collections, whose names begin with _"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let names = arguments.texts("collections", NAMES_MAX)?;
    let sample = arguments.count("sample", 100, 0..=SAMPLE_MAX)?;
    let include_system = arguments.flag("include_system", false)?;
    let session = context.session;
    let catalog = session.catalog();
    let readable: Vec<&Arc<Collection>> = session
        .database_in(&catalog)?
        .collections()
        .filter(|collection| session.require_collection(collection.name(), AccessLevel::ReadOnly).is_ok())
        .collect();
    let is_wanted = |collection: &&&Arc<Collection>| match names.is_empty() {
        true => include_system || !collection.definition().properties.is_system,
        false => names.contains(&collection.name()),
    };
    if let Some(missing) = names.iter().find(|name| !readable.iter().any(|known| known.name() == **name)) {
        return Err(not_found(missing, &readable));
    }
    let wanted: Vec<&Arc<Collection>> = readable.iter().filter(is_wanted).copied().collect();
    let (mut described, mut with_attributes, mut bytes) = (Vec::new(), 0, 0);
    for (position, collection) in wanted.iter().take(LISTED_MAX).enumerate() {
        let is_too_much = (names.is_empty() && position >= DESCRIBED_MAX) || bytes > DESCRIBED_MAX_BYTES;
        let description = describe(context, collection, if is_too_much { 0 } else { sample })?;
        with_attributes += usize::from(!is_too_much);
        bytes += description.len();
        described.push(description);
    }
    let graphs = graphs(session, &names);
    let views = views(session, &names)?;
    Ok(Object::whole(|object| {
        object.text("database", session.database_name());
        object.list("collections", |array| {
            described.iter().for_each(|collection| {
                array.raw(collection);
            });
        });
        if with_attributes < wanted.len() {
            let note = format!(
                "{} collections; the attributes of {with_attributes} are described. Name others in \
                 'collections'.",
                wanted.len()
            );
            object.text("note", &note);
        }
        object.list("graphs", |array| {
            graphs.iter().for_each(|graph| {
                array.raw(graph);
            });
        });
        object.list("views", |array| {
            views.iter().for_each(|view| {
                array.raw(view);
            });
        });
    }))
}

/// Returns the error of a collection that does not exist, with names that are like it.
fn not_found(name: &str, readable: &[&Arc<Collection>]) -> ToolError {
    let similar = closest(name, readable.iter().map(|collection| collection.name()));
    let error = ToolError::from(errors::Error::collection_not_found(name));
    match similar.is_empty() {
        true => error.with_hint("call describe_schema without 'collections' for all names"),
        false => error.with_hint(format!("similar names are: {}", similar.join(", "))),
    }
}

/// Returns the description of a collection.
fn describe(context: Context<'_>, collection: &Collection, sample: u64) -> ToolResult {
    let count = context.session.count(collection)?;
    let mut inference = Inference::default();
    if sample > 0 {
        let bind_vars = bind(|fields| {
            fields.text("@collection", collection.name()).number("sample", sample);
        })?;
        let limits = Limits { rows: sample, ..Limits::default() };
        let rows = run(context, "FOR d IN @@collection LIMIT @sample RETURN d", &bind_vars, limits)?;
        rows.rows().for_each(|document| inference.add(document));
    }
    let indexes = collection.indexes().iter().filter(|index| is_worth_mention(index));
    let indexes: Vec<Vec<u8>> =
        indexes.map(|index| printed_index(collection, index)).collect::<Result<_, _>>()?;
    Ok(Object::whole(|object| {
        object.text("name", collection.name());
        object.text("type", if collection.is_edge() { "edge" } else { "document" });
        object.number("count", count);
        if sample > 0 {
            inference.print(object);
        }
        object.list("indexes", |array| {
            indexes.iter().for_each(|index| {
                array.raw(index);
            });
        });
    }))
}

/// Returns false for indexes that each collection has, and for the parts of views.
fn is_worth_mention(index: &Index) -> bool {
    let properties = &index.definition().properties;
    !properties.is_hidden() && !matches!(properties.type_name(), "primary" | "edge")
}

fn printed_index(collection: &Collection, index: &Index) -> errors::Result<Vec<u8>> {
    let definition = definitions::of_index(collection, index)?;
    let printed = definition.as_slice();
    Ok(Object::whole(|object| {
        for name in INDEX_ATTRIBUTES {
            let value = printed.get(name).filter(|value| {
                // Defaults say nothing.
                value.as_bool() != Some(false) && !value.is_null() && !(value.is_array() && value.is_empty())
            });
            if let Some(value) = value {
                object.value(name, value);
            }
        }
    }))
}

/// Returns the named graphs that touch a collection of interest; all of them without names.
///
/// A user who may not read the definitions sees none.
fn graphs(session: &Session, names: &[&str]) -> Vec<Vec<u8>> {
    let Ok(graphs) = session.graphs() else { return Vec::new() };
    let touches = |graph: Slice<'_>| {
        let text = graph.to_json_string();
        names.is_empty() || names.iter().any(|name| text.contains(&format!("\"{name}\"")))
    };
    graphs
        .iter()
        .map(|graph| graph.slice())
        .filter(|graph| touches(*graph))
        .map(|graph| {
            Object::whole(|object| {
                object.text("name", graph.get("_key").and_then(Slice::as_str).unwrap_or_default());
                for (attribute, shown) in
                    [("edgeDefinitions", "edge_definitions"), ("orphanCollections", "orphan_collections")]
                {
                    if let Some(value) = graph.get(attribute).filter(|value| !value.is_empty()) {
                        object.value(shown, value);
                    }
                }
            })
        })
        .collect()
}

/// Returns the views that read a collection of interest; all of them without names.
fn views(session: &Session, names: &[&str]) -> errors::Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    for view in session.views()? {
        let definition = definitions::of_view(session, &view)?;
        let printed = definition.as_slice();
        let links = printed.get("links").unwrap_or(Slice::EMPTY_OBJECT);
        let indexes = printed.get("indexes").unwrap_or(Slice::EMPTY_ARRAY);
        let reads = |name: &&str| {
            let is_alias = |index: Slice<'_>| index.get("collection").and_then(Slice::as_str) == Some(name);
            links.get(name).is_some() || indexes.elements().any(is_alias)
        };
        if !names.is_empty() && !names.iter().any(reads) {
            continue;
        }
        let mut shown_links = Vec::new();
        Printer::default().print(Slice::new(&short_links(links)?), &mut shown_links);
        all.push(Object::whole(|object| {
            object.text("name", &view.name).text("type", view.kind().name());
            if !links.is_empty() {
                object.raw("links", &shown_links);
            }
            if !indexes.is_empty() {
                object.value("indexes", indexes);
            }
        }));
    }
    Ok(all)
}

/// Returns the links of a view with what a search must know: Analyzers and fields.
fn short_links(links: Slice<'_>) -> errors::Result<Vec<u8>> {
    Fields::object(|fields| {
        for (collection, link) in links.entries() {
            fields.child(collection, |fields| {
                for name in ["includeAllFields", "analyzers", "fields"] {
                    let value = link.get(name).filter(|value| value.is_bool() || !value.is_empty());
                    if let Some(value) = value {
                        fields.value(name, value);
                    }
                }
            });
        }
    })
}
