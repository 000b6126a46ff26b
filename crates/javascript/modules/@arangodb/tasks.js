// Tasks: functions that the server runs later, once or again and again.
'use strict';

const { send } = require('persea/connection');

function path(id) {
  return `/_api/tasks/${encodeURIComponent(id)}`;
}

function idOf(given) {
  return given !== null && typeof given === 'object' ? given.id : given;
}

module.exports = {
  register(task) {
    const { id, command, ...rest } = task;
    // A function is called with the parameters of the task, a text is run as it is.
    const text = typeof command === 'function' ? `(${command})(params)` : command;
    const body = { ...rest, command: text };
    const { error, code, ...made } = id === undefined ? send('POST', '/_api/tasks', body) : send('PUT', path(id), body);
    return made;
  },
  unregister(id) {
    send('DELETE', path(idOf(id)));
  },
  get(id) {
    if (id === undefined) {
      return send('GET', '/_api/tasks');
    }
    const { error, code, ...task } = send('GET', path(idOf(id)));
    return task;
  },
};
