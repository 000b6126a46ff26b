// Event emitters, as in Node.js.
'use strict';

class EventEmitter {
  on(event, listener) {
    return this._add(event, listener, false);
  }

  addListener(event, listener) {
    return this.on(event, listener);
  }

  prependListener(event, listener) {
    return this._add(event, listener, true);
  }

  once(event, listener) {
    const wrapped = (...values) => {
      this.removeListener(event, wrapped);
      listener.apply(this, values);
    };
    wrapped.listener = listener;
    return this.on(event, wrapped);
  }

  removeListener(event, listener) {
    const all = this._of(event);
    const index = all.findLastIndex((known) => known === listener || known.listener === listener);
    if (index !== -1) {
      this._listeners.set(event, all.filter((_, other) => other !== index));
    }
    return this;
  }

  off(event, listener) {
    return this.removeListener(event, listener);
  }

  removeAllListeners(event) {
    if (event === undefined) {
      this._listeners = new Map();
    } else if (this._listeners !== undefined) {
      this._listeners.delete(event);
    }
    return this;
  }

  emit(event, ...values) {
    const all = this._of(event);
    if (all.length === 0 && event === 'error') {
      throw values[0] instanceof Error ? values[0] : new Error(`unhandled error event: ${values[0]}`);
    }
    for (const listener of all) {
      listener.apply(this, values);
    }
    return all.length > 0;
  }

  listeners(event) {
    return this._of(event).map((listener) => listener.listener || listener);
  }

  listenerCount(event) {
    return this._of(event).length;
  }

  eventNames() {
    return this._listeners === undefined ? [] : [...this._listeners.keys()].filter((event) => this._of(event).length > 0);
  }

  setMaxListeners() {
    return this;
  }

  _add(event, listener, isFirst) {
    if (typeof listener !== 'function') {
      throw new TypeError('a listener must be a function');
    }
    const all = this._of(event);
    if (this._listeners === undefined) {
      Object.defineProperty(this, '_listeners', { value: new Map(), writable: true });
    }
    this._listeners.set(event, isFirst ? [listener, ...all] : [...all, listener]);
    return this;
  }

  _of(event) {
    return (this._listeners !== undefined && this._listeners.get(event)) || [];
  }
}

module.exports = EventEmitter;
module.exports.EventEmitter = EventEmitter;
module.exports.defaultMaxListeners = 10;
