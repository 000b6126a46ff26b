//! The steps of a walk.

use errors::Result;
use fastrand::Rng;
use owner::Charge;

use crate::graph::Adjacency;
use crate::work::{CHECK_EVERY, Checks, Work};

/// The bias of node2vec: factors on the odds of a step by where it leads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bias {
    /// Back to the vertex before.
    pub(super) back: f64,
    /// Away from the vertex before and its neighbours.
    pub(super) away: f64,
}

/// Attempts to take a step by rejection, before the odds of all edges are computed.
const ATTEMPTS: usize = 32;

/// The edges along which walks go.
pub(super) struct Steps<'g> {
    rows: &'g Adjacency,
    /// The sums of the weights in each row up to each edge; none if weights do not count.
    sums: Option<Vec<f64>>,
    bias: Option<Bias>,
    _charge: Charge,
}

impl<'g> Steps<'g> {
    pub(super) fn new(
        work: &Work,
        rows: &'g Adjacency,
        is_weighted: bool,
        bias: Option<Bias>,
    ) -> Result<Self> {
        let Some(weights) = rows.all_weights().filter(|_| is_weighted) else {
            return Ok(Steps { rows, sums: None, bias, _charge: work.reserve(0)? });
        };
        let charge = work.reserve_for::<f64>(weights.len())?;
        let mut sums = Vec::with_capacity(weights.len());
        let mut checks = Checks::default();
        for vertex in 0..rows.vertex_count() as u32 {
            let weights = rows.weights(vertex).unwrap_or_default();
            let mut sum = 0.0;
            sums.extend(weights.iter().map(|weight| {
                sum += weight;
                sum
            }));
            checks.note(work, weights.len() + 1)?;
        }
        Ok(Steps { rows, sums: Some(sums), bias, _charge: charge })
    }

    /// Makes a walk of at most `length` steps. It ends where no edge goes on.
    pub(super) fn walk(
        &self,
        work: &Work,
        mut random: Rng,
        source: u32,
        length: usize,
        walk: &mut Vec<u32>,
    ) -> Result<()> {
        walk.clear();
        walk.push(source);
        let (mut before, mut vertex) = (None, source);
        for step in 0..length {
            if step % CHECK_EVERY == 0 {
                work.check()?;
            }
            let next = match (self.bias, before) {
                (Some(bias), Some(before)) => self.biased(work, &mut random, bias, before, vertex)?,
                _ => self.plain(&mut random, vertex),
            };
            let Some(next) = next else { break };
            walk.push(next);
            before = Some(vertex);
            vertex = next;
        }
        Ok(())
    }

    fn plain(&self, random: &mut Rng, vertex: u32) -> Option<u32> {
        let targets = self.rows.targets(vertex);
        let Some(sums) = self.sums_of(vertex) else { return random.choice(targets).copied() };
        chosen(random, sums).map(|i| targets[i])
    }

    /// Returns the sums of the weights at a vertex.
    fn sums_of(&self, vertex: u32) -> Option<&[f64]> {
        let sums = self.sums.as_ref()?;
        let first = self.rows.offsets()[vertex as usize] as usize;
        Some(&sums[first..first + self.rows.degree(vertex)])
    }

    fn biased(
        &self,
        work: &Work,
        random: &mut Rng,
        bias: Bias,
        before: u32,
        vertex: u32,
    ) -> Result<Option<u32>> {
        let near = self.rows.targets(before);
        let factor = |target: u32| match target {
            _ if target == before => bias.back,
            _ if near.binary_search(&target).is_ok() => 1.0,
            _ => bias.away,
        };
        let most = bias.back.max(bias.away).max(1.0);
        for _ in 0..ATTEMPTS {
            let Some(next) = self.plain(random, vertex) else { return Ok(None) };
            if random.f64() * most < factor(next) {
                return Ok(Some(next));
            }
        }
        let (mut sum, mut sums) = (0.0, Vec::new());
        let _charge = work.reserve_for::<f64>(self.rows.degree(vertex))?;
        for (i, target) in self.rows.targets(vertex).iter().enumerate() {
            if i % CHECK_EVERY == 0 {
                work.check()?;
            }
            let weight = self.rows.weights(vertex).filter(|_| self.sums.is_some()).map_or(1.0, |all| all[i]);
            sum += weight * factor(*target);
            sums.push(sum);
        }
        Ok(chosen(random, &sums).map(|i| self.rows.targets(vertex)[i]))
    }
}

/// Chooses an edge by the sums of the weights up to each; none if all weights are 0.
fn chosen(random: &mut Rng, sums: &[f64]) -> Option<usize> {
    let total = *sums.last()?;
    if total <= 0.0 {
        return None;
    }
    let at = random.f64() * total;
    let place = sums.partition_point(|sum| *sum <= at);
    // Rounding may reach the total, whose first edge has a weight.
    Some(if place < sums.len() { place } else { sums.partition_point(|sum| *sum < total) })
}
