// Scripts that the server runs on data: actions of transactions, commands of tasks, programs.
'use strict';

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

exports.evaluate = evaluate;

// Returns the function of an action, which sees its parameters as the variable `params`, too.
function action(source, params) {
  const made = evaluate('function (params) { const action = ' + source + '\n; return action; }')(params);
  if (typeof made !== 'function') {
    throw new TypeError('expecting a function');
  }
  return made;
}

// Returns the number and the message of an exception. An error of the server has both, and a script
// may give them to an exception of its own.
function failure(error) {
  if (error === null || typeof error !== 'object' || !(Number(error.errorNum) > 0)) {
    return { message: String(error) };
  }
  const { errorNum, errorMessage, message } = error;
  return { message: String(errorMessage === undefined ? message : errorMessage), number: Number(errorNum) };
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
    return failure(error);
  }
}

// Runs the action of a transaction.
exports.transaction = (source, params) => outcome(() => action(source, params), params);

// Runs the command of a task: the body of a function with the parameter `params`.
exports.task = (command, params) => outcome(() => evaluate(wrapped(command, 'params')), params);

// Runs a program, which has no parameters.
exports.program = (body) => outcome(() => evaluate(wrapped(body, '')), undefined);

// Throws unless the text is the body of a function, which does not run.
exports.check = (command) => {
  host.compileModule(wrapped(command, 'params'), 'command');
};
