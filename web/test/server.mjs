// A server for tests: the program that the variable PERSEA names, on a free port, with an empty store.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PASSWORD = 'secret'
/** Milliseconds until a server must be ready, on a machine that is busy with other work. */
const START_MILLISECONDS = 120_000

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

export class Server {
  static async start({ authentication = true, options = [] } = {}) {
    const server = new Server()
    server.folder = mkdtempSync(join(tmpdir(), 'persea-web-'))
    server.port = await freePort()
    server.address = `http://127.0.0.1:${server.port}`
    server.authentication = authentication
    server.options = options
    await server.launch()
    return server
  }

  /** Starts the process on the store that is there. */
  async launch() {
    const options = ['server', '--database.directory', join(this.folder, 'data'), '--server.endpoint', `tcp://127.0.0.1:${this.port}`]
    options.push('--server.authentication', String(this.authentication), '--log.output', '-', '--memory-limit', '1073741824', ...this.options)
    this.process = spawn(process.env.PERSEA, options, { env: { ...process.env, ARANGO_ROOT_PASSWORD: PASSWORD }, stdio: 'ignore' })
    const end = Date.now() + START_MILLISECONDS
    for (;;) {
      const isReady = await fetch(`${this.address}/_admin/server/availability`).then((reply) => reply.ok, () => false)
      if (isReady) return
      if (Date.now() > end) throw new Error('the server did not start')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Ends the process at once, as a crash would. */
  kill() {
    return new Promise((resolve) => {
      this.process.once('exit', resolve)
      this.process.kill('SIGKILL')
    })
  }

  async stop() {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Sends a request as root and returns its reply. */
  async ask(method, path, body, user = 'root') {
    const authorization = `Basic ${Buffer.from(`${user}:${PASSWORD}`).toString('base64')}`
    const reply = await fetch(this.address + path, { method, headers: { authorization }, body: body === undefined ? undefined : JSON.stringify(body) })
    return { status: reply.status, ...(await reply.json().catch(() => ({}))) }
  }

  /** Installs a service from the bytes of an archive, or from a script. */
  async install(mount, body, database = '_system') {
    const authorization = `Basic ${Buffer.from(`root:${PASSWORD}`).toString('base64')}`
    const type = typeof body === 'string' ? 'application/javascript' : 'application/zip'
    const reply = await fetch(`${this.address}/_db/${database}/_api/foxx?${new URLSearchParams({ mount })}`, { method: 'POST', headers: { authorization, 'content-type': type }, body })
    if (reply.status !== 201) throw new Error(`${mount} is not installed: ${await reply.text()}`)
  }

  /** Waits until no query runs. */
  async untilIdle() {
    const end = Date.now() + START_MILLISECONDS
    while ('0' in (await this.ask('GET', '/_api/query/current'))) {
      if (Date.now() > end) throw new Error('a query still runs')
    }
  }

  query(query, bindVars = {}) {
    return this.ask('POST', '/_api/cursor', { query, bindVars })
  }
}
