//! Waits without a thread.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::watch;

/// Completes once work can be done without waiting.
pub(crate) type Readiness = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The pauses between two calls of a function that is polled: they double from the first to the
/// last.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Waits until `is_ready` returns true. It is called again and again until then.
pub(crate) fn polled(mut is_ready: impl FnMut() -> bool + Send + 'static) -> Readiness {
    Box::pin(async move {
        let mut pause = PAUSES.0;
        while !is_ready() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    })
}

/// Waits for news, or until `end` completes. Returns false if there is nothing to wait for any
/// more: the end has come, or nobody sends news.
pub(crate) async fn news_or(news: &mut watch::Receiver<u64>, end: impl Future<Output = ()>) -> bool {
    let (mut changed, mut end) = (pin!(news.changed()), pin!(end));
    std::future::poll_fn(|context| match end.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(false),
        Poll::Pending => changed.as_mut().poll(context).map(|changed| changed.is_ok()),
    })
    .await
}
