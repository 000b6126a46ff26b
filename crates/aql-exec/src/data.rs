//! The data that a query reads and writes.

use std::sync::Arc;

use aql_plan::CollectionReference;
use aql_value::Value;
use catalog::CollectionId;
use errors::{Error, ErrorCode, Result};
use storage::{Collection, Database, IndexBounds, Snapshot, Transaction};

/// A check that the query's user may read a collection that only a function names (`DOCUMENT()`
/// etc.).
///
/// Errors: the refusal, as the client sees it.
pub type ReadAuthorization = Arc<dyn Fn(&str) -> Result<()> + Send + Sync>;

/// The data of a query: a snapshot for reading, a transaction for writing.
///
/// The transaction belongs to the execution until [`crate::Execution::finish`] returns it. Only its
/// owner commits it.
pub enum DataAccess {
    /// Reads this state.
    Read(Snapshot),
    /// Writes, and reads the transaction's view at the start of the query.
    Write(Box<Transaction>),
}

/// The access to data of a running query.
pub(crate) struct Data {
    start: Snapshot,
    /// The state at the start as the loops of the plan read it.
    of_loops: Snapshot,
    /// The collections whose rules are parts of the plan.
    ruled: Arc<[CollectionId]>,
    /// Boxed, because it is large and most queries have none.
    transaction: Option<Box<Transaction>>,
    database: Arc<Database>,
    /// The state that loops read during a rehearsal.
    rehearsal: Option<Snapshot>,
}

impl Data {
    /// Opens the data of a query. Collections that `hidden_unless` refuses look empty. The plan
    /// contains the rules of `ruled` collections.
    ///
    /// Errors: 1228 if there is no such database.
    pub(crate) fn new(
        access: DataAccess,
        database: &str,
        hidden_unless: Option<&ReadAuthorization>,
        ruled: &[u64],
    ) -> Result<Self> {
        let (start, transaction) = match access {
            DataAccess::Read(snapshot) => (snapshot, None),
            DataAccess::Write(mut transaction) => (transaction.view(), Some(transaction)),
        };
        let found = start.catalog().database(database).cloned();
        let mut database = found.ok_or_else(|| {
            Error::new(ErrorCode::DatabaseNotFound, format!("database not found: '{database}'"))
        })?;
        if let Some(authorize) = hidden_unless {
            let is_hidden = |collection: &Collection| authorize(collection.name()).is_err();
            database = Arc::new(database.hiding(is_hidden)?);
        }
        let ruled: Arc<[CollectionId]> = ruled.iter().map(|id| CollectionId(*id)).collect();
        let of_loops = start.clone().seeing_all_of(&ruled);
        Ok(Self { start, of_loops, ruled, transaction, database, rehearsal: None })
    }

    /// Returns the state at the start of the query, limited by the rules of its user.
    pub(crate) fn start(&self) -> &Snapshot {
        &self.start
    }

    /// Returns the database that the query runs in.
    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Returns the state that a loop of the plan reads: at the start of the query, or with the
    /// query's own writes. Rules that the plan contains do not limit it.
    pub(crate) fn snapshot(&mut self, read_own_writes: bool) -> Snapshot {
        if let Some(rehearsal) = &self.rehearsal {
            return rehearsal.clone();
        }
        match &mut self.transaction {
            Some(transaction) if read_own_writes => transaction.view().seeing_all_of(&self.ruled),
            _ => self.of_loops.clone(),
        }
    }

    /// Lets loops make reads that they will repeat ([`Snapshot::rehearsal`]). Returns false if that
    /// would save no message.
    pub(crate) fn begin_rehearsal(&mut self, read_own_writes: bool) -> bool {
        self.rehearsal = self.snapshot(read_own_writes).rehearsal();
        self.is_rehearsing()
    }

    pub(crate) fn end_rehearsal(&mut self) {
        self.rehearsal = None;
    }

    pub(crate) fn is_rehearsing(&self) -> bool {
        self.rehearsal.is_some()
    }

    /// Returns true if each read waits for a message.
    pub(crate) fn waits_for_messages(&self) -> bool {
        self.start.concurrent_reads() > 1
    }

    /// Returns the access to the same state for another thread.
    ///
    /// Errors: 4 if the query may write.
    pub(crate) fn for_reading(&self) -> Result<Self> {
        if self.writes() {
            return Err(Error::internal("a query that writes was divided among threads"));
        }
        Ok(Self {
            start: self.start.clone(),
            of_loops: self.of_loops.clone(),
            ruled: Arc::clone(&self.ruled),
            transaction: None,
            database: Arc::clone(&self.database),
            rehearsal: None,
        })
    }

    /// Returns true if the query has a transaction.
    pub(crate) fn writes(&self) -> bool {
        self.transaction.is_some()
    }

    /// Returns the collection of a node. Errors: 1203 if it was dropped.
    pub(crate) fn collection(&self, reference: &CollectionReference) -> Result<Arc<Collection>> {
        let found = self.database.collection_by_id(CollectionId(reference.id)).cloned();
        found.ok_or_else(|| Error::collection_not_found(&reference.name))
    }

    /// Returns the transaction for writing. Errors: 1004 if the query was given only a snapshot.
    pub(crate) fn transaction(&mut self) -> Result<&mut Transaction> {
        self.transaction.as_deref_mut().ok_or_else(|| {
            Error::new(ErrorCode::ReadOnly, "read only: the query has no transaction to write in")
        })
    }

    /// Returns the transaction to its owner.
    pub(crate) fn into_transaction(self) -> Option<Box<Transaction>> {
        self.transaction
    }
}

/// Converts a range of a persistent index to storage's form.
///
/// It consists of values of the leading fields, and bounds of the next field, each with a flag that
/// includes the value itself.
pub fn index_bounds<'v>(
    equal: impl IntoIterator<Item = &'v Value>,
    lower: Option<(&Value, bool)>,
    upper: Option<(&Value, bool)>,
) -> IndexBounds {
    let mut bounds = IndexBounds::all();
    for value in equal {
        value.with_slice(|slice, collection| bounds.push_equal(slice, collection));
    }
    if let Some((value, inclusive)) = lower {
        value.with_slice(|slice, collection| bounds.set_lower(slice, collection, inclusive));
    }
    if let Some((value, inclusive)) = upper {
        value.with_slice(|slice, collection| bounds.set_upper(slice, collection, inclusive));
    }
    bounds
}
