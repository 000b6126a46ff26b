//! A task that wakes itself while it runs goes round once more at once, instead of asking the runtime for it.
//!
//! hyper hands a request's body to its handler through a channel within one task, so every request with a body wakes the task that is
//! just running. tokio puts such a task at the end of a queue and wakes another thread that might take it: two more system calls
//! a request, and a connection that moves from one processor to another.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use atomic_waker::AtomicWaker;

/// How often a task goes round at once before others have their turn.
const ROUNDS_MAX: usize = 4;

/// Who wakes the task, and where it stands.
///
/// Nothing is lost: who wakes sets `is_woken` and then looks at `is_running`; the task resets `is_running` and then looks at
/// `is_woken`. In the one order that all threads see of these four steps, one of the two sees the other.
#[derive(Debug, Default)]
struct Wakes {
    task: AtomicWaker,
    is_running: AtomicBool,
    is_woken: AtomicBool,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::SeqCst);
        if !self.is_running.load(Ordering::SeqCst) {
            self.task.wake();
        }
    }
}

/// Runs a future so that wakes from within reach the runtime only after some rounds.
pub(super) async fn at_once<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    poll_fn(|context| {
        wakes.task.register(context.waker());
        for _ in 0..ROUNDS_MAX {
            wakes.is_running.store(true, Ordering::SeqCst);
            wakes.is_woken.swap(false, Ordering::SeqCst);
            let outcome = future.as_mut().poll(&mut Context::from_waker(&waker));
            wakes.is_running.store(false, Ordering::SeqCst);
            if outcome.is_ready() || !wakes.is_woken.load(Ordering::SeqCst) {
                return outcome;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Counts how often the runtime is asked.
    #[derive(Default)]
    struct Runtime(AtomicUsize);

    impl Wake for Runtime {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls a future once; how often it asked the runtime to be polled again, and whether it is ready.
    fn poll_once(future: impl Future<Output = ()>) -> (usize, bool) {
        let runtime = Arc::new(Runtime::default());
        let waker = Waker::from(Arc::clone(&runtime));
        let is_ready = pin!(future).poll(&mut Context::from_waker(&waker)).is_ready();
        (runtime.0.load(Ordering::Relaxed), is_ready)
    }

    /// A future that wakes itself so often and is then ready.
    fn waking_itself(times: usize) -> impl Future<Output = ()> {
        let mut left = times;
        poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
    }

    #[test]
    fn a_task_that_wakes_itself_goes_on_without_the_runtime_for_some_rounds() {
        assert_eq!(poll_once(at_once(waking_itself(0))), (0, true));
        assert_eq!(poll_once(at_once(waking_itself(ROUNDS_MAX - 1))), (0, true));
        assert_eq!(poll_once(at_once(waking_itself(ROUNDS_MAX))), (1, false));
        assert_eq!(poll_once(at_once(waking_itself(100))), (1, false));
        assert_eq!(poll_once(at_once(std::future::pending())), (0, false));
    }

    #[test]
    fn no_wake_of_another_thread_is_lost() {
        const MESSAGES: usize = 20_000;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(async {
            let (there, mut here) = tokio::sync::mpsc::channel(1);
            let (back, mut answers) = tokio::sync::mpsc::channel(1);
            let echo = tokio::spawn(at_once(async move {
                while let Some(message) = here.recv().await {
                    back.send(message).await.unwrap();
                }
            }));
            for message in 0..MESSAGES {
                there.send(message).await.unwrap();
                assert_eq!(answers.recv().await, Some(message));
            }
            drop(there);
            echo.await.unwrap();
        });
    }
}
