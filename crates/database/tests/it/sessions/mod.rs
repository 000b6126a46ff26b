//! Tests of sessions on the memory engine: documents, cursors, imports, exports, dumps, indexes and
//! graphs.

#![allow(clippy::indexing_slicing, reason = "tests")]

mod all_shapes;
mod cursors;
mod dumps;
mod exports;
mod geo;
mod graphs;
mod imports;
mod mdi;
mod restores;
mod results_cache;
mod servers;
mod servers_definitions;
mod servers_results_cache;
mod tasks;
mod text_conditions;
mod transactions;
mod ttl;
mod views_while_written;
