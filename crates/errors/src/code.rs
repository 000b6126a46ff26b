//! The table of error codes, and the code generated from it.

/// Generates [`ErrorCode`] from rows of `Variant = number, "NAME", HTTP status, "message";`.
macro_rules! error_codes {
    ($($variant:ident = $number:literal, $name:literal, $status:literal, $message:literal;)*) => {
        /// The reason of a failure, as one of ArangoDB's codes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = concat!("`ERROR_", $name, "` (", $number, ", HTTP status ", $status, "): ", $message)]
            $variant,)*
        }

        impl ErrorCode {
            /// Every code, ordered by number.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// Returns ArangoDB's number, `errorNum` in replies.
            pub const fn number(self) -> u32 {
                match self {
                    $(ErrorCode::$variant => $number,)*
                }
            }

            /// Returns ArangoDB's name, without `ERROR_` before it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => $name,)*
                }
            }

            /// Returns the HTTP status of a reply with this code, unless the error has one of its
            /// own.
            pub const fn status(self) -> u16 {
                match self {
                    $(ErrorCode::$variant => $status,)*
                }
            }

            /// Returns the message of an error without further details.
            ///
            /// `%s` and `%d` stand for values that only the place of the error knows.
            pub const fn message(self) -> &'static str {
                match self {
                    $(ErrorCode::$variant => $message,)*
                }
            }
        }
    };
}

impl ErrorCode {
    /// Returns the code of a number that a script or a client gives.
    ///
    /// The codes that are never sent have none.
    pub fn of_number(number: f64) -> Option<Self> {
        let of_number = |code: &ErrorCode| f64::from(code.number()) == number;
        ErrorCode::ALL.iter().copied().find(of_number).filter(|_| number <= f64::from(u16::MAX))
    }

    /// Returns true if the error is about one document, so that a query may ignore it.
    ///
    /// These are ArangoDB's numbers for documents and collections, and failed schema validation. A
    /// limit of the transaction or a broken disk, for example, is not among them.
    pub const fn concerns_document(self) -> bool {
        matches!(self, ErrorCode::ValidationFailed) || matches!(self.number(), 1200..=1299)
    }
}

error_codes! {
    // General.
    SysError = 2, "SYS_ERROR", 500, "system error";
    Internal = 4, "INTERNAL", 500, "internal error";
    IllegalOption = 7, "ILLEGAL_OPTION", 500, "illegal option";
    NotImplemented = 9, "NOT_IMPLEMENTED", 501, "not implemented";
    BadParameter = 10, "BAD_PARAMETER", 400, "bad parameter";
    Forbidden = 11, "FORBIDDEN", 403, "forbidden";
    FileNotFound = 14, "FILE_NOT_FOUND", 500, "file not found";
    CannotWriteFile = 15, "CANNOT_WRITE_FILE", 500, "cannot write file";
    TypeError = 17, "TYPE_ERROR", 400, "type error";
    LockTimeout = 18, "LOCK_TIMEOUT", 500, "lock timeout";
    RequestCanceled = 21, "REQUEST_CANCELED", 410, "canceled request";
    Locked = 28, "LOCKED", 500, "locked";
    ShuttingDown = 30, "SHUTTING_DOWN", 503, "shutdown in progress";
    OnlyEnterprise = 31, "ONLY_ENTERPRISE", 501, "only enterprise version";
    ResourceLimit = 32, "RESOURCE_LIMIT", 500, "resource limit exceeded";
    CannotReadFile = 34, "CANNOT_READ_FILE", 500, "cannot read file";
    IncompatibleVersion = 35, "INCOMPATIBLE_VERSION", 500, "incompatible server version";
    Disabled = 36, "DISABLED", 500, "disabled";

    // HTTP.
    HttpBadParameter = 400, "HTTP_BAD_PARAMETER", 400, "bad parameter";
    HttpUnauthorized = 401, "HTTP_UNAUTHORIZED", 401, "unauthorized";
    HttpForbidden = 403, "HTTP_FORBIDDEN", 403, "forbidden";
    HttpNotFound = 404, "HTTP_NOT_FOUND", 404, "not found";
    HttpMethodNotAllowed = 405, "HTTP_METHOD_NOT_ALLOWED", 405, "method not supported";
    HttpRequestTimeout = 408, "HTTP_REQUEST_TIMEOUT", 408, "request timeout";
    HttpServiceUnavailable = 503, "HTTP_SERVICE_UNAVAILABLE", 503, "service unavailable";
    HttpCorruptedJson = 600, "HTTP_CORRUPTED_JSON", 400, "invalid JSON object";
    HttpSuperfluousSuffices = 601, "HTTP_SUPERFLUOUS_SUFFICES", 400, "superfluous URL suffices";

    // Storage.
    IllegalState = 1000, "ARANGO_ILLEGAL_STATE", 500, "illegal state";
    ReadOnly = 1004, "ARANGO_READ_ONLY", 403, "read only";
    DuplicateIdentifier = 1005, "ARANGO_DUPLICATE_IDENTIFIER", 500, "duplicate identifier";
    CorruptedCollection = 1102, "ARANGO_CORRUPTED_COLLECTION", 500, "corrupted collection";
    FilesystemFull = 1104, "ARANGO_FILESYSTEM_FULL", 500, "filesystem full";

    // Documents, collections and indexes.
    Conflict = 1200, "ARANGO_CONFLICT", 409, "conflict";
    DocumentNotFound = 1202, "ARANGO_DOCUMENT_NOT_FOUND", 404, "document not found";
    DataSourceNotFound = 1203, "ARANGO_DATA_SOURCE_NOT_FOUND", 404, "collection or view not found";
    CollectionParameterMissing = 1204, "ARANGO_COLLECTION_PARAMETER_MISSING", 400, "parameter 'collection' not found";
    DocumentHandleBad = 1205, "ARANGO_DOCUMENT_HANDLE_BAD", 400, "illegal document identifier";
    DuplicateName = 1207, "ARANGO_DUPLICATE_NAME", 409, "duplicate name";
    IllegalName = 1208, "ARANGO_ILLEGAL_NAME", 400, "illegal name";
    UniqueConstraintViolated = 1210, "ARANGO_UNIQUE_CONSTRAINT_VIOLATED", 409, "unique constraint violated";
    IndexNotFound = 1212, "ARANGO_INDEX_NOT_FOUND", 404, "index not found";
    CrossCollectionRequest = 1213, "ARANGO_CROSS_COLLECTION_REQUEST", 400, "cross collection request not allowed";
    IndexHandleBad = 1214, "ARANGO_INDEX_HANDLE_BAD", 400, "illegal index identifier";
    DocumentTooLarge = 1216, "ARANGO_DOCUMENT_TOO_LARGE", 400, "document too large";
    CollectionTypeInvalid = 1218, "ARANGO_COLLECTION_TYPE_INVALID", 400, "collection type invalid";
    AttributeParserFailed = 1220, "ARANGO_ATTRIBUTE_PARSER_FAILED", 400, "parsing attribute name definition failed";
    DocumentKeyBad = 1221, "ARANGO_DOCUMENT_KEY_BAD", 400, "illegal document key";
    DocumentKeyUnexpected = 1222, "ARANGO_DOCUMENT_KEY_UNEXPECTED", 400, "unexpected document key";
    DatadirNotWritable = 1224, "ARANGO_DATADIR_NOT_WRITABLE", 500, "server database directory not writable";
    OutOfKeys = 1225, "ARANGO_OUT_OF_KEYS", 500, "out of keys";
    DocumentKeyMissing = 1226, "ARANGO_DOCUMENT_KEY_MISSING", 400, "missing document key";
    DocumentTypeInvalid = 1227, "ARANGO_DOCUMENT_TYPE_INVALID", 400, "invalid document type";
    DatabaseNotFound = 1228, "ARANGO_DATABASE_NOT_FOUND", 404, "database not found";
    DatabaseNameInvalid = 1229, "ARANGO_DATABASE_NAME_INVALID", 400, "database name invalid";
    UseSystemDatabase = 1230, "ARANGO_USE_SYSTEM_DATABASE", 403, "operation only allowed in system database";
    InvalidKeyGenerator = 1232, "ARANGO_INVALID_KEY_GENERATOR", 400, "invalid key generator";
    InvalidEdgeAttribute = 1233, "ARANGO_INVALID_EDGE_ATTRIBUTE", 400, "expecting both `_from` and `_to` attributes to be defined in the edge document and have the format `<collectionName>/<vertexKey>`";
    IndexCreationFailed = 1235, "ARANGO_INDEX_CREATION_FAILED", 400, "index creation failed";
    CollectionTypeMismatch = 1237, "ARANGO_COLLECTION_TYPE_MISMATCH", 400, "collection type mismatch";
    DocumentRevBad = 1239, "ARANGO_DOCUMENT_REV_BAD", 500, "illegal document revision";
    IncompleteRead = 1240, "ARANGO_INCOMPLETE_READ", 500, "incomplete read";
    ReplicationNoResponse = 1400, "REPLICATION_NO_RESPONSE", 500, "no response";
    ReplicationInvalidResponse = 1401, "REPLICATION_INVALID_RESPONSE", 500, "invalid response";
    ReplicationLeaderError = 1402, "REPLICATION_LEADER_ERROR", 500, "leader error";
    ReplicationLeaderIncompatible = 1403, "REPLICATION_LEADER_INCOMPATIBLE", 500, "leader incompatible";
    ReplicationLeaderChange = 1404, "REPLICATION_LEADER_CHANGE", 500, "leader change";
    ReplicationLoop = 1405, "REPLICATION_LOOP", 500, "loop detected";
    ReplicationUnexpectedMarker = 1406, "REPLICATION_UNEXPECTED_MARKER", 500, "unexpected marker";
    ReplicationInvalidApplierState = 1407, "REPLICATION_INVALID_APPLIER_STATE", 500, "invalid applier state";
    ReplicationInvalidApplierConfiguration = 1410, "REPLICATION_INVALID_APPLIER_CONFIGURATION", 400, "invalid replication applier configuration";
    ReplicationRunning = 1411, "REPLICATION_RUNNING", 400, "cannot perform operation while applier is running";
    ReplicationApplierStopped = 1412, "REPLICATION_APPLIER_STOPPED", 500, "replication stopped";
    ReplicationStartTickNotPresent = 1414, "REPLICATION_START_TICK_NOT_PRESENT", 500, "start tick not present";
    ReplicationWrongChecksum = 1416, "REPLICATION_WRONG_CHECKSUM", 500, "wrong checksum";
    ReplicationWriteConcernNotFulfilled = 1429, "REPLICATION_WRITE_CONCERN_NOT_FULFILLED", 500, "not enough replicas for the configured write-concern are present";

    // Cluster.
    ClusterConnectionLost = 1465, "CLUSTER_CONNECTION_LOST", 503, "cluster internal HTTP connection broken";
    ClusterUnsupported = 1470, "CLUSTER_UNSUPPORTED", 501, "unsupported operation or parameter for clusters";
    ClusterOnlyOnCoordinator = 1471, "CLUSTER_ONLY_ON_COORDINATOR", 501, "this operation is only valid on a coordinator in a cluster";
    ClusterBackendUnavailable = 1478, "CLUSTER_BACKEND_UNAVAILABLE", 503, "a cluster backend which was required for the operation could not be reached";
    ClusterLeadershipChallengeOngoing = 1495, "CLUSTER_LEADERSHIP_CHALLENGE_ONGOING", 503, "leadership challenge is ongoing";
    ClusterNotLeader = 1496, "CLUSTER_NOT_LEADER", 503, "not a leader";

    // Queries.
    QueryKilled = 1500, "QUERY_KILLED", 410, "query killed";
    QueryParse = 1501, "QUERY_PARSE", 400, "%s";
    QueryEmpty = 1502, "QUERY_EMPTY", 400, "query is empty";
    QueryNumberOutOfRange = 1504, "QUERY_NUMBER_OUT_OF_RANGE", 400, "number out of range";
    QueryInvalidGeoValue = 1505, "QUERY_INVALID_GEO_VALUE", 500, "invalid geo coordinate value";
    QueryVariableRedeclared = 1511, "QUERY_VARIABLE_REDECLARED", 400, "variable '%s' is assigned multiple times";
    QueryVariableNameUnknown = 1512, "QUERY_VARIABLE_NAME_UNKNOWN", 400, "unknown variable '%s'";
    QueryCollectionLockFailed = 1521, "QUERY_COLLECTION_LOCK_FAILED", 500, "unable to read-lock collection %s";
    QueryTooManyCollections = 1522, "QUERY_TOO_MANY_COLLECTIONS", 400, "too many collections/shards";
    QueryTooMuchNesting = 1524, "QUERY_TOO_MUCH_NESTING", 500, "too much nesting or too many objects";
    QueryInvalidOptionsAttribute = 1539, "QUERY_INVALID_OPTIONS_ATTRIBUTE", 400, "unknown/invalid OPTIONS attribute used";
    QueryFunctionNameUnknown = 1540, "QUERY_FUNCTION_NAME_UNKNOWN", 400, "usage of unknown function '%s()'";
    QueryFunctionArgumentNumberMismatch = 1541, "QUERY_FUNCTION_ARGUMENT_NUMBER_MISMATCH", 400, "invalid number of arguments for function '%s()', expected number of arguments: minimum: %d, maximum: %d";
    QueryFunctionArgumentTypeMismatch = 1542, "QUERY_FUNCTION_ARGUMENT_TYPE_MISMATCH", 400, "invalid argument type in call to function '%s()'";
    QueryInvalidRegex = 1543, "QUERY_INVALID_REGEX", 400, "invalid regex value";
    QueryBindParametersInvalid = 1550, "QUERY_BIND_PARAMETERS_INVALID", 400, "invalid structure of bind parameters";
    QueryBindParameterMissing = 1551, "QUERY_BIND_PARAMETER_MISSING", 400, "no value specified for declared bind parameter '%s'";
    QueryBindParameterUndeclared = 1552, "QUERY_BIND_PARAMETER_UNDECLARED", 400, "bind parameter '%s' was not declared in the query";
    QueryBindParameterType = 1553, "QUERY_BIND_PARAMETER_TYPE", 400, "bind parameter '%s' has an invalid value or type";
    QueryVectorSearchNotApplied = 1554, "QUERY_VECTOR_SEARCH_NOT_APPLIED", 500, "failed vector search";
    QueryVectorIndexNotReady = 1555, "QUERY_VECTOR_INDEX_NOT_READY", 500, "vector index not ready";
    QueryInvalidArithmeticValue = 1561, "QUERY_INVALID_ARITHMETIC_VALUE", 400, "invalid arithmetic value";
    QueryDivisionByZero = 1562, "QUERY_DIVISION_BY_ZERO", 400, "division by zero";
    QueryArrayExpected = 1563, "QUERY_ARRAY_EXPECTED", 400, "array expected";
    QueryObjectExpected = 1564, "QUERY_OBJECT_EXPECTED", 500, "object expected";
    QueryCollectionUsedInExpression = 1568, "QUERY_COLLECTION_USED_IN_EXPRESSION", 500, "collection '%s' used as expression operand";
    QueryFailCalled = 1569, "QUERY_FAIL_CALLED", 400, "FAIL(%s) called";
    QueryGeoIndexMissing = 1570, "QUERY_GEO_INDEX_MISSING", 404, "no suitable geo index found for geo restriction on '%s'";
    QueryFulltextIndexMissing = 1571, "QUERY_FULLTEXT_INDEX_MISSING", 404, "no suitable fulltext index found for fulltext query on '%s'";
    QueryInvalidDateValue = 1572, "QUERY_INVALID_DATE_VALUE", 400, "invalid date value";
    QueryInvalidAggregateExpression = 1574, "QUERY_INVALID_AGGREGATE_EXPRESSION", 500, "invalid aggregate expression";
    QueryCompileTimeOptions = 1575, "QUERY_COMPILE_TIME_OPTIONS", 400, "query options must be readable at query compile time";
    QueryForcedIndexHintUnusable = 1577, "QUERY_FORCED_INDEX_HINT_UNUSABLE", 500, "could not use forced index hint";
    QueryDisallowedDynamicCall = 1578, "QUERY_DISALLOWED_DYNAMIC_CALL", 400, "disallowed dynamic call to '%s'";
    QueryAccessAfterModification = 1579, "QUERY_ACCESS_AFTER_MODIFICATION", 400, "access after data-modification by %s";
    QueryFunctionInvalidName = 1580, "QUERY_FUNCTION_INVALID_NAME", 400, "invalid user function name";
    QueryFunctionInvalidCode = 1581, "QUERY_FUNCTION_INVALID_CODE", 400, "invalid user function code";
    QueryFunctionNotFound = 1582, "QUERY_FUNCTION_NOT_FOUND", 404, "user function '%s()' not found";
    QueryFunctionRuntimeError = 1583, "QUERY_FUNCTION_RUNTIME_ERROR", 500, "user function runtime error: %s";
    QueryNotEligibleForPlanCaching = 1584, "QUERY_NOT_ELIGIBLE_FOR_PLAN_CACHING", 500, "query is not eligible for plan caching";
    QueryNotFound = 1591, "QUERY_NOT_FOUND", 404, "query ID not found";
    QueryUserAssert = 1593, "QUERY_USER_ASSERT", 500, "%s";
    QueryUserWarn = 1594, "QUERY_USER_WARN", 500, "%s";
    QueryWindowAfterModification = 1595, "QUERY_WINDOW_AFTER_MODIFICATION", 500, "window operation after data-modification";

    // Cursors and schemas.
    CursorNotFound = 1600, "CURSOR_NOT_FOUND", 404, "cursor not found";
    CursorBusy = 1601, "CURSOR_BUSY", 409, "cursor is busy";
    ValidationFailed = 1620, "VALIDATION_FAILED", 400, "schema validation failed";
    ValidationBadParameter = 1621, "VALIDATION_BAD_PARAMETER", 400, "invalid schema validation parameter";

    // Transactions.
    TransactionInternal = 1650, "TRANSACTION_INTERNAL", 500, "internal transaction error";
    TransactionNested = 1651, "TRANSACTION_NESTED", 400, "nested transactions detected";
    TransactionUnregisteredCollection = 1652, "TRANSACTION_UNREGISTERED_COLLECTION", 400, "unregistered collection used in transaction";
    TransactionDisallowedOperation = 1653, "TRANSACTION_DISALLOWED_OPERATION", 400, "disallowed operation inside transaction";
    TransactionAborted = 1654, "TRANSACTION_ABORTED", 410, "transaction aborted";
    TransactionNotFound = 1655, "TRANSACTION_NOT_FOUND", 404, "transaction not found";

    // Users.
    UserInvalidName = 1700, "USER_INVALID_NAME", 400, "invalid user name";
    UserDuplicate = 1702, "USER_DUPLICATE", 409, "duplicate user";
    UserNotFound = 1703, "USER_NOT_FOUND", 404, "user not found";

    // Transfers of services.
    ServiceDownloadFailed = 1752, "SERVICE_DOWNLOAD_FAILED", 400, "service download failed";
    ServiceUploadFailed = 1753, "SERVICE_UPLOAD_FAILED", 400, "service upload failed";

    // Tasks.
    TaskInvalidId = 1850, "TASK_INVALID_ID", 400, "invalid task id";
    TaskDuplicateId = 1851, "TASK_DUPLICATE_ID", 409, "duplicate task id";
    TaskNotFound = 1852, "TASK_NOT_FOUND", 404, "task not found";

    // Graphs.
    GraphInvalidEdge = 1906, "GRAPH_INVALID_EDGE", 400, "invalid edge";
    GraphCollectionMultiUse = 1920, "GRAPH_COLLECTION_MULTI_USE", 400, "multi use of edge collection in edge def";
    GraphCollectionUseInMultiGraphs = 1921, "GRAPH_COLLECTION_USE_IN_MULTI_GRAPHS", 400, "edge collection already used in edge def";
    GraphCreateMissingName = 1922, "GRAPH_CREATE_MISSING_NAME", 400, "missing graph name";
    GraphCreateMalformedEdgeDefinition = 1923, "GRAPH_CREATE_MALFORMED_EDGE_DEFINITION", 400, "malformed edge definition";
    GraphNotFound = 1924, "GRAPH_NOT_FOUND", 404, "graph '%s' not found";
    GraphDuplicate = 1925, "GRAPH_DUPLICATE", 409, "graph already exists";
    GraphVertexColDoesNotExist = 1926, "GRAPH_VERTEX_COL_DOES_NOT_EXIST", 404, "vertex collection does not exist or is not part of the graph";
    GraphWrongCollectionTypeVertex = 1927, "GRAPH_WRONG_COLLECTION_TYPE_VERTEX", 400, "collection not a vertex collection";
    GraphNotInOrphanCollection = 1928, "GRAPH_NOT_IN_ORPHAN_COLLECTION", 400, "collection is not in list of orphan collections";
    GraphCollectionUsedInEdgeDef = 1929, "GRAPH_COLLECTION_USED_IN_EDGE_DEF", 400, "collection already used in edge def";
    GraphEdgeCollectionNotUsed = 1930, "GRAPH_EDGE_COLLECTION_NOT_USED", 404, "edge collection not used in graph";
    GraphNoGraphCollection = 1932, "GRAPH_NO_GRAPH_COLLECTION", 404, "collection _graphs does not exist";
    GraphInvalidParameter = 1936, "GRAPH_INVALID_PARAMETER", 400, "Invalid parameter type.";
    GraphCollectionUsedInOrphans = 1938, "GRAPH_COLLECTION_USED_IN_ORPHANS", 400, "collection used in orphans";
    GraphEdgeColDoesNotExist = 1939, "GRAPH_EDGE_COL_DOES_NOT_EXIST", 400, "edge collection does not exist or is not part of the graph";
    GraphEmpty = 1940, "GRAPH_EMPTY", 500, "empty graph";
    GraphInternalDataCorrupt = 1941, "GRAPH_INTERNAL_DATA_CORRUPT", 500, "internal graph data corrupt";
    GraphMustNotDropCollection = 1942, "GRAPH_MUST_NOT_DROP_COLLECTION", 500, "must not drop collection while part of graph";
    GraphCreateMalformedOrphanList = 1943, "GRAPH_CREATE_MALFORMED_ORPHAN_LIST", 400, "malformed orphan list";
    GraphEdgeDefinitionIsDocument = 1944, "GRAPH_EDGE_DEFINITION_IS_DOCUMENT", 400, "edge definition collection is a document collection";
    GraphReferencedVertexCollectionNotPartOfTheGraph = 1947, "GRAPH_REFERENCED_VERTEX_COLLECTION_NOT_PART_OF_THE_GRAPH", 404, "referenced vertex collection is not part of the graph";
    GraphNegativeEdgeWeight = 1948, "GRAPH_NEGATIVE_EDGE_WEIGHT", 500, "negative edge weight found";
    GraphCollectionNotPartOfTheGraph = 1949, "GRAPH_COLLECTION_NOT_PART_OF_THE_GRAPH", 404, "the given collection is not part of the graph";

    // Clients.
    ClientUnknownError = 2_000, "SIMPLE_CLIENT_UNKNOWN_ERROR", 500, "unknown client error";
    ClientCouldNotConnect = 2_001, "SIMPLE_CLIENT_COULD_NOT_CONNECT", 500, "could not connect to server";
    ClientCouldNotWrite = 2_002, "SIMPLE_CLIENT_COULD_NOT_WRITE", 500, "could not write to server";
    ClientCouldNotRead = 2_003, "SIMPLE_CLIENT_COULD_NOT_READ", 500, "could not read from server";

    // Services, and modules of JavaScript.
    MalformedManifestFile = 3_000, "MALFORMED_MANIFEST_FILE", 400, "failed to parse manifest file";
    InvalidServiceManifest = 3_001, "INVALID_SERVICE_MANIFEST", 400, "manifest file is invalid";
    ServiceFilesMissing = 3_002, "SERVICE_FILES_MISSING", 400, "service files missing";
    ServiceFilesOutdated = 3_003, "SERVICE_FILES_OUTDATED", 400, "service files outdated";
    InvalidServiceOptions = 3_004, "INVALID_FOXX_OPTIONS", 400, "service options are invalid";
    InvalidMountPoint = 3_007, "INVALID_MOUNTPOINT", 400, "invalid mountpath";
    ServiceNotFound = 3_009, "SERVICE_NOT_FOUND", 400, "service not found";
    ServiceNeedsConfiguration = 3_010, "SERVICE_NEEDS_CONFIGURATION", 500, "service needs configuration";
    ServiceMountPointConflict = 3_011, "SERVICE_MOUNTPOINT_CONFLICT", 400, "service already exists";
    ServiceManifestNotFound = 3_012, "SERVICE_MANIFEST_NOT_FOUND", 400, "missing manifest file";
    ServiceOptionsMalformed = 3_013, "SERVICE_OPTIONS_MALFORMED", 400, "failed to parse service options";
    ServiceSourceNotFound = 3_014, "SERVICE_SOURCE_NOT_FOUND", 400, "source path not found";
    ServiceSourceError = 3_015, "SERVICE_SOURCE_ERROR", 400, "error resolving source";
    ServiceUnknownScript = 3_016, "SERVICE_UNKNOWN_SCRIPT", 400, "unknown script";
    ServiceApiDisabled = 3_099, "SERVICE_API_DISABLED", 403, "service api disabled";
    ModuleNotFound = 3_100, "MODULE_NOT_FOUND", 400, "cannot locate module";
    ModuleSyntaxError = 3_101, "MODULE_SYNTAX_ERROR", 400, "syntax error in module";
    ModuleFailure = 3_103, "MODULE_FAILURE", 400, "failed to invoke module";

    // Backups.
    HotBackupInternal = 7_001, "HOT_BACKUP_INTERNAL", 500, "internal hot backup error";
    HotRestoreInternal = 7_002, "HOT_RESTORE_INTERNAL", 500, "internal hot restore error";
    NoSpaceLeftOnDevice = 7_004, "NO_SPACE_LEFT_ON_DEVICE", 500, "no space left on device";
    FailedToUploadBackup = 7_005, "FAILED_TO_UPLOAD_BACKUP", 500, "failed to upload hot backup set to remote target";
    FailedToDownloadBackup = 7_006, "FAILED_TO_DOWNLOAD_BACKUP", 500, "failed to download hot backup set from remote source";
    NoSuchHotBackup = 7_007, "NO_SUCH_HOT_BACKUP", 404, "no such hot backup set can be found";
    RemoteRepositoryConfigBad = 7_008, "REMOTE_REPOSITORY_CONFIG_BAD", 400, "remote hotback repository configuration error";
    HotBackupConflict = 7_011, "HOT_BACKUP_CONFLICT", 409, "hot backup conflict";

    // The request queue.
    QueueFull = 21_003, "QUEUE_FULL", 503, "queue is full";
    QueueTimeRequirementViolated = 21_004, "QUEUE_TIME_REQUIREMENT_VIOLATED", 412, "queue time violated";

    // Never sent: ArangoDB's numbers have 16 bits.
    BudgetExceeded = 4_294_967_294, "BUDGET_EXCEEDED", 500, "budget exceeded";
    NotConstant = 4_294_967_295, "NOT_CONSTANT", 500, "expression is not constant";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_and_its_statuses_are_those_of_errors() {
        assert!(ErrorCode::ALL.is_sorted_by(|first, second| first.number() < second.number()));
        assert!(ErrorCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }

    #[test]
    fn a_number_of_no_code_and_of_one_that_is_never_sent_finds_none() {
        for number in [0.0, -10.0, 10.5, f64::NAN, f64::from(ErrorCode::BudgetExceeded.number())] {
            assert_eq!(ErrorCode::of_number(number), None);
        }
    }

    #[test]
    fn codes_have_the_number_and_status_that_clients_expect() {
        for (code, number, status) in [
            (ErrorCode::BadParameter, 10, 400),
            (ErrorCode::Forbidden, 11, 403),
            (ErrorCode::HttpNotFound, 404, 404),
            (ErrorCode::HttpCorruptedJson, 600, 400),
            (ErrorCode::Conflict, 1200, 409),
            (ErrorCode::DocumentNotFound, 1202, 404),
            (ErrorCode::DatabaseNotFound, 1228, 404),
        ] {
            assert_eq!((code.number(), code.status()), (number, status), "{}", code.name());
            assert_eq!(ErrorCode::of_number(f64::from(number)), Some(code));
        }
    }
}
