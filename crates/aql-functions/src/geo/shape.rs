//! Arguments that are shapes.

use std::sync::Arc;

use aql_value::{EvaluationContext, Value};
use errors::ErrorCode;
use geometry::{Error, Rules, Shape};

use crate::argument::{Outcome, invalid, stop, value, warned};
use crate::memory::{room_for_bytes, too_much_memory};

/// The number of parsed shapes that are cached between calls.
const KEPT_SHAPES: usize = 4;
/// The sizes of the shapes that are cached, in bytes of their values.
///
/// Smaller ones are quick to parse; larger ones take much memory.
const KEPT_BYTES: std::ops::Range<usize> = 128..1 << 20;

/// The bytes of a shape under construction for a byte of its value.
const BYTES_OF_SHAPE: usize = 8;

/// A cache of parsed shapes, the last used first.
///
/// In a query, one of two arguments is mostly the same for all rows.
#[derive(Default)]
struct ParsedShapes {
    shapes: Vec<(Box<[u8]>, Arc<Shape>)>,
}

/// Returns the argument as a shape. Stops with null and a warning for anything else.
pub(super) fn shape(
    arguments: &[Value],
    index: usize,
    name: &str,
    context: &mut EvaluationContext<'_>,
) -> Outcome<Arc<Shape>> {
    let argument = value(arguments, index);
    if !argument.is_array() && !argument.is_object() {
        return stop(invalid(context, name));
    }
    let _room = room_for_bytes(BYTES_OF_SHAPE * argument.memory_bytes(), context)?;
    match parsed(argument, context) {
        Ok(shape) => Ok(shape),
        Err(error) => refuse(&error, name, context),
    }
}

/// Stops with the warning or error that a shape's error means for the query.
pub(super) fn refuse<T>(error: &Error, name: &str, context: &mut EvaluationContext<'_>) -> Outcome<T> {
    if *error == Error::Interrupted {
        context.interrupt.check()?;
        // It was too much memory, which is free again.
        return Err(too_much_memory().into());
    }
    stop(warned(context, name, ErrorCode::BadParameter, &error.to_string()))
}

fn parsed(argument: &Value, context: &mut EvaluationContext<'_>) -> Result<Arc<Shape>, Error> {
    let interrupt = context.interrupt;
    let parse = |slice: velocypack::Slice<'_>| {
        geometry::parse(slice, Rules::LENIENT, &|| interrupt.check().is_err()).map(Arc::new)
    };
    argument.with_slice(|slice, _| {
        let bytes = slice.bytes();
        let kept =
            if KEPT_BYTES.contains(&bytes.len()) { context.state.memo.get::<ParsedShapes>() } else { None };
        let Some(kept) = kept else { return parse(slice) };
        if let Some(position) = kept.shapes.iter().position(|(source, _)| **source == *bytes) {
            kept.shapes.get_mut(..=position).unwrap_or_default().rotate_right(1);
            return kept.shapes.first().map_or_else(|| parse(slice), |(_, shape)| Ok(Arc::clone(shape)));
        }
        let shape = parse(slice)?;
        kept.shapes.truncate(KEPT_SHAPES - 1);
        kept.shapes.insert(0, (bytes.into(), Arc::clone(&shape)));
        Ok(shape)
    })
}
