//! Sort expressions for which the best results should be found fast (`optimizeTopK`).

use errors::{Error, Result};
use velocypack::Slice;

use crate::properties::Properties;

/// The maximum number of expressions (ArangoDB's limit).
pub const TOP_K_MAX: usize = 64;

/// A sort expression such as `BM25(@doc, 1.2, 0.75) DESC`. Kept and printed only: no score is
/// computed twice, with or without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopK {
    /// The expression as the client wrote it.
    pub text: String,
}

/// Reads `optimizeTopK`. Errors: 10.
pub(crate) fn parse_top_k(properties: Properties<'_>) -> Result<Vec<TopK>> {
    let expressions = properties.array("optimizeTopK")?.unwrap_or(Slice::EMPTY_ARRAY);
    if expressions.len() > TOP_K_MAX {
        let message = format!("'optimizeTopK' must have at most {TOP_K_MAX} expressions");
        return Err(Error::bad_parameter(message));
    }
    expressions.elements().map(parse_one).collect()
}

fn parse_one(expression: Slice<'_>) -> Result<TopK> {
    let text = expression.as_str();
    let text = text.ok_or_else(|| Error::bad_parameter("'optimizeTopK' must be an array of strings"))?;
    if is_sort_by_score(text) {
        return Ok(TopK { text: text.to_owned() });
    }
    Err(Error::bad_parameter(format!(
        "'optimizeTopK' has '{text}'; it must be BM25() or TFIDF() of @doc with DESC behind it"
    )))
}

/// Returns true for `BM25(@doc, number, number) DESC` and `TFIDF(@doc, bool) DESC`, perhaps with
/// fewer arguments.
fn is_sort_by_score(text: &str) -> bool {
    let Some((function, rest)) = text.trim().split_once('(') else { return false };
    let Some((arguments, direction)) = rest.rsplit_once(')') else { return false };
    let mut arguments = arguments.split(',').map(str::trim);
    let is_document = arguments.next() == Some("@doc");
    let arguments: Vec<&str> = arguments.collect();
    let is_number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let is_bool = |text: &&str| text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false");
    let fits = match function.trim().to_ascii_uppercase().as_str() {
        "BM25" => arguments.len() <= 2 && arguments.iter().all(is_number),
        "TFIDF" => arguments.len() <= 1 && arguments.iter().all(is_bool),
        _ => false,
    };
    is_document && fits && direction.trim().eq_ignore_ascii_case("desc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_descending_scores_are_optimized() {
        for text in ["BM25(@doc) DESC", " bm25( @doc , 1.2, 0.75 ) desc", "TFIDF(@doc, true) DESC"] {
            assert!(is_sort_by_score(text), "{text}");
        }
        for text in
            ["", "BM25(@doc)", "BM25(@doc) ASC", "BM25(doc) DESC", "BM25(@doc, x) DESC", "LENGTH(@doc) DESC"]
        {
            assert!(!is_sort_by_score(text), "{text}");
        }
    }
}
