//! The tool that lists the databases of the user.

use mcp::{Arguments, Effect, Object, Tool};

use super::context::{Context, Entry, Presence};
use super::failure::ToolResult;
use crate::http::percent::encode_segment;

pub(super) const ENTRY: Entry = Entry { tool: TOOL, call, presence: Presence::Always };

const TOOL: Tool = Tool {
    name: "list_databases",
    title: "List databases",
    description: "Lists the databases that you may use. All other tools work in the current one; each \
                  database has an address of its own.",
    parameters: &[],
    effect: Effect::Reads,
};

fn call(context: Context<'_>, _arguments: &Arguments<'_>) -> ToolResult {
    let session = context.session;
    let catalog = session.catalog();
    Ok(Object::whole(|object| {
        object.text("current", session.database_name());
        object.list("databases", |array| {
            for database in catalog.databases().filter(|database| session.may_use_database(database.name())) {
                array.object(|object| {
                    let name = database.name();
                    object.text("name", name).text("path", &format!("/_db/{}/_mcp", encode_segment(name)));
                });
            }
        });
    }))
}
