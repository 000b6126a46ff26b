//! Threads that wait for others: for a lock, for another request, or for a time.
//!
//! A pool of threads needs to know which of them wait, because a waiting thread does no work and
//! must not keep others from it. The pool observes its threads ([`observe`]), and code that waits
//! says so by [`Waiting`]. Elsewhere a wait has no observer, and [`Waiting`] does nothing.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

/// The observer of one thread.
pub trait WaitObserver {
    /// The thread begins to wait.
    fn waits(&self);
    /// The thread continues.
    fn continues(&self);
}

thread_local! {
    static OBSERVER: RefCell<Option<Rc<dyn WaitObserver>>> = const { RefCell::new(None) };
}

/// The time in which the calling thread waits. An outer wait includes the inner ones.
#[must_use]
pub struct Waiting {
    observer: Option<Rc<dyn WaitObserver>>,
    /// A wait belongs to its thread.
    _not_send: PhantomData<*const ()>,
}

/// Runs work whose waits on this thread are observed.
pub fn observe<T>(observer: Rc<dyn WaitObserver>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Rc<dyn WaitObserver>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OBSERVER.set(self.0.take());
        }
    }
    let _restore = Restore(OBSERVER.replace(Some(observer)));
    work()
}

impl Waiting {
    /// Begins a wait; it ends when the value is dropped.
    pub fn begin() -> Self {
        let observer = OBSERVER.take();
        if let Some(observer) = &observer {
            observer.waits();
        }
        Waiting { observer, _not_send: PhantomData }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(observer) = self.observer.take() {
            observer.continues();
            OBSERVER.set(Some(observer));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[derive(Default)]
    struct Count {
        begun: Cell<u32>,
        ended: Cell<u32>,
    }

    impl WaitObserver for Count {
        fn waits(&self) {
            self.begun.set(self.begun.get() + 1);
        }
        fn continues(&self) {
            self.ended.set(self.ended.get() + 1);
        }
    }

    #[test]
    fn waits_within_a_wait_count_once() {
        drop(Waiting::begin());
        let count = Rc::<Count>::default();
        observe(Rc::clone(&count) as Rc<dyn WaitObserver>, || {
            let outer = Waiting::begin();
            drop(Waiting::begin());
            assert_eq!((count.begun.get(), count.ended.get()), (1, 0));
            drop(outer);
            drop(Waiting::begin());
        });
        drop(Waiting::begin());
        assert_eq!((count.begun.get(), count.ended.get()), (2, 2));
    }
}
