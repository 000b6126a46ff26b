// Timers. Nothing runs beside a script, so callbacks run at once or at the script's end.
'use strict';

function soon(callback, ...values) {
  const timer = { isCleared: false };
  Promise.resolve().then(() => {
    if (!timer.isCleared) {
      callback(...values);
    }
  });
  return timer;
}

function clear(timer) {
  if (timer !== null && typeof timer === 'object') {
    timer.isCleared = true;
  }
}

module.exports = {
  setImmediate: soon,
  setTimeout: (callback, milliseconds, ...values) => soon(callback, ...values),
  setInterval() {
    throw new Error('there is no setInterval: scripts have no background work');
  },
  clearImmediate: clear,
  clearTimeout: clear,
  clearInterval: clear,
};
