// Reports about tests: values, and texts in the format that belongs to a reporter.
'use strict';

const { describe } = require('persea/foxx/testing/errors');

// A reporter keeps what it hears from the runner. `value` is its report, and `text` the report in its
// own format, if it has one.
class Reporter {
  start() {}

  enter() {}

  result() {}

  leave() {}

  end(stats) {
    this.stats = stats;
  }

  get text() {
    return undefined;
  }
}

// Returns the facts of a result. Only a test that ran has a duration.
function facts({ title, fullTitle, duration, error, result }) {
  const err = result === 'fail' ? describe(error) : {};
  return duration === undefined ? { title, fullTitle, err } : { title, fullTitle, duration, err };
}

// Lists of tests.
class List extends Reporter {
  tests = [];
  pending = [];
  failures = [];
  passes = [];

  result(result) {
    const found = facts(result);
    this.tests.push(found);
    ({ pending: this.pending, fail: this.failures, pass: this.passes })[result.result].push(found);
  }

  get value() {
    const { stats, tests, pending, failures, passes } = this;
    return { stats, tests, pending, failures, passes };
  }
}

// Tests in their suites.
class Nested extends Reporter {
  path = [];

  enter({ title }) {
    const suite = { title, suites: [], tests: [] };
    if (this.path.length > 0) {
      this.path[this.path.length - 1].suites.push(suite);
    } else {
      this.root = suite;
    }
    this.path.push(suite);
  }

  leave() {
    this.path.pop();
  }

  result(result) {
    const { title, duration, err } = facts(result);
    const found = { title, result: result.result, duration, err };
    this.path[this.path.length - 1].tests.push(found);
  }

  get value() {
    const { suites, tests } = this.root;
    return { stats: this.stats, suites, tests };
  }
}

// Events, one after the other.
class Stream extends Reporter {
  events = [];

  start(total) {
    this.events.push(['start', { total }]);
  }

  result(result) {
    if (result.result === 'pending') {
      return;
    }
    const { title, fullTitle, duration, err } = facts(result);
    const failure = result.result === 'fail' ? { err: err.message, stack: err.stack } : {};
    this.events.push([result.result, { title, fullTitle, duration, ...failure }]);
  }

  end(stats) {
    this.events.push(['end', stats]);
  }

  get value() {
    return this.events;
  }

  get text() {
    return this.events.map((event) => `${JSON.stringify(event)}\r\n`).join('');
  }
}

// Lines of the Test Anything Protocol.
class Tap extends Reporter {
  lines = [];
  count = 0;

  result({ fullTitle, result, error }) {
    this.count += 1;
    const state = result === 'fail' ? 'not ok' : 'ok';
    // A hash would begin a directive.
    const title = fullTitle.replace(/[#\r\n]/g, ' ');
    this.lines.push(`${state} ${this.count} ${title}${result === 'pending' ? ' # SKIP -' : ''}`);
    if (result === 'fail') {
      this.lines.push(...describe(error).stack.split(/\r?\n/).map((line) => `  ${line.trim()}`));
    }
  }

  get value() {
    const { passes, failures } = this.stats;
    return [`1..${this.count}`, ...this.lines, `# tests ${passes + failures}`, `# pass ${passes}`, `# fail ${failures}`];
  }

  get text() {
    return `${this.value.join('\n')}\n`;
  }
}

// Elements of the XML that JUnit made common. The value has JSONML's form.
class Xunit extends Reporter {
  cases = [];

  result({ title, suite, result, duration, error }) {
    const found = ['testcase', { classname: suite.titles.join(' '), name: title, time: (duration || 0) / 1000 }];
    if (result === 'pending') {
      found.push(['skipped']);
    } else if (result === 'fail') {
      const { name = 'Error', message, stack } = describe(error);
      found.push(['failure', { message, type: name }, stack]);
    }
    this.cases.push(found);
  }

  get value() {
    const { tests, failures, pending, duration } = this.stats;
    const attributes = { timestamp: Date.now(), tests, errors: 0, failures, skip: pending, time: duration / 1000 };
    return ['testsuite', attributes, ...this.cases];
  }

  get text() {
    const [name, { timestamp, ...attributes }, ...rest] = this.value;
    const suite = [name, { timestamp: new Date(timestamp).toISOString(), ...attributes }, ...rest];
    return `<?xml version="1.0" encoding="utf-8"?>\n${element(suite)}\n`;
  }
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// Returns a text for XML, without the characters that XML does not know.
function escaped(value) {
  return String(value).replace(/[&<>"]/g, (letter) => ENTITIES[letter]).replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}

// Returns an element of JSONML as XML, with a line for each element.
function element([name, ...given]) {
  const hasAttributes = given.length > 0 && typeof given[0] === 'object' && !Array.isArray(given[0]);
  const attributes = Object.entries(hasAttributes ? given[0] : {}).map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
  const children = given.slice(hasAttributes ? 1 : 0);
  if (children.length === 0) {
    return `<${name}${attributes}/>`;
  }
  const isText = children.every((child) => typeof child === 'string');
  const inner = children.map((child) => (typeof child === 'string' ? escaped(child) : element(child)));
  return isText ? `<${name}${attributes}>${inner.join('')}</${name}>` : `<${name}${attributes}>\n${inner.join('\n')}\n</${name}>`;
}

const REPORTERS = { default: List, suite: Nested, stream: Stream, tap: Tap, xunit: Xunit };

// Returns a reporter by its name.
function create(name = 'default') {
  if (!Object.hasOwn(REPORTERS, name)) {
    throw new TypeError(`unknown reporter ${JSON.stringify(name)}; it must be one of ${Object.keys(REPORTERS).join(', ')}`);
  }
  return new REPORTERS[name]();
}

module.exports = { create };
