//! Random walks with the bias of node2vec.

use super::steps::Bias;
use super::{DIRECTION, LENGTH, SEED, SOURCES, WALKS_PER_VERTEX, WEIGHTED};
use crate::algorithm::Algorithm;
use crate::parameters::{Kind, Parameter};

pub(in crate::algorithms) const NODE2VEC_WALKS: Algorithm = Algorithm {
    name: "node2vecWalks",
    about: "Walks from vertices along random edges that lead back, stay near, or lead away.",
    definition: "Grover, Leskovec (2016): as randomWalks, but from the second step on the odds of an \
                 edge are multiplied: by 1 / returnFactor (p) if it leads back to the vertex before, \
                 by 1 if an edge in `direction` leads there from the vertex before, and else by 1 / \
                 inOutFactor (q). Directions, loops, parallel edges, weights, ends and rows are \
                 those of randomWalks.",
    parameters: &[
        Parameter {
            name: "returnFactor",
            kind: Kind::Number { default: 1.0, min: 1e-3, max: 1e3 },
            about: "The parameter p: more makes a return to the vertex before less likely.",
        },
        Parameter {
            name: "inOutFactor",
            kind: Kind::Number { default: 1.0, min: 1e-3, max: 1e3 },
            about: "The parameter q: more keeps walks nearer to the vertex before.",
        },
        SOURCES,
        WALKS_PER_VERTEX,
        LENGTH,
        DIRECTION,
        WEIGHTED,
        SEED,
    ],
    columns: &["source", "walk"],
    is_by_vertex: false,
    memory: super::memory,
    run: |graph, parameters, work| {
        let (back, away) = (parameters.number("returnFactor"), parameters.number("inOutFactor"));
        super::run(graph, parameters, work, Some(Bias { back: 1.0 / back, away: 1.0 / away }))
    },
};
