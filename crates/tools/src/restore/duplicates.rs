//! Documents with a duplicate attribute, which no server can store: the first one stays.

use velocypack::{Builder, Duplicates, Limits, json};

/// Returns a block of lines in which every document has each attribute once.
///
/// Lines that are not JSON stay as they are: the server reports the error.
pub(super) fn keep_first(block: &[u8]) -> Vec<u8> {
    let mut cleaned = Vec::with_capacity(block.len());
    let (mut builder, limits) = (Builder::new(), Limits::default());
    for line in block.split_inclusive(|byte| *byte == b'\n') {
        builder.clear();
        if json::parse_strict(line, &limits, &mut builder).is_ok() {
            cleaned.extend_from_slice(line);
            continue;
        }
        builder.clear();
        let mut parser = json::Parser::new(line, &limits).with_duplicates(Duplicates::KeepFirst);
        let text = line.trim_ascii_end();
        match parser.next_value(&mut builder) {
            // The whole line is that value.
            Ok(Some(end)) if end >= text.len() => {
                cleaned.extend_from_slice(builder.as_slice().to_json_string().as_bytes());
                cleaned.extend_from_slice(line.get(text.len()..).unwrap_or_default());
            }
            _ => cleaned.extend_from_slice(line),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::keep_first;

    #[test]
    fn the_first_attribute_of_a_name_stays() {
        for (text, expected) in [
            ("{\"a\": 1, \"b\":2,\"a\":3}\r\n{\"c\" : 1}\n", "{\"a\":1,\"b\":2}\r\n{\"c\" : 1}\n"),
            (
                "{\"x\":[{\"a\":{\"b\":1,\"b\":2},\"a\":0}],\"_key\":\"k\"}",
                "{\"x\":[{\"a\":{\"b\":1}}],\"_key\":\"k\"}",
            ),
            ("\n{\"a\":1,\"a\":2} {\"b\":1}\nnot JSON\n", "\n{\"a\":1,\"a\":2} {\"b\":1}\nnot JSON\n"),
        ] {
            assert_eq!(String::from_utf8(keep_first(text.as_bytes())).unwrap(), expected);
        }
    }
}
