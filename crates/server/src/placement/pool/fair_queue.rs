//! The queue of a pool: jobs by user, each user in turn, within shares of the threads.
//!
//! A user's jobs begin in the order of their arrival. A job begins only if its user works on fewer
//! threads than its share ([`database::share`]), and waits on fewer than its share of those. The
//! shares depend on what all users take together, so one user alone gets most of the threads, and a
//! newcomer always finds some.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use database::share;

use super::User;

/// The limits for all users together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    /// The threads that work.
    pub(super) working: usize,
    /// The threads whose work waits for others.
    pub(super) waiting: usize,
    /// The queued jobs.
    pub(super) queued: usize,
}

/// The jobs of all users.
#[derive(Debug)]
pub(super) struct FairQueue<J> {
    capacity: Capacity,
    users: HashMap<User, Jobs<J>>,
    /// The users with queued jobs; the first one is served next.
    turns: VecDeque<User>,
    queued: usize,
    /// The threads that work.
    working: usize,
    /// The threads whose work waits.
    waiting: usize,
}

/// The jobs of one user.
#[derive(Debug)]
struct Jobs<J> {
    queued: VecDeque<(Instant, J)>,
    working: usize,
    waiting: usize,
}

impl<J> Jobs<J> {
    fn is_empty(&self) -> bool {
        self.queued.is_empty() && self.working == 0 && self.waiting == 0
    }
}

impl<J> FairQueue<J> {
    pub(super) fn new(capacity: Capacity) -> Self {
        let (users, turns) = (HashMap::new(), VecDeque::new());
        FairQueue { capacity, users, turns, queued: 0, working: 0, waiting: 0 }
    }

    /// Returns the number of queued jobs.
    pub(super) fn len(&self) -> usize {
        self.queued
    }

    /// Returns the number of threads that work.
    pub(super) fn working(&self) -> usize {
        self.working
    }

    /// Returns the number of threads whose work waits.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns true if the user may queue one more job.
    pub(super) fn has_room(&self, user: &User) -> bool {
        let own = self.users.get(user).map_or(0, |jobs| jobs.queued.len());
        share::admits(own, self.queued, self.capacity.queued)
    }

    /// Adds a job at the end of its user's queue.
    pub(super) fn push(&mut self, user: &User, job: J) {
        let jobs = self.users.entry(user.clone()).or_insert_with(|| Jobs {
            queued: VecDeque::new(),
            working: 0,
            waiting: 0,
        });
        if jobs.queued.is_empty() {
            self.turns.push_back(user.clone());
        }
        jobs.queued.push_back((Instant::now(), job));
        self.queued += 1;
    }

    /// Takes the next job that may begin, with the time of its arrival and its user. It counts as
    /// working until [`FairQueue::done`].
    pub(super) fn pop(&mut self) -> Option<(Instant, User, J)> {
        let turn = self.turns.iter().position(|user| self.may_begin(user))?;
        let user = self.turns.remove(turn)?;
        let jobs = self.users.get_mut(&user)?;
        let (since, job) = jobs.queued.pop_front()?;
        jobs.working += 1;
        if !jobs.queued.is_empty() {
            self.turns.push_back(user.clone());
        }
        self.queued -= 1;
        self.working += 1;
        Some((since, user, job))
    }

    /// Returns true if a job that may begin has been queued for so long.
    pub(super) fn is_startable_for(&self, time: Duration) -> bool {
        let is_old = |user: &User| {
            let first = self.users.get(user).and_then(|jobs| jobs.queued.front());
            first.is_some_and(|(since, _)| since.elapsed() >= time)
        };
        self.turns.iter().any(|user| is_old(user) && self.may_begin(user))
    }

    fn may_begin(&self, user: &User) -> bool {
        self.users.get(user).is_some_and(|jobs| {
            share::admits(jobs.working, self.working, self.capacity.working)
                && share::admits(jobs.waiting, self.waiting, self.capacity.waiting)
        })
    }

    /// A job of the user is done.
    pub(super) fn done(&mut self, user: &User) {
        self.working = self.working.saturating_sub(1);
        let Some(jobs) = self.users.get_mut(user) else { return };
        jobs.working = jobs.working.saturating_sub(1);
        if jobs.is_empty() {
            self.users.remove(user);
        }
    }

    /// A job of the user begins to wait for others.
    pub(super) fn begin_wait(&mut self, user: &User) {
        if let Some(jobs) = self.users.get_mut(user) {
            jobs.working -= 1;
            jobs.waiting += 1;
            self.working -= 1;
            self.waiting += 1;
        }
    }

    /// A job of the user works again, even beyond the user's share: it may hold what others need.
    pub(super) fn end_wait(&mut self, user: &User) {
        if let Some(jobs) = self.users.get_mut(user) {
            jobs.working += 1;
            jobs.waiting -= 1;
            self.working += 1;
            self.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn queue(working: usize, waiting: usize) -> FairQueue<u32> {
        FairQueue::new(Capacity { working, waiting, queued: 100 })
    }

    fn user(name: &str) -> User {
        Some(Arc::from(name))
    }

    fn pop(queue: &mut FairQueue<u32>) -> Option<u32> {
        queue.pop().map(|(_, _, job)| job)
    }

    #[test]
    fn users_take_turns_and_each_keeps_its_order() {
        let mut queue = queue(100, 100);
        for job in 0..4 {
            queue.push(&user("a"), job);
        }
        queue.push(&user("b"), 10);
        queue.push(&user("b"), 11);
        let order: Vec<_> = std::iter::from_fn(|| pop(&mut queue)).collect();
        assert_eq!(order, [0, 10, 1, 11, 2, 3]);
        assert_eq!((queue.len(), queue.working()), (0, 6));
    }

    #[test]
    fn a_user_alone_leaves_a_thread_to_the_next() {
        let mut queue = queue(8, 8);
        (0..20).for_each(|job| queue.push(&user("a"), job));
        assert_eq!(std::iter::from_fn(|| pop(&mut queue)).count(), 6);
        assert!(!queue.is_startable_for(Duration::ZERO));
        queue.push(&user("b"), 30);
        assert!(queue.is_startable_for(Duration::ZERO));
        assert_eq!(pop(&mut queue), Some(30));
        queue.done(&user("b"));
        queue.done(&user("a"));
        assert_eq!(pop(&mut queue), Some(6));
    }

    #[test]
    fn waiting_work_leaves_its_thread_up_to_a_share() {
        let mut queue = queue(4, 8);
        (0..20).for_each(|job| queue.push(&user("a"), job));
        let mut begun = 0;
        while pop(&mut queue).is_some() {
            begun += 1;
            queue.begin_wait(&user("a"));
        }
        assert_eq!((begun, queue.working(), queue.waiting()), (6, 0, 6));
        queue.push(&user("b"), 30);
        assert_eq!(pop(&mut queue), Some(30));
        queue.end_wait(&user("a"));
        queue.done(&user("a"));
        assert_eq!(pop(&mut queue), Some(6));
    }

    #[test]
    fn a_users_share_of_the_queue_leaves_room() {
        let mut queue = queue(4, 8);
        let mut queued = 0;
        while queue.has_room(&user("a")) {
            queue.push(&user("a"), queued);
            queued += 1;
        }
        assert_eq!(queued, 75);
        assert!(queue.has_room(&user("b")));
    }
}
