//! The little XML that S3 answers: elements with text, without attributes that matter.

/// Returns the contents of all elements of a name, in order, at any depth.
///
/// S3 never nests an element in one of the same name, so the next end tag belongs to it.
pub(crate) fn elements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(&open) {
        rest = rest.get(begin + open.len()..).unwrap_or_default();
        // A longer name begins with this one.
        if !rest.starts_with(['>', ' ', '/']) {
            continue;
        }
        let Some((tag, inner)) = rest.split_once('>') else { break };
        if tag.ends_with('/') {
            found.push("");
            rest = inner;
            continue;
        }
        let Some((content, behind)) = inner.split_once(&close) else { break };
        found.push(content);
        rest = behind;
    }
    found
}

/// Returns the text of the first element of a name.
pub(crate) fn text(xml: &str, name: &str) -> Option<String> {
    elements(xml, name).first().map(|content| unescaped(content))
}

/// Replaces the references to characters.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        plain.push_str(before);
        let Some((name, after)) = behind.split_once(';') else {
            plain.push('&');
            rest = behind;
            continue;
        };
        match character(name) {
            Some(character) => plain.push(character),
            None => plain.push_str(&format!("&{name};")),
        }
        rest = after;
    }
    plain.push_str(rest);
    plain
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

/// Returns a text as the content of an element.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_their_names() {
        let xml = "<?xml version=\"1.0\"?><L xmlns=\"http://s3\"><KeyCount>2</KeyCount>\
                   <Contents><Key>a&amp;b&#x2f;c&#100;</Key></Contents><Contents><Key>e</Key></Contents><T/></L>";
        let keys: Vec<_> =
            elements(xml, "Contents").into_iter().map(|content| text(content, "Key").unwrap()).collect();
        assert_eq!(keys, ["a&b/cd", "e"]);
        assert_eq!((text(xml, "T").as_deref(), text(xml, "KeyCount").as_deref()), (Some(""), Some("2")));
        assert_eq!((text(xml, "Count"), text("<a", "a"), text("<a>b", "a")), (None, None, None));
    }

    #[test]
    fn no_text_makes_elements_or_is_lost() {
        for plain in ["a&b", "<Key>", "&lt;", "\"", "é&;", "&#xffffffff;"] {
            assert_eq!(unescaped(&escaped(plain)), plain);
        }
        assert_eq!(unescaped("a & b; &unknown; &#xd800;"), "a & b; &unknown; &#xd800;");
    }
}
