//! See `testing/fuzz-targets/src/elections_message.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("elections_message", bytes));
