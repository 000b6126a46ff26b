// The colours of explanations: functions that wrap a text.
'use strict';

const CODES = { keyword: '1;36', name: '33', value: '32', function: '35', annotation: '90', collection: '31', number: '36', header: '1;34', title: '1' };

// Returns the functions, which change nothing without colours.
function palette(hasColors) {
  const wrap = (code) => (text) => (hasColors ? `\x1b[${code}m${text}\x1b[0m` : String(text));
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, wrap(code)]));
}

// Returns the length of a text as it is seen.
function visible(text) {
  return text.replace(/\x1b\[[\d;]*m/g, '').length;
}

function pad(text, width, isRight) {
  const blanks = ' '.repeat(Math.max(width - visible(text), 0));
  return isRight ? blanks + text : text + blanks;
}

// Returns a table: a line of titles, and rows of texts. `right` names the columns of numbers.
function table(colors, titles, rows, right = []) {
  const widths = titles.map((title, column) => Math.max(title.length, ...rows.map((row) => visible(row[column]))));
  const line = (cells) => ' ' + cells.map((cell, column) => pad(cell, widths[column], right.includes(column))).join('   ').trimEnd();
  return [colors.header(line(titles)), ...rows.map(line)];
}

module.exports = { palette, table, pad, visible };
