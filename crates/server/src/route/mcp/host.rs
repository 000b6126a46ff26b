//! The tools of a database as the protocol sees them, with the rights of one user.

use database::Session;
use errors::{Error, ErrorCode};
use mcp::{Arguments, Call, Completion, Contents, Failure, Host, Outcome, Prompt, Resource, Template, Tool};
use velocypack::Slice;

use super::calls::{CallCounts, Caller};
use super::context::{Context, Entry, Presence};
use super::failure::ToolError;
use super::{
    Services, aql_reference, describe_schema, explain, get_documents, list_databases, prompts, query,
    resources, search_hybrid, search_text, search_vector, shortest_paths, traverse, validate,
    write_definitions, write_documents,
};
use crate::http::Request;
use crate::version::PERSEA_VERSION;

/// All tools, in the order in which clients see them.
static TOOLS: &[&Entry] = &[
    &describe_schema::ENTRY,
    &query::READING,
    &query::WRITING,
    &explain::ENTRY,
    &validate::ENTRY,
    &get_documents::ENTRY,
    &list_databases::ENTRY,
    &search_text::ENTRY,
    &search_vector::ENTRY,
    &search_hybrid::ENTRY,
    &traverse::ENTRY,
    &shortest_paths::ENTRY,
    &aql_reference::ENTRY,
    &write_documents::INSERT,
    &write_documents::UPDATE,
    &write_documents::REMOVE,
    &write_definitions::COLLECTION,
    &write_definitions::INDEX,
    &write_definitions::GRAPH,
];

/// The name of the method that reads a resource, which counts as a call of a tool.
const READ_RESOURCE: &str = "resources/read";

impl CallCounts {
    /// Returns counts of all tools.
    pub(crate) fn of_all_tools() -> Self {
        let tools = TOOLS.iter().map(|entry| entry.tool.name);
        CallCounts::of(tools.chain([READ_RESOURCE]))
    }
}

/// The tools for one request.
pub(super) struct ToolHost<'h> {
    pub(super) services: &'h Services,
    pub(super) session: &'h Session,
    pub(super) request: &'h Request,
}

impl ToolHost<'_> {
    fn context(&self) -> Context<'_> {
        Context { session: self.session, can_write: self.services.options.can_write }
    }

    fn caller<'c>(&'c self, object: &'c str) -> Caller<'c> {
        Caller {
            object,
            user: self.session.user().map_or("", |user| user),
            database: self.session.database_name(),
            client: self.request.client(),
        }
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let can_write = self.services.options.can_write;
        TOOLS.iter().copied().filter(move |entry| match entry.presence {
            Presence::Always => true,
            Presence::WhereOnlyRead => !can_write,
            Presence::WhereWritten => can_write,
        })
    }
}

impl Host for ToolHost<'_> {
    fn version(&self) -> &str {
        PERSEA_VERSION
    }

    fn instructions(&self) -> String {
        let access = match self.services.options.can_write {
            true => "Writes are allowed within the user's rights.",
            false => "The data can be read only; writing queries are refused.",
        };
        let database = self.session.database_name();
        format!("{}\nThe database is '{database}'. {access}\n", mcp::INSTRUCTIONS)
    }

    fn tools(&self) -> Vec<&'static Tool> {
        self.entries().map(|entry| &entry.tool).collect()
    }

    fn call(&self, call: Call<'_>) -> Option<Outcome> {
        let entry = self.entries().find(|entry| entry.tool.name == call.name)?;
        let context = self.context();
        let arguments = Arguments::new(&entry.tool, call.arguments).map_err(ToolError::from);
        let result = arguments.and_then(|arguments| (entry.call)(context, &arguments));
        let named = ["collection", "source", "graph", "name"].iter();
        let object = named.filter_map(|name| call.arguments.get(name)).find_map(Slice::as_str);
        let object = object.unwrap_or_default();
        let number = result.as_ref().err().map_or(0, ToolError::number);
        self.services.calls.note(entry.tool.name, number, &self.caller(object));
        Some(match result {
            Ok(json) => Outcome { json, is_error: false },
            Err(error) => error.outcome(),
        })
    }

    fn resources(&self) -> Vec<Resource> {
        resources::list(self.session)
    }

    fn templates(&self) -> Vec<Template> {
        resources::templates(self.session)
    }

    fn read(&self, uri: &str) -> Result<Option<Contents>, Failure> {
        let read = resources::read(self.context(), uri);
        let is_read = matches!(read, Ok(Some(_)));
        let number = if is_read { 0 } else { Error::of(ErrorCode::HttpNotFound).number() };
        self.services.calls.note(READ_RESOURCE, number, &self.caller(uri));
        read
    }

    fn prompts(&self) -> &'static [Prompt] {
        prompts::PROMPTS
    }

    fn prompt(&self, prompt: &Prompt, argument: &dyn Fn(&str) -> Option<String>) -> String {
        prompts::text(prompt, argument)
    }

    fn complete(&self, completion: Completion<'_>) -> Vec<String> {
        prompts::complete(self.session, completion)
    }
}

#[cfg(test)]
mod tests {
    use velocypack::{Builder, Limits, json};

    use super::*;

    #[test]
    fn schemas_of_parameters_are_json() {
        for parameter in TOOLS.iter().flat_map(|entry| entry.tool.parameters) {
            let mut schema = Builder::new();
            let parsed = json::parse(parameter.schema.as_bytes(), &Limits::default(), &mut schema);
            assert!(parsed.is_ok() && schema.as_slice().is_object(), "{}", parameter.name);
        }
    }
}
