//! Refinement: communities are taken apart into parts that are well connected.

use errors::Result;

use super::level::Level;
use super::tally::Tally;
use crate::algorithms::shared::random;
use crate::parallel;
use crate::work::{Checks, Work};

/// The randomness of choices: the gain, in weights of a mean edge, at which the odds change by e.
const RANDOMNESS: f64 = 0.01;

/// Returns a partition that refines `communities`. Each part is connected.
///
/// Every vertex begins alone. A vertex that is still alone joins a part of its community at random,
/// the likelier the more the modularity gains; both must be well connected with the community.
pub(super) fn refine(
    level: &Level<'_>,
    work: &Work,
    communities: &[u32],
    (resolution, mean_weight): (f64, f64),
    seed: u64,
) -> Result<Vec<u32>> {
    let vertices = level.len();
    let mut parts: Vec<u32> = (0..vertices as u32).collect();
    if level.total() == 0.0 {
        return Ok(parts);
    }
    let _charge = work.reserve_for::<(f64, f64, f64, u32, u32, bool)>(vertices)?;
    let scale = resolution / level.total();
    let community_totals = level.totals(communities);
    let mut part_totals: Vec<f64> = parts.iter().map(|vertex| level.strength(*vertex)).collect();
    let mut is_alone = vec![true; vertices];
    // The weight between each part and the rest of its community.
    let mut cuts = vec![0.0; vertices];
    parallel::fill(work, &mut cuts, |first, cuts| {
        for (cut, vertex) in cuts.iter_mut().zip(first as u32..) {
            let own = communities[vertex as usize];
            level.for_each(vertex, |target, weight| {
                *cut += if communities[target as usize] == own { weight } else { 0.0 };
            });
        }
        Ok(())
    })?;
    let is_well_connected = |cut: f64, total: f64, community: u32| {
        cut >= total * (community_totals[community as usize] - total) * scale
    };
    let mut random = random::generator(seed, 1);
    let mut tally = Tally::new(work)?;
    let mut choices: Vec<(u32, f64)> = Vec::new();
    let mut checks = Checks::default();
    for vertex in random::order(random::generator(seed, 2), vertices) {
        let community = communities[vertex as usize];
        let (strength, cut) = (level.strength(vertex), cuts[vertex as usize]);
        if !is_alone[vertex as usize] || cut == 0.0 || !is_well_connected(cut, strength, community) {
            continue;
        }
        checks.note(work, level.degree(vertex) + 1)?;
        tally.clear(level.degree(vertex).min(vertices))?;
        level.for_each(vertex, |target, weight| {
            if communities[target as usize] == community && weight > 0.0 {
                tally.add(parts[target as usize], weight);
            }
        });
        choices.clear();
        choices.push((vertex, 0.0));
        for (part, weight) in tally.sums() {
            let total = part_totals[part as usize];
            let gain = weight - strength * total * scale;
            if gain >= 0.0 && is_well_connected(cuts[part as usize], total, community) {
                choices.push((part, gain / mean_weight));
            }
        }
        let part = choose(&mut choices, &mut random).unwrap_or(vertex);
        if part != vertex {
            parts[vertex as usize] = part;
            is_alone[part as usize] = false;
            part_totals[part as usize] += strength;
            cuts[part as usize] += cut - 2.0 * tally.sum(part);
        }
    }
    Ok(parts)
}

/// Chooses a part at random, the likelier the more it gains.
fn choose(choices: &mut [(u32, f64)], random: &mut fastrand::Rng) -> Option<u32> {
    let most = choices.iter().map(|(_, gain)| *gain).fold(0.0, f64::max);
    let mut sum = 0.0;
    for (_, gain) in choices.iter_mut() {
        sum += ((*gain - most) / RANDOMNESS).exp();
        *gain = sum;
    }
    let at = random.f64() * sum;
    choices.iter().find(|(_, end)| at < *end).map(|(part, _)| *part)
}
