//! `--cache`: memory for documents.

use options::{Bytes, Maybe, Opt, bytes};

options::section! {
    pub(super) static SIZE: Opt<Maybe<Bytes>> =
        bytes("cache.size", "", "Bytes of the cache of documents and edges, which are taken from the block cache; 0 for no such cache. Default: a quarter of the block cache.").optional();
}
