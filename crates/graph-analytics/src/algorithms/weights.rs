//! Weights that an algorithm accepts.

use errors::{Error, Result};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::parameters::{Kind, Parameter, Parameters};
use crate::work::Work;

/// The parameter `weighted`.
pub(super) const WEIGHTED: Parameter = Parameter {
    name: "weighted",
    kind: Kind::Flag { default: false },
    about: "The weights of edges count; otherwise each edge counts as 1.",
};

/// The weights that an algorithm accepts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    /// Every finite number.
    Finite,
    /// Finite numbers from 0.
    FromZero,
    /// Finite numbers above 0.
    AboveZero,
}

/// Weights that are checked at a time.
const PART: usize = 1 << 16;

/// Checks the weights of all edges; a graph without weights passes.
///
/// Errors: 10 that names the first edge whose weight is not accepted.
pub(super) fn check(graph: &Graph, work: &Work, needs: Needs) -> Result<()> {
    let Some(weights) = graph.outgoing().all_weights() else { return Ok(()) };
    let is_wrong = |weight: &f64| match needs {
        Needs::Finite => !weight.is_finite(),
        Needs::FromZero => !weight.is_finite() || *weight < 0.0,
        Needs::AboveZero => !weight.is_finite() || *weight <= 0.0,
    };
    let wrong = weights.par_chunks(PART).enumerate().find_map_first(|(i, part)| {
        let place = part.iter().position(is_wrong)?;
        Some(i * PART + place)
    });
    work.check()?;
    let Some(place) = wrong else { return Ok(()) };
    let offsets = graph.outgoing().offsets();
    let from = offsets.partition_point(|offset| *offset <= place as u64) - 1;
    let (to, weight) = (graph.outgoing().all_targets()[place], weights[place]);
    let right = match needs {
        Needs::Finite => "finite",
        Needs::FromZero => "finite and at least 0",
        Needs::AboveZero => "finite and above 0",
    };
    Err(Error::bad_parameter(format!(
        "the edge from vertex {from} to {to} has the weight {weight}; it must be {right}"
    )))
}

/// Returns the greatest weight, but never 0, if edges count by weights; `None` if each counts as 1.
///
/// Errors: 10 as [`check`] for weights below 0.
pub(super) fn greatest(graph: &Graph, parameters: &Parameters, work: &Work) -> Result<Option<f64>> {
    let Some(weights) = graph.outgoing().all_weights().filter(|_| parameters.flag(WEIGHTED.name)) else {
        return Ok(None);
    };
    check(graph, work, Needs::FromZero)?;
    Ok(Some(weights.par_iter().copied().reduce(|| f64::MIN_POSITIVE, f64::max)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_wrong_weight_is_named() {
        let graph = testing::weighted(4, &[(0, 1, 1.0), (2, 3, 0.0), (2, 1, -2.5)]);
        let message = |needs| check(&graph, &Work::default(), needs).unwrap_err().to_string();
        assert!(check(&graph, &Work::default(), Needs::Finite).is_ok());
        assert!(message(Needs::FromZero).contains("vertex 2 to 1 has the weight -2.5"));
        assert!(message(Needs::AboveZero).contains("above 0"));
        let graph = testing::weighted(2, &[(1, 0, f64::NAN)]);
        assert!(check(&graph, &Work::default(), Needs::Finite).is_err());
    }
}
