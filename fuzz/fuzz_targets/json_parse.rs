//! See `testing/fuzz-targets/src/json_parse.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("json_parse", bytes));
