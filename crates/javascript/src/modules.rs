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
    "@arangodb/analyzers",
    "@arangodb/aql/cache",
    "@arangodb/aql/explainer",
    "@arangodb/aql/functions",
    "@arangodb/aql/plan-cache",
    "@arangodb/aql/queries",
    "@arangodb/crypto",
    "@arangodb/general-graph",
    "@arangodb/request",
    "@arangodb/tasks",
    "@arangodb/users",
    "assert",
    "buffer",
    "console",
    "events",
    "fs",
    "internal",
    "module",
    "net",
    "path",
    "persea/actions",
    "persea/aql-functions",
    "persea/arango",
    "persea/collection",
    "persea/connection",
    "persea/cursor",
    "persea/database",
    "persea/document",
    "persea/error",
    "persea/explain/colors",
    "persea/explain/expression",
    "persea/explain/node",
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
