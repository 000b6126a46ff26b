//! Scores that decay with the distance from an origin. At the distance `offset` + `scale` they are
//! `decay`.

use aql_value::{EvaluationContext, Value};
use errors::Result;

use crate::argument::{check_round, invalid, value};
use crate::memory::ArrayBuffer;

/// `DECAY_EXP(value, origin, scale, offset, decay)`
pub(crate) fn decay_exp(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let score = |distance: f64, scale: f64, decay: f64| (decay.ln() / scale * distance).exp();
    scored("DECAY_EXP", arguments, score, context)
}

/// `DECAY_GAUSS(value, origin, scale, offset, decay)`
pub(crate) fn decay_gauss(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let score = |distance: f64, scale: f64, decay: f64| {
        let variance = -scale.powi(2) / (2.0 * decay.ln());
        (-distance.powi(2) / (2.0 * variance)).exp()
    };
    scored("DECAY_GAUSS", arguments, score, context)
}

/// `DECAY_LINEAR(value, origin, scale, offset, decay)`
pub(crate) fn decay_linear(arguments: &[Value], context: &mut EvaluationContext<'_>) -> Result<Value> {
    let score = |distance: f64, scale: f64, decay: f64| {
        let reach = scale / (1.0 - decay);
        ((reach - distance) / reach).max(0.0)
    };
    scored("DECAY_LINEAR", arguments, score, context)
}

/// Returns the score of a number, or the scores of an array's numbers.
fn scored(
    name: &str,
    arguments: &[Value],
    score: impl Fn(f64, f64, f64) -> f64,
    context: &mut EvaluationContext<'_>,
) -> Result<Value> {
    let parameter = |index: usize| value(arguments, index).as_f64();
    let (Some(origin), Some(scale), Some(offset), Some(decay)) =
        (parameter(1), parameter(2), parameter(3), parameter(4))
    else {
        return invalid(context, name);
    };
    if scale <= 0.0 || offset < 0.0 || decay <= 0.0 || decay >= 1.0 {
        return invalid(context, name);
    }
    let score_of =
        |number: f64| Value::from_f64(score(((number - origin).abs() - offset).max(0.0), scale, decay));
    let input = value(arguments, 0);
    if let Some(number) = input.as_f64() {
        return Ok(score_of(number));
    }
    let mut scores = ArrayBuffer::new(context);
    for (round, element) in input.elements().enumerate() {
        check_round(context, round)?;
        match element.as_f64() {
            Some(number) => scores.push(score_of(number))?,
            None => return invalid(context, name),
        }
    }
    if input.is_array() { scores.into_array() } else { invalid(context, name) }
}
