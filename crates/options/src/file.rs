//! Configuration files in ArangoDB's form: `[section]` lines, `name = value` lines, `#` comments.

use crate::placeholder::fill;

/// Returns line number, full name and value of each entry.
///
/// `meaning` looks up a name between two `@`.
pub(crate) fn entries(
    path: &str,
    text: &str,
    meaning: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(usize, String, String)>, String> {
    let mut section = String::new();
    let mut entries = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim().to_owned();
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(format!("{path}:{}: neither [section] nor name = value: {line}", index + 1));
        };
        let name = name.trim();
        let full = if section.is_empty() || name.contains('.') {
            name.to_owned()
        } else {
            format!("{section}.{name}")
        };
        let value = fill(value.trim(), meaning).map_err(|name| {
            format!("{path}:{}: @{name}@ is not defined; use --define {name}=VALUE", index + 1)
        })?;
        entries.push((index + 1, full, value));
    }
    Ok(entries)
}
