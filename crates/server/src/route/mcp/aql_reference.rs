//! The tool that explains AQL.

use mcp::aql_reference::{TOPICS, topic};
use mcp::{Arguments, Effect, Object, Parameter, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::{ToolError, ToolResult};

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "aql_reference",
    title: "Read about AQL",
    description: "Returns the reference of AQL for a topic, with examples. Without a topic it lists the \
                  topics.",
    parameters: &[Parameter::optional(
        "topic",
        r#"{"type": "string", "enum": ["basics", "filter", "collect", "sort_limit", "subqueries", "functions", "dates", "graphs", "search", "vectors", "geo", "modification", "performance"], "description": "The topic"}"#,
    )],
    effect: Effect::Reads,
};

fn call(_context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let Some(name) = arguments.text("topic")? else {
        return Ok(Object::whole(|object| {
            object.list("topics", |array| {
                for topic in TOPICS {
                    array.object(|object| {
                        object.text("topic", topic.name).text("about", topic.about);
                    });
                }
            });
        }));
    };
    let found = topic(name).ok_or_else(|| {
        let names: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        ToolError::Argument(format!("there is no such topic; the topics are: {}", names.join(", ")))
    })?;
    Ok(Object::whole(|object| {
        object.text("topic", found.name).text("text", found.text);
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_all_topics() {
        for topic in TOPICS {
            let name = format!("\"{}\"", topic.name);
            let is_named = TOOL.parameters.iter().any(|parameter| parameter.schema.contains(&name));
            assert!(is_named, "{name}");
        }
    }
}
