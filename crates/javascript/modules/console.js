// Messages with levels, groups and timers.
'use strict';

const { format } = require('util');
const { text } = require('persea/printer');

let indent = '';
const timers = new Map();

function logger(level) {
  return (...values) => {
    const message = format(...values);
    host.log(level, message.split('\n').map((line) => indent + line).join('\n'));
  };
}

const console = module.exports;

console.debug = logger('debug');
console.info = logger('info');
console.log = console.info;
console.warn = logger('warn');
console.error = logger('error');

console.assert = (condition, ...values) => {
  if (!condition) {
    const message = format(...values) || 'assertion failed';
    console.error(message);
    throw new Error(message);
  }
};

console.dir = (value) => console.log('%s', text(value, true, false));

console.group = (...values) => {
  console.log(...values);
  indent += '  ';
};
console.groupCollapsed = console.group;
console.groupEnd = () => {
  indent = indent.slice(2);
};

console.time = (name) => {
  timers.set(String(name), host.time());
};
console.timeEnd = (name) => {
  const start = timers.get(String(name));
  if (start === undefined) {
    throw new Error(`the timer ${name} was not started`);
  }
  timers.delete(String(name));
  console.log('%s: %dms', name, Math.round((host.time() - start) * 1000));
};

console.trace = (...values) => {
  const stack = new Error().stack.split('\n').slice(1).join('\n');
  console.log('%s', `Trace: ${format(...values)}\n${stack}`);
};

console.getline = host.readLine;
