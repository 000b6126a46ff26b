//! The catalog's types: databases, collections, indexes, graphs and users, with their rules.
//!
//! Nothing here reads or writes storage. Each definition is parsed from a client's request, printed
//! as ArangoDB prints it, and stored as VelocyPack after a format byte (see [`record`]).

pub mod field_path;
pub mod identifier;
pub mod name;
mod properties;
pub mod access_token;
pub mod access_rules;
pub mod computed_value;
pub mod key;
pub mod key_options;
pub mod schema;
pub mod text_index;
pub mod graph;
pub mod index;
pub mod user_function;
pub mod view;
pub mod collection;
pub mod database;
pub mod access;
mod analyzer;
pub mod user_sessions;
pub mod user;
pub mod record;
#[cfg(test)]
mod testing;

pub use access::{AccessLevel, DatabaseRights, Rights};
pub use access_rules::{AccessRules, AttributeMask, RowRule, Subjects};
pub use analyzer::{AnalyzerName, analyzer_document, analyzer_of_document, full_analyzer_name};
pub use collection::{CollectionChanges, CollectionDefinition, CollectionProperties, CollectionType};
pub use computed_value::{ComputeOn, ComputedValue};
pub use database::{
    ANALYZERS_COLLECTION, DatabaseDefinition, READER_COLLECTIONS, SYSTEM_DATABASE, has_definitions,
    system_collections,
};
pub use field_path::FieldPath;
pub use graph::{EdgeDefinition, GRAPHS_COLLECTION, GraphDefinition, GraphOptions};
pub use identifier::{CollectionId, DatabaseId, IndexId, ObjectId, ViewId};
pub use index::{IndexDefinition, IndexProperties, IndexType};
pub use key::{DocumentIdentifier, KEY_MAX_BYTES, is_valid_key};
pub use key_options::{KeyGeneratorType, KeyOptions};
pub use name::NamingRules;
pub use record::Record;
pub use schema::{SchemaLevel, SchemaRule};
pub use user::UserDefinition;
pub use user_function::UserFunction;
pub use user_sessions::UserSessions;
pub use view::{ViewDefinition, ViewKind, ViewProperties};
