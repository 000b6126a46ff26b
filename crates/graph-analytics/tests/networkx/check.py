#!/usr/bin/env python3
"""Compares results of the crate graph-analytics with those of NetworkX.

Usage: check.py FILE

FILE has a JSON array of graphs: name, vertices (their number), isWeighted, edges [[from, to,
weight]], and results [{algorithm, parameters, columns, statistics}]. The program prints each
difference, and exits with 1 if there is one. It needs networkx and scipy.
"""

import json
import math
import sys
import warnings

import networkx as nx
import numpy

NONE = 2**64 - 1
NO_VERTEX = 2**32 - 1

# The answer of a check that NetworkX cannot make for a graph.
SKIPPED = "skipped"

# Functions that check a result, by algorithm.
CHECKS = {}


def check(*names):
    """Registers the check of some algorithms."""

    def register(function):
        for name in names:
            CHECKS[name] = function
        return function

    return register


class Case:
    """A graph in the forms that NetworkX wants."""

    def __init__(self, given):
        self.name = given["name"]
        self.count = given["vertices"]
        self.edges = [tuple(edge) for edge in given["edges"]]
        self.multi = nx.MultiDiGraph()
        self.multi.add_nodes_from(range(self.count))
        self.multi.add_weighted_edges_from(self.edges)
        # `to_undirected` would drop one of two opposite edges.
        self.undirected_multi = nx.MultiGraph()
        self.undirected_multi.add_nodes_from(range(self.count))
        self.undirected_multi.add_weighted_edges_from(self.edges)
        # Parallel edges are one, with the least weight; there are no loops.
        self.directed = nx.DiGraph()
        self.undirected = nx.Graph()
        # Parallel edges are one, with the sum of the weights; loops stay.
        self.summed = nx.Graph()
        for graph in (self.directed, self.undirected, self.summed):
            graph.add_nodes_from(range(self.count))
        for a, b, weight in self.edges:
            if self.summed.has_edge(a, b):
                self.summed[a][b]["weight"] += weight
            else:
                self.summed.add_edge(a, b, weight=weight)
            if a == b:
                continue
            for graph in (self.directed, self.undirected):
                least = min(weight, graph[a][b]["weight"]) if graph.has_edge(a, b) else weight
                graph.add_edge(a, b, weight=least)

    def weighed(self, parameters):
        """Returns the edges with the weights that count."""
        graph = nx.MultiDiGraph()
        graph.add_nodes_from(range(self.count))
        weight = weight_of(parameters)
        graph.add_weighted_edges_from((a, b, w if weight else 1.0) for a, b, w in self.edges)
        return graph

    def along(self, parameters, default="outbound"):
        """Returns the simple graph along whose edges a direction goes."""
        direction = parameters.get("direction", default)
        if direction == "any":
            return self.undirected
        return self.directed if direction == "outbound" else self.directed.reverse()


class Difference(Exception):
    """A difference between results."""


def same(found, expected, what="values"):
    if found != expected:
        raise Difference(f"{what}: {found} instead of {expected}")


def near(found, expected, tolerance=1e-9, what="value"):
    if isinstance(expected, dict):
        expected = [expected[vertex] for vertex in sorted(expected)]
    if not isinstance(expected, list):
        found, expected = [found], [expected]
    same(len(found), len(expected), "length")
    for i, (a, b) in enumerate(zip(found, expected)):
        if not (a == b or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)):
            raise Difference(f"{what} {i}: {a} instead of {b}")


def partition(numbers):
    groups = {}
    for vertex, number in enumerate(numbers):
        groups.setdefault(number, set()).add(vertex)
    return sorted(groups.values(), key=min)


def weight_of(parameters, default=False):
    return "weight" if parameters.get("weighted", default) else None


@check("allPairs")
def all_pairs(case, parameters, columns, statistics):
    graph, weight = case.along(parameters), weight_of(parameters)
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight or (lambda a, b, data: 1)))
    expected = {(a, b): d for a, row in lengths.items() for b, d in row.items() if a != b}
    found = dict(zip(zip(columns["source"], columns["target"]), columns["distance"]))
    same(found, expected)


@check("articulationPoints")
def articulation_points(case, parameters, columns, statistics):
    found = {vertex for vertex, is_point in enumerate(columns["isArticulationPoint"]) if is_point}
    same(found, set(nx.articulation_points(case.undirected)))


@check("bridges")
def bridges(case, parameters, columns, statistics):
    found = sorted(tuple(sorted(pair)) for pair in zip(columns["from"], columns["to"]))
    same(found, sorted(tuple(sorted(pair)) for pair in nx.bridges(case.undirected_multi)))
    pairs = {(a, b) for a, b, _ in case.edges}
    for pair in zip(columns["from"], columns["to"]):
        same(pair in pairs, True, f"edge {pair}")


@check("bipartite")
def bipartite(case, parameters, columns, statistics):
    same(statistics["isBipartite"], nx.is_bipartite(case.summed))
    for component in nx.connected_components(case.summed):
        part = case.summed.subgraph(component)
        sides = {columns["side"][vertex] for vertex in component}
        if nx.is_bipartite(part):
            for a, b in part.edges:
                same({columns["side"][a], columns["side"][b]}, {0, 1}, f"sides of {a} and {b}")
        else:
            same(sides, {NONE})


@check("betweenness")
def betweenness(case, parameters, columns, statistics):
    expected = nx.betweenness_centrality(
        case.along(parameters),
        normalized=parameters.get("normalized", False),
        weight=weight_of(parameters),
    )
    near(columns["betweenness"], expected)


@check("closeness")
def closeness(case, parameters, columns, statistics):
    graph = case.along(parameters, "inbound")
    # NetworkX takes distances to a vertex, as this crate does in direction `inbound`.
    graph = graph.reverse() if graph.is_directed() else graph
    if parameters.get("variant") == "harmonic":
        sums = nx.harmonic_centrality(graph)
        expected = {vertex: value / max(case.count - 1, 1) for vertex, value in sums.items()}
    else:
        expected = nx.closeness_centrality(graph, wf_improved=parameters.get("wassermanFaust", True))
    near(columns["closeness"], expected)


@check("bfs")
def bfs(case, parameters, columns, statistics):
    lengths = nx.single_source_shortest_path_length(case.along(parameters), parameters["source"])
    same(columns["level"], [lengths.get(vertex, NONE) for vertex in range(case.count)])


@check("shortestPaths")
def shortest_paths(case, parameters, columns, statistics):
    graph, weight = case.along(parameters), weight_of(parameters, True)
    lengths = nx.single_source_dijkstra_path_length(
        graph, parameters["source"], weight=weight or (lambda a, b, data: 1)
    )
    same(columns["distance"], [lengths.get(vertex, math.inf) for vertex in range(case.count)])
    for vertex, parent in enumerate(columns["parent"]):
        if parent not in (NO_VERTEX, vertex):
            step = graph[parent][vertex]["weight"] if weight else 1
            same(lengths[parent] + step, lengths[vertex], f"distance by the parent of {vertex}")


@check("cycles")
def cycles(case, parameters, columns, statistics):
    loops = {a for a, b, _ in case.edges if a == b}
    components = nx.strongly_connected_components(case.multi)
    cyclic = [component for component in components if len(component) > 1 or component & loops]
    same(len(columns["cycle"]), len(cyclic), "number")
    pairs = {(a, b) for a, b, _ in case.edges}
    for cycle in columns["cycle"]:
        for pair in zip(cycle, cycle[1:] + cycle[:1]):
            same(pair in pairs, True, f"edge {pair}")
    same(statistics["isAcyclic"], nx.is_directed_acyclic_graph(case.multi))


@check("topologicalOrder")
def topological_order(case, parameters, columns, statistics):
    same(statistics["isAcyclic"], nx.is_directed_acyclic_graph(case.multi))
    if statistics["isAcyclic"]:
        order = sorted(range(case.count), key=lambda vertex: columns["position"][vertex])
        place = {vertex: i for i, vertex in enumerate(order)}
        for a, b, _ in case.edges:
            same(place[a] < place[b], True, f"order of {a} and {b}")


@check("clusteringCoefficient")
def clustering_coefficient(case, parameters, columns, statistics):
    if parameters.get("direction") == "any":
        near(columns["coefficient"], nx.clustering(case.undirected))
        near(statistics["average"], nx.average_clustering(case.undirected))
        near(statistics["transitivity"], nx.transitivity(case.undirected))
        return None
    # The directed coefficient of LDBC Graphalytics, which NetworkX does not have.
    expected = []
    for vertex in range(case.count):
        near_ones = list(case.undirected[vertex])
        links = case.directed.subgraph(near_ones).number_of_edges()
        pairs = len(near_ones) * (len(near_ones) - 1)
        expected.append(links / pairs if pairs else 0.0)
    near(columns["coefficient"], expected)
    return None


@check("triangles")
def triangles(case, parameters, columns, statistics):
    expected = nx.triangles(case.undirected)
    same(columns["triangles"], [expected[vertex] for vertex in range(case.count)])


@check("hits")
def hits(case, parameters, columns, statistics):
    graph = case.weighed(parameters)
    if case.count < 3 or not case.edges:
        return SKIPPED
    values = numpy.linalg.svd(nx.to_numpy_array(graph), compute_uv=False)
    if values[1] > 0.99 * values[0]:
        # There are many solutions, or iterations do not come near in time.
        return SKIPPED
    hubs, authorities = nx.hits(graph)
    for name, expected in (("hub", hubs), ("authority", authorities)):
        near([value / sum(columns[name]) for value in columns[name]], expected, 1e-6, name)


@check("eigenvector")
def eigenvector(case, parameters, columns, statistics):
    graph = case.weighed(parameters)
    if parameters.get("direction") == "any":
        graph.add_edges_from([(b, a, data) for a, b, data in graph.edges(data=True)])
    summed = nx.DiGraph()
    summed.add_nodes_from(range(case.count))
    for a, b, weight in graph.edges(data="weight"):
        before = summed[a][b]["weight"] if summed.has_edge(a, b) else 0
        summed.add_edge(a, b, weight=before + weight)
    if case.count < 3 or not nx.is_strongly_connected(summed) or not nx.is_aperiodic(summed):
        # There may be many solutions, or many eigenvalues of the same absolute value.
        return SKIPPED
    expected = nx.eigenvector_centrality_numpy(summed, weight="weight")
    near(columns["score"], expected, 1e-6)


@check("kCore")
def k_core(case, parameters, columns, statistics):
    expected = nx.core_number(case.undirected)
    same(columns["core"], [expected[vertex] for vertex in range(case.count)])


@check("wcc")
def wcc(case, parameters, columns, statistics):
    same(partition(columns["component"]), sorted(nx.weakly_connected_components(case.multi), key=min))


@check("scc")
def scc(case, parameters, columns, statistics):
    same(partition(columns["component"]), sorted(nx.strongly_connected_components(case.multi), key=min))


@check("pageRank")
def page_rank(case, parameters, columns, statistics):
    expected = nx.pagerank(case.multi, max_iter=10_000, tol=1e-14, weight=weight_of(parameters))
    near(columns["rank"], expected, 1e-8)


@check("lineRank")
def line_rank(case, parameters, columns, statistics):
    expected = dict.fromkeys(range(case.count), 0.0)
    if case.edges:
        ranks = nx.pagerank(nx.line_graph(case.multi), max_iter=10_000, tol=1e-14)
        for (a, b, _), rank in ranks.items():
            expected[a] += rank
            expected[b] += rank
    near(columns["rank"], expected, 1e-8)


@check("leiden", "louvain")
def communities(case, parameters, columns, statistics):
    groups = partition(columns["community"])
    same(statistics["communities"], len(groups), "communities")
    if not case.edges:
        return SKIPPED
    resolution = parameters.get("resolution", 1)
    quality = nx.community.modularity(case.summed, groups, resolution=resolution)
    near(statistics["modularity"], quality, 1e-9, "modularity")
    theirs = nx.community.louvain_communities(case.summed, resolution=resolution, seed=1)
    best = nx.community.modularity(case.summed, theirs, resolution=resolution)
    if quality < best - 0.03 * abs(best) - 0.005:
        raise Difference(f"modularity {quality}; NetworkX finds {best}")


@check("leiden")
def connected_communities(case, parameters, columns, statistics):
    answer = communities(case, parameters, columns, statistics)
    for group in partition(columns["community"]):
        same(nx.is_connected(case.undirected.subgraph(group)), True, f"{group} is connected")
    return answer


@check("nodeSimilarity")
def node_similarity(case, parameters, columns, statistics):
    found = dict(zip(zip(columns["vertex"], columns["other"]), columns["similarity"]))
    pairs = [(a, b) for a in range(case.count) for b in range(case.count) if a != b]
    for a, b, expected in nx.jaccard_coefficient(case.undirected, pairs):
        near(found.get((a, b), 0.0), expected, what=f"similarity of {a} and {b}")


@check("spanningForest")
def spanning_forest(case, parameters, columns, statistics):
    graph = case.undirected_multi
    is_maximum = parameters.get("objective") == "maximum"
    make = nx.maximum_spanning_tree if is_maximum else nx.minimum_spanning_tree
    near(statistics["weight"], make(graph).size("weight"))
    same(statistics["trees"], nx.number_connected_components(graph), "trees")
    forest = nx.Graph(zip(columns["from"], columns["to"]))
    same(forest.number_of_edges(), case.count - statistics["trees"], "edges")


def main(path):
    warnings.simplefilter("ignore")
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)
    compared, skipped, unknown, differences = 0, 0, set(), 0
    for given in cases:
        case = Case(given)
        for result in given["results"]:
            algorithm, parameters = result["algorithm"], result["parameters"]
            function = CHECKS.get(algorithm)
            if function is None:
                unknown.add(algorithm)
                continue
            try:
                answer = function(case, parameters, result["columns"], result["statistics"])
                skipped += answer is SKIPPED
                compared += answer is not SKIPPED
            except Difference as difference:
                differences += 1
                kind = "weighted" if given["isWeighted"] else "unweighted"
                print(f"{case.name} ({kind}): {algorithm} {json.dumps(parameters)}: {difference}")
    if unknown:
        print("no check of:", ", ".join(sorted(unknown)))
    print(f"{compared} results are those of NetworkX {nx.__version__}, {differences} are not")
    print(f"{skipped} have no single solution, and were skipped")
    return 1 if differences or unknown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
