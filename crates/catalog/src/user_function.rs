//! Functions that users write in JavaScript, as documents of the system collection
//! [`FUNCTIONS_COLLECTION`].
//!
//! Source: ArangoDB 3.12 documentation, "User-defined AQL functions HTTP API".

use errors::{Error, ErrorCode, Result};
use velocypack::{Builder, Slice};

use crate::KEY_MAX_BYTES;
use crate::properties::{Printer, Properties};

/// The system collection whose documents are the functions of its database.
pub const FUNCTIONS_COLLECTION: &str = "_aqlfunctions";

/// The maximum length of a function's code, in bytes.
pub const FUNCTION_CODE_MAX_BYTES: usize = 1 << 20;

/// The separator between the parts of a name.
const SEPARATOR: &str = "::";

/// A user's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFunction {
    /// The name with all namespaces, as the user wrote it.
    pub name: String,
    /// The JavaScript text of the function.
    pub code: String,
    /// True if the user declares that the same arguments give the same result.
    pub is_deterministic: bool,
}

impl UserFunction {
    /// Reads the body of a request that stores a function.
    ///
    /// Errors: 1580, 1581, 10.
    pub fn parse(body: Slice<'_>) -> Result<Self> {
        let body = Properties::of(body, "a function")?;
        let name = body.value("name").and_then(Slice::as_str).unwrap_or_default();
        let code = body.value("code").and_then(Slice::as_str).unwrap_or_default();
        function_key(name)?;
        if !looks_like_a_function(code) || code.len() > FUNCTION_CODE_MAX_BYTES {
            let message = "invalid user function code: expecting the text of a JavaScript function";
            return Err(Error::new(ErrorCode::QueryFunctionInvalidCode, message));
        }
        let is_deterministic = body.boolean("isDeterministic")?.unwrap_or(false);
        Ok(UserFunction { name: name.to_owned(), code: code.to_owned(), is_deterministic })
    }

    /// Reads a stored function; `None` for a document that is not a function.
    pub fn from_document(document: Slice<'_>) -> Option<Self> {
        Some(UserFunction {
            name: document.get("name")?.as_str()?.to_owned(),
            code: document.get("code")?.as_str()?.to_owned(),
            is_deterministic: document.get("isDeterministic").and_then(Slice::as_bool).unwrap_or(false),
        })
    }

    /// Adds `name`, `code` and `isDeterministic` to an object that is open in `builder`.
    ///
    /// Errors: 4 if no object is open.
    pub fn print(&self, builder: &mut Builder) -> Result<()> {
        Printer::print(builder, |printer| {
            printer.text("name", &self.name);
            printer.text("code", &self.code);
            printer.boolean("isDeterministic", self.is_deterministic);
        })
    }
}

/// Returns the document key of a function's name; names are case-insensitive.
///
/// Errors: 1580 unless the name has a namespace, consists of letters, digits and underscores, and
/// its namespace is not one of the server's.
pub fn function_key(name: &str) -> Result<String> {
    let mut parts = name.split(SEPARATOR);
    let all_fit = parts.clone().all(is_name_part) && parts.clone().count() > 1;
    let is_own = parts.next().is_some_and(|namespace| namespace.starts_with('_'));
    if all_fit && !is_own && name.len() <= KEY_MAX_BYTES {
        return Ok(name.to_ascii_uppercase());
    }
    let message = "invalid user function name: expecting NAMESPACE::FUNCTION";
    Err(Error::new(ErrorCode::QueryFunctionInvalidName, message))
}

/// Returns the prefix of the document keys of all functions of a namespace.
///
/// Errors: 1580.
pub fn namespace_prefix(namespace: &str) -> Result<String> {
    let namespace = namespace.strip_suffix(SEPARATOR).unwrap_or(namespace);
    if namespace.split(SEPARATOR).all(is_name_part) && namespace.len() <= KEY_MAX_BYTES {
        return Ok(format!("{}{SEPARATOR}", namespace.to_ascii_uppercase()));
    }
    let message = "invalid user function name: expecting a namespace of letters, digits and underscores";
    Err(Error::new(ErrorCode::QueryFunctionInvalidName, message))
}

fn is_name_part(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns true if a text looks like a function; the catalog has no JavaScript parser.
fn looks_like_a_function(code: &str) -> bool {
    let code = code.trim_start().trim_start_matches('(').trim_start();
    let code = code.strip_prefix("async").map_or(code, str::trim_start);
    code.starts_with("function") || code.contains("=>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::value;

    fn parse(json: &str) -> Result<UserFunction> {
        UserFunction::parse(Slice::new(&value(json)))
    }

    #[test]
    fn names_have_namespaces() {
        assert_eq!(function_key("my::Fn_2").unwrap(), "MY::FN_2");
        assert_eq!(function_key("a::b::c").unwrap(), "A::B::C");
        let long = format!("a::{}", "b".repeat(254));
        for name in ["", "fn", "::fn", "a::", "a:b", "a::::b", "a::b c", "_aql::x", "a::ä", &long] {
            assert_eq!(function_key(name).unwrap_err().number(), 1580, "{name}");
        }
        assert_eq!(namespace_prefix("my").unwrap(), "MY::");
        assert_eq!(namespace_prefix("my::x::").unwrap(), "MY::X::");
        assert_eq!(namespace_prefix("my:x").unwrap_err().number(), 1580);
    }

    #[test]
    fn code_is_a_function() {
        for code in ["function (x) { return x; }", " (function () {})", "async function f() {}", "x => x + 1"]
        {
            let parsed = parse(&format!(r#"{{"name": "a::b", "code": "{code}"}}"#)).unwrap();
            assert_eq!((parsed.code.as_str(), parsed.is_deterministic), (code, false));
        }
        for body in
            [r#"{"name": "a::b"}"#, r#"{"name": "a::b", "code": ""}"#, r#"{"name": "a::b", "code": "1 + 1"}"#]
        {
            assert_eq!(parse(body).unwrap_err().number(), 1581, "{body}");
        }
        assert_eq!(parse(r#"{"name": "a", "code": "x => x"}"#).unwrap_err().number(), 1580);
        assert_eq!(
            parse(r#"{"name": "a::b", "code": "x => x", "isDeterministic": 1}"#).unwrap_err().number(),
            10
        );
    }
}
