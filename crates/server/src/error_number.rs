//! ArangoDB's error numbers: their HTTP status and their message, for all numbers that version 3.12 knows.
//!
//! A message with `%s` or `{}` in it is a template; whoever reports the error fills it in.

/// The numbers that this crate itself reports; other crates name their own.
pub mod number {
    /// A promise between two parts of the server was broken.
    pub const INTERNAL: u32 = 4;
    /// Known, and not available here.
    pub const NOT_IMPLEMENTED: u32 = 9;
    /// A parameter has a wrong value.
    pub const BAD_PARAMETER: u32 = 10;
    /// The user may not do this.
    pub const FORBIDDEN: u32 = 11;
    /// A parameter has a wrong type.
    pub const TYPE_ERROR: u32 = 17;
    /// The request was cancelled before it had an answer.
    pub const REQUEST_CANCELED: u32 = 21;
    /// The server is stopping.
    pub const SHUTTING_DOWN: u32 = 30;
    /// Part of ArangoDB's Enterprise Edition only.
    pub const ONLY_ENTERPRISE: u32 = 31;
    /// A bound on memory or on the number of something is reached.
    pub const RESOURCE_LIMIT: u32 = 32;
    /// Switched off by configuration.
    pub const DISABLED: u32 = 36;
    /// The request itself is wrong.
    pub const HTTP_BAD_PARAMETER: u32 = 400;
    /// No user, a wrong password or an invalid token.
    pub const HTTP_UNAUTHORIZED: u32 = 401;
    /// Not allowed for this user.
    pub const HTTP_FORBIDDEN: u32 = 403;
    /// Nothing under this path.
    pub const HTTP_NOT_FOUND: u32 = 404;
    /// The path exists, with other methods.
    pub const HTTP_METHOD_NOT_ALLOWED: u32 = 405;
    /// The client took too long to send its request.
    pub const HTTP_REQUEST_TIMEOUT: u32 = 408;
    /// The server cannot take the request now.
    pub const HTTP_SERVICE_UNAVAILABLE: u32 = 503;
    /// The body is no valid JSON or VelocyPack.
    pub const HTTP_CORRUPTED_JSON: u32 = 600;
    /// The path has more or fewer parts than the route takes.
    pub const HTTP_SUPERFLUOUS_SUFFICES: u32 = 601;
    /// No database of this name.
    pub const DATABASE_NOT_FOUND: u32 = 1228;
    /// Only allowed in the database `_system`.
    pub const USE_SYSTEM_DATABASE: u32 = 1230;
    /// Only for servers of a cluster.
    pub const CLUSTER_UNSUPPORTED: u32 = 1470;
    /// Only for coordinators of a cluster.
    pub const CLUSTER_ONLY_ON_COORDINATOR: u32 = 1471;
    /// A task's id or definition is not valid.
    pub const TASK_INVALID_ID: u32 = 1850;
    /// No cursor of this id.
    pub const CURSOR_NOT_FOUND: u32 = 1600;
    /// No transaction has this number.
    pub const TRANSACTION_NOT_FOUND: u32 = 1655;
    /// No task of this id.
    pub const TASK_NOT_FOUND: u32 = 1852;
    /// Too many requests wait already.
    pub const QUEUE_FULL: u32 = 21_003;
    /// The request would wait longer than its client allows.
    pub const QUEUE_TIME_VIOLATED: u32 = 21_004;
}

/// What an error number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorNumber {
    /// `errorNum`.
    pub number: u32,
    /// ArangoDB's name for it.
    pub name: &'static str,
    /// The HTTP status that goes with it.
    pub status: u16,
    /// The message, or its template.
    pub message: &'static str,
}

/// Looks a number up.
pub fn find(number: u32) -> Option<&'static ErrorNumber> {
    TABLE.binary_search_by_key(&number, |row| row.number).ok().and_then(|index| TABLE.get(index))
}

/// The HTTP status that goes with a number; 500 for a number that is not known.
pub fn status_of(number: u32) -> u16 {
    find(number).map_or(500, |row| row.status)
}

/// The message of a number, without anything filled in.
pub fn message_of(number: u32) -> &'static str {
    find(number).map_or("unknown error", |row| row.message)
}

const fn row(number: u32, name: &'static str, status: u16, message: &'static str) -> ErrorNumber {
    ErrorNumber { number, name, status, message }
}

/// Ordered by number.
#[rustfmt::skip]
const TABLE: &[ErrorNumber] = &[
    row(1, "FAILED", 500, "failed"),
    row(2, "SYS_ERROR", 500, "system error"),
    row(3, "OUT_OF_MEMORY", 500, "out of memory"),
    row(4, "INTERNAL", 500, "internal error"),
    row(5, "ILLEGAL_NUMBER", 500, "illegal number"),
    row(6, "NUMERIC_OVERFLOW", 500, "numeric overflow"),
    row(7, "ILLEGAL_OPTION", 500, "illegal option"),
    row(8, "DEAD_PID", 500, "dead process identifier"),
    row(9, "NOT_IMPLEMENTED", 501, "not implemented"),
    row(10, "BAD_PARAMETER", 400, "bad parameter"),
    row(11, "FORBIDDEN", 403, "forbidden"),
    row(13, "CORRUPTED_CSV", 500, "csv is corrupt"),
    row(14, "FILE_NOT_FOUND", 500, "file not found"),
    row(15, "CANNOT_WRITE_FILE", 500, "cannot write file"),
    row(16, "CANNOT_OVERWRITE_FILE", 500, "cannot overwrite file"),
    row(17, "TYPE_ERROR", 400, "type error"),
    row(18, "LOCK_TIMEOUT", 500, "lock timeout"),
    row(19, "CANNOT_CREATE_DIRECTORY", 500, "cannot create directory"),
    row(20, "CANNOT_CREATE_TEMP_FILE", 500, "cannot create temporary file"),
    row(21, "REQUEST_CANCELED", 410, "canceled request"),
    row(22, "DEBUG", 500, "intentional debug error"),
    row(25, "IP_ADDRESS_INVALID", 500, "IP address is invalid"),
    row(27, "FILE_EXISTS", 500, "file exists"),
    row(28, "LOCKED", 500, "locked"),
    row(29, "DEADLOCK", 500, "deadlock detected"),
    row(30, "SHUTTING_DOWN", 503, "shutdown in progress"),
    row(31, "ONLY_ENTERPRISE", 501, "only enterprise version"),
    row(32, "RESOURCE_LIMIT", 500, "resource limit exceeded"),
    row(33, "ARANGO_ICU_ERROR", 500, "icu error: %s"),
    row(34, "CANNOT_READ_FILE", 500, "cannot read file"),
    row(35, "INCOMPATIBLE_VERSION", 500, "incompatible server version"),
    row(36, "DISABLED", 500, "disabled"),
    row(37, "MALFORMED_JSON", 500, "malformed json"),
    row(38, "STARTING_UP", 503, "startup ongoing"),
    row(39, "DESERIALIZE", 500, "error during deserialization"),
    row(40, "END_OF_FILE", 500, "reached end of file"),
    row(400, "HTTP_BAD_PARAMETER", 400, "bad parameter"),
    row(401, "HTTP_UNAUTHORIZED", 401, "unauthorized"),
    row(403, "HTTP_FORBIDDEN", 403, "forbidden"),
    row(404, "HTTP_NOT_FOUND", 404, "not found"),
    row(405, "HTTP_METHOD_NOT_ALLOWED", 405, "method not supported"),
    row(406, "HTTP_NOT_ACCEPTABLE", 406, "request not acceptable"),
    row(408, "HTTP_REQUEST_TIMEOUT", 408, "request timeout"),
    row(409, "HTTP_CONFLICT", 409, "conflict"),
    row(410, "HTTP_GONE", 410, "content permanently deleted"),
    row(412, "HTTP_PRECONDITION_FAILED", 412, "precondition failed"),
    row(420, "HTTP_ENHANCE_YOUR_CALM", 420, "enhance your calm"),
    row(500, "HTTP_SERVER_ERROR", 500, "internal server error"),
    row(501, "HTTP_NOT_IMPLEMENTED", 501, "not implemented"),
    row(503, "HTTP_SERVICE_UNAVAILABLE", 503, "service unavailable"),
    row(504, "HTTP_GATEWAY_TIMEOUT", 504, "gateway timeout"),
    row(600, "HTTP_CORRUPTED_JSON", 400, "invalid JSON object"),
    row(601, "HTTP_SUPERFLUOUS_SUFFICES", 500, "superfluous URL suffices"),
    row(1000, "ARANGO_ILLEGAL_STATE", 500, "illegal state"),
    row(1004, "ARANGO_READ_ONLY", 403, "read only"),
    row(1005, "ARANGO_DUPLICATE_IDENTIFIER", 500, "duplicate identifier"),
    row(1100, "ARANGO_CORRUPTED_DATAFILE", 500, "corrupted datafile"),
    row(1101, "ARANGO_ILLEGAL_PARAMETER_FILE", 500, "illegal or unreadable parameter file"),
    row(1102, "ARANGO_CORRUPTED_COLLECTION", 500, "corrupted collection"),
    row(1104, "ARANGO_FILESYSTEM_FULL", 500, "filesystem full"),
    row(1107, "ARANGO_DATADIR_LOCKED", 500, "database directory is locked"),
    row(1200, "ARANGO_CONFLICT", 409, "conflict"),
    row(1202, "ARANGO_DOCUMENT_NOT_FOUND", 404, "document not found"),
    row(1203, "ARANGO_DATA_SOURCE_NOT_FOUND", 404, "collection or view not found"),
    row(1204, "ARANGO_COLLECTION_PARAMETER_MISSING", 500, "parameter 'collection' not found"),
    row(1205, "ARANGO_DOCUMENT_HANDLE_BAD", 400, "illegal document identifier"),
    row(1207, "ARANGO_DUPLICATE_NAME", 409, "duplicate name"),
    row(1208, "ARANGO_ILLEGAL_NAME", 400, "illegal name"),
    row(1209, "ARANGO_NO_INDEX", 500, "no suitable index known"),
    row(1210, "ARANGO_UNIQUE_CONSTRAINT_VIOLATED", 409, "unique constraint violated"),
    row(1212, "ARANGO_INDEX_NOT_FOUND", 404, "index not found"),
    row(1213, "ARANGO_CROSS_COLLECTION_REQUEST", 400, "cross collection request not allowed"),
    row(1214, "ARANGO_INDEX_HANDLE_BAD", 400, "illegal index identifier"),
    row(1216, "ARANGO_DOCUMENT_TOO_LARGE", 400, "document too large"),
    row(1218, "ARANGO_COLLECTION_TYPE_INVALID", 400, "collection type invalid"),
    row(1220, "ARANGO_ATTRIBUTE_PARSER_FAILED", 400, "parsing attribute name definition failed"),
    row(1221, "ARANGO_DOCUMENT_KEY_BAD", 400, "illegal document key"),
    row(1222, "ARANGO_DOCUMENT_KEY_UNEXPECTED", 400, "unexpected document key"),
    row(1224, "ARANGO_DATADIR_NOT_WRITABLE", 500, "server database directory not writable"),
    row(1225, "ARANGO_OUT_OF_KEYS", 500, "out of keys"),
    row(1226, "ARANGO_DOCUMENT_KEY_MISSING", 400, "missing document key"),
    row(1227, "ARANGO_DOCUMENT_TYPE_INVALID", 400, "invalid document type"),
    row(1228, "ARANGO_DATABASE_NOT_FOUND", 404, "database not found"),
    row(1229, "ARANGO_DATABASE_NAME_INVALID", 400, "database name invalid"),
    row(1230, "ARANGO_USE_SYSTEM_DATABASE", 403, "operation only allowed in system database"),
    row(1232, "ARANGO_INVALID_KEY_GENERATOR", 400, "invalid key generator"),
    row(1233, "ARANGO_INVALID_EDGE_ATTRIBUTE", 400, "expecting both `_from` and `_to` attributes to be defined in the edge document and have the format `<collectionName>/<vertexKey>`"),
    row(1235, "ARANGO_INDEX_CREATION_FAILED", 400, "index creation failed"),
    row(1237, "ARANGO_COLLECTION_TYPE_MISMATCH", 400, "collection type mismatch"),
    row(1238, "ARANGO_COLLECTION_NOT_LOADED", 404, "collection not loaded"),
    row(1239, "ARANGO_DOCUMENT_REV_BAD", 500, "illegal document revision"),
    row(1240, "ARANGO_INCOMPLETE_READ", 500, "incomplete read"),
    row(1241, "ARANGO_OLD_ROCKSDB_FORMAT", 500, "not supported by old legacy data format"),
    row(1242, "ARANGO_INDEX_HAS_LEGACY_SORTED_KEYS", 500, "an index with legacy sorted keys has been found"),
    row(1301, "ARANGO_EMPTY_DATADIR", 500, "server database directory is empty"),
    row(1302, "ARANGO_TRY_AGAIN", 500, "operation should be tried again"),
    row(1303, "ARANGO_BUSY", 500, "engine is busy"),
    row(1304, "ARANGO_MERGE_IN_PROGRESS", 500, "merge in progress"),
    row(1305, "ARANGO_IO_ERROR", 500, "storage engine I/O error"),
    row(1400, "REPLICATION_NO_RESPONSE", 500, "no response"),
    row(1401, "REPLICATION_INVALID_RESPONSE", 500, "invalid response"),
    row(1402, "REPLICATION_LEADER_ERROR", 500, "leader error"),
    row(1403, "REPLICATION_LEADER_INCOMPATIBLE", 500, "leader incompatible"),
    row(1404, "REPLICATION_LEADER_CHANGE", 500, "leader change"),
    row(1405, "REPLICATION_LOOP", 500, "loop detected"),
    row(1406, "REPLICATION_UNEXPECTED_MARKER", 500, "unexpected marker"),
    row(1407, "REPLICATION_INVALID_APPLIER_STATE", 500, "invalid applier state"),
    row(1408, "REPLICATION_UNEXPECTED_TRANSACTION", 500, "invalid transaction"),
    row(1409, "REPLICATION_SHARD_SYNC_ATTEMPT_TIMEOUT_EXCEEDED", 500, "shard synchronization attempt timeout exceeded"),
    row(1410, "REPLICATION_INVALID_APPLIER_CONFIGURATION", 400, "invalid replication applier configuration"),
    row(1411, "REPLICATION_RUNNING", 400, "cannot perform operation while applier is running"),
    row(1412, "REPLICATION_APPLIER_STOPPED", 500, "replication stopped"),
    row(1413, "REPLICATION_NO_START_TICK", 400, "no start tick"),
    row(1414, "REPLICATION_START_TICK_NOT_PRESENT", 500, "start tick not present"),
    row(1416, "REPLICATION_WRONG_CHECKSUM", 500, "wrong checksum"),
    row(1417, "REPLICATION_SHARD_NONEMPTY", 500, "shard not empty"),
    row(1418, "REPLICATION_REPLICATED_LOG_NOT_FOUND", 500, "replicated log {} not found"),
    row(1419, "REPLICATION_REPLICATED_LOG_NOT_THE_LEADER", 500, "not the log leader"),
    row(1420, "REPLICATION_REPLICATED_LOG_NOT_A_FOLLOWER", 500, "not a log follower"),
    row(1421, "REPLICATION_REPLICATED_LOG_APPEND_ENTRIES_REJECTED", 500, "follower rejected append entries request"),
    row(1422, "REPLICATION_REPLICATED_LOG_LEADER_RESIGNED", 500, "a resigned leader instance rejected a request"),
    row(1423, "REPLICATION_REPLICATED_LOG_FOLLOWER_RESIGNED", 500, "a resigned follower instance rejected a request"),
    row(1424, "REPLICATION_REPLICATED_LOG_PARTICIPANT_GONE", 500, "the replicated log of the participant is gone"),
    row(1425, "REPLICATION_REPLICATED_LOG_INVALID_TERM", 500, "an invalid term was given"),
    row(1426, "REPLICATION_REPLICATED_LOG_UNCONFIGURED", 500, "log participant unconfigured"),
    row(1427, "REPLICATION_REPLICATED_STATE_NOT_FOUND", 500, "replicated state {id:} of type {type:} not found"),
    row(1428, "REPLICATION_REPLICATED_STATE_NOT_AVAILABLE", 500, "replicated state {id:} of type {type:} is unavailable"),
    row(1429, "REPLICATION_WRITE_CONCERN_NOT_FULFILLED", 500, "not enough replicas for the configured write-concern are present"),
    row(1430, "REPLICATION_REPLICATED_LOG_SUBSEQUENT_FAULT", 500, "operation aborted because a previous operation failed"),
    row(1431, "REPLICATION_REPLICATED_STATE_IMPLEMENTATION_NOT_FOUND", 500, "replicated state type {type:} is unavailable"),
    row(1432, "REPLICATION_REPLICATED_WAL_ERROR", 500, "error in the replicated WAL subsystem"),
    row(1433, "REPLICATION_REPLICATED_WAL_INVALID_FILE", 500, "replicated WAL {file:} has an invalid or missing file header"),
    row(1434, "REPLICATION_REPLICATED_WAL_CORRUPT", 500, "replicated WAL {file:} is corrupt"),
    row(1446, "CLUSTER_NOT_FOLLOWER", 500, "not a follower"),
    row(1447, "CLUSTER_FOLLOWER_TRANSACTION_COMMIT_PERFORMED", 409, "follower transaction intermediate commit already performed"),
    row(1448, "CLUSTER_CREATE_COLLECTION_PRECONDITION_FAILED", 412, "creating collection failed due to precondition"),
    row(1449, "CLUSTER_SERVER_UNKNOWN", 500, "got a request from an unknown server"),
    row(1450, "CLUSTER_TOO_MANY_SHARDS", 400, "too many shards"),
    row(1454, "CLUSTER_COULD_NOT_CREATE_COLLECTION_IN_PLAN", 500, "could not create collection in plan"),
    row(1456, "CLUSTER_COULD_NOT_CREATE_COLLECTION", 500, "could not create collection"),
    row(1457, "CLUSTER_TIMEOUT", 500, "timeout in cluster operation"),
    row(1458, "CLUSTER_COULD_NOT_REMOVE_COLLECTION_IN_PLAN", 500, "could not remove collection from plan"),
    row(1460, "CLUSTER_COULD_NOT_CREATE_DATABASE_IN_PLAN", 500, "could not create database in plan"),
    row(1461, "CLUSTER_COULD_NOT_CREATE_DATABASE", 500, "could not create database"),
    row(1462, "CLUSTER_COULD_NOT_REMOVE_DATABASE_IN_PLAN", 500, "could not remove database from plan"),
    row(1463, "CLUSTER_COULD_NOT_REMOVE_DATABASE_IN_CURRENT", 500, "could not remove database from current"),
    row(1464, "CLUSTER_SHARD_GONE", 500, "no responsible shard found"),
    row(1465, "CLUSTER_CONNECTION_LOST", 503, "cluster internal HTTP connection broken"),
    row(1466, "CLUSTER_MUST_NOT_SPECIFY_KEY", 400, "must not specify _key for this collection"),
    row(1467, "CLUSTER_GOT_CONTRADICTING_ANSWERS", 500, "got contradicting answers from different shards"),
    row(1468, "CLUSTER_NOT_ALL_SHARDING_ATTRIBUTES_GIVEN", 400, "not all sharding attributes given"),
    row(1469, "CLUSTER_MUST_NOT_CHANGE_SHARDING_ATTRIBUTES", 400, "must not change the value of a shard key attribute"),
    row(1470, "CLUSTER_UNSUPPORTED", 501, "unsupported operation or parameter for clusters"),
    row(1471, "CLUSTER_ONLY_ON_COORDINATOR", 501, "this operation is only valid on a coordinator in a cluster"),
    row(1472, "CLUSTER_READING_PLAN_AGENCY", 500, "error reading Plan in agency"),
    row(1474, "CLUSTER_AQL_COMMUNICATION", 500, "error in cluster internal communication for AQL"),
    row(1477, "CLUSTER_ONLY_ON_DBSERVER", 501, "this operation is only valid on a DBserver in a cluster"),
    row(1478, "CLUSTER_BACKEND_UNAVAILABLE", 503, "A cluster backend which was required for the operation could not be reached"),
    row(1481, "CLUSTER_AQL_COLLECTION_OUT_OF_SYNC", 500, "collection/view is out of sync"),
    row(1482, "CLUSTER_COULD_NOT_CREATE_INDEX_IN_PLAN", 500, "could not create index in plan"),
    row(1483, "CLUSTER_COULD_NOT_DROP_INDEX_IN_PLAN", 500, "could not drop index in plan"),
    row(1484, "CLUSTER_CHAIN_OF_DISTRIBUTESHARDSLIKE", 500, "chain of distributeShardsLike references"),
    row(1485, "CLUSTER_MUST_NOT_DROP_COLL_OTHER_DISTRIBUTESHARDSLIKE", 500, "must not drop collection while another has a distributeShardsLike attribute pointing to it"),
    row(1486, "CLUSTER_UNKNOWN_DISTRIBUTESHARDSLIKE", 500, "must not have a distributeShardsLike attribute pointing to an unknown collection"),
    row(1487, "CLUSTER_INSUFFICIENT_DBSERVERS", 500, "the number of current DB-Servers is lower than the requested replicationFactor/writeConcern"),
    row(1488, "CLUSTER_COULD_NOT_DROP_FOLLOWER", 500, "a follower could not be dropped in agency"),
    row(1489, "CLUSTER_SHARD_LEADER_REFUSES_REPLICATION", 406, "a shard leader refuses to perform a replication operation"),
    row(1490, "CLUSTER_SHARD_FOLLOWER_REFUSES_OPERATION", 406, "a shard follower refuses to perform an operation"),
    row(1491, "CLUSTER_SHARD_LEADER_RESIGNED", 421, "a (former) shard leader refuses to perform an operation, because it has resigned in the meantime"),
    row(1492, "CLUSTER_AGENCY_COMMUNICATION_FAILED", 500, "some agency operation failed"),
    row(1495, "CLUSTER_LEADERSHIP_CHALLENGE_ONGOING", 503, "leadership challenge is ongoing"),
    row(1496, "CLUSTER_NOT_LEADER", 503, "not a leader"),
    row(1497, "CLUSTER_COULD_NOT_CREATE_VIEW_IN_PLAN", 500, "could not create view in plan"),
    row(1498, "CLUSTER_VIEW_ID_EXISTS", 500, "view ID already exists"),
    row(1499, "CLUSTER_COULD_NOT_DROP_COLLECTION", 500, "could not drop collection in plan"),
    row(1500, "QUERY_KILLED", 410, "query killed"),
    row(1501, "QUERY_PARSE", 400, "%s"),
    row(1502, "QUERY_EMPTY", 400, "query is empty"),
    row(1503, "QUERY_SCRIPT", 500, "runtime error '%s'"),
    row(1504, "QUERY_NUMBER_OUT_OF_RANGE", 400, "number out of range"),
    row(1505, "QUERY_INVALID_GEO_VALUE", 500, "invalid geo coordinate value"),
    row(1510, "QUERY_VARIABLE_NAME_INVALID", 400, "variable name '%s' has an invalid format"),
    row(1511, "QUERY_VARIABLE_REDECLARED", 400, "variable '%s' is assigned multiple times"),
    row(1512, "QUERY_VARIABLE_NAME_UNKNOWN", 400, "unknown variable '%s'"),
    row(1521, "QUERY_COLLECTION_LOCK_FAILED", 500, "unable to read-lock collection %s"),
    row(1522, "QUERY_TOO_MANY_COLLECTIONS", 400, "too many collections/shards"),
    row(1524, "QUERY_TOO_MUCH_NESTING", 500, "too much nesting or too many objects"),
    row(1539, "QUERY_INVALID_OPTIONS_ATTRIBUTE", 400, "unknown/invalid OPTIONS attribute used"),
    row(1540, "QUERY_FUNCTION_NAME_UNKNOWN", 400, "usage of unknown function '%s()'"),
    row(1541, "QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH", 400, "invalid number of arguments for function '%s()', expected number of arguments: minimum: %d, maximum: %d"),
    row(1542, "QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH", 400, "invalid argument type in call to function '%s()'"),
    row(1543, "QUERY_INVALID_REGEX", 400, "invalid regex value"),
    row(1550, "QUERY_BIND_PARAMETERS_INVALID", 400, "invalid structure of bind parameters"),
    row(1551, "QUERY_BIND_PARAMETER_MISSING", 400, "no value specified for declared bind parameter '%s'"),
    row(1552, "QUERY_BIND_PARAMETER_UNDECLARED", 400, "bind parameter '%s' was not declared in the query"),
    row(1553, "QUERY_BIND_PARAMETER_TYPE", 400, "bind parameter '%s' has an invalid value or type"),
    row(1554, "QUERY_VECTOR_SEARCH_NOT_APPLIED", 500, "failed vector search"),
    row(1555, "QUERY_VECTOR_INDEX_NOT_READY", 500, "vector index not ready"),
    row(1561, "QUERY_INVALID_ARITHMETIC_VALUE", 400, "invalid arithmetic value"),
    row(1562, "QUERY_DIVISION_BY_ZERO", 400, "division by zero"),
    row(1563, "QUERY_ARRAY_EXPECTED", 400, "array expected"),
    row(1564, "QUERY_OBJECT_EXPECTED", 500, "object expected"),
    row(1568, "QUERY_COLLECTION_USED_IN_EXPRESSION", 500, "collection '%s' used as expression operand"),
    row(1569, "QUERY_FAIL_CALLED", 400, "FAIL(%s) called"),
    row(1570, "QUERY_GEO_INDEX_MISSING", 404, "no suitable geo index found for geo restriction on '%s'"),
    row(1571, "QUERY_FULLTEXT_INDEX_MISSING", 404, "no suitable fulltext index found for fulltext query on '%s'"),
    row(1572, "QUERY_INVALID_DATE_VALUE", 400, "invalid date value"),
    row(1573, "QUERY_MULTI_MODIFY", 400, "multi-modify query"),
    row(1574, "QUERY_INVALID_AGGREGATE_EXPRESSION", 500, "invalid aggregate expression"),
    row(1575, "QUERY_COMPILE_TIME_OPTIONS", 400, "query options must be readable at query compile time"),
    row(1576, "QUERY_DNF_COMPLEXITY", 500, "FILTER/PRUNE condition complexity is too high"),
    row(1577, "QUERY_FORCED_INDEX_HINT_UNUSABLE", 500, "could not use forced index hint"),
    row(1578, "QUERY_DISALLOWED_DYNAMIC_CALL", 400, "disallowed dynamic call to '%s'"),
    row(1579, "QUERY_ACCESS_AFTER_MODIFICATION", 400, "access after data-modification by %s"),
    row(1580, "QUERY_FUNCTION_INVALID_NAME", 400, "invalid user function name"),
    row(1581, "QUERY_FUNCTION_INVALID_CODE", 400, "invalid user function code"),
    row(1582, "QUERY_FUNCTION_NOT_FOUND", 404, "user function '%s()' not found"),
    row(1583, "QUERY_FUNCTION_RUNTIME_ERROR", 500, "user function runtime error: %s"),
    row(1584, "QUERY_NOT_ELIGIBLE_FOR_PLAN_CACHING", 500, "query is not eligible for plan caching"),
    row(1590, "QUERY_BAD_JSON_PLAN", 500, "bad execution plan JSON"),
    row(1591, "QUERY_NOT_FOUND", 404, "query ID not found"),
    row(1593, "QUERY_USER_ASSERT", 500, "%s"),
    row(1594, "QUERY_USER_WARN", 500, "%s"),
    row(1595, "QUERY_WINDOW_AFTER_MODIFICATION", 500, "window operation after data-modification"),
    row(1600, "CURSOR_NOT_FOUND", 404, "cursor not found"),
    row(1601, "CURSOR_BUSY", 409, "cursor is busy"),
    row(1620, "VALIDATION_FAILED", 400, "schema validation failed"),
    row(1621, "VALIDATION_BAD_PARAMETER", 400, "invalid schema validation parameter"),
    row(1650, "TRANSACTION_INTERNAL", 500, "internal transaction error"),
    row(1651, "TRANSACTION_NESTED", 400, "nested transactions detected"),
    row(1652, "TRANSACTION_UNREGISTERED_COLLECTION", 400, "unregistered collection used in transaction"),
    row(1653, "TRANSACTION_DISALLOWED_OPERATION", 400, "disallowed operation inside transaction"),
    row(1654, "TRANSACTION_ABORTED", 410, "transaction aborted"),
    row(1655, "TRANSACTION_NOT_FOUND", 404, "transaction not found"),
    row(1700, "USER_INVALID_NAME", 400, "invalid user name"),
    row(1702, "USER_DUPLICATE", 409, "duplicate user"),
    row(1703, "USER_NOT_FOUND", 404, "user not found"),
    row(1705, "USER_EXTERNAL", 500, "user is external"),
    row(1752, "SERVICE_DOWNLOAD_FAILED", 500, "service download failed"),
    row(1753, "SERVICE_UPLOAD_FAILED", 500, "service upload failed"),
    row(1850, "TASK_INVALID_ID", 400, "invalid task id"),
    row(1851, "TASK_DUPLICATE_ID", 409, "duplicate task id"),
    row(1852, "TASK_NOT_FOUND", 404, "task not found"),
    row(1901, "GRAPH_INVALID_GRAPH", 400, "invalid graph"),
    row(1906, "GRAPH_INVALID_EDGE", 400, "invalid edge"),
    row(1910, "GRAPH_INVALID_FILTER_RESULT", 500, "invalid filter result"),
    row(1920, "GRAPH_COLLECTION_MULTI_USE", 400, "multi use of edge collection in edge def"),
    row(1921, "GRAPH_COLLECTION_USE_IN_MULTI_GRAPHS", 400, "edge collection already used in edge def"),
    row(1922, "GRAPH_CREATE_MISSING_NAME", 400, "missing graph name"),
    row(1923, "GRAPH_CREATE_MALFORMED_EDGE_DEFINITION", 400, "malformed edge definition"),
    row(1924, "GRAPH_NOT_FOUND", 404, "graph '%s' not found"),
    row(1925, "GRAPH_DUPLICATE", 409, "graph already exists"),
    row(1926, "GRAPH_VERTEX_COL_DOES_NOT_EXIST", 404, "vertex collection does not exist or is not part of the graph"),
    row(1927, "GRAPH_WRONG_COLLECTION_TYPE_VERTEX", 400, "collection not a vertex collection"),
    row(1928, "GRAPH_NOT_IN_ORPHAN_COLLECTION", 400, "collection is not in list of orphan collections"),
    row(1929, "GRAPH_COLLECTION_USED_IN_EDGE_DEF", 400, "collection already used in edge def"),
    row(1930, "GRAPH_EDGE_COLLECTION_NOT_USED", 404, "edge collection not used in graph"),
    row(1932, "GRAPH_NO_GRAPH_COLLECTION", 404, "collection _graphs does not exist"),
    row(1935, "GRAPH_INVALID_NUMBER_OF_ARGUMENTS", 400, "Invalid number of arguments. Expected:"),
    row(1936, "GRAPH_INVALID_PARAMETER", 400, "Invalid parameter type."),
    row(1938, "GRAPH_COLLECTION_USED_IN_ORPHANS", 400, "collection used in orphans"),
    row(1939, "GRAPH_EDGE_COL_DOES_NOT_EXIST", 400, "edge collection does not exist or is not part of the graph"),
    row(1940, "GRAPH_EMPTY", 500, "empty graph"),
    row(1941, "GRAPH_INTERNAL_DATA_CORRUPT", 500, "internal graph data corrupt"),
    row(1942, "GRAPH_MUST_NOT_DROP_COLLECTION", 500, "must not drop collection while part of graph"),
    row(1943, "GRAPH_CREATE_MALFORMED_ORPHAN_LIST", 400, "malformed orphan list"),
    row(1944, "GRAPH_EDGE_DEFINITION_IS_DOCUMENT", 400, "edge definition collection is a document collection"),
    row(1945, "GRAPH_COLLECTION_IS_INITIAL", 500, "initial collection is not allowed to be removed manually"),
    row(1946, "GRAPH_NO_INITIAL_COLLECTION", 500, "no valid initial collection found"),
    row(1947, "GRAPH_REFERENCED_VERTEX_COLLECTION_NOT_PART_OF_THE_GRAPH", 404, "referenced vertex collection is not part of the graph"),
    row(1948, "GRAPH_NEGATIVE_EDGE_WEIGHT", 500, "negative edge weight found"),
    row(1949, "GRAPH_COLLECTION_NOT_PART_OF_THE_GRAPH", 404, "the given collection is not part of the graph"),
    row(1950, "SESSION_UNKNOWN", 500, "unknown session"),
    row(1951, "SESSION_EXPIRED", 500, "session expired"),
    row(2000, "SIMPLE_CLIENT_UNKNOWN_ERROR", 500, "unknown client error"),
    row(2001, "SIMPLE_CLIENT_COULD_NOT_CONNECT", 500, "could not connect to server"),
    row(2002, "SIMPLE_CLIENT_COULD_NOT_WRITE", 500, "could not write to server"),
    row(2003, "SIMPLE_CLIENT_COULD_NOT_READ", 500, "could not read from server"),
    row(2019, "WAS_ERLAUBE", 500, "was erlaube?!"),
    row(2200, "INTERNAL_AQL", 500, "General internal AQL error"),
    row(3000, "MALFORMED_MANIFEST_FILE", 500, "failed to parse manifest file"),
    row(3001, "INVALID_SERVICE_MANIFEST", 500, "manifest file is invalid"),
    row(3002, "SERVICE_FILES_MISSING", 500, "service files missing"),
    row(3003, "SERVICE_FILES_OUTDATED", 500, "service files outdated"),
    row(3004, "INVALID_FOXX_OPTIONS", 500, "service options are invalid"),
    row(3007, "INVALID_MOUNTPOINT", 500, "invalid mountpath"),
    row(3009, "SERVICE_NOT_FOUND", 500, "service not found"),
    row(3010, "SERVICE_NEEDS_CONFIGURATION", 500, "service needs configuration"),
    row(3011, "SERVICE_MOUNTPOINT_CONFLICT", 500, "service already exists"),
    row(3012, "SERVICE_MANIFEST_NOT_FOUND", 500, "missing manifest file"),
    row(3013, "SERVICE_OPTIONS_MALFORMED", 500, "failed to parse service options"),
    row(3014, "SERVICE_SOURCE_NOT_FOUND", 500, "source path not found"),
    row(3015, "SERVICE_SOURCE_ERROR", 500, "error resolving source"),
    row(3016, "SERVICE_UNKNOWN_SCRIPT", 500, "unknown script"),
    row(3099, "SERVICE_API_DISABLED", 500, "service api disabled"),
    row(3100, "MODULE_NOT_FOUND", 500, "cannot locate module"),
    row(3101, "MODULE_SYNTAX_ERROR", 500, "syntax error in module"),
    row(3103, "MODULE_FAILURE", 500, "failed to invoke module"),
    row(4000, "NO_SMART_COLLECTION", 400, "collection is not smart"),
    row(4001, "NO_SMART_GRAPH_ATTRIBUTE", 400, "smart graph attribute not given"),
    row(4002, "CANNOT_DROP_SMART_COLLECTION", 400, "cannot drop this smart collection"),
    row(4003, "KEY_MUST_BE_PREFIXED_WITH_SMART_GRAPH_ATTRIBUTE", 400, "in smart vertex collections _key must be a string and prefixed with the value of the smart graph attribute"),
    row(4004, "ILLEGAL_SMART_GRAPH_ATTRIBUTE", 400, "attribute cannot be used as smart graph attribute"),
    row(4005, "SMART_GRAPH_ATTRIBUTE_MISMATCH", 400, "smart graph attribute mismatch"),
    row(4006, "INVALID_SMART_JOIN_ATTRIBUTE", 400, "invalid smart join attribute declaration"),
    row(4007, "KEY_MUST_BE_PREFIXED_WITH_SMART_JOIN_ATTRIBUTE", 400, "shard key value must be prefixed with the value of the smart join attribute"),
    row(4008, "NO_SMART_JOIN_ATTRIBUTE", 400, "smart join attribute not given or invalid"),
    row(4009, "CLUSTER_MUST_NOT_CHANGE_SMART_JOIN_ATTRIBUTE", 400, "must not change the value of the smartJoinAttribute"),
    row(4010, "INVALID_DISJOINT_SMART_EDGE", 500, "non disjoint edge found"),
    row(4011, "UNSUPPORTED_CHANGE_IN_SMART_TO_SATELLITE_DISJOINT_EDGE_DIRECTION", 500, "Unsupported alternating Smart and Satellite in Disjoint SmartGraph."),
    row(6003, "ACTION_UNFINISHED", 500, "maintenance action still processing"),
    row(7001, "HOT_BACKUP_INTERNAL", 500, "internal hot backup error"),
    row(7002, "HOT_RESTORE_INTERNAL", 500, "internal hot restore error"),
    row(7003, "BACKUP_TOPOLOGY", 500, "backup does not match this topology"),
    row(7004, "NO_SPACE_LEFT_ON_DEVICE", 500, "no space left on device"),
    row(7005, "FAILED_TO_UPLOAD_BACKUP", 500, "failed to upload hot backup set to remote target"),
    row(7006, "FAILED_TO_DOWNLOAD_BACKUP", 500, "failed to download hot backup set from remote source"),
    row(7007, "NO_SUCH_HOT_BACKUP", 500, "no such hot backup set can be found"),
    row(7008, "REMOTE_REPOSITORY_CONFIG_BAD", 500, "remote hotback repository configuration error"),
    row(7009, "LOCAL_LOCK_FAILED", 500, "some db servers cannot be reached for transaction locks"),
    row(7010, "LOCAL_LOCK_RETRY", 500, "some db servers cannot be reached for transaction locks"),
    row(7011, "HOT_BACKUP_CONFLICT", 500, "hot backup conflict"),
    row(7012, "HOT_BACKUP_DBSERVERS_AWOL", 500, "hot backup not all db servers reachable"),
    row(7021, "CLUSTER_COULD_NOT_MODIFY_ANALYZERS_IN_PLAN", 500, "analyzers in plan could not be modified"),
    row(9001, "LICENSE_EXPIRED_OR_INVALID", 500, "license has expired or is invalid"),
    row(9002, "LICENSE_SIGNATURE_VERIFICATION", 500, "license verification failed"),
    row(9003, "LICENSE_NON_MATCHING_ID", 500, "non-matching license id"),
    row(9004, "LICENSE_FEATURE_NOT_ENABLED", 500, "feature is not enabled by the license"),
    row(9005, "LICENSE_RESOURCE_EXHAUSTED", 500, "the resource is exhausted"),
    row(9006, "LICENSE_INVALID", 500, "invalid license"),
    row(9007, "LICENSE_CONFLICT", 500, "conflicting license"),
    row(9008, "LICENSE_VALIDATION_FAILED", 500, "failed to validate license signature"),
    row(20_001, "AGENCY_MALFORMED_GOSSIP_MESSAGE", 500, "malformed gossip message"),
    row(20_002, "AGENCY_MALFORMED_INQUIRE_REQUEST", 500, "malformed inquire request"),
    row(20_011, "AGENCY_INFORM_MUST_BE_OBJECT", 500, "Inform message must be an object."),
    row(20_012, "AGENCY_INFORM_MUST_CONTAIN_TERM", 500, "Inform message must contain uint parameter 'term'"),
    row(20_013, "AGENCY_INFORM_MUST_CONTAIN_ID", 500, "Inform message must contain string parameter 'id'"),
    row(20_014, "AGENCY_INFORM_MUST_CONTAIN_ACTIVE", 500, "Inform message must contain array 'active'"),
    row(20_015, "AGENCY_INFORM_MUST_CONTAIN_POOL", 500, "Inform message must contain object 'pool'"),
    row(20_016, "AGENCY_INFORM_MUST_CONTAIN_MIN_PING", 500, "Inform message must contain object 'min ping'"),
    row(20_017, "AGENCY_INFORM_MUST_CONTAIN_MAX_PING", 500, "Inform message must contain object 'max ping'"),
    row(20_018, "AGENCY_INFORM_MUST_CONTAIN_TIMEOUT_MULT", 500, "Inform message must contain object 'timeoutMult'"),
    row(20_021, "AGENCY_CANNOT_REBUILD_DBS", 500, "Cannot rebuild readDB and spearHead"),
    row(20_030, "AGENCY_MALFORMED_TRANSACTION", 500, "malformed agency transaction"),
    row(20_501, "SUPERVISION_GENERAL_FAILURE", 500, "general supervision failure"),
    row(21_003, "QUEUE_FULL", 500, "queue is full"),
    row(21_004, "QUEUE_TIME_REQUIREMENT_VIOLATED", 500, "queue time violated"),
    row(21_005, "TOO_MANY_DETACHED_THREADS", 500, "too many detached scheduler threads"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_and_its_statuses_exist() {
        assert!(TABLE.is_sorted_by_key(|row| row.number));
        assert!(TABLE.windows(2).all(|pair| pair[0].number != pair[1].number));
        assert!(TABLE.iter().all(|row| (100..600).contains(&row.status)));
    }

    #[test]
    fn numbers_have_the_status_that_clients_expect() {
        for (number, status) in
            [(10, 400), (11, 403), (404, 404), (600, 400), (1200, 409), (1202, 404), (1228, 404)]
        {
            assert_eq!(status_of(number), status, "error {number}");
        }
        assert_eq!(status_of(999_999), 500);
    }
}
