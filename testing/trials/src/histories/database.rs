//! Reads and writes of objects over HTTP.
//!
//! Lists and registers are documents of the collections `lists` and `registers`. An index holds a
//! copy of their values, so that reads by key, by index and by a scan must agree.

use client::{Client, Request};
use fastrand::Rng;
use harness::requests::{self, Failure};
use serde_json::{Value, json};

use crate::histories::history::Key;

/// The collections with the attribute of the values, and if their index is unique.
const COLLECTIONS: [(&str, &str, bool); 2] = [("lists", "list", false), ("registers", "value", true)];

/// The way in which an object is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    Document,
    PrimaryIndex,
    Index,
    Scan,
}

impl Path {
    /// Returns one of the ways.
    pub(crate) fn any(rng: &mut Rng) -> Self {
        match rng.u8(..4) {
            0 => Path::Document,
            1 => Path::PrimaryIndex,
            2 => Path::Index,
            _ => Path::Scan,
        }
    }
}

/// The database, within a stream transaction or outside of one.
#[derive(Clone)]
pub(crate) struct Database<'a> {
    client: &'a Client,
    transaction: Option<String>,
    /// True if writes outside of a transaction wait for the disk.
    pub(crate) waits_for_sync: bool,
}

impl<'a> Database<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        Database { client, transaction: None, waits_for_sync: false }
    }

    /// Creates collections and indexes.
    pub(crate) fn create(&self) -> Result<(), Failure> {
        for (name, attribute, is_unique) in COLLECTIONS {
            self.ask(Request::post("/_api/collection"), &json!({"name": name}))?;
            let index = json!({
                "type": "persistent", "fields": ["number"], "unique": is_unique, "storedValues": [attribute],
            });
            self.ask(Request::post("/_api/index").query("collection", name), &index)?;
        }
        Ok(())
    }

    /// Begins a stream transaction. With `exclusive`, no other transaction writes concurrently.
    pub(crate) fn begin(&self, exclusive: bool) -> Result<Self, Failure> {
        let kind = if exclusive { "exclusive" } else { "write" };
        let body = json!({
            "collections": {kind: COLLECTIONS.map(|(name, _, _)| name)},
            "waitForSync": self.waits_for_sync, "lockTimeout": 10,
        });
        let reply = self.ask(Request::post("/_api/transaction/begin"), &body)?;
        let transaction = reply["result"]["id"].as_str().map(str::to_owned);
        Ok(Database { transaction, ..self.clone() })
    }

    /// Begins a stream transaction that only reads, as a follower allows it.
    pub(crate) fn begin_reading(&self) -> Result<Self, Failure> {
        let body = json!({"collections": {"read": COLLECTIONS.map(|(name, _, _)| name)}});
        let reply = self.ask(Request::post("/_api/transaction/begin"), &body)?;
        let transaction = reply["result"]["id"].as_str().map(str::to_owned);
        Ok(Database { transaction, ..self.clone() })
    }

    /// Returns the same, with another client for further requests.
    pub(crate) fn at(self, client: &'a Client) -> Self {
        Database { client, ..self }
    }

    /// Commits the stream transaction.
    pub(crate) fn commit(&self) -> Result<(), Failure> {
        let request =
            Request::put("/_api/transaction").segment(self.transaction.as_deref().unwrap_or_default());
        self.client.call(&request)?;
        Ok(())
    }

    /// Aborts the stream transaction.
    pub(crate) fn abort(&self) -> Result<(), Failure> {
        let request =
            Request::delete("/_api/transaction").segment(self.transaction.as_deref().unwrap_or_default());
        self.client.call(&request)?;
        Ok(())
    }

    /// Reads an object.
    pub(crate) fn read(&self, key: Key, path: Path) -> Result<Vec<u64>, Failure> {
        let place = Place::of(key);
        let filter = match path {
            Path::Document => return self.read_document(&place),
            Path::PrimaryIndex => "d._key == @key",
            Path::Index => "d.number == @number",
            Path::Scan => "d.number + 0 == @number",
        };
        let query = format!("FOR d IN {} FILTER {filter} RETURN d.{}", place.collection, place.attribute);
        let key = filter.contains("@key").then(|| ("key", json!(place.document)));
        let binds = key.unwrap_or(("number", json!(place.number)));
        let rows = self.query(&query, &json!({binds.0: binds.1}))?;
        Ok(rows.first().map(values).unwrap_or_default())
    }

    fn read_document(&self, place: &Place) -> Result<Vec<u64>, Failure> {
        let request = Request::get("/_api/document").segment(place.collection).segment(&place.document);
        match self.ask(request, &Value::Null) {
            Ok(document) => Ok(values(&document[place.attribute])),
            Err(failure) if failure.number == 1202 => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }

    /// Reads some objects of one kind with one query.
    pub(crate) fn read_many(&self, keys: &[Key]) -> Result<Vec<Vec<u64>>, Failure> {
        let Some(first) = keys.first() else { return Ok(Vec::new()) };
        let Place { collection, attribute, .. } = Place::of(*first);
        let numbers: Vec<u32> = keys.iter().map(|key| Place::of(*key).number).collect();
        let query =
            format!("FOR d IN {collection} FILTER d.number IN @numbers RETURN [d.number, d.{attribute}]");
        let rows = self.query(&query, &json!({"numbers": numbers}))?;
        let find = |number: &u32| rows.iter().find(|row| row[0].as_u64() == Some(u64::from(*number)));
        Ok(numbers.iter().map(|number| find(number).map(|row| values(&row[1])).unwrap_or_default()).collect())
    }

    /// Appends to lists or writes registers, with one query. Does not read them.
    pub(crate) fn write(&self, keys: &[Key], value: u64) -> Result<(), Failure> {
        let Some(first) = keys.first() else { return Ok(()) };
        let places: Vec<Place> = keys.iter().map(|key| Place::of(*key)).collect();
        let collection = places[0].collection;
        let [insert, update] = match first {
            Key::List(_) => ["{_key: p[0], number: p[1], list: [@value]}", "{list: PUSH(OLD.list, @value)}"],
            Key::Register(_) => ["{_key: p[0], number: p[1], value: @value}", "{value: @value}"],
        };
        let query = format!(
            "FOR p IN @places UPSERT {{_key: p[0]}} INSERT {insert} UPDATE {update} IN {collection}{}",
            self.options()
        );
        let places: Vec<Value> = places.iter().map(|place| json!([place.document, place.number])).collect();
        self.query(&query, &json!({"places": places, "value": value})).map(|_| ())
    }

    /// Appends to a list or writes a register, if it has a document. Returns the values before and
    /// after, which the query reads itself.
    pub(crate) fn update(&self, key: Key, value: u64) -> Result<Option<[Vec<u64>; 2]>, Failure> {
        let Place { collection, attribute, number, .. } = Place::of(key);
        let new = match key {
            Key::List(_) => "PUSH(d.list, @value)",
            Key::Register(_) => "@value",
        };
        let query = format!(
            "FOR d IN {collection} FILTER d.number == @number UPDATE d WITH {{{attribute}: {new}}} IN {collection}{} RETURN [OLD.{attribute}, NEW.{attribute}]",
            self.options()
        );
        let rows = self.query(&query, &json!({"number": number, "value": value}))?;
        Ok(rows.first().map(|row| [values(&row[0]), values(&row[1])]))
    }

    /// Replaces the document of an object.
    pub(crate) fn replace(&self, key: Key, values: &[u64]) -> Result<(), Failure> {
        let place = Place::of(key);
        let value = match key {
            Key::List(_) => json!(values),
            Key::Register(_) => json!(values.last()),
        };
        let document = json!({"_key": place.document, "number": place.number, place.attribute: value});
        let request = Request::post("/_api/document").segment(place.collection);
        let request = request.query("overwriteMode", "replace");
        let request = request.query("waitForSync", if self.waits_for_sync { "true" } else { "false" });
        self.ask(request, &document).map(|_| ())
    }

    /// Returns all objects that have a document with their values, by a scan or by the index.
    pub(crate) fn read_all(&self, by_index: bool) -> Result<Vec<(Key, Vec<u64>)>, Failure> {
        let mut found = Vec::new();
        for ((collection, attribute, _), key) in
            COLLECTIONS.into_iter().zip([Key::List, Key::Register].map(|key| key as fn(u32) -> Key))
        {
            let filter = if by_index { "FILTER d.number >= 0" } else { "" };
            let query = format!("FOR d IN {collection} {filter} RETURN [d.number, d.{attribute}]");
            for row in self.query(&query, &json!({}))? {
                let number = row[0].as_u64().and_then(|number| u32::try_from(number).ok());
                found.extend(number.map(|number| (key(number), values(&row[1]))));
            }
        }
        Ok(found)
    }

    fn options(&self) -> &'static str {
        let waits = self.waits_for_sync && self.transaction.is_none();
        if waits { " OPTIONS {waitForSync: true}" } else { "" }
    }

    fn query(&self, query: &str, binds: &Value) -> Result<Vec<Value>, Failure> {
        requests::query(self.client, self.within(Request::post("/_api/cursor")), query, binds)
    }

    fn ask(&self, request: Request, body: &Value) -> Result<Value, Failure> {
        requests::ask(self.client, self.within(request), body)
    }

    /// Adds the stream transaction.
    fn within(&self, request: Request) -> Request {
        match &self.transaction {
            Some(transaction) => request.header("x-arango-trx-id", transaction),
            None => request,
        }
    }
}

/// The document of an object.
struct Place {
    collection: &'static str,
    attribute: &'static str,
    document: String,
    number: u32,
}

impl Place {
    fn of(key: Key) -> Self {
        let ((collection, attribute, _), number) = match key {
            Key::List(number) => (COLLECTIONS[0], number),
            Key::Register(number) => (COLLECTIONS[1], number),
        };
        Place { collection, attribute, document: format!("k{number}"), number }
    }
}

/// Returns the values of a list or register as the server has them.
fn values(value: &Value) -> Vec<u64> {
    match value {
        Value::Array(elements) => elements.iter().filter_map(Value::as_u64).collect(),
        value => value.as_u64().into_iter().collect(),
    }
}
