//! Directions, and graphs in which they are ignored.

use errors::Result;
use owner::Charge;

use super::Graph;
use super::adjacency::Adjacency;
use super::undirected::{self, Keep};
use crate::work::Work;

/// The edges along which an algorithm goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Along edges, from `_from` to `_to`.
    #[default]
    Outbound,
    /// Against edges.
    Inbound,
    /// Both.
    Any,
}

/// Rows that an algorithm reads: those of the graph, or its own.
#[derive(Debug)]
pub enum Rows<'g> {
    /// Rows of the graph.
    OfGraph(&'g Adjacency),
    /// Rows that were made for the algorithm, with the charge for their memory.
    Made(Adjacency, Charge),
}

impl std::ops::Deref for Rows<'_> {
    type Target = Adjacency;

    fn deref(&self) -> &Adjacency {
        match self {
            Rows::OfGraph(rows) => rows,
            Rows::Made(rows, _) => rows,
        }
    }
}

/// The one or two rows of each vertex in a direction.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'g> {
    first: &'g Adjacency,
    second: Option<&'g Adjacency>,
}

impl<'g> Sides<'g> {
    /// Iterates over the rows.
    pub fn iter(self) -> impl Iterator<Item = &'g Adjacency> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Returns the number of edges at a vertex.
    pub fn degree(self, vertex: u32) -> usize {
        self.first.degree(vertex) + self.second.map_or(0, |rows| rows.degree(vertex))
    }

    /// Returns the sum of the weights at a vertex.
    pub fn weight(self, vertex: u32) -> f64 {
        self.iter().map(|rows| rows.edges(vertex).map(|(_, weight)| weight).sum::<f64>()).sum()
    }
}

impl Direction {
    /// Returns the direction against this one.
    pub fn reversed(self) -> Self {
        match self {
            Direction::Outbound => Direction::Inbound,
            Direction::Inbound => Direction::Outbound,
            Direction::Any => Direction::Any,
        }
    }
}

impl Graph {
    /// Returns the edges of each vertex in a direction.
    ///
    /// In direction [`Direction::Any`] each edge is in two rows; a loop is in one row twice.
    pub fn rows(&self, work: &Work, direction: Direction) -> Result<Rows<'_>> {
        match direction {
            Direction::Outbound => Ok(Rows::OfGraph(self.outgoing())),
            Direction::Inbound => self.incoming(work).map(Rows::OfGraph),
            Direction::Any => self.undirected(work, Keep::All),
        }
    }

    /// Returns the rows in which the edges of a direction are: one, or two for
    /// [`Direction::Any`]. Unlike [`Graph::rows`] it makes no copy of both.
    pub fn sides(&self, work: &Work, direction: Direction) -> Result<Sides<'_>> {
        Ok(match direction {
            Direction::Outbound => Sides { first: self.outgoing(), second: None },
            Direction::Inbound => Sides { first: self.incoming(work)?, second: None },
            Direction::Any => Sides { first: self.outgoing(), second: Some(self.incoming(work)?) },
        })
    }

    /// Returns the undirected graph without loops and parallel edges: each pair of neighbours once
    /// in either row. The weight is the sum of the edges between the two.
    pub fn simple_rows(&self, work: &Work) -> Result<Rows<'_>> {
        self.undirected(work, Keep::Simple)
    }

    fn undirected(&self, work: &Work, keep: Keep) -> Result<Rows<'_>> {
        undirected::rows(self, work, keep).map(|(rows, charge)| Rows::Made(rows, charge))
    }
}
