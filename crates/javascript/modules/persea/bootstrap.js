// Makes `require` and the globals. Returns a `require` for the host's own calls.
//
// A module of the API gets the native functions as its parameter `host`; other modules do not. So
// only the API's modules can reach the host, and a capability that the host leaves out is absent.
(function (host) {
  'use strict';

  // Native functions throw through `host.error`, so each knows its host wherever a module puts it.
  for (const name of Object.keys(host)) {
    host[name] = host[name].bind(host);
  }

  const cache = new Map();
  const roots = [];
  const EXTENSIONS = ['', '.js', '.json'];
  // The modules of Node.js that need sockets, processes or threads.
  const NODES = ['async_hooks', 'child_process', 'cluster', 'constants', 'crypto', 'dgram', 'diagnostics_channel', 'dns',
    'domain', 'fs/promises', 'http', 'http2', 'https', 'inspector', 'os', 'perf_hooks', 'readline', 'repl', 'sys', 'tls',
    'trace_events', 'v8', 'wasi', 'worker_threads', 'zlib'];

  // The realm of a module that belongs to a service: the folder that its files may be in, the modules
  // of those files, and the context of the service.
  const realms = new WeakMap();

  class Module {
    constructor(id, filename, parent, realm) {
      this.id = id;
      this.filename = filename;
      this.parent = parent;
      this.children = [];
      this.loaded = false;
      this.exports = {};
      if (realm !== undefined) {
        realms.set(this, realm);
        this.context = realm.context;
      }
      this.require = makeRequire(this);
    }
  }

  function directory(path) {
    const end = path.lastIndexOf('/');
    return end <= 0 ? path.slice(0, end + 1) : path.slice(0, end);
  }

  function normalized(path) {
    const parts = [];
    for (const part of path.split('/')) {
      if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') {
        parts.pop();
      } else if (part !== '.' && part !== '') {
        parts.push(part);
      }
    }
    return (path.startsWith('/') ? '/' : '') + parts.join('/');
  }

  // The directory that relative names begin at.
  function base(module) {
    if (module !== undefined && module.filename !== undefined) {
      return directory(module.filename);
    }
    return host.hasFiles() ? host.workingDirectory() : '/';
  }

  // The two places of modules that are no own ones: files, and the packages in the program.
  const FILES = {
    prefix: 'file:',
    isFile(path) {
      const info = host.fileInfo(path);
      return info !== undefined && info.kind === 'file';
    },
    read: (path) => host.readText(path),
  };
  const PACKAGES = {
    prefix: 'npm:',
    isFile: (path) => host.hasPackageFile(path.slice(1)),
    read: (path) => host.packageFile(path.slice(1)),
  };

  function fileOrFolder(path, place = FILES) {
    for (const extension of EXTENSIONS) {
      if (place.isFile(path + extension)) {
        return path + extension;
      }
    }
    if (place.isFile(path + '/package.json')) {
      const main = JSON.parse(place.read(path + '/package.json')).main;
      const found = typeof main === 'string' && main !== '' && fileOrFolder(normalized(path + '/' + main), place);
      if (found) {
        return found;
      }
    }
    return ['/index.js', '/index.json'].map((name) => path + name).find((name) => place.isFile(name));
  }

  // Returns a package in the program, for a module outside of it or in it.
  function inPackages(name, module) {
    let folder = module !== undefined && isPackaged(module) ? directory(module.filename.slice(4)) : '';
    while (folder !== '' && folder !== '/') {
      const found = fileOrFolder(normalized(folder + '/node_modules/' + name), PACKAGES);
      if (found !== undefined) {
        return found;
      }
      folder = directory(folder);
    }
    return fileOrFolder('/' + name, PACKAGES);
  }

  function isPackaged(module) {
    return module.filename !== undefined && module.filename.startsWith('npm:');
  }

  function inFolders(name, module, root = '/') {
    let folder = base(module);
    while (true) {
      const found = fileOrFolder(normalized(folder + '/node_modules/' + name));
      if (found !== undefined || folder === root || folder === '/' || folder === '') {
        return found;
      }
      folder = directory(folder);
    }
  }

  // Returns a file of a service. Its modules see nothing outside of its folder.
  function inRealm(name, module, isPath, { root }) {
    const found = isPath
      ? fileOrFolder(normalized(name.startsWith('/') ? name : base(module) + '/' + name))
      : inFolders(name, module, root);
    return found !== undefined && found.startsWith(root + '/') ? found : undefined;
  }

  function inRoots(name) {
    for (const root of roots) {
      const found = fileOrFolder(normalized(root + '/' + name));
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  // Returns the path of a module that is given by a path. One that is not beside its caller is looked
  // for in the folders of modules.
  function byPath(name, module) {
    const found = fileOrFolder(normalized(name.startsWith('/') ? name : base(module) + '/' + name));
    return found === undefined && !name.startsWith('/') ? inRoots(name) : found;
  }

  function own(name) {
    const plain = name.replace(/^node:/, '').replace(/\.js$/, '').replace(/^org\/arangodb/, '@arangodb');
    return host.hasModule(plain) ? plain : undefined;
  }

  // Returns the name of an own module, or the path of a file behind "file:".
  function resolve(name, module) {
    if (typeof name !== 'string' || name === '') {
      throw new TypeError('the name of a module must be a non-empty string');
    }
    const isPath = /^\.{0,2}\//.test(name) || name === '.' || name === '..';
    const isOwn = module !== undefined && module.filename !== undefined && module.filename.startsWith('persea:');
    if (!isPath) {
      const found = own(name);
      // The folder `persea` is for the API's modules and the host alone.
      if (found !== undefined && (isOwn || module === undefined || !found.startsWith('persea/'))) {
        return found;
      }
    }
    const isInPackage = module !== undefined && isPackaged(module);
    if (isInPackage && host.hasModule('persea/node/' + name)) {
      return 'persea/node/' + name;
    }
    if (isInPackage && isPath) {
      const found = fileOrFolder(normalized(directory(module.filename.slice(4)) + '/' + name), PACKAGES);
      if (found !== undefined) {
        return PACKAGES.prefix + found;
      }
    } else {
      const found = elsewhere(name, module, isPath, isInPackage);
      if (found !== undefined) {
        return found;
      }
    }
    throw notFound(name, module);
  }

  function notFound(name, module) {
    const isNodes = NODES.includes(name.replace(/^node:/, ''));
    const reason = isNodes ? `the module "${name}" of Node.js does not exist here` : `there is no module "${name}"`;
    const from = realms.has(module) ? ` for ${module.filename}` : '';
    return Object.assign(new Error(reason + from), { code: 'MODULE_NOT_FOUND', errorNum: 3100 });
  }

  // Returns a file or a package. The user's own copy of a package comes first.
  function elsewhere(name, module, isPath, isInPackage) {
    const realm = realms.get(module);
    // Scripts of a host with services read files as a service only.
    const readsFiles = realm === undefined && host.hasFiles() && !isInPackage && !host.hasServices();
    let found = readsFiles ? (isPath ? byPath(name, module) : inFolders(name, module)) : undefined;
    if (realm !== undefined) {
      found = inRealm(name, module, isPath, realm);
    }
    if (found === undefined && !isPath) {
      const packaged = inPackages(name, module);
      if (packaged !== undefined) {
        return PACKAGES.prefix + packaged;
      }
      found = readsFiles ? inRoots(name) : undefined;
    }
    return found === undefined ? undefined : FILES.prefix + found;
  }

  function load(id, parent) {
    const place = [FILES, PACKAGES].find((one) => id.startsWith(one.prefix));
    const realm = place === FILES ? realms.get(parent) : undefined;
    const modules = realm === undefined ? cache : realm.modules;
    const known = modules.get(id);
    if (known !== undefined) {
      return known.exports;
    }
    const path = place === FILES ? id.slice(FILES.prefix.length) : id;
    const module = new Module(path, place === undefined ? 'persea:' + id : path, parent, realm);
    modules.set(id, module);
    try {
      run(module, place);
      module.loaded = true;
    } finally {
      if (!module.loaded) {
        modules.delete(id);
      }
    }
    if (parent !== undefined) {
      parent.children.push(module);
    }
    return module.exports;
  }

  function run(module, place) {
    const path = place === PACKAGES ? module.filename.slice(PACKAGES.prefix.length) : module.filename;
    const source = place === undefined ? host.moduleSource(module.id) : place.read(path);
    if (module.filename.endsWith('.json')) {
      module.exports = parsed(() => JSON.parse(source), module);
      return;
    }
    const body = parsed(() => host.compileModule(source, module.filename), module);
    const folder = directory(module.filename);
    body.call(module.exports, module.exports, module.require, module, module.filename, folder, place === undefined ? host : undefined);
  }

  // Marks a syntax error of a service's file.
  function parsed(parse, module) {
    try {
      return parse();
    } catch (error) {
      if (realms.has(module) && error instanceof SyntaxError) {
        const place = /:(\d+):\d+\)?\s*$/m.exec(String(error.stack).split('\n')[0]);
        error.message += ` in ${module.filename}${place === null ? '' : `:${place[1]}`}`;
        error.errorNum = 3101;
      }
      throw error;
    }
  }

  // Runs a file of a service, given by its path in the service's folder, and returns its exports. A
  // context of its own is for a script, which runs each time; without one, it is a module as others are.
  function runFile(name, realm, context) {
    const found = fileOrFolder(normalized(realm.root + '/' + name));
    if (found === undefined || !found.startsWith(realm.root + '/')) {
      throw notFound(name);
    }
    const id = FILES.prefix + found;
    if (context === undefined && realm.modules.has(id)) {
      return realm.modules.get(id).exports;
    }
    const module = new Module(found, found, undefined, realm);
    if (context === undefined) {
      realm.modules.set(id, module);
    } else {
      module.context = context;
    }
    run(module, FILES);
    module.loaded = true;
    return module.exports;
  }

  // Compiles a file of a service, given by its path in the service's folder, and does not run it.
  function checkFile(name, realm) {
    const found = fileOrFolder(normalized(realm.root + '/' + name));
    if (found === undefined || !found.startsWith(realm.root + '/')) {
      throw notFound(name);
    }
    if (!found.endsWith('.json')) {
      parsed(() => host.compileModule(FILES.read(found), found), new Module(found, found, undefined, realm));
    }
  }

  // Calls a function that is given by its text, as if it stood in the service's folder.
  function runText(source, realm, context, values) {
    const module = new Module(realm.root + '/function', realm.root + '/function', undefined, realm);
    module.context = context;
    const body = parsed(() => host.compileModule(`return (${source}\n);`, module.filename), module);
    const callee = body.call(module.exports, module.exports, module.require, module, module.filename, realm.root);
    return callee(...values);
  }

  function makeRequire(module) {
    const isOwn = module === undefined || (module.filename !== undefined && module.filename.startsWith('persea:'));
    function require(name) {
      if (name === '@arangodb/locals' && realms.has(module)) {
        return { context: module.context };
      }
      // A name that was resolved before needs no search: own modules come first.
      const known = cache.get(name);
      if (known !== undefined && (isOwn || !/^(persea\/|file:|npm:)/.test(name))) {
        return known.exports;
      }
      return load(resolve(name, module), module);
    }
    require.resolve = (name) => resolve(name, module).replace(/^file:/, '');
    require.main = main;
    return require;
  }

  const main = { id: '.', filename: undefined, exports: {}, children: [], loaded: false };
  const mainModule = main;
  mainModule.require = makeRequire(mainModule);
  const internalRequire = makeRequire(undefined);

  // Adds a global whose value a module makes at its first use.
  function lazy(name, make) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get() {
        const value = make();
        Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
        return value;
      },
      set(value) {
        Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
      },
    });
  }

  function plain(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }

  host.main = mainModule;
  host.roots = roots;
  host.runFile = runFile;
  host.runText = runText;
  host.checkFile = checkFile;
  host.error = (number, message, status) =>
    new (internalRequire('persea/error').ArangoError)({ errorNum: number, errorMessage: message, code: status });

  plain('global', globalThis);
  plain('GLOBAL', globalThis);
  plain('require', mainModule.require);
  plain('module', mainModule);
  plain('exports', mainModule.exports);
  for (const name of ['print', 'print_plain', 'printf', 'help', 'start_pretty_print', 'stop_pretty_print',
    'start_color_print', 'stop_color_print', 'start_pager', 'stop_pager', 'exit', 'quit', 'arango', 'db', 'load',
    'COLORS']) {
    lazy(name, () => internalRequire('internal')[name]);
  }
  lazy('aql', () => internalRequire('@arangodb').aql);
  lazy('aqlQuery', () => internalRequire('@arangodb').aql);
  if (!host.hasTerminal()) {
    plain('TRANSACTION', (data) => internalRequire('internal').db._executeTransaction(data));
  }
  lazy('ArangoError', () => internalRequire('persea/error').ArangoError);
  lazy('console', () => internalRequire('console'));
  lazy('process', () => internalRequire('process'));
  lazy('Buffer', () => internalRequire('buffer').Buffer);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate']) {
    lazy(name, () => internalRequire('timers')[name]);
  }
  return internalRequire;
});
