//! Proof that the vertices at the other ends of cached edges exist, without looking them up.
//!
//! A reader that has found all of them records with the edges that they existed as of its
//! snapshot's commit. It does so only if no later commit has begun to change their collections,
//! because only then has it read the state of that commit.
//!
//! The vertices exist for another reader under two conditions. Its snapshot includes the recorded
//! commit. And since then, no commit has removed a document of those collections or changed the
//! objects that their names mean. A commit registers both before it becomes visible.

use std::sync::Arc;

use crate::visibility::read_cache::{CachedEdges, CommitNumber, CommitWatch};

/// The last commit, as far as a snapshot can tell, that may have removed vertices of some
/// collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastLoss(CommitNumber);

/// The vertices at the other ends of cached edges: see [`crate::VertexEdges::ends`].
#[derive(Clone)]
pub struct EdgeEnds {
    pub(crate) edges: Arc<CachedEdges>,
    /// The last commit that the reader's snapshot is certain to include.
    pub(crate) as_of: CommitNumber,
}

/// The commits that changed a collection of a snapshot's catalog: see
/// [`crate::Collection::commits`].
#[derive(Clone, Copy)]
pub struct CollectionCommits<'a> {
    /// The commit that put this version of the collection into the catalog.
    pub(crate) defined_since: CommitNumber,
    pub(crate) watch: &'a CommitWatch,
}

impl CollectionCommits<'_> {
    /// Returns the last commit that may have removed documents. The caller must have taken its
    /// snapshot before, so that all commits of the snapshot count.
    pub(crate) fn last_loss(self) -> LastLoss {
        LastLoss(self.defined_since.max(self.watch.last_removal()))
    }

    /// Returns true if no commit after `moment` has begun to change the collection.
    fn are_all_before(self, moment: CommitNumber) -> bool {
        self.defined_since <= moment && self.watch.is_unchanged_since(moment)
    }
}

impl EdgeEnds {
    /// Records that the reader's snapshot has all the vertices. `collections` are their collections
    /// in its catalog.
    pub fn note_existing<'a>(&self, mut collections: impl Iterator<Item = CollectionCommits<'a>>) {
        if collections.all(|commits| commits.are_all_before(self.as_of)) {
            self.edges.note_ends_existed(self.as_of);
        }
    }
}

impl CachedEdges {
    /// Returns true if the vertices at the other ends exist for a snapshot that has all commits up
    /// to `as_of`.
    pub(crate) fn ends_exist(&self, as_of: CommitNumber, last_loss: LastLoss) -> bool {
        self.ends_existed().is_some_and(|existed| last_loss.0 <= existed && existed <= as_of)
    }
}

#[cfg(test)]
mod tests;
