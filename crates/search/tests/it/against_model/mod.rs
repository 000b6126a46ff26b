//! Random queries over random documents, compared with a model that looks at every document.
//!
//! The documents change between the queries: batches become segments, keys are deleted, segments
//! are merged, in memory and in folders.

#![allow(clippy::indexing_slicing, reason = "helpers of tests outside of test functions")]

mod evaluate;
mod generate;
mod model;

use std::collections::BTreeMap;
use std::sync::Arc;

use encryption::MasterKey;
use owner::Interrupt;
use proptest::prelude::*;
use search::{
    Alive, Hit, Hits, Place, Query, Schema, Scorer, SearchSnapshot, Segment, SegmentFolder, SegmentWriter,
    SnapshotPart, merge,
};
use velocypack::Slice;

use generate::Change;
use model::{Document, Model, schema};

/// An index and its model.
struct Index {
    schema: Arc<Schema>,
    snapshot: SearchSnapshot,
    model: Model,
    folder: tempfile::TempDir,
    folders: usize,
    master: Arc<MasterKey>,
}

impl Index {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let schema = Arc::new(schema());
        let (snapshot, model) = (SearchSnapshot::default(), Model::default());
        let master = Arc::new(MasterKey::random().unwrap());
        Index { schema, snapshot, model, folder, folders: 0, master }
    }

    fn place(&mut self, on_disk: bool) -> Place {
        self.folders += 1;
        if !on_disk {
            return Place::Memory;
        }
        let path = self.folder.path().join(self.folders.to_string());
        // Segments of both kinds are read and merged together.
        let encryption = self.folders.is_multiple_of(2).then(|| Arc::clone(&self.master));
        Place::Folder(SegmentFolder { path, encryption })
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Write(documents, on_disk) => self.write(documents, on_disk),
            Change::Delete(keys) => {
                self.snapshot.delete(&texts(&keys)).unwrap();
                self.model.delete(&keys);
            }
            Change::Merge(first, count, on_disk) => self.merge(first, count, on_disk),
        }
    }

    fn write(&mut self, documents: BTreeMap<String, Document>, on_disk: bool) {
        let keys: Vec<String> = documents.keys().cloned().collect();
        self.snapshot.delete(&texts(&keys)).unwrap();
        self.model.delete(&keys);
        let place = self.place(on_disk);
        let mut writer = SegmentWriter::new(Arc::clone(&self.schema), &place, 1 << 20).unwrap();
        for (revision, (key, document)) in documents.iter().enumerate() {
            let pack = document.to_velocypack();
            writer.add(key, revision as u64, pack.as_slice(), &Interrupt::new()).unwrap();
        }
        self.snapshot.add(Arc::new(reopened(writer.finish().unwrap(), &place)));
        self.model.write(documents);
    }

    fn merge(&mut self, first: usize, count: usize, on_disk: bool) {
        let mut parts = self.snapshot.parts().to_vec();
        let first = first.min(parts.len());
        let end = (first + count).min(parts.len());
        let place = self.place(on_disk);
        let taken: Vec<SnapshotPart> = parts.drain(first..end).collect();
        let sources: Vec<(&Segment, &Alive)> =
            taken.iter().map(|part| (&*part.segment, &part.alive)).collect();
        let merged = merge(&sources, &place).unwrap();
        let mut snapshot = SearchSnapshot::new(parts);
        if let Some(segment) = merged {
            snapshot.add(Arc::new(reopened(segment, &place)));
        }
        self.snapshot = snapshot;
        self.model.merge(first..end);
    }

    /// Compares the hits and scores of a query with the model's.
    fn check(&self, query: &Query, scorers: &[Scorer]) -> Result<(), TestCaseError> {
        let mut hits = Hits::new(Arc::new(self.snapshot.clone()), query, scorers, &Interrupt::new()).unwrap();
        let mut found = BTreeMap::new();
        while let Some(hit) = hits.advance().unwrap() {
            let scores: Vec<f32> = (0..scorers.len()).map(|scorer| hits.score(scorer)).collect();
            let key = hits.key(hit).to_owned();
            prop_assert_eq!(Some(hits.revision(hit)), self.model.revision(&key));
            self.check_columns(&hits, hit, &key)?;
            prop_assert!(found.insert(key, scores).is_none(), "a document twice: {:?}", query);
        }
        let expected = self.model.evaluate(query, scorers);
        prop_assert!(found.keys().eq(expected.keys()), "{query:?}: {found:?}, not {expected:?}");
        for (key, scores) in &found {
            for (score, expected) in scores.iter().zip(&expected[key]) {
                let close = (score - expected).abs() <= 1e-4 * expected.abs().max(1.0);
                prop_assert!(close, "{query:?}: {key} has {score}, not {expected}");
            }
        }
        self.check_top(query, scorers, &found)
    }

    /// Compares the sort key and the stored values of a hit with the document's.
    fn check_columns(&self, hits: &Hits, hit: Hit, key: &str) -> Result<(), TestCaseError> {
        let document = self.model.document(key).to_velocypack();
        let value = |name: &str| document.as_slice().get(name).unwrap_or(Slice::NULL);
        let nested = document.as_slice().get_path(&["s", "x"]).unwrap_or(Slice::NULL);
        let mut sort_key = Vec::new();
        velocypack::order::sort_key(nested, &mut sort_key);
        sort_key.iter_mut().for_each(|byte| *byte = !*byte);
        velocypack::order::sort_key(value("t"), &mut sort_key);
        prop_assert_eq!(hits.column(hit, self.schema.sort_column().unwrap()), sort_key);
        let stored = Slice::new(hits.column(hit, self.schema.stored_column(1)));
        prop_assert!(velocypack::order::equal(stored.at(0).unwrap(), value("l")));
        prop_assert!(velocypack::order::equal(stored.at(1).unwrap(), nested));
        Ok(())
    }

    fn check_top(
        &self,
        query: &Query,
        scorers: &[Scorer],
        found: &BTreeMap<String, Vec<f32>>,
    ) -> Result<(), TestCaseError> {
        let mut scores: Vec<f32> = found.values().map(|scores| scores[0]).collect();
        scores.sort_by(|left, right| right.total_cmp(left));
        scores.truncate(3);
        let snapshot = Arc::new(self.snapshot.clone());
        let mut hits = Hits::ranked(snapshot, query, scorers, &Interrupt::new()).unwrap();
        let top: Vec<f32> = hits.top(3).unwrap().into_iter().map(|(_, score)| score).collect();
        prop_assert_eq!(top, scores);
        Ok(())
    }
}

fn texts(keys: &[String]) -> Vec<&str> {
    keys.iter().map(String::as_str).collect()
}

/// Returns a segment on disk as a restart finds it.
fn reopened(segment: Segment, place: &Place) -> Segment {
    match place {
        Place::Memory => segment,
        Place::Folder(folder) => Segment::open(folder).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn queries_find_and_score_as_the_model(
        changes in prop::collection::vec(generate::change(), 1..8),
        queries in prop::collection::vec(generate::query(), 1..30),
        scorers in generate::scorers(),
    ) {
        let mut index = Index::new();
        for change in changes {
            index.apply(change);
        }
        for query in &queries {
            index.check(query, &scorers)?;
        }
    }

    #[test]
    fn snapshots_do_not_change(
        before in prop::collection::vec(generate::change(), 1..4),
        after in prop::collection::vec(generate::change(), 1..4),
        queries in prop::collection::vec(generate::query(), 1..10),
    ) {
        let mut index = Index::new();
        before.into_iter().for_each(|change| index.apply(change));
        let (old_snapshot, old_model) = (index.snapshot.clone(), index.model.clone());
        after.into_iter().for_each(|change| index.apply(change));
        (index.snapshot, index.model) = (old_snapshot, old_model);
        for query in &queries {
            index.check(query, &[Scorer::Tfidf { normalize: true }])?;
        }
    }

    #[test]
    fn living_documents_are_restored_from_bytes(
        documents in generate::documents(),
        deleted in generate::keys(),
    ) {
        let mut index = Index::new();
        index.apply(Change::Write(documents, false));
        index.apply(Change::Delete(deleted));
        let parts = index.snapshot.parts().iter().map(|part| {
            SnapshotPart::restored(Arc::clone(&part.segment), &part.alive.to_bytes()).unwrap()
        });
        index.snapshot = SearchSnapshot::new(parts.collect());
        index.check(&Query::All, &[Scorer::Tfidf { normalize: false }])?;
        let [part] = index.snapshot.parts() else { unreachable!() };
        prop_assert!(SnapshotPart::restored(Arc::clone(&part.segment), &[0; 4096]).is_none());
    }
}
