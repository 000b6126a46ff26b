//! The primary index: documents by `_key`, and by `_id`, which follows from it.

use errors::Result;

use super::{Capabilities, IndexProperties, SearchShape, TypeRules, not_for_clients};
use crate::FieldPath;

pub(super) struct Primary;

impl TypeRules for Primary {
    fn check_creatable(&self, type_name: &str) -> Result<()> {
        not_for_clients(type_name)
    }

    fn is_same(&self, _own: &IndexProperties, _wanted: &IndexProperties) -> bool {
        false
    }

    fn capabilities(&self, _index: &IndexProperties) -> Capabilities {
        let search = SearchShape::AnyField { bounds: true };
        Capabilities { search, clustered: true, ..Capabilities::default() }
    }

    fn searched_fields(&self, _index: &IndexProperties) -> Vec<FieldPath> {
        vec![FieldPath::attribute("_key"), FieldPath::attribute("_id")]
    }
}
