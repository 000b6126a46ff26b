// Node.js's `net`, as far as it only computes.
'use strict';

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

function isIPv4(text) {
  return V4.test(String(text));
}

function isIPv6(text) {
  const [address, zone, ...more] = String(text).split('%');
  if (more.length > 0 || zone === '') {
    return false;
  }
  const halves = address.split('::');
  if (halves.length > 2) {
    return false;
  }
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const all = groups.flat();
  const last = all[all.length - 1];
  // The last 32 bits may be written as IPv4.
  const isMixed = last !== undefined && last.includes('.') && address.endsWith(last);
  const plain = isMixed ? all.slice(0, -1) : all;
  const count = plain.length + (isMixed ? 2 : 0);
  return plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (!isMixed || isIPv4(last)) &&
    (halves.length === 2 ? count < 8 : count === 8);
}

function isIP(text) {
  return isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0;
}

module.exports = { isIP, isIPv4, isIPv6 };
