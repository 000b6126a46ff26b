//! Helpers of this crate's tests: a small server, and a way to call a function.
#![allow(dead_code, reason = "several test programs share it, and each uses a part")]

use aql_value::{
    ChangesQuery, Environment, EvaluationContext, EvaluationState, Function, GraphQuery, Interrupt,
    MemoryAccount, Rows, Value, Warnings,
};
use errors::{Error, Result};
use velocypack::{Builder, Limits, json};

/// 2024-02-29T12:34:56.789Z
pub(crate) const STATEMENT_TIME_MS: i64 = 1_709_210_096_789;

/// The memory limit of a call in a test.
pub(crate) const MEMORY_LIMIT_BYTES: u64 = 64 << 20;

/// A server with one collection, `persons`, of two documents, `alice` and `bob`.
pub(crate) struct TestServer;

impl Environment for TestServer {
    fn database(&self) -> Result<&str> {
        Ok("shop")
    }
    fn user(&self) -> Result<Option<&str>> {
        Ok(Some("root"))
    }
    fn server_version(&self) -> Result<&str> {
        Ok("3.12.0")
    }
    fn document(&self, collection: Option<&str>, id_or_key: &str) -> Result<Value> {
        let (own_collection, key) = match id_or_key.split_once('/') {
            Some((collection, key)) => (Some(collection), key),
            None => (collection, id_or_key),
        };
        let is_person = own_collection == Some("persons") && collection.is_none_or(|name| name == "persons");
        Ok(match key {
            "alice" | "bob" if is_person => Value::object(&[("_key", Value::from_str(key))]),
            _ => Value::Null,
        })
    }
    fn collection_count(&self, name: &str) -> Result<u64> {
        if name == "persons" { Ok(2) } else { Err(Error::collection_not_found(name)) }
    }
    fn collections(&self) -> Result<Value> {
        Ok(parse("[{\"_id\":\"7\",\"name\":\"persons\"}]"))
    }
    fn schema(&self, _collection: &str) -> Result<Value> {
        Ok(Value::Null)
    }
    fn validate_schema(&self, document: &Value, _schema: &Value) -> Result<Option<String>> {
        Ok(document.get("name").is_null().then(|| "a name is required".to_owned()))
    }
    fn collection_documents(&self, _name: &str) -> Result<Value> {
        Ok(Value::empty_array())
    }
    fn changes(&self, query: ChangesQuery<'_>) -> Result<Box<dyn Rows>> {
        let names = query.collections.map(|names| names.iter().map(|name| Value::from_str(name)));
        let question = Value::object(&[
            ("of", names.map_or(Value::Null, |names| Value::array(&names.collect::<Vec<_>>()))),
            ("since", query.since.into()),
            ("limit", query.limit.map_or(Value::Null, Value::from_u64)),
        ]);
        Ok(Box::new(Question(Some(question))))
    }
    fn graph_rows(&self, query: GraphQuery<'_>) -> Result<Box<dyn Rows>> {
        // A copy of a large argument would count as memory of the function.
        let shown = |value: &Value| match value.with_slice(|slice, _| slice.byte_len()) {
            0..1_000 => value.clone(),
            _ => Value::Null,
        };
        let question = match query {
            GraphQuery::Algorithm { name, graph, parameters, options } => Value::object(&[
                ("algorithm", name.into()),
                ("graph", shown(graph)),
                ("parameters", shown(parameters)),
                ("options", shown(options)),
            ]),
            GraphQuery::Job { id, with_id } => {
                Value::object(&[("job", id.into()), ("withId", with_id.into())])
            }
        };
        Ok(Box::new(Question(Some(question))))
    }
}

/// Rows with the question alone.
struct Question(Option<Value>);

impl Rows for Question {
    fn next_rows(&mut self, _max: usize, out: &mut Vec<Value>) -> Result<()> {
        out.extend(self.0.take());
        Ok(())
    }
    fn release(&mut self) {}
}

/// Returns the value of a JSON text.
pub(crate) fn parse(text: &str) -> Value {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder)
        .unwrap_or_else(|error| panic!("{error} in {text}"));
    Value::from_builder(builder)
}

/// The result of a call, and the numbers of its warnings.
pub(crate) struct Answer {
    pub(crate) result: Result<Value>,
    pub(crate) warnings: Vec<u32>,
}

/// The settings of a query for the calls in it.
pub(crate) struct Query<'a> {
    pub(crate) warnings: Warnings,
    pub(crate) memory_limit_bytes: u64,
    pub(crate) interrupt: Interrupt,
    pub(crate) environment: &'a dyn Environment,
}

impl Default for Query<'_> {
    fn default() -> Self {
        Self {
            warnings: Warnings::default(),
            memory_limit_bytes: MEMORY_LIMIT_BYTES,
            interrupt: Interrupt::new(),
            environment: &TestServer,
        }
    }
}

impl Query<'_> {
    /// Calls a function as the query would, which starts at [`STATEMENT_TIME_MS`].
    pub(crate) fn call(mut self, function: &Function, arguments: &[Value]) -> Answer {
        let memory = MemoryAccount::new(Some(self.memory_limit_bytes), None);
        let mut context = EvaluationContext {
            warnings: &mut self.warnings,
            state: &mut EvaluationState::fixed(STATEMENT_TIME_MS, 42),
            memory: &memory,
            interrupt: &self.interrupt,
            environment: self.environment,
        };
        let result = (function.call)(arguments, &mut context);
        assert_eq!(memory.used_bytes(), 0, "{} keeps memory", function.name);
        Answer {
            result,
            warnings: self.warnings.list().iter().map(|warning| warning.code.number()).collect(),
        }
    }
}

/// Calls a function as a plain query would.
pub(crate) fn call(function: &Function, arguments: &[Value]) -> Answer {
    Query::default().call(function, arguments)
}

/// Returns the result of a function by its name; the call must neither fail nor warn.
pub(crate) fn value_of(name: &str, arguments: &[Value]) -> Value {
    let function = aql_functions::lookup(name).unwrap_or_else(|| panic!("no function {name}"));
    let answer = call(function, arguments);
    assert!(answer.warnings.is_empty(), "{name} of {arguments:?} warns {:?}", answer.warnings);
    answer.result.unwrap_or_else(|error| panic!("{name} of {arguments:?}: {error}"))
}

/// Returns a text.
pub(crate) fn text(text: &str) -> Value {
    Value::from_str(text)
}
