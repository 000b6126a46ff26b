//! The indexes of a copied collection.

use errors::Result;
use velocypack::{Builder, Slice};

use super::super::names::{self, Numbered};
use super::Copy;
use super::described::Described;
use crate::session::Session;
use crate::state::following::Problem;
use crate::transfer::restore::SkippedIndex;

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
        let (known, skipped) = known_indexes(collection.definition)?;
        skipped.iter().for_each(|index| self.work.report(Problem::of_skipped(index, &place)));
        match session.restore_indexes(Slice::new(&known), true) {
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

/// Returns the definition of a collection without the indexes whose types this version does not
/// have, and these indexes.
fn known_indexes(definition: Slice<'_>) -> Result<(Vec<u8>, Vec<SkippedIndex>)> {
    let mut skipped = Vec::new();
    let mut out = Builder::new();
    out.open_object()?;
    out.key("parameters")?;
    out.add_slice(definition.get("parameters").unwrap_or(Slice::EMPTY_OBJECT))?;
    out.key("indexes")?;
    out.open_array()?;
    for index in definition.get("indexes").into_iter().flat_map(Slice::elements) {
        match SkippedIndex::of_unknown(index) {
            Some(unknown) => skipped.push(unknown),
            None => out.add_slice(index)?,
        }
    }
    out.close()?;
    out.close()?;
    Ok((out.into_vec(), skipped))
}
