//! Searches for the entries nearest to a vector, list by list.

use std::sync::Arc;

use catalog::index::{Metric, VectorOptions};
use errors::{Error, Result};
use kv::{Block, BlockLimits, KeyRange, PrefixScan, ScanSpec};
use velocypack::Slice;

use super::candidates::Candidates;
use super::kernel::{Element, dot, squared_distance};
use super::quantizer::QuantizedQuery;
use super::{encoding, options_of, parse_vector, vector_of};
use crate::index::Index;
use crate::index::found::IndexEntries;
use crate::index::next_scans::NextScans;
use crate::index::scan::{ScanHost, ScanSource};
use crate::index::value::IndexValue;

/// The size of a block of entries that is read.
const BLOCK_LIMITS: BlockLimits = BlockLimits { rows: 4096, bytes: 1 << 20 };

/// Maximum bytes of entries that are fetched before they are read, of all lists together.
const AHEAD_BYTES: usize = 16 << 20;

/// The estimated number of entries of a list that an engine fetches before they are read.
const AHEAD_ROWS: usize = 1024;

/// A search for the entries nearest to one vector. The caller decides how many lists to read.
pub struct NearScan {
    source: ScanSource,
    index: Arc<Index>,
    metric: Metric,
    dimension: usize,
    vector: Vec<f32>,
    /// The vector in the form that is multiplied with codes; `None` if lists store whole vectors.
    codes: Option<Codes>,
    /// The lists that were not read, with their scores.
    lists: Vec<(f32, u32)>,
    total_lists: usize,
    n_probe: usize,
    scan: Option<Box<dyn PrefixScan>>,
    block: Block,
}

/// A comparison with codes in place of vectors.
struct Codes {
    query: QuantizedQuery,
    code_bytes: usize,
    /// The inner product of the wanted vector with itself.
    squared_length: f32,
}

impl Codes {
    /// Returns the score of a code in a list, and the covered values.
    fn score<'v>(&self, metric: Metric, of_list: f32, value: &'v [u8]) -> Option<(f32, &'v [u8])> {
        let (bias, code, covered) = encoding::read_code(value, metric, self.code_bytes)?;
        let score = of_list + bias - self.query.product(code);
        let score = match metric {
            Metric::L2 => (self.squared_length + 2.0 * score).max(0.0),
            Metric::Cosine | Metric::InnerProduct => score,
        };
        Some((score, covered))
    }
}

/// The entries that a caller wants of some lists.
#[derive(Clone, Copy, Debug)]
pub struct NearBounds {
    /// Maximum number of entries.
    pub most: usize,
    /// The greatest score.
    pub score: f32,
    /// True if the caller will need covered values.
    pub wants_covered: bool,
}

/// The entries of some lists, the nearest first; equally near ones by their key.
pub struct NearEntries {
    /// The entries, which cover the stored values.
    pub entries: IndexEntries,
    /// The score of each entry: a smaller one is nearer. See [`Index::near_value`].
    pub scores: Vec<f32>,
    /// The number of entries that were read.
    pub read: u64,
}

impl NearScan {
    /// Begins a search. Without a number of lists to probe it takes the index's.
    ///
    /// Errors: 10 for any other value than a vector of the index's dimension.
    pub(crate) fn start(
        source: ScanSource,
        index: &Arc<Index>,
        vector: &IndexValue,
        n_probe: Option<u64>,
    ) -> Result<Self> {
        let options = options_of(index)?;
        let parsed =
            parse_vector(vector.as_slice(), options).ok_or_else(|| invalid(options, index.name()))?;
        let trained = index.trained();
        let lists = match trained {
            Some(trained) => trained.centroids.scores(&parsed),
            None => vec![(0.0, 0)],
        };
        let codes = trained.and_then(|trained| trained.quantizer.as_ref()).map(|quantizer| Codes {
            query: quantizer.query(&parsed),
            code_bytes: quantizer.code_bytes(),
            squared_length: dot(&parsed, &parsed),
        });
        let n_probe = usize::try_from(n_probe.unwrap_or(options.default_n_probe)).unwrap_or(usize::MAX);
        Ok(NearScan {
            source,
            index: Arc::clone(index),
            metric: options.metric,
            dimension: options.dimension,
            vector: parsed,
            codes,
            total_lists: lists.len(),
            lists,
            n_probe,
            scan: None,
            block: Block::new(),
        })
    }

    /// Returns the number of lists that the search should read at least.
    pub fn n_probe(&self) -> usize {
        self.n_probe.clamp(1, self.total_lists)
    }

    /// Returns the number of lists that were not read.
    pub fn lists_left(&self) -> usize {
        self.lists.len()
    }

    /// Returns the number of lists that were read.
    pub fn lists_read(&self) -> usize {
        self.total_lists - self.lists.len()
    }

    /// Reads the next `lists` lists, the nearest first.
    ///
    /// Errors: 1102 for a damaged entry, and those of `host`.
    pub fn probe(
        &mut self,
        lists: usize,
        bounds: NearBounds,
        host: &mut dyn ScanHost,
    ) -> Result<NearEntries> {
        let mut candidates = Candidates::new(bounds.most, bounds.score, bounds.wants_covered);
        let lists = self.take_nearest(lists);
        let concurrent_reads = self.concurrent_reads();
        let read = match concurrent_reads > 1 {
            true => self.read_concurrently(lists, concurrent_reads, &mut candidates, host)?,
            false => self.read_in_turn(lists, &mut candidates, host)?,
        };
        host.statistics().entries += read;
        let (scores, entries) = candidates.finish()?;
        Ok(NearEntries { entries, scores, read })
    }

    /// Takes the nearest lists out of those that were not read.
    fn take_nearest(&mut self, count: usize) -> Vec<(f32, u32)> {
        let order = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let count = count.min(self.lists.len());
        if count > 0 && count < self.lists.len() {
            self.lists.select_nth_unstable_by(count - 1, order);
        }
        let mut nearest: Vec<_> = self.lists.drain(..count).collect();
        nearest.sort_unstable_by(order);
        nearest
    }

    /// Returns the number of lists that are read concurrently.
    fn concurrent_reads(&self) -> usize {
        let entry_bytes =
            self.codes.as_ref().map_or(self.dimension * size_of::<f32>(), |codes| codes.code_bytes);
        let list_bytes = entry_bytes.max(1) * AHEAD_ROWS;
        self.source.engine.concurrent_reads().min((AHEAD_BYTES / list_bytes).max(2))
    }

    /// Reads one list after another. Returns the number of their entries.
    fn read_in_turn(
        &mut self,
        lists: Vec<(f32, u32)>,
        candidates: &mut Candidates,
        host: &mut dyn ScanHost,
    ) -> Result<u64> {
        let mut read = 0;
        for (of_list, list) in lists {
            let prefix = self.prefix_of(list);
            let mut after: Option<Vec<u8>> = None;
            loop {
                host.check()?;
                let scan = match &mut self.scan {
                    Some(scan) => scan,
                    None => self.scan.insert(self.source.engine.prefix_scan()?),
                };
                self.block.clear();
                let has_more = scan.read(&prefix, after.as_deref(), BLOCK_LIMITS, &mut self.block)?;
                self.compare(&self.block, of_list, candidates)?;
                read += self.block.len() as u64;
                host.keep(candidates.memory_bytes())?;
                if !has_more {
                    break;
                }
                after = self.block.iter().last().map(|(key, _)| key.to_vec());
            }
        }
        Ok(read)
    }

    /// Reads lists while the next ones are fetched. Returns the number of their entries.
    fn read_concurrently(
        &self,
        lists: Vec<(f32, u32)>,
        concurrent_reads: usize,
        candidates: &mut Candidates,
        host: &mut dyn ScanHost,
    ) -> Result<u64> {
        let mut lists = lists.into_iter();
        let mut open = || {
            let Some((of_list, list)) = lists.next() else { return Ok(None) };
            let range = KeyRange::prefix(&self.prefix_of(list));
            Ok(Some((of_list, self.source.engine.scan(ScanSpec::forward(range))?)))
        };
        let (mut next, mut read) = (NextScans::default(), 0);
        while let Some((of_list, mut scan)) = next.next(concurrent_reads, &mut open, |(_, scan)| {
            scan.fetch();
            Ok(())
        })? {
            host.check()?;
            while let Some(block) = scan.next_block(BLOCK_LIMITS)? {
                self.compare(&block, of_list, candidates)?;
                read += block.len() as u64;
                host.keep(candidates.memory_bytes())?;
                host.check()?;
            }
        }
        Ok(read)
    }

    fn prefix_of(&self, list: u32) -> Vec<u8> {
        let mut prefix = Vec::new();
        encoding::write_list_prefix(self.index.definition().object_id, list, &mut prefix);
        prefix
    }

    /// Compares the entries of a list with the vector. Errors: 1102 for a damaged one.
    fn compare(&self, entries: &Block, of_list: f32, candidates: &mut Candidates) -> Result<()> {
        for (key, value) in entries.iter() {
            let found = match &self.codes {
                Some(codes) => codes.score(self.metric, of_list, value),
                None => encoding::read_floats(value, self.dimension)
                    .map(|(floats, covered)| (score(self.metric, &self.vector, floats), covered)),
            };
            let (score, covered) = found.ok_or_else(damaged)?;
            if candidates.accepts(score) {
                let key = encoding::key_range(key).and_then(|range| key.get(range)).ok_or_else(damaged)?;
                candidates.add(score, key, covered);
            }
        }
        Ok(())
    }

    /// Returns true if scores are estimates. A caller replaces them by those of
    /// [`NearScan::score_of`].
    pub fn estimates(&self) -> bool {
        self.codes.is_some()
    }

    /// Returns the number of entries that a search for `wanted` documents must keep, since the
    /// order of estimates is not that of the vectors.
    pub fn kept_for(&self, wanted: usize) -> usize {
        let quantizer = self.index.trained().and_then(|trained| trained.quantizer.as_ref());
        quantizer.map_or(wanted, |quantizer| quantizer.compared_for(wanted))
    }

    /// Returns the score of a document's vector; `None` for a document without a vector.
    ///
    /// Errors: 10 for a document that cannot be indexed.
    pub fn score_of(&self, document: Slice<'_>) -> Result<Option<f32>> {
        let found = vector_of(&self.index, options_of(&self.index)?, document)?;
        Ok(found.map(|vector| score(self.metric, &self.vector, &vector)))
    }

    /// Releases all that pins memory in the engine.
    pub fn release(&mut self) {
        if let Some(scan) = &mut self.scan {
            scan.release();
        }
    }
}

fn score<E: Element>(metric: Metric, query: &[f32], vector: &[E]) -> f32 {
    match metric {
        Metric::L2 => squared_distance(query, vector),
        Metric::Cosine | Metric::InnerProduct => -dot(query, vector),
    }
}

fn invalid(options: &VectorOptions, index: &str) -> Error {
    let dimension = options.dimension;
    let message =
        format!("invalid vector for vector index '{index}': expecting an array of {dimension} numbers");
    Error::bad_parameter(message)
}

fn damaged() -> Error {
    Error::corrupt("a vector index has a damaged entry")
}
