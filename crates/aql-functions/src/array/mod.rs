//! Array functions.

mod append;
mod element;
mod flatten;
mod fuse_ranks;
mod interleave;
mod length;
mod position;
mod range;
mod remove;
mod replace_nth;
mod reverse;
mod sets;
mod slice;
mod sort;

use aql_value::Function;

use crate::define::{pure, pure_variadic};

pub(crate) use sort::sorted_array;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("APPEND", 2, 3, append::append),
    pure("CONTAINS_ARRAY", 2, 3, position::position),
    pure("COUNT", 1, 1, length::length),
    pure("COUNT_DISTINCT", 1, 1, sort::count_distinct),
    pure("COUNT_UNIQUE", 1, 1, sort::count_distinct),
    pure("FIRST", 1, 1, element::first),
    pure("FLATTEN", 1, 2, flatten::flatten),
    pure("FUSE_RANKS", 1, 2, fuse_ranks::fuse_ranks),
    pure_variadic("INTERLEAVE", 2, interleave::interleave),
    pure_variadic("INTERSECTION", 2, sets::intersection),
    pure("JACCARD", 2, 2, sets::jaccard),
    pure("LAST", 1, 1, element::last),
    pure("LENGTH", 1, 1, length::length),
    pure_variadic("MINUS", 2, sets::minus),
    pure("NTH", 2, 2, element::nth),
    pure_variadic("OUTERSECTION", 2, sets::outersection),
    pure("POP", 1, 1, remove::pop),
    pure("POSITION", 2, 3, position::position),
    pure("PUSH", 2, 3, append::push),
    pure("RANGE", 2, 3, range::range),
    pure("REMOVE_NTH", 2, 2, remove::remove_nth),
    pure("REMOVE_VALUE", 2, 3, remove::remove_value),
    pure("REMOVE_VALUES", 2, 2, remove::remove_values),
    pure("REPLACE_NTH", 3, 4, replace_nth::replace_nth),
    pure("REVERSE", 1, 1, reverse::reverse),
    pure("SHIFT", 1, 1, remove::shift),
    pure("SLICE", 2, 3, slice::slice),
    pure("SORTED", 1, 1, sort::sorted),
    pure("SORTED_UNIQUE", 1, 1, sort::sorted_unique),
    pure_variadic("UNION", 2, sets::union),
    pure_variadic("UNION_DISTINCT", 2, sets::union_distinct),
    pure_variadic("UNION_DISTINCT_STABLE", 2, sets::union_distinct_stable),
    pure("UNIQUE", 1, 1, sort::unique),
    pure("UNSHIFT", 2, 3, append::unshift),
];
