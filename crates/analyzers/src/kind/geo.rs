//! The parts that the geo-spatial types share: coverings by cells.

use errors::Result;
use geometry::{Covering, Shape, covering_with};
use velocypack::Builder;

use crate::properties::Properties;
use crate::token::{Sink, Token};

/// The finest level of cells: a square centimeter.
const LEVEL_MAX: u64 = 30;

/// Reads `options`.
pub(super) fn read_options(properties: &Properties<'_>) -> Result<Covering> {
    let mut covering = Covering::default();
    let Some(options) = properties.object("options")? else { return Ok(covering) };
    let level = |name: &str, default: u8| -> Result<u8> {
        let level = options.number(name, 0, LEVEL_MAX)?;
        Ok(level.and_then(|level| u8::try_from(level).ok()).unwrap_or(default))
    };
    covering.min_level = level("minLevel", covering.min_level)?;
    covering.max_level = level("maxLevel", covering.max_level)?;
    if let Some(cells) = options.number("maxCells", 1, u64::from(u16::MAX))? {
        covering.max_cells = usize::try_from(cells).unwrap_or(usize::MAX);
    }
    if covering.max_level < covering.min_level {
        return Err(options.wrong("options.maxLevel", "at least 'options.minLevel'"));
    }
    Ok(covering)
}

pub(super) fn print_options(covering: &Covering, out: &mut Builder) -> velocypack::Result<()> {
    out.key("options")?;
    out.open_object()?;
    out.key("maxCells")?;
    out.add_u64(covering.max_cells as u64)?;
    out.key("minLevel")?;
    out.add_u64(u64::from(covering.min_level))?;
    out.key("maxLevel")?;
    out.add_u64(u64::from(covering.max_level))?;
    out.close()
}

/// Passes the cells that cover a shape, if there is one: their numbers as [`geometry::cell_token`]
/// has them.
pub(super) fn emit_cells(shape: Option<&Shape>, covering: &Covering, sink: &mut dyn Sink) -> Result<()> {
    let Some(shape) = shape else { return Ok(()) };
    sink.pause()?;
    for cell in covering_with(shape, covering) {
        sink.token(Token::new(geometry::cell_token(cell).as_bytes(), 0, 0, 0))?;
    }
    Ok(())
}
