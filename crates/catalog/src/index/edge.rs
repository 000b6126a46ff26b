//! The edge index: edges by `_from` and by `_to`.

use errors::Result;

use super::{Capabilities, IndexProperties, SearchShape, TypeRules, not_for_clients};

pub(super) struct Edge;

impl TypeRules for Edge {
    fn check_creatable(&self, type_name: &str) -> Result<()> {
        not_for_clients(type_name)
    }

    fn is_same(&self, _own: &IndexProperties, _wanted: &IndexProperties) -> bool {
        false
    }

    fn capabilities(&self, _index: &IndexProperties) -> Capabilities {
        let search = SearchShape::AnyField { bounds: false };
        Capabilities { search, covers: true, ..Capabilities::default() }
    }
}
