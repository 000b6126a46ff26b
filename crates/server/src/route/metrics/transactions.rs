//! Figures of stream transactions and of the locks of collections.

use database::Session;
use storage::OPERATION_CUTS;

use super::Page;

pub(super) fn print(session: &Session, page: &mut Page) {
    let counts = session.instance().transactions().counts();
    page.counter(
        "arangodb_transactions_expired_total",
        "Stream transactions that were aborted after their idle time.",
        counts.expired,
    );
    page.counter(
        "arangodb_read_transactions_total",
        "Queries and other reads, and stream transactions that write nothing.",
        counts.read_only,
    );
    page.counter("persea_stream_transactions_begun_total", "Stream transactions.", counts.begun);
    page.counter(
        "persea_stream_transactions_committed_total",
        "Stream transactions that were committed.",
        counts.committed,
    );
    page.counter(
        "persea_stream_transactions_aborted_total",
        "Stream transactions that were aborted.",
        counts.aborted,
    );
    page.gauge("persea_stream_transactions_open", "Open stream transactions.", counts.running);
    let locks = session.instance().store().lock_statistics();
    page.counter(
        "arangodb_collection_lock_acquisition_micros_total",
        "Microseconds that writers waited for collections.",
        (locks.waits.sum * 1e6).round(),
    );
    page.histogram(
        "arangodb_collection_lock_acquisition_time",
        "Seconds that writers waited for collections.",
        &OPERATION_CUTS,
        &locks.waits,
    );
    page.counter(
        "arangodb_collection_lock_timeouts_exclusive_total",
        "Exclusive locks of collections that were not granted in time.",
        locks.exclusive_timeouts,
    );
    page.counter(
        "arangodb_collection_lock_timeouts_write_total",
        "Shared locks of collections that were not granted in time.",
        locks.shared_timeouts,
    );
}
