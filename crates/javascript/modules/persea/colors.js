// The codes of a terminal's colours.
'use strict';

const NUMBERS = { BLACK: 30, RED: 31, GREEN: 32, YELLOW: 33, BLUE: 34, MAGENTA: 35, CYAN: 36, WHITE: 37 };

const COLORS = { COLOR_RESET: '\x1b[0m', COLOR_BRIGHT: '\x1b[1m', COLOR_BLINK: '\x1b[5m' };
for (const [name, number] of Object.entries(NUMBERS)) {
  COLORS[`COLOR_${name}`] = `\x1b[0;${number}m`;
  COLORS[`COLOR_BOLD_${name}`] = `\x1b[1;${number}m`;
}

module.exports = { COLORS };
