//! The documents of a search's candidates, for conditions that the index answers only roughly.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use aql_value::Value;
use errors::Result;
use search::{Hit, HitSet, Hits, Query};
use storage::SearchState;

use super::ViewParts;
use crate::context::ExecutionContext;
use crate::search::{Test, Verifier};

/// Number of candidates in one fetch.
const FETCHED_AT_ONCE: usize = 1000;

/// The documents that the query sees.
pub(super) struct StoredDocuments<'a> {
    pub(super) parts: &'a ViewParts,
    pub(super) state: &'a SearchState,
    pub(super) context: RefCell<&'a mut ExecutionContext>,
}

impl StoredDocuments<'_> {
    /// Adds those of some hits to `passed` whose documents pass.
    fn test(&self, hits: &[Hit], test: Test<'_>, passed: &mut HitSet) -> Result<()> {
        let mut context = self.context.borrow_mut();
        context.interrupt.check()?;
        let snapshot = context.data.start().clone();
        let mut of_owner: BTreeMap<usize, Vec<Hit>> = BTreeMap::new();
        for hit in hits {
            of_owner.entry(self.state.owner(*hit)).or_default().push(*hit);
        }
        for (owner, hits) in of_owner {
            let Some((collection, _)) = self.parts.indexes.get(owner) else { continue };
            let segments = self.state.snapshot().parts();
            let key = |hit: &Hit| {
                segments.get(hit.segment as usize).map_or("", |part| part.segment.key(hit.document))
            };
            let keys: Vec<&str> = hits.iter().map(key).collect();
            let mut hits = hits.iter();
            snapshot.get_all(collection, &keys, |read| {
                for (offset, hit) in read.offsets.iter().zip(hits.by_ref()) {
                    let Some(offset) = offset else { continue };
                    context.statistics.document_lookups += 1;
                    if test(&Value::in_block(&read.block, *offset))? {
                        passed.insert(*hit);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl Verifier for StoredDocuments<'_> {
    fn verify(&self, candidates: &Query, test: Test<'_>) -> Result<Query> {
        let snapshot = self.state.snapshot();
        let mut passed = HitSet::new(snapshot);
        let interrupt = self.context.borrow().interrupt.clone();
        let mut hits = Hits::new(Arc::clone(snapshot), candidates, &[], &interrupt)?;
        let mut waiting = Vec::new();
        while let Some(hit) = hits.advance()? {
            waiting.push(hit);
            if waiting.len() == FETCHED_AT_ONCE {
                self.test(&std::mem::take(&mut waiting), test, &mut passed)?;
            }
        }
        self.test(&waiting, test, &mut passed)?;
        Ok(Query::Documents(Arc::new(passed)))
    }
}
