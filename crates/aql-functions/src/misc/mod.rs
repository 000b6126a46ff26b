//! Control flow, the server, calls by name, and functions of no other family.

mod alternatives;
mod array_of_rows;
mod call;
mod changes;
mod database;
mod graphs;
mod identity;
mod in_range;
mod min_match;
mod raise;
mod rules;
mod schema;
mod sleep;

use aql_value::Function;

use crate::define::{per_query, pure, pure_variadic, volatile, volatile_variadic};

/// The call of a user's function, whose name is the first argument.
pub(crate) static USER_FUNCTION: Function =
    Function { call_batch: Some(call::call_batch), ..volatile_variadic("user function", 1, call::call) };

/// The document with masked attributes: the arguments are the stored one and the collection.
pub(crate) static MASKED_DOCUMENT: Function = per_query("masked document", 2, 2, rules::masked);

/// True for a document. It is computed where the query needs the document to exist.
pub(crate) static VISIBLE_DOCUMENT: Function = volatile("visible document", 1, 1, rules::visible);

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("ANALYZER", 2, 2, identity::first_argument),
    Function { call_batch: Some(call::apply_batch), ..volatile("APPLY", 1, 2, call::apply) },
    volatile("ASSERT", 2, 2, raise::assert),
    pure("BOOST", 2, 2, identity::first_argument),
    Function { call_batch: Some(call::call_batch), ..volatile_variadic("CALL", 1, call::call) },
    Function {
        collection_arguments: 1,
        reads_documents: true,
        rows: Some(changes::rows),
        ..volatile("CHANGES", 1, 3, changes::changes)
    },
    volatile("COLLECTIONS", 0, 0, database::collections),
    Function { collection_arguments: 1, ..volatile("COLLECTION_COUNT", 1, 1, database::collection_count) },
    per_query("CURRENT_DATABASE", 0, 0, database::current_database),
    per_query("CURRENT_USER", 0, 0, database::current_user),
    Function {
        collection_arguments: 1,
        reads_documents: true,
        call_batch: Some(database::document_batch),
        ..volatile("DOCUMENT", 1, 2, database::document)
    },
    volatile("FAIL", 0, 1, raise::fail),
    pure_variadic("FIRST_DOCUMENT", 1, alternatives::first_document),
    pure_variadic("FIRST_LIST", 1, alternatives::first_list),
    Function {
        reads_documents: true,
        rows: Some(graphs::algorithm_rows),
        ..volatile("GRAPH_ALGORITHM", 2, 4, graphs::graph_algorithm)
    },
    pure("IN_RANGE", 5, 5, in_range::in_range),
    pure_variadic("MIN_MATCH", 2, min_match::min_match),
    per_query("NOEVAL", 1, 1, identity::noeval),
    volatile("NOOPT", 1, 1, identity::first_argument),
    pure_variadic("NOT_NULL", 1, alternatives::not_null),
    pure("PASSTHRU", 1, 1, identity::first_argument),
    Function { rows: Some(graphs::job_rows), ..volatile("PREGEL_RESULT", 1, 2, graphs::pregel_result) },
    volatile("SCHEMA_GET", 1, 1, schema::schema_get),
    volatile("SCHEMA_VALIDATE", 2, 2, schema::schema_validate),
    volatile("SHARD_ID", 2, 2, database::shard_id),
    volatile("SLEEP", 1, 1, sleep::sleep),
    per_query("V8", 1, 1, identity::noeval),
    per_query("VERSION", 0, 0, database::version),
    volatile("WARN", 2, 2, raise::warn),
];
