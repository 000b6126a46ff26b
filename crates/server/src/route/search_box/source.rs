//! The view of a search, and its fields.

use database::Session;
use errors::{Error, ErrorCode, Result};

use crate::route::query_parts::{definitions, text_fields};

/// The source of a search.
pub(super) struct TextSource {
    /// The name of the view.
    pub(super) view: String,
    /// The fields as paths of `d`, each with its Analyzer.
    pub(super) fields: Vec<(String, String)>,
}

impl TextSource {
    /// Finds a view, and the Analyzers of some fields, or of all that have words.
    ///
    /// Errors: 1203; 10 if no field is named and the view indexes all fields.
    pub(super) fn of_view(session: &Session, name: &str, fields: &[&str]) -> Result<Self> {
        let view = session.views()?.into_iter().find(|view| view.name == name);
        let view = view
            .ok_or_else(|| Error::new(ErrorCode::DataSourceNotFound, format!("view '{name}' not found")))?;
        let definition = definitions::of_view(session, &view)?;
        let fields = text_fields(session, definition.as_slice(), None, fields, None)?;
        Ok(TextSource { view: view.name.clone(), fields })
    }
}
