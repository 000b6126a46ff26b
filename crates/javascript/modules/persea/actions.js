// Scripts that the server runs on data: actions of transactions, commands of tasks, programs.
'use strict';

const { ArangoError } = require('persea/error');

// The body of a function stands on a line of its own, which a comment at its end does not reach.
function wrapped(body, parameter) {
  return '(function (' + parameter + ') {' + body + '\n})';
}

// Returns the function that a source describes. It does not see the native functions.
function evaluate(source) {
  const module = { exports: undefined };
  const body = host.compileModule('module.exports = ' + source + '\n;', 'action');
  body.call(undefined, undefined, globalThis.require, module);
  if (typeof module.exports !== 'function') {
    throw new TypeError('expecting a function');
  }
  return module.exports;
}

// Returns the function of an action: a function, or the body of one whose parameter is `params`.
function action(source) {
  try {
    return evaluate(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    try {
      return evaluate(wrapped(source, 'params'));
    } catch (other) {
      // A text that begins as a function has no mistake in being none.
      throw /^\s*(async\s+)?(function\b|\()/.test(source) ? error : other;
    }
  }
}

// Returns the result of a function, or the error that it threw.
function outcome(compile, params) {
  let callee;
  try {
    callee = compile();
  } catch (error) {
    return { invalid: String(error) };
  }
  try {
    return { result: callee(params) };
  } catch (error) {
    if (error instanceof ArangoError) {
      return { message: String(error.errorMessage), number: error.errorNum };
    }
    return { message: String(error) };
  }
}

// Runs the action of a transaction.
exports.transaction = (source, params) => outcome(() => action(source), params);

// Runs the command of a task: the body of a function with the parameter `params`.
exports.task = (command, params) => outcome(() => evaluate(wrapped(command, 'params')), params);

// Runs a program, which has no parameters.
exports.program = (body) => outcome(() => evaluate(wrapped(body, '')), undefined);

// Throws unless the text is the body of a function, which does not run.
exports.check = (command) => {
  host.compileModule(wrapped(command, 'params'), 'command');
};
