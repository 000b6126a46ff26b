//! The fields of a view that a text search looks at, and their Analyzers.

use database::Session;
use errors::{Error, Result};
use velocypack::Slice;

use super::definitions;
use super::names::path;

/// The most fields of a search.
pub(in crate::route) const FIELDS_MAX: usize = 20;

/// The deepest nesting of fields in the definition of a link that is looked at.
const DEPTH_MAX: usize = 10;

/// The Analyzer of fields that name none.
const IDENTITY: &str = "identity";

/// A field of a view with its Analyzer. The path is empty for all fields of a collection.
struct Known {
    path: String,
    analyzer: String,
}

/// Returns the fields to search as paths of `d`, each with its Analyzer.
///
/// These are the `wanted` ones, or all that have an Analyzer for words. `view` is the view's
/// definition; only the fields of one collection of it count if one is named. `analyzer` takes the
/// place of those of the view. Errors: 10 if no field is named and the view indexes all fields.
pub(in crate::route) fn text_fields(
    session: &Session,
    view: Slice<'_>,
    collection: Option<&str>,
    wanted: &[&str],
    analyzer: Option<&str>,
) -> Result<Vec<(String, String)>> {
    chosen(&known_fields(session, view, collection)?, wanted, analyzer)
}

/// Returns true if a view has documents of a collection.
pub(in crate::route) fn is_over(view: Slice<'_>, collection: &str) -> bool {
    view.get("links").is_some_and(|links| links.get(collection).is_some())
        || parts_of_alias(view).any(|(name, _)| name == collection)
}

/// Returns the collections and indexes of a view that is an alias.
fn parts_of_alias(view: Slice<'_>) -> impl Iterator<Item = (&str, &str)> {
    let indexes = view.get("indexes").unwrap_or(Slice::EMPTY_ARRAY);
    indexes.elements().filter_map(|part| {
        Some((part.get("collection").and_then(Slice::as_str)?, part.get("index").and_then(Slice::as_str)?))
    })
}

/// Returns the fields that a view indexes, with their Analyzers.
fn known_fields(session: &Session, view: Slice<'_>, collection: Option<&str>) -> Result<Vec<Known>> {
    let is_wanted = |name: &str| collection.is_none_or(|wanted| wanted == name);
    let mut known = Vec::new();
    let links = view.get("links").unwrap_or(Slice::EMPTY_OBJECT);
    for (_, link) in links.entries().filter(|(name, _)| is_wanted(name)) {
        add_link_fields("", link, IDENTITY, 0, &mut known);
    }
    let catalog = session.catalog();
    let database = session.database_in(&catalog)?;
    for (name, index) in parts_of_alias(view).filter(|(name, _)| is_wanted(name)) {
        let Some(collection) = database.collection(name) else { continue };
        let Some(index) = collection.find_index(index) else { continue };
        add_index_fields(definitions::of_index(collection, index)?.as_slice(), &mut known);
    }
    Ok(known)
}

/// Adds the fields of a link, or of a field within.
fn add_link_fields(path: &str, link: Slice<'_>, inherited: &str, depth: usize, known: &mut Vec<Known>) {
    let analyzers = link.get("analyzers").filter(|analyzers| analyzers.is_array() && !analyzers.is_empty());
    let analyzer = analyzers.and_then(|analyzers| best(analyzers)).unwrap_or(inherited);
    let includes_all = link.get("includeAllFields").and_then(Slice::as_bool).unwrap_or(false);
    if !path.is_empty() || includes_all {
        known.push(Known { path: path.to_owned(), analyzer: analyzer.to_owned() });
    }
    if depth >= DEPTH_MAX {
        return;
    }
    for (name, field) in link.get("fields").unwrap_or(Slice::EMPTY_OBJECT).entries() {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        add_link_fields(&path, field, analyzer, depth + 1, known);
    }
}

/// Returns the Analyzer that finds words, or the first one.
fn best(analyzers: Slice<'_>) -> Option<&str> {
    let names = || analyzers.elements().filter_map(Slice::as_str);
    names().find(|name| *name != IDENTITY).or_else(|| names().next())
}

/// Adds the fields of an inverted index.
fn add_index_fields(index: Slice<'_>, known: &mut Vec<Known>) {
    let general = index.get("analyzer").and_then(Slice::as_str).unwrap_or(IDENTITY);
    if index.get("includeAllFields").and_then(Slice::as_bool) == Some(true) {
        known.push(Known { path: String::new(), analyzer: general.to_owned() });
    }
    for field in index.get("fields").unwrap_or(Slice::EMPTY_ARRAY).elements() {
        let name = field.as_str().or_else(|| field.get("name").and_then(Slice::as_str));
        let Some(name) = name else { continue };
        let analyzer = field.get("analyzer").and_then(Slice::as_str).unwrap_or(general);
        known.push(Known { path: name.replace("[*]", ""), analyzer: analyzer.to_owned() });
    }
}

/// Returns the fields to search: those of the call, or all that have an Analyzer for words.
fn chosen(known: &[Known], wanted: &[&str], analyzer: Option<&str>) -> Result<Vec<(String, String)>> {
    let analyzer_of = |field: &str| {
        let exact = known.iter().find(|known| known.path == field);
        let found = exact.or_else(|| known.iter().find(|known| known.path.is_empty()));
        analyzer.or(found.map(|known| known.analyzer.as_str())).unwrap_or(IDENTITY).to_owned()
    };
    if !wanted.is_empty() {
        let pair = |field: &&str| Ok((path("d", field)?, analyzer_of(&field.replace("[*]", ""))));
        return wanted.iter().map(pair).collect();
    }
    let named = || known.iter().filter(|known| !known.path.is_empty());
    let with_words = named().filter(|known| known.analyzer != IDENTITY);
    let mut fields: Vec<&str> = with_words.map(|known| known.path.as_str()).collect();
    if fields.is_empty() {
        fields = named().map(|known| known.path.as_str()).collect();
    }
    fields.dedup();
    fields.truncate(FIELDS_MAX);
    if fields.is_empty() {
        let message = "'fields' is missing: the view indexes all fields; name those to search".to_owned();
        return Err(Error::bad_parameter(message));
    }
    fields.iter().map(|field| Ok((path("d", field)?, analyzer_of(field)))).collect()
}
