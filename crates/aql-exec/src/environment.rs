//! The environment of functions: the query's snapshot and a few facts.

use std::fmt;
use std::sync::Arc;

use analyzers::Analyzer;
use aql_value::{
    BlockBuilder, ChangesQuery, DocumentName, Environment, GraphQuery, Interrupt, MemoryAccount, Owner, Rows,
    UserFunctions, Value,
};
use errors::{Error, ErrorCode, Result};
use storage::{BlockLimits, Collection, Database, DocumentScanSpec, Documents, Snapshot};

use crate::data::ReadAuthorization;
use crate::schema::LastSchema;

/// An [`Environment`] over a snapshot.
#[derive(Clone)]
pub struct QueryEnvironment {
    snapshot: Snapshot,
    database: Arc<Database>,
    user: Option<Arc<str>>,
    server_version: Arc<str>,
    authorize_read: Option<ReadAuthorization>,
    /// True if the database shows collections that may not be read as empty.
    inaccessible_are_empty: bool,
    authorize_vertices: Option<ReadAuthorization>,
    memory: Arc<MemoryAccount>,
    interrupt: Interrupt,
    schema: Arc<LastSchema>,
    user_functions: Option<Arc<dyn UserFunctions>>,
    analyzers: Option<AnalyzerLookup>,
    changes: Option<OpenChanges>,
    graphs: Option<OpenGraphs>,
}

/// A function that finds a user's analyzer by its name; `None` if there is none.
pub type AnalyzerLookup = Arc<dyn Fn(&str) -> Result<Option<Arc<Analyzer>>> + Send + Sync>;

/// A function that opens a part of the change log, below the given position.
pub type OpenChanges = Arc<dyn Fn(ChangesQuery<'_>, u64) -> Result<Box<dyn Rows>> + Send + Sync>;

/// A function that computes over a whole graph as a snapshot has it.
pub type OpenGraphs = Arc<dyn Fn(GraphQuery<'_>, &Snapshot) -> Result<Box<dyn Rows>> + Send + Sync>;

/// Maximum number of documents of one lookup.
const LOOK_UP_NAMES: usize = 1000;

/// Limits of one step of a full scan of a collection.
const SCAN_LIMITS: BlockLimits = BlockLimits { rows: 1000, bytes: 1 << 20 };

impl QueryEnvironment {
    /// Creates an environment over `snapshot`, which `database` is part of.
    ///
    /// Without `authorize_read` everything may be read. The query's memory limit and its interrupt
    /// bound full scans.
    pub fn new(
        snapshot: Snapshot,
        database: Arc<Database>,
        user: Option<Arc<str>>,
        server_version: Arc<str>,
        authorize_read: Option<ReadAuthorization>,
        memory: Arc<MemoryAccount>,
        interrupt: Interrupt,
    ) -> Self {
        let schema = Arc::default();
        let authorize_vertices = None;
        Self {
            snapshot,
            database,
            user,
            server_version,
            authorize_read,
            inaccessible_are_empty: false,
            authorize_vertices,
            memory,
            interrupt,
            schema,
            user_functions: None,
            analyzers: None,
            changes: None,
            graphs: None,
        }
    }

    /// Restricts graph searches to the vertices of the collections that `authorize_vertices`
    /// allows.
    pub fn with_vertices(self, authorize_vertices: Option<ReadAuthorization>) -> Self {
        Self { authorize_vertices, ..self }
    }

    /// Shows collections that may not be read as empty. `database` must show them so too.
    pub fn with_inaccessible_as_empty(self, inaccessible_are_empty: bool) -> Self {
        Self { inaccessible_are_empty, ..self }
    }

    /// Lets the query call functions that users write.
    pub fn with_user_functions(self, user_functions: Option<Arc<dyn UserFunctions>>) -> Self {
        Self { user_functions, ..self }
    }

    /// Lets the query find the analyzers that users define.
    pub fn with_analyzers(self, analyzers: Option<AnalyzerLookup>) -> Self {
        Self { analyzers, ..self }
    }

    /// Lets the query read the change log.
    pub fn with_changes(self, changes: Option<OpenChanges>) -> Self {
        Self { changes, ..self }
    }

    /// Lets the query compute over whole graphs.
    pub fn with_graphs(self, graphs: Option<OpenGraphs>) -> Self {
        Self { graphs, ..self }
    }

    /// Returns the collection of vertices that a graph search has reached, if it exists and may be
    /// read.
    pub(crate) fn readable_vertices(&self, name: &str) -> Result<Option<&Arc<Collection>>> {
        if let Some(authorize) = &self.authorize_vertices {
            authorize(name)?;
        }
        self.readable(name)
    }

    /// Returns the collection, if it exists and may be read.
    pub(crate) fn readable(&self, name: &str) -> Result<Option<&Arc<Collection>>> {
        let Some(collection) = self.database.collection(name) else { return Ok(None) };
        match &self.authorize_read {
            Some(authorize) if !self.inaccessible_are_empty => authorize(collection.name())?,
            _ => {}
        }
        Ok(Some(collection))
    }

    fn require(&self, name: &str) -> Result<&Arc<Collection>> {
        self.readable(name)?.ok_or_else(|| Error::collection_not_found(name))
    }
}

impl Environment for QueryEnvironment {
    fn database(&self) -> Result<&str> {
        Ok(self.database.name())
    }

    fn user(&self) -> Result<Option<&str>> {
        Ok(self.user.as_deref())
    }

    fn server_version(&self) -> Result<&str> {
        Ok(&self.server_version)
    }

    fn document(&self, collection: Option<&str>, id_or_key: &str) -> Result<Value> {
        let Some((name, key)) = collection_and_key((collection, id_or_key)) else { return Ok(Value::Null) };
        // (A collection that the query names other than by a text is known to exist.)
        let Some(collection) = self.readable(name)? else { return Ok(Value::Null) };
        let documents = self.snapshot.get(collection, &[key])?;
        let offset = documents.offsets.first().copied().flatten();
        Ok(offset.map_or(Value::Null, |offset| Value::in_block(&documents.block, offset)))
    }

    fn masked(&self, collection: &str, document: &Value) -> Result<Value> {
        let collection = self.require(collection)?;
        let Some(restriction) = self.snapshot.restriction(collection)? else { return Ok(document.clone()) };
        let bytes = document.with_slice(|slice, _| slice.bytes().to_vec());
        let documents = restriction.masked(Documents::of_bytes(bytes, collection.shared_name()))?;
        let offset = documents.offsets.first().copied().flatten();
        Ok(offset.map_or(Value::Null, |offset| Value::in_block(&documents.block, offset)))
    }

    fn documents(&self, names: &[DocumentName<'_>]) -> Result<Vec<Value>> {
        /// The names in one collection, and their positions.
        struct Group<'a> {
            name: &'a str,
            collection: &'a Collection,
            keys: Vec<&'a str>,
            positions: Vec<usize>,
        }
        let names = names.get(..LOOK_UP_NAMES).unwrap_or(names);
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut values: Vec<Option<Value>> = vec![Some(Value::Null); names.len()];
        for (position, name) in names.iter().enumerate() {
            let Some((name, key)) = collection_and_key(*name) else { continue };
            let group = match groups.iter_mut().position(|group| group.name == name) {
                Some(group) => groups.get_mut(group),
                None => {
                    let Some(collection) = self.readable(name)? else { continue };
                    groups.push(Group { name, collection, keys: Vec::new(), positions: Vec::new() });
                    groups.last_mut()
                }
            };
            if let Some(group) = group {
                group.keys.push(key);
                group.positions.push(position);
            }
        }
        for group in groups {
            let documents = self.snapshot.get(group.collection, &group.keys)?;
            let mut found = documents.offsets.iter();
            for position in group.positions {
                // The result ends before the first document that was not looked up.
                let value = found.next().map(|offset| {
                    offset.map_or(Value::Null, |offset| Value::in_block(&documents.block, offset))
                });
                if let Some(place) = values.get_mut(position) {
                    *place = value;
                }
            }
        }
        Ok(values.into_iter().map_while(|value| value).collect())
    }

    fn collection_count(&self, name: &str) -> Result<u64> {
        let collection = self.require(name)?;
        self.snapshot.count_shown(collection, &|| self.interrupt.check())
    }

    fn collections(&self) -> Result<Value> {
        let mut array = Vec::new();
        for collection in self.database.collections() {
            let readable =
                self.authorize_read.as_ref().is_none_or(|authorize| authorize(collection.name()).is_ok());
            if readable {
                let id = collection.id().0.to_string();
                array.push(Value::object(&[
                    ("_id", Value::from_str(&id)),
                    ("name", collection.name().into()),
                ]));
            }
        }
        Value::try_array(&array)
    }

    fn schema(&self, collection: &str) -> Result<Value> {
        let collection = self.require(collection)?;
        Ok(match &collection.definition().properties.schema {
            Some(schema) => schema_value(schema)?,
            None => Value::Null,
        })
    }

    fn validate_schema(&self, document: &Value, schema: &Value) -> Result<Option<String>> {
        let owner = Owner { interrupt: self.interrupt.clone(), memory: Arc::clone(&self.memory) };
        self.schema.validate(document, schema, &owner)
    }

    fn analyzer(&self, name: &str) -> Result<Option<Arc<Analyzer>>> {
        match (analyzers::built_in(name), &self.analyzers) {
            (Some(analyzer), _) => Ok(Some(Arc::clone(analyzer))),
            (None, Some(find)) => find(name),
            (None, None) => Ok(None),
        }
    }

    fn user_functions(&self) -> Option<&dyn UserFunctions> {
        self.user_functions.as_deref()
    }

    fn changes(&self, query: ChangesQuery<'_>) -> Result<Box<dyn Rows>> {
        match &self.changes {
            Some(open) => open(query, self.snapshot.changes_below()),
            None => Err(Error::new(ErrorCode::NotImplemented, "there is no change log here")),
        }
    }

    fn graph_rows(&self, query: GraphQuery<'_>) -> Result<Box<dyn Rows>> {
        match &self.graphs {
            Some(open) => open(query, &self.snapshot),
            None => Err(Error::new(ErrorCode::NotImplemented, "there are no graphs here")),
        }
    }

    fn collection_documents(&self, name: &str) -> Result<Value> {
        let collection = self.require(name)?;
        let spec = DocumentScanSpec { sequential: true, ..DocumentScanSpec::default() };
        let mut scan = self.snapshot.scan(collection, &spec)?;
        let mut block = BlockBuilder::new(1);
        block.builder().open_array()?;
        while let Some(documents) = scan.next_block(SCAN_LIMITS)? {
            self.interrupt.check()?;
            block.check_memory(&self.memory)?;
            for document in documents.iter() {
                block.builder().add_resolved(document, documents.block.collection())?;
            }
        }
        block.builder().close()?;
        block.end_value();
        Ok(block.finish().pop().unwrap_or_default())
    }
}

/// Returns the collection and the key that a name means; `None` for a name of nothing.
fn collection_and_key<'a>((collection, id_or_key): DocumentName<'a>) -> Option<(&'a str, &'a str)> {
    match (collection, id_or_key.split_once('/')) {
        (Some(collection), Some((name, _))) if collection != name => None,
        (_, Some(parts)) => Some(parts),
        (Some(collection), None) => Some((collection, id_or_key)),
        (None, None) => None,
    }
}

/// Returns the attributes of ArangoDB's `SCHEMA_GET()`.
fn schema_value(schema: &catalog::SchemaRule) -> Result<Value> {
    Value::try_object(&[
        ("rule", Value::from_slice(schema.rule())),
        ("level", schema.level.name().into()),
        ("message", schema.message.as_str().into()),
        ("type", "json".into()),
    ])
}

impl fmt::Debug for QueryEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryEnvironment").field("database", &self.database.name()).finish_non_exhaustive()
    }
}
