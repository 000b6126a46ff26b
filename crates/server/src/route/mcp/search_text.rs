//! The tool that searches texts.

use mcp::{Arguments, Effect, Parameter, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::search::{BIND_VARS, LIMIT, RETURN_FIELDS, Search};
use super::text_source::{Mode, TextSource};
use crate::http::Fields;
use crate::route::query_parts::FIELDS_MAX;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "search_text",
    title: "Search texts",
    description: "Searches a view for words and returns documents with their BM25 score, the best first. \
                  source is a view, or a collection that a view covers. The Analyzers of the fields come \
                  from the view.",
    parameters: &[
        Parameter::required(
            "source",
            r#"{"type": "string", "description": "The name of a view, or of a collection that a view covers"}"#,
        ),
        Parameter::required("text", r#"{"type": "string", "description": "The words to find"}"#),
        Parameter::optional(
            "fields",
            r#"{"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": "The attributes to search, such as title or author.name; by default those of the view"}"#,
        ),
        Parameter::optional(
            "mode",
            r#"{"type": "string", "enum": ["any", "all", "phrase", "prefix"], "default": "any", "description": "Any of the words, all of them, the words side by side, or words that begin so"}"#,
        ),
        Parameter::optional(
            "analyzer",
            r#"{"type": "string", "description": "The Analyzer, if it is not that of the view"}"#,
        ),
        Parameter::optional(
            "filter",
            r#"{"type": "string", "description": "A further condition in AQL on the document d, for example: d.year >= @year"}"#,
        ),
        BIND_VARS,
        RETURN_FIELDS,
        LIMIT,
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let (source, text) = (arguments.required_text("source")?, arguments.required_text("text")?);
    let fields = arguments.texts("fields", FIELDS_MAX)?;
    let mode = Mode::of(arguments.word("mode", Mode::WORDS)?);
    let search = Search::of(arguments)?;
    let source = TextSource::find(context.session, source, &fields, arguments.text("analyzer")?)?;
    let aql = format!(
        "FOR d IN @@mcp_view\nSEARCH {}\n{}{}LET score = BM25(d)\nSORT score DESC\nLIMIT @mcp_limit\n\
         RETURN {{score, document: {}}}",
        source.condition(mode),
        source.restriction(),
        search.condition(),
        search.returned.expression("d")
    );
    let bind_own = |fields: &mut Fields<'_>| {
        fields.text("mcp_text", text);
        source.bind(fields);
    };
    search.run(context, &aql, bind_own, |object| {
        object.text("view", &source.view);
    })
}
