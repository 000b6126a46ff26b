//! Options without a section.

use options::{Bytes, Flag, List, Maybe, Opt, Text, bytes, flag, text};

options::section! {
    pub(crate) static CHECK_CONFIGURATION: Opt<Flag> =
        flag("check-configuration", false, "Check the options, then exit.").uncommon();
    pub(super) static COMPRESS_REQUEST_THRESHOLD: Opt<Bytes> =
        bytes("compress-request-threshold", "0", "Compress request bodies of at least this many bytes; 0 disables compression.");
    pub(super) static COMPRESS_TRANSFER: Opt<Flag> =
        flag("compress-transfer", false, "Ask the server for compressed replies.");
    pub(crate) static CONFIGURATION: Opt<Maybe<Text>> =
        text("configuration", "", "Read more options from this file; `none` reads no file.").optional();
    pub(crate) static DEFINE: Opt<List<Text>> =
        text("define", "", "Set the value of `@NAME@` in options, as NAME=VALUE. Other names are read from the environment.").list().uncommon();
}
