//! Results of algorithms that part vertices into components.

use errors::Result;

use crate::column::{Column, NO_VERTEX};
use crate::table::{Statistic, Table};
use crate::work::Work;

/// Makes the table of components, each of which has a name below the number of vertices. It numbers
/// them from 0 in the order of their first vertices.
pub(super) fn table(names: &[u32], work: &Work) -> Result<Table> {
    let _numbers = work.reserve_for::<u32>(names.len())?;
    let column = work.reserve_for::<u64>(names.len())?;
    let mut numbers = vec![NO_VERTEX; names.len()];
    let mut sizes: Vec<u64> = Vec::new();
    let mut components = Vec::with_capacity(names.len());
    for part in names.chunks(1 << 16) {
        work.check()?;
        for name in part {
            let number = &mut numbers[*name as usize];
            if *number == NO_VERTEX {
                *number = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*number as usize] += 1;
            components.push(u64::from(*number));
        }
    }
    drop(column);
    let table = Table::by_vertex(work)?.with_column("component", Column::Count(components))?;
    Ok(table
        .with_statistic("components", Statistic::Count(sizes.len() as u64))
        .with_statistic("largest", Statistic::Count(sizes.iter().copied().max().unwrap_or_default())))
}
