// Query strings, as in Node.js.
'use strict';

function escape(value) {
  return encodeURIComponent(value);
}

function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text;
  }
}

function textOf(value) {
  const isText = ['string', 'bigint', 'boolean'].includes(typeof value) || Number.isFinite(value);
  return isText ? escape(String(value)) : '';
}

function stringify(object, separator = '&', equals = '=') {
  return Object.keys(object || {}).flatMap((name) => {
    const key = escape(name) + equals;
    return Array.isArray(object[name]) ? object[name].map((value) => key + textOf(value)) : [key + textOf(object[name])];
  }).join(separator);
}

function parse(text, separator = '&', equals = '=') {
  const object = Object.create(null);
  for (const part of String(text).split(separator)) {
    if (part === '') {
      continue;
    }
    const at = part.indexOf(equals);
    const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + equals.length)];
    const [key, content] = [name, value].map((piece) => unescape(piece.replace(/\+/g, ' ')));
    object[key] = key in object ? [].concat(object[key], content) : content;
  }
  return object;
}

module.exports = { escape, unescape, stringify, encode: stringify, parse, decode: parse };
