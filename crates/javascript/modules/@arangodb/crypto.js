// Random values, hashes, and JSON Web Tokens.
'use strict';

const { make } = require('persea/error');

const crypto = module.exports;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SALT = LETTERS + '!"#$%&()*+,-./:;<=>?@[]^_{|}~';

// Returns a text of random characters, each as likely as the others.
function random(characters, length) {
  const count = Number(length);
  if (!(count >= 0 && count <= 65536)) {
    throw make('ERROR_BAD_PARAMETER', 'the length must be from 0 to 65536');
  }
  const limit = 256 - (256 % characters.length);
  let text = '';
  while (text.length < count) {
    for (const byte of host.randomBytes(count - text.length)) {
      if (byte < limit) {
        text += characters[byte % characters.length];
      }
    }
  }
  return text;
}

crypto.genRandomAlphaNumbers = (length) => random(LETTERS, length);
crypto.genRandomNumbers = (length) => random('0123456789', length);
crypto.genRandomSalt = (length) => random(SALT, length);
crypto.genRandomBytes = (length) => Buffer.from(host.randomBytes(Number(length)).buffer);
crypto.rand = () => new DataView(host.randomBytes(4).buffer).getInt32(0);

crypto.uuidv4 = () => {
  const bytes = host.randomBytes(16);
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  const hex = host.decode(bytes, 'hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

// Nonces: 32 bits of time and 64 of randomness. All scripts of this program know them for an hour.
crypto.createNonce = host.createNonce;
crypto.checkAndMarkNonce = (nonce) => typeof nonce === 'string' && host.takeNonce(nonce);

for (const name of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512']) {
  crypto[name] = (message) => host.hash(name, content(message));
}

crypto.hmac = (key, message, algorithm = 'sha256') => host.hmac(algorithm.toLowerCase().replace('-', ''), content(key), content(message));

crypto.pbkdf2 = (salt, password, iterations, length) => host.pbkdf2('sha1', content(salt), content(password), iterations, length);
crypto.pbkdf2hs1 = crypto.pbkdf2;

function content(value) {
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : String(value);
}

crypto.constantEquals = (left, right) => {
  if (typeof left !== 'string' || typeof right !== 'string' || left.length !== right.length) {
    return false;
  }
  let difference = 0;
  for (let index = 0; index < left.length; ++index) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
};

// JSON Web Tokens

function hmacAlgorithm(hash) {
  const sign = (key, segments) => Buffer.from(host.hmac(hash, content(key), content(segments)), 'hex').toString('base64url');
  return { sign, verify: (key, segments, signature) => crypto.constantEquals(signature, sign(key, segments)) };
}

crypto.jwtAlgorithms = {
  HS256: hmacAlgorithm('sha256'),
  HS384: hmacAlgorithm('sha384'),
  HS512: hmacAlgorithm('sha512'),
  none: {
    sign(key) {
      withoutKey(key);
      return '';
    },
    verify(key, segments, signature) {
      withoutKey(key);
      return signature === '';
    },
  },
};

function withoutKey(key) {
  if (key) {
    throw new Error('the algorithm "none" takes no key');
  }
}

crypto.jwtCanonicalAlgorithmName = (name) => {
  const wanted = String(name).toLowerCase();
  const found = Object.keys(crypto.jwtAlgorithms).find((known) => known.toLowerCase() === wanted);
  if (found === undefined) {
    throw new Error(`unknown algorithm ${JSON.stringify(name)}; the algorithms are ${Object.keys(crypto.jwtAlgorithms).join(', ')}`);
  }
  return found;
};

function withKey(name, key) {
  if (name !== 'none' && !key) {
    throw new Error(`the algorithm ${name} needs a key`);
  }
}

crypto.jwtEncode = (key, message, algorithm = 'HS256') => {
  const name = crypto.jwtCanonicalAlgorithmName(algorithm);
  withKey(name, key);
  const segment = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const segments = `${segment({ typ: 'JWT', alg: name })}.${segment(message)}`;
  return `${segments}.${crypto.jwtAlgorithms[name].sign(key, segments)}`;
};

crypto.jwtDecode = (key, token, skipsVerification = false) => {
  if (!token) {
    return null;
  }
  const segments = String(token).split('.');
  if (segments.length !== 3) {
    throw new Error('a token has three segments');
  }
  const [header, message] = segments.slice(0, 2).map((segment) => JSON.parse(Buffer.from(segment, 'base64url').toString()));
  if (!skipsVerification) {
    const name = crypto.jwtCanonicalAlgorithmName(header.alg);
    withKey(name, key);
    if (!crypto.jwtAlgorithms[name].verify(key, segments.slice(0, 2).join('.'), segments[2])) {
      throw new Error('the signature of the token is wrong');
    }
  }
  return message;
};
