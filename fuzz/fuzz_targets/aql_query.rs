//! See `testing/fuzz-targets/src/aql_query.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("aql_query", bytes));
