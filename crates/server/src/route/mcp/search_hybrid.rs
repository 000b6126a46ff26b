//! The tool that joins a text search and a vector search.

use mcp::{Arguments, Effect, Object, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::names::{Condition, Returned};
use super::run::{bind, run};
use super::text_source::{FIELDS_MAX, Mode, TextSource};
use super::vector_source::VectorSource;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The hits of each search that are joined.
const HITS: u64 = 100;

/// The constant of reciprocal rank fusion. Source: Cormack, Clarke, Büttcher, "Reciprocal Rank
/// Fusion outperforms Condorcet and individual Rank Learning Methods", 2009.
const RANK_CONSTANT: u64 = 60;

const TOOL: Tool = Tool {
    name: "search_hybrid",
    title: "Search by text and vector",
    description: "Joins a text search and a vector search of one collection by reciprocal rank fusion: the \
                  score of a document is the sum of weight / (60 + rank) over both. Use it when a question \
                  has both words and an embedding.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "collection": {"type": "string", "description": "The collection"},
            "text": {"type": "string", "description": "The words to find"},
            "view": {"type": "string", "description": "The view to search; by default one that covers the collection"},
            "text_fields": {"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": "The attributes to search; by default those of the view"},
            "field": {"type": "string", "description": "The attribute with the vector; by default that of the vector index"},
            "vector": {"type": "array", "items": {"type": "number"}, "description": "The vector to compare with"},
            "document": {"type": "string", "description": "The _id of the document whose vector is compared with, instead of vector"},
            "text_weight": {"type": "number", "minimum": 0, "maximum": 100, "default": 1},
            "vector_weight": {"type": "number", "minimum": 0, "maximum": 100, "default": 1},
            "filter": {"type": "string", "description": "A condition in AQL on the document d, for both searches"},
            "bind_vars": {"type": "object", "description": "The values of the bind parameters of filter"},
            "return_fields": {"type": "array", "items": {"type": "string"}, "description": "The top-level attributes to return; by default all"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most documents to return"}
        },
        "required": ["collection", "text"],
        "additionalProperties": false
    }"#,
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
    let (condition, returned) = (Condition::of(arguments)?, Returned::of(arguments)?);
    let limits = Limits::of_search(arguments)?;
    let aql = query(&texts, &vectors, &condition.statement(), &returned);
    let bind_vars = bind(|fields| {
        fields.text("mcp_text", words).number("mcp_limit", limits.row_to_see_more());
        fields.double("mcp_text_weight", text_weight).double("mcp_vector_weight", vector_weight);
        texts.bind(fields);
        vectors.bind(fields);
        condition.bind(fields);
        returned.bind(fields);
    })?;
    let rows = run(context, &aql, &bind_vars, limits)?;
    Ok(Object::whole(|object| {
        rows.print(Printer::default(), object);
        object.text("view", &texts.view).text("function", vectors.function());
        object.bool("uses_index", vectors.is_indexed).text("aql", &aql);
    }))
}

/// Returns the query: both searches, then the sum of the reciprocal ranks of each document.
fn query(texts: &TextSource, vectors: &VectorSource, condition: &str, returned: &Returned<'_>) -> String {
    let search = texts.condition(Mode::Any);
    let within = texts.restriction();
    let nearest = vectors.statements(condition, &HITS.to_string());
    let document = returned.expression("document");
    format!(
        "LET texts = (FOR d IN @@mcp_view\nSEARCH {search}\n{within}{condition}SORT BM25(d) DESC\nLIMIT {HITS}\n\
         RETURN d._id)\n\
         LET vectors = ({nearest}RETURN d._id)\n\
         LET ranked = APPEND(\n\
         (FOR id IN texts LET rank = POSITION(texts, id, true) + 1 \
         RETURN {{id, text_rank: rank, score: @mcp_text_weight / ({RANK_CONSTANT} + rank)}}),\n\
         (FOR id IN vectors LET rank = POSITION(vectors, id, true) + 1 \
         RETURN {{id, vector_rank: rank, score: @mcp_vector_weight / ({RANK_CONSTANT} + rank)}}))\n\
         FOR hit IN ranked\n\
         COLLECT id = hit.id AGGREGATE score = SUM(hit.score), text_rank = MAX(hit.text_rank), \
         vector_rank = MAX(hit.vector_rank)\n\
         SORT score DESC, id\nLIMIT @mcp_limit\n\
         LET document = DOCUMENT(id)\n\
         RETURN {{score, text_rank, vector_rank, document: {document}}}"
    )
}
