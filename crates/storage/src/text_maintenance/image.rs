//! The upkeep of images: which server writes the image of a text index, and when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use errors::Result;

use super::step::{Owner, step};
use crate::index::text::image::Image;
use crate::index::text::text_index::StepCheck;
use crate::index::text::work::Work;
use crate::store_core::StoreCore;

/// The least time between two images, and the number of pairs in its outbox that makes the next one
/// due. They bound what a server has to index when it begins from the image.
const INTERVAL: Duration = Duration::from_secs(60);
const PAIRS: u64 = 20_000;
/// The time after which a single pair makes the next image due.
const INTERVAL_MAX: Duration = Duration::from_secs(600);

/// Writes the image of an index if it is due, and if this server is the first of those that share
/// the store.
///
/// Errors: those of a step, of saving, and of the engine.
pub(super) fn write_if_due(core: &Arc<StoreCore>, owner: &Owner, check: StepCheck<'_>) -> Result<()> {
    let is_writer = core.coordination.members().is_some_and(|members| members.is_first());
    if !is_writer || owner.text.folder.is_none() {
        return Ok(());
    }
    // It precedes the step, whose snapshot then has all pairs that are seen here.
    let before = {
        let Some(work) = owner.text.try_work() else { return Ok(()) };
        if !is_due(&work) {
            return Ok(());
        }
        core.engine.snapshot()?
    };
    let image = {
        let mut work = owner.text.work_unless(check)?;
        step(core, owner, &mut work, check)?;
        core.save_now(owner, &mut work)?;
        let Some(image) = Image::of(&work, core.ids.next()?) else { return Ok(()) };
        (work.imaged, work.pairs_since_image) = (Some(Instant::now()), 0);
        image
    };
    let written = image.write(&owner.text, core.engine.as_ref(), before.as_ref(), check);
    if written.is_err() {
        // The next attempt comes after the interval.
        owner.text.work().pairs_since_image = PAIRS;
    }
    written.map(drop)
}

fn is_due(work: &Work) -> bool {
    if !work.is_open || work.is_partial {
        return false;
    }
    let Some(imaged) = work.imaged else { return true };
    let (elapsed, pairs) = (imaged.elapsed(), work.pairs_since_image);
    elapsed >= INTERVAL && pairs >= PAIRS || elapsed >= INTERVAL_MAX && pairs > 0
}
