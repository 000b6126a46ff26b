//! Options of the vector index.
//!
//! Source: ArangoDB 3.12 documentation, "Vector index HTTP API" and "Vector indexes".

use errors::{Error, Result};

use super::{
    Capabilities, Factory, IndexProperties, Metric, SearchShape, TypeOptions, TypeRules, VectorEncoding,
    check_plain_fields, parse_stored_values,
};
use crate::properties::{Printer, Properties};

/// The maximum number of elements of an indexed vector.
const DIMENSION_MAX: u64 = 1 << 16;
/// The maximum number of floats in all centroids of an index, which stay in memory: 256 MiB.
const CENTROID_FLOATS_MAX: u64 = 1 << 26;

/// The options of a vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorOptions {
    /// The measure of nearness.
    pub metric: Metric,
    /// The number of elements of each vector.
    pub dimension: usize,
    /// The number of lists that the vectors are divided into.
    pub lists: ListCount,
    /// Lists that a query searches unless it says otherwise.
    pub default_n_probe: u64,
    /// Maximum number of rounds of the training.
    pub training_iterations: u64,
    /// Vectors for each list in the sample that the training reads.
    pub documents_per_centroid: u64,
    /// The number of lists and the encoding as the client demands them.
    pub factory: Option<Factory>,
}

/// The number of lists of a vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListCount {
    /// A fixed number.
    Fixed(u64),
    /// `max(min_lists, multiplier * sqrt(documents))`, or that of the last tier that is reached.
    Scaling {
        /// The factor of the square root.
        multiplier: u64,
        /// The minimum number, and the number of documents that a training needs.
        min_lists: u64,
        /// Fixed numbers for many documents, as the client ordered them.
        tiers: Vec<Tier>,
    },
}

/// The number of lists from a number of documents on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tier {
    /// The minimum number of documents.
    pub threshold: u64,
    /// The number of lists.
    pub lists: u64,
}

impl ListCount {
    /// Returns the number of documents that a training needs.
    pub fn documents_needed(&self) -> u64 {
        match self {
            ListCount::Fixed(lists) => *lists,
            ListCount::Scaling { min_lists, .. } => *min_lists,
        }
    }

    /// Returns the number of lists for a number of documents.
    pub fn resolve(&self, documents: u64) -> u64 {
        match self {
            ListCount::Fixed(lists) => *lists,
            ListCount::Scaling { multiplier, min_lists, tiers } => {
                let reached = tiers.iter().filter(|tier| tier.threshold <= documents);
                match reached.max_by_key(|tier| tier.threshold) {
                    Some(tier) => tier.lists,
                    None => ((*multiplier as f64 * (documents as f64).sqrt()) as u64).max(*min_lists),
                }
            }
        }
    }
}

impl Default for ListCount {
    fn default() -> Self {
        let tier = |threshold, lists| Tier { threshold, lists };
        let tiers = vec![tier(1_000_000, 16_384), tier(10_000_000, 65_536), tier(300_000_000, 131_072)];
        ListCount::Scaling { multiplier: 4, min_lists: 2, tiers }
    }
}

impl VectorOptions {
    /// Returns the number of lists that a training of this many documents makes. It is bounded by
    /// the documents and by the memory that centroids may take.
    pub fn lists_for(&self, documents: u64) -> u64 {
        let most = (CENTROID_FLOATS_MAX / (self.dimension as u64).max(1)).max(1);
        self.lists.resolve(documents).min(documents).min(most).max(1)
    }

    /// Returns the number of lists that the factory text demands, if it demands one.
    pub fn factory_lists(&self) -> Option<u64> {
        self.factory.as_ref()?.lists
    }

    /// Returns how the lists of a trained index store vectors.
    pub fn encoding(&self) -> VectorEncoding {
        self.factory.as_ref().map_or(VectorEncoding::Flat, |factory| factory.encoding(self.dimension))
    }
}

pub(super) struct Vector;

impl TypeRules for Vector {
    fn parse(&self, index: &mut IndexProperties, properties: Properties<'_>) -> Result<()> {
        check_plain_fields(index, 1)?;
        if properties.boolean("unique")?.unwrap_or(false) {
            return Err(Error::bad_parameter("a vector index cannot be unique"));
        }
        let params = properties.object("params")?;
        let params = params.ok_or_else(|| Error::bad_parameter("'params' of a vector index is missing"))?;
        index.sparse = properties.boolean("sparse")?.unwrap_or(false);
        index.estimates = false;
        index.stored_values = parse_stored_values(properties)?;
        if let Some(path) = index.stored_values.iter().find(|path| path.is_expanded()) {
            return Err(Error::bad_parameter(format!("'storedValues' cannot expand an array: '{path}'")));
        }
        index.parallelism = super::parse_parallelism(properties)?;
        properties.boolean("inBackground")?;
        index.options = TypeOptions::Vector(Box::new(parse_options(params)?));
        Ok(())
    }

    fn check_new(&self, index: &IndexProperties) -> Result<()> {
        let TypeOptions::Vector(options) = &index.options else { return Ok(()) };
        options.factory.as_ref().map_or(Ok(()), |factory| factory.check_encoding(options.dimension))
    }

    fn print(&self, index: &IndexProperties, printer: &mut Printer<'_>) {
        if !index.stored_values.is_empty() {
            printer.texts("storedValues", index.stored_values.iter().map(ToString::to_string));
        }
        if let TypeOptions::Vector(options) = &index.options {
            printer.object("params", |printer| print_options(options, printer));
        }
    }

    fn is_same(&self, own: &IndexProperties, wanted: &IndexProperties) -> bool {
        own.options == wanted.options && own.stored_values == wanted.stored_values
    }

    fn capabilities(&self, index: &IndexProperties) -> Capabilities {
        let TypeOptions::Vector(options) = &index.options else { return Capabilities::default() };
        let search = SearchShape::Near { metric: options.metric };
        Capabilities { search, covers: true, ..Capabilities::default() }
    }
}

fn parse_options(params: Properties<'_>) -> Result<VectorOptions> {
    let metric = params.text("metric")?.and_then(Metric::from_name);
    let metric = metric
        .ok_or_else(|| Error::bad_parameter("'metric' must be one of 'cosine', 'l2' and 'innerProduct'"))?;
    let dimension = positive(params, "dimension", None)?;
    if dimension > DIMENSION_MAX {
        return Err(Error::bad_parameter(format!("'dimension' must be at most {DIMENSION_MAX}")));
    }
    let lists = parse_lists(params)?;
    if let ListCount::Fixed(fixed) = lists
        && fixed > CENTROID_FLOATS_MAX / dimension
    {
        let most = CENTROID_FLOATS_MAX / dimension;
        let message = format!("'nLists' must be at most {most} for vectors of dimension {dimension}");
        return Err(Error::bad_parameter(message));
    }
    let factory = params.text("factory")?.map(Factory::parse).transpose()?;
    Ok(VectorOptions {
        metric,
        dimension: usize::try_from(dimension).unwrap_or(usize::MAX),
        lists,
        default_n_probe: positive(params, "defaultNProbe", Some(1))?,
        training_iterations: positive(params, "trainingIterations", Some(25))?,
        documents_per_centroid: positive(params, "numberOfDocsPerCentroid", Some(100))?,
        factory,
    })
}

/// Reads a number that is at least 1.
fn positive(properties: Properties<'_>, name: &str, default: Option<u64>) -> Result<u64> {
    match properties.unsigned(name)?.or(default) {
        Some(number) if number > 0 => Ok(number),
        Some(_) => Err(Error::bad_parameter(format!("'{name}' must be 1 or greater"))),
        None => Err(Error::bad_parameter(format!("'{name}' is missing"))),
    }
}

fn parse_lists(params: Properties<'_>) -> Result<ListCount> {
    let Some(value) = params.value("nLists") else { return Ok(ListCount::default()) };
    if !value.is_object() {
        return Ok(ListCount::Fixed(positive(params, "nLists", None)?));
    }
    let scaling = Properties::of(value, "'nLists'")?;
    if scaling.text("strategy")? != Some("autoSqrt") {
        return Err(Error::bad_parameter("'strategy' of 'nLists' must be 'autoSqrt'"));
    }
    let mut tiers = Vec::new();
    for tier in scaling.array("tiers")?.into_iter().flat_map(|tiers| tiers.elements()) {
        let tier = Properties::of(tier, "a tier of 'nLists'")?;
        let (threshold, lists) = (positive(tier, "threshold", None)?, positive(tier, "fixedValue", None)?);
        tiers.push(Tier { threshold, lists });
    }
    Ok(ListCount::Scaling {
        multiplier: positive(scaling, "multiplier", None)?,
        min_lists: positive(scaling, "minNLists", None)?,
        tiers,
    })
}

fn print_options(options: &VectorOptions, printer: &mut Printer<'_>) {
    printer.text("metric", options.metric.name());
    printer.unsigned("dimension", options.dimension as u64);
    match &options.lists {
        ListCount::Fixed(lists) => printer.unsigned("nLists", *lists),
        ListCount::Scaling { multiplier, min_lists, tiers } => printer.object("nLists", |printer| {
            printer.text("strategy", "autoSqrt");
            printer.unsigned("multiplier", *multiplier);
            printer.unsigned("minNLists", *min_lists);
            printer.objects("tiers", tiers, |tier, printer| {
                printer.unsigned("threshold", tier.threshold);
                printer.unsigned("fixedValue", tier.lists);
            });
        }),
    }
    printer.unsigned("defaultNProbe", options.default_n_probe);
    printer.unsigned("trainingIterations", options.training_iterations);
    printer.unsigned("numberOfDocsPerCentroid", options.documents_per_centroid);
    if let Some(factory) = &options.factory {
        printer.text("factory", &factory.text);
    }
}
