//! The view that a text search reads, and the Analyzers of its fields.

use database::Session;
use errors::{Error, ErrorCode};
use mcp::closest;
use velocypack::Slice;

use super::definitions;
use super::failure::ToolError;
use super::names::path;

/// The most fields of a search.
pub(super) const FIELDS_MAX: usize = 20;

/// The deepest nesting of fields in the definition of a link that is looked at.
const DEPTH_MAX: usize = 10;

/// The Analyzer of fields that name none.
const IDENTITY: &str = "identity";

/// The source of a text search.
pub(in crate::route) struct TextSource {
    /// The name of the view.
    pub(in crate::route) view: String,
    /// The collection to which the search is restricted, if the call names one.
    pub(super) collection: Option<String>,
    /// The fields as paths of `d`, each with its Analyzer.
    pub(in crate::route) fields: Vec<(String, String)>,
}

/// The way in which the words of a text must be found.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Any,
    All,
    Phrase,
    Prefix,
}

impl Mode {
    /// The names, the default first.
    pub(super) const WORDS: &[&str] = &["any", "all", "phrase", "prefix"];

    pub(super) fn of(word: &str) -> Self {
        match word {
            "all" => Mode::All,
            "phrase" => Mode::Phrase,
            "prefix" => Mode::Prefix,
            _ => Mode::Any,
        }
    }
}

/// A field of a view with its Analyzer. The path is empty for all fields of a collection.
struct Known {
    path: String,
    analyzer: String,
}

impl TextSource {
    /// Finds the view with a name, or a view over the collection with that name.
    ///
    /// Errors: 1203; an argument that is missing if the fields are not known.
    pub(super) fn find(
        session: &Session,
        name: &str,
        fields: &[&str],
        analyzer: Option<&str>,
    ) -> Result<Self, ToolError> {
        let mut views = Vec::new();
        for view in session.views()? {
            views.push((view.name.clone(), definitions::of_view(session, &view)?));
        }
        let is_over = |view: Slice<'_>| {
            view.get("links").is_some_and(|links| links.get(name).is_some())
                || parts_of_alias(view).any(|(collection, _)| collection == name)
        };
        let by_name = views.iter().find(|(view, _)| view == name).map(|found| (found, None));
        let by_collection = || {
            let found = views.iter().find(|(_, view)| is_over(view.as_slice()))?;
            Some((found, Some(name.to_owned())))
        };
        let found = by_name.or_else(by_collection);
        let Some(((view, definition), collection)) = found else {
            return Err(no_view(name, views.iter().map(|(name, _)| name.as_str())));
        };
        let known = known_fields(session, definition.as_slice(), collection.as_deref())?;
        let fields = chosen(&known, fields, analyzer)?;
        Ok(TextSource { view: view.clone(), collection, fields })
    }

    /// Finds the view with a name, and the Analyzers of some fields, or of all that have words.
    ///
    /// Errors: 1203; 10 if no field is named and the view indexes all fields.
    pub(in crate::route) fn of_view(session: &Session, name: &str, fields: &[&str]) -> errors::Result<Self> {
        let found = TextSource::find(session, name, fields, None).map_err(ToolError::into_error)?;
        match found.view == name {
            true => Ok(found),
            false => Err(Error::new(ErrorCode::DataSourceNotFound, format!("view '{name}' not found"))),
        }
    }

    /// Returns the condition of SEARCH. The text is the parameter `mcp_text`.
    pub(super) fn condition(&self, mode: Mode) -> String {
        let conditions: Vec<String> = (self.fields.iter().enumerate())
            .map(|(number, (path, _))| {
                let analyzer = format!("@mcp_analyzer{number}");
                match mode {
                    Mode::Any => format!("ANALYZER({path} IN TOKENS(@mcp_text, {analyzer}), {analyzer})"),
                    Mode::All => {
                        format!("ANALYZER(TOKENS(@mcp_text, {analyzer}) ALL == {path}, {analyzer})")
                    }
                    Mode::Phrase => format!("PHRASE({path}, @mcp_text, {analyzer})"),
                    Mode::Prefix => {
                        format!("ANALYZER(STARTS_WITH({path}, TOKENS(@mcp_text, {analyzer})), {analyzer})")
                    }
                }
            })
            .collect();
        conditions.join(" OR ")
    }

    /// Returns the statement that restricts the search to a collection, or nothing.
    pub(super) fn restriction(&self) -> &'static str {
        match self.collection {
            Some(_) => "FILTER IS_SAME_COLLECTION(@mcp_within, d)\n",
            None => "",
        }
    }

    /// Adds the values of the parameters, without that of the text.
    pub(super) fn bind(&self, fields: &mut crate::http::Fields<'_>) {
        fields.text("@mcp_view", &self.view);
        for (number, (_, analyzer)) in self.fields.iter().enumerate() {
            fields.text(&format!("mcp_analyzer{number}"), analyzer);
        }
        if let Some(collection) = &self.collection {
            fields.text("mcp_within", collection);
        }
    }
}

fn no_view<'n>(name: &str, views: impl Iterator<Item = &'n str> + Clone) -> ToolError {
    let message = format!("there is no view '{name}' and no view over a collection with this name");
    let error = ToolError::from(Error::new(ErrorCode::DataSourceNotFound, message));
    let similar = closest(name, views.clone());
    let names: Vec<&str> = if similar.is_empty() { views.take(20).collect() } else { similar };
    match names.is_empty() {
        true => error.with_hint("the database has no views; use query with CONTAINS or LIKE in a FILTER"),
        false => error.with_hint(format!("views are: {}", names.join(", "))),
    }
}

/// Returns the collections and indexes of a view that is an alias.
fn parts_of_alias(view: Slice<'_>) -> impl Iterator<Item = (&str, &str)> {
    let indexes = view.get("indexes").unwrap_or(Slice::EMPTY_ARRAY);
    indexes.elements().filter_map(|part| {
        Some((part.get("collection").and_then(Slice::as_str)?, part.get("index").and_then(Slice::as_str)?))
    })
}

/// Returns the fields that a view indexes, with their Analyzers.
fn known_fields(
    session: &Session,
    view: Slice<'_>,
    collection: Option<&str>,
) -> Result<Vec<Known>, ToolError> {
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
fn chosen(
    known: &[Known],
    wanted: &[&str],
    analyzer: Option<&str>,
) -> Result<Vec<(String, String)>, ToolError> {
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
        return Err(ToolError::Argument(message));
    }
    fields.iter().map(|field| Ok((path("d", field)?, analyzer_of(field)))).collect()
}
