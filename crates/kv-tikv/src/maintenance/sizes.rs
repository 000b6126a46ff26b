//! Estimates of sizes, and points that divide ranges.
//!
//! PD tells clients the bounds of regions, but not their sizes. So short ranges are counted, and
//! longer ones are estimated from the part that the counted keys take between the range's ends.

use std::sync::Arc;

use kv::{KeyRange, Result};

use crate::fetch::PageSpec;
use crate::protocol::kv::KvPair;
use crate::shared::Shared;
use crate::topology::client::Client;

/// The number of keys up to which a range is counted.
const COUNTED_MAX: usize = 4096;

/// The number of pairs that tell the average size.
const SAMPLED: usize = 64;

/// Maximum number of regions whose bounds divide a range.
const SPLIT_REGIONS_MAX: usize = 10_000;

/// Estimates the number of keys of a range of the cluster.
async fn count(client: &Client, range: &KeyRange, at: u64) -> Result<f64> {
    let spec = |range: &KeyRange, reverse| PageSpec {
        range: range.clone(),
        reverse,
        keys_only: true,
        is_passing: true,
    };
    let (mut counted, mut rest, mut last) = (0, Some(range.clone()), Vec::new());
    while let Some(part) = rest.take() {
        let page = client.page(&spec(&part, false), COUNTED_MAX - counted, at).await?;
        counted += page.pairs.len();
        if let Some(pair) = page.pairs.into_iter().next_back() {
            last = pair.key;
        }
        rest = page.rest;
        if counted >= COUNTED_MAX {
            break;
        }
    }
    let Some(rest) = rest else { return Ok(counted as f64) };
    let Some(end) = last_key(client, &rest, at).await? else { return Ok(counted as f64) };
    let share = position(&range.start, &last, &end);
    Ok(counted as f64 / share.clamp(1e-9, 1.0))
}

/// Returns the last key of a range.
async fn last_key(client: &Client, range: &KeyRange, at: u64) -> Result<Option<Vec<u8>>> {
    let mut rest = Some(range.clone());
    while let Some(range) = rest.take() {
        let spec = PageSpec { range, reverse: true, keys_only: true, is_passing: true };
        let page = client.page(&spec, 1, at).await?;
        if let Some(KvPair { key, .. }) = page.pairs.into_iter().next() {
            return Ok(Some(key));
        }
        rest = page.rest;
    }
    Ok(None)
}

/// Returns the place of `key` between two others from 0 to 1, as if keys were numbers.
fn position(start: &[u8], key: &[u8], end: &[u8]) -> f64 {
    let common = key.iter().zip(end).take_while(|(left, right)| left == right).count();
    let start = if start.get(..common) == key.get(..common) { start } else { &[] };
    let number = |bytes: &[u8]| {
        let digits = (0..8).map(|i| f64::from(bytes.get(common + i).copied().unwrap_or(0)));
        digits.fold(0.0, |number, digit| number * 256.0 + digit)
    };
    let first = if start.is_empty() { 0.0 } else { number(start) };
    let span = number(end) - first;
    if span <= 0.0 { 1.0 } else { (number(key) - first) / span }
}

/// Returns the average size of the first pairs of a range in bytes.
async fn average_bytes(client: &Client, range: &KeyRange, prefix: usize, at: u64) -> Result<f64> {
    let (mut bytes, mut count, mut rest) = (0, 0, Some(range.clone()));
    while let Some(range) = rest.take().filter(|_| count < SAMPLED) {
        let spec = PageSpec { range, reverse: false, keys_only: false, is_passing: true };
        let page = client.page(&spec, SAMPLED - count, at).await?;
        count += page.pairs.len();
        bytes += page
            .pairs
            .iter()
            .map(|pair| pair.key.len().saturating_sub(prefix) + pair.value.len())
            .sum::<usize>();
        rest = page.rest;
    }
    Ok(bytes as f64 / count.max(1) as f64)
}

/// Estimates the bytes of a range.
pub(crate) fn size_bytes(store: &Shared, range: &KeyRange) -> Result<u64> {
    store.check_open()?;
    if range.is_empty() {
        return Ok(0);
    }
    let (client, range) = (Arc::clone(&store.client), store.keys.range(range));
    let prefix = store.keys.data(&[]).len();
    store.wait(async move {
        let at = client.timestamps.next().await?;
        let keys = count(&client, &range, at).await?;
        Ok((keys * average_bytes(&client, &range, prefix, at).await?) as u64)
    })
}

/// Estimates the share of `whole` that lies within `part`.
pub(crate) fn share(store: &Shared, part: &KeyRange, whole: &KeyRange) -> Result<Option<f64>> {
    store.check_open()?;
    if whole.is_empty() {
        return Ok(None);
    }
    let client = Arc::clone(&store.client);
    let is_none = part.is_empty();
    let (part, whole) = (store.keys.range(part), store.keys.range(whole));
    store.wait(async move {
        let at = client.timestamps.next().await?;
        let whole_keys = count(&client, &whole, at).await?;
        if whole_keys == 0.0 {
            return Ok(None);
        }
        let part_keys = if is_none { 0.0 } else { count(&client, &part, at).await? };
        Ok(Some((part_keys / whole_keys).min(1.0)))
    })
}

/// Returns the bounds of regions that divide a range into pieces of similar size.
pub(crate) fn split_points(store: &Shared, range: &KeyRange, parts: usize) -> Result<Vec<Vec<u8>>> {
    store.check_open()?;
    if range.is_empty() || parts < 2 {
        return Ok(Vec::new());
    }
    let (client, keys) = (Arc::clone(&store.client), store.keys.clone());
    let range = store.keys.range(range);
    store.wait(async move {
        // Regions that held data before say nothing about a range that is empty now.
        let at = client.timestamps.next().await?;
        if last_key(&client, &range, at).await?.is_none() {
            return Ok(Vec::new());
        }
        let regions = client.regions_in(&range.start, &range.end, SPLIT_REGIONS_MAX).await?;
        let starts = regions.iter().map(|region| region.start.as_slice());
        let bounds: Vec<&[u8]> = starts.filter(|start| *start > range.start.as_slice()).collect();
        let wanted = bounds.len().min(parts - 1);
        let chosen = (1..=wanted).filter_map(|i| bounds.get(i * (bounds.len() + 1) / (wanted + 1) - 1));
        Ok(chosen
            .filter_map(|key| keys.strip(key))
            .filter(|key| !key.is_empty())
            .map(<[u8]>::to_vec)
            .collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_place_between_others() {
        assert_eq!(position(b"p/d", b"p/d\x40", b"p/d\x80"), 0.5);
        assert_eq!(position(b"p/dk0", b"p/dk5", b"p/dk5"), 1.0);
        let place = position(b"p/d", b"p/dk000500", b"p/dk002000");
        assert!((0.0..=1.0).contains(&place));
    }
}
