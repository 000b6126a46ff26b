// The process, as far as the host shows it.
'use strict';

const process = module.exports;

process.env = new Proxy(host.environment(), {
  set(variables, name, value) {
    host.setEnvironment(String(name), String(value));
    variables[name] = String(value);
    return true;
  },
  deleteProperty(variables, name) {
    host.setEnvironment(String(name), undefined);
    delete variables[name];
    return true;
  },
});
process.title = 'persea';
process.platform = 'linux';
process.version = 'v3.12';
process.versions = {};
process.argv = host.hasTerminal() ? ['persea', 'shell', ...host.arguments()] : [];
process.cwd = () => (host.hasFiles() ? host.workingDirectory() : '/');
process.exit = host.exit;
process.nextTick = (callback, ...values) => require('timers').setImmediate(callback, ...values);
process.hrtime = (before) => {
  const now = host.time();
  const [seconds, nanoseconds] = before || [0, 0];
  const passed = now - seconds - nanoseconds / 1e9;
  return [Math.floor(passed), Math.floor((passed % 1) * 1e9)];
};
process.uptime = () => host.time() - start;
process.stdout = { isTTY: false, write: (text) => host.print(String(text)) };
process.stderr = { isTTY: false, write: (text) => host.log('error', String(text).replace(/\n$/, '')) };
Object.defineProperty(process, 'pid', { get: host.processId, enumerable: true });

const start = host.time();
