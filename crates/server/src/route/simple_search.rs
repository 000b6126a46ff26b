//! `/_api/simple`: queries that need a geo or fulltext index. Each calls a function of AQL.

use catalog::AccessLevel;
use database::Session;
use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use super::simple::{BindValue, Call, missing};
use crate::http::Cost::Blocking;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::route::{Route, Verb};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Verb::Put, "/_api/simple/near", Blocking, near)
        .about("Returns the documents nearest to a place.")
        .with_body(r#"{"collection": "docs", "latitude": 0, "longitude": 0, "limit": 10}"#),
    Route::new(Verb::Put, "/_api/simple/within", Blocking, within)
        .about("Returns the documents within a distance of a place.")
        .with_body(r#"{"collection": "docs", "latitude": 0, "longitude": 0, "radius": 1000}"#),
    Route::new(Verb::Put, "/_api/simple/within-rectangle", Blocking, within_rectangle)
        .about("Returns the documents within a rectangle.")
        .with_body(
            r#"{"collection": "docs", "latitude1": 0, "longitude1": 0, "latitude2": 1, "longitude2": 1}"#,
        ),
    Route::new(Verb::Put, "/_api/simple/fulltext", Blocking, fulltext)
        .about("Finds documents by words.")
        .with_body(r#"{"collection": "docs", "attribute": "text", "query": "word"}"#),
];

/// Default number of documents that `near` returns.
const NEAR_DEFAULT_LIMIT: u64 = 100;

fn near(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let search = Search::new(session, body.slice())?;
    let mut values = vec![search.number("latitude")?, search.number("longitude")?];
    let whole = |name: &str| body.slice().get(name).and_then(Slice::as_u64);
    let count = whole("limit").unwrap_or(NEAR_DEFAULT_LIMIT).saturating_add(whole("skip").unwrap_or(0));
    values.push(("count".to_owned(), packed(|builder| builder.add_u64(count.min(i64::MAX as u64)))?));
    let distance = search.distance(&mut values)?;
    let query = format!(
        "FOR d IN NEAR(@@collection, @latitude, @longitude, @count{distance}) LIMIT @skip, @limit RETURN d"
    );
    search.call.cursor(session, request, &query, &values)
}

fn within(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let search = Search::new(session, body.slice())?;
    let names = ["latitude", "longitude", "radius"];
    let mut values = names.into_iter().map(|name| search.number(name)).collect::<Result<Vec<_>>>()?;
    let distance = search.distance(&mut values)?;
    let query = format!(
        "FOR d IN WITHIN(@@collection, @latitude, @longitude, @radius{distance}) LIMIT @skip, @limit RETURN d"
    );
    search.call.cursor(session, request, &query, &values)
}

fn within_rectangle(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let search = Search::new(session, body.slice())?;
    let names = ["latitude1", "longitude1", "latitude2", "longitude2"];
    let values = names.into_iter().map(|name| search.number(name)).collect::<Result<Vec<_>>>()?;
    let query = "FOR d IN WITHIN_RECTANGLE(@@collection, @latitude1, @longitude1, @latitude2, @longitude2)
        LIMIT @skip, @limit RETURN d";
    search.call.cursor(session, request, query, &values)
}

fn fulltext(session: &Session, request: &Request) -> Result<Response> {
    let body = request.body_object()?;
    let search = Search::new(session, body.slice())?;
    let text = |name: &str| {
        let text = body.slice().get(name).filter(|value| value.is_string()).ok_or_else(|| missing(name))?;
        Ok::<BindValue, Error>((name.to_owned(), text.bytes().to_vec()))
    };
    let values = [text("attribute")?, text("query")?];
    let query = "FOR d IN FULLTEXT(@@collection, @attribute, @query) LIMIT @skip, @limit RETURN d";
    search.call.cursor(session, request, query, &values).map_err(|error| match error.code() {
        ErrorCode::QueryFulltextIndexMissing => error.with_status(400),
        _ => error,
    })
}

/// A search of an existing collection.
struct Search<'a> {
    call: Call<'a>,
    body: Slice<'a>,
}

impl<'a> Search<'a> {
    fn new(session: &Session, body: Slice<'a>) -> Result<Self> {
        let call = Call::new(body)?;
        session.collection(call.collection(), AccessLevel::ReadOnly)?;
        Ok(Search { call, body })
    }

    fn number(&self, name: &str) -> Result<BindValue> {
        let number = self.body.get(name).filter(|value| value.is_number()).ok_or_else(|| missing(name))?;
        Ok((name.to_owned(), number.bytes().to_vec()))
    }

    /// Returns the argument that names the attribute for distances, if the body has one.
    fn distance(&self, values: &mut Vec<BindValue>) -> Result<&'static str> {
        let Some(name) = self.body.get("distance").and_then(Slice::as_str) else { return Ok("") };
        values.push(("distance".to_owned(), packed(|builder| builder.add_str(name))?));
        Ok(", @distance")
    }
}

fn packed(add: impl FnOnce(&mut Builder) -> velocypack::Result<()>) -> Result<Vec<u8>> {
    let mut builder = Builder::new();
    add(&mut builder)?;
    Ok(builder.into_vec())
}
