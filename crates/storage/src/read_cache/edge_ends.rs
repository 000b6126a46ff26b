//! Whether the vertices at the other ends of kept edges exist, known without looking them up.
//!
//! A reader that has found all of them notes with the edges that they existed as of its snapshot's commit, if no
//! commit after that one has begun to change their collections: then that is the state which it has read. For another
//! reader they exist if its snapshot has that commit, and if since then no commit has removed a document of those
//! collections, and their names mean the same objects: a commit says so before it becomes visible.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::commit_order::CommitNumber;
use super::{CommitWatch, KeptEdges};
use crate::Collection;

/// The last commit that may have taken vertices of some collections away, as far as a snapshot can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastLoss(CommitNumber);

/// The vertices at the other ends of edges that are kept in memory: see [`crate::VertexEdges::ends`].
#[derive(Clone)]
pub struct EdgeEnds {
    pub(crate) edges: Arc<KeptEdges>,
    /// The last commit that the reader's snapshot has for certain.
    pub(crate) as_of: CommitNumber,
}

impl LastLoss {
    /// A collection of a snapshot's catalog: asked after the snapshot was taken, so that all its commits are counted.
    pub(crate) fn of(collection: &Collection) -> Self {
        LastLoss(collection.defined_since.max(collection.commit_watch.last_removal()))
    }
}

impl EdgeEnds {
    /// Notes that the reader's snapshot has all the vertices, which belong to some collections of its catalog.
    pub fn note_existing<'a>(&self, mut collections: impl Iterator<Item = &'a Arc<Collection>>) {
        let is_state_as_of = |collection: &Arc<Collection>| {
            collection.defined_since <= self.as_of && collection.commit_watch.is_unchanged_since(self.as_of)
        };
        if collections.all(is_state_as_of) {
            self.edges.note_ends_existed(self.as_of);
        }
    }
}

impl KeptEdges {
    /// Whether the vertices at the other ends exist for a snapshot that has all commits up to `as_of`.
    pub(crate) fn ends_exist(&self, as_of: CommitNumber, last_loss: LastLoss) -> bool {
        self.ends_existed().is_some_and(|existed| last_loss.0 <= existed && existed <= as_of)
    }
}

impl CommitWatch {
    /// The last commit that has begun and removes documents.
    fn last_removal(&self) -> CommitNumber {
        self.last_removal.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests;
