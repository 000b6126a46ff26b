//! The tool that checks a query without running it.

use mcp::{Arguments, Effect, Object, Parameter, Tool};
use velocypack::Slice;

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use super::limits::Limits;
use super::run::request;
use super::suggestions;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "validate",
    title: "Check an AQL query",
    description: "Checks a query without running it: its syntax, its functions and, if all bind parameters \
                  are given, its collections and your rights. Returns its collections, its bind \
                  parameters, and whether it writes; or the line and column of the mistake with a hint.",
    parameters: &[
        Parameter::required("aql", r#"{"type": "string", "description": "The query"}"#),
        Parameter::optional(
            "bind_vars",
            r#"{"type": "object", "description": "The values of the bind parameters, if they are known"}"#,
        ),
    ],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, arguments: &Arguments<'_>) -> ToolResult {
    let aql = arguments.required_text("aql")?;
    let bind_vars = arguments.object("bind_vars")?;
    let session = context.session;
    let failed = |error| suggestions::of_query(session, error, aql);
    let parsed = session.parse_query(aql).map_err(failed)?;
    let parsed = Slice::new(&parsed);
    let parameters = parsed.get("bindVars").unwrap_or(Slice::EMPTY_ARRAY);
    let missing: Vec<&str> = parameters
        .elements()
        .filter_map(Slice::as_str)
        .filter(|name| bind_vars.get(name).is_none())
        .collect();
    // Without the values nothing is known about collections.
    let plan = match missing.is_empty() {
        true => {
            let request = request(aql, bind_vars.bytes(), Limits::default());
            Some(session.explain(&request).map_err(failed)?)
        }
        false => None,
    };
    let plan = plan.as_deref().map(Slice::new);
    Ok(Object::whole(|object| {
        object.bool("valid", true).text("checked", if plan.is_some() { "plan" } else { "syntax" });
        object.value("collections", parsed.get("collections").unwrap_or(Slice::EMPTY_ARRAY));
        object.value("bind_parameters", parameters);
        if !missing.is_empty() {
            object.texts("missing_bind_vars", missing.iter().copied());
        }
        let Some(plan) = plan else { return };
        let writes = plan.get_path(&["plan", "isModificationQuery"]).and_then(Slice::as_bool);
        object.bool("writes", writes.unwrap_or(false));
        if let Some(warnings) = plan.get("warnings").filter(|warnings| !warnings.is_empty()) {
            object.value("warnings", warnings);
        }
    }))
}
