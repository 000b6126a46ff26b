//! The vectors that a search compares: a vector index or, without one, all documents.

use catalog::AccessLevel;
use mcp::{Arguments, Object, Parameter, Printer};
use velocypack::Slice;

use super::context::Context;
use super::failure::ToolError;
use super::limits::Limits;
use super::run::{bind, run};
use crate::http::Fields;
use crate::route::query_parts::{definitions, path};

/// The collection of the vectors.
pub(super) const COLLECTION: Parameter =
    Parameter::required("collection", r#"{"type": "string", "description": "The collection"}"#);

/// The attribute with the vectors.
pub(super) const FIELD: Parameter = Parameter::optional(
    "field",
    r#"{"type": "string", "description": "The attribute with the vector; by default that of the vector index"}"#,
);

/// The vector itself.
pub(super) const VECTOR: Parameter = Parameter::optional(
    "vector",
    r#"{"type": "array", "items": {"type": "number"}, "description": "The vector to compare with"}"#,
);

/// The longest vector.
const DIMENSION_MAX: usize = 8_192;

/// The source of a vector search.
pub(super) struct VectorSource {
    collection: String,
    /// The attribute as a path of `d`.
    path: String,
    /// The function that compares, and true if the nearest vectors have the smallest values.
    function: &'static str,
    is_ascending: bool,
    /// True if an index serves the search.
    pub(super) is_indexed: bool,
    /// The vector, as VelocyPack.
    vector: Vec<u8>,
    dimension: usize,
    /// The document whose neighbours are wanted, which is not one of them.
    without: Option<String>,
}

impl VectorSource {
    /// Writes the function that compares, and whether the index answers.
    pub(super) fn describe(&self, object: &mut Object<'_>) {
        object.text("function", self.function()).bool("uses_index", self.is_indexed);
    }

    /// Reads the arguments `collection`, `field`, and `vector` or `document`.
    pub(super) fn of(context: Context<'_>, arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        let collection = arguments.required_text("collection")?;
        let collection = context.session.collection(collection, AccessLevel::ReadOnly)?;
        let wanted = arguments.text("field")?;
        let mut index = None;
        for candidate in collection.indexes() {
            let definition = definitions::of_index(&collection, candidate)?;
            let printed = definition.as_slice();
            let field = printed.get("fields").and_then(|fields| fields.at(0)).and_then(Slice::as_str);
            let is_vector = printed.get("type").and_then(Slice::as_str) == Some("vector");
            if let Some(field) =
                field.filter(|field| is_vector && wanted.is_none_or(|wanted| wanted == *field))
            {
                let metric = printed.get_path(&["params", "metric"]).and_then(Slice::as_str);
                index = Some((field.to_owned(), metric.unwrap_or_default().to_owned()));
                break;
            }
        }
        let (field, metric) = match (&index, wanted) {
            (Some((field, metric)), _) => (field.as_str(), metric.as_str()),
            (None, Some(field)) => (field, ""),
            (None, None) => {
                let message = "'field' is missing: the collection has no vector index that names one";
                return Err(ToolError::Argument(message.to_owned()));
            }
        };
        let (function, is_ascending) = match metric {
            "cosine" => ("APPROX_NEAR_COSINE", false),
            "l2" => ("APPROX_NEAR_L2", true),
            "innerProduct" => ("APPROX_NEAR_INNER_PRODUCT", false),
            _ => ("COSINE_SIMILARITY", false),
        };
        let without = arguments.text("document")?;
        let vector = match (arguments.value("vector"), without) {
            (Some(vector), None) => vector.bytes().to_vec(),
            (None, Some(id)) => vector_of(context, id, field)?,
            _ => {
                let message = "one of 'vector' and 'document' must be given".to_owned();
                return Err(ToolError::Argument(message));
            }
        };
        let dimension = checked_dimension(Slice::new(&vector))?;
        Ok(VectorSource {
            collection: collection.name().to_owned(),
            path: path("d", field)?,
            function,
            is_ascending,
            is_indexed: index.is_some(),
            vector,
            dimension,
            without: without.map(str::to_owned),
        })
    }

    /// Returns the name of the function that compares.
    pub(super) fn function(&self) -> &'static str {
        self.function
    }

    /// Returns the statements up to LIMIT, with the loop over `d` and a further condition.
    pub(super) fn statements(&self, condition: &str, limit: &str) -> String {
        let mut text = format!("FOR d IN @@mcp_collection\n{condition}");
        if self.without.is_some() {
            text.push_str("FILTER d._id != @mcp_without\n");
        }
        if !self.is_indexed {
            let path = &self.path;
            text.push_str(&format!("FILTER IS_ARRAY({path}) AND LENGTH({path}) == {}\n", self.dimension));
        }
        let order = if self.is_ascending { "ASC" } else { "DESC" };
        text.push_str(&format!("SORT {} {order}\nLIMIT {limit}\n", self.value()));
        text
    }

    /// Returns the expression of the similarity or distance.
    pub(super) fn value(&self) -> String {
        format!("{}({}, @mcp_vector)", self.function, self.path)
    }

    /// Adds the values of the parameters.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        fields.text("@mcp_collection", &self.collection).value("mcp_vector", Slice::new(&self.vector));
        if let Some(id) = &self.without {
            fields.text("mcp_without", id);
        }
    }
}

/// Returns the vector of a document.
fn vector_of(context: Context<'_>, id: &str, field: &str) -> Result<Vec<u8>, ToolError> {
    let path = path("d", field)?;
    let aql = format!("LET d = DOCUMENT(@id) RETURN {path}");
    let bind_vars = bind(|fields| {
        fields.text("id", id);
    })?;
    let rows = run(context, &aql, &bind_vars, Limits::default())?;
    let vector = rows.rows().next().filter(|vector| vector.is_array());
    let missing = || ToolError::Argument(format!("the document '{id}' has no vector in '{field}'"));
    Ok(vector.ok_or_else(missing)?.bytes().to_vec())
}

fn checked_dimension(vector: Slice<'_>) -> Result<usize, ToolError> {
    let is_good = vector.is_array()
        && (1..=DIMENSION_MAX).contains(&vector.len())
        && vector.elements().all(Slice::is_number);
    if is_good {
        return Ok(vector.len());
    }
    let mut shown = Vec::new();
    Printer { text_max_bytes: 40, drops_revisions: true }.print(vector, &mut shown);
    shown.truncate(100);
    let shown = String::from_utf8_lossy(&shown);
    Err(ToolError::Argument(format!(
        "'vector' is {shown}; it must be an array of 1 to {DIMENSION_MAX} numbers"
    )))
}
