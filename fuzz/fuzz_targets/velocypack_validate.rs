//! See `testing/fuzz-targets/src/velocypack_validate.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("velocypack_validate", bytes));
