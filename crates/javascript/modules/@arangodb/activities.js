// The activities of the server as a tree.
'use strict';

const { send } = require('persea/connection');

// Returns the activities as the server lists them.
function get_snapshot_bare() {
  return send('GET', '/_admin/activities').activities;
}

// Returns the lines of an activity and of those that it has begun.
function lines(activity, children, prefix, isLast) {
  const { id, type, data } = activity;
  const own = children.get(id) || [];
  const deeper = prefix === undefined ? '   ' : prefix + (isLast ? '   ' : '│  ');
  const branch = prefix === undefined ? ' ── ' : `${prefix} ${isLast ? '└' : '├'}── `;
  const below = own.flatMap((child, index) => lines(child, children, deeper, index === own.length - 1));
  return [`${branch}${type}: ${JSON.stringify(data)}`, ...below];
}

// Prints the activities, each below the one that began it.
function get_snapshot() {
  const all = get_snapshot_bare();
  const known = new Set(all.map(({ id }) => id));
  const children = new Map();
  const roots = all.filter((activity) => {
    const { parent } = activity;
    if (!known.has(parent)) {
      return true;
    }
    children.set(parent, [...(children.get(parent) || []), activity]);
    return false;
  });
  host.print(roots.flatMap((root) => lines(root, children)).map((line) => `${line}\n`).join(''));
}

module.exports = { get_snapshot, get_snapshot_bare };
