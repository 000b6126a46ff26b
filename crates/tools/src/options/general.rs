//! Options without a section.

use options::{Bytes, Flag, List, Maybe, Opt, Text, bytes, flag, text};

options::section! {
    pub(crate) static CHECK_CONFIGURATION: Opt<Flag> =
        flag("check-configuration", false, "Check of the options without a run.").uncommon();
    pub(super) static COMPRESS_REQUEST_THRESHOLD: Opt<Bytes> =
        bytes("compress-request-threshold", "0", "Bytes of the smallest body of a request that is compressed; 0 for none.");
    pub(super) static COMPRESS_TRANSFER: Opt<Flag> =
        flag("compress-transfer", false, "Compressed replies, if the server has them.");
    pub(crate) static CONFIGURATION: Opt<Maybe<Text>> =
        text("configuration", "", "File with more options; `none` for none.").optional();
    pub(crate) static DEFINE: Opt<List<Text>> =
        text("define", "", "NAME=VALUE: the value of `@NAME@` in options. The environment has the others.").list().uncommon();
}
