//! The attacks, one a file.

mod announced;
mod bombs;
mod disk;
mod documents;
mod hostile;
mod http2;
mod killed;
mod mutation;
mod passwords;
mod queries;
mod random;
mod searches;
mod slow_readers;
mod tokens;
mod waiting;
mod writes;

use std::path::Path;

use fastrand::Rng;

use crate::attack::target::Target;

/// An attack.
pub(crate) trait Attack {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The attack in one line.
    fn summary(&self) -> &'static str;

    /// Prepares `folder`, in which the server will have its data in `data`. Returns options of the
    /// server. Errors: the reason for which this machine cannot run the attack.
    fn options(&self, _folder: &Path) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    /// Creates what the attack needs, before the bystander is at rest.
    fn prepare(&self, _target: &Target) -> Result<(), String> {
        Ok(())
    }

    /// Attacks until the target says that the time is over. Records the server's failures in the
    /// target. Errors: the attack cannot continue.
    fn run(&self, target: &Target, rng: &mut Rng) -> Result<(), String>;
}

/// All attacks.
pub(crate) const ATTACKS: &[&dyn Attack] = &[
    &bombs::Bombs,
    &announced::Announced,
    &documents::Documents,
    &queries::Queries,
    &writes::Writes,
    &searches::Searches,
    &waiting::Waiting,
    &random::Random,
    &passwords::Passwords,
    &mutation::Mutation,
    &http2::Http2Attack,
    &slow_readers::SlowReaders,
    &tokens::Tokens,
    &disk::Disk,
];
