// Functions over the nodes and edges of a graph, each as a query.
'use strict';

const { make } = require('persea/error');
const { run } = require('persea/statement');
const { conditions } = require('persea/simple-query');

const DIRECTIONS = { outbound: 'OUTBOUND', inbound: 'INBOUND', any: 'ANY' };

function direction(options, fallback) {
  const found = DIRECTIONS[String(options.direction || fallback).toLowerCase()];
  if (found === undefined) {
    throw make('ERROR_GRAPH_INVALID_PARAMETER', 'the direction must be "outbound", "inbound" or "any"');
  }
  return found;
}

function list(given) {
  return given === undefined ? undefined : [].concat(given);
}

// Returns a condition on a variable for an example: nothing, an id, an object, or a list of them.
function matching(example, variable, bindVars) {
  if (example === undefined || example === null) {
    return 'true';
  }
  const alternatives = list(example).map((one) => {
    if (typeof one === 'string') {
      const name = add(bindVars, one);
      return `${variable}._id == @${name}`;
    }
    const { text, bindVars: inner } = conditions(one, variable);
    // Each example has bind variables of its own.
    const prefix = `e${Object.keys(bindVars).length}_`;
    for (const name of Object.keys(inner)) {
      bindVars[prefix + name] = inner[name];
    }
    const condition = text.replace(/^FILTER /, '').replace(/@([pv]\d)/g, `@${prefix}$1`);
    return condition === '' ? 'true' : condition;
  });
  return alternatives.length === 0 ? 'true' : `(${alternatives.join(' OR ')})`;
}

function add(bindVars, value) {
  const name = `b${Object.keys(bindVars).length}`;
  bindVars[name] = value;
  return name;
}

// Returns the ids of the nodes that match an example.
function nodes(graph, example, restriction) {
  const names = list(restriction) || graph._vertexNames();
  return names.flatMap((name) => {
    const bindVars = { '@collection': name };
    const condition = matching(example, 'd', bindVars);
    return run(`FOR d IN @@collection FILTER ${condition} RETURN d._id`, bindVars).toArray();
  });
}

function _neighbors(graph, example, options = {}) {
  const bindVars = { start: nodes(graph, example), graph: graph._name };
  const clauses = [];
  if (options.edgeCollectionRestriction !== undefined) {
    clauses.push(`edgeCollections: @${add(bindVars, list(options.edgeCollectionRestriction))}`);
  }
  const filters = [matching(options.neighborExamples, 'v', bindVars), matching(options.edgeExamples, 'e', bindVars)];
  if (options.vertexCollectionRestriction !== undefined) {
    filters.push(`PARSE_COLLECTION(v) IN @${add(bindVars, list(options.vertexCollectionRestriction))}`);
  }
  const [least, most] = [Number(options.minDepth || 1), Number(options.maxDepth || options.minDepth || 1)];
  const text = `FOR s IN @start FOR v, e IN ${least}..${most} ${direction(options, 'any')} s GRAPH @graph
    OPTIONS { order: "bfs", uniqueVertices: "global" ${clauses.map((clause) => `, ${clause}`).join('')} }
    FILTER v != null AND ${filters.join(' AND ')} RETURN DISTINCT v`;
  const found = run(text, bindVars).toArray();
  return options.includeData ? found : found.map((node) => node._id);
}

function _commonNeighbors(graph, example1, example2, options1 = {}, options2 = {}) {
  const result = [];
  const right = nodes(graph, example2).map((id) => [id, new Set(_neighbors(graph, id, { ...options2, includeData: false }))]);
  for (const left of nodes(graph, example1)) {
    const mine = _neighbors(graph, left, { ...options1, includeData: false });
    for (const [id, theirs] of right) {
      const neighbors = mine.filter((neighbor) => theirs.has(neighbor));
      if (id !== left && neighbors.length > 0) {
        result.push({ left, right: id, neighbors });
      }
    }
  }
  return result;
}

function _countCommonNeighbors(graph, ...given) {
  const counts = {};
  for (const { left, right, neighbors } of _commonNeighbors(graph, ...given)) {
    counts[left] = counts[left] || [];
    counts[left].push({ [right]: neighbors.length });
  }
  return Object.keys(counts).map((left) => ({ [left]: counts[left] }));
}

function documents(ids) {
  return run('FOR id IN @ids RETURN DOCUMENT(id)', { ids }).toArray();
}

function _commonProperties(graph, example1, example2, options = {}) {
  const ignored = new Set(['_id', '_key', '_rev', ...(list(options.ignoreProperties) || [])]);
  const left = documents(nodes(graph, example1, options.vertex1CollectionRestriction));
  const right = documents(nodes(graph, example2, options.vertex2CollectionRestriction));
  const result = [];
  for (const one of left) {
    const names = Object.keys(one).filter((name) => !ignored.has(name));
    const same = right.filter((other) => other._id !== one._id
      && names.some((name) => name in other && JSON.stringify(other[name]) === JSON.stringify(one[name])));
    if (same.length > 0) {
      const shown = same.map((other) => {
        const common = names.filter((name) => name in other && JSON.stringify(other[name]) === JSON.stringify(one[name]));
        return Object.fromEntries([['_id', other._id], ...common.map((name) => [name, other[name]])]);
      });
      result.push({ [one._id]: shown });
    }
  }
  return result;
}

function _countCommonProperties(graph, ...given) {
  return _commonProperties(graph, ...given).map((entry) => {
    const [id] = Object.keys(entry);
    return { [id]: entry[id].length };
  });
}

function _paths(graph, options = {}) {
  const bindVars = { start: nodes(graph), graph: graph._name };
  const [least, most] = [options.minLength === undefined ? 0 : Number(options.minLength), Number(options.maxLength || 10)];
  const unique = options.followCycles ? 'uniqueVertices: "none", uniqueEdges: "path"' : 'uniqueVertices: "path"';
  const text = `FOR s IN @start FOR v, e, p IN ${least}..${most} ${direction(options, 'outbound')} s GRAPH @graph
    OPTIONS { ${unique} } RETURN { source: p.vertices[0], destination: v, edges: p.edges, vertices: p.vertices }`;
  return run(text, bindVars).toArray();
}

// Returns the shortest path of each pair of nodes that has one.
function pairs(graph, start, end, options) {
  const bindVars = {
    start: nodes(graph, start, options.startVertexCollectionRestriction),
    end: nodes(graph, end, options.endVertexCollectionRestriction),
  };
  const among = edges(graph, options.edgeCollectionRestriction, bindVars);
  const weights = weighted(options);
  const text = `FOR s IN @start FOR t IN @end FILTER s != t
    FOR p IN (FOR path IN ${direction(options, 'any')} K_SHORTEST_PATHS s TO t ${among} ${weights} LIMIT 1 RETURN path)
    RETURN { s, t, vertices: p.vertices[*]._id, edges: p.edges, distance: p.weight }`;
  return run(text, bindVars).toArray().filter((path) => path.distance < UNREACHABLE);
}

// The weight of an edge without one, if the caller names no other.
const UNREACHABLE = 1e18;

// Returns the options of a query for weights. The attribute has either name.
function weighted({ weight, weightAttribute = weight, defaultWeight = UNREACHABLE }) {
  if (weightAttribute === undefined) {
    return '';
  }
  // Options of a query are constants, so the name of the attribute is a part of its text.
  return `OPTIONS { weightAttribute: ${JSON.stringify(String(weightAttribute))}, defaultWeight: ${Number(defaultWeight)} }`;
}

function edges(graph, restriction, bindVars) {
  if (restriction === undefined) {
    bindVars.graph = graph._name;
    return 'GRAPH @graph';
  }
  return list(restriction).map((name, index) => {
    bindVars[`@edges${index}`] = name;
    return `@@edges${index}`;
  }).join(', ');
}

function _shortestPath(graph, start, end, options = {}) {
  return pairs(graph, start, end, options).map(({ vertices, edges, distance }) => ({ vertices, edges, distance }));
}

function _distanceTo(graph, start, end, options = {}) {
  return pairs(graph, start, end, options).map(({ s, t, distance }) => ({ startVertex: s, vertex: t, distance }));
}

// Returns for each node the distances to the nodes that it reaches.
function distances(graph, example, options) {
  const all = {};
  for (const id of nodes(graph, example, options.startVertexCollectionRestriction)) {
    all[id] = [];
  }
  for (const { s, distance } of pairs(graph, Object.keys(all), undefined, { ...options, startVertexCollectionRestriction: undefined })) {
    all[s].push(distance);
  }
  return all;
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function normalized(object) {
  const most = Math.max(...Object.values(object));
  return mapped(object, (value) => (most > 0 ? value / most : 0));
}

function _absoluteEccentricity(graph, example, options = {}) {
  return mapped(distances(graph, example, options), (all) => Math.max(0, ...all));
}

function _eccentricity(graph, options = {}) {
  // The smallest eccentricity of a node counts as 1.
  const absolute = _absoluteEccentricity(graph, undefined, options);
  const least = Math.min(...Object.values(absolute).filter((value) => value > 0));
  return mapped(absolute, (value) => (value > 0 ? least / value : 0));
}

function _absoluteCloseness(graph, example, options = {}) {
  return mapped(distances(graph, example, options), (all) => all.reduce((sum, distance) => sum + distance, 0));
}

function _closeness(graph, options = {}) {
  const inverse = mapped(_absoluteCloseness(graph, undefined, options), (sum) => (sum > 0 ? 1 / sum : 0));
  return normalized(inverse);
}

function _absoluteBetweenness(graph, example, options = {}) {
  const all = Object.fromEntries(nodes(graph).map((id) => [id, 0]));
  for (const { vertices } of pairs(graph, undefined, undefined, options)) {
    for (const id of vertices.slice(1, -1)) {
      all[id] += 1;
    }
  }
  if (example === undefined || example === null) {
    return all;
  }
  return Object.fromEntries(nodes(graph, example).map((id) => [id, all[id]]));
}

function _betweenness(graph, options = {}) {
  return normalized(_absoluteBetweenness(graph, undefined, options));
}

function _radius(graph, options = {}) {
  return Math.min(...Object.values(_absoluteEccentricity(graph, undefined, options)).filter((value) => value > 0));
}

function _diameter(graph, options = {}) {
  return Math.max(...Object.values(_absoluteEccentricity(graph, undefined, options)));
}

module.exports = {
  _neighbors, _commonNeighbors, _countCommonNeighbors, _commonProperties, _countCommonProperties, _paths, _shortestPath,
  _distanceTo, _absoluteEccentricity, _eccentricity, _absoluteCloseness, _closeness, _absoluteBetweenness, _betweenness,
  _radius, _diameter,
};
