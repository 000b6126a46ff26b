//! `persea backup restore --at`: a backup and the archived change log behind it, restored to one
//! moment in a new data folder, without a server.
//!
//! [`moment`] reads the moment, [`plan`] chooses the backup and the part of the log, [`restore`]
//! carries it out, and [`replay`] applies the log. [`folder_log`] is the log of a stopped server,
//! which continues the archive.

mod moment;
mod plan;
mod progress;
mod store;
mod folder_log;
mod replay;
mod restore;

use std::path::Path;

use backups::{Location, Repository};
use encryption::Secret;
use options::Options;
use tools::{Console, Failure, Tool};

use self::moment::Moment;
use self::plan::Plan;

/// The parts of which a moment is restored.
struct Source<'a> {
    repository: &'a Repository,
    plan: &'a Plan,
    /// The data folder whose log continues the archive.
    log_from: Option<&'a Path>,
    /// A secret that opens the backup, if it is encrypted.
    secret: Option<&'a Secret>,
}

/// Runs `persea backup`. Only a restore to a moment is done here: the tools do not know the store.
pub(crate) fn run(tool: &Tool, options: &Options, console: &Console) -> Result<(), Failure> {
    let Some(request) = tools::restore_request(options)? else { return (tool.run)(options, console) };
    let moment = Moment::parse(&request.at)?;
    let repository = Repository::open(&Location::parse(&request.repository)?)?;
    let log_from = request.log_from.as_deref().map(Path::new);
    let plan = Plan::make(&repository, &moment, request.identifier.as_deref(), log_from.is_some())?;
    console.info(&format!(
        "restoring the backup '{}' and {} segments of the change log up to {moment}",
        plan.manifest.id,
        plan.chain.segments.len()
    ));
    let source = Source { repository: &repository, plan: &plan, log_from, secret: request.secret.as_ref() };
    let restored = restore::run(&source, &moment, Path::new(&request.directory), console)?;
    console.info(&format!(
        "Successfully restored {}; the last of {} commits behind the backup is of {}",
        request.directory, restored.commits, restored
    ));
    Ok(())
}
