//! Labels of values.

/// Returns labels as Prometheus writes them: `name="value",...`.
pub fn labels(pairs: &[(&str, &str)]) -> String {
    let written = pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    written.collect::<Vec<_>>().join(",")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_have_any_letters() {
        assert_eq!(labels(&[("db", "a"), ("view", "b\"\\\n")]), r#"db="a",view="b\"\\\n""#);
    }
}
