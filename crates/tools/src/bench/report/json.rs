//! The measurements as JSON. Times are seconds.

use velocypack::Builder;

use super::super::options::Settings;
use super::Run;
use crate::Failure;

pub(super) fn report(settings: &Settings, database: &str, runs: &[Run]) -> Result<String, Failure> {
    let mut report = Builder::new();
    report.open_object()?;
    for (name, value) in
        [("testCase", settings.case.name()), ("database", database), ("collection", &settings.collection)]
    {
        report.key(name)?;
        report.add_str(value)?;
    }
    report.key("complexity")?;
    report.add_u64(settings.complexity)?;
    for (name, value) in [
        ("keepAlive", settings.keeps_alive),
        ("async", settings.is_async),
        ("waitForSync", settings.waits_for_sync),
    ] {
        report.key(name)?;
        report.add_bool(value)?;
    }
    report.key("runs")?;
    report.open_array()?;
    for run in runs {
        add_run(&mut report, settings, run)?;
    }
    report.close()?;
    report.close()?;
    Ok(report.as_slice().to_json_string() + "\n")
}

fn add_run(report: &mut Builder, settings: &Settings, run: &Run) -> Result<(), Failure> {
    let latencies = &run.tally.latencies;
    report.open_object()?;
    for (name, value) in [
        ("batchSize", run.batch_size),
        ("threads", run.threads),
        ("operations", run.tally.operations),
        ("requests", latencies.count()),
        ("failed", run.tally.failed),
    ] {
        report.key(name)?;
        report.add_u64(value)?;
    }
    for (name, value) in [
        ("elapsed", run.elapsed.as_secs_f64()),
        ("operationsPerSecond", run.rate()),
        ("requestTime", latencies.sum()),
        ("minRequestTime", latencies.min()),
        ("avgRequestTime", latencies.mean()),
        ("maxRequestTime", latencies.max()),
    ] {
        report.key(name)?;
        report.add_f64(value)?;
    }
    report.key("percentiles")?;
    report.open_object()?;
    for percentile in &settings.percentiles {
        report.key(&percentile.to_string())?;
        report.add_f64(latencies.percentile(*percentile))?;
    }
    report.close()?;
    if let Some(failure) = &run.tally.first_failure {
        report.key("firstFailure")?;
        report.add_str(failure)?;
    }
    report.close()?;
    Ok(())
}
