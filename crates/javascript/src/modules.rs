//! The sources of the modules, by the name that scripts `require`.

/// Makes a table of names and sources from the files in `modules/`.
macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../modules/", $name, ".js")))),*]
    };
}

/// The script that makes `require` and the globals.
pub(crate) const BOOTSTRAP: &str = include_str!("../modules/persea/bootstrap.js");

/// The modules. Those of `persea/` are for other modules, not for scripts.
static MODULES: &[(&str, &str)] = sources![
    "@arangodb",
    "@arangodb/activities",
    "@arangodb/analyzers",
    "@arangodb/aql/cache",
    "@arangodb/aql/explainer",
    "@arangodb/aql/functions",
    "@arangodb/aql/plan-cache",
    "@arangodb/aql/queries",
    "@arangodb/cluster",
    "@arangodb/crypto",
    "@arangodb/enterprise-graph",
    "@arangodb/foxx",
    "@arangodb/foxx/auth",
    "@arangodb/foxx/manager",
    "@arangodb/foxx/queues",
    "@arangodb/foxx/router",
    "@arangodb/general-graph",
    "@arangodb/graph-examples/example-graph",
    "@arangodb/hotbackup",
    "@arangodb/locals",
    "@arangodb/pregel",
    "@arangodb/replication",
    "@arangodb/request",
    "@arangodb/satellite-graph",
    "@arangodb/smart-graph",
    "@arangodb/tasks",
    "@arangodb/testutils/seededRandom",
    "@arangodb/users",
    "assert",
    "buffer",
    "console",
    "events",
    "fs",
    "internal",
    "jsunity",
    "module",
    "net",
    "path",
    "persea/actions",
    "persea/aql-functions",
    "persea/arango",
    "persea/arguments",
    "persea/changes",
    "persea/collection",
    "persea/collection-legacy",
    "persea/colors",
    "persea/connection",
    "persea/cursor",
    "persea/database",
    "persea/document",
    "persea/download",
    "persea/error",
    "persea/error-names",
    "persea/example-graphs/connectedComponentsGraph",
    "persea/example-graphs/kShortestPathsGraph",
    "persea/example-graphs/knows_graph",
    "persea/example-graphs/mps_graph",
    "persea/example-graphs/routeplanner",
    "persea/example-graphs/social",
    "persea/example-graphs/traversalGraph",
    "persea/example-graphs/worldCountry",
    "persea/explain/colors",
    "persea/explain/expression",
    "persea/explain/node",
    "persea/foxx-services",
    "persea/graph",
    "persea/graph-functions",
    "persea/help",
    "persea/inputs",
    "persea/node/crypto",
    "persea/node/os",
    "persea/printer",
    "persea/query",
    "persea/repl",
    "persea/simple-query",
    "persea/statement",
    "persea/transaction",
    "persea/view",
    "process",
    "punycode",
    "querystring",
    "stream",
    "string_decoder",
    "timers",
    "tty",
    "url",
    "util",
    "vm",
];

/// Returns the source of a module.
pub(crate) fn source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

/// Returns the names of the modules for scripts.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("persea/"))
}
