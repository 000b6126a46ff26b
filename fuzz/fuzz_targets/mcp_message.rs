//! See `testing/fuzz-targets/src/mcp_message.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz_targets::run("mcp_message", bytes));
