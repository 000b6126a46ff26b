//! What the tests of this crate share: a small server, and a way to call a function.

use aql_value::{
    Environment, Error, EvaluationContext, EvaluationState, Function, Interrupt, MemoryAccount, Result,
    Value, Warnings,
};
use velocypack::{Builder, Limits, json};

/// 2024-02-29T12:34:56.789Z
pub const STATEMENT_TIME_MS: i64 = 1_709_210_096_789;

/// Most memory that a call in a test may use.
pub const MEMORY_LIMIT_BYTES: u64 = 64 << 20;

/// A server with one collection, `persons`, of two documents, `alice` and `bob`.
pub struct TestServer;

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
        if name == "persons" {
            Ok(2)
        } else {
            Err(Error::new(1203, format!("collection or view not found: {name}")))
        }
    }
    fn collections(&self) -> Result<Value> {
        Ok(parse("[{\"_id\":\"7\",\"name\":\"persons\"}]"))
    }
    fn schema(&self, _collection: &str) -> Result<Value> {
        Ok(Value::Null)
    }
    fn collection_documents(&self, _name: &str) -> Result<Value> {
        Ok(Value::empty_array())
    }
}

/// The value of a JSON text.
pub fn parse(text: &str) -> Value {
    let mut builder = Builder::new();
    json::parse(text.as_bytes(), &Limits::default(), &mut builder)
        .unwrap_or_else(|error| panic!("{error} in {text}"));
    Value::from_builder(builder)
}

/// What a call answered, and the numbers of its warnings.
pub struct Answer {
    pub result: Result<Value>,
    pub warnings: Vec<u32>,
}

/// Calls a function as a query would that starts at [`STATEMENT_TIME_MS`].
pub fn call(function: &Function, arguments: &[Value]) -> Answer {
    let mut warnings = Warnings::default();
    let mut state = EvaluationState::fixed(STATEMENT_TIME_MS, 42);
    let memory = MemoryAccount::new(Some(MEMORY_LIMIT_BYTES), None);
    let mut context = EvaluationContext {
        warnings: &mut warnings,
        state: &mut state,
        memory: &memory,
        interrupt: &Interrupt::new(),
        environment: &TestServer,
    };
    let result = (function.call)(arguments, &mut context);
    assert_eq!(memory.used_bytes(), 0, "{} keeps memory", function.name);
    Answer { result, warnings: warnings.list().iter().map(|warning| warning.number).collect() }
}
