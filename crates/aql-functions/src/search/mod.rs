//! Functions that only a search of a View or an inverted index can compute.

mod outside;

use aql_value::Function;

use crate::define::{pure, pure_variadic};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure_variadic("BM25", 1, outside::score),
    pure("EXISTS", 1, 3, outside::filter),
    pure("OFFSET_INFO", 2, 2, outside::highlight),
    pure_variadic("PHRASE", 2, outside::filter),
    pure_variadic("TFIDF", 1, outside::score),
];
