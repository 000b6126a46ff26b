//! See `testing/fuzz-targets/src/javascript_value.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("javascript_value", bytes));
