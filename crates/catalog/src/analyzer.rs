//! Analyzers that users define, as documents of the system collection
//! [`crate::ANALYZERS_COLLECTION`].

use analyzers::{Definition, is_valid_name};
use errors::Result;
use velocypack::{Builder, Slice};

use crate::SYSTEM_DATABASE;

/// The separator between the name of a database and that of its analyzer.
const SEPARATOR: &str = "::";

/// The name of an analyzer, divided into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyzerName<'a> {
    /// The database that the name begins with; `None` without one.
    pub database: Option<&'a str>,
    /// The name in that database.
    pub local: &'a str,
}

impl<'a> AnalyzerName<'a> {
    /// Divides `database::name`. The name of `_system` may be omitted: `::name`.
    pub fn parse(name: &'a str) -> Self {
        match name.rsplit_once(SEPARATOR) {
            Some(("", local)) => AnalyzerName { database: Some(SYSTEM_DATABASE), local },
            Some((database, local)) => AnalyzerName { database: Some(database), local },
            None => AnalyzerName { database: None, local: name },
        }
    }
}

/// Returns the name of a user's analyzer with that of its database.
pub fn full_analyzer_name(database: &str, local: &str) -> String {
    format!("{database}{SEPARATOR}{local}")
}

/// Returns the document that stores a definition. Its key is the name without the database's.
///
/// Errors: 4 if it cannot be built.
pub fn analyzer_document(local: &str, definition: &Definition) -> Result<Builder> {
    let mut out = Builder::new();
    out.open_object()?;
    out.key("_key")?;
    out.add_str(local)?;
    definition.clone().renamed(local.to_owned()).print(&mut out)?;
    out.close()?;
    Ok(out)
}

/// Reads a stored definition, and names it with its database.
///
/// `None` for a document that defines no analyzer, or one that this server does not support.
pub fn analyzer_of_document(database: &str, document: Slice<'_>) -> Option<Definition> {
    let local = document.get("name").or_else(|| document.get("_key"))?.as_str()?;
    if !is_valid_name(local) {
        return None;
    }
    Definition::parse(&full_analyzer_name(database, local), document).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::value;

    #[test]
    fn names_have_two_parts() {
        let parts = |name| {
            let AnalyzerName { database, local } = AnalyzerName::parse(name);
            (database, local)
        };
        assert_eq!(parts("text_en"), (None, "text_en"));
        assert_eq!(parts("shop::csv"), (Some("shop"), "csv"));
        assert_eq!(parts("::csv"), (Some("_system"), "csv"));
        assert_eq!(parts("a::b::csv"), (Some("a::b"), "csv"));
    }

    #[test]
    fn documents_are_definitions() {
        let json = r#"{"_key":"csv","name":"csv","type":"delimiter","properties":{"delimiter":","},"features":["norm"]}"#;
        let definition = analyzer_of_document("shop", Slice::new(&value(json))).unwrap();
        assert_eq!(definition.name(), "shop::csv");
        let document = analyzer_document("csv", &definition).unwrap();
        assert_eq!(velocypack::json::to_json_string(document.as_slice(), None), json);
        for json in
            ["{}", r#"{"name":"a"}"#, r#"{"name":"a b","type":"identity"}"#, r#"{"name":"a","type":"none"}"#]
        {
            assert!(analyzer_of_document("shop", Slice::new(&value(json))).is_none(), "{json}");
        }
    }
}
