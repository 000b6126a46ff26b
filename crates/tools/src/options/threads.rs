//! `--threads` of the tools that process several collections concurrently.

use options::{Number, Opt, Options};

use crate::failure::Failure;

/// The maximum number of threads.
const THREADS_MAX: u64 = 256;

/// Returns the number of threads; 0 means one per core, at least two.
pub(crate) fn threads(options: &Options, option: &Opt<Number>) -> Result<usize, Failure> {
    match options.get(option) {
        0 => Ok(std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2))),
        threads @ 1..=THREADS_MAX => Ok(threads as usize),
        _ => Err(Failure::option(format!("--{} must be at most {THREADS_MAX}", option.name))),
    }
}
