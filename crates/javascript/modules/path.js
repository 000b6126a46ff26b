// Paths of files, as in Node.js on Unix.
'use strict';

// Removes `.`, `..` and empty parts.
function parts(path, isAbsolute) {
  const kept = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (kept.length > 0 && kept[kept.length - 1] !== '..') {
        kept.pop();
      } else if (!isAbsolute) {
        kept.push(part);
      }
    } else if (part !== '' && part !== '.') {
      kept.push(part);
    }
  }
  return kept;
}

function isAbsolute(path) {
  return path.startsWith('/');
}

function normalize(path) {
  const absolute = isAbsolute(path);
  const joined = parts(path, absolute).join('/');
  const end = path.endsWith('/') && joined !== '' ? '/' : '';
  return (absolute ? '/' : '') + joined + end || '.';
}

function join(...given) {
  const text = given.filter((part) => part !== '').join('/');
  return text === '' ? '.' : normalize(text);
}

function resolve(...given) {
  let path = '';
  for (const part of given.reverse()) {
    path = path === '' ? part : `${part}/${path}`;
    if (isAbsolute(part)) {
      break;
    }
  }
  const full = isAbsolute(path) ? path : `${host.workingDirectory()}/${path}`;
  return '/' + parts(full, true).join('/');
}

function relative(from, to) {
  const [source, target] = [parts(resolve(from), true), parts(resolve(to), true)];
  let same = 0;
  while (same < source.length && source[same] === target[same]) {
    ++same;
  }
  return [...source.slice(same).map(() => '..'), ...target.slice(same)].join('/');
}

function dirname(path) {
  const trimmed = path.replace(/(.)\/+$/, '$1');
  const end = trimmed.lastIndexOf('/');
  return end === -1 ? '.' : trimmed.slice(0, end) || '/';
}

function basename(path, ending) {
  const name = path.replace(/\/+$/, '').split('/').pop();
  return ending !== undefined && name.endsWith(ending) && name !== ending ? name.slice(0, -ending.length) : name;
}

function extname(path) {
  const found = /[^/.][^/]*(\.[^/.]*)$/.exec(basename(path));
  return found === null ? '' : found[1];
}

function parse(path) {
  const [base, ext] = [basename(path), extname(path)];
  const dir = path.includes('/') ? dirname(path) : '';
  return { root: isAbsolute(path) ? '/' : '', dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
}

function format({ dir, root = '', base, name = '', ext = '' }) {
  const file = base || name + ext;
  return dir ? `${dir}${dir === root ? '' : '/'}${file}` : root + file;
}

module.exports = { sep: '/', delimiter: ':', isAbsolute, normalize, join, resolve, relative, dirname, basename, extname, parse, format };
module.exports.posix = module.exports;
