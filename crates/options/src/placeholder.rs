//! Placeholders in values: `@NAME@` stands for the value of `NAME`, `@@` for an at sign.
//!
//! `--define` or the environment give the value.

/// Returns the value with all placeholders replaced. Errors: the first name without a meaning.
pub(crate) fn fill(value: &str, meaning: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('@') {
        filled.push_str(before);
        if let Some(after) = behind.strip_prefix('@') {
            filled.push('@');
            rest = after;
            continue;
        }
        match behind.split_once('@').filter(|(name, _)| is_name(name)) {
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
