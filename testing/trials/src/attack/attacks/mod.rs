//! The attacks, one a file.

mod announced;
mod backups;
mod bombs;
mod disk;
mod documents;
mod graphs;
mod hostile;
mod http2;
mod killed;
mod mutation;
mod passwords;
mod queries;
mod random;
mod scripts;
mod searches;
mod slow_readers;
mod tokens;
mod views;
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

    /// Returns the maximum number of the server's worker threads; `None` for its default.
    fn threads(&self) -> Option<usize> {
        Some(2)
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
    &views::Views,
    &graphs::Graphs,
    &scripts::Scripts,
    &backups::Backups,
    &waiting::Waiting,
    &random::Random,
    &passwords::Passwords,
    &mutation::Mutation,
    &http2::Http2Attack,
    &slow_readers::SlowReaders,
    &tokens::Tokens,
    &disk::Disk,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The document with the table of all work that grows with its input.
    const DOCUMENT: &str = include_str!("../../../../../docs/security.md");

    /// Returns the work and the attacks of each row.
    fn rows() -> Vec<(&'static str, &'static str)> {
        let cells = |line: &'static str| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            (cells.next().unwrap_or_default(), cells.next_back().unwrap_or_default())
        };
        let lines = DOCUMENT.lines().skip_while(|line| !line.starts_with("| work | owner |")).skip(2);
        lines.take_while(|line| line.starts_with('|')).map(cells).collect()
    }

    #[test]
    fn each_kind_of_work_has_an_attack_or_needs_none() {
        let rows = rows();
        assert!(rows.len() > 20, "the table has {} rows", rows.len());
        for (work, cell) in rows {
            if let Some(reason) = cell.strip_prefix("none: ") {
                assert!(!reason.is_empty(), "{work} says why it needs no attack");
                continue;
            }
            let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "{work} names an attack, or begins with \"none: \"");
            for name in names {
                assert!(ATTACKS.iter().any(|attack| attack.name() == name), "{work} names {name}");
            }
        }
    }
}
