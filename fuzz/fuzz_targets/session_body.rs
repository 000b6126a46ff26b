//! See `testing/fuzz-targets/src/session_body.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("session_body", bytes));
