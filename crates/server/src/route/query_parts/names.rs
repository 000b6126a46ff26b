//! Names from clients as parts of queries.

use errors::{Error, Result};

/// Bytes of the longest name.
const NAME_MAX_BYTES: usize = 256;

/// Returns a name in backticks. Errors: 10 for one that no quoting makes a name.
pub(in crate::route) fn quoted(name: &str) -> Result<String> {
    let is_good = !name.is_empty()
        && name.len() <= NAME_MAX_BYTES
        && !name.contains(['`', '\\'])
        && !name.chars().any(char::is_control);
    match is_good {
        true => Ok(format!("`{name}`")),
        false => Err(Error::bad_parameter(format!("'{name}' is not a name"))),
    }
}

/// Returns the path to an attribute of `variable`: `a.b` becomes ``variable.`a`.`b` ``.
///
/// The `[*]` of arrays, as `describe_schema` shows it, is left out: a search looks into arrays.
pub(in crate::route) fn path(variable: &str, attribute: &str) -> Result<String> {
    let attribute = attribute.replace("[*]", "");
    let parts: Vec<String> = attribute.split('.').map(quoted).collect::<Result<_>>()?;
    Ok(format!("{variable}.{}", parts.join(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_their_quotes() {
        assert_eq!(path("d", "a.b[*]").ok().as_deref(), Some("d.`a`.`b`"));
        for name in ["", "a`b", "a\\", "a..b", "a\nb"] {
            assert!(path("d", name).is_err(), "{name:?}");
        }
    }
}
