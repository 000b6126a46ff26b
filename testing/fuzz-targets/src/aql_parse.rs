//! Any text: the parser does not panic, and a parsed query is printed and parsed again without
//! loss.

use aql_syntax::{Limits, collect_bind_parameters, parse, print};
use errors::ErrorCode;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(query) = parse(text, &Limits::default()) else { return };
    collect_bind_parameters(&query);
    let printed = print(&query);
    let mut again = match parse(&printed, &Limits::default()) {
        Ok(again) => again,
        Err(error) => {
            // The printed text may need a few more parentheses than the original.
            assert_eq!(error.code, ErrorCode::QueryTooMuchNesting, "{printed}\n{error}");
            return;
        }
    };
    assert_eq!(print(&again), printed, "printing is stable");
    // A number that is out of range is printed as null, without a warning.
    again.warnings.clone_from(&query.warnings);
    assert_eq!(again.without_spans(), query.without_spans(), "the tree survives printing");
}
