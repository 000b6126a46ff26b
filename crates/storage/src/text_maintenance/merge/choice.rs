//! The choice of segments to merge.

use catalog::text_index::Consolidation;

use crate::index::text::work::{Home, Part};

/// The size of a segment, at its position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    position: usize,
    bytes: u64,
    documents: u64,
    dead: u64,
}

/// Returns the positions of the segments to merge; none if there is nothing to gain.
///
/// Segments in memory that will be saved are omitted.
pub(in crate::text_maintenance) fn choose(
    parts: &[Part],
    has_folder: bool,
    policy: &Consolidation,
) -> Vec<usize> {
    let candidates = parts.iter().enumerate().filter(|(_, part)| !has_folder || part.home != Home::Memory);
    let candidates = candidates.map(|(position, part)| Candidate {
        position,
        bytes: part.bytes,
        documents: u64::from(part.alive().documents()),
        dead: u64::from(part.alive().dead()),
    });
    choose_of(candidates.collect(), policy)
}

fn choose_of(mut candidates: Vec<Candidate>, policy: &Consolidation) -> Vec<usize> {
    let chosen = match *policy {
        Consolidation::Tier { segments_bytes_max, max_skew_threshold, min_deletion_ratio, .. } => {
            let cleaned = most_deleted(&mut candidates, segments_bytes_max, min_deletion_ratio);
            if cleaned.is_empty() {
                similar(&mut candidates, segments_bytes_max, max_skew_threshold)
            } else {
                cleaned
            }
        }
        Consolidation::BytesAccum { threshold } => small(&mut candidates, threshold),
    };
    chosen.iter().map(|candidate| candidate.position).collect()
}

/// Returns as many segments as possible that together have the ratio of deleted documents.
fn most_deleted(candidates: &mut [Candidate], bytes_max: u64, ratio: f64) -> Vec<Candidate> {
    let own_ratio = |candidate: &Candidate| candidate.dead as f64 / candidate.documents.max(1) as f64;
    candidates.sort_by(|left, right| own_ratio(right).total_cmp(&own_ratio(left)));
    let (mut bytes, mut documents, mut dead) = (0, 0, 0);
    let mut chosen = 0;
    for (count, candidate) in candidates.iter().enumerate() {
        bytes += candidate.bytes;
        documents += candidate.documents;
        dead += candidate.dead;
        if dead == 0 || bytes > bytes_max && count > 0 || (dead as f64) < ratio * documents as f64 {
            break;
        }
        chosen = count + 1;
    }
    candidates.get(..chosen).unwrap_or_default().to_vec()
}

/// Returns as many of the smallest segments as possible, the largest of which has no more than a
/// share of all bytes.
fn similar(candidates: &mut [Candidate], bytes_max: u64, skew_max: f64) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| candidate.bytes);
    let mut bytes = 0;
    let mut chosen = 0;
    for (count, candidate) in candidates.iter().enumerate() {
        bytes += candidate.bytes;
        if bytes > bytes_max {
            break;
        }
        if count > 0 && candidate.bytes as f64 <= skew_max * bytes as f64 {
            chosen = count + 1;
        }
    }
    candidates.get(..chosen).unwrap_or_default().to_vec()
}

/// Returns the smallest segments that together have less than a share of all bytes.
fn small(candidates: &mut [Candidate], threshold: f64) -> Vec<Candidate> {
    candidates.sort_by_key(|candidate| candidate.bytes);
    let all: u64 = candidates.iter().map(|candidate| candidate.bytes).sum();
    let mut bytes = 0;
    let chosen = candidates.iter().take_while(|candidate| {
        bytes += candidate.bytes;
        (bytes as f64) < threshold * all as f64
    });
    let chosen = chosen.count();
    if chosen < 2 { Vec::new() } else { candidates.get(..chosen).unwrap_or_default().to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(sizes: &[(u64, u64)], policy: &Consolidation) -> Vec<usize> {
        let candidates = sizes.iter().enumerate().map(|(position, (bytes, dead))| Candidate {
            position,
            bytes: *bytes,
            documents: 100,
            dead: *dead,
        });
        let mut chosen = choose_of(candidates.collect(), policy);
        chosen.sort_unstable();
        chosen
    }

    #[test]
    fn segments_of_similar_size_are_merged() {
        let tier = Consolidation::default();
        assert_eq!(chosen(&[(10, 0), (10, 0), (10, 0)], &tier), [0, 1, 2]);
        assert_eq!(chosen(&[(10, 0), (10, 0)], &tier), Vec::<usize>::new());
        assert_eq!(chosen(&[(1, 0), (1000, 0), (1, 0), (1, 0)], &tier), [0, 2, 3]);
        assert_eq!(chosen(&[(1, 0), (100, 0), (100, 0), (100, 0)], &tier), [0, 1, 2, 3]);
        assert_eq!(chosen(&[(1, 0), (10, 0), (100, 0), (1000, 0)], &tier), Vec::<usize>::new());
    }

    #[test]
    fn segments_of_deleted_documents_are_rewritten() {
        let tier = Consolidation::default();
        assert_eq!(chosen(&[(10, 60), (1000, 0)], &tier), [0]);
        assert_eq!(chosen(&[(10, 30), (1000, 70)], &tier), [0, 1]);
        assert_eq!(chosen(&[(10, 30), (1000, 10)], &tier), Vec::<usize>::new());
    }

    #[test]
    fn no_merge_is_larger_than_allowed() {
        let tier = Consolidation::Tier {
            segments_bytes_max: 25,
            max_skew_threshold: 0.5,
            min_deletion_ratio: 0.5,
            former: Default::default(),
        };
        assert_eq!(chosen(&[(10, 0), (10, 0), (10, 0), (11, 0)], &tier), [0, 1]);
    }

    #[test]
    fn small_segments_are_merged_by_their_share() {
        let policy = Consolidation::BytesAccum { threshold: 0.1 };
        assert_eq!(chosen(&[(4, 0), (100, 0), (4, 0)], &policy), [0, 2]);
        assert_eq!(chosen(&[(4, 0), (30, 0)], &policy), Vec::<usize>::new());
    }
}
