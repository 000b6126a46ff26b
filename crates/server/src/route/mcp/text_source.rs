//! The view that a text search reads, and the Analyzers of its fields.

use database::Session;
use errors::{Error, ErrorCode};
use mcp::closest;

use super::failure::ToolError;
use crate::route::query_parts::{definitions, is_over, text_fields};

/// The source of a text search.
pub(super) struct TextSource {
    /// The name of the view.
    pub(super) view: String,
    /// The collection to which the search is restricted, if the call names one.
    pub(super) collection: Option<String>,
    /// The fields as paths of `d`, each with its Analyzer.
    fields: Vec<(String, String)>,
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
        let by_name = views.iter().find(|(view, _)| view == name).map(|found| (found, None));
        let by_collection = || {
            let found = views.iter().find(|(_, view)| is_over(view.as_slice(), name))?;
            Some((found, Some(name.to_owned())))
        };
        let found = by_name.or_else(by_collection);
        let Some(((view, definition), collection)) = found else {
            return Err(no_view(name, views.iter().map(|(name, _)| name.as_str())));
        };
        let fields = text_fields(session, definition.as_slice(), collection.as_deref(), fields, analyzer)?;
        Ok(TextSource { view: view.clone(), collection, fields })
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
