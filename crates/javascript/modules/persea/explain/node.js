// Nodes of plans as lines of AQL.
'use strict';

const DIRECTIONS = { 0: 'ANY', 1: 'INBOUND', 2: 'OUTBOUND' };

class Nodes {
  constructor(colors, expressions) {
    this._colors = colors;
    this._expressions = expressions;
    // The variables that stand for documents of a collection, for the remark "collections used".
    this._collections = new Map();
    this.functions = new Map();
  }

  // Returns the line of a node, without its place.
  text(node) {
    const describe = this[node.type];
    return describe === undefined ? node.type : describe.call(this, node);
  }

  _keyword(text) {
    return this._colors.keyword(text);
  }

  _remark(text) {
    return this._colors.annotation(`/* ${text} */`);
  }

  _variable(variable) {
    return this._expressions.variable(variable);
  }

  _collection(name) {
    return this._colors.collection(name);
  }

  _projections(list) {
    const names = (list || []).map(({ path }) => [].concat(path).map((name) => `\`${name}\``).join('.'));
    return names.length === 0 ? '' : `, projections: ${names.join(', ')}`;
  }

  _filter(node) {
    return node.filter === undefined ? '' : ` ${this._keyword('FILTER')} ${this._expressions.text(node.filter)}   ${this._remark('early pruning')}`;
  }

  SingletonNode() {
    return this._keyword('* ROOT');
  }

  NoResultsNode() {
    return `${this._keyword('EMPTY')}   ${this._remark('empty result set')}`;
  }

  EnumerateCollectionNode(node) {
    this._collections.set(node.outVariable.id, node.collection);
    const count = node.count ? ', count only' : '';
    const remark = `full collection scan${node.random ? ', random order' : ''}${this._projections(node.projections)}${count}`;
    return `${this._for(node.outVariable, this._collection(node.collection))}   ${this._remark(remark)}${this._filter(node)}`;
  }

  EnumerateListNode(node) {
    const text = `${this._for(node.outVariable, this._variable(node.inVariable))}   ${this._remark('list iteration')}`;
    return text + this._filter(node);
  }

  IndexNode(node) {
    this._collections.set(node.outVariable.id, node.collection);
    const types = [...new Set(node.indexes.map((index) => `${node.ascending === false ? 'reverse ' : ''}${index.type} index scan`))];
    const covering = { covering: ', index only', document: ', index scan + document lookup', 'late materialized': ', late materialized' };
    const how = node.producesResult === false ? ', scan only' : covering[node.strategy] || (node.indexCoversProjections ? ', index only' : ' + document lookup');
    const remark = `${types.join(', ')}${how}${this._projections(node.projections)}${node.count ? ', count only' : ''}`;
    return `${this._for(node.outVariable, this._collection(node.collection))}   ${this._remark(remark)}${this._filter(node)}`;
  }

  EnumerateViewNode(node) {
    this._functionsOf(node.condition);
    const words = (text) => this._keyword(text);
    const parts = [this._for(node.outVariable, this._collection(node.view))];
    if (node.condition.type !== undefined) {
      parts.push(`${words('SEARCH')} ${this._expressions.text(node.condition)}`);
    }
    for (const { outVariable, name, arguments: others } of node.scorers || []) {
      const values = [this._variable(node.outVariable), ...others.map((other) => this._expressions.text(other))];
      parts.push(`${words('LET')} ${this._variable(outVariable)} = ${name}(${values.join(', ')})`);
    }
    for (const { outVariable, paths } of node.offsetInfos || []) {
      const values = `${this._variable(node.outVariable)}, ${this._expressions.text(paths)}`;
      parts.push(`${words('LET')} ${this._variable(outVariable)} = OFFSET_INFO(${values})`);
    }
    const order = (node.scorersSort || []).map(({ index, asc }) =>
      `${this._variable(node.scorers[index].outVariable)} ${words(asc ? 'ASC' : 'DESC')}`);
    if (order.length > 0) {
      parts.push(`${words('SORT')} ${order.join(', ')} ${words('LIMIT')} ${this._colors.number(node.scorersSortLimit)}`);
    }
    const attribute = (path) => `${this._variable(node.outVariable)}${path.map((name) => `.${this._expressions.attribute(name)}`).join('')}`;
    const sorted = (node.primarySort || []).slice(0, node.primarySortBuckets);
    if (sorted.length > 0) {
      const keys = sorted.map(({ field, asc }) => `${attribute(field.split('.'))} ${words(asc ? 'ASC' : 'DESC')}`);
      parts.push(`${words('SORT')} ${keys.join(', ')}`);
    }
    for (const { path, variable } of node.viewValuesVars || []) {
      parts.push(`${words('LET')} ${this._variable(variable)} = ${attribute(path)}`);
    }
    const late = node.outNmDocId === undefined ? '' : ' with late materialization';
    const how = node.noMaterialization ? ' without materialization' : late;
    return `${parts.join(' ')}   ${this._remark(`view query${how}`)}`;
  }

  EnumerateNearVectorNode(node) {
    this._collections.set(node.outVariable.id, node.collection);
    const words = (text) => this._keyword(text);
    const out = `${words('FOR')} ${this._variable(node.outVariable)} ${words('OF')} ${this._collection(node.collection)}`;
    const top = `${words('IN TOP')} ${this._colors.number(node.limit)} ${words('NEAR')} ${this._variable(node.inVariable)}`;
    const covered = node.filter !== undefined && node.isCoveredByStoredValues ? ` ${this._remark('covered by storedValues')}` : '';
    return `${out} ${top} ${words('DISTANCE INTO')} ${this._variable(node.distanceOutVariable)}${this._filter(node)}${covered}`;
  }

  MaterializeNode(node) {
    const variable = node.outVariable || node.outVariableDocument;
    return `${this._keyword('MATERIALIZE')} ${variable === undefined ? '' : this._variable(variable)}`;
  }

  CalculationNode(node) {
    this._functionsOf(node.expression);
    const remarks = [`${node.expressionType} expression`];
    const used = this._used(node.expression);
    if (used.length > 0) {
      remarks.push(`collections used: ${used.join(', ')}`);
    }
    if (node.expression.type === 'value') {
      remarks.push('const assignment');
    }
    const text = `${this._keyword('LET')} ${this._variable(node.outVariable)} = ${this._expressions.text(node.expression)}`;
    return `${text}   ${remarks.map((remark) => this._remark(remark)).join('   ')}`;
  }

  FilterNode(node) {
    return `${this._keyword('FILTER')} ${this._variable(node.inVariable)}`;
  }

  LimitNode(node) {
    const full = node.fullCount ? `   ${this._remark('fullCount')}` : '';
    return `${this._keyword('LIMIT')} ${this._colors.number(node.offset)}, ${this._colors.number(node.limit)}${full}`;
  }

  ReturnNode(node) {
    return `${this._keyword('RETURN')} ${this._variable(node.inVariable)}`;
  }

  SortNode(node) {
    const elements = node.elements.map(({ inVariable, path, ascending }) => {
      const attribute = (path || []).map((name) => `.${this._expressions.attribute(name)}`).join('');
      return `${this._variable(inVariable)}${attribute} ${this._keyword(ascending ? 'ASC' : 'DESC')}`;
    });
    return `${this._keyword('SORT')} ${elements.join(', ')}   ${this._remark(`sorting strategy: ${node.strategy}`)}`;
  }

  CollectNode(node) {
    const parts = [this._keyword(node.isDistinctCommand ? 'DISTINCT' : 'COLLECT')];
    const groups = node.groups.map(({ outVariable, inVariable }) =>
      (node.isDistinctCommand ? this._variable(inVariable) : `${this._variable(outVariable)} = ${this._variable(inVariable)}`));
    if (groups.length > 0) {
      parts.push(groups.join(', '));
    }
    parts.push(...this._aggregates(node));
    if (node.outVariable !== undefined) {
      const kept = (node.keepVariables || []).map(({ variable }) => this._variable(variable));
      const into = node.expressionVariable === undefined ? '' : ` = ${this._variable(node.expressionVariable)}`;
      parts.push(this._keyword(node.count ? 'WITH COUNT INTO' : 'INTO'), this._variable(node.outVariable) + into);
      if (kept.length > 0 && into === '') {
        parts.push(this._keyword('KEEP'), kept.join(', '));
      }
    }
    return `${parts.join(' ')}   ${this._remark(node.collectOptions.method)}`;
  }

  IndexCollectNode(node) {
    const groups = (node.groups || []).map(({ outVariable, attribute }) => {
      const path = [].concat(attribute || []).map((name) => this._expressions.attribute(name)).join('.');
      return `${this._variable(outVariable)}${path === '' ? '' : ` = ${path}`}`;
    });
    const collect = [this._keyword('COLLECT'), groups.join(', '), ...this._aggregates(node)].filter((part) => part !== '');
    return `${collect.join(' ')} ${this._keyword('IN')} ${this._collection(node.collection)}   ${this._remark('index collect')}`;
  }

  _aggregates(node) {
    const aggregates = (node.aggregates || []).map(({ outVariable, inVariable, type }) => {
      const operand = inVariable === undefined ? '' : this._variable(inVariable);
      return `${this._variable(outVariable)} = ${this._colors.function(type)}(${operand})`;
    });
    return aggregates.length === 0 ? [] : [this._keyword('AGGREGATE'), aggregates.join(', ')];
  }

  WindowNode(node) {
    const range = node.rangeVariable === undefined ? '' : ` ${this._variable(node.rangeVariable)}`;
    const bounds = ['preceding', 'following'].filter((name) => node[name] !== undefined)
      .map((name) => `${name}: ${this._expressions.value(node[name])}`);
    return `${this._keyword('WINDOW')}${range} { ${bounds.join(', ')} } ${this._aggregates(node).join(' ')}`;
  }

  SubqueryStartNode(node) {
    return `${this._keyword('LET')} ${this._variable(node.subqueryOutVariable)} = ( ${this._remark('subquery begin')}`;
  }

  SubqueryEndNode(node) {
    const result = node.inVariable === undefined ? '' : `${this._keyword('RETURN')} ${this._variable(node.inVariable)} `;
    return `${result}) ${this._remark('subquery end')}`;
  }

  JoinNode(node) {
    const parts = (node.indexInfos || []).map(({ outVariable, collection }) => {
      this._collections.set(outVariable.id, collection);
      return this._for(outVariable, this._collection(collection));
    });
    return `${this._keyword('JOIN')} ${parts.join(', ')}   ${this._remark('index join')}`;
  }

  TraversalNode(node) {
    const outs = [[node.vertexOutVariable, 'node'], [node.edgeOutVariable, 'edge'], [node.pathOutVariable, 'paths']];
    const { minDepth, maxDepth } = node.options;
    const depth = `${this._colors.number(`${minDepth}..${maxDepth}`)}  ${this._remark('min..max depth')}`;
    return `${this._outs(outs)} ${this._keyword('IN')} ${depth} ${this._graph(node)}${this._pruned(node)}`;
  }

  _pruned(node) {
    return node.expression === undefined ? '' : ` ${this._keyword('PRUNE')} ${this._expressions.text(node.expression)}`;
  }

  ShortestPathNode(node) {
    const outs = [[node.vertexOutVariable, 'node'], [node.edgeOutVariable, 'edge']];
    return `${this._outs(outs)} ${this._keyword('IN')} ${this._path(node, 'SHORTEST_PATH')}`;
  }

  EnumeratePathsNode(node) {
    const outs = [[node.pathOutVariable, 'paths']];
    return `${this._outs(outs)} ${this._keyword('IN')} ${this._path(node, node.shortestPathType)}`;
  }

  _path(node, word) {
    const [first, ...edges] = this._edges(node);
    const [start, target] = [this._vertex(node.startVertexId, node.startInVariable), this._vertex(node.targetVertexId, node.targetInVariable)];
    const among = node.graphDefinition === undefined ? [first, ...edges].map(({ text }) => text).join(', ') : this._graphName(node);
    return `${this._keyword(`${DIRECTIONS[first === undefined ? 2 : first.direction]} ${word}`)} ${start} ${this._remark('start node')} ${this._keyword('TO')} ${target} ${this._remark('target node')} ${among}`;
  }

  _outs(outs) {
    const texts = outs.filter(([variable]) => variable !== undefined)
      .map(([variable, what]) => `${this._variable(variable)}  ${this._remark(what)}`);
    return `${this._keyword('FOR')} ${texts.join(', ')}`;
  }

  _vertex(id, variable) {
    return id === undefined ? this._variable(variable) : this._colors.value(`'${id}'`);
  }

  _graph(node) {
    const edges = this._edges(node);
    const [first] = edges;
    const start = `${this._vertex(node.vertexId, node.inVariable)} ${this._remark('start node')}`;
    const direction = this._keyword(DIRECTIONS[first === undefined ? 2 : first.direction]);
    if (node.graphDefinition !== undefined) {
      return `${direction} ${start} ${this._graphName(node)}`;
    }
    return `${direction} ${start} ${edges.map(({ text, direction: own }) => (own === first.direction ? text : `${this._keyword(DIRECTIONS[own])} ${text}`)).join(', ')}`;
  }

  _graphName(node) {
    return `${this._keyword('GRAPH')} ${this._colors.value(`'${node.graph}'`)}`;
  }

  // The edge collections with their directions. ANY is listed as both directions.
  _edges({ edgeCollections, directions }) {
    const merged = new Map();
    (edgeCollections || []).forEach((name, index) => {
      const direction = directions[index];
      merged.set(name, merged.has(name) && merged.get(name) !== direction ? 0 : direction);
    });
    return [...merged].map(([name, direction]) => ({ direction, text: this._collection(name) }));
  }

  InsertNode(node) {
    return `${this._keyword('INSERT')} ${this._variable(node.inVariable)} ${this._into(node)}`;
  }

  UpdateNode(node) {
    return this._write('UPDATE', node);
  }

  ReplaceNode(node) {
    return this._write('REPLACE', node);
  }

  _write(word, node) {
    const key = node.inKeyVariable === undefined ? '' : `${this._variable(node.inKeyVariable)} ${this._keyword('WITH')} `;
    return `${this._keyword(word)} ${key}${this._variable(node.inDocVariable)} ${this._into(node)}`;
  }

  RemoveNode(node) {
    return `${this._keyword('REMOVE')} ${this._variable(node.inVariable)} ${this._into(node)}`;
  }

  UpsertNode(node) {
    const word = this._keyword(node.isReplace ? 'REPLACE' : 'UPDATE');
    return `${this._keyword('UPSERT')} ${this._variable(node.inDocVariable)} ${this._keyword('INSERT')} ${this._variable(node.insertVariable)} ${word} ${this._variable(node.updateVariable)} ${this._into(node)}`;
  }

  _into(node) {
    this.hasWrites = true;
    return `${this._keyword('IN')} ${this._collection(node.collection)}`;
  }

  _for(variable, among) {
    return `${this._keyword('FOR')} ${this._variable(variable)} ${this._keyword('IN')} ${among}`;
  }

  _used(expression) {
    const found = new Map();
    visit(expression, (node) => {
      if (node.type === 'reference' && this._collections.has(node.id)) {
        found.set(node.name, `${node.name} : ${this._collections.get(node.id)}`);
      }
    });
    return [...found.values()];
  }

  _functionsOf(expression) {
    visit(expression, (node) => {
      if (node.type === 'function call' || node.type === 'user function call') {
        this.functions.set(node.name, node);
      }
    });
  }
}

function visit(node, callback) {
  callback(node);
  for (const inner of node.subNodes || []) {
    visit(inner, callback);
  }
}

module.exports = { Nodes };
