//! A run as clients see it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use errors::Result;
use graph_analytics::Statistic;
use velocypack::Builder;

use crate::state::analytics::{JobState, JobStatus};

/// Writes a run as an object.
pub(super) fn write(status: &JobStatus, threads: usize, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    write_members(status, threads, out)?;
    Ok(out.close()?)
}

/// Writes the members of a run into an open object.
pub(super) fn write_members(status: &JobStatus, threads: usize, out: &mut Builder) -> Result<()> {
    text(out, "id", &status.id.to_string())?;
    text(out, "database", &status.database)?;
    text(out, "user", &status.user)?;
    text(out, "algorithm", &status.title)?;
    text(out, "created", &date(status.created))?;
    if let Some(ended) = status.ended {
        text(out, "expires", &date(ended.checked_add(status.time_to_live).unwrap_or(ended)))?;
    }
    seconds(out, "ttl", status.time_to_live)?;
    text(out, "state", word(&status.state))?;
    count(out, "gss", supersteps(status))?;
    let (loading, running, storing) = status.times;
    seconds(out, "totalRuntime", loading + running + storing)?;
    seconds(out, "startupTime", loading)?;
    if running > Duration::ZERO {
        seconds(out, "computationTime", running)?;
    }
    if storing > Duration::ZERO {
        seconds(out, "storageTime", storing)?;
    }
    out.key("aggregators")?;
    out.open_object()?;
    out.close()?;
    // Threads share one memory: no message is sent.
    count(out, "sendCount", 0)?;
    count(out, "receivedCount", 0)?;
    out.key("reports")?;
    out.open_array()?;
    out.close()?;
    let (vertices, edges) = status.size;
    count(out, "vertexCount", vertices)?;
    count(out, "edgeCount", edges)?;
    count(out, "parallelism", threads as u64)?;
    if let JobState::Failed(error) = &status.state {
        count(out, "errorNum", u64::from(error.number()))?;
        text(out, "errorMessage", error.message())?;
    }
    out.key("detail")?;
    out.open_object()?;
    out.key("aggregatedStatus")?;
    write_detail(status, out)?;
    out.key("workerStatus")?;
    out.open_object()?;
    out.key("")?;
    write_detail(status, out)?;
    out.close()?;
    Ok(out.close()?)
}

fn write_detail(status: &JobStatus, out: &mut Builder) -> Result<()> {
    out.open_object()?;
    text(out, "timeStamp", &date(status.ended.unwrap_or_else(SystemTime::now)))?;
    out.key("graphStoreStatus")?;
    out.open_object()?;
    let (vertices, edges) = status.size;
    count(out, "verticesLoaded", vertices)?;
    count(out, "edgesLoaded", edges)?;
    count(out, "memoryBytesUsed", status.graph_bytes)?;
    if status.written > 0 {
        count(out, "verticesStored", status.written)?;
    }
    out.close()?;
    out.key("allGssStatus")?;
    out.open_object()?;
    out.key("items")?;
    out.open_array()?;
    out.close()?;
    out.close()?;
    Ok(out.close()?)
}

/// Returns ArangoDB's word for a phase.
fn word(state: &JobState) -> &'static str {
    match state {
        JobState::Loading => "loading",
        JobState::Running => "running",
        JobState::Storing => "storing",
        JobState::Done => "done",
        JobState::Canceled => "canceled",
        JobState::Failed(_) => "fatal error",
    }
}

/// Returns the iterations of the algorithm, so far or in total.
fn supersteps(status: &JobStatus) -> u64 {
    let counted = status.statistics.iter().find(|(name, _)| *name == "iterations");
    match (counted, &status.state) {
        (Some((_, Statistic::Count(iterations))), _) => *iterations,
        (_, JobState::Running) => status.progress.0,
        _ => 0,
    }
}

/// Returns a time as `2026-01-31T12:00:00Z`.
pub(super) fn date(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut text = aql_date::to_iso_utc(i64::try_from(since.as_secs()).unwrap_or(0).saturating_mul(1_000));
    if let Some(point) = text.find('.') {
        text.truncate(point);
        text.push('Z');
    }
    text
}

fn text(out: &mut Builder, name: &str, value: &str) -> Result<()> {
    out.key(name)?;
    Ok(out.add_str(value)?)
}

fn count(out: &mut Builder, name: &str, value: u64) -> Result<()> {
    out.key(name)?;
    Ok(out.add_u64(value)?)
}

fn seconds(out: &mut Builder, name: &str, time: Duration) -> Result<()> {
    out.key(name)?;
    Ok(out.add_f64(time.as_secs_f64())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_whole_seconds() {
        assert_eq!(date(UNIX_EPOCH + Duration::from_millis(1_693_580_477_999)), "2023-09-01T15:01:17Z");
    }
}
