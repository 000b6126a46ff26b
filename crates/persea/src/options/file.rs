//! Configuration files in ArangoDB's form: `[section]` lines, `name = value` lines, `#` comments. `@NAME@` in a value stands
//! for what `--define` or the environment says of `NAME`.

/// Line number, full name and value of each entry. `meaning` tells what a name between two `@` stands for.
pub(super) fn entries(
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
            return Err(format!(
                "line {} of the configuration file is neither [section] nor name = value: {line}",
                index + 1
            ));
        };
        let name = name.trim();
        let full = if section.is_empty() || name.contains('.') {
            name.to_owned()
        } else {
            format!("{section}.{name}")
        };
        let value = fill(value.trim(), meaning).map_err(|name| {
            format!(
                "line {} of the configuration file: nothing is said of @{name}@; use --define {name}=VALUE",
                index + 1
            )
        })?;
        entries.push((index + 1, full, value));
    }
    Ok(entries)
}

/// The value with all `@NAME@` replaced. A name that nothing is said of is the error.
fn fill(value: &str, meaning: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('@') {
        filled.push_str(before);
        let name = behind.split_once('@').filter(|(name, _)| is_name(name));
        match name {
            Some((name, after)) => {
                filled.push_str(&meaning(name).ok_or_else(|| name.to_owned())?);
                rest = after;
            }
            None => {
                filled.push('@');
                rest = behind;
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
