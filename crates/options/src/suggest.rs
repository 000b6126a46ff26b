//! Suggestions for a name that does not exist.

/// The maximum edit distance between a name and a suggestion.
const MAX_DISTANCE: usize = 6;

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Returns the names that are closest to `name`, the closest first.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = known.map(|known| (distance(known, name), known)).collect();
    near.sort_unstable();
    near.retain(|(distance, _)| *distance <= MAX_DISTANCE);
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Returns Levenshtein's distance.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut before = i;
        let mut previous = i + 1;
        for (cell, r) in row.iter_mut().skip(1).zip(right.chars()) {
            let replaced = before + usize::from(l != r);
            before = *cell;
            *cell = replaced.min(before + 1).min(previous + 1);
            previous = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
