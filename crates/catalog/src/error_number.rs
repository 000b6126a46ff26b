//! ArangoDB's error numbers that the server's routes name.

/// A promise between two parts of the server was broken.
pub const INTERNAL: u32 = 4;
/// The feature is known but not available.
pub const NOT_IMPLEMENTED: u32 = 9;
/// A parameter has the wrong type or value.
pub const BAD_PARAMETER: u32 = 10;
/// The operation is never allowed on this object.
pub const FORBIDDEN: u32 = 11;
/// A lock was not granted in time.
pub const LOCK_TIMEOUT: u32 = 18;
/// The server is stopping.
pub const SHUTTING_DOWN: u32 = 30;
/// A limit of memory or size was exceeded.
pub const RESOURCE_LIMIT: u32 = 32;
/// The data were written by a newer version.
pub const INCOMPATIBLE_VERSION: u32 = 35;
/// The object is not in the state that the operation needs.
pub const ILLEGAL_STATE: u32 = 1000;
/// An index with that id or name exists.
pub const DUPLICATE_IDENTIFIER: u32 = 1005;
/// The collection or the server only allows reads.
pub const READ_ONLY: u32 = 1004;
/// Stored data are damaged.
pub const CORRUPTED_COLLECTION: u32 = 1102;
/// No space is left on the disk.
pub const FILESYSTEM_FULL: u32 = 1104;
/// Write-write conflict, or a revision that does not match.
pub const CONFLICT: u32 = 1200;
/// No document with the given key.
pub const DOCUMENT_NOT_FOUND: u32 = 1202;
/// No collection or View with the given name.
pub const DATA_SOURCE_NOT_FOUND: u32 = 1203;
/// A document identifier that is not `collection/key`.
pub const DOCUMENT_HANDLE_BAD: u32 = 1205;
/// The name is taken.
pub const DUPLICATE_NAME: u32 = 1207;
/// The name breaks the naming rules.
pub const ILLEGAL_NAME: u32 = 1208;
/// Unique constraint violated.
pub const UNIQUE_CONSTRAINT_VIOLATED: u32 = 1210;
/// No index with the given id or name.
pub const INDEX_NOT_FOUND: u32 = 1212;
/// A document identifier names another collection.
pub const CROSS_COLLECTION_REQUEST: u32 = 1213;
/// An index identifier that is not `collection/number`.
pub const INDEX_HANDLE_BAD: u32 = 1214;
/// The document is larger than allowed.
pub const DOCUMENT_TOO_LARGE: u32 = 1216;
/// The type of the collection is not 2 or 3.
pub const COLLECTION_TYPE_INVALID: u32 = 1218;
/// An attribute path that cannot be parsed.
pub const ATTRIBUTE_PARSER_FAILED: u32 = 1220;
/// A document key with illegal characters or length.
pub const DOCUMENT_KEY_BAD: u32 = 1221;
/// A document key where none may be given, or a changed one.
pub const DOCUMENT_KEY_UNEXPECTED: u32 = 1222;
/// The key generator has no more keys.
pub const OUT_OF_KEYS: u32 = 1225;
/// A document key is needed and missing.
pub const DOCUMENT_KEY_MISSING: u32 = 1226;
/// The value to write is not an object.
pub const DOCUMENT_TYPE_INVALID: u32 = 1227;
/// No database with the given name.
pub const DATABASE_NOT_FOUND: u32 = 1228;
/// The name of the database breaks the naming rules.
pub const DATABASE_NAME_INVALID: u32 = 1229;
/// The operation is only allowed in the system database.
pub const USE_SYSTEM_DATABASE: u32 = 1230;
/// Invalid key generator options.
pub const INVALID_KEY_GENERATOR: u32 = 1232;
/// `_from` or `_to` is missing or not `collection/key`.
pub const INVALID_EDGE_ATTRIBUTE: u32 = 1233;
/// The index could not be created.
pub const INDEX_CREATION_FAILED: u32 = 1235;
/// Stored `_rev` cannot be read.
pub const DOCUMENT_REV_BAD: u32 = 1239;
/// The document breaks the collection's schema.
pub const VALIDATION_FAILED: u32 = 1620;
/// The schema itself is invalid.
pub const VALIDATION_BAD_PARAMETER: u32 = 1621;
/// Internal transaction error: the outcome of the commit is unknown.
pub const TRANSACTION_INTERNAL: u32 = 1650;
/// The operation cannot run inside a transaction.
pub const TRANSACTION_DISALLOWED_OPERATION: u32 = 1653;
/// The transaction was ended.
pub const TRANSACTION_ABORTED: u32 = 1654;
/// The name of a user's function has no namespace, or illegal characters.
pub const FUNCTION_NAME_INVALID: u32 = 1580;
/// The code of a user's function is no function.
pub const FUNCTION_CODE_INVALID: u32 = 1581;
/// No user's function of that name.
pub const FUNCTION_NOT_FOUND: u32 = 1582;
/// The name of the user breaks the rules.
pub const USER_INVALID_NAME: u32 = 1700;
/// A user of that name exists.
pub const USER_DUPLICATE: u32 = 1702;
/// No user of that name.
pub const USER_NOT_FOUND: u32 = 1703;
/// The graph's definition does not allow the edge to begin or end there.
pub const GRAPH_INVALID_EDGE: u32 = 1906;
/// The graph has a definition of the edge collection.
pub const GRAPH_COLLECTION_MULTI_USE: u32 = 1920;
/// Another graph defines the edge collection differently.
pub const GRAPH_COLLECTION_USED_IN_OTHER_GRAPH: u32 = 1921;
/// A graph without a name.
pub const GRAPH_NAME_MISSING: u32 = 1922;
/// An edge definition that is not `{collection, from, to}`.
pub const GRAPH_EDGE_DEFINITION_MALFORMED: u32 = 1923;
/// No graph of that name.
pub const GRAPH_NOT_FOUND: u32 = 1924;
/// A graph of that name exists.
pub const GRAPH_DUPLICATE: u32 = 1925;
/// No such vertex collection.
pub const GRAPH_VERTEX_COLLECTION_NOT_FOUND: u32 = 1926;
/// An edge collection where a vertex collection is needed.
pub const GRAPH_NO_VERTEX_COLLECTION: u32 = 1927;
/// The vertex collection is not among the orphans.
pub const GRAPH_NOT_IN_ORPHANS: u32 = 1928;
/// An edge definition has the collection.
pub const GRAPH_COLLECTION_USED_IN_EDGE_DEFINITION: u32 = 1929;
/// The graph has no definition of the edge collection.
pub const GRAPH_EDGE_COLLECTION_NOT_USED: u32 = 1930;
/// The database has no collection of graphs.
pub const GRAPH_NO_GRAPH_COLLECTION: u32 = 1932;
/// A formal property of a graph has a wrong type.
pub const GRAPH_INVALID_PARAMETER: u32 = 1936;
/// The collection is among the orphans.
pub const GRAPH_COLLECTION_USED_IN_ORPHANS: u32 = 1938;
/// A stored graph that is invalid.
pub const GRAPH_DATA_CORRUPT: u32 = 1941;
/// A graph names the collection.
pub const GRAPH_MUST_NOT_DROP_COLLECTION: u32 = 1942;
/// The list of orphans is not a list of names.
pub const GRAPH_ORPHANS_MALFORMED: u32 = 1943;
/// A document collection where an edge collection is needed.
pub const GRAPH_EDGE_DEFINITION_IS_DOCUMENT: u32 = 1944;
/// An edge's end lies in a collection that its graph does not have.
pub const GRAPH_REFERENCED_COLLECTION_NOT_IN_GRAPH: u32 = 1947;
/// The graph does not have the vertex collection.
pub const GRAPH_COLLECTION_NOT_IN_GRAPH: u32 = 1949;
