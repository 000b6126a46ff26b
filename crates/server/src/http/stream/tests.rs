use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::Wake;
use std::time::Duration;

use errors::{Error, ErrorCode, Result};
use test_engine::wait_until;

use super::*;
use crate::placement::pool::PoolLimits;

struct Counting {
    left: usize,
    made: Arc<AtomicUsize>,
    released: Arc<AtomicUsize>,
    fails: bool,
}

impl ChunkSource for Counting {
    fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if self.left == 0 {
            return if self.fails { Err(Error::of(ErrorCode::Internal)) } else { Ok(None) };
        }
        self.left -= 1;
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(Some(vec![b'x'; 10]))
    }

    fn release(&mut self) {
        self.released.fetch_add(1, Ordering::SeqCst);
    }

    fn farewell(&self, _: &Error) -> Option<Vec<u8>> {
        Some(b"farewell".to_vec())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.made.fetch_add(1_000_000, Ordering::SeqCst);
    }
}

struct Signal(mpsc::Sender<()>);

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        let _ = self.0.send(());
    }
}

fn body(left: usize, fails: bool) -> (StreamBody, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let (made, released) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let source = Counting { left, made: Arc::clone(&made), released: Arc::clone(&released), fails };
    let pool = WorkerPool::new(PoolLimits { threads: 1, max_threads: 1, max_queue: 1 });
    let threads = Threads { pool: Arc::new(pool), user: None };
    (StreamBody::new(Box::new(source), threads, None), made, released)
}

/// Waits for the next frame.
fn next(body: &mut StreamBody) -> Option<std::result::Result<Bytes, BrokenOff>> {
    let (sender, receiver) = mpsc::channel();
    let waker = Waker::from(Arc::new(Signal(sender)));
    loop {
        match Pin::new(&mut *body).poll_frame(&mut Context::from_waker(&waker)) {
            Poll::Ready(frame) => return frame.map(|frame| frame.map(|frame| frame.into_data().unwrap())),
            Poll::Pending => receiver.recv_timeout(Duration::from_secs(60)).unwrap(),
        }
    }
}

#[test]
fn all_chunks_arrive_and_then_the_end() {
    let (mut body, ..) = body(100, false);
    for _ in 0..100 {
        assert_eq!(next(&mut body).unwrap().unwrap().len(), 10);
    }
    assert!(next(&mut body).is_none());
    assert!(body.is_end_stream());
}

#[test]
fn no_more_is_made_than_the_client_takes() {
    let (mut body, made, _) = body(100, false);
    next(&mut body).unwrap().unwrap();
    // More would be made in this time.
    std::thread::sleep(Duration::from_millis(50));
    assert!(made.load(Ordering::SeqCst) <= 1 + CHUNKS_AHEAD);
}

#[test]
fn a_source_keeps_its_place_only_for_a_client_that_comes_back_soon() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    let (mut body, _, released) = body(100, false);
    next(&mut body).unwrap().unwrap();
    assert_eq!(released.load(Ordering::SeqCst), 0);
    runtime.block_on(async {
        let is_released = async {
            while released.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(KEEP_PLACE).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), is_released).await.unwrap();
    });
    next(&mut body).unwrap().unwrap();
}

#[test]
fn an_error_comes_after_the_chunks_before_it_and_a_farewell() {
    let (mut body, ..) = body(1, true);
    assert_eq!(next(&mut body).unwrap().unwrap(), "xxxxxxxxxx");
    assert_eq!(next(&mut body).unwrap().unwrap(), "farewell");
    assert!(next(&mut body).unwrap().unwrap_err().to_string().contains("internal error"));
    assert!(next(&mut body).is_none());
}

#[test]
fn the_source_goes_when_the_client_does() {
    let (mut body, made, _) = body(100, false);
    next(&mut body).unwrap().unwrap();
    drop(body);
    wait_until("the source is dropped", || made.load(Ordering::SeqCst) >= 1_000_000);
}
