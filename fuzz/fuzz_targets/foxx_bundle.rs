//! See `testing/fuzz-targets/src/foxx_bundle.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("foxx_bundle", bytes));
