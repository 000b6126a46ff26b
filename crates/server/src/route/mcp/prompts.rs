//! The prompts, and the values of their arguments.

use catalog::AccessLevel;
use database::Session;
use mcp::aql_reference::TOPICS;
use mcp::{Completion, Prompt, PromptArgument};
use velocypack::Slice;

/// The prompts.
pub(super) const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "write_query",
        title: "Write an AQL query",
        description: "Answers a question about the data with a query.",
        arguments: &[PromptArgument { name: "question", description: "The question", is_required: true }],
    },
    Prompt {
        name: "explore_graph",
        title: "Explore a graph",
        description: "Describes what a named graph holds.",
        arguments: &[
            PromptArgument { name: "graph", description: "The name of the graph", is_required: true },
            PromptArgument {
                name: "start",
                description: "The _id of a vertex to begin at",
                is_required: false,
            },
        ],
    },
    Prompt {
        name: "optimize_query",
        title: "Optimize an AQL query",
        description: "Finds out why a query is slow, and makes it faster.",
        arguments: &[PromptArgument { name: "aql", description: "The query", is_required: true }],
    },
];

/// Returns the text of a prompt.
pub(super) fn text(prompt: &Prompt, argument: &dyn Fn(&str) -> Option<String>) -> String {
    let given = |name: &str| argument(name).unwrap_or_default();
    match prompt.name {
        "write_query" => format!(
            "Answer this question about the database: {}\n\n\
             1. Call describe_schema to learn the collections and attributes.\n\
             2. Write one AQL query with bind parameters. Read aql_reference for what you are unsure of.\n\
             3. Call validate, then query. If a call fails, use its hint and try again.\n\
             4. Give the answer, the query, and whether rows were cut off.",
            given("question")
        ),
        "explore_graph" => {
            let start = match argument("start") {
                Some(start) => format!("Begin at the vertex {start}."),
                None => "Choose a vertex with many edges as the start.".to_owned(),
            };
            format!(
                "Explore the graph '{}'. {start}\n\n\
                 1. Call describe_schema for its edge definitions and the attributes of its collections.\n\
                 2. Count the vertices and edges of each collection with query.\n\
                 3. Follow edges with traverse at depth 1 and 2, and find paths with shortest_paths.\n\
                 4. Describe what the graph holds, how it is connected, and what stands out.",
                given("graph")
            )
        }
        _ => format!(
            "Make this AQL query faster:\n\n{}\n\n\
             1. Call explain, and look for EnumerateCollectionNode, FilterNode and SortNode.\n\
             2. Call describe_schema for the indexes there are, and aql_reference about 'performance'.\n\
             3. Propose a better query or an index, and compare the plans with explain.\n\
             4. Check with query that both queries return the same rows.",
            given("aql")
        ),
    }
}

/// Returns the values of an argument that begin so.
pub(super) fn complete(session: &Session, completion: Completion<'_>) -> Vec<String> {
    let mut values: Vec<String> = match (completion.reference, completion.argument) {
        ("explore_graph", "graph") => graphs(session),
        (reference, "collection") if reference.starts_with("persea://") => collections(session),
        (reference, "topic") if reference.starts_with("persea://") => {
            TOPICS.iter().map(|topic| topic.name.to_owned()).collect()
        }
        _ => Vec::new(),
    };
    values.retain(|value| value.starts_with(completion.value));
    values.sort_unstable();
    values
}

/// Returns the names of the graphs; none for a user who may not read their definitions.
fn graphs(session: &Session) -> Vec<String> {
    let graphs = session.graphs().unwrap_or_default();
    graphs
        .iter()
        .filter_map(|graph| graph.slice().get("_key").and_then(Slice::as_str))
        .map(str::to_owned)
        .collect()
}

/// Returns the names of the collections that the user may read, without those of the system.
fn collections(session: &Session) -> Vec<String> {
    let catalog = session.catalog();
    let Ok(database) = session.database_in(&catalog) else { return Vec::new() };
    let readable = database.collections().filter(|collection| {
        !collection.definition().properties.is_system
            && session.require_collection(collection.name(), AccessLevel::ReadOnly).is_ok()
    });
    readable.map(|collection| collection.name().to_owned()).collect()
}
