//! The tool that joins a text search and a vector search.

use mcp::{Arguments, Effect, Parameter, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::names::Returned;
use super::search::{BIND_VARS, LIMIT, RETURN_FIELDS, Search};
use super::text_source::{Mode, TextSource};
use super::vector_source::{COLLECTION, FIELD, VECTOR, VectorSource};
use crate::http::Fields;
use crate::route::query_parts::FIELDS_MAX;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The hits of each search that are joined.
const HITS: u64 = 100;

const TOOL: Tool = Tool {
    name: "search_hybrid",
    title: "Search by text and vector",
    description: "Joins a text search and a vector search of one collection by reciprocal rank fusion: the \
                  score of a document is the sum of weight / (60 + rank) over both. Use it when a question \
                  has both words and an embedding.",
    parameters: &[
        COLLECTION,
        Parameter::required("text", r#"{"type": "string", "description": "The words to find"}"#),
        Parameter::optional(
            "view",
            r#"{"type": "string", "description": "The view to search; by default one that covers the collection"}"#,
        ),
        Parameter::optional(
            "text_fields",
            r#"{"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": "The attributes to search; by default those of the view"}"#,
        ),
        FIELD,
        VECTOR,
        Parameter::optional(
            "document",
            r#"{"type": "string", "description": "The _id of the document whose vector is compared with, instead of vector"}"#,
        ),
        Parameter::optional(
            "text_weight",
            r#"{"type": "number", "minimum": 0, "maximum": 100, "default": 1}"#,
        ),
        Parameter::optional(
            "vector_weight",
            r#"{"type": "number", "minimum": 0, "maximum": 100, "default": 1}"#,
        ),
        Parameter::optional(
            "filter",
            r#"{"type": "string", "description": "A condition in AQL on the document d, for both searches"}"#,
        ),
        BIND_VARS,
        RETURN_FIELDS,
        LIMIT,
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let (collection, words) = (arguments.required_text("collection")?, arguments.required_text("text")?);
    let vectors = VectorSource::of(context, arguments)?;
    let view = arguments.text("view")?.unwrap_or(collection);
    let fields = arguments.texts("text_fields", FIELDS_MAX)?;
    let mut texts = TextSource::find(context.session, view, &fields, None)?;
    texts.collection = Some(collection.to_owned());
    let weight = |name: &str| arguments.number(name, 1.0, 0.0..=100.0);
    let (text_weight, vector_weight) = (weight("text_weight")?, weight("vector_weight")?);
    let search = Search::of(arguments)?;
    let aql = query(&texts, &vectors, &search.condition(), &search.returned);
    let bind_own = |fields: &mut Fields<'_>| {
        fields.text("mcp_text", words);
        fields.double("mcp_text_weight", text_weight).double("mcp_vector_weight", vector_weight);
        texts.bind(fields);
        vectors.bind(fields);
    };
    search.run(context, &aql, bind_own, |object| {
        object.text("view", &texts.view);
        vectors.describe(object);
    })
}

/// Returns the query: both searches, fused by `FUSE_RANKS()`.
fn query(texts: &TextSource, vectors: &VectorSource, condition: &str, returned: &Returned<'_>) -> String {
    let search = texts.condition(Mode::Any);
    let within = texts.restriction();
    let nearest = vectors.statements(condition, &HITS.to_string());
    let document = returned.expression("document");
    format!(
        "FOR hit IN FUSE_RANKS([\n\
         (FOR d IN @@mcp_view\nSEARCH {search}\n{within}{condition}SORT BM25(d) DESC\nLIMIT {HITS}\nRETURN d._id),\n\
         ({nearest}RETURN d._id)\n\
         ], {{weights: [@mcp_text_weight, @mcp_vector_weight], limit: @mcp_limit}})\n\
         LET document = DOCUMENT(hit.id)\n\
         RETURN {{score: hit.score, text_rank: hit.ranks[0], vector_rank: hit.ranks[1], document: {document}}}"
    )
}
