//! A database in memory, and functions that run queries from text to results.

use std::sync::Arc;

use aql_exec::{
    DataAccess, Execution, ExecutionInput, ExecutionOptions, ExecutionStatistics, FixedState, Parallelism,
    ReadAuthorization, SpillOptions,
};
use aql_optimize::{OptimizerOptions, optimize};
use aql_plan::{
    Access, BindInput, BindParameters, CollectionInfo, CollectionReference, IndexField, IndexInfo,
    OpenParameters, Plan, PlanCatalog, bind, build,
};
use aql_value::{Interrupt, MemoryAccount, Value, Warning};
use catalog::{CollectionProperties, CollectionType, FieldPath, IndexProperties, SYSTEM_DATABASE};
use errors::{Error, ErrorCode, Result};
use storage::{Database, Durability, Store, StoreOptions, TransactionOptions};
use velocypack::{Builder, Limits, json};

/// Parses JSON text into a value.
pub(crate) fn value(text: &str) -> Value {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    Value::from_builder(builder)
}

/// The database as the planner sees it.
struct View(Arc<Database>);

impl PlanCatalog for View {
    fn collection(&self, name: &str) -> Option<CollectionInfo> {
        let collection = self.0.collection(name)?;
        let indexes = collection.indexes().iter().map(|index| {
            let properties = &index.definition().properties;
            let path =
                |names: &[String]| names.iter().map(|name| name.as_str().into()).collect::<Vec<Box<str>>>();
            let field =
                |field: &FieldPath| IndexField { path: path(&field.names), expansion: field.expand_at };
            IndexInfo {
                id: index.id().0,
                name: index.name().into(),
                capabilities: properties.capabilities(),
                type_name: properties.type_name().into(),
                fields: properties.searched_fields().iter().map(field).collect(),
                unique: properties.unique,
                sparse: properties.sparse,
                stored_values: properties.stored_values.iter().map(|stored| path(&stored.names)).collect(),
                selectivity_estimate: Some(if properties.unique { 1.0 } else { 0.1 }),
                deduplicate: properties.deduplicate,
                estimates: properties.estimates,
                cache_enabled: false,
                text: None,
            }
        });
        Some(CollectionInfo {
            rules: None,
            reference: CollectionReference { id: collection.id().0, name: name.into() },
            is_edge: collection.is_edge(),
            indexes: indexes.collect(),
            count_estimate: collection.count_now().max(1),
        })
    }
}

/// Three threads for every scan of more than a block.
pub(crate) const EAGER: Parallelism = Parallelism { threads: 3, blocks_alone: 1, is_forced: true };

/// The settings of a run of a query.
#[derive(Clone)]
pub(crate) struct Run {
    /// Names of optimizer rules to turn on or off, as in the option `optimizer.rules`.
    pub rules: &'static [&'static str],
    /// Maximum number of rows of a batch.
    pub batch_rows: usize,
    pub bind: Value,
    /// True if parameters stay open in the plan, where that is possible.
    pub open: bool,
    /// Values of parameters that are open in the plan; set by [`Fixture::run`].
    pub open_values: Arc<[Value]>,
    pub memory_limit_bytes: Option<u64>,
    pub spill: SpillOptions,
    pub parallelism: Parallelism,
    pub fail_on_warning: bool,
    pub full_count: bool,
    pub profile: bool,
    pub interrupt: Interrupt,
    /// The check of collections that the user may read; `None`: all.
    pub authorize_read: Option<ReadAuthorization>,
    /// True if everything that pins memory of the engine is released between two batches.
    pub release: bool,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            rules: &[],
            batch_rows: 1024,
            bind: Value::empty_object(),
            open: false,
            open_values: Arc::default(),
            memory_limit_bytes: None,
            spill: SpillOptions::default(),
            parallelism: EAGER,
            fail_on_warning: false,
            full_count: false,
            profile: false,
            interrupt: Interrupt::new(),
            authorize_read: None,
            release: false,
        }
    }
}

/// The results and statistics of a query.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub results: Vec<String>,
    pub warnings: Vec<Warning>,
    pub statistics: ExecutionStatistics,
}

/// A store with the system database.
pub(crate) struct Fixture {
    pub store: Arc<Store>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let engine = test_engine::engine();
        Self { store: Store::open(engine, StoreOptions::default()).unwrap() }
    }

    pub(crate) fn collection(&self, name: &str) -> &Self {
        self.create(name, CollectionType::Document)
    }

    pub(crate) fn edge_collection(&self, name: &str) -> &Self {
        self.create(name, CollectionType::Edge)
    }

    fn create(&self, name: &str, kind: CollectionType) -> &Self {
        self.store.create_collection(SYSTEM_DATABASE, CollectionProperties::new(name, kind)).unwrap();
        self
    }

    /// Creates a persistent index from the JSON that a client would send.
    pub(crate) fn index(&self, collection: &str, properties: &str) -> &Self {
        let properties = value(properties).with_slice(|slice, _| IndexProperties::parse(slice)).unwrap();
        let catalog = self.store.catalog();
        let collection = catalog.database(SYSTEM_DATABASE).unwrap().collection(collection).unwrap();
        self.store.create_index(collection, properties).unwrap();
        self
    }

    /// Inserts the members of a JSON array.
    pub(crate) fn insert(&self, collection: &str, documents: &str) -> &Self {
        let query = format!("FOR d IN @documents INSERT d INTO `{collection}`");
        let bind = Value::object(&[("documents", value(documents))]);
        self.run(&query, &Run { bind, ..Run::default() }).unwrap();
        self
    }

    pub(crate) fn plan(&self, query: &str, run: &Run) -> Result<Plan> {
        let catalog = self.store.catalog();
        let view = View(Arc::clone(catalog.database(SYSTEM_DATABASE).unwrap()));
        let parsed = aql_syntax::parse(query, &aql_syntax::Limits::default())
            .map_err(|error| Error::new(ErrorCode::QueryParse, error.to_string()))?;
        let parameters = BindParameters::from_value(&run.bind)?;
        let (memory, interrupt) = (Arc::new(MemoryAccount::unlimited()), Interrupt::new());
        let mut input = BindInput::new(&parameters, &view, &memory, &interrupt);
        input.fail_on_warning = run.fail_on_warning;
        if run.open {
            input.open = OpenParameters::of(&parsed);
        }
        let plan = build(bind(&parsed, &input)?, run.full_count)?;
        let options = OptimizerOptions::new(run.rules.iter().copied());
        Ok(optimize(plan, &view, &options, &memory, &interrupt)?.into_best().unwrap())
    }

    /// Runs a query. A query that writes is committed if it succeeds.
    pub(crate) fn run(&self, query: &str, run: &Run) -> Result<Answer> {
        let plan = Arc::new(self.plan(query, run)?);
        let data = if plan.is_modification {
            let used = |access: Access| {
                let catalog = self.store.catalog();
                let database = Arc::clone(catalog.database(SYSTEM_DATABASE).unwrap());
                let uses = plan.collections.iter().filter(move |used| used.access == access);
                uses.map(|used| Arc::clone(database.collection(&used.collection.name).unwrap())).collect()
            };
            let options = TransactionOptions {
                write: used(Access::Write),
                exclusive: used(Access::Exclusive),
                ..Default::default()
            };
            DataAccess::Write(Box::new(self.store.begin(&options).unwrap()))
        } else {
            DataAccess::Read(self.store.snapshot().unwrap())
        };
        let open_values = plan.parameters.values(&BindParameters::from_value(&run.bind)?)?;
        let mut execution = start(&plan, data, &Run { open_values, ..run.clone() })?;
        let mut results = Vec::new();
        while let Some(batch) = execution.next_batch(usize::MAX)? {
            assert!(
                !batch.is_empty() && batch.len() <= run.batch_rows.max(1),
                "a batch of {} rows",
                batch.len()
            );
            results.extend(batch.iter().map(Value::to_json));
            if run.release {
                execution.release();
            }
        }
        let finished = execution.finish();
        if let Some(transaction) = finished.transaction {
            transaction.commit(Durability::Buffered)?;
        }
        Ok(Answer { results, warnings: finished.warnings, statistics: finished.statistics })
    }

    /// Returns the results of a query, which are the same however it is planned and run.
    pub(crate) fn query(&self, query: &str) -> Vec<String> {
        self.query_with(query, &Run::default())
    }

    /// Runs a query like [`Fixture::query`], for queries that only read.
    pub(crate) fn query_with(&self, query: &str, run: &Run) -> Vec<String> {
        let expected = self.run(query, run).unwrap_or_else(|error| panic!("{query}: {error}")).results;
        for rules in [&[][..], &["-all"][..]] {
            for batch_rows in [1, 2, 1024] {
                for release in [false, true] {
                    let run = Run { rules, batch_rows, release, ..run.clone() };
                    let answer = self.run(query, &run).unwrap_or_else(|error| panic!("{query}: {error}"));
                    assert_eq!(answer.results, expected, "{query}, rules {rules:?}, {batch_rows} rows");
                }
            }
        }
        expected
    }

    /// Runs a query like [`Fixture::query`], in no particular order.
    pub(crate) fn query_unordered(&self, query: &str) -> Vec<String> {
        let sorted = |mut results: Vec<String>| {
            results.sort();
            results
        };
        let run = Run::default();
        let expected =
            sorted(self.run(query, &run).unwrap_or_else(|error| panic!("{query}: {error}")).results);
        for rules in [&[][..], &["-all"][..]] {
            for batch_rows in [1, 2, 1024] {
                let run = Run { rules, batch_rows, ..run.clone() };
                let answer = self.run(query, &run).unwrap_or_else(|error| panic!("{query}: {error}"));
                assert_eq!(sorted(answer.results), expected, "{query}, rules {rules:?}, {batch_rows} rows");
            }
        }
        expected
    }

    /// Returns the only result of a query that reads.
    pub(crate) fn one(&self, query: &str) -> String {
        let results = self.query(query);
        assert_eq!(results.len(), 1, "{query}: {results:?}");
        results.into_iter().next().unwrap()
    }

    /// Returns the number of the error that ends a query.
    pub(crate) fn error(&self, query: &str) -> u32 {
        self.run(query, &Run::default()).expect_err(query).number()
    }
}

pub(crate) fn start(plan: &Arc<Plan>, data: DataAccess, run: &Run) -> Result<Execution> {
    let input = ExecutionInput {
        data,
        database: SYSTEM_DATABASE.into(),
        user: Some("root".into()),
        server_version: "3.12.0".into(),
        authorize_read: run.authorize_read.clone(),
        inaccessible_are_empty: false,
        authorize_vertices: None,
        user_functions: None,
        analyzers: None,
        changes: None,
        graphs: None,
        parameters: run.open_values.clone(),
        memory: Arc::new(MemoryAccount::new(run.memory_limit_bytes, None)),
        interrupt: run.interrupt.clone(),
        options: ExecutionOptions {
            fail_on_warning: run.fail_on_warning,
            profile_nodes: run.profile,
            spill: run.spill.clone(),
            parallelism: run.parallelism,
            fixed: Some(FixedState { statement_time_ms: 1_700_000_000_000, seed: 42 }),
            ..ExecutionOptions::default()
        },
    };
    Ok(Execution::start(plan, input).map_err(|failed| failed.error)?.with_batch_rows(run.batch_rows))
}
