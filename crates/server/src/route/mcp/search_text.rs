//! The tool that searches texts.

use mcp::{Arguments, Effect, Object, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::names::{Condition, Returned};
use super::run::{bind, run};
use super::text_source::{FIELDS_MAX, Mode, TextSource};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "search_text",
    title: "Search texts",
    description: "Searches a view for words and returns documents with their BM25 score, the best first. \
                  source is a view, or a collection that a view covers. The Analyzers of the fields come \
                  from the view.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "source": {"type": "string", "description": "The name of a view, or of a collection that a view covers"},
            "text": {"type": "string", "description": "The words to find"},
            "fields": {"type": "array", "items": {"type": "string"}, "maxItems": 20, "description": "The attributes to search, such as title or author.name; by default those of the view"},
            "mode": {"type": "string", "enum": ["any", "all", "phrase", "prefix"], "default": "any", "description": "Any of the words, all of them, the words side by side, or words that begin so"},
            "analyzer": {"type": "string", "description": "The Analyzer, if it is not that of the view"},
            "filter": {"type": "string", "description": "A further condition in AQL on the document d, for example: d.year >= @year"},
            "bind_vars": {"type": "object", "description": "The values of the bind parameters of filter"},
            "return_fields": {"type": "array", "items": {"type": "string"}, "description": "The top-level attributes to return; by default all"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "The most documents to return"}
        },
        "required": ["source", "text"],
        "additionalProperties": false
    }"#,
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let (source, text) = (arguments.required_text("source")?, arguments.required_text("text")?);
    let fields = arguments.texts("fields", FIELDS_MAX)?;
    let mode = Mode::of(arguments.word("mode", Mode::WORDS)?);
    let (condition, returned) = (Condition::of(arguments)?, Returned::of(arguments)?);
    let limits = Limits::of_search(arguments)?;
    let source = TextSource::find(context.session, source, &fields, arguments.text("analyzer")?)?;
    let aql = format!(
        "FOR d IN @@mcp_view\nSEARCH {}\n{}{}LET score = BM25(d)\nSORT score DESC\nLIMIT @mcp_limit\n\
         RETURN {{score, document: {}}}",
        source.condition(mode),
        source.restriction(),
        condition.statement(),
        returned.expression("d")
    );
    let bind_vars = bind(|fields| {
        fields.text("mcp_text", text).number("mcp_limit", limits.row_to_see_more());
        source.bind(fields);
        condition.bind(fields);
        returned.bind(fields);
    })?;
    let rows = run(context, &aql, &bind_vars, limits)?;
    Ok(Object::whole(|object| {
        rows.print(Printer::default(), object);
        object.text("view", &source.view).text("aql", &aql);
    }))
}
