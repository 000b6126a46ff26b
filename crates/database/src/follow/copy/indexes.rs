//! The indexes of a copied collection.

use errors::Result;
use velocypack::Slice;

use super::super::names::{self, Numbered};
use super::Copy;
use super::described::Described;
use crate::session::Session;
use crate::state::following::Problem;

impl Copy<'_> {
    /// Creates the indexes of a collection, and notes their numbers.
    pub(super) fn indexes(&self, session: &Session, collection: &Described<'_>) -> Result<()> {
        let store = self.work.instance.store();
        for index in collection.definition.get("indexes").into_iter().flat_map(Slice::elements) {
            let name = index.get("name").and_then(Slice::as_str);
            if let (Some(name), Some(number)) = (name, Numbered::index(collection.unique_id, index)) {
                names::note(store, number, name)?;
            }
        }
        let place = format!("{}/{}", session.database_name(), collection.name);
        match session.restore_indexes(collection.definition, true) {
            Err(error) if error.is_retryable() => return Err(error),
            Err(error) => self.work.report(Problem {
                what: "an index".to_owned(),
                place,
                effect: format!("it is not here: {error}"),
            }),
            Ok(skipped) => {
                skipped.iter().for_each(|index| self.work.report(Problem::of_skipped(index, &place)));
            }
        }
        Ok(())
    }
}
