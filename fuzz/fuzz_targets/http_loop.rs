//! See `testing/fuzz-targets/src/http_loop.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("http_loop", bytes));
