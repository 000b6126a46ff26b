//! See `testing/fuzz-targets/src/http_request.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("http_request", bytes));
