//! `/_api/search/{view}`: the search behind a search box, in one request.
//!
//! The route writes one AQL query from a few words and settings: typing errors, prefixes, synonyms,
//! boosts, a filter, facets, highlights and a vector. The words are split and analyzed first, by a
//! query of their own.

mod wrong;
mod source;
mod filter;
mod highlight;
mod nearest;
mod settings;
mod condition;
mod query;

use database::query::request::QueryRequest;
use database::{Format, Session};
use errors::{Error, ErrorCode, Result};
use hyper::StatusCode;
use velocypack::Slice;

use crate::http::Cost::Blocking;
use crate::http::{Fields, Request, Response, Route, Verb};
use condition::Words;
use highlight::Marks;
use query::Composed;
use settings::Settings;
use source::TextSource;

/// A body for the description of the route.
const BODY: &str = r#"{"query": "grahp databa", "fields": {"title": 3, "text": 1}, "filter": "d.year >= @from", "bindVars": {"from": 2020}, "facets": ["topic"], "highlight": true, "limit": 10}"#;

pub(super) const ROUTES: &[Route] = &[Route::new(Verb::Post, "/_api/search/{view}", Blocking, search)
    .about("Searches a view for words as people type them.")
    .with_body(BODY)];

fn search(session: &Session, request: &Request) -> Result<Response> {
    let name = request.parameter("view");
    let body = request.body_object()?;
    let settings = Settings::of(body.slice())?;
    let names: Vec<&str> = settings.fields.iter().map(|(name, _)| *name).collect();
    let texts = TextSource::of_view(session, name, &names)?;
    let words = Words::analyzed(&settings, &texts, session)?;
    let composed = Composed::of(&settings, &texts, &words, session)?;
    let reply = run(session, &composed.aql, composed.bind()?)?;
    let rows = Slice::new(&reply).get("result").unwrap_or(Slice::EMPTY_ARRAY);
    let row = rows.at(0).ok_or_else(|| Error::internal("a search has no row"))?;
    Response::object(StatusCode::OK, |fields| print(row, &settings, fields))
}

/// Runs a query that reads, and returns its reply.
fn run(session: &Session, aql: &str, bind: Vec<u8>) -> Result<Vec<u8>> {
    let mut request = QueryRequest::new(aql);
    request.bind_variables = bind;
    let refused = || Error::new(ErrorCode::ReadOnly, "the 'filter' of a search writes; it may only read");
    let prepared = session.prepare_query(request).map_err(|error| match error.code() {
        // The filter is a part of several subqueries.
        ErrorCode::QueryAccessAfterModification => refused(),
        _ => error,
    })?;
    if prepared.is_modification() {
        return Err(refused());
    }
    let reply = prepared.run(Format::VelocyPack)?;
    match reply.cursor {
        None => Ok(reply.body),
        Some(cursor) => {
            session.remove_cursor(cursor)?;
            Err(Error::internal("a search has more than one row"))
        }
    }
}

fn print(row: Slice<'_>, settings: &Settings<'_>, fields: &mut Fields<'_>) {
    let member = |name: &str| row.get(name).unwrap_or(Slice::EMPTY_ARRAY);
    fields.list("hits", |fields| {
        for hit in member("hits").elements() {
            fields.child_element(|fields| print_hit(hit, settings, fields));
        }
    });
    fields.value("total", row.get("total").unwrap_or(Slice::NULL));
    fields.number("offset", settings.offset).number("limit", settings.limit);
    fields.child("facets", |fields| {
        for (name, values) in settings.facets.iter().zip(member("facets").elements()) {
            fields.value(name, values);
        }
    });
}

fn print_hit(hit: Slice<'_>, settings: &Settings<'_>, fields: &mut Fields<'_>) {
    for name in ["id", "score", "ranks", "document"] {
        if let Some(value) = hit.get(name).filter(|value| !value.is_null()) {
            fields.value(name, value);
        }
    }
    let (Some(marks), Some(places)) = (&settings.marks, hit.get("offsets")) else { return };
    fields.child("highlights", |fields| {
        for place in places.elements() {
            print_highlight(marks, place, hit, fields);
        }
    });
}

/// Writes the text of one attribute with its matches marked; nothing if there are none.
fn print_highlight(marks: &Marks<'_>, place: Slice<'_>, hit: Slice<'_>, fields: &mut Fields<'_>) {
    let names: Vec<&str> =
        place.get("name").unwrap_or(Slice::EMPTY_ARRAY).elements().filter_map(Slice::as_str).collect();
    let text = hit.get("texts").and_then(|texts| texts.get_path(&names)).and_then(Slice::as_str);
    let offsets = place.get("offsets").unwrap_or(Slice::EMPTY_ARRAY).elements().filter_map(|pair| {
        Some((usize::try_from(pair.at(0)?.as_u64()?).ok()?, usize::try_from(pair.at(1)?.as_u64()?).ok()?))
    });
    if let Some(marked) = text.and_then(|text| marks.apply(text, offsets.collect())) {
        fields.text(&names.join("."), &marked);
    }
}
