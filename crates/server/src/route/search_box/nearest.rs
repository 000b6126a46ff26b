//! The vector of a search, whose neighbours are fused with the texts.

use catalog::AccessLevel;
use database::Session;
use errors::Result;
use velocypack::Slice;

use super::filter::OWN;
use super::wrong::wrong;
use crate::http::Fields;
use crate::route::query_parts::{definitions, path};

/// The longest vector.
const DIMENSION_MAX: usize = 8_192;
/// Greatest weight.
const WEIGHT_MAX: f64 = 1000.0;

/// The setting `vector`.
pub(super) struct Nearest<'n> {
    collection: &'n str,
    attribute: &'n str,
    value: Slice<'n>,
    /// The weight of the vectors' ranks; that of the texts is 1.
    pub(super) weight: f64,
}

impl<'n> Nearest<'n> {
    /// Reads the setting. Errors: 10.
    pub(super) fn of(given: Slice<'n>) -> Result<Self> {
        let text = |name: &str| given.get(name).and_then(Slice::as_str);
        let value = given.get("value").filter(|value| {
            (1..=DIMENSION_MAX).contains(&value.len())
                && value.is_array()
                && value.elements().all(Slice::is_number)
        });
        let weight = given.get("weight").map_or(Some(1.0), Slice::as_f64);
        let weight = weight.filter(|weight| (0.0..=WEIGHT_MAX).contains(weight));
        match (text("collection"), text("attribute"), value, weight) {
            (Some(collection), Some(attribute), Some(value), Some(weight)) => {
                Ok(Nearest { collection, attribute, value, weight })
            }
            _ => Err(wrong(
                "vector",
                &format!(
                    "must be an object with 'collection', 'attribute', 'value', an array of 1 to {DIMENSION_MAX} \
                     numbers, and perhaps 'weight', a number from 0 to {WEIGHT_MAX}"
                ),
            )),
        }
    }

    /// Returns the subquery of the nearest documents' identifiers.
    ///
    /// Errors: 10 if no vector index has the attribute.
    pub(super) fn subquery(&self, filter: &str, depth: u64, session: &Session) -> Result<String> {
        let collection = session.collection(self.collection, AccessLevel::ReadOnly)?;
        let mut order = None;
        for index in collection.indexes() {
            let definition = definitions::of_index(&collection, index)?;
            let printed = definition.as_slice();
            let field = printed.get("fields").and_then(|fields| fields.at(0)).and_then(Slice::as_str);
            if field == Some(self.attribute) {
                order = order.or(match printed.get_path(&["params", "metric"]).and_then(Slice::as_str) {
                    Some("cosine") => Some(("APPROX_NEAR_COSINE", "DESC")),
                    Some("l2") => Some(("APPROX_NEAR_L2", "ASC")),
                    Some("innerProduct") => Some(("APPROX_NEAR_INNER_PRODUCT", "DESC")),
                    _ => None,
                });
            }
        }
        let (function, direction) = order.ok_or_else(|| {
            wrong(
                "vector",
                "names an attribute without a vector index; create one, or name another attribute",
            )
        })?;
        let path = path("d", self.attribute)?;
        Ok(format!(
            "FOR d IN @@{OWN}collection\n{filter}SORT {function}({path}, @{OWN}vector) {direction}\n\
             LIMIT {depth}\nRETURN d._id"
        ))
    }

    /// Adds the values of the parameters.
    pub(super) fn bind(&self, fields: &mut Fields<'_>) {
        fields.text(&format!("@{OWN}collection"), self.collection).value(&format!("{OWN}vector"), self.value);
    }
}
