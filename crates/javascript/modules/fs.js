// The file system, by CommonJS's Filesystem/A and the names of Node.js.
'use strict';

const path = require('path');

const fs = module.exports;

function kind(name) {
  const info = host.fileInfo(name);
  return info === undefined ? undefined : info.kind;
}

fs.exists = (name) => kind(name) !== undefined;
fs.existsSync = fs.exists;
fs.isFile = (name) => kind(name) === 'file';
fs.isDirectory = (name) => kind(name) === 'directory';
fs.size = (name) => required(name).size;
fs.mtime = (name) => Math.floor(required(name).mtime);
fs.statSync = (name) => {
  const info = required(name);
  return {
    size: info.size,
    mtime: new Date(info.mtime * 1000),
    isFile: () => info.kind === 'file',
    isDirectory: () => info.kind === 'directory',
  };
};

function required(name) {
  const info = host.fileInfo(name);
  if (info === undefined) {
    throw require('persea/error').make('ERROR_FILE_NOT_FOUND', `there is no file ${name}`);
  }
  return info;
}

fs.pathSeparator = '/';
fs.join = path.join;
fs.makeAbsolute = (name) => path.resolve(name);
fs.home = () => require('process').env.HOME;
fs.getTempPath = host.temporaryDirectory;

// Returns a new name in a folder, or in the folder of temporary files.
fs.getTempFile = (folder, creates) => {
  const root = host.temporaryDirectory();
  const base = folder ? path.resolve(root, folder) : root;
  const name = path.join(base, `tmp-${require('@arangodb/crypto').genRandomAlphaNumbers(16)}`);
  if (creates) {
    host.writeFile(name, '', false);
  }
  return name;
};

fs.list = host.listDirectory;
fs.readdirSync = host.listDirectory;

fs.listTree = (root) => {
  const found = [''];
  const visit = (prefix) => {
    for (const name of host.listDirectory(path.join(root, prefix))) {
      const inner = prefix === '' ? name : `${prefix}/${name}`;
      found.push(inner);
      if (kind(path.join(root, inner)) === 'directory') {
        visit(inner);
      }
    }
  };
  visit('');
  return found;
};

fs.makeDirectory = (name) => host.makeDirectory(name, false);
fs.mkdirSync = (name, options) => host.makeDirectory(name, Boolean(options && options.recursive));
fs.makeDirectoryRecursive = (name) => host.makeDirectory(name, true);
fs.remove = host.removeFile;
fs.unlinkSync = host.removeFile;
fs.removeDirectory = (name) => host.removeDirectory(name, false);
fs.rmdirSync = fs.removeDirectory;
fs.removeDirectoryRecursive = (name) => host.removeDirectory(name, true);

fs.chmod = (name, mode) => {
  host.setFileMode(name, typeof mode === 'string' ? parseInt(mode, 8) : mode);
  return true;
};

// Files

function buffer(name) {
  return Buffer.from(host.readFile(name).buffer);
}

fs.read = host.readText;
fs.readBuffer = buffer;
fs.read64 = (name) => buffer(name).toString('base64');
fs.readFileSync = (name, options) => {
  const encoding = options !== null && typeof options === 'object' ? options.encoding : options;
  const content = buffer(name);
  return encoding === undefined || encoding === null ? content : content.toString(encoding);
};
fs.write = (name, content) => {
  host.writeFile(name, bytes(content), false);
  return true;
};
fs.writeFileSync = (name, content) => host.writeFile(name, bytes(content), false);
fs.append = (name, content) => {
  host.writeFile(name, bytes(content), true);
  return true;
};
fs.appendFileSync = fs.append;

function bytes(content) {
  return ArrayBuffer.isView(content) ? new Uint8Array(content.buffer, content.byteOffset, content.byteLength) : String(content);
}

fs.move = (from, to) => {
  if (kind(to) === 'directory') {
    throw require('persea/error').make('ERROR_BAD_PARAMETER', `${to} is a directory`);
  }
  host.renameFile(from, to);
};
fs.renameSync = host.renameFile;

fs.copyFile = (from, to) => {
  host.copyFile(from, kind(to) === 'directory' ? path.join(to, path.basename(from)) : to);
  return true;
};

fs.copyRecursive = (from, to) => {
  if (kind(from) !== 'directory') {
    if (kind(to) === 'directory') {
      throw require('persea/error').make('ERROR_BAD_PARAMETER', `${to} is a directory, ${from} is a file`);
    }
    host.copyFile(from, to);
    return;
  }
  if (kind(to) !== undefined) {
    throw require('persea/error').make('ERROR_BAD_PARAMETER', `${to} already exists`);
  }
  for (const name of fs.listTree(from)) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (kind(source) === 'directory') {
      host.makeDirectory(target, true);
    } else {
      host.copyFile(source, target);
    }
  }
};

// Stores files in a new archive. Their names in it do not contain the folder.
fs.zipFile = (archive, folder, files, password) => {
  host.packFiles(archive, folder || '', files, password || undefined);
  return true;
};

fs.unzipFile = (archive, folder, skipPaths, overwrite, password) => {
  host.unpackFiles(archive, folder, Boolean(skipPaths), Boolean(overwrite), password || undefined);
  return true;
};

fs.linkFile = (target, name) => {
  host.linkFile(target, name);
  return true;
};
