//! See `testing/fuzz-targets/src/sort_key.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("sort_key", bytes));
