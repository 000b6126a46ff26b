//! The tool that runs a query.

use mcp::{Arguments, Effect, Object, Parameter, Printer, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::run::run;

pub(super) const READING: Entry = Entry { tool: TOOL, call, presence: Presence::WhereOnlyRead };

/// The same tool where queries may write, which clients should know before they call it.
pub(super) const WRITING: Entry =
    Entry { tool: Tool { effect: Effect::Changes, ..TOOL }, call, presence: Presence::WhereWritten };

const TOOL: Tool = Tool {
    name: "query",
    title: "Run an AQL query",
    description: "Runs a query in AQL and returns its rows. Pass values in bind_vars (@name; @@name for a \
                  collection, bound as \"@name\") instead of writing them into the text. Long texts and \
                  vectors in the rows are cut unless full_values is true. has_more says that rows are \
                  missing: add LIMIT, aggregate with COLLECT, or raise limit. An error has the place and a \
                  hint.",
    parameters: &[
        Parameter::required(
            "aql",
            r#"{"type": "string", "description": "The query, for example: FOR d IN users FILTER d.age >= @age SORT d.name LIMIT 10 RETURN {name: d.name, age: d.age}"}"#,
        ),
        Parameter::optional(
            "bind_vars",
            r#"{"type": "object", "description": "The values of the bind parameters, without the leading @"}"#,
        ),
        Parameter::optional(
            "limit",
            r#"{"type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "The most rows to return"}"#,
        ),
        Parameter::optional(
            "max_bytes",
            r#"{"type": "integer", "minimum": 1000, "maximum": 1048576, "default": 65536, "description": "The most bytes of rows to return"}"#,
        ),
        Parameter::optional(
            "timeout",
            r#"{"type": "number", "exclusiveMinimum": 0, "maximum": 300, "default": 30, "description": "Seconds that the query may take"}"#,
        ),
        Parameter::optional(
            "full_values",
            r#"{"type": "boolean", "default": false, "description": "Return long texts, vectors and revisions completely"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let aql = arguments.required_text("aql")?;
    let bind_vars = arguments.object("bind_vars")?;
    let limits = Limits::of(arguments)?;
    let printer = if arguments.flag("full_values", false)? { Printer::COMPLETE } else { Printer::default() };
    let rows = run(context, aql, bind_vars.bytes(), limits)?;
    Ok(Object::whole(|object| rows.print(printer, object)))
}
