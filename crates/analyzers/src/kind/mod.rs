//! The types of analyzers, one file each.

mod aql;
mod collation;
mod delimiter;
mod geo;
mod geojson;
mod geopoint;
mod identity;
mod minhash;
mod multi_delimiter;
mod nested;
mod ngram;
mod norm;
mod pipeline;
mod segmentation;
mod stem;
mod stopwords;
mod text;
mod wildcard;

use std::fmt::Debug;
use std::sync::Arc;

use errors::{Error, Result};
use geometry::Shape;
use velocypack::{Builder, Slice};

use crate::properties::Properties;
use crate::query::QueryCompiler;
use crate::token::{Input, Sink};

pub use geojson::Format;

/// Maximum nesting depth of analyzers.
const DEPTH_MAX: usize = 16;

/// The properties of an analyzer of one type.
pub(crate) trait Kind: Debug + Send + Sync {
    /// Adds the properties to an open object, with defaults and in normal form.
    fn print(&self, out: &mut Builder) -> velocypack::Result<()>;

    /// Returns the function that makes tokens. Errors: of the compiler, for queries.
    fn open(&self, queries: &dyn QueryCompiler) -> Result<Box<dyn Tokenizer>>;

    /// Returns the form in which an index stores shapes, for a geo-spatial type.
    fn format(&self) -> Option<Format> {
        None
    }

    /// Returns true for types that take values other than texts, which pipelines cannot contain.
    fn takes_values(&self) -> bool {
        self.format().is_some()
    }

    /// Returns true if it runs a query, which may take any time.
    fn runs_query(&self) -> bool {
        false
    }

    /// Returns true if tokens have places in the input.
    fn has_offsets(&self) -> bool {
        !self.takes_values()
    }
}

/// Adds the properties as an object.
pub(crate) fn print_object(kind: &dyn Kind, out: &mut Builder) -> velocypack::Result<()> {
    out.open_object()?;
    kind.print(out)?;
    out.close()
}

/// A function from an input to its tokens.
pub(crate) trait Tokenizer: Send + Sync {
    /// Passes the tokens to the sink, in order.
    fn tokens(&self, input: Input<'_>, sink: &mut dyn Sink) -> Result<()>;

    /// Returns the form of the terms.
    fn output(&self) -> Output {
        Output::Text
    }

    /// Returns the shape that a value has for a geo-spatial analyzer, which the index then holds.
    fn shape(&self, _value: Slice<'_>) -> Option<Shape> {
        None
    }
}

/// The form of an analyzer's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// UTF-8, except for n-grams of bytes that cut a character.
    Text,
    /// The eight bytes of a double, least significant first.
    Number,
    /// One byte: 0 or 1.
    Bool,
}

/// The reader of a type's properties.
type Read = fn(&Properties<'_>) -> Result<Arc<dyn Kind>>;

/// The types by name.
const KINDS: [(&str, Read); 17] = [
    ("aql", aql::read),
    ("collation", collation::read),
    ("delimiter", delimiter::read),
    ("geo_s2", geojson::read_s2),
    ("geojson", geojson::read),
    ("geopoint", geopoint::read),
    ("identity", identity::read),
    ("minhash", minhash::read),
    ("multi_delimiter", multi_delimiter::read),
    ("ngram", ngram::read),
    ("norm", norm::read),
    ("pipeline", pipeline::read),
    ("segmentation", segmentation::read),
    ("stem", stem::read),
    ("stopwords", stopwords::read),
    ("text", text::read),
    ("wildcard", wildcard::read),
];

/// Reads the properties of an analyzer of a type. `depth` is the number of analyzers around it.
///
/// Errors: 9 for a type that is not supported; 10 for an unknown type, or wrong properties.
pub(crate) fn read(name: &str, properties: Slice<'_>, depth: usize) -> Result<(&'static str, Arc<dyn Kind>)> {
    if matches!(name, "classification" | "nearest_neighbors") {
        let message = format!("analyzers of type '{name}', which need a fastText model");
        return Err(Error::not_implemented(message));
    }
    let Some((name, read)) = KINDS.iter().find(|(known, _)| *known == name) else {
        return Err(Error::bad_parameter(format!("unknown analyzer type '{name}'")));
    };
    if depth > DEPTH_MAX {
        let message = format!("analyzers must not be nested deeper than {DEPTH_MAX} levels");
        return Err(Error::bad_parameter(message));
    }
    Ok((name, read(&Properties::of(properties, name, depth)?)?))
}
