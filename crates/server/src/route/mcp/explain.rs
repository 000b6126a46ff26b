//! The tool that explains the plan of a query.

use mcp::{Arguments, Effect, Object, Parameter, Tool};
use velocypack::Slice;

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::run::request;
use super::suggestions;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

/// The most nodes of a plan that are shown.
const NODES_MAX: usize = 200;

const TOOL: Tool = Tool {
    name: "explain",
    title: "Explain a query's plan",
    description: "Returns the plan of a query without running it: the steps with their estimates and \
                  indexes, the optimizer's rules, warnings, and advice about missing indexes.",
    parameters: &[
        Parameter::required("aql", r#"{"type": "string", "description": "The query"}"#),
        Parameter::optional(
            "bind_vars",
            r#"{"type": "object", "description": "The values of the bind parameters, without the leading @"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let aql = arguments.required_text("aql")?;
    let request = request(aql, arguments.object("bind_vars")?.bytes(), Limits::default());
    let explained = context
        .session
        .explain(&request)
        .map_err(|error| suggestions::of_query(context.session, error, aql))?;
    let explained = Slice::new(&explained);
    let plan = explained.get("plan").unwrap_or(Slice::EMPTY_OBJECT);
    let nodes = plan.get("nodes").unwrap_or(Slice::EMPTY_ARRAY);
    Ok(Object::whole(|object| {
        object.list("steps", |array| {
            for node in nodes.elements().take(NODES_MAX) {
                array.object(|object| print_node(node, object));
            }
        });
        for (name, shown) in [
            ("estimatedCost", "estimated_cost"),
            ("estimatedNrItems", "estimated_rows"),
            ("isModificationQuery", "writes"),
            ("rules", "rules"),
            ("collections", "collections"),
        ] {
            if let Some(value) = plan.get(name) {
                object.value(shown, value);
            }
        }
        if let Some(warnings) = explained.get("warnings").filter(|warnings| !warnings.is_empty()) {
            object.value("warnings", warnings);
        }
        let advice = advice(nodes);
        object.texts("advice", advice.iter().map(String::as_str));
    }))
}

/// Writes what a model needs to know about a step.
fn print_node(node: Slice<'_>, object: &mut Object<'_>) {
    let text = |name: &str| node.get(name).and_then(Slice::as_str);
    object.text("type", text("type").unwrap_or_default());
    for name in ["collection", "view", "graph"] {
        if let Some(value) = text(name) {
            object.text(name, value);
        }
    }
    if let Some(name) = node.get_path(&["outVariable", "name"]).and_then(Slice::as_str) {
        object.text("variable", name);
    }
    if let Some(rows) = node.get("estimatedNrItems") {
        object.value("estimated_rows", rows);
    }
    let indexes = node.get("indexes").filter(|indexes| indexes.is_array() && !indexes.is_empty());
    if let Some(indexes) = indexes {
        object.list("indexes", |array| {
            for index in indexes.elements() {
                array.object(|object| {
                    for name in ["name", "type", "fields"] {
                        if let Some(value) = index.get(name) {
                            object.value(name, value);
                        }
                    }
                });
            }
        });
    }
    if let Some(limit) = node.get("limit").filter(|limit| limit.is_number()) {
        object.value("limit", limit);
    }
}

/// Returns advice about a plan.
fn advice(nodes: Slice<'_>) -> Vec<String> {
    /// Rows from which a scan of a whole collection is worth an index.
    const MANY_ROWS: f64 = 1_000.0;
    let name_of = |node: Slice<'_>| node.get("type").and_then(Slice::as_str).unwrap_or_default().to_owned();
    let mut advice = Vec::new();
    let mut scanned: Vec<&str> = Vec::new();
    let mut loops = 0;
    for (position, node) in nodes.elements().enumerate().take(NODES_MAX) {
        match name_of(node).as_str() {
            "EnumerateCollectionNode" => {
                loops += 1;
                let collection = node.get("collection").and_then(Slice::as_str).unwrap_or_default();
                let rows = node.get("estimatedNrItems").and_then(Slice::as_f64).unwrap_or_default();
                let is_filtered = node.get("filter").is_some()
                    || nodes.elements().skip(position + 1).any(|node| name_of(node) == "FilterNode");
                let is_new = !scanned.contains(&collection);
                if rows >= MANY_ROWS && is_filtered && is_new {
                    scanned.push(collection);
                    advice.push(format!(
                        "all documents of '{collection}' are read and then filtered; a persistent index on \
                         the filtered attributes would avoid that"
                    ));
                }
            }
            "SortNode" => {
                let limit = node.get("limit").and_then(Slice::as_u64).unwrap_or_default();
                let rows = node.get("estimatedNrItems").and_then(Slice::as_f64).unwrap_or_default();
                if limit == 0 && rows >= 100.0 * MANY_ROWS {
                    advice.push("all rows are sorted; a LIMIT keeps only the first ones".to_owned());
                }
            }
            _ => {}
        }
    }
    let is_product = loops > 1 && !nodes.elements().any(|node| name_of(node) == "FilterNode");
    let has_condition = nodes.elements().any(|node| node.get("filter").is_some());
    if is_product && !has_condition {
        advice.push("loops without a condition between them return every pair of documents".to_owned());
    }
    advice
}
