//! Full-text search of real texts, compared with PostgreSQL: the documents that both find, rates of
//! indexing, sizes, and times of queries.
//!
//! `--texts` is a file with one text a line. Only texts of ASCII letters, spaces and commas count,
//! because both split those into the same words. They are repeated up to the number of documents.
//! `--postgres` is the folder of PostgreSQL's programs; without it, only Persea's results are
//! printed.

mod persea;
mod postgres;
mod texts;

use crate::report::{Report, Target};
use crate::{Failure, Setup};
use persea::Persea;
use postgres::Postgres;
use texts::Texts;

const DOCUMENTS: u64 = 1_000_000;
/// Documents whose sets of hits are compared: both are asked for all keys.
const COMPARED_DOCUMENTS: usize = 50_000;

/// A search.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// Texts with a word.
    Word(String),
    /// Texts with two words.
    Both(String, String),
    /// Texts with words one after another.
    Phrase(Vec<String>),
}

pub(crate) fn run(setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let Some(file) = &setup.texts else {
        println!("search: no --texts, nothing to search");
        return Ok(());
    };
    let texts = Texts::read(file)?;
    println!("search: {} texts, {} bytes, {} words", texts.len(), texts.bytes(), texts.words());
    compare(&texts, setup)?;
    measure(&texts, setup, report)
}

/// Compares the sets of documents that both find.
fn compare(texts: &Texts, setup: &Setup) -> Result<(), Failure> {
    let Some(programs) = &setup.postgres else { return Ok(()) };
    let few = texts.lines(COMPARED_DOCUMENTS.min(texts.len()) as u64);
    let mut persea = Persea::start(setup)?;
    persea.load(few.clone())?;
    persea.index()?;
    let mut postgres = Postgres::start(programs)?;
    postgres.load(few)?;
    postgres.index()?;
    for (what, searches) in texts.searches(200) {
        let mut equal = 0;
        let mut hits = 0;
        for wanted in &searches {
            let (own, other) = (persea.keys(wanted)?, postgres.keys(wanted)?);
            hits += own.len();
            match own == other {
                true => equal += 1,
                false => println!("{wanted:?}: {} documents here, {} there", own.len(), other.len()),
            }
        }
        println!("search, {what}: {equal} of {} sets of documents are equal, {hits} hits", searches.len());
    }
    Ok(())
}

fn measure(texts: &Texts, setup: &Setup, report: &mut Report) -> Result<(), Failure> {
    let documents = setup.documents(DOCUMENTS);
    let mut persea = Persea::start(setup)?;
    let bytes = persea.load(texts.lines(documents))?;
    let own = persea.index()?;
    let mut other = None;
    let mut postgres = setup.postgres.as_deref().map(Postgres::start).transpose()?;
    if let Some(postgres) = &mut postgres {
        postgres.load(texts.lines(documents))?;
        other = Some(postgres.index()?);
    }
    let rate = |seconds: f64| documents as f64 / seconds;
    let name = format!("{documents} texts");
    let limit = other.as_ref().map(|other| rate(other.seconds));
    report.ratio(&format!("{name}: indexed"), (rate(own.seconds), "1/s"), limit, &Target::AtLeast(1.0));
    let cpu = |seconds: f64| seconds * 1e6 / documents as f64;
    let limit = other.as_ref().map(|other| cpu(other.cpu_seconds));
    let own_cpu = (cpu(own.cpu_seconds), "µs");
    report.ratio(&format!("{name}: CPU to index one"), own_cpu, limit, &Target::AtMost(1.0));
    let share = |bytes_of_index: u64| bytes_of_index as f64 / bytes as f64;
    let limit = other.as_ref().map(|other| share(other.bytes));
    report.ratio(&format!("{name}: index by text"), (share(own.bytes), ""), limit, &Target::AtMost(1.0));
    for (what, searches) in texts.searches(25) {
        let mut own = Vec::new();
        let mut others = Vec::new();
        for wanted in &searches {
            own.push(persea.best(wanted)?);
            if let Some(postgres) = &mut postgres {
                others.push(postgres.best(wanted)?);
            }
        }
        let limit = median(&mut others);
        let milliseconds = median(&mut own).unwrap_or(0.0);
        report.ratio(&format!("{name}: best ten, {what}"), (milliseconds, "ms"), limit, &Target::AtMost(1.0));
    }
    Ok(())
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The time of an index's build, the server's CPU time for it, and its bytes.
pub(crate) struct Built {
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) bytes: u64,
}
