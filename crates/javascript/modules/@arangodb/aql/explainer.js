// Plans and profiles as text.
'use strict';

const { send } = require('persea/connection');
const { make } = require('persea/error');
const printer = require('persea/printer');
const { ArangoStatement } = require('persea/statement');
const { palette, table, pad } = require('persea/explain/colors');
const { Expressions } = require('persea/explain/expression');
const { Nodes } = require('persea/explain/node');

// The nodes behind which a line is indented further, and the one that ends that.
const LOOPS = ['EnumerateCollectionNode', 'EnumerateListNode', 'IndexNode', 'TraversalNode', 'ShortestPathNode',
  'EnumeratePathsNode', 'IndexCollectNode', 'JoinNode', 'SubqueryStartNode', 'EnumerateViewNode'];
const ENDS = ['CollectNode', 'SubqueryEndNode'];

class Explanation {
  constructor(hasColors) {
    this._colors = palette(hasColors);
    this._expressions = new Expressions(this._colors);
    this._lines = [];
  }

  add(...lines) {
    this._lines.push(...lines);
  }

  title(text) {
    this.add(this._colors.title(text));
  }

  // Adds a table below its title, or the word none.
  section(name, titles, rows, right) {
    this.title(name);
    this.add(...(rows.length === 0 ? [' none'] : table(this._colors, titles, rows, right)), '');
  }

  query(text, cacheable) {
    const shown = text.length > 4096 ? text.slice(0, 4096) + '...' : text;
    const remark = cacheable === undefined ? '' : `, cacheable: ${cacheable}`;
    this.title(`Query String (${text.length} chars${remark}):`);
    this.add(...shown.split('\n').map((line) => ` ${this._colors.value(line)}`), '');
  }

  // Adds the nodes. `stats` are the figures of each, if the query has run.
  plan(plan, stats) {
    const nodes = new Nodes(this._colors, this._expressions);
    const figures = new Map((stats || []).map((node) => [node.id, node]));
    this.title('Execution plan:');
    const titles = stats === undefined ? ['Id', 'NodeType', 'Est.'] : ['Id', 'NodeType', 'Calls', 'Items', 'Runtime [s]'];
    let depth = 0;
    const rows = plan.nodes.map((node, index) => {
      if (ENDS.includes(node.type)) {
        depth = Math.max(depth - 1, 1);
      }
      const line = index === 0 ? nodes.text(node) : `${'  '.repeat(Math.max(depth, 1))}- ${nodes.text(node)}`;
      depth += index === 0 || LOOPS.includes(node.type) ? 1 : 0;
      return [...this._figures(node, figures.get(node.id), stats !== undefined), line];
    });
    const right = stats === undefined ? [0, 2] : [0, 2, 3, 4];
    const width = Math.max(0, ...rows.map((row) => row[1].length));
    this.add(...table(this._colors, [titles[0], pad(titles[1], width), ...titles.slice(2), 'Comment'], rows, right), '');
    this._indexes(plan);
    this._functions(nodes);
    this._traversals(plan);
    this._rules(plan);
    return nodes;
  }

  _figures(node, figures, hasRun) {
    const { keyword, number } = this._colors;
    if (!hasRun) {
      return [number(node.id), keyword(node.type), number(node.estimatedNrItems)];
    }
    const { calls = 0, items = 0, runtime = 0 } = figures || {};
    return [number(node.id), keyword(node.type), number(calls), number(items), number(runtime.toFixed(5))];
  }

  _indexes(plan) {
    const rows = [];
    const add = (node, index, collection, ranges) => {
      const selectivity = index.selectivityEstimate === undefined ? 'n/a' : `${(index.selectivityEstimate * 100).toFixed(2)} %`;
      const fields = `[ ${(index.fields || []).map((field) => `\`${typeof field === 'string' ? field : field.name}\``).join(', ')} ]`;
      rows.push([String(node.id), index.name, index.type, collection, String(index.unique === true), String(index.sparse === true), selectivity, fields, ranges]);
    };
    for (const node of plan.nodes) {
      if (node.type === 'IndexNode') {
        const conditions = node.condition === undefined || node.condition.subNodes === undefined ? [] : node.condition.subNodes;
        node.indexes.forEach((index, number) => {
          const condition = conditions[number] || conditions[0];
          add(node, index, node.collection, condition === undefined ? '*' : this._expressions.text(condition));
        });
      } else if (node.indexes !== undefined && node.indexes.base !== undefined) {
        node.indexes.base.forEach((index, number) => {
          const direction = { 0: 'ANY', 1: 'INBOUND', 2: 'OUTBOUND' }[node.directions[number]] || '';
          add(node, index, node.edgeCollections[number] || '', `base ${direction}`);
        });
      }
    }
    this.section('Indexes used:', ['By', 'Name', 'Type', 'Collection', 'Unique', 'Sparse', 'Selectivity', 'Fields', 'Ranges'], rows, [0, 6]);
  }

  _functions(nodes) {
    if (nodes.functions.size === 0) {
      return;
    }
    const known = functionFacts();
    const rows = [...nodes.functions.keys()].sort().map((name) => {
      const facts = known.get(name) || {};
      const isOwn = name.includes('::');
      return [name, String(facts.deterministic !== false && !isOwn), String(facts.cacheable !== false && !isOwn), String(isOwn)];
    });
    this.section('Functions used:', ['Name', 'Deterministic', 'Cacheable', 'Uses V8'], rows);
  }

  _traversals(plan) {
    const rows = plan.nodes.filter((node) => node.type === 'TraversalNode').map((node) => {
      const { minDepth, maxDepth, uniqueVertices, uniqueEdges, order } = node.options;
      const conditions = [node.condition, node.postFilter].filter((condition) => condition !== undefined)
        .map((condition) => `FILTER ${this._expressions.text(condition)}`);
      const edges = [...new Set(node.edgeCollections)].join(', ');
      return [String(node.id), `${minDepth}..${maxDepth}`, (node.vertexCollections || []).join(', '), edges,
        `order: ${order}, uniqueVertices: ${uniqueVertices}, uniqueEdges: ${uniqueEdges}`, conditions.join(' AND ')];
    });
    if (rows.length > 0) {
      this.section('Traversals on graphs:', ['Id', 'Depth', 'Node collections', 'Edge collections', 'Options', 'Filter / Prune Conditions'], rows, [0]);
    }
  }

  _rules(plan) {
    const rows = (plan.rules || []).map((rule, index) => [String(index + 1), rule]);
    this.section('Optimization rules applied:', ['Id', 'Rule Name'], rows, [0]);
  }

  warnings(warnings) {
    if (warnings !== undefined && warnings.length > 0) {
      this.section('Warnings:', ['Code', 'Message'], warnings.map(({ code, message }) => [String(code), message]), [0]);
    }
  }

  explained(stats) {
    if (stats === undefined) {
      return;
    }
    const { rulesExecuted, rulesSkipped, plansCreated, peakMemoryUsage, executionTime } = stats;
    const parts = [`${rulesExecuted} rule(s) executed`, `${rulesSkipped} rule(s) skipped`, `${plansCreated} plan(s) created`];
    if (peakMemoryUsage !== undefined) {
      parts.push(`peak mem [b]: ${peakMemoryUsage}`, `exec time [s]: ${executionTime.toFixed(5)}`);
    }
    this.add(parts.join(', '), '');
  }

  profile(extra) {
    const { stats } = extra;
    const figures = [['Writes Exec', 'writesExecuted'], ['Writes Ign', 'writesIgnored'], ['Doc. Lookups', 'documentLookups'],
      ['Scan Full', 'scannedFull'], ['Scan Index', 'scannedIndex'], ['Cache Hits/Misses', 'cacheHits'], ['Filtered', 'filtered'],
      ['Peak Mem [b]', 'peakMemoryUsage'], ['Exec Time [s]', 'executionTime']];
    const cells = figures.map(([, name]) => {
      const value = stats[name] || 0;
      return name === 'cacheHits' ? `${value} / ${stats.cacheMisses || 0}` : name === 'executionTime' ? value.toFixed(5) : String(value);
    });
    this.section('Query Statistics:', figures.map(([title]) => title), [cells], figures.map((_, index) => index));
    if (extra.profile !== undefined) {
      const stages = Object.entries(extra.profile).map(([stage, seconds]) => [stage, seconds.toFixed(5)]);
      this.section('Query Profile:', ['Query Stage', 'Duration [s]'], stages, [1]);
    }
  }

  toString() {
    return this._lines.join('\n');
  }
}

let facts;

// Asks the server once for the functions that it knows.
function functionFacts() {
  if (facts === undefined) {
    const { functions = [] } = send('GET', '/_api/aql-builtin');
    facts = new Map(functions.map((entry) => [entry.name, entry]));
  }
  return facts;
}

// Reads the arguments: a query, bind variables and options, or an object with all of them.
function statementOf(query, bindVars, options) {
  if (query instanceof ArangoStatement) {
    return { statement: query, options: bindVars || {} };
  }
  if (typeof query === 'string') {
    return { statement: new ArangoStatement({ query, bindVars }), options: options || {} };
  }
  if (query !== null && typeof query === 'object' && typeof query.query === 'string') {
    return { statement: new ArangoStatement(query), options: options || bindVars || query.options || {} };
  }
  throw make('ERROR_BAD_PARAMETER', 'the query must be a string or an object with an attribute `query`');
}

function show(explanation, prints) {
  if (prints === false) {
    return String(explanation);
  }
  host.print(`${explanation}\n`);
  return undefined;
}

function hasColors(options) {
  return options.colors === undefined ? printer.state.hasColors : options.colors;
}

const OPTIONS = ['allPlans', 'colors', 'fullCount', 'maxNumberOfPlans', 'maxPlans', 'optimizer', 'profile', 'verbosePlans'];

// Returns true if an argument can only be options, and not the bind variables of a query.
function isOptions(query, given) {
  const names = given !== null && typeof given === 'object' ? Object.keys(given) : [];
  return names.length > 0 && names.every((name) => OPTIONS.includes(name) && !query.includes(`@${name}`));
}

// Orders the arguments: query, bind variables, options, and whether to print. ArangoDB's module has
// no bind variables among its arguments, `db._explain` has.
function ordered(query, second, third, fourth) {
  if (typeof third === 'boolean') {
    return [query, undefined, second, third];
  }
  const isModuleForm = typeof query === 'string' && third === undefined && isOptions(query, second);
  return isModuleForm ? [query, undefined, second, fourth] : [query, second, third, fourth];
}

// Prints the plan of a query, or returns it as text if `prints` is false.
function explain(...all) {
  const [query, bindVars, given, prints] = ordered(...all);
  const { statement, options } = statementOf(query, bindVars, given);
  const { colors, verbosePlans, ...rest } = options;
  const result = statement.explain(rest);
  const explanation = new Explanation(hasColors(options));
  explanation.query(statement.getQuery(), result.cacheable);
  if (result.plan !== undefined) {
    explanation.plan(result.plan);
  } else {
    result.plans.forEach((plan, index) => {
      explanation.title(`Plan #${index + 1} of ${result.plans.length} (estimated cost: ${plan.estimatedCost.toFixed(4)})`);
      explanation.plan(plan);
    });
  }
  explanation.warnings(result.warnings);
  explanation.explained(result.stats);
  return show(explanation, prints);
}

// Executes a query and prints its plan with the time of each node.
function profileQuery(...all) {
  const [query, bindVars, given, prints] = ordered(...all);
  const { statement, options } = statementOf(query, bindVars, given);
  const { colors, ...rest } = options;
  statement.setOptions({ ...statement.getOptions(), ...rest, profile: 2 });
  const cursor = statement.execute();
  cursor.toArray();
  const extra = cursor.getExtra();
  const explanation = new Explanation(hasColors(options));
  explanation.query(statement.getQuery(), false);
  explanation.plan(extra.plan, extra.stats.nodes || []);
  explanation.profile(extra);
  explanation.warnings(extra.warnings);
  return show(explanation, prints);
}

// Writes a query and everything that its execution depends on to a file.
function debugDump(path, query, bindVars, options = {}) {
  const { examples = 0, anonymize = false, ...rest } = options;
  const { statement } = statementOf(query, bindVars, rest);
  const explained = statement.explain({ ...rest, allPlans: false });
  const collections = {};
  for (const { name } of explained.plan.collections) {
    const collection = require('persea/database').db._collection(name);
    if (collection !== null) {
      collections[name] = {
        type: collection.type(),
        properties: collection.properties(),
        indexes: collection.indexes(true),
        count: collection.count(),
        examples: examples > 0 ? collection.all().limit(examples).toArray().map((row) => (anonymize ? hidden(row) : row)) : [],
      };
    }
  }
  const version = send('GET', '/_api/version?details=true');
  const dump = { engine: send('GET', '/_api/engine'), version, database: require('persea/connection').getDatabase(),
    query: { query: statement.getQuery(), bindVars: statement.getBindVariables(), options: rest }, explain: explained, collections };
  require('fs').write(path, JSON.stringify(dump, undefined, 2));
}

// Replaces texts, except for those that identify documents, by X of the same length.
function hidden(value, name) {
  if (typeof value === 'string') {
    return ['_id', '_key', '_rev', '_from', '_to'].includes(name) ? value : 'X'.repeat(value.length);
  }
  if (Array.isArray(value)) {
    return value.map((element) => hidden(element));
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner, key)]));
  }
  return value;
}

// Prints the content of a file of `debugDump`, or writes it to another file.
function inspectDump(path, target) {
  const dump = JSON.parse(require('fs').read(path));
  const explanation = new Explanation(false);
  explanation.add(`Version: ${dump.version.version}`, `Engine: ${dump.engine.name}`, `Database: ${dump.database}`, '');
  explanation.query(dump.query.query, dump.explain.cacheable);
  explanation.add('Bind variables:', JSON.stringify(dump.query.bindVars, undefined, 2), '', 'Collections:');
  for (const [name, { count, indexes, examples }] of Object.entries(dump.collections)) {
    explanation.add(` ${name}: ${count} documents, ${indexes.length} indexes`);
    explanation.add(...indexes.map((index) => `  - ${index.type} "${index.name}" [${index.fields}]`));
    explanation.add(...examples.map((example) => `  ${JSON.stringify(example)}`));
  }
  explanation.add('');
  explanation.plan(dump.explain.plan);
  if (target === undefined) {
    host.print(`${explanation}\n`);
  } else {
    require('fs').write(target, `${explanation}\n`);
  }
}

module.exports = { explain, profileQuery, debugDump, inspectDump };
