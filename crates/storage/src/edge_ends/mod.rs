//! Whether the vertices at the other ends of kept edges exist, known without looking them up.
//!
//! A reader that has found all of them notes with the edges that they existed as of its snapshot's commit, if no
//! commit after that one has begun to change their collections: then that is the state which it has read. For another
//! reader they exist if its snapshot has that commit, and if since then no commit has removed a document of those
//! collections, and their names mean the same objects: a commit says so before it becomes visible.

use std::sync::Arc;

use crate::visibility::read_cache::{CachedEdges, CommitNumber, CommitWatch};

/// The last commit that may have taken vertices of some collections away, as far as a snapshot can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastLoss(CommitNumber);

/// The vertices at the other ends of edges that are kept in memory: see [`crate::VertexEdges::ends`].
#[derive(Clone)]
pub struct EdgeEnds {
    pub(crate) edges: Arc<CachedEdges>,
    /// The last commit that the reader's snapshot has for certain.
    pub(crate) as_of: CommitNumber,
}

/// The commits that changed a collection of a snapshot's catalog: see [`crate::Collection::commits`].
#[derive(Clone, Copy)]
pub struct CollectionCommits<'a> {
    /// The commit that put this version of the collection into the catalog.
    pub(crate) defined_since: CommitNumber,
    pub(crate) watch: &'a CommitWatch,
}

impl CollectionCommits<'_> {
    /// To be asked after the snapshot was taken, so that all its commits are counted.
    pub(crate) fn last_loss(self) -> LastLoss {
        LastLoss(self.defined_since.max(self.watch.last_removal()))
    }

    /// Returns true if no commit after a moment has begun to change the collection.
    fn are_all_before(self, moment: CommitNumber) -> bool {
        self.defined_since <= moment && self.watch.is_unchanged_since(moment)
    }
}

impl EdgeEnds {
    /// Notes that the reader's snapshot has all the vertices, which belong to some collections of its catalog.
    pub fn note_existing<'a>(&self, mut collections: impl Iterator<Item = CollectionCommits<'a>>) {
        if collections.all(|commits| commits.are_all_before(self.as_of)) {
            self.edges.note_ends_existed(self.as_of);
        }
    }
}

impl CachedEdges {
    /// Whether the vertices at the other ends exist for a snapshot that has all commits up to `as_of`.
    pub(crate) fn ends_exist(&self, as_of: CommitNumber, last_loss: LastLoss) -> bool {
        self.ends_existed().is_some_and(|existed| last_loss.0 <= existed && existed <= as_of)
    }
}

#[cfg(test)]
mod tests;
