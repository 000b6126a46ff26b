//! `--cache`: memory for documents.

use options::{Bytes, Maybe, Opt, bytes};

options::section! {
    pub(super) static SIZE: Opt<Maybe<Bytes>> =
        bytes("cache.size", "", "Bytes to use for caching documents and edges, taken from the block cache; 0 disables this cache. Default: a quarter of the block cache.").optional();
}
