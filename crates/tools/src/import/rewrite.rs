//! Documents without some of their attributes.

use velocypack::{Builder, Limits, Slice, json};

/// Returns every line without these top-level attributes.
///
/// A line that is not a JSON object stays as it is: the server reports the error.
pub(super) fn without(body: &[u8], removed: &[String]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut builder = Builder::new();
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        builder.clear();
        let parsed = json::parse(line, &Limits::default(), &mut builder).is_ok();
        let document = if parsed { builder.as_slice() } else { Slice::NULL };
        if !document.is_object() {
            out.extend_from_slice(line);
            continue;
        }
        out.push(b'{');
        let begin = out.len();
        let kept = document.entries().filter(|(name, _)| !removed.iter().any(|removed| removed == name));
        for (name, value) in kept {
            if out.len() > begin {
                out.push(b',');
            }
            json::write_str(name, &mut out);
            out.push(b':');
            json::write(value, None, &mut out);
        }
        out.extend_from_slice(b"}\n");
    }
    out
}
