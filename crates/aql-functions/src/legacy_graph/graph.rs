//! Named graphs.

use super::caller::Caller;
use super::examples::Examples;
use super::network::{Follow, Network};
use crate::argument::{Outcome, check_round};
use aql_value::{EdgeDirection, EvaluationContext, Result, Value};

/// The collections of a named graph.
pub(super) struct Graph {
    edge_collections: Vec<String>,
    vertex_collections: Vec<String>,
}

/// Collections that are considered; `None`: all of the graph.
pub(super) type Restriction = Option<Vec<String>>;

impl Graph {
    /// The graph that the first argument names. Error 1924 if there is none.
    pub(super) fn of(caller: &mut Caller<'_, '_>) -> Outcome<Self> {
        let name = caller.text(0)?;
        Ok(Self::from_definition(&caller.context.environment.graph(name)?))
    }

    fn from_definition(definition: &Value) -> Self {
        let (mut edge_collections, mut vertex_collections) = (Vec::new(), Vec::new());
        for edges in definition.get("edgeDefinitions").elements() {
            add_names(&edges.get("collection"), &mut edge_collections);
            add_names(&edges.get("from"), &mut vertex_collections);
            add_names(&edges.get("to"), &mut vertex_collections);
        }
        add_names(&definition.get("orphanCollections"), &mut vertex_collections);
        Self { edge_collections, vertex_collections }
    }

    /// The edges that the options of a function let a search follow.
    pub(super) fn follow(
        &self,
        caller: &mut Caller<'_, '_>,
        options: &Value,
        direction: EdgeDirection,
    ) -> Outcome<Follow> {
        let restriction = caller.names(&options.get("edgeCollectionRestriction"))?;
        let collections = restricted(&self.edge_collections, &restriction);
        let direction = caller.direction(&options.get("direction"), direction)?;
        let examples = caller.examples(&options.get("edgeExamples"))?;
        Ok(Follow { collections: collections.map(str::to_owned).collect(), direction, examples })
    }

    /// All edges of the graph.
    pub(super) fn all_edges(&self, direction: EdgeDirection) -> Follow {
        Follow { collections: self.edge_collections.clone(), direction, examples: Examples::all() }
    }

    /// The vertices of the graph that match examples.
    pub(super) fn select(
        &self,
        examples: &Examples,
        restriction: &Restriction,
        network: &mut Network<'_>,
        context: &EvaluationContext<'_>,
    ) -> Result<Vec<usize>> {
        let mut selected = Vec::new();
        let mut add = |document: Value, network: &mut Network<'_>| -> Result<()> {
            network.charge(size_of::<usize>())?;
            selected.push(network.vertex_of(document)?);
            Ok(())
        };
        if let Some(ids) = examples.possible_ids() {
            for id in &ids {
                if !self.has_vertex(id, restriction) {
                    continue;
                }
                let vertex = network.vertex(id)?;
                let document = network.document(vertex)?;
                if !document.is_null() && examples.matches(id, &document) {
                    add(document, network)?;
                }
            }
            return Ok(selected);
        }
        for collection in restricted(&self.vertex_collections, restriction) {
            let documents = network.environment().collection_documents(collection)?;
            network.charge(documents.memory_bytes())?;
            for (round, document) in documents.elements().enumerate() {
                check_round(context, round)?;
                if examples.matches(document.get("_id").as_str().unwrap_or_default(), &document) {
                    add(document, network)?;
                }
            }
        }
        Ok(selected)
    }

    /// Whether an identifier is one of a vertex of the graph, if there is such a vertex.
    pub(super) fn has_vertex(&self, id: &str, restriction: &Restriction) -> bool {
        let Some((collection, _)) = id.split_once('/') else { return false };
        restricted(&self.vertex_collections, restriction).any(|name| name == collection)
    }
}

/// Adds a name, or the names in an array, each once.
fn add_names(value: &Value, names: &mut Vec<String>) {
    let mut add = |name: &Value| {
        if let Some(name) = name.as_str().filter(|name| !names.iter().any(|known| known == name)) {
            names.push(name.to_owned());
        }
    };
    add(value);
    value.elements().for_each(|name| add(&name));
}

fn restricted<'n>(names: &'n [String], restriction: &'n Restriction) -> impl Iterator<Item = &'n str> {
    let is_in = move |name: &&str| {
        restriction.as_ref().is_none_or(|restriction| restriction.iter().any(|allowed| allowed == name))
    };
    names.iter().map(String::as_str).filter(is_in)
}
