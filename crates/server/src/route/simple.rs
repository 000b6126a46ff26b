//! `/_api/simple`: named queries from before AQL. Each runs as an AQL query; the replies keep their
//! old form.

use database::Format;
use database::Session;
use database::query::request::{QueryRequest, batch_size, ttl};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::{Builder, Slice};

use super::cursor::respond;
use crate::http::Cost::Blocking;
use crate::http::fields::Fields;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

/// Maximum number of attributes of an example. Each becomes a condition of the query.
const MAX_CONDITIONS: usize = 500;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Put, "/_api/simple/all", Blocking, all)
        .about("Returns all documents.")
        .with_body(r#"{"collection": "docs"}"#),
    Route::new(Verb::Put, "/_api/simple/all-keys", Blocking, all_keys)
        .about("Returns the keys of all documents.")
        .with_body(r#"{"collection": "docs", "type": "key"}"#),
    Route::new(Verb::Put, "/_api/simple/any", Blocking, any)
        .about("Returns a random document.")
        .with_body(r#"{"collection": "docs"}"#),
    Route::new(Verb::Put, "/_api/simple/by-example", Blocking, by_example)
        .about("Returns documents that match an example.")
        .with_body(r#"{"collection": "docs", "example": {"name": "Ann"}}"#),
    Route::new(Verb::Put, "/_api/simple/first-example", Blocking, first_example)
        .about("Returns one document that matches an example.")
        .with_body(r#"{"collection": "docs", "example": {"name": "Ann"}}"#),
    Route::new(Verb::Put, "/_api/simple/range", Blocking, range)
        .about("Returns documents whose attribute lies in a range.")
        .with_body(r#"{"collection": "docs", "attribute": "n", "left": 1, "right": 5}"#),
    Route::new(Verb::Put, "/_api/simple/lookup-by-keys", Blocking, lookup_by_keys)
        .about("Returns documents by their keys.")
        .with_body(r#"{"collection": "docs", "keys": ["a"]}"#),
    Route::new(Verb::Put, "/_api/simple/remove-by-keys", Blocking, remove_by_keys)
        .about("Removes documents by their keys.")
        .with_body(r#"{"collection": "docs", "keys": ["a"]}"#),
    Route::new(Verb::Put, "/_api/simple/remove-by-example", Blocking, remove_by_example)
        .about("Removes documents that match an example.")
        .with_body(r#"{"collection": "docs", "example": {"name": "Ann"}}"#),
    Route::new(Verb::Put, "/_api/simple/replace-by-example", Blocking, replace_by_example)
        .about("Replaces documents that match an example.")
        .with_body(r#"{"collection": "docs", "example": {"n": 1}, "newValue": {"n": 2}}"#),
    Route::new(Verb::Put, "/_api/simple/update-by-example", Blocking, update_by_example)
        .about("Changes documents that match an example.")
        .with_body(r#"{"collection": "docs", "example": {"n": 1}, "newValue": {"n": 2}}"#),
];

fn all(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    call.cursor(session, request, "FOR d IN @@collection LIMIT @skip, @limit RETURN d", &[])
}

fn all_keys(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    // The URL may name the collection instead.
    let parameter = request.text("collection")?;
    let call = match parameter.as_deref() {
        Some(collection) if !collection.is_empty() => Call { collection, body: body.slice() },
        _ => Call::new(body.slice())?,
    };
    let query = match body.slice().get("type").and_then(Slice::as_str) {
        Some("key") => "FOR d IN @@collection LIMIT @skip, @limit RETURN d._key".to_owned(),
        Some("id") => "FOR d IN @@collection LIMIT @skip, @limit RETURN d._id".to_owned(),
        _ => {
            let path = format!("/_db/{}/_api/document/", session.database_name());
            let path = velocypack::json::to_json_string(Slice::new(&text(&path)?), None);
            format!("FOR d IN @@collection LIMIT @skip, @limit RETURN CONCAT({path}, d._id)")
        }
    };
    call.cursor(session, request, &query, &[])
}

fn any(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let rows = call.rows(session, "FOR d IN @@collection SORT RAND() LIMIT 1 RETURN d", &[])?;
    respond_document(first(&rows).unwrap_or(Slice::NULL))
}

fn by_example(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let example = Example::of(body.slice())?;
    let query = format!("FOR d IN @@collection {} LIMIT @skip, @limit RETURN d", example.filter());
    call.cursor(session, request, &query, &example.conditions)
}

fn first_example(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let example = Example::of(body.slice())?;
    let query = format!("FOR d IN @@collection {} LIMIT 1 RETURN d", example.filter());
    let rows = call.rows(session, &query, &example.conditions)?;
    let document = first(&rows).ok_or_else(|| Error::new(ErrorCode::HttpNotFound, "no match"))?;
    respond_document(document)
}

fn range(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let attribute =
        body.slice().get("attribute").and_then(Slice::as_str).ok_or_else(|| missing("attribute"))?;
    let closed = body.slice().get("closed").and_then(Slice::as_bool).unwrap_or(false);
    let upper = if closed { "<=" } else { "<" };
    let query = format!(
        "FOR d IN @@collection FILTER d.@path >= @left AND d.@path {upper} @right SORT d.@path LIMIT @skip, @limit RETURN d"
    );
    let value = |name| body.slice().get(name).unwrap_or(Slice::NULL).bytes().to_vec();
    let values = [
        ("path".to_owned(), path_of(attribute)?),
        ("left".to_owned(), value("left")),
        ("right".to_owned(), value("right")),
    ];
    call.cursor(session, request, &query, &values)
}

fn lookup_by_keys(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let rows = call.rows(
        session,
        "FOR d IN @@collection FILTER d._key IN @keys RETURN d",
        &[call.keys_of_documents()?],
    )?;
    Response::success(StatusCode::OK, |fields| {
        fields.value("documents", result(&rows));
    })
}

fn remove_by_keys(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let call = Call::new(body.slice())?;
    let options = body.slice().get("options").unwrap_or(Slice::EMPTY_OBJECT);
    let return_old = options.get("returnOld").and_then(Slice::as_bool).unwrap_or(false);
    let silent = options.get("silent").and_then(Slice::as_bool).unwrap_or(true);
    let wait_for_sync = options.get("waitForSync").and_then(Slice::as_bool).unwrap_or(false);
    let returned = match (silent, return_old) {
        (true, _) => "",
        (false, true) => " RETURN OLD",
        (false, false) => " RETURN KEEP(OLD, '_id', '_key', '_rev')",
    };
    let query = format!(
        "FOR k IN @keys REMOVE k IN @@collection \
         OPTIONS {{ignoreErrors: true, waitForSync: {wait_for_sync}}}{returned}"
    );
    let reply = call.rows(session, &query, &[call.keys()?])?;
    Response::success(StatusCode::OK, |fields| {
        fields.number("removed", statistic(&reply, "writesExecuted"));
        fields.number("ignored", statistic(&reply, "writesIgnored"));
        if !returned.is_empty() {
            fields.value("old", result(&reply));
        }
    })
}

fn remove_by_example(session: &Session, request: &Request) -> Result<Response> {
    write_by_example(session, request, "deleted", "REMOVE d IN @@collection OPTIONS {waitForSync: @sync}")
}

fn replace_by_example(session: &Session, request: &Request) -> Result<Response> {
    let write = "REPLACE d WITH @newValue IN @@collection OPTIONS {waitForSync: @sync}";
    write_by_example(session, request, "replaced", write)
}

fn update_by_example(session: &Session, request: &Request) -> Result<Response> {
    let write = "UPDATE d WITH @newValue IN @@collection \
                 OPTIONS {waitForSync: @sync, keepNull: @keepNull, mergeObjects: @mergeObjects}";
    write_by_example(session, request, "updated", write)
}

fn write_by_example(
    session: &Session,
    request: &Request,
    counted: &'static str,
    write: &str,
) -> Result<Response> {
    let body = request.body_object()?;
    let body = body.slice();
    let call = Call::new(body)?;
    let example = Example::of(body)?;
    let options = body.get("options").filter(|options| options.is_object()).unwrap_or(Slice::EMPTY_OBJECT);
    // Options are in an object of their own, or next to the example.
    let flag = |name: &str, default: bool| {
        options.get(name).or_else(|| body.get(name)).and_then(Slice::as_bool).unwrap_or(default)
    };
    let flag = |name: &str, default| if flag(name, default) { "true" } else { "false" };
    let write = write
        .replace("@sync", flag("waitForSync", false))
        .replace("@keepNull", flag("keepNull", true))
        .replace("@mergeObjects", flag("mergeObjects", true));
    let limit =
        options.get("limit").or_else(|| body.get("limit")).and_then(Slice::as_u64).filter(|limit| *limit > 0);
    let limit = limit.map_or(String::new(), |limit| format!("LIMIT {limit} "));
    let mut values = example.conditions.clone();
    if write.contains("@newValue") {
        let new = body.get("newValue").filter(|new| new.is_object()).ok_or_else(|| missing("newValue"))?;
        values.push(("newValue".to_owned(), new.bytes().to_vec()));
    }
    let query = format!("FOR d IN @@collection {} {limit}{write}", example.filter());
    let reply = call.rows(session, &query, &values)?;
    Response::success(StatusCode::OK, |fields| {
        fields.number(counted, statistic(&reply, "writesExecuted"));
    })
}

/// The common part of all calls: a body that names a collection.
pub(super) struct Call<'a> {
    collection: &'a str,
    body: Slice<'a>,
}

/// A bind parameter: its name, and its value in VelocyPack.
pub(super) type BindValue = (String, Vec<u8>);

impl<'a> Call<'a> {
    pub(super) fn new(body: Slice<'a>) -> Result<Self> {
        let collection = body.get("collection").and_then(Slice::as_str).filter(|name| !name.is_empty());
        Ok(Call { collection: collection.ok_or_else(|| missing("collection"))?, body })
    }

    pub(super) fn collection(&self) -> &'a str {
        self.collection
    }

    fn keys(&self) -> Result<BindValue> {
        let keys = self.body.get("keys").filter(|keys| keys.is_array()).ok_or_else(|| missing("keys"))?;
        Ok(("keys".to_owned(), keys.bytes().to_vec()))
    }

    /// Returns the keys, each without the name of the collection before it.
    fn keys_of_documents(&self) -> Result<BindValue> {
        let (name, keys) = self.keys()?;
        let prefix = format!("{}/", self.collection);
        let keys = Fields::array(|fields| {
            for key in Slice::new(&keys).elements().filter_map(Slice::as_str) {
                fields.text_element(key.strip_prefix(&prefix).unwrap_or(key));
            }
        })?;
        Ok((name, keys))
    }

    /// Returns the reply of a cursor.
    pub(super) fn cursor(
        &self,
        session: &Session,
        request: &Request,
        query: &str,
        values: &[BindValue],
    ) -> Result<Response> {
        let query = self.query(query, values)?;
        Ok(respond(StatusCode::CREATED, session.query(&query, request.accepted())?))
    }

    /// Returns all rows in one reply: that of a cursor in VelocyPack.
    fn rows(&self, session: &Session, query: &str, values: &[BindValue]) -> Result<Vec<u8>> {
        let mut query = self.query(query, values)?;
        query.batch_size = usize::MAX;
        query.options.stream = false;
        Ok(session.query(&query, Format::VelocyPack)?.body)
    }

    fn query(&self, text: &str, values: &[BindValue]) -> Result<QueryRequest> {
        let number = |name: &str, default: u64| match self.body.get(name).filter(|value| !value.is_null()) {
            None => Ok(default),
            Some(value) => value
                .as_u64()
                .ok_or_else(|| Error::bad_parameter(format!("'{name}' must be a non-negative integer"))),
        };
        let (skip, limit) = (number("skip", 0)?, number("limit", i64::MAX as u64)?);
        let mut request = QueryRequest::new(text);
        request.bind_variables = Fields::object(|fields| {
            fields.text("@collection", self.collection);
            if text.contains("@skip") {
                fields.number("skip", skip).number("limit", limit);
            }
            for (name, value) in values {
                fields.value(name, Slice::new(value));
            }
        })?;
        request.count = true;
        if let Some(size) = self.body.get("batchSize").and_then(Slice::as_f64) {
            request.batch_size = batch_size(size)?;
        }
        if let Some(seconds) = self.body.get("ttl").and_then(Slice::as_f64) {
            request.ttl = ttl(seconds)?;
        }
        request.options.stream = self.body.get("stream").and_then(Slice::as_bool).unwrap_or(false);
        Ok(request)
    }
}

/// The conditions of an example: each attribute (a path, if its name has dots) equals a value.
struct Example {
    conditions: Vec<BindValue>,
    count: usize,
}

impl Example {
    fn of(body: Slice<'_>) -> Result<Self> {
        let example =
            body.get("example").filter(|example| example.is_object()).ok_or_else(|| missing("example"))?;
        if example.len() > MAX_CONDITIONS {
            return Err(Error::bad_parameter(format!(
                "an example may have at most {MAX_CONDITIONS} attributes"
            )));
        }
        let mut conditions = Vec::with_capacity(example.len() * 2);
        for (position, (name, value)) in example.entries().enumerate() {
            conditions.push((format!("path{position}"), path_of(name)?));
            conditions.push((format!("value{position}"), value.bytes().to_vec()));
        }
        Ok(Example { conditions, count: example.len() })
    }

    fn filter(&self) -> String {
        (0..self.count).map(|position| format!("FILTER d.@path{position} == @value{position} ")).collect()
    }
}

fn path_of(name: &str) -> Result<Vec<u8>> {
    Fields::array(|fields| {
        for part in name.split('.') {
            fields.text_element(part);
        }
    })
}

fn text(text: &str) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    builder.add_str(text)?;
    Ok(builder.into_vec())
}

pub(super) fn missing(name: &str) -> Error {
    Error::bad_parameter(format!("the request body needs a valid '{name}'"))
}

fn result(reply: &[u8]) -> Slice<'_> {
    Slice::new(reply).get("result").unwrap_or(Slice::EMPTY_ARRAY)
}

fn first(reply: &[u8]) -> Option<Slice<'_>> {
    result(reply).at(0)
}

fn statistic(reply: &[u8], name: &str) -> u64 {
    Slice::new(reply).get_path(&["extra", "stats", name]).and_then(Slice::as_u64).unwrap_or(0)
}

fn respond_document(document: Slice<'_>) -> Result<Response> {
    Response::success(StatusCode::OK, |fields| {
        fields.value("document", document);
    })
}
