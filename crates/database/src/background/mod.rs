//! Work in the background: the threads of an instance ([`housekeeping`]), and what they do.

mod broken_restores;
mod housekeeping;
mod index_training;
mod query_log;
mod search_upkeep;
