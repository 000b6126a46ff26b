//! See `testing/fuzz-targets/src/random_query.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("random_query", bytes));
